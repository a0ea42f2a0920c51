"""The page: what is looked at, its options at the side, and one view of it at a time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from karat.app import downloads, figures, items, words
from karat.app.controls import options_of
from karat.app.further import known_of, start_of, views_of
from karat.app.looks import style
from karat.app.opened import Opened, opened
from karat.app.results import Result, result_of, saved
from karat.errors import DataError, KaratError

_VIEWS = {"Overview": figures.overview, "Tables": figures.tables, "Pictures": figures.pictures, "Items": items.items}
"""What can be seen of every result: name -> what shows it."""


def page(paths: tuple[str, ...]) -> None:
    """Show what was given; everything that is chosen stands in the address."""
    st.set_page_config(page_title="Karat", layout="wide", menu_items={})
    style()
    try:
        result = _result(_chosen(opened(paths)))
    except KaratError as error:
        words.refuse(error.messages if isinstance(error, DataError) else [str(error)])
        st.stop()
    views = {**_VIEWS, **views_of(result.function)}
    chosen = st.segmented_control(
        "View",
        list(views),
        default="Overview",
        required=True,
        key="view",
        bind="query-params",
        label_visibility="collapsed",
    )
    shown = views[chosen](result) or result
    with st.sidebar:
        downloads.downloads(shown)


def _chosen(known: Sequence[Opened]) -> Opened:
    """The one that is looked at, of several."""
    names = [one.name for one in known]
    with st.sidebar:
        words.title("Karat")
        if len(known) == 1:
            words.say(names[0])
            return known[0]
        name = st.selectbox("Look at", names, key="data", bind="query-params", on_change=items.forget)
    return known[names.index(name)]


def _result(shown: Opened) -> Result:
    """What the options give; the first one is counted with those that one begins with, to know whom it names."""
    if shown.saved is not None:
        with st.sidebar:
            words.remark("Saved as it is: its inputs are not where they were, so its options cannot be changed.")
        return saved(shown.saved, Path(shown.saved).stat().st_mtime)
    given = {**start_of(shown.function), **shown.given}
    with st.sidebar:
        chosen = options_of(shown.function, given, _known(shown.function, given))
    for one in shown.why:
        words.warn(one)
    return result_of(shown.function, {**given, **chosen})


def _known(function: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """Whom options may name, and which columns."""
    try:
        result = result_of(function, given)
    except KaratError as error:
        return {"NAME": error.voters, "COLUMN": ()}
    if own := known_of(function):
        return own(result)
    report = result.report
    frame = report[report.about.main]
    names = [name for column in (report.about.judge, "reference") if column in frame.columns for name in frame[column]]
    return {"NAME": sorted({name for name in names if name}), "COLUMN": ()}
