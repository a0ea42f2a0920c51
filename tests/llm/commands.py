"""Commands that ask a model, on the small inputs of the fixture `folder`."""

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
