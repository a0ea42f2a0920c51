"""Tables of labels against trusted labels, whose cells lead to their items."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl
import streamlit as st
from numpy import array

from karat.app import downloads, grids, items, words
from karat.app.lists import height_of, one_of
from karat.app.looks import colours
from karat.app.results import Result
from karat.names import distinct, numbered
from karat.render.examples import part_title
from karat.render.kit.style import SHARES
from karat.render.numbers import DASH, plain, worded
from karat.render.palette import faded

_NOTHING = "no label"

Leads = Callable[[Mapping[str, Any]], None]
"""Called with the values that a cell stands for."""


def confusion(result: Result) -> None:
    """How often which label was given where another is right, of one judge."""
    frame = result.report["confusion"]
    words.remark(
        "How often each label was given where the reference label is that of the row; the stronger the colour, the "
        f"greater its share of the row. {grids.choosing('items')}"
    )
    grid(result, frame, ("reference_label", "label"), "confusion", lambda row: items.lead_to(result, row))


def grid(
    result: Result, frame: pl.DataFrame, sides: tuple[str, str], name: str, lead: Leads, among: str | None = None
) -> None:
    """A table of counts as a grid, of the values chosen for its other keys; the stronger its colour, the more.

    sides: the columns whose values name lines and columns. name: for the controls. lead: what a cell leads to.
    among: the column that says of how many each count is, where the colour shows that share, and the greatest share has
    the strongest; else it shows the share of a line. What stands in no row is 0, or nothing where that column is named.
    """
    keys = [key for key in frame.columns if key not in (*sides, "count", among)]
    chosen = one_of_each(result, frame, keys, name)
    counts = frame.filter(*(pl.col(key).eq_missing(pl.lit(value)) for key, value in chosen.items()))
    order = result.report.about.values if "label" in sides else ()
    lines, columns = (_values(counts, side, order) for side in sides)
    held = {(row[sides[0]], row[sides[1]]): row for row in counts.to_dicts()}
    cells = [[held.get((line, one), {"count": 0 if among is None else None}) for one in columns] for line in lines]
    every = list(dict.fromkeys((*lines, *columns)))
    names = dict(zip(every, distinct(worded(one) if one else _NOTHING for one in every), strict=True))
    table = {names[one]: [line[place]["count"] for line in cells] for place, one in enumerate(columns)}
    first = f"{words.own(sides[0])} ↓ / {plain(sides[1])} →"
    shown = pl.DataFrame({first: [names[one] for one in lines], **table}).to_pandas().set_index(first).astype("Int64")
    asked = [_said(result, value) for key, value in chosen.items() if frame[key].n_unique() > 1]

    def picked(place: int, column: str) -> None:
        label = next(one for one in columns if names[one] == column)
        lead({**chosen, sides[0]: lines[place], sides[1]: label})

    def said(place: int, column: str) -> list[str] | None:
        if among is not None:  # of two of the same kind, who may share nothing
            return None if table[column][place] is None else [*asked, names[lines[place]], column]
        return [*asked, f"{plain(sides[0])} {names[lines[place]]}", f"{plain(sides[1])} {column}"]

    shades = [[_shade(colours()["accent"], one) for one in line] for line in _shares(cells, among)]
    grids.grid(
        shown.style.apply(lambda _: array(shades), axis=None),
        f"{name}-cells",
        columns=table,
        rows=len(lines),
        items=result.report.about.items,
        said=said,
        lead=picked,
        placeholder="",
        width="content",
        height=height_of(len(lines)),
    )
    downloads.of_frame(name, frame)


def _shares(cells: Sequence[Sequence[Mapping[str, Any]]], among: str | None) -> list[list[float]]:
    """The share that the colour of each cell shows (see `grid`), from 0 to 1."""
    if among is None:
        totals = [sum(one["count"] for one in line) or 1 for line in cells]
        return [[one["count"] / total for one in line] for line, total in zip(cells, totals, strict=True)]
    found = [[(one["count"] or 0) / (one.get(among) or 1) for one in line] for line in cells]
    most = max((one for line in found for one in line), default=0) or 1
    return [[one / most for one in line] for line in found]


def _shade(accent: str, share: float) -> str:
    return f"background-color: {faded(accent, SHARES[1] * share)}"


def one_of_each(result: Result, frame: pl.DataFrame, keys: Sequence[str], name: str) -> dict[str, Any]:
    """A value of each key, chosen among those that go together with the values chosen before.

    name: for the controls.
    """
    found: dict[str, Any] = {key: frame[key][0] for key in keys if frame[key].n_unique() == 1}
    asked = [key for key in keys if key not in found]
    for place, key in zip(st.columns(len(asked)) if asked else (), asked, strict=True):
        left = frame.filter(*(pl.col(one).eq_missing(pl.lit(value)) for one, value in found.items()))
        values = left[key].unique(maintain_order=True).to_list()
        shown = numbered([_said(result, value) for value in values])
        chosen = one_of(words.label(words.own(key)), shown, f"{name}-{key}", place=place)
        found[key] = values[shown.index(chosen)]
    return found


def _said(result: Result, value: object) -> str:
    """A value of a key as it reads."""
    return part_title(value, result.report.about) if isinstance(value, str) else DASH if value is None else str(value)


def _values(counts: pl.DataFrame, side: str, order: Sequence[str]) -> list[str | None]:
    """The values of a side in Karat's order, those of the data behind them, and none last."""
    known = {value: place for place, value in enumerate(order)}
    return sorted(counts[side].unique(), key=lambda one: (one is None, known.get(one or "", len(known)), one or ""))
