"""What several tests share."""

import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Workers share the cores among themselves, and inputs are small: threads within a worker cost more than they bring.
for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# A worker and its thread of polars, which wait for each other all the time, hand over faster on one core.
if hasattr(os, "sched_setaffinity") and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(worker.removeprefix("gw")) % len(cores)]})

from adjudge.render import html  # noqa: E402 - numpy and polars count their threads as they are imported
from adjudge.render.charts import output  # noqa: E402

# Looking for garbage after every 700 objects costs as much as listing the tests, which are many objects that stay.
gc.set_threshold(50_000)

# Property tests draw the same examples on every run and have no deadline: machines differ, results must not.
# 30 examples find what 100 do, but for rare ones; where these matter, the test asks for more.
settings.register_profile("adjudge", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("adjudge")


_MODELS = ("asking", "killed", "rubrics", "tasks", "tutorial")
UNREAD = {
    "not models": [
        *(f"llm/test_{name}.py" for name in _MODELS),
        "runners/test_on_ray.py",
        "text/test_bertscore.py",
        "text/test_embeddings.py",
    ],
    "not browser": ["tests/browser", "tests/explorer"],
}
"""Modules and folders all of whose tests such a choice leaves out; their imports take each worker seconds."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves modules unread whose tests would all be left out."""
    left_out = [path for choice, paths in UNREAD.items() if choice in config.option.markexpr for path in paths]
    return any(map(collection_path.match, left_out)) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets pages of the documentation, which take longest, begin first, so that none runs alone at the end."""
    items.sort(key=lambda one: one.path.name != "test_docs.py")


def pytest_collection_finish() -> None:
    """Keeps what is listed out of all later looks for garbage."""
    gc.freeze()


@pytest.fixture
def charts() -> None:
    """For tests of charts: pages and files hold them."""


@pytest.fixture(autouse=True)
def _around(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the terminal 120 characters wide, wherever the tests run; charts, which take half a second each, are empty."""
    monkeypatch.setenv("COLUMNS", "120")
    if "charts" not in request.fixturenames and request.node.get_closest_marker("browser") is None:
        monkeypatch.setattr(html, "chart_element", lambda *_: "")
        monkeypatch.setattr(output, "chart_file", lambda *_: b"")


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes text, bytes or JSON to a file and returns its path."""

    def write(content: Any, name: str = "votes.json") -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return write


@pytest.fixture
def adjudge(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command line in this process; returns its exit status, standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        from adjudge.cli import main

        monkeypatch.setattr("sys.argv", ["adjudge", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return run
