"""Programs of jq make rows of any JSON, see nothing but their record, and say where they fail."""

import json

import polars as pl
import pytest

import adjudge as library
from adjudge.errors import DataError, MissingError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How

pytest.importorskip("jq")

RECORDS = [
    {"id": 9007199254740993, "gold": 1.50, "votes": [{"by": "ana", "says": 1.5}, {"by": "ben", "says": 2}]},
    {"id": 2, "gold": 2, "votes": [{"by": "ana", "says": 2}]},
]
VOTES = ". as $record | .votes[] | {item: $record.id, annotator: .by, label: .says, reference: $record.gold}"


def rows(path, program):
    (source,) = sources(path, How(jq=program))
    return list(source.records.values), source.warnings


@pytest.mark.parametrize("as_lines", [True, False])
def test_a_program_makes_rows_of_each_record_with_all_digits(written, as_lines):
    path = written("\n".join(map(json.dumps, RECORDS)), "r.jsonl") if as_lines else written(RECORDS, "r.json")
    for program in (VOTES, f"{VOTES} # {'long ' * 99}", str(written(VOTES, "votes.jq"))):
        report = library.reliability(path, reading=library.Reading(jq=program))
        assert [report.estimate("reliability", annotator=name).value for name in ("ana", "ben")] == [1, 0]
        assert rows(path, program)[0][0]["item"] == 9007199254740993
    assert library.agreement(path, reading=library.Reading(jq=VOTES)).inputs[0].sha256


def test_records_without_rows_are_counted(written):
    path = written([*RECORDS, {"votes": []}], "r.json")
    made, warnings = rows(path, VOTES)
    assert len(made) == 3
    assert "nothing for 1 of 3 records" in warnings[0]
    with pytest.raises(DataError, match="gives no object for any of 3 records"):
        rows(path, "empty")


@pytest.mark.parametrize(
    "program",
    ["env", "$ENV", "input", "inputs", "input_filename", "halt", "halt_error", "halt_error(0)", "debug", "debug(.id)",
     "stderr", "now", "localtime", 'strflocaltime("%Y")', "get_search_list", '"x" | modulemeta', "input_line_number"],
)  # fmt: skip
def test_a_program_sees_nothing_but_its_record(written, monkeypatch, capfd, program):
    monkeypatch.setenv("SECRET", "sesame")
    path = written(RECORDS, "r.json")
    if program == "$ENV":
        assert rows(path, "{env: $ENV}")[0] == [{"env": {}}, {"env": {}}]
    else:
        with pytest.raises(DataError, match=r"r.json, record 1: .* is off"):
            rows(path, f"{{made: [{program}]}}")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("program", ['import "a" as a; .', 'include "a"; .', "{a: .b", ".); halt", "nothing_such"])
def test_what_is_no_program_is_refused(written, program):
    with pytest.raises(OptionError, match=r"jq: expected a program of jq, or a file with one: .*line \d"):
        rows(written(RECORDS, "r.json"), program)


@pytest.mark.parametrize(
    ("content", "program", "expected"),
    [
        (RECORDS, ".votes[1].by | {a: (. + 1)}", 'r.json, record 1: the program of jq fails: string ("ben") and number'),
        (RECORDS, ".id", 'record 1: expected objects of the program of jq; got "9007199254740993"'),
        ('[{"a": 1}, {"a": 1, "a": 2}]', ".", "record 2, line 1: expected each name once; a appears twice"),
        ('[{"a": "\\ud83d"}]', ".", "invalid JSON: truncated"),
        ('[{"a": NaN}]', ".", "invalid JSON: invalid character\nfix:   null for NaN"),
        ('[{"a": 1},', ".", "line 1, column 11: invalid JSON: truncated"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(written, content, program, expected):
    with pytest.raises(DataError) as error:
        rows(written(content, "r.json"), program)
    assert expected in str(error.value)


def test_rows_of_a_table_are_records(written, tmp_path):
    pl.DataFrame({"id": [1], "votes": [["a", "b"]]}).write_parquet(tmp_path / "r.parquet")
    assert rows(tmp_path / "r.parquet", "{id, label: .votes[]}")[0] == [
        {"id": 1, "label": "a"},
        {"id": 1, "label": "b"},
    ]
    assert rows(written("a;b\n1;2\n", "r.csv"), "{a, c: .b}")[0] == [{"a": "1", "c": "2"}]


def test_the_extra_is_named_where_it_is_not_there(written, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jq", None)
    with pytest.raises(MissingError, match=r'pip install "adjudge\[jq\]"'):
        rows(written(RECORDS, "r.json"), ".")
