"""Reading what strangers made: texts, folders, and anything that is parsed in a process with limits."""
