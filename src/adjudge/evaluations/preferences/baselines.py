"""Baselines: metrics that a system has to beat."""

import numpy as np
import polars as pl

from adjudge.errors import DataError, OptionError
from adjudge.evaluations.preferences.outcomes import Codes, codes_of
from adjudge.schemas.preferences import MISSING, JudgedItems, Task
from adjudge.spec import BASELINE_PREFIX

MAJORITY, LONGER = "majority", "longer"


def baselines(gold: Codes, items: pl.DataFrame, task: Task) -> tuple[list[str], list[Codes]]:
    """The names of baselines, which need no system, and their labels.

    majority: the most frequent gold label of each criterion, the first of several; an oracle, since it has seen the
    gold. The first label throughout (`baseline:a` of the usual ones). longer: the label of the longer response, where
    there are texts and two labels are called A and B; both_good (else A) where both are equally long.
    """
    names = [BASELINE_PREFIX + MAJORITY, BASELINE_PREFIX + task.labels[0].lower()]
    codes = [majority_labels(gold, len(task.labels)), np.ones_like(gold)]
    longest = longer_labels(items, task)
    if longest is None:
        return names, codes
    return [*names, BASELINE_PREFIX + LONGER], [*codes, np.broadcast_to(longest, gold.shape)]


def majority_labels(gold: Codes, labels: int) -> Codes:
    """The most frequent label of each criterion for every item."""
    counts = np.stack([np.bincount(row[row != MISSING], minlength=labels + 1)[1:] for row in gold])
    most = (1 + counts.argmax(axis=1)).astype(np.uint8)
    return np.repeat(most[:, None], gold.shape[1], axis=1)


def longer_labels(items: pl.DataFrame, task: Task) -> Codes | None:
    """The code of the longer response of each item; None where the labels do not tell, or a side has no text at all."""
    texts = items.select("output_a", "output_b")
    if not {"A", "B"} <= set(task.labels) or items.height in texts.null_count().row(0):
        return None
    a, b = task.code("A") or 0, task.code("B") or 0
    tie = task.code("both_good") or a
    lengths = items.select(pl.col("output_a", "output_b").str.len_chars().fill_null(0)).to_numpy()
    codes: Codes = np.select([lengths[:, 0] > lengths[:, 1], lengths[:, 1] > lengths[:, 0]], [a, b], tie)
    return codes.astype(np.uint8)


def empty_responses(items: pl.DataFrame) -> int:
    """How many items lack one of the responses, or both."""
    return items.filter(pl.any_horizontal(pl.col("output_a", "output_b").is_null())).height


def constant_labels(items: pl.DataFrame, gold: JudgedItems | None, task: Task) -> pl.DataFrame:
    """The most frequent label of gold, or without gold the label of the longer response, for each item.

    Returns them as a submission. Raises DataError where there is neither gold nor a text, OptionError where the labels
    do not tell which response is longer.
    """
    if gold is not None:
        codes = np.repeat(majority_labels(codes_of(gold.frame, task), len(task.labels))[:, :1], items.height, axis=1)
    elif (longest := longer_labels(items, task)) is not None:
        codes = np.broadcast_to(longest, (len(task.criteria), items.height))
    elif task.code("A") is None or task.code("B") is None:
        raise OptionError("longer needs labels called A and B", option="predictor", found=", ".join(task.labels))
    else:
        raise DataError("longer needs the texts output_a and output_b; one of the two is there for no item")
    words = np.array(task.labels)
    columns = {f"{name}_preference": words[own.astype(int) - 1] for name, own in zip(task.criteria, codes, strict=True)}
    return pl.DataFrame({"id": items["id"], **columns})
