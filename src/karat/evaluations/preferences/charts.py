"""The pictures of preferences, drawn from the report's tables alone.

Systems stand in the same order in all of them. Groups (the values of the `by` columns) stand side by side.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from karat.evaluations.charting import ACCENT, INK, MUTED, PAPER, Chart, blend, data, ink_on, stacked, titled
from karat.evaluations.preferences import EVALUATION
from karat.evaluations.preferences.baselines import PREFIX
from karat.evaluations.preferences.figures import OF_EXPLANATIONS
from karat.names import distinct, group_title, percentage, short
from karat.schemas.preferences import AVERAGE, CRITERIA

if TYPE_CHECKING:
    import altair as alt

    from karat.evaluations.charting import AnyChart
    from karat.report import Report

MOST_SYSTEMS = 20
MOST_GROUPS = 4
MOST_CRITERIA = 12
MOST_MATRICES = 4
"""How many systems have their confusion matrices drawn."""
MOST_LABELS = 8
"""With more labels than this no confusion matrices are drawn."""

SHARES = ("#f1f5fa", "#9cc0e2", "#1d4a78")
"""From no item of a row to all of them; each is darker than the one before."""

_LINE = {"scores": 3, "matrices": 5}
_WIDTHS = {1: 420, 2: 260, 3: 195, 4: 160}
_ROW_HEIGHT = 22
_RANK_WIDTH, _RANK_HEIGHT = 105, 19
_GAP = 24
_OUTLINE = "#000000"
_ALL_RANKS = 6
"""With more ranks than this, only some are named."""
_CELL_WIDTH, _CELL_HEIGHT = 27, 21
_STEP = 0.1
_SYSTEM, _NOTED, _BASELINE = "system", "system, figure with a note", "baseline"

Key = tuple[str | None, ...]
Row = dict[str, Any]
Figures = Mapping[tuple[Key, str, str], Row]
"""The figures of one metric by group, system and criterion."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What all pictures share: names with their labels, in their order. left_out: sentences on what is not drawn."""

    by: tuple[str, ...]
    groups: dict[Key, str]
    systems: dict[str, str]
    baselines: dict[str, str]
    criteria: dict[str, str]
    left_out: str
    confidence: float


@dataclass(frozen=True, slots=True)
class _Panel:
    """One plot of intervals. guide: a value to look at. limits: of the axis. labelled: with names."""

    title: str
    along: str
    rows: Sequence[Row]
    limits: tuple[float, float]
    percent: bool
    labelled: bool
    width: int
    guide: float | None = None


def charts(report: "Report") -> list[Chart]:
    """Accuracy, and what there is of scores of explanations; confusion matrices; ranks."""
    table = "scores" if "scores" in report.tables else "ranks"
    if table not in report.tables or report[table].is_empty():
        return []
    scope = _scope(report, table)
    found = [
        _scores(_figures(report, "scores", metric, scope.by), metric, scope)
        for metric in ("accuracy", *(one.name for one in OF_EXPLANATIONS))
    ]
    return [chart for chart in (*found, _confusion(report, scope), _ranks(report, scope)) if chart]


def _figures(report: "Report", table: str, metric: str, by: Sequence[str]) -> Figures:
    frame = report.tables.get(table)
    rows = [] if frame is None else frame.filter(frame["metric"] == metric).iter_rows(named=True)
    return {(_group(row, by), row["system"], row["criterion"] or AVERAGE): row for row in rows}


def _group(row: Mapping[str, Any], by: Sequence[str]) -> Key:
    return tuple(row[name] for name in by)


def _scope(report: "Report", table: str) -> _Scope:
    by = tuple(report.options.get("by") or [])
    frame = report[table]
    figures = _figures(report, table, "accuracy" if table == "scores" else "borda", by)
    groups = list(dict.fromkeys(_group(row, by) for row in frame.select(*by).iter_rows(named=True))) or [()]
    everyone = frame["system"].drop_nulls().unique(maintain_order=True).to_list()
    ranked = _best_first([name for name in everyone if not name.startswith(PREFIX)], figures)
    systems = ranked[:MOST_SYSTEMS]
    baselines = [name for name in everyone if name.startswith(PREFIX)]
    known = [name for name in frame["criterion"].drop_nulls().unique(maintain_order=True) if name != AVERAGE]
    criteria = known[:MOST_CRITERIA]
    labels = distinct([*systems, *baselines])
    return _Scope(
        by,
        {group: group_title(dict(zip(by, group, strict=True))) for group in groups[:MOST_GROUPS]},
        dict(zip(systems, labels[: len(systems)], strict=True)),
        dict(zip(baselines, labels[len(systems) :], strict=True)),
        dict(zip(criteria, distinct([_words(name) for name in criteria]), strict=True)),
        _left_out("systems, the best", ranked, systems)
        + _left_out("groups, the first", groups, groups[:MOST_GROUPS])
        + _left_out("criteria, the first", known, criteria),
        float(report.options.get("confidence", 0.95)),
    )


def _best_first(systems: Sequence[str], figures: Figures) -> list[str]:
    """Systems by the mean over groups of their average; those without one last."""
    values: dict[str, list[float]] = {name: [] for name in systems}
    for (_, system, criterion), row in figures.items():
        if system in values and criterion == AVERAGE and row["value"] is not None:
            values[system].append(row["value"])
    means = {name: sum(of) / len(of) if of else -1.0 for name, of in values.items()}
    return sorted(systems, key=lambda name: -means[name])


def _words(criterion: str) -> str:
    """One of the usual criteria as words; others are called what they are."""
    return criterion.replace("_", " ") if criterion in CRITERIA else criterion


def _left_out(what: str, known: Sequence[object], shown: Sequence[object]) -> str:
    if len(shown) == len(known):
        return ""
    name, which = what.split(", ")
    return f" Shown: {which} {len(shown):,} of {len(known):,} {name}."


# --- figures with intervals ---


def _scores(figures: Figures, metric: str, scope: _Scope) -> Chart | None:
    """One metric of all systems on each criterion, the average apart; None where nobody has it."""
    about = EVALUATION.metrics[metric]
    names = [*scope.systems, *(name for name in scope.baselines if any(name == one for _, one, _ in figures))]
    rows = {
        (group, criterion): [_row(figures.get((group, name, criterion)), name, scope) for name in names]
        for group, criterion in product(scope.groups, (AVERAGE, *scope.criteria))
    }
    everyone = [row for of in rows.values() for row in of]
    if all(row["value"] is None for row in everyone):
        return None
    limits = (0.0, 1.0) if about.percent else _limits(everyone)
    panels = {
        place: _Panel(
            _title(*place, scope), about.title, of, limits, about.percent, labelled=False, width=0, guide=_guide(of)
        )
        for place, of in rows.items()
    }
    return Chart(
        metric.replace("_", "-"),
        f"{about.title} by criterion",
        _scores_caption(everyone, metric, limits, scope),
        _plots(_lines(panels, scope)),
    )


def _row(figure: Row | None, name: str, scope: _Scope) -> Row:
    """A figure as it is drawn."""
    baseline = name in scope.baselines
    known = figure is not None and figure["value"] is not None
    values = {key: figure[key] if figure and known else None for key in ("value", "low", "high")}
    noted = bool(known and figure and figure["note"])
    return {
        "label": (scope.baselines if baseline else scope.systems)[name],
        "kind": _BASELINE if baseline else _NOTED if noted else _SYSTEM,
        "word": "" if known else "undefined" if figure else "no figure",
        **values,
    }


def _guide(rows: Sequence[Row]) -> float | None:
    """The value of the best baseline."""
    values = [row["value"] for row in rows if row["kind"] == _BASELINE and row["value"] is not None]
    return max(values, default=None)


def _limits(rows: Iterable[Row]) -> tuple[float, float]:
    """Limits that hold all intervals, at round numbers."""
    ends = [row[name] for row in rows for name in ("value", "low", "high") if row[name] is not None]
    low, high = floor(min(ends) / _STEP + 1e-9) * _STEP, ceil(max(ends) / _STEP - 1e-9) * _STEP
    return round(low, 1), round(max(high, low + _STEP), 1)


def _title(group: Key, criterion: str, scope: _Scope) -> str:
    title = "Average of all criteria" if criterion == AVERAGE else scope.criteria[criterion]
    return "\n".join(filter(None, (title, scope.groups[group])))


def _lines(panels: Mapping[tuple[Key, str], _Panel], scope: _Scope) -> list[list[_Panel]]:
    """The average first; then the criteria, or one line for each where groups stand side by side."""
    if len(scope.groups) > 1:
        lines = [[panels[group, criterion] for group in scope.groups] for criterion in (AVERAGE, *scope.criteria)]
        return [_fitted(line, _WIDTHS[len(line)]) for line in lines]
    (group,) = scope.groups
    several = [panels[group, criterion] for criterion in scope.criteria]
    size = _LINE["scores"]
    cut = [several[start : start + size] for start in range(0, len(several), size)]
    width = _WIDTHS[min(size, len(several))]
    return [_fitted([panels[group, AVERAGE]], _WIDTHS[1]), *(_fitted(line, width) for line in cut)]


def _fitted(line: Sequence[_Panel], width: int) -> list[_Panel]:
    return [replace(panel, width=width, labelled=place == 0) for place, panel in enumerate(line)]


def _scores_caption(rows: Sequence[Row], metric: str, limits: tuple[float, float], scope: _Scope) -> str:
    about = EVALUATION.metrics[metric]
    kinds = {row["kind"] for row in rows}
    caption = (
        f"{about.title} of each system with its {percentage(scope.confidence)} interval; the average stands first."
    )
    if _BASELINE in kinds:
        caption += (
            " Grey ticks are baselines, which need no system; the dashed line is the best of them. Where it lies far "
            "to the right, most items have the same label, and a high figure says little."
        )
    if _NOTED in kinds:
        caption += " A hollow point carries a note: its interval may not keep its promise."
    if limits[0] > 0:
        caption += f" The axes begin at {limits[0]}."
    return caption + scope.left_out


def _plots(lines: Sequence[Sequence[_Panel]]) -> "AnyChart":
    import altair as alt

    drawn = [[_panel(panel) for panel in line] for line in lines]
    return stacked(
        [line[0] if len(line) == 1 else alt.hconcat(*line, spacing=_GAP).resolve_legend("shared") for line in drawn]
    )


def _panel(panel: _Panel) -> "alt.LayerChart":
    import altair as alt

    axis = alt.Axis(domain=False, ticks=False, labelPadding=8, grid=True, gridOpacity=0.6, labels=panel.labelled)
    base = alt.Chart(data([{**row, "at": panel.limits[0]} for row in panel.rows])).encode(
        alt.Y("label:N", sort=[row["label"] for row in panel.rows], title=None, axis=axis)
    )
    scale = alt.Scale(domain=panel.limits, nice=False)
    along = alt.X("value:Q", scale=scale, title=panel.along, axis=_axis(panel))
    systems = base.transform_filter(f"datum.kind != '{_BASELINE}' && isValid(datum.value)")
    lines = systems.mark_rule(color=ACCENT, strokeWidth=1.5, opacity=0.8)
    points = systems.mark_point(filled=True, stroke=ACCENT, strokeWidth=1.5, size=58, opacity=1)
    ticks = base.transform_filter(f"datum.kind == '{_BASELINE}' && isValid(datum.value)")
    words = base.transform_filter("!isValid(datum.value)").mark_text(
        fontSize=11, fontStyle="italic", fill=MUTED, align="left", dx=5
    )
    fill = alt.condition(f"datum.kind == '{_NOTED}'", alt.value(PAPER), alt.value(ACCENT))
    layers = [
        lines.encode(alt.X("low:Q", scale=scale), x2="high:Q"),
        points.encode(along, fill=fill),
        ticks.mark_tick(color=MUTED, thickness=4, size=13, orient="vertical").encode(along),
        words.encode(alt.X("at:Q", scale=scale), text="word:N"),
    ]
    if panel.guide is not None:
        rule = alt.Chart(data([{"value": panel.guide}])).mark_rule(color=MUTED, strokeDash=[4, 3])
        layers.insert(0, rule.encode(along))
    height = _ROW_HEIGHT * len(panel.rows)
    return titled(
        alt.LayerChart(layer=layers), panel.title, width=panel.width, height=height, limit=max(panel.width, 150)
    )


def _axis(panel: _Panel) -> "alt.Axis":
    import altair as alt

    if panel.percent:
        axis = alt.Axis(values=[0, 0.5, 1], labelExpr="100 * datum.value + '\u00a0%'")
    else:
        axis = alt.Axis(tickCount=4)
    axis.grid, axis.domain, axis.ticks = False, True, True
    return axis


# --- confusion matrices ---


def _confusion(report: "Report", scope: _Scope) -> Chart | None:
    """A matrix of counts for each of the best systems on each criterion; None where labels are too many to be seen."""
    table = report.tables.get("confusion")
    systems = list(scope.systems)[:MOST_MATRICES]
    if table is None or table.is_empty():
        return None
    gold, predicted = _labels(table["reference_label"].to_list()), _labels(table["label"].to_list())
    predicted = _labels([*gold, *predicted])
    if len(predicted) > MOST_LABELS:
        return None
    counts: dict[tuple[str, str, str, str], int] = {}
    for row in table.iter_rows(named=True):
        key = (row["system"], row["criterion"], row["reference_label"], row["label"])
        counts[key] = counts.get(key, 0) + row["count"]
    cells = {
        (system, criterion): _cells(
            {(one, other): counts.get((system, criterion, one, other), 0) for one in gold for other in predicted}
        )
        for system, criterion in product(systems, scope.criteria)
    }
    caption = (
        "How often each label is predicted (columns) where people gave which (rows). The darker, the greater the share "
        "of the row; outlined cells are right, an empty one holds nothing."
    )
    caption += " All groups together." if len(scope.groups) > 1 else ""
    if len(systems) < len(scope.systems):
        caption += f" Shown: the {len(systems):,} systems of the highest accuracy."
    blocks = [
        block
        for system in systems
        for block in _matrices(scope.systems[system], {c: cells[system, c] for c in scope.criteria}, scope)
    ]
    return Chart("confusion", "Predicted labels beside people's", caption, stacked(blocks))


def _labels(found: Sequence[str | None]) -> list[str]:
    """Labels in the order of the usual ones, others as they come; the missing one last."""
    names = [name for name in dict.fromkeys(found) if name is not None]
    order = {name: place for place, name in enumerate(EVALUATION.values)}
    known = sorted(names, key=lambda name: order.get(name, 0)) if set(names) <= order.keys() else names
    return sorted(known, key=lambda name: name == EVALUATION.values[-1])


def _cells(counts: Mapping[tuple[str, str], int]) -> list[Row]:
    """The cells of a matrix: their counts, coloured by their share of the row."""
    totals: dict[str, int] = {}
    for (gold, _), count in counts.items():
        totals[gold] = totals.get(gold, 0) + count
    fills = {place: blend(SHARES, count / max(totals[place[0]], 1)) for place, count in counts.items()}
    return [
        {
            "row": short(gold),
            "column": short(label),
            "text": _count(count),
            "fill": fills[gold, label],
            "ink": ink_on(fills[gold, label]),
            "right": gold == label,
        }
        for (gold, label), count in counts.items()
    ]


_THOUSAND, _MILLION = 10_000, 1_000_000


def _count(count: int) -> str:
    """A count as short as can be; nothing for none."""
    if count >= _MILLION:
        return f"{count / _MILLION:.1f}M"
    return f"{count / 1000:.0f}k" if count >= _THOUSAND else str(count or "")


def _matrices(title: str, cells: Mapping[str, Sequence[Row]], scope: _Scope) -> "list[alt.HConcatChart]":
    """The matrices of one system, in lines under its name."""
    import altair as alt

    names, size = list(cells), _LINE["matrices"]
    heading = alt.TitleParams(title, fontSize=12.5, color=INK, anchor="start", offset=10)
    return [
        alt.hconcat(
            *(_matrix(scope.criteria[name], cells[name], labelled=place == 0) for place, name in enumerate(line)),
            spacing=12,
        ).properties(title=heading)
        for line in (names[start : start + size] for start in range(0, len(names), size))
    ]


def _matrix(title: str, cells: Sequence[Row], *, labelled: bool) -> "alt.LayerChart":
    import altair as alt

    rows, columns = (list(dict.fromkeys(cell[side] for cell in cells)) for side in ("row", "column"))
    down = alt.Axis(domain=False, ticks=False, labelPadding=6, labels=labelled, labelLimit=110)
    across = alt.Axis(domain=False, ticks=False, labelPadding=4, labelAngle=-50, labelLimit=90, labelFontSize=11)
    base = alt.Chart(data(cells)).encode(
        alt.X("column:N", sort=columns, title=None, axis=across, scale=alt.Scale(paddingInner=0.06, paddingOuter=0.03)),
        alt.Y("row:N", sort=rows, title=None, axis=down, scale=alt.Scale(paddingInner=0.08, paddingOuter=0.04)),
    )
    layers = [
        base.mark_rect().encode(fill=alt.Fill("fill:N", scale=None)),
        base.transform_filter("datum.right").mark_rect(fill=None, stroke=_OUTLINE, strokeWidth=1.2),
        base.mark_text(fontSize=11).encode(text="text:N", fill=alt.Fill("ink:N", scale=None)),
    ]
    plot = alt.LayerChart(layer=layers).properties(width=_CELL_WIDTH * len(columns), height=_CELL_HEIGHT * len(rows))
    heading = alt.TitleParams(
        title, fontSize=11.5, fontWeight=400, color=MUTED, anchor="middle", frame="group", offset=6, limit=130
    )
    return plot.properties(title=heading)


# --- ranks ---


def _ranks(report: "Report", scope: _Scope) -> Chart | None:
    """Borda points, and which ranks each system may have on each figure; None where there is nobody to rank."""
    points = _figures(report, "ranks", "borda", scope.by)
    if not points:
        return None
    rows = {
        group: [_row(points.get((group, name, AVERAGE)), name, scope) | {"kind": _SYSTEM} for name in scope.systems]
        for group in scope.groups
    }
    everyone = [row for of in rows.values() for row in of]
    most = max((row[name] for row in everyone for name in ("value", "high") if row[name] is not None), default=1.0)
    panels = [
        _Panel(scope.groups[group], "Borda points", of, (0.0, most or 1.0), percent=False, labelled=False, width=0)
        for group, of in rows.items()
    ]
    blocks = [_plots([_fitted(panels, _WIDTHS[len(panels)])])]
    blocks += [_rank_line(key, of, scope) for key, of in _rank_sets(report, scope).items()]
    tested = any(row["low"] is not None for row in everyone)
    return Chart("ranks", "Ranks", _ranks_caption(scope, tested=tested), stacked(blocks))


def _ranks_caption(scope: _Scope, *, tested: bool) -> str:
    points = "Borda points: how many systems each beats, summed over all figures; a tie counts half."
    if not tested:
        return f"{points} Below, the rank of each system on each figure, as published.{scope.left_out}"
    return (
        f"{points} With their {percentage(scope.confidence)} interval over resampled items. Below, the ranks that each "
        "system may have on each figure: a line goes from 1 + the systems that are significantly better to all but "
        f"those that are significantly worse. Where lines overlap, the order may be chance.{scope.left_out}"
    )


def _rank_sets(report: "Report", scope: _Scope) -> dict[tuple[Key, str], dict[str, list[Row]]]:
    """By group and ranked metric, then by criterion: from which rank to which each system may stand."""
    found: dict[tuple[Key, str, str, str], Row] = {}
    for row in report["ranks"].iter_rows(named=True):
        if row["criterion"] in scope.criteria and row["system"] in scope.systems and row["ranked_metric"] is not None:
            key = (_group(row, scope.by), row["ranked_metric"], row["criterion"], row["system"])
            found.setdefault(key, {"label": scope.systems[row["system"]]})[row["metric"]] = row["value"]
    sets: dict[tuple[Key, str], dict[str, list[Row]]] = {}
    for (group, metric, criterion, _), row in found.items():
        if group in scope.groups and {"rank_low", "rank_high"} <= row.keys():
            sets.setdefault((group, metric), {}).setdefault(criterion, []).append(row)
    return sets


def _rank_line(key: tuple[Key, str], sets: Mapping[str, Sequence[Row]], scope: _Scope) -> "alt.HConcatChart":
    """The rank sets by one metric, a plot per criterion."""
    import altair as alt

    group, metric = key
    known = EVALUATION.metrics.get(metric)
    title = ", ".join(filter(None, (f"By {known.title if known else short(metric)}", scope.groups[group])))
    heading = alt.TitleParams(title, fontSize=12.5, color=INK, anchor="start", offset=10)
    plots = [
        _rank_panel(scope.criteria[criterion], sets[criterion], scope, labelled=place == 0)
        for place, criterion in enumerate(criterion for criterion in scope.criteria if criterion in sets)
    ]
    return alt.hconcat(*plots, spacing=14).properties(title=heading)


def _rank_panel(title: str, rows: Sequence[Row], scope: _Scope, *, labelled: bool) -> "alt.LayerChart":
    import altair as alt

    most = max(row["rank_high"] for row in rows)
    ticks = [number for number in range(1, int(most) + 1) if most <= _ALL_RANKS or number == 1 or number % 5 == 0]
    across = alt.Axis(
        values=ticks, tickCount=len(ticks), format="d", grid=True, gridOpacity=0.6, domain=False, ticks=False
    )
    down = alt.Axis(domain=False, ticks=False, labelPadding=8, labels=labelled)
    scale = alt.Scale(domain=[0.6, most + 0.4], nice=False)
    base = alt.Chart(data(rows)).encode(alt.Y("label:N", sort=list(scope.systems.values()), title=None, axis=down))
    low = alt.X("rank_low:Q", scale=scale, title=None, axis=across)
    layers = [
        base.mark_rule(color=ACCENT, strokeWidth=3).encode(low, x2="rank_high:Q"),
        base.mark_point(filled=True, fill=ACCENT, size=55, opacity=1).encode(low),
        base.mark_point(filled=True, fill=ACCENT, size=55, opacity=1).encode(alt.X("rank_high:Q", scale=scale)),
    ]
    plot = alt.LayerChart(layer=layers).properties(width=_RANK_WIDTH, height=_RANK_HEIGHT * len(scope.systems))
    heading = alt.TitleParams(
        title,
        fontSize=11.5,
        fontWeight=400,
        color=MUTED,
        anchor="start",
        frame="group",
        offset=6,
        limit=_RANK_WIDTH + 10,
    )
    return plot.properties(title=heading)
