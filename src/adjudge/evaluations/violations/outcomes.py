"""The outcome of each violation, by each variant of matching.

| outcome | value | label, reference_label | when |
|---|---|---|---|
| true_positive | the match's score | the predicted rule, the true one | a prediction and a true violation match |
| false_positive | | the predicted rule, null | a prediction matches nothing |
| false_negative | | null, the true rule | a true violation is matched by nothing |

`part` is the category that the prediction names, of a false_negative the true one. Behind the key columns stand start
and end (of the true violation), predicted_start and predicted_end, and true_category; null where there is none. Where a
prediction quotes words that the text does not hold, it has no offsets, and `detail` says the words. What matches
nothing says why in `failed`, by how much its score is `short`, and where the closest violation of the other side stands
(near_start, near_end): see `nearly`. Where severities have weights, those stand in predicted_weight and true_weight.
"""

import polars as pl

from adjudge.evaluations.violations.match_table import ScoredCheckers
from adjudge.evaluations.violations.near_misses import NEAR
from adjudge.evaluations.violations.rows import ABOUT
from adjudge.schemas.outcomes import outcomes_frame
from adjudge.schemas.violations import INVENTED, PLACE, SEVERITY

_PREDICTED = {"start": "predicted_start", "end": "predicted_end", "weight": "predicted_weight"}
_TRUE = {"rule": "true_rule", "category": "true_category", "weight": "true_weight"}


def outcomes(data: ScoredCheckers) -> pl.LazyFrame:
    """All outcomes, of each checker and variant: matched pairs, then what else is predicted, then what else is true."""
    frames = []
    for checker in data.checkers:
        truth = _describe_spans(data, checker.truth).rename(_TRUE)
        predicted = _describe_spans(data, checker.spans).rename(_PREDICTED)
        true = truth.select(*_TRUE.values(), "start", "end")
        counts = checker.in_seen_texts(checker.truth)
        for variant in data.rules:
            pairs, near = checker.matches[variant], checker.near_misses[variant]
            extra, lost = near["predicted"], near["truth"].filter(counts.gather(near["truth"]["truth"]))
            matched = predicted[pairs["predicted"]].with_columns(pairs["score"].alias("value"))
            parts = {
                "true_positive": matched.hstack(true[pairs["truth"]]),
                "false_positive": predicted[extra["predicted"]].hstack(extra[NEAR]),
                "false_negative": truth[lost["truth"]].hstack(lost[NEAR]),
            }
            keys = {"judge": checker.name, **data.constants, "variant": variant}
            for outcome, rows in parts.items():
                literals = (pl.lit(text, pl.String).alias(name) for name, text in [*keys.items(), ("outcome", outcome)])
                frames.append(rows.with_columns(literals))
    columns = {name: pl.col(name) for name in ("item", "cluster", "judge", "outcome", "value", "detail")}
    columns |= {
        "reference": pl.lit(data.marked.name),
        "part": pl.when(pl.col("outcome") == "false_negative").then("true_category").otherwise("category"),
        "label": pl.col("rule"),
        "reference_label": pl.col("true_rule"),
    }
    every = pl.concat(frames, how="diagonal").lazy()
    return outcomes_frame(columns, every, [*data.by, *data.constants, "variant", *ABOUT])


def _describe_spans(data: ScoredCheckers, spans: pl.DataFrame) -> pl.DataFrame:
    """The columns of outcomes that describe the violations of one side."""
    detail = pl.col(INVENTED).alias("detail")
    weight = pl.col(SEVERITY).replace_strict(data.weights, default=1.0, return_dtype=pl.Float64)
    columns = spans.select(
        "start",
        "end",
        detail,
        "rule",
        pl.col("category").cast(pl.String),
        (weight if data.weights else pl.lit(None, pl.Float64)).alias("weight"),
    )
    return data.texts[spans[PLACE]].hstack(columns)
