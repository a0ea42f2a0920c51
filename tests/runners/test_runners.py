"""What becomes of files does not depend on where they are counted, on the order in which they end, or on who dies."""

import subprocess
import sys
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from adjudge.errors import DataError
from adjudge.metrics.cells import COUNT
from adjudge.metrics.partial_counts import PartialCounts, SmallestRows, merge_parts, read_part, write_part
from adjudge.readers.io.source import Source
from adjudge.runners.runner import MOST_TRIES, LostError, Processes, Threads
from adjudge.runners.workers import Checkpoint, RunnerWorkers
from made_workers import dies


def lines(source: Source, _: object) -> PartialCounts:
    """How often each first letter stands in a file. A file of the word bad cannot be read."""
    text = source.file.read_text()
    if text == "bad":
        raise DataError(f"{source.name}: expected anything else; got bad")
    letters = pl.DataFrame({"letter": [line[0] for line in text.splitlines()]})
    return PartialCounts({"letters": letters.group_by("letter").agg(pl.len().cast(pl.Int64).alias(COUNT))})


def scanned(source: Source, known: object) -> PartialCounts:
    """The same, of Parquet too."""
    if source.format != "parquet":
        return lines(source, known)
    return PartialCounts(
        {"letters": pl.scan_parquet(source.file).group_by("letter").agg(pl.len().alias(COUNT)).collect()}
    )


@pytest.fixture
def files(tmp_path: Path) -> list[Source]:
    for name, text in {"a.txt": "x\ny\n", "b.txt": "x\nx\n", "c.txt": "z\n"}.items():
        (tmp_path / name).write_text(text)
    return [Source(name, "text", tmp_path / name) for name in ("a.txt", "b.txt", "c.txt")]


def letters(parts: list[PartialCounts]) -> dict[str, int]:
    return dict(merge_parts(parts).counts["letters"].iter_rows())


def workers_of(*, drop: bool = False, kept: Checkpoint | None = None) -> RunnerWorkers:
    return RunnerWorkers(Threads(), lambda _: nullcontext(), kept, drop)


def test_of_the_least_rows_as_many_stay_however_many_files_there_are(tmp_path):
    parts = [
        PartialCounts(least={"ids": SmallestRows(2, pl.DataFrame({"hash": hashes}))})
        for hashes in ([5, 1], [3, 0], [7])
    ]
    write_part(parts[0], tmp_path / "kept")
    found = merge_parts([read_part(tmp_path / "kept"), *parts[1:]]).least["ids"]
    assert (found.most, sorted(found.frame["hash"])) == (2, [0, 1])


def test_all_files_that_cannot_be_read_are_named_at_the_end(files):
    for one in files[:2]:
        one.file.write_text("bad")
    with pytest.raises(DataError, match=r"a\.txt: expected anything else; got bad\nb\.txt: expected"):
        workers_of().files("counting", lines, files, {})


def test_a_file_that_is_gone_and_one_that_is_damaged_are_named(files, tmp_path):
    files[0].file.unlink()
    pl.DataFrame({"letter": ["x"] * 50}).write_parquet(damaged := tmp_path / "d.parquet")
    damaged.write_bytes(damaged.read_bytes()[:-20] + bytes(20))
    with pytest.raises(DataError) as error:
        workers_of().files("counting", scanned, [*files, Source("d.parquet", "parquet", damaged)], {})
    gone, broken = error.value.lines
    assert gone == "a.txt: cannot be read where it is counted: No such file or directory"
    assert broken.startswith("d.parquet: ")


class Gone:
    """A runner whose workers die of whatever is second."""

    def map(self, *_: object):
        yield 1, LostError()


def test_what_workers_die_of_is_named_and_a_defect_is_no_fault_of_a_file(files):
    gone = RunnerWorkers(Gone(), lambda _: nullcontext())
    with pytest.raises(
        DataError, match=r"^b\.txt: cannot be read where it is counted: the process that read it died 3 times"
    ):
        gone.files("counting", lines, files, {})
    with pytest.raises(ZeroDivisionError):
        workers_of().files("counting", lambda *_: 1 / 0, files, {})


def test_files_that_cannot_be_read_are_left_out_of_all_passes_on_request(files):
    files[1].file.write_text("bad")
    workers = workers_of(drop=True)
    assert letters(workers.files("counting", lines, files, {})) == {"x": 1, "y": 1, "z": 1}
    assert workers.lost == {"b.txt": "b.txt: expected anything else; got bad"}
    files[1].file.write_text("x\n")
    assert len(workers.files("counting again", lines, files, {})) == 2


def test_what_is_kept_is_not_read_again_unless_the_file_or_a_setting_is_another(files, tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    read: list[str] = []

    def noted(source: Source, known: object) -> PartialCounts:
        read.append(source.name)
        return lines(source, known)

    def count(settings: str = "seed=0") -> dict[str, int]:
        read.clear()
        return letters(workers_of(kept=Checkpoint(kept, settings)).files("counting", noted, files, {}))

    assert count() == {"x": 3, "y": 1, "z": 1}
    assert sorted(read) == ["a.txt", "b.txt", "c.txt"]
    assert (count(), read) == ({"x": 3, "y": 1, "z": 1}, [])
    files[1].file.write_text("y\n")
    assert (count(), read) == ({"x": 1, "y": 2, "z": 1}, ["b.txt"])
    assert (len(count("seed=1")), len(read)) == (3, 3)
    next(kept.iterdir()).write_bytes(b"PK damaged")
    count(), count()
    assert read == []


def test_a_process_that_dies_is_replaced_and_a_part_that_kills_all_is_named(tmp_path):
    once, always = tmp_path / "once", tmp_path / "always"
    once.mkdir(), always.mkdir()
    with closing(Processes()) as runner:
        assert sorted(runner.map(partial(dies, once, 1), [2, 3])) == [(0, 4), (1, 9)]
        ((_, found),) = runner.map(partial(dies, always, 99), [3])
    assert isinstance(found, LostError)
    assert len(list(always.iterdir())) == MOST_TRIES


def test_pieces_come_back_in_their_order_and_what_is_wrong_with_one_is_raised():
    workers = RunnerWorkers(Threads(), lambda _: nullcontext())
    pieces = [pl.DataFrame({"n": [number]}) for number in range(5)]
    assert [one.item() for one in workers.pieces("scoring", pl.DataFrame.sum, pieces)] == [0, 1, 2, 3, 4]
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        workers.pieces("scoring", partial(pl.DataFrame.drop_nulls, subset="m"), pieces)


def test_a_script_that_asks_for_processes_runs_once_also_without_a_guard(tmp_path):
    rows = "pair,text_a,text_b,ref,u\n" + "".join(f"p{n},x,yy,text_a,text_b\n" for n in range(9))
    (tmp_path / "votes.csv").write_text(rows)
    given = 'one_data_set="all", annotator_columns=["ref", "u"], reference="ref", runner="processes"'
    (tmp_path / "script.py").write_text(
        f'import adjudge\nprint("once")\nprint(adjudge.annotations("votes.csv", {given}).counts["pairs"])\n'
    )
    ran = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "once\n9\n"
