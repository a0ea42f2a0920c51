"""The pictures of violations, drawn from the report's tables alone."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.evaluations.charting import ACCENT, MUTED, PAPER, SECOND, Chart, data, stacked, titled
from karat.evaluations.violations import EVALUATION, calibration_charts
from karat.names import distinct, group_title, percentage

if TYPE_CHECKING:
    import altair as alt

    from karat.evaluations.charting import AnyChart
    from karat.report import Report

MOST_CHECKERS = 20
MOST_GROUPS = 4
MOST_VALUES = 15
"""Rules or categories that are drawn, the most frequent."""
MOST_BROKEN_DOWN = 3
"""Checkers whose rules are drawn."""

_VARIANTS = {"std": "standard match", "ha": "human-aligned match", "overlap": "same offsets"}
_COLOURS = {"standard match": ACCENT, "human-aligned match": SECOND, "same offsets": MUTED}
_FIGURES = {
    "precision": ("precision", "exact_precision"),
    "recall": ("recall", "exact_recall"),
    "f1": ("f1", "exact_f1"),
    "match_score": ("match_score",),
}
"""What is drawn beside each other -> the metrics that stand in one plot."""
_WIDTH, _ROW, _GAP = 190, 19, 26
_PERCENT = "100 * datum.value + '\u00a0%'"

Row = Mapping[str, Any]


def charts(report: "Report") -> list[Chart]:
    """Figures of each checker by variant, then of each rule, else each category; of a calibration, its curves."""
    if "scores" not in report.tables or report["scores"].is_empty():
        return calibration_charts.pictures(report)
    found = [_figures(report), _breakdown(report, "rule") or _breakdown(report, "category")]
    return [chart for chart in found if chart]


def _groups(report: "Report", table: str) -> tuple[list[str], list[dict[str, Any]], str]:
    """The `by` columns, the first groups, and a sentence on the others."""
    by = list(report.options.get("by") or [])
    keys = report[table].select(by).unique(maintain_order=True).to_dicts() if by else [{}]
    more = f" Shown: the first {MOST_GROUPS} of {len(keys):,} groups." if len(keys) > MOST_GROUPS else ""
    return by, keys[:MOST_GROUPS], more


def _figures(report: "Report") -> Chart:
    _, groups, more = _groups(report, "scores")
    table = report["scores"].filter(average="micro")
    known = table["checker"].unique(maintain_order=True).to_list()
    checkers = dict(zip(known[:MOST_CHECKERS], distinct(known[:MOST_CHECKERS]), strict=True))
    if len(known) > MOST_CHECKERS:
        more += f" Shown: the first {MOST_CHECKERS} of {len(known):,} checkers."
    variants = [_VARIANTS[name] for name in _VARIANTS if name in table["variant"]]
    blocks: list[AnyChart] = []
    for keys in groups:
        rows = [row for row in table.iter_rows(named=True) if all(row[name] == keys[name] for name in keys)]
        plots = [
            _plot(_drawn(rows, metrics, checkers, "checker"), list(checkers.values()), variants, name)
            for name, metrics in _FIGURES.items()
        ]
        blocks.append(_line(plots, group_title(keys)))
    confidence = percentage(float(report.options.get("confidence", 0.95)))
    return Chart(
        "figures",
        "Precision, recall, F1 and match score",
        f"Each checker over all texts together, with {confidence} intervals. A hollow point carries a note: its "
        f"interval may not keep its promise.{more}",
        stacked(blocks),
    )


def _breakdown(report: "Report", part: str) -> Chart | None:
    table = report.tables.get(f"by_{part}")
    if table is None or table.is_empty():
        return None
    by, groups, more = _groups(report, f"by_{part}")
    variant = table["variant"][0]
    rows = [row for row in table.filter(variant=variant).iter_rows(named=True) if row["metric"] != "f1"]
    checkers = list(dict.fromkeys(row["checker"] for row in rows))
    names = list(dict.fromkeys(row[part] for row in rows))
    values = dict(zip(names[:MOST_VALUES], distinct(names[:MOST_VALUES]), strict=True))
    more += f" Shown: the {MOST_VALUES} most frequent of {len(names):,}." if len(names) > MOST_VALUES else ""
    if len(checkers) > MOST_BROKEN_DOWN:
        more += f" Shown: the first {MOST_BROKEN_DOWN} of {len(checkers):,} checkers."
    blocks: list[AnyChart] = []
    for keys in groups:
        for checker in checkers[:MOST_BROKEN_DOWN]:
            own = [row for row in rows if row["checker"] == checker and all(row[name] == keys[name] for name in by)]
            plots = [
                _plot(_drawn(own, (metric,), values, part), list(values.values()), [_VARIANTS[variant]], metric)
                for metric in ("precision", "recall")
            ]
            blocks.append(_line(plots, group_title({**keys, "checker": checker})))
    plural = {"rule": "rules", "category": "categories"}[part]
    return Chart(
        f"by-{part}",
        f"Which {plural} are found, and which are wrongly claimed",
        f"Of each {part}, by the {_VARIANTS[variant]}: the share of predictions that match (precision) and the share "
        f"of true violations that are matched (recall), with intervals.{more}",
        stacked(blocks),
    )


def _drawn(rows: Sequence[Row], metrics: Sequence[str], labels: Mapping[Any, str], key: str) -> list[dict[str, Any]]:
    """The figures that have a value, as they are drawn."""
    return [
        {
            "label": labels[row[key]],
            "variant": _VARIANTS[row["variant"]],
            "kind": "noted" if row["note"] else "plain",
            **{name: row[name] for name in ("value", "low", "high")},
        }
        for row in rows
        if row["metric"] in metrics and row[key] in labels and row["value"] is not None
    ]


def _plot(
    rows: Sequence[Mapping[str, Any]], labels: Sequence[str], variants: Sequence[str], metric: str
) -> "alt.LayerChart":
    """One metric of several checkers (rules). variants: of all plots of the line, so that they are of one height."""
    import altair as alt

    about = EVALUATION.metrics[metric]
    labelled = metric == "precision"
    axis = alt.Axis(domain=False, ticks=False, labelPadding=8, grid=True, gridOpacity=0.6, labels=labelled)
    base = alt.Chart(data(rows)).encode(
        alt.Y("label:N", scale=alt.Scale(domain=list(labels)), sort=list(labels), title=None, axis=axis),
        alt.YOffset("variant:N", scale=alt.Scale(domain=list(variants), paddingOuter=0.5)),
    )
    colours = alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values()))
    legend = alt.Legend(title=None, values=list(variants)) if len(variants) > 1 else None
    colour = alt.Color("variant:N", scale=colours, legend=legend)
    scale = alt.Scale(domain=[0, 1], nice=False)
    along = alt.Axis(values=[0, 0.5, 1], grid=False, domain=True, ticks=True)
    if about.percent:
        along.labelExpr = _PERCENT
    points = base.mark_point(filled=True, size=52, strokeWidth=1.5, opacity=1).encode(
        alt.X("value:Q", scale=scale, title=about.title, axis=along),
        stroke=colour,
        fill=alt.condition("datum.kind == 'noted'", alt.value(PAPER), colour),
    )
    lines = base.mark_rule(strokeWidth=1.5, opacity=0.8).encode(alt.X("low:Q", scale=scale), x2="high:Q", stroke=colour)
    height = len(labels) * _ROW * max(1, len(variants) * 0.8)
    return titled(alt.LayerChart(layer=[lines, points]), "", width=_WIDTH, height=round(height))


def _line(plots: "Sequence[alt.LayerChart]", title: str) -> "AnyChart":
    import altair as alt

    line: alt.HConcatChart = alt.hconcat(*plots, spacing=_GAP).resolve_legend("shared")
    if title:
        line = line.properties(title=alt.TitleParams(title, fontSize=12.5, anchor="start", offset=8))
    return line
