"""What the store keeps of the place of a bot's files, and where it finds them."""

import pytest

from arena.store.bot_files import Origins, folder_beside, kept_path

DIGEST = "sha256:" + "ab" * 32
OTHER = "sha256:" + "cd" * 32


def test_a_path_in_the_folder_is_kept_as_its_name(tmp_path):
    files = Origins(tmp_path)
    kept = kept_path(tmp_path, DIGEST)
    assert files.to_origin(str(kept)) == DIGEST.removeprefix("sha256:")
    assert files.to_path(files.to_origin(str(kept)), DIGEST) == str(kept)


@pytest.mark.parametrize("origin", ["", "/samples/greedy", DIGEST, f"/elsewhere/bots/{'ab' * 32}"])
def test_all_else_stays_as_it_is(tmp_path, origin):
    for files in (Origins(tmp_path), Origins(None)):
        assert files.to_origin(origin) == origin
        assert files.to_path(origin, DIGEST) == origin


def test_somebodys_own_folder_beside_the_store_is_kept_as_it_is(tmp_path):
    files, own = Origins(tmp_path), str(tmp_path / "my_bot")
    assert files.to_path(files.to_origin(own), DIGEST) == own


def test_a_path_that_is_gone_is_looked_for_in_the_folder(tmp_path):
    files, there, kept = Origins(tmp_path / "bots"), tmp_path / "there", kept_path(tmp_path / "bots", DIGEST)
    kept.mkdir(parents=True)
    assert files.to_path(str(there), DIGEST) == str(kept)
    assert files.to_path(str(there), OTHER) == str(there)
    assert files.to_path("", DIGEST) == ""  # whoever imports a bot does not say that its files are here
    there.mkdir()
    assert files.to_path(str(there), DIGEST) == str(there)


def test_only_a_file_has_a_folder_beside_it(tmp_path):
    assert folder_beside(tmp_path / "arena.db") == tmp_path / "bots"
    assert folder_beside("postgresql://somebody@host/name") is None
