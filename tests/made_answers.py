"""Answers as tools and benchmarks write them: each sample has the tool's shape, and is made up."""

import csv
import io
import json

ASKED = "Which city did the tower move to?"
OTHER = "Who built it?"


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


ANSWERED = [(ASKED, "It moved.", "To Lyon.", "Lyon"), (OTHER, "Built.", "It was Anna Roy.", "Bo Li")]
"""Two questions with a passage, an answer and the true one; the first is answered right."""
RAGAS = [
    {"user_input": asked, "retrieved_contexts": [passage], "response": said, "reference": true}
    for asked, passage, said, true in ANSWERED
]
RAGAS_OLD = [
    {"question": asked, "contexts": [passage], "answer": said, "ground_truth": true}
    for asked, passage, said, true in ANSWERED
]
RAGAS_LISTS = [
    {"question": asked, "contexts": [passage], "answer": said, "ground_truths": trues}
    for (asked, passage, said, _), trues in zip(ANSWERED, (["Lyons", "Lyon"], ["Bo Li"]), strict=True)
]
RAGCHECKER = {
    "results": [
        {
            "query_id": f"00{number}",
            "query": asked,
            "gt_answer": true,
            "response": said,
            "retrieved_context": [{"doc_id": f"d{number + 1}", "text": passage}],
        }
        for number, (asked, passage, said, true) in enumerate(ANSWERED)
    ]
}
DEEPEVAL = [
    {"input": asked, "actual_output": said, "expected_output": true, "context": None, "retrieval_context": [passage]}
    for asked, passage, said, true in ANSWERED
]
DEEPEVAL_RUN = {
    "testFile": None,
    "testCases": [
        {
            "name": f"test_case_{number}",
            "input": asked,
            "actualOutput": said,
            "expectedOutput": true,
            "retrievalContext": [passage],
            "success": True,
            "metricsData": [{"name": "Answer Relevancy", "score": 1.0}],
            "order": number,
        }
        for number, (asked, passage, said, true) in enumerate(ANSWERED)
    ],
    "conversationalTestCases": [],
}
TRULENS = [
    {
        "app_name": "tower-bot",
        "app_version": "v1",
        "app_id": "app_hash_1",
        "record_id": f"record_hash_{number}",
        "input": json.dumps(asked),
        "output": json.dumps(said),
        "tags": "-",
        "ts": "2025-01-01",
        "expected_response": true,
    }
    for number, (asked, _, said, true) in enumerate(ANSWERED)
]
LANGSMITH = [
    {
        "inputs.question": asked,
        "outputs.answer": said,
        "outputs.contexts": json.dumps([passage]),
        "error": "",
        "reference.answer": true,
        "feedback.correct": 1 - number,
        "execution_time": (0.3, 0.2)[number],
        "example_id": f"e-{number + 1}",
        "id": f"r-{number + 1}",
    }
    for number, (asked, passage, said, true) in enumerate(ANSWERED)
]
LANGSMITH_RUNS = [
    {
        "id": f"r-{number}",
        "reference_example_id": f"e-{number}",
        "run_type": "chain",
        "inputs": {"question": asked},
        "outputs": {"output": said},
        "reference_outputs": {"answer": true},
    }
    for number, (asked, _, said, true) in enumerate(ANSWERED)
]
CRAG = [
    {"interaction_id": f"c-{number}", "query": asked, "ground_truth": true, "alt_ans": others, "prediction": said}
    for number, asked, true, others, said in [
        (1, ASKED, "the city of Lyon", ["Lyon"], "To Lyon."),
        (2, OTHER, "Bo Li", [], "It was Anna Roy."),
    ]
]
HOTPOTQA = {"answer": {"h1": "To Lyon.", "h2": "It was Anna Roy."}, "sp": {"h1": [["Tower", 0]], "h2": []}}
HOTPOTQA_GOLD = [
    {
        "_id": f"h{number}",
        "question": asked,
        "answer": true,
        "type": "bridge",
        "level": level,
        "supporting_facts": facts,
        "context": context,
    }
    for number, asked, true, level, facts, context in [
        (1, ASKED, "Lyon", "hard", [["Tower", 0]], [["Tower", ["It moved."]]]),
        (2, OTHER, "Bo Li", "easy", [], []),
    ]
]
SQUAD = {"5733be284776f41900661182": "To Lyon.", "5733be284776f4190066117f": "It was Anna Roy."}
SPELLINGS = ([("the city of Lyon", 28), ("Lyon", 40)], [("Bo Li", 13)])
SQUAD_ASKED = [
    {"id": id_, "question": asked, "answers": [{"text": text, "answer_start": start} for text, start in spellings]}
    for id_, asked, spellings in zip(SQUAD, (ASKED, OTHER), SPELLINGS, strict=True)
]
SQUAD_TEXT = {"context": "The tower of Bo Li moved to the city of Lyon.", "qas": SQUAD_ASKED}
SQUAD_GOLD = {"version": "1.1", "data": [{"title": "Tower", "paragraphs": [SQUAD_TEXT]}]}


def result(custom, content, **more):
    message = {"role": "assistant", "content": content, "refusal": None}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-4o",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
    }
    response = {"status_code": 200, "request_id": "q", "body": body}
    return {"id": f"batch_req_{custom}", "custom_id": custom, "response": response, "error": None, **more}


BATCH = [result("h1", "To Lyon."), result("h2", "It was Anna Roy.")]
RGB = [
    {
        "id": number,
        "query": asked,
        "ans": true,
        "label": [label],
        "prediction": said,
        "docs": ["It moved."],
        "noise_rate": 0.6,
        "factlabel": 0,
    }
    for number, (asked, said, true, label) in enumerate(
        [(ASKED, "To Lyon.", ["Lyon"], 1), (OTHER, "It was Anna Roy.", [["Bo Li", "Li"]], 0)]
    )
]
RGB_NAME = "prediction_en_chatgpt_temp0.2_noise0.6_passage5_correct0.0.json"
SAMPLES = {
    "ragas": ("ragas", lines(RAGAS), "a.jsonl", None),
    "ragas as a JSON list": ("ragas", RAGAS, "a.json", None),
    "ragas as CSV": ("ragas", table(RAGAS), "a.csv", None),
    "ragas 0.1": ("ragas-0.1", RAGAS_OLD, "a.json", None),
    "ragas 0.1 with several": ("ragas-0.1", RAGAS_LISTS, "a.json", None),
    "ragchecker": ("ragchecker", RAGCHECKER, "a.json", None),
    "deepeval": ("deepeval", DEEPEVAL, "a.json", None),
    "deepeval run": ("deepeval-run", DEEPEVAL_RUN, "a.json", None),
    "trulens": ("trulens", table(TRULENS), "a.csv", None),
    "langsmith": ("langsmith", table(LANGSMITH), "a.csv", None),
    "langsmith runs": ("langsmith", lines(LANGSMITH_RUNS), "a.jsonl", None),
    "crag": ("crag", lines(CRAG), "a.jsonl", None),
    "hotpotqa": ("hotpotqa", HOTPOTQA, "a.json", HOTPOTQA_GOLD),
    "squad": ("squad", SQUAD, "a.json", SQUAD_GOLD),
    "openai batch": ("openai-batch", lines(BATCH), "a.jsonl", HOTPOTQA_GOLD),
    "rgb": ("rgb-predictions", lines(RGB), RGB_NAME, None),
}
