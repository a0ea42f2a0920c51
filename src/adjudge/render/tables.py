"""Tables of a report for display: one form, which the page, the terminal, Markdown and LaTeX print."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any

import polars as pl

from adjudge.display_names import annotator_names, short_name
from adjudge.estimate import Caveat
from adjudge.render import numbers
from adjudge.render.explanations import NOTES
from adjudge.render.numbers import DASH, NO_BREAK, metric_text, plain_words, short_numbers
from adjudge.render.summary.contents import Score
from adjudge.report import Report, holds_estimates, key_columns, number_columns, truncate
from adjudge.spec import GREATEST_DIFFERENCE, HISTORY_TABLE, SIDE_BY_SIDE, MetricSpec

MOST_ROWS = 200
"""The most rows of a table."""
_ENDS = ("first_value", "second_value")
"""Columns of the two values between which a difference lies."""
_NAME, _COUNT_COLUMNS, _MOST_EMPTY = 60, 8, 3
_PEOPLE = {"annotator", "reference", "first", "second", "other"}
"""Columns of annotators, which may have names besides their ids."""
_LABELS = {"outcome", "first_outcome", "second_outcome", "first_label", "second_label", "said", "reason", "verdict"}
"""Columns of outcomes, of labels that replace them, and of verdicts."""
_WORDS = {"ability", "outcome", "first_outcome", "second_outcome", "reason", "verdict", "vote", "reference_vote"}
"""Columns whose values are Adjudge's own words."""
_PLACE = "\x00place"
_SENTENCE = "found"
"""A column whose values are sentences."""

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
    "difference": "Of both models on the same questions: the better one minus the other.",
    "alpha without": "Krippendorff's alpha without this annotator.",
    "Agreement": "Alpha and AC: 0 is chance, 1 is perfect. Percentages: mean share of equal labels.",
    "missed": "True violations without a matching prediction.",
    "false alarms": "Predicted violations that match none.",
    "effective n": "Human labels that would give an interval as narrow.",
}
"""Meanings of headings other than metrics."""

Row = Mapping[str, Any]


class Marks(dict[str, str]):
    """Letters for remarks, in order of occurrence: remark -> letter."""

    def of(self, remark: str) -> str:
        """The letter of a remark: a, b ... z, aa, ab ...; empty for none."""
        before, last = divmod(len(self), len(ascii_lowercase))
        return self.setdefault(remark, ascii_lowercase[before - 1 : before] + ascii_lowercase[last]) if remark else ""

    def explained(self) -> Iterator[tuple[str, str]]:
        """All letters with their remarks, and the meanings of those that are titles of caveats."""
        return ((mark, ": ".join(filter(None, (remark, NOTES.get(remark))))) for remark, mark in self.items())


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell. text: as on a page. whole: in its full length, if that differs. interval: the limits of a value.

    mark: the letter of its remark. tip: its tooltip. css: its style on a page. heat: the share of colour behind it.
    """

    text: str = ""
    whole: str = ""
    interval: str = ""
    mark: str = ""
    tip: str = ""
    css: str = ""
    heat: str = ""


@dataclass(frozen=True, slots=True)
class TableHead:
    """The heading of a column. number: whether it is right-aligned. meaning: a tooltip. mark: of a remark on all."""

    title: str
    number: bool = False
    meaning: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table for printing. keys: the number of columns that name a row. total: the report's number of rows.

    css: its style on a page. tones: of its rows, if they have any.
    """

    name: str
    title: str
    about: str
    heads: Sequence[TableHead]
    rows: Sequence[Sequence[TableCell]]
    keys: int
    total: int
    remarks: Sequence[tuple[str, str]] = ()
    css: str = ""
    tones: Sequence[str] = ()

    @property
    def rest(self) -> str:
        """A sentence on the omitted rows; empty if there are none."""
        left = self.total - len(self.rows)
        whole = f"; --format csv --table {self.name} prints them all" if self.name else ""
        return f"... and {left:,} more rows{whole}" if left > 0 else ""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a report without constant columns, which `about` names.

    by: columns that the data named. keys: columns that name a row. estimates: whether it holds metrics, with a row for
    each. compares: whether these are differences, the smallest p first. long: whether each metric has its own row: in
    comparisons, and if most rows have few of the metrics.
    """

    report: Report
    name: str
    about: str
    frame: pl.DataFrame
    people: Mapping[str, str]
    by: set[str]
    keys: Sequence[str]
    estimates: bool
    compares: bool
    long: bool

    @property
    def metrics(self) -> list[str]:
        """Its metrics, the leading one first; without shares of missing labels, and bounds, if none are missing."""
        columns = ["value", "low", "high", "n"]
        names = self.frame["metric"].unique(maintain_order=True).to_list()
        values = {name: self.frame.filter(metric=name).select(columns).rows() for name in names}
        known = {name: values.get(name.removesuffix("_lowest").removesuffix("_highest")) for name in values}
        bare = {name for name in values if name.endswith(("_lowest", "_highest")) and known[name] == values[name]}
        bare |= {"missing"} if not any(row[0] for row in values.get("missing", ())) else set()
        return sorted((name for name in names if name not in bare), key=lambda name: name != self.report.about.leading)

    def metric(self, name: str) -> MetricSpec:
        """How a metric is displayed; differences with their sign."""
        metric = numbers.metric_of(self.report.about.metrics, name)
        return replace(metric, signed=True) if self.compares else metric

    def heading(self, column: str) -> str:
        """The title of a key column: in words, unless the data named it."""
        return column if column in self.by else self.report.about.headings.get(column, plain_words(column)).capitalize()

    def key_text(self, column: str, value: object) -> str:
        """The display form of a key column's value."""
        about = self.report.about
        if isinstance(value, float):
            return numbers.number_text(value, percent=True) if column in about.shares else numbers.short_number(value)
        if value is None:
            return short_name(None) if column in self.by or "label" in column else DASH
        if not isinstance(value, str) or column == _SENTENCE:
            return str(value)
        if column == "caveat":
            return Caveat(value).title
        if column in ("metric", "ranked_metric"):
            return numbers.metric_of(about.metrics, value).title
        if column in _LABELS and about.labels:
            value = ", ".join(about.labels.get(one, one) for one in value.split(", "))
        names = self.people if column in _PEOPLE else about.value_titles.get(column, {})
        return names.get(value) or (plain_words(value) if column in _WORDS else numbers.worded(value))


def report_table(report: Report, name: str) -> ReportTable:
    """A table of a report for display, its main table with the best judges first."""
    about, frame = report.about, report[name]
    by = {*(report.options.get("by") or ())} - {*about.keys}
    by |= {*number_columns(frame)} - {GREATEST_DIFFERENCE} if name == SIDE_BY_SIDE else set()
    people, estimates = annotator_names(report.tables.values()), holds_estimates(frame)
    compares = long = estimates and _ENDS[0] in frame.columns
    keys = [column for column in frame.columns if column != "count"]
    if estimates:
        keys, several = key_columns(frame.columns), frame["metric"].n_unique()
        long = compares or several * (frame.n_unique(keys) if keys else 1) > _MOST_EMPTY * frame.height
        keys += ["metric"] * (long and several > 1)
    text = about.tables.get(name, "")
    table = ReportTable(report, name, text, frame, people, by, keys, estimates, compares, long)
    if compares and "p_adjusted" in frame.columns:
        frame = frame.sort("p_adjusted", "p", nulls_last=True, maintain_order=True)
    elif estimates and name == about.main != HISTORY_TABLE and about.answers and about.judge in keys:
        # the rows of each group by their leading metric, the best first and the undefined last
        leading, groups = about.answers[0].metric, [key for key in keys if key not in {about.judge, "name"}]
        leads = pl.lit("metric" in keys) | (pl.col("metric") == leading)
        value, best = pl.when(leads).then("value").max().over(keys), table.metric(leading).better != "low"
        first = pl.col(_PLACE).min().over(groups) if groups else 0 * pl.col(_PLACE)
        frame = frame.with_row_index(_PLACE)
        frame = frame.sort(first, value, descending=[False, best], nulls_last=True, maintain_order=True).drop(_PLACE)
    alike = [key for key in keys if frame.height > 1 and frame[key].n_unique() == 1]
    alike = alike if estimates else [key for key in alike if frame[key].dtype == pl.String]
    same = {key: frame[key][0] for key in alike if key != about.judge or frame[key][0] is None}
    known = [f"{table.heading(key)}: {short_name(table.key_text(key, same[key]))}." for key in same if same[key]]
    ids = ["name"] if {"annotator", "name"} <= {*frame.columns} - {*same} else []
    frame, text = frame.drop(*ids, *same), " ".join([text, *known]).strip()
    return replace(table, frame=frame, keys=[key for key in keys if key in frame.columns], about=text)


def printed_table(report: Report, name: str, most: int = MOST_ROWS, marks: Marks | None = None) -> PrintedTable:
    """A table of a report with its cells.

    most: the most rows. marks: letters of remarks, by default those of the table alone.
    """
    table, marks = report_table(report, name), Marks() if marks is None else marks
    columns: list[tuple[TableHead, list[TableCell]]] = []
    if not table.estimates:
        spread, last = spread_counts(table.frame, report.about.values), table.frame.columns[-2:][0]
        keys, total = spread.width, spread.height
        for column in spread.head(most).iter_columns():
            values, number, whole = column.to_list(), column.dtype.is_numeric(), not column.dtype.is_float()
            own = column.name in table.frame.columns
            title = table.heading(column.name) if own else short_name(table.key_text(last, column.name), _NAME)
            if not number or column.name in report.about.shares:
                cells = [_key_cell(table, column.name, one) for one in values]
            else:
                texts = [numbers.count_text(one) for one in values] if whole else short_numbers(values)
                cells = [TableCell(text, css="" if one else "zero") for text, one in zip(texts, values, strict=True)]
            columns.append((TableHead(title, number=number), cells))
    else:
        by_key: dict[tuple[Any, ...], dict[str, Row]] = {}
        for row in table.frame.filter(pl.col("metric").is_in(table.metrics)).iter_rows(named=True):
            by_key.setdefault(tuple(row[key] for key in table.keys), {})[row["metric"]] = row
        rows, shown = [*by_key.values()][:most], [*by_key][:most]
        for place, key in enumerate(table.keys):
            columns.append((TableHead(table.heading(key)), [_key_cell(table, key, names[place]) for names in shown]))
        columns += (_long if table.long else _wide)(table, rows, marks)
        keys, total = len(table.keys), len(by_key)
    heads, printed = [head for head, _ in columns], zip(*(cells for _, cells in columns), strict=True)
    return PrintedTable(
        name, plain_words(name).capitalize(), table.about, heads, [*printed], keys, total, [*marks.explained()]
    )


_TableColumns = Iterator[tuple[TableHead, list[TableCell]]]


def _key_cell(table: ReportTable, key: str, value: object) -> TableCell:
    """A cell that names a row. Its tooltip has the full text of a cut name."""
    whole = truncate(text := table.key_text(key, value))
    short = whole if key == _SENTENCE else short_name(text, _NAME)
    return TableCell(short, css="missing" * (value is None)) if short == whole else TableCell(short, whole, tip=whole)


def _wide(table: ReportTable, rows: Sequence[Mapping[str, Row]], marks: Marks) -> _TableColumns:
    """For each metric its estimates, their p-values if there are any, and n if the next metric has another."""
    names = table.metrics
    sizes = {name: [numbers.shown_n(row.get(name), table.metric(name)) for row in rows] for name in names}
    for place, name in enumerate(names):
        estimates = [row.get(name) for row in rows]
        yield _estimates(estimates, table.metric(name), marks)
        yield from _p_values(estimates)
        if {*sizes[name]} - {None} and sizes.get(next(iter(names[place + 1 :]), "")) != sizes[name]:
            yield TableHead("n", number=True), [TableCell("" if n is None else f"{n:,}") for n in sizes[name]]


def _long(table: ReportTable, by_metric: Sequence[Mapping[str, Row]], marks: Marks) -> _TableColumns:
    """The value of each row, its p-value and n; for differences also the two values."""
    pairs = [(row, table.metric(name)) for some in by_metric for name, row in some.items()]
    rows, title = [row for row, _ in pairs], "Difference" if table.compares else "Value"
    if table.compares:
        ends = ([metric_text(row[side], replace(metric, signed=False)) for side in _ENDS] for row, metric in pairs)
        yield TableHead("Values", number=True), [TableCell(f"{NO_BREAK}→{NO_BREAK}".join(both)) for both in ends]
    if len({metric for _, metric in pairs}) == 1:
        yield _estimates(rows, pairs[0][1], marks)
    else:
        yield TableHead(title, number=True), [_estimates([row], metric, marks)[1][0] for row, metric in pairs]
    yield from _p_values(rows)
    sizes = [numbers.shown_n(row, metric) for row, metric in pairs]
    yield TableHead("n", number=True), [TableCell("" if n is None else f"{n:,}") for n in sizes]


def _estimates(rows: Sequence[Row | None], metric: MetricSpec, marks: Marks) -> tuple[TableHead, list[TableCell]]:
    """Estimates with their intervals. A remark on all is in the heading."""
    caveats = [Caveat(row["caveat"]).title if row and row["caveat"] else "" for row in rows]
    remarks = [row["reason"] or caveat if row else "" for row, caveat in zip(rows, caveats, strict=True)]
    common = remarks[0] if len(rows) > 1 and len({*remarks}) == 1 else ""
    cells = []
    for row, remark in zip(rows, remarks, strict=True):
        text = metric_text(row["value"], metric) if row else ""
        interval = numbers.interval_text(row["low"], row["high"], metric) if row else ""
        mark, css = marks.of(remark) if remark != common else "", "undefined" if text == DASH else ""
        cells.append(TableCell(text, interval=interval, mark=mark, tip=remark, css=css))
    return TableHead(metric.title, number=True, meaning=metric.meaning, mark=marks.of(common)), cells


def _p_values(rows: Sequence[Row | None]) -> _TableColumns:
    """The p-values of rows, if there are any."""
    cells = [TableCell(numbers.p_cell(row.get("p_adjusted") if row else None)) for row in rows]
    tests = max((row.get("tests") or 1 for row in rows if row), default=1)
    if any(cell.text for cell in cells):
        meaning = f"Adjusted over {tests:,} tests." if tests > 1 else ""
        yield TableHead("adj. p" if meaning else "p", number=True, meaning=meaning), cells


def spread_counts(frame: pl.DataFrame, order: Sequence[str]) -> pl.DataFrame:
    """A long table of counts with a column per value of its last key; other tables are unchanged.

    order: of the columns, if it contains all of them; by default that of the table.
    """
    *keys, last = frame.columns[:-1] or [""]
    values = frame[last].unique(maintain_order=True).to_list() if keys else []
    if frame.columns[-1] != "count" or not keys or len(values) > _COUNT_COLUMNS or {*values} & {*keys}:
        return frame
    spread = frame.pivot(last, index=keys, values="count", aggregate_function="sum")
    known = sorted(values, key=order.index) if {*values} <= {*order} else spread.columns[len(keys) :]
    return spread.select(*keys, *known).with_columns(pl.col(pl.Int64).fill_null(0))


def printed_tables(report: Report) -> list[str]:
    """The tables that are printed by default, in their order, if they are not empty."""
    return [name for name in report.about.printed or report.tables if name in report.tables and report[name].height]


def summary_table(report: Report, most: int | None = None) -> PrintedTable:
    """The summary's table. most: the most rows, by default all."""
    table, meanings = report.summary.table, {one.title: one.meaning for one in report.about.metrics.values()}
    heads, columns = [TableHead("")], [[TableCell(table.labels.get(row, row)) for row in table.rows]]
    for column in table.columns:
        title = f"{column.title}, {table.interval}" if column.kind == "estimate" else column.title
        meaning = meanings.get(column.title) or _MEANINGS.get(column.title, "")
        heads.append(TableHead(title, column.kind != "text", meaning))
        cells, marked = list[TableCell](), column.marked
        for row in table.rows:
            cell = column.cells.get(row)
            if not isinstance(cell, Score):
                text = f"{cell:,}" if isinstance(cell, int) else cell or ""
                cells.append(TableCell(text, css="verdict" if column.title in ("verdict", "") else ""))
            elif cell.value is None:
                cells.append(TableCell(DASH, css="undefined"))
            elif column.kind == "heat":
                cells.append(TableCell(str(cell), css="heat", heat=f"{min(max(cell.value, 0), 1):.2f}"))
            else:
                interval = cell.interval if column.kind in ("estimate", "compact") else ""
                cells.append(TableCell(f"{cell}{' !' * (row in marked)}", interval=interval))
        columns.append(cells)
    rows, tones = [*zip(*columns, strict=True)], [*table.rows.values()]
    return PrintedTable("", report.summary.title, "", heads, rows[:most], 1, len(rows), css="summary", tones=tones)
