"""Time and peak memory of reading AnnotatedPairs JSON: small files into memory, large ones into Adjudge's columnar form.

    python benchmarks/annotations_json.py [--pairs 100000] [--annotators 40] [--gigabytes 1.1]

Writes made-up pairs of two sizes under a temporary folder. For each, in processes of their own: json.loads of the
file (the smaller one only), `read_pairs`, and `adjudge convert` to Parquet. Goal: converting a file of 1 GB peaks
under 2 GB.
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from apart import ran

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "and",
    "runs",
    "far",
    "away",
    "from",
    "home",
    "today",
]
VOTES = ["a", "b", "not_applicable", "both", "neither", "invalid", "non_preference_annotation"]
SHARES = [40, 40, 10, 3, 3, 2, 2]

LOADS = "import sys, json; json.loads(open(sys.argv[1]).read())"
READ = """
import sys
from adjudge.readers.pairs.pairs import read_pairs
from adjudge.readers.inputs import sources
read_pairs(sources(sys.argv[1], evaluation="annotations")[0])
"""
CONVERT = "import sys; from adjudge.cli import main; sys.argv.insert(1, 'convert'); main()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--annotators", type=int, default=40)
    parser.add_argument("--gigabytes", type=float, default=1.1, help="size of the large file; 0 leaves it out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.json"
        print("| file | what | seconds | peak memory, GB |\n|---|---|---|---|")
        write(path, options.annotators, pairs=options.pairs)
        show(path, "json.loads alone", LOADS)
        show(path, "read_pairs", READ)
        show(path, "adjudge convert to .parquet", CONVERT, str(path.with_suffix(".parquet")))
        if options.gigabytes:
            write(path, options.annotators, size=options.gigabytes * 1e9)
            show(path, "adjudge convert to .parquet", CONVERT, str(path.with_suffix(".parquet")))


def write(path: Path, annotators: int, pairs: int = sys.maxsize, size: float = float("inf")) -> None:
    """Comparisons by all annotators, as many as asked for or as a size in bytes needs."""
    draw = random.Random(0)
    spelt = [json.dumps({"pref": vote} if len(vote) == 1 else {"pref": None, "no_pref_reason": vote}) for vote in VOTES]
    names = [f"annotator {number}" for number in range(annotators)]
    head = {"version": "2.0", "dataset_name": "made up", "default": names[0]}
    declared = {name: {"description": f"Select what pleases {name}", "type": "principle"} for name in names}
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{{"metadata": {json.dumps(head)}, "annotators": {json.dumps(declared)}, "comparisons": [')
        for number in range(pairs):
            if file.tell() > size:
                break
            texts = [" ".join(draw.choices(WORDS, k=draw.randint(5, 120))) for _ in "ab"]
            votes = draw.choices(spelt, SHARES, k=annotators)
            annotations = ", ".join(f'"{name}": {vote}' for name, vote in zip(names, votes, strict=True))
            file.write(
                f'{", " if number else ""}{{"id": "{number}", "prompt": "prompt {number // 2}", '
                f'"response_a": {{"text": "{texts[0]}", "model": "m{number % 3}"}}, '
                f'"response_b": {{"text": "{texts[1]}", "model": "m{number % 5}"}}, '
                f'"annotations": {{{annotations}}}, "metadata": {{"topic": "t{number % 7}"}}}}'
            )
        file.write("]}")


def show(path: Path, what: str, code: str, *words: str) -> None:
    it = ran([sys.executable, "-c", code, str(path), *words])
    print(f"| {path.stat().st_size / 1e6:,.0f} MB | {what} | {it.seconds:.1f} | {it.memory:.2f} |", flush=True)


if __name__ == "__main__":
    main()
