"""Ten million pairs x 40 annotators from Adjudge's columnar form, against the time to decode the columns.

    python benchmarks/annotations_large.py [--pairs 10000000]

Decode: polars reads the columns of votes and lengths. Figures: the tables agreement, votes and overview with all
intervals (goal: at most 3 times decode, at most 1 GB resident). Matrix: everyone beside everyone (goal: at most 12
times). Each in a process of its own, by the clock and in seconds of all cores, which on a shared machine tell more.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from apart import apart, ran

ANNOTATORS = 40
ROUNDS = 3

DECODE = """
import sys, time, polars as pl
start = time.perf_counter(), time.process_time()
pl.read_parquet(sys.argv[1], columns=[c for c in pl.read_parquet_schema(sys.argv[1]) if c.startswith(("vote:", "length"))])
print("SECONDS", time.perf_counter() - start[0], time.process_time() - start[1])
"""

FIGURES = """
import sys, time
from adjudge.evaluations.annotations import data_sets, tables
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.readers.pairs.pairs import PairReading, read_pairs
from adjudge.readers.inputs import sources
start = time.perf_counter(), time.process_time()
source = sources(sys.argv[1], evaluation="annotations")[0]
pairs = read_pairs(source, PairReading(unread=True))
one = data_sets.data_set(pairs, AnnotationsOptions(sys.argv[1]))
data_sets.check_votes(source, one)
whole = one.whole_groups[0]
tables.agreement_rows(whole), tables.votes_rows(whole), tables.overview_rows(whole)
print("SECONDS", time.perf_counter() - start[0], time.process_time() - start[1])
"""

AGAIN = "start = time.perf_counter(), time.process_time()\n"
MATRIX = FIGURES.replace("print(", f"{AGAIN}tables.matrix_rows(whole, one.all_annotators)\nprint(")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=10_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        apart(write_pairs, path, options.pairs)
        print(
            f"{options.pairs:,} pairs x {ANNOTATORS} annotators, {path.stat().st_size / 1e6:.0f} MB, {os.cpu_count()} cores"
        )
        print("| | round | s | s of all cores | ratio | ratio of cores' | peak, GB |\n|---|---|---|---|---|---|---|")
        for number in range(1, ROUNDS + 1):
            decode, cores, _ = measured(DECODE, path)
            print(f"| decode | {number} | {decode:.2f} | {cores:.2f} | | | |")
            for name, code in (("figures", FIGURES), ("matrix", MATRIX)):
                seconds, of_cores, memory = measured(code, path)
                ratios = f"{seconds / decode:.2f} | {of_cores / cores:.2f}"
                print(f"| {name} | {number} | {seconds:.2f} | {of_cores:.2f} | {ratios} | {memory:.2f} |")


def write_pairs(path: Path, pairs: int, first: int = 0) -> None:
    """Made-up votes in Adjudge's columnar form; texts are short, since no figure here reads them. first: number of a pair."""
    from adjudge.schemas.pairs import VOTE, AnnotatedPairs, Annotator
    from adjudge.writers.pair_files import write_columnar

    draw = np.random.default_rng(first)
    codes = np.array([0, 1, 2, 6], dtype=np.uint8)
    numbers = pl.int_range(first, first + pairs, eager=True)
    frame = pl.DataFrame(
        {
            "pair": numbers.cast(pl.String),
            "prompt": pl.select(pl.format("prompt {}", numbers)).to_series(),
            "text_a": ["a"] * pairs,
            "text_b": ["b"] * pairs,
            "model_a": pl.Series([None], dtype=pl.String).new_from_index(0, pairs),
            "model_b": pl.Series([None], dtype=pl.String).new_from_index(0, pairs),
            "length_a": draw.integers(1, 3000, pairs).astype(np.uint32),
            "length_b": draw.integers(1, 3000, pairs).astype(np.uint32),
        }
        | {f"{VOTE}a{k}": codes[draw.choice(4, pairs, p=[0.1, 0.3, 0.3, 0.3])] for k in range(ANNOTATORS + 1)}
    )
    annotators = tuple(Annotator(f"a{k}") for k in range(ANNOTATORS + 1))
    write_columnar(AnnotatedPairs("large", frame.lazy(), annotators, "a0"), path)


def measured(code: str, path: Path) -> tuple[float, float, float]:
    """Seconds that a script says it took, by the clock and of all cores, and its peak memory in GB."""
    it = ran([sys.executable, "-c", code, str(path)])
    seconds, of_cores = map(float, it.output.rsplit("SECONDS", 1)[1].split())
    return seconds, of_cores, it.memory


if __name__ == "__main__":
    main()
