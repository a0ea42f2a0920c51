"""The examples in docstrings are true. Those of the explorer are tried in tests/explorer; tasks have none."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if "explorer" not in path.parts and ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name):
    found = doctest.testmod(import_module(name))
    assert (found.attempted > 0, found.failed) == (True, 0)
