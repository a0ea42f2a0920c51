"""Submissions to a shared task: each is checked, and those that can be scored are."""

from collections.abc import Mapping, Sequence
from functools import partial

import polars as pl

from adjudge.errors import DataError
from adjudge.metrics.partial_counts import PartialCounts, Settings, Workers
from adjudge.metrics.tables import Keys
from adjudge.readers.io.source import Source
from adjudge.readers.preferences.preferences import Options, find_problems, predictions_of, read_predictions
from adjudge.readers.problems import Findings
from adjudge.schemas.preferences import JudgedItems

SUBMISSIONS = "submissions"
COLUMNS = ("system", "status", "found")
"""The table of submissions and its columns: a row per problem, or one row without problems."""
COMPLETE, INCOMPLETE, REFUSED = "complete", "incomplete", "refused"


def read_systems(
    gold: JudgedItems, given: Mapping[str, Source], how: Options, trusted: Source, workers: Workers
) -> dict[str, JudgedItems]:
    """The predictions of each system, by name. given: system -> its file. trusted: the file of the gold."""
    read = partial(_as_part, how, gold)
    parts = workers.files("reading predictions", read, [*given.values()], {"gold": trusted.sha256()})
    judged, rest = {}, iter(given.items())
    for part in parts:
        about = part.rows["about"].row(0, named=True)
        system = next(name for name, source in rest if source.name == about["file"])  # files may have been left out
        judged[system] = JudgedItems(system, part.rows["labels"], gold.task, about["rows"], tuple(about["warnings"]))
    return judged


def _as_part(how: Options, gold: JudgedItems, source: Source, _: Settings) -> PartialCounts:
    """The contents of a file of predictions as frames."""
    predicted = read_predictions(source, how, gold, source.stem)
    warnings = pl.Series([list(predicted.warnings)], dtype=pl.List(pl.String))
    about = pl.DataFrame({"file": [source.name], "rows": [predicted.rows], "warnings": warnings})
    return PartialCounts(rows={"about": about, "labels": predicted.frame})


def check_submissions(
    sources: Sequence[Source], names: Sequence[str], options: Options, gold: JudgedItems
) -> tuple[dict[str, JudgedItems], list[Keys]]:
    """The systems whose submission can be scored, by name, and what was found in each of all.

    A submission is refused for what scoring would refuse; labels, ids and explanations that it lacks are told. Raises
    DataError where none is left.
    """
    systems, rows = dict[str, JudgedItems](), list[Keys]()
    for source, name in zip(sources, names, strict=True):
        try:
            submission = find_problems(source, options, gold)
            systems[name] = predictions_of(submission, options, gold, name)
            problems = _messages(submission.gaps)
            status = INCOMPLETE if problems else COMPLETE
        except DataError as wrong:
            status, problems = REFUSED, list(wrong.problems)
        rows += [{"system": name, "status": status, "found": one} for one in problems or ["nothing is wrong"]]
    if not systems:
        raise DataError([f"{row['system']} cannot be scored: {row['found']}" for row in rows])
    return systems, rows


def _messages(gaps: Findings) -> list[str]:
    """Which labels, ids and explanations a submission lacks."""
    try:
        gaps.settle()
    except DataError as lacking:
        return list(lacking.problems)
    return []
