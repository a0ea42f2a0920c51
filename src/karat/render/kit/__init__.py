"""The chart kit: draws what pictures declare, from a report's tables alone. Computes no figure."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from karat.about import Bars, Forest, Lines, Matrix
from karat.render.kit.bars import bars
from karat.render.kit.forest import forest
from karat.render.kit.lines import lines
from karat.render.kit.matrix import matrix
from karat.render.kit.style import Chart
from karat.report import Report

_DRAW: dict[type, Callable[[Report, Any], Chart | None]] = {
    Bars: bars,
    Forest: forest,
    Lines: lines,
    Matrix: matrix,
}


def charts(report: Report, most: int | None = None) -> list[Chart]:
    """The pictures of a report that it holds anything for, in their order. most: how many are drawn."""
    found = (_DRAW[type(one)](report, one) for one in report.about.pictures)
    return list(islice((chart for chart in found if chart is not None), most))
