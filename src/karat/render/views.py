"""Tables and examples of a report as a page shows them: cells of text, what was left out, what the notes say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.evaluations.charting import short
from karat.render.numbers import FigureText, count_text, metric_of, plain, row_text
from karat.render.wide import is_figures, wide, wide_counts

if TYPE_CHECKING:
    import polars as pl

    from karat.evaluations import Evaluation, Metric
    from karat.report import Report

MOST_ROWS = 200
"""How many rows of a table stand in a page."""
MOST_LABELS = 12
"""How many labels a grid of labels may have."""
LONG_TEXT = 320
_PREVIEW = 140
_NAME = 60
_MISSING = "(missing)"
_OURS = frozenset({"outcome", "reason"})
"""Columns whose values are Karat's own words, to be shown as such."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell. text: as shown. full: the whole of a text that was cut. figure: where it holds one. mark: of its note."""

    text: str
    full: str = ""
    figure: FigureText | None = None
    mark: str = ""
    kind: str = "key"


@dataclass(frozen=True, slots=True)
class Column:
    """A column's heading. below: smaller, under it. number: set to the right. ours: it holds Karat's own words."""

    title: str
    below: str = ""
    number: bool = False
    ours: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as it is shown. keys: how many columns at the left name the row. remarks: mark -> note.

    more: a sentence on the rows that are not shown.
    """

    name: str
    title: str
    about: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1
    remarks: tuple[tuple[str, str], ...] = ()
    more: str = ""


def table_view(name: str, frame: "pl.DataFrame", about: "Evaluation", most: int = MOST_ROWS) -> TableView:
    """A table of a report as it is shown, at most `most` rows of it."""
    shown = _figures_view if is_figures(frame) else _counts_view
    return shown(name, frame, about, most)


def _figures_view(name: str, frame: "pl.DataFrame", about: "Evaluation", most: int) -> TableView:
    keys = frame.columns[: frame.columns.index("metric")]
    chosen, total = _largest(frame, keys, "n", most)
    table = wide(chosen, about.metrics)
    marks = Marks()
    rows = [
        (*map(key_cell, names), *(_figure_cell(figure, marks) for figure in figures)) for names, figures in table.rows
    ]
    columns = [Column(plain(key).capitalize()) for key in keys]
    columns += [Column(metric_of(about.metrics, one).title, _method(chosen, one), number=True) for one in table.metrics]
    return TableView(
        name,
        plain(name).capitalize(),
        about.tables.get(name, ""),
        tuple(columns),
        tuple(rows),
        keys=len(keys),
        remarks=marks.listed(),
        more=_more(len(rows), total, "with the most items"),
    )


def _largest(frame: "pl.DataFrame", keys: Sequence[str], size: str, most: int) -> tuple["pl.DataFrame", int]:
    """The rows of the `most` largest combinations of keys, in their order; and how many combinations there are."""
    import polars as pl

    if not keys:
        return frame, 1
    sizes = frame.group_by(keys, maintain_order=True).agg(pl.col(size).max())
    if sizes.height <= most:
        return frame, sizes.height
    kept = sizes.sort(size, descending=True, maintain_order=True).head(most)
    return frame.join(kept, on=keys, how="semi", nulls_equal=True, maintain_order="left"), sizes.height


def _method(frame: "pl.DataFrame", metric: str) -> str:
    methods = frame.filter(frame["metric"] == metric)["method"].drop_nulls().unique()
    return str(methods[0]) if len(methods) == 1 else ""


def _more(shown: int, total: int, which: str) -> str:
    if shown >= total:
        return ""
    return (
        f"These are the {shown:,} of {total:,} rows {which}. "
        "The report holds them all: save it as .csv, .parquet or .json."
    )


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


def key_cell(value: object) -> Cell:
    """A cell with a name from the data, cut where it is long."""
    if value is None:
        return Cell(_MISSING, kind="missing")
    text = str(value)
    cut = short(text, _NAME)
    return Cell(cut, text if cut != text else "")


def _figure_cell(figure: FigureText | None, marks: Marks) -> Cell:
    if figure is None:
        return Cell("", kind="absent")
    return Cell(figure.value, figure=figure, mark=marks.of(figure.remark), kind="figure")


def _counts_view(name: str, frame: "pl.DataFrame", about: "Evaluation", most: int) -> TableView:
    import polars as pl

    table = wide_counts(frame)
    numbers = [column for column, dtype in table.schema.items() if dtype.is_numeric()]
    chosen = table
    if table.height > most and numbers:
        largest = pl.sum_horizontal(pl.col(numbers).fill_null(0)).arg_sort(descending=True).head(most).sort()
        chosen = table.select(pl.all().gather(largest))
    columns = [_count_column(column, frame, number=column in numbers) for column in table.columns]
    rows = [
        tuple(_plain_cell(value, column) for value, column in zip(row, columns, strict=True)) for row in chosen.rows()
    ]
    return TableView(
        name,
        plain(name).capitalize(),
        about.tables.get(name, ""),
        tuple(columns),
        tuple(rows),
        keys=table.width - len(numbers),
        more=_more(len(rows), table.height, "with the highest counts"),
    )


def _count_column(name: str, frame: "pl.DataFrame", *, number: bool) -> Column:
    """A column of the table itself, or one of the values of its last key, which are the data's own but for `_OURS`."""
    if name in frame.columns:
        return Column(plain(name).capitalize(), number=number, ours=name in _OURS)
    last = frame.columns[-2]
    if last in _OURS:
        return Column(plain(name).capitalize(), number=True)
    return Column(short(name, _NAME), plain(last), number=True)


def _plain_cell(value: Any, column: Column) -> Cell:  # noqa: ANN401 - of any column
    if not column.number:
        return key_cell(plain(value) if column.ours and value is not None else value)
    text = f"{value:.3f}" if isinstance(value, float) else count_text(value)
    return Cell(text, kind="zero" if not value else "count")


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


@dataclass(frozen=True, slots=True)
class Truth:
    """Estimates beside the truth. rows: keys, then per metric the truth, the figure and what became of it."""

    keys: tuple[str, ...]
    metrics: tuple[str, ...]
    rows: tuple[tuple[tuple[Cell, ...], tuple[tuple[str, FigureText, str] | None, ...]], ...]
    held: tuple[str, ...]


def truth_view(frame: "pl.DataFrame", metrics: Mapping[str, "Metric"]) -> Truth:
    """The table `truth` of simulated data as it is shown."""
    keys = frame.columns[: frame.columns.index("metric")]
    names = list(dict.fromkeys(frame["metric"]))
    found: dict[tuple[str | None, ...], dict[str, Mapping[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[key] for key in keys), {})[row["metric"]] = row
    rows = [
        (tuple(map(key_cell, key)), tuple(_beside(of_metric.get(name), metrics) for name in names))
        for key, of_metric in list(found.items())[:MOST_ROWS]
    ]
    titles = [metric_of(metrics, name).title for name in names]
    held = [_held(title, name, found.values()) for title, name in zip(titles, names, strict=True)]
    return Truth(tuple(plain(key).capitalize() for key in keys), tuple(titles), tuple(rows), tuple(held))


def _beside(row: Mapping[str, Any] | None, metrics: Mapping[str, "Metric"]) -> tuple[str, FigureText, str] | None:
    if row is None:
        return None
    metric = metric_of(metrics, row["metric"])
    blank = {"low": None, "high": None, "n": None, "method": None, "reason": None, "note": None}
    truth = row_text(blank | {"value": row["truth"]}, metric).value
    return truth, row_text(blank | dict(row), metric), _holds(row)


def _holds(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None or row["truth"] is None:
        return "none"
    return "holds" if row["low"] <= row["truth"] <= row["high"] else "misses"


def _held(title: str, name: str, rows: Any) -> str:  # noqa: ANN401 - a view of rows
    verdicts = [_holds(row[name]) for row in rows if name in row]
    known = [verdict for verdict in verdicts if verdict != "none"]
    return f"{title}: {known.count('holds'):,} of {len(known):,} intervals hold the true value."


@dataclass(frozen=True, slots=True)
class Text:
    """A text of an item. preview: its beginning, where it is long."""

    name: str
    text: str
    preview: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """An item as an example of an outcome. verdicts: who said what. short, texts: what else is known of it."""

    item: str
    part: str
    verdicts: tuple[tuple[str, str | None], ...]
    short: tuple[Text, ...]
    texts: tuple[Text, ...]


_KNOWN = frozenset({"item", "cluster", "judge", "reference", "part", "label", "reference_label", "outcome", "value"})
_LINE = 40


def example_groups(report: "Report", about: "Evaluation") -> list[tuple[str, list[Example]]]:
    """The report's examples by outcome, under the outcome's title, in the order of the outcomes."""
    groups: dict[str, list[Example]] = {}
    for row in report.examples.iter_rows(named=True):
        groups.setdefault(row["outcome"], []).append(_example(row))
    order = [*about.outcomes, *(name for name in groups if name not in about.outcomes)]
    return [(about.outcomes.get(name, plain(str(name))), groups[name]) for name in order if name in groups]


def _example(row: Mapping[str, Any]) -> Example:
    texts = [
        Text(plain(name), str(value), _preview(str(value)))
        for name, value in row.items()
        if name not in _KNOWN and value not in (None, "")
    ]
    return Example(
        item=str(row["item"]),
        part=plain(row["part"] or ""),
        verdicts=((str(row["judge"]), row["label"]), (str(row["reference"]), row["reference_label"])),
        short=tuple(text for text in texts if len(text.text) <= _LINE),
        texts=tuple(text for text in texts if len(text.text) > _LINE),
    )


def _preview(text: str) -> str:
    return short(text, _PREVIEW) if len(text) > LONG_TEXT else ""


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
