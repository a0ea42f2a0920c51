"""`karat.plan`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf, isfinite, nan, sqrt
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from karat.api import options as common
from karat.api.kinds import Kind, Number, as_given
from karat.api.options import Option, bound, documented
from karat.api.plans import Assumption, Plan, PlanRow
from karat.errors import OptionError, nearest
from karat.estimate import Note

if TYPE_CHECKING:
    from karat.statistics import Design, Pilot

Metric = Annotated[
    str, Option("A figure of any evaluation, such as accuracy or f1.", "NAME", Kind(as_given, str), flag="--metric")
]
Expected = Annotated[Number, Option("The expected value. A share of 0.5 needs the most items.")]
Width = Annotated[Number, Option("The greatest width of the interval: its upper minus its lower limit.")]
Detect = Annotated[Number, Option("The difference between two judges on the same items to detect.")]
Power = Annotated[float, Option("The probability of detecting it, between 0 and 1.", kind=Kind(as_given, float))]
Assurance = Annotated[
    float,
    Option("The probability that the interval is no wider than planned, between 0 and 1.", kind=Kind(as_given, float)),
]
ItemsThere = Annotated[int | None, Option("The number of items there are, to learn what they can show.", "N")]
Discordant = Annotated[Number, Option("The share of items on which only one of the two judges is right.")]
Deviation = Annotated[Number, Option("For figures that are not shares: the standard deviation of single items.")]
ClusterSize = Annotated[Number, Option("Items per cluster (a document, a prompt), with --icc.")]
Icc = Annotated[Number, Option("Intraclass correlation: how alike items of one cluster are, from 0 to 1.")]
PilotRuns = Annotated[
    "Pilot | str | Path | Sequence[str | Path] | None",
    Option(
        "A saved run to take the value, the variances and the clusters from; a second one on the same items also "
        "tells how often two judges differ. --metric then picks the row: accuracy[criterion=safety].",
        "RUN",
        Kind(as_given, list[Path] | None, role="read"),
        flag="--from",
    ),
]

_SAME = 1e-9
"""How far the variance of single items may be from p (1 - p) for them still to be taken as right or wrong."""
_FAR = 1000.0
"""The greatest difference of two means that is searched for, in standard deviations."""
_FEWEST = 2
"""The smallest number of clusters that gives an interval."""


class _Asked(NamedTuple):
    """A question whose numbers are checked. Without items it asks how many are needed."""

    metric: str
    expected: float | None
    width: float | None
    detect: float | None
    power: float
    assurance: float
    items: int | None
    confidence: float
    design: "Design"
    difference_design: "Design"

    @property
    def for_width(self) -> bool:
        return self.width is not None or self.items is not None

    @property
    def for_difference(self) -> bool:
        return self.detect is not None or self.items is not None

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of every function of `karat.statistics.planning`."""
        return {"design": self.design, "confidence": self.confidence}

    @property
    def of_difference(self) -> "_Asked":
        """The same for the difference of two judges, for which clusters have a correlation of their own."""
        return self._replace(design=self.difference_design)


@documented
def plan(
    metric: Metric = "accuracy",
    *,
    expected: Expected = None,
    width: Width = None,
    detect: Detect = None,
    power: Power = 0.8,
    assurance: Assurance = 0.8,
    items: ItemsThere = None,
    discordant: Discordant = None,
    sd: Deviation = None,
    cluster_size: ClusterSize = None,
    icc: Icc = None,
    pilot: PilotRuns = None,
    confidence: common.Confidence = 0.95,
) -> Plan:
    """How many items an interval of some width or a difference between two judges needs; or what N items can show.

    Given width, detect or both, the smallest number of items is found; given items, the width and the smallest
    difference that can be detected. Figures that are shares of items have Wilson's interval and McNemar's mid-P test,
    all others t.

    Arguments
    ---------
    metric: A share is taken to be one of items that are each right or wrong, unless a pilot says otherwise (precision
        over texts, several draws of an answer).
    expected: Needed for shares.
    detect: The second judge is better by this much, or worse where the figure would exceed 1.
    discordant: Without it the answer assumes that the judges err independently, and the answers for the smallest and
        the greatest possible share stand beside it.
    sd: Of what single items add to the figure; for a difference, of the two judges' differences on single items.
    icc: For a difference, the correlation of the differences.
    pilot: Values that are given take precedence over it.

    Returns
    -------
    A Plan. It prints as a sentence per question; `rows` holds the figures, and `to_json()` gives all of it.

    Raises
    ------
    OptionError for a metric that is not known or cannot be planned, and for numbers that are out of range or missing.

    Example
    -------
    >>> import karat
    >>> karat.plan(expected=0.8, width=0.1)
    263 items give an interval no wider than 0.1 with probability 0.8 around accuracy 0.8 (Wilson, 95 %).

    Source: see `karat.statistics.planning`.
    """
    values = bound(plan, locals())
    metric, known = _pilot(metric, pilot)
    share = _is_share(metric) and _is_of_items(known)
    most = 1 if share else inf
    size, alike = _number("cluster_size", cluster_size, 1, inf), _number("icc", icc, 0, 1)
    asked = _Asked(
        metric=metric,
        expected=_number("expected", known.value if expected is None else expected, 0 if share else -inf, most),
        width=_number("width", width, 0, most, inside=True),
        detect=_number("detect", detect, 0, most, inside=True),
        power=_number("power", nan if power is None else power, 0, 1, inside=True) or nan,
        assurance=_number("assurance", nan if assurance is None else assurance, 0, 1, inside=True) or nan,
        items=values["items"],
        confidence=values["confidence"],
        design=_design(size, alike, known, known.design_effect),
        difference_design=_design(size, alike, known, known.difference_effect or known.design_effect),
    )
    _check_question(asked)
    _check_suits(asked, sd=sd, discordant=discordant, share=share)
    if share:
        rows = _of_share(asked, _number("discordant", known.discordant if discordant is None else discordant, 0, 1))
    else:
        rows = _of_mean(asked, _number("sd", sd, 0, inf, inside=True), known)
    return Plan(
        metric=asked.metric,
        expected=asked.expected,
        width=asked.width,
        detect=asked.detect,
        power=asked.power,
        assurance=asked.assurance,
        items=asked.items,
        cluster_size=asked.design.cluster_size,
        design_effect=asked.design.effect,
        confidence=asked.confidence,
        rows=tuple(rows),
    )


def _of_share(asked: _Asked, discordant: float | None) -> Iterator[PlanRow]:
    from karat.statistics import proportion_width

    if asked.for_width:
        p = _expected(asked, "the interval is around it; 0.5 needs the most items")
        method = "wilson" if asked.design.cluster_size is None else "clustered-wilson"
        yield _width_row(
            asked, method, lambda items: proportion_width(items, p, assurance=asked.assurance, **asked.options)
        )
    if asked.for_difference:
        for one in _discordances(asked, discordant):
            yield _share_row(asked.of_difference, *one)


def _of_mean(asked: _Asked, sd: float | None, pilot: "Pilot") -> Iterator[PlanRow]:
    from karat.statistics import mean_width, paired_t_power

    if asked.for_width:
        spread = _deviation(asked.metric, sd, pilot.item_variance, "what single items add to it")

        def width_of(items: int) -> float:
            return mean_width(items, spread, assurance=asked.assurance, **asked.options)

        row = replace(_width_row(asked, "t", width_of), sd=spread)
        unknown = asked.detect is None and sd is None and pilot.difference_variance is None
        if asked.for_difference and unknown:
            yield replace(row, notes=(*row.notes, Note.NO_SECOND_RUN))
            return
        yield row
    if asked.for_difference:
        asked = asked.of_difference
        of_what = "two judges' differences on single items"
        apart = _deviation(asked.metric, sd, pilot.difference_variance, of_what, "a pilot of two runs")

        def power_of(items: int, difference: float) -> float:
            return paired_t_power(items, difference, apart, **asked.options)

        row = _difference_row(asked, "t", power_of, [_FAR * apart])
        yield replace(row, sd=apart, notes=_few(asked.design, row.items, Note.APPROXIMATE))


def _share_row(asked: _Asked, assumption: Assumption, discordant_at: Callable[[float], float]) -> PlanRow:
    """The difference of two shares; which share of items is discordant follows from it."""
    from karat.statistics import paired_difference_power

    def power_of(items: int, difference: float) -> float:
        return paired_difference_power(items, difference, discordant_at(difference), **asked.options)

    p = asked.expected or 0.0
    reaches = [discordant_at(0)] if assumption == "given" else [1 - p, p]  # first a better judge, then a worse one
    row = _difference_row(asked, "mcnemar-mid-p" if asked.design.independent else "t", power_of, reaches)
    row = replace(row, assumption=assumption)
    if row.difference is None:
        return replace(row, discordant=discordant_at(0) if assumption == "given" else None)
    discordant = discordant_at(row.difference)
    notes = _few_discordant(asked, row.items, discordant)
    if assumption != "given" and _only_worse(p, row.difference):
        notes = (*notes, Note.OTHER_IS_WORSE)
    return replace(row, discordant=discordant, notes=notes)


def _discordances(asked: _Asked, given: float | None) -> list[tuple[Assumption, Callable[[float], float]]]:
    """From a difference to the share of discordant items: the one that is given, or those that two judges can have."""
    from karat.statistics import discordance

    if given is not None:
        return [("given", lambda _: given)]
    p = _expected(asked, "or discordant; it tells on how many items two judges can differ")
    return [
        ("independent", lambda difference: discordance(p, difference).independent),
        ("least", lambda difference: discordance(p, difference).least),
        ("most", lambda difference: discordance(p, difference).most),
    ]


def _width_row(asked: _Asked, method: str, width_of: Callable[[int], float]) -> PlanRow:
    from karat.statistics import fewest_items

    items, wanted = asked.items, asked.width or nan
    if items is None:
        items = fewest_items(lambda n: width_of(n) <= wanted, design=asked.design)
    notes = _few(asked.design, items, Note.APPROXIMATE if method == "t" else _clusters_note(asked, items))
    return PlanRow("width", items, *_counts(asked.design, items), method=method, width=width_of(items), notes=notes)


def _difference_row(
    asked: _Asked, method: str, power_of: Callable[[int, float], float], reaches: Sequence[float]
) -> PlanRow:
    """The items that a difference needs; or the difference that items show, the first below one of the reaches."""
    from karat.statistics import fewest_items, smallest_difference

    if asked.items is None:
        difference, wobbles = asked.detect, method == "mcnemar-mid-p"
        wanted = asked.detect or nan
        items = fewest_items(lambda n: power_of(n, wanted) >= asked.power, design=asked.design, steady=not wobbles)
    else:
        items = asked.items
        found = (smallest_difference(lambda gap: power_of(items, gap), asked.power, reach) for reach in reaches)
        difference = next((one for one in found if one is not None), None)
    power = None if difference is None else power_of(items, difference)
    counts = _counts(asked.design, items)
    return PlanRow("difference", items, *counts, method=method, difference=difference, power=power)


def _counts(design: "Design", items: int) -> tuple[int | None, int]:
    """How many clusters items are, and how many independent items they are worth."""
    return design.clusters(items), round(design.worth(items))


def _few(design: "Design", items: int, in_clusters: Note | None) -> tuple[Note, ...]:
    """What an interval or a test by items, or clusters, as few as these cannot promise."""
    from karat.statistics.proportions import FEW_ITEMS, MANY_CLUSTERS

    clusters = design.clusters(items)
    if clusters is None:
        return (Note.FEW_ITEMS,) if items < FEW_ITEMS else ()
    return (in_clusters,) if in_clusters and clusters < MANY_CLUSTERS else ()


def _clusters_note(asked: _Asked, items: int) -> Note | None:
    from karat.statistics.proportions import clusters_note

    return clusters_note(asked.design.clusters(items) or 0, asked.confidence)


def _few_discordant(asked: _Asked, items: int, discordant: float) -> tuple[Note, ...]:
    from karat.statistics.proportions import FEW_DECIDED, FEW_ITEMS

    if not asked.design.independent:
        return _few(asked.design, items, Note.APPROXIMATE)
    few = items < FEW_ITEMS or items * discordant < FEW_DECIDED
    return (Note.FEW_DISCORDANT_ITEMS,) if few else ()


def _only_worse(expected: float, difference: float) -> bool:
    from karat.statistics.planning import above_one

    return above_one(expected, difference)


def _is_share(metric: object) -> bool:
    """Whether a figure is a share of items. Raises OptionError for one that cannot be planned."""
    from karat.evaluations import NAMES, evaluation

    known = {name: about for one in NAMES for name, about in evaluation(one).metrics.items() if about.decimals is None}
    if not isinstance(metric, str) or metric not in known:
        hint = nearest(str(metric), known)
        raise OptionError(f'metric: expected a figure of an evaluation, such as accuracy or f1; got "{metric}"{hint}')
    return known[metric].share


def _is_of_items(pilot: "Pilot") -> bool:
    """Whether a pilot's items are each right or wrong, as far as it says.

    Elsewhere a share behaves like a mean: over texts with several spans, over answers that were drawn several times.
    """
    if pilot.value is None or pilot.item_variance is None:
        return True
    return abs(pilot.item_variance - pilot.value * (1 - pilot.value)) < _SAME


def _pilot(metric: str, pilot: object) -> tuple[str, "Pilot"]:
    """The figure's name, and what is known of it."""
    from karat.api.pilots import pilot_of
    from karat.statistics import Pilot

    if pilot is None or isinstance(pilot, Pilot):
        return metric, pilot or Pilot()
    runs = [pilot] if isinstance(pilot, str | Path) else pilot
    if not (isinstance(runs, list | tuple) and all(isinstance(run, str | Path) for run in runs)):
        raise OptionError(f"pilot: expected a karat.statistics.Pilot, or paths of saved runs; got {pilot!r:.60}")
    return pilot_of(runs, metric)


def _design(cluster_size: float | None, icc: float | None, pilot: "Pilot", effect: float | None) -> "Design":
    """How items hang together: as given, else as in the pilot, else not at all."""
    from karat.statistics import Design, clustered_design

    many = pilot.items and pilot.clusters and pilot.items > pilot.clusters
    piloted = (pilot.items or 1) / (pilot.clusters or 1) if many else None
    if cluster_size is not None and icc is None:
        raise OptionError("icc: expected it beside cluster_size: how alike the items of a cluster are, 0 to 1")
    if icc is not None:
        size = cluster_size or piloted
        if size is None:
            raise OptionError("cluster_size: expected it beside icc: how many items a cluster has")
        return clustered_design(size, icc, unevenness=pilot.unevenness)
    return Design() if effect is None else Design(max(effect, 1.0), piloted, pilot.unevenness if piloted else 1.0)


def _check_question(asked: _Asked) -> None:
    if asked.items is None and asked.width is None and asked.detect is None:
        raise OptionError("expected width or detect, to learn how many items they need, or items; got none of them")
    if asked.items is None:
        return
    if asked.width is not None or asked.detect is not None:
        raise OptionError("items: expected without width and detect: it asks which width and difference come out")
    if asked.items < 1 or (asked.design.cluster_size is not None and asked.design.units(asked.items) < _FEWEST):
        wanted = "1" if asked.design.cluster_size is None else "two clusters"
        raise OptionError(f"items: expected at least {wanted}; got {asked.items}")


def _check_suits(asked: _Asked, *, sd: object, discordant: object, share: bool) -> None:
    if share and sd is not None:
        raise OptionError(f"sd: expected none for {asked.metric}, a share of items: it follows from expected")
    if discordant is not None and not (share and asked.for_difference):
        raise OptionError("discordant: expected only where two judges' shares are compared, with detect or items")


def _expected(asked: _Asked, why: str) -> float:
    if asked.expected is None:
        raise OptionError(f"expected: expected the share that {asked.metric} may come to ({why})")
    return asked.expected


def _deviation(metric: str, sd: float | None, variance: float | None, of_what: str, pilot: str = "a pilot") -> float:
    if sd is not None:
        return sd
    if variance is None or not variance > 0:
        raise OptionError(f"sd: {metric} is no share of items; give the standard deviation of {of_what}, or {pilot}")
    return sqrt(variance)


def _number(name: str, value: object, low: float, high: float, *, inside: bool = False) -> float | None:
    """A finite number from low to high, with inside between them; None for None."""
    if value is None:
        return None
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if isfinite(number) and (low < number < high if inside else low <= number <= high):
        return number
    wanted = "a number"
    if high < inf:
        wanted += f" {'between' if inside else 'from'} {low:g} {'and' if inside else 'to'} {high:g}"
    elif low > -inf:
        wanted += f" {'above' if inside else 'from'} {low:g}"
    raise OptionError(f"{name}: expected {wanted}; got {value!r:.60}")
