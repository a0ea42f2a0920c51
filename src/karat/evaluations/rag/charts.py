"""The pictures of answers, drawn from the report's tables alone, by the first scorer of the report."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.evaluations.charting import Chart, data, goodness_colour, ink_on, stacked, titled
from karat.evaluations.rag import EVALUATION
from karat.names import distinct, group_title, percentage

if TYPE_CHECKING:
    import polars as pl

    from karat.evaluations.charting import AnyChart
    from karat.report import Report

MOST_MODELS = 12
MOST_GROUPS = 4

_COLOURS = ("#2f6f9f", "#b3541e", "#4b8b3b", "#7a4fa3", "#9c8412", "#b03a6b", "#3f8f8f", "#6b6b6b")
_OUTCOMES = {
    "correct": "#7fae6b",
    "corrected": "#4b8b3b",
    "detected": "#d9b44a",
    "rejected": "#8fa9c4",
    "answered": "#c46a4a",
    "incorrect": "#9c3d26",
    "missing": "#c8ccd2",
    "unjudged": "#e4e6ea",
}
_HEADLINES = {
    "noise_robustness": "accuracy",
    "negative_rejection": "rejection_rate",
    "information_integration": "accuracy",
    "counterfactual_robustness": "error_correction_rate",
}
_WIDTH, _HEIGHT, _ROW = 420, 240, 26
_PERCENT = "100 * datum.value + '\u00a0%'"

Row = Mapping[str, Any]


def charts(report: "Report") -> list[Chart]:
    """Accuracy over noise, models by abilities, and what became of the answers."""
    if "scores" not in report.tables or report["scores"].is_empty():
        return []
    by = list(report.options.get("by") or [])
    scorer = report["scores"]["scorer"][0]
    groups = report["scores"].select(by).unique(maintain_order=True).to_dicts() if by else [{}]
    known = report["scores"]["model"].unique(maintain_order=True).to_list()
    models = dict(zip(known[:MOST_MODELS], distinct(known[:MOST_MODELS]), strict=True))
    lines = {model: models[model] for model in known[: len(_COLOURS)]}
    by_scorer = f" By the scorer {scorer}.{_shown(MOST_GROUPS, len(groups), 'groups')}"
    said = by_scorer + _shown(MOST_MODELS, len(known), "models")
    found = [
        _noise(report, groups[:MOST_GROUPS], lines, scorer, by_scorer + _shown(len(lines), len(known), "models")),
        _abilities(report, groups[:MOST_GROUPS], models, scorer, said),
        _outcomes(report, groups[:MOST_GROUPS], models, scorer, said),
    ]
    return [chart for chart in found if chart]


def _shown(most: int, there: int, what: str) -> str:
    return f" Shown: the first {most} of {there:,} {what}." if there > most else ""


def _rows(frame: "pl.DataFrame", keys: Mapping[str, Any], models: Mapping[str, str], scorer: str) -> list[Row]:
    rows = frame.filter(frame["scorer"] == scorer).iter_rows(named=True)
    return [row for row in rows if row["model"] in models and all(row[name] == keys[name] for name in keys)]


def _noise(report: "Report", groups: Sequence[Row], models: Mapping[str, str], scorer: str, said: str) -> Chart | None:
    import altair as alt

    blocks: list[AnyChart] = []
    for keys in groups:
        rows = [
            {"model": models[row["model"]], **{name: row[name] for name in ("noise_ratio", "value", "low", "high")}}
            for row in _rows(report["scores"], keys, models, scorer)
            if (row["ability"], row["metric"]) == ("noise_robustness", "accuracy") and row["noise_ratio"] is not None
        ]
        rows = [row for row in rows if row["value"] is not None]
        if not rows:
            continue
        scale = alt.Scale(domain=list(models.values()), range=_COLOURS[: len(models)])
        base = alt.Chart(data(rows)).encode(
            alt.X(
                "noise_ratio:Q",
                title="Share of documents without the answer",
                axis=alt.Axis(values=sorted({row["noise_ratio"] for row in rows}), labelExpr=_PERCENT, grid=False),
                scale=alt.Scale(domain=[0, max(0.1, *(row["noise_ratio"] for row in rows))], nice=False),
            ),
            alt.Color(
                "model:N", scale=scale, legend=alt.Legend(title=None, symbolOpacity=1) if len(models) > 1 else None
            ),
        )
        axis = alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], labelExpr=_PERCENT, domain=False, ticks=False)
        up = alt.Y("value:Q", title="Accuracy", scale=alt.Scale(domain=[0, 1]), axis=axis)
        layers = [
            base.mark_area(opacity=0.13).encode(alt.Y("low:Q", title="Accuracy", axis=axis), alt.Y2("high:Q")),
            base.mark_line(strokeWidth=2).encode(up),
            base.mark_point(filled=True, size=46, opacity=1).encode(up),
        ]
        blocks.append(titled(alt.LayerChart(layer=layers), group_title(keys), width=_WIDTH, height=_HEIGHT))
    share = percentage(float(report.options.get("confidence", 0.95)))
    caption = f"Accuracy of each model, with {share} bands, as fewer documents hold the answer.{said}"
    return Chart("noise", "Accuracy over noise", caption, stacked(blocks)) if blocks else None


def _abilities(
    report: "Report", groups: Sequence[Row], models: Mapping[str, str], scorer: str, said: str
) -> Chart | None:
    import altair as alt

    blocks: list[AnyChart] = []
    for keys in groups:
        cells = _cells(_rows(report["scores"], keys, models, scorer), models)
        if len({cell["ability"] for cell in cells}) < 2:  # noqa: PLR2004 - one column is no map
            continue
        base = alt.Chart(data(cells)).encode(
            alt.X("ability:N", title=None, sort=None, axis=alt.Axis(orient="top", labelAngle=0, labelLimit=172)),
            alt.Y("model:N", title=None, sort=list(models.values()), axis=alt.Axis(domain=False, ticks=False)),
        )
        layers = [
            base.mark_rect(stroke="#ffffff", strokeWidth=2).encode(color=alt.Color("fill:N", scale=None)),
            base.mark_text(fontSize=12).encode(text="word:N", color=alt.Color("ink:N", scale=None)),
        ]
        width = 176 * len({cell["ability"] for cell in cells})
        height = _ROW * len({cell["model"] for cell in cells})
        blocks.append(titled(alt.LayerChart(layer=layers), group_title(keys), width=width, height=height))
    words = "; ".join(
        f"{_title(ability)}: {EVALUATION.metrics[metric].title.lower()}" for ability, metric in _HEADLINES.items()
    )
    caption = f"Each model on each ability, the mean over shares of noise. {words}.{said}"
    return Chart("abilities", "Models and abilities", caption, stacked(blocks)) if blocks else None


def _cells(rows: Sequence[Row], models: Mapping[str, str]) -> list[dict[str, Any]]:
    values: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row["metric"] == _HEADLINES.get(row["ability"]) and row["value"] is not None:
            values.setdefault((row["model"], row["ability"]), []).append(row["value"])
    cells = []
    for (model, ability), own in values.items():
        mean = sum(own) / len(own)
        colour = goodness_colour(mean)
        cells.append(
            {
                "model": models[model],
                "ability": _title(ability),
                "fill": colour,
                "ink": ink_on(colour),
                "word": f"{100 * mean:.0f}\u00a0%",
            }
        )
    return cells


def _title(ability: str) -> str:
    return EVALUATION.apart["ability"].get(ability, ability)


def _outcomes(
    report: "Report", groups: Sequence[Row], models: Mapping[str, str], scorer: str, said: str
) -> Chart | None:
    import altair as alt

    table = report.tables.get("outcomes")
    if table is None or table.is_empty():
        return None
    blocks: list[AnyChart] = []
    for keys in groups:
        counts: dict[tuple[str, str, str], int] = {}
        for row in _rows(table, keys, models, scorer):
            key = (models[row["model"]], _title(row["ability"]), row["outcome"])
            counts[key] = counts.get(key, 0) + row["count"]
        rows = [
            {
                "model": model,
                "ability": ability,
                "outcome": outcome,
                "count": count,
                "place": list(_OUTCOMES).index(outcome),
            }
            for (model, ability, outcome), count in counts.items()
        ]
        held = [name for name in _OUTCOMES if any(row["outcome"] == name for row in rows)]
        scale = alt.Scale(domain=held, range=[_OUTCOMES[name] for name in held])
        plots = []
        for ability in dict.fromkeys(key[1] for key in counts):
            own = [row for row in rows if row["ability"] == ability]
            bars = (
                alt.Chart(data(own))
                .mark_bar()
                .encode(
                    alt.X(
                        "count:Q",
                        stack="normalize",
                        title=None,
                        axis=alt.Axis(values=[0, 0.5, 1], format="%", grid=False),
                    ),
                    alt.Y("model:N", title=None, sort=list(models.values()), axis=alt.Axis(domain=False, ticks=False)),
                    alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None, columns=len(held))),
                    order="place:Q",
                )
            )
            height = _ROW * len({row["model"] for row in own})
            plots.append(titled(alt.LayerChart(layer=[bars]), ability, width=_WIDTH, height=height))
        blocks.append(stacked(plots) if not keys else stacked(plots).properties(title=group_title(keys)))
    return (
        Chart("outcomes", "What became of the answers", f"Shares of all answers.{said}", stacked(blocks))
        if blocks
        else None
    )
