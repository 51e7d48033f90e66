"""Reads what strangers hand in, within limits: folders, archives and images, kept under their digests."""
