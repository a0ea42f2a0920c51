"""The pictures of annotations, drawn from the report's tables alone.

Groups (data sets, or the values of the `by` columns) stand side by side over the same rows, so that an
annotator is compared along a line.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.evaluations.annotations import EVALUATION
from karat.evaluations.charting import ACCENT, MUTED, PAPER, UNDEFINED, Chart, blend, data, ink_on, stacked, titled
from karat.names import annotator_names, distinct, group_title, percentage

if TYPE_CHECKING:
    import altair as alt

    from karat.evaluations.charting import AnyChart
    from karat.report import Report

MOST_ANNOTATORS = 40
MOST_GROUPS = 8
MOST_MATRICES = 4
MOST_PRINTED = 20
"""How many annotators a matrix may have to print its values."""
MOST_NAMED = 8
"""How many annotators a caption names."""

SIGNS = ("#2f6eb5", "#f7f7f7", "#c05a00")
"""From the most negative to the most positive: told apart by every eye, and darker the farther from 0."""

_LINE = 4
_WIDTHS = {1: 420, 2: 260, 3: 195, 4: 160}
_ROW_HEIGHT, _LOW_ROW_HEIGHT, _MANY_ROWS = 22, 17, 30
_CELL, _SMALL_CELL = 38, 15
_STEP = 0.1

Key = tuple[str | None, ...]
Row = dict[str, Any]
Figures = Mapping[tuple[Key, str | None], Row]
"""The figures of one metric by group and annotator."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What all pictures share: the groups with their titles, the annotators in their order with their labels."""

    groups: dict[Key, str]
    labels: dict[str | None, str]
    left_out: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Panel:
    """One plot of intervals. rule: the value that means nothing. limits: of the axis. labelled: with names."""

    title: str
    metric: str
    figures: Sequence[Row]
    rule: float
    limits: tuple[float, float]
    labelled: bool


def charts(report: "Report") -> list[Chart]:
    """Strength of each annotator with intervals, everyone against everyone, and position and length bias."""
    metric = _leading(report)
    if metric is None:
        return []
    figures = _figures(report, "agreement", metric)
    scope = _scope(report, figures)
    found = [_strengths(figures, metric, scope)]
    if "matrix" in report.tables and report["matrix"].height:
        found.append(_matrix(report, scope))
    if report["bias"].height:
        found.append(_bias(report, scope))
    return found


def _leading(report: "Report") -> str | None:
    """Strength; where all labels count and it is undefined, kappa with observed chance; None without annotators."""
    table = report["agreement"]
    for metric in (EVALUATION.leading, "kappa_observed"):
        if table.filter(table["metric"] == metric)["value"].count():
            return metric
    return EVALUATION.leading if table.height else None


def _keys(report: "Report") -> list[str]:
    return ["dataset", *(report.options.get("by") or [])]


def _figures(report: "Report", table: str, metric: str) -> Figures:
    keys, frame = _keys(report), report[table]
    rows = frame.filter(frame["metric"] == metric).iter_rows(named=True)
    return {(tuple(row[name] for name in keys), row["annotator"]): row for row in rows}


def _scope(report: "Report", figures: Figures) -> _Scope:
    means = _means(figures)
    strongest = sorted(means, key=lambda one: -abs(means[one] or 0.0))[:MOST_ANNOTATORS]
    order = sorted(strongest, key=lambda one: (means[one] is None, -(means[one] or 0.0)))
    groups = list(dict.fromkeys(group for group, _ in figures))
    kept = _largest_groups(figures, groups)
    names = annotator_names(report.tables.values())
    references = dict.fromkeys(report["agreement"]["reference"])
    shown = [*(one for one in references if one not in order), *order]
    labels = dict(zip(shown, distinct([names.get(one or "", one) for one in shown]), strict=True))
    return _Scope(
        {group: _title(report, group, groups) for group in kept},
        labels,
        _left_out(len(order), len(means), len(kept), len(groups)),
        float(report.options.get("confidence", 0.95)),
    )


def _means(figures: Figures) -> dict[str | None, float | None]:
    """The mean of each annotator's figures over the groups that have one: what rows are sorted by."""
    values: dict[str | None, list[float]] = {}
    for (_, annotator), row in figures.items():
        values.setdefault(annotator, []).extend([] if row["value"] is None else [row["value"]])
    return {annotator: sum(of) / len(of) if of else None for annotator, of in values.items()}


def _largest_groups(figures: Figures, groups: Sequence[Key]) -> list[Key]:
    sizes = {group: max(row["n"] or 0 for (one, _), row in figures.items() if one == group) for group in groups}
    largest = sorted(groups, key=lambda group: -sizes[group])[:MOST_GROUPS]
    return [group for group in groups if group in largest]


def _title(report: "Report", group: Key, groups: Sequence[Key]) -> str:
    """What a group is called: by what not all groups share; nothing where there is one."""
    if len(groups) == 1:
        return ""
    (dataset, *values), by = group, _keys(report)[1:]
    several = len({one[0] for one in groups}) > 1
    parts = [distinct([dataset])[0]] if several else []
    return "\n".join([*parts, *([group_title(dict(zip(by, values, strict=True)))] if by else [])])


def _left_out(shown: int, annotators: int, kept: int, groups: int) -> str:
    sentences = []
    if shown < annotators:
        sentences.append(f" Shown: the {shown:,} of {annotators:,} annotators that are farthest from 0.")
    if kept < groups:
        sentences.append(f" Shown: the {kept:,} largest of {groups:,} groups.")
    return "".join(sentences)


_SURE, _UNSURE, _PLAIN = "differs from 0", "may be 0", "estimate"


def _strengths(figures: Figures, metric: str, scope: _Scope) -> Chart:
    rows = _rows(figures, scope, rule=0.0)
    limits = _symmetric(row for of in rows.values() for row in of)
    title = EVALUATION.metrics[metric].title
    panels = _panels(metric, rows, 0.0, limits, scope)
    return Chart(
        "strength",
        f"Annotators by {title[0].lower()}{title[1:]}",
        _strengths_caption(rows, title, scope),
        _plots([panels]),
    )


def _rows(figures: Figures, scope: _Scope, rule: float) -> dict[Key, list[Row]]:
    """By group a row per annotator that has a figure in any of them, or might have."""
    known = {annotator for _, annotator in figures}
    shown = [one for one in scope.labels if one in known]
    return {group: [_row(figures.get((group, one)), one, scope, rule) for one in shown] for group in scope.groups}


def _panels(
    metric: str, rows: Mapping[Key, Sequence[Row]], rule: float, limits: tuple[float, float], scope: _Scope
) -> list[_Panel]:
    return [
        _Panel(title, metric, rows[group], rule, limits, labelled=place % _LINE == 0)
        for place, (group, title) in enumerate(scope.groups.items())
    ]


def _strengths_caption(rows: Mapping[Key, Sequence[Row]], title: str, scope: _Scope) -> str:
    everyone = [row for of in rows.values() for row in of]
    caption = (
        f"{title} with its {percentage(scope.confidence)} interval. Right of 0 the annotator votes as the reference "
        "does, left of 0 against it."
    )
    if len(rows) > 1:
        caption += " The rows are the same in all plots, sorted by their mean."
    if any(row["kind"] != _PLAIN for row in everyone):
        level = f"{1 - scope.confidence:.2g}"
        caption += f" A filled point differs from 0 (p < {level} after Holm's adjustment), a hollow one may be 0."
    return caption + _undefined(everyone, len(rows)) + scope.left_out


def _undefined(rows: Sequence[Row], plots: int) -> str:
    """A sentence that names the annotators without a figure."""
    labels = list(dict.fromkeys(row["label"] for row in rows if row["value"] is None))
    if not labels:
        return ""
    more = f" and {len(labels) - MOST_NAMED:,} more" if len(labels) > MOST_NAMED else ""
    where = ", in some plot or in all" if plots > 1 else ""
    return f" Undefined{where}: {', '.join(labels[:MOST_NAMED])}{more}."


def _row(figure: Row | None, annotator: str | None, scope: _Scope, rule: float) -> Row:
    """A figure as it is drawn; one that the table does not hold has no value either, and no word on why."""
    label = scope.labels[annotator]
    if figure is None or figure["value"] is None:
        word = "no figure" if figure is None else "undefined"
        blank = dict.fromkeys(("value", "low", "high", "n"))
        return {"annotator": annotator, "label": label, "kind": _PLAIN, "at": rule, "word": word, **blank}
    values = {name: figure[name] for name in ("value", "low", "high", "n")}
    return {"annotator": annotator, "label": label, "kind": _kind(figure, scope), "at": rule, "word": "", **values}


def _kind(figure: Row, scope: _Scope) -> str:
    p = figure.get("p_adjusted")
    if p is None:
        return _PLAIN
    return _SURE if p < 1 - scope.confidence else _UNSURE


def _symmetric(rows: Iterable[Row]) -> tuple[float, float]:
    """Limits around 0 that hold all intervals, at a round number."""
    ends = [abs(row[name]) for row in rows for name in ("value", "low", "high") if row[name] is not None]
    steps = int(max(ends, default=0.0) / _STEP - 1e-9) + 1
    bound = round(min(1.0, max(2, steps) * _STEP), 1)
    return -bound, bound


def _plots(lines: Sequence[Sequence[_Panel]]) -> "AnyChart":
    """Panels in lines of at most _LINE, all of the same width."""
    import altair as alt

    kinds = {row["kind"] for panels in lines for panel in panels for row in panel.figures}
    width = _WIDTHS[min(_LINE, max(map(len, lines)))]
    cut = [panels[start : start + _LINE] for panels in lines for start in range(0, len(panels), _LINE)]
    drawn = [[_panel(panel, kinds, width) for panel in panels] for panels in cut]
    return stacked(
        [line[0] if len(line) == 1 else alt.hconcat(*line, spacing=14).resolve_legend("shared") for line in drawn]
    )


def _panel(panel: _Panel, kinds: set[str], width: int) -> "alt.LayerChart":
    import altair as alt

    axis = alt.Axis(domain=False, ticks=False, labelPadding=8, grid=True, gridOpacity=0.6, labels=panel.labelled)
    base = alt.Chart(data([{**row} for row in panel.figures])).encode(
        alt.Y("label:N", sort=[row["label"] for row in panel.figures], title=None, axis=axis)
    )
    along = _along(panel)
    rule = alt.Chart(data([{"value": panel.rule}])).mark_rule(color=MUTED, strokeWidth=1.2).encode(along)
    low = alt.X("low:Q", scale=alt.Scale(domain=panel.limits))
    known = "isValid(datum.value)"
    lines = base.transform_filter(known).mark_rule(color=ACCENT, strokeWidth=1.5, opacity=0.8).encode(low, x2="high:Q")
    points = base.transform_filter(known).mark_point(filled=True, stroke=ACCENT, strokeWidth=1.5, size=58, opacity=1)
    words = base.transform_filter("!isValid(datum.value)").mark_text(
        fontSize=11, fontStyle="italic", fill=MUTED, align="left", dx=5
    )
    at = alt.X("at:Q", scale=alt.Scale(domain=panel.limits))
    layers = [rule, lines, points.encode(along, fill=_fill(kinds)), words.encode(at, text="word:N")]
    high = _LOW_ROW_HEIGHT if len(panel.figures) > _MANY_ROWS else _ROW_HEIGHT
    return _titled(layers, panel.title, width, high * len(panel.figures))


def _along(panel: _Panel) -> "alt.X":
    import altair as alt

    metric = EVALUATION.metrics[panel.metric]
    if metric.percent:
        axis = alt.Axis(values=[0, 0.5, 1], labelExpr="100 * datum.value + '\u00a0%'")
    else:
        axis = alt.Axis(tickCount=4, labelExpr="datum.value ? format(datum.value, '.1f') : '0'")
    axis.grid, axis.domain, axis.ticks = False, True, True
    return alt.X("value:Q", scale=alt.Scale(domain=panel.limits, nice=False), title=metric.title, axis=axis)


def _fill(kinds: set[str]) -> "alt.Fill | alt.FillValue":
    """Filled where a test says that the figure is not 0, hollow where it does not; filled where there is no test."""
    import altair as alt

    fills = {kind: colour for kind, colour in ((_SURE, ACCENT), (_UNSURE, PAPER)) if kind in kinds}
    if not fills:
        return alt.FillValue(ACCENT)
    fills |= {_PLAIN: ACCENT} if _PLAIN in kinds else {}
    scale = alt.Scale(domain=list(fills), range=list(fills.values()))
    values = [kind for kind in fills if kind != _PLAIN]
    return alt.Fill("kind:N", scale=scale, title=None).legend(values=values, symbolStrokeColor=ACCENT, symbolSize=80)


def _titled(layers: "Sequence[alt.Chart]", title: str, width: int, height: int) -> "alt.LayerChart":
    import altair as alt

    return titled(alt.LayerChart(layer=layers), title, width=width, height=height, limit=max(width, 150))


def _matrix(report: "Report", scope: _Scope) -> Chart:
    figures = _pairs(report, "strength")
    groups = list(scope.groups)[:MOST_MATRICES]
    shown = [one for one in scope.labels if any(one in pair for _, *pair in figures)]
    cells = [
        [_cell(figures.get((group, one, other)), one == other) for one in shown for other in shown] for group in groups
    ]
    bound = _symmetric(cell for block in cells for cell in block)[1]
    blocks = [
        _matrix_block(scope.groups[group], [scope.labels[one] for one in shown], block, bound)
        for group, block in zip(groups, cells, strict=True)
    ]
    caption = (
        "Strength of the annotator of each row against the one of each column as reference: orange where they vote "
        "alike, blue where they vote against each other, grey where there is no figure. The diagonal is left empty."
    )
    if len(groups) < len(scope.groups):
        caption += f" Shown: the first {len(groups):,} of {len(scope.groups):,} groups."
    return Chart("matrix", "Everyone against everyone", caption + scope.left_out, stacked(blocks))


def _pairs(report: "Report", metric: str) -> dict[tuple[Key, str | None, str | None], Row]:
    keys, frame = _keys(report), report["matrix"]
    rows = frame.filter(frame["metric"] == metric).iter_rows(named=True)
    return {(tuple(row[name] for name in keys), row["annotator"], row["reference"]): row for row in rows}


def _cell(figure: Row | None, same: bool) -> Row:  # noqa: FBT001 - on the diagonal or not
    value = None if figure is None or same else figure["value"]
    text = "" if same else "–" if value is None else _signed(value)
    return {"value": value, "low": None, "high": None, "text": text, "empty": same}


def _signed(value: float) -> str:
    """A strength as short as can be: .12, −.40, 1."""
    text = f"{abs(value):.2f}"
    short = text.removeprefix("0") if text.startswith("0.") else "1"
    sign = "\u2212" if value < 0 and float(text) else ""
    return sign + ("0" if not float(text) else short)


def _matrix_block(title: str, labels: Sequence[str], cells: Sequence[Row], bound: float) -> "alt.LayerChart":
    import altair as alt

    printed = len(labels) <= MOST_PRINTED
    places = [(row, column) for row in labels for column in labels]
    rows = [
        cell | {"row": row, "column": column, "ink": ink_on(_sign_colour(cell["value"], bound))}
        for cell, (row, column) in zip(cells, places, strict=True)
        if not cell["empty"]
    ]
    across = alt.Axis(orient="top", labelAngle=-60, labelAlign="left", labelLimit=180, labelPadding=6)
    down = alt.Axis(labelPadding=8)
    for axis in (across, down):
        axis.domain = axis.ticks = False
    base = alt.Chart(data(rows)).encode(
        alt.X("column:N", sort=list(labels), title=None, scale=_bands(labels), axis=across),
        alt.Y("row:N", sort=list(labels), title=None, scale=_bands(labels), axis=down),
    )
    colours = alt.Scale(domain=[-bound, 0, bound], range=list(SIGNS), interpolate="rgb", clamp=True)
    signed = "datum.value ? format(datum.value, '+.1f') : '0'"
    legend = alt.Legend(
        title="Strength", labelExpr=signed, gradientLength=200, gradientThickness=12, values=[-bound, 0, bound]
    )
    fill = alt.Fill("value:Q", scale=colours, legend=legend)
    known = base.transform_filter("isValid(datum.value)").mark_rect().encode(fill=fill)
    layers = [known, base.transform_filter("!isValid(datum.value)").mark_rect(fill=UNDEFINED)]
    if printed:
        layers.append(base.mark_text(fontSize=11).encode(text="text:N", color=alt.Color("ink:N", scale=None)))
    side = (_CELL if printed else _SMALL_CELL) * len(labels)
    height = (_ROW_HEIGHT + 2 if printed else _SMALL_CELL) * len(labels)
    return _titled(layers, title, side, height)


def _bands(labels: Sequence[str]) -> "alt.Scale":
    import altair as alt

    return alt.Scale(domain=list(labels), paddingInner=0.06, paddingOuter=0)


def _sign_colour(value: float | None, bound: float) -> str:
    return UNDEFINED if value is None else blend(SIGNS, (value / bound + 1) / 2)


def _bias(report: "Report", scope: _Scope) -> Chart:
    position = _rows(_figures(report, "bias", "position"), scope, rule=0.5)
    length = _rows(_figures(report, "bias", "length"), scope, rule=0.0)
    limits = _symmetric(row for of in length.values() for row in of)
    lines = [
        _panels("position", position, 0.5, (0.0, 1.0), scope),
        _panels("length", length, 0.0, limits, scope),
    ]
    if len(scope.groups) == 1:
        lines = [[lines[0][0], replace(lines[1][0], labelled=False)]]
    caption = (
        f"Each annotator's votes, with {percentage(scope.confidence)} intervals. Position: the share of its valid "
        "votes that go to text_a; the line at 50\u00a0% is no bias toward a place. Length bias: its strength against "
        "the rule that the longer text wins; right of the line at 0 it votes for longer texts, left of it for "
        "shorter ones."
    )
    everyone = [row for of in (position, length) for rows in of.values() for row in rows]
    undefined = _undefined(everyone, len(lines) * len(scope.groups))
    return Chart("bias", "Votes by position and length", caption + undefined + scope.left_out, _plots(lines))
