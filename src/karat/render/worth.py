"""What a judge's labels are worth, in sentences: from the tables of corrected figures alone."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from karat.figures.answering import Row
from karat.render.wording import MOST_NAMED, Wording
from karat.report import Report

_TABLES = {
    "corrected": ("by_people", "by_judge", "corrected"),
    "corrected_numbers": ("mean_by_people", "mean_by_judge", "corrected_mean"),
}
"""The tables, and the figures of people, of the judge alone, and of both."""
_CHIEF = ("share", "mean")


def worth_sentences(report: Report) -> list[str]:
    """What a report on corrected figures alone says of each judge, the first ones of the first groups."""
    if report.evaluation != "card" or report.about.main not in _TABLES:
        return []
    words, told = Wording(report), list[str]()
    by = [name for name in report.options.get("by") or () if name in report[report.about.main].columns]
    rows = report[report.about.main].select(*by, "judge").unique(maintain_order=True).to_dicts()
    for row in rows[:MOST_NAMED]:
        group = {name: row[name] for name in by}
        sentences = [*worth_of(report, words, row), *_corrected(report, words, row)]
        told.append(words.where(group) + " ".join(sentences))
    more = len(rows) - len(told)
    return [*told, *([f"{more:,} more {'stands' if more == 1 else 'stand'} in the table."] if more else [])]


def worth_of(report: Report, words: Wording, keys: Mapping[str, Any]) -> Iterator[str]:
    """How many of people's labels alone would do as much as people's and a judge's. keys: the judge, and its group."""
    found = [row for row in _rows(report, keys) if row["metric"] == "worth"]
    if not found:
        return
    most = max(row["n"] for row in _rows(report, keys) if row["metric"] in ("by_judge", "mean_by_judge"))
    people, more = found[0]["n"], most - found[0]["n"]
    worths = sorted(round(row["value"]) for row in found)
    worth = f"{worths[0]:,}" if worths[0] == worths[-1] else f"{worths[0]:,} to {worths[-1]:,}"
    of, judge = _of(found[0]) if len(found) == 1 else "shares of labels", words.judge(keys["judge"])
    if more <= 0:
        yield f"{judge} labelled no item that people did not label, so that its labels add nothing to theirs."
        return
    if worths[-1] <= people:
        yield f"The labels of {judge} add nothing to what people's labels of {people:,} items say of {of}."
        return
    both = f"{people:,} items labelled by people and {more:,} more by {judge}"
    yield f"{both} are worth {worth} labelled by people, for {of}."


def _corrected(report: Report, words: Wording, keys: Mapping[str, Any]) -> Iterator[str]:
    """The corrected figures of a judge beside the naive ones."""
    clauses = []
    for _, rows in groupby(_rows(report, keys), lambda row: (row["figure"], row["label"])):
        found = {row["metric"]: row for row in rows}
        for people, judge, both in _TABLES.values():
            if both in found and found[both]["value"] is not None and judge in found:
                alone = words.figure(found[judge]), words.figure(found[people])
                said = f"{words.judge(keys['judge'])} alone says {alone[0]}, people's labels alone {alone[1]}"
                clauses.append(f"{_of(found[both])} is {words.figure(found[both])}; {said}")
    for clause in clauses[: 1 if len(clauses) == 2 else MOST_NAMED]:  # noqa: PLR2004 - of two the other is the rest
        yield f"Corrected, {clause}."


def _rows(report: Report, keys: Mapping[str, Any]) -> list[Row]:
    """The rows of the chief figures of a judge."""
    tables = [report.tables[name] for name in _TABLES if name in report.tables]
    rows = [row for table in tables for row in table.to_dicts() if row["figure"] in _CHIEF]
    return [row for row in rows if all(row[name] == value for name, value in keys.items())]


def _of(row: Row) -> str:
    """What a figure is about, within a sentence."""
    return "the mean" if row["figure"] == "mean" else f'the share of "{row["label"]}"'
