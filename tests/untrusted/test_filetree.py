"""Folders that are changed by somebody else while they are read."""

import pytest

from arena.errors import UsageError
from arena.untrusted import filetree
from arena.untrusted.filetree import list_tree, open_file, read_link


@pytest.fixture
def swapped(tmp_path):
    """A folder that was listed, and in which a folder then became a link to another place with the same names."""
    for top in ("mine/a/b", "secret/b"):
        (tmp_path / top).mkdir(parents=True)
        (tmp_path / top / "file").write_text(top)
        (tmp_path / top / "link").symlink_to(top)
    listed = {entry.name: entry for entry in list_tree(tmp_path / "mine")}
    assert sorted(listed) == ["a", "a/b", "a/b/file", "a/b/link"]
    (tmp_path / "mine/a").rename(tmp_path / "was")
    (tmp_path / "mine/a").symlink_to("../secret")
    return tmp_path / "mine", listed


def test_a_folder_that_became_a_link_is_not_followed(swapped):
    folder, listed = swapped
    for read in (
        lambda: open_file(folder, listed["a/b/file"], "it"),
        lambda: read_link(folder, listed["a/b/link"], "it"),
        lambda: list(filetree._list_one(folder, "a/b", (), "it")),
        lambda: list(filetree._list_one(folder, "a", (), "it")),
    ):
        with pytest.raises(UsageError, match=r"^it: 'a.*' cannot be read: Not a directory$"):
            read()


def test_the_folder_itself_may_be_reached_by_a_link(tmp_path):
    (tmp_path / "real/a").mkdir(parents=True)
    (tmp_path / "real/a/file").write_text("x")
    (tmp_path / "link").symlink_to("real")
    listed = {entry.name: entry for entry in list_tree(tmp_path / "link")}
    with open(open_file(tmp_path / "link", listed["a/file"], "it")) as file:
        assert file.read() == "x"
