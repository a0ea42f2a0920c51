"""A Parquet file whose headers cannot be true ends in words, also where its reader would stop the process."""

import subprocess
import sys

import polars as pl
import pytest

import karat as library
from karat import DataError
from karat.formats import parquet_pages
from karat.formats.parquet_pages import check_pages

ROWS = {"item": ["1", "2", "3"], "annotator": "a", "label": ["x", "y", None], "reference": "x"}
THREE, MINUS_ONE = bytes.fromhex("2c1506"), bytes.fromhex("2c1501")
"""How the header of a page of data begins that says to hold so many values: field 5, a struct, and its field 1."""


@pytest.fixture
def damaged(tmp_path):
    """A file whose pages say to hold -1 values, for which polars asks for 2**61 bytes."""
    path = tmp_path / "votes.parquet"
    pl.DataFrame(ROWS).write_parquet(path, compression="uncompressed")
    content = path.read_bytes()
    assert content.count(THREE) == len(ROWS)
    path.write_bytes(content.replace(THREE, MINUS_ONE))
    return path


def test_the_reader_of_such_a_file_aborts(damaged):
    """The test of the test: where polars reads it in words, no process of its own is needed any more."""
    code = f"import polars; polars.read_parquet({str(damaged)!r}, glob=False)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode < 0


@pytest.mark.parametrize("words", [("reliability", "score"), ("annotations", "score"), ("preferences", "rank")])
def test_a_file_that_stops_its_reader_is_refused(karat, damaged, words):
    status, printed, said = karat(*words, damaged)
    assert (status, printed) == (1, "")
    assert said.startswith(
        f"karat: {damaged}: cannot be read as parquet: it says to hold more than any memory does. The file may be damaged"
    )


def test_nothing_is_converted_of_it(damaged, tmp_path):
    with pytest.raises(DataError, match="more than any memory does"):
        library.convert(damaged, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "snappy", "gzip", "lz4", "brotli"])
@pytest.mark.parametrize("height", [0, 1, 700])
def test_a_good_file_needs_no_process_of_its_own(tmp_path, monkeypatch, compression, height):
    def started(*_, **__):
        pytest.fail("a process was started")

    monkeypatch.setattr(parquet_pages.subprocess, "run", started)
    table = pl.DataFrame(
        {
            "text": ["x" * (n % 50) for n in range(height)],
            "flag": [n % 2 == 0 for n in range(height)],
            "lists": [["a", None][: n % 3] for n in range(height)],
            "parts": [{"a": n, "b": str(n)} for n in range(height)],
        },
        schema={"text": pl.Categorical, "flag": pl.Boolean, "lists": pl.List(pl.String), "parts": pl.Struct({"a": pl.Int64, "b": pl.String})},
    )  # fmt: skip
    table.write_parquet(tmp_path / "x.parquet", compression=compression, row_group_size=100, data_page_size=300)
    check_pages(tmp_path / "x.parquet", "x")


def test_damage_that_can_be_told_is_told_as_before(tmp_path):
    """A suspect file that a process can read, or refuse in words, is left to the reader."""
    path = tmp_path / "votes.parquet"
    path.write_bytes(b"PAR1" + b"\x15" * 40 + b"\x10\x00\x00\x00PAR1")
    check_pages(path, "x")
    with pytest.raises(DataError, match="cannot be read as parquet: "):
        library.reliability(path)
