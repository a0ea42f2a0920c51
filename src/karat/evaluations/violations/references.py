"""Several annotators as references: each text counts with the one whose marks fit the predictions best."""

from collections import Counter

import numpy as np
import polars as pl

from karat.evaluations.violations.likeness import Similarities, similarities_of
from karat.evaluations.violations.matching import Sides, absent_parts, matches, summed, with_categories
from karat.evaluations.violations.rules import Rule, without
from karat.schemas.violations import PLACE, Marked, sorted_spans


def best_of(truth: Marked, predicted: Marked, rule: Rule, similarities: Similarities) -> tuple[pl.DataFrame, str]:
    """The true violations where each text has those of its best annotator, of the highest F1 there; and who that was.

    F1 = 2 matches / (predicted + true), 1 where neither marks anything. Of equal ones the annotator with fewer
    violations counts, then the first. Each text is settled by itself; the M2 scorer (Dahlmeier and Ng 2012) takes the
    annotator that makes the figure over all texts so far the highest, which differs where several are about as good.
    """
    references = (truth, *truth.others)
    ours, *theirs = with_categories([predicted.spans, *(one.spans for one in references)])
    applied = without(rule, absent_parts(ours))
    alike = similarities_of(ours, similarities, [applied])
    height = truth.texts.height
    marked = summed(ours[PLACE], None, height)
    keys = []
    for spans in theirs:
        found = matches(Sides(ours, spans, alike), {"best": applied})["best"]
        matched = summed(ours[PLACE].gather(found["predicted"]), None, height)
        true = summed(spans[PLACE], None, height)
        both = marked + true
        keys.append((np.divide(2 * matched, both, out=np.ones(height), where=both > 0), -true))
    best = np.zeros(height, dtype=np.int64)
    for nth, (f1, fewer) in enumerate(keys):
        best_f1, best_fewer = (np.choose(best, [key[part] for key in keys]) for part in (0, 1))
        best[(f1 > best_f1) | ((f1 == best_f1) & (fewer > best_fewer))] = nth
    chosen = [one.spans.filter(pl.Series(best == nth)[one.spans[PLACE]]) for nth, one in enumerate(references)]
    counts = Counter(best.tolist())
    told = ", ".join(f"{nth + 1} in {counts[nth]:,}" for nth in range(len(references)))
    said = f"each text counts with the annotator who fits {predicted.name} best: of {len(references)}, number {told}"
    return sorted_spans(pl.concat(chosen)), said
