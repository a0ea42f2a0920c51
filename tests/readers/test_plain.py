"""Whatever a table is kept in, it gives the same figures; what is in it is bounded, and named when it is no table."""

import csv
import gzip
import hashlib
import io
import re
import sys
import zipfile
from contextlib import suppress
from datetime import date

import polars as pl
import pytest
import zstandard

import adjudge as library
from adjudge import DataError, MissingError, OptionError
from adjudge.readers.inputs import sources
from made_files import workbook

NAMES = ["item", "annotator", "label", "reference"]
ROWS = [["007", "x", "a", "a"], ["2", "x", "b, or c", "a"], ["3", "x", "ä\nb", "ä\nb"], ["4", "y", "1.5", "1.5"]]
FRAME = pl.DataFrame(ROWS, schema=NAMES, orient="row")
CSV = FRAME.write_csv().encode()


def zipped(**members):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("9", "/").replace("8", "."), content)
    return held.getvalue()


def of(write):
    held = io.BytesIO()
    write(held)
    return held.getvalue()


CONTENTS = {
    "v.csv": CSV,
    "v.csv.gz": gzip.compress(CSV),
    "v.csv.zst": zstandard.compress(CSV),
    "v.zip": zipped(data9v8csv=CSV, data9=b"", __MACOSX9v8csv=b"x", data98DS_Store=b"x"),
    "v.parquet": of(FRAME.write_parquet),
    "v.parquet.gz": gzip.compress(of(FRAME.write_parquet)),
    "v.arrow": of(FRAME.write_ipc),
    "v.feather": of(FRAME.write_ipc_stream),
    "v.jsonl": FRAME.write_ndjson().encode(),
    "v.json": FRAME.write_json().encode(),
    "utf16.csv.gz": gzip.compress(CSV.decode().encode("utf-16")),
    "text.xlsx": CSV,
}


def figures(report):
    return [report[name].to_dicts() for name in ("annotators", "overall", "confusion")]


@pytest.fixture
def expected(tmp_path):
    (tmp_path / "plain.csv").write_bytes(CSV)
    return figures(library.reliability(tmp_path / "plain.csv"))


@pytest.mark.parametrize("name", CONTENTS)
def test_one_table_gives_the_same_figures_in_whatever_it_is_kept(tmp_path, expected, name):
    path = tmp_path / name
    path.write_bytes(CONTENTS[name])
    report = library.reliability(path)
    assert figures(report) == expected
    assert report.command == f"adjudge reliability {path}"
    (given,) = report.inputs
    assert (given.path, given.sha256) == (str(path), hashlib.sha256(CONTENTS[name]).hexdigest())


# --- sheets ---


def test_the_sheet_of_a_workbook_that_holds_a_table_is_read_and_told(tmp_path, expected):
    typed = [["007", "x", "a", "a"], [2, "x", "b, or c", "a"], [3, "x", "ä\nb", "ä\nb"], [4, "y", 1.5, 1.5]]
    path = workbook(tmp_path / "v.xlsx", Votes=[NAMES, *typed], Notes=[["who"], ["me"]])
    report = library.reliability(path)
    assert figures(report) == expected
    (warning,) = report.warnings
    assert warning.endswith("of 2 sheets Votes is read; another is v.xlsx#Notes")


def test_a_date_in_a_sheet_is_a_day(tmp_path):
    rows = [[1, "x", "2022-03-14", date(2022, 3, 14)], [2, "x", "later", "later"]]
    report = library.reliability(workbook(tmp_path / "v.xlsx", S=[NAMES, *rows]))
    assert report.estimate("reliability", annotator="x").value == 1


def sheet(path, rows):
    """Rows as text or as a workbook, as the name says."""
    if path.suffix == ".xlsx":
        return workbook(path, S=[[cell or None for cell in row] for row in rows])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


ANA = {"annotator_columns": ["ana"], "columns": {"reference": "gold"}}


def test_another_sheet_is_named_behind_the_file(adjudge, tmp_path, expected):
    path = workbook(tmp_path / "v.xlsx", Notes=[["who"], ["me"]], Votes=[NAMES, *ROWS])
    report = library.reliability(f"{path}#Votes")
    assert (figures(report), report.warnings) == (expected, ())
    status, _, said = adjudge("reliability", f"{path}#Vote")
    assert status == 2
    assert said.endswith(f"\n  found: Notes, Votes\n  fix:   '{path}#Votes'\n")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "v.xlsx: the file is empty"),
        ([["item", "item"], [1, 2]], 'v.xlsx, line 1: the column "item" appears twice'),
        ([["item", "b", None, None], [1, 2, 3, 4]], 'v.xlsx, line 1: the column "" appears twice'),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(tmp_path, rows, said):
    with pytest.raises(DataError) as caught:
        library.reliability(workbook(tmp_path / "v.xlsx", S=rows))
    assert said in str(caught.value)


def edit(path, old, new, name="xl/worksheets/sheet1.xml"):
    """Changes the only sheet of a workbook, or another part."""
    with zipfile.ZipFile(path) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert old in held[name]
    held[name] = held[name].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for part, content in held.items():
            archive.writestr(part, content)


def test_a_small_workbook_that_would_take_much_memory_is_refused(tmp_path):
    """Many cells lie between the last row and all others."""
    path = workbook(tmp_path / "v.xlsx", S=[NAMES, *ROWS])
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    edit(path, "</sheetData>", f"{far}</sheetData>")
    with pytest.raises(DataError, match=r"v\.xlsx, .*: unpacked size exceeds 100MB"):
        library.reliability(path, reading=library.Reading(max_size="100MB"))


@pytest.mark.parametrize("ending", ["xlsx", "eval"])
def test_a_damaged_workbook_or_log_never_reads_as_other_data(tmp_path, ending):
    path = tmp_path / f"v.{ending}"
    if ending == "xlsx":
        workbook(path, S=[NAMES, *ROWS])
    else:
        logs = pytest.importorskip("inspect_ai.log")
        sample = {"id": 1, "epoch": 1, "input": "x", "target": "kind", "scores": {"m": {"value": "C", "answer": "no"}}}
        about = {"dataset": {"samples": 1, "sample_ids": [1]}, "config": {}}
        made = {"task": "t", "model": "m/m", "created": "2026-01-01T00:00:00+00:00", **about}
        logs.write_eval_log(logs.EvalLog.model_validate({"eval": made, "samples": [sample]}), str(path))
    data, read = path.read_bytes(), []
    (source,) = sources(path)
    good = source.table if source.path is None else source.text()
    for at in range(0, len(data), len(data) // 60):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        with suppress(DataError):
            (source,) = sources(path)
            read.append(source.table if source.path is None else source.text())
    assert len(read) < 40
    assert all(one.equals(good) if isinstance(good, pl.DataFrame) else one == good for one in read)


@pytest.mark.parametrize(("extra", "package"), [("excel", "fastexcel"), ("zstd", "zstandard")])
def test_what_needs_an_extra_says_which(tmp_path, monkeypatch, extra, package):
    path = workbook(tmp_path / "v.xlsx", S=[NAMES, *ROWS])
    (tmp_path / "v.csv.zst").write_bytes(CONTENTS["v.csv.zst"])
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingError, match=rf'pip install "adjudge\[{extra}\]"'):
        library.reliability(path if extra == "excel" else tmp_path / "v.csv.zst")


ITEMS = "q,ana,gold\n1,a,a\n2,a,b\n3,b,b\n"


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Votes of May,,\n,,\n{ITEMS}", "line 1: expected column names separated by commas"),
        ("q,ana,gold\nWhich?,What?,What?\n" + '"{""ImportId"": ""a""}",' * 3 + "\n1,a,a\n", r"line 3: expected a row of data.*\nfix:   a file without line 2 and line 3"),
        ("StartDate,EndDate,q,ana,gold\nStart Date,End Date,a,b,c\n1,2,3,a,a\n", r"line 2: .*\nfix:   a file without line 2"),
        ("q,ana,gold\n,Response,Open-Ended Response\n1,a,a\n", "line 2: expected a row of data; got Response"),
        (f"{ITEMS}{ITEMS}", "line 5: expected a row of data; got the names of columns again"),
    ],
)  # fmt: skip
def test_rows_that_are_no_data_are_refused(tmp_path, text, said, ending):
    path = sheet(tmp_path / f"v.{ending}", csv.reader(io.StringIO(text)))
    with pytest.raises(DataError, match=rf"v\.{ending}, {said}"):
        library.reliability(path, **ANA)


@pytest.mark.parametrize(
    ("text", "n"),
    [("\n\nq,ana,gold\n1,a,a\n2,a,b\n", 2), ("q,ana,gold,note\n1,a,a\n2,a,b,x\n", 2), (f"{ITEMS},,\n5,a,a\n", 4)],
)
def test_blank_lines_and_short_first_rows_are_no_obstacle(written, text, n):
    assert library.reliability(written(text, "v.csv"), **ANA).estimate("reliability", table="overall").n == n


def test_names_of_columns_within_a_quoted_cell_are_text(written):
    path = written('item,annotator,label\n1,x,"a\nitem,annotator,label\nb"\n2,x,c\n', "v.csv")
    report = library.agreement(path, labels=["a\nitem,annotator,label\nb", "c"])
    assert not [one for one in report.warnings if "repeat" in one]


# --- archives ---


def test_a_file_of_an_archive_is_named_behind_it(tmp_path, expected):
    path = tmp_path / "v.zip"
    path.write_bytes(zipped(a8csv=b"x,y\n1,2\n", b8csv=CSV))
    assert figures(library.reliability(f"{path}#b.csv")) == expected
    path.with_name("hidden.zip").write_bytes(zipped(**{"8hidden": b"x"}))
    with pytest.raises(DataError, match=r"expected the name of a file .*\nfound: no files$"):
        library.reliability(path.with_name("hidden.zip"))
    for name in (path, f"{path}#c.csv"):
        with pytest.raises(DataError, match=r"expected the name of a file .*\nfound: a.csv, b.csv\nfix:   .*#[ab].csv"):
            library.reliability(name)


# --- what is refused ---


@pytest.mark.parametrize("name", ["v.csv.gz", "v.csv.zst", "v.zip", "v.arrow", "v.feather"])
@pytest.mark.parametrize("kept", [0.3, 0.8])
def test_what_is_cut_off_is_bad_data(adjudge, tmp_path, name, kept):
    path = tmp_path / name
    path.write_bytes(CONTENTS[name][: int(kept * len(CONTENTS[name]))])
    status, printed, said = adjudge("reliability", path)
    assert (status, printed) == (1, "")
    assert said.startswith(f"error: {path}")


@pytest.mark.parametrize("name", ["v.csv.gz", "v.csv.zst", "v.zip", "v.arrow"])
def test_what_unpacks_to_more_than_it_may_is_refused(adjudge, tmp_path, name):
    big = pl.DataFrame({"item": ["x" * 100] * 10_000})
    text = big.write_csv().encode()
    contents = {"v.csv.gz": gzip.compress(text), "v.csv.zst": zstandard.compress(text), "v.zip": zipped(v8csv=text)}
    path = tmp_path / name
    path.write_bytes(contents[name] if name in contents else of(big.write_ipc))
    status, _, said = adjudge("reliability", path, "--max-size", "100kB")
    assert status == 1
    assert "unpacked size exceeds 100KB" in said


LISTS = pl.Series([["a"] * 1_000_000] * 3).cast(pl.List(pl.Categorical))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pl.select(item=pl.lit("a").repeat_by(3_000_000).explode()), "3,000,000 rows"),
        (pl.DataFrame({"id": ["1", "2", "3"], "spans": LISTS}), "3 rows"),
    ],
)
def test_rows_and_elements_of_lists_without_end_in_a_small_parquet_file_are_refused(tmp_path, table, said):
    path = tmp_path / "v.parquet"
    table.write_parquet(path)
    with pytest.raises(DataError, match=f"{said}: unpacked size exceeds 29MB"):
        library.violations(path, path, reading=library.Reading(max_size="29MB"))


NO_END = "line 1: expected column names; a quote is not closed"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"%PDF-1.7 ...\n", "line 1: expected column names"),
        (b"SQLite format 3\x00...", "expected column names; got control characters"),
        (gzip.compress(bytes(257) + b"ustar\x00", mtime=0), "expected column names; got control characters"),
        (b"BZh91AY&SY\x00", "expected column names; got control characters"),
        (b'(\xb5/\xfd{"id": 1}', "cannot be decompressed"),
        (b'item,"annotator,label,reference\n1,x,a,a\n', NO_END),
        (b'item,annotator,label,"reference\n1,x,a,a\n', NO_END),
        (b"q,ana,gold,,\n1,a,a,,\n2,b,b,,x\n", 'the column "" appears twice'),
    ],
)
def test_what_is_no_table_is_refused(written, content, said):
    with pytest.raises(DataError, match=said):
        library.reliability(written(content, "v.csv"))


@pytest.mark.parametrize("name", ["v.parquet", "v.xlsx", "v.spacy", "v.zst", "v.arrow", "v.eval", "v.parquet.gz"])
def test_bytes_that_are_not_what_their_name_says_are_refused(tmp_path, name):
    data = b"\x1b\xc2\x18\x0a\xa1" * 9
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    with pytest.raises((DataError, MissingError), match=name):
        library.reliability(tmp_path / name)


@pytest.mark.parametrize("name", ["v.csv", "v.json", "v.jsonl", "v.parquet"])
def test_tables_of_too_many_columns_are_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("adjudge.readers.io.decompress._MOST_COLUMNS", 3)
    (tmp_path / name).write_bytes(CONTENTS[name])
    with pytest.raises(DataError, match=r"expected at most 3 columns; got 4"):
        library.reliability(tmp_path / name)
    assert "expected at most 3 columns; got 4" in library.look(tmp_path / name).files[0].wrong


def test_other_json_is_refused_with_a_program(written):
    rows = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    keyed = {f"q{n}": row for n, row in enumerate(rows)}
    for other, fix in (
        ({"items": rows}, "'.\"items\"[]'"),
        (keyed, "PROGRAM"),
        ({"q": ["1"], "ana": ["a"]}, "PROGRAM"),
    ):
        with pytest.raises(DataError, match=re.escape(f"expected a list of records; got an object\nfix:   jq {fix}")):
            library.reliability(written(other, "k.json"))
    with pytest.raises(OptionError, match=r"only workbooks and archives have parts; got the part q\nfix:   jq PROGRAM"):
        library.reliability(f"{written(rows, 'o.json')}#q")
