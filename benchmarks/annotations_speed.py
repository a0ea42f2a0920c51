"""Annotations against Feedback Forensics 0.5.0: equal figures, and how much faster, in one run.

    python benchmarks/annotations_speed.py [--pairs 100000] [--annotators 40] [--python FORENSICS_PYTHON]

Feedback Forensics is installed into a temporary environment of its own unless --python names one that has it.
First the figures of 10,000 made-up pairs are compared (population "reference"; but for the share that prefers the longer text, which gives ties to text_b there), then the
times: from memory without intervals (goal: at least 50 times faster) and with (20 times), and from JSON to the
printed table (10 times).

What bounds the last: of the processor time of a command, a quarter goes into loading Python's packages and the command line,
which no second core shortens: polars and numpy alone are two fifths of that, and only the formats of pairs are loaded
besides (it was a tenth of a second more with those of all evaluations). Two fifths go into the file, most of it into finding
where annotations and texts begin; the rest into the hash of the file, the figures and the printed tables. One pass of
`json.loads` over the file takes three times the processor time of all of the reading.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

FORENSICS = """
import json, sys, time
from loguru import logger
logger.remove()
start = time.perf_counter()
from feedback_forensics.data.handler import ColumnHandler
imported = time.perf_counter()
handler = ColumnHandler()
handler.load_data_from_path(sys.argv[1])
columns = [name for name in handler.annotator_metadata if name != handler.reference_annotator_col]
handler.set_visible_annotator_rows(columns)
loaded = time.perf_counter()
times = []
for _ in range(3):
    begun = time.perf_counter()
    figures = handler.compute_annotator_metrics()
    overall = handler.compute_overall_metrics()
    times.append(time.perf_counter() - begun)
import feedback_forensics.app.metrics as metrics
extra = {}
if len(sys.argv) > 2:
    counts = metrics.DEFAULT_AVAIL_METRICS
    counts[:] = ["strength", "relevance", "cohens_kappa", "acc"]
    extra = handler.compute_annotator_metrics()["metrics"]
metric = {name: {a: (v["strength"] if isinstance(v, dict) else v) for a, v in values.items()} for name, values in
          {**figures["metrics"], **extra}.items()}
print("RESULT" + json.dumps({"import": imported - start, "load": loaded - imported, "compute": sorted(times)[1],
    "metrics": metric, "overall": overall}, default=float))
"""

ADJUDGE = """
import io, json, sys, time
start = time.perf_counter()
from adjudge.evaluations.annotations import data_sets, vote_counts
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.readers.pairs.pairs import read_pairs
from adjudge.readers.inputs import sources
imported = time.perf_counter()
pairs = read_pairs(sources(sys.argv[1], evaluation="annotations")[0])
options = AnnotationsOptions(sys.argv[1], cluster="none", population="reference", labels="valid")
one = data_sets.data_set(pairs, options)
one.votes
loaded = time.perf_counter()
from adjudge.evaluations.annotations import tables
from adjudge.evaluations.annotations.vote_counts import VoteCounts, count_votes
columns = [annotator.column for annotator in one.whole_groups[0].annotators]
reference = one.whole_groups[0].reference.column
from adjudge.schemas.pairs import CODE, VALID
valid = [CODE["text_a"], CODE["text_b"]]
def without_intervals():
    bare = {}
    states = vote_counts.states_of("reference", "valid")
    counts = VoteCounts(count_votes(one.votes, one.annotators_by_reference, options, matrix=False))
    for column in columns:
        cells = counts.cells(column, reference, states)
        joint = cells.totals.reshape(vote_counts.BASE, vote_counts.BASE).T
        both = joint[valid][:, valid]
        agree, compared, n = int(both.trace()), int(both.sum()), int(joint[:, valid].sum())
        bare[column] = (compared / n, agree / compared, 2 * agree / compared - 1, (2 * agree - compared) / n)

def with_intervals():
    group = one._make_groups({}, VoteCounts(count_votes(one.votes, one.annotators_by_reference, options, matrix=False)))[0]
    return tables.agreement_rows(group), tables.overview_rows(group)

def median(run):
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        found = run()
        times.append(time.perf_counter() - begun)
    return sorted(times)[1], found

bare, _ = median(without_intervals)
full, (rows, overview) = median(with_intervals)
figures = {}
for row in rows:
    figures.setdefault(row["metric"], {})[row["annotator"]] = row["value"]
print("RESULT" + json.dumps({"import": imported - start, "load": loaded - imported, "bare": bare,
    "compute": full, "metrics": figures, "overall": {row["metric"]: row["value"] for row in overview}}))
"""

SAME = {
    "Number of preference pairs": "pairs",
    "Prop selecting text_a": "prefers_a",
    "Avg len text_a (chars)": "length_a",
    "Avg len text_b (chars)": "length_b",
    "Avg len selected text (chars)": "length_preferred",
    "Avg len rejected text (chars)": "length_rejected",
}
REFERENCE = "ba751e7b"
"""The only id of a default annotator that Feedback Forensics can work with."""

FIGURES = {"relevance": "relevance", "acc": "accuracy", "cohens_kappa": "kappa", "strength": "strength"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--annotators", type=int, default=40)
    parser.add_argument("--python", help="an interpreter that has feedback-forensics 0.5.0")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        python = options.python or installed(Path(folder) / "forensics")
        small, large = Path(folder) / "small.json", Path(folder) / "large.json"
        write_pairs(small, 10_000, options.annotators)
        compare(measured(python, FORENSICS, small, "all"), measured(sys.executable, ADJUDGE, small))
        write_pairs(large, options.pairs, options.annotators)
        print(f"{options.pairs:,} pairs x {options.annotators} annotators, {large.stat().st_size / 1e6:.0f} MB of JSON")
        theirs, ours = measured(python, FORENSICS, large), measured(sys.executable, ADJUDGE, large)
        score = [sys.executable, "-m", "adjudge", "annotations", "--no-matrix"]
        wall([*score, str(small)])  # as the small file has warmed up the other side: modules are compiled and read
        whole = statistics.median(wall([*score, str(large)]) for _ in range(5))  # each is short, and so uneven
        all_theirs = theirs["import"] + theirs["load"] + theirs["compute"]
        print("| from | Feedback Forensics, s | Adjudge, s | ratio |\n|---|---|---|---|")
        rows = [
            ("memory, without intervals", theirs["compute"], ours["bare"]),
            ("memory, with intervals", theirs["compute"], ours["compute"]),
            ("JSON to figures (theirs) or the printed tables (ours)", all_theirs, whole),
        ]
        for name, theirs_s, ours_s in rows:
            print(f"| {name} | {theirs_s:.2f} | {ours_s:.3f} | {theirs_s / ours_s:.1f} |")
        print(f"loading alone: {theirs['load']:.1f} s against {ours['load']:.1f} s")


def installed(folder: Path) -> str:
    """An environment of its own with Feedback Forensics."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "feedback-forensics==0.5.0"], check=True)
    return python


def write_pairs(path: Path, pairs: int, annotators: int) -> None:
    """Made-up pairs of words; the reference always votes, the others agree with it more or less often, or do not vote."""
    draw = random.Random(pairs)
    words = [
        "a",
        "few",
        "plain",
        "words",
        "that",
        "make",
        "a",
        "text",
        "of",
        "some",
        "length",
        "or",
        "other",
        "when",
        "they",
        "are",
        "drawn",
        "at",
        "random",
    ]
    names = [f"trait-{number}" for number in range(1, annotators + 1)]
    principles = {name: {"type": "principle", "description": f"Select the response that {name}"} for name in names}
    head = {
        "metadata": {"version": "2.0", "dataset_name": "made up", "default_annotator": REFERENCE,
                     "available_metadata_keys_per_comparison": [], "description": "", "created_at": "2026-01-01"},
        "annotators": {REFERENCE: {"name": "reference", "type": "human", "description": ""}} | principles,
    }  # fmt: skip
    with path.open("w") as file:
        file.write(json.dumps(head)[:-1] + ', "comparisons": [')
        for number in range(pairs):
            file.write((",\n" if number else "\n") + json.dumps(comparison(draw, words, number, names)))
        file.write("]}")


def comparison(draw: random.Random, words: list[str], number: int, names: list[str]) -> dict[str, object]:
    right = draw.choice("ab")
    votes = {REFERENCE: {"pref": right}}
    for place, name in enumerate(names):
        chance = draw.random()
        if chance < 0.3:
            votes[name] = {"pref": None, "no_pref_reason": draw.choice(["not_applicable", "both", "neither"])}
        elif chance < 0.95:
            agrees = draw.random() < 0.4 + 0.01 * place
            votes[name] = {"pref": right if agrees else "ab"[right == "a"]}
    texts = [{"text": " ".join(draw.choices(words, k=draw.randint(5, 40)))} for _ in range(2)]
    # A text of its own for every pair: theirs keeps only one of equal comparisons.
    return {"id": str(number), "prompt": f"prompt {number}", "response_a": texts[0],
            "response_b": {"text": f"{texts[1]['text']} {number}"}, "annotations": votes, "metadata": {}}  # fmt: skip


def measured(python: str, code: str, *words: object) -> dict:
    """What a script says of itself in its last line."""
    done = subprocess.run([python, "-c", code, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return json.loads(done.stdout.rsplit("RESULT", 1)[1])


def wall(command: list[str]) -> float:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=kept)
    return time.perf_counter() - start


def compare(theirs: dict, ours: dict) -> None:
    """Exits where a figure differs by more than rounding."""
    worst = 0.0
    for their_name, name in FIGURES.items():
        values = theirs["metrics"][their_name]
        if values.keys() != ours["metrics"][name].keys():
            raise SystemExit(f"{name}: not the same annotators")
        worst = max(worst, *(abs(values[annotator] - value) for annotator, value in ours["metrics"][name].items()))
    for their_name, name in SAME.items():
        worst = max(worst, abs(theirs["overall"][their_name] - ours["overall"][name]) / max(1, ours["overall"][name]))
    print(f"largest difference of any figure: {worst:.1e}")
    if worst > 1e-9:
        raise SystemExit("the figures differ")


if __name__ == "__main__":
    main()
