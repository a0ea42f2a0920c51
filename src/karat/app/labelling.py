"""Labels that a person gives in the browser, and the file that they become."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from karat.app import words
from karat.app.items import stepped
from karat.app.results import Result

Labels = Mapping[str, Mapping[str, str]]
"""Item -> part -> label."""


@dataclass(frozen=True)
class Form:
    """What is asked of whom.

    items: in the order in which they are asked. parts: what is judged of each. labels: what may be said. show: shows an
    item without what others say of it. rows: what a file of labels holds, made of a person's name and labels. use: the
    command that takes the file.
    """

    items: Sequence[str]
    parts: Sequence[str]
    labels: Sequence[str]
    show: Callable[[str], None]
    rows: Callable[[str, Labels], list[dict[str, str | None]]]
    use: str


def label(result: Result, form: Form) -> None:
    """Ask for the labels of one item after the other."""
    who = st.text_input("Your name", key="labeller", bind="query-params", help="The annotator of these labels.").strip()
    if not who:
        words.say("Say who you are: labels stand under your name.")
        return
    given: dict[str, dict[str, str]] = st.session_state.setdefault(f"labels of {result.report.signature} by {who}", {})
    words.remark(f"{len(given)} of {len(form.items)} items labelled. Download them before you close the page.")
    item = stepped(form.items)
    form.show(item)
    for place, part in zip(st.columns(len(form.parts)), form.parts, strict=True):
        _ask(place, form, given, item, part)
    if given:
        lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in form.rows(who, given))
        st.download_button("Download the labels", lines, "labels.jsonl")
        words.remark(f"Then: {form.use}")


def _ask(
    place: "st.delta_generator.DeltaGenerator", form: Form, given: dict[str, dict[str, str]], item: str, part: str
) -> None:
    """Ask for one label of an item; what is chosen is kept at once."""
    key = f"label {part} {item}"
    known = given.get(item, {}).get(part)

    def kept() -> None:
        if (chosen := st.session_state[key]) is not None:
            given.setdefault(item, {})[part] = chosen

    place.radio(
        words.plain(part.replace("_", " ").capitalize()),
        form.labels,
        index=None if known is None else list(form.labels).index(known),
        format_func=words.plain,
        key=key,
        on_change=kept,
    )
