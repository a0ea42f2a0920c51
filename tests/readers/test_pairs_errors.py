"""What is wrong with a file of pairs is said in full, or left out and counted."""

import json

import polars as pl
import pytest

from adjudge import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.pairs.columnar import KEY, dictionary_text
from adjudge.readers.pairs.pairs import read_pairs
from adjudge.schemas.pairs import AnnotatedPairs
from made_pairs import comparison, document, read, votes


def message(path, **options):
    with pytest.raises(DataError) as error:
        read(path, **options)
    return str(error.value)


def vote(annotation):
    return document(comparison("7", {"ann": annotation}))


def twice(old, new):
    return json.dumps(document(comparison("1", {"ann": "a"}))).replace(old, new)


PREFERRED, LONG, ARENA = "text_a,text_b,preferred_text\n", "pair,annotator,vote\n", "model_a,model_b,winner,response_a"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (document(comparison("1", {"anm": "a"})), 'comparison 1 (id 1), annotations: expected one of ann, ben; got "anm" (did you mean "ann"?)'),
        (vote({"pref": "c"}), "comparison 1 (id 7), annotations.ann.pref: expected one of a, b, missing"),
        (vote({"pref": None, "no_pref_reason": "bth"}), 'got "bth" (did you mean "both"?)'),
        (vote({"pref": "a", "no_pref_reason": "both"}), "comparison 1, column id: expected no annotation with a pref and a no_pref_reason; got"),
        (vote({}), "annotations.ann: object missing required field pref"),
        (vote(241), "annotations.ann: expected object | null; got int"),
        (document(comparison("1", a=None)), "comparison 1, column response_a.text: expected the text of a response; got nothing"),
        (document(comparison("1", response_b="no")), "response_b: expected object; got str"),
        (document({"id": "1", "annotations": {}, "text_a": "x", "text_b": None}), "response_b.text: expected the text of a response; got nothing"),
        (document(comparison(None)), "comparison 1, id: expected int | float | str; got null"),
        (document(comparison(["1"])), "comparison 1, id: expected int | float | str; got array"),
        (document(comparison("1", metadata=5)), "metadata: expected object | null; got int"),
        (document(comparison("1"), 5), "comparison 2: expected object; got int"),
        (document(comparison(), default_annotator="bem"), 'default_annotator: expected one of the annotators; got "bem" (did you mean "ben"?)'),
        (document(comparison(), available_metadata_keys_per_comparison="x"), "available_metadata_keys_per_comparison: expected array | null; got str"),
        (document(comparison(), annotators={"ann": "x"}), "annotators[...]: expected object; got str"),
        (document(comparison(), annotators={"ann": {"name": []}}), "annotators[...].name: expected str | null; got array"),
        (document(), "comparisons: expected at least one; got an empty list"),
        ({"annotators": {}}, "object missing required field comparisons"),
        ({"comparisons": [comparison()]}, "object missing required field annotators"),
        ({"metadata": 1, "annotators": {}, "comparisons": [1]}, "metadata: expected object | null; got int"),
        ('{"metadata": {}}', "object missing required field comparisons"),
        ('{"annotators": {"ann": {}}, "comparisons": [{"id": NaN}]}', "got NaN, which JSON does not have"),
        ('{"comparisons": [], "comparisons": []}', "expected each name once; comparisons stands twice"),
        ('{"annotators": {"x": {}, "x": {}}, "comparisons": [1]}', "expected each name once; x stands twice"),
        ('{"comparisons": [1 2]}', "line 1, column 20: expected JSON; a comma is missing here"),
        ('{"comparisons": [1]} x', "line 1, column 22: expected JSON; more follows here than one value"),
        ('{"annotators": {}, "comparisons": [' + "[" * 10_000 + "]" * 10_000 + "]}", "nested too deeply"),
        (json.dumps(document(comparison("1", a="\ud83d"))), "one half of a surrogate pair"),
        (json.dumps(document(comparison("1")))[:-30], "the file ends too early"),
        (twice('"ann": {"pref": "a"}', '"ann": {"pref": "a"}, "ann": {"pref": "b"}'), "once"),
        (twice('"ann": {"pref": "a"}', '"ann": {"pref": "a", "pref": "b"}'), "once"),
        (twice('"id": ', '"id": "0", "id": '), "comparison 1 (id 1): expected each name once; id stands twice"),
        (f"{PREFERRED}x,y,txt_a\n", 'row 1, column preferred_text: expected one of missing, text_a, text_b, both, neither, invalid, not_applicable, refused, unparseable, failed, a, b; got "txt_a" (did you mean "text_a"?)'),
        ("text_a,text_b,preferred_text,ann\nx,y,text_a,text_b\nx,y,text_a,odd\n", "row 2, column ann: expected one of"),
        (f"{PREFERRED}x,y,text_a\n,y,text_a\n", "row 2, column text_a: expected a response; got nothing"),
        (f"pair,{PREFERRED}1,x,y,text_a\n1,x,y,text_b\n", 'rows 1, 2, column pair: expected each pair once; got "1"'),
        (f"pair,{PREFERRED},x,y,text_a\n", "row 1, column pair: expected the pair's id; got nothing"),
        (PREFERRED, "expected at least one row; got none"),
        (f"{LONG}1,x,text_q\n", "row 1, column vote: expected one of missing, text_a"),
        (f"{LONG}1,,text_a\n", "row 1, column annotator: expected the annotator's id; got nothing"),
        (f"{LONG}1,x,text_a\n1,x,text_b\n", "rows 1, 2: expected one vote per pair and annotator; pair 1, annotator x stands 2 times"),
        ("pair,annotator,vote,text_a,text_b\n1,x,text_a,u,v\n1,y,text_a,w,v\n", "pair 1, column text_a: expected one text_a in all rows of the pair; got"),
        ("pair,annotator,vote,text_a,text_b\n1,x,text_a,u,\n", "pair 1, column text_b: expected a response; got nothing"),
        (f"{ARENA},response_b\nm,n,model_c,x,y\n", "row 1, column winner: expected one of model_a, model_b, tie"),
        (f"{ARENA}\nm,n,tie,x\n", "missing column response_b"),
        ("instruction,output_1,output_2,preference\nq,x,y,3\n", 'row 1, column preference: expected one of 1, 2, 1.5, 0; got "3"'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_pairs_is_said(written, content, expected):
    path = written(content, "pairs.json")
    told = message(path)
    assert told.startswith(str(path))
    assert expected in told


def test_dropped_pairs_are_left_out_and_counted(written):
    rows = [comparison("1", {"ann": "a"}), comparison("2", {"ann": "c"}), comparison("3", a={}), 5]
    for content, who in ((document(*rows), "ann"), (f"{PREFERRED}x,y,text_a\nx,y,c\nx,,b\n,y,b\n", "preferred_text")):
        pairs = read(written(content, "pairs.json"), drop=True)
        assert votes(pairs)[who] == ["text_a"]
        assert pairs.warnings[0].startswith("3 invalid pairs were dropped, such as: ")


def test_nothing_left_after_dropping_is_an_error(written):
    for content in (document(comparison("1", {"ann": "c"})), f"{PREFERRED}x,y,c\n", f"{LONG}1,x,c\n"):
        assert "no pair is left after dropping" in message(written(content), drop=True)


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["anm"]}, "no column anm in"),
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["ann", "ann"]}, "expected each column once; ann stands twice"),
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["text_a"]}, "expected each column once; text_a stands twice"),
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["ann"], "columns": {"promt": "x"}}, "fix:   columns prompt=x"),
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["ann"], "vote_values": {"tie": ["0"]}}, "vote_values: expected one of missing, text_a"),
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["ann"], "vote_values": {"text_a": ["0"], "both": ["0"]}}, '"0" stands for text_a and for both'),
        (document(comparison()), {"columns": {"pair": "x"}}, "the names in AnnotatedPairs JSON are fixed; leave the option out"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_are_refused(written, content, options, expected):
    with pytest.raises(OptionError) as error:
        read(written(content, "t.csv"), **options)
    assert expected in str(error.value)


GOOD = pl.DataFrame({"pair": ["1"], "prompt": [None], "text_a": ["x"], "text_b": ["y"], "model_a": [None], "model_b": [None],
                     "length_a": [1], "length_b": [1], "vote:ann": [1]},
                    schema=dict.fromkeys(("pair", "prompt", "text_a", "text_b", "model_a", "model_b"), pl.String)
                    | {"length_a": pl.UInt32, "length_b": pl.UInt32, "vote:ann": pl.UInt8})  # fmt: skip


def dictionary(**changes):
    from adjudge.schemas.pairs import Annotator

    pairs = AnnotatedPairs("made up", GOOD.lazy(), (Annotator("ann"),), default="ann")
    return json.dumps({**json.loads(dictionary_text(pairs, prompts_repeat=False)), **changes})


@pytest.mark.parametrize(
    ("frame", "text", "expected"),
    [
        (GOOD.with_columns(pl.lit(10, pl.UInt8).alias("vote:ann")), dictionary(), "column vote:ann: expected codes from 0 to 9; got 10"),
        (GOOD.with_columns(pl.lit(None, pl.UInt8).alias("vote:ann")), dictionary(), "column vote:ann: expected no nulls; got 1"),
        (GOOD.cast({"vote:ann": pl.Int64}), dictionary(), "column vote:ann: expected UInt8; got Int64"),
        (GOOD.drop("length_a"), dictionary(), "column length_a: expected UInt32; got no such column"),
        (GOOD, dictionary(default="x"), "expected the default annotator among the annotators; got x"),
        (GOOD, dictionary(version=2), "expected what convert writes; Invalid enum value 2 - at `$.version`"),
        (GOOD, dictionary(votes=["a"]), "expected votes missing, text_a"),
        (GOOD, dictionary(format="other"), "Invalid enum value 'other' - at `$.format`"),
        (GOOD, dictionary(annotators=[{"id": "ann"}] * 2), "expected each annotator once; got ann, ann"),
        (GOOD, dictionary(annotators=[{"id": 5}]), "at `$.annotators[0].id`"),
        (GOOD, dictionary(metadata=[1]), "at `$.metadata[0]`"),
        (GOOD, "{", "key-value metadata adjudge: expected what convert writes"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_columnar_file_is_said(tmp_path, frame, text, expected):
    path = tmp_path / "p.parquet"
    frame.write_parquet(path, metadata={KEY: text})
    found = message(path)
    assert found.startswith(str(path))
    assert expected in found


def test_a_cut_columnar_file_is_an_error(tmp_path):
    path = tmp_path / "p.parquet"
    GOOD.write_parquet(path, metadata={KEY: dictionary()})
    path.write_bytes(path.read_bytes()[:-20])
    assert message(path).startswith(f"{path}: cannot be read as parquet")


def test_a_parquet_file_without_the_dictionary_is_no_columnar_file(tmp_path):
    GOOD.write_parquet(tmp_path / "p.parquet")
    with pytest.raises(DataError, match="expected what convert writes"):
        read_pairs(sources(tmp_path / "p.parquet", How("adjudge"), "annotations")[0])
