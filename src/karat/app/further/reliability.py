"""Annotators: which labels they give where others are right, and who disagrees with whom."""

import shlex
from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from karat.app import items, words
from karat.app.confusions import confusion, grid
from karat.app.labelling import Form, Labels, label
from karat.app.results import Result
from karat.evaluations.reliability.disagreement import differing, disagreement

_MOST = 40
"""How many annotators are compared with one another."""


def _disagreement(result: Result) -> None:
    """On how many items each two annotators give different labels, and these items."""
    judges = result.report["annotators"]["annotator"].unique().sort().to_list()
    if len(judges) < 2:  # noqa: PLR2004 - to differ takes two
        words.say("There is one annotator, and nobody to disagree with.")
        return
    if len(judges) > _MOST:
        words.say(f"These are {len(judges)} annotators; the first {_MOST} are compared with one another.")
    found = disagreement(result.outcomes.filter(pl.col("judge").is_in(judges[:_MOST])))
    words.remark("Items on which two annotators give different labels. Choose a cell to read them.")

    def lead(row: Mapping[str, Any]) -> None:
        st.session_state["differ-one"], st.session_state["differ-other"] = row["annotator"], row["other"]

    grid(result, found, ("annotator", "other"), "disagreement", lead)
    one, other = (
        place.selectbox(title, judges, index=number, key=key, bind="query-params")
        for number, (place, title, key) in enumerate(
            zip(st.columns(2), ("Annotator", "and"), ("differ-one", "differ-other"), strict=True)
        )
    )
    names = differing(result.outcomes, one, other)
    if not names:
        words.say(f"{one} and {other} never give different labels to the same item.")
        return
    items.item(result, items.stepped(names))


def _label(result: Result) -> None:
    """Ask for labels, first of the items that have no trusted one."""
    choices = result.outcomes.filter(pl.col("part") == "choice")
    lacking = choices.group_by("item", maintain_order=True).agg(pl.col("reference_label").is_null().all()).collect()
    names = lacking.sort("reference_label", descending=True, maintain_order=True)["item"].to_list()
    given = choices.select(pl.col("label").drop_nulls().unique().sort()).collect()["label"].to_list()

    def show(item: str) -> None:
        for name, text in result.texts([{"item": item, "judge": "", "part": "choice"}])[0].items():
            words.text(name, text)

    known = result.report.options["labels"] or given
    who = shlex.quote(st.session_state.get("labeller") or "NAME")
    use = f"karat reliability score DATA labels.jsonl --reference {who}"
    label(result, Form(names, ["label"], known, show, rows_of, use))


def rows_of(who: str, labels: Labels) -> list[dict[str, str | None]]:
    """Labels as a long table holds them."""
    return [{"item": item, "annotator": who, "label": of["label"]} for item, of in labels.items()]


VIEWS = {"Confusion": confusion, "Disagreement": _disagreement, "Label": _label}
