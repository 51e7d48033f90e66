"""The JSON API of a contest, under /api/v1: one list of operations makes both the routes and their description."""
