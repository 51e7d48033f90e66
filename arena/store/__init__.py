"""Where bots, tournaments and matches are kept."""
