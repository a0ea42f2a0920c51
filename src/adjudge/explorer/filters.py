"""Selection of items: by controls, from a table or from a list, and its reset."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

import polars as pl
import streamlit as st
from polars import selectors
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import StreamlitAPIException

from adjudge.explorer import markup
from adjudge.explorer.results import Result
from adjudge.render.examples import part_title
from adjudge.render.numbers import capital, plain_words, short_number, worded
from adjudge.render.visible_text import TURNS, visible

PREFIX = "of-"
"""Prefix of the keys of all that selects items."""
_CHOSEN = ("judge", "reference", "part", "outcome", "label", "reference_label", "detail")
PAGE = "page"
"""Key of the current page of items."""
_AS = {
    "criterion": "part",
    "ability": "part",
    "first": "judge",
    "second": "judge",
    "annotator": "judge",
    "other": "judge",
    "reason": "detail",
    "vote": "label",
    "reference_vote": "reference_label",
}
"""Key columns of tables -> their names in outcomes."""
_OUTCOMES: Mapping[str, Mapping[str, str]] = {
    "agreement": {
        "with_nobody": "Label of no other annotator",
        "with_some": "Label of some other annotators",
        "with_most": "Label of most other annotators",
        "with_all": "Label of all other annotators",
        "alone": "Label of an item without other labels",
    },
    "reliability": {"flagged": "Choice flagged", "both": "Flagged by both", "neither": "Flagged by neither"},
    "violations": {"false_negative": "Missed", "false_positive": "Invented", "true_positive": "Matched"},
}
"""Titles of outcomes that the evaluation does not name, the most relevant first."""
_VALUES = 200
"""Columns with more values than this are no filters."""
_SOUGHT = 20_000
"""The most items whose texts are searched."""
_BESIDE, _KEPT = 4, 4
ITEM, JUDGE = "item", "item-judge"
"""Keys of the address: the selected item, and the judge of its row."""
_HEIGHT, _FEW, _DECIMALS = 260, 6, 3
"""Pixels of long lists, the most rows of short ones, and decimals of their numbers."""


def forget() -> None:
    """Select no items.

    Deleted values would come back from the address, so lists and the search text are set to empty instead.
    """
    for name in list(map(str, st.session_state)):
        if name == f"{PREFIX}text":
            st.session_state[name] = ""
        elif name.startswith(PREFIX) and isinstance(st.session_state[name], list):
            st.session_state[name] = []
        elif name == PAGE:
            st.session_state[name] = 1
        elif name.startswith(PREFIX):
            del st.session_state[name]
    for name in [name for name in st.query_params if name.startswith(PREFIX) or name in {ITEM, JUDGE}]:
        with suppress(StreamlitAPIException, KeyError):  # a control of this view already has the value
            del st.query_params[name]


def choose(key: str, value: str | list[Any]) -> None:
    """Set a control's value, whether it is shown yet or not; streamlit adds that of a shown one to the address."""
    st.session_state[key] = value
    st.session_state.pop(f"default of {key}", None)
    with suppress(StreamlitAPIException):  # a control of this view already has the value
        st.query_params[key] = value


def first_page() -> None:
    """Go back to the first page."""
    st.session_state[PAGE] = 1


def lead_to(result: Result, row: Mapping[str, Any]) -> bool:
    """Select a row's items: those of its judges, parts, labels. Returns whether there may be any."""
    known, judge = known_values(result, single=True), result.report.about.judge
    found: dict[str, list[Any]] = {}
    for name, value in row.items():
        column = "judge" if name == judge else _AS.get(name, name)
        if column == "judge" and value is not None and value not in known.get("judge", ()):
            markup.toast(f"The report holds no items of {value}.")
            return False
        if isinstance(value, str | float) and value in known.get(column, ()):
            found.setdefault(column, []).append(value)
    forget()
    for column, values in found.items():
        if len(known[column]) > 1:
            choose(PREFIX + column, list(dict.fromkeys(values)))
    return True


def filter_outcomes(result: Result, values: Mapping[str, Sequence[Any]]) -> pl.LazyFrame:
    """The selected outcomes."""
    outcomes = result.outcomes
    with st.expander("Filters", expanded=st.session_state.get("view") == "Items"):
        places = [place for _ in range(0, len(values), _BESIDE) for place in st.columns(_BESIDE)]
        for place, (name, known) in zip(places, values.items(), strict=False):
            title, read = column_title(result, name), partial(value_title, result, name)
            if picked := pick(place, PREFIX + name, title, known, read):
                outcomes = outcomes.filter(pl.col(name).is_in(picked))
        how: dict[str, Any] = {"key": f"{PREFIX}text", "bind": "query-params", "on_change": first_page}
        sought = st.text_input("Name or text of the item contains", **how)
    return outcomes.filter(pl.col("item").is_in(_containing(result, outcomes, sought))) if sought else outcomes


def pick(
    place: DeltaGenerator, key: str, title: str, known: Sequence[Any], read: Callable[[Any], str] = str
) -> list[Any]:
    """The selected values of a column; none selects all. read: the display form of a value."""
    how: dict[str, Any] = {"bind": "query-params", "on_change": first_page, "placeholder": "All"}
    return place.multiselect(markup.label(title), known, key=key, format_func=lambda one: visible(read(one)), **how)


def value_title(result: Result, column: str, value: str | float) -> str:
    """The display form of a value of a column of outcomes; outcomes appear by their meaning."""
    if isinstance(value, float):
        return short_number(value)
    if column == "outcome":
        return outcome_titles(result).get(value, plain_words(value))
    titles = result.report.about.value_titles.get(column, {})
    return titles.get(value) or (part_title(value, result.report.about) if column == "part" else worded(value))


def column_title(result: Result, name: str) -> str:
    """The title of a column of outcomes."""
    about = result.report.about
    own = {_AS[key]: key for key in about.keys if _AS.get(key) == "part"} | {"judge": about.judge, **about.columns}
    return markup.field_title(own.get(name, name))


@lru_cache(_KEPT)
def outcome_titles(result: Result) -> Mapping[str, str]:
    """The title of each outcome: the evaluation's, that of a metric, or with the part that alone has it."""
    about = result.report.about
    known = {**about.outcomes, **_OUTCOMES.get(result.function, {})}
    found = result.outcomes.group_by("outcome").agg(pl.col("part").cast(pl.String).unique().sort()).collect()
    parts = dict(sorted(found.drop_nulls().iter_rows()))
    several = len({part for many in parts.values() for part in many}) > 1

    def title(kind: str) -> str:
        if kind in about.metrics:
            return about.metrics[kind].title
        alone = several and len(parts[kind]) == 1
        return f"{capital(plain_words(parts[kind][0]))}: {plain_words(kind)}" if alone else capital(plain_words(kind))

    return {kind: known.get(kind) or title(kind) for kind in dict.fromkeys([*known, *parts]) if kind in parts}


@lru_cache(_KEPT)
def known_values(result: Result, *, single: bool = False) -> Mapping[str, Sequence[Any]]:
    """Columns of outcomes for selection, and their values. single: also those with a single value."""
    keys = [name for name in result.report.about.keys if name not in _AS]
    columns = [*_CHOSEN, *(result.report.options.get("by") or ()), *keys]
    schema = result.outcomes.collect_schema()
    names = [name for name in dict.fromkeys(columns) if schema.get(name) in (pl.String, pl.Float64)]
    names = [name for name in names if name != "label" or not result.report.about.labels]  # the outcome says it
    found = result.outcomes.select(pl.col(name).unique().drop_nulls().sort().implode() for name in names).collect()
    values = {name: found[name][0].to_list() for name in names}
    return {name: many for name, many in values.items() if (0 if single else 1) < len(many) <= _VALUES}


def _containing(result: Result, found: pl.LazyFrame, sought: str) -> list[str]:
    """The items whose name, or one of whose texts, contains the search text, ignoring case."""
    rows = found.unique("item", keep="first", maintain_order=True).collect()
    if rows.height > _SOUGHT:
        markup.remark(f"There are {rows.height:,} items: the texts of the first {_SOUGHT:,} are searched.")
    wanted, texts = sought.casefold(), result.texts(rows.head(_SOUGHT).to_dicts())
    return [
        name
        for place, name in enumerate(rows["item"])
        if wanted in name.casefold()
        or (place < _SOUGHT and any(wanted in str(text).casefold() for text in texts[place].values()))
    ]


# --- lists whose rows lead to items ---


def arrow(frame: pl.DataFrame) -> Any:  # noqa: ANN401 - pyarrow has no types
    """A frame in streamlit's fast format, with the names of characters that reorder a cell's text in brackets.

    Streamlit converts any other frame to pandas, which takes a second to load.
    """
    return frame.with_columns(selectors.string().str.replace_many(TURNS)).to_arrow()


def round_number(number: float | None, decimals: int = 1) -> float | None:
    """A number rounded as in pages and the terminal: a browser would make 71.3 of 71.25, and keep the sign of zero.

    >>> round_number(71.25), round_number(-0.04)
    (71.2, 0.0)
    """
    return None if number is None else float(f"{number:z.{decimals}f}")


def one_of(
    label: str,
    known: Sequence[str],
    key: str,
    *,
    first: str | None = None,
    place: DeltaGenerator | None = None,
    **how: Any,  # noqa: ANN401 - streamlit's own
) -> str:
    """The selection from a list that may change, by default its first. label: escaped. place: by default here.

    The default is not in the address, so it changes with the list, as in a page opened from the address.
    """
    first, before = first or known[0], f"default of {key}"
    chosen = st.session_state.get(key)
    if chosen is None and (asked := st.query_params.get(key)):  # an opened address reaches its control later
        chosen = next((one for one in known if visible(one) == asked), None)
    if chosen not in known or chosen == st.session_state.get(before):
        st.session_state[key] = first
    st.session_state[before] = first
    how = {"format_func": visible, **how}
    return str((place or st).selectbox(label, known, index=known.index(first), key=key, bind="query-params", **how))


def show_list(
    key: str,
    frame: pl.DataFrame,
    items: pl.Series,
    titles: Mapping[str, str],
    *,
    judges: pl.Series | None = None,
    shares: Collection[str] = (),
) -> int:
    """A list whose selected row determines the shown item. Returns its place.

    items, judges: of each row. titles: of columns, if different from the frame's. shares: columns that hold
    shares.
    """

    def choose_row() -> None:
        for row in st.session_state[key]["selection"]["rows"]:
            st.query_params[ITEM] = items[row]
            if judges is not None:
                st.query_params[JUDGE] = judges[row]

    place = _chosen_row(key, items, judges)
    shares = [name for name in frame.columns if name in shares]
    percents = [pl.Series(name, [share and round_number(100 * share) for share in frame[name]]) for name in shares]
    titles = {name: markup.column(titles.get(name, name)) for name in frame.columns}
    config = {name: st.column_config.Column(title, pinned=name == frame.columns[0]) for name, title in titles.items()}
    config |= {one.name: st.column_config.NumberColumn(titles[one.name], format="%.1f%%") for one in percents}
    st.dataframe(
        arrow(frame.with_columns(percents).with_columns(selectors.float().round(_DECIMALS))),
        key=key,
        on_select=choose_row,
        selection_mode="single-row",
        hide_index=True,
        placeholder="",
        width="content",
        height="content" if frame.height <= _FEW else _HEIGHT,
        column_config=config,
        alt="The items that are chosen",
    )
    return place


def _chosen_row(key: str, items: pl.Series, judges: pl.Series | None) -> int:
    """The row of the item in the address, preferably with the judge there; the first row without such an item."""
    is_chosen = items == st.query_params.get(ITEM, "")
    if judges is not None:
        by_judge = is_chosen & (judges.cast(pl.String) == st.query_params.get(JUDGE, ""))
        is_chosen = by_judge if by_judge.any() else is_chosen
    places = is_chosen.arg_true().to_list() or [0]
    rows = st.session_state.get(key, {}).get("selection", {}).get("rows", [])
    place = rows[0] if rows and rows[0] in places else places[0]
    if rows != [place]:
        st.session_state[key] = {"selection": {"rows": [place], "columns": [], "cells": []}}
    return int(place)
