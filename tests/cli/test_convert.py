"""`karat convert` turns one file of pairs into another, whole or not at all."""

import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.formats.columnar import KEY
from made import DATA
from made_pairs import column, comparison, document, read, votes

CASE = DATA / "annotations" / "annotated_pairs.json"


def test_every_format_gives_the_same_pairs(karat, tmp_path):
    for ending in ("json", "parquet", "csv"):
        assert karat("convert", CASE, tmp_path / f"out.{ending}") == (0, "", "")
    first = read(CASE)
    for ending in ("json", "parquet"):
        again = read(tmp_path / f"out.{ending}")
        assert again.frame.collect().equals(first.frame.collect())
        assert (again.name, again.annotators, again.default) == (first.name, first.annotators, first.default)
    table = read(tmp_path / "out.csv")
    assert votes(table) == {
        "preferred_text": votes(first)["ann0"],
        **{one: votes(first)[one] for one in ("ann1", "ann2", "ann3")},
    }
    assert table.metadata == first.metadata
    for name in ("pair", "prompt", "text_a", "text_b", "model_a", "model_b", "length_a", "topic"):
        assert column(table, name) == column(first, name)


def test_the_columnar_form_is_parquet_with_a_dictionary(karat, tmp_path):
    karat("convert", CASE, tmp_path / "out.parquet")
    assert json.loads(pl.read_parquet_metadata(tmp_path / "out.parquet")[KEY])["annotators"][0]["id"] == "ann0"
    assert pl.read_parquet_schema(tmp_path / "out.parquet")["vote:ann1"] == pl.UInt8


def test_a_wide_table_is_converted_as_it_is_told(karat, tmp_path, written):
    rows = [{"instruction": "Q", "response1": True, "response2": "no", "annotator1": 1, "annotator2": 0}]
    words = [
        "--columns",
        "prompt=instruction,text_a=response1,text_b=response2",
        "--annotator-columns",
        "annotator1,annotator2",
    ]
    words += ["--vote-values", "text_a=1,text_b=2,both=0"]
    status, printed, said = karat("convert", written(rows), tmp_path / "out.json", *words)
    assert (status, printed) == (0, "")
    assert "1 response is no text and was read as JSON writes it" in said.replace("them", "it")
    assert votes(read(tmp_path / "out.json")) == {"annotator1": ["text_a"], "annotator2": ["both"]}


def test_formats_can_be_named(karat, tmp_path, written):
    source = written("text_a,text_b,preferred_text\nx,y,text_b\n", "table.txt")
    words = ["--input-format", "feedback-csv", "--output-format", "annotated-pairs"]
    assert karat("convert", source, tmp_path / "out.data", *words)[0] == 0
    assert votes(read(tmp_path / "out.data")) == {"preferred_text": ["text_b"]}


def test_invalid_pairs_are_refused_or_dropped_and_counted(karat, tmp_path, written):
    source = written(document(comparison("1", {"ann": "a"}), comparison("2", {"ann": "c"})))
    target = tmp_path / "out.parquet"
    target.write_text("what was there")
    status, _, said = karat("convert", source, target)
    assert status == 1
    assert "comparison 2 (id 2), annotations, ann: expected a pref" in said
    assert target.read_text() == "what was there"
    status, _, said = karat("convert", source, target, "--on-invalid", "drop")
    assert status == 0
    assert "1 invalid pair was dropped" in said
    assert votes(read(target))["ann"] == ["text_a"]


@pytest.mark.parametrize(
    ("target", "words", "expected"),
    [
        ("out.xlsx", [], "expected a name that ends in one of .json, .csv, .parquet, or --output-format"),
        ("missing/out.json", [], "there is no folder"),
        ("out.json", ["--input-format", "feedbak-csv"], '(did you mean "feedback-csv"?)'),
        ("out.json", ["--columns", "pair=x"], "the names in AnnotatedPairs JSON are fixed"),
        ("out.json", ["--vote-values", "text_a"], "expected name=value"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(karat, tmp_path, target, words, expected):
    status, _, said = karat("convert", CASE, tmp_path / target, *words)
    assert status == 2
    assert expected in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
def test_texts_that_cannot_be_read_leave_what_was_there(karat, tmp_path, written, ending):
    noise = "".join(chr(0x4E00 + n * 7919 % 20000) for n in range(30_000))
    broken, target = tmp_path / "in.parquet", tmp_path / f"out.{ending}"
    karat("convert", written(document(comparison("1", {"ann": "a"}, a=noise))), broken)
    data = bytearray(broken.read_bytes())
    start, end = len(data) // 4, len(data) // 3
    data[start:end] = bytes(end - start)
    broken.write_bytes(data)
    target.write_text("what was there")
    status, _, said = karat("convert", broken, target)
    assert status == 1
    assert said.startswith(f"karat: {broken}: cannot be read as parquet: ")
    assert target.read_text() == "what was there"


def test_a_csv_with_two_columns_of_one_name_is_refused(karat, tmp_path, written):
    source = written(document(comparison("1", {"prompt": "a"}), annotators=["prompt", "x"], default_annotator="x"))
    status, _, said = karat("convert", source, tmp_path / "out.csv")
    assert status == 2
    assert 'a CSV would hold two columns "prompt"' in said
    assert not (tmp_path / "out.csv").exists()


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=6)


@settings(max_examples=40)
@given(
    rows=st.lists(
        st.tuples(
            TEXT, TEXT, TEXT | st.none(), st.sampled_from(["a", "b"]), st.sampled_from(["b", {"pref": None}, None])
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_csv_reads_back_what_was_written(tmp_path_factory, rows):
    from karat.formats.feedback_csv import feedback_csv

    folder = tmp_path_factory.mktemp("csv")
    made = [
        comparison(str(n), {"ann": first, "ben": second}, a, b, prompt=prompt)
        for n, (a, b, prompt, first, second) in enumerate(rows)
    ]
    made.append(comparison("last", {"ann": "a", "ben": "a"}))
    (folder / "in.json").write_text(json.dumps(document(*made, default_annotator="ann")))
    pairs = read(folder / "in.json")
    with (folder / "out.csv").open("w", encoding="utf-8", newline="") as file:
        file.writelines(feedback_csv(pairs))
    again = read(folder / "out.csv")
    assert votes(again) == {"preferred_text": votes(pairs)["ann"], "ben": votes(pairs)["ben"]}
    for name in ("pair", "prompt", "text_a", "text_b"):
        assert column(again, name) == column(pairs, name)
