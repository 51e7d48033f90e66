"""Bots in containers of a docker engine, with its own kernel (runc) or with one of their own (gVisor)."""
