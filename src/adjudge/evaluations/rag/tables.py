"""The tables of the report."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import polars as pl

from adjudge.evaluations.rag.metrics import (
    ACCURACY,
    ACCURACY_OVER_NOISE,
    AGREEMENT_VIEW,
    BOTH,
    BOUNDS_VIEW,
    CLOSED_BOOK,
    KAPPA,
    MISSING,
    SCORE_METRICS,
    SLOPE,
    SLOPE_VIEW,
    VIEW,
    verdict_pairs,
)
from adjudge.evaluations.rag.outcomes import ALL, CLOSED, NOISE, SCORERS, ScoredAnswers, outcomes
from adjudge.metrics.comparison import differences_between
from adjudge.metrics.metric import KIND, View, applicable_metrics
from adjudge.metrics.tables import (
    DIFFERENCE,
    DifferenceRow,
    Keys,
    cells_by,
    difference_rows,
    estimate_row,
    left_out_table,
)
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.answers import ABILITIES, VERDICTS
from adjudge.schemas.outcomes import categories_as_text

ViewRows = Sequence[tuple[View, pl.DataFrame]]
"""The views that apply, each with its rows; VIEW is the first."""

_ORDERS = {
    "ability": (*ABILITIES, CLOSED),
    "scorer": SCORERS,
    "other_scorer": SCORERS,
    "compared": ("noise", "documents", "models"),
    "metric": [figure.name for figure in SCORE_METRICS],
    "verdict": VERDICTS,
}
_LAST = "__last__"
_PLACES = {name: pl.col(name).cast(pl.Enum(order)) for name, order in _ORDERS.items()}
_PLACES[_LAST] = pl.col("metric").replace_strict(
    {CLOSED_BOOK.name: 1, ACCURACY_OVER_NOISE.name: 2, SLOPE.name: 2}, default=0, return_dtype=pl.Int8
)
"""The place of values whose order is their own. _LAST: metrics over all shares of noise stand behind those of each."""


def tables_of(data: ScoredAnswers) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    often = pl.col(pl.String).cast(pl.Categorical)
    rows_of_outcomes = outcomes(data).drop("reference", "label", "detail").with_columns(often).collect().lazy()
    views = (VIEW, BOUNDS_VIEW, SLOPE_VIEW)
    rows = [(view, view.rows(rows_of_outcomes, [*data.by, "noise_ratio", "scorer"], None).collect()) for view in views]
    seen = [(view, frame.rename({"judge": "model"}).with_columns(often)) for view, frame in rows if view.applies(frame)]
    keys = [*data.by, "model", "ability", "noise_ratio", "scorer"]
    compared = ["compared", *keys, "first", "second"]
    place = [_LAST, *data.by, "model", "ability", "noise_ratio", "metric"]
    differences = [*_noise_differences(data, seen), *_document_differences(data, seen), *_model_differences(data, seen)]
    tested = difference_rows(differences, VIEW, apart="compared")
    tables = {
        "scores": _sort(_typed_rows(_score_rows(data, seen), [*keys, *ESTIMATE_COLUMNS]), ["scorer", *place]),
        "differences": _sort(_typed_rows(tested, [*compared, *DIFFERENCE]), ["scorer", "compared", *place]),
        "outcomes": _outcome_counts(rows_of_outcomes, data.by),
    }
    for name, table in left_out_table(differences, compared).items():
        tables[name] = _sort(table, ["scorer", "compared", *place])
    if len(data.verdicts) > 1:
        tables |= {"agreement": _agreement_table(data, rows_of_outcomes), "disagreement": _disagreement_table(data)}
    return tables


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
                for figure in applicable_metrics(view.metrics, {**keys, KIND: kind}):
                    estimate = figure.estimate(kind_cells, data.confidence)
                    yield estimate_row({"noise_ratio": None, **keys}, figure.name, estimate)


def _view_keys(rows: pl.DataFrame) -> list[str]:
    """The keys that rows of a view have, besides models and groups."""
    return [name for name in ("ability", "noise_ratio", "scorer") if name in rows.columns]


# --- differences ---


def _noise_differences(data: ScoredAnswers, seen: ViewRows) -> Iterator[DifferenceRow]:
    """The accuracy of each model at each share of noise minus that without noise, on the same questions."""
    noisy = (pl.col("ability") == NOISE) & pl.col("noise_ratio").is_not_null()
    for view, rows in seen:
        if view is SLOPE_VIEW:
            continue
        parts = rows.filter(noisy).partition_by("noise_ratio", as_dict=True, include_key=False)
        levels = {level: frame for (level,), frame in parts.items()}
        for level in sorted(levels.keys() - {0.0}) if 0.0 in levels else ():
            about = {"compared": "noise", "noise_ratio": level, "first": "no noise", "second": f"noise {level:g}"}
            yield from _compare_sides(data, view, levels[0.0], levels[level], ["model"], about)


def _document_differences(data: ScoredAnswers, seen: ViewRows) -> Iterator[DifferenceRow]:
    """The accuracy of each model with documents, at each share of noise, minus that without any."""
    (view, rows), *_ = seen
    closed = rows.filter(pl.col(KIND) == CLOSED).with_columns(pl.lit("answer", rows.schema[KIND]).alias(KIND))
    given = rows.filter(pl.col(KIND) != CLOSED).partition_by("noise_ratio", as_dict=True, include_key=False)
    for (level,), frame in sorted(given.items(), key=str) if closed.height else ():
        about = {"compared": "documents", "noise_ratio": level, "first": "no documents", "second": "documents"}
        compared = _compare_sides(data, view, closed.drop("noise_ratio"), frame, ["model"], about)
        yield from (row for row in compared if row.metric is ACCURACY)


def _model_differences(data: ScoredAnswers, seen: ViewRows) -> Iterator[DifferenceRow]:
    """Every pair of models on the same questions."""
    models_of = [
        {model: part for (model,), part in rows.partition_by("model", as_dict=True).items()} for _, rows in seen
    ]
    for (view, _), models in zip(seen, models_of, strict=True):
        for first, second in combinations(sorted(models), 2):
            about = {"compared": "models", "model": None, "first": first, "second": second}
            main = models_of[0][first], models_of[0][second]
            yield from _compare_sides(data, view, models[first], models[second], [], about, main)


def _compare_sides(
    data: ScoredAnswers,
    view: View,
    first_rows: pl.DataFrame,
    second_rows: pl.DataFrame,
    keys: Sequence[str],
    about: Keys,
    main: tuple[pl.DataFrame, pl.DataFrame] | None = None,
) -> Iterator[DifferenceRow]:
    """The differences of metrics: the second side minus the first. main: as `differences_between` takes it."""
    names = [*keys, *data.by, *_view_keys(first_rows)]
    for row in differences_between(first_rows, second_rows, view, names, data.cluster_unit, data.confidence, main):
        if row.metric is not MISSING:  # which the table scores tells, and the bounds take into account
            yield DifferenceRow({"noise_ratio": None, **row.keys, **about}, row.metric, row.result)


# --- outcomes, agreement ---


def _outcome_counts(outcome_rows: pl.LazyFrame, by: Sequence[str]) -> pl.DataFrame:
    """The number of answers by outcome. The ability of answers without documents is CLOSED."""
    keys = [*by, "model", "ability", "noise_ratio", "scorer", "outcome"]
    rows = outcome_rows.drop("ability").rename({"judge": "model", "part": "ability"})
    counts = rows.group_by(keys).agg(count=pl.len().cast(pl.Int64)).collect()
    return _sort(categories_as_text(counts), keys)


def _agreement_table(data: ScoredAnswers, rows_in: pl.LazyFrame) -> pl.DataFrame:
    """The kappa of every pair of scorers on each verdict, clustered by question or by the questions' clusters.

    A row per model, and of several one for `ALL` of them together.
    """
    rows = verdict_pairs(rows_in, data.by).filter(BOTH).with_columns(pl.col("judge").cast(pl.String).alias("model"))
    levels = [rows] if data.answers["model"].n_unique() == 1 else [rows.with_columns(model=pl.lit(ALL)), rows]
    names = (*data.by, "model", "ability", "verdict", "scorer", "other_scorer")
    figures = [
        estimate_row(keys, KAPPA.name, KAPPA.estimate(part, data.confidence))
        for level in levels
        for keys, cells in cells_by(level, AGREEMENT_VIEW, names, data.cluster_unit or "item")
        for part in cells.values()
    ]
    place = ["scorer", "other_scorer", *data.by, "ability", "verdict"]
    table = _sort(typed_table(figures, [*names, *ESTIMATE_COLUMNS]), place)
    return table.rename({"scorer": "first", "other_scorer": "second"})


def _disagreement_table(data: ScoredAnswers) -> pl.DataFrame:
    """Answers on which scorers differ: a row per verdict, with the verdict of each scorer."""
    keys = ["id", "model", "ability", "noise_ratio", "draw"]
    scorers = list(data.verdicts)
    frames = []
    for verdict in VERDICTS:
        verdict_columns = [one[verdict].alias(name) for name, one in data.verdicts.items()]
        frames.append(data.answers.select(*keys, pl.lit(verdict).alias("verdict")).with_columns(verdict_columns))
    differ = pl.any_horizontal(scorers) & ~pl.all_horizontal(scorers).fill_null(value=True)
    words = pl.col(scorers).replace_strict({True: "yes", False: "no"}, return_dtype=pl.String)
    table = pl.concat(frames).filter(differ).with_columns(words).sort("verdict")
    return _sort(table, keys).rename({"id": "item"})


def compare_published(scores: pl.DataFrame, published: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Published results with this report's estimates of the same model, ability, noise ratio and metric, by scorer."""
    keys = ["model", "ability", "noise_ratio", "metric"]
    figures = scores.select(*by, *keys, "scorer", "value", "low", "high", "n")
    return published.join(figures, on=keys, how="left", nulls_equal=True, maintain_order="left").select(
        *by, *keys, "scorer", "published", "value", "low", "high", "n"
    )
