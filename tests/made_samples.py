"""A small good file of every format of every evaluation, and what is asked of it: one table, for tests of all readers."""

import glob
import io
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

import adjudge
from made import item
from made_answers import SAMPLES as ANSWERS
from made_files import workbook
from made_labels import SAMPLES as LABELS
from made_marks import BRAT_TEXT
from made_marks import SAMPLES as MARKS
from made_pair_tables import SAMPLES as PAIR_TABLES
from made_pairs import comparison, document


@dataclass(frozen=True)
class Sample:
    """A file of a format.

    beside: further files that it needs, by name. options: of the evaluation; a name of a file beside it stands for that file.
    """

    evaluation: str
    format: str
    file: str
    content: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.evaluation} {self.format} {self.file}"

    def put(self, folder: Path, content: bytes | None = None) -> Path:
        """Writes the file, or another content in its place, and what is beside it; returns its path."""
        for name, held in {**self.beside, self.file: self.content if content is None else content}.items():
            (folder / name).write_bytes(held)
        return folder / self.file

    def score(self, path: Path, **further: object) -> object:
        """What the evaluation makes of a file that was put somewhere."""
        files = {
            name: path.parent / held
            for name, held in self.options.items()
            if isinstance(held, str) and held in self.beside
        }
        return SCORED[self.evaluation](path, **{**self.options, **files}, **further)


def as_bytes(content: object) -> bytes:
    """Text, bytes or JSON as a file holds it."""
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


def in_container(rows: list[dict[str, Any]], container: str) -> bytes:
    """Rows as a flat table of some format."""
    table, held = pl.DataFrame(rows), io.BytesIO()
    if container == "csv":
        table.write_csv(held)
    elif container == "tsv":
        table.write_csv(held, separator="\t")
    elif container == "json":
        return json.dumps(rows).encode()
    elif container == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in rows).encode()
    else:
        table.write_parquet(held)
    return held.getvalue()


def kept(rows: list[dict[str, Any]], way: str, folder: Path) -> Any:
    """Rows in a container, a workbook or a table of some library: what a reader takes."""
    table, path = pl.DataFrame(rows, infer_schema_length=None), folder / f"table.{way}"
    if way in ("polars", "arrow", "pandas"):
        return {"polars": lambda: table, "arrow": table.to_arrow, "pandas": table.to_pandas}[way]()
    if way == "xlsx":
        names = list(rows[0])
        return workbook(path, Sheet=[names, *([row[name] for name in names] for row in rows)])
    if way == "semicolons":
        table.write_csv(path, separator=";")
    else:
        path.write_bytes(in_container(rows, way))
    return path


CONTAINERS = ("csv", "tsv", "json", "jsonl", "parquet")
JUDGED = [
    {"item": item, "annotator": annotator, "label": label, "reference": reference, "flag": "no"}
    for annotator, labels in {"ana": "ab", "ben": "bb"}.items()
    for item, label, reference in zip("12", labels, "ab", strict=True)
]
WIDE_JUDGED = [
    {"item": "1", "reference": "a", "ana": "a", "ben": "b"},
    {"item": "2", "reference": "b", "ana": "b", "ben": "b"},
]
VOTED = [
    {"pair": pair, "annotator": annotator, "vote": vote, "prompt": "Why?", "text_a": "So.", "text_b": "No.", "model_a": "m", "model_b": "n"}
    for pair, annotator, vote in [("1", "ana", "text_a"), ("1", "ben", "text_b"), ("2", "ana", "text_b"), ("2", "ben", "text_b")]
]  # fmt: skip
WIDE_VOTED = [
    {"prompt": "Why?", "text_a": "So.", "text_b": "No.", "ana": "text_a", "ben": "text_b"},
    {"prompt": "How?", "text_a": "Yes.", "text_b": "Oh.", "ana": "text_b", "ben": "text_b"},
]
ANSWERED = [
    {"id": "1", "ability": "noise_robustness", "noise_ratio": 0.4, "model": "m", "response": "It is Lima.", "answer": "Lima"},
    {"id": "2", "ability": "noise_robustness", "noise_ratio": 0.4, "model": "m", "response": "In 1904.", "answer": "1903"},
]  # fmt: skip
MARKED = [
    {"id": "1", "text": "Cures all.", "start": 0, "end": 5, "rule": "claim", "explanation": "why"},
    {"id": "2", "text": "Best tea.", "start": 0, "end": 4, "rule": "tone", "explanation": "so"},
]
PREFERRED = [
    {"id": "1", "instruction": "Hi", "output_a": "Ho", "output_b": "Hello", "safety_preference": "A", "safety_explanation": "short"},
    {"id": "2", "instruction": "Go", "output_a": "No", "output_b": "Yes", "safety_preference": "both_bad", "safety_explanation": "so"},
]  # fmt: skip
SCORES = [
    {"system": system, "criterion": "safety", "metric": metric, "value": value}
    for system, value in [("one", 0.4), ("two", 0.6)]
    for metric in ("accuracy", "f1")
]
BOARD = "System,Safety accuracy,WER\nOne,45.9,0.1\nTwo,41,0.2\n"
WIN_TIE_LOSS = [{"id": "1", "week": "w", **item("a", ana="a", ben="b")}, {"id": "2", "week": "v", **item("b", ana="b")}]
PAIRS = [
    comparison("1", {"ann": "a", "ben": "b"}),
    comparison("2", {"ann": "b", "ben": {"pref": None}}, metadata={"x": 1}),
]
TRUSTED = {
    "mturk": "A1",
    "label-studio": "1",
    "argilla": "u1",
    "prodigy": "ana",
    "doccano": "ana",  # the file's name, and the only annotator
}
"""Who is trusted in exports that do not say so."""
VOTERS = {"mt-bench": "expert_0", "alpaca-farm": "15", "pandalm": "annotator1", "long": "ann"}


def _labels() -> Iterator[Sample]:
    for name, (file, content) in LABELS.items():
        form = name.partition(",")[0]
        trusted = TRUSTED.get(name, TRUSTED.get(form))
        options: dict[str, Any] = {"reference": trusted} if trusted else {}
        if form == "doccano" and trusted == "ana":
            options = {"constant": {"reference": "kind"}}
        once = "".join(dict.fromkeys(content.splitlines(keepends=True)))
        yield Sample("reliability", form, file, as_bytes(once), options=options)
    yield Sample("reliability", "win-tie-loss", "votes.json", as_bytes(WIN_TIE_LOSS), options={"by": "week"})
    wide = {"annotator_columns": ["ana", "ben"]}
    yield Sample("reliability", "wide", "wide.csv", in_container(WIDE_JUDGED, "csv"), options=wide)
    for one in CONTAINERS:
        yield Sample("reliability", one, f"votes.{one}", in_container(JUDGED, one))


def _pairs() -> Iterator[Sample]:
    for name, (form, content) in PAIR_TABLES.items():
        ending = "csv" if isinstance(content, str) else "json"
        options = {"reference": VOTERS[name]} if name in VOTERS else {}
        yield Sample("annotations", form, f"pairs.{ending}", as_bytes(content), options={"style": True, **options})
    ann, ana = {"reference": "ann"}, {"reference": "ana"}
    yield Sample("annotations", "annotated-pairs", "pairs.json", as_bytes(document(*PAIRS)), options=ann)
    yield Sample("annotations", "adjudge", "pairs.parquet", _columnar(), options=ann)
    wide = {"annotator_columns": ["ana", "ben"], **ana}
    yield Sample("annotations", "wide", "wide.csv", in_container(WIDE_VOTED, "csv"), options=wide)
    for one in CONTAINERS:
        yield Sample("annotations", "long-votes", f"votes.{one}", in_container(VOTED, one), options=ana)


def _columnar() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.json"
        path.write_bytes(as_bytes(document(*PAIRS)))
        adjudge.convert(path, output=path.with_suffix(".parquet"))
        return path.with_suffix(".parquet").read_bytes()


def _answers() -> Iterator[Sample]:
    for form, content, file, gold in ANSWERS.values():
        beside, options = ({}, {}) if gold is None else ({"gold.json": as_bytes(gold)}, {"gold": "gold.json"})
        yield Sample("rag", form, file, as_bytes(content), beside, options)
    for one in CONTAINERS:
        yield Sample("rag", one, f"answers.{one}", in_container(ANSWERED, one))


def _marks() -> Iterator[Sample]:
    who = {"span-lists": "gold", "argilla": "u1", "mqm": "r1", "tagged-tokens": "gold_tags"}
    for form, many in MARKS.items():
        for number, (content, file) in enumerate(many):
            named = ("truth_annotator", "predicted_annotator") if form in who and not number else ()
            options = dict.fromkeys(named, who.get(form))
            beside = {"a.txt": BRAT_TEXT.encode()} if form == "brat" else {}
            yield Sample("violations", form, file, as_bytes(content), beside, options)
    for one in CONTAINERS:
        yield Sample("violations", "spans", f"spans.{one}", in_container(MARKED, one))


def _preferences() -> Iterator[Sample]:
    criteria = {"criteria": ["safety"]}
    for one in CONTAINERS:
        held, predicted = in_container(PREFERRED, one), {**criteria, "predictions": "predicted"}
        yield Sample("preferences", one, f"gold.{one}", held, {"predicted": held}, predicted)
        yield Sample("preferences", one, f"predicted.{one}", held, {"gold": held}, {**criteria, "gold": "gold"})
        yield Sample("rank", one, f"scores.{one}", in_container(SCORES, one))
    yield Sample("rank", "csv", "board.csv", as_bytes(BOARD))


SAMPLES = [*_labels(), *_pairs(), *_answers(), *_marks(), *_preferences()]
"""Every sample. Flat tables, which all evaluations read, stand once for each."""


def _copied(path: Path) -> Path:
    """The same file, and those beside it that have its name, in a folder of their own; a table as it is."""
    if not isinstance(path, Path):
        return path
    folder = path.parent / "copied"
    folder.mkdir(exist_ok=True)
    for beside in path.parent.glob(f"{glob.escape(path.stem)}.*"):
        shutil.copy(beside, folder)
    with (folder / path.name).open("ab") as copy:  # one file is not compared with itself
        copy.write(b"\n" if path.suffix in {".json", ".jsonl", ".csv", ".tsv"} else b"")
    return folder / path.name


SCORED: Mapping[str, Callable[..., object]] = {
    "annotations": adjudge.annotations,
    "preferences": lambda path, gold=None, predictions=None, **options: adjudge.preferences(
        gold or path, predictions or (path if gold else _copied(path)), **options
    ),
    "rank": lambda path, beside=None, **options: adjudge.rank_preferences(
        [path, *([beside] if beside else [])], **options
    ),
    "rag": adjudge.rag,
    "reliability": adjudge.reliability,
    "violations": lambda path, **options: adjudge.violations(path, _copied(path), **options),
}
"""Evaluation -> what scores a file of it."""
