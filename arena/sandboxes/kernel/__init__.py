"""What Linux offers to hold a process: control groups, /proc, system call filters, users."""
