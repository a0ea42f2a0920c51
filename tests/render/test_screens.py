"""The screen of every command on the examples: one golden file each; nothing else asserts wording.

With ADJUDGE_UPDATE_SCREENS=1 the files are written anew.
"""

import os

import pytest

import adjudge
from adjudge.render.markdown import report_markdown
from adjudge.render.terminal import report_text
from made import DATA, EXAMPLES

SCREENS = DATA / "screens"
GOLD, CAREFUL, QUICK = (f"preferences/{name}" for name in ("gold.jsonl", "careful.tsv", "quick.tsv"))
CHECKERS = ("violations/careful.jsonl", "violations/eager.jsonl")
SPANS = {"annotator": "rater"}
PUBLISHED = DATA / "preferences" / "published_scores.jsonl"
COMMANDS = {
    "reliability": lambda _: adjudge.reliability("reliability/votes.json"),
    "reliability-by-week": lambda _: adjudge.reliability("reliability/votes.json", by="week"),
    "preferences": lambda _: adjudge.preferences(GOLD, [CAREFUL, QUICK]),
    "preferences-one-system": lambda _: adjudge.preferences(GOLD, QUICK),
    "preferences-rank": lambda _: adjudge.rank_preferences(PUBLISHED),
    "violations": lambda _: adjudge.violations("violations/truth.jsonl", CHECKERS),
    "violations-agreement": lambda _: adjudge.violation_agreement("violations/spans.csv", columns=SPANS),
    "rag": lambda _: adjudge.rag("rag/answers.jsonl"),
    "rag-all-scorers": lambda _: adjudge.rag("rag/answers.jsonl", scorer="all"),
    "annotations": lambda _: adjudge.annotations("annotations/pairs.json"),
    "agreement": lambda _: adjudge.agreement("reliability/votes.json"),
    "agreement-ordered": lambda _: adjudge.agreement(
        "agreement/ratings.csv", columns={"label": "rating"}, ordered=["1", "2", "3", "4", "5"]
    ),
    "card": lambda _: adjudge.card(
        "card/labels.csv", judges=["steady", "hasty"], run_column="draw", confidence_column="certainty"
    ),
    "card-pairs": lambda _: adjudge.card(
        "card/pairs.csv", judges=["drifting", "swayed"], position_column="order", time="month"
    ),
    "compare": lambda folder: adjudge.compare(runs(folder)),
    "history": lambda folder: adjudge.history([run.with_suffix(".json") for run in runs(folder, system="ours")]),
}
LONGEST = {"reliability-by-week": 40}
"""Screens that may be longer than 24 lines."""


def runs(folder, **options):
    """Two saved runs on the same items."""
    paths = [folder / "monday.parquet", folder / "friday.parquet"]
    for path, submission in zip(paths, (QUICK, CAREFUL), strict=True):
        adjudge.preferences(GOLD, submission, save_items=path, **options).save(path.with_suffix(".json"))
    return paths


def compared(name, text):
    """The golden text of that name, which is written first if that is asked for."""
    path = SCREENS / f"{name}.txt"
    if os.environ.get("ADJUDGE_UPDATE_SCREENS"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_is_as_it_was_and_fits(name, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    text = report_text(COMMANDS[name](tmp_path), width=80)
    assert text == compared(name, text)
    lines = text.splitlines()
    assert len(lines) <= LONGEST.get(name, 24)
    assert max(map(len, lines)) <= 80


def test_a_comment_is_as_it_was(monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    text = report_markdown(COMMANDS["preferences"](None)).partition("\n## ")[0] + "\n"
    assert text == compared("preferences.md", text)


def test_the_demo_shows_estimates_beside_the_truth(adjudge, monkeypatch, tmp_path):
    """One screen for each report, on 110 lines together."""
    monkeypatch.setenv("COLUMNS", "80")
    status, printed, _ = adjudge("demo", "--folder", tmp_path)
    assert status == 0
    screens = printed.partition(str(tmp_path))[0].rpartition("\n\n")[0] + "\n"
    assert screens == compared("demo", screens)
    assert "(missing)" not in screens
    assert " ".join(screens.split()).count("the 95% interval covers the true value in") == 6
    assert len(screens.splitlines()) <= 110
    assert max(map(len, screens.splitlines())) <= 80
    files = "absent-minded.tsv annotations.parquet card.csv careful.tsv careful@1.jsonl eager@3.jsonl guessing.tsv"
    files += " preferences.jsonl quick.tsv rag.jsonl reliability.csv report.html shy@2.jsonl violations.jsonl"
    assert sorted(path.name for path in tmp_path.iterdir()) == files.split()


@pytest.mark.parametrize("width", [60, 100, 120])
@pytest.mark.parametrize("name", ["preferences", "card", "agreement"])
def test_a_screen_fits_any_width(name, width, tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    assert max(map(len, report_text(COMMANDS[name](tmp_path), width=width).splitlines())) <= width
