"""Flat tables that are not what their names say, and files that are no files."""

import os

import polars as pl
import pytest

import adjudge as library
from adjudge import DataError, OptionError
from adjudge.readers import tables
from adjudge.readers.inputs import sources
from adjudge.readers.io.json_documents import Objects
from adjudge.readers.problems import Findings
from made_pairs import comparison, document
from made_samples import in_container

ROW = "1,x,a,a"


@pytest.mark.parametrize(
    ("sign", "option", "said"),
    [
        ("\t", {"input_format": "csv"}, "commas"),
        (",", {"input_format": "tsv"}, "tabs"),
        (",", {"separator": ";"}, "semicolons"),
        (" ", {}, "commas"),
    ],
)
def test_a_header_of_one_column_is_refused(written, sign, option, said):
    path = written(f"{sign.join(('item', 'annotator', 'label', 'reference'))}\n{ROW}\n", "votes.csv")
    for evaluate in (library.reliability, library.annotations):
        with pytest.raises(DataError, match=f'votes.csv, line 1: expected column names separated by {said}; got "item'):
            evaluate(path, reading=library.Reading(**option))


COMMAS = "\nfix:   quote cells that contain commas"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1,x,a,a\n2,x,a,a,more\n3,x,a\n", f"line 3: expected 4 cells, as in line 1; got 5{COMMAS}"),
        ('1,"x\ny",a,a\n2,x,a,a,more,more\n', "line 4: expected 4 cells, as in line 1; got 6"),
        ('1,x,a,a\n2,"x,a,a\n3,x,a,a\n', "line 3: expected pairs of quotes"),
        ('1,x,a,a\n2,"x"y,a,a\n', "line 3: expected pairs of quotes"),
        (f'1,"{"x" * 200_000}",a,a\n2,x,a,a,more\n', "line 3: expected 4 cells, as in line 1; got 5"),
    ],
)
def test_rows_that_do_not_fit_are_told_with_their_line(written, content, said):
    path = written(f"item,annotator,label,reference\n{content}", "votes.csv")
    for evaluate in (library.reliability, library.annotations, library.rag):
        with pytest.raises(DataError) as caught:
            evaluate(path)
        assert str(caught.value).startswith(f"{path}, {said}")
    if "pairs of quotes" in said:  # between tabs, such quotes are letters
        return
    tabs = written(f"item,annotator,label,reference\n{content}".replace(",", "\t"), "votes.tsv")
    with pytest.raises(DataError) as caught:
        library.reliability(tabs)
    assert str(caught.value).startswith(f"{tabs}, {said.replace('commas', 'tabs')}")


@pytest.mark.parametrize("content", [b"\x03\x04,\x14\x00\n", bytes(500), b"item,annotator,label\rreference\n1,x,a\r\n"])
def test_a_header_that_is_no_text_is_told(tmp_path, content):
    (tmp_path / "votes.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"votes\.csv, line 1: expected column names; got control characters\nfix:"):
        library.reliability(tmp_path / "votes.csv")


def test_a_pipe_is_refused_before_it_is_read(adjudge, tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for evaluate in (library.reliability, library.annotations):
        with pytest.raises(OptionError, match=r"expected a regular file, since files are read more than once"):
            evaluate(tmp_path / "pipe.json")
    status, printed, said = adjudge("convert", tmp_path / "pipe.json", tmp_path / "out.parquet")
    assert (status, printed) == (2, "")
    assert adjudge("violations", "a.jsonl", "b.jsonl", "--config", tmp_path / "pipe.json")[0] == 2
    assert said.endswith("got a pipe or a device\n  fix:   a file that holds the same, or - for standard input\n")


def noise(seed, size=3000):
    return "".join(chr(0x4E00 + (n * 7919 + seed * 104_729) % 20_000) for n in range(size))


@pytest.fixture
def columnar(adjudge, tmp_path, written):
    """A columnar file of 40 pairs whose texts take nearly all of it."""
    said = [{"ann": "ab"[n % 2], "ben": "ab"[n % 3 % 2]} for n in range(40)]
    made = [comparison(str(n), one, noise(n), noise(n + 50)) for n, one in enumerate(said)]
    adjudge("convert", written(document(*made)), tmp_path / "whole.parquet")
    return tmp_path / "whole.parquet"


def damaged(path, share):
    data = bytearray(path.read_bytes())
    start = int(share * len(data))
    data[start : start + 500] = bytes(500)
    broken = path.with_name("broken.parquet")
    broken.write_bytes(data)
    return broken


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8])
@pytest.mark.parametrize("words", [[], ["--style"], ["--save-items", "items.parquet"], ["--examples", "1"]])
def test_damaged_texts_of_a_columnar_file_are_bad_data(adjudge, columnar, share, words, monkeypatch):
    monkeypatch.chdir(columnar.parent)
    broken = damaged(columnar, share)
    status, printed, said = adjudge("annotations", broken, "--reference", "ann", *words)
    assert (status, printed) == (1, "")
    assert said.startswith(f"error: {broken}: cannot be read as parquet: ")
    assert "fix:   download or export the file again\n" in said
    assert not (columnar.parent / "items.parquet").exists()


@pytest.mark.parametrize("place", ["s[ab].{}", "d[1]/v.{}", "v?.{}", "*.{}"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_the_signs_of_patterns_in_names_stand_for_themselves(tmp_path, place, ending):
    path = tmp_path / place.format(ending)
    path.parent.mkdir(exist_ok=True)
    for name, label in ((path, "a"), (tmp_path / f"sa.{ending}", "b"), (tmp_path / f"va.{ending}", "b")):
        rows = [{"item": "1", "annotator": "x", "label": label, "reference": "a"}]
        name.write_bytes(in_container(rows, ending))
    report = library.reliability(path)
    assert report.estimate("reliability", table="overall").value == 1
    assert report.inputs[0].path == str(path)


def test_fewer_rows_than_a_file_has_are_an_error_and_not_all_there_is(columnar, monkeypatch):
    def ends_early(frame, **_):
        yield frame.head(30).collect()

    monkeypatch.setattr(pl.LazyFrame, "collect_batches", ends_early)
    target = columnar.with_name("out.json")
    with pytest.raises(DataError, match="30 of 40 rows can be read"):
        library.convert(columnar, target)
    assert not target.exists()


@pytest.mark.parametrize(
    "number",
    ["1.50", "1e0", "1.0", "-0", "-0.0", "1e22", "1e-7", "12e-6", "1e15", "123456789012345678901.5", "123456789.0e3"],
)
def test_numbers_are_spelt_alike_in_json_and_json_lines(written, number):
    row = f'{{"item": "x", "annotator": "x", "label": {number}, "reference": "a"}}'
    lines, listed = written(f"{row}\n{row.replace('x', 'y')}\n", "v.jsonl"), written(f"[{row}]", "v.json")
    first, second = (library.reliability(one)["confusion"]["label"].to_list()[0] for one in (lines, listed))
    assert first == second


def test_commas_of_decimals_are_read_where_they_can_be_nothing_else(tmp_path):
    path = tmp_path / "scores.csv"
    text = "system;criterion;metric;value\nGrün;safety;accuracy;0,85\nBlau;safety;accuracy;0,125\nRot;safety;accuracy;1,0\n"
    path.write_bytes(text.encode("cp1252"))
    report = library.rank_preferences(path)
    borda = [report.estimate("borda", table="ranks", system=name).value for name in ("Rot", "Grün", "Blau")]
    assert borda == [2, 1, 0]
    path.write_text("system;criterion;metric;value\na;safety;accuracy;1,500\n")
    with pytest.raises(DataError, match='expected a number, with a decimal point; got "1,500"'):
        library.rank_preferences(path)


@pytest.mark.parametrize("name", ["late", "spät"])
def test_a_column_of_lines_that_comes_up_late_is_found(monkeypatch, written, name):
    monkeypatch.setattr(Objects.batches, "__defaults__", (1,))
    path = written(f'{{"a": "x"}}\n{{"a": "y", "{name}": "z"}}\n', "late.jsonl")
    assert tables.scan(sources(path)[0]).collect()[name].to_list() == [None, "z"]


# --- what is wrong with an input: ten messages in its order, a count of all, and what was left out ---


def test_problems_of_one_kind_in_two_parts_are_counted_together():
    findings, others = Findings(), Findings()
    for part, rows in ((findings, (1, 2, 3, 4)), (others, (7, 8))):
        for row in rows:
            part.add(f'x.csv, row {row}, column a: expected b; got "c{row}"')
    others.add("first", dropped=1)
    findings.join(others)
    findings.blanked = 1
    assert findings.settle(drop=True)[0].startswith("1 invalid row was dropped, 1 invalid value counts as missing, ")
    assert findings.messages[:-1] == ['x.csv, row 1, column a: expected b; got "c1" (and 5 more of this kind)']
    assert (findings.messages[-1], findings.total, findings.dropped) == ("first", 7, 1)
