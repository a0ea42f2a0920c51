"""How reports differ between two versions of Adjudge, field by field, over the examples, the demo's data and tests/data.

Each version runs the same commands in a process of its own. A version is a source tree, or the Python that has it:

    python benchmarks/reports_before_after.py ../before . --only reliability

Rows are matched by their keys and metric. Numbers are equal within 1e-12 of their size, all else exactly. A difference of
two judges that only changed its sign is reported as that.
Every kind of difference is printed once, with its count and an example. The commands stand in reports_before_after.txt.
"""

import argparse
import contextlib
import io
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
COMMANDS = (ROOT / "benchmarks" / "reports_before_after.txt").read_text(encoding="utf-8")
FIGURES = (
    *("value", "low", "high", "n", "method", "reason", "caveat", "p", "p_adjusted", "tests", "needed", "collected"),
    *("first_value", "second_value", "shared", "left_out"),
    *("count", "score", "overlap", "rule_similarity", "category_similarity", "explanation_similarity"),
    *("correction_similarity", "sha256"),
)
"""Columns that are no keys, in tables of figures and of counts."""
WHERE = ("item", "judge", "reference", "part", "first", "second", "judged")
"""The keys of tables with a row per item, as far as they have them."""
Row = Mapping[str, Any]


# --- run the commands, in the process of one version ---


def run_all(folder: Path, only: str) -> dict[str, Any]:
    """What each command says: its status, standard output and error, and the files it writes."""
    from adjudge.cli import main

    os.chdir(folder)
    found = {}
    for name, words in commands(only):
        before = set(Path("out").iterdir())
        out, err = io.StringIO(), io.StringIO()
        sys.argv = ["adjudge", *words]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
                status = "0"
            except SystemExit as stop:
                status = str(stop.code or 0)
            except Exception as error:  # noqa: BLE001 - a traceback is a finding
                status = f"{type(error).__name__}: {error}"
        files = sorted(path for path in set(Path("out").iterdir()) - before if path.suffix != ".json")
        found[name] = {
            "status": status,
            "out": out.getvalue(),
            "err": err.getvalue(),
            "files": {path.name: read_file(path) for path in files},
        }
    return found


def read_file(path: Path) -> str:
    """A file as text (but for reports, which are printed too); the outcomes of judgments as a report would say them."""
    if path.suffix != ".parquet":
        return path.read_text(encoding="utf-8")
    import polars as pl

    return json.dumps({"tables": {"outcomes": pl.read_parquet(path).to_dicts()}}, default=str)


def commands(only: str) -> Iterator[tuple[str, list[str]]]:
    """The commands by name; lines that start with a space go on with the line before."""
    for line in COMMANDS.replace("\n ", " ").splitlines():
        if line and not line.startswith("#"):
            name, *words = shlex.split(line)
            if only in name or name.startswith("demo"):
                yield name, words


def results(version: Path, only: str, inputs: Path) -> dict[str, Any]:
    """The results of one version, from a copy of the inputs, in a process of its own."""
    python, paths = (sys.executable, str(version.resolve() / "src")) if version.is_dir() else (str(version), "")
    with tempfile.TemporaryDirectory() as made:
        shutil.copytree(inputs, made, dirs_exist_ok=True)
        asked = [python, __file__, "--run", made, "--only", only]
        variables = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "120", "NO_COLOR": "1"}
        done = subprocess.run(asked, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{version}: {done.stderr}")
    return json.loads(done.stdout)


# --- inputs that are in no folder: pairs judged by people, questions, data with gaps ---


def write_inputs(folder: Path) -> None:
    for source, name in ((ROOT / "examples", "examples"), (ROOT / "tests" / "data", "data")):
        shutil.copytree(source, folder / name)
    (folder / "out").mkdir()
    answers = read_lines(folder / "examples/rag/answers.jsonl")
    later = [
        {**row, "set": "ab"[place % 2]} | ({"response": "I do not know."} if place % 5 == 0 else {})
        for place, row in enumerate(answers)
    ]
    write_lines(folder / "answers_later.jsonl", later)
    write_lines(folder / "answers_gaps.jsonl", [row for place, row in enumerate(later) if place % 7])
    unnamed = [
        {name: value for name, value in row.items() if name != "model"} for row in later if row["model"] == "north"
    ]
    write_lines(folder / "answers_unnamed.jsonl", unnamed)
    labels = (folder / "examples/reliability/labels.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    turned = [
        re.sub(r"^(\w+,\w+),\w+,", r"\1,unhelpful,", row) if place % 6 == 1 else row for place, row in enumerate(labels)
    ]
    (folder / "labels_later.csv").write_text("".join(turned), encoding="utf-8")
    (folder / "labels_gaps.csv").write_text("".join(turned[:1] + turned[9:]), encoding="utf-8")
    tsv = (folder / "examples/preferences/quick.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "quick_gaps.tsv").write_text("".join(tsv[:50]), encoding="utf-8")
    settings = "[std]\nscore_threshold = 0.3\nweights = {overlap = 0.7, rule = 0.3}\n"
    (folder / "match.toml").write_text(settings, encoding="utf-8")
    spans = [
        {"start": shift % 9, "end": shift % 9 + 12, "rule": ("a b", "a c", "d")[shift % 3]} for shift in range(120)
    ]
    text = "Cures headache, the best tea ever, free of charge for all of you."
    judged = [
        {
            "id": f"t{place % 15}",
            "text": text,
            "predicted": span,
            "ground_truth": {"start": 2, "end": 14, "rule": "a b"},
        }
        | {"same": (place * 7 % 10 < 8) == (span["start"] < 6 and span["rule"] != "d"), "judge": f"j{place % 4}"}
        for place, span in enumerate(spans)
    ]
    write_lines(folder / "judged.jsonl", judged)
    questions = [
        {"id": place, "query": f"Where was {place}?", "answer": [["Tampa", "Tampa Bay"]], "fakeanswer": "Rome"}
        | {"positive": [f"It was in Tampa, {number}." for number in range(5)]}
        | {"positive_wrong": [f"It was in Rome, {number}." for number in range(5)]}
        | {"negative": [f"Tickets to {'Tampa' if place == number else 'go'}" for number in range(5 if place else 1)]}
        for place in range(10)
    ]
    write_lines(folder / "questions.jsonl", questions)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, rows: Sequence[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


# --- compare two reports ---


class Differences:
    """Differences by what they are about, each with its examples."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, ...], list[str]] = defaultdict(list)

    def add(self, about: Sequence[str], example: str) -> None:
        """One more difference of this kind."""
        self.found[tuple(about)].append(example)

    def print(self) -> None:
        """Every kind, with its count and its first example."""
        for about, examples in sorted(self.found.items()):
            print(f"{' / '.join(about)}: {len(examples)}\n    {examples[0]:.400}")
        print(f"{len(self.found)} kinds of difference" if self.found else "no difference")

    def compare(self, about: Sequence[str], case: str, first: Any, second: Any) -> None:  # noqa: ANN401 - what JSON can say
        """Two values of any kind: objects by their keys, tables by their rows, lists by what they hold."""
        if isinstance(first, dict) and isinstance(second, dict):
            for name in {**first, **second}:
                inner = [*about, name] if name != "tables" else about
                if name not in first or name not in second:
                    self.add([*inner, only(name in first)], f"{case}: {first.get(name, second.get(name))}")
                elif about[-1] == "columns":
                    self.compare(inner, case, list(first[name]), list(second[name]))
                else:
                    self.compare(inner, case, first[name], second[name])
        elif isinstance(first, list) and isinstance(second, list):
            if all(isinstance(row, dict) for row in [*first, *second]):
                self.compare_rows(about, case, swapped(first, second), second)
            else:
                self.compare_lists(about, case, first, second)
        elif not same(first, second):
            self.add(about, f"{case}: {first!r} -> {second!r}")

    def compare_lists(self, about: Sequence[str], case: str, first: Sequence[Any], second: Sequence[Any]) -> None:
        """What only one of two lists holds, or a change of their order."""
        for before, ours, theirs in ((True, first, second), (False, second, first)):
            for one in (one for one in ours if one not in theirs):
                self.add([*about, only(before)], f"{case}: {one}")
        if first != second and sorted(map(str, first)) == sorted(map(str, second)):
            self.add([*about, "order"], f"{case}: {first} -> {second}")

    def compare_rows(self, about: Sequence[str], case: str, first: Sequence[Row], second: Sequence[Row]) -> None:
        """Every cell of two tables, whose rows are matched by the keys that both have."""
        ours, theirs = (dict.fromkeys(name for row in rows for name in row) for rows in (first, second))
        if first and second:
            for name in {**ours, **theirs}:
                if name not in ours or name not in theirs:
                    self.add([*about, f"column {name} {only(name in ours)}"], case)
        keys = keys_of([name for name in ours if name in theirs], [*first, *second])
        before, after = by_key(first, keys), by_key(second, keys)
        for key in {**before, **after}:
            where = (
                f"{case}: {', '.join(f'{name}={one}' for name, one in zip(keys, key, strict=False) if one is not None)}"
            )
            row, other = before.get(key), after.get(key)
            metric = [(row or other or {})["metric"]] if "metric" in keys else []
            if row is None or other is None:
                self.add([*about, *metric, f"row {only(other is None)}"], where)
            else:
                self.compare_row([*about, *metric], where, row, other)

    def compare_row(self, about: Sequence[str], where: str, row: Row, other: Row) -> None:
        """The cells of a row; after a change of sign, those of the row with its sign turned."""
        turned = flipped(row, other)
        if turned:
            self.add([*about, "sign turned"], f"{where}: {row['value']} -> {other['value']}")
        for name in other:
            if name in row:
                self.compare([*about, name], where, (turned or row)[name], other[name])


def only(before: bool) -> str:  # noqa: FBT001 - there are two
    return "only before" if before else "only after"


def same(first: object, second: object) -> bool:
    if isinstance(first, float | int) and isinstance(second, float | int):
        return math.isclose(first, second, rel_tol=1e-12, abs_tol=1e-14)
    return first == second


def keys_of(columns: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """The columns that name a row: of figures all but the figures, of items where they stand, else what is text."""
    if "metric" in columns:
        return [name for name in columns if name not in FIGURES]
    if "item" in columns:
        return [name for name in columns if name in WHERE]
    texts = [name for name in columns if name not in FIGURES]
    return [name for name in texts if all(isinstance(row.get(name), str | None) for row in rows)]


def by_key(rows: Sequence[Row], keys: Sequence[str]) -> dict[tuple[Any, ...], Row]:
    """Rows by their keys; those that share them, numbered in their order."""
    found: dict[tuple[Any, ...], Row] = {}
    seen: dict[tuple[Any, ...], int] = defaultdict(int)
    for row in rows:
        key = tuple(json.dumps(one) if isinstance(one, dict | list) else one for one in map(row.get, keys))
        seen[key] += 1
        found[*key, seen[key]] = row
    return found


def flipped(row: Row, other: Row) -> Row:
    """The row of a difference with its sign turned, if the other says it so; else nothing."""
    one, two = row.get("value"), other.get("value")
    if "first" not in row or not one or two is None or not same(-one, two):
        return {}
    low, high = row.get("low"), row.get("high")
    return {**row, "value": -one, "low": None if high is None else -high, "high": None if low is None else -low}


def swapped(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """The rows, with first and second in the order that the others have; `swapped` says that it was the other one."""
    order = [(row.get("first"), row.get("second")) for row in others]
    return [
        {**row, "first": row["second"], "second": row["first"], "swapped": True}
        if {"first", "second"} <= set(row)
        and (row["first"], row["second"]) not in order
        and (row["second"], row["first"]) in order
        else row
        for row in rows
    ]


def parsed(text: str) -> Any:  # noqa: ANN401
    """The JSON that a text holds, else its lines."""
    with contextlib.suppress(ValueError):
        return json.loads(text)
    return text.splitlines()


def outputs(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a command printed, said and wrote, by name."""
    files = {name: parsed(text) for name, text in result["files"].items()}
    printed = parsed(result["out"])
    report = printed if isinstance(printed, dict) else {"printed": printed}
    return {"exit status": result["status"], "said": result["err"].splitlines(), **report, **files}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("versions", nargs="*", type=Path, metavar="BEFORE AFTER", help="source trees, or Pythons")
    options.add_argument("--only", default="", metavar="NAME", help="only commands whose name holds this")
    options.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.run:
        json.dump(run_all(asked.run, asked.only), sys.__stdout__)
        return
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as both:
        write_inputs(Path(folder))
        first, second = both.map(lambda version: results(version, asked.only, Path(folder)), asked.versions)
    found = Differences()
    for case in first:
        found.compare([case.partition("-")[0]], case, outputs(first[case]), outputs(second[case]))
    print(f"{len(first)} commands")
    found.print()


if __name__ == "__main__":
    main()
