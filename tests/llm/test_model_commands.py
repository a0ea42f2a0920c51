"""Commands that ask a model, from the command line: with Inspect's mock model, and what they say of mistakes."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from llm.commands import ASKS, CALLS, READS
from llm.server import ModelServer, serving

ANSWERS = "answers.jsonl"
STEPS = "only the first step is counted; how much the later ones ask depends on its answers\n"


# --- without a model ---


@pytest.mark.parametrize("name", ASKS)
def test_a_dry_run_counts_and_shows_and_asks_nothing(folder, adjudge, name):
    before = sorted(folder.iterdir())
    status, out, err = adjudge(*ASKS[name].split(), "--model", "openai/m", "--dry-run")
    assert (status, err) == (0, STEPS if name == "plant" else "")
    assert out.splitlines()[-1].startswith(f"{CALLS[name]} calls, about ")
    assert out.count(f" of {CALLS[name]} ---\n") == 1
    assert sorted(folder.iterdir()) == before


def test_a_judge_of_answers_sees_questions_and_truths_of_a_file_of_their_own(folder, adjudge):
    (folder / "predicted.json").write_text(json.dumps({"answer": {"5a8b": "In Lima."}, "sp": {"5a8b": []}}))
    gold = [{"_id": "5a8b", "question": "Where is it?", "answer": "Peru", "supporting_facts": []}]
    (folder / "hotpot.json").write_text(json.dumps(gold))
    words = ["rag", "judge", "predicted.json", "--model", "openai/m", "--dry-run", "--output", "out.jsonl"]
    status, out, _ = adjudge(*words, "--gold", "hotpot.json")
    assert status == 0
    assert all(said in out for said in ("Where is it?", "Peru", "In Lima."))
    status, _, err = adjudge(*words)
    assert status == 1
    assert err.startswith("error: predicted.json: expected the true answers too")


def test_a_dry_run_says_what_it_costs(folder, adjudge):
    (folder / "prices.toml").write_text('["openai/m"]\ninput = 0\noutput = 1000\n')
    words = [*ASKS["judge"].split(), "--model", "openai/m", "--dry-run", "--prices", "prices.toml"]
    # 4 x {"reason": "...", "verdict": "yes|no"}: 38 characters are 10 tokens, and the text has 40; at 1,000 a million
    assert adjudge(*words)[1].endswith(" and 200 to write; cost 0.20\n")
    status, _, err = adjudge(*words, "--model", "other/m")
    assert status == 2
    assert 'expected a table ["other/m"]' in err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ("annotations label none.json --output out.json", 2, "none.json"),
        ("annotations label pairs.json --output out.csv", 2, "expected a name that ends in one of .json, .parquet"),
        ("annotations label pairs.json --traits none.toml --output out.json", 2, "none.toml: no such file"),
        ("annotations label pairs.json --output none/out.json", 2, "no such folder: none"),
        ("preferences judge gold.jsonl ours.tsv --criteria q --prompt none.toml --output out.jsonl", 2, "none.toml"),
        ("rag answer answers.jsonl --output out.jsonl", 1, "line 1: expected an object with id, query, ability"),
        ("rag judge answers.jsonl --output answers.jsonl", 2, "answers.jsonl: would overwrite an input"),
        ("violations check texts.csv --rules none.csv --output out.jsonl", 2, "none.csv"),
        ("violations check rules.csv --rules rules.csv --output out.jsonl", 1, "rules.csv: missing columns"),
    ],
)
def test_mistakes_end_the_command_before_anything_is_asked(folder, adjudge, words, status, said):
    found, out, err = adjudge(*words.split(), "--model", "openai/m")
    assert (found, out) == (status, "")
    assert said in err
    assert not list(folder.glob("*.logs"))


# --- with Inspect's mock model ---


@pytest.fixture
def inspect():
    """Skips the test where Inspect is not installed."""
    return pytest.importorskip("inspect_ai", reason="asking models needs adjudge[models]")


def marked(function):
    # sockets that Inspect leaves to the garbage collector
    ignored = ("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
    for mark in (pytest.mark.models, pytest.mark.usefixtures("inspect"), pytest.mark.filterwarnings(*ignored)):
        function = mark(function)
    return function


@marked
@pytest.mark.parametrize("name", ASKS)
def test_each_command_works_with_the_mock_model_and_asks_nothing_twice(folder, adjudge, name):
    words = [*ASKS[name].split(), "--model", "mockllm/model"]
    output = folder / ASKS[name].split()[-1]
    status, out, err = adjudge(*words)
    assert status == 0, err
    count = int(out.split(": ")[1].split(" ")[0].replace(",", ""))
    assert count >= CALLS[name] if name == "plant" else count == CALLS[name]
    assert f"{count} answered (0 known from before), 0 refused, 0 unparseable, 0 failed" in out
    first = output.read_bytes()
    status, out, _ = adjudge(*words)
    assert f"{count} answered ({count} known from before)" in out
    assert output.read_bytes() == first
    status, out, err = adjudge(*READS[name].split())
    assert status == 0, err


@marked
@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("nowhere/model", "error: nowhere/model: "),
        ("openai/gpt-x", "error: openai/gpt-x: the model cannot be used\n  found: no OPENAI_API_KEY"),
    ],
)
def test_a_model_that_cannot_be_used_is_named(folder, adjudge, monkeypatch, model, said):
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    status, out, err = adjudge(*ASKS["answer"].split(), "--model", model)
    assert (status, out) == (4, "")
    assert err.startswith(said)


@marked
def test_a_full_disk_is_told_in_a_line_and_no_call_is_said_to_have_failed(folder):
    words = [*ASKS["answer"].split(), "--model", "mockllm/model"]
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (600, 600))
    command = [sys.executable, "-B", "-m", "adjudge", *words]  # bytecode would be cut off, and used later
    ran = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert ran.stderr == "error: out.jsonl.logs/answers.jsonl: cannot be written: File too large\n"
    assert ran.returncode == 2
    assert not (folder / "out.jsonl").exists()


@marked
def test_ctrl_c_keeps_what_was_answered(folder, adjudge):
    prompts = [{"id": str(n), "ability": "noise_robustness", "query": f"Where is {n}?"} for n in range(60)]
    (folder / "prompts.jsonl").write_text("".join(f"{json.dumps({**one, 'answer': ['Lima']})}\n" for one in prompts))
    server = ModelServer(lambda prompt, body: "In Lima.", delay=0.5)
    journal = folder / "out.jsonl.logs" / ANSWERS

    def answered():
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    with serving(server) as url:
        asked = ["--model", "openai-api/local/m", "--base-url", url, "--concurrency", "2"]
        words = [*ASKS["answer"].split(), *asked]
        command = [sys.executable, "-m", "adjudge", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            end = time.monotonic() + 120
            while answered() < 4 and running.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=60)
        assert running.returncode == 130, err
        assert "the same command takes the work up where it stopped" in err
        assert not (folder / "out.jsonl").exists()
        kept, sent = answered(), len(server.requests)
        assert kept < len(prompts)
        server.delay = 0
        _, out, _ = adjudge(*words)
    assert f"60 answered ({kept} known from before)" in out
    assert len(server.requests) == sent + 60 - kept
    assert kept <= sent <= kept + 2
