"""Annotators: which labels they give where others are right, and who disagrees with whom."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from karat.app import items, words
from karat.app.confusions import confusion, grid
from karat.app.grids import choosing
from karat.app.judgments import label_items
from karat.app.lists import look_at, one_of
from karat.app.results import Result
from karat.app.together import together
from karat.evaluations.reliability.disagreement import differing, disagreement
from karat.render.html import items_fragment

_MOST = 40
"""How many annotators are compared with one another."""
_FIRST = "Those without a trusted label stand first; yours becomes the trusted one."
_NONE = "All have a trusted label; yours is one more beside it."
_CLOSED = "Items that the reference {} are left out: further labels of them do not count in reliability."
_SETTLED = {
    "first": "labels or flags",
    "majority": "flags",
    "unanimous": "flags, or on which trusted annotators differ,",
}
"""Rule by which trusted labels are combined -> what no further one can change."""
_DIFFER = ["reference_flags_differ", "reference_choices_differ"]
"""Reasons to leave out what trusted annotators differ on."""


def _disagreement(result: Result) -> None:
    """On how many items each two annotators give different labels, and these items."""
    judges = result.report["annotators"]["annotator"].unique().sort().to_list()
    if len(judges) < 2:  # noqa: PLR2004 - to differ takes two
        words.say("There is one annotator, and nobody to disagree with.")
        return
    compared = judges
    if len(judges) > _MOST:
        words.say(
            f"There are {len(judges):,} annotators; the {_MOST} with most judgments stand in the table. Below it any "
            "two can be compared."
        )
        most = result.outcomes.group_by("judge").len().sort("len", "judge", descending=[True, False]).head(_MOST)
        compared = most.select("judge").collect()["judge"].to_list()
    found = disagreement(result.outcomes.filter(pl.col("judge").is_in(compared)))
    words.remark(
        "How many items two annotators label differently; the stronger the colour, the greater their share of the "
        f"items that both label. Two who share no item have no number. {choosing('items')} Beside an item, the "
        "reference is the trusted label."
    )

    def lead(row: Mapping[str, Any]) -> None:
        look_at("differ-one", row["annotator"])
        look_at("differ-other", row["other"])

    grid(result, found, ("annotator", "other"), "disagreement", lead, among="shared")
    places = st.columns(2)
    one = one_of("One annotator", judges, "differ-one", place=places[0])
    other = one_of("The other", [name for name in judges if name != one], "differ-other", place=places[1])
    names = differing(result.outcomes, one, other)
    if not names:
        words.say(f"{one} and {other} never give different labels to the same item.")
        return
    _differ(result, items.stepped(names), one, other)


def _differ(result: Result, item: str, one: str, other: str) -> None:
    """An item, where two annotators differ: what these say, then what the reference and all others say."""
    rows = result.outcomes.filter(pl.col("item") == item).collect()
    both = rows.filter(pl.col("judge").is_in([one, other]))
    parts = both.group_by("part").agg(pl.col("label").n_unique() > 1).filter("label")["part"].to_list()
    shown = rows.filter(pl.col("part").is_in(parts)).sort(
        pl.col("judge") != one, pl.col("judge") != other, maintain_order=True
    )
    words.put(items_fragment(together(result, shown, meant=[other])))


def _label(result: Result) -> None:
    """Ask for labels that count, first of the items that have no trusted one.

    Where nobody is trusted yet, someone is in the result alone, and no item has a trusted label.
    """
    named = list(result.given.get("reference", ()))
    nobody = bool(result.report.options["reference"]) and not named
    references = None if result.read is None else result.read.references
    several = references is not None and bool(references["item"].is_duplicated().any())
    # Where an item has one trusted label, a person's label beside it is that of one more annotator.
    rule = result.report.options["reference_rule"] if named or several else "unanimous"
    items = _trust(result.outcomes, rule, nobody=nobody)
    asked = items.filter(~pl.col("closed")).sort("lacks", descending=True, maintain_order=True)
    left_out = _CLOSED.format(_SETTLED[rule])
    if asked.is_empty() and result.read is not None:
        words.say(f"No item is left to be labelled. {left_out}")
        return
    choices = result.outcomes.filter(pl.col("part") == "choice")
    said = pl.concat([choices.select(pl.col(name).alias("label")) for name in ("label", "reference_label")])
    known = said.select(pl.col("label").drop_nulls().unique().sort()).collect()["label"].to_list()
    names = None if not named and not items["lacks"].all() else named
    if names is None and references is not None and several:  # they become rows, as those of annotators
        names = references["annotator"].cast(pl.String).unique(maintain_order=True).to_list()
    order = [_FIRST if asked["lacks"].any() else _NONE, *([left_out] if len(asked) < len(items) else [])]
    label_items(result, asked["item"].to_list(), known, names, " ".join(order))


def _trust(outcomes: pl.LazyFrame, rule: str, *, nobody: bool) -> pl.DataFrame:
    """Each item, whether it lacks a trusted label, and whether it is closed: no further label of it would count.

    rule: how trusted labels are combined; by majority one more may settle what they differ on, and of the first no
    further one counts. nobody: whether nobody is trusted.
    """
    of_choice = pl.col("part") == "choice"
    unlabelled = pl.col("reference_label").filter(of_choice).is_null().all()
    flagged = (~of_choice & (pl.col("reference_label") == "flagged")).any()
    differ = pl.col("detail").is_in(_DIFFER).any()
    closed = {"first": flagged | ~unlabelled, "majority": flagged}.get(rule, flagged | differ)
    items = outcomes.group_by("item", maintain_order=True).agg(closed=closed, lacks=unlabelled & ~flagged)
    found = items.with_columns(lacks=pl.col("lacks") & ~pl.col("closed")).collect()
    return found.with_columns(closed=pl.lit(value=False), lacks=pl.lit(value=True)) if nobody else found


OUTCOMES = {"flagged": "Choice flagged", "both": "Flagged by both", "neither": "Flagged by neither"}
VIEWS = {"Confusion": confusion, "Disagreement": _disagreement, "Label": _label}
