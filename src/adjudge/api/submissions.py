"""`adjudge.rank_preferences` and `adjudge.check_preferences`."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.api.functions import takes
from adjudge.api.reports import done_to, without_items
from adjudge.errors import DataError, flag_name
from adjudge.evaluations.preferences.options import CheckOptions, RankOptions
from adjudge.report import Report

if TYPE_CHECKING:
    from adjudge.readers.io.source import Source
    from adjudge.readers.preferences.preferences import PreferenceReading as Reading
    from adjudge.schemas.preferences import JudgedItems


@takes(RankOptions)
def rank_preferences(options: RankOptions) -> Report:
    """Rank systems by published scores: Borda points and mean rank over all scores.

    Each metric on each criterion ranks all systems. Borda points = systems beaten, summed over these rankings; a tie
    counts half.

    Returns
    -------
    A Report with the table ranks. There are no items, so no intervals and no tests.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"system": ["x", "y"], "criterion": "safety", "metric": "accuracy", "value": [0.9, 0.8]})
    >>> adjudge.rank_preferences(table).estimate("borda", system="x").value
    1.0

    Source: Borda 1784; Friedman 1937 for mean ranks.
    """
    from adjudge.evaluations.preferences.tables import published_ranks
    from adjudge.evaluations.scoring import input_of
    from adjudge.metrics.row_selection import check_known_name
    from adjudge.readers.inputs import sources
    from adjudge.readers.io.source import How
    from adjudge.readers.preferences.score_tables import SCORES, read_scores
    from adjudge.schemas.columns import mapped_columns

    inputs = sources(options.scores, How.of(options), "preferences")
    found = read_scores(inputs, mapped_columns(options.columns, SCORES))
    metrics = found.frame["metric"].unique(maintain_order=True).to_list()
    for name in options.lower_is_better:
        check_known_name("no metric", name, metrics, "lower_is_better")
    low = [*options.lower_is_better, *(name for name in metrics if "\N{DOWNWARDS ARROW}" in name)]
    ranks, warnings = published_ranks(found.frame, low)
    if ranks.is_empty():
        more = "".join(f"; {one}" for one in warnings)
        names = ", ".join(source.name for source in inputs)
        raise DataError(
            f"{names}: nothing to rank: expected a metric that two systems or more all have; got none{more}"
        )
    return without_items(
        options,
        [input_of(source, height) for source, height in zip(inputs, found.heights, strict=True)],
        {"ranks": ranks},
        evaluation="preferences",
        words="preferences rank",
        counts={"systems": found.frame["system"].n_unique(), "scores": found.frame.height},
        warnings=(*done_to(inputs), *found.warnings, *warnings),
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check; it prints in lines.

    file: the checked file, or the written one. rows: rows that can be scored. done: the repairs. left:
    remaining faults of the repaired file.
    """

    file: str
    rows: int
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def __str__(self) -> str:
        wrong = f"{len(self.left):,} problems left" if self.left else "no problems found"
        return "\n".join((*self.done, f"{self.file}: {self.rows:,} rows, {wrong}"))


@takes(CheckOptions)
def check_preferences(options: CheckOptions) -> Checked:
    """Check a file of predictions before it is submitted, and repair what needs no guess.

    Returns
    -------
    Checked: the number of rows and, with fix, the repairs and the remaining faults.

    Raises
    ------
    DataError with all faults: missing, extra or duplicate ids, labels outside the list, empty labels and
    explanations, missing columns, another separator; with fix, only for files that are no tables. OptionError for
    invalid arguments.
    """
    from adjudge.evaluations.preferences.scoring import item_options
    from adjudge.readers.inputs import source_of
    from adjudge.readers.io.source import How
    from adjudge.readers.preferences.preferences import read_items, repaired
    from adjudge.render.files import write_whole

    reading = replace(item_options(options), explanations=options.explanations, exact_labels=True)
    items, source = (source_of(one, How.of(options), "preferences") for one in (options.gold, options.submission))
    known = read_items(items, reading)
    if options.fix is not None:
        table, done = repaired(source, reading, known)
        write_whole(Path(options.fix), partial(table.write_csv, separator="\t"))
        try:
            return Checked(str(options.fix), _count_rows(source_of(options.fix), reading, known), done)
        except DataError as wrong:
            return Checked(str(options.fix), table.height, done, wrong.problems)
    if source.path is not None and options.reading.input_format is None and source.format != "tsv":
        raise DataError(
            f"{source.name}: expected a table separated by tabs, as it is submitted; got {source.format}",
            fix=f"save it with tabs ({flag_name('fix')} OUT.tsv does), or give {flag_name('input_format')}",
        )
    try:
        return Checked(source.name, _count_rows(source, reading, known))
    except DataError as wrong:
        wrong.hint = f"{flag_name('fix')} OUT.tsv saves a copy with corrected spellings, and lists the other problems"
        raise


def _count_rows(source: "Source", reading: "Reading", gold: "JudgedItems") -> int:
    """The number of rows. Raises DataError with all faults."""
    from adjudge.readers.preferences.preferences import find_problems

    frame, findings, gaps = find_problems(source, reading, gold)
    findings.join(gaps)
    findings.settle()
    return frame.height
