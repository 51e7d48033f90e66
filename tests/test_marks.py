"""The marks of tests stand where the tests stand, and in a form that conftest.py understands."""

import ast
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_collection_modifyitems, pytest_ignore_collect

FAST = SimpleNamespace(option=SimpleNamespace(markexpr="not slow"))
ALL = SimpleNamespace(option=SimpleNamespace(markexpr=""))
MODULES = sorted(Path(__file__).parent.rglob("test_*.py"))


def is_slow(path):
    """Whether the module says so of all its tests."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            return "mark.slow" in ast.unparse(node.value)
    return False


def test_the_fast_tests_import_no_slow_module_and_leave_out_no_other():
    assert {path for path in MODULES if pytest_ignore_collect(path, FAST)} == set(filter(is_slow, MODULES))
    assert not any(pytest_ignore_collect(path, ALL) for path in MODULES)


@pytest.mark.parametrize(("mark", "tries"), [(None, 1), (pytest.mark.real(reason="a clock"), 3)])
def test_more_tries_are_for_what_is_real(mark, tries):
    added = []
    item = SimpleNamespace(get_closest_marker={"real": mark and mark.mark}.get, add_marker=added.append)
    pytest_collection_modifyitems([item])
    assert 1 + sum(found.mark.kwargs["reruns"] for found in added) == tries


def test_what_is_real_says_why():
    item = SimpleNamespace(get_closest_marker=lambda _: pytest.mark.real.mark, nodeid="test_it", add_marker=None)
    with pytest.raises(pytest.UsageError, match="test_it is marked as real without a reason"):
        pytest_collection_modifyitems([item])
