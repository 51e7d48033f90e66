"""Sandboxes for bots given as images: containers of the docker daemon, run by runc or by gVisor."""
