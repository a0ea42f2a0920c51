"""Controls for the options of a function, from its signature, and the names that they offer."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from adjudge.api.functions import options_class
from adjudge.errors import AdjudgeError
from adjudge.evaluations import NAMES
from adjudge.evaluations.scoring import scoring
from adjudge.explorer import markup
from adjudge.explorer.results import result_of
from adjudge.options.declaration import Argument, arguments, values_as_given
from adjudge.profiling.file_profile import profile_of
from adjudge.readers.inputs import source_of
from adjudge.render.numbers import plain_words as in_words
from adjudge.schemas.outcomes import RESERVED_COLUMNS
from adjudge.schemas.pairs import VOTE

_TITLES = {
    "by": "Group by",
    "ci_level": "Confidence level",
    "style": "Rules of style",
}
"""Titles of controls for options whose names are unclear without context."""
_HIDDEN = {"max_size", "seed"}
"""Options without a visible effect here, besides those that declare it."""
_WHO = {"truth_annotator"}
"""Options that take one annotator of a file."""
_ANEW = "anew"
"""Key of the state: the number of pending resets of the controls."""
_DEFAULT = "By default"
"""The placeholder of a list without a selection."""
_KEPT = 16
"""The most files whose names are cached."""
_MOST = 1 << 26
"""The most bytes of a file that is searched for names."""
_JUDGMENTS = ("_preference", "_explanation")
"""Endings of columns that hold judgments; in Adjudge's own form those of votes begin alike."""


def selected_options(
    function: str, initial: Mapping[str, Any], known: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], list[str]]:
    """The selected options that differ from their initial values, and their errors.

    initial: initial values, by default those of the signature. known: for each placeholder in help
    (NAME, COLUMN), its possible values.

    Options of the task come first: the reference, then grouping; the others are below, folded.
    """
    own = {
        name: one
        for name, one in arguments(options_class(function)).items()
        if one.kind.role == "setting" and not one.positional and name not in _HIDDEN
        if one.holder or not one.help.shown
    }
    first = [one for one in own.values() if one.help.group == "Task" or one.name == "by"]
    first.sort(key=lambda one: one.name not in _WHO)
    chosen: dict[str, Any] = {}
    wrong: list[str] = []
    anew = st.session_state.pop(_ANEW, 0)

    def ask(argument: Argument) -> None:
        try:
            chosen[argument.name] = _control(argument, initial, known, anew=anew > 0)
        except AdjudgeError as error:
            wrong.extend(error.frame())

    # In a container of their own, so that the others below stay in place when the data change: streamlit
    # removes a moved control's value from the address.
    with st.container():
        for one in first:
            ask(one)
    with st.expander("More options"):
        for one in own.values():
            if one not in first:
                ask(one)
    if anew > 1 and not own.keys().isdisjoint(st.query_params):
        st.session_state[_ANEW] = anew - 1
        st.rerun()
    return {name: value for name, value in chosen.items() if value != _start(own[name], initial)}, wrong


def begin_again() -> None:
    """Reset all controls to their initial values, when they are shown next.

    Their state is set, not deleted: the browser keeps deleted values in the address. A control that is new in this
    form takes its value from the address all the same, so it is
    shown twice: after that its state counts.
    """
    st.session_state[_ANEW] = 2


def _start(argument: Argument, initial: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of any option
    """The normalized initial value."""
    return argument.checked(initial.get(argument.name, None if argument.required else argument.default))


def _control(argument: Argument, initial: Mapping[str, Any], known: Mapping[str, Sequence[str]], *, anew: bool) -> Any:  # noqa: ANN401
    """The checked value of an option's control. anew: whether to reset it."""
    start, form, several = _start(argument, initial), _form(argument), argument.kind.several
    names = argument.kind.words or known.get(form)
    how: dict[str, Any] = {"key": argument.name, "help": markup.escape_markdown(argument.help.text)}
    how |= {"bind": "query-params"} if argument.file_may_set else {}  # links may come from others, too
    label = _TITLES.get(argument.name) or in_words(argument.name).capitalize()

    def begin(value: Any) -> Any:  # noqa: ANN401 - of any control
        """The initial value of a control, also set in its state."""
        if anew:
            st.session_state[argument.name] = value
        return value

    if isinstance(start, bool):
        return st.toggle(label, value=begin(start), **how)
    if several and form in known:
        values = list(dict.fromkeys([*start, *known[form]]))
        hint = f"{'Choose or type' if values else 'Type'} a {form.lower()}"
        many = st.multiselect(label, values, default=begin(start), accept_new_options=True, placeholder=hint, **how)
        return argument.checked(many)
    if names and not several and (argument.kind.words or argument.metavar == "COLUMN" or argument.name in _WHO):
        may_be_none = argument.default is None or not argument.kind.words
        values = list(dict.fromkeys([*([""] if may_be_none else []), *([start] if start else []), *names]))
        how |= {"placeholder": _DEFAULT, "accept_new_options": not argument.kind.words}
        chosen = st.selectbox(label, values, index=values.index(begin(start or values[0])), **how)
        return argument.checked(argument.parsed(chosen or None))
    written = values_as_given(argument, start) if several else [] if start is None else [str(start)]
    field = partial(st.text_area, height=68) if several else st.text_input
    text = field(label, value=begin("\n".join(written)), placeholder=form, **how)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return argument.checked(argument.parsed((lines if several else lines[0]) if lines else None))


def _form(argument: Argument) -> str:
    """The placeholder in help for a value, or for each of several, without optional parts."""
    return re.sub(r"\[.*?\]", "", argument.metavar).removesuffix(",...")


def known_names(function: str, given: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    """The names that options may take with the arguments given: placeholder in help -> names."""
    columns = _columns_of(function, given)
    try:
        result = result_of(function, given)
    except AdjudgeError as error:
        return {"NAME": error.voters, "COLUMN": columns}
    report = result.report
    frame = report[report.about.main]
    judges = (report.about.judge, "judge", "reference")  # compared runs have judges in any evaluation
    names = {name for column in judges if column in frame.columns for name in frame[column] if name}
    return {"NAME": sorted(names), "COLUMN": columns}


def _columns_of(function: str, given: Mapping[str, Any]) -> Sequence[str]:
    """The columns of the first file with few values each, except those with a meaning for Adjudge."""
    first = next(name for name, one in arguments(options_class(function)).items() if one.positional)
    many = given[first] if isinstance(given[first], list) else [given[first]]
    path = Path(many[0]) if many else Path()
    if function not in NAMES or not path.is_file() or path.stat().st_size > _MOST:
        return ()
    named = {*given.get("columns", {}).values(), *given.get("annotator_columns", ())}
    return _labels(str(path), path.stat().st_mtime, frozenset({*RESERVED_COLUMNS, *scoring(function).TAKEN, *named}))


@lru_cache(_KEPT)
def _labels(path: str, _: float, meant: frozenset[str]) -> list[str]:
    """Possible grouping columns of a file; none of an unreadable one. The second argument: its time."""
    try:
        columns = profile_of(source_of(path)).table
    except AdjudgeError:
        return []
    own = {name: one for name, one in columns.items() if name not in meant and "." not in name}
    others = [name for name in own if not name.startswith(VOTE) and not name.endswith(_JUDGMENTS)]
    return [name for name in others if own[name].is_label and not own[name].is_id and len(own[name].distinct) > 1]
