"""Each declared table of pairs is read as the tool or data set writes it, and told from all others."""

import json

import polars as pl
import pytest

from karat.formats.opened import opened
from karat.formats.pair_tables import TABLES
from karat.formats.pairs import Options
from karat.formats.source import formats, sources
from made_pairs import column, read, votes


def talk(*said):
    return [{"role": role, "content": text} for role, text in zip(["user", "assistant"] * 4, said, strict=False)]


def blocks(*said):
    return [
        {"role": one["role"], "content": [{"type": "text", "text": one["content"], "image": None, "mimeType": None}]}
        for one in talk(*said)
    ]


ARENA_33K = [
    {"question_id": "58210e39", "model_a": "chatglm-6b", "model_b": "koala-13b", "winner": "model_b", "judge": "arena_user_973",
     "conversation_a": talk("Hi", "Ho"), "conversation_b": talk("Hi", "Hello"), "turn": 1, "anony": True, "language": "English",
     "tstamp": 1682351591.13, "openai_moderation": {"flagged": False}, "toxic_chat_tag": {"flagged": False}},
    {"question_id": "0de1b4a2", "model_a": "vicuna-13b", "model_b": "koala-13b", "winner": "tie (bothbad)", "judge": "arena_user_13",
     "conversation_a": talk("1", "2", "3", "4"), "conversation_b": talk("1", "5", "3", "6"), "turn": 2, "anony": True, "language": "German",
     "tstamp": 1682351654.67, "openai_moderation": {"flagged": False}, "toxic_chat_tag": {"flagged": False}},
]  # fmt: skip
ARENA_140K = [
    {"id": "0f7b", "model_a": "m", "model_b": "n", "winner": "both_bad", "evaluation_session_id": "s1", "evaluation_order": 1,
     "conversation_a": blocks("Hi there", "one two three"), "conversation_b": blocks("Hi there", "four"),
     "conv_metadata": {"turns": 1}, "language": "en", "is_code": False, "timestamp": "2025-06-01 10:00:00"},
    {"id": "1a2c", "model_a": "m", "model_b": "o", "winner": "model_a", "evaluation_session_id": "s1", "evaluation_order": 2,
     "conversation_a": blocks("Why?", "so"), "conversation_b": blocks("Why?", "no"),
     "conv_metadata": {"turns": 1}, "language": "en", "is_code": False, "timestamp": "2025-06-01 10:01:00"},
]  # fmt: skip
ARENA_55K = (
    "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    '30192,gpt-4,gpt-3.5,"[""Is it right?""]","[""No.""]","[""Yes.""]",1,0,0\n'
    '53567,koala,gpt-4,"[""One?"",""Two?""]","[""a"",null]","[""c"",""d""]",0,0,1\n'
)
MT_BENCH = [
    {"question_id": 81, "model_a": "alpaca-13b", "model_b": "gpt-3.5-turbo", "winner": winner, "judge": judge, "turn": turn,
     "conversation_a": talk("Q1", "a1", "Q2", "a2"), "conversation_b": talk("Q1", "b1", "Q2", "b2")}
    for judge, turn, winner in [("author_2", 1, "model_b"), ("expert_0", 1, "tie"), ("author_2", 2, "model_a"), ("gpt4_pair", 1, "tie (inconsistent)")]
]  # fmt: skip
PAIR_PROMPT = (
    "[User Question]\nWhy?\n\n[The Start of Assistant A's Answer]\n{}\n[The End of Assistant A's Answer]\n\n"
    "[The Start of Assistant B's Answer]\n{}\n[The End of Assistant B's Answer]"
)
TALK_PROMPT = "\n\n\n".join(
    f"<|The Start of Assistant {side}'s Conversation with User|>\n\n### User:\nQ1\n\n### Assistant {side}:\n{{}}\n\n### User:\nQ2\n\n"
    f"### Assistant {side}:\n{{}}\n\n<|The End of Assistant {side}'s Conversation with User|>"
    for side in "AB"
)
FASTCHAT = [
    {"question_id": 81, "model_1": "alpaca-13b", "model_2": "vicuna-13b", "g1_winner": "model_2", "g2_winner": "tie", "judge": ["gpt-4", "pair-v2"],
     "g1_user_prompt": PAIR_PROMPT.format("x", "y"), "g1_judgment": "[[B]]", "g2_user_prompt": PAIR_PROMPT.format("y", "x"),
     "g2_judgment": "[[C]]", "turn": 1, "tstamp": 1687222812.0},
    {"question_id": 81, "model_1": "alpaca-13b", "model_2": "vicuna-13b", "g1_winner": "model_1", "g2_winner": "model_2", "judge": ["gpt-4", "pair-v2-multi-turn"],
     "g1_user_prompt": TALK_PROMPT.format("p1", "p2", "q1", "q2"), "g1_judgment": "[[A]]",
     "g2_user_prompt": TALK_PROMPT.format("q1", "q2", "p1", "p2"), "g2_judgment": "[[A]]", "turn": 2, "tstamp": 1687222813.0},
]  # fmt: skip
ALPACA_EVAL = [
    {"instruction": "Who?", "output_1": "x", "generator_1": "text_davinci_003", "dataset": "helpful_base", "output_2": "y", "generator_2": "gpt4",
     "annotator": "weighted_alpaca_eval_gpt4_turbo", "preference": one, "raw_completion": None, "time_per_example": 1.5, "price_per_example": 0.01}
    for one in (1.98, None)
]  # fmt: skip
ALPACA_FARM = [
    {"annotator_index": judge, "dataset": "helpful_base", "datasplit": "eval", "generator": "x", "instruction": "Say it.", "input": text,
     "output_1": "x", "output_2": "y", "preference": one, "sample_mode": "a", "time_per_example": 20.1}
    for judge, text, one in [(15, "", 1), (4, "", 2), (15, "louder", 2)]
]  # fmt: skip
REWARD_BENCH = [
    {"prompt": "How?", "chosen": "So.", "chosen_model": "gpt-4", "rejected": "No.", "rejected_model": "alpaca", "subset": "alpacaeval-easy", "id": 0},
    {"prompt": "How?", "chosen": "Thus.", "chosen_model": "human", "rejected": "", "rejected_model": "alpaca", "subset": "math-prm", "id": 1},
]  # fmt: skip
HH = [
    {"chosen": "\n\nHuman: Hi\n\nAssistant: Ho\n\nHuman: So?\n\nAssistant: Yes.", "rejected": "\n\nHuman: Hi\n\nAssistant: Ho\n\nHuman: So?\n\nAssistant: No way."}
]  # fmt: skip
ULTRA_FEEDBACK = [
    {"prompt": "Sum?", "prompt_id": "f0e3", "chosen": talk("Sum?", "4"), "rejected": talk("Sum?", "5"), "messages": talk("Sum?", "4"), "score_chosen": 8.5, "score_rejected": 7.0}
]  # fmt: skip
JUDGE_BENCH = {"pair_id": "d64b", "original_id": "biology_1", "source": "mmlu-pro-biology", "question": "Which?", "response_model": "gpt-4o-2024-05-13", "response_A": "It is A.", "response_B": "It is B.", "label": "B>A"}  # fmt: skip
AUTO_J = [
    {"scenario": "planning", "label": label, "prompt": "Plan it.", "response 1": "x", "response 2": "y"}
    for label in (0, 1, 2)
]
LLM_BAR = [{"input": "Say hi.", "output_1": "Hi.", "output_2": "Who?", "label": label} for label in (1, 2)]
PANDA_LM = [
    {"idx": 0, "motivation_app": "Grammarly", "cmp_key": "bloom-7b_llama-7b", "instruction": "Shorten it.", "input": "A long text.", "response1": "Text.", "response2": "Long.", "annotator1": 2, "annotator2": 0, "annotator3": 1},
    {"idx": 7, "motivation_app": "Grammarly", "cmp_key": "bloom-7b_llama-7b", "instruction": "Go on.", "input": "", "response1": "x", "response2": "y", "annotator1": 1, "annotator2": 1, "annotator3": 1},
]  # fmt: skip
PANDA_LM_JUDGE = [
    {"idx": 0, "gpt_result": "2", "gpt_reason": "...", "gpt_reference": "..."},
    {"idx": 7, "gpt_result": "Tie", "gpt_reason": "...", "gpt_reference": "..."},
    {"idx": 8, "gpt_result": "garbage", "gpt_reason": "...", "gpt_reference": "..."},
]
FEEDBACK = "prompt_id,input,text_a,text_b,preferred_text\n1,Why?,yes,no,text_a\n2,Why?,so,oh,text_b\n"

SAMPLES = {
    "arena 33k": ("arena", ARENA_33K),
    "arena 140k": ("arena", ARENA_140K),
    "arena 55k": ("one-hot", ARENA_55K),
    "mt-bench": ("mt-bench", MT_BENCH),
    "fastchat": ("fastchat-pair", FASTCHAT),
    "alpaca-eval": ("alpaca-eval", ALPACA_EVAL),
    "alpaca-farm": ("alpaca-eval", ALPACA_FARM),
    "reward-bench": ("chosen-rejected", REWARD_BENCH),
    "hh": ("chosen-rejected", HH),
    "ultra-feedback": ("chosen-rejected", ULTRA_FEEDBACK),
    "judge-bench": ("judgebench", [JUDGE_BENCH]),
    "auto-j": ("auto-j", AUTO_J),
    "llmbar": ("llmbar", LLM_BAR),
    "pandalm": ("pandalm", PANDA_LM),
    "pandalm judge": ("pandalm-judge", PANDA_LM_JUDGE),
    "feedback forensics": ("feedback-csv", FEEDBACK),
    "long": ("long-votes", "pair,annotator,vote\np,ann,text_a\n"),
}


def file_of(written, sample):
    _, content = SAMPLES[sample]
    if isinstance(content, str):
        return written(content, "table.csv")
    return written("\n".join(map(json.dumps, content)), "table.jsonl")


@pytest.mark.parametrize("sample", SAMPLES)
def test_each_sample_is_recognised_by_its_own_format_alone(written, sample):
    (source,) = sources(file_of(written, sample))
    found = opened(source, Options())
    ranks = {form.name: form.precedence for form in formats("annotations") if form.recognise(found)}
    best = [name for name in ranks if ranks[name] == max(ranks.values())]
    assert best == [SAMPLES[sample][0]]


def test_every_declared_table_has_a_sample():
    assert {table.name for table in TABLES} <= {name for name, _ in SAMPLES.values()}


@pytest.mark.parametrize("ending", ["jsonl", "json", "parquet"])
def test_conversations_of_the_arena_read_alike_from_every_container(written, tmp_path, ending):
    path = tmp_path / f"arena.{ending}"
    if ending == "parquet":
        pl.DataFrame(ARENA_140K).write_parquet(path)
    else:
        path = written(ARENA_140K if ending == "json" else "\n".join(map(json.dumps, ARENA_140K)), path.name)
    pairs = read(path)
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


def test_two_winners_of_one_pair_are_an_error(written):
    from karat import DataError

    text = "text_a,text_b,wins_a,wins_b\nx,y,1,1\nx,y,0,1\nx,z,,\n"
    with pytest.raises(DataError, match=r'row 1, column winner: expected one of model_a, .*; got "1, 1"'):
        read(written(text, "t.csv"))
    pairs = read(written(text, "t.csv"), drop=True)
    assert votes(pairs) == {"winner": ["text_b", "missing"]}


def test_judges_of_mt_bench_are_annotators_and_each_turn_a_pair(written):
    pairs = read(file_of(written, "mt-bench"))
    assert votes(pairs) == {
        "author_2": ["text_b", "text_a"],
        "expert_0": ["both", "missing"],
        "gpt4_pair": ["both", "missing"],
    }
    assert column(pairs, "pair") == ["81:alpaca-13b:gpt-3.5-turbo:1", "81:alpaca-13b:gpt-3.5-turbo:2"]
    assert column(pairs, "prompt") == ["Q1", "Q1"]
    assert column(pairs, "text_a") == ["a1", "assistant: a1\n\nuser: Q2\n\nassistant: a2"]
    assert pairs.default is None


def test_a_judge_who_votes_on_a_pair_again_votes_on_a_pair_of_its_own(written):
    rows = [*MT_BENCH, {**MT_BENCH[1], "winner": "model_a"}]
    pairs = read(written(rows))
    assert votes(pairs)["expert_0"] == ["both", "missing", "text_a"]
    assert column(pairs, "pair")[2] == "81:alpaca-13b:gpt-3.5-turbo:1#2"
    assert pairs.warnings == (
        "1 pair has an id that stands further up already, and is numbered, such as 81:alpaca-13b:gpt-3.5-turbo:1#2",
    )


def test_judgments_of_fastchat_are_pairs_in_both_orders(written):
    pairs = read(file_of(written, "fastchat"))
    frame = pairs.frame.collect()
    assert frame.select("pair", "prompt", "text_a", "text_b").rows() == [
        ("81:alpaca-13b:vicuna-13b:1", "Why?", "x", "y"),
        ("81:vicuna-13b:alpaca-13b:1", "Why?", "y", "x"),
        (
            "81:alpaca-13b:vicuna-13b:2",
            "Q1",
            *(f"assistant: {side}1\n\nuser: Q2\n\nassistant: {side}2" for side in "pq"),
        ),
        (
            "81:vicuna-13b:alpaca-13b:2",
            "Q1",
            *(f"assistant: {side}1\n\nuser: Q2\n\nassistant: {side}2" for side in "qp"),
        ),
    ]
    assert votes(pairs) == {
        "gpt-4 pair-v2": ["text_b", "both", "missing", "missing"],
        "gpt-4 pair-v2-multi-turn": ["missing", "missing", "text_a", "text_a"],
    }


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


def test_further_columns_of_chosen_and_rejected_are_metadata(written):
    pairs = read(written([REWARD_BENCH[0]]))
    assert (pairs.metadata, column(pairs, "pair")) == (("subset",), ["0"])


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


def test_values_may_be_said_otherwise(written):
    said = {"text_a": ["1"], "text_b": ["0"], "both": ["2"]}
    assert votes(read(file_of(written, "auto-j"), vote_values=said)) == {"label": ["text_b", "text_a", "both"]}


def test_the_prompt_of_feedback_forensics_may_be_called_input(written):
    assert column(read(file_of(written, "feedback forensics")), "prompt") == ["Why?", "Why?"]
