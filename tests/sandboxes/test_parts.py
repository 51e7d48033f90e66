"""The parts that need no sandbox around them: rules, control groups, sockets, logs, names."""

import asyncio
import errno
import itertools
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import arena.sandboxes.launched
from arena.errors import Abuse, InfraError, UsageError
from arena.referee.enforcement import WEAK, weaknesses
from arena.sandboxes import doctor
from arena.sandboxes.base import BotDirectory, BotImage, Death, Limits
from arena.sandboxes.docker.container import container_config
from arena.sandboxes.docker.images import CheckedImage
from arena.sandboxes.doctor import Finding, Status, examine, is_safe_runc, version
from arena.sandboxes.endpoint import Endpoint
from arena.sandboxes.kernel import cgroup_tree, syscalls, users
from arena.sandboxes.kernel.cgroup_tree import Hierarchy, parse
from arena.sandboxes.kernel.cgroups import ControlGroup, sweep
from arena.sandboxes.kernel.seccomp import (
    compile_filter,
    docker_profile,
    docker_text,
    known,
    open_filter,
    other_values,
    rules,
)
from arena.sandboxes.kernel.users import BOT_UIDS, LeasedUser
from arena.sandboxes.launched.bubblewrap import SOCKET_TMPFS, arguments, temporary
from arena.sandboxes.logs import LogReader
from arena.sandboxes.referee_id import is_alive, referee_id
from arena.untrusted.text import printable_bytes
from tools.seccomp_profile import PROFILE

NEWER_THAN_SOME_LIBRARIES = {
    "riscv_hwprobe", "fchmodat2", "map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue", "futex_waitv",
    "cachestat", "set_mempolicy_home_node", "process_mrelease",
}  # fmt: skip


class TestRules:
    def test_the_file_for_docker_is_made_from_the_rules(self):
        assert PROFILE.read_text() == docker_text(file_locks=False), "write it anew: make seccomp"

    def test_the_text_is_the_profile(self):
        assert json.loads(docker_text(file_locks=False)) == docker_profile(file_locks=False)

    @pytest.mark.parametrize("file_locks", [False, True])
    def test_both_forms_say_the_same(self, file_locks):
        profile = docker_profile(file_locks=file_locks)
        assert (profile["defaultAction"], profile["defaultErrnoRet"]) == ("SCMP_ACT_ERRNO", errno.ENOSYS)
        for rule, entry in zip(rules(file_locks=file_locks), profile["syscalls"], strict=True):
            assert entry["names"] == list(rule.names)
            assert entry["action"] == ("SCMP_ACT_ALLOW" if rule.error is None else "SCMP_ACT_ERRNO")
            assert entry.get("errnoRet") == rule.error
            assert ("args" in entry) == (rule.condition is not None)

    def test_a_call_has_one_rule_or_conditions_on_one_argument(self):
        found = {}
        for rule in rules(file_locks=False):
            for name in rule.names:
                found.setdefault(name, []).append(rule.condition)
        for name, conditions in found.items():
            assert conditions == [None] or len({condition.index for condition in conditions}) == 1, name

    def test_no_two_rules_of_a_call_contradict_each_other(self):
        """Libseccomp takes contradictions without a word, and then the order of its tree decides."""
        tested = [rule for rule in rules(file_locks=False) if rule.condition]
        for first, second in itertools.combinations(tested, 2):
            if first.names == second.names and first.error != second.error:
                common = first.condition.mask & second.condition.mask
                assert first.condition.value & common != second.condition.value & common, first

    @pytest.mark.parametrize("excluded", [(0,), (57, 71, 77), (0xFFFF_FFFF,), (1, 2, 3)])
    def test_all_other_values_are_each_value_but_those(self, excluded):
        masks = list(other_values(excluded))
        tried = [value ^ bit for value in (*excluded, 0, 12345) for bit in (0, *(1 << shift for shift in range(32)))]
        for value in tried:
            fits = sum(value & mask == wanted for mask, wanted in masks)
            assert fits == (0 if value in excluded else 1), value

    def test_a_call_that_the_library_does_not_know_is_left_to_the_default(self, monkeypatch):
        pytest.importorskip("pyseccomp")
        monkeypatch.setitem(syscalls.ALLOWED, "of tomorrow", "read_minds")
        assert not known("read_minds")
        assert compile_filter(rules(file_locks=False))

    def test_the_library_knows_nearly_every_call(self):
        """A misspelt name would be left out without a word."""
        pytest.importorskip("pyseccomp")
        unknown = [name for rule in rules(file_locks=False) for name in rule.names if not known(name)]
        assert set(unknown) <= NEWER_THAN_SOME_LIBRARIES, unknown

    def test_a_filter_is_a_list_of_instructions(self):
        pytest.importorskip("pyseccomp")
        descriptor = open_filter(file_locks=False)
        try:
            size = len(os.read(descriptor, 1 << 20))
        finally:
            os.close(descriptor)
        assert size % 8 == 0
        assert 50 * 8 < size < 4096 * 8


HYBRID = """\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
"""
PLACES = "5:cpu,cpuacct:/user/one\n4:memory:/deep/er\n1:name=systemd:/x\n0::/user.slice/a\\040b\n"


class TestGroups:
    def test_a_hybrid_machine(self):
        found = {tuple(sorted(hierarchy.controllers)): hierarchy for hierarchy in parse(HYBRID, PLACES)}
        assert [hierarchy.version for hierarchy in found.values()] == [1, 1, 2]
        assert found["cpu", "cpuacct"].own_group == Path("/sys/fs/cgroup/cpu,cpuacct/user/one")
        assert found["memory",].own_group == Path("/sys/fs/cgroup/memory/deep/er")
        assert found[()].mount == Path("/sys/fs/cgroup/unified")

    def test_a_container_sees_only_its_part_of_the_tree(self):
        line = "99 1 0:1 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw,nsdelegate"
        (inside,) = parse(line, "0::/docker/abc/leaf")
        assert inside.own_group == Path("/sys/fs/cgroup/leaf")
        (outside,) = parse(line, "0::/elsewhere")
        assert outside.own_group == Path("/sys/fs/cgroup")

    def test_the_leaf_that_we_moved_into_is_not_where_we_make_groups(self):
        line = "99 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup rw"
        (found,) = parse(line, "0::/scope/arena-referee")
        assert found.own_group == Path("/sys/fs/cgroup/scope")

    def test_a_machine_without_any(self):
        assert parse("22 1 0:5 / /proc rw - proc proc rw\n", "") == ()
        group = ControlGroup.create("arena-test", ())
        assert group.features == frozenset()
        assert (group.cpu_time(), group.oom_kills(), group.peak_memory()) == (None, 0, None)
        group.limit(Limits())
        group.kill()
        group.remove()

    def test_a_tree_that_is_not_writable_offers_nothing(self, tmp_path):
        missing = Hierarchy(2, frozenset(), tmp_path / "gone", "/", tmp_path / "gone")
        assert ControlGroup.create("arena-test", (missing,)).features == frozenset()

    def test_limits_that_did_not_take_are_noticed(self, tmp_path):
        group = fake_group(tmp_path, {"memory.max": "max", "pids.max": "64", "cpu.max": "20000 20000"})
        with pytest.raises(InfraError, match="memory limit did not take"):
            group.check(Limits())
        (tmp_path / "cpu.max").unlink()
        with pytest.raises(InfraError, match="cannot be read back"):
            group.check(Limits())

    def test_limits_are_read_back(self, tmp_path):
        group = fake_group(tmp_path, {"memory.max": "0", "pids.max": "0", "cpu.max": "max 100000"})
        group.limit(Limits(memory_bytes=1 << 28, pids=20, cpus=1.5))
        assert group.limits() == {"memory": 1 << 28, "pids": 20, "cpu": 1.5}
        assert (tmp_path / "cpu.max").read_text() == "30000 20000"

    def test_counters_are_read(self, tmp_path):
        files = {
            "cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
            "memory.events": "low 0\noom 3\noom_kill 2\n",
            "memory.peak": "4096\n",
        }
        group = fake_group(tmp_path, {"memory.max": "1", **files})
        assert (group.cpu_time(), group.oom_kills(), group.peak_memory()) == (1.5, 2, 4096)

    def test_a_delegated_group_hands_its_controllers_down(self, tmp_path):
        """A version 2 tree as systemd delegates it, played by plain files."""
        for name, text in {"cgroup.controllers": "cpu memory pids", "cgroup.subtree_control": ""}.items():
            (tmp_path / name).write_text(text)
        (tmp_path / "cgroup.procs").write_text(str(os.getpid()))
        tree = Hierarchy(2, frozenset(), tmp_path, "/", tmp_path)
        cgroup_tree._delegate(tree, tmp_path, {"memory"})
        assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory"

    def test_bots_lie_in_a_group_from_which_nobody_can_take_a_controller(self, tmp_path):
        """The kernel keeps what a group hands down, so the group around the bots hands down what it was given."""
        (tmp_path / "cgroup.subtree_control").write_text("io memory\n")
        tree = Hierarchy(2, frozenset(), tmp_path, "/", tmp_path)
        bots = cgroup_tree._bots_group(tmp_path)
        assert (bots / "cgroup.subtree_control").read_text() == "+memory"
        assert tree.bot_parents() == [bots]

    def test_leftovers_are_looked_for_where_groups_are_made(self, tmp_path):
        (tmp_path / "cgroup.subtree_control").write_text("")
        gone = f"arena-{os.stat('/proc/self/ns/pid').st_ino}-{os.getpid()}-1-x"
        for number, parent in ((1, tmp_path), (2, cgroup_tree._bots_group(tmp_path))):
            (parent / gone).mkdir()
            assert sweep((Hierarchy(number, frozenset(), tmp_path, "/", tmp_path),)) == [gone]
            assert not (parent / gone).exists()


def fake_group(folder: Path, files: dict[str, str]) -> ControlGroup:
    """A version 2 group made of plain files."""
    from arena.sandboxes.kernel.cgroups import FeatureDirectory

    for name, text in files.items():
        (folder / name).write_text(text)
    return ControlGroup({feature: FeatureDirectory(2, folder) for feature in ("memory", "pids", "cpu", "cputime")})


@pytest.fixture
def folder(tmp_path):
    """An open directory, and its path."""
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield descriptor, tmp_path
    os.close(descriptor)


class TestEndpoint:
    def test_nothing_there_yet(self, folder):
        assert Endpoint.pin(folder[0], "b.sock", os.getuid()) is None

    def test_a_socket_of_somebody_else(self, folder):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder[1] / "b.sock"))
            with pytest.raises(Abuse):
                Endpoint.pin(folder[0], "b.sock", os.getuid() + 1)

    def test_a_socket_that_a_helper_makes_for_the_bot(self, folder):
        bot, helper = os.getuid() + 1, os.getuid()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder[1] / "b.sock"))
            server.listen()
            # Not yet given to the bot: the helper is about to.
            endpoint = Endpoint.pin(folder[0], "b.sock", bot, helper)
            endpoint.connect_once().close()
            endpoint.close()
            stranger = Endpoint.pin(folder[0], "b.sock", helper, bot)
            with pytest.raises(Abuse, match="somebody else listens"):
                stranger.connect_once()
            stranger.close()

    def test_a_symbolic_link_to_a_good_socket(self, folder):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder[1] / "real.sock"))
            (folder[1] / "b.sock").symlink_to("real.sock")
            with pytest.raises(Abuse):
                Endpoint.pin(folder[0], "b.sock", os.getuid())

    def test_a_full_queue_is_an_error_after_which_one_may_try_again(self, folder):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(folder[1] / "b.sock"))
            server.listen(0)
            endpoint = Endpoint.pin(folder[0], "b.sock", os.getuid())
            with endpoint.connect_once():
                with pytest.raises(BlockingIOError):
                    endpoint.connect_once()
                server.accept()[0].close()
                endpoint.connect_once().close()
            endpoint.close()
            endpoint.close()

    def test_a_socket_that_is_bound_again_is_found(self, folder):
        path = folder[1] / "b.sock"
        with socket.socket(socket.AF_UNIX) as first:
            first.bind(str(path))
            endpoint = Endpoint.pin(folder[0], "b.sock", os.getuid())
        with pytest.raises(ConnectionRefusedError):
            endpoint.connect_once()
        path.unlink()
        with pytest.raises(ConnectionRefusedError):
            endpoint.connect_once()
        with socket.socket(socket.AF_UNIX) as second:
            second.bind(str(path))
            with pytest.raises(ConnectionRefusedError):
                endpoint.connect_once()
            second.listen()
            endpoint.connect_once().close()
        path.unlink()
        path.symlink_to("/run/docker.sock")
        with pytest.raises(Abuse):
            endpoint.connect_once()
        endpoint.close()

    def test_a_socket_that_is_bound_again_belongs_to_the_bot_or_is_refused(self, folder):
        path = folder[1] / "b.sock"
        with socket.socket(socket.AF_UNIX) as first:
            first.bind(str(path))
            endpoint = Endpoint.pin(folder[0], "b.sock", os.getuid() + 1, os.getuid())
        path.unlink()
        with socket.socket(socket.AF_UNIX) as second:
            second.bind(str(path))
            os.chown(path, os.getuid() + 2, -1)
            second.listen()
            with pytest.raises(Abuse):
                endpoint.connect_once()
        endpoint.close()


class TestLogs:
    def test_what_a_terminal_would_obey_is_escaped(self):
        assert printable_bytes(b"\x1b[2J\r\x07\x00\t") == "\\x1b[2J\\r\\x07\\x00\\t"
        assert printable_bytes("\u202eabc\u200b\u2028".encode()) == "\\u202eabc\\u200b\\u2028"
        assert printable_bytes(b"\xff\xfe") == "\\xff\\xfe"
        assert printable_bytes("Käse\n日本 🎲".encode()) == "Käse\n日本 🎲"

    async def test_the_newest_bytes_are_kept(self):
        reading, writing = os.pipe()
        log = LogReader(reading, keep=8192)
        for number in range(2000):
            os.write(writing, b"line %d\n" % number)
            if number % 100 == 0:
                await asyncio.sleep(0)
        os.close(writing)
        log.close()
        log.close()
        assert log.tail().endswith("line 1999\n")
        assert len(log.tail()) == 4096
        assert len(log.text()) <= 8192


class TestNames:
    def test_this_process_is_alive_and_others_are_not(self):
        assert is_alive(referee_id())
        namespace, pid, started = referee_id().split("-")
        assert not is_alive(f"{namespace}-{pid}-{int(started) + 1}")
        with subprocess.Popen(["true"]) as child:
            pass
        assert not is_alive(f"{namespace}-{child.pid}-1")
        # What cannot be judged from here is left alone.
        assert is_alive(f"1-{child.pid}-1")
        assert is_alive("something else")

    def test_two_bots_are_never_the_same_user(self):
        first, second = LeasedUser(), LeasedUser()
        assert first.uid != second.uid
        assert {first.uid, second.uid} <= set(BOT_UIDS)
        first.free()
        second.free()

    def test_when_every_user_is_taken_it_is_our_failure(self, monkeypatch):
        monkeypatch.setattr(users, "BOT_UIDS", range(71000, 71001))
        only = LeasedUser()
        with pytest.raises(InfraError, match="taken"):
            LeasedUser()
        only.free()
        LeasedUser().free()


class TestPolicy:
    def test_the_command_line_of_bubblewrap(self):
        limits = Limits(pids=20)
        writable = (SOCKET_TMPFS, *temporary(limits))
        words = arguments("bwrap", BotDirectory(Path("/b"), ("run",)), limits, [(Path("/b"), "/bot", "bot")], writable)
        for flag in ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"):
            assert flag in words
        assert words[words.index("--cap-drop") + 1] == "ALL"
        assert words[words.index("-c") + 1].startswith("ulimit -u 20 ")
        assert "--tmpfs" not in words  # its own would hold any number of files
        assert [words[index + 2] for index, word in enumerate(words) if word == "--bind"] == [
            "/run/bot", "/tmp", "/dev/shm",
        ]  # fmt: skip
        # Later words win, so nothing may be mounted after the root is made read-only.
        assert not {"--bind", "--ro-bind", "--tmpfs", "--dev"} & set(words[words.index("--remount-ro") + 6 :])

    def test_the_launcher_loads_no_module_written_in_python(self):
        """Every start of a bot waits for it, and such modules would take longer than all the rest of it."""
        script = Path(arena.sandboxes.launched.__file__).with_name("launcher.py")
        load = (
            "import sys; before = {*sys.modules}; exec(open(sys.argv[1]).read(), {'__name__': 'launcher'}); "
            "new = [sys.modules[name].__spec__ for name in {*sys.modules} - before]; "
            "print(*(spec.name for spec in new if str(spec.origin).endswith('.py')))"
        )
        command = [sys.executable, "-I", "-S", "-c", load, str(script)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.split() == []

    def test_the_configuration_of_a_container(self):
        image = CheckedImage("sha256:1", 1, "/bot")
        config = container_config(
            BotImage("x"), Limits(), image=image, socket_dir="/s", snapshots_dir="/snapshots", uid=61001
        )
        host = config["HostConfig"]
        assert (config["User"], config["WorkingDir"], config["Hostname"]) == ("61001:61001", "/bot", "bot")
        assert host["Memory"] == host["MemorySwap"] == 512 << 20
        assert host["CapDrop"] == ["ALL"]
        assert (host["NetworkMode"], host["ReadonlyRootfs"], host["Init"]) == ("none", True, True)
        assert "no-new-privileges:true" in host["SecurityOpt"]
        assert json.loads(host["SecurityOpt"][1].removeprefix("seccomp="))["defaultAction"] == "SCMP_ACT_ERRNO"
        assert [mount["Target"] for mount in host["Mounts"] if not mount["ReadOnly"]] == ["/run/bot"]
        assert "nproc" not in {limit["Name"] for limit in host["Ulimits"]}

    @pytest.mark.parametrize(("own", "wanted"), [({0, 1, 2, 3}, ""), ({3, 1}, "1,3"), ({2}, "2")])
    def test_a_container_has_the_processors_of_who_starts_it(self, monkeypatch, own, wanted):
        monkeypatch.setattr(os, "cpu_count", lambda: 4)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: own)
        image = CheckedImage("sha256:1", 1, "/bot")
        config = container_config(BotImage("x"), Limits(), image=image, socket_dir="/s", snapshots_dir="/n", uid=61001)
        assert config["HostConfig"]["CpusetCpus"] == wanted

    def test_weak_words_are_told_apart(self):
        assert weaknesses({"memory": "cgroup", "freeze": "signal", "sandbox": "x"}) == ("freeze: signal",)
        assert all(WEAK.values())

    def test_weak_words_are_the_same_however_a_record_lists_them(self):
        held = {"network": "none", "files": "none", "seccomp": "none"}
        assert weaknesses(held) == weaknesses(dict(reversed(held.items())))

    def test_limits_that_no_bot_can_live_with(self):
        for wrong in ({"cpus": 0}, {"memory_bytes": 1}, {"pids": 1}, {"open_files": 3}, {"start_s": -1}):
            with pytest.raises(UsageError):
                Limits(**wrong)

    def test_an_unknown_signal_has_a_sentence_too(self):
        assert Death(None, 99, False, False, False, "").sentence == "it was ended by signal 99 (unknown)"


class TestDoctor:
    def test_versions_are_read(self):
        assert version("bubblewrap 0.11.1") == (0, 11, 1)
        assert version("none") == ()

    @pytest.mark.parametrize("safe", ["1.2.8", "1.2.9+ds1", "1.3.3", "1.4.0", "1.5.0", "2.0.0"])
    def test_a_runc_that_is_safe(self, safe):
        assert is_safe_runc(safe)

    @pytest.mark.parametrize("old", ["", "1.1.5+ds1", "1.1.99", "1.2.7", "1.3.2"])
    def test_a_runc_that_is_not(self, old):
        assert not is_safe_runc(old)

    @pytest.mark.slow
    def test_every_shortcoming_comes_with_reason_and_remedy(self):
        findings = examine()
        assert {"user namespaces", "bubblewrap", "control group: memory", "a whole sandbox"} <= {
            f.name for f in findings
        }
        for finding in findings:
            assert isinstance(finding, Finding)
            assert finding.found
            assert finding.status is Status.OK or (finding.reason and finding.remedy), finding

    @pytest.mark.slow
    def test_namespaces_in_which_nothing_may_be_done_are_no_namespaces(self):
        """As AppArmor has it in Ubuntu 24.04; here a filter stands in for it, which refuses every mount."""
        code = """
import errno, json, pyseccomp as seccomp
from arena.sandboxes import doctor
refused = seccomp.SyscallFilter(seccomp.ALLOW)
refused.add_rule(seccomp.ERRNO(errno.EACCES), "mount")
refused.load()
(found,) = doctor.probe_user_namespaces()
print(json.dumps([found.status.value, found.found, found.remedy]))
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        status, found, remedy = json.loads(done.stdout)
        assert status == "forbidden"
        assert "denied" in found
        assert remedy

    def test_the_remedy_for_apparmor_names_both_programs(self, monkeypatch, tmp_path):
        (tmp_path / "kernel").mkdir()
        (tmp_path / "kernel/apparmor_restrict_unprivileged_userns").write_text("1\n")
        monkeypatch.setattr(doctor, "Path", lambda *parts: Path(tmp_path, *parts[1:]))
        remedy = doctor._sysctl_remedy("kernel/apparmor_restrict_unprivileged_userns")
        assert "for bwrap and for " + os.path.realpath(sys.executable) in remedy
