"""What becomes of a submission: decided by its own doing, given back for everything else."""

import hashlib
import os

import pytest

from arena.contest.submissions import MAX_ATTEMPTS, UNPACKING
from arena.errors import InfraError, UsageError
from arena.runner.checking import Checker, trial_terms
from arena.runner.steps import MAX_STEPS, Steps
from arena.runner.uploads import plain_name
from arena.store.failures import StoreUnusable
from arena.submit.trial import TrialReport
from tests.kits.contestants import need_bubblewrap
from tests.kits.runners import bot_archive

EPOCH = 1


def quiet(event, **facts):
    """Nobody reads the log."""


def passes(game, bot, terms):
    return TrialReport(2)


@pytest.fixture
def check(kit, monkeypatch):
    """Claims the next submission and checks it here, with trials that a function stands for; how it is now."""
    monkeypatch.chdir(kit.folder)
    store = kit.contest.open_results_to_write()

    def check(try_out=passes):
        submission = kit.queue.claim(EPOCH)
        Checker(kit.contest, kit.people, kit.queue, store, EPOCH).check(submission, try_out, quiet)
        return kit.found(submission.id)

    yield check
    store.close()


def test_a_bot_is_registered_for_the_games_of_the_contest_only(kit, check):
    need_bubblewrap()
    kit.hand_in("alice", bot_archive("both", games=("claim", "rrr")))
    assert check().reason == "both 1 is on the ladder"
    (entry,) = kit.bots()
    assert (entry.games, entry.owner) == (("claim",), kit.crew["alice"].team.owner)

    kit.hand_in("bob", bot_archive("other", games=("rrr",)))
    refused = check()
    assert (refused.state, refused.reason) == ("refused", "rrr is not played here: hand in a bot for claim")
    kit.hand_in("bob", bot_archive("other", games=("claim", "rrr")), games=("rrr",))
    assert check().reason == "rrr is not played here: hand in a bot for claim"


def test_a_name_belongs_to_the_team_whose_bot_passed_first(kit, check):
    need_bubblewrap()
    kit.hand_in("alice", bot_archive("mover", "# one"))

    def fails(game, bot, terms):
        raise UsageError("it is refused")

    assert check(fails).state == "refused"
    kit.hand_in("bob", bot_archive("mover", "# two"))
    assert check().state == "registered"  # what was refused took no name
    kit.hand_in("alice", bot_archive("mover", "# three"))
    assert "the name mover belongs to team-2" in check().reason
    kit.hand_in("alice", bot_archive("other", "# four"), name="renamed", version="7")
    kit.people.own_bot_name(kit.crew["carol"].team, "renamed")
    assert check().reason == "the bot name renamed belongs to another team: choose another one"
    assert [(entry.label, entry.owner) for entry in kit.bots()] == [("mover 1", "team-2")]


def test_what_was_registered_before_a_crash_is_decided_with_the_same_bot(kit, check):
    """The two databases cannot be written in one transaction: the process may be killed between them."""
    need_bubblewrap()
    data = bot_archive("mover")
    kit.hand_in("alice", data)
    first = check()
    kit.hand_in("alice", data)
    again = check(lambda *_: pytest.fail("it was tried again"))
    assert (again.state, again.bot_id) == ("registered", first.bot_id)
    assert len(kit.bots()) == 1


def missing(path):
    path.unlink()


def changed(path):
    path.write_bytes(path.read_bytes()[:-1] + b"!")


def longer(path):
    path.write_bytes(path.read_bytes() + b"!")


def linked(path):
    """A link to a file with the right bytes: nothing but what was received is read."""
    other = path.with_name("elsewhere")
    path.rename(other)
    path.symlink_to(other)


def pipe(path):
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [missing, changed, longer, linked, pipe])
def test_an_upload_that_is_not_what_was_received_fails_as_ours(kit, check, spoil):
    data = bot_archive("mover")
    number = kit.hand_in("alice", data)
    spoil(kit.contest.uploads / hashlib.sha256(data).hexdigest())
    for attempt in range(1, MAX_ATTEMPTS + 1):
        found = check()
        assert found.attempt == attempt
        assert found.state == ("queued" if attempt < MAX_ATTEMPTS else "failed")
    assert (
        f"failed {MAX_ATTEMPTS} times, through no fault of the bot: the upload of submission {number}" in found.reason
    )


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (InfraError("the disk is full"), "the disk is full"),
        (StoreUnusable("the store is not writable"), "the store is not writable"),
        (ZeroDivisionError("secret"), "a fault in Arena, which its log has"),
        (OSError(28, "No space left on device"), "through no fault of its own"),
    ],
)
def test_whatever_is_not_the_contestants_fault_gives_it_back(kit, check, error, told):
    need_bubblewrap()
    number = kit.hand_in("alice", bot_archive("mover"))

    def fails(game, bot, terms):
        raise error

    assert check(fails).state == "queued"
    last = kit.queue.steps(number)[-1].text
    assert last.startswith("waits again, through no fault of the bot: ")
    assert told in last
    assert kit.bots() == []
    assert kit.leftovers() == []


def test_the_story_of_a_submission_is_bounded(kit):
    number = kit.hand_in("alice", bot_archive("mover"))
    kit.queue.claim(EPOCH)
    steps = Steps(kit.queue, number, EPOCH, quiet)
    for _ in range(MAX_STEPS + 50):
        steps.progress("built a little more")
    told = kit.queue.steps(number, limit=1000)
    assert len(told) == MAX_STEPS + 3  # received, queued, being read
    assert told[-1].state == UNPACKING


def test_bots_are_tried_with_the_clock_and_the_limits_of_the_contest(kit):
    terms = trial_terms(kit.contest)
    assert str(terms.clock) == kit.contest.settings.clock
    assert (terms.sandbox.sandbox, terms.sandbox.limits.memory_bytes, terms.sandbox.limits.cpus) == (
        "auto",
        512 << 20,
        1,
    )


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("mover.tar.gz", "mover.tar.gz"),
        ("../../etc/passwd", "passwd"),
        ("C:\\bots\\my bot.zip", "my_bot.zip"),
        ("-rf", "rf"),
        (".hidden", "hidden"),
        ("\x1b[31m", "31m"),
        ("", "upload"),
        ("..", "upload"),
    ],
)
def test_a_file_is_named_like_the_upload_and_can_steer_nothing(given, name):
    assert plain_name(given) == name
