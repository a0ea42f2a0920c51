"""What the tests of questions to models need."""

from pathlib import Path

import pytest

ASKING = {"test_asking.py", "test_killed.py", "test_tasks.py", "test_transformers.py"}
"""Modules all of whose tests ask a server, and which import what takes seconds to."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves modules unread whose tests would all be left out."""
    return True if config.option.markexpr == "not models" and collection_path.name in ASKING else None
