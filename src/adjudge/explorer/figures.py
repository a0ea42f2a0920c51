"""Figures: what they conclude, their tables, their pictures."""

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import streamlit as st

from adjudge.explorer import downloads, uploads, words
from adjudge.explorer.cells import Cells, cells_of
from adjudge.explorer.items import lead_to
from adjudge.explorer.lists import grid, height_of, one_of, with_minus
from adjudge.explorer.looks import colours
from adjudge.explorer.results import Result
from adjudge.render.charts import drawn_in
from adjudge.render.conclusion import answer_and_data
from adjudge.render.explanations import NOTES, note_title
from adjudge.render.kit import charts
from adjudge.render.kit.style import RenderedChart
from adjudge.render.next_steps import what_next
from adjudge.render.numbers import DASH, plain
from adjudge.render.palette import DARK, LIGHT
from adjudge.render.part import Part
from adjudge.render.parts import parts
from adjudge.render.said import FEW_WARNINGS, counted, leading_tables, meanings, told_gates
from adjudge.render.wording import capital
from adjudge.report import Report

_FIRST_PICTURES, _KEPT = 1, 8
_ENLARGED = 1.4
"""How many times its own size a picture has."""
_WIDTH = re.compile(r'width="(\d+)')


def overview(result: Result) -> None:
    """The answer: sentences, gates, the main table and the first picture; what the report warns of."""
    report = result.report
    words.heading(report.about.question)
    words.remark(counted(report))
    answer, data = answer_and_data(report)
    words.sentences(answer)
    if data:
        words.labelled("The data:", data)
    _verdict(report)
    folded = len(report.warnings) > FEW_WARNINGS
    with st.expander(words.label(f"{len(report.warnings):,} warnings")) if folded else nullcontext():
        for warning in report.warnings:
            words.warn(uploads.without_place(warning))
    ranked = next(iter(leading_tables(report)), None)
    name = ranked or report.about.main
    _table(result, name, first=ranked is None)
    if report[name].height:
        downloads.of_frame(name, report[name])
    _pictures(result, _FIRST_PICTURES)
    _reading(report)


def _reading(report: Report) -> None:
    """What figures mean, and how they were made."""
    with st.expander("How to read this"):
        words.explain(meanings(report))
        words.sentences(report.notes)


def _verdict(report: Report) -> None:
    """What became of its gates, and what to do next: under the words that a page has for them."""
    told, many = told_gates(report)
    if report.gates:
        words.labelled("Good enough?", [*filter(None, [many]), *map(str, told)])
    if next_step := what_next(report):
        words.labelled("What to do next:", [uploads.without_place(next_step)])


def tables(result: Result) -> None:
    """A table of the report, chosen by name."""
    report = result.report
    known = [name for name in report if report[name].height]
    if not known:
        words.say("The report holds no table with rows.")
        return
    main = report.about.main if report.about.main in known else known[0]
    name = one_of("Table", known, "table", first=main, format_func=lambda one: plain(one).capitalize())
    _table(result, name)
    downloads.of_frame(name, report[name])
    _reading(report)


def pictures(result: Result) -> None:
    """All pictures of the report."""
    _pictures(result, None)


def warm_up(result: Result) -> None:
    """Make the main table and draw the first picture once: what does so takes a second to load, while a page waits."""
    for part in parts(result.report, result.report.about.main)[:1]:
        _shown(result, part)
    _drawn(result, _FIRST_PICTURES, dark=False)


@lru_cache(_KEPT)
def _drawn(result: Result, most: int | None, *, dark: bool) -> Sequence[tuple[RenderedChart, str]]:
    """The first pictures of a report with how they look. Most of the time of a page is spent here."""
    return [(chart, drawn_in(chart, DARK if dark else LIGHT)) for chart in charts(result.report, most)]


def _pictures(result: Result, most: int | None) -> None:
    drawn = _drawn(result, most, dark=colours() is DARK)
    if not drawn and most is None:
        words.say("There is nothing to draw: no table that is drawn holds a figure.")
    for chart, svg in drawn:
        words.heading(chart.title)
        width = int(_ENLARGED * int(_WIDTH.findall(svg)[0]))
        st.image(svg, width=width, alt=f"{chart.title}. {chart.caption}")
        words.remark(chart.caption)
        downloads.of_picture(chart)


def _table(result: Result, name: str, *, first: bool = False) -> None:
    """A table, part by part, whose cells lead to their items, and what its remarks mean.

    first: of several parts the first alone.
    """
    every = parts(result.report, name)
    found = every[:1] if first else every
    for number, part in enumerate(found):
        of_all = part.about if part.block else ""
        if of_all:
            words.remark(of_all)
        if len(every) > 1 and (title := part.block or part.title):
            words.small_heading(title)
        if part.about and not of_all:
            words.remark(part.about)
        if part.frame.height:
            _grid(result, part, f"cells-{name}-{number}")
        for said in (part.said, part.note and f"All of them: {part.note}."):
            if said:
                words.remark(said)
    frames = [part.frame for part in found if part.figures]
    for note in dict.fromkeys(note_title(one) for frame in frames for one in frame["caveat"] if one):
        words.remark(f"{capital(note)}: {NOTES[note]}")
    more = " The other figures stand in Tables." if len(found) < len(every) else ""
    called = result.report.about.items
    words.remark(f"Choose a cell, then press the button that appears below the table to read its {called}.{more}")


def _shown(result: Result, part: Part) -> tuple[Cells, Any, Mapping[str, Any]]:
    """A part of a table: its cells, and as streamlit takes it."""
    shown = cells_of(result.report, part)
    return shown, *with_minus(shown.frame, shown.config)


def _grid(result: Result, part: Part, key: str) -> None:
    shown, data, config = _shown(result, part)
    grid(
        data,
        key,
        columns=shown.frame.columns,
        rows=shown.frame.height,
        items=result.report.about.items,
        said=shown.said,
        lead=lambda row, column: lead_to(result, shown.about(row, column)),
        column_config=config,
        width="content",
        height=height_of(shown.frame.height),
        hide_index=True,
        placeholder=DASH,
        alt=f"{part.title or plain(part.name)} {part.block}".strip(),
    )
