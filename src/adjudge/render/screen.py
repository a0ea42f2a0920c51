"""The first screen of a page as its template prints it: the verdict, the chart, and the table with its bars."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from adjudge.render.charts.output import chart_element, chart_legend, chart_title, name_colours
from adjudge.render.charts.parts import NARROW, WIDE
from adjudge.render.numbers import DASH, bar_styles
from adjudge.render.summary.contents import Score, Sentence, Summary, SummaryColumn
from adjudge.render.tables import PrintedTable, TableCell, TableHead
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


def screen_of(report: Report, prefix: str, *, most: int = 10**6, phone: bool = True) -> dict[str, Any]:
    """What the templates of the first screen print. phone: whether a narrow chart is drawn too."""
    summary = report.summary
    wide = chart_element(report, WIDE, f"{prefix}-wide")
    return {
        "summary": summary,
        "verdict": [*_verdict(summary, name_colours(report))],
        "chart_title": chart_title(report) if wide else "",
        "legend": chart_legend(report),
        "wide": wide,
        "narrow": chart_element(report, NARROW, f"{prefix}-narrow") if phone and wide else Markup(""),
        "gates": [*map(_gate, summary.gates)],
        "table": _table(report, most),
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


def _table(report: Report, most: int) -> PrintedTable:
    """The summary's table: each interval has a bar in a cell of its own."""
    table, meanings = report.summary.table, {one.title: one.meaning for one in report.about.metrics.values()}
    bars = [one for one in table.columns if one.kind in ("estimate", "compact") and len(_units(one)) == 1]
    barred = bars if len(bars) <= _MOST_BARS else [one for one in bars if one.kind == "estimate"][:1]
    heads, columns = [TableHead("")], [[TableCell(table.labels.get(row, row)) for row in table.rows]]
    for column in table.columns:
        meaning = meanings.get(column.title) or _MEANINGS.get(column.title, "")
        heads.append(TableHead(column.title, column.kind != "text", meaning))
        cells = [column.cells.get(row) for row in table.rows]
        columns.append([_cell(column, cell, row in column.marked) for row, cell in zip(table.rows, cells, strict=True)])
        if column in barred:
            heads.append(TableHead(""))
            columns.append(_bars([cell if isinstance(cell, Score) else None for cell in cells]))
    rows, tones = [*zip(*columns, strict=True)], [*table.rows.values()]
    return PrintedTable("", report.summary.title, "", heads, rows[:most], 1, len(rows), css="summary", tones=tones)


def _units(column: SummaryColumn) -> set[str]:
    """The units of the defined scores of a column."""
    return {one.unit for one in column.cells.values() if isinstance(one, Score) and one.value is not None}


def _cell(column: SummaryColumn, cell: Score | int | str | None, marked: bool) -> TableCell:  # noqa: FBT001
    if not isinstance(cell, Score):
        text = f"{cell:,}" if isinstance(cell, int) else cell or ""
        return TableCell(text, css="verdict" if column.title in ("verdict", "") else "")
    if cell.value is None:
        return TableCell(DASH, css="undefined")
    if column.kind == "heat":
        return TableCell(str(cell), css="heat", heat=f"{min(max(cell.value, 0), 1):.2f}")
    if column.kind not in ("estimate", "compact"):
        return TableCell(str(cell))
    return TableCell(f"{cell}{' !' * marked}", interval=cell.limits)


def _bars(scores: Sequence[Score | None]) -> list[TableCell]:
    """The intervals of a column, each on the scale of all; of a score without one its place."""
    ends = [
        None
        if one is None or one.value is None
        else (one.value if one.low is None else one.low, one.value if one.high is None else one.high, one.value)
        for one in scores
    ]
    styles = bar_styles(ends, zero=any(one is not None and one.unit in ("pp", "+") for one in scores))
    tips = [f"{one.with_interval}{f', n = {one.n:,}' if one.n else ''}" if one else "" for one in scores]
    return [TableCell(css="bar", bar=style, tip=tip if style else "") for style, tip in zip(styles, tips, strict=True)]
