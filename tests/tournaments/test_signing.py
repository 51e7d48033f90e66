"""An archive that is signed with a trusted key counts here, and nobody else's does."""

import json
import stat
import sys
from dataclasses import replace

import pytest

from arena.errors import UsageError
from arena.standings.ladder import newest_versions
from arena.store.sql import Store
from arena.tournaments import archive
from arena.tournaments.keyring import Keyring
from arena.tournaments.verify import stored_tournament
from tests.kits.archives import lines_of, rewritten
from tests.kits.contestants import arena
from tests.kits.fields import play_tournament

pytestmark = pytest.mark.slow


class Person:
    """Somebody with a configuration folder of their own."""

    def __init__(self, folder):
        self.folder = folder / "arena"
        self._env = {"XDG_CONFIG_HOME": str(folder)}

    def run(self, *args):
        return arena(*args, env=self._env)

    def trusts(self, other):
        result = self.run("keys", "trust", other.key, "lee")
        assert (result.exit_code, result.output) == (0, "what lee signs counts here from the next `arena import` on\n")

    @property
    def key(self):
        return Keyring(self.folder).own().public


@pytest.fixture(scope="module")
def lee(tmp_path_factory):
    """Who signs."""
    return Person(tmp_path_factory.mktemp("lee"))


@pytest.fixture(scope="module")
def signed(played, lee, tmp_path_factory):
    path = tmp_path_factory.mktemp("signed") / "cup.arena.gz"
    result = lee.run("export", 1, "-o", path, "--sign", "--db", played)
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture
def ann(tmp_path):
    """Who imports."""
    return Person(tmp_path / "ann")


def is_imported_apart(store):
    listed = arena("tournament", "list", "--json", "--db", store)
    return json.loads(listed.output)[0]["imported"]


def test_signing_makes_a_key_once_and_shows_its_public_part_only(ann, played, tmp_path):
    first, second, plain = (tmp_path / name for name in ("first.gz", "second.gz", "plain.gz"))
    made, again = (ann.run("export", 1, "-o", path, "--sign", "--db", played) for path in (first, second))
    file = ann.folder / "signing-key.pem"
    assert f"a new key is made, with which you sign: {file}; give that file to nobody\n" in made.output
    assert "a new key" not in again.output
    assert f"`arena keys trust {ann.key} NAME`" in again.output
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in ann.folder.iterdir()] == [file.name]
    secret = file.read_text().splitlines()[1]
    assert not [said for said in (made.output, again.output, ann.run("keys", "list").output) if secret in said]
    assert first.read_bytes() == second.read_bytes()
    assert ann.run("export", 1, "-o", plain, "--db", played).exit_code == 0
    head = lines_of(first)[0]
    assert head.pop("signature")["key"] == ann.key
    assert lines_of(plain)[0] == head


def test_only_a_key_that_is_trusted_counts_as_if_it_were_rated(ann, lee, signed, tmp_path):
    there = tmp_path / "there.db"
    unknown = ann.run("import", signed, "--db", there)
    assert f"signed with a key that you do not trust: {lee.key};" in unknown.output
    assert "it counts for no table but its own" in unknown.output
    assert is_imported_apart(there)
    ladder = ann.run("ratings", "--game", "claim", "--db", there).output
    assert ladder == "no rated matches of claim yet, only what was imported: --tournament 1 shows the latest\n"

    ann.trusts(lee)
    known = ann.run("import", signed, "--db", there)
    assert (
        f"signed by lee with a key that you trust: {lee.key}; it counts as if it had been played here" in known.output
    )
    assert "not proved: that its bots chose these moves" in known.output
    assert "no table but its own" not in known.output
    assert not is_imported_apart(there)
    assert len(json.loads(ann.run("ratings", "--game", "claim", "--all", "--json", "--db", there).output)) == 3

    assert "what lee signs no longer counts here" in ann.run("keys", "distrust", "lee").output
    assert Keyring(ann.folder).signer(lee.key) is None


def test_programs_are_told_whose_key_it_was(ann, lee, played, tmp_path):
    path, there = tmp_path / "cup.gz", ("--json", "--db", tmp_path / "there.db")
    words = ("export", 1, "-o", path, "--sign", "--json", "--db", played)
    made = json.loads(ann.run(*words).stdout)  # a new key is made, and said elsewhere
    assert made["signed_with"] == ann.key
    assert json.loads(lee.run(*words).stdout)["signed_with"] == lee.key
    unknown = json.loads(ann.run("import", path, *there).stdout)
    assert (unknown["signed_with"], unknown["signed_by"], unknown["imported"]) == (lee.key, None, True)
    ann.trusts(lee)
    known = json.loads(ann.run("import", path, *there).stdout)
    assert (known["signed_by"], known["imported"]) == ("lee", False)
    listed = json.loads(ann.run("keys", "list", "--json").stdout)
    assert listed == {"own": ann.key, "trusted": [{"key": lee.key, "name": "lee"}]}


def test_the_own_key_is_trusted(ann, lee, signed):
    assert Keyring(lee.folder).signer(lee.key) == "you"
    assert Keyring(ann.folder).signer(lee.key) is None


# -- forged signatures ----------------------------------------------------------------------------------------


def with_another_owner(lines):
    lines[0]["bots"][0]["owner"] = "mallory"


def with_more_games(lines):
    lines[0]["bots"][0]["games"] = ["claim", "rrr"]


def with_another_value(lines):
    value = lines[0]["signature"]["value"]
    lines[0]["signature"]["value"] = ("1" if value[0] == "0" else "0") + value[1:]


def with_another_key(lines):
    lines[0]["signature"]["key"] = "ed25519:" + "58" + "66" * 31  # a point of the curve, and so a key


def with_nothing_in_it(lines):
    lines[0]["signature"] = {}


def with_null(lines):
    lines[0]["signature"] = None


def with_a_number(lines):
    lines[0]["signature"]["value"] = 7


def with_a_key_that_is_too_long(lines):
    lines[0]["signature"]["key"] += "0" * 100_000


def with_a_key_of_another_kind(lines):
    lines[0]["signature"]["key"] = "rsa:" + "0" * 64


def is_true(path):
    return archive.is_signature_true(archive.read(path))


@pytest.mark.parametrize("forge", [with_another_owner, with_more_games, with_another_value, with_another_key])
def test_a_signature_fits_what_was_signed_alone(signed, tmp_path, forge):
    lines = lines_of(signed)
    assert is_true(rewritten(tmp_path, lines))
    forge(lines)
    assert not is_true(rewritten(tmp_path, lines))


@pytest.mark.parametrize(
    "forge",
    [with_nothing_in_it, with_null, with_a_number, with_a_key_that_is_too_long, with_a_key_of_another_kind],
)
def test_nonsense_for_a_signature_is_refused(signed, tmp_path, forge):
    lines = lines_of(signed)
    forge(lines)
    with pytest.raises(UsageError, match="is refused: ") as refused:
        archive.read(rewritten(tmp_path, lines))
    assert len(str(refused.value)) < 500


def test_a_signature_without_a_checksum_binds_nothing(signed, lee):
    """Nobody can make one by our commands: any matches would fit it."""
    whole = archive.read(signed)
    endless = replace(whole, entry=replace(whole.entry, checksum=""))
    signature = Keyring(lee.folder).own().sign(archive.text_to_sign(endless))
    kept = replace(endless, entry=replace(endless.entry, finished=False), signature=signature)
    assert signature.fits(archive.text_to_sign(endless))
    assert not archive.is_signature_true(kept)


def test_a_signature_of_another_tournament_does_not_fit(signed, tmp_path):
    """One that is true in itself, under the signature of somebody who is trusted."""
    store = Store(play_tournament(tmp_path, rounds=2))
    other = stored_tournament(store, store.tournament(1))
    assert not archive.is_signature_true(replace(other, signature=archive.read(signed).signature))
    store.close()


def test_an_archive_with_a_wrong_signature_is_refused(ann, lee, signed, tmp_path):
    ann.trusts(lee)
    lines = lines_of(signed)
    with_another_owner(lines)
    forged = rewritten(tmp_path, lines)
    result = ann.run("import", forged, "--rated", "--db", tmp_path / "there.db")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"Error: {forged} is refused: its signature is wrong: the owner of its key has not signed this; "
        "nothing was added\n"
    )
    assert not (tmp_path / "there.db").exists()


# -- what trust does not reach --------------------------------------------------------------------------------


def test_a_trusted_key_takes_no_name_and_displaces_no_bot(ann, lee, signed, tmp_path):
    ann.trusts(lee)
    there = Store(tmp_path / "there.db")
    facts = {"owner": "local", "digest": "sha256:7", "origin": "/x", "games": ["claim"]}
    mine = there.add_bot(name="two", version="0", **facts)
    assert ann.run("import", signed, "--db", tmp_path / "there.db").exit_code == 0
    assert mine in newest_versions(there.all_bots(), "claim")
    there.close()

    there = Store(tmp_path / "names.db")
    there.add_bot(name="Two", version="0", **facts)
    with pytest.raises(UsageError, match="the name Two is that of a bot of local here"):
        archive.add(there, archive.read(signed), rated=True)
    assert there.tournaments() == []
    there.close()


def test_what_is_not_finished_or_came_from_elsewhere_is_not_signed(ann, played, signed, tmp_path):
    store = Store(tmp_path / "there.db")
    archive.add(store, replace(archive.read(signed), signature=None))
    store.begin_tournament("claim", {**store.tournament(1).settings, "seed": 9})
    store.close()
    words = ("-o", tmp_path / "out.gz", "--sign", "--db", tmp_path / "there.db")
    assert "tournament 1 was imported, and is not yours to sign" in ann.run("export", 1, *words).stderr
    assert "tournament 2 is not finished, and has no checksum to sign" in ann.run("export", 2, *words).stderr
    assert not ann.folder.exists()
    assert not (tmp_path / "out.gz").exists()


# -- keys -----------------------------------------------------------------------------------------------------

KEY, OTHER = (f"ed25519:{digit * 64}" for digit in "ab")


def test_the_list_of_trusted_keys(ann):
    assert ann.run("keys", "list").output == "you have no key yet: `arena export ID --sign` makes one\n"
    for key, name in ((KEY, "lee"), (OTHER, "kim"), (KEY, "prof-lee")):
        assert ann.run("keys", "trust", key, name).exit_code == 0
    assert ann.run("keys", "list").output.splitlines()[1:] == [f"{KEY} prof-lee", f"{OTHER} kim"]
    assert ann.run("keys", "distrust", KEY).exit_code == 0
    assert ann.run("keys", "list").output.splitlines()[1:] == [f"{OTHER} kim"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trust", "4f0c", "kim"), "'4f0c' is not a valid public key"),
        (("trust", KEY.upper(), "kim"), "is not a valid public key"),
        (("trust", OTHER, "Lee"), "Lee is the name of another key"),
        (("trust", OTHER, "you"), "'you' stands for your own key"),
        (("trust", OTHER, "a b"), "the name of a key must be 1 to 40 letters"),
        (("distrust", "kim"), "you trust no key 'kim'"),
    ],
)
def test_what_cannot_be_trusted_is_one_sentence(ann, words, said):
    ann.run("keys", "trust", KEY, "lee")
    result = ann.run("keys", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert Keyring(ann.folder).trusted() == {KEY: "lee"}


@pytest.mark.parametrize("name", ["signing-key.pem", "trusted-keys"])
@pytest.mark.parametrize("content", [b"nonsense", b"\xff\xfe", None])
def test_a_damaged_file_is_named(ann, name, content):
    ann.folder.mkdir(parents=True)
    if content is None:
        (ann.folder / name).mkdir()
    else:
        (ann.folder / name).write_bytes(content)
    result = ann.run("keys", "list")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {ann.folder / name} ")
    assert result.stderr.count("\n") == 1


def test_a_key_is_never_replaced(ann):
    keyring = Keyring(ann.folder)
    assert keyring.make_own().public == keyring.make_own().public == ann.key


def test_without_the_extra_a_sentence_says_how_to_install_it(ann, played, signed, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    (tmp_path / "cryptography.py").write_text("raise ModuleNotFoundError(name='cryptography')")
    monkeypatch.syspath_prepend(tmp_path)  # for the process that proves an archive
    exported = ann.run("export", 1, "-o", tmp_path / "out.gz", "--sign", "--db", played)
    imported = ann.run("import", signed, "--db", tmp_path / "there.db")
    for result in (exported, imported):
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: signatures need the package cryptography: pip install ")
        assert "[signing]" in result.stderr
    assert ann.run("export", 1, "-o", tmp_path / "out.gz", "--db", played).exit_code == 0
    assert ann.run("import", tmp_path / "out.gz", "--db", tmp_path / "there.db").exit_code == 0
