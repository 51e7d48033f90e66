"""The system calls of bots as data: allowed, refused, or allowed with certain arguments only.

Everything that is not named here does not exist for a bot (ENOSYS), and so neither does what later kernels add.
"""

import errno
from dataclasses import dataclass

# The calls that interpreters, C libraries, JIT compilers, garbage collectors, gRPC and compilers were seen to make.
ALLOWED = {
    "files": "read write readv writev pread64 pwrite64 preadv pwritev lseek open openat creat close"
    " close_range dup dup2 dup3 stat fstat lstat newfstatat statx statfs fstatfs"
    " access faccessat faccessat2 truncate ftruncate fallocate umask sendfile copy_file_range splice",
    "folders and names": "getdents getdents64 getcwd chdir fchdir mkdir mkdirat rmdir link linkat symlink symlinkat"
    " readlink readlinkat unlink unlinkat rename renameat renameat2 mknod mknodat",
    "owners, times and labels of files": "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes"
    " futimesat utimensat getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr fsetxattr"
    " removexattr lremovexattr fremovexattr",
    "waiting for events": "poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl"
    " epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4 pipe pipe2",
    "memory": "brk munmap mprotect mremap msync mlock mlock2 munlock mlockall munlockall membarrier"
    " map_shadow_stack riscv_flush_icache",
    "threads": "futex set_robust_list get_robust_list set_tid_address"
    " gettid rseq arch_prctl sched_yield sched_getaffinity sched_getparam sched_setparam"
    " sched_getscheduler sched_setscheduler sched_getattr sched_get_priority_max sched_get_priority_min"
    " sched_rr_get_interval getcpu riscv_hwprobe",
    "processes": "fork vfork execve execveat exit exit_group wait4 waitid getpid getppid getpgid getpgrp setpgid getsid"
    " getrlimit getrusage getpriority ioprio_get uname sysinfo times",
    "own identity": "getuid geteuid getgid getegid getresuid getresgid getgroups capget",
    "signals": "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo"
    " rt_tgsigqueueinfo sigaltstack restart_syscall kill tkill tgkill pause",
    "time": "time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep alarm getitimer setitimer"
    " timer_delete timer_settime timer_gettime timer_getoverrun timerfd_create timerfd_settime"
    " timerfd_gettime",
    "sockets": "bind listen accept accept4 connect shutdown getsockname getpeername sendto recvfrom sendmsg"
    " recvmsg sendmmsg recvmmsg",
    "random numbers": "getrandom",
}

# Ways out of the sandbox, and kernel objects that no namespace separates: a program that tries gets a plain EPERM.
FORBIDDEN = {
    "other processes": "ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd",
    "mounts and namespaces": "mount umount umount2 move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr"
    " pivot_root chroot setns unshare sethostname setdomainname",
    "keyrings": "keyctl add_key request_key",
    "kernel machinery": "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register io_setup"
    " modify_ldt memfd_secret move_pages migrate_pages lookup_dcookie personality",
    "the machine": "init_module finit_module delete_module create_module query_module get_kernel_syms kexec_load"
    " kexec_file_load reboot swapon swapoff acct syslog quotactl quotactl_fd iopl ioperm vhangup nfsservctl uselib"
    " sysfs _sysctl ustat",
    "the clock": "settimeofday stime clock_settime clock_settime64 adjtimex clock_adjtime clock_adjtime64",
    "files by handle, and watching files that other bots share": "open_by_handle_at name_to_handle_at fanotify_init"
    " fanotify_mark inotify_init inotify_init1",
    "memory and queues that outlive a process": "mq_open mq_unlink shmget msgget semget",
    "change of identity": "setuid setgid setreuid setregid setfsuid setfsgid setgroups capset",
    # The kernel numbers all sessions of the machine, and /proc/self/autogroup shows the number.
    "counters of the whole machine": "setsid",
    "the order of others' reads and writes": "ioprio_set",
}

# Advice on what the kernel keeps of files in memory, which bots share; orders to write to the disk, which would hold
# up others and have nothing of a bot's own to write; and the choice of a processor, which may be that of another table:
# they are told that it was taken.
PRETENDED = "fadvise64 readahead sync syncfs fsync fdatasync sync_file_range sched_setaffinity"

# make becomes itself before it starts a program, and gives up where it may not. Bots are told that a change of their
# effective identity alone, with -1 for their real one, was made; every identity of a bot is the same, and stays so.
PRETENDED_FOR_ONE = "setresuid setresgid"

# Named only for container runtimes that know no other default than EPERM: these calls have a fallback for ENOSYS alone.
MISSING = (
    "clone3 pidfd_open pidfd_send_signal seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self"
    " pkey_alloc pkey_free pkey_mprotect mincore cachestat mbind get_mempolicy set_mempolicy set_mempolicy_home_node"
    " sched_setattr tee vmsplice remap_file_pages process_mrelease"
    # RESOLVE_CACHED, of which no filter can see whether it is set, opens only what others have opened.
    " openat2"
    # A thread waits on up to 128 pages of files that bots share, and each can be asked who waits there.
    " futex_waitv futex_wake futex_wait futex_requeue"
)

LOCKS = "flock"
MEMORY_FILES = "memfd_create"
# By these the kernel sends a signal of the bot's choice even while the bot is stopped: SIGCONT, and it goes on.
CHOSEN_SIGNALS = "timer_create"
CHOSEN_SIGNAL_COMMANDS = {"F_SETSIG": 10}

NEW_NAMESPACES = {
    "CLONE_NEWNS": 0x0002_0000, "CLONE_NEWCGROUP": 0x0200_0000, "CLONE_NEWUTS": 0x0400_0000,
    "CLONE_NEWIPC": 0x0800_0000, "CLONE_NEWUSER": 0x1000_0000, "CLONE_NEWPID": 0x2000_0000,
    "CLONE_NEWNET": 0x4000_0000,
}  # fmt: skip
# A pidfd's inode counts the forks of the whole machine.
CLONE_PIDFD = 0x1000
# Huge pages come out of one pool for the whole machine, where it has one, and no memory limit counts them.
MAP_HUGETLB, MFD_HUGETLB = 0x4_0000, 4
# RWF_NOWAIT reads only what is in memory already, and so tells what others have read.
RWF_NOWAIT = 8


@dataclass(frozen=True, slots=True)
class Only:
    """A call that may be made when one of its arguments is among these values."""

    name: str
    index: int
    values: dict[str, int]


@dataclass(frozen=True, slots=True)
class AllBut:
    """A call that may be made unless one of its arguments is among these values; then it fails with an error."""

    name: str
    index: int
    values: dict[str, int]
    error: int


# Sockets reach the processes of the same bot, and the referee. Those of the network count for the whole machine, load
# parts of the kernel when they are asked for, and can be had by socketpair as well.
FAMILIES = {"AF_UNIX": 1}
# A build, which has no opponent, may also use the network that it has for itself.
LOOPBACK_FAMILIES = {"AF_INET": 2, "AF_INET6": 10}
# Programs for the kernel. In a build their numbers are those of options of AF_INET6, which a filter cannot tell apart.
SOCKET_PROGRAMS = {
    "SO_ATTACH_FILTER": 26, "SO_ATTACH_BPF": 50, "SO_ATTACH_REUSEPORT_CBPF": 51, "SO_ATTACH_REUSEPORT_EBPF": 52,
}  # fmt: skip
# A pidfd again: see CLONE_PIDFD.
SO_PASSPIDFD = {"SO_PASSPIDFD": 76}

LOCK_COMMANDS = {"F_GETLK": 5, "F_SETLK": 6, "F_SETLKW": 7, "F_OFD_GETLK": 36, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
ONLY = (
    Only("setpriority", 0, {"PRIO_PROCESS": 0}),
    Only("pwritev2", 5, {"no flags": 0}),
    # Neither leases nor F_NOTIFY: both tell what others do with a file.
    Only(
        "fcntl",
        1,
        {
            "F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_SETOWN": 8, "F_GETOWN": 9,
            "F_GETSIG": 11, "F_SETOWN_EX": 15, "F_GETOWN_EX": 16, "F_DUPFD_CLOEXEC": 1030,
            "F_SETPIPE_SZ": 1031, "F_GETPIPE_SZ": 1032, "F_ADD_SEALS": 1033, "F_GET_SEALS": 1034,
        },
    ),
    # No TIOCSTI and no TIOCLINUX, which type for others. TIOCSPGRP must say ENOTTY to docker's init.
    Only(
        "ioctl",
        1,
        {
            "TCGETS": 0x5401, "TCGETS2": 0x802C_542A, "TIOCGPGRP": 0x540F, "TIOCSPGRP": 0x5410, "TIOCOUTQ": 0x5411,
            "TIOCGWINSZ": 0x5413, "FIONREAD": 0x541B, "FIONBIO": 0x5421, "FIONCLEX": 0x5450, "FIOCLEX": 0x5451,
            "FIOASYNC": 0x5452, "SIOCATMARK": 0x8905, "SIOCGIFNAME": 0x8910, "SIOCGIFCONF": 0x8912,
            "SIOCGIFFLAGS": 0x8913, "SIOCGIFADDR": 0x8915, "SIOCGIFBRDADDR": 0x8919, "SIOCGIFNETMASK": 0x891B,
            "SIOCGIFMTU": 0x8921, "SIOCGIFHWADDR": 0x8927, "SIOCGIFINDEX": 0x8933,
        },
    ),
    Only(
        "prctl",
        0,
        {
            "PR_SET_PDEATHSIG": 1, "PR_GET_PDEATHSIG": 2, "PR_GET_DUMPABLE": 3, "PR_SET_DUMPABLE": 4,
            "PR_GET_KEEPCAPS": 7, "PR_SET_NAME": 15, "PR_GET_NAME": 16, "PR_GET_SECCOMP": 21, "PR_CAPBSET_READ": 23,
            "PR_GET_TSC": 25, "PR_GET_SECUREBITS": 27, "PR_SET_TIMERSLACK": 29, "PR_GET_TIMERSLACK": 30,
            "PR_SET_CHILD_SUBREAPER": 36, "PR_GET_CHILD_SUBREAPER": 37, "PR_SET_NO_NEW_PRIVS": 38,
            "PR_GET_NO_NEW_PRIVS": 39, "PR_SET_THP_DISABLE": 41, "PR_GET_THP_DISABLE": 42, "PR_CAP_AMBIENT": 47,
            "PR_SVE_SET_VL": 50, "PR_SVE_GET_VL": 51, "PR_GET_SPECULATION_CTRL": 52, "PR_SET_SPECULATION_CTRL": 53,
            "PR_PAC_RESET_KEYS": 54, "PR_SET_TAGGED_ADDR_CTRL": 55, "PR_GET_TAGGED_ADDR_CTRL": 56,
            "PR_RISCV_V_SET_CONTROL": 69, "PR_RISCV_V_GET_CONTROL": 70, "PR_GET_AUXV": 0x4155_5856,
            "PR_SET_VMA": 0x5356_4D41,
        },
    ),
)  # fmt: skip
ALL_BUT = (
    # Where cores go to a program, as on Ubuntu, root runs it outside of all limits and on the opponent's time, for
    # whoever crashes with any other limit than 1.
    AllBut("setrlimit", 0, {"RLIMIT_CORE": 4}, errno.EPERM),
    AllBut("prlimit64", 1, {"RLIMIT_CORE": 4}, errno.EPERM),
    # Pages that are shared with others, or pushed out of a memory that is.
    AllBut(
        "madvise",
        2,
        {"MADV_MERGEABLE": 12, "MADV_COLD": 20, "MADV_PAGEOUT": 21, "MADV_COLLAPSE": 25},
        errno.EINVAL,
    ),
    # Numbers out of counters of the whole machine: see CLONE_PIDFD, and the cookies count its sockets.
    AllBut("getsockopt", 2, {"SO_COOKIE": 57, "SO_NETNS_COOKIE": 71, "SO_PEERPIDFD": 77}, errno.ENOPROTOOPT),
)
