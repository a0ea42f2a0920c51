"""Figures: what they conclude, their tables, their pictures."""

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import lru_cache
from typing import Any

import streamlit as st

from adjudge.display_names import short_name
from adjudge.explorer import downloads, words
from adjudge.explorer.cells import Cells, cells_of
from adjudge.explorer.controls import as_controls
from adjudge.explorer.items import lead_to
from adjudge.explorer.lists import grid, height_of, one_of, with_minus
from adjudge.explorer.looks import colours
from adjudge.explorer.results import Result
from adjudge.render.charts import drawn_in
from adjudge.render.conclusion import answer_and_data
from adjudge.render.explanations import NOTES, note_title
from adjudge.render.kit import charts
from adjudge.render.kit.style import NARROW, RenderedChart
from adjudge.render.next_steps import what_next
from adjudge.render.numbers import DASH, plain
from adjudge.render.palette import DARK, LIGHT
from adjudge.render.part import Part
from adjudge.render.parts import parts
from adjudge.render.said import FEW_WARNINGS, counted, leading_tables, meanings, told_gates
from adjudge.render.wording import capital
from adjudge.report import Report

_FIRST_PICTURES, _KEPT, _NAMED = 1, 8, 2
_ENLARGED, _ON_A_PHONE = 1.4, 1.15
"""How many times its own size a picture has, and on a phone."""
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
    _verdict(report, result.function)
    folded = len(report.warnings) > FEW_WARNINGS
    with st.expander(words.label(f"{len(report.warnings):,} warnings")) if folded else nullcontext():
        for warning in report.warnings:
            words.warn(as_controls(warning, result.function))
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


def _verdict(report: Report, function: str) -> None:
    """What became of its gates, and what to do next: under the words that a page has for them."""
    told, many = told_gates(report)
    if report.gates:
        words.labelled("Good enough?", [*filter(None, [many]), *map(str, told)])
    if next_step := what_next(report):
        words.labelled("What to do next:", [as_controls(next_step, function)])


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
def _drawn(result: Result, most: int | None, *, dark: bool) -> Sequence[tuple[RenderedChart, Sequence[str]]]:
    """The first pictures of a report with how they look: one that is too wide for a phone also as it looks there.

    Most of the time of a page is spent here.
    """
    theme = DARK if dark else LIGHT
    wide = [(chart, drawn_in(chart, theme)) for chart in charts(result.report, most)]
    others = charts(result.report, most, narrow=True)
    return [
        (chart, [svg, drawn_in(other, theme)] if _width(svg) > NARROW else [svg])
        for (chart, svg), other in zip(wide, others, strict=True)
    ]


def _width(svg: str) -> int:
    found = _WIDTH.search(svg)
    return int(found[1]) if found else 0


def _pictures(result: Result, most: int | None) -> None:
    drawn = _drawn(result, most, dark=colours() is DARK)
    if not drawn and most is None:
        words.say("There is nothing to draw: no table that is drawn holds a figure.")
    for chart, (wide, *narrow) in drawn:
        words.heading(chart.title)
        told = f"{chart.title}. {chart.caption}"
        with st.container(key=f"{'wide' if narrow else 'any'}-picture-{chart.name}"):
            st.image(wide, width=int(_ENLARGED * _width(wide)), alt=told)
        for svg in narrow:
            fits = _width(svg) <= _ON_A_PHONE * NARROW
            with st.container(key=f"{'narrow' if fits else 'scrolled'}-picture-{chart.name}"):
                st.image(svg, width=int((_ON_A_PHONE if fits else 1) * _width(svg)), alt=told)
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
                words.remark(as_controls(said, result.function))
    for note, whose in _noted(found, result.report.about.judge).items():
        words.remark(f"{capital(note_title(note))}{whose}: {NOTES[note_title(note)]}")
    more = " The other figures stand in Tables." if len(found) < len(every) else ""
    called = result.report.about.items
    words.remark(f"Choose a cell, then press the button that appears below the table to read its {called}.{more}")


def _noted(found: Sequence[Part], judge: str) -> Mapping[str, str]:
    """The notes of tables, with whose figures they concern where that is a few of them."""
    frames = [part.frame for part in found if part.figures]
    every = {name for frame in frames if judge in frame for name in frame[judge]}
    whose: dict[str, dict[str, None]] = {}
    for row in (row for frame in frames for row in frame.iter_rows(named=True) if row["caveat"]):
        whose.setdefault(row["caveat"], {})[row.get(judge) or ""] = None
    few = {note: [*names] for note, names in whose.items() if len(names) <= _NAMED and len(names) < len(every)}
    return {note: f" ({', '.join(map(short_name, few[note]))})" if note in few else "" for note in whose}


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
