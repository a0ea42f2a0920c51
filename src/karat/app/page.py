"""The page: what is looked at, its options at the side, and one view of it at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st

from karat.app import downloads, figures, items, uploads, words
from karat.app.chosen import arrived, back
from karat.app.columns import columns_of
from karat.app.controls import IN_USE, TO_TRUST, as_controls, begin_again, options_of
from karat.app.labelling import LABEL
from karat.app.looks import style
from karat.app.opened import Opened, opened
from karat.app.own import Views, known_of, start_of, views_of
from karat.app.results import Result, result_of, saved
from karat.errors import KaratError
from karat.names import annotator_names, numbered
from karat.render.signs import visible

_VIEWS: Views = {
    "Overview": figures.overview,
    "Tables": figures.tables,
    "Pictures": figures.pictures,
    "Items": items.items,
}
"""What can be seen of every result: name -> what shows it."""
_TRUSTED = {"reliability": ["reference"]}
"""Evaluations whose tables do not name whom they trust where nobody is chosen -> whose labels these are."""
_ONE_AT_A_TIME = Lock()
_SHOWN = "shown"
"""Whether something has been looked at already, whose options are not those of files that are opened now."""


def page(paths: tuple[str, ...], evaluation: str = "") -> None:
    """Show what was given; everything that is chosen stands in the address. evaluation: as in `opened`.

    One run at a time, though a change begins one before the last has ended: streamlit loads pandas when it first needs
    it, and altair, in another run, breaks on what is loaded in part.
    """
    with _ONE_AT_A_TIME:
        _page(paths, evaluation)


def _page(paths: tuple[str, ...], evaluation: str) -> None:
    st.set_page_config(page_title="Karat", layout="wide", menu_items={})
    style()
    try:
        shown = _looked_at(opened(paths, evaluation))
    except KaratError as error:
        uploads.refuse(error)
        if (shown := _looked_at([])) is None:
            return
    if shown is None:
        return
    st.set_page_config(page_title=f"{visible(shown.name)} - Karat")
    with st.container(key="narrow-name"):  # a phone shows no side unless it is asked to
        words.remark(shown.name)
    views = {**_VIEWS, **views_of(shown.function)}
    view = _view(list(views))
    given, wrong = _given(shown)
    for one in shown.why:
        words.warn(as_controls(one, shown.function))
    if wrong:
        words.refuse(wrong)
        return
    try:
        result = _result(shown, given)
        result = views[view](result) or result
    except KaratError as error:
        words.refuse([as_controls(one, shown.function) for one in error.lines])
        if error.voters and LABEL in views and shown.function != "card":  # which asks whom to judge
            _labelled(shown.function, given, error.voters, views[LABEL] if view == LABEL else None)
        return
    with st.sidebar:
        downloads.downloads(result)


def begin(paths: tuple[str, ...], evaluation: str) -> None:
    """Make the first result of what was given, which is then kept. Raises KaratError for what is wrong with it."""
    with _ONE_AT_A_TIME:
        first = opened(paths, evaluation)[0]
        st.empty()  # of the first thing that is shown, streamlit asks all modules that are loaded who shows it
        if first.saved is None:
            given = {**start_of(first.function), **first.given}
            figures.warm_up(result_of(first.function, given))
            _known(first.function, given)


def _looked_at(known: Sequence[Opened]) -> Opened | None:
    """The one that is looked at, of those that were given and those that were opened in the browser."""
    with st.sidebar:
        words.title("Karat")
        place = st.container()
        before, found = len(known), uploads.uploads()
        known = [*known, *found]
        names = numbered([one.name for one in known])
        if uploads.are_new() and found and st.session_state.get(_SHOWN):
            st.session_state["data"] = names[before]
            _begin_again()
        if not known:
            return None
        st.session_state[_SHOWN] = True
        if len(known) == 1:
            with place:
                words.say(names[0])
            return known[0]
        name = place.selectbox("Look at", names, key="data", bind="query-params", on_change=_begin_again)
    return known[names.index(name)]


def _begin_again() -> None:
    """Forget what was chosen of something else; labels that a person gave are kept, with what they are of."""
    begin_again()
    items.forget()
    if st.session_state.get("view") not in _VIEWS:
        st.session_state["view"] = "Overview"
    arrived()


def _view(names: Sequence[str]) -> str:
    """The view that is chosen."""
    chosen: str = st.segmented_control(
        "View",
        names,
        default="Overview",
        required=True,
        key="view",
        bind="query-params",
        on_change=arrived,
        label_visibility="collapsed",
    )
    back(chosen)
    return chosen


def _given(shown: Opened) -> tuple[dict[str, Any], list[str]]:
    """What its function is called with, and what is wrong with the options."""
    if shown.saved is not None:
        with st.sidebar:
            words.remark("Saved as it is: its inputs are not where they were, so its options cannot be changed.")
        return {}, []
    given = {**start_of(shown.function), **shown.given}
    with st.sidebar:
        chosen, wrong = options_of(shown.function, given, _known(shown.function, given))
    return {**given, **chosen}, wrong


def _result(shown: Opened, given: Mapping[str, Any]) -> Result:
    if shown.saved is not None:
        return saved(shown.saved, Path(shown.saved).stat().st_mtime)
    return result_of(shown.function, given)


def _labelled(
    function: str, given: Mapping[str, Any], voters: Sequence[str], ask: Callable[[Result], object] | None
) -> None:
    """Where nobody is trusted yet, labels may be given. ask: what asks for them, where that is looked at."""
    if ask is None:
        words.say(f"Or label items yourself, in the view {LABEL}.")
        return
    # It is read with one that is trusted for no more than that.
    trusted = {"truth_annotator": voters[0]} if function == "violations" else {"reference": list(voters[:1])}
    result = result_of(function, {**given, **trusted})
    ask(replace(result, given=given))


def _known(function: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Whom options may name, and which columns, as those say with which one begins."""
    try:
        result = result_of(function, given)
    except KaratError as error:
        return {"NAME": error.voters, TO_TRUST: error.voters, "COLUMN": columns_of(function, given)}
    report = result.report
    frame = report[report.about.main]
    columns = (report.about.judge, "judge", "reference")  # runs that are compared have judges, whatever they judge
    names = [name for column in columns if column in frame.columns for name in frame[column]]
    called = annotator_names(report.tables.values())
    trusted = frame["reference"].to_list() if "reference" in frame.columns else _TRUSTED.get(function, [])
    found = {
        "NAME": sorted({name for name in names if name}),
        "COLUMN": columns_of(function, given),
        IN_USE: [] if given.get("reference") else sorted({called.get(name, name) for name in trusted if name}),
    }
    own = known_of(function)
    return {**found, **own(result)} if own else found
