"""Every format of pairs is read as what it says, and found out by its content; what is wrong is said in full."""

import json

import polars as pl
import pytest

import adjudge
from adjudge import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.pairs.pairs import KEY, dictionary_text, read_pairs
from adjudge.schemas.pairs import AnnotatedPairs, Annotator
from made_pair_tables import talk
from made_pairs import column, comparison, document, read, votes
from made_samples import in_container

REASONS = ("not_applicable", "invalid", "both", "neither", "non_preference_annotation")
WIDE_OPTIONS = {
    "columns": {"prompt": "question", "text_a": "one", "text_b": "two"},
    "annotator_columns": ["ann", "ben"],
    "vote_values": {"text_a": ["1"], "text_b": ["2"], "both": ["0"]},
}


def test_annotated_pairs_keep_every_vote_apart(written):
    spelt = {"ann": {"pref": "a"}, "ben": {"pref": None}}
    reasons = [comparison(str(n), {"ann": {"pref": None, "no_pref_reason": one}}) for n, one in enumerate(REASONS)]
    pairs = read(written(document(comparison("x", spelt), *reasons)))
    assert votes(pairs) == {
        "ann": ["text_a", "not_applicable", "invalid", "both", "neither", "missing"],
        "ben": ["invalid", *["missing"] * 5],
    }


def test_version_1_has_its_texts_at_the_top(written):
    old = {
        "metadata": {"dataset_name": "old", "default_annotator": "ann"},
        "annotators": {"ann": {}, "ben": {"name": "Ben"}},
        "comparisons": [
            {"id": "1", "prompt": None, "text_a": "yes", "text_b": "no", "annotations": {"ann": {"pref": "text_a"}, "ben": {"pref": None}}},
            {"id": "2", "prompt": "Q", "text_a": "", "text_b": "no", "annotations": {"ann": {"pref": "text_b"}}},
        ],
    }  # fmt: skip
    pairs = read(written(old))
    assert votes(pairs) == {"ann": ["text_a", "text_b"], "ben": ["invalid", "missing"]}
    assert column(pairs, "text_a") == ["yes", ""]
    assert column(pairs, "prompt") == [None, "Q"]
    assert pairs.annotators == (Annotator("ann"), Annotator("ben", "Ben"))


FEEDBACK_FORENSICS = {
    "metadata": {
        "version": "2.0",
        "dataset_name": "ICAI Training Dataset - 2025-05-07_18-35-25",
        "default_annotator": "ba751e7b",
        "available_metadata_keys_per_comparison": ["index", "prompt"],
    },
    "annotators": {
        "ba751e7b": {"name": "preferred_text", "description": "Default annotator from original dataset (from column `preferred_text`)", "type": "unknown"},
        "bf731c7f": {"description": "Select the response that is more concise", "type": "principle"},
        "6c39e1a2": {"description": "Human: is more polite", "type": "principle"},
        "0f2d77aa": {"name": "human_2", "description": "Column from original dataset: human_2", "type": "human"},
    },
    "comparisons": [
        {
            "id": "a4e9e77e",
            "prompt": None,
            "response_a": {"text": "A cat.", "model": "small"},
            "response_b": {"text": "A dog.", "model": "large"},
            "annotations": annotations,
            "metadata": {"index": str(index), "prompt": "Tell me a story."},
        }
        for index, annotations in enumerate(
            [
                {"ba751e7b": {"pref": "a"}, "bf731c7f": {"pref": None, "no_pref_reason": "not_applicable"}, "6c39e1a2": {"pref": "irrelevant"}, "0f2d77aa": {"pref": "nan"}},
                {"ba751e7b": {"pref": "tie"}, "bf731c7f": {"pref": "b"}, "6c39e1a2": {"pref": "a"}, "0f2d77aa": {"pref": "both"}},
            ]
        )
    ],
}  # fmt: skip


def test_annotated_pairs_are_read_as_feedback_forensics_and_its_tools_write_them(written):
    pairs = read(written(FEEDBACK_FORENSICS))
    assert votes(pairs) == {
        "ba751e7b": ["text_a", "both"],
        "bf731c7f": ["not_applicable", "text_b"],
        "6c39e1a2": ["not_applicable", "text_a"],
        "0f2d77aa": ["missing", "both"],
    }
    names = ["preferred_text", "is more concise", "Human: is more polite", "human_2"]
    assert [one.name for one in pairs.annotators] == names
    assert column(pairs, "prompt") == ["Tell me a story."] * 2
    assert column(pairs, "pair") == ["a4e9e77e", "a4e9e77e#2"]
    assert pairs.warnings == ("pairs numbered, since their ids repeat earlier ones: 1, such as a4e9e77e#2",)


@pytest.mark.parametrize("wanted", ["bf731c7f", "is more concise", "Select the response that is more concise"])
def test_an_annotator_is_named_by_its_principle_with_and_without_the_beginning(written, wanted):
    for pattern in (wanted, wanted[:-3] + "*"):
        report = adjudge.annotations(written(FEEDBACK_FORENSICS), annotator=pattern)
        assert set(report["agreement"]["name"]) == {"is more concise"}
    report = adjudge.annotations(written(FEEDBACK_FORENSICS), reference=wanted)
    assert report.summary.title.endswith("against is more concise")


def test_blocks_of_content_are_text(written):
    def said(text, *more):
        return [{"role": "assistant", "content": [{"type": "text", "text": text, "image": None}, *more]}]

    row = comparison("1", a=said("one two"), b=said("three", {"type": "image", "text": None}), prompt=said("Why?"))
    pairs = read(written(document(row)))
    assert column(pairs, "text_a") + column(pairs, "text_b") == ["one two", "three\n\n[image]"]
    assert column(pairs, "prompt") == ["Why?"]
    assert column(pairs, "length_a") == [7]


def test_several_turns_become_one_text(written):
    first = comparison("1", prompt=talk("Hi", "Ho", "So?"), a=[{"role": "assistant", "content": "Only one"}])
    pairs = read(written(document(first, comparison("2", prompt=["no", "messages"]), comparison("3", prompt=None))))
    assert column(pairs, "prompt") == ["user: Hi\n\nassistant: Ho\n\nuser: So?", '["no","messages"]', None]
    assert column(pairs, "text_a") == ["Only one", "yes", "yes"]


def test_models_metadata_and_further_fields_become_columns(written):
    responses = {"response_a": {"text": "x", "model": "m1", "seed": 7}, "response_b": {"text": "y", "model": "m2"}}
    row = comparison("1", **responses, metadata={"topic": "code", "length_a": "long", "list": [1, 2]})
    pairs = read(written(document(row)))
    assert pairs.metadata == ("topic", "metadata.length_a", "list", "response_a.seed")
    found = pairs.frame.collect().row(0, named=True)
    assert (found["model_a"], found["model_b"], found["response_a.seed"]) == ("m1", "m2", "7")
    assert (found["metadata.length_a"], found["list"], found["length_a"]) == ("long", "[1,2]", 1)


def test_feedback_csv_finds_its_annotators(written):
    text = "text_a,text_b,preferred_text,longer,prompt,model_a,model_b,topic\nyes,no,text_a,text_b,Q,m,n,code\nso,oh,text_b,,,m,n,text\n"
    pairs = read(written(text, "f.csv"))
    assert (pairs.name, pairs.default, pairs.metadata) == ("f", "preferred_text", ("topic",))
    assert votes(pairs) == {"preferred_text": ["text_a", "text_b"], "longer": ["text_b", "missing"]}
    assert (column(pairs, "pair"), column(pairs, "prompt")) == (["1", "2"], ["Q", None])


def test_arena_rows_may_hold_responses_and_repeat_questions(written):
    rows = [{"question_id": 7, "prompt": "Q", "response_a": "x", "response_b": "y", "model_a": "m", "model_b": "n", "winner": winner}
            for winner in ("tie", "model_b")]  # fmt: skip
    pairs = read(written("\n".join(map(json.dumps, rows)), "a.jsonl"))
    assert votes(pairs) == {"winner": ["both", "text_b"]}
    assert column(pairs, "pair") == ["1", "2"]
    assert pairs.metadata == ("question_id",)


def test_alpaca_eval_prefers_by_number(written):
    preferences = [1, 2.0, 1.5, 0, None, 1.0001, 1.98]
    row = {"instruction": "Q", "output_1": "x", "output_2": "y", "generator_1": "m"}
    pairs = read(written([row | {"preference": one} for one in preferences]))
    assert votes(pairs) == {"preference": ["text_a", "text_b", "both", "both", "invalid", "text_a", "text_b"]}
    row = pairs.frame.collect().select("prompt", "text_a", "text_b", "model_a", "model_b").row(0)
    assert row == ("Q", "x", "y", "m", None)


@pytest.mark.parametrize("container", ["json", "jsonl", "parquet"])
def test_a_wide_table_with_gaps_is_read_from_every_container(written, container):
    rows = [
        {"question": "Why?", "one": "yes", "two": "no", "ann": 1, "ben": 2.0, "topic": "code"},
        {"question": "How?", "one": "so", "two": "ääh", "ann": 0, "ben": None, "topic": "chat"},
    ]
    pairs = read(written(in_container(rows, container), f"w.{container}"), **WIDE_OPTIONS)
    assert votes(pairs) == {"ann": ["text_a", "both"], "ben": ["text_b", "missing"]}
    assert (column(pairs, "length_b"), pairs.metadata, pairs.default) == ([2, 3], ("topic",), None)


def test_a_long_table_becomes_a_column_per_annotator(written):
    text = "pair,annotator,vote,text_a,text_b,topic,seconds\np,ann,text_a,yes,no,code,4\np,ben,b,,,code,5\nq,ann,both,so,oh,chat,6\n"
    pairs = read(written(text, "l.csv"))
    assert votes(pairs) == {"ann": ["text_a", "both"], "ben": ["text_b", "missing"]}
    assert (column(pairs, "pair"), column(pairs, "text_b")) == (["p", "q"], ["no", "oh"])
    assert pairs.metadata == ("topic",)


def test_a_format_that_is_named_is_not_guessed(written):
    text = "text_a,text_b,preferred_text\nyes,no,text_a\n"
    pairs = read_pairs(sources(written(text, "f.csv"), How("feedback-csv"), "annotations")[0])
    assert votes(pairs) == {"preferred_text": ["text_a"]}
    with pytest.raises(OptionError, match="expected pairs of texts; got another table"):
        read_pairs(sources(written(text, "f.csv"), How("wide"), "annotations")[0])


@pytest.mark.parametrize(
    ("word", "vote"),
    [
        *(("Response A", "text_a"), ("model_b", "text_b"), ("B wins", "text_b"), ("left", "text_a"), ("Second response", "text_b")),
        *(("tie", "both"), ("equal", "both"), ("Both good", "both"), ("both_bad", "neither"), ("tie (bothbad)", "neither")),
    ],
)  # fmt: skip
def test_sides_and_ties_in_other_words_are_votes_and_told(written, word, vote):
    content = f"text_a,text_b,preferred_text\nx,y,text_a\nx,y,{word}\nu,v,{word}\n"
    pairs = read(written(content, "f.csv"))
    assert votes(pairs) == {"preferred_text": ["text_a", vote, vote]}
    (warning,) = pairs.warnings
    assert f'"{word}" (2) as "{vote}"' in warning
    for options in ({"exact_labels": True}, {"vote_values": {"text_a": ["1"]}}):
        with pytest.raises(DataError, match="expected one of"):
            read(written(content, "f.csv"), **options)


def test_a_model_s_name_in_another_case_is_a_vote_for_it(written):
    row = {"pair": 1, "annotator": "ana", "model_a": "Claude 3", "model_b": "GPT-4o", "vote": " claude 3"}
    assert votes(read(written([row]))) == {"ana": ["text_a"]}


def test_sides_in_other_words_are_turned_with_their_models(written):
    rows = [
        {"question_id": 1, "model_a": first, "model_b": second, "winner": winner, "judge": judge, "turn": 1}
        for first, second, winner, judge in [
            ("m", "n", "A", "ann"),
            ("n", "m", "A", "ben"),
            ("n", "m", "Both bad", "cat"),
        ]
    ]
    assert votes(read(written(rows))) == {"ann": ["text_a"], "ben": ["text_b"], "cat": ["neither"]}


@pytest.mark.parametrize("word", ["1", "2", "none", "apple", "A or B"])
def test_what_may_mean_either_side_is_no_vote(written, word):
    with pytest.raises(DataError, match=f'expected one of .*; got "{word}"'):
        read(written(f"text_a,text_b,preferred_text\nx,y,text_a\nx,y,{word}\n", "f.csv"))


# --- what is wrong ---


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
        (document(comparison("1", {"anm": "a"})), "comparison 1, annotations: object contains unknown field anm"),
        (vote({"pref": "c"}), "comparison 1, annotations.ann.pref: expected one of a, b, missing"),
        (vote({"pref": "a", "no_pref_reason": "both"}), "comparison 1, column id: expected no annotation with a pref and a no_pref_reason; got"),
        (document(comparison("1", a=None)), "comparison 1, column response_a.text: expected the text of a response; got nothing"),
        (document(comparison(None)), "comparison 1, id: expected int | float | str; got null"),
        (document(comparison("1"), 5), "comparison 2: expected an object; got"),
        (document(comparison(), default_annotator="bem"), 'default_annotator: expected one of the annotators; got "bem" (did you mean "ben"?)'),
        (document(comparison(), annotators={"ann": "x"}), "annotators[...]: expected object; got str"),
        ({"annotators": {}}, "object missing required field comparisons"),
        ('{"annotators": {"a": {}, "a": {}}, "comparisons": [1]}', "annotators, line 1: expected each name once; a appears twice"),
        ({"comparisons": [comparison()]}, "object missing required field annotators"),
        ('{"comparisons": [1 2]}', "line 1, column 20: invalid JSON: expected ',' or ']'"),
        ('{"annotators": {}, "comparisons": [' + "[" * 10_000 + "]" * 10_000 + "]}", "nested too deeply"),
        (twice('"ann": {"pref": "a"}', '"ann": {"pref": "a"}, "ann": {"pref": "b"}'), "once"),
        (twice('"id": ', '"id": "0", "id": '), "comparison 1, line 1: expected each name once; id appears twice"),
        (f"{PREFERRED}x,y,txt_a\n", 'row 1, column preferred_text: expected one of missing, text_a, text_b, both, neither, invalid, not_applicable, refused, unparseable, failed, a, b; got "txt_a" (did you mean "text_a"?)'),
        ("text_a,text_b,preferred_text,ann\nx,y,text_a,text_b\nx,y,text_a,odd\n", "row 2, column ann: expected one of"),
        (f"pair,{PREFERRED}1,x,y,text_a\n1,x,y,text_b\n", 'row 1, column pair: expected each pair once; got "1"'),
        (PREFERRED, "no rows found"),
        (f"{LONG}1,,text_a\n", "row 1, column annotator: expected the annotator's id; got nothing"),
        (f"{LONG}1,x,text_a\n1,x,text_b\n", "rows 1, 2: expected one vote per pair and annotator; pair 1, annotator x appears 2 times"),
        ("pair,annotator,vote,text_a,text_b\n1,x,text_a,u,v\n1,y,text_a,w,v\n", "pair 1, column text_a: expected one text_a in all rows of the pair; got"),
        (f"{ARENA},response_b\nm,n,model_c,x,y\n", "row 1, column winner: expected one of model_a, model_b, tie"),
        ("instruction,output_1,output_2,preference\nq,x,y,3\n", 'row 1, column preference: expected one of 1, 2, 1.5, 0, invalid; got "3"'),
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
        ("text_a,text_b,ann\nx,y,a\n", {"annotator_columns": ["anm"]}, 'no column "anm" in'),
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
    pairs = AnnotatedPairs("made up", GOOD.lazy(), (Annotator("ann"),), default="ann")
    return json.dumps({**json.loads(dictionary_text(pairs, prompts_repeat=False)), **changes})


@pytest.mark.parametrize(
    ("frame", "text", "expected"),
    [
        (GOOD.with_columns(pl.lit(10, pl.UInt8).alias("vote:ann")), dictionary(), "column vote:ann: expected votes as codes from 0 to 9"),
        (GOOD.with_columns(pl.lit(None, pl.UInt8).alias("vote:ann")), dictionary(), "column vote:ann: expected votes"),
        (GOOD.drop("length_a"), dictionary(), "column length_a: expected votes"),
        (GOOD, dictionary(default="x"), "each annotator once, and the default one among them"),
        (GOOD, dictionary(version=2), "expected what convert writes; Invalid enum value 2 - at `$.version`"),
        (GOOD, dictionary(votes=["a"]), "expected votes missing, text_a"),
        (GOOD, dictionary(annotators=[{"id": "ann"}] * 2), "each annotator once"),
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
    assert message(path).startswith(f"{path}: cannot be read as Parquet")


def test_a_parquet_file_without_the_dictionary_is_no_columnar_file(tmp_path):
    GOOD.write_parquet(tmp_path / "p.parquet")
    with pytest.raises(DataError, match="expected what convert writes"):
        read_pairs(sources(tmp_path / "p.parquet", How("adjudge"), "annotations")[0])
