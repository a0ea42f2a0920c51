"""`adjudge convert` writes pairs in Adjudge's own form and as AnnotatedPairs JSON, whole or not at all."""

import json
import re

import polars as pl
import pytest

import adjudge
from adjudge.errors import OptionError
from adjudge.readers.pairs.columnar import KEY
from adjudge.readers.parsed_input import records_of
from made import DATA
from made_pairs import comparison, document, read, votes

CASE = DATA / "annotations" / "annotated_pairs.json"


def test_both_formats_give_the_same_pairs(adjudge, tmp_path):
    first = read(CASE)
    for ending in ("json", "parquet"):
        status, printed, said = adjudge("convert", CASE, tmp_path / f"out.{ending}")
        assert (status, said) == (0, "")
        assert re.fullmatch(rf"(\d+) pairs read, \1 written to .*out\.{ending}\n", printed)
        again = read(tmp_path / f"out.{ending}")
        assert again.frame.collect().equals(first.frame.collect())
        for part in ("name", "annotators", "default"):
            assert getattr(again, part) == getattr(first, part)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_what_pairs_are_is_known_from_the_beginning_of_their_file(adjudge, tmp_path, monkeypatch, ending):
    """No evaluation asks for the whole document to say that it is not its own: it may be too large to hold."""
    rows = [json.dumps({"prompt": "?", "chosen": "yes", "rejected": "no"})] * 150
    path = CASE if ending == "json" else tmp_path / "pairs.jsonl"
    if ending == "jsonl":
        path.write_text("\n".join(rows))
    read_whole = []
    monkeypatch.setattr("adjudge.readers.io.json_documents.Objects.document", property(read_whole.append))
    monkeypatch.setattr(
        "adjudge.readers.parsed_input.records_of", lambda found: read_whole.append(found) or records_of(found)
    )
    assert adjudge("convert", path, tmp_path / "out.parquet")[0] == 0
    assert len(read_whole) == (ending == "jsonl")


def test_the_columnar_form_is_parquet_with_a_dictionary(adjudge, tmp_path):
    adjudge("convert", CASE, tmp_path / "out.parquet")
    assert json.loads(pl.read_parquet_metadata(tmp_path / "out.parquet")[KEY])["annotators"][0]["id"] == "ann0"
    assert pl.read_parquet_schema(tmp_path / "out.parquet")["vote:ann1"] == pl.UInt8


def test_a_wide_table_is_converted_as_it_is_told(adjudge, tmp_path, written):
    rows = [{"instruction": "Q", "response1": True, "response2": "no", "annotator1": 1, "annotator2": 0}]
    words = ["--columns", "prompt=instruction,text_a=response1,text_b=response2"]
    words += ["--annotator-columns", "annotator1,annotator2", "--vote-values", "text_a=1,text_b=2,both=0"]
    status, printed, said = adjudge("convert", written(rows), tmp_path / "out.json", *words)
    assert (status, printed) == (0, f"1 pair read, 1 written to {tmp_path / 'out.json'}\n")
    assert "read as they stand in the JSON: 1" in said
    assert votes(read(tmp_path / "out.json")) == {"annotator1": ["text_a"], "annotator2": ["both"]}


def test_invalid_pairs_are_refused_or_dropped_and_counted(adjudge, tmp_path, written):
    source = written(document(comparison("1", {"ann": "a"}), comparison("2", {"ann": "c"})))
    target = tmp_path / "out.parquet"
    target.write_text("what was there")
    status, _, said = adjudge("convert", source, target)
    assert status == 1
    assert "comparison 2 (id 2), annotations.ann.pref: expected one of" in said
    assert target.read_text() == "what was there"
    status, _, said = adjudge("convert", source, target, "--on-invalid", "drop")
    assert status == 0
    assert "1 invalid pair was dropped" in said
    assert votes(read(target))["ann"] == ["text_a"]


def test_what_cannot_be_done_is_said_before_anything_is_written(adjudge, tmp_path):
    status, _, said = adjudge("convert", CASE, tmp_path / "out.json", "--columns", "pair=x")
    assert status == 2
    assert "the names in AnnotatedPairs JSON are fixed" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_texts_that_cannot_be_read_leave_what_was_there(adjudge, tmp_path, written, ending):
    noise = "".join(chr(0x4E00 + n * 7919 % 20000) for n in range(30_000))
    broken, target = tmp_path / "in.parquet", tmp_path / f"out.{ending}"
    adjudge("convert", written(document(comparison("1", {"ann": "a"}, a=noise))), broken)
    data = bytearray(broken.read_bytes())
    start, end = len(data) // 4, len(data) // 3
    data[start:end] = bytes(end - start)
    broken.write_bytes(data)
    target.write_text("what was there")
    status, _, said = adjudge("convert", broken, target)
    assert status == 1
    assert said.startswith(f"error: {broken}: cannot be read as parquet: ")
    assert target.read_text() == "what was there"


def test_one_file_is_converted_at_a_time(tmp_path, written):
    for number in range(2):
        written(document(comparison(str(number))), f"{number}.json")
    with pytest.raises(OptionError, match="expected one file; got 2"):
        adjudge.convert(str(tmp_path / "?.json"), tmp_path / "out.parquet")
