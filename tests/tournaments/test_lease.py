"""A lease of this process: who may be taken for dead, and what a holder learns that was."""

import os
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from arena.errors import InfraError
from arena.store.leases import Holder, LeaseEntry, LeaseHeld, LeaseLost
from arena.store.sql import Store
from arena.tournaments import lease
from arena.tournaments.lease import TERM_S, Lease, is_gone, this_process
from tests.store.test_leases import entry_of

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes end, and a thread renews")]

OTHER = Holder("elsewhere", 7, "", "")


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "db")
    yield opened
    opened.close()


def held_by(holder, silent_s=0.0):
    return LeaseEntry("runner", 1, holder, datetime.now(UTC), silent_s)


@pytest.fixture
def ended():
    """A process of this machine that was killed; its parent has not looked yet."""
    program = "from arena.tournaments.lease import this_process; print(this_process().process, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=-1, stdout=-1, text=True) as process:
        known = process.stdout.readline().strip()
        living = replace(this_process(), pid=process.pid, process=known)
        assert not is_gone(held_by(living))
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        yield living


def test_one_of_this_machine_that_has_ended_is_gone_at_once(ended):
    assert is_gone(held_by(ended))
    # Where it ran nobody here can say: machines of the same name, and this one before it was started anew.
    assert not is_gone(held_by(replace(ended, boot="another")))


def test_a_later_process_with_the_same_number_is_not_taken_for_it():
    namespace, pid, started = this_process().process.split("-")
    assert not is_gone(held_by(this_process()))
    assert is_gone(held_by(replace(this_process(), process=f"{namespace}-{pid}-{int(started) - 1}")))
    assert not is_gone(held_by(replace(this_process(), process=f"{int(namespace) + 1}-{pid}-1")))  # in a container


@pytest.mark.parametrize("holder", [OTHER, this_process()], ids=["elsewhere", "stopped here"])
def test_any_other_is_gone_after_its_time(holder):
    assert not is_gone(held_by(holder, TERM_S - 0.1))
    assert is_gone(held_by(holder, TERM_S))


def test_it_is_held_until_the_end_of_its_block(store):
    with Lease.take(store, "runner") as mine:
        with pytest.raises(LeaseHeld, match=f"process {os.getpid()} on {socket.gethostname()}"):
            Lease.take(store, "runner")
        mine.store.begin_tournament("claim", {"rounds": 1})
        mine.check()
    with Lease.take(store, "runner"):
        assert entry_of(store, "runner").epoch == 2
        with pytest.raises(LeaseLost):
            mine.store.begin_tournament("claim", {"rounds": 2})
    assert len(store.tournaments()) == 1


def test_it_is_renewed_although_the_store_failed_for_a_while(store, monkeypatch):
    monkeypatch.setattr(lease, "RENEW_S", 0.01)
    renew, tries, enough = store.renew_lease, [], threading.Event()

    def fail_at_first(fence):
        tries.append(fence)
        if len(tries) < 3:
            raise InfraError("the store is away")
        renew(fence)
        enough.set()

    monkeypatch.setattr(store, "renew_lease", fail_at_first)
    with Lease.take(store, "runner") as mine:
        taken = entry_of(store, "runner").renewed_at
        assert enough.wait(30)
        assert entry_of(store, "runner").renewed_at > taken
        mine.check()


def test_its_holder_is_told_once_that_another_has_it(store, monkeypatch):
    monkeypatch.setattr(lease, "RENEW_S", 0.01)
    told, known = [], threading.Event()
    with Lease.take(store, "runner") as mine:
        mine.on_loss(known.set)
        store.take_lease("runner", OTHER, lambda _: True)
        assert known.wait(30)
        with pytest.raises(LeaseLost, match="runner was taken over by process 7 on elsewhere"):
            mine.check()
        mine.on_loss(lambda: told.append("late"))
    assert told == ["late"]
    assert entry_of(store, "runner").holder["pid"] == 7  # and it does not give back what it has not
