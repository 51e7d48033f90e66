"""The web process of a contest: the site with accounts, uploads and the organiser's pages; it never runs a bot."""
