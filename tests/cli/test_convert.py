"""`karat convert` turns one file of pairs into another, whole or not at all."""

import json
import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.formats.columnar import KEY
from karat.formats.opened import records_of
from made import DATA
from made_pairs import column, comparison, document, read, votes

CASE = DATA / "annotations" / "annotated_pairs.json"


def test_every_format_gives_the_same_pairs(karat, tmp_path):
    for ending in ("json", "parquet", "csv", "tsv"):
        status, printed, said = karat("convert", CASE, tmp_path / f"out.{ending}")
        assert (status, said) == (0, "")
        assert re.fullmatch(rf"(\d+) pairs read, \1 written to .*out\.{ending}\n", printed)
    first = read(CASE)
    for ending in ("json", "parquet"):
        again = read(tmp_path / f"out.{ending}")
        assert again.frame.collect().equals(first.frame.collect())
        assert (again.name, again.annotators, again.default) == (first.name, first.annotators, first.default)
    table = read(tmp_path / "out.csv")
    assert read(tmp_path / "out.tsv").frame.collect().equals(table.frame.collect())
    assert votes(table) == {
        "preferred_text": votes(first)["ann0"],
        **{one: votes(first)[one] for one in ("ann1", "ann2", "ann3")},
    }
    assert table.metadata == first.metadata
    for name in ("pair", "prompt", "text_a", "text_b", "model_a", "model_b", "length_a", "topic"):
        assert column(table, name) == column(first, name)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_what_pairs_are_is_known_from_the_beginning_of_their_file(karat, tmp_path, monkeypatch, ending):
    """No evaluation asks for the whole document to say that it is not its own: it may be too large to hold."""
    rows = [json.dumps({"prompt": "?", "chosen": "yes", "rejected": "no"})] * 150
    path = CASE if ending == "json" else tmp_path / "pairs.jsonl"
    if ending == "jsonl":
        path.write_text("\n".join(rows))
    read_whole = []
    monkeypatch.setattr("karat.formats.opened.read_document", read_whole.append)
    monkeypatch.setattr("karat.formats.opened.records_of", lambda found: read_whole.append(found) or records_of(found))
    assert karat("convert", path, tmp_path / "out.parquet")[0] == 0
    assert len(read_whole) == (ending == "jsonl")


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
    assert (status, printed) == (0, f"1 pair read, 1 written to {tmp_path / 'out.json'}\n")
    assert "1 response is not text and was read as it stands in the JSON" in said
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
        ("out.xlsx", [], "expected a name that ends in one of .json, .parquet, .csv, .tsv, .jsonl"),
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
    assert 'a table would hold two columns "prompt"' in said
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
    from karat.api._convert import written_pairs

    folder = tmp_path_factory.mktemp("csv")
    made = [
        comparison(str(n), {"ann": first, "ben": second}, a, b, prompt=prompt)
        for n, (a, b, prompt, first, second) in enumerate(rows)
    ]
    made.append(comparison("last", {"ann": "a", "ben": "a"}))
    (folder / "in.json").write_text(json.dumps(document(*made, default_annotator="ann")))
    pairs = read(folder / "in.json")
    written_pairs(pairs, folder / "out.csv")
    again = read(folder / "out.csv")
    assert votes(again) == {"preferred_text": votes(pairs)["ann"], "ben": votes(pairs)["ben"]}
    for name in ("pair", "prompt", "text_a", "text_b"):
        assert column(again, name) == column(pairs, name)


def test_json_lines_and_long_tables_read_back_the_same_votes(karat, tmp_path):
    first = read(CASE)
    assert karat("convert", CASE, "--output", tmp_path / "out.jsonl")[0] == 0
    assert votes(read(tmp_path / "out.jsonl"))["preferred_text"] == votes(first)["ann0"]
    for ending in ("csv", "jsonl", "parquet"):
        target = tmp_path / f"long.{ending}"
        assert karat("convert", CASE, target, "--output-format", "long-votes")[0] == 0
        again = read(target)
        assert votes(again) == {one: votes(first)[one] for one in votes(again)}
        assert set(votes(again)) == set(votes(first))
        for name in ("pair", "prompt", "text_a", "text_b", "model_b", "topic"):
            assert column(again, name) == column(first, name)


def test_a_pair_without_votes_stays_in_a_long_table(karat, tmp_path, written):
    source = written(document(comparison("1", {"ben": "a"}), comparison("2")))
    karat("convert", source, tmp_path / "long.csv", "--output-format", "long-votes")
    assert votes(read(tmp_path / "long.csv")) == {"ben": ["text_a", "missing"], "ann": ["missing", "missing"]}


# --- several files ---


def test_files_become_one_data_set_with_all_annotators(karat, tmp_path, written):
    first = written(
        document(
            comparison("1", {"ann": "a"}, metadata={"topic": "x"}), comparison("2", {"ann": "b"}), annotators=["ann"]
        ),
        "1.json",
    )
    second = written("pair,annotator,vote\n2,judge,text_a\n1,judge,both\n3,judge,text_b\n", "2.csv")
    status, _, said = karat("convert", first, second, "--output", tmp_path / "merged.parquet")
    assert (status, said) == (0, "")
    pairs = read(tmp_path / "merged.parquet")
    assert votes(pairs) == {"ann": ["text_a", "text_b", "missing"], "judge": ["both", "text_a", "text_b"]}
    assert column(pairs, "pair") == ["1", "2", "3"]
    assert column(pairs, "text_a") == ["yes", "yes", ""]
    assert (column(pairs, "topic"), column(pairs, "length_b")) == (["x", None, None], [2, 2, 0])


def test_texts_that_clash_are_refused_with_both_shown(karat, tmp_path, written):
    first = written(document(comparison("1", {"ann": "a"}, a="yes"), comparison("2", {"ann": "b"})), "1.json")
    second = written(document(comparison("1", {"ben": "a"}, a="no way"), comparison("2", {"ben": "b"})), "2.json")
    words = [first, second, "--output", tmp_path / "out.parquet"]
    status, _, said = karat("convert", *words)
    assert status == 1
    assert f'pair 1: expected one text_a; got "yes" in {first}, "no way" in {second}' in said
    assert not (tmp_path / "out.parquet").exists()
    assert karat("convert", *words, "--on-invalid", "drop")[0] == 0
    assert votes(read(tmp_path / "out.parquet")) == {"ann": ["text_b"], "ben": ["text_b"]}


def test_two_votes_of_one_annotator_on_a_pair_are_refused_unless_they_are_equal(karat, tmp_path, written):
    first = written(document(comparison("1", {"ann": "a"}), comparison("2", {"ann": "b"})), "1.json")
    second = written(document(comparison("1", {"ann": "b"}), comparison("2", {"ann": "b"})), "2.json")
    status, _, said = karat("convert", first, second, "--output", tmp_path / "out.json")
    assert status == 1
    assert f"pair 1: expected one vote of annotator ann; got text_a in {first}, text_b in {second}" in said
    assert "pair 2" not in said


def test_what_differs_beside_texts_and_votes_is_that_of_the_first_file(karat, tmp_path, written):
    first = document(
        comparison("1", {"ann": "a"}, metadata={"index": "0"}), default_annotator="ann", dataset_name="one"
    )
    second = document(
        comparison("1", {"ben": "a"}, metadata={"index": "7"}), default_annotator="ben", dataset_name="two"
    )
    paths = [written(first, "1.json"), written(second, "2.json")]
    status, _, said = karat("convert", *paths, "--output", tmp_path / "out.json")
    assert status == 0
    assert "index differs in 1 pair; the first file's is kept" in said
    assert f"the trusted annotator is ann, as in {paths[0]}; others have ben" in said
    pairs = read(tmp_path / "out.json")
    assert (pairs.name, pairs.default, column(pairs, "index")) == ("one and 1 more", "ann", ["0"])


def test_a_trusted_annotator_of_a_later_file_does_not_become_that_of_all(karat, tmp_path, written):
    paths = [written(document(comparison("1", {"ann": "a"})), "1.json")]
    paths.append(written(document(comparison("1", {"ben": "a"}), default_annotator="ben"), "2.json"))
    _, _, said = karat("convert", *paths, "--output", tmp_path / "out.json")
    assert f"no annotator is trusted, as in {paths[0]}; others have ben" in said
    assert read(tmp_path / "out.json").default is None


def test_a_file_to_write_must_be_named(karat, written):
    status, _, said = karat("convert", written(document(comparison("1"))))
    assert status == 2
    assert "output: expected the file to write" in said


def test_the_last_of_several_is_not_written_over_where_it_may_be_an_input(karat, written):
    paths = [written(document(comparison(str(n))), f"{n}.json") for n in range(3)]
    before = paths[-1].read_bytes()
    status, _, said = karat("convert", *paths)
    assert status == 2
    assert "name the file to write with --output" in said
    assert paths[-1].read_bytes() == before


# --- pseudonyms ---

PEOPLE = {
    "ana@x.org": {"name": "Ana", "type": "human"},
    "9f": {"description": "Select the response that is polite", "type": "principle"},
    "ben@x.org": {"type": "human"},
}


def test_people_get_pseudonyms_that_the_key_file_keeps(karat, tmp_path, written):
    source = written(
        document(
            comparison("1", {"ben@x.org": "a", "ana@x.org": "b", "9f": "a"}),
            annotators=PEOPLE,
            default_annotator="ben@x.org",
        )
    )
    key, target = tmp_path / "key.csv", tmp_path / "out.json"
    status, _, said = karat("convert", source, target, "--pseudonyms", key)
    assert status == 0
    assert "1 annotator of type model, principle, rule keeps its name" in said
    assert key.read_text() == "annotator,pseudonym\nana@x.org,annotator-1\nben@x.org,annotator-2\n"
    pairs = read(target)
    assert votes(pairs) == {"annotator-1": ["text_b"], "9f": ["text_a"], "annotator-2": ["text_a"]}
    assert (pairs.default, pairs.annotators[0].name, pairs.annotators[1].name) == ("annotator-2", None, "is polite")
    assert "Ana" not in target.read_text()
    other = written(
        document(comparison("2", {"cy": "a", "ben@x.org": "b"}), annotators=["cy", "ben@x.org"]), "other.json"
    )
    assert karat("convert", other, target, "--pseudonyms", key)[0] == 0
    assert votes(read(target)) == {"annotator-3": ["text_a"], "annotator-2": ["text_b"]}
    assert key.read_text().endswith("cy,annotator-3\n")


def test_names_that_stay_in_metadata_are_told_of(karat, tmp_path, written):
    source = written(document(comparison("1", {"ann": "a"}, metadata={"judge": "ann"}), annotators=["ann"]))
    _, _, said = karat("convert", source, tmp_path / "out.json", "--pseudonyms", tmp_path / "key.csv")
    assert "metadata are left as they are, and hold names of annotators: judge" in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n", "expected a key file, CSV with the columns annotator and pseudonym"),
        ("annotator,pseudonym\nx,1\ny,1\n", 'column pseudonym: expected each once; "1" stands several times'),
    ],
)
def test_a_key_file_of_another_kind_is_refused_and_kept(karat, tmp_path, written, text, expected):
    (tmp_path / "key.csv").write_text(text)
    source = written(document(comparison("1", {"ann": "a"})))
    status, _, said = karat("convert", source, tmp_path / "out.json", "--pseudonyms", tmp_path / "key.csv")
    assert status == 1
    assert expected in said
    assert (tmp_path / "key.csv").read_text() == text
