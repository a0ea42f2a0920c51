"""Labels that choose between two responses: the response chosen, the one shown first, and the style of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from adjudge.errors import OptionError, nearest
from adjudge.evaluations.card.reading import CardLabels
from adjudge.readers.column_names import SIDES, words
from adjudge.readers.problems import listed
from adjudge.readers.tables import BESIDE, collect, schema_of
from adjudge.text.style import RULES

TIE_LABELS = frozenset(
    ("tie", "both", "neither", "none", "equal", "same", "draw", "both_good", "both_bad", "unsure", "unclear")
)
"""Labels that choose no response beside two that do."""
_ORDER_NAMES = (("original", "swapped"), ("forward", "reversed"), ("normal", "swapped"), ("normal", "reversed"))
"""What may stand in a column that says whether the responses were exchanged: first what says that they were not.

Yes and no, true and false, 1 and 0 may mean either: a column may be called swapped as well as a_first.
"""
_PAIR = 2
_AMBIGUOUS = {("0", "1")}

STYLE_BIASES = {
    "longer": "length",
    "more_lists": "formatting",
    "more_headings": "formatting",
    "more_bold": "formatting",
}
"""Rules of style of which responses may have more -> the bias that preferring it would be."""

NO_CHOICES = "no two labels choose between responses as a and b do; say which do with --choices FIRST,SECOND"
SECOND_SUFFIX = "_second"
"""What stands behind the name of a rule in the column of the second response."""


@dataclass(frozen=True, slots=True)
class ChoiceLabels:
    """The labels that choose the first and the second of two responses."""

    first: str
    second: str

    @property
    def first_chosen(self) -> pl.Expr:
        """1 if a label chooses the first response, 0 if the second, a half for any other label."""
        label = pl.col("label").cast(pl.String)
        return pl.when(label == self.first).then(1.0).when(label == self.second).then(0.0).otherwise(0.5)


def check_responses(options: Mapping[str, Any]) -> None:
    """Raise OptionError for options on responses that contradict one another."""
    if len(options["responses"]) > _PAIR:
        expected = "expected the column of one response, or those of two"
        raise OptionError(f"responses: {expected}; got {listed(options['responses'])}")
    if options["own_family"] and not options["family"]:
        raise OptionError("own_family: needs --family COLUMN, which says whose responses are judged")


def find_choices(card: CardLabels, choices: Sequence[str]) -> ChoiceLabels | None:
    """The labels that choose a response: those of the option, or the only two labels besides ties.

    Raises OptionError for choices that are not two labels of the data.
    """
    known = card.labels["label"].unique().cast(pl.String).sort().to_list()
    if choices:
        if len(choices) != _PAIR or not set(choices) & set(known):
            raise OptionError(
                f"choices: expected the labels that choose the first and the second response, such as a,b; got "
                f"{listed(choices)}{nearest(choices[0], known)}; labels are {listed(known)}"
            )
        return ChoiceLabels(*choices)
    telling = {label: label.lower() for label in known if "_".join(words(label)) not in TIE_LABELS}
    for sides in SIDES:
        found = {own: name for name, told in telling.items() for own in sides if (words(told) or ("",))[-1] == own}
        if len(found) == len(telling) == len(sides):
            return ChoiceLabels(*(found[one] for one in sides))
    return None


def first_shown_by_order(orders: Sequence[str], sides: ChoiceLabels) -> dict[str, bool] | None:
    """Value of the order column -> whether the first response was shown first; None if the values are ambiguous.

    >>> first_shown_by_order(["ab", "ba"], ChoiceLabels("a", "b"))
    {'ab': True, 'ba': False}
    >>> first_shown_by_order(["A", "B"], ChoiceLabels("A", "B"))
    {'A': True, 'B': False}
    """
    spelt = {order: "".join(words(order)) for order in orders}
    one, other = ("".join(words(side)) for side in (sides.first, sides.second))
    named = [sides for sides in SIDES if sides not in _AMBIGUOUS]
    pairs = [(one + other, other + one), (one, other), *((x + y, y + x) for x, y in SIDES), *named, *_ORDER_NAMES]
    fitting = [pair for pair in pairs if set(spelt.values()) <= set(pair)]
    meanings = {tuple(spelt[order] == pair[0] for order in orders) for pair in fitting}
    return dict(zip(orders, meanings.pop(), strict=True)) if len(meanings) == 1 else None


def style_counts(card: CardLabels, responses: Sequence[str]) -> pl.DataFrame:
    """Style of the responses per item: what each rule of style counts in the first and in the second response.

    responses: the columns of one response, or of two. The columns are called RULE and RULE_second.
    Raises OptionError for a column that no input holds.
    """
    found = []
    for part in card.judgments.parts:
        names = schema_of(part.source, part.rows).names()
        known = [name.removeprefix(BESIDE) for name in names if name.startswith(BESIDE)]
        if lacking := [name for name in responses if name not in known]:
            raise OptionError(
                f"responses: {part.source.name}: no column of texts called {lacking[0]}{nearest(lacking[0], known)}; "
                f"there are {listed(known) if known else 'none'}"
            )
        columns = [pl.col(BESIDE + name) for name in responses]
        texts = part.rows.group_by("item", maintain_order=True).agg(text.drop_nulls().first() for text in columns)
        counted = [
            RULES[rule].count(text).alias(rule + suffix)
            for text, suffix in zip(columns, ("", SECOND_SUFFIX), strict=False)
            for rule in STYLE_BIASES
        ]
        found.append(collect(part.source, texts.drop_nulls().select(pl.col("item").cast(pl.String), *counted)))
    return pl.concat(found).unique("item", keep="first", maintain_order=True)
