"""What pages print to be run: the lines of their blocks of code, how they are run, and the files that they need.

A line runs as it is printed, in a folder with a copy of examples/ and with what earlier lines of the page wrote.
"""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from llm.scripted import batch_results
from made import EXAMPLES
from made_answers import SAMPLES as ANSWERS
from made_labels import ARGILLA, LABEL_STUDIO
from made_marks import SAMPLES as MARKS

SHELL = ("cp ", "head ", "mkdir ", "tail ")
"""What a page does with files between its commands."""
NOT_OURS = ("pip ", "inspect ")
"""What else stands in blocks of commands, and is no command of Adjudge."""


def steps(text: str) -> list[tuple[str, str]]:
    """What happens on a page, in its order: each `command`, each block of `python`, and the `output` shown below them.

    Commands are those in blocks of code, indented or fenced, each on one line, and what is done between them. Those of
    a workflow, which stand behind `run:` or `entry:` or are folded below it, are among them. What is not understood is kept as it
    is, for running it to fail. A block that begins with `# NAME.toml` is a `file` of that name.
    """
    found: list[tuple[str, str]] = []
    for part in re.split(r"^(```(?:python|text|toml\n# [\w.]+\.toml)\n.*?^```)$", text, flags=re.MULTILINE | re.DOTALL):
        if shown := re.fullmatch(r"```(python|text|toml)\n(.*)```", part, re.DOTALL):
            found.append(({"text": "output", "toml": "file"}.get(shown[1], shown[1]), shown[2]))
        else:
            found += [("command", line) for line in _commands(part)]
    return found if any("adjudge" in code for kind, code in found if kind != "output") else []


def _commands(text: str) -> list[str]:
    text = re.sub(r"[ \t]*\\\n\s*", " ", text)
    lines: list[str] = []
    folded = False
    for line in code_lines(text):
        if folded and line.startswith("--"):
            lines[-1] += f" {line}"
            continue
        command = re.sub(r"^(?:- )?(?:(?:run|entry): )?(?=adjudge )", "", line)
        command = re.sub(r'^with: \{command: "(.*)"\}$', r"adjudge \1", command)
        code = re.sub(r"(^|\s)#.*", "", command)
        folded = bool(re.search(r"\badjudge [a-z]", code)) and not code.startswith(NOT_OURS)
        if folded or command.startswith(SHELL):
            lines.append(command)
    return lines


def code_lines(text: str) -> Iterator[str]:
    """The lines of blocks of code, indented or fenced."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield re.sub(r"`[^`]*`", "", line).strip()  # in a list, text is indented too


def cut(output: str, shown: str) -> str:
    """As much of an output as a page shows: all of it, or the lines around one of three dots."""
    lines = [line.rstrip() for line in output.replace("\u00a0", " ").strip("\n").splitlines()]
    before, dots, after = shown.partition("...\n") if "...\n" in shown.splitlines(keepends=True) else (shown, "", "")
    if dots:
        lines = [*lines[: before.count("\n")], "...", *lines[len(lines) - after.count("\n") :]]
    return "\n".join(lines) + "\n"


def run(adjudge: Callable[..., tuple[int, str, str]], line: str) -> tuple[int, str, str]:
    """Runs a line where the test stands; returns its exit status, what it printed and what it said of errors."""
    if line.startswith(SHELL):
        done = subprocess.run(["sh", "-ec", line], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr
    program, *words = shlex.split(line, comments=True)
    if program != "adjudge":
        return -1, "", "not a command that the test can run"
    output = None
    if ">" in words:
        *words, _, output = words
    status, out, error = adjudge(*words)
    if output is not None:
        Path(output).write_text(out, encoding="utf-8")
    if "--batch-file" in words:  # and somebody has the model answer it
        batch_results(Path(words[words.index("--batch-file") + 1]), Path("results.jsonl"), _answer)
    if status in {0, 3} and not {"--batch-file", "--dry-run"} & {*words}:
        outputs = [word for before, word in pairwise(words) if before == "--output"]
        if missing := [name for name in outputs if not Path(name).exists()]:
            return -1, out, f"{', '.join(missing)} was not written"
    return status, out, error


def run_python(code: str, names: dict[str, Any]) -> None:
    """Runs a block of Python, and the tests that it defines. names: those that blocks above it made."""
    exec(code, names)  # noqa: S102 - our own page
    for test in [name for name in names if name.startswith("test_")]:
        names.pop(test)()


# --- what takes the place of a model, of the explorer and of people ---


class Answering:
    """In the place of a model: answers each question at random, in the form that it asks for."""

    def __init__(self, *_: object) -> None:
        pass

    def ask(self, calls: Iterable[tuple[str, Any]], keep: Callable[..., None]) -> None:
        from adjudge.llm.calls import Reply, Status

        for key, call in calls:
            keep(key, call, Reply(Status.ANSWERED, call.form.checked(_answer(call.form.schema, key)), "so it is"))


def _answer(schema: dict[str, Any] | None, seed: str = "") -> object:
    from adjudge.llm.inspecting import mock_value as _value

    if schema is None:
        return "A made-up answer."
    if set(schema.get("properties", {})) == {"verdict"}:
        schema = schema["properties"]["verdict"]
    return _value(schema, Random(seed))


def looked_at(options) -> None:
    """In the place of the explorer: reads what it would show, and stops."""
    from adjudge.explorer import _check
    from adjudge.explorer.inputs import open_inputs

    for path in options.files:
        _check(path)
    open_inputs.cache_clear()  # other tests have files of the same names
    assert options.browser
    assert open_inputs(options.files, options.evaluation or "")


def judged(seed: int) -> bytes:
    """Pairs of violations with people's judgments: the same where they overlap by most of their characters."""
    random = Random(seed)
    text = "Cures headache, the best tea ever, free of charge for all of you."
    lines = {}
    for number in range(200):
        start, shift = random.randrange(20), random.randrange(12)
        rule = random.choice(["a b", "a c", "d"])
        lines[number % 25, start, shift, rule] = {  # one answer on each pair
            "id": f"t{number % 25}",
            "text": text,
            "predicted": {"start": start, "end": start + 12, "rule": rule},
            "ground_truth": {"start": start + shift, "end": start + shift + 12, "rule": "a b"},
            "same": (shift < 4) is (random.random() < 0.95),
        }
    return _lines(lines.values())


# --- files that pages name, and neither examples/ nor their own commands hold ---


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


DOCCANO = [{"id": 1, "text": "Good.", "label": ["kind"]}, {"id": 2, "text": "Bad.", "label": ["rude"]}]
LM_EVAL = [
    {"doc_id": n, "doc": {"question": "?"}, "target": "kind", "resps": [[said]], "filtered_resps": [said],
     "filter": "strict-match", "metrics": ["exact_match"], "arguments": {}, "doc_hash": "d", "exact_match": 1.0}
    for n, said in enumerate(["kind", "rude"])
]  # fmt: skip
SPANS = [{"start": 4, "end": 9, "label": "claim"}]
XSUM = """bbcid,system,summary,hallucination_type,hallucinated_span,hallucinated_span_start,hallucinated_span_end,worker_id
1,one,Lima is large.,extrinsic,large,9,13,wid_0
1,one,Lima is large.,extrinsic,large,9,13,wid_1
2,one,Tea is red.,intrinsic,red,8,10,wid_0
2,one,Tea is red.,intrinsic,Tea,1,3,wid_1
"""
_, RAGAS, _, _ = ANSWERS["ragas"]
_, HOTPOT, _, HOTPOT_GOLD = ANSWERS["hotpotqa"]
HUMAN = """id,model,ability,noise_ratio,correct
q1,north,noise_robustness,0.0,true
q1,south,noise_robustness,0.0,true
q2,south,noise_robustness,0.8,false
q3,south,noise_robustness,0.4,false
"""
ANSWERED = {
    "model": "m",
    "results": [{"id": "q1", "question": "Who?", "gold": ["Goethe"], "output": {"text": "Goethe"}}],
}
LABELS = Path(__file__).parent / "data" / "labels"


GOLD = [json.loads(line) for line in (EXAMPLES / "preferences" / "gold.jsonl").read_text(encoding="utf-8").splitlines()]


def _answers_of(model: str) -> bytes:
    """The answers of one model of the example, as of a model of the reader's."""
    rows = map(json.loads, (EXAMPLES / "rag" / "answers.jsonl").read_text(encoding="utf-8").splitlines())
    return _lines([{**row, "model": "ours"} for row in rows if row["model"] == model])


def _sampled() -> bytes:
    """200 items that a judge labelled, and humans most of 50 German ones and some of the English ones."""
    rows = ["item,annotator,label,language"]
    for number in range(200):
        german = number < 50
        label = "no" if number % 3 else "yes"
        ends = f"{label},{'de' if german else 'en'}"
        rows.append(f"i{number},gpt,{ends if number % 7 else ends.replace('no', 'yes')}")
        if number % 10 if german else number % 2:
            rows += [f"i{number},{name},{ends}" for name in ("ana", "ben")]
    return "\n".join(rows).encode()


STAND_INS: dict[str, bytes] = {
    "after.jsonl": _answers_of("north"),
    "ana.jsonl": _lines(DOCCANO),
    "before.jsonl": _answers_of("south"),
    "ben.jsonl": _lines([DOCCANO[0], {**DOCCANO[1], "label": ["kind"]}]),
    "bookmarks.csv": b"book,page,answer,gold\nb1,1,yes,Y\nb1,2,no,Y\nb2,1,no,N\n",
    "eval.txt": b"Ana B-PER B-PER\nsleeps O O\n\nin O O\nRome B-LOC O\n",
    "example.jq": b".key as $key | .answers[] | {item: $key, annotator: .by, label: .tone}",
    "export.json": b'[{"key": 7, "answers": [{"by": "ana", "tone": "kind"}, {"by": "ben", "tone": "rude"}]}]',
    "form.csv": b"Q1,Q2_1,Q2_2,Q2_3\nlead,a,b,a\nana,a,b,b\nben,a,a,a\n",
    "gold.jsonl": _lines(GOLD),
    "hallucination_annotations_xsum_summaries.csv": XSUM.encode(),
    "hotpot_dev.json": json.dumps(HOTPOT_GOLD).encode(),
    "human.csv": HUMAN.encode(),
    "items.jsonl": _lines(GOLD[40:]),
    "judged.jsonl": judged(0),
    "keyed.jsonl": _lines([{"id": n, "labels": {"ana": "ab"[n % 2], "ben": "a"}} for n in range(6)]),
    "labels.csv": _sampled(),
    "marked.jsonl": _lines([{"id": "1", "text": "Tea heals.", "gold_spans": SPANS, "predicted_spans": SPANS}]),
    "nested.json": json.dumps([{"task": {"id": 1, "gold": "a"}, "votes": [{"by": "ana", "says": "a"}]}]).encode(),
    "ours.tsv": (EXAMPLES / "preferences" / "careful.tsv").read_bytes(),
    "predictions.json": json.dumps(HOTPOT).encode(),
    "project.json": json.dumps(LABEL_STUDIO).encode(),
    "ragas.jsonl": RAGAS.encode(),
    "records.json": json.dumps(ARGILLA).encode(),
    "rules.csv": b"rule,description\nno jargon,say it in plain words\n",
    "run.json": json.dumps(ANSWERED).encode(),
    "samples_tone_2025-01-01T00-00-00.jsonl": _lines(LM_EVAL),
    "texts.jsonl": b'{"id": "t1", "text": "Our lighting solution is new."}\n',
    "tokens.jsonl": b'{"id": 1, "tokens": ["Tea", "heals"], "gold": ["O", "B-claim"], "ours": ["O", "B-claim"]}\n',
    "train.jsonl": _lines(GOLD[:40]),
    **{name: (LABELS / name).read_bytes() for name in ("survey.csv", "survey_gold.csv")},
}
"""Exports of other tools, and what readers fill in, for the pages that name them."""


def lay_out(page: Path, folder: Path, adjudge: Callable[..., tuple[int, str, str]]) -> None:
    """Puts a copy of examples/ into a folder, in which the test stands, and whatever else a page's commands need."""
    shutil.copytree(EXAMPLES, folder / "examples")
    text = page.read_text(encoding="utf-8")
    for name, content in STAND_INS.items():
        if name in text:
            (folder / name).write_bytes(content)
    if page.name == "commands.md":
        _for_help(folder, adjudge)


def _for_help(folder: Path, adjudge: Callable[..., tuple[int, str, str]]) -> None:
    """Help texts speak of files that are the reader's own: these stand for them."""
    preferences, violations, rag = (EXAMPLES / name for name in ("preferences", "violations", "rag"))
    labels = pl.read_csv(EXAMPLES / "reliability" / "labels.csv")
    scores = pl.read_csv(EXAMPLES / "agreement" / "sheet.csv")
    votes = pl.read_csv(EXAMPLES / "annotations" / "table.csv")
    votes = votes.rename({"question": "instruction", "answer_1": "response1", "answer_2": "response2"})
    gold = GOLD[:12]
    ids = [row["id"] for row in gold]
    tables = {
        name: pl.read_csv(preferences / f"{name}.tsv", separator="\t").filter(pl.col("id").is_in(ids)).fill_null("A")
        for name in ("careful", "quick")
    }
    (folder / "submissions").mkdir()
    for name, table in {"ours": tables["careful"], "theirs": tables["quick"], "predictions": tables["quick"]}.items():
        table.write_csv(folder / f"{name}.tsv", separator="\t")
        table.write_csv(folder / "submissions" / f"{name}.tsv", separator="\t")
    tables["careful"].write_csv(folder / "ours.csv")
    labels.rename({"question": "id"}).write_csv(folder / "votes.csv")
    adjudge("reliability", "examples/reliability/votes.json", "--output", "report.json")
    scores.rename({"dev": "gpt"}).with_columns(gold="cleo").write_csv(folder / "sheet.csv")
    votes.rename({"ana": "ann"}).write_csv(folder / "pairs.csv")
    votes.rename({"ana": "annotator1", "ben": "annotator2"}).write_json(folder / "table.json")
    questions = [json.loads(line) for line in (rag / "questions.jsonl").read_text().splitlines()]
    false = [{**row, "positive_wrong": ["It is Quito."] * 5, "fakeanswer": "Quito"} for row in questions]
    texts = [json.loads(line) for line in (violations / "truth.jsonl").read_text().splitlines()]
    texts = [{"id": row["id"], "text": row["text"]} for row in texts]
    content = {
        "votes.json": (EXAMPLES / "reliability" / "votes.json").read_bytes(),
        "pairs.json": (EXAMPLES / "annotations" / "pairs.json").read_bytes(),
        "label-studio.json": json.dumps(MARKS["label-studio"][0][0]).encode(),
        "gold.jsonl": _lines(gold),
        "items.jsonl": _lines(gold),
        "table.csv": b"System,Safety accuracy,Safety error rate\nOne,45.9,0.1\nTwo,41,0.2\n",
        "answers.jsonl": (rag / "answers.jsonl").read_bytes(),
        "en.json": _lines(questions),
        "en_fact.json": _lines(false),
        "truth.jsonl": (violations / "truth.jsonl").read_bytes(),
        "ours.jsonl": (violations / "careful.jsonl").read_bytes(),
        "theirs.jsonl": (violations / "eager.jsonl").read_bytes(),
        "spans.csv": (violations / "spans.csv").read_bytes(),
        "texts.jsonl": _lines(texts),
        "clean.jsonl": _lines(texts),
        "phrases.csv": b"right,wrong,rule\nlamp,lighting solution,no jargon\n",
        "ann.jsonl": judged(0),
        "bob.jsonl": judged(1),
    }
    for name, held in content.items():
        (folder / name).write_bytes(held)
    (folder / "runs").mkdir()
    for name, system in {"before": "quick", "after": "careful"}.items():
        day = {"quick": "monday", "careful": "friday"}[system]
        words = f"examples/preferences/gold.jsonl examples/preferences/{system}.tsv --system ours --save-items {name}.parquet"
        status, _, error = adjudge(*f"preferences {words} --output {name}.json --output runs/{day}.json".split())
        assert status == 0, error
        shutil.copy(folder / f"{name}.parquet", folder / f"{day}.parquet")
