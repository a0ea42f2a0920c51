"""What a judge's labels are worth, in sentences: from the tables of corrected figures alone."""

from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.metrics.row_selection import TableRow
from adjudge.render.wording import MOST_NAMED, Wording, joined
from adjudge.report import Report

_TABLES = ("corrected", "corrected_numbers")
_NAIVE = ("by_judge", "mean_by_judge")
_CHIEF = {"share": "shares of labels", "mean": "the mean"}
"""The figures that are told, and what they are called."""
_SAMPLE = (
    "All of this holds only if the items that people labelled are a random sample of those that the judge labelled."
)


def worth_sentences(report: Report) -> list[str]:
    """What a report on corrected figures alone says of each judge, the first ones of the first groups."""
    words, told = Wording(report), list[str]()
    by = [name for name in report.options.get("by") or () if name in report[report.about.main].columns]
    rows = report[report.about.main].select(*by, "judge").unique(maintain_order=True).to_dicts()
    for row in rows[:MOST_NAMED]:
        group = {name: row[name] for name in by}
        sentences = [*worth_of(report, words, row), *_corrected(report, words, row)]
        nothing = f"Too few items were labelled by people and by {words.judge(row['judge'])} to correct its figures."
        told.append(words.where(group) + (" ".join(sentences) or nothing))
    more = len(rows) - len(told)
    rest = [f"{more:,} more {'stands' if more == 1 else 'stand'} in the table."] if more else []
    known = report.options.get("weights") or report.options.get("strata")
    unsure = not known and any(_sizes(report, row)[1] > 0 for row in rows)
    return [*told, *rest, *([_SAMPLE] if unsure else [])]


def worth_of(report: Report, words: Wording, keys: Mapping[str, Any]) -> Iterator[str]:
    """How many of people's labels alone would do as much as people's and a judge's. keys: the judge, and its group."""
    found = [row for row in _rows(report, keys) if row["metric"] == "worth"]
    if not found:
        return
    people, more = _sizes(report, keys)
    worths = sorted(round(row["value"]) for row in found)
    worth = f"{worths[0]:,}" if worths[0] == worths[-1] else f"{worths[0]:,} to {worths[-1]:,}"
    judge, kinds = words.judge(keys["judge"]), {row["figure"] for row in found}
    of = " and ".join(name for kind, name in _CHIEF.items() if kind in kinds)
    if more <= 0:
        yield f"{judge} labelled no item that people did not label, so that its labels add nothing to theirs."
        return
    if worths[-1] <= people:
        yield f"The labels of {judge} add nothing to what people's labels of {people:,} items say of {of}."
        return
    both = f"{people:,} items labelled by people and {more:,} more by {judge}"
    yield f"{both} are worth {worth} labelled by people, for {of}."


def _sizes(report: Report, keys: Mapping[str, Any]) -> tuple[int, int]:
    """How many items people labelled of those of a judge, and how many it labelled alone; 0 where it is not known."""
    rows = _rows(report, keys)
    people = next((row["n"] for row in rows if row["metric"] == "worth"), 0)
    return (people, max(row["n"] for row in rows if row["metric"] in _NAIVE) - people) if people else (0, 0)


def _corrected(report: Report, words: Wording, keys: Mapping[str, Any]) -> Iterator[str]:
    """The corrected figures of a judge, and what it says alone; of two shares the lesser: the other is the rest."""
    found = _rows(report, keys)
    naive = {row["label"]: words.figure({**row, "low": None, "high": None}) for row in found if row["metric"] in _NAIVE}
    judge = words.judge(keys["judge"])
    shares = [row for row in found if row["metric"] == "corrected" and row["low"] is not None]
    if len(shares) == 2:  # noqa: PLR2004 - so that one says all
        shares = [min(shares, key=lambda row: float(row["value"]))]
    if shares:
        told = shares[:MOST_NAMED]
        said = joined([f'"{row["label"]}" to {words.figure(row)}' for row in told])
        alone = joined([naive[row["label"]] for row in told])
        yield f"Corrected, people would give {said} of items; {judge} alone says {alone}."
    for row in found:
        if row["metric"] == "corrected_mean" and row["low"] is not None:
            yield f"Corrected, the mean is {words.figure(row)}; {judge} alone says {naive[row['label']]}."


def _rows(report: Report, keys: Mapping[str, Any]) -> list[TableRow]:
    """The rows of the chief figures of a judge."""
    tables = [report.tables[name] for name in _TABLES if name in report.tables]
    rows = [row for table in tables for row in table.to_dicts() if row["figure"] in _CHIEF]
    return [row for row in rows if all(row[name] == value for name, value in keys.items())]
