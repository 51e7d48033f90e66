"""Linux mechanisms that restrict processes: control groups, /proc, system call filters, user ids."""
