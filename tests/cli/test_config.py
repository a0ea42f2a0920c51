"""Options from files and from the environment, and those of what is printed and saved."""

import pytest

from made import EXAMPLES

VOTES = EXAMPLES / "reliability" / "votes.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    return tmp_path


def confidence_of(adjudge, *words):
    status, printed, error = adjudge("reliability", "score", VOTES, *words)
    assert (status, error) == (0, "")
    return printed.split("|confidence=")[1].partition("|")[0]


def test_the_command_line_counts_before_the_environment_and_that_before_the_file(adjudge, folder, monkeypatch):
    assert confidence_of(adjudge) == "0.95"
    (folder / "adjudge.toml").write_text("confidence = 0.9")
    assert confidence_of(adjudge) == "0.9"
    monkeypatch.setenv("ADJUDGE_CONFIDENCE", "0.8")
    assert confidence_of(adjudge) == "0.8"
    assert confidence_of(adjudge, "--confidence", "0.99") == "0.99"


def test_what_stands_for_one_command_counts_before_what_stands_for_all(adjudge, folder):
    (folder / "pyproject.toml").write_text(
        "[tool.adjudge]\nconfidence = 0.9\n[tool.adjudge.rag]\nconfidence = 0.7\n[tool.adjudge.reliability.score]\nconfidence = 0.8"
    )
    assert confidence_of(adjudge) == "0.8"
    (folder / "inner" / "pyproject.toml").write_text(
        "[tool.other]\nx = 1"
    )  # says nothing of Adjudge, so the next one counts
    assert confidence_of(adjudge) == "0.8"
    (folder / "inner" / "adjudge.toml").write_text("")
    assert confidence_of(adjudge) == "0.95"


def test_lists_mappings_and_flags_are_those_of_the_command_line(adjudge, folder):
    (folder / "adjudge.toml").write_text(
        'by = ["language"]\nexact-labels = true\nseed = 7\n'
        'columns = {item = "question", annotator = "worker", label = "answer", reference = "gold"}'
    )
    status, printed, _ = adjudge("reliability", "score", EXAMPLES / "reliability" / "labels.csv")
    assert status == 0
    for said in ('by=["language"]', "exact_labels=true", "seed=7", '"item":"question","annotator":"worker"'):
        assert said in printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("confidnce = 0.9", 'no option or command confidnce (did you mean "confidence"?)'),
        ("[reliability.score]\ntraits = 1", "no option or command traits"),
        ("[relability]\nseed = 1", 'no option or command relability (did you mean "reliability"?)'),
        ("seed = ", "expected TOML"),
        (
            "confidence = 2",
            "--confidence: expected a number between 0 and 1, such as 0.95; got 2.0. Write 0.02 for 2 %\n--confidence stands in",
        ),
        (
            "confidence = [0.8, 0.9]",
            "expected a number between 0 and 1, such as 0.95; got '0.8,0.9'\n--confidence stands",
        ),
        ('exact-labels = "maybe"', "adjudge.toml: exact-labels: expected true or false; got 'maybe'"),
        ("[reliability]\nscore = 1", "adjudge.toml: score: expected a table with its options, [score]; got 1"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(adjudge, folder, text, said):
    (folder / "adjudge.toml").write_text(text)
    status, _, error = adjudge("reliability", "score", VOTES)
    assert status == 2
    assert said in error


def test_one_value_is_enough_for_an_option_that_takes_several(adjudge, folder, monkeypatch):
    (folder / "adjudge.toml").write_text('\ufeffby = "language"', encoding="utf-8")
    columns = ["--columns", "item=question,annotator=worker,label=answer,reference=gold"]
    status, printed, _ = adjudge("reliability", "score", EXAMPLES / "reliability" / "labels.csv", *columns)
    assert status == 0
    assert 'by=["language"]' in printed
    monkeypatch.setenv("ADJUDGE_BY", "topic")
    monkeypatch.setenv("ADJUDGE_QUIET", "no")
    assert "no column topic" in adjudge("reliability", "score", EXAMPLES / "reliability" / "labels.csv", *columns)[2]


def test_help_needs_no_file_that_can_be_read(adjudge, folder):
    (folder / "adjudge.toml").write_text("seed = ")
    assert adjudge("reliability", "score", "--help")[0] == 0
    assert adjudge("--version")[0] == 0
    (folder / "adjudge.toml").unlink()
    (folder / "pyproject.toml").write_text('[tool]\nadjudge = "on"')
    status, _, error = adjudge("look", VOTES)
    assert (status, error.partition("pyproject.toml")[2]) == (2, ": expected a table [tool.adjudge]; got 'on'\n")


def test_an_unknown_variable_is_refused(adjudge, monkeypatch):
    monkeypatch.setenv("ADJUDGE_CONFIDNCE", "1")
    status, _, error = adjudge("reliability", "score", VOTES)
    assert (status, error) == (
        2,
        'adjudge: ADJUDGE_CONFIDNCE: no command has an option --confidnce (did you mean "confidence"?)\n',
    )


def test_quiet_prints_nothing_and_verbose_says_the_time_of_each_step(adjudge, tmp_path):
    assert adjudge("reliability", "score", VOTES, "-q", "--output", tmp_path / "r.json") == (0, "", "")
    _, _, error = adjudge("reliability", "score", VOTES, "--verbose")
    assert [line.rpartition(": ")[0] for line in error.splitlines()][-1] == "adjudge: counting"
    status, printed, error = adjudge("reliability", "score", VOTES, "-q", "--fail-over", "flag_mismatch=0.01")
    assert (status, printed) == (3, "")
    assert (
        error
        == "adjudge: FAIL (all judgments together): flag_mismatch must be at most 1 %; it is 5.1 % (1.9 to 12.9)\n"
    )


def test_a_chart_goes_into_pictures_alone_and_needs_one(adjudge, tmp_path):
    page, drawn = tmp_path / "r.html", tmp_path / "r.svg"
    assert adjudge("reliability", "score", VOTES, "--chart", "matrix", "--output", page, "--output", drawn)[0] == 0
    assert "Annotators at a glance" in drawn.read_text(encoding="utf-8")
    status, _, error = adjudge("reliability", "score", VOTES, "--chart", "matrix", "--output", page)
    assert (status, error) == (
        2,
        "adjudge: --chart chooses the picture of a file; give --output with .png, .svg, .pdf too\n",
    )


def test_a_number_of_thousands_of_digits_is_refused(adjudge, written, monkeypatch, tmp_path):
    written("seed = " + "9" * 5000, "adjudge.toml")
    monkeypatch.chdir(tmp_path)
    status, _, err = adjudge("reliability", "score", "votes.csv")
    assert status == 2
    assert "adjudge.toml: expected TOML; Exceeds the limit" in err


def test_a_seed_that_no_table_can_hold_is_refused(adjudge):
    status, _, err = adjudge("reliability", "score", "votes.csv", "--seed", 2**64)
    assert status == 2
    assert f"--seed: expected a whole number from 0 to {2**63 - 1}; got {2**64}" in err
