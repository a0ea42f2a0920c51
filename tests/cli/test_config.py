"""Options from files and from the environment, and those of what is printed and saved."""

import pytest

from made import EXAMPLES

VOTES = EXAMPLES / "reliability" / "votes.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    return tmp_path


def confidence_of(karat, *words):
    status, printed, error = karat("reliability", "score", VOTES, *words)
    assert (status, error) == (0, "")
    return printed.split("|confidence=")[1].partition("|")[0]


def test_the_command_line_counts_before_the_environment_and_that_before_the_file(karat, folder, monkeypatch):
    assert confidence_of(karat) == "0.95"
    (folder / "karat.toml").write_text("confidence = 0.9")
    assert confidence_of(karat) == "0.9"
    monkeypatch.setenv("KARAT_CONFIDENCE", "0.8")
    assert confidence_of(karat) == "0.8"
    assert confidence_of(karat, "--confidence", "0.99") == "0.99"


def test_what_stands_for_one_command_counts_before_what_stands_for_all(karat, folder):
    (folder / "pyproject.toml").write_text(
        "[tool.karat]\nconfidence = 0.9\n[tool.karat.rag]\nconfidence = 0.7\n[tool.karat.reliability.score]\nconfidence = 0.8"
    )
    assert confidence_of(karat) == "0.8"
    (folder / "inner" / "pyproject.toml").write_text(
        "[tool.other]\nx = 1"
    )  # says nothing of Karat, so the next one counts
    assert confidence_of(karat) == "0.8"
    (folder / "inner" / "karat.toml").write_text("")
    assert confidence_of(karat) == "0.95"


def test_lists_mappings_and_flags_are_those_of_the_command_line(karat, folder):
    (folder / "karat.toml").write_text(
        'by = ["language"]\nexact-labels = true\nseed = 7\n'
        'columns = {item = "question", annotator = "worker", label = "answer", reference = "gold"}'
    )
    status, printed, _ = karat("reliability", "score", EXAMPLES / "reliability" / "labels.csv")
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
        ('exact-labels = "maybe"', "karat.toml: exact-labels: expected true or false; got 'maybe'"),
        ("[reliability]\nscore = 1", "karat.toml: score: expected a table with its options, [score]; got 1"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(karat, folder, text, said):
    (folder / "karat.toml").write_text(text)
    status, _, error = karat("reliability", "score", VOTES)
    assert status == 2
    assert said in error


def test_one_value_is_enough_for_an_option_that_takes_several(karat, folder, monkeypatch):
    (folder / "karat.toml").write_text('\ufeffby = "language"', encoding="utf-8")
    columns = ["--columns", "item=question,annotator=worker,label=answer,reference=gold"]
    status, printed, _ = karat("reliability", "score", EXAMPLES / "reliability" / "labels.csv", *columns)
    assert status == 0
    assert 'by=["language"]' in printed
    monkeypatch.setenv("KARAT_BY", "topic")
    monkeypatch.setenv("KARAT_QUIET", "no")
    assert "no column topic" in karat("reliability", "score", EXAMPLES / "reliability" / "labels.csv", *columns)[2]


def test_help_needs_no_file_that_can_be_read(karat, folder):
    (folder / "karat.toml").write_text("seed = ")
    assert karat("reliability", "score", "--help")[0] == 0
    assert karat("--version")[0] == 0
    (folder / "karat.toml").unlink()
    (folder / "pyproject.toml").write_text('[tool]\nkarat = "on"')
    status, _, error = karat("look", VOTES)
    assert (status, error.partition("pyproject.toml")[2]) == (2, ": expected a table [tool.karat]; got 'on'\n")


def test_an_unknown_variable_is_refused(karat, monkeypatch):
    monkeypatch.setenv("KARAT_CONFIDNCE", "1")
    status, _, error = karat("reliability", "score", VOTES)
    assert (status, error) == (
        2,
        'karat: KARAT_CONFIDNCE: no command has an option --confidnce (did you mean "confidence"?)\n',
    )


def test_quiet_prints_nothing_and_verbose_says_the_time_of_each_step(karat, tmp_path):
    assert karat("reliability", "score", VOTES, "-q", "--output", tmp_path / "r.json") == (0, "", "")
    _, _, error = karat("reliability", "score", VOTES, "--verbose")
    assert [line.rpartition(": ")[0] for line in error.splitlines()][-1] == "karat: counting"
    status, printed, error = karat("reliability", "score", VOTES, "-q", "--fail-over", "flag_mismatch=0.01")
    assert (status, printed) == (3, "")
    assert (
        error == "karat: FAIL (all judgments together): flag_mismatch must be at most 1 %; it is 5.1 % (1.9 to 12.9)\n"
    )


def test_a_chart_goes_into_pictures_alone_and_needs_one(karat, tmp_path):
    page, drawn = tmp_path / "r.html", tmp_path / "r.svg"
    assert karat("reliability", "score", VOTES, "--chart", "matrix", "--output", page, "--output", drawn)[0] == 0
    assert "Annotators at a glance" in drawn.read_text(encoding="utf-8")
    status, _, error = karat("reliability", "score", VOTES, "--chart", "matrix", "--output", page)
    assert (status, error) == (
        2,
        "karat: --chart chooses the picture of a file; give --output with .png, .svg, .pdf too\n",
    )


def test_a_number_of_thousands_of_digits_is_refused(karat, written, monkeypatch, tmp_path):
    written("seed = " + "9" * 5000, "karat.toml")
    monkeypatch.chdir(tmp_path)
    status, _, err = karat("reliability", "score", "votes.csv")
    assert status == 2
    assert "karat.toml: expected TOML; Exceeds the limit" in err


def test_a_seed_that_no_table_can_hold_is_refused(karat):
    status, _, err = karat("reliability", "score", "votes.csv", "--seed", 2**64)
    assert status == 2
    assert f"--seed: expected a whole number from 0 to {2**63 - 1}; got {2**64}" in err
