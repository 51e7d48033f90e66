"""A contest: its settings, its people and teams, and what they hand in; shared by the web process and the runner."""
