"""The tables of the report."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.rag import metrics
from adjudge.evaluations.rag.options import RagOptions
from adjudge.evaluations.rag.outcomes import ScoredAnswers, outcomes
from adjudge.evaluations.rag.scorers.substrings import ALIAS, RESPONSE, ROW, SLOT, alias_pairs, shared_word_share
from adjudge.metrics.comparison import differences_between
from adjudge.metrics.metric import KIND, SHARES, View, applicable_metrics
from adjudge.metrics.reply_rates import REPLIES_TABLE
from adjudge.metrics.reply_rates import reply_rows as rows_of_replies
from adjudge.metrics.tables import (
    DIFFERENCE,
    DifferenceRow,
    Keys,
    cells_by,
    difference_rows,
    estimate_row,
    left_out_table,
    metric_table,
    rows_by_group,
    view_rows,
)
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.answers import ABILITIES, VERDICTS
from adjudge.schemas.outcomes import Frame, categories_as_text
from adjudge.statistics.comparison import rank_agreement
from adjudge.statistics.prediction_powered import prediction_powered
from adjudge.text.rouge import other_scripts_warning, rouge_l
from adjudge.text.similarity import of_distinct_pairs

ViewRows = Sequence[tuple[View, pl.DataFrame]]
"""The views that apply, each with its rows; metrics.VIEW is the first."""
_Sides = tuple[pl.DataFrame, pl.DataFrame]

_ORDERS = {
    "ability": (*ABILITIES, metrics.CLOSED),
    "scorer": metrics.SCORERS,
    "other_scorer": metrics.SCORERS,
    "compared": ("noise", "documents", "models"),
    "metric": [figure.name for figure in metrics.SCORE_METRICS],
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
        tables |= {"agreement": _agreement_table(data, rows_of_outcomes), "disagreement": _disagreement_table(data)}
    asked = (
        metrics.REPLIES_VIEW.rows(rows_of_outcomes, [*data.by, "noise_ratio"], None)
        .rename({"judge": "model"})
        .drop(KIND, "draw")
    )
    named, unit = [*data.by, *metrics.REPLY_KEYS], data.cluster_unit or "item"
    if replies := [*rows_of_replies(asked.collect(), metrics.REPLIES, named, unit, data.confidence)]:
        tables[REPLIES_TABLE] = _typed_rows(replies, [*named, *ESTIMATE_COLUMNS])
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


def _differences(data: ScoredAnswers, seen: ViewRows) -> Iterator[DifferenceRow]:
    """The differences of metrics on the same questions: the second side minus the first."""
    for view, sides, about, main in _compared_sides(seen):
        names = [*([] if "model" in about else ["model"]), *data.by, *_view_keys(sides[0])]
        for row in differences_between(*sides, view, names, data.cluster_unit, data.confidence, main):
            # The table scores tells what is missing, and the bounds take it into account.
            if row.metric is metrics.ACCURACY or (
                row.metric is not metrics.MISSING and about["compared"] != "documents"
            ):
                yield DifferenceRow({"noise_ratio": None, **row.keys, **about}, row.metric, row.result)


def _compared_sides(seen: ViewRows) -> Iterator[tuple[View, _Sides, Keys, _Sides | None]]:
    """Rows of both sides of each comparison, what it is about, and, of two models, the rows of the first view.

    Of each model, each share of noise is compared with none, and answers with documents with those without any (in
    accuracy alone); then every two models.
    """
    (main_view, main_rows), *_ = seen
    noisy = (pl.col("ability") == metrics.NOISE) & pl.col("noise_ratio").is_not_null()
    for view, rows in seen:
        levels = _parts_by(rows.filter(noisy), "noise_ratio") if view is not metrics.SLOPE_VIEW else {}
        for level in sorted(levels.keys() - {0.0}) if 0.0 in levels else ():
            about = {"compared": "noise", "noise_ratio": level, "first": "no noise", "second": f"noise {level:g}"}
            yield view, (levels[0.0], levels[level]), about, None
    closed = main_rows.filter(pl.col(KIND) == metrics.CLOSED).with_columns(
        pl.lit("answer", main_rows.schema[KIND]).alias(KIND)
    )
    given = _parts_by(main_rows.filter(pl.col(KIND) != metrics.CLOSED), "noise_ratio")
    for level, frame in sorted(given.items(), key=str) if closed.height else ():
        about = {"compared": "documents", "noise_ratio": level, "first": "no documents", "second": "documents"}
        yield main_view, (closed.drop("noise_ratio"), frame), about, None
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
    figures = [
        row
        for level in _levels(rows, data)
        for row in view_rows(level, metrics.AGREEMENT_VIEW, names, unit, data.confidence)
    ]
    table = _sort(metric_table(names, figures), ["scorer", "other_scorer", *data.by, "ability", "verdict"])
    return table.rename({"scorer": "first", "other_scorer": "second"})


def _levels(rows: Frame, data: ScoredAnswers) -> list[Frame]:
    """The rows of all models together, if there are several, and as they are."""
    return [rows.with_columns(model=pl.lit(metrics.ALL)), rows] if data.answers["model"].n_unique() > 1 else [rows]


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


_SCORER, _PEOPLE = "one", "other"


def card_table(data: ScoredAnswers, people: pl.DataFrame) -> pl.DataFrame:
    """The card. people: human verdicts on each answer, in the order of the answers, null where there are none.

    A row per model (`metrics.ALL`: all together), scorer, verdict and metric, of the verdicts that people gave.
    """
    answers = _card_rows(data, people)
    rows = [
        row for level in _levels(answers, data) for make in (_agreement_rows, _rate_rows) for row in make(level, data)
    ]
    table = typed_table(
        [*rows, *_rank_rows(answers, data)], [*data.by, "model", "scorer", "verdict", *ESTIMATE_COLUMNS]
    )
    orders = {"scorer": metrics.SCORERS, "verdict": VERDICTS, "metric": CARD_ORDER}
    places = {name: pl.col(name).cast(pl.Enum(order)) for name, order in orders.items()}
    together = pl.col("model") != metrics.ALL
    by = [*data.by, places["verdict"], together, "model", places["scorer"], places["metric"]]
    return table.sort(by, maintain_order=True)


CARD_ORDER = (*(figure.name for figure in metrics.CARD_VIEW.metrics), *metrics.RATES, *metrics.RANKS)


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


def _agreement_rows(rows: pl.DataFrame, data: ScoredAnswers) -> Iterator[Keys]:
    names, unit = [*data.by, "model", "scorer", "verdict"], data.cluster_unit or "item"
    for row in view_rows(rows.lazy().filter(metrics.BOTH), metrics.CARD_VIEW, names, unit, data.confidence):
        yield estimate_row(row.keys, row.metric.name, row.estimate)


def _rate_rows(rows: pl.DataFrame, data: ScoredAnswers) -> Iterator[Keys]:
    """Rates of yes by human annotators, by the scorer, and of the scorer corrected by human verdicts."""
    unit = data.cluster_unit or "item"
    for keys, group in rows_by_group(rows, [*data.by, "model", "scorer", "verdict"]):
        judged = group.filter(pl.col(_SCORER).is_not_null())
        labelled, others = judged.filter(pl.col(_PEOPLE).is_not_null()), judged.filter(pl.col(_PEOPLE).is_null())
        for name, column, rated, unrated in (
            ("people_rate", _PEOPLE, labelled, others[:0]),
            ("scorer_rate", _SCORER, judged, others[:0]),
            ("corrected_rate", _PEOPLE, labelled, others),
        ):
            every, size = pl.concat([rated, unrated]), rated.height
            units, scorer = every[unit].rank("dense").to_numpy(), every[_SCORER].cast(pl.Float64).to_numpy()
            result = prediction_powered(
                rated[column].cast(pl.Float64).to_numpy(),
                scorer[:size],
                scorer[size:],
                units=units[:size],
                other_units=units[size:],
                bounds=SHARES,
                confidence=data.confidence,
            )
            yield estimate_row(keys, name, result.corrected)


def _rank_rows(answers: pl.DataFrame, data: ScoredAnswers) -> Iterator[Keys]:
    """Rank agreement (Kendall's tau-b) of the models' rates by scorer and by human annotators."""
    for keys, rows in rows_by_group(answers.filter(metrics.BOTH), [*data.by, "scorer", "verdict"]):
        rates = rows.group_by("model").agg(pl.col(_SCORER, _PEOPLE).mean()).sort("model")
        tau = rank_agreement(rates[_SCORER].to_list(), rates[_PEOPLE].to_list())
        if tau is not None:
            estimate = Estimate(tau, n=rates.height, confidence=data.confidence)
            yield estimate_row({**keys, "model": metrics.ALL}, "rank_agreement", estimate)


AUTO = "auto"
_SHORT_ANSWER = 5
"""Words of a true answer, in the median, above which true answers are sentences."""


def overlap_of_sentences(
    data: ScoredAnswers, frame: pl.DataFrame, names: Sequence[str], options: RagOptions
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The table of overlap where true answers are sentences, and what to know of them."""
    words = _median_words(frame)
    if words <= _SHORT_ANSWER:
        unused = f"embedding_model: not used, since true answers are short ({words:g} words in the median)"
        return {}, [unused] if options.embedding_model else []
    took = f"{AUTO} took {names[0]}, which looks" if options.scorer == AUTO else f"{' and '.join(names)} looks"
    judged = metrics.JUDGE in data.verdicts
    advice = "read the judge's metrics instead" if judged else "a judge is needed (adjudge rag judge)"
    caution = (
        f"the true answers are sentences ({words:g} words in the median): the scorer {took} for them in the response, "
        f"so that right answers in other words count as wrong. Do not rely on this accuracy, least of all on 0%: "
        f"{advice}; the table overlap shows how many of their words the answers share"
    )
    table = _overlap_table(data, frame, options.embedding_model)
    return {"overlap": table}, [caution, *other_scripts_warning(frame["response"])]


def _median_words(answers: pl.DataFrame) -> float:
    """The median number of words of true answers: the shortest alias of each slot, summed; 0 without any."""
    words = alias_pairs(answers[RESPONSE], answers["slots"]).with_columns(
        words=pl.col(ALIAS).str.split(" ").list.eval(pl.element().filter(pl.element() != "")).list.len()
    )
    shortest = words.group_by(ROW, SLOT).agg(pl.col("words").min())
    counts = shortest.group_by(ROW).agg(pl.col("words").sum())["words"].to_numpy()
    return float(np.median(counts)) if len(counts) else 0.0


def _overlap_table(data: ScoredAnswers, answers: pl.DataFrame, embedding_model: str | None) -> pl.DataFrame:
    """The mean of each measure, per model and ability; BERTScore where a model for it is named.

    Of several aliases the best counts, of several slots the mean. Missing answers are left out.
    """
    from adjudge.text.bertscore import loaded_bertscore

    pairs = alias_pairs(answers[RESPONSE], answers["slots"]).drop_nulls(RESPONSE)
    columns = {"token_recall": shared_word_share(pairs), "rouge_l": rouge_l(pairs[RESPONSE], pairs[ALIAS])}
    if embedding_model:
        score_texts = loaded_bertscore(embedding_model, None)
        columns["bertscore"] = of_distinct_pairs("bertscore", pairs[RESPONSE], pairs[ALIAS], score_texts)
    names = list(columns)
    by_slot = pairs.with_columns(**columns).group_by(ROW, SLOT).agg(pl.col(names).max())
    by_row = by_slot.group_by(ROW).agg(pl.col(names).mean())
    about = data.answers.with_row_index(ROW).filter("given")
    rows = about.join(by_row, on=ROW, how="inner", maintain_order="left").with_columns(
        pl.lit("answer").alias(KIND), item="id", judge="model"
    )
    keys = [*data.by, "model", "ability"]
    rows = rows.group_by("item", "cluster", "judge", KIND, *keys, maintain_order=True).agg(pl.col(names).mean())
    view = View(
        rows=lambda outcomes, _keys, _options: outcomes,
        states=tuple(names),
        metrics=metrics.OVERLAP_METRICS[: len(names)],
    )
    return metric_table(keys, view_rows(rows.lazy(), view, keys, data.cluster_unit, data.confidence))
