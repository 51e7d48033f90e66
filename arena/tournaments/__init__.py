"""A tournament from its settings to its archive: who plays whom, where it is played, and the proof of it."""
