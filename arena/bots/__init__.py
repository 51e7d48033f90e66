"""Bots: their manifests, how they are made and started, and the table at which running bots play."""
