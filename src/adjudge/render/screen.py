"""The first screen of a page as its template prints it: the verdict, the chart, and the table with its bars."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from adjudge.render.charts.output import chart_element, chart_legend, chart_title, name_colours
from adjudge.render.charts.parts import NARROW, WIDE
from adjudge.render.summary.contents import Sentence, Summary
from adjudge.render.tables import summary_table
from adjudge.report import Report


def screen_of(report: Report, prefix: str, *, most: int | None = None, phone: bool = True) -> dict[str, Any]:
    """What the templates of the first screen print. phone: whether a narrow chart is drawn too."""
    summary = report.summary
    wide = chart_element(report, WIDE, f"{prefix}-wide")
    return {
        "summary": summary,
        "verdict": [*_verdict(summary, name_colours(report))],
        "chart_title": chart_title(report) if wide else "",
        "legend": chart_legend(report),
        "wide": wide,
        "narrow": chart_element(report, NARROW, f"{prefix}-narrow") if phone and wide else Markup(""),
        "gates": [*map(_gate, summary.gates)],
        "table": summary_table(report, most),
    }


def _verdict(summary: Summary, colours: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The verdict in pieces, names with their colours: each where it stands first."""
    names = sorted((name for name in colours if name), key=len, reverse=True)
    pattern = "|".join(map(re.escape, names))
    at, left = 0, {*names}
    for match in re.finditer(rf"(?<![\w-])(?:{pattern})(?![\w-])", summary.verdict) if names else ():
        if match[0] in left:
            left.remove(match[0])
            yield summary.verdict[at : match.start()], ""
            yield match[0], colours[match[0]]
            at = match.end()
    yield summary.verdict[at:], ""


def _gate(gate: Sentence) -> dict[str, str]:
    """A gate with what became of it; of a suggestion the option that can be copied."""
    mark = gate.label.removeprefix("Gate").strip()
    text, dashes, option = gate.text.partition(" --") if not mark else (gate.text, "", "")
    return {"mark": mark, "text": text, "option": f"--{option}" if dashes else ""}
