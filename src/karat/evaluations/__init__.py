"""The evaluations, and what their reports are about."""

from collections.abc import Collection
from dataclasses import fields, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from karat.errors import DataError

if TYPE_CHECKING:
    from karat.about import Evaluation, Metric
    from karat.figures.figure import View

NAMES = tuple(sorted(one.name for one in iter_modules(__path__) if one.ispkg))
"""The evaluations there are; each is a package below this one, whose module `about` holds EVALUATION."""

REPLIES = "replies"
"""The table, and the module that declares it, of evaluations in which models are asked."""


def evaluation(name: str, tables: Collection[str] = ()) -> "Evaluation":
    """The evaluation of that name, as described by a report that holds these tables.

    Raises DataError where there is none, since names come from saved reports.
    """
    from karat.evaluations.several_runs import HEADS

    found: Evaluation = _declared(name, "about", "EVALUATION")
    heads = {**found.heads, **HEADS}
    main = next((table for table in tables if table in heads), None)
    plain = replace(found, heads={})
    if main is None or found.main in tables:
        return plain
    head = heads[main]
    own = {name: getattr(head, name) for name in ("across", "over_time", "opening")}  # never those of the evaluation
    said = {one.name: told for one in fields(head) if one.name not in own and (told := getattr(head, one.name))}
    said |= {"tables": {**found.tables, **head.tables}, "folded": (*found.folded, *head.folded)}
    said |= {} if head.answers is None else {"answers": head.answers}
    return replace(plain, **said, **own, main=main, headline="", leading="")


_PICTURES = {
    "compare": ["differences"],
    "correct": ["corrected", "corrected_numbers"],
    "history": ["history"],
    "rank_preferences": ["ranks", "rank-sets"],
    "violation_agreement": ["annotators", "match-scores"],
}
"""The pictures of functions whose reports have others than their evaluation, or only some of them."""


def pictures_of(function: str) -> list[str]:
    """The names of the pictures that reports of a function may hold, for which no figures need to be loaded."""
    if function in NAMES:
        return [picture.name for picture in _declared(function, "charts", "PICTURES")]
    return _PICTURES.get(function, [])


def all_metrics() -> "dict[str, Metric]":
    """The figures of all evaluations, by name."""
    return {name: about for one in NAMES for name, about in evaluation(one).metrics.items()}


def view_of(name: str) -> "View":
    """The view of an evaluation's outcomes that its figures rest on, with what became of questions to models.

    Raises DataError as `evaluation` does.
    """
    found: View = _declared(name, "figures", "VIEW")
    if REPLIES not in evaluation(name).tables:
        return found
    replies: View | None = getattr(import_module(f"{__name__}.{name}.{REPLIES}"), "VIEW", None)
    return replace(found, further=(*found.further, replies)) if replies else found


def _declared(name: str, module: str, what: str) -> Any:  # noqa: ANN401 - what an evaluation declares
    if name not in NAMES:
        raise DataError(f"expected what Karat saved of one of {', '.join(NAMES)}; got {name!r:.60}")
    return getattr(import_module(f"{__name__}.{name}.{module}"), what)
