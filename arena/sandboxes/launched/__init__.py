"""Sandboxes for bots given as folders, which our own launcher starts: bubblewrap, plain processes, and builds."""
