"""Reports as HTML: one file that needs nothing else, and a short form for notebooks.

Data is untrusted. Templates escape all values except
the charts, which are made here; control characters and direction marks become visible signs.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from adjudge.estimate import Caveat
from adjudge.readers.problems import SUCH_AS
from adjudge.render.charts.output import chart_element, chart_legend, chart_title, name_colours
from adjudge.render.charts.parts import NARROW, WIDE
from adjudge.render.examples import titled_examples
from adjudge.render.explanations import METHODS, NOTES, meanings, texts_of
from adjudge.render.numbers import capital, count_text, counted_name, metric_of, plain_words
from adjudge.render.palette import DARK, LIGHT, PRINTED, TOO_MUCH, declared
from adjudge.render.tables import PrintedTable, printed_table, summary_table
from adjudge.render.visible_text import visible
from adjudge.report import Report, holds_estimates
from adjudge.text.quote_search import word_diff
from adjudge.version import NAME

_FRAGMENT_ROWS = 20
_RESULTS, _COMPARISONS, _ERRORS, _DATA, _METHOD = "Results", "Comparisons", "Errors", "Data quality", "Method"
_DATA_TABLES = frozenset({"deductions", "flags", "left_out", "items", "submissions", "replies", "weights"})
_COMPARING = frozenset({"leaderboard", "ranks", "equivalence", "alternative_test", "matrix", "pairs"})
_LONGEST_TEXT = 20_000
"""The most characters of a text of a pair."""
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*)")
"""The name of an option of the command line."""
_CODE = Markup('<code class="whole">{}</code>')


def report_page(reports: Sequence[Report]) -> str:
    """One HTML page with the full reports.

    The same reports give the same bytes. The page loads nothing from outside. It runs one inline script, identified by
    its hash, to sort and to filter; nothing is hidden if scripts are off.
    """
    views = [_view(report, f"r{number}") for number, report in enumerate(reports, start=1)]
    led_to: set[str] = set()
    for view in views:  # ids must be unique in a page
        view["notes"] = [("" if note in led_to else note, note.title, NOTES[note.title]) for note in view["notes"]]
        led_to |= {code for code, *_ in view["notes"]}
    script = (files(__package__) / "templates" / "page.js").read_text(encoding="utf-8")
    known = f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"
    page = _ENVIRONMENT.get_template("page.html")
    return page.render(reports=views, script=Markup(script), script_hash=known)  # noqa: S704 - Adjudge's own


def report_fragment(report: Report) -> str:
    """The verdict, the chart and the table, for a notebook."""
    key = sha256(report.signature.encode(errors="replace")).hexdigest()[:8]  # ids of several share a notebook
    return fragment("fragment.html", screen=_screen(report, f"f{key}", most=_FRAGMENT_ROWS, phone=False))


def items_fragment(report: Report) -> Markup:
    """The examples of a report, for another page that sets the colours --adjudge-ink ...."""
    return fragment("items.html", examples=list(titled_examples(report)))


def judging_page(pairs: Sequence[Mapping[str, object]]) -> str:
    """The page. pairs: in the form of the file of pairs to judge.

    It loads nothing from outside. The browser keeps answers of the same pairs until they are saved. The pairs
    are data for the page's script, in ASCII and without "<", so that they cannot start or end an element.
    """
    data = json.dumps(list(pairs), allow_nan=False).replace("<", "\\u003c")
    return fragment("judge.html", pairs=Markup(data), key=sha256(data.encode()).hexdigest()[:12])  # noqa: S704 - made here


def fragment(template: str, **values: Any) -> Markup:  # noqa: ANN401 - whatever the template prints
    """A piece of a page, made of a template, which escapes all that it is given."""
    return Markup(_ENVIRONMENT.get_template(template).render(**values))  # noqa: S704


def _view(report: Report, prefix: str) -> dict[str, Any]:
    """A report's values for the template, by name. Each section has its title, its name and its tables."""
    titled = list(titled_examples(report))
    order = dict.fromkeys([*report.about.outcomes.values(), *(title for title, _ in titled)])
    groups = [(title, [one for its, one in titled if its == title]) for title in order]
    examples = [(title, group) for title, group in groups if group]
    estimates = [frame for frame in report.tables.values() if holds_estimates(frame)]
    titles = dict[str, str]()
    for method in texts_of(report, "method"):
        names = dict.fromkeys(name for frame in estimates for name in frame.filter(method=method)["metric"])
        titles[method] = "; ".join(dict.fromkeys(metric_of(report.about.metrics, name).title for name in names))
    tables = {title: list[PrintedTable]() for title in (_RESULTS, _COMPARISONS, _ERRORS, _DATA, _METHOD)}
    main = report.about.main
    for name in [one for one in dict.fromkeys([main, *report.tables]) if one in report.tables and report[one].height]:
        title = _RESULTS if holds_estimates(report[name]) and not name.startswith("by_") else _ERRORS
        if name == main:
            title = _RESULTS
        elif name in _DATA_TABLES:
            title = _DATA
        elif name in _COMPARING or {"first", "second"} <= {*report[name].columns}:
            title = _COMPARISONS
        tables[title].append(printed_table(report, name))
    always = {_RESULTS, _DATA, _METHOD, *([_ERRORS] if examples else [])}
    return {
        "prefix": prefix,
        "report": report,
        "screen": _screen(report, prefix),
        "confidence": f"{100 * report.confidence:.4g}",
        "sections": [(one, one.split()[0].lower(), some) for one, some in tables.items() if some or one in always],
        "examples": examples,
        "meanings": meanings(report),
        "notes": [note for note in Caveat if note in texts_of(report, "caveat")],
        "methods": [(*METHODS.get(method, (method, "")), text) for method, text in titles.items()],
        "tested": any(frame["p_adjusted"].count() for frame in report.tables.values() if "p_adjusted" in frame.columns),
    }


def _screen(report: Report, prefix: str, *, most: int | None = None, phone: bool = True) -> dict[str, Any]:
    """The template values of the first screen. phone: whether to draw a narrow chart too."""
    wide, colours, verdict = chart_element(report, WIDE, f"{prefix}-wide"), name_colours(report), report.summary.verdict
    names = "|".join(map(re.escape, sorted(filter(None, colours), key=len, reverse=True)))
    pieces = re.split(rf"(?<![\w-])({names})(?![\w-])", verdict) if names else [verdict]
    return {
        "summary": report.summary,
        # only the first occurrence of a name has its colour
        "verdict": [(text, colours.pop(text, "") if place % 2 else "") for place, text in enumerate(pieces)],
        "chart_title": chart_title(report) if wide else "",
        "legend": chart_legend(report),
        "wide": wide,
        "narrow": chart_element(report, NARROW, f"{prefix}-narrow") if phone and wide else Markup(""),
        "table": summary_table(report, most),
    }


def unbroken(text: str) -> Markup:
    """A sentence as HTML, with options of the command line as code.

    >>> print(unbroken("whether they start at 1 & more (--offset-base)"))
    whether they start at 1 &amp; more (<code class="whole">--offset-base</code>)
    """
    pieces = enumerate(_OPTION.split(text))
    return Markup("").join(_CODE.format(piece) if place % 2 else escape(piece) for place, piece in pieces)


_ENVIRONMENT = Environment(
    loader=PackageLoader(f"{NAME}.render"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=lambda value: visible(value) if isinstance(value, str) else value,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {one.__name__: one for one in (counted_name, declared, unbroken)}
_ENVIRONMENT.filters |= {
    "count": count_text,
    "heading": capital,
    "note_code": {one.title: one.value for one in Caveat}.get,
}
_ENVIRONMENT.filters["shortened"] = lambda warning: warning.partition(SUCH_AS)[::2]
_ENVIRONMENT.globals["colours"] = {"light": LIGHT, "dark": DARK, "printed": PRINTED, "too_much": TOO_MUCH}


# --- a pair of responses with all votes and marks on different words ---


class Voter(NamedTuple):
    """A voter. meant: whether it is one of the two selected."""

    name: str
    meant: bool = False


def pair_fragment(
    pair: Mapping[str, str | None], votes: Mapping[str, Sequence[Voter]], meta: Mapping[str, str], *, marked: bool
) -> Markup:
    """A pair, for a page that sets the colours --adjudge-ink ....

    pair: its pair, prompt, text_a, text_b, model_a and model_b. votes: each vote with its voters. meta: further
    fields. marked: whether to mark words that only one text has.
    """
    texts = [pair[name] or "" for name in ("text_a", "text_b")]
    cut = [text[:_LONGEST_TEXT] for text in texts]
    pieces = word_diff(*cut) if marked else ([(cut[0], False)], [(cut[1], False)])
    responses = [
        {
            "name": plain_words(f"text_{side}"),
            "model": pair[f"model_{side}"],
            "length": len(text),
            "pieces": some,
            "more": max(0, len(text) - _LONGEST_TEXT),
            "voters": votes.get(f"text_{side}", ()),
        }
        for side, text, some in zip("ab", texts, pieces, strict=True)
    ]
    others = {plain_words(vote): voters for vote, voters in votes.items() if vote not in ("text_a", "text_b")}
    prompt = pair["prompt"] or ""
    cut_prompt = {"prompt": prompt[:_LONGEST_TEXT], "prompt_more": max(0, len(prompt) - _LONGEST_TEXT)}
    return fragment("pair.html", pair=pair["pair"], responses=responses, others=others, meta=meta, **cut_prompt)
