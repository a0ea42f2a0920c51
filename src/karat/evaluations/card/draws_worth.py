"""What several draws of a judge are worth against people: of labels their majority, of places their mean."""

from collections.abc import Iterator

import numpy as np
import polars as pl

from karat.estimate import Estimate
from karat.evaluations.card.beside import Codes, units_of
from karat.evaluations.card.draws import Draws, Floats
from karat.evaluations.card.reading import NOMINAL
from karat.figures.tables import Keys, figure_row
from karat.statistics.comparison import Comparison, linearised_difference, paired_t
from karat.statistics.draws import components, majority_scores, stepped_up
from karat.statistics.proportions import mapped
from karat.statistics.scores import mean_change, mean_score, sums_of

SIZES = (1, 2, 3, 5, 10)
"""How many draws are asked to be worth it."""

Sized = tuple[int, str, Comparison]
"""How many draws, the figure's name, and what was found."""


def worth(draws: Draws, people: pl.DataFrame, level: str, keys: Keys, confidence: float) -> list[Keys]:
    """Rows of a table of tests, without p_adjusted."""
    found = list[Sized]()
    if level in (NOMINAL, "ordinal"):
        found += _of_majorities(draws, people, confidence)
    if level != NOMINAL:
        found += _of_means(draws, people, confidence)
    return [
        {**figure_row({**keys, "draws": float(size)}, metric, one.estimate), "p": one.p} for size, metric, one in found
    ]


def has_majorities(draws: Draws) -> bool:
    """Whether any item has so many draws that their majority may be another label than one draw's."""
    return bool((draws.each > 2).any())  # noqa: PLR2004 - two draws agree or tie: they are worth one


def _of_majorities(draws: Draws, people: pl.DataFrame, confidence: float) -> Iterator[Sized]:
    """Of sizes that some items have as many draws as; nothing where the majority is that of one draw."""
    if not has_majorities(draws):
        return
    shares = people.with_columns(pl.col("item", "label").cast(pl.String)).group_by("item")
    columns = [str(nth) for nth in range(len(draws.labels))]
    given = shares.agg(
        (pl.col("label") == name).mean().alias(nth) for nth, name in zip(columns, draws.labels, strict=True)
    )
    joined = draws.items.select("item").join(given, on="item", how="left", maintain_order="left")
    scores = joined.select(pl.col(columns).cast(pl.Float64)).to_numpy()
    units, known = units_of(draws.items), ~np.isnan(scores[:, 0])
    for size in (one for one in SIZES if one != 2):  # noqa: PLR2004 - two draws agree or tie: they are worth one
        held = known & (draws.each >= size)
        if held.any():
            own = None if units is None else units[held]
            of_size, of_one = (majority_scores(draws.counts[held], scores[held], one).round(12) for one in (size, 1))
            yield size, "majority_agreement", Comparison(mean_score(of_size, own, confidence=confidence), None)
            if size > 1:
                gain = mean_change((of_size - of_one).round(12), own, confidence=confidence)
                yield size, "majority_gain", gain


def _of_means(draws: Draws, people: pl.DataFrame, confidence: float) -> Iterator[Sized]:
    """Of any size: the part of squared distances that draws add falls with their number."""
    theirs = people.with_columns(pl.col("item").cast(pl.String)).group_by("item").agg(pl.col("place").mean())
    joined = draws.items.join(theirs, on="item", how="left", maintain_order="left")
    centre = joined["place"].to_numpy().astype(np.float64)
    held, units = ~np.isnan(centre), units_of(draws.items)
    each, sums, squares = draws.each[held], draws.sums[held], draws.squares[held]
    own = None if units is None else units[held]
    spread = (squares - sums**2 / each) / (each - 1)
    single = squares / each - 2 * centre[held] * sums / each + centre[held] ** 2
    correlation = components(draws.sums[:, None], draws.squares, draws.each, units, confidence=confidence).correlation
    for size in SIZES:
        distances = single - (1 - 1 / size) * spread
        yield size, "mean_error", Comparison(_root(distances, own, confidence), None)
        if size > 1:
            yield size, "mean_gain", _gain(distances, single, own, confidence)
        yield size, "reliability_of_mean", Comparison(_stepped(correlation, size), None)


def _root(distances: Floats, units: Codes | None, confidence: float) -> Estimate:
    """The root of a mean of squared distances; they are unbiased, and may come out below 0."""
    sums, sizes = sums_of(distances, units)
    found = paired_t(sums, totals=None if units is None else sizes, confidence=confidence).estimate
    return mapped(found, lambda one: float(np.sqrt(max(one, 0.0))))


def _gain(several: Floats, single: Floats, units: Codes | None, confidence: float) -> Comparison:
    """The root of one mean less that of another, by linearisation."""
    if not len(single):
        return Comparison(Estimate.undefined("no item that people labelled", confidence=confidence), None)
    one, other = (float(np.sqrt(max(part.mean(), 0.0))) for part in (several, single))
    if not one or not other:
        return Comparison(Estimate.undefined("the mean is where people's mean is", confidence=confidence), None)
    moved = (several - several.mean()) / (2 * one) - (single - single.mean()) / (2 * other)
    sums, sizes = sums_of(moved / len(single), units)
    return linearised_difference(one - other, sums, sizes=sizes, confidence=confidence)


def _stepped(correlation: Estimate, size: int) -> Estimate:
    return mapped(correlation, lambda one: stepped_up(one, size))
