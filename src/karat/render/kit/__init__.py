"""The chart kit: draws what pictures declare, from a report's tables alone. Computes no figure."""

from typing import TYPE_CHECKING

from karat.pictures import Forest, Lines, Matrix
from karat.render.kit.bars import bars
from karat.render.kit.forest import forest
from karat.render.kit.lines import lines
from karat.render.kit.matrix import matrix

if TYPE_CHECKING:
    from karat.pictures import AnyPicture
    from karat.render.kit.style import Chart
    from karat.report import Report


def charts(report: "Report") -> "list[Chart]":
    """The pictures of a report that it holds anything for, in their order."""
    found = (_drawn(report, one) for one in report.about.pictures)
    return [chart for chart in found if chart is not None]


def _drawn(report: "Report", picture: "AnyPicture") -> "Chart | None":
    if isinstance(picture, Forest):
        return forest(report, picture)
    if isinstance(picture, Matrix):
        return matrix(report, picture)
    return lines(report, picture) if isinstance(picture, Lines) else bars(report, picture)
