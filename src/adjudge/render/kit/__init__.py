"""The chart kit: draws what pictures declare, from a report's tables alone. Computes no figure."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import PurePath
from typing import Any

import polars as pl
from altair.utils.schemapi import debug_mode

from adjudge.display_names import annotator_names, short_name
from adjudge.render.kit.bars import bars
from adjudge.render.kit.forest import forest
from adjudge.render.kit.lines import lines
from adjudge.render.kit.matrix import matrix
from adjudge.render.kit.style import RenderedChart
from adjudge.report import Report
from adjudge.spec import AnyChart, BarChart, ForestPlot, Heatmap, LineChart

_NAMED = 2
"""Files that a caption names, where there are at least two more."""
_NAME = 80
"""How long a name in a caption may be, which has lines for it."""


_Draw = Callable[..., RenderedChart | None]
_DRAW: dict[type, _Draw] = {BarChart: bars, ForestPlot: forest, LineChart: lines, Heatmap: matrix}


def charts(report: Report, most: int | None = None, *, narrow: bool = False) -> list[RenderedChart]:
    """The pictures of a report that it holds anything for, in their order.

    most: how many are drawn. narrow: whether for a phone, with plots below one another; captions are the same.
    """
    made = ((one, _DRAW[type(one)](report, one, narrow=narrow)) for one in report.about.charts)
    drawn = islice(((one, chart) for one, chart in made if chart is not None), most)
    with debug_mode(False):  # what is drawn here is valid, as tests see to; to check it takes longer than to make it
        found = [replace(chart, caption=f"{chart.caption}{_rests_on(report, one)}") for one, chart in drawn]
    return [replace(one, spec=_renamed(one.spec)) for one in found] if _confusing(report) else found


_OF_OBJECTS = (
    *("constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString"),
    *("valueOf", "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__"),
)
"""Names that every object of JavaScript has: where one is a judge's name, Vega takes what it finds for its own."""
_UNSEEN = "\u2060"


def _confusing(report: Report) -> bool:
    """Whether a table has such a name."""
    texts = (column for table in report.tables.values() for column in table if column.dtype == pl.String)
    named = {name for table in report.tables.values() for name in table.columns}
    return not named.isdisjoint(_OF_OBJECTS) or any(column.is_in(_OF_OBJECTS).any() for column in texts)


def _renamed(said: Any) -> Any:  # noqa: ANN401 - whatever JSON can say
    """A chart specification in which reserved names are followed by an invisible character."""
    if isinstance(said, dict):
        return {_renamed(name): _renamed(one) for name, one in said.items()}
    if isinstance(said, list):
        return [_renamed(one) for one in said]
    return f"{said}{_UNSEEN}" if isinstance(said, str) and said in _OF_OBJECTS else said


def _rests_on(report: Report, picture: AnyChart) -> str:
    """A sentence each on the reference, where the picture has a single one with a name, and on the files."""
    names = [short_name(PurePath(path).name, _NAME) for path in dict.fromkeys(one.path for one in report.inputs)]
    listed = names[:_NAMED] if len(names) > _NAMED + 1 else names
    more = f" and {len(names) - len(listed):,} more" if len(listed) < len(names) else ""
    frames = [one for one in (report.outcomes.first, report[picture.table]) if "reference" in one.columns]
    references = {name for frame in frames for name in frame["reference"].drop_nulls()}
    called = annotator_names(report.tables.values()) | {one.path: PurePath(one.path).stem for one in report.inputs}
    only = references.pop() if len(references) == 1 else None
    reference = f" Reference: {short_name(called.get(only, only), _NAME)}." if only not in {None, "reference"} else ""
    return reference + (f" Data: {', '.join(listed)}{more}." if names else "")
