"""The chart of a report as an Altair object, as SVG for a page, and as a file."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

import vl_convert
from markupsafe import Markup

from adjudge.errors import DataError
from adjudge.render.charts import changes, judges
from adjudge.render.charts.parts import GRID, MOST_SERIES, MUTED, SERIES, WIDE, Plot
from adjudge.render.palette import LIGHT
from adjudge.render.visible_text import visible
from adjudge.report import Report

_SCALE = 2
_TOLERANCE = 0.03
"""The relative error of a chart's width above which it is drawn again."""
_SVG = "http://www.w3.org/2000/svg"
_LINK = re.compile(r"url\(#([^)]*)\)")
_FONT = "'Helvetica Neue', Helvetica, 'Liberation Sans', Arial, sans-serif"
_LABELS = {"gridColor": GRID, "labelColor": MUTED, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12}
_LINES = {"labelFlush": False, "domain": False, "ticks": False, "labelPadding": 8, "titlePadding": 10}
_TITLE = {"anchor": "start", "fontSize": 15, "color": LIGHT["ink"], "offset": 18}
_SUBTITLE = {"subtitleColor": MUTED, "subtitleFontSize": 12}
_CONFIG: Mapping[str, Any] = {
    "font": _FONT,
    "background": "transparent",
    "padding": {"left": 0, "right": 2, "top": 4, "bottom": 2},
    "view": {"stroke": None},
    "axis": {**_LABELS, **_LINES, "titleFontWeight": 400},
    "title": {**_TITLE, **_SUBTITLE},
}
_COLOURS = {colour: name for name, colour in LIGHT.items()}
_RANKED = ("best, or not significantly worse", "significantly worse than the best", "few items", "baseline")
_TONES = ("best", "worse", "faint", "baseline")
_COLOUR_WORDS = {"best": "blue", "worse": "orange", "soft": "black", **{name: name for name in SERIES[:4]}}
_FILE_BACKGROUND = {"background": LIGHT["paper"], "padding": 24}


@dataclass(frozen=True, slots=True)
class ChartKind:
    """A kind of chart. title: {metric} is the heading of its column. legend: the meanings of the colours of tones."""

    draw: Callable[[Report, float], Plot | None]
    title: str
    legend: Sequence[str] = ()


CHARTS: Mapping[str, ChartKind] = {
    "forest": ChartKind(judges.forest, "{metric} with {ci}", _RANKED),
    "leaderboard": ChartKind(judges.leaderboard, "{metric} with {ci}", _RANKED),
    "noise": ChartKind(changes.noise, "Accuracy over noise, with rejection and error handling"),
    "detection": ChartKind(judges.detection, "Detection by checker with {ci}"),
    "strength": ChartKind(
        judges.forest, "{metric} with {ci}", ("significantly with", "significantly against", "not significant")
    ),
    "ceiling": ChartKind(
        judges.ceiling,
        "Judges against the human ceiling (band), with {ci}",
        ("can replace", "does not pass the alternative test", "human annotator"),
    ),
    "dumbbell": ChartKind(
        changes.dumbbell,
        "Both runs, and the paired change with {ci}",
        ("significantly better", "significantly worse", "not significant"),
    ),
    "history": ChartKind(changes.history, "{report}, with {ci}"),
    "agreement": ChartKind(judges.agreement, "Agreement with {ci}"),
}


def chart_title(report: Report) -> str:
    """The chart's title, with the confidence level."""
    title, summary = CHARTS[report.summary.chart].title, report.summary
    rows, metric, _ = judges.main_points(report)
    if not any(row["low"] < row["high"] for row in rows):
        title = title.removesuffix(" with {ci}")
    title = title.format(metric=metric, ci=summary.table.interval, report=summary.title)
    limits = {
        "noise": (MOST_SERIES, len(judges.series_names(summary))),
        "history": (MOST_SERIES, len(summary.table.rows)),
        "dumbbell": (changes.MOST_METRICS, len(summary.table.rows)),
        "leaderboard": (judges.MOST_CRITERIA, sum(one.kind == "heat" for one in summary.table.columns)),
    }
    most, count = limits.get(summary.chart, (0, 0))
    return visible(f"{title} (first {most} of {count:,})" if most < count else title)


def name_colours(report: Report) -> dict[str, str]:
    """The names in the chart with the names of their colours, for significance or for judges."""
    summary, names = report.summary, judges.series_names(report.summary)
    if summary.chart in ("noise", "history") or (summary.chart == "detection" and len(names) <= MOST_SERIES):
        return dict(zip(names, SERIES, strict=False))
    if summary.chart in ("dumbbell", "agreement"):
        return {}
    called, rows = summary.table.labels, summary.table.rows.items()
    return {called.get(row, row): tone for row, tone in rows if tone in ("best", "worse")}


def chart_legend(report: Report) -> dict[str, str]:
    """Tone, or name of a colour -> its meaning, for the colours in the chart."""
    legend = dict(zip(_TONES, CHARTS[report.summary.chart].legend, strict=False))
    if report.summary.chart in ("noise", "detection"):
        return {colour: name for name, colour in name_colours(report).items()}
    tones = {tone or "best" for tone in report.summary.table.rows.values()}
    tones |= {"faint"} & {*legend} if report.summary.chart in ("dumbbell", "ceiling") else set()
    significant = len(tones & {"best", "worse", "faint"}) > 1 or report.summary.chart in ("strength", "dumbbell")
    return {tone: text for tone, text in legend.items() if tone in tones and significant}


def legend_text(report: Report) -> str:
    """The legend as a text, with the names of colours."""
    return "; ".join(f"{_COLOUR_WORDS.get(tone, 'grey')}: {text}" for tone, text in chart_legend(report).items())


def chart_of(report: Report) -> Plot:
    """The chart of a report with its title. Raises DataError if the report has nothing to draw."""
    plot = CHARTS[report.summary.chart].draw(report, WIDE) if report.summary.table.rows else None
    if plot is None:
        raise DataError("there is nothing to draw: the main table holds no defined metric. Save it as .json or .html")
    texts = filter(None, (report.summary.verdict, legend_text(report)))
    title = {"text": chart_title(report), "subtitle": [*map(visible, texts)]}
    titled: Plot = plot.properties(title=title).configure(**_CONFIG)
    return titled


def chart_file(report: Report, ending: str) -> bytes:
    """The chart as a file: ".png", ".svg" or ".pdf", with its title and the verdict. Raises DataError as `chart_of`."""
    spec = chart_of(report).to_dict(validate=False)
    spec |= {"config": {**_CONFIG, **_FILE_BACKGROUND}}
    if ending == ".svg":
        return ET.tostring(_svg(spec), encoding="unicode").encode()
    if ending == ".pdf":
        return bytes(vl_convert.vegalite_to_pdf(spec, allowed_base_urls=[]))
    return bytes(vl_convert.vegalite_to_png(spec, scale=_SCALE, allowed_base_urls=[]))


def chart_element(report: Report, width: float, prefix: str) -> Markup:
    """The chart as an <svg> element of this width, in the page's declared colours; empty without one.

    It holds no links and no scripts, and its ids begin with the prefix. Marks have their estimates as tooltips.
    """
    draw = CHARTS[report.summary.chart].draw
    plot = draw(report, width) if report.summary.table.rows else None
    if plot is None:
        return Markup("")
    root = _svg(plot.to_dict(validate=False) | {"config": _CONFIG}, f"{prefix}-")
    excess = float(root.attrib["width"]) - width  # the room for labels is known only after drawing
    if abs(excess) >= _TOLERANCE * width and (plot := draw(report, width - excess)):
        root = _svg(plot.to_dict(validate=False) | {"config": _CONFIG}, f"{prefix}-")
    for element in root.iter():  # with the colours and the font of the page, and estimates as tooltips
        for name in ("pointer-events", "class", "version", "font-family", "aria-roledescription"):
            element.attrib.pop(name, None)
        for name, value in element.items():
            if name in {"fill", "stroke"} and value in _COLOURS:
                element.set(name, f"var(--adjudge-{_COLOURS[value]})")
            elif name in {"d", "transform", "x", "y", "x2", "y2"}:
                element.set(name, re.sub(r"(\d\.\d\d)\d+", r"\1", value))
        tip = element.attrib.pop("aria-label", None)
        if tip and element.tag in {f"{{{_SVG}}}path", f"{{{_SVG}}}line"}:
            ET.SubElement(element, f"{{{_SVG}}}title").text = tip
    across, height = (float(root.attrib.pop(name)) for name in ("width", "height"))
    root.set("viewBox", f"0 0 {across:g} {height:g}")
    root.set("role", "img")
    root.set("aria-label", chart_title(report))
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - made here, escaped by ElementTree


def _svg(spec: dict[str, Any], prefix: str = "") -> ET.Element:
    """A chart as SVG, with ids numbered from 1, since the renderer continues numbers across charts. prefix: of ids."""
    drawn: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    root = ET.fromstring(drawn)  # noqa: S314 - just written by the renderer, from names without controls
    found = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    ids = {one: f"{prefix}{number}" for number, one in enumerate(found, start=1)}
    for element in root.iter():
        for name, value in element.items():
            linked = _LINK.sub(lambda link: f"url(#{ids.get(link[1], link[1])})", value)
            element.set(name, ids[value] if name == "id" else linked)
    ET.register_namespace("", _SVG)
    return root
