"""Tables of a report as people read them: one view of each, which the terminal, Markdown and HTML print."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any

import polars as pl

from adjudge.display_names import short_name
from adjudge.render.explanations import NOTES
from adjudge.render.numbers import (
    DASH,
    FigureText,
    adjusted_over,
    bar_styles,
    count_text,
    figure_text,
    metric_of,
    note_title,
    plain,
    row_text,
    short_number,
    short_numbers,
    worded,
)
from adjudge.render.parts import Part, keys_of, parts
from adjudge.report import Report, truncate
from adjudge.spec import GREATEST_DIFFERENCE

MOST_ROWS = 200
"""How many rows of a table stand in a page."""
ON_A_PAGE, IN_A_TERMINAL = (MOST_ROWS, MOST_ROWS), (60, 15)
"""How many rows of a table are shown, and how many comparisons of a kind."""
MOST_LABELS = 12
"""How many labels a grid of labels may have."""
_NAME = 60
_COUNT_COLUMNS = 8
"""More values than this of a last key are not spread over columns."""
_LOOSE = 4
"""With more figures in a row than this, intervals stand below them."""
_OURS = {"ability", "outcome", "first_outcome", "second_outcome", "reason", "verdict", "vote", "reference_vote"}
"""Columns whose values are Adjudge's own words, to be shown as such."""
_SENTENCES = frozenset({"found"})
"""Columns whose values are sentences."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell. text: short, as a page shows it. whole: in its full length. full: what a page says besides the text.

    figure: where it holds one; mark: of what is remarked on it; bar: CSS of its interval on the scale of its column.
    kind: missing or zero, where it is either. link: the place of the page that it leads to.
    """

    text: str
    whole: str = ""
    full: str = ""
    figure: FigureText | None = None
    mark: str = ""
    bar: str = ""
    kind: str = ""
    link: str = ""

    def pieces(self, mark: str) -> tuple[str, str, str]:
        """A name or a count; of a figure its value, its interval, and its sides, p, n and mark as it is written.

        The mark stands beside the value where nothing else stands with the n.
        """
        figure = self.figure
        if figure is None:
            return self.whole, "", ""
        n = f"n={figure.n}" if figure.n else ""
        if not (n or figure.p):
            return f"{figure.value} {mark}".rstrip(), figure.interval, figure.sides
        return figure.value, figure.interval, " ".join(filter(None, (figure.sides, figure.p, n, mark)))


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading. below: smaller, under it. number: set to the right. own: whether the title is Adjudge's word.

    pooled: whether it sums up the others. n: what all its figures rest on. mark: of what is remarked on all of them.
    """

    title: str
    below: str = ""
    number: bool = False
    own: bool = False
    pooled: bool = False
    n: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is shown. part: what it shows. total: how many rows that has; which: those shown, if not all.

    keys: how many columns at the left name the row. remarks: mark -> what is remarked.
    dense: whether so much stands in a row that intervals must stand below their figures.
    """

    part: Part
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    which: str
    keys: int
    remarks: tuple[tuple[str, str], ...] = ()
    dense: bool = False

    @property
    def more(self) -> str:
        """A sentence of a page on the rows that are not shown; empty where all are."""
        if len(self.rows) >= self.total:
            return ""
        shown = f"These are the {len(self.rows):,} of {self.total:,} rows {self.which}."
        return f"{shown} The report holds them all: save it as .csv, .parquet or .json."

    @property
    def rest(self) -> str:
        """A sentence of a terminal on the rows that are not shown; empty where all are."""
        left = self.total - len(self.rows)
        return f"... and {left:,} more rows; --format csv --table {self.part.name} prints them all" if left > 0 else ""


class Marks(dict[str, str]):
    """Letters for remarks, given in the order in which they come up: remark -> letter."""

    def of(self, remark: str) -> str:
        """The letter of a remark: a, b ... z, aa, ab ...; empty for none."""
        before, last = divmod(len(self), len(ascii_lowercase))
        return self.setdefault(remark, ascii_lowercase[before - 1 : before] + ascii_lowercase[last]) if remark else ""

    def explained(self) -> Iterator[tuple[str, str]]:
        """All letters with their remarks, and what those mean where they are the titles of notes."""
        return ((mark, ": ".join(filter(None, (remark, NOTES.get(remark))))) for remark, mark in self.items())


def table_views(
    report: Report, name: str, most: tuple[int, int] = ON_A_PAGE, marks: Marks | None = None
) -> list[TableView]:
    """A table of a report as it is shown, part by part.

    most: how many rows of each are shown, and how many comparisons. marks: by default each part has its own.
    """
    return [part_view(part, most[part.compared], marks) for part in parts(report, name)]


def part_view(part: Part, most: int = MOST_ROWS, marks: Marks | None = None) -> TableView:
    """A part of a table as it is shown."""
    if not part.figures:
        return _counts_view(part, most)
    marks = Marks() if marks is None else marks
    keys = keys_of(part.frame)
    chosen, total = _largest_rows(part.frame, keys, most, compared=part.compared)
    metrics, table = _wide(replace(part, frame=chosen))
    columns, common, bars = [_key_column(key, part) for key in keys], list[str](), list[list[str]]()
    for metric, figures in zip(metrics, zip(*table.values(), strict=True), strict=True):
        remarks = {one.remark for one in figures if one and one.value != DASH} or {
            one and one.remark for one in figures
        }
        common.append(remarks.pop() or "" if len(figures) > 1 and len(remarks) == 1 else "")
        spec, n = metric_of(part.metrics, metric), part.columns.get(metric, "")
        tested = chosen.filter(metric=metric)
        tested = tested.drop_nulls("p_adjusted") if "p_adjusted" in chosen.columns else tested.clear()
        adjusted = f"p{adjusted_over(*tested['tests'])}" if tested.height else ""
        mark_of_all, pooled = marks.of(common[-1]), metric == part.pooled
        columns.append(Column(spec.title, adjusted, number=True, pooled=pooled, n=n, mark=mark_of_all))
        ends = [one.ends if one else None for one in figures]  # one alone has no scale
        bars.append(bar_styles(ends, zero=spec.signed) if sum(map(bool, ends)) > 1 else [""] * len(ends))
    rows = []
    for (names, figures), styles in zip(table.items(), zip(*bars, strict=True), strict=True):
        cells = [_key_cell(value, key, part) for key, value in zip(keys, names, strict=True)]
        for one, remark, bar in zip(figures, common, styles, strict=True):
            own = "" if one is None or one.remark == remark else marks.of(one.remark)
            cells.append(Cell(one.value, figure=one, mark=own, bar=bar) if one else Cell(DASH, DASH, kind="missing"))
        rows.append(tuple(cells))
    most_of = "greatest difference" if part.farthest else "smallest p" if part.compared else "most items"
    listed = tuple((letter, remark) for remark, letter in marks.items())
    shape = (tuple(columns), tuple(rows), total, f"with the {most_of}", len(keys))
    return TableView(part, *shape, listed, dense=len(metrics) > _LOOSE)


def _wide(part: Part) -> tuple[list[str], dict[tuple[Any, ...], list[FigureText | None]]]:
    """The metrics of a table of figures, and keys -> figures by those metrics, None where absent.

    They do not say what the part says once.
    """
    keys, names = keys_of(part.frame), part.shown
    found: dict[tuple[Any, ...], dict[str, FigureText]] = {}
    for row in part.frame.iter_rows(named=True):
        metric = row["metric"]
        text = row_text(row, metric_of(part.metrics, metric))
        if part.farthest and metric != GREATEST_DIFFERENCE and row["value"] is not None:
            text = replace(text, tone=row["value"] / part.farthest)
        once = row["n"] == part.n.get(metric)
        found.setdefault(tuple(row[key] for key in keys), {})[metric] = replace(text, n="") if once else text
    return names, {key: list(map(texts.get, names)) for key, texts in found.items()}


def _largest_rows(frame: pl.DataFrame, keys: Sequence[str], most: int, *, compared: bool) -> tuple[pl.DataFrame, int]:
    """The rows of so many combinations of keys, in their order, and how many there are in all.

    Of comparisons the first are taken, else those with the greatest n.
    """
    if not keys:
        return frame, 1
    sizes = frame.group_by(keys, maintain_order=True).agg(pl.col("n").max())
    if sizes.height <= most:
        return frame, sizes.height
    order = sizes if compared else sizes.sort("n", descending=True, maintain_order=True)
    return frame.join(order.head(most), on=keys, how="semi", nulls_equal=True, maintain_order="left"), sizes.height


def name_cell(value: object, names: Mapping[str, str] | None = None) -> Cell:
    """A cell with a name from the data. names: what to call it; then a page says its id too.

    What a page shows is cut where it is long, and all else where it is as long as no name should be.
    """
    if value is None:
        return Cell(short_name(None), short_name(None), kind="missing")
    text = short_number(value) if isinstance(value, float) else str(value)
    called = (names or {}).get(text, text)
    shown = short_name(called, _NAME)
    known = called if called == text or called.endswith(f"({text})") else f"{called} ({text})"
    return Cell(shown, truncate(called), truncate(known) if shown != known else "")


def _key_cell(value: object, key: str, part: Part) -> Cell:
    """A cell of a key column: a name, in words where it is Adjudge's own, a share, or a sentence, which is not cut."""
    if key in _SENTENCES and value:
        return Cell(truncate(str(value)), truncate(str(value)))
    if key in part.shares and isinstance(value, float):
        value = figure_text(value, percent=True)
    return name_cell(value_text(value, key) if isinstance(value, str) else value, part.names.get(key))


def value_text(value: str, key: str) -> str:
    """A value of a key column, in words where it is Adjudge's own."""
    return plain(value) if key in _OURS else worded(value)


def _counts_view(part: Part, most: int) -> TableView:
    table = spread(part.frame, part.values)
    numbers = [column for column, dtype in table.schema.items() if dtype.is_numeric()]
    chosen, which = table.head(most), "that stand first"
    if numbers and part.frame.columns[-1] == "count":
        which = "with the highest counts"
        counts = pl.sum_horizontal(pl.col(numbers).fill_null(0))
        chosen = table.select(pl.all().gather(counts.arg_sort(descending=True).head(most).sort()))
    columns = tuple(_count_column(column, part, number=column in numbers) for column in table.columns)
    rows = zip(*(_column_cells(chosen[name], part) for name in chosen.columns), strict=True)
    return TableView(part, columns, tuple(rows), table.height, which, table.width - len(numbers))


_FEWEST_TO_SPREAD = 3
"""A key that rows keep, the one that is spread, and the count."""


def spread(frame: pl.DataFrame, order: Sequence[str]) -> pl.DataFrame:
    """A long table of counts with a column per value of its last key, none reading as 0; others as they are.

    order: of the columns, where all of them are in it; else they come as the table has them.
    """
    if frame.columns[-1] != "count" or len(frame.columns) < _FEWEST_TO_SPREAD:
        return frame
    *keys, last = frame.columns[:-1]
    values = frame[last].unique(maintain_order=True).to_list()
    if len(values) > _COUNT_COLUMNS or set(values) & set(keys):
        return frame
    spread = frame.pivot(last, index=keys, values="count", aggregate_function="sum")
    known = sorted(values, key=order.index) if set(values) <= set(order) else spread.columns[len(keys) :]
    return spread.select(*keys, *known).with_columns(pl.col(pl.Int64).fill_null(0))


def _key_column(name: str, part: Part, *, number: bool = False) -> Column:
    """A column of a table itself: its name in words, but where the data named it."""
    title = name if name in part.by else part.headings.get(name, plain(name))
    return Column(title, number=number, own=name not in part.by)


def _count_column(name: str, part: Part, *, number: bool) -> Column:
    """A column of the table itself, or one of the values of its last key, which are the data's own but for `_OURS`."""
    last = part.frame.columns[-2:][0]
    if name in part.frame.columns:
        return _key_column(name, part, number=number)
    if last == "reason":  # else it reads as if what stands below were counted
        return Column(f"{plain(last)}: {plain(name)}", number=True, own=True)
    if last in _OURS:
        return Column(plain(name), "" if last.endswith("outcome") else plain(last), number=True, own=True)
    return Column(part.names.get(last, {}).get(name) or short_name(worded(name), _NAME), plain(last), number=True)


def _column_cells(column: pl.Series, part: Part) -> list[Cell]:
    """The cells of a column; of numbers with a fraction all have as many decimals."""
    name, values = column.name, column.to_list()
    if name == "caveat":
        return [name_cell(note_title(value)) for value in values]
    if column.dtype.is_numeric():
        texts = short_numbers(values) if column.dtype.is_float() else map(count_text, values)
        return [Cell(text, text, kind="" if value else "zero") for text, value in zip(texts, values, strict=True)]
    links = part.links if name == "item" and part.links else [""] * len(values)
    return [replace(_key_cell(value, name, part), link=link) for value, link in zip(values, links, strict=False)]


def grid(frame: pl.DataFrame, order: Sequence[str] = ()) -> dict[str | None, dict[str | None, int]]:
    """Reference label -> label -> count, summed over all else; empty where there are no labels, or too many to be seen.

    order: of labels; others stand behind these, in that of the alphabet, and the missing one last.
    """
    if not {"label", "reference_label", "count"} <= set(frame.columns):
        return {}
    sums = frame.group_by("label", "reference_label").agg(pl.col("count").sum())
    known = [*order, *sorted({*sums["label"].drop_nulls(), *sums["reference_label"].drop_nulls()} - {*order}), None]
    labels, references = (sorted(sums[name].unique(), key=known.index) for name in ("label", "reference_label"))
    if max(len(labels), len(references)) > MOST_LABELS:
        return {}
    counts = {(one, other): count for one, other, count in sums.iter_rows()}
    return {other: {one: counts.get((one, other), 0) for one in labels} for other in references}
