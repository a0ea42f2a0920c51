"""The forms of all other evaluations as long tables of labels."""

from collections.abc import Callable, Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import polars as pl

from karat.evaluations import other_forms
from karat.evaluations.card.of_answers import SCORERS, is_answers, is_verdicts, labels_of_answers
from karat.evaluations.card.of_violations import is_marked, labels_of_marked
from karat.formats import answers, judgments, violations
from karat.formats.opened import opened
from karat.formats.source import Source
from karat.schemas import judgments as schema
from karat.schemas.answers import VERDICTS

COLUMNS = tuple(dict.fromkeys([*schema.TEXT, *violations.KNOWN_COLUMNS, *answers.KNOWN_COLUMNS, *VERDICTS]))
"""What files of all forms may call something else: of labels, marked texts, answers and verdicts on these."""
_MADE = ("item", "annotator", "label")
Made = Callable[[Sequence[Source]], list[tuple[pl.DataFrame, list[str]]]]


def as_labels(
    sources: Sequence[Source], kinds: Sequence[str | None], how: judgments.Options, options: Mapping[str, Any]
) -> tuple[list[Source], frozenset[str]]:
    """Sources of another evaluation's form as tables of labels, any other as it is; and which annotators are rules.

    kinds: of each source, see `kind`. Rules are judges where they are named, and never people.
    """
    found = list(sources)
    together: dict[str, Made] = {
        "answers": lambda many: labels_of_answers(many, _scorers(options), how),
        "violations": lambda many: labels_of_marked(many, how),
    }
    for what, make in together.items():
        own = [nth for nth, one in enumerate(kinds) if one == what]
        for nth, (table, told) in zip(own, make([sources[nth] for nth in own]) if own else (), strict=True):
            called = {name: how.columns.get(name, name) for name in _MADE}
            found[nth] = other_forms.as_table(sources[nth], table.rename(called), told)
    rules = frozenset(SCORERS) if "answers" in kinds else frozenset[str]()
    return [
        other_forms.as_labels(source, how) if kinds[nth] is None else source for nth, source in enumerate(found)
    ], rules


def kind(how: judgments.Options, source: Source) -> str | None:
    """What is read together with others of its kind; "labels" of what are labels already."""
    found = opened(source, how)
    if other_forms.are_labels(found):
        return "labels"
    if other_forms.are_pairs(found):
        return None
    if is_verdicts(found) or is_answers(found):
        return "answers"
    return "violations" if is_marked(found) else None


def _scorers(options: Mapping[str, Any]) -> list[str]:
    """The rules for answers that somebody names as a judge or as the reference; the first where nobody does."""
    names: Collection[str] = [*options["judges"], *options["reference"]]
    return [one for one in SCORERS if any(fnmatchcase(one, name) for name in names)] or [SCORERS[0]]
