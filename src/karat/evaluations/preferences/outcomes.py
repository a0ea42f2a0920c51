"""What becomes of each prediction: a row per item, system and criterion, and one more per score of its explanation.

| outcome | value | when |
|---|---|---|
| correct, incorrect | 1, 0 | the system's label is the gold label, or another |
| missing | 0 | the system gives no label |
| unjudged | | people gave no label |
| rouge_l, bertscore, judge | the score | of the explanation, where there is one |
"""

from collections.abc import Mapping, Sequence

import polars as pl

from karat.evaluations.preferences.counts import Group, System
from karat.schemas.outcomes import outcomes_frame

_OURS, _THEIRS, _SCORE = "__ours__", "__theirs__", "__score__"


def outcomes(gold: pl.DataFrame, group: Group, keys: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a group's systems. gold: id, cluster (may be null) and key columns of its items."""
    state = pl.col(_OURS).cast(pl.UInt32) * (1 + len(group.labels)) + pl.col(_THEIRS)
    right = pl.when(pl.col("outcome") != "unjudged").then((pl.col("outcome") == "correct").cast(pl.Float64))
    words = group.states.select("label", "reference_label", "outcome", right.alias("value"))
    said = {word.name: state.replace_strict(range(words.height), word, return_dtype=word.dtype) for word in words}
    return pl.concat(
        [
            frame
            for system in group.systems
            for place in range(len(group.criteria))
            for frame in _of(gold, group, system, place, said, keys)
        ]
    )


def _of(
    gold: pl.DataFrame, group: Group, system: System, place: int, said: Mapping[str, pl.Expr], keys: Sequence[str]
) -> list[pl.LazyFrame]:
    """The outcomes of a system on the criterion at a place: of its labels, then of each kind of scores."""
    about = {
        "item": pl.col("id"),
        "cluster": pl.col("cluster"),
        "judge": pl.lit(system.name),
        "reference": pl.lit("gold"),
        "part": pl.lit(group.criteria[place]),
    }
    frame = gold.with_columns(pl.Series(_OURS, group.gold[place]), pl.Series(_THEIRS, system.codes[place])).lazy()
    found = [outcomes_frame({**about, **said}, frame, list(keys))]
    for metric, values in system.scores.items():
        score = {**about, "outcome": pl.lit(metric), "value": pl.col(_SCORE)}
        scored = gold.with_columns(pl.Series(_SCORE, values[place], nan_to_null=True)).lazy()
        found.append(outcomes_frame(score, scored.filter(pl.col(_SCORE).is_not_null()), list(keys)))
    return found
