"""The tables of the report."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from karat.evaluations.rag.figures import (
    AGREEMENT_VIEW,
    BOTH,
    BOUNDS_VIEW,
    CLOSED_BOOK,
    FIGURES,
    KAPPA,
    MISSING,
    SLOPE,
    SLOPE_VIEW,
    VIEW,
    verdict_pairs,
)
from karat.evaluations.rag.outcomes import CLOSED, NOISE, SCORERS, Scored, outcomes
from karat.figures.comparison import between
from karat.figures.tables import (
    DIFFERENCE,
    Compared,
    Keys,
    Row,
    cells_by,
    difference_rows,
    figure_row,
    left_out_table,
    scored,
)
from karat.figures.views import KIND, View
from karat.report import FIGURE, typed_table
from karat.schemas.answers import ABILITIES, VERDICTS

Seen = Sequence[tuple[View, pl.DataFrame]]
"""Views that say something, each with its rows."""


def tables_of(data: Scored) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    often = pl.col(pl.String).cast(pl.Categorical)
    found = outcomes(data).drop("reference", "label", "detail").with_columns(often).collect().lazy()
    keys = [*data.by, "model", "ability", "noise_ratio", "scorer"]
    views = (VIEW, BOUNDS_VIEW, SLOPE_VIEW)
    rows = [(view, view.rows(found, [*data.by, "noise_ratio", "scorer"], {}).collect()) for view in views]
    seen = [(view, frame.rename({"judge": "model"}).with_columns(often)) for view, frame in rows if view.says(frame)]
    scores = sorted(_scores(data, seen), key=_place(data.by))
    differences = sorted([*_over_noise(data, seen), *_between_models(data, seen)], key=_place(data.by))
    compared = ["compared", *keys, "first", "second"]
    tables = {
        "scores": typed_table(
            [figure_row(row.keys, row.figure.name, row.estimate) for row in scores],
            [*keys, *FIGURE],
            numbers=["noise_ratio"],
        ),
        "differences": typed_table(
            difference_rows(differences, family=lambda row: row["compared"]),
            [*compared, *DIFFERENCE],
            numbers=["noise_ratio"],
        ),
        **left_out_table(differences, compared),
        "outcomes": _outcome_counts(found, data.by),
    }
    if len(data.verdicts) > 1:
        tables["agreement"] = _agreement(data, found)
        tables["disagreement"] = _disagreement(data)
    return tables


def _scores(data: Scored, seen: Seen) -> Iterator[Row]:
    for view, rows in seen:
        names = [*data.by, "model", *_keys(rows)]
        for keys, cells in cells_by(rows.lazy(), view, names, _unit(data)):
            for kind, own in cells.items():
                for figure in view.of({**keys, KIND: kind}):
                    yield scored(figure, own, {"noise_ratio": None, **keys}, data.confidence)


def _unit(data: Scored) -> str | None:
    return "cluster" if data.clustered else None


def _keys(rows: pl.DataFrame) -> list[str]:
    """The keys that rows of a view have, beside models and groups."""
    return [name for name in ("ability", "noise_ratio", "scorer") if name in rows.columns]


def _place(by: Sequence[str]) -> Callable[[Row | Compared], tuple[Any, ...]]:
    """Where a row stands: figures over all shares of noise behind those of each, and no value before any."""
    last = {CLOSED_BOOK.name: 1, SLOPE.name: 2}
    order = [figure.name for figure in FIGURES]

    def place(row: Row | Compared) -> tuple[Any, ...]:
        keys, metric = row.keys, row.figure.name
        return (
            SCORERS.index(keys["scorer"]),
            keys.get("compared", "") == "models",
            last.get(metric, 0),
            *((keys[name] is not None, keys[name] or "") for name in by),
            keys["model"] or "",
            ABILITIES.index(keys["ability"]),
            -1.0 if keys["noise_ratio"] is None else keys["noise_ratio"],
            order.index(metric),
        )

    return place


# --- differences ---


def _over_noise(data: Scored, seen: Seen) -> Iterator[Compared]:
    """The accuracy of each model at each share of noise minus that without noise, on the same questions."""
    for view, rows in seen:
        if view is SLOPE_VIEW:
            continue
        noisy = rows.filter((pl.col("ability") == NOISE) & pl.col("noise_ratio").is_not_null())
        levels = {
            level: frame.drop("noise_ratio")
            for (level,), frame in noisy.partition_by("noise_ratio", as_dict=True).items()
        }
        for level in sorted(set(levels) - {0.0}) if 0.0 in levels else ():
            about = {"compared": "noise", "noise_ratio": level, "first": "no noise", "second": f"noise {level:g}"}
            yield from _between(data, view, levels[0.0], levels[level], ["model"], about)


def _between_models(data: Scored, seen: Seen) -> Iterator[Compared]:
    """Every pair of models on the same questions."""
    for view, rows in seen:
        models = {model: frame for (model,), frame in rows.partition_by("model", as_dict=True).items()}
        for first, second in combinations(sorted(models), 2):
            about = {"compared": "models", "model": None, "first": first, "second": second}
            yield from _between(data, view, models[first], models[second], [], about)


def _between(
    data: Scored, view: View, ours: pl.DataFrame, theirs: pl.DataFrame, keys: Sequence[str], about: Keys
) -> Iterator[Compared]:
    """The differences of figures: the second side minus the first."""
    names = [*keys, *data.by, *_keys(ours)]
    for row in between(ours, theirs, view, names, _unit(data), data.confidence):
        if row.figure is not MISSING:  # which the table scores tells, and the bounds take into account
            yield Compared({"noise_ratio": None, **row.keys, **about}, row.figure, row.result)


# --- outcomes, agreement ---


def _outcome_counts(found: pl.LazyFrame, by: Sequence[str]) -> pl.DataFrame:
    """How many answers had which outcome. Those without documents stand apart from their ability, as CLOSED."""
    keys = [*by, "model", "ability", "noise_ratio", "scorer", "outcome"]
    rows = found.drop("ability").rename({"judge": "model", "part": "ability"})
    counts = rows.group_by(keys).agg(count=pl.len().cast(pl.Int64)).collect()
    texts = counts.with_columns(pl.col(pl.Categorical).cast(pl.String))
    orders = {"ability": (*ABILITIES, CLOSED), "scorer": (*SCORERS,)}
    return texts.sort([pl.col(name).cast(pl.Enum(orders[name])) if name in orders else pl.col(name) for name in keys])


def _agreement(data: Scored, found: pl.LazyFrame) -> pl.DataFrame:
    """The kappa of every pair of scorers on each verdict, clustered by question or by the questions' clusters."""
    orders = {"scorer": SCORERS, "other_scorer": SCORERS, "ability": (*ABILITIES, CLOSED), "verdict": VERDICTS}
    rows = verdict_pairs(found, []).filter(BOTH)
    figures = [
        (keys, KAPPA.estimate(own, data.confidence))
        for keys, cells in cells_by(rows, AGREEMENT_VIEW, AGREEMENT_VIEW.keys, _unit(data) or "item")
        for own in cells.values()
    ]
    figures.sort(key=lambda one: [order.index(one[0][name]) for name, order in orders.items()])
    names = {"ability": "ability", "verdict": "verdict", "first": "scorer", "second": "other_scorer"}
    named = [figure_row({name: keys[own] for name, own in names.items()}, KAPPA.name, one) for keys, one in figures]
    return typed_table(named, [*names, *FIGURE])


def _disagreement(data: Scored) -> pl.DataFrame:
    """Answers on which scorers differ: a row per verdict, with what each says."""
    keys = ["id", "model", "ability", "noise_ratio", "draw"]
    scorers = list(data.verdicts)
    frames = []
    for verdict in VERDICTS:
        said = [one[verdict].alias(name) for name, one in data.verdicts.items()]
        table = data.answers.select(*keys, pl.lit(verdict).alias("verdict")).with_columns(said)
        differ = pl.any_horizontal(scorers) & ~pl.all_horizontal(scorers).fill_null(value=True)
        frames.append(table.filter(differ))
    words = pl.col(scorers).replace_strict({True: "yes", False: "no"}, return_dtype=pl.String)
    order = pl.col("ability").cast(pl.Enum(ABILITIES))
    sort = [order if name == "ability" else pl.col(name) for name in keys]
    return pl.concat(frames).with_columns(words).sort(*sort, "verdict").rename({"id": "item"})


def beside_published(scores: pl.DataFrame, published: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Published results beside the figures of the same model, ability, noise ratio and metric, by every scorer."""
    keys = ["model", "ability", "noise_ratio", "metric"]
    figures = scores.select(*by, *keys, "scorer", "value", "low", "high", "n")
    return published.join(figures, on=keys, how="left", nulls_equal=True, maintain_order="left").select(
        *by, *keys, "scorer", "published", "value", "low", "high", "n"
    )
