"""A plan, and its sentences."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from adjudge.display_names import count_of
from adjudge.evaluations import all_metrics
from adjudge.json_records import json_text
from adjudge.metrics.planning import PlanRequest, PlanRow
from adjudge.render.explanations import method_title
from adjudge.render.numbers import metric_of

_BOUNDS = ("least", "most")


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Plan(PlanRequest):
    """The items that a question needs, or the precision of the given items: the request with its rows."""

    rows: tuple[PlanRow, ...]

    def to_json(self) -> str:
        """The plan as JSON text, with full precision."""
        return json_text(asdict(self))

    def __str__(self) -> str:
        return "\n".join(_sentences(self))

    __repr__ = __str__


def _sentences(plan: Plan) -> Iterator[str]:
    for row in plan.rows:
        if row.assumption not in _BOUNDS:
            verb, rest = ("give", _width(plan, row)) if row.question == "width" else ("show", _difference(plan, row))
            clusters = "" if row.clusters is None else f" in {row.clusters:,} clusters"
            bearing = "" if row.bearing is None else f" ({row.bearing:,} usable)"
            method = f"{method_title(row.method)}, {100 * plan.confidence:.6g}%"
            if row.question == "width":
                method = f"in {100 * plan.assurance:.4g}% of samples, {method_title(row.method)}"
            notes = f" Note: {'; '.join(note.title for note in row.caveats)}." if row.caveats else ""
            counted = f"{count_of(row.items, 'item')}{clusters}{bearing}"
            yield f"{counted} {verb}{'s' * (row.items == 1)} {rest} ({method}).{notes}"
    bounds = [row for row in plan.rows if row.assumption in _BOUNDS]
    if len({(row.items, row.difference) for row in bounds}) > 1:
        ends = [_size(plan, row.difference) for row in bounds]
        if plan.items is None:
            ends = [f"{row.items:,} items at {_percent(row)}" for row in bounds]
        limits = f"between {ends[0]}, the least it can be, and {ends[1]}, the most"
        yield f"Without knowing that share: {limits}. A pilot tells it."


def _width(plan: Plan, row: PlanRow) -> str:
    share = _is_share(plan)
    expected = "" if plan.expected is None else f" {100 * plan.expected:.3g}%" if share else f" {plan.expected:.4g}"
    most = _size(plan, plan.width if plan.items is None else row.width)
    spread = "" if row.sd is None else f", if single items have the standard deviation {row.sd:.4g}"
    return f"a {100 * plan.confidence:.6g}% CI at most {most} wide around {plan.metric}{expected}{spread}"


def _difference(plan: Plan, row: PlanRow) -> str:
    size = _size(plan, plan.detect if plan.items is None else row.difference)
    what = "no difference" if row.difference is None else f"a difference of {size}"
    spread = ""
    if row.discordant is not None:
        why = ", as where two judges err independently" if row.assumption == "independent" else ""
        spread = f", if {_percent(row)} of them are discordant (only one judge is right){why}"
    elif row.sd is not None:
        spread = f", if the differences of single items have the standard deviation {row.sd:.4g}"
    return f"{what} with power {plan.power:.4g}{spread}"


def _is_share(plan: Plan) -> bool:
    return metric_of(all_metrics(), plan.metric.partition("[")[0]).percent


def _size(plan: Plan, number: float | None) -> str:
    """A width or a difference: of shares in percentage points."""
    if number is None:
        return "none"
    return f"{100 * number:.3g} pp" if _is_share(plan) else f"{number:.3g}"


def _percent(row: PlanRow) -> str:
    """The share of discordant items."""
    return "no" if row.discordant is None else f"{100 * row.discordant:.3g}%"
