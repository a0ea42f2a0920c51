"""Tables of a report as people read them: one view of each, which the terminal, Markdown and HTML print."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.names import short
from karat.render.blocks import keys_of
from karat.render.explanations import note_title
from karat.render.numbers import FigureText, count_text, metric_of, plain, row_text, short_number, worded
from karat.render.wide import Part, is_figures, parts, wide, wide_counts
from karat.report import cut

if TYPE_CHECKING:
    import polars as pl

    from karat.about import Evaluation, Metric
    from karat.report import Report

MOST_ROWS = 200
"""How many rows of a table stand in a page."""
ON_A_PAGE, IN_A_TERMINAL = (MOST_ROWS, MOST_ROWS), (60, 15)
"""How many rows of a table are shown, and how many comparisons of a kind."""
MOST_LABELS = 12
"""How many labels a grid of labels may have."""
_NAME = 60
_MISSING = "(missing)"
MOST_BESIDE = 8
"""How many groups stand side by side."""
_LOOSE = 4
"""With more figures in a row than this, intervals stand below them."""
_OURS = frozenset({"outcome", "first_outcome", "second_outcome", "reason", "vote", "reference_vote"})
"""Columns whose values are Karat's own words, to be shown as such."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell. text: short, as a page shows it. whole: in its full length. full: what a page says besides the text.

    figure: where it holds one; mark: of what is remarked on it. kind: key, missing, figure, absent, count or zero; of a
    figure beside its true value holds, misses or none.
    """

    text: str
    whole: str = ""
    full: str = ""
    figure: FigureText | None = None
    mark: str = ""
    kind: str = "key"


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading. below: smaller, under it. number: set to the right. ours: it holds Karat's own words.

    pooled: whether it sums up the others. n: what all its figures rest on.
    """

    title: str
    below: str = ""
    number: bool = False
    ours: bool = False
    pooled: bool = False
    n: str = ""


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is shown. keys: how many columns at the left name the row. remarks: mark -> what is remarked.

    total: how many rows it has in all; which: those that are shown, if not all. figures: whether it holds any. dense:
    whether so much stands in a row that intervals must stand below their figures. block: its heading among others of
    the same table; mark: of the note of all its figures. said: sentences in the place of rows.
    """

    name: str
    title: str
    about: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    which: str
    keys: int = 1
    figures: bool = True
    remarks: tuple[tuple[str, str], ...] = ()
    dense: bool = False
    block: str = ""
    mark: str = ""
    said: str = ""

    @property
    def more(self) -> str:
        """A sentence of a page on the rows that are not shown; empty where all are."""
        if len(self.rows) >= self.total:
            return ""
        return (
            f"These are the {len(self.rows):,} of {self.total:,} rows {self.which}. "
            "The report holds them all: save it as .csv, .parquet or .json."
        )

    @property
    def rest(self) -> str:
        """A sentence of a terminal on the rows that are not shown; empty where all are."""
        left = self.total - len(self.rows)
        return f"... and {left:,} more rows; --format csv --table {self.name} prints them all" if left > 0 else ""


class Marks:
    """Letters for remarks, given in the order in which they come up."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def of(self, remark: str) -> str:
        """The letter of a remark; empty for none."""
        return self._marks.setdefault(remark, _letters(len(self._marks))) if remark else ""

    def listed(self) -> tuple[tuple[str, str], ...]:
        """All letters with their remarks."""
        return tuple((mark, remark) for remark, mark in self._marks.items())


def _letters(number: int) -> str:
    """a, b ... z, aa, ab ..."""
    before, letter = divmod(number, 26)
    return (_letters(before - 1) if before else "") + chr(ord("a") + letter)


def table_views(
    report: "Report", name: str, about: "Evaluation", most: tuple[int, int] = ON_A_PAGE, marks: Marks | None = None
) -> list[TableView]:
    """A table of a report as it is shown, part by part.

    most: how many rows of each are shown, and how many comparisons. marks: by default each part has its own.
    """
    return [part_view(part, about, most[part.compared], marks) for part in parts(report, name, about)]


def part_view(part: Part, about: "Evaluation", most: int = MOST_ROWS, marks: Marks | None = None) -> TableView:
    """A part of a table as it is shown."""
    marks = marks or Marks()
    mark = marks.of(part.note)
    view = _figures_view(part, about, most, marks) if is_figures(part.frame) else _counts_view(part, about, most)
    return replace(view, block=part.block, mark=mark, said=part.said, remarks=marks.listed() if view.figures else ())


def _figures_view(part: Part, about: "Evaluation", most: int, marks: Marks) -> TableView:
    keys = keys_of(part.frame)
    chosen, total = _kept(part.frame, keys, most, compared=part.compared)
    metrics, table = wide(replace(part, frame=chosen), about.leading)
    rows = [
        (
            *(key_cell(value, part.names.get(key)) for key, value in zip(keys, names, strict=True)),
            *(_figure_cell(figure, marks) for figure in figures),
        )
        for names, figures in table.items()
    ]
    columns = [Column(worded(key)) for key in keys]
    columns += [_metric_column(chosen, one, part, pooled=bool(part.block) and one == about.pooled) for one in metrics]
    which = "with the smallest p" if part.compared else "with the most items"
    loose = len(metrics) <= _LOOSE
    return TableView(
        part.name, part.title, part.about, tuple(columns), tuple(rows), total, which, keys=len(keys), dense=not loose
    )


def _metric_column(frame: "pl.DataFrame", metric: str, part: Part, *, pooled: bool) -> Column:
    title = metric_of(part.metrics, metric).title
    of_metric = frame.filter(frame["metric"] == metric)
    tested = "p_adjusted" in frame.columns and of_metric["p_adjusted"].count() > 0
    below = [_method(of_metric), "p after Holm" if tested else ""]
    n = part.columns.get(metric, "")
    return Column(title, ", ".join(filter(None, below)), number=True, pooled=pooled, n=n)


def beside_view(report: "Report", about: "Evaluation") -> TableView | None:
    """The leading figure of the main table with a column per group; None where there is one group, or too many."""
    import polars as pl

    (part,) = parts(report, about.main, about)
    frame = part.frame
    keys = [key for key in frame.columns[: frame.columns.index("metric")] if key not in {"annotator", "reference"}]
    figures = frame.filter(pl.col("metric") == about.leading)
    groups = figures.select(keys).unique(maintain_order=True).rows() if keys else []
    if not 1 < len(groups) <= MOST_BESIDE:
        return None
    metric = metric_of(about.metrics, about.leading)
    columns = {group: str(place) for place, group in enumerate(groups)}
    titles = {
        column: ", ".join(f"{plain(key)}: {key_cell(one).text}" for key, one in zip(keys, group, strict=True))
        for group, column in columns.items()
    }
    mean = pl.col("value").mean().over("annotator")
    order = figures.sort(mean, descending=True, nulls_last=True, maintain_order=True)
    spread = order.with_columns(metric=pl.Series([columns[group] for group in order.select(keys).rows()]))
    beside = replace(
        part,
        name="beside",
        title=f"{metric.title} side by side",
        about=f"{metric.title} of each annotator in each group, with p after Holm, sorted by its mean.",
        frame=spread.drop(*keys, "reference", strict=False),
        metrics={column: replace(metric, title=title) for column, title in titles.items()},
        columns=dict.fromkeys(titles, ""),
    )
    return replace(part_view(beside, about, MOST_ROWS), dense=True)


def _kept(frame: "pl.DataFrame", keys: Sequence[str], most: int, *, compared: bool) -> tuple["pl.DataFrame", int]:
    """The rows of so many combinations of keys, in their order, and how many there are in all.

    Of comparisons the first are taken, else those with the greatest n.
    """
    import polars as pl

    if not keys:
        return frame, 1
    sizes = frame.group_by(keys, maintain_order=True).agg(pl.col("n").max())
    if sizes.height <= most:
        return frame, sizes.height
    order = sizes if compared else sizes.sort("n", descending=True, maintain_order=True)
    return frame.join(order.head(most), on=keys, how="semi", nulls_equal=True, maintain_order="left"), sizes.height


def _method(frame: "pl.DataFrame") -> str:
    methods = frame["method"].drop_nulls().unique()
    return str(methods[0]) if len(methods) == 1 else ""


def key_cell(value: object, names: Mapping[str, str] | None = None) -> Cell:
    """A cell with a name from the data. names: what to call it; then a page says its id too.

    What a page shows is cut where it is long, and all else where it is as long as no name should be.
    """
    if value is None:
        return Cell(_MISSING, _MISSING, kind="missing")
    text = short_number(value) if isinstance(value, float) else str(value)
    called = (names or {}).get(text, text)
    shown = short(called, _NAME)
    known = called if called == text else f"{called} ({text})"
    return Cell(shown, cut(called), cut(known) if shown != known else "")


def _figure_cell(figure: FigureText | None, marks: Marks) -> Cell:
    if figure is None:
        return Cell("", kind="absent")
    return Cell(figure.value, figure=figure, mark=marks.of(figure.remark), kind="figure")


def _counts_view(part: Part, about: "Evaluation", most: int) -> TableView:
    import polars as pl

    frame = part.frame
    table = wide_counts(frame, about.values)
    numbers = [column for column, dtype in table.schema.items() if dtype.is_numeric()]
    chosen = table.head(most)
    if table.height > most and numbers:
        largest = pl.sum_horizontal(pl.col(numbers).fill_null(0)).arg_sort(descending=True).head(most).sort()
        chosen = table.select(pl.all().gather(largest))
    columns = [_count_column(column, frame, number=column in numbers) for column in table.columns]
    names = [part.names.get(column) for column in table.columns]
    rows = [
        tuple(_plain_cell(value, column, known) for value, column, known in zip(row, columns, names, strict=True))
        for row in chosen.rows()
    ]
    return TableView(
        part.name,
        part.title,
        part.about,
        tuple(columns),
        tuple(rows),
        table.height,
        "with the highest counts" if numbers else "that stand first",
        keys=table.width - len(numbers),
        figures=False,
    )


def _count_column(name: str, frame: "pl.DataFrame", *, number: bool) -> Column:
    """A column of the table itself, or one of the values of its last key, which are the data's own but for `_OURS`."""
    if name in frame.columns:
        return Column(plain(name) if name in _OURS else worded(name), number=number, ours=name in _OURS)
    last = frame.columns[-2]
    if last in _OURS:
        return Column(plain(name), "" if last.endswith("outcome") else plain(last), number=True)
    return Column(short(name, _NAME), plain(last), number=True)


def _plain_cell(value: Any, column: Column, names: Mapping[str, str] | None) -> Cell:  # noqa: ANN401 - of any column
    if column.title == "note":
        return key_cell(note_title(value))
    if not column.number:
        return key_cell(plain(value) if column.ours and value is not None else value, names)
    text = short_number(value) if isinstance(value, float) else count_text(value)
    return Cell(text, text, kind="zero" if not value else "count")


@dataclass(frozen=True, slots=True)
class Grid:
    """Counts by label and reference label. totals: of each row."""

    labels: tuple[Cell, ...]
    reference_labels: tuple[Cell, ...]
    rows: tuple[tuple[tuple[str, bool], ...], ...]
    totals: tuple[str, ...]


def grid(frame: "pl.DataFrame") -> Grid | None:
    """Counts summed over all but the two labels; None where there are no labels, or too many to be seen at once."""
    import polars as pl

    if not {"label", "reference_label", "count"} <= set(frame.columns) or frame.is_empty():
        return None
    sums = frame.group_by("label", "reference_label").agg(pl.col("count").sum())
    labels, references = (_sorted(sums[name].to_list()) for name in ("label", "reference_label"))
    if max(len(labels), len(references)) > MOST_LABELS:
        return None
    counts = {(one, other): count for one, other, count in sums.iter_rows()}
    rows = [[counts.get((one, other), 0) for other in references] for one in labels]
    return Grid(
        tuple(map(key_cell, labels)),
        tuple(map(key_cell, references)),
        tuple(
            tuple((count_text(count), one == other) for count, other in zip(row, references, strict=True))
            for one, row in zip(labels, rows, strict=True)
        ),
        tuple(count_text(sum(row)) for row in rows),
    )


def _sorted(labels: Sequence[str | None]) -> list[str | None]:
    return sorted(set(labels), key=lambda label: (label is None, label or ""))


def truth_view(frame: "pl.DataFrame", metrics: Mapping[str, "Metric"]) -> TableView:
    """The table `truth` of simulated data: beside the true value of each metric its figure, and what became of it."""
    keys = frame.columns[: frame.columns.index("metric")]
    names = list(dict.fromkeys(frame["metric"]))
    found: dict[tuple[str | None, ...], dict[str, Mapping[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = row
    rows = [
        (*map(key_cell, key), *(cell for name in names for cell in _beside(of_metric.get(name), metrics)))
        for key, of_metric in list(found.items())[:MOST_ROWS]
    ]
    titles = [metric_of(metrics, name).title for name in names]
    columns = [Column(title, below, number=True) for title in titles for below in ("truth", "estimate")]
    held = [_held(title, name, found.values()) for title, name in zip(titles, names, strict=True)]
    return TableView(
        "truth",
        "Estimate beside truth",
        "The data are made up, so the truth is known. Each figure with its interval, and whether the interval holds "
        f"the true value. {' '.join(held)}",
        (*(Column(plain(key)) for key in keys), *columns),
        tuple(rows),
        len(found),
        "that stand first",
        keys=len(keys),
        dense=True,
    )


def _beside(row: Mapping[str, Any] | None, metrics: Mapping[str, "Metric"]) -> tuple[Cell, Cell]:
    """The true value, and the figure."""
    if row is None:
        return Cell("", kind="absent"), Cell("", kind="absent")
    metric = metric_of(metrics, row["metric"])
    blank = {"low": None, "high": None, "n": None, "method": None, "reason": None, "note": None}
    truth, figure = row_text(blank | {"value": row["truth"]}, metric), row_text(blank | {**row, "note": None}, metric)
    return Cell(truth.value, kind="count"), Cell(figure.value, figure=figure, kind=_holds(row))


def _holds(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None or row["truth"] is None:
        return "none"
    return "holds" if row["low"] <= row["truth"] <= row["high"] else "misses"


def _held(title: str, name: str, rows: Any) -> str:  # noqa: ANN401 - a view of rows
    verdicts = [_holds(row[name]) for row in rows if name in row]
    known = [verdict for verdict in verdicts if verdict != "none"]
    return f"{title}: {known.count('holds'):,} of {len(known):,} intervals hold the true value."


def shown_metrics(report: "Report", about: "Evaluation") -> Iterator["Metric"]:
    """The metrics that the report's tables of figures hold, in the order of the evaluation."""
    held = {name for frame in report.tables.values() if is_figures(frame) for name in frame["metric"].unique()}
    ordered = [*(name for name in about.metrics if name in held), *sorted(held - about.metrics.keys())]
    return (metric_of(about.metrics, name) for name in ordered)


def said(report: "Report", column: str) -> list[str]:
    """All different texts of a column of the report's tables of figures (method, note, reason), sorted."""
    return sorted(
        {text for frame in report.tables.values() if is_figures(frame) for text in frame[column].drop_nulls().unique()}
    )
