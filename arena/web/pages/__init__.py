"""The pages of a site: pure functions from data to what a template shows."""
