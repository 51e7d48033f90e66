"""What is shipped beside the code, and the sample bots by their names."""

import pytest

from arena.bots import manifest
from arena.bots.builtin import BUILTIN
from arena.bots.manifest import Builtin, Folder, Image, find_sample, locate, samples
from arena.bots.shipped import SAMPLES, shipped
from tests.kits.contestants import choosing, write_bot


@pytest.mark.parametrize("name", ["docker/build-base.sh", "docs/first-bot.md", "proto/arena/wire/v1/match.proto"])
def test_everything_is_where_it_is_looked_for(name):
    assert shipped(name).is_file()


def test_sample_bots_that_run_at_once_have_names():
    assert set(samples()) == {"greedy", "policy", "search"}
    assert find_sample("greedy") == samples()["greedy"]
    assert find_sample("greedy").path == SAMPLES / "greedy"


@pytest.mark.parametrize("name", ["random_cpp", "nobody", "", "../greedy", "greedy/"])
def test_no_other_name_is_a_sample_bot(name):
    assert find_sample(name) is None


def test_a_folder_here_goes_before_a_sample_bot_and_that_before_an_image(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert locate("greedy", BUILTIN) == samples()["greedy"]
    assert locate("random", BUILTIN) == Builtin("random")
    assert locate("greedy:1", BUILTIN) == Image("greedy:1")
    write_bot(tmp_path / "greedy", choosing("return turn.legal[0]"))
    here = locate("greedy", BUILTIN)
    assert isinstance(here, Folder)
    assert here.path == tmp_path / "greedy"


def test_an_installation_without_sample_bots_has_none(tmp_path, monkeypatch):
    monkeypatch.setattr(manifest, "SAMPLES", tmp_path)
    assert samples() == {}
