"""Bots that this machine starts itself: in bubblewrap, or as a plain process; and the build of a bot's folder."""
