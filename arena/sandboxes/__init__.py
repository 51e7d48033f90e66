"""Sandboxes for untrusted programs: docker, gVisor, bubblewrap, or a plain process, and every record says which."""
