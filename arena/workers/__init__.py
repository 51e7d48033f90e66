"""Where the matches of a tournament are played."""
