"""Labels that a person gives in the browser, and the file that they become."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from karat.app import words
from karat.app.chosen import LABEL_PAGE
from karat.app.items import MOST, beginning, stepped
from karat.app.results import Result
from karat.app.uploads import without_place

Labels = Mapping[str, Mapping[str, str]]
"""Item -> part -> label."""
LABEL = "Label"
"""The view that asks for them, of evaluations that have one."""


@dataclass(frozen=True)
class Form:
    """What is asked of whom.

    items: in the order in which they are asked. parts: what is judged of an item. labels: what may be said, with how it
    reads. show: shows an item without what others say of it. save: the file, with a person's labels in it. name: of
    that file. use: the command that takes it, for a person. order: says which items stand first. called: what they are
    called, if not as in the report. questions: of parts that do not ask for themselves. labelled: the items that a
    person need not be asked again, where the file is read beside what was said before.
    """

    items: Sequence[str]
    parts: Callable[[str], Sequence[str]]
    labels: Mapping[str, str]
    show: Callable[[str], None]
    save: Callable[[str, Labels], bytes]
    name: str
    use: Callable[[str], str]
    order: str
    called: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    labelled: Callable[[str], Collection[str]] = lambda _: ()


def label(result: Result, form: Form) -> None:
    """Ask for the labels of one item after the other."""

    def ask(item: str, given: dict[str, dict[str, str]]) -> None:
        form.show(item)
        parts = form.parts(item)
        for place, part in zip(st.columns(len(parts)), parts, strict=True):
            _ask(place, form, given, item, part)

    labelled(
        result,
        form.items,
        ask,
        save=form.save,
        name=form.name,
        use=form.use,
        order=form.order,
        called=form.called or result.report.about.items,
        before=form.labelled,
    )


def labelled(
    result: Result,
    items: Sequence[str],
    ask: Callable[[str, dict[str, Any]], None],
    *,
    save: Callable[[str, Any], bytes],
    name: str,
    use: Callable[[str], str],
    order: str,
    called: str,
    before: Callable[[str], Collection[str]] = lambda _: (),
) -> None:
    """One item after the other, and the file of what a person says of them.

    ask: shows an item and keeps what is said of it, under its name. save, name, use, order, called: see Form.
    before: the items that somebody labelled before, and is not asked again.
    """
    who = asked_who()
    if not who:
        return
    if known := {*before(who)}:
        items = [one for one in items if one not in known]
        words.remark(f"{who} has labelled {len(known):,} {called} before, which are not asked again.")
    if not items:
        words.say("Nothing is left to label.")
        return
    given: dict[str, Any] = st.session_state.setdefault(f"labels of {result.report.signature} by {who}", {})
    start = beginning(len(items), LABEL_PAGE)
    asked = items[start : start + MOST]
    many = f"{len(given):,} of {len(items):,} {called} labelled."
    which = f"These are {start + 1:,} to {start + len(asked):,}." if len(items) > MOST else ""
    keep = "Your labels are kept only in this page: download them before you close it."
    words.remark(" ".join(filter(None, [many, which, order, keep])))
    ask(stepped(asked, called), given)
    st.download_button("Download the labels", lambda: save(who, given), name, on_click="ignore", disabled=not given)
    if given:
        words.remark("Then run (click to select):")
        words.command(without_place(use(who)))


def asked_who() -> str:
    """The name of the person who labels or judges; empty where it is not said yet."""
    who = st.text_input("Your name", key="labeller", bind="query-params", help="The annotator of these labels.").strip()
    if not who:
        words.say("Say who you are: labels stand under your name.")
    return who


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
        words.plain(form.questions.get(part) or part.replace("_", " ").capitalize()),
        list(form.labels),
        index=None if known is None else list(form.labels).index(known),
        format_func=lambda one: words.plain(form.labels[one]),
        key=key,
        on_change=kept,
    )
