"""What `karat.plan` returns, and how it reads."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from karat.estimate import Note

Assumption = Literal["given", "independent", "least", "most"]
"""Where a share of discordant items is from: given, as of judges that err independently, or the end of its range."""

_METHODS = {"wilson": "Wilson", "clustered-wilson": "Wilson, clustered", "mcnemar-mid-p": "McNemar's mid-P test"}
"""Methods whose names are not words."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One answer of a plan.

    question: the "width" of an interval, or the "difference" of two judges on the same items. items: needed, or there.
    clusters: how many these are; None where items are independent. n: how many independent items they are worth.
    width: that the interval has at most, with `assurance`. difference: seen with `power`, or None. discordant: the
    share of items on which only one judge is right, and assumption, where it is from. sd: of what single items add to
    the figure, or to the difference, where it is no share. method: of the interval or the test. notes: what it cannot
    promise.
    """

    question: Literal["width", "difference"]
    items: int
    clusters: int | None
    n: int
    method: str
    width: float | None = None
    difference: float | None = None
    power: float | None = None
    discordant: float | None = None
    assumption: Assumption | None = None
    sd: float | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Plan:
    """How many items a question needs, or what can be seen with those there are.

    metric, expected, width, detect, power, assurance, items, confidence: as `karat.plan` took them; expected may be
    a pilot's. cluster_size: None where items are independent. design_effect: how many items are worth one independent
    one. rows: the answers.
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
    rows: tuple[PlanRow, ...]

    def to_json(self) -> str:
        """The plan as JSON text, with full precision."""
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False, indent=1) + "\n"

    def __str__(self) -> str:
        return "\n".join(_sentences(self))

    def __repr__(self) -> str:
        return str(self)


def _sentences(plan: Plan) -> Iterator[str]:
    for row in plan.rows:
        if row.question == "width":
            yield _width_sentence(plan, row) + _notes(row)
        elif row.assumption not in {"least", "most"}:
            yield _difference_sentence(plan, row) + _notes(row)
    bounds = [row for row in plan.rows if row.assumption in {"least", "most"}]
    if len({(row.items, row.difference) for row in bounds}) > 1:
        yield _bounds_sentence(plan, *bounds)


def _width_sentence(plan: Plan, row: PlanRow) -> str:
    around = plan.metric if plan.expected is None else f"{plan.metric} {plan.expected:.4g}"
    most = f"{plan.width:.4g}" if plan.items is None else _short(row.width)
    wide = f"no wider than {most} with probability {plan.assurance:.4g}"
    return f"{_counted(row)} an interval {wide} around {around}{_spread(row, 'single items')} ({_method(plan, row)})."


def _difference_sentence(plan: Plan, row: PlanRow) -> str:
    spread = _spread(row, "the differences of single items")
    if row.discordant is not None:
        why = ", as where two judges err independently" if row.assumption == "independent" else ""
        spread = f", if {_percent(row.discordant)} of them are discordant (only one judge is right){why}"
    seen = f"with power {plan.power:.4g}"
    if plan.items is None:
        return f"{_counted(row, 'show')} a difference of {plan.detect:.4g} {seen}{spread} ({_method(plan, row)})."
    what = "no difference" if row.difference is None else f"a difference of {_short(row.difference)}"
    return f"{_counted(row, 'show')} {what} {seen}{spread} ({_method(plan, row)})."


def _bounds_sentence(plan: Plan, least: PlanRow, most: PlanRow) -> str:
    if plan.items is None:
        return (
            f"Without knowing that share: between {least.items:,} items at {_percent(least.discordant)}, the least it "
            f"can be, and {most.items:,} at {_percent(most.discordant)}, the most. A pilot tells it."
        )
    seen = ["none" if row.difference is None else _short(row.difference) for row in (least, most)]
    return (
        f"Without knowing that share: between {seen[0]}, if it is the least it can be, and {seen[1]}, if it is the "
        "most. A pilot tells it."
    )


def _counted(row: PlanRow, verb: str = "give") -> str:
    clusters = "" if row.clusters is None else f" in {row.clusters:,} clusters"
    return f"{row.items:,} item{'s' * (row.items != 1)}{clusters} {verb}{'s' * (row.items == 1)}"


def _spread(row: PlanRow, what: str) -> str:
    return "" if row.sd is None else f", if {what} have the standard deviation {row.sd:.4g}"


def _method(plan: Plan, row: PlanRow) -> str:
    return f"{_METHODS.get(row.method, row.method)}, {100 * plan.confidence:.6g} %"


def _notes(row: PlanRow) -> str:
    return f" Note: {'; '.join(note.title for note in row.notes)}." if row.notes else ""


def _short(number: float | None) -> str:
    return f"{number:.3g}"


def _percent(share: float | None) -> str:
    return "no" if share is None else f"{100 * share:.3g} %"
