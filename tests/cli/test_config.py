"""Options from files and from the environment, and those of what is printed and saved."""

import json
import os
from pathlib import Path

import pytest

from adjudge.cli import QUESTIONS
from adjudge.cli.command import Command, Flag
from made import EXAMPLES

VOTES = EXAMPLES / "reliability" / "votes.json"
TEXTS = [EXAMPLES / "violations" / name for name in ("truth.jsonl", "careful.jsonl")]
SCORED = ["violations", *TEXTS, "--format", "json"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def level_of(adjudge, *words):
    status, printed, _ = adjudge("reliability", VOTES, "--details", *words)
    assert status == 0
    return printed.split("|ci_level=")[1].partition("|")[0]


def test_the_command_line_counts_before_the_environment_and_that_before_the_file(adjudge, folder, monkeypatch):
    assert level_of(adjudge) == "0.95"
    (folder / "adjudge.toml").write_text("ci-level = 0.9")
    assert level_of(adjudge) == "0.9"
    monkeypatch.setenv("ADJUDGE_CI_LEVEL", "0.8")
    assert level_of(adjudge) == "0.8"
    assert level_of(adjudge, "--ci-level", "0.99") == "0.99"


def test_what_stands_for_one_command_counts_before_what_stands_for_all(adjudge, folder):
    (folder / "pyproject.toml").write_text(
        "[tool.adjudge]\nci-level = 0.9\n[tool.adjudge.rag]\nci-level = 0.7\n[tool.adjudge.reliability]\nci-level = 0.8"
    )
    assert level_of(adjudge) == "0.8"
    (folder / "adjudge.toml").write_text("")  # alone counts where it is
    assert level_of(adjudge) == "0.95"


def test_a_table_of_two_words_is_for_that_command_alone(adjudge, folder):
    (folder / "adjudge.toml").write_text("[violations]\nseed = 2\n[violations.pairs]\nseed = 3\noutput = 'x.jsonl'\n")
    assert json.loads(adjudge(*SCORED)[1])["options"]["seed"] == 2
    _, _, error = adjudge("violations", "pairs", *SCORED[1:3])
    assert "options from adjudge.toml: seed; ignored: output. " in error


def test_lists_mappings_and_flags_are_those_of_the_command_line(adjudge, folder):
    (folder / "adjudge.toml").write_text(
        'by = ["language"]\nexact-labels = true\nseed = 7\n'
        'columns = {item = "question", annotator = "worker", label = "answer", reference = "gold"}'
    )
    status, printed, _ = adjudge("reliability", EXAMPLES / "reliability" / "labels.csv", "--details")
    assert status == 0
    for said in ('by=["language"]', "exact_labels=true", "seed=7", '"item":"question","annotator":"worker"'):
        assert said in printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[reliability]\nztraits = 1", 'no option or command "ztraits"'),
        ("ci-level = 2", "fix:   ci-level = 0.02"),
        ("ci-level = [0.8, 0.9]", 'ci-level: expected a number between 0 and 1; got "0.8,0.9"'),
        ('exact-labels = "maybe"', 'adjudge.toml: exact-labels: expected true or false; got "maybe"'),
        ("rag = 1", 'adjudge.toml: rag: expected a table with its options; got "1"'),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(adjudge, folder, text, said):
    (folder / "adjudge.toml").write_text(text)
    status, _, error = adjudge("reliability", VOTES)
    assert status == 2
    assert said in error


def test_one_value_is_enough_for_an_option_that_takes_several(adjudge, folder, monkeypatch):
    (folder / "adjudge.toml").write_text('\ufeffby = "language"', encoding="utf-8")
    labels = EXAMPLES / "reliability" / "labels.csv"
    words = ["reliability", labels, "--columns", "item=question,annotator=worker,label=answer,reference=gold"]
    status, printed, _ = adjudge(*words, "--details")
    assert status == 0
    assert 'by=["language"]' in printed
    monkeypatch.setenv("ADJUDGE_BY", "topic")
    monkeypatch.setenv("ADJUDGE_QUIET", "no")
    assert 'no column "topic"' in adjudge(*words)[2]


OUTSIDE = 'config = "victim.toml"\nsave-items = "victim.parquet"\nmax-size = "9TB"\n'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("adjudge.toml", f"seed = 7\n{OUTSIDE}"),
        ("adjudge.toml", f"[violations]\nseed = 7\n{OUTSIDE}"),
        ("pyproject.toml", f"[tool.adjudge]\nseed = 7\n{OUTSIDE}"),
    ],
)
def test_a_file_in_a_folder_sets_nothing_that_reads_writes_or_reaches_a_network(adjudge, folder, name, text):
    (folder / name).write_text(text)
    victim = folder / "victim.parquet"
    victim.write_text("precious")
    status, printed, error = adjudge(*SCORED)
    options = json.loads(printed)["options"]
    assert (status, options["seed"], options["config"], options["max_size"]) == (0, 7, None, None)
    assert victim.read_text() == "precious"
    (line,) = error.splitlines()
    assert f"options from {Path(name).name}: seed; ignored: config, save-items, max-size. " in line
    assert str(folder / name) in line


def test_the_environment_and_the_users_own_file_set_every_option(adjudge, folder, monkeypatch):
    own = folder / "own" / "adjudge"
    own.mkdir(parents=True)
    monkeypatch.setenv("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", str(own.parent))
    (own / "adjudge.toml").write_text('ci-level = 0.8\nseed = 3\nsave-items = "mine.parquet"\nmax-size = "9GB"')
    (folder / "adjudge.toml").write_text(f"seed = 7\n{OUTSIDE}")
    options = json.loads(adjudge(*SCORED)[1])["options"]
    assert [options[name] for name in ("seed", "ci_level", "max_size")] == [7, 0.8, "9GB"]
    assert (folder / "mine.parquet").is_file()
    assert not (folder / "victim.parquet").exists()
    monkeypatch.setenv("ADJUDGE_MAX_SIZE", "5GB")
    assert json.loads(adjudge(*SCORED)[1])["options"]["max_size"] == "5GB"
    monkeypatch.delenv("ADJUDGE_MAX_SIZE")
    (folder / "adjudge.toml").unlink()
    monkeypatch.chdir(own)  # where the user's own file is that of the folder, too
    _, printed, error = adjudge(*SCORED)
    assert (json.loads(printed)["options"]["max_size"], error) == ("9GB", "")
    monkeypatch.setenv("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "..")  # where only the folder decides
    assert json.loads(adjudge(*SCORED)[1])["options"]["max_size"] is None


def test_no_option_that_names_a_file_a_folder_a_server_or_a_model_may_be_set_by_a_file():
    outside = ("FILE", "FOLDER", "URL", "ADDRESS", "SIMILARITY", "SIZE", "MODEL")
    known = [(name, one.argument) for name in QUESTIONS for one in Command(name).params if isinstance(one, Flag)]
    settable = {(name, one.name) for name, one in known if one.file_may_set and one.metavar.startswith(outside)}
    assert not settable
    assert not any(one.file_may_set for _, one in known if one.name == "runner"), "Ray listens to a network"


def test_quiet_prints_nothing_and_verbose_says_the_time_of_each_step(adjudge, tmp_path):
    assert adjudge("reliability", VOTES, "-q", "--output", tmp_path / "r.json") == (0, "", "")
    _, _, error = adjudge("reliability", VOTES, "--verbose")
    assert [line.rpartition(": ")[0] for line in error.splitlines()][-1] == "counting"
    status, printed, error = adjudge("reliability", VOTES, "-q", "--fail-over", "flag_mismatch=0.01")
    assert (status, printed) == (3, "")
    assert error == "error: FAIL (pooled): flag_mismatch must be at most 1%; it is 5.1% [1.9, 12.9]\n"


def test_a_seed_that_no_table_can_hold_is_refused(adjudge):
    status, _, err = adjudge("reliability", "votes.csv", "--seed", 2**64)
    assert status == 2
    assert f"--seed: expected a whole number from 0 to {2**63 - 1}; got {2**64}" in err
