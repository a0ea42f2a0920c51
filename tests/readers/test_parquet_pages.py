"""A Parquet file is refused if its headers cannot be true."""

import subprocess
import sys

import polars as pl
import pytest

import adjudge as library
from adjudge import DataError
from adjudge.readers.io.parquet import check_parquet

ROWS = {"item": ["1", "2", "3"], "annotator": "a", "label": ["x", "y", None], "reference": "x"}
THREE, MINUS_ONE = bytes.fromhex("2c1506"), bytes.fromhex("2c1501")
"""How the header of a page of data begins that says to hold so many values: field 5, a struct, and its field 1."""
THREE_ROWS, FOUR_ROWS = bytes.fromhex("160619"), bytes.fromhex("160819")
"""How a footer says so many rows, before its list of groups: field 3, and the head of field 4."""


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
    """The test of the test: once polars refuses it in words, no check of headers is needed any more."""
    code = f"import polars; polars.read_parquet({str(damaged)!r}, glob=False)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode < 0


@pytest.mark.parametrize("words", ["reliability {}", "annotations {}", "preferences rank {}", "convert {} {}.json"])
def test_a_file_that_would_stop_its_reader_is_refused(adjudge, damaged, words):
    status, printed, said = adjudge(*words.replace("{}", str(damaged)).split())
    assert (status, printed) == (1, "")
    assert said.startswith(f"error: {damaged}: cannot be read as Parquet: damaged file")
    assert not damaged.with_suffix(".parquet.json").exists()


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "snappy", "gzip", "lz4", "brotli"])
@pytest.mark.parametrize("height", [0, 1, 700])
def test_a_good_file_passes(tmp_path, compression, height):
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
    check_parquet(tmp_path / "x.parquet", "x", 10**9)


@pytest.mark.parametrize("fault", ["no headers", "fewer rows than the footer says", "a byte-order mark"])
def test_headers_that_cannot_be_true_are_refused(tmp_path, fault):
    path = tmp_path / "votes.parquet"
    pl.DataFrame(ROWS).write_parquet(path)
    content = path.read_bytes()
    assert content.count(THREE_ROWS) == 1
    changed = {
        "no headers": b"PAR1" + b"\x15" * 40 + b"\x10\x00\x00\x00PAR1",
        "fewer rows than the footer says": content.replace(THREE_ROWS, FOUR_ROWS),
        "a byte-order mark": b"\xef\xbb\xbf" + content,
    }
    path.write_bytes(changed[fault])
    with pytest.raises(DataError, match="cannot be read as Parquet: "):
        library.reliability(path)
