"""The tutorial on an LLM judge can be followed as it is printed, with three models of known skill."""

import hashlib
import json
import os
import re
import shlex
from pathlib import Path

import pytest

from llm.server import ModelServer, serving
from made_pages import cut, steps

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.models,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]
SKILL = {"gpt-4.1": 0.97, "gpt-4.1-mini": 0.9, "gpt-4.1-nano": 0.72}


def judged_sum(prompt, body):
    """What a model of known skill says of a sum and its answer; it states how sure it is."""
    shown = re.sub(r"</?text-\w+>", "", prompt.split("question:\n")[1])
    question, answer = shown.split("answer:")
    first, second = map(int, re.findall(r"\d+", question))
    result = first + second if "+" in question else first - second if " - " in question else first * second
    is_right = result == int(re.findall(r"-?\d+", answer.split("Think first")[0])[0])
    drawn = int(hashlib.sha256(f"{body['model']}{question}".encode()).hexdigest()[:8], 16) / 16**8
    verdict = is_right == (drawn < SKILL[body["model"]])
    label = {"label": "correct" if verdict else "wrong", "confidence": 90}
    return json.dumps({"reason": "I worked it out.", "verdict": label})


def test_the_tutorial_on_a_judge_runs_from_its_first_command_to_its_last(adjudge, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    page = ROOT / "docs" / "judges.md"
    text = page.read_text(encoding="utf-8")
    screens: dict[str, str] = {}
    with serving(ModelServer(judged_sum)) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        for kind, code in steps(text):
            if kind == "command":
                status, screens[code], error = adjudge(*shlex.split(code)[1:])
                assert status == 0, (code, error)
            elif os.environ.get("UPDATE_PAGES"):
                text = text.replace(code, cut([*screens.values()][-1], code))
                page.write_text(text, encoding="utf-8")
            else:
                assert code == cut([*screens.values()][-1], code)
    assert len(screens) <= 12
    card = screens["adjudge card labels.parquet"]
    order = [card.index(f"  openai/{name} ") for name in SKILL]
    assert order == sorted(order), "the best judge comes first"
    assert "jury" in screens["adjudge card labels.parquet --jury 'openai/*'"]
    assert all(len(screen.splitlines()) <= 40 for line, screen in screens.items() if "--dry-run" not in line)
