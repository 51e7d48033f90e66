"""What the author of a bot uses: a new folder to begin with, the check, and playing a lost match again."""
