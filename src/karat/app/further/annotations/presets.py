"""Questions that are asked most, as buttons that set the options."""

import streamlit as st

from karat.app.further.annotations.who import models
from karat.app.results import Result
from karat.evaluations.annotations.annotators import MODEL

_EVERY = "every model"


def presets(result: Result) -> None:
    """What votes reward, and what a model shows."""
    known = models(result)
    votes, model, which = st.columns([2, 2, 3], vertical_alignment="bottom")
    votes.button("What do votes reward?", on_click=_ask, args=([],), key="ask-votes", width="stretch")
    if known:
        named = which.selectbox("Model", [_EVERY, *known], key="model", bind="query-params")
        asked = [MODEL + ("*" if named == _EVERY else named)]
        model.button("What does the model show?", on_click=_ask, args=(asked,), key="ask-model", width="stretch")


def _ask(reference: list[str]) -> None:
    """Compare all annotators with a reference, the data set's own where there is none."""
    st.session_state["reference"] = reference
    st.session_state["annotator"] = []
