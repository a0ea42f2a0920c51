"""In which settings several runs differ, apart from what was judged."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from karat.report import Report, typed_table

SETTINGS = "settings"
"""The table of them, which reports on several runs have where there are any."""
VERSION_OF_KARAT = "version of Karat"
"""A setting, too."""
OF_INTERVALS = frozenset({"confidence", "cluster", "seed"})
"""Settings that change intervals, and no figure."""
_OF_READING = frozenset(
    {
        *(
            "columns",
            "set",
            "values",
            "item_columns",
            "annotator_columns",
            "vote_separator",
            "vote_values",
            "flag_values",
        ),
        *("input_format", "encoding", "separator", "max_size", "guess", "by"),
        *("runner", "ray_address", "workers", "resume", "matrix"),
    }
)
"""Settings that say how files are read, into which groups, and where: whose figures are the same."""


@dataclass(frozen=True, slots=True)
class Unlike:
    """The settings in which runs differ, whose figures may differ for that alone."""

    settings: Sequence[str]


def settings_table(runs: Sequence[str], differing: Iterable[tuple[str, Sequence[str]]]) -> dict[str, pl.DataFrame]:
    """A row for each setting and run. differing: each setting with its value in every run, in words."""
    rows = [
        {"setting": name, "run": run, "chosen": value}
        for name, values in differing
        for run, value in zip(runs, values, strict=True)
    ]
    return {SETTINGS: typed_table(rows)} if rows else {}


def unlike_of(report: Report) -> Iterator[Unlike]:
    """The settings in which the runs of a report differ, of those on which figures depend, if there are any."""
    if SETTINGS not in report.tables:
        return
    names = report[SETTINGS]["setting"].unique(maintain_order=True)
    if settings := [name for name in names if name not in OF_INTERVALS | _OF_READING]:
        yield Unlike(settings)
