"""The tutorial on an LLM judge can be followed as it is printed, from its first command to its last."""

import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.models


def test_the_tutorial_on_a_judge_runs_from_its_first_command_to_its_last(adjudge, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("adjudge.render.html.chart_element", lambda *_: "")  # take seconds, and are tested elsewhere
    page = (ROOT / "docs" / "judges.md").read_text(encoding="utf-8").replace("\\\n", "")
    lines = [line.strip() for line in page.splitlines() if line.startswith("    ")]
    for line in lines:
        if line.startswith("adjudge "):
            status, printed, said = adjudge(*shlex.split(line, comments=True)[1:])
            assert status == (3 if "--fail-" in line else 0), said
            assert printed
        else:
            subprocess.run(["sh", "-ec", line], check=True)
    assert sum(line.startswith("adjudge preferences predict") for line in lines) == 4
