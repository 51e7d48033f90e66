"""The runner of a contest, which works off what people hand in, and the two processes that make a contest run."""
