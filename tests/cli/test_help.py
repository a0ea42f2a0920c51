"""Help, completion, and what the command line takes as the same."""

import json
import os
import re
import subprocess
import sys

import pytest

from adjudge.cli import COMMANDS, QUESTIONS
from made import EXAMPLES

VOTES = EXAMPLES / "reliability" / "votes.json"


@pytest.mark.parametrize("command", QUESTIONS)
def test_help_takes_a_screen_of_80_columns(adjudge, command):
    status, printed, _ = adjudge(*command.split(), "--help")
    assert status == 0
    assert printed.startswith(f"Usage: adjudge {command} ")
    assert len(printed.splitlines()) <= 75
    assert max(map(len, printed.splitlines())) <= 80
    assert max(map(len, adjudge(*command.split(), "-h")[1].splitlines())) <= 80


def test_help_lists_every_command_in_its_group(adjudge):
    _, printed, _ = adjudge("--help")
    place = 0
    for group, commands in COMMANDS.items():
        place = printed.index(f"\n{group}:\n", place)
        for name in commands:
            place = re.compile(rf"^  {name}  ", re.MULTILINE).search(printed, place).end()
    assert adjudge()[0] == 2


def test_advanced_options_are_shown_on_request(adjudge):
    _, some, _ = adjudge("reliability", "--help")
    _, every, _ = adjudge("reliability", "--help-all")
    assert "--encoding" not in some
    assert "\nAdvanced:\n" in every
    hidden = int(re.search(r"^(\d+) more options: adjudge reliability --help-all$", some, re.MULTILINE)[1])
    flags = [len(re.findall(r"^  (?:-\w, )?--", page, re.MULTILINE)) for page in (some, every)]
    assert flags[1] - flags[0] == hidden


def test_the_word_score_may_stand_between_an_evaluation_and_its_files(adjudge):
    plain = adjudge("reliability", VOTES, "--format", "json")
    assert adjudge("reliability", "score", VOTES, "--format", "json") == plain
    assert json.loads(plain[1])["command"] == f"adjudge reliability {VOTES}"
    assert adjudge("compare", "score", "x.parquet")[0] == 2


@pytest.mark.parametrize(
    ("joined", "repeated"),
    [
        (["--by", "language,text"], ["--by", "language", "--by", "text"]),
        (["--labels", "helpful, unhelpful"], ["--labels", "helpful", "--labels", "unhelpful"]),
        (
            ["--flag-values", "flagged=bad,clean=fine,clean=ok"],
            ["--flag-values", "flagged=bad", "--flag-values", "clean=fine", "--flag-values", "clean=ok"],
        ),
        (
            ["--fail-under", "reliability=0,kappa[annotator=w1,language=en]=-1"],
            ["--fail-under", "reliability=0", "--fail-under", "kappa[annotator=w1,language=en]=-1", "--by", "language"],
        ),
    ],
)
def test_commas_are_the_same_as_repetition(adjudge, joined, repeated):
    words = ["--columns", "item=question,annotator=worker,label=answer,reference=gold", "--format", "json"]
    words += ["--by", "language"] if "--fail-under" in joined else []
    one, other = (
        adjudge("reliability", EXAMPLES / "reliability" / "labels.csv", *words, *some) for some in (joined, repeated)
    )
    assert one == other
    assert one[1].startswith("{")


def completion(shell, kind="complete", **variables):
    """What the command line says to a shell that asks for its completion."""
    return subprocess.run(
        [sys.executable, "-c", "from adjudge.cli import main; main()"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "_ADJUDGE_COMPLETE": f"{shell}_{kind}", **variables},
    )


def complete(*words, shell="bash"):
    place = str(len(words)) if shell != "fish" else words[-1]
    return completion(shell, COMP_WORDS=" ".join(["adjudge", *words]), COMP_CWORD=place).stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_options_and_choices(shell):
    done = completion(shell, "source")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{shell}_complete" in done.stdout
    assert "reliability" in complete("rel", shell=shell)


def test_choices_and_options_are_completed():
    assert {"plain,nominal", "plain,interval"} <= set(complete("agreement", "--level", "").split())
    assert "--reference" in complete("reliability", "--refer")
    assert complete("reliability", "v").split() == ["file,v"]
