"""A plan, and its sentences."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from adjudge.evaluations import all_metrics
from adjudge.json_records import json_text
from adjudge.metrics.planning import PlanRequest, PlanRow
from adjudge.render.explanations import method_title
from adjudge.render.numbers import metric_of

_BOUNDS = ("least", "most")


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Plan(PlanRequest):
    """How many items a question needs, or what the given items can show: the request with its rows."""

    rows: tuple[PlanRow, ...]

    def to_json(self) -> str:
        """The plan as JSON text, with full precision."""
        return json_text(asdict(self))

    def __str__(self) -> str:
        return "\n".join(_sentences(self))

    def __repr__(self) -> str:
        return str(self)


def _sentences(plan: Plan) -> Iterator[str]:
    for row in plan.rows:
        if row.assumption not in _BOUNDS:
            said = _width(plan, row) if row.question == "width" else _difference(plan, row)
            method = f"{method_title(row.method)}, {100 * plan.confidence:.6g}%"
            notes = f" Note: {'; '.join(note.title for note in row.caveats)}." if row.caveats else ""
            yield f"{_counted(row)} {said} ({method}).{notes}"
    bounds = [row for row in plan.rows if row.assumption in _BOUNDS]
    if len({(row.items, row.difference) for row in bounds}) > 1:
        yield _between(plan, *bounds)


def _width(plan: Plan, row: PlanRow) -> str:
    expected = (
        _percent(plan.expected) if _is_share(plan) else f"{plan.expected:.4g}" if plan.expected is not None else ""
    )
    around = plan.metric if plan.expected is None else f"{plan.metric} {expected}"
    most = _size(plan, plan.width if plan.items is None else row.width)
    wide = f"no wider than {most} with probability {plan.assurance:.4g}"
    return f"give{_s(row)} an interval {wide} around {around}{_spread(row, 'single items')}"


def _difference(plan: Plan, row: PlanRow) -> str:
    spread = _spread(row, "the differences of single items")
    if row.discordant is not None:
        why = ", as where two judges err independently" if row.assumption == "independent" else ""
        spread = f", if {_percent(row.discordant)} of them are discordant (only one judge is right){why}"
    size = _size(plan, plan.detect if plan.items is None else row.difference)
    what = "no difference" if row.difference is None else f"a difference of {size}"
    return f"show{_s(row)} {what} with power {plan.power:.4g}{spread}"


def _between(plan: Plan, least: PlanRow, most: PlanRow) -> str:
    if plan.items is None:
        low, high = (f"at {_percent(row.discordant)}, the" for row in (least, most))
        said = f"{least.items:,} items {low} least it can be, and {most.items:,} {high} most"
    else:
        low, high = (f"{_size(plan, row.difference)}, if it is the" for row in (least, most))
        said = f"{low} least it can be, and {high} most"
    return f"Without knowing that share: between {said}. A pilot tells it."


def _counted(row: PlanRow) -> str:
    clusters = "" if row.clusters is None else f" in {row.clusters:,} clusters"
    bearing = "" if row.bearing is None else f", {row.bearing:,} of which bear on it,"
    return f"{row.items:,} item{'s' * (row.items != 1)}{clusters}{bearing}"


def _s(row: PlanRow) -> str:
    """The ending of the verb."""
    return "s" * (row.items == 1)


def _spread(row: PlanRow, what: str) -> str:
    return "" if row.sd is None else f", if {what} have the standard deviation {row.sd:.4g}"


def _is_share(plan: Plan) -> bool:
    return metric_of(all_metrics(), plan.metric.partition("[")[0]).percent


def _size(plan: Plan, number: float | None) -> str:
    """A width or a difference: of shares in percentage points."""
    if number is None:
        return "none"
    return f"{100 * number:.3g} pp" if _is_share(plan) else f"{number:.3g}"


def _percent(share: float | None) -> str:
    return "no" if share is None else f"{100 * share:.3g}%"
