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


RAGAS = [
    {"user_input": ASKED, "retrieved_contexts": ["It moved."], "response": "To Lyon.", "reference": "Lyon"},
    {"user_input": OTHER, "retrieved_contexts": ["Built."], "response": "It was Anna Roy.", "reference": "Bo Li"},
]
RAGAS_OLD = [
    {"question": ASKED, "contexts": ["It moved."], "answer": "To Lyon.", "ground_truth": "Lyon"},
    {"question": OTHER, "contexts": ["Built."], "answer": "It was Anna Roy.", "ground_truth": "Bo Li"},
]
RAGAS_LISTS = [
    {"question": ASKED, "contexts": ["It moved."], "answer": "To Lyon.", "ground_truths": ["Lyons", "Lyon"]},
    {"question": OTHER, "contexts": ["Built."], "answer": "It was Anna Roy.", "ground_truths": ["Bo Li"]},
]
RAGCHECKER = {
    "results": [
        {
            "query_id": "000",
            "query": ASKED,
            "gt_answer": "Lyon",
            "response": "To Lyon.",
            "retrieved_context": [{"doc_id": "d1", "text": "It moved."}],
        },
        {
            "query_id": "001",
            "query": OTHER,
            "gt_answer": "Bo Li",
            "response": "It was Anna Roy.",
            "retrieved_context": [{"doc_id": "d2", "text": "Built."}],
        },
    ]
}
DEEPEVAL = [
    {
        "input": ASKED,
        "actual_output": "To Lyon.",
        "expected_output": "Lyon",
        "context": None,
        "retrieval_context": ["It moved."],
    },
    {
        "input": OTHER,
        "actual_output": "It was Anna Roy.",
        "expected_output": "Bo Li",
        "context": None,
        "retrieval_context": ["Built."],
    },
]
DEEPEVAL_RUN = {
    "testFile": None,
    "testCases": [
        {
            "name": f"test_case_{number}",
            "input": one["input"],
            "actualOutput": one["actual_output"],
            "expectedOutput": one["expected_output"],
            "retrievalContext": one["retrieval_context"],
            "success": True,
            "metricsData": [{"name": "Answer Relevancy", "score": 1.0}],
            "order": number,
        }
        for number, one in enumerate(DEEPEVAL)
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
    for number, (asked, said, true) in enumerate([(ASKED, "To Lyon.", "Lyon"), (OTHER, "It was Anna Roy.", "Bo Li")])
]
LANGSMITH = [
    {
        "inputs.question": ASKED,
        "outputs.answer": "To Lyon.",
        "outputs.contexts": '["It moved."]',
        "error": "",
        "reference.answer": "Lyon",
        "feedback.correct": 1,
        "execution_time": 0.3,
        "example_id": "e-1",
        "id": "r-1",
    },
    {
        "inputs.question": OTHER,
        "outputs.answer": "It was Anna Roy.",
        "outputs.contexts": '["Built."]',
        "error": "",
        "reference.answer": "Bo Li",
        "feedback.correct": 0,
        "execution_time": 0.2,
        "example_id": "e-2",
        "id": "r-2",
    },
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
    for number, (asked, said, true) in enumerate([(ASKED, "To Lyon.", "Lyon"), (OTHER, "It was Anna Roy.", "Bo Li")])
]
CRAG = [
    {
        "interaction_id": "c-1",
        "query": ASKED,
        "ground_truth": "the city of Lyon",
        "alt_ans": ["Lyon"],
        "prediction": "To Lyon.",
    },
    {"interaction_id": "c-2", "query": OTHER, "ground_truth": "Bo Li", "alt_ans": [], "prediction": "It was Anna Roy."},
]
HOTPOTQA = {"answer": {"h1": "To Lyon.", "h2": "It was Anna Roy."}, "sp": {"h1": [["Tower", 0]], "h2": []}}
HOTPOTQA_GOLD = [
    {
        "_id": "h1",
        "question": ASKED,
        "answer": "Lyon",
        "type": "bridge",
        "level": "hard",
        "supporting_facts": [["Tower", 0]],
        "context": [["Tower", ["It moved."]]],
    },
    {
        "_id": "h2",
        "question": OTHER,
        "answer": "Bo Li",
        "type": "bridge",
        "level": "easy",
        "supporting_facts": [],
        "context": [],
    },
]
SQUAD = {"5733be284776f41900661182": "To Lyon.", "5733be284776f4190066117f": "It was Anna Roy."}
SQUAD_GOLD = {
    "version": "1.1",
    "data": [
        {
            "title": "Tower",
            "paragraphs": [
                {
                    "context": "The tower of Bo Li moved to the city of Lyon.",
                    "qas": [
                        {
                            "id": "5733be284776f41900661182",
                            "question": ASKED,
                            "answers": [
                                {"text": "the city of Lyon", "answer_start": 28},
                                {"text": "Lyon", "answer_start": 40},
                            ],
                        },
                        {
                            "id": "5733be284776f4190066117f",
                            "question": OTHER,
                            "answers": [{"text": "Bo Li", "answer_start": 13}],
                        },
                    ],
                }
            ],
        }
    ],
}


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
OWN = [{"id": "1", "ability": "noise_robustness", "response": "Lyon", "answer": "Lyon", "question": ASKED}]
