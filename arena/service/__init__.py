"""The web process of a contest: pages, forms and an API on top of the site; it writes no result and runs no bot."""
