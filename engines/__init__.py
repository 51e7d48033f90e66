"""One room per game; each package here exports its game as GAME and is found by its name."""
