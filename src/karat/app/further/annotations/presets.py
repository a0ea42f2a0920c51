"""Questions that are asked most, as buttons that set the options."""

from typing import Literal

import streamlit as st

from karat.app.further.annotations.who import models
from karat.app.results import Result
from karat.evaluations.annotations.annotators import MODEL

_EVERY = "every model"
_WIDTH = 220


def presets(result: Result) -> None:
    """What votes reward, and what a model shows; nothing for a saved report, whose options cannot be changed."""
    if result.read is None:
        return
    known = models(result)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button("What do votes reward?", on_click=_ask, args=([],), key="ask-votes", type=_look([]))
        if known:
            place = st.container(width="content")  # its model stands behind it
            model = st.selectbox("Model", [_EVERY, *known], key="model", bind="query-params", width=_WIDTH)
            asked = [MODEL + ("*" if model == _EVERY else model)]
            place.button("What does the model show?", on_click=_ask, args=(asked,), key="ask-model", type=_look(asked))


def _look(reference: list[str]) -> Literal["primary", "secondary"]:
    """How a button looks that asks for this reference: filled where that is what is shown."""
    shown = st.session_state.get("reference") == reference and not st.session_state.get("annotator")
    return "primary" if shown else "secondary"


def _ask(reference: list[str]) -> None:
    """Compare all annotators with a reference, the data set's own where there is none."""
    st.session_state["reference"] = reference
    st.session_state["annotator"] = []
