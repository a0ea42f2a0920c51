"""What tests of commands that ask a model share."""

import json

import pytest

from made_pairs import comparison, document


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with small inputs of all commands, in which the test stands. Of the answers, two are equal."""
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
        (tmp_path / name).write_text(lines)
    monkeypatch.chdir(tmp_path)
    return tmp_path
