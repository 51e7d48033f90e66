"""Tournaments: settings, schedules, the processes that play the matches, verification and archives."""
