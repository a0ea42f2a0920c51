"""What many files cost: measured on 1 to 128 of them, and on paper for 10^12 votes on 1,000 hosts.

    python benchmarks/scale.py [--pairs 312500] [--files 1,2,4,8,16,32] [--runner threads] [--plan] [--picture FILE.svg]

Each file holds as many pairs of 41 annotators, so that 32 files are 10 million pairs. For every number of files one
process counts them as one data set, with the matrix: seconds of the clock, seconds of all cores, and the most memory
that it held. Goals: cost in proportion to files, memory that does not grow with them.

What a run is made of is measured on the first file: decoding its columns, both passes of counting, bytes of a
part, adding it to others, and what there is once in a run, the figures and all that is loaded. From these alone `Model` says what the runs should cost, and
the table shows it beside what they did. With --plan it then says what hosts of 32 cores would make of 10^12 votes, in
large files and in small ones, whose parts are added in one place, or first on each host.
"""

import argparse
import heapq
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
from annotations_large import ANNOTATORS, write_pairs
from apart import apart, ran

import adjudge
from adjudge.metrics.partial_counts import PartialCounts
from adjudge.readers.inputs import sources
from adjudge.runners import workers

RUN = """
import sys, time, adjudge
start = time.perf_counter()
adjudge.annotations(sys.argv[2:], one_data_set="all", runner=sys.argv[1])
print("SECONDS", time.perf_counter() - start)
"""
VOTES, CORES, NETWORK, STORE = 10**12, 32, 1.25e9, 0.6e9
"""Of the plan: votes, cores of a host, bytes a second to where parts are added, and into a host from its store."""
_DECODED = 10
"""How often a file is decoded; the least time counts, since the first has pages to fetch."""
_TIMED = 16
"""Files over which parts of the work are timed."""


def main() -> None:
    """Make the files, measure, compare with the model."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--pairs", type=int, default=312_500)
    parser.add_argument("--files", default="1,2,4,8,16,32")
    parser.add_argument("--runner", default="threads")
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--picture", type=Path)
    chosen = parser.parse_args()
    numbers = [int(one) for one in chosen.files.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / f"{place:03}.parquet") for place in range(max(numbers))]
        apart(write_files, files, chosen.pairs)
        model = of_files(files[:_TIMED], chosen.runner)
        print(model)
        print("| files | s | s of all cores | by the model | peak, GB |\n|---|---|---|---|---|")
        rows = []
        for number in numbers:
            seconds, cores, memory = measured(chosen.runner, files[:number])
            print(f"| {number} | {seconds:.1f} | {cores:.1f} | {model.cores(number):.1f} | {memory:.2f} |")
            rows.append({"files": number, "cores": cores, "model": model.cores(number), "memory": memory})
    if chosen.picture:
        draw(rows, chosen.picture)
    if chosen.plan:
        plan(model, chosen.pairs)


def draw(rows: list[dict[str, float]], path: Path) -> None:
    """Seconds of all cores, beside those of the model, and memory, by the number of files."""
    files = alt.X("files:Q", axis=alt.Axis(values=[1, 32, 64, 96, 128], grid=False))
    base = alt.Chart(alt.Data(values=rows), width=225, height=160).encode(x=files)
    seconds, memory = (base.mark_point(filled=True, size=50) for _ in range(2))
    model = base.mark_line(strokeDash=[4, 3], color="#777").encode(y="model:Q")
    shown = [
        model + seconds.encode(y=alt.Y("cores:Q", title="CPU time, s")),
        memory.encode(y=alt.Y("memory:Q", title="peak memory, GB")),
    ]
    alt.hconcat(*shown, background="#fffffe").configure_view(stroke=None).save(path)


@dataclass(frozen=True)
class Model:
    """What a run is made of, in seconds of a core: per file, and once.

    The main process opens files one after the other, and adds their parts; each file is seen, and counted, anywhere.
    size: bytes of a file. sent: of its parts; kept: of what of them is not added, and so held until the end.
    """

    decode: float
    opened: float
    seen: float
    counted: float
    added: float
    once: float
    size: float
    sent: float
    kept: float

    def cores(self, files: int) -> float:
        """Seconds of all cores that so many files take."""
        return self.once + files * (self.opened + self.seen + self.counted + self.added)

    def larger(self, times: float) -> "Model":
        """Files with so many times the pairs. What is sent and added does not grow with them."""
        grown = ("size", "opened", "seen", "counted")
        return replace(self, **{name: times * getattr(self, name) for name in grown})


def write_files(files: list[str], pairs: int) -> None:
    """Files with so many pairs each, all of them different."""
    for place, path in enumerate(files):
        write_pairs(Path(path), pairs, place * pairs)


def of_files(files: list[str], runner: str) -> Model:
    """The model, from a run over some files, whose work is timed part by part."""
    timed(files[:1])  # what is loaded once is loaded
    (seen, counted), added, sent, kept = timed(files)
    start = time.process_time()
    sources(files, evaluation="annotations")
    opened = (time.process_time() - start) / len(files)
    _, cores, _ = measured(runner, files[:1])
    once = cores - opened - seen - counted - added
    decode = min(decoded(files[0]) for _ in range(_DECODED))
    alone = sum(timed(files, matrix=False)[0])
    print(
        f"times decoding: {alone / decode:.1f} without the matrix, {(seen + counted - alone) / decode:.1f} the matrix"
    )
    return Model(decode, opened, seen, counted, added, once, Path(files[0]).stat().st_size, sent, kept)


def decoded(file: str) -> float:
    """The seconds that polars takes to read the columns that are counted."""
    start = time.process_time()
    names = [name for name in pl.read_parquet_schema(file) if name.startswith(("vote:", "length"))]
    pl.read_parquet(file, columns=names)
    return time.process_time() - start


def timed(files: list[str], *, matrix: bool = True) -> tuple[list[float], float, float, float]:
    """Of a file the seconds of each pass, those of adding its parts, and the bytes of these, and of rows in them."""
    passes: list[float] = []
    added = sent = kept = 0.0

    class Watched:
        """Files one after the other, with a clock."""

        def map(self, work: Any, parts: list[Any]) -> Iterator[tuple[int, PartialCounts]]:  # noqa: ANN401
            nonlocal added, sent, kept
            passes.append(0.0)
            for place, part in enumerate(parts):
                start = time.process_time()
                found = work(part)
                passes[-1] += (time.process_time() - start) / len(files)
                sent += len(pickle.dumps(found)) / len(files)
                kept += len(pickle.dumps(found.rows)) / len(files)
                start = time.process_time()
                yield place, found
                added += (time.process_time() - start) / len(files)

        def close(self) -> None:
            pass

    workers.runner_of = lambda *_: Watched()
    adjudge.annotations(files, one_data_set="all", matrix=matrix)
    return passes, added, sent, kept


def measured(runner: str, files: Sequence[str]) -> tuple[float, float, float]:
    """Seconds of the clock that a run over files says it took, those of all cores, and its peak memory in GB."""
    it = ran([sys.executable, "-c", RUN, runner, *files])
    return float(it.output.rsplit("SECONDS", 1)[1]), it.cores, it.memory


# --- on paper ---


def plan(model: Model, pairs: int) -> None:
    """What hosts would make of all votes, in files of several sizes, and who waits for whom. pairs: in a file of the model."""
    print(f"\n{VOTES:.0e} votes of {ANNOTATORS + 1} annotators, hosts of {CORES} cores")
    print("| files | MB each | hosts | added | s | opening | adding is busy | holds, GB | of the ideal |")
    print("|---|---|---|---|---|---|---|---|---|")
    for size in (10_000_000, 200_000):
        files, large = round(VOTES / (ANNOTATORS + 1) / size), model.larger(size / pairs)
        ideal = files * (large.seen + large.counted) / CORES
        for hosts in (10, 100, 1000):
            for first in (False, True) if files > hosts else (False,):
                whole, busy, held = run_of(large, files, hosts, on_hosts=first)
                where = "on hosts, then in one place" if first else "in one place"
                print(
                    f"| {files:,} | {large.size / 1e6:.0f} | {hosts:,} | {where} | {whole:,.0f} | {files * large.opened:,.0f} "
                    f"| {busy / whole:.0%} "
                    f"| {held / 1e9:.2f} | {ideal / hosts / whole:.0%} |"
                )


def run_of(model: Model, files: int, hosts: int, *, on_hosts: bool) -> tuple[float, float, float]:
    """The seconds of a run, those in which parts are added, and the bytes of them that are held there.

    Discrete events: files are opened one after the other; then a core takes a file when it is free; parts queue to be
    added, and come in one by one from the network. The second pass begins when the first has been added. on_hosts: each
    host adds its own parts first, on one of its cores, and sends one.
    """
    now, busy = files * model.opened, 0.0
    taken = (model.added + model.sent / NETWORK) / 2
    for work in (model.seen, model.counted):
        ended = _ended(now, max(work, model.size / (STORE / CORES)), files, hosts * CORES)
        if on_hosts:
            ended = [max(ended) + model.added / 2 * files / hosts] * hosts
        for at in ended:
            now = max(now, at) + taken
        busy += len(ended) * taken
    return now + model.once, busy, files * model.kept + (hosts if on_hosts else 1) * model.sent


def _ended(start: float, seconds: float, files: int, cores: int) -> list[float]:
    """When each file is done."""
    free = [start] * min(files, cores)
    done = []
    for _ in range(files):
        done.append(heapq.heappop(free) + seconds)
        heapq.heappush(free, done[-1])
    return done


if __name__ == "__main__":
    main()
