"""The scorer card: every scorer and judge against human verdicts on some of the answers."""

from collections.abc import Iterator

import polars as pl

from adjudge.estimate import Estimate
from adjudge.evaluations.rag.metrics import BOTH, KAPPA
from adjudge.evaluations.rag.outcomes import ALL, SCORERS, ScoredAnswers
from adjudge.metrics.metric import KIND, SHARES, View
from adjudge.metrics.ratios import Share
from adjudge.metrics.tables import Keys, cells_by, estimate_row, rows_by_group, score
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.answers import VERDICTS
from adjudge.spec import MetricSpec
from adjudge.statistics import prediction_powered, rank_agreement

_SCORER, _PEOPLE = "one", "other"
_NOBODY = "people gave no verdict"

AGREEMENT = Share(
    "agreement",
    MetricSpec(
        "Agreement", "Answers of which scorer and people say the same / answers with a verdict of both.", "high"
    ),
    pl.col(_SCORER) == pl.col(_PEOPLE),
    BOTH,
    reason=_NOBODY,
)
FALSE_RIGHT = Share(
    "false_right",
    MetricSpec("False right", "Answers of which the scorer says yes / answers of which people say no.", "low"),
    pl.col(_SCORER),
    BOTH & ~pl.col(_PEOPLE),
    reason="no answer of which people say no",
)
FALSE_WRONG = Share(
    "false_wrong",
    MetricSpec("False wrong", "Answers of which the scorer says no / answers of which people say yes.", "low"),
    ~pl.col(_SCORER),
    BOTH & pl.col(_PEOPLE),
    reason="no answer of which people say yes",
)
VIEW = View(
    rows=lambda outcomes, _keys, _options: outcomes,
    states=(_SCORER, _PEOPLE),
    metrics=(AGREEMENT, KAPPA, FALSE_RIGHT, FALSE_WRONG),
)
RATES = {
    "people_rate": MetricSpec("By people", "Answers of which people say yes / answers with a verdict of people."),
    "scorer_rate": MetricSpec("By the scorer", "Answers of which the scorer says yes / all answers it speaks of."),
    "corrected_rate": MetricSpec(
        "Corrected", "The share that people would give all answers: the scorer's, less its errors on the labelled part."
    ),
}
RANKS = {
    "rank_agreement": MetricSpec(
        "Ranks of models",
        "Kendall's tau-b of the models' rates by the scorer and by people, on the answers of both; 1: the same order.",
        "high",
        percent=False,
        bounds=(-1.0, 1.0),
    )
}
ABOUT = {**{one.name: one.spec for one in VIEW.metrics if one is not KAPPA}, **RATES, **RANKS}


def card_table(data: ScoredAnswers, people: pl.DataFrame) -> pl.DataFrame:
    """The card. people: human verdicts on each answer, in the order of the answers, null where there are none.

    A row per model (`ALL`: all together), scorer, verdict and metric, of the verdicts that people gave.
    """
    answers = _card_rows(data, people)
    levels = [answers.with_columns(model=pl.lit(ALL)), answers] if answers["model"].n_unique() > 1 else [answers]
    rows = [row for level in levels for make in (_agreement_rows, _rate_rows) for row in make(level, data)]
    table = typed_table(
        [*rows, *_rank_rows(answers, data)], [*data.by, "model", "scorer", "verdict", *ESTIMATE_COLUMNS]
    )
    orders = {"scorer": SCORERS, "verdict": VERDICTS, "metric": METRICS}
    places = {name: pl.col(name).cast(pl.Enum(order)) for name, order in orders.items()}
    together = pl.col("model") != ALL
    by = [*data.by, places["verdict"], together, "model", places["scorer"], places["metric"]]
    return table.sort(by, maintain_order=True)


METRICS = (*(figure.name for figure in VIEW.metrics), *RATES, *RANKS)


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
    for keys, cells in cells_by(rows.lazy().filter(BOTH), VIEW, names, unit):
        for row in score(VIEW, cells, keys, data.confidence):
            yield estimate_row(keys, row.metric.name, row.estimate)


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
    for keys, rows in rows_by_group(answers.filter(BOTH), [*data.by, "scorer", "verdict"]):
        rates = rows.group_by("model").agg(pl.col(_SCORER, _PEOPLE).mean()).sort("model")
        tau = rank_agreement(rates[_SCORER].to_list(), rates[_PEOPLE].to_list())
        if tau is not None:
            estimate = Estimate(tau, n=rates.height, confidence=data.confidence)
            yield estimate_row({**keys, "model": ALL}, "rank_agreement", estimate)
