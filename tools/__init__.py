"""Programs for those who develop Arena."""
