import io
import json
import os
import re
import resource
import shlex
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

import adjudge as library
from adjudge.cli.output import progress
from made import DATA, EXAMPLES

FLAGS = DATA / "reliability" / "flags.json"
COLUMNS = "--columns item=question,annotator=worker,label=answer,reference=gold"
HEAVY = [
    "altair",
    "hashlib",
    "jinja2",
    "numpy",
    "polars",
    "pydantic",
    "rich",
    "scipy",
    "sklearn",
    "torch",
    "vl_convert",
]


def test_every_option_reaches_the_library(adjudge, tmp_path):
    path = EXAMPLES / "reliability" / "labels.csv"
    words = f"{COLUMNS} --by language --cluster text --ci-level 0.9 --seed 3 --on-invalid drop --input-format csv"
    words += " --examples 2 --labels helpful,unhelpful --exact-labels --date-order day"
    words = [*words.split(), "--flag-values", "flagged=bad,clean=fine", "--save-items", tmp_path / "items.parquet"]
    _, printed, _ = adjudge("reliability", path, *words, "--format", "json")
    report = library.reliability(
        str(path),
        columns={"item": "question", "annotator": "worker", "label": "answer", "reference": "gold"},
        by=["language"],
        cluster="text",
        ci_level=0.9,
        seed=3,
        on_invalid="drop",
        reading=library.Reading(input_format="csv"),
        examples=2,
        labels=["helpful", "unhelpful"],
        exact_labels=True,
        date_order="day",
        flag_values={"flagged": ["bad"], "clean": ["fine"]},
        save_items=tmp_path / "items.parquet",
    )
    assert printed == report.to_json()


@pytest.mark.usefixtures("charts")
def test_every_form_of_output_is_written(adjudge, tmp_path):
    endings = ("html", "json", "md", "csv", "parquet", "png", "svg")
    outputs = [word for ending in endings for word in ("--output", tmp_path / f"report.{ending}")]
    status, printed, told = adjudge("reliability", FLAGS, *outputs)
    assert status == 0
    assert "Annotator reliability" in printed
    assert told == "".join(f"Saved {tmp_path}/report.{ending}\n" for ending in endings)
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "report.svg").read_text().startswith("<svg")
    assert "<html" in (tmp_path / "report.html").read_text()
    assert pl.read_csv(tmp_path / "report.csv" / "annotators.csv").height == 20
    assert pl.read_parquet(tmp_path / "report.parquet" / "flags.parquet").height == 16
    assert library.Report.load(tmp_path / "report.json") == library.reliability(str(FLAGS))
    assert len(list(tmp_path.iterdir())) == len(endings)


def test_latex_holds_the_table_that_is_named(adjudge, tmp_path):
    assert adjudge("reliability", FLAGS, "--output", tmp_path / "t.tex", "--table", "flags")[0] == 0
    head = (tmp_path / "t.tex").read_text(encoding="utf-8").splitlines()[4]
    assert head.startswith("Annotator & ")
    assert "Reliability" not in head
    status, _, err = adjudge("reliability", FLAGS, "--output", tmp_path / "none.tex", "--table", "flag")
    assert (status, "fix:   flags" in err) == (2, True)
    assert not (tmp_path / "none.tex").exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--version"], 0, ""),
        (["reliability"], 2, "Usage: adjudge reliability"),
        (["reliability", FLAGS, "--fail-under", "kappa[annotator=x]=1"], 2, '--fail-under: table annotators has no kappa of annotator "x"'),
        (["reliability", FLAGS, "--fail-under", "reliability=0.35"], 0, ""),
        (["reliability", FLAGS, "--fail-under", "reliability=0.36"], 3, "error: FAIL (pooled): reliability must be at least 36%; it is 35.9%"),
        (["reliability", FLAGS, "--fail-under", "kappa[annotator=annotator_1]=0.2"], 3, "FAIL (annotator annotator_1): kappa[annotator=annotator_1] must be at least 0.2; it is 0.118"),
    ],
)  # fmt: skip
def test_the_exit_status_and_the_message_say_what_happened(adjudge, words, status, said):
    got, _, error = adjudge(*words)
    assert got == status
    assert said in error


def test_warnings_go_to_standard_error_where_the_result_is_for_machines(adjudge, written):
    path = written("item,annotator,label,reference\n1,x,1,a\n", "votes.csv")
    _, printed, said = adjudge("reliability", path, "--format", "csv")
    assert "warning: annotators and reference have no label in common" in said
    assert "warning" not in printed


def test_a_full_disk_leaves_the_old_file_whole(adjudge, tmp_path):
    report, items = tmp_path / "report.json", tmp_path / "items.parquet"
    report.write_text("old")
    items.write_text("old")
    for words in (["--output", report], ["--save-items", items]):
        with room_for(1000):
            status, _, said = adjudge("reliability", FLAGS, *words)
        assert status == 2
        assert "cannot be written" in said
        assert "What was there is unchanged" in said
    assert report.read_text() == items.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.parquet", "report.json"]


@contextmanager
def room_for(count):
    """No file gets longer than this many bytes; no bytecode is written, which Python would cut off and use later."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = kept


@pytest.mark.parametrize("words", [["--help"], ["violations", "pairs", "--help"]])
def test_help_loads_no_heavy_modules(words):
    code = "import sys, atexit; atexit.register(lambda: print(*sys.modules)); from adjudge.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert loaded.isdisjoint(HEAVY)
    assert loaded.isdisjoint(f"adjudge.{package}" for package in ("metrics", "readers", "render", "schemas", "spec"))


COMMAND = [sys.executable, "-c", "from adjudge.cli import main; main()"]


def test_a_closed_pipe_is_no_error():
    command = f"{shlex.join(COMMAND)} reliability {FLAGS} | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Annotator reliability")
    assert done.stderr == ""


FULL = "error: standard output: No space left on device\n"


@pytest.mark.parametrize("words", [["--help"], ["show", "r.json", "--format", "json"]])
def test_output_that_cannot_be_written_is_said_in_a_line(adjudge, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    library.reliability(FLAGS).save(tmp_path / "r.json")
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert adjudge(*words) == (2, "", FULL)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_what_the_terminal_cannot_say_becomes_a_question_mark_but_a_minus_a_hyphen(adjudge, monkeypatch, encoding):
    for form in ("table", "markdown", "json"):
        terminal = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr("sys.stdout", terminal)
        assert adjudge("reliability", FLAGS, "--format", form) == (0, "", "")
        terminal.flush()
        printed = terminal.buffer.getvalue().decode(encoding)
        assert "annotator_0" in printed
        assert not re.search(r"\?[\d.]", printed)


@pytest.mark.parametrize(("quiet", "drawn"), [(False, True), (True, False)])
def test_a_bar_keeps_its_times_at_80_columns_and_quiet_draws_none(monkeypatch, quiet, drawn):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with progress(quiet=quiet) as step, step("asking") as tell:
        if drawn:
            tell(1, 10, "1,234 of 10,000, 12.3 a second, 12 lost, 1,234,567 tokens, and so on and on")
    assert ("asking" in terminal.getvalue()) is drawn
    assert bool(re.search(r"….*0:00:0\d.* .*(?:0:00:0\d|-:--:--)", terminal.getvalue())) is drawn


def test_formulas_in_csv_are_neutralised(adjudge, written):
    path = written('item,annotator,label,reference\n1,"=cmd()",a,a\n1,@x,a,a\n1,-1,a,a\n1,+1,a,a\n', "votes.csv")
    _, printed, _ = adjudge("reliability", path, "--format", "csv")
    starts = {line[0] for line in printed.splitlines()[1:]}
    assert starts == {"'"}


def test_threads_and_hash_seeds_change_nothing(tmp_path):
    rows = "".join(f"{n // 3},a{n % 3},{'xy'[n % 2]},{'xy'[n // 3 % 2]},c{n % 7}\n" for n in range(3000))
    (tmp_path / "v.csv").write_text("item,annotator,label,reference,cluster\n" + rows)
    printed = set()
    for threads, seed in (("1", "0"), ("2", "1")):
        done = subprocess.run(
            [*COMMAND, "reliability", "v.csv", "--format", "json"],
            capture_output=True, text=True, check=True, cwd=tmp_path,
            env={**os.environ, "POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": seed},
        )  # fmt: skip
        printed.add(done.stdout)
    assert len(printed) == 1


def test_a_panic_of_the_reader_ends_in_status_1(adjudge, written, monkeypatch):
    def panics(*_):
        raise pl.exceptions.PanicException("index out of bounds")

    monkeypatch.setattr("adjudge.api.evaluations.evaluate", panics)
    status, printed, said = adjudge("reliability", written("x"))
    assert (status, printed) == (1, "")
    assert said == "error: an input cannot be read: index out of bounds\n  fix:   it may be damaged\n"


def test_a_saved_report_with_a_missing_part_is_refused_as_such(adjudge, tmp_path):
    path = tmp_path / "report.json"
    assert adjudge("reliability", EXAMPLES / "reliability" / "votes.json", "-q", "--output", path)[0] == 0
    document = json.loads(path.read_text(encoding="utf-8"))
    document["examples"][2]["item"] = None
    path.write_text(json.dumps(document), encoding="utf-8")
    status, _, error = adjudge("show", path, "--output", tmp_path / "report.html")
    assert (status, error.startswith(f"error: {path}: expected a report saved by Adjudge as JSON; ")) == (1, True)
