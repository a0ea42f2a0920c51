"""The chart kit: draws what pictures declare, from a report's tables alone. Computes no figure."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import PurePath
from typing import Any

from karat.about import Bars, Forest, Lines, Matrix
from karat.names import annotator_names, short
from karat.render.kit.bars import bars
from karat.render.kit.forest import forest
from karat.render.kit.lines import lines
from karat.render.kit.matrix import matrix
from karat.render.kit.style import Chart
from karat.report import Report

_NAMED = 2
"""Files that a caption names."""
_DRAW: dict[type, Callable[[Report, Any], Chart | None]] = {
    Bars: bars,
    Forest: forest,
    Lines: lines,
    Matrix: matrix,
}


def charts(report: Report, most: int | None = None) -> list[Chart]:
    """The pictures of a report that it holds anything for, in their order. most: how many are drawn."""
    found = (_DRAW[type(one)](report, one) for one in report.about.pictures)
    drawn = islice((chart for chart in found if chart is not None), most)
    return [replace(chart, caption=f"{chart.caption}{_rests_on(report)}") for chart in drawn]


def _rests_on(report: Report) -> str:
    """A sentence each on the reference, where there is a single one, and on the files."""
    names = [short(PurePath(one.path).name) for one in report.inputs]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    first = report.items.first
    references = first["reference"].drop_nulls().unique().to_list() if "reference" in first.columns else []
    called = annotator_names(report.tables.values()) | {one.path: PurePath(one.path).stem for one in report.inputs}
    reference = f" Reference: {short(called.get(references[0], references[0]))}." if len(references) == 1 else ""
    return reference + (f" Data: {', '.join(names[:_NAMED])}{more}." if names else "")
