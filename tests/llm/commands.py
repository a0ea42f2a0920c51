"""Commands that ask a model, on the small inputs of the fixture `folder`."""

ASKS = {
    "label": "annotations label pairs.json --traits traits.toml --output out.json",
    "predict": "preferences predict items.jsonl --predictor judge --criteria q --output out.tsv",
    "shots": "preferences predict items.jsonl --predictor judge --train train.jsonl --shots 2 --criteria q --output out.tsv",
    "baseline": "preferences predict items.jsonl --predictor baseline --criteria q --output out.tsv",
    "judge": "preferences judge gold.jsonl ours.tsv --criteria q --output out.jsonl",
    "answer": "rag answer prompts.jsonl --output out.jsonl",
    "rag judge": "rag judge answers.jsonl --questions prompts.jsonl --output out.jsonl",
    "check": "violations check texts.csv --rules rules.csv --output out.jsonl",
    "plant": "violations plant texts.csv --rules rules.csv --output out.jsonl",
}

READS = {
    "label": "annotations out.json --reference ann",
    "predict": "preferences gold.jsonl out.tsv --criteria q",
    "shots": "preferences check out.tsv --gold items.jsonl --criteria q --explanations",
    "baseline": "preferences check out.tsv --gold items.jsonl --criteria q",
    "judge": "preferences gold.jsonl ours.tsv --criteria q --verdicts out.jsonl",
    "answer": "rag out.jsonl",
    "rag judge": "rag answers.jsonl --verdicts out.jsonl",
    "check": "violations truth.jsonl out.jsonl",
    "plant": "violations out.jsonl out.jsonl --checker same",
}
"""The command that reads what each of them writes."""

CALLS = {
    "label": 3,
    "predict": 4 * 2,
    "shots": (4 - 2 + 4) * 2,
    "baseline": 4,
    "judge": 4,
    "answer": 3,
    "rag judge": 3,
    "check": 2,
    "plant": 2 + 1,
}
"""Calls of each: pairs, items or texts, times orders; of some the first step's."""
