"""Pairs as tools and data sets write them, in tables and in exports, are read as such, and told from all others."""

import json

import pytest

from adjudge import DataError, OptionError, Reading, annotations
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.pairs.pairs import read_pairs
from made_pair_tables import BATTLES, JUDGE_BENCH, MT_BENCH, SAMPLES
from made_pairs import column, read, votes


def file_of(written, sample):
    _, content = SAMPLES[sample]
    if isinstance(content, str | dict):
        return written(content, "table.csv" if isinstance(content, str) else "table.json")
    return written("\n".join(map(json.dumps, content)), "table.jsonl")


SO = "assistant: {}\n\nuser: {}\n\nassistant: {}".format
HALF = ["both", "missing"]
MT_VOTES = {"author_2": ["text_b", "text_a"], "expert_0": HALF, "gpt4_pair": HALF}
MT_PAIRS = ["81:alpaca-13b:gpt-3.5-turbo:1", "81:alpaca-13b:gpt-3.5-turbo:2"]
PANDA = {"annotator1": ["text_b", "text_a"], "annotator2": ["both", "text_a"], "annotator3": ["text_a", "text_a"]}
EVAL, FARM = (
    {"weighted_alpaca_eval_gpt4_turbo": ["text_b", "invalid"]},
    {"15": ["text_a", "text_b"], "4": ["text_b", "missing"]},
)


@pytest.mark.parametrize(
    ("sample", "expected", "columns"),
    [
        ("arena 140k", {"winner": ["neither", "text_a"]}, {"text_a": ["one two three", "so"], "length_a": [13, 2], "length_b": [4, 2], "prompt": ["Hi there", "Why?"], "pair": ["0f7b", "1a2c"]}),
        ("arena 33k", {"winner": ["text_b", "neither"]}, {"judge": ["arena_user_973", "arena_user_13"], "text_a": ["Ho", SO(2, 3, 4)]}),
        ("arena 55k", {"winner": ["text_a", "both"]}, {"prompt": ["Is it right?", "One?"], "text_a": ["No.", SO("a", "Two?", "")], "text_b": ["Yes.", SO("c", "Two?", "d")], "pair": ["30192", "53567"]}),
        ("mt-bench", MT_VOTES, {"pair": MT_PAIRS, "prompt": ["Q1", "Q1"], "text_a": ["a1", SO("a1", "Q2", "a2")]}),
        ("alpaca-eval", EVAL, {"pair": ["1", "1#2"]}),
        ("alpaca-farm", FARM, {"pair": ["1", "2"], "prompt": ["Say it.", "Say it.\n\nlouder"]}),
        ("hh", {"chosen": ["text_a"]}, {"prompt": ["user: Hi\n\nassistant: Ho\n\nuser: So?"], "text_a": ["Yes."], "text_b": ["No way."]}),
        ("ultra-feedback", {"chosen": ["text_a"]}, {"prompt": ["Sum?"], "text_a": ["4"], "text_b": ["5"]}),
        ("reward-bench", {"chosen": ["text_a"] * 2}, {"prompt": ["How?"] * 2, "text_a": ["So.", "Thus."], "text_b": ["No.", ""], "model_a": ["gpt-4", "human"]}),
        ("auto-j", {"label": ["text_a", "text_b", "both"]}, {}),
        ("llmbar", {"label": ["text_a", "text_b"]}, {}),
        ("pandalm", PANDA, {"prompt": ["Shorten it.\n\nA long text.", "Go on."], "pair": ["0", "7"]}),
        ("pandalm judge", {"gpt_result": ["text_b", "both", "invalid"]}, {"pair": ["0", "7", "8"]}),
        ("battles", {"winner": ["text_a", "neither"]}, {"model_b": ["n", "n"], "length_a": [0, 0]}),
        ("judge-bench", {"label": ["text_b"]}, {"pair": ["d64b"]}),
        ("shp", {"labels": ["text_b", "text_a"]}, {"prompt": ["Why?"] * 2, "text_b": ["No."] * 2}),
        ("safe-rlhf", {"better_response_id": ["text_a"], "safer_response_id": ["text_b"]}, {"prompt": ["Why?"], "text_b": ["No."]}),
        ("feedback forensics", {"preferred_text": ["text_a", "text_b"]}, {"prompt": ["Why?", "Why?"]}),
    ],
)  # fmt: skip
def test_tables_are_read_as_each_tool_or_data_set_means_them(written, sample, expected, columns):
    pairs = read(file_of(written, sample), drop=True)
    assert votes(pairs) == expected
    assert {name: column(pairs, name) for name in columns} == columns
    default = {"mt-bench": None, "alpaca-farm": None, "pandalm": None}.get(sample, next(iter(expected)))
    assert pairs.default == default
    told = "the chosen response is text_a in every pair" in "".join(pairs.warnings)
    assert told == (SAMPLES[sample][0] == "chosen-rejected")


def test_a_table_without_the_columns_of_its_format_is_refused(written):
    path = written([{"id": "1", "prompt": "p", "response_a": "x", "response_b": "y", "foreign": "1"}], "v.json")
    with pytest.raises(DataError, match=r"missing columns winner_model_a, winner_model_b\nfound: .*foreign"):
        annotations(path, reading=Reading(input_format="one-hot"))


def test_two_winners_of_one_pair_and_none_are_errors(written):
    text = "text_a,text_b,wins_a,wins_b\nx,y,{}\nx,y,0,1\nx,z,,\n"
    for cells, got in (("1,1", "text_a, text_b"), ("0,0", "0, 0"), ("1,maybe", "text_a, maybe")):
        with pytest.raises(DataError, match=rf'row 1, column winner: expected one of missing, .*; got "{got}"'):
            read(written(text.format(cells), "t.csv"))
    pairs = read(written(text.format("1,1"), "t.csv"), drop=True)
    assert votes(pairs) == {"winner": ["text_b", "missing"]}


def test_a_judge_who_votes_on_a_pair_again_votes_on_a_pair_of_its_own(written):
    rows = [*MT_BENCH, {**MT_BENCH[1], "winner": "model_a"}]
    pairs = read(written(rows))
    assert votes(pairs)["expert_0"] == ["both", "missing", "text_a"]
    assert column(pairs, "pair")[2] == "81:alpaca-13b:gpt-3.5-turbo:1#2"
    (warning,) = pairs.warnings
    assert warning.startswith("pairs numbered, since their ids repeat earlier ones: 1, such as 81:alpaca")


def test_dialogues_that_stand_alone_in_a_list_share_their_prompt(written):
    asked = {"role": "user", "content": "Why?"}
    chosen, rejected = ([[asked, {"role": "assistant", "content": text}]] for text in ("So.", "No."))
    pairs = read(written([{"chosen": chosen, "rejected": rejected}]))
    assert pairs.frame.collect().select("prompt", "text_a", "text_b").row(0) == ("Why?", "So.", "No.")


@pytest.mark.parametrize(
    "rows",
    [
        [{**JUDGE_BENCH, "judge_name": "arena_hard", "judgments": [{"decision": "A>B"}]}],
        [{"input": {"messages": []}, "preferred_output": [], "non_preferred_output": []}],
        [{"id": 1, "answer1": "x", "answer2": "y", "best": [{"selected": "left"}], "annotator": 1, "annotation_id": 7}],
    ],
)
def test_votes_in_lists_of_no_known_form_are_refused(written, rows):
    with pytest.raises(
        OptionError,
        match=r"expected pairs of texts; got another table\nfound: .*\nfix:   annotator_columns COLUMN,\.\.\.; jq",
    ):
        read(written(rows))


def test_battles_without_texts_are_votes_on_models(written):
    assert read(file_of(written, "battles")).warnings == (
        "the table has no responses, so metrics of their length and style mean nothing",
    )
    half = [{**one, "response_a": "x"} for one in BATTLES]
    with pytest.raises(DataError, match="response_b"):
        read(written(half, "b.json"))


def test_values_may_be_said_otherwise(written):
    said = {"text_a": ["1"], "text_b": ["0"], "both": ["2"]}
    assert votes(read(file_of(written, "auto-j"), vote_values=said)) == {"label": ["text_b", "text_a", "both"]}


# --- exports of annotation tools ---

COMPARED = """. as $task | .annotations[] | {pair: $task.id, annotator: .completed_by, vote: .result[0].value.selected,
    prompt: $task.data.prompt, text_a: $task.data.answer1, text_b: $task.data.answer2}"""
TASK = {
    "id": 1,
    "data": {"prompt": "Why?", "answer1": "So.", "answer2": "No."},
    "annotations": [
        {"completed_by": who, "result": [{"type": "pairwise", "value": {"selected": side}}]}
        for who, side in ((1, "left"), (2, "right"))
    ],
}


def test_comparisons_of_annotation_tools_are_read_by_a_program_of_jq(written):
    pytest.importorskip("jq")
    path = written([TASK])
    with pytest.raises(OptionError, match=r"expected pairs of texts; got another table(?s:.*)jq PROGRAM"):
        read(path)
    pairs = read_pairs(sources(path, How(jq=COMPARED))[0])
    assert votes(pairs) == {"1": ["text_a"], "2": ["text_b"]}
    assert column(pairs, "text_b") == ["No."]
