"""A contest in a folder of its own."""

import pytest

from tests.kits.runners import ContestKit


@pytest.fixture
def kit(tmp_path):
    folder = tmp_path / "cup"
    folder.mkdir()
    kit = ContestKit(folder)
    yield kit
    kit.close()
