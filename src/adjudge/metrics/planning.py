"""Plans: the sample size for a question, or the precision and power of existing items."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, nan
from typing import Literal

import numpy as np

from adjudge.errors import OptionError
from adjudge.estimate import Caveat
from adjudge.metrics.cells import Floats, Integers, PairedCells, sums_by_unit
from adjudge.metrics.comparison import count_collected, map_metrics
from adjudge.metrics.difference import ItemParts, linearise_pairs, linearise_parts
from adjudge.metrics.metric import Metric
from adjudge.metrics.run_matching import MatchedRuns
from adjudge.metrics.tables import Keys
from adjudge.statistics import planning as samples
from adjudge.statistics.proportions import FEW_DECIDED, FEW_ITEMS, MANY_CLUSTERS, clusters_note

Assumption = Literal["given", "independent", "least", "most"]
"""The origin of a share of discordant items: given, from judges that err independently, or an end of its range."""

_FAR = 1000.0
"""The upper end of the search for a difference of two means, in standard deviations."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One answer of a plan.

    question: the "width" of an interval, or the "difference" of two judges on the same items. items: to collect, or
    existing. bearing: how many of them are relevant to the metric; None if all are.
    clusters: their number; None for independent items. n: the effective sample size.
    width: the most that the interval has, with `assurance`. difference: detected with `power`, or None. discordant: the
    share of items on which only one judge is right. assumption: the origin of that share. sd: of single items' terms
    in the metric, or in the difference, if it is no share. method: of the interval or the test. caveats: theirs.
    """

    question: Literal["width", "difference"]
    items: int
    clusters: int | None
    n: int
    method: str
    bearing: int | None = None
    width: float | None = None
    difference: float | None = None
    power: float | None = None
    discordant: float | None = None
    assumption: Assumption | None = None
    sd: float | None = None
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The checked numbers of a request for a plan.

    metric, expected, width, detect, power, assurance, items, confidence: arguments of `adjudge.plan`; expected may be
    a pilot's. cluster_size: None for independent items. design_effect: how many items are worth one independent
    one.
    """

    metric: str
    expected: float | None
    width: float | None
    detect: float | None
    power: float
    assurance: float
    items: int | None
    cluster_size: float | None
    design_effect: float
    confidence: float


@dataclass(frozen=True, slots=True)
class PlanInputs(PlanRequest):
    """The inputs of a plan: the request, which without items asks for their number, and the data behind it.

    share: whether single items are right or wrong.
    discordant: as passed, or a pilot's. sd, difference_sd: for metrics that are no shares, the standard deviations of
    items' terms in the metric, and in the difference of two judges. design, difference_design: the clusters for
    either. bearing: the share of items relevant to the metric.
    """

    share: bool
    discordant: float | None
    sd: float | None
    difference_sd: float | None
    design: samples.Design
    difference_design: samples.Design
    bearing: float = 1.0


def plan_rows(request: PlanInputs) -> Iterator[PlanRow]:
    """The rows of a plan. Raises OptionError if a required number is missing."""
    given = request.items
    items = None if given is None else max(round(given * request.bearing), 1)
    bearing = replace(request, items=items)
    alone = items is not None and not request.share and request.difference_sd is None
    rows: list[PlanRow] = []
    if items is not None or request.width is not None:
        row = _width(bearing)
        rows.append(replace(row, caveats=(*row.caveats, Caveat.NO_SECOND_RUN)) if alone else row)
    if not alone and (items is not None or request.detect is not None):
        rows += _share_differences(bearing) if request.share else [_mean_difference(bearing)]
    for row in rows:
        collected = replace(row, items=given or ceil(row.items / request.bearing), bearing=row.items)
        yield row if request.bearing == 1 else collected


def _width(request: PlanInputs) -> PlanRow:
    """The items for a width, or the width from so many items."""
    design, wanted, sd = request.design, request.width or nan, None
    if request.share:
        p = _expected_share(request, "the interval is around it; 0.5 needs the most items")
        method = "wilson" if design.cluster_size is None else "clustered-wilson"
        width_at = partial(samples.proportion_width, expected=p)
    else:
        method, sd = "t", _deviation(request, request.sd, "what single items add to it", "a pilot")
        width_at = partial(samples.mean_width, sd=sd)
    width_of = partial(width_at, assurance=request.assurance, design=design, confidence=request.confidence)
    items = request.items or samples.fewest_items(lambda n: width_of(n) <= wanted, design=design)
    rough = Caveat.APPROXIMATE if method == "t" else clusters_note(design.clusters(items) or 0, request.confidence)
    notes = _small_sample_caveats(design, items, rough)
    clusters, n = design.clusters(items), round(design.effective_items(items))
    return PlanRow("width", items, clusters, n, method, width=width_of(items), sd=sd, caveats=notes)


def _mean_difference(request: PlanInputs) -> PlanRow:
    """The difference of two means."""
    sd = _deviation(request, request.difference_sd, "two judges' differences on single items", "a pilot of two runs")
    design = request.difference_design
    power_of = partial(samples.paired_t_power, sd=sd, design=design, confidence=request.confidence)
    row = _difference(request, "t", power_of, [_FAR * sd])
    return replace(row, sd=sd, caveats=_small_sample_caveats(design, row.items, Caveat.APPROXIMATE))


def _share_differences(request: PlanInputs) -> Iterator[PlanRow]:
    """The difference of two shares, by the given share of discordant items or by the possible ones."""
    given, design, p = request.discordant, request.difference_design, nan
    power = partial(samples.paired_difference_power, design=design, confidence=request.confidence)
    assumptions: tuple[Assumption, ...] = ("given",)
    if given is None:
        p = _expected_share(request, "or discordant; it tells on how many items two judges can differ")
        assumptions = ("independent", "least", "most")
    for assumption in assumptions:

        def discordant_at(difference: float, assumption: str = assumption) -> float:
            return float(getattr(samples.discordance(p, difference), assumption)) if given is None else given

        def power_of(items: int, difference: float, at: Callable[[float], float] = discordant_at) -> float:
            return power(items, difference, at(difference))

        method, reaches = "mcnemar-mid-p" if design.independent else "t", [1 - p, p] if given is None else [given]
        row = replace(_difference(request, method, power_of, reaches), assumption=assumption, discordant=given)
        if row.difference is None:
            yield row
            continue
        discordant = discordant_at(row.difference)
        few = row.items < FEW_ITEMS or row.items * discordant < FEW_DECIDED
        caveats: tuple[Caveat, ...] = (Caveat.FEW_DISCORDANT_ITEMS,) if few else ()
        if not design.independent:
            caveats = _small_sample_caveats(design, row.items, Caveat.APPROXIMATE)
        if given is None and samples.above_one(p, row.difference):
            caveats = (*caveats, Caveat.OTHER_IS_WORSE)
        yield replace(row, discordant=discordant, caveats=caveats)


def _difference(
    request: PlanInputs, method: str, power_of: Callable[[int, float], float], reaches: Sequence[float]
) -> PlanRow:
    """The items for a difference; or the detectable difference of so many items, the first below one of the reaches."""
    design, difference = request.difference_design, request.detect
    if request.items is None:
        wanted, steady = request.detect or nan, method != "mcnemar-mid-p"
        items = samples.fewest_items(lambda n: power_of(n, wanted) >= request.power, design=design, steady=steady)
    else:
        items = request.items
        least = request.power
        gaps = (samples.smallest_difference(lambda gap: power_of(items, gap), least, reach) for reach in reaches)
        difference = next((one for one in gaps if one is not None), None)
    power = None if difference is None else power_of(items, difference)
    clusters, n = design.clusters(items), round(design.effective_items(items))
    return PlanRow("difference", items, clusters, n, method, difference=difference, power=power)


def _small_sample_caveats(design: samples.Design, items: int, in_clusters: Caveat | None) -> tuple[Caveat, ...]:
    """The caveats of an interval or a test with so few items or clusters."""
    clusters = design.clusters(items)
    if clusters is None:
        return (Caveat.FEW_ITEMS,) if items < FEW_ITEMS else ()
    return (in_clusters,) if in_clusters and clusters < MANY_CLUSTERS else ()


def _expected_share(request: PlanInputs, why: str) -> float:
    if request.expected is None:
        raise OptionError(f"is missing: the share that {request.metric} may come to ({why})", option="expected")
    return request.expected


def _deviation(request: PlanInputs, sd: float | None, of_what: str, pilot: str) -> float:
    if not sd:
        problem = f"{request.metric} is planned as a mean, from the standard deviation of {of_what}, above 0"
        raise OptionError(f"is missing: {problem}; give it, or {pilot}", option="sd")
    return sd


def pilots(data: MatchedRuns) -> Iterator[Keys]:
    """Pilot estimates of each metric from two runs. A single run serves as both, without differences.

    Rows with the keys of the table `comparison`, the metric, and the pilot.
    """
    metrics = [metric for metric in data.view.metrics if not metric.table]
    count = count_collected(data, ["judge"])
    for keys, metric, pilot in map_metrics(data, metrics, partial(_pilot, alone=data.first is data.second)):
        if pilot is not None:
            yield {**keys, "metric": metric.name, "pilot": replace(pilot, collected=count(keys) or None)}


def _pilot(metric: Metric, rows: PairedCells | ItemParts, *, alone: bool) -> samples.Pilot | None:
    """The pilot estimate of a metric, from the influence of rows on the first run's value and on the difference."""
    if isinstance(rows, ItemParts):
        parts = linearise_parts(metric, rows)
        value, other, change, discordant = parts.before, parts.after, parts.difference_influence, None
        moved, apart = (one.influence.mean(axis=1) for one in (parts.first_influence, change))
        counts, units = change.counts, change.clusters
    else:
        both, before, after, *_ = linearise_pairs(metric, rows)
        value, other, discordant = before.value, after.value, metric.discordant_share(both)
        moved = before.influence[both.first]
        apart = after.influence[both.second] - moved
        counts, units = both.counts, both.units
    if value is None:
        return None
    variance, effect, clusters, unevenness = _variance(moved, counts, units)
    pilot = samples.Pilot(value, variance, effect, int(counts.sum()), clusters, unevenness)
    if alone or other is None:
        return pilot
    variance_apart, effect_apart, *_ = _variance(apart, counts, units)
    return replace(pilot, discordant=discordant, difference_variance=variance_apart, difference_effect=effect_apart)


def _variance(
    influence: Floats, counts: Integers, units: Integers | None
) -> tuple[float, float | None, int | None, float]:
    """The variance of single items, its inflation by clusters (a factor from 1), their number and unevenness."""
    items, single = int(counts.sum()), float(counts @ influence**2)
    if units is None or not single:
        return items * single, None, None, 1.0
    summed = sums_by_unit(units, influence, counts)
    sizes = sums_by_unit(units, np.ones(len(influence)), counts)
    together = len(summed) / max(len(summed) - 1, 1) * float(summed @ summed)
    unevenness = len(sizes) * float(sizes @ sizes) / float(sizes.sum()) ** 2
    return items * single, max(together / single, 1.0), len(summed), max(unevenness, 1.0)
