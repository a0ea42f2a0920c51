"""Small inputs of all commands that ask a model, and these commands."""

import json
from pathlib import Path

from made_pairs import comparison, document


def small_inputs(folder: Path) -> Path:
    """A folder with inputs of each command; of the answers, two are equal."""
    items = [{"id": n, "instruction": f"Say {n}.", "output_a": f"{n}!", "output_b": f"Well, {n}."} for n in "1234"]
    labels = {"q_preference": "A", "q_explanation": "it is shorter"}
    asked = {"ability": "noise_robustness", "noise_ratio": 0.0, "answer": ["Lima"]}
    prompts = [{"id": n, **asked, "query": f"Where is {n}?", "documents": ["It is in Lima."]} for n in "123"]
    text = "The best tea. It heals."
    content = {
        "pairs.json": [document(*(comparison(n, {"ann": "a"}, a=f"yes {n}") for n in "123"))],
        "traits.toml": '[traits]\nwarm = "is warmer"\nbrief = "is shorter"\n',
        "items.jsonl": items,
        "gold.jsonl": [item | labels for item in items],
        "train.jsonl": [item | labels | {"id": f"t{item['id']}", "instruction": "Once."} for item in items],
        "ours.tsv": "id\tq_preference\tq_explanation\n" + "".join(f"{n}\tA\tshorter {n}\n" for n in "1234"),
        "prompts.jsonl": prompts,
        "answers.jsonl": [{"id": n, **asked, "model": "m", "response": f"Lima {max(n, '2')}"} for n in "123"],
        "texts.csv": f"id,text\n1,{text}\n2,Plain words.\n",
        "truth.jsonl": [
            {"id": "1", "text": text, "violations": [{"start": 4, "end": 8, "rule": "calm"}]},
            {"id": "2", "text": "Plain words.", "violations": []},
        ],
        "rules.csv": "rule,description\ncalm,no superlatives\nplain,no claims\n",
    }
    for name, rows in content.items():
        lines = rows if isinstance(rows, str) else "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / name).write_text(lines)
    return folder


COMMANDS = {
    "label": (
        "annotations label pairs.json --traits traits.toml --output out.json",
        "annotations out.json --reference ann",
    ),
    "draws": (
        "annotations label pairs.json --traits traits.toml --draws 3 --traits-per-prompt 1 --output out.parquet",
        "annotations out.parquet --reference ann",
    ),
    "predict": (
        "preferences predict items.jsonl --predictor judge --criteria q --output out.tsv",
        "preferences gold.jsonl out.tsv --criteria q",
    ),
    "shots": (
        "preferences predict items.jsonl --predictor judge --train train.jsonl --shots 2 --criteria q --output out.tsv",
        "preferences check out.tsv --gold items.jsonl --criteria q --explanations",
    ),
    "baseline": (
        "preferences predict items.jsonl --predictor baseline --criteria q --output out.tsv",
        "preferences check out.tsv --gold items.jsonl --criteria q",
    ),
    "judge": (
        "preferences judge gold.jsonl ours.tsv --criteria q --output out.jsonl",
        "preferences gold.jsonl ours.tsv --criteria q --verdicts out.jsonl",
    ),
    "answer": ("rag answer prompts.jsonl --output out.jsonl", "rag out.jsonl"),
    "rag judge": (
        "rag judge answers.jsonl --questions prompts.jsonl --output out.jsonl",
        "rag answers.jsonl --verdicts out.jsonl",
    ),
    "check": (
        "violations check texts.csv --rules rules.csv --output out.jsonl",
        "violations truth.jsonl out.jsonl",
    ),
    "index": (
        "violations check texts.csv --rules rules.csv --checker zeroshot-index --output out.jsonl",
        "violations truth.jsonl out.jsonl",
    ),
    "sentences": (
        "violations check texts.csv --rules rules.csv --checker brute-context-classifier --output out.jsonl",
        "violations truth.jsonl out.jsonl",
    ),
    "explainer": (
        "violations check texts.csv --rules rules.csv --checker self-consistent-explainer --draws 3 --output out.jsonl",
        "violations truth.jsonl out.jsonl",
    ),
    "plant": (
        "violations plant texts.csv --rules rules.csv --output out.jsonl",
        "violations out.jsonl out.jsonl --checker same",
    ),
}
"""Each command, and the one that reads what it writes."""

CALLS = {
    "label": 3,
    "draws": 3 * 2 * 3,
    "predict": 4 * 2,
    "shots": (4 - 2 + 4) * 2,
    "baseline": 4,
    "judge": 4,
    "answer": 3,
    "rag judge": 3,
    "check": 2,
    "index": 2,
    "sentences": 3 * 2,
    "explainer": 2 * 3,
    "plant": 2 + 1,
}
"""Calls of each: pairs, items, texts or sentences, times orders, traits, draws or rules; of some the first step's."""
