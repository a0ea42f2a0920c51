"""How far answers share the words of true answers that are sentences, which no scorer by rules can judge."""

import numpy as np
import polars as pl

from adjudge.evaluations.rag.outcomes import ScoredAnswers
from adjudge.evaluations.rag.scorers.substrings import ALIAS, RESPONSE, ROW, SLOT, alias_pairs, shared_word_share
from adjudge.metrics.metric import KIND, View, metric_specs
from adjudge.metrics.ratios import MeanShare
from adjudge.metrics.tables import cells_by, estimate_table, score
from adjudge.spec import MetricSpec
from adjudge.text.similarity import of_distinct_pairs

SHORT_ANSWER = 5
"""Words of a true answer, in the median, above which true answers are sentences."""


def _mean(name: str, title: str, definition: str) -> MeanShare:
    about = MetricSpec(title, definition, "high", percent=False)
    return MeanShare(name, about, pl.col(name), kind="answer", reason="no answer with a true answer to compare with")


METRICS = (
    _mean("token_recall", "Token recall", "Words of the true answer in the response / its words."),
    _mean("rouge_l", "ROUGE-L", "F1 of the longest common subsequence of words."),
    _mean("bertscore", "BERTScore", "F1 of greedily matched token vectors of response and true answer."),
)
ABOUT = metric_specs(METRICS)


def median_words(answers: pl.DataFrame) -> float:
    """The median number of words of true answers: the shortest alias of each slot, summed; 0 without any."""
    words = alias_pairs(answers[RESPONSE], answers["slots"]).with_columns(
        words=pl.col(ALIAS).str.split(" ").list.eval(pl.element().filter(pl.element() != "")).list.len()
    )
    shortest = words.group_by(ROW, SLOT).agg(pl.col("words").min())
    counts = shortest.group_by(ROW).agg(pl.col("words").sum())["words"].to_numpy()
    return float(np.median(counts)) if len(counts) else 0.0


def overlap_table(data: ScoredAnswers, answers: pl.DataFrame, embedding_model: str | None) -> pl.DataFrame:
    """The mean of each measure, per model and ability; BERTScore where a model for it is named.

    Of several aliases the best counts, of several slots the mean. Missing answers are left out.
    """
    from adjudge.text.bertscore import loaded_bertscore
    from adjudge.text.rouge import rouge_l

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
    view = View(rows=lambda outcomes, _keys, _options: outcomes, states=tuple(names), metrics=METRICS[: len(names)])
    estimates = [
        (group, row.metric.name, row.estimate)
        for group, cells in cells_by(rows.lazy(), view, keys, data.cluster_unit)
        for row in score(view, cells, group, data.confidence)
    ]
    return estimate_table(keys, estimates)
