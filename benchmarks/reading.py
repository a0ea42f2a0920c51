"""How long inputs take to be read and checked, as a multiple of what it takes to read the same file plainly.

    python benchmarks/reading.py [KIND]...

Kinds are the keys of KINDS; by default all. Each makes up its file, and gives what reads it plainly, what reads
it as Adjudge does, and the most that the ratio should be. Times are of the processor, the least of three runs in turn.
"""

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from annotations_json import WORDS
from annotations_speed import write_pairs

from adjudge.readers.answers import answers
from adjudge.readers.inputs import sources
from adjudge.readers.labels import judgments
from adjudge.readers.pairs.pairs import read_pairs
from adjudge.readers.spans import violations
from adjudge.schemas.answers import ABILITIES

RUNS = 3

Kind = tuple[Callable[[], object], Callable[[], object], float]


def violation_lines(folder: Path) -> Kind:
    """100,000 texts of 10 violations, as JSON lines."""
    path, drawn = folder / "violations.jsonl", random.Random(1)
    with path.open("w") as file:
        for number in range(100_000):
            text = " ".join(drawn.choices(WORDS, k=40))
            starts = [drawn.randrange(len(text) - 40) for _ in range(10)]
            marks = [{"start": at, "end": at + drawn.randrange(5, 40), "rule": drawn.choice(WORDS)} for at in starts]
            file.write(json.dumps({"id": f"t{number}", "text": text, "violations": marks}) + "\n")
    return (
        lambda: pl.read_ndjson(path),
        lambda: violations.read_truth(sources(path, evaluation="violations")[0], violations.SpanReading()),
        3,
    )


def answer_lines(folder: Path) -> Kind:
    """200,000 answers of some 300 characters, as JSON lines: each fourth with an escape, each fifth in Chinese."""
    path, drawn = folder / "answers.jsonl", random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(200_000):
            question, ability = number % 2000, ABILITIES[number % 4]
            said = "根据文件，答案是巴黎。" * 12 if number % 5 == 0 else " ".join(drawn.choices(WORDS, k=55))
            row = {
                "id": f"q{question}",
                "ability": ability,
                "noise_ratio": number // 2000 % 5 / 5,
                "draw": number // 10_000 + 1,
                "answer": [[f"lamp {question}", f"the lamp {question}"]] if question % 2 else [[f"fox {question}"]],
                "counterfactual": ["a dog"] if ability == "counterfactual_robustness" else None,
                "model": "maker/model",
                "response": said + "\n" * (number % 4 == 0),
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    names = ["id", "ability", "noise_ratio", "draw", "answer", "counterfactual", "model", "response"]
    return (
        lambda: pl.scan_ndjson(path).select(names).collect(),
        lambda: answers.read_answers(sources(path, evaluation="rag")[0], answers.AnswerReading()),
        3,
    )


def pairs(folder: Path) -> Kind:
    """20,000 pairs of 40 annotators as AnnotatedPairs JSON, beside Python's own decoder."""
    path = folder / "pairs.json"
    write_pairs(path, 20_000, 40)
    return (
        lambda: json.loads(path.read_bytes()),
        lambda: read_pairs(sources(path, evaluation="annotations")[0]),
        2,
    )


def judgment_table(folder: Path) -> Kind:
    """500,000 judgments of three annotators and the one who is trusted, as CSV."""
    path, drawn = folder / "judgments.csv", random.Random(1)
    with path.open("w") as file:
        file.write("item,annotator,label\n")
        for item in range(125_000):
            file.writelines(f"i{item},{name},{drawn.choice(WORDS)}\n" for name in ("expert", "ann", "bob", "eve"))
    options = judgments.JudgmentReading(reference=["expert"])
    return (
        lambda: pl.scan_csv(path).collect(),
        lambda: judgments.read_judgments(sources(path, evaluation="reliability"), options),
        8,
    )


def label_studio_choices(folder: Path) -> Kind:
    """30,000 tasks of Label Studio with a choice of three annotators, beside Python's own decoder."""
    path, options = folder / "tasks.json", judgments.JudgmentReading(untrusted=True)
    write_tasks(path, 30_000, 1, lambda _: {"type": "choices", "value": {"choices": [random.choice(WORDS)]}})
    return (
        lambda: json.loads(path.read_bytes()),
        lambda: judgments.read_judgments(sources(path, evaluation="reliability"), options),
        2,
    )


def label_studio_spans(folder: Path) -> Kind:
    """14,000 tasks of Label Studio with four spans of three annotators, beside Python's own decoder."""
    path, options = folder / "tasks.json", violations.SpanReading()

    def span(text: str) -> dict[str, object]:
        start = random.randrange(len(text) - 40)
        end = start + random.randrange(5, 40)
        value = {"start": start, "end": end, "text": text[start:end], "labels": [random.choice(WORDS)]}
        return {"type": "labels", "value": value}

    write_tasks(path, 14_000, 4, span)
    return (
        lambda: json.loads(path.read_bytes()),
        lambda: violations.read_annotators(sources(path, evaluation="violations")[0], options),
        2,
    )


def write_tasks(path: Path, tasks: int, results: int, result: Callable[[str], dict[str, object]]) -> None:
    """Tasks of three annotators in an export of Label Studio. result: makes a result in a text."""
    random.seed(1)
    made = []
    for number in range(tasks):
        text = " ".join(random.choices(WORDS, k=100))
        each = [[{"from_name": "tone", "to_name": "text", **result(text)} for _ in range(results)] for _ in range(3)]
        annotations = [{"id": 3 * number + who, "completed_by": who, "result": one} for who, one in enumerate(each)]
        made.append({"id": number, "data": {"text": text}, "annotations": annotations})
    path.write_text(json.dumps(made))


KINDS = {"answers": answer_lines, "judgments": judgment_table, "pairs": pairs, "violations": violation_lines}
KINDS |= {"label-studio": label_studio_choices, "label-studio-spans": label_studio_spans}


def seconds(read: Callable[[], object]) -> float:
    start = time.process_time()
    read()
    return time.process_time() - start


def main(kinds: list[str]) -> None:
    for name in kinds or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            plain, adjudge, goal = KINDS[name](Path(folder))
            times = [(seconds(plain), seconds(adjudge)) for _ in range(RUNS)]
        one, other = (min(side) for side in zip(*times, strict=True))
        print(f"{name}: {other:.2f} s, {other / one:.1f} times the plain {one:.2f} s (goal: at most {goal:g})")


if __name__ == "__main__":
    main(sys.argv[1:])
