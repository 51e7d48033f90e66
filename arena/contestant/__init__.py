"""Tools for authors of bots: the scaffold of a new bot, the check, and the reproduction of a played match."""
