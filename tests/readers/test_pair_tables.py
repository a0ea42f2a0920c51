"""Each declared table of pairs is read as the tool or data set writes it, and told from all others."""

import json

import polars as pl
import pytest

from adjudge import DataError, Reading, annotations
from made_pair_tables import ARENA_140K, BATTLES, JUDGE_BENCH, MT_BENCH, SAMPLES
from made_pairs import column, read, votes


def file_of(written, sample):
    _, content = SAMPLES[sample]
    if isinstance(content, str | dict):
        return written(content, "table.csv" if isinstance(content, str) else "table.json")
    return written("\n".join(map(json.dumps, content)), "table.jsonl")


def test_conversations_of_the_arena_are_read(written):
    pairs = read(written(ARENA_140K))
    assert votes(pairs) == {"winner": ["neither", "text_a"]}
    assert column(pairs, "text_a") == ["one two three", "so"]
    assert (column(pairs, "length_a"), column(pairs, "length_b")) == ([13, 2], [4, 2])
    assert (column(pairs, "prompt"), column(pairs, "pair")) == (["Hi there", "Why?"], ["0f7b", "1a2c"])


def test_battles_of_the_arena_keep_the_user_who_votes_as_metadata(written):
    pairs = read(file_of(written, "arena 33k"))
    assert votes(pairs) == {"winner": ["text_b", "neither"]}
    assert column(pairs, "judge") == ["arena_user_973", "arena_user_13"]
    assert column(pairs, "text_a")[1] == "assistant: 2\n\nuser: 3\n\nassistant: 4"


def test_winners_in_columns_of_0_and_1_are_votes(written):
    pairs = read(file_of(written, "arena 55k"))
    assert votes(pairs) == {"winner": ["text_a", "both"]}
    assert column(pairs, "prompt") == ["Is it right?", "One?"]
    assert column(pairs, "text_a") == ["No.", "assistant: a\n\nuser: Two?\n\nassistant: "]
    assert column(pairs, "text_b") == ["Yes.", "assistant: c\n\nuser: Two?\n\nassistant: d"]
    assert column(pairs, "pair") == ["30192", "53567"]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_a_table_without_the_columns_of_its_format_lacks_a_winner(written, ending):
    row = {"id": "1", "prompt": "p", "response_a": "x", "response_b": "y", "judge": "j", "foreign": "1"}
    path = written(json.dumps([row]) if ending == "json" else pl.DataFrame([row]).write_csv(), f"v.{ending}")
    with pytest.raises(DataError, match=r"missing column winner\nfound: .*foreign"):
        annotations(path, reading=Reading(input_format="one-hot"))


def test_two_winners_of_one_pair_are_an_error(written):
    text = "text_a,text_b,wins_a,wins_b\nx,y,1,1\nx,y,0,1\nx,z,,\n"
    with pytest.raises(DataError, match=r'row 1, column winner: expected one of missing, .*; got "1, 1"'):
        read(written(text, "t.csv"))
    pairs = read(written(text, "t.csv"), drop=True)
    assert votes(pairs) == {"winner": ["text_b", "missing"]}


def test_judges_of_mt_bench_are_annotators_and_each_turn_a_pair(written):
    pairs = read(file_of(written, "mt-bench"))
    half = ["both", "missing"]
    assert votes(pairs) == {"author_2": ["text_b", "text_a"], "expert_0": half, "gpt4_pair": half}
    assert column(pairs, "pair") == ["81:alpaca-13b:gpt-3.5-turbo:1", "81:alpaca-13b:gpt-3.5-turbo:2"]
    assert column(pairs, "prompt") == ["Q1", "Q1"]
    assert column(pairs, "text_a") == ["a1", "assistant: a1\n\nuser: Q2\n\nassistant: a2"]
    assert pairs.default is None


def test_a_judge_who_votes_on_a_pair_again_votes_on_a_pair_of_its_own(written):
    rows = [*MT_BENCH, {**MT_BENCH[1], "winner": "model_a"}]
    pairs = read(written(rows))
    assert votes(pairs)["expert_0"] == ["both", "missing", "text_a"]
    assert column(pairs, "pair")[2] == "81:alpaca-13b:gpt-3.5-turbo:1#2"
    (warning,) = pairs.warnings
    assert warning.startswith("pairs numbered, since their ids stand further up already: 1, such as 81:alpaca")


def test_whoever_annotates_alpaca_eval_is_the_annotator(written):
    pairs = read(file_of(written, "alpaca-eval"))
    assert pairs.default == "weighted_alpaca_eval_gpt4_turbo"
    assert votes(pairs) == {"weighted_alpaca_eval_gpt4_turbo": ["text_b", "invalid"]}
    assert column(pairs, "pair") == ["1", "1#2"]
    farm = read(file_of(written, "alpaca-farm"))
    assert votes(farm) == {"15": ["text_a", "text_b"], "4": ["text_b", "missing"]}
    assert column(farm, "prompt") == ["Say it.", "Say it.\n\nlouder"]


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("hh", ("user: Hi\n\nassistant: Ho\n\nuser: So?", "Yes.", "No way.", None)),
        ("ultra-feedback", ("Sum?", "4", "5", None)),
        ("reward-bench", ("How?", "So.", "No.", "gpt-4")),
    ],
)
def test_chosen_and_rejected_texts_are_read_in_the_form_they_have(written, sample, expected):
    pairs = read(file_of(written, sample), drop=True)
    assert pairs.frame.collect().select("prompt", "text_a", "text_b", "model_a").row(0) == expected
    assert votes(pairs)["chosen"][0] == "text_a"
    assert "the chosen response is text_a in every pair" in pairs.warnings[-1]


def test_dialogues_that_stand_alone_in_a_list_share_their_prompt(written):
    asked = {"role": "user", "content": "Why?"}
    chosen, rejected = ([[asked, {"role": "assistant", "content": text}]] for text in ("So.", "No."))
    pairs = read(written([{"chosen": chosen, "rejected": rejected}]))
    assert pairs.frame.collect().select("prompt", "text_a", "text_b").row(0) == ("Why?", "So.", "No.")


def test_labels_of_judge_bench_are_votes_and_its_judges_vote_in_both_orders(written):
    assert votes(read(written([JUDGE_BENCH]))) == {"label": ["text_b"]}
    judged = {**JUDGE_BENCH, "judge_name": "arena_hard", "judgments": [{"judgment": {}, "decision": "A>B"}, None]}
    other = {**judged, "pair_id": "e1", "judgments": [{"decision": "B>A"}, {"decision": "A>B"}]}
    pairs = read(written([judged, other]))
    assert column(pairs, "pair") == ["d64b", "d64b swapped", "e1", "e1 swapped"]
    assert votes(pairs) == {
        "label": ["text_b", "text_a", "text_b", "text_a"],
        "arena_hard": ["text_a", "invalid", "text_b", "text_a"],
    }
    assert column(pairs, "text_a") == ["It is A.", "It is B."] * 2


def test_numbers_mean_what_each_data_set_means_by_them(written):
    assert votes(read(file_of(written, "auto-j"))) == {"label": ["text_a", "text_b", "both"]}
    assert votes(read(file_of(written, "llmbar"))) == {"label": ["text_a", "text_b"]}
    panda = read(file_of(written, "pandalm"))
    assert votes(panda) == {
        "annotator1": ["text_b", "text_a"],
        "annotator2": ["both", "text_a"],
        "annotator3": ["text_a", "text_a"],
    }
    assert (column(panda, "prompt"), column(panda, "pair")) == (["Shorten it.\n\nA long text.", "Go on."], ["0", "7"])
    judge = read(file_of(written, "pandalm judge"))
    assert votes(judge) == {"gpt_result": ["text_b", "both", "invalid"]}
    assert column(judge, "pair") == ["0", "7", "8"]


def test_battles_without_texts_are_votes_on_models(written):
    battles = read(file_of(written, "battles"))
    assert votes(battles) == {"winner": ["text_a", "neither"]}
    assert (column(battles, "model_b"), column(battles, "length_a")) == (["n", "n"], [0, 0])
    assert battles.warnings == ("the table holds no responses: metrics of their length and style say nothing",)
    half = [{**one, "response_a": "x"} for one in BATTLES]
    with pytest.raises(DataError, match="response_b"):
        read(written(half, "b.json"))


def test_data_sets_of_preferences_say_who_is_preferred_each_in_their_way(written):
    said = {name: read(file_of(written, name)) for name in ("shp", "safe-rlhf", "openai")}
    assert {name: votes(one) for name, one in said.items()} == {
        "shp": {"labels": ["text_b", "text_a"]},
        "safe-rlhf": {"better_response_id": ["text_a"], "safer_response_id": ["text_b"]},
        "openai": {"preferred_output": ["text_a"]},
    }
    assert {(column(one, "prompt")[0], column(one, "text_b")[0]) for one in said.values()} == {("Why?", "No.")}


def test_values_may_be_said_otherwise(written):
    said = {"text_a": ["1"], "text_b": ["0"], "both": ["2"]}
    assert votes(read(file_of(written, "auto-j"), vote_values=said)) == {"label": ["text_b", "text_a", "both"]}


def test_the_prompt_of_feedback_forensics_may_be_called_input(written):
    assert column(read(file_of(written, "feedback forensics")), "prompt") == ["Why?", "Why?"]
