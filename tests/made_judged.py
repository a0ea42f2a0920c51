"""Judged pairs of violations that are made up."""

import numpy as np
import polars as pl

from adjudge.evaluations.violations.calibration import PairJudgments
from adjudge.evaluations.violations.span_matching import PARTS, VARIANTS

HA = VARIANTS["ha"]


def simulated(seed, *, judgments=3000, texts=300, weights=HA.weights, threshold=0.5, sharpness=12.0):
    """Judgments by a rule with logistic noise."""
    random = np.random.default_rng(seed)
    values = {part: random.random(judgments) for part in PARTS}
    values["category"] = (values["category"] > 0.4).astype(float)
    score = sum(weights.get(part, 0.0) * values[part] for part in PARTS)
    same = random.random(judgments) < 1 / (1 + np.exp(-sharpness * (score - threshold)))
    groups = np.unique(random.integers(0, texts, judgments), return_inverse=True)[1].astype(np.int64)
    return PairJudgments(pl.DataFrame(values), same, groups)
