"""What is printed steers no terminal and no service that reads it; what ends a command is a line and a status."""

import csv
import io
import json
import signal
import subprocess
import sys
import time

import pytest

NAME = "x\n::error::bad\x1b]0;title\x07\x9b2J"
ROWS = [("item", "annotator", "label", "reference")]
ROWS += [(f"::error::{nr}\r\x1b[2J", NAME, "ab"[nr % 2], "a") for nr in range(8)]
STEERING = [*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0))]


@pytest.fixture
def votes(written):
    text = io.StringIO()
    csv.writer(text).writerows(ROWS)
    return written(text.getvalue(), "votes.csv")


def steers(printed):
    """Whether a text holds a character that steers a terminal, or a line that is a command of a pipeline."""
    held = any(sign in printed.replace("\n", "") for sign in STEERING)
    return held or any(line.lstrip().startswith(("::", "##[")) for line in printed.splitlines())


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "json"])
def test_names_in_a_report_steer_nothing(adjudge, votes, form):
    status, out, _ = adjudge("reliability", votes, "--format", form)
    assert status == 0
    assert not steers(out)
    assert form != "json" or {row["annotator"] for row in json.loads(out)["tables"]["annotators"]} == {NAME}


def test_csv_of_what_begins_a_line_steers_nothing(adjudge, written):
    table = written('item,annotator,label,reference\n1,::error::x,a,a\n2,"##[error]",a,b\n')
    _, out, _ = adjudge("reliability", table, "--format", "csv")
    assert not steers(out)
    assert "\n\u2060::error::x,reliability" in out


@pytest.mark.parametrize(
    "words",
    [
        ["look"],
        *(["reliability", flag, name] for flag, name in (("--columns", "item=nope"), ("--columns", "nope"))),
        *(["reliability", flag, name] for flag, name in (("--reference", "nobody"), ("--labels", "x"))),
    ],
)
def test_names_of_files_and_in_messages_steer_nothing(adjudge, tmp_path, votes, words):
    path = tmp_path / "::error::\x1b[2J\n::error::v.csv"
    votes.rename(path)
    status, out, err = adjudge(words[0], path, *words[1:])
    assert status in (1, 2) if err else out
    assert not steers(out + err)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_ended_leaves_nothing(votes, tmp_path, ending):
    code = (
        "import sys, time; from pathlib import Path; import adjudge.render.files as files; from adjudge.__main__ import main\n"
        "def stop(*_): Path('ready').touch(); time.sleep(60)\n"
        f"files.rendered_text = stop; sys.argv = ['adjudge', 'reliability', 'score', {str(votes)!r}, '--output', 'out.html']\n"
        "main()"
    )
    folder = tmp_path / "work"
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", code], cwd=folder, stderr=subprocess.PIPE) as process:
        while not (folder / "ready").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(ending)
        process.communicate(timeout=30)
    assert process.returncode == 128 + ending
    assert [one.name for one in folder.iterdir()] == ["ready"]


def test_gates_are_judged_where_standard_output_is_closed(votes, tmp_path):
    gate = [sys.executable, "-m", "adjudge", "reliability", str(votes), "--fail-under", "reliability=0.9"]
    gate += ["--output", "gate.xml"]
    found = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *gate], cwd=tmp_path, capture_output=True, check=False)
    assert found.returncode == 3
    assert (tmp_path / "gate.xml").is_file()


def test_a_defect_is_a_line_and_a_status_of_its_own(monkeypatch, capsys):
    from adjudge.__main__ import main

    def broken():
        raise RuntimeError("\x1b[2J\nhalf")

    monkeypatch.setattr("adjudge.cli.main", broken)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as stop:
            main()
    finally:
        signal.signal(signal.SIGTERM, before)
    said = capsys.readouterr().err
    assert stop.value.code == 70
    assert said.startswith("adjudge: a defect in Adjudge: RuntimeError: ")
    assert not steers(said)
    assert len(said.splitlines()) == 2


def test_a_file_keeps_who_may_read_it(adjudge, votes, tmp_path):
    kept = tmp_path / "r.json"
    kept.write_text("{}")
    kept.chmod(0o600)
    assert adjudge("reliability", votes, "--output", kept)[0] == 0
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_holds_other_files_is_not_replaced(adjudge, votes, tmp_path):
    folder = tmp_path / "e.csv"
    folder.mkdir()
    (folder / "thesis.csv").write_text("mine")
    status, _, err = adjudge("reliability", votes, "--output", folder)
    assert status == 2
    assert "holds thesis.csv, which is no table of this report" in err
    assert [one.name for one in folder.iterdir()] == ["thesis.csv"]
