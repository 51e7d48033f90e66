"""A contest for tests, made by the command, and bots that its teams have handed in."""

import hashlib
from contextlib import closing

from arena import registry
from arena.bots.files import folder_digest
from arena.contest.people import People
from arena.contest.settings import read_contest
from arena.contest.submissions import REGISTERED, Quota, Submissions, Wish
from arena.intake.bot_files import files_of
from arena.store.sql import Store
from tests.kits.contestants import arena, write_bot

ROSTER = "name,display,team\nann,Ann A.,reds\nbob,,reds\ncarol,Carol,\n"
PLENTY = Quota(per_day=100, waiting=100, disk_bytes=1 << 30)


def make_contest(folder, *words, roster=ROSTER):
    """The contest `cup` of Ann and Bob, who are a team, and Carol."""
    (folder / "class.csv").write_text(roster, encoding="utf-8")
    done = arena("contest", "new", folder / "cup", "--game", "claim", "--roster", folder / "class.csv", *words)
    assert done.exit_code == 0, done.output
    return opened(folder / "cup")


def opened(folder):
    return read_contest(folder, registry.games())


def hand_in(contest, name, bot, version="1", data=None):
    """What a person hands in, as web and runner would have brought it onto the ladder."""
    data = data or f"{name} {bot} {version}".encode()
    digest = hashlib.sha256(data).hexdigest()
    contest.upload(digest).write_bytes(data)
    database = contest.open_people()
    person, submissions = People(database).find(name), Submissions(database)
    made, _ = submissions.add(person, f"{bot}-{version}", f"{name}.zip", Wish(), PLENTY)
    submissions.queue(made.id, digest, len(data))
    taken = submissions.claim(1)
    entry = registered(contest, person.team.owner, bot, version)
    submissions.decide(taken.id, 1, REGISTERED, "registered", bot_id=entry.id, output=f"I am {name}")
    database.dispose()
    return entry


def registered(contest, owner, name, version):
    source = contest.folder.parent / f"{name}-{version}-source"
    write_bot(source, f"# {name} {version}\n")
    digest = folder_digest(source)
    (contest.folder / "bots").mkdir(exist_ok=True)
    with closing(Store(contest.results, bots_folder=contest.folder / "bots")) as store:
        files = files_of(store)
        files.add(source, digest)
        origin = str(files.path_of(digest))
        return store.add_bot(name=name, version=version, owner=owner, digest=digest, origin=origin, games=["claim"])
