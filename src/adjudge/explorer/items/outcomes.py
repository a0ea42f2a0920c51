"""Outcomes as a list, chosen by judge, outcome and whatever else they say, and one item with all that is said of it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl
import streamlit as st
from polars import selectors

from adjudge.display_names import number_repeats
from adjudge.evaluations.examples import PEERS
from adjudge.explorer import files, filters, lists, markup
from adjudge.explorer.results import Result
from adjudge.readers.problems import count_words
from adjudge.render.html import items_fragment
from adjudge.render.numbers import counted_name
from adjudge.render.visible_text import visible
from adjudge.report import Report, truncate
from adjudge.schemas.outcomes import OUTCOMES

_PAGE_ROWS = 500
"""How many outcomes are listed at once."""
_SORTED = 300_000
"""More outcomes than this stand in their own order."""
_LONG = 120
_LABELS = 12
"""Labels whose counts are listed."""
_SAID = ("judge", "label", "outcome")
Row = Mapping[str, Any]
Show = Callable[[Result, Row], None]


def outcomes(result: Result, show: Show | None = None) -> None:
    """The outcomes that are chosen, a line for each, and one item with all that is said of it.

    show: shows the item of the row that is chosen; by default as examples are shown.
    """
    values = filters.known_values(result)
    found = filters.filter_outcomes(result, values)
    total = found.select(pl.len()).collect().item()
    if not total:
        markup.remark("Nothing is left: choose less.")
        st.button("Show all items", on_click=filters.forget)
        return
    called = result.report.about.items
    ordered = found
    if total <= _SORTED:  # what is wrong stands before what is right
        places = {name: place for place, name in enumerate(filters.outcome_titles(result))}
        place = pl.col("outcome").replace_strict(places, default=len(places), return_dtype=pl.Int64)
        ordered = found.sort(place, maintain_order=True)
    listed, which = page_of(ordered, total)
    items_there = found.select(pl.col("item").n_unique()).collect().item()
    many = f"{count_words(total, 'outcome', 'outcomes')} of {count_words(items_there, counted_name(called, 1), called)}"
    markup.remark(f"{which}{many}. Choose a row to read it.")
    left, right = st.columns(2, gap="medium")
    with left:
        row = listed.row(_list(result, listed), named=True)
    with right:
        (show or _item)(result, row)
    files.save_frame("items", found)


def page_of(found: pl.LazyFrame, total: int) -> tuple[pl.DataFrame, str]:
    """The rows of the page that is chosen, and which these are, where there are several pages."""
    pages = -(-total // _PAGE_ROWS)
    if pages <= 1:
        return found.collect(), ""
    if st.session_state.get(filters.PAGE, 1) > pages:
        st.session_state[filters.PAGE] = 1
    number = int(st.number_input(f"Page, 1 to {pages:,}", 1, pages, key=filters.PAGE, bind="query-params", width=160))
    start = (number - 1) * _PAGE_ROWS
    listed = found.slice(start, _PAGE_ROWS).collect()
    return listed, f"{start + 1:,} to {start + listed.height:,} of "


def _list(result: Result, listed: pl.DataFrame) -> int:
    """Outcomes, which lead to their items. Returns the place of the one that is looked at."""
    listed = _without_repeated(result, listed)
    shown = [name for name in listed.columns if listed[name].null_count() < listed.height]
    own = {*result.outcomes.collect_schema()} - set(result.report.options.get("by") or ())
    titles = {name: filters.column_title(result, name) for name in shown if name in own}
    texts = {
        name: [one and visible(truncate(filters.value_title(result, name, one), _LONG)) for one in listed[name]]
        for name in shown
        if listed[name].dtype == pl.String
    }
    frame = listed.select(shown).with_columns(pl.Series(name, values, pl.String) for name, values in texts.items())
    shares = result.report.about.shares
    return lists.show_list("outcomes", frame, listed["item"], titles, judges=listed["judge"], shares=shares)


def _without_repeated(result: Result, listed: pl.DataFrame) -> pl.DataFrame:
    """Outcomes without columns that say again what others say: the part, the value, and what is true or false.

    A reference (often a path), a part, or a scorer, that is the same for all is not said either, nor what outcomes say.
    Labels that are counted, as JSON, have a column each.
    """
    if filters.holds_counts(listed["detail"]):
        counts = [json.loads(one or "{}") for one in listed["detail"]]
        labels = list(dict.fromkeys(name for one in counts for name in one))[:_LABELS]
        names = number_repeats([*listed.columns, *map(visible, labels)])[listed.width :]
        columns = {name: [one.get(label) for one in counts] for name, label in zip(names, labels, strict=True)}
        listed = listed.drop("detail").hstack(pl.DataFrame(columns, dict.fromkeys(columns, pl.Int64)))
    listed = listed.drop(selectors.boolean())
    once = [name for name in ("reference", "part", *result.report.about.common) if name in listed.columns]
    hidden = [name for name in result.report.about.hidden_columns if name in listed]
    again = [
        *(name for name in filters.said_by_outcomes(result) if name in listed.columns),
        *(name for name in once if listed[name].n_unique() == 1),
        *(name for name in hidden if any(listed[name].equals(listed[other]) for other in ("part", "value"))),
    ]
    return listed.drop(again)


def _item(result: Result, row: Row) -> None:
    """All that is said of an item: of each part once, with what every judge says beside the reference."""
    first = [row["judge"], *(st.session_state.get(f"{filters.PREFIX}judge") or ())]
    if result.item is not None and not (explained := result.item(row["item"])).is_empty():
        judge = next(one for one in (*first, *explained["judge"]) if one in set(explained["judge"]))
        markup.show_html(items_fragment(replace(result.report, examples=explained.filter(judge=judge))))
        return
    is_it = [pl.col(name).eq_missing(pl.lit(row[name])) for name in result.outcomes.collect_schema() if name in row]
    places = {judge: place for place, judge in reversed(list(enumerate(first)))}
    of_judge = pl.col("judge").replace_strict(places, default=len(first), return_dtype=pl.Int64)
    rows = result.outcomes.filter(item=row["item"]).collect()
    # The chosen outcome first, so that its question, and whom it is about, are first.
    rows = rows.sort(~pl.all_horizontal(is_it), of_judge, maintain_order=True)
    if parts := st.session_state.get(f"{filters.PREFIX}part"):
        rows = rows.filter(pl.col("part").is_in(parts))
    markup.show_html(items_fragment(_questions(result, rows)))


def _questions(result: Result, rows: pl.DataFrame) -> Report:
    """A report whose examples are the questions about an item, with what the first judge says and what the others say.

    rows: its outcomes; the first judge is the one that stands first.
    """
    texts = result.texts(rows.to_dicts())
    rows = rows.drop("value", "cluster", *result.report.about.hidden_columns, selectors.boolean(), strict=False)
    keys = ["part", *(name for name in rows.columns if name not in OUTCOMES)]
    groups: dict[tuple[Any, ...], list[tuple[Row, Row]]] = {}
    for row, own in zip(rows.to_dicts(), texts, strict=True):
        question = groups.setdefault(tuple(row[key] for key in keys), [])
        if all(other["judge"] != row["judge"] for other, _ in question):
            question.append((row, {name: text for name, text in own.items() if name not in row}))
    shown = [_question(many) for many in groups.values()]
    names = list(dict.fromkeys(name for one in shown for name in one))
    columns = {name: [one.get(name) for one in shown] for name in names}
    return replace(result.report, examples=pl.DataFrame(columns, infer_schema_length=None, strict=False))


def _question(rows: list[tuple[Row, Row]]) -> Row:
    """A question as an example: texts that differ between judges are their own."""
    (first, texts), *rest = rows
    own = {name for _, said in rest for name in said.keys() | texts.keys() if said.get(name) != texts.get(name)}
    others = [
        {name: row[name] for name in _SAID} | {name: said[name] for name in sorted(own) if name in said}
        for row, said in rest
    ]
    return {**first, **texts, PEERS: json.dumps(others, ensure_ascii=False) if others else None}
