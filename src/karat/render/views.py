"""Tables and examples of a report as a page shows them: cells of text, what was left out, what the notes say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.about import COMPARED
from karat.names import annotator_names, short
from karat.render.blocks import keys_of
from karat.render.marks import MarkedText, marked_text
from karat.render.numbers import FigureText, count_text, metric_of, plain, row_text, worded
from karat.render.wide import Part, is_figures, parts, wide, wide_counts
from karat.report import cut

if TYPE_CHECKING:
    import polars as pl

    from karat.about import Evaluation, Metric
    from karat.report import Report

MOST_ROWS = 200
"""How many rows of a table stand in a page."""
MOST_LABELS = 12
"""How many labels a grid of labels may have."""
LONG_TEXT = 320
_PREVIEW = 140
_NAME = 60
_MISSING = "(missing)"
MOST_BESIDE = 8
"""How many groups stand side by side."""
_LOOSE = 4
"""With more figures in a row than this, intervals stand below them."""
_OURS = frozenset({"outcome", "reason", "vote", "reference_vote"})
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
    """A table as it is shown. keys: how many columns at the left name the row. remarks: mark -> note.

    more: a sentence on the rows that are not shown. dense: whether so much stands in a row that intervals must stand
    below their figures. block: its heading among others of the same table; mark: of the note of all its figures.
    said: sentences in the place of rows.
    """

    name: str
    title: str
    about: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int = 1
    remarks: tuple[tuple[str, str], ...] = ()
    more: str = ""
    dense: bool = False
    block: str = ""
    mark: str = ""
    said: str = ""


def table_view(name: str, frame: "pl.DataFrame", about: "Evaluation", most: int = MOST_ROWS) -> TableView:
    """A table of a report as it is shown, at most `most` rows of it."""
    title, words = plain(name).capitalize(), about.tables.get(name, "")
    return part_view(Part(name, title, words, frame, {}, about.metrics), about, most)


def part_view(part: Part, about: "Evaluation", most: int = MOST_ROWS) -> TableView:
    """A part of a table as it is shown, at most `most` rows of it."""
    shown = _figures_view if is_figures(part.frame) else _counts_view
    return shown(part, about, most)


def table_views(report: "Report", name: str, about: "Evaluation", most: int = MOST_ROWS) -> list[TableView]:
    """A table of a report as it is shown, part by part."""
    return [part_view(part, about, most) for part in parts(report, name, about)]


def _figures_view(part: Part, about: "Evaluation", most: int) -> TableView:
    frame = part.frame
    keys = keys_of(frame)
    chosen, total = (frame.head(most), frame.height) if part.compared else _largest(frame, keys, "n", most)
    table = wide(replace(part, frame=chosen), about.leading)
    marks = Marks()
    mark = marks.of(part.note)
    rows = [
        (
            *(key_cell(value, part.names.get(key)) for key, value in zip(keys, names, strict=True)),
            *(_figure_cell(figure, marks) for figure in figures),
        )
        for names, figures in table.rows
    ]
    columns = [Column(plain(key).capitalize()) for key in keys]
    columns += [
        _metric_column(chosen, one, part, pooled=bool(part.block) and one == about.pooled) for one in table.metrics
    ]
    return TableView(
        part.name,
        part.title,
        part.about,
        tuple(columns),
        tuple(rows),
        keys=len(keys),
        remarks=marks.listed(),
        more=_more(len(rows), total, "with the smallest p" if part.compared else "with the most items"),
        dense=len(table.metrics) > _LOOSE,
        block=part.block,
        mark=mark,
        said=part.said,
    )


def _metric_column(frame: "pl.DataFrame", metric: str, part: Part, *, pooled: bool) -> Column:
    title = metric_of(part.metrics, metric).title
    of_metric = frame.filter(frame["metric"] == metric)
    tested = "p_adjusted" in frame.columns and of_metric["p_adjusted"].count() > 0
    below = [_method(of_metric), "p after Holm" if tested else ""]
    shown = f"{title}: first − second" if part.compared else title
    n = part.columns.get(metric, "")
    return Column(shown, ", ".join(filter(None, below)), number=True, pooled=pooled, n=n)


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
    found = {(*(row[key] for key in keys), row["annotator"]): row for row in figures.iter_rows(named=True)}
    mean = pl.col("value").mean().over("annotator")
    order = figures.sort(mean, descending=True, nulls_last=True, maintain_order=True)
    metric, marks = metric_of(about.metrics, about.leading), Marks()
    rows = []
    for annotator in order["annotator"].unique(maintain_order=True):
        texts = [row_text(row, metric) if (row := found.get((*group, annotator))) else None for group in groups]
        name = key_cell(annotator, part.names["annotator"])
        rows.append((name, *(_figure_cell(text, marks) for text in texts)))
    titles = [
        ", ".join(f"{plain(key)}: {key_cell(one).text}" for key, one in zip(keys, group, strict=True))
        for group in groups
    ]
    return TableView(
        "beside",
        f"{metric.title} side by side",
        f"{metric.title} of each annotator in each group, with p after Holm, sorted by its mean.",
        (Column("Annotator"), *(Column(title, number=True) for title in titles)),
        tuple(rows[:MOST_ROWS]),
        remarks=marks.listed(),
        more=_more(min(len(rows), MOST_ROWS), len(rows), "with the greatest figures"),
        dense=True,
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


def _method(frame: "pl.DataFrame") -> str:
    methods = frame["method"].drop_nulls().unique()
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


def key_cell(value: object, names: Mapping[str, str] | None = None) -> Cell:
    """A cell with a name from the data, cut where it is long. names: what to call it; then the full text has the id.

    The full text is cut too, where it is as long as no name should be.
    """
    if value is None:
        return Cell(_MISSING, kind="missing")
    text = str(value)
    called = (names or {}).get(text, text)
    shown = short(called, _NAME)
    whole = called if called == text else f"{called} ({text})"
    return Cell(shown, cut(whole) if shown != whole else "")


def _figure_cell(figure: FigureText | None, marks: Marks) -> Cell:
    if figure is None:
        return Cell("", kind="absent")
    return Cell(figure.value, figure=figure, mark=marks.of(figure.remark), kind="figure")


def _counts_view(part: Part, about: "Evaluation", most: int) -> TableView:
    import polars as pl

    frame = part.frame
    table = wide_counts(frame, about.values)
    numbers = [column for column, dtype in table.schema.items() if dtype.is_numeric()]
    chosen = table
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
        keys=table.width - len(numbers),
        more=_more(len(rows), table.height, "with the highest counts"),
    )


def _count_column(name: str, frame: "pl.DataFrame", *, number: bool) -> Column:
    """A column of the table itself, or one of the values of its last key, which are the data's own but for `_OURS`."""
    if name in frame.columns:
        return Column(plain(name).capitalize(), number=number, ours=name in _OURS)
    last = frame.columns[-2]
    if last in _OURS:
        return Column(plain(name).capitalize(), "" if last == "outcome" else plain(last), number=True)
    return Column(short(name, _NAME), plain(last), number=True)


def _plain_cell(value: Any, column: Column, names: Mapping[str, str] | None) -> Cell:  # noqa: ANN401 - of any column
    if not column.number:
        return key_cell(plain(value) if column.ours and value is not None else value, names)
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
    """A text of an item. preview: its beginning, where it is long. chosen: by whom, where it could be chosen.

    pieces: the text before, in and behind the phrase that decided, where one did.
    """

    name: str
    text: str
    preview: str = ""
    chosen: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Who said what of an item; label is None where nothing was said."""

    who: str
    label: str | None
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Example:
    """An item as an example of an outcome. short, texts: what is known of it. beside: texts to stand side by side.

    marked: its text with the marks of both sides, where the evaluation marks texts.
    """

    item: str
    part: str
    verdicts: tuple[Verdict, ...]
    short: tuple[Text, ...]
    texts: tuple[Text, ...]
    beside: tuple[Text, ...] = ()
    marked: MarkedText | None = None


_KNOWN = frozenset({"item", "cluster", "judge", "reference", "part", "label", "reference_label", "outcome", "value"})
_LINE = 40
_ABOVE = frozenset({"prompt", "instruction"})
"""Texts that stand above the others, however short."""


def example_groups(report: "Report", about: "Evaluation") -> list[tuple[str, list[Example]]]:
    """The report's examples by outcome, under the outcome's title, in the order of the outcomes."""
    frame, names = report.examples, annotator_names(report.tables.values())
    once = [
        name for name in about.common if name in frame.columns and name not in _KNOWN and frame[name].n_unique() == 1
    ]
    groups: dict[str, list[Example]] = {}
    for row in frame.drop(once).iter_rows(named=True):
        groups.setdefault(row["outcome"], []).append(_example(row, about, names))
    order = [*about.outcomes, *(name for name in groups if name not in about.outcomes)]
    return [(about.outcomes.get(name, plain(str(name))), groups[name]) for name in order if name in groups]


def _example(row: Mapping[str, Any], about: "Evaluation", names: Mapping[str, str]) -> Example:
    said = [(str(row[who]), row[label]) for who, label in (("judge", "label"), ("reference", "reference_label"))]
    verdicts = [
        (short(names.get(who, who), _NAME) if names else cut(who), label if label is None else cut(label))
        for who, label in said
    ]
    chosen = [(who, about.choices.get(label or "", label)) for who, label in verdicts]
    marked = marked_text(row.get("text"), row.get("marks") or "")
    apart = {*_KNOWN, *(("text", "marks") if marked else ())}
    known = {name: cut(str(row[name])) for name in row if name not in apart and row[name] not in (None, "")}
    beside = [
        Text(plain(name), known.pop(name), chosen=tuple(who for who, text in chosen if text == name))
        for name in about.beside
        if name in known
    ]
    phrase = known.get("detail", "")
    texts = [Text(plain(name), text, _preview(text), pieces=_around(text, phrase)) for name, text in known.items()]
    long = [text for text in texts if len(text.text) > _LINE or (beside and text.name in _ABOVE)]
    labels = [plain(label) if label in about.values else label for _, label in verdicts]
    runs = about.main == COMPARED  # both verdicts are judges'
    return Example(
        item=cut(str(row["item"])),
        part="" if beside and not about.across and not runs else worded(row["part"] or ""),
        verdicts=tuple(
            Verdict(who, label, reference=bool(beside) and place > 0 and not runs)
            for place, ((who, _), label) in enumerate(zip(verdicts, labels, strict=True))
        ),
        short=tuple(text for text in texts if text not in long),
        texts=tuple(long),
        beside=tuple(beside),
        marked=marked,
    )


def _around(text: str, phrase: str) -> tuple[str, ...]:
    """The text before, in and behind a phrase, whatever its case; empty where it is not in the text, or all of it."""
    place = text.lower().find(phrase.lower()) if phrase and phrase != text else -1
    end = place + len(phrase)
    return (text[:place], text[place:end], text[end:]) if place >= 0 and len(text.lower()) == len(text) else ()


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
