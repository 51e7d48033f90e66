"""Bots in containers of a docker daemon, with its own kernel (runc) or with one of their own (gVisor)."""
