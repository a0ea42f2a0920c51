"""Pictures as files, and as SVG that may stand in a page."""

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import vl_convert
from markupsafe import Markup

from adjudge.errors import DataError, OptionError, closest
from adjudge.render.kit import charts
from adjudge.render.kit.style import FONT, NARROW, PALETTE, RenderedChart, theme
from adjudge.report import Report
from adjudge.version import NAME

_SCALE = 2
_ON_A_PAGE = 1.4
"""How many times its own size a picture may have in a page, where there is room."""
_ON_A_PHONE = 1.15
"""How many times its own size a chart for a phone may have."""
_AT_LEAST = 0.8
"""The smallest scale of a chart on a narrow page, which then scrolls: words keep about 10 pixels of their 12."""
_SVG = "http://www.w3.org/2000/svg"
_LINK = re.compile(r"url\(#([^)]*)\)")
_COLOURS = {colour: f"var(--adjudge-{name})" for name, colour in PALETTE.items()}
"""Colours as the renderer writes them -> those that the page has instead."""


def chart_of(report: Report, name: str | None = None) -> RenderedChart:
    """A picture of a report by its name, by default the first.

    Raises DataError where the report has nothing to draw, OptionError where it has no picture of that name.
    """
    found = {one.name: one for one in charts(report)}
    if not found:
        raise DataError("there is nothing to draw: the report's main table is empty", fix="a file as .json or .html")
    if name is not None and name not in found:
        raise OptionError(f"no chart {name}", option="chart", found=", ".join(found), fix=closest(name, found))
    return next(iter(found.values())) if name is None else found[name]


def altair_chart(chart: RenderedChart) -> alt.LayerChart | alt.HConcatChart | alt.VConcatChart:
    """A picture as an object of altair's."""
    if "layer" in chart.spec:
        return alt.LayerChart.from_dict(chart.spec, validate=False)
    kind = alt.HConcatChart if "hconcat" in chart.spec else alt.VConcatChart
    return kind.from_dict(chart.spec, validate=False)


def picture(report: Report, ending: str, name: str | None = None) -> bytes:
    """A picture of a report as a file. name, ending: see `chart_of` and `as_file`, whose errors it raises."""
    return as_file(chart_of(report, name), ending)


def as_file(chart: RenderedChart, ending: str) -> bytes:
    """A picture as a file: ".png", ".svg" or ".pdf". What it shows is said beside it, not in it."""
    if ending == ".svg":
        root = _drawn(chart.spec)
        title = ET.Element(f"{{{_SVG}}}title")
        title.text = f"{chart.title}. {chart.caption}"
        root.insert(0, title)
        return ET.tostring(root, encoding="unicode").encode()
    drawn: bytes
    if ending == ".pdf":
        drawn = vl_convert.vegalite_to_pdf(chart.spec, config=theme(), allowed_base_urls=[])
    else:
        drawn = vl_convert.vegalite_to_png(chart.spec, scale=_SCALE, config=theme(), allowed_base_urls=[])
    return drawn


def specification(chart: RenderedChart, colours: Mapping[str, str]) -> dict[str, Any]:
    """A picture as Vega-Lite with its configuration. colours: of what is not data, by the names of PALETTE."""
    text = json.dumps({**chart.spec, "config": theme()})
    for name, colour in PALETTE.items():
        text = text.replace(f'"{colour}"', f'"{colours[name]}"')
    found: dict[str, Any] = json.loads(text)
    return found


def drawn_in(chart: RenderedChart, colours: Mapping[str, str]) -> str:
    """A picture as SVG in the colours of a theme."""
    return ET.tostring(_drawn(specification(chart, colours)), encoding="unicode")


def pictures(report: Report, prefix: str = NAME) -> list[tuple[RenderedChart, list[Markup]]]:
    """All pictures of a report as <svg> elements for a page, which sets the colours --adjudge-ink ...

    One that is wider than a phone is there twice, with the classes wide and narrow, of which the page shows one. The
    elements hold no links, no scripts, and no colours of their own for text and lines. prefix: begins every id in them,
    so that the pictures of several reports can share a page.
    """
    both = zip(charts(report), charts(report, narrow=True), strict=True)
    return [(one, _embedded(one, other, f"{prefix}-{one.name}")) for one, other in both]


def _drawn(spec: dict[str, Any]) -> ET.Element:
    """The picture as SVG, its ids numbered from 1: the renderer counts them on from one picture to the next."""
    svg: str = vl_convert.vegalite_to_svg(spec, config=theme(), allowed_base_urls=[])
    # What is parsed was written a moment ago by the renderer, from names without control characters.
    root = ET.fromstring(svg)  # noqa: S314
    found = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    ids = {one: str(number) for number, one in enumerate(found, start=1)}
    for element in root.iter():
        for name, value in element.items():
            linked = _LINK.sub(lambda link: f"url(#{ids.get(link[1], link[1])})", value)
            element.set(name, ids[value] if name == "id" else linked)
    ET.register_namespace("", _SVG)
    return root


def _embedded(chart: RenderedChart, other: RenderedChart, prefix: str) -> list[Markup]:
    """A picture, and the one for phones where it is too wide for them."""
    wide = _drawn(chart.spec)
    forms = {"wide": (wide, prefix)}
    if float(wide.attrib["width"]) > NARROW:
        forms["narrow"] = _drawn(other.spec), f"{prefix}-narrow"
    said = f"{chart.title}. {chart.caption}"
    return [
        Markup(_element(root, own, kind if len(forms) > 1 else "", said))  # noqa: S704 - made here
        for kind, (root, own) in forms.items()
    ]


def _element(root: ET.Element, prefix: str, kind: str, said: str) -> str:
    for element in root.iter():
        _adapt(element, prefix)
    width, height = (float(root.attrib.pop(name)) for name in ("width", "height"))
    if kind:
        root.set("class", kind)
    most = _ON_A_PHONE if kind == "narrow" else _ON_A_PAGE
    root.set("style", f"width:100%;max-width:{most * width:g}px;min-width:{_AT_LEAST * width:g}px")
    root.set("viewBox", f"0 0 {width:g} {height:g}")
    root.set("preserveAspectRatio", "xMinYMin meet")
    root.set("role", "img")
    root.set("aria-label", said)
    return ET.tostring(root, encoding="unicode")


def _adapt(element: ET.Element, prefix: str) -> None:
    """Let an element take the page's colours and font, be selectable, and have an id of its own."""
    for name in ("pointer-events", "class", "version"):
        element.attrib.pop(name, None)
    if element.get("font-family") == FONT:
        del element.attrib["font-family"]
    for name, value in element.items():
        if name in {"fill", "stroke"}:
            element.set(name, _COLOURS.get(value, value))
        elif name == "id":
            element.set(name, f"{prefix}-{value}")
        if "url(#" in value:
            element.set(name, _LINK.sub(rf"url(#{prefix}-\1)", value))
