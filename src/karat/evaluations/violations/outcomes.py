"""What becomes of each violation, by each variant of matching.

| outcome | value | label, reference_label | when |
|---|---|---|---|
| true_positive | the match's score | the predicted rule, the true one | a prediction and a true violation match |
| false_positive | | the predicted rule, null | a prediction matches nothing |
| false_negative | | null, the true rule | a true violation is matched by nothing |

`part` is the category that the prediction names, of a false_negative the true one. Behind the key columns stand start
and end (of the true violation), predicted_start and predicted_end, and true_category; null where there is none.
"""

import numpy as np
import polars as pl

from karat.evaluations.violations.matched import CLUSTER, Scored
from karat.evaluations.violations.matching import Pairs
from karat.evaluations.violations.rows import ABOUT
from karat.evaluations.violations.spans import Integers, Spans
from karat.schemas.outcomes import outcomes_frame
from karat.schemas.violations import ID


def outcomes(data: Scored, first: int | None = None) -> pl.LazyFrame:
    """All outcomes, or those of so many violations per checker, variant and kind."""
    truth = _described(data, data.truth)
    frames = []
    for checker in data.checkers:
        predicted = _described(data, checker.spans)
        for variant in data.rules:
            rows = _rows(predicted, truth, checker.matches[variant], first)
            keys = {"judge": checker.name, "split": data.split, "variant": variant}
            frames.append(rows.with_columns(pl.lit(value, pl.String).alias(name) for name, value in keys.items()))
    columns = {name: pl.col(name) for name in ("item", "cluster", "judge", "outcome", "value")}
    columns |= {
        "reference": pl.lit(data.marked.name),
        "part": pl.when(pl.col("outcome") == "false_negative").then("true_category").otherwise("category"),
        "label": pl.col("rule"),
        "reference_label": pl.col("true_rule"),
    }
    every = pl.concat(frames).lazy()
    return outcomes_frame(columns, every, [*data.by, "split", "variant", *ABOUT])


def outcomes_count(data: Scored) -> int:
    """How many rows `outcomes` has."""
    return sum(
        len(checker.spans) + len(data.truth) - len(checker.matches[variant])
        for checker in data.checkers
        for variant in data.rules
    )


def unmatched(count: int, matched: Integers) -> Integers:
    """The rows of so many violations that are in no match."""
    free = np.ones(count, dtype=bool)
    free[matched] = False
    return np.flatnonzero(free)


def _described(data: Scored, spans: Spans) -> pl.DataFrame:
    """What outcomes say of the violations of one side."""
    texts = data.marked.texts
    cluster = CLUSTER if CLUSTER in texts.columns else pl.lit(None, pl.String).alias(CLUSTER)
    known = texts.select(pl.col(ID).alias("item"), cluster, *data.by)[spans.place]
    said = [data.words.of(part, spans.parts[part]) for part in ("rule", "category")]
    return known.with_columns(*said, pl.Series("start", spans.start), pl.Series("end", spans.end))


_PREDICTED = {"start": "predicted_start", "end": "predicted_end"}
_TRUE = {"rule": "true_rule", "category": "true_category"}


def _rows(predicted: pl.DataFrame, truth: pl.DataFrame, pairs: Pairs, first: int | None) -> pl.DataFrame:
    """Matched pairs, then unmatched predictions, then unmatched true violations."""
    own = slice(None, first)
    predicted, truth = predicted.rename(_PREDICTED), truth.rename(_TRUE)
    theirs = truth[pairs.truth[own]].select(*_TRUE.values(), *_PREDICTED)
    matched = pl.concat([predicted[pairs.predicted[own]], theirs], how="horizontal")
    invented = predicted[unmatched(predicted.height, pairs.predicted)[own]]
    missed = truth[unmatched(truth.height, pairs.truth)[own]]
    return pl.concat(
        [
            matched.with_columns(pl.lit("true_positive").alias("outcome"), pl.Series("value", pairs.score[own])),
            invented.with_columns(pl.lit("false_positive").alias("outcome")),
            missed.with_columns(pl.lit("false_negative").alias("outcome")),
        ],
        how="diagonal",
    )
