"""What the search knows about King & Assassins besides its rules: turns to choose from, chances to judge by."""
