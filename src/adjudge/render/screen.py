"""The first screen of a page as its template prints it: the verdict, the chart, and the table with its bars."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from adjudge.render.charts.output import chart_element, chart_legend, chart_title, name_colours
from adjudge.render.charts.parts import NARROW, WIDE
from adjudge.render.numbers import bar_styles
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn
from adjudge.report import Report

_MEANINGS = {
    "n": "Items behind the estimate.",
    "rank": "Ranks that the significance tests leave open.",
    "adj. p": "p-value adjusted for multiple comparisons.",
    "verdict": "can replace: passes the alternative annotator test against at least half of the annotators.",
    "alt-test": "Annotators against whom the judge passes the alternative annotator test.",
    "agreement": "Mean share of annotators who give the judge's label.",
    "human ceiling": "Agreement of the annotators with one another, on the same items.",
    "gap": "Agreement minus human ceiling.",
    "change": "Paired difference on shared items.",
    "alpha without": "Krippendorff's alpha without this annotator.",
    "Agreement": "Alpha and AC: 0 is chance, 1 is perfect. Percentages: mean share of equal labels.",
    "missed": "True violations without a matching prediction.",
    "false alarms": "Predicted violations that match none.",
    "effective n": "Human labels that would give an interval as narrow.",
}
"""What headings mean that are no metrics."""
_MOST_BARS = 3
"""More columns of intervals than this have no bars."""


@dataclass(frozen=True, slots=True)
class ScreenCell:
    """A cell. places: CSS of its interval, and of 0, on the scale of its column.

    heat: the share of the colour behind it.
    """

    text: str = ""
    css: str = ""
    interval: str = ""
    places: str = ""
    tip: str = ""
    heat: str = ""


def screen_of(report: Report, prefix: str, *, phone: bool = True) -> dict[str, Any]:
    """What the templates of the first screen print. phone: whether a narrow chart is drawn too."""
    summary = report.summary
    heads, rows = _table(report)
    wide = chart_element(report, WIDE, f"{prefix}-wide")
    return {
        "summary": summary,
        "verdict": [*_verdict(summary, name_colours(report))],
        "chart_title": chart_title(report) if wide else "",
        "legend": chart_legend(report),
        "wide": wide,
        "narrow": chart_element(report, NARROW, f"{prefix}-narrow") if phone and wide else Markup(""),
        "gates": [*map(_gate, summary.gates)],
        "heads": heads,
        "rows": rows,
    }


def _verdict(summary: Summary, colours: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The verdict in pieces, names with their colours: each where it stands first."""
    names = sorted((name for name in colours if name), key=len, reverse=True)
    pattern = "|".join(map(re.escape, names))
    at, left = 0, {*names}
    for match in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", summary.verdict) if names else ():
        if match[0] in left:
            left.remove(match[0])
            yield summary.verdict[at : match.start()], ""
            yield match[0], colours[match[0]]
            at = match.end()
    yield summary.verdict[at:], ""


def _gate(gate: Sentence) -> dict[str, str]:
    """A gate with what became of it; of a suggestion the option that can be copied."""
    mark = gate.label.removeprefix("Gate").strip()
    text, dashes, option = gate.text.partition(" --") if not mark else (gate.text, "", "")
    return {"mark": mark, "text": text, "option": f"--{option}" if dashes else ""}


def _table(report: Report) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Headings and rows of the summary's table: each interval has a bar in a cell of its own."""
    table, meanings = report.summary.table, {one.title: one.meaning for one in report.about.metrics.values()}
    bars = [one for one in table.columns if one.kind in ("estimate", "compact") and len(_units(one)) == 1]
    barred = bars if len(bars) <= _MOST_BARS else [one for one in bars if one.kind == "estimate"][:1]
    heads = [{"title": "", "css": "", "meaning": ""}]
    columns = list[Sequence[ScreenCell]]()
    for column in table.columns:
        meaning = meanings.get(column.title) or _MEANINGS.get(column.title, "")
        heads.append({"title": column.title, "css": "" if column.kind == "text" else "number", "meaning": meaning})
        cells = [column.cells.get(row) for row in table.rows]
        columns.append([_cell(column, cell, row in column.marked) for row, cell in zip(table.rows, cells, strict=True)])
        if column in barred:
            heads.append({"title": "", "css": "bar", "meaning": ""})
            columns.append(_bars([cell if isinstance(cell, Score) else None for cell in cells]))
    shown = zip(table.rows.items(), zip(*columns, strict=True), strict=True)
    return heads, [{"name": table.labels.get(row, row), "tone": tone, "cells": cells} for (row, tone), cells in shown]


def _units(column: SummaryColumn) -> set[str]:
    """The units of the defined scores of a column."""
    return {one.unit for one in column.cells.values() if isinstance(one, Score) and one.value is not None}


def _cell(column: SummaryColumn, cell: Score | int | str | None, marked: bool) -> ScreenCell:  # noqa: FBT001
    number = "" if column.kind == "text" else "number"
    if not isinstance(cell, Score):
        text = f"{cell:,}" if isinstance(cell, int) else cell or ""
        return ScreenCell(text, "verdict" if column.title in ("verdict", "") else number)
    if cell.value is None:
        return ScreenCell("\N{EN DASH}", f"{number} undefined".strip())
    if column.kind == "heat":
        return ScreenCell(str(cell), "heat", heat=f"{min(max(cell.value, 0), 1):.2f}")
    if column.kind not in ("estimate", "compact"):
        return ScreenCell(str(cell), number)
    return ScreenCell(f"{cell}{' !' * marked}", number, cell.limits)


def _bars(scores: Sequence[Score | None]) -> list[ScreenCell]:
    """The intervals of a column, each on the scale of all; of a score without one its place."""
    ends = [
        None
        if one is None or one.value is None
        else (one.value if one.low is None else one.low, one.value if one.high is None else one.high, one.value)
        for one in scores
    ]
    styles = bar_styles(ends, zero=any(one is not None and one.unit in ("pp", "+") for one in scores))
    tips = [f"{one.with_interval}{f', n = {one.n:,}' if one.n else ''}" if one else "" for one in scores]
    return [
        ScreenCell(css="bar", places=style, tip=tip if style else "") for style, tip in zip(styles, tips, strict=True)
    ]
