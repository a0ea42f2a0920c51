"""Reports as HTML: one file that needs nothing else, and a short form for notebooks.

All that comes from data is untrusted. Templates escape whatever they are given, without exception but
the pictures, which are made here; control characters are shown as signs.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from karat.about import Evaluation
from karat.render.charts import Picture, pictures
from karat.render.examples import example_groups
from karat.render.explanations import method_meaning, note_meaning, note_title
from karat.render.numbers import FigureText, count_text, metric_of, plain, row_text
from karat.render.views import (
    Grid,
    TableView,
    beside_view,
    grid,
    part_view,
    said,
    shown_metrics,
    table_views,
    truth_view,
)
from karat.render.wide import parts, tested

if TYPE_CHECKING:
    from jinja2 import Environment

    from karat.about import Metric
    from karat.report import Report

_FRAGMENT_ROWS = 20
_LONG_TABLE = 30
"""A table of counts with more rows than this is folded up."""
_HASH_SHOWN = 12
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_CONTROL_PICTURES = 0x2400
_CONTROLS = 0x20


def report_page(reports: Sequence["Report"]) -> str:
    """One HTML page with all that the reports hold.

    The same reports give the same bytes. The page asks for nothing from outside and runs no script.
    """
    views = [_view(report, f"r{number}") for number, report in enumerate(reports, start=1)]
    return _environment().get_template("page.html").render(reports=views)


def report_fragment(report: "Report") -> str:
    """The headline, the main table, the warnings and the signature, to stand in a notebook."""
    about = report.about
    name = about.main if about.main in report.tables else next(iter(report.tables))
    main = table_views(report, name, about, (_FRAGMENT_ROWS, _FRAGMENT_ROWS))[0]
    return (
        _environment()
        .get_template("fragment.html")
        .render(
            about=about,
            report=report,
            headline=_headline(report, about),
            confidence=_confidence(report),
            main=main,
            prefix="karat",
        )
    )


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("karat.render"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"count": count_text, "plain": plain, "pieces": _pieces, "heading": _heading}
    return environment


def _printable(value: Any) -> Any:  # noqa: ANN401 - whatever a template prints
    """Text whose control characters are signs that can be seen, and that can be encoded."""
    from markupsafe import Markup

    if not isinstance(value, str) or not _UNPRINTABLE.search(value):
        return value
    cleaned = _UNPRINTABLE.sub(_sign, value)
    return Markup(cleaned) if isinstance(value, Markup) else cleaned  # noqa: S704 - it was safe before


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(_CONTROL_PICTURES + code) if code < _CONTROLS else "\ufffd"


def _heading(title: str) -> str:
    """A column's title as a page shows it: it begins like a sentence."""
    return title[:1].upper() + title[1:]


def _pieces(signature: str) -> list[str]:
    """A signature in pieces between which a line may break."""
    return signature.split("|")


@dataclass(frozen=True, slots=True)
class _ReportView:
    """All that the page says of a report."""

    prefix: str
    report: "Report"
    about: Evaluation
    confidence: str
    headline: list[tuple["Metric", FigureText]]
    overall: TableView | None
    measured: list[tuple[str, int]]
    dropped: list[tuple[str, int]]
    pictures: list["_Figure"]
    main: list[TableView]
    beside: TableView | None
    tables: list["_Section"]
    truth: TableView | None
    examples: list[Any]
    metrics: list["Metric"]
    notes: list[tuple[str, str]]
    methods: list[tuple[str, str]]
    tested: bool
    hash_shown: int = _HASH_SHOWN


@dataclass(frozen=True, slots=True)
class _Figure:
    """A picture whose SVG needs no escaping: the renderer wrote it."""

    picture: Picture
    svg: Any


@dataclass(frozen=True, slots=True)
class _Section:
    """A table that is not the main one, in blocks. grid: its sums by label, where they say something."""

    tables: list[TableView]
    grid: Grid | None
    folded: bool


def _view(report: "Report", prefix: str) -> _ReportView:
    about = report.about
    drops = [(name, count) for name, count in report.counts.items() if name.startswith("dropped")]
    return _ReportView(
        prefix=prefix,
        report=report,
        about=about,
        confidence=_confidence(report),
        headline=_headline(report, about),
        overall=_overall_by_group(report, about),
        measured=[pair for pair in report.counts.items() if pair not in drops],
        dropped=drops,
        pictures=_figures(report, prefix),
        main=table_views(report, about.main, about) if about.main in report.tables else [],
        beside=beside_view(report, about) if about.leading else None,
        tables=_sections(report, about),
        truth=truth_view(report.tables["truth"], about.metrics) if "truth" in report.tables else None,
        examples=example_groups(report, about),
        metrics=list(shown_metrics(report, about)),
        notes=[(title, note_meaning(title)) for title in map(note_title, said(report, "note"))],
        methods=[(method, method_meaning(method)) for method in said(report, "method")],
        tested=tested(report),
    )


def _confidence(report: "Report") -> str:
    return f"{100 * float(report.options.get('confidence', 0.95)):.4g}"


def _headline(report: "Report", about: Evaluation) -> list[tuple["Metric", FigureText]]:
    """The figures of all items together, where there is one of each; those of groups stand in a table of their own."""
    frame = report.tables.get(about.headline)
    if frame is None or frame["metric"].n_unique() < frame.height:
        return []
    metrics: Mapping[str, Metric] = about.metrics
    pairs = ((row, metric_of(metrics, row["metric"])) for row in frame.iter_rows(named=True))
    return [(metric, row_text(row, metric)) for row, metric in pairs]


def _overall_by_group(report: "Report", about: Evaluation) -> TableView | None:
    frame = report.tables.get(about.headline)
    if frame is None or frame.is_empty() or _headline(report, about):
        return None
    return table_views(report, about.headline, about)[0]


def _figures(report: "Report", prefix: str) -> list[_Figure]:
    from markupsafe import Markup

    return [_Figure(one, Markup(one.svg)) for one in pictures(report, prefix)]  # noqa: S704 - see _Figure


def _sections(report: "Report", about: Evaluation) -> list[_Section]:
    """A section per table, or per kind of comparison; the blocks of a table stand in one."""
    found: list[_Section] = []
    for name in report.tables:
        if name in {about.main, about.headline, "truth"} or (name in about.folded and report[name].is_empty()):
            continue
        for part in parts(report, name, about):
            table = part_view(part, about)
            if part.title:
                summed = None if about.across else grid(part.frame)
                found.append(_Section([table], summed, folded=name in about.folded or len(table.rows) > _LONG_TABLE))
            else:
                found[-1].tables.append(table)
    return found
