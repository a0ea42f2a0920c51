"""Killed at any moment, asking goes on without loss; a short form of benchmarks/models_kill.py."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="asking models needs adjudge[models]")
sys.path.append(str(Path(__file__).parent.parent.parent / "benchmarks"))

from models_kill import killed

pytestmark = pytest.mark.models


def test_what_was_answered_before_a_kill_is_not_asked_again():
    found = killed(count=40, kills=1, seed=1)
    assert found["kills"] == 1, "the work ended before it was killed"
    assert found["answers"] == 40
    assert found["twice"] == 0
    assert 40 <= found["asked"] <= found["most"]
