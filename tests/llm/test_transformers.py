"""A real model server: `transformers serve` with tiny models that are made here."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import polars as pl
import pytest

import adjudge
from adjudge.errors import MissingError

for module in ("inspect_ai", "torch", "transformers", "fastapi"):
    pytest.importorskip(module, reason="a model server needs adjudge[models,embeddings]")

from llm.tiny import tiny_model

pytestmark = pytest.mark.models
EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The address of `transformers serve`, which loads whatever model is asked, from its folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [Path(sys.executable).parent / "transformers", "serve", "--port", port, "--device", "cpu"]
    log = (tmp_path_factory.mktemp("server") / "serve.log").open("w+")
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).read()
                break
            except OSError:
                if process.poll() is not None:
                    raise RuntimeError(Path(log.name).read_text()) from None
                time.sleep(0.25)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()
        log.close()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Small inputs of every command."""
    folder = tmp_path_factory.mktemp("inputs")
    lines = (EXAMPLES / "annotations" / "pairs.json").read_text(encoding="utf-8")
    document = json.loads(lines)
    document["comparisons"] = document["comparisons"][:4]
    (folder / "pairs.json").write_text(json.dumps(document), encoding="utf-8")
    gold = pl.read_ndjson(EXAMPLES / "preferences" / "gold.jsonl").head(3)
    gold.write_ndjson(folder / "gold.jsonl")
    ids = gold["id"].to_list()
    careful = pl.read_csv(EXAMPLES / "preferences" / "careful.tsv", separator="\t", infer_schema=False)
    careful.filter(pl.col("id").is_in(ids)).write_csv(folder / "careful.tsv", separator="\t")
    prompt = {"id": "q1", "ability": "noise_robustness", "noise_ratio": 0.0, "query": "Where?", "answer": [["Lima"]]}
    (folder / "prompts.jsonl").write_text(json.dumps({**prompt, "documents": [{"text": "In Lima."}]}) + "\n")
    text = {"id": "t1", "text": "The best tea. It heals.", "violations": []}
    (folder / "texts.jsonl").write_text(json.dumps(text) + "\n")
    (folder / "rules.csv").write_text("rule,description\nno superlatives,nothing is the best\n")
    (folder / "traits.toml").write_text('[traits]\npolite = "is more polite"\n')
    return folder


PROMPTS = [
    "Which response shows it more strongly? polite: is more polite.",
    "Does the passage break the rule: yes or no?",
]


def test_every_command_counts_the_random_words_of_a_model_as_unparseable(inputs, server, tmp_path):
    model = tiny_model(tmp_path / "random", PROMPTS)
    how = {"model": f"openai-api/local/{model}", "base_url": server, "concurrency": 2, "max_tokens": 12}
    work = {
        "label": lambda **more: adjudge.label_annotations(inputs / "pairs.json", traits=inputs / "traits.toml", **more),
        "judge": lambda **more: adjudge.judge_preferences(
            inputs / "gold.jsonl", inputs / "careful.tsv", criteria="safety", **more
        ),
        "check": lambda **more: adjudge.check_violations(inputs / "texts.jsonl", rules=inputs / "rules.csv", **more),
        "predict": lambda **more: adjudge.predict_preferences(inputs / "gold.jsonl", predictor="judge", **more).asked,
    }
    endings = {"label": "labelled.json", "predict": "ours.tsv"}
    for name, run in work.items():
        tally = run(output=tmp_path / endings.get(name, f"{name}.jsonl"), **how).tally
        assert (tally.unparseable, tally.answered) == (tally.asked, 0), name
    answers = tmp_path / "answers.jsonl"
    with pytest.raises(MissingError, match=r"(?s)1 call was made, none answered, .*1 x the answer was cut off"):
        adjudge.answer_rag(inputs / "prompts.jsonl", output=answers, **how | {"max_tokens": None})
    assert not answers.exists()
    prompt = json.loads((inputs / "prompts.jsonl").read_text(encoding="utf-8"))
    given = {**prompt, "model": "m", "response": "In Lima."}
    answers.write_text(json.dumps(given) + "\n", encoding="utf-8")
    tally = adjudge.judge_rag(answers, output=tmp_path / "verdicts.jsonl", **how).tally
    assert tally.unparseable == tally.asked == 1


def test_a_model_that_was_trained_to_answer_a_or_b_gives_labels(inputs, server, tmp_path):
    answers = [f'FINAL VERDICT = {{"polite": "{side}"}}' for side in "AB"]
    model = tiny_model(tmp_path / "trained", PROMPTS, answers)
    tally = adjudge.label_annotations(
        inputs / "pairs.json",
        traits=inputs / "traits.toml",
        model=f"openai-api/local/{model}",
        base_url=server,
        concurrency=2,
        output=tmp_path / "labelled.json",
    ).tally
    assert tally.answered == tally.asked == 4
    document = json.loads((tmp_path / "labelled.json").read_text(encoding="utf-8"))
    votes = [one["annotations"][f"polite|openai-api/local/{model}"]["pref"] for one in document["comparisons"]]
    assert set(votes) <= {"a", "b"}
    report = adjudge.annotations(tmp_path / "labelled.json", reference="lena")
    figure = report.estimate("coverage", table="agreement", annotator=f"polite|openai-api/local/{model}")
    assert (figure.value, figure.n) == (1.0, 4)
