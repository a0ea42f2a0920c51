"""The evaluations, and what their reports are about."""

from collections.abc import Iterable
from dataclasses import fields, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from karat.about import COMPARED, OVER_TIME, Evaluation, Forest, Given, Head, Lines, Metric
from karat.errors import DataError

if TYPE_CHECKING:
    from karat.figures.figure import View

NAMES = tuple(sorted(one.name for one in iter_modules(__path__) if one.ispkg))
"""The evaluations there are; each is a package below this one that holds EVALUATION."""

_REPLIES = "replies"
"""The table, and the module that declares it, of evaluations in which models are asked."""

HEADS = {
    COMPARED: Head(
        "Runs compared",
        "Did it get better? Each figure of two runs on the same items, and the difference between them.",
        tables={
            COMPARED: "Each difference is the second run minus the first, on the items on which both have the figure.",
            "left_out": "Rows that a difference leaves out, since one of the runs lacks the figure there, and why.",
            "items": "How many items are in both runs, and in only one of them.",
            "transitions": "Outcomes of the same items: rows for the first run, columns for the second.",
            "changes": "Items whose outcome changed, the worst first.",
        },
        outcomes={"worse": "Worse than before", "better": "Better than before", "other": "Changed otherwise"},
        printed=(COMPARED, _REPLIES, "left_out", "items", "transitions", "changes"),
        folded=("left_out", "transitions"),
        pictures=(
            Forest(
                name="differences",
                title="What changed",
                caption="The second run minus the first, on the same items, with {confidence} intervals of each "
                "difference alone. Right of the line is higher.",
                table=COMPARED,
                changes=True,
            ),
        ),
        drawn="The items that changed most, with what each run says of them.",
    ),
    OVER_TIME: Head(
        "Figures over time",
        "How did each figure change from run to run?",
        tables={OVER_TIME: "Each figure of each run, in their order."},
        printed=(OVER_TIME,),
        pictures=(
            Lines(
                name="history",
                title="Figures over time",
                caption="Figures of each run.",
                table=OVER_TIME,
                together=True,
            ),
        ),
    ),
}
"""What reports on several runs are about, keyed by their main table."""


def evaluation(name: str, tables: Iterable[str] = ()) -> Evaluation:
    """The evaluation of that name, as described by a report that holds these tables.

    Raises DataError where there is none, since names come from saved reports.
    """
    found: Evaluation = _declared(name, "", "EVALUATION")
    heads = {**found.heads, **HEADS}
    main = next((table for table in tables if table in heads), None)
    plain = replace(found, heads={})
    if main is None:
        return plain
    head = heads[main]
    said = {one.name: own for one in fields(head) if one.name != "judges" and (own := getattr(head, one.name))}
    said |= {"tables": {**found.tables, **head.tables}, "folded": (*found.folded, *head.folded)}
    said |= {} if head.judges else {"answers": (), "given": Given(table="", noun="labels")}
    return replace(plain, **said, main=main, headline="", leading="", across="")


def all_metrics() -> dict[str, Metric]:
    """The figures of all evaluations, by name."""
    return {name: about for one in NAMES for name, about in evaluation(one).metrics.items()}


def view_of(name: str) -> "View":
    """The view of an evaluation's outcomes that its figures rest on, with what became of questions to models.

    Raises DataError as `evaluation` does.
    """
    found: View = _declared(name, ".figures", "VIEW")
    if _REPLIES not in evaluation(name).tables:
        return found
    replies: View | None = getattr(import_module(f"{__name__}.{name}.{_REPLIES}"), "VIEW", None)
    return replace(found, further=(*found.further, replies)) if replies else found


def _declared(name: str, module: str, what: str) -> Any:  # noqa: ANN401 - what an evaluation declares
    if name not in NAMES:
        raise DataError(f"expected what Karat saved of one of {', '.join(NAMES)}; got {name!r:.60}")
    return getattr(import_module(f"{__name__}.{name}{module}"), what)
