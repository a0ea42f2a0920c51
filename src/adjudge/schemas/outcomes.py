"""The outcomes frame: one row per item, judge and part, the same for every evaluation.

item, cluster, judge, reference: names (cluster is null where items are independent).
part: the judged aspect of the item: a criterion, "flag" or "choice", an ability.
label, reference_label: the compared verdicts. outcome: the result of the comparison.
value: a numeric outcome. detail: its cause, such as the reason of a deduction.
The key columns of the evaluation's tables follow (the `by` columns, dataset, split, scorer ...).

The statuses of questions to models, which accompany votes, labels, answers and verdicts, are here too.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import polars as pl

from adjudge.report import NON_KEY_COLUMNS
from adjudge.version import NAME

ANSWERED = "answered"
UNANSWERED = ("refused", "unparseable", "failed")
STATUSES = (ANSWERED, *UNANSWERED)
"""The status of a question to a model: exactly one of these. Only an answered one has a label."""

OUTCOME, REPLY = "outcome", "reply"
"""The columns of files, and of tables, with the status of the question to a model."""

OUTCOMES: dict[str, pl.DataType] = {
    **dict.fromkeys(("item", "cluster", "judge", "reference", "part"), pl.Categorical()),
    **dict.fromkeys(("label", "reference_label", "outcome"), pl.Categorical()),
    "value": pl.Float64(),
    "detail": pl.Categorical(),
}

MADE_BY = f"{NAME}.items"
"""The key of an items file's metadata with the origin of its outcomes as JSON: that of its report, and the number of
rows written."""


def outcomes_frame(columns: Mapping[str, pl.Expr], batch: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a batch: the given expressions in the frame's order and types, then the key columns.

    Columns that the evaluation does not give are null.
    """
    fixed = [columns.get(name, pl.lit(None)).cast(dtype).alias(name) for name, dtype in OUTCOMES.items()]
    return batch.select(*fixed, *keys)


def first_match(
    cases: Mapping[Any, pl.Expr], otherwise: object = None, dtype: pl.DataType = OUTCOMES["outcome"]
) -> pl.Expr:
    """The first value whose condition holds. cases: value -> condition, in the order in which they are tried."""
    expression = pl.lit(otherwise, dtype=dtype)
    for value, condition in reversed([*cases.items()]):
        expression = pl.when(condition).then(pl.lit(value, dtype=dtype)).otherwise(expression)
    return expression


RESERVED_COLUMNS = NON_KEY_COLUMNS | {
    *OUTCOMES,
    *("count", "truth", "noise_ratio", "published", "score", "overlap"),
    *("start", "end", "predicted_start", "predicted_end"),
    *(f"{part}_similarity" for part in ("rule", "category", "explanation", "correction")),
    *("annotator", "system", "checker", "model", "name", "dataset", "compared", "first", "second", "same_items"),
    *("flagged", "skipped", "reference_flagged", "reference_skipped", "reference_status"),
    *("correct", "choices", "mismatches", "flags", "known", "reason", "vote", "reference_vote", "place", "order"),
    *("asked", "change", "worth"),
}
"""Names of Adjudge's own columns, invalid for `by` columns."""


Frame = TypeVar("Frame", pl.LazyFrame, pl.DataFrame)


def categories_as_text(outcomes: Frame) -> Frame:
    """The frame for output: categoricals as plain text."""
    return outcomes.with_columns(pl.col(pl.Categorical).cast(pl.String))
