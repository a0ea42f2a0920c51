"""What `adjudge look` says that a file is, and how many rows it counts."""

import gzip
import io
import json

import polars as pl
import pytest

import adjudge as library

ROWS = [("1", "ann", "good"), ("2", "ann", "bad"), ("3", "ann", "good")]
NAMES = ("item", "annotator", "label")


def table(between, rows=ROWS):
    return "".join(f"{between.join(row)}\n" for row in (NAMES, *rows))


def parquet():
    held = io.BytesIO()
    pl.DataFrame(ROWS, schema=NAMES, orient="row").write_parquet(held)
    return held.getvalue()


RECORDS = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
LINES = "".join(f"{json.dumps(record)}\n" for record in RECORDS)


@pytest.mark.parametrize(
    ("name", "content", "about"),
    [
        ("labels.csv", table(","), "text with commas between columns"),
        ("labels.csv", table(";").replace("good", "för").encode("cp1252"), "text with semicolons between columns"),
        ("labels.tsv", table("\t"), "text with tabs between columns"),
        ("labels.csv.gz", gzip.compress(table(",").encode(), mtime=0), "text with commas between columns"),
        ("labels.json", RECORDS, "JSON"),
        ("labels.json", json.dumps(RECORDS).encode("utf-16"), "JSON"),
        ("labels.jsonl", LINES, "JSON lines"),
        ("labels.parquet", parquet(), "Parquet"),
    ],
)
def test_a_file_is_said_to_be_what_it_is(written, name, content, about):
    look = library.look(path := written(content, name))
    assert f"{look}".startswith(f"{path}: {about}; 3 rows; ")
    assert (look.files[0].table.height, look.files[0].wrong) == (3, "")
