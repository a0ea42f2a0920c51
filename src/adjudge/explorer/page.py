"""The page: the selection of an input, its options in the sidebar, and one view at a time."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from threading import Lock
from typing import Any

import streamlit as st

from adjudge.display_names import number_repeats
from adjudge.errors import AdjudgeError
from adjudge.explorer import files, markup
from adjudge.explorer.charts import show_chart
from adjudge.explorer.controls import begin_again, known_names, selected_options
from adjudge.explorer.filters import forget
from adjudge.explorer.inputs import ExplorerInput, open_inputs
from adjudge.explorer.items import items
from adjudge.explorer.markup import style
from adjudge.explorer.results import Result, load_result, result_of
from adjudge.explorer.tables import tables
from adjudge.render.visible_text import visible
from adjudge.report import contradictions_of
from adjudge.version import TITLE

_START: Mapping[str, Mapping[str, Any]] = {"annotations": {"matrix": False}, "compare": {"examples": 10_000}}
"""Initial options: comparing many annotators with one another takes seconds; the most changed items of
each kind in lists."""
_ONE_AT_A_TIME = Lock()
_SHOWN = "shown"
"""Whether a result was shown, whose options do not apply to newly opened files."""


def overview(result: Result) -> None:
    """The verdict, and the chart beside findings, cautions and next steps; below, the items of the selected point."""
    summary = result.report.summary
    markup.heading(summary.verdict)
    markup.remark(f"{summary.title} · {summary.context}")
    groups = {"Findings": summary.findings, "Cautions": summary.cautions, "Next": summary.next, "Gate": summary.gates}
    chart, notes = st.columns([2, 1], gap="large")
    with chart:
        is_chosen = show_chart(result)
    with notes, st.container(key="notes", gap=None):
        for title, some in groups.items():
            if some:
                lines = [f"{one.label}: {one.text}" if one.label and title != "Gate" else one.text for one in some]
                markup.small_heading(title)
                markup.sentences([files.without_place(line) for line in lines])
    if is_chosen:
        items(result)


_VIEWS: Mapping[str, Callable[[Result], None]] = {"Overview": overview, "Tables": tables, "Items": items}
"""The views of every result: name -> function that shows it."""


def page(paths: tuple[str, ...], evaluation: str = "") -> None:
    """Show the inputs; the address holds the whole state. evaluation: see `open_inputs`.

    One run at a time, though a change starts one before the last has ended: charts use a module that is
    loaded late, and fails if another run finds it partly loaded.
    """
    with _ONE_AT_A_TIME:
        _page(paths, evaluation)


def _page(paths: tuple[str, ...], evaluation: str) -> None:
    st.set_page_config(page_title=TITLE, layout="wide", menu_items={})
    style()
    try:
        shown = _looked_at(open_inputs(paths, evaluation))
    except AdjudgeError as error:
        files.refuse(error)
        if (shown := _looked_at([])) is None:
            return
    if shown is None:
        return
    st.set_page_config(page_title=f"{visible(shown.name)} - {TITLE}")
    how: dict[str, Any] = {"key": "view", "bind": "query-params", "label_visibility": "collapsed"}
    view = st.segmented_control("View", list(_VIEWS), default="Overview", required=True, **how)
    given, wrong = _arguments_of(shown)
    for one in (*shown.why, *shown.warnings):
        markup.warn(files.without_place(one))
    if wrong:
        markup.refuse(wrong)
        return
    try:
        with contradictions_of(shown.saved) if shown.saved else nullcontext():
            result = load_result(shown.saved) if shown.saved else result_of(shown.function, given)
            _VIEWS[view](result)
    except AdjudgeError as error:
        files.refuse(error)
        return
    with st.sidebar:
        files.downloads(result)


def _looked_at(known: Sequence[ExplorerInput]) -> ExplorerInput | None:
    """The selected input, of those given and those opened in the browser."""
    with st.sidebar:
        markup.heading(TITLE)
        place = st.container()
        before, found = len(known), files.uploads()
        known = [*known, *found]
        names = number_repeats([one.name for one in known])
        if st.session_state.pop(files.NEW, False) and found and st.session_state.get(_SHOWN):
            st.session_state["data"] = names[before]
            _begin_again()
        if not known:
            return None
        st.session_state[_SHOWN] = True
        if len(known) == 1:
            with place:
                markup.remark(names[0])
            return known[0]
        name = place.selectbox("Look at", names, key="data", bind="query-params", on_change=_begin_again)
    return known[names.index(name)]


def _begin_again() -> None:
    """Clear the selection for another input."""
    begin_again()
    forget()


def _arguments_of(shown: ExplorerInput) -> tuple[dict[str, Any], list[str]]:
    """The arguments of its function, and errors in the options."""
    if shown.saved is not None:
        with st.sidebar:
            why = "" if shown.ignored else " its inputs are not where they were, so"
            markup.remark(f"Shown as it was saved:{why} its options cannot be changed.")
        return {}, []
    given = {**_START.get(shown.function, {}), **shown.given}
    with st.sidebar:
        chosen, wrong = selected_options(shown.function, given, known_names(shown.function, given))
    return {**given, **chosen}, wrong
