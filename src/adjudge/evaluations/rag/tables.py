"""The tables of the report."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from adjudge.evaluations.rag import metrics
from adjudge.evaluations.rag.outcomes import ScoredAnswers, outcomes
from adjudge.metrics.comparison import differences_between
from adjudge.metrics.metric import KIND, SHARES, View, applicable_metrics
from adjudge.metrics.tables import (
    DIFFERENCE,
    DifferenceRow,
    Keys,
    cells_by,
    difference_rows,
    estimate_row,
    left_out_table,
    metric_table,
    replies_table,
    rows_by_group,
    view_rows,
)
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.answers import ABILITIES, VERDICTS
from adjudge.schemas.outcomes import Frame, categories_as_text
from adjudge.statistics.prediction_powered import prediction_powered

ViewRows = Sequence[tuple[View, pl.DataFrame]]
"""The views that apply, each with its rows; metrics.VIEW is the first."""
_Sides = tuple[pl.DataFrame, pl.DataFrame]

_ORDERS = {
    "ability": (*ABILITIES, metrics.CLOSED),
    "scorer": metrics.SCORERS,
    "other_scorer": metrics.SCORERS,
    "compared": ("noise", "models"),
    "metric": [metric.name for metric in metrics.SCORE_METRICS],
    "verdict": VERDICTS,
}
_LAST = "__last__"
_PLACES = {name: pl.col(name).cast(pl.Enum(order)) for name, order in _ORDERS.items()}
_PLACES[_LAST] = pl.col("metric").replace_strict(
    {metrics.CLOSED_BOOK.name: 1, metrics.ACCURACY_OVER_NOISE.name: 2, metrics.SLOPE.name: 2},
    default=0,
    return_dtype=pl.Int8,
)
"""The place of values whose order is their own. _LAST: metrics over all shares of noise stand behind those of each."""


def tables_of(data: ScoredAnswers) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    often = pl.col(pl.String).cast(pl.Categorical)
    rows_of_outcomes = outcomes(data).drop("reference", "label", "detail").with_columns(often).collect().lazy()
    views = (metrics.VIEW, metrics.BOUNDS_VIEW, metrics.SLOPE_VIEW)
    rows = [(view, view.rows(rows_of_outcomes, [*data.by, "noise_ratio", "scorer"], None).collect()) for view in views]
    seen = [(view, frame.rename({"judge": "model"}).with_columns(often)) for view, frame in rows if view.applies(frame)]
    keys = [*data.by, "model", "ability", "noise_ratio", "scorer"]
    compared = ["compared", *keys, "first", "second"]
    place = [_LAST, *data.by, "model", "ability", "noise_ratio", "metric"]
    differences = [*_differences(data, seen)]
    tested = difference_rows(differences, metrics.VIEW, apart="compared")
    tables = {
        "scores": _sort(_typed_rows(_score_rows(data, seen), [*keys, *ESTIMATE_COLUMNS]), ["scorer", *place]),
        "differences": _sort(_typed_rows(tested, [*compared, *DIFFERENCE]), ["scorer", "compared", *place]),
        "outcomes": _outcome_counts(rows_of_outcomes, data.by),
    }
    for name, table in left_out_table(differences, compared).items():
        tables[name] = _sort(table, ["scorer", "compared", *place])
    if len(data.verdicts) > 1:
        tables["agreement"] = _agreement_table(data, rows_of_outcomes)
    asked = (
        metrics.REPLIES_VIEW.rows(rows_of_outcomes, [*data.by, "noise_ratio"], None)
        .rename({"judge": "model"})
        .drop(KIND, "draw")
    )
    named, unit = [*data.by, *metrics.REPLY_KEYS], data.cluster_unit or "item"
    return tables | replies_table(asked.collect(), metrics.REPLIES, named, unit, data.confidence)


def _typed_rows(rows: Iterable[Keys], columns: Sequence[str]) -> pl.DataFrame:
    return typed_table([*rows], columns, numbers=["noise_ratio"])


def _sort(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Rows sorted by these columns, missing values first; the sort is stable."""
    return table.sort([_PLACES.get(name, pl.col(name)) for name in names], maintain_order=True)


def _score_rows(data: ScoredAnswers, seen: ViewRows) -> Iterator[Keys]:
    for view, rows in seen:
        names = [*data.by, "model", *_view_keys(rows)]
        for keys, cells in cells_by(rows.lazy(), view, names, data.cluster_unit):
            for kind, kind_cells in cells.items():
                for metric in applicable_metrics(view.metrics, {**keys, KIND: kind}):
                    estimate = metric.estimate(kind_cells, data.confidence)
                    yield estimate_row({"noise_ratio": None, **keys}, metric.name, estimate)


def _view_keys(rows: pl.DataFrame) -> list[str]:
    """The keys that rows of a view have, besides models and groups."""
    return [name for name in ("ability", "noise_ratio", "scorer") if name in rows.columns]


# --- differences ---


def _differences(data: ScoredAnswers, seen: ViewRows) -> Iterator[DifferenceRow]:
    """The differences of metrics on the same questions: the second side minus the first."""
    for view, sides, about, main in _compared_sides(seen):
        names = [*([] if "model" in about else ["model"]), *data.by, *_view_keys(sides[0])]
        for row in differences_between(*sides, view, names, data.cluster_unit, data.confidence, main):
            # The table scores tells what is missing, and the bounds take it into account.
            if row.metric is not metrics.MISSING:
                yield DifferenceRow({"noise_ratio": None, **row.keys, **about}, row.metric, row.result)


def _compared_sides(seen: ViewRows) -> Iterator[tuple[View, _Sides, Keys, _Sides | None]]:
    """Rows of both sides of each comparison, what it is about, and, of two models, the rows of the first view.

    Of each model, each share of noise is compared with none; then every two models.
    """
    noisy = (pl.col("ability") == metrics.NOISE) & pl.col("noise_ratio").is_not_null()
    for view, rows in seen:
        levels = _parts_by(rows.filter(noisy), "noise_ratio") if view is not metrics.SLOPE_VIEW else {}
        for level in sorted(levels.keys() - {0.0}) if 0.0 in levels else ():
            about = {"compared": "noise", "noise_ratio": level, "first": "no noise", "second": f"noise {level:g}"}
            yield view, (levels[0.0], levels[level]), about, None
    models_of = [_parts_by(rows, "model", keep=True) for _, rows in seen]
    for (view, _), models in zip(seen, models_of, strict=True):
        for first, second in combinations(sorted(models), 2):
            about = {"compared": "models", "model": None, "first": first, "second": second}
            yield view, (models[first], models[second]), about, (models_of[0][first], models_of[0][second])


def _parts_by(rows: pl.DataFrame, name: str, *, keep: bool = False) -> dict[Any, pl.DataFrame]:
    """The rows of each value of a column."""
    return {value: part for (value,), part in rows.partition_by(name, as_dict=True, include_key=keep).items()}


# --- outcomes, agreement ---


def _outcome_counts(outcome_rows: pl.LazyFrame, by: Sequence[str]) -> pl.DataFrame:
    """The number of answers by outcome. The ability of answers without documents is metrics.CLOSED."""
    keys = [*by, "model", "ability", "noise_ratio", "scorer", "outcome"]
    rows = outcome_rows.drop("ability").rename({"judge": "model", "part": "ability"})
    counts = rows.group_by(keys).agg(count=pl.len().cast(pl.Int64)).collect()
    return _sort(categories_as_text(counts), keys)


def _agreement_table(data: ScoredAnswers, rows_in: pl.LazyFrame) -> pl.DataFrame:
    """The kappa of every pair of scorers on each verdict, clustered by question or by the questions' clusters.

    A row per model, and of several one for `metrics.ALL` of them together.
    """
    rows = (
        metrics.verdict_pairs(rows_in, data.by)
        .filter(metrics.BOTH)
        .with_columns(pl.col("judge").cast(pl.String).alias("model"))
    )
    names, unit = [*data.by, "model", "ability", "verdict", "scorer", "other_scorer"], data.cluster_unit or "item"
    estimates = [
        row
        for level in _levels(rows, data)
        for row in view_rows(level, metrics.AGREEMENT_VIEW, names, unit, data.confidence)
    ]
    table = _sort(metric_table(names, estimates), ["scorer", "other_scorer", *data.by, "ability", "verdict"])
    return table.rename({"scorer": "first", "other_scorer": "second"})


def _levels(rows: Frame, data: ScoredAnswers) -> list[Frame]:
    """The rows of all models together, if there are several, and as they are."""
    return [rows.with_columns(model=pl.lit(metrics.ALL)), rows] if data.answers["model"].n_unique() > 1 else [rows]


_SCORER, _PEOPLE, _UNIT = "one", "other", "__unit__"


def card_table(data: ScoredAnswers, people: pl.DataFrame) -> pl.DataFrame:
    """The card. people: human verdicts on each answer, in the order of the answers, null where there are none.

    A row per model (`metrics.ALL`: all together), scorer, verdict and metric, of the verdicts that people gave.
    """
    answers = _card_rows(data, people)
    names, unit, rows = [*data.by, "model", "scorer", "verdict"], data.cluster_unit or "item", list[Keys]()
    for level in _levels(answers, data):
        both = level.lazy().filter(metrics.BOTH)
        scores = view_rows(both, metrics.CARD_VIEW, names, unit, data.confidence)
        rows += [estimate_row(row.keys, row.metric.name, row.estimate) for row in scores]
        rows += _rate_rows(level, names, unit, data.confidence)
    table = typed_table(rows, [*names, *ESTIMATE_COLUMNS])
    orders = {"scorer": metrics.SCORERS, "verdict": VERDICTS, "metric": CARD_ORDER}
    places = {name: pl.col(name).cast(pl.Enum(order)) for name, order in orders.items()}
    together = pl.col("model") != metrics.ALL
    by = [*data.by, places["verdict"], together, "model", places["scorer"], places["metric"]]
    return table.sort(by, maintain_order=True)


CARD_ORDER = (*(metric.name for metric in metrics.CARD_VIEW.metrics), *metrics.RATES)


def _card_rows(data: ScoredAnswers, people: pl.DataFrame) -> pl.DataFrame:
    """A row per answer, scorer and kind of verdict: the scorer's verdict and the human one."""
    given_verdicts = [name for name in VERDICTS if people[name].is_not_null().any()]
    about = data.answers.select(
        pl.col("id").alias("item"), "cluster", "model", *data.by, pl.col("model").alias("judge"), pl.lit("").alias(KIND)
    )
    return pl.concat(
        about.with_columns(
            pl.lit(scorer).alias("scorer"),
            pl.lit(name).alias("verdict"),
            verdicts[name].alias(_SCORER),
            people[name].alias(_PEOPLE),
        )
        for scorer, verdicts in data.verdicts.items()
        for name in given_verdicts
        if verdicts[name].is_not_null().any()
    )


def _rate_rows(rows: pl.DataFrame, names: Sequence[str], unit: str, confidence: float) -> Iterator[Keys]:
    """Rates of yes by human annotators, by the scorer, and of the scorer corrected by human verdicts."""
    numbers = pl.col(_SCORER, _PEOPLE).cast(pl.Float64)
    for keys, group in rows_by_group(rows, names):
        judged = group.select(numbers, pl.col(unit).rank("dense").alias(_UNIT)).drop_nulls(_SCORER)
        labelled, others = judged.filter(pl.col(_PEOPLE).is_not_null()), judged.filter(pl.col(_PEOPLE).is_null())
        for name, column, rated, unrated in (
            ("people_rate", _PEOPLE, labelled, others[:0]),
            ("scorer_rate", _SCORER, judged, others[:0]),
            ("corrected_rate", _PEOPLE, labelled, others),
        ):
            result = prediction_powered(
                rated[column].to_numpy(),
                rated[_SCORER].to_numpy(),
                unrated[_SCORER].to_numpy(),
                units=rated[_UNIT].to_numpy(),
                other_units=unrated[_UNIT].to_numpy(),
                bounds=SHARES,
                confidence=confidence,
            )
            yield estimate_row(keys, name, result.corrected)
