"""`adjudge.plan`."""

import re
from collections.abc import Sequence
from dataclasses import fields
from math import inf, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.api.functions import takes
from adjudge.api.options import PlanOptions
from adjudge.api.reports import runs_of
from adjudge.errors import OptionError, closest, flag_name
from adjudge.evaluations import all_metrics, declaration_of, view_of
from adjudge.options.kinds import number
from adjudge.report import key_columns
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.metrics.planning import PlanInputs
    from adjudge.render.plan import Plan
    from adjudge.statistics.planning import Design, Pilot


_SAME = 1e-9
"""The tolerance at which the variance of single items equals p (1 - p), as for right or wrong items."""
_FEWEST = 2
"""The smallest number of clusters that gives an interval."""


@takes(PlanOptions)
def plan(options: PlanOptions) -> "Plan":
    """How many items an interval of some width or a difference between two judges needs; or what N items can show.

    Given width, detect or both, the smallest number of items is found; given items, the width and the smallest
    difference that can be detected. Metrics that are shares of items have Wilson's interval and McNemar's mid-P test,
    all others t.

    Returns
    -------
    A Plan. It prints as a sentence per question; `rows` holds the numbers, and `to_json()` gives all of it.

    Raises
    ------
    OptionError for a metric that is unknown or cannot be planned, and for numbers that are out of range or missing.

    Example
    -------
    >>> import adjudge
    >>> adjudge.plan(expected=0.8, width=0.1)
    263 items give a 95% CI at most 10 pp wide around accuracy 80% (in 80% of samples, Wilson).

    Source: see `adjudge.statistics.planning`.
    """
    from adjudge.metrics.planning import PlanRequest, plan_rows
    from adjudge.render.plan import Plan

    metric, known = _pilot(options.metric, options.pilot)
    asked = _question(options, metric, known)
    _check(asked, sd=options.sd, discordant=options.discordant)
    return Plan(**{one.name: getattr(asked, one.name) for one in fields(PlanRequest)}, rows=tuple(plan_rows(asked)))


def _question(options: PlanOptions, metric: str, known: "Pilot") -> "PlanInputs":
    """The inputs of a plan, from the options and the known properties of the metric."""
    from adjudge.metrics.planning import PlanInputs

    # Otherwise a share behaves like a mean: over texts with several spans, over answers with repeated runs.
    value, variance = known.value, known.item_variance
    right_or_wrong = value is None or variance is None or abs(variance - value * (1 - value)) < _SAME
    share, spread = _is_share(metric) and right_or_wrong, options.sd
    most, expected = 1 if share else inf, value if options.expected is None else options.expected
    width, detect = (
        None if value is None else number(name, value, 0, most, inside=True)
        for name, value in (("width", options.width), ("detect", options.detect))
    )
    design = _design(known, known.design_effect)
    return PlanInputs(
        power=options.power,
        assurance=options.assurance,
        items=options.items,
        confidence=options.ci_level,
        metric=metric,
        expected=None if expected is None else number("expected", expected, 0 if share else -inf, most),
        width=width,
        detect=detect,
        cluster_size=design.cluster_size,
        design_effect=design.effect,
        share=share,
        discordant=known.discordant if options.discordant is None else options.discordant,
        sd=_root(known.item_variance) if spread is None else spread,
        difference_sd=_root(known.difference_variance) if spread is None else spread,
        design=design,
        difference_design=_design(known, known.difference_effect or known.design_effect),
        bearing=known.items / known.collected if known.items and known.collected else 1.0,
    )


def _root(variance: float | None) -> float | None:
    return None if variance is None else sqrt(max(variance, 0.0))


def _is_share(metric: str) -> bool:
    """Whether a metric is a share of items. Raises OptionError for one that cannot be planned."""
    known = {name: about for name, about in all_metrics().items() if about.decimals is None}
    if metric not in known:
        raise OptionError(
            f'expected a metric, such as accuracy or f1; got "{metric}"',
            option="metric",
            fix=closest(metric, known),
        )
    return known[metric].share


def _pilot(metric: str, pilot: object) -> tuple[str, "Pilot"]:
    """The metric's name, and its known properties."""
    from adjudge.statistics.planning import Pilot

    if pilot is None or isinstance(pilot, Pilot):
        return metric, pilot or Pilot()
    runs = [pilot] if isinstance(pilot, str | Path) else pilot
    if not (isinstance(runs, list | tuple) and all(isinstance(run, str | Path) for run in runs)):
        raise OptionError(
            f"expected {NAME}.statistics.planning.Pilot, or paths of saved runs; got {pilot!r:.60}", option="pilot"
        )
    return pilot_of(runs, metric)


def _design(pilot: "Pilot", effect: float | None) -> "Design":
    """The clusters of items: as in the pilot, else none."""
    from adjudge.statistics.planning import Design

    if effect is None:
        return Design()
    size = pilot.items / pilot.clusters if pilot.items and pilot.clusters and pilot.items > pilot.clusters else None
    return Design(max(effect, 1.0), size, pilot.unevenness if size else 1.0)


def _check(asked: "PlanInputs", *, sd: object, discordant: object) -> None:
    """Raises OptionError for inconsistent options."""
    from adjudge.statistics.planning import LEAST_CONFIDENCE

    items, wanted = asked.items, asked.width is not None or asked.detect is not None
    if (items is None) is not wanted:
        raise OptionError(f"expected {flag_name('width')} or {flag_name('detect')}, or {flag_name('items')} alone")
    clustered = asked.design.cluster_size is not None
    if items is not None and clustered and asked.design.units(items) < _FEWEST:
        raise OptionError(f"expected at least two clusters; got {items}", option="items")
    if (asked.detect or items) is not None and asked.confidence < LEAST_CONFIDENCE:
        raise OptionError(
            f"expected a number from {LEAST_CONFIDENCE} for a test; got {asked.confidence!r}", option="ci_level"
        )
    if asked.share and sd is not None:
        raise OptionError(f"expected none for {asked.metric}, a share of items: it follows from expected", option="sd")
    if discordant is not None and not (asked.share and (asked.detect or items) is not None):
        raise OptionError("expected only if two judges' shares are compared, with detect or items", option="discordant")


# --- pilots from saved runs ---


_MOST_RUNS = 2


def pilot_of(runs: Sequence[str | Path], metric: str) -> tuple[str, "Pilot"]:
    """The pilot for a metric from one saved run, or from two on the same items, which also show judges' differences.

    runs: one or two paths, as in `adjudge.compare`. metric: a metric, or one with keys that select its row:
    accuracy[criterion=safety,judge=north]; by default the row that gates read, such as the average. Returns the
    metric's name and its pilot.
    Raises OptionError if no row matches, or several do; otherwise as `adjudge.compare`.
    """
    from adjudge.gates.gate import SUBJECT, parse_keys
    from adjudge.metrics.planning import pilots
    from adjudge.metrics.row_selection import check_rows_exist, select_rows, subject_text
    from adjudge.metrics.run_matching import match_runs, pair_judges

    if not 1 <= len(runs) <= _MOST_RUNS:
        raise OptionError(f"expected one saved run, or two on the same items; got {len(runs)}", option="pilot")
    match = re.fullmatch(SUBJECT, metric)
    if match is None:
        raise OptionError(
            f"expected a metric, or one with keys such as accuracy[judge=north]; got {metric:.200}", option="metric"
        )
    name, keys = match["metric"], parse_keys(match["keys"])
    first, second = (read := runs_of(runs))[0], read[-1]
    judges, _ = pair_judges(first, second)
    known = [row for data in match_runs(first, second, judges, view_of(first.evaluation)) for row in pilots(data)]
    about = declaration_of(first.evaluation)  # whose judge gates call the pilots' column of judges
    keys = {"judge" if key == about.judge and known and key not in known[0] else key: one for key, one in keys.items()}
    check_rows_exist(f"{first.name} has", known, name, keys, "metric", metric)
    found = select_rows(known, name, keys, about)
    if len(found) == 1:
        return name, found[0]["pilot"]
    rows = found or [row for row in known if row["metric"] == name]
    apart = [key for key in key_columns(rows[0]) if key != "pilot" and len({row.get(key) for row in rows}) > 1]
    what = f"{len(found)} rows answer" if found else "no row answers"
    fix = subject_text(name, {key: str(rows[0][key]) for key in apart})
    raise OptionError(f"{what} to {metric} in {first.name}", option="metric", fix=fix)
