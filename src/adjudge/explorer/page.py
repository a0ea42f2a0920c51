"""The page: what is looked at, its options at the side, and one view of it at a time."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from threading import Lock
from typing import Any

import streamlit as st

from adjudge.display_names import number_repeats
from adjudge.errors import AdjudgeError
from adjudge.explorer import files, markup
from adjudge.explorer.charts import draw_chart, show_chart
from adjudge.explorer.controls import begin_again, known_names, options_of
from adjudge.explorer.filters import forget
from adjudge.explorer.inputs import ExplorerInput, open_inputs
from adjudge.explorer.items import items
from adjudge.explorer.markup import style
from adjudge.explorer.results import Result, load_result, result_of
from adjudge.explorer.tables import tables
from adjudge.render.visible_text import one_line, visible
from adjudge.report import contradictions_of
from adjudge.version import NAME, TITLE

_START: Mapping[str, Mapping[str, Any]] = {"annotations": {"matrix": False}, "compare": {"examples": 10_000}}
"""Options with which one begins: comparing many annotators with one another takes seconds; so many changed items of
each kind are listed."""
_ONE_AT_A_TIME = Lock()
_SHOWN = "shown"
"""Whether something has been looked at already, whose options are not those of files that are opened now."""


def overview(result: Result) -> None:
    """The verdict, and the chart beside findings, cautions and next steps; below, the items of the chosen point."""
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
"""What can be seen of every result: name -> what shows it."""


def page(paths: tuple[str, ...], evaluation: str = "") -> None:
    """Show what was given; everything that is chosen stands in the address. evaluation: as in `open_inputs`.

    One run at a time, though a change begins one before the last has ended: charts are drawn with a module that is
    loaded late, and breaks if another run meets it half loaded.
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
        markup.refuse([files.without_place(one) for one in error.frame()])
        return
    with st.sidebar:
        files.downloads(result)


def begin(paths: tuple[str, ...], evaluation: str) -> None:
    """Make the first result of what was given, which is then kept. Raises AdjudgeError for what is wrong with it."""
    with _ONE_AT_A_TIME:
        first, *_ = known = open_inputs(paths, evaluation)
        for warning in (warning for one in known for warning in one.warnings):
            sys.stderr.write(f"{NAME}: warning: {one_line(warning)}\n")
        st.empty()  # of the first thing that is shown, streamlit asks all modules that are loaded who shows it
        if first.saved is None:
            given = {**_START.get(first.function, {}), **first.given}
            result = result_of(first.function, given)
            draw_chart(result, narrow=False)
            known_names(first.function, given)


def _looked_at(known: Sequence[ExplorerInput]) -> ExplorerInput | None:
    """The one that is looked at, of those that were given and those that were opened in the browser."""
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
    """Forget what was chosen of something else."""
    begin_again()
    forget()


def _arguments_of(shown: ExplorerInput) -> tuple[dict[str, Any], list[str]]:
    """What its function is called with, and what is wrong with the options."""
    if shown.saved is not None:
        with st.sidebar:
            why = "" if shown.ignored else " its inputs are not where they were, so"
            markup.remark(f"Shown as it was saved:{why} its options cannot be changed.")
        return {}, []
    given = {**_START.get(shown.function, {}), **shown.given}
    with st.sidebar:
        chosen, wrong = options_of(shown.function, given, known_names(shown.function, given))
    return {**given, **chosen}, wrong
