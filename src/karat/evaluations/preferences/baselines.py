"""Baselines: figures that a system has to beat."""

import numpy as np
import polars as pl

from karat.errors import DataError, OptionError
from karat.evaluations.preferences.outcomes import Codes, codes_of
from karat.schemas.preferences import MISSING, Judged, Task

PREFIX = "baseline:"


def baselines(gold: Codes, items: pl.DataFrame, task: Task) -> tuple[list[str], list[Codes]]:
    """The names of baselines, which need no system, and their labels.

    majority: the most frequent gold label of each criterion, the first of several; an oracle, since it has seen the
    gold. The first label throughout (`baseline:a` of the usual ones). longer: the label of the longer response, where
    both texts are there and two labels are called A and B; both_good (else A) where both are equally long.
    """
    names = [f"{PREFIX}majority", PREFIX + task.labels[0].lower()]
    found = [majority(gold, len(task.labels)), np.ones_like(gold)]
    longest = longer(items, task)
    if longest is None:
        return names, found
    return [*names, f"{PREFIX}longer"], [*found, np.broadcast_to(longest, gold.shape)]


def majority(gold: Codes, labels: int) -> Codes:
    """The most frequent label of each criterion for every item."""
    counts = np.stack([np.bincount(row[row != MISSING], minlength=labels + 1)[1:] for row in gold])
    most = (1 + counts.argmax(axis=1)).astype(np.uint8)
    return np.repeat(most[:, None], gold.shape[1], axis=1)


def longer(items: pl.DataFrame, task: Task) -> Codes | None:
    """The code of the longer response of each item; None where labels or texts do not tell."""
    a, b = task.code("A"), task.code("B")
    texts = items.select("output_a", "output_b")
    if a is None or b is None or any(texts.null_count().row(0)):
        return None
    tie = task.code("both_good") or a
    lengths = texts.select(pl.all().str.len_chars()).to_numpy()
    codes: Codes = np.select([lengths[:, 0] > lengths[:, 1], lengths[:, 1] > lengths[:, 0]], [a, b], tie)
    return codes.astype(np.uint8)


def constant_labels(predictor: str, items: pl.DataFrame, gold: Judged | None, task: Task, seed: int) -> pl.DataFrame:
    """The labels of a baseline for each item, as a submission. gold: labelled items, for majority.

    Raises DataError where longer lacks a text, OptionError where the labels do not tell which response is longer.
    """
    shape = (len(task.criteria), items.height)
    if predictor == "majority" and gold is not None:
        codes = np.repeat(majority(codes_of(gold.frame, task), len(task.labels))[:, :1], items.height, axis=1)
    elif predictor == "longer":
        codes = np.broadcast_to(_longer_or_error(items, task), shape)
    else:
        codes = np.random.default_rng(seed).integers(1, len(task.labels) + 1, size=shape, dtype=np.uint8)
    words = np.array(task.labels)
    columns = {f"{name}_preference": words[own.astype(int) - 1] for name, own in zip(task.criteria, codes, strict=True)}
    return pl.DataFrame({"id": items["id"], **columns})


def _longer_or_error(items: pl.DataFrame, task: Task) -> Codes:
    found = longer(items, task)
    if found is not None:
        return found
    if task.code("A") is None or task.code("B") is None:
        raise OptionError(f"longer needs labels called A and B; the labels are {', '.join(task.labels)}")
    lacking = items.filter(pl.col("output_a").is_null() | pl.col("output_b").is_null())["id"]
    raise DataError(f'longer needs both texts of every item; item "{lacking[0]:.60}" lacks one of output_a, output_b')
