"""A real model server: `transformers serve` with tiny models that are made here."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import adjudge

for module in ("inspect_ai", "torch", "transformers", "fastapi"):
    pytest.importorskip(module, reason="a model server needs adjudge[models,embeddings]")

from llm.tiny import tiny_model
from made import EXAMPLES

pytestmark = [
    pytest.mark.models,
    # sockets that Inspect leaves to the garbage collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"),
]


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


PROMPTS = [
    "Which response shows it more strongly? polite: is more polite.",
    "Does the passage break the rule: yes or no?",
]


def test_a_model_that_was_trained_to_answer_a_or_b_gives_labels_and_a_random_one_none(server, tmp_path):
    document = json.loads((EXAMPLES / "annotations" / "pairs.json").read_text(encoding="utf-8"))
    document["comparisons"] = document["comparisons"][:4]
    (tmp_path / "pairs.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "traits.toml").write_text('[traits]\npolite = "is more polite"\n')

    def labelled(model, name, **more):
        how = {"model": f"openai-api/local/{model}", "base_url": server, "concurrency": 2, **more}
        traits = tmp_path / "traits.toml"
        return adjudge.label_annotations(tmp_path / "pairs.json", traits=traits, output=tmp_path / name, **how).tally

    tally = labelled(tiny_model(tmp_path / "random", PROMPTS), "random.json", max_tokens=12)
    assert (tally.unparseable, tally.answered) == (tally.asked, 0)
    answers = [f'FINAL VERDICT = {{"polite": "{side}"}}' for side in "AB"]
    model = tiny_model(tmp_path / "trained", PROMPTS, answers)
    tally = labelled(model, "labelled.json")
    assert tally.answered == tally.asked == 4
    document = json.loads((tmp_path / "labelled.json").read_text(encoding="utf-8"))
    votes = [one["annotations"][f"polite|openai-api/local/{model}"]["pref"] for one in document["comparisons"]]
    assert set(votes) <= {"a", "b"}
    report = adjudge.annotations(tmp_path / "labelled.json", reference="lena")
    figure = report.estimate("coverage", table="agreement", annotator=f"polite|openai-api/local/{model}")
    assert (figure.value, figure.n) == (1.0, 4)
