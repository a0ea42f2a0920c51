"""Every format of pairs is read as what it says, and found out by its content."""

import json

import pytest

import adjudge
from adjudge import DataError, OptionError
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.pairs.pairs import read_pairs
from adjudge.schemas.pairs import Annotator
from made_pair_tables import talk
from made_pairs import column, comparison, document, read, votes
from made_samples import in_container

REASONS = ("not_applicable", "invalid", "both", "neither", "non_preference_annotation")
WIDE = "question,one,two,ann,ben,topic\nWhy?,yes,no,1,2,code\nHow?,so,ääh,0,,chat\n"
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
        "description": "Annotated pairs dataset with annotations from ICAI",
        "created_at": "2025-05-07T18:35:36Z",
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
    assert pairs.warnings == ("pairs numbered, since their ids stand further up already: 1, such as a4e9e77e#2",)


@pytest.mark.parametrize("wanted", ["bf731c7f", "is more concise", "Select the response that is more concise"])
def test_an_annotator_is_named_by_its_principle_with_and_without_the_beginning(written, wanted):
    for pattern in (wanted, wanted[:-3] + "*"):
        report = adjudge.annotations(written(FEEDBACK_FORENSICS), annotator=pattern)
        assert set(report["agreement"]["name"]) == {"is more concise"}
    notes = adjudge.annotations(written(FEEDBACK_FORENSICS), reference=wanted).notes
    assert ": the reference is is more concise." in notes[-1]


def test_prefs_that_are_words_are_votes(written):
    words = {"tie": "both", "nan": "missing", "None": "missing", "irrelevant": "not_applicable"}
    words |= {word: word for word in ("both", "text_b", "not_applicable", "neither")}
    rows = [comparison(str(number), {"ann": word}) for number, word in enumerate(words)]
    assert votes(read(written(document(*rows))))["ann"] == list(words.values())


def test_blocks_of_content_are_text(written):
    def said(text, *more):
        return [{"role": "assistant", "content": [{"type": "text", "text": text, "image": None}, *more]}]

    row = comparison("1", a=said("one two"), b=said("three", {"type": "image", "text": None}), prompt=said("Why?"))
    pairs = read(written(document(row)))
    assert column(pairs, "text_a") + column(pairs, "text_b") == ["one two", "three\n\n[image]"]
    assert column(pairs, "prompt") == ["Why?"]
    assert column(pairs, "length_a") == [7]


def test_annotators_need_no_description_and_no_votes(written):
    pairs = read(written(document(comparison("1"), annotators={"idle": {"type": "human"}, "bare": {}})))
    assert pairs.annotators == (Annotator("idle", type="human"), Annotator("bare"))
    assert votes(pairs) == {"idle": ["missing"], "bare": ["missing"]}
    none = read(written(document(comparison("1"), annotators={})))
    assert (none.annotators, none.default) == ((), None)


def test_several_turns_become_one_text(written):
    first = comparison("1", prompt=talk("Hi", "Ho", "So?"), a=[{"role": "assistant", "content": "Only one"}])
    pairs = read(written(document(first, comparison("2", prompt=["no", "messages"]), comparison("3", prompt=None))))
    assert column(pairs, "prompt") == ["user: Hi\n\nassistant: Ho\n\nuser: So?", '["no","messages"]', None]
    assert column(pairs, "text_a") == ["Only one", "yes", "yes"]


def test_responses_that_are_no_text_are_read_and_counted(written):
    rows = [comparison("1", a=True), comparison("2", a=7, b=1.50), comparison("3", a="true", b="7")]
    pairs = read(written(document(*rows)))
    assert column(pairs, "text_a") == ["true", "7", "true"]
    (warning,) = pairs.warnings
    assert warning.endswith("read as they stand in the JSON: 3")


def test_models_metadata_and_further_fields_become_columns(written):
    responses = {"response_a": {"text": "x", "model": "m1", "seed": 7}, "response_b": {"text": "y", "model": "m2"}}
    row = comparison("1", **responses, metadata={"topic": "code", "length_a": "long", "list": [1, 2]})
    pairs = read(written(document(row, available_metadata_keys_per_comparison=["unused"])))
    assert pairs.metadata == ("unused", "topic", "metadata.length_a", "list", "response_a.seed")
    found = pairs.frame.collect().row(0, named=True)
    assert (found["model_a"], found["model_b"], found["response_a.seed"]) == ("m1", "m2", "7")
    assert (found["metadata.length_a"], found["list"], found["unused"], found["length_a"]) == ("long", "[1,2]", None, 1)


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
    with pytest.raises(OptionError, match="this table could hold anything"):
        read_pairs(sources(written(text, "f.csv"), How("wide"), "annotations")[0])


@pytest.mark.parametrize("change", [lambda data: b"\xef\xbb\xbf" + data, lambda data: data.replace(b"\n", b"\r\n")])
def test_marks_and_line_ends_of_windows_change_nothing(written, change):
    data = json.dumps(document(comparison("1", {"ann": "b"}), comparison("2")), indent=1)
    assert votes(read(written(change(data.encode())))) == {"ann": ["text_b", "missing"], "ben": ["missing"] * 2}
    pairs = read(written(change(WIDE.encode()), "w.csv"), **WIDE_OPTIONS)
    assert votes(pairs)["ann"] == ["text_a", "both"]
    assert pairs.metadata == ("topic",)


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
