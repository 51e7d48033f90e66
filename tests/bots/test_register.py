"""Names, owners and versions, and what tournaments do when files are not what they were."""

from pathlib import Path

import pytest

from arena.bots import manifest, register
from arena.bots.manifest import Folder, Manifest, read_manifest
from arena.bots.register import RegistrationRequest, find_same, free_version, plan_registration
from arena.bots.reserved import check_imported
from arena.errors import UsageError
from arena.standings.ladder import newest_versions
from arena.store.checksums import bot_checksum
from arena.tournaments.field import check_present, choose_field
from tests.kits.contestants import arena, choosing, write_bot

pytestmark = pytest.mark.slow

MANIFEST = Manifest("mine", "1", ("claim", "rrr"), ("python3", "bot.py"))
DIGEST = "sha256:" + "ab" * 32


def add(store, **changes):
    facts = {"name": "mine", "version": "1", "owner": "alice", "digest": "sha256:0", "origin": "/x", "games": ["claim"]}
    return store.add_bot(**{**facts, **changes})


def test_the_manifest_speaks_for_itself(store):
    registration = plan_registration(store, MANIFEST, RegistrationRequest(owner="alice"), ["claim", "rrr"])
    assert (registration.name, registration.version, registration.games, registration.fixed) == (
        "mine",
        "1",
        ("claim", "rrr"),
        False,
    )


def test_wishes_come_first(store):
    request = RegistrationRequest(owner="alice", name="other", version="7", games=("rrr", "rrr"))
    registration = plan_registration(store, MANIFEST, request, ["claim", "rrr"])
    assert (registration.name, registration.version, registration.games, registration.fixed) == (
        "other",
        "7",
        ("rrr",),
        True,
    )


@pytest.mark.parametrize("name", ["random", "First", "greedy", "SEARCH", "policy", "built-in-random"])
def test_the_names_of_our_own_bots_are_taken(store, name):
    request = RegistrationRequest(owner="alice", name=name)
    with pytest.raises(UsageError, match=f"the name {name} means one of Arena's own bots: choose another with --name"):
        plan_registration(store, MANIFEST, request, ["claim", "rrr"])


@pytest.mark.parametrize("owner", ["arena", "Built-In"])
def test_nobody_hands_in_as_arena(store, owner):
    with pytest.raises(UsageError, match=f"the owner {owner} is Arena itself: choose another with --owner"):
        plan_registration(store, MANIFEST, RegistrationRequest(owner=owner), ["claim", "rrr"])


def test_bots_of_ours_come_with_tournaments_of_other_stores():
    for name, owner in (("greedy", "arena"), ("built-in-first", "built-in"), ("new-sample", "arena"), ("mine", "")):
        check_imported(name, "1", owner)
    check_imported("first", "built-in", "arena")
    for name, owner in (("greedy", "alice"), ("built-in-first", "arena"), ("x", "built-in"), ("x", "Arena")):
        with pytest.raises(UsageError, match="a name of Arena's own"):
            check_imported(name, "1", owner)


def test_a_name_that_only_took_part_is_free(store):
    add(store, owner="local", tried=True)
    assert plan_registration(store, MANIFEST, RegistrationRequest(owner="alice"), ["claim", "rrr"]).name == "mine"


def test_a_taken_version_gets_a_mark_that_fits(store):
    versions = [add(store), add(store, version="v" * 40)]
    assert free_version(versions, "2", DIGEST) == "2"
    assert free_version(versions, "1", DIGEST) == "1-abababab"
    assert free_version(versions, "v" * 40, DIGEST) == "v" * 31 + "-abababab"
    with pytest.raises(UsageError, match="there is a bot mine 1 already"):
        free_version(versions, "1", DIGEST, fixed=True)


def test_other_files_whose_digest_begins_alike_get_a_longer_mark(store):
    versions = [add(store), add(store, version="1-abababab", digest="sha256:abababab0")]
    assert free_version(versions, "1", DIGEST) == "1-abababababab"
    assert find_same(versions, DIGEST) is None


def test_the_same_files_are_the_same_version_wherever_they_are(store):
    tried = add(store, digest=DIGEST, owner="local", origin="/folder", tried=True)
    assert find_same([add(store, version="2"), tried], DIGEST) == tried
    promoted = store.promote_bot(tried.id, owner="alice", origin="/kept", games=["claim", "rrr"])
    assert (promoted.owner, promoted.origin, promoted.games) == ("alice", "/kept", ("claim", "rrr"))
    assert promoted.checksum == bot_checksum(promoted)
    assert newest_versions(store.all_bots(), "claim") == [promoted]  # it came onto the ladder last


def test_a_bot_whose_files_were_not_here_gets_its_own_version(store):
    absent = add(store, digest=DIGEST, origin="")
    assert absent.kind == "absent"
    with pytest.raises(UsageError, match="the files of mine 1 are not on this machine"):
        check_present(absent)
    assert find_same([absent], DIGEST) == absent
    assert free_version([absent], "1", "sha256:other") == "1-other"


def handed_in(store, digest, version=None):
    request = RegistrationRequest(owner="alice", version=version)
    registration = plan_registration(store, MANIFEST, request, ["claim", "rrr"])
    return register.submitted(store, registration, digest, "/kept")


def test_a_folder_that_is_tried_out_claims_no_version(store, tmp_path):
    path = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    tried = register.tried_folder(store, Folder(path, read_manifest(path)))
    assert tried.version == f"1-{tried.digest.removeprefix('sha256:')[:8]}"
    assert handed_in(store, DIGEST).version == "1"
    entry = handed_in(store, tried.digest)  # by now other content has its version, and it takes over what was tried
    assert (entry.id, entry.version, entry.on_ladder) == (tried.id, tried.version, True)


def test_what_was_tried_out_is_handed_in_under_the_version_that_it_says(store, tmp_path):
    path = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    folder = Folder(path, read_manifest(path))
    tried = register.tried_folder(store, folder)
    entry = handed_in(store, tried.digest)
    assert (entry.version, entry.on_ladder) == ("1", True)
    assert register.tried_folder(store, folder) == entry
    assert handed_in(store, tried.digest).id == entry.id
    assert [bot.on_ladder for bot in store.bot_versions("mine")] == [False, True]


def test_what_an_earlier_arena_tried_out_keeps_its_version(store):
    tried = add(store, digest=DIGEST, owner="local", tried=True)
    assert handed_in(store, "sha256:other").version == "1-other"
    assert handed_in(store, DIGEST).id == tried.id


def test_a_submission_brings_the_files_of_an_imported_bot_whatever_its_version_is(store):
    absent = add(store, version="1-abababab", digest=DIGEST, origin="", tried=True)
    assert handed_in(store, DIGEST).version == "1"
    assert [bot.kind for bot in store.bot_versions("mine")] == ["folder", "folder"]
    assert store.bot_versions("mine")[0].id == absent.id


def test_what_a_bot_is_run_from(store):
    assert add(store).kind == "folder"
    assert add(store, version="2", digest=DIGEST, origin=DIGEST).kind == "image"


def test_a_folder_that_changed_is_a_new_version(store, tmp_path):
    path = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    entry = register.tried_folder(store, Folder(path, read_manifest(path)))
    check_present(entry)
    (path / "bot.py").write_text("other")
    with pytest.raises(UsageError, match=f"is not what was registered as {entry.label}"):
        check_present(entry)
    assert choose_field(store, "claim", [str(path)])[0].version.startswith("1-")
    (path / "bot.toml").unlink()
    (path / "bot.py").unlink()
    path.rmdir()
    with pytest.raises(UsageError, match=f"the folder of {entry.label} is gone"):
        check_present(entry)


def test_what_editors_leave_in_a_folder_makes_no_new_version(store, tmp_path):
    path = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    entry = register.tried_folder(store, Folder(path, read_manifest(path)))
    (path / ".git").mkdir()
    for name in (".git/HEAD", "bot.py~", ".DS_Store"):
        (path / name).touch()
    check_present(entry)
    assert choose_field(store, "claim", [str(path), "random"])[0] == entry


def test_sample_bots_change_with_arena(store, tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "SAMPLES", tmp_path / "samples")
    (tmp_path / "samples").mkdir()
    path = write_bot(tmp_path / "samples/mine", choosing("return turn.legal[0]"))
    write_bot(tmp_path / "samples/other", choosing("return turn.legal[0]"))
    first, other = choose_field(store, "claim", [])
    assert choose_field(store, "claim", []) == [first, other]
    (path / "bot.py").write_text("changed")
    second, unchanged = choose_field(store, "claim", [])
    assert unchanged == other
    assert (second.name, second.origin) == (first.name, first.origin)
    assert second.digest != first.digest


def test_nothing_of_that_name(tmp_path):
    for text in ("./nowhere", "no where", "grpc://host:1", str(Path(tmp_path, "x.tar"))):
        result = arena("submit", text, "--owner", "me", "--db", tmp_path / "arena.db")
        assert result.exit_code == 2
        assert f"there is no folder or archive {text!r}" in result.stderr
        assert result.stderr.count("\n") == 1


def test_there_is_no_other_way_into_the_store():
    package = Path(register.__file__).parents[1]
    calls = ("add_bot(", "promote_bot(", "move_bot(")
    found = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if path.parent.name != "store" and any(call in path.read_text() for call in calls)
    }
    assert found == {"bots/register.py"}
