"""Made-up rows in the shape in which tools and data sets write pairs into tables: name -> format and content."""


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

BATTLES = [
    {"model_a": "m", "model_b": "n", "winner": winner, "judge": "arena_user_1", "turn": 1, "anony": True, "language": "English", "tstamp": 1.5}
    for winner in ("model_a", "tie (bothbad)")
]  # fmt: skip
SHP = [
    {"post_id": "p1", "domain": "askculinary_train", "history": "Why?", "c_root_id_A": "h1", "c_root_id_B": "h2", "score_A": 3, "score_B": 9,
     "human_ref_A": "So.", "human_ref_B": "No.", "labels": label}
    for label in (0, 1)
]  # fmt: skip
SAFE_RLHF = [
    {"prompt": "Why?", "response_0": "So.", "response_1": "No.", "is_response_0_safe": True, "is_response_1_safe": False, "better_response_id": 0, "safer_response_id": 1}
]  # fmt: skip

SAMPLES = {
    "shp": ("shp", SHP),
    "safe-rlhf": ("safe-rlhf", SAFE_RLHF),
    "battles": ("arena", BATTLES),
    "arena 33k": ("arena", ARENA_33K),
    "arena 140k": ("arena", ARENA_140K),
    "arena 55k": ("one-hot", ARENA_55K),
    "mt-bench": ("mt-bench", MT_BENCH),
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
