"""Reports as HTML: one file that needs nothing else, and a short form for notebooks.

All that comes from data is untrusted. Templates escape whatever they are given, without exception but
the pictures, which are made here; control characters, and those that change the direction of text, are shown as signs.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from adjudge.estimate import Caveat
from adjudge.render.examples import addresses_of, example_groups, explained, links_to_examples, titled_examples
from adjudge.render.explanations import METHODS, NOTES
from adjudge.render.numbers import NO_BREAK, FigureText, capital, count_text, counted_name, metric_of, plain, row_text
from adjudge.render.palette import DARK, LIGHT, PRINTED, TOO_MUCH, declared
from adjudge.render.part import Part
from adjudge.render.parts import parts, truth
from adjudge.render.said import alone, leading_tables, meanings, sentences_of, shortened, tested, texts_of
from adjudge.render.signs import command_line, direction, visible
from adjudge.render.views import grid, key_cell, part_view, table_views
from adjudge.report import Report, holds_estimates
from adjudge.spec import HARD_ITEMS, HISTORY_TABLE, SIDE_BY_SIDE, MetricSpec
from adjudge.text.word_diff import Pieces, word_diff
from adjudge.version import NAME

_FRAGMENT_ROWS = 20
_LONG_TABLE = 30
"""A table of counts with more rows than this is folded up."""
_LONGEST_TEXT = 20_000
"""Characters of a text of a pair that are shown."""
_TORN = re.compile(
    r"(?<=\d) (?=(?:%|pp)(?!\w)|to [\d.\u2212])|(?<=\d to) (?=[\d.\u2212])"
    r"|(?<=[=<>]) (?=[\d.\u2212])|(?<=\w) (?=[=<>] [\d.\u2212])|(?<=\bp) (?=[=<>] )"
    r"| (?=×)|(?<=×) "
)
"""Spaces inside an interval or a product, before a unit, and around what compares numbers."""
_LONGEST_WORD = 24
"""Up to so many letters a word stays whole: so much has room on a phone."""
_INSIDE = re.compile(r"(?<=[/\\,])(?=[^/\\,])")
"""Behind slashes and commas."""
_OPTION = re.compile(r"(\(?)(--[a-z][a-z-]*)(.*)")
"""A word that names an option of the command line, with what stands around it."""


def report_page(reports: Sequence[Report]) -> str:
    """One HTML page with all that the reports hold.

    The same reports give the same bytes. The page asks for nothing from outside. It runs one script, which stands in it
    and is known by its hash, to sort and to filter; nothing is hidden where scripts are off.
    """
    views = [_view(report, f"r{number}") for number, report in enumerate(reports, start=1)]
    led_to: set[str] = set()
    for view in views:  # an id stands once in a page
        view["notes"] = [("" if note in led_to else note, note.title, NOTES[note.title]) for note in view["notes"]]
        led_to |= {code for code, *_ in view["notes"]}
    script = (files(__package__) / "templates" / "page.js").read_text(encoding="utf-8")
    known = f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"
    page = _environment().get_template("page.html")
    return page.render(reports=views, script=Markup(script), script_hash=known)  # noqa: S704 - Adjudge's own


def report_fragment(report: Report) -> str:
    """The verdict, the first chart and the table, to stand in a notebook."""
    from adjudge.render.charts import pictures

    drawn = next((drawn for _, drawn in pictures(report, "f")), ())
    headings, *rows = report.summary.table.texts()
    shown = {"headings": headings, "rows": rows[:_FRAGMENT_ROWS], "rest": len(rows[_FRAGMENT_ROWS:]), "drawn": drawn}
    return _environment().get_template("fragment.html").render(summary=report.summary, **shown)


def items_fragment(report: Report) -> Markup:
    """The examples of a report alone, to stand in another page that sets the colours --adjudge-ink ...."""
    examples = list(titled_examples(report))
    return fragment("items.html", examples=examples, meant=explained([one for _, one in examples]))


def judging_page(pairs: Sequence[Mapping[str, object]]) -> str:
    """The page. pairs: as they are written for judging.

    It asks for nothing from outside. The browser keeps answers of the same pairs until they are saved. What the pairs
    say is data for the page's script, in ASCII and without "<", so that nothing in it can end or begin an element.
    """
    data = json.dumps(list(pairs), allow_nan=False).replace("<", "\\u003c")
    key = sha256(data.encode()).hexdigest()[:12]
    return fragment("judge.html", pairs=Markup(data), key=key)  # noqa: S704 - made here


def fragment(template: str, **values: Any) -> Markup:  # noqa: ANN401 - whatever the template prints
    """A piece of a page, made of a template, which escapes all that it is given."""
    return Markup(_environment().get_template(template).render(**values))  # noqa: S704


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(f"{NAME}.render"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = (command_line, counted_name, declared, direction, divided, shortened, unbroken)
    environment.filters |= {one.__name__: one for one in own}
    environment.filters |= {"count": count_text, "heading": capital, "cell": key_cell, "note_meaning": NOTES.get}
    environment.filters["note_code"] = {note.title: note.value for note in Caveat}.get
    environment.globals["colours"] = {"light": LIGHT, "dark": DARK, "printed": PRINTED, "too_much": TOO_MUCH}
    return environment


def _visible(value: Any) -> Any:  # noqa: ANN401 - whatever a template prints
    """Text in which all that steers is a sign that can be seen, and that can be encoded."""
    return visible(value) if isinstance(value, str) else value


def _view(report: Report, prefix: str) -> dict[str, Any]:
    """All that the page says of a report, by the names that the template has for it."""
    from adjudge.render.charts import pictures

    addresses = addresses_of(report, "" if prefix == "r1" else f"{prefix}-")  # item=ID leads into the first report
    about, headline, sections = report.about, _headline(report), _sections(report, addresses)
    examples = example_groups(report, addresses)
    overall = not headline and about.headline in report.tables and report[about.headline].height
    return {
        "prefix": prefix,
        "report": report,
        "about": about,
        "confidence": _confidence(report),
        "headline": headline,
        "headlined": parts(report, about.headline)[0].about if headline else "",
        "overall": table_views(report, about.headline)[0] if overall else None,
        "pictures": list(pictures(report, prefix)),
        "main": table_views(report, about.main) if about.main in report.tables else [],
        "beside": table_views(report, SIDE_BY_SIDE)[0] if SIDE_BY_SIDE in report.tables else None,
        "leading": [one for one in sections if one["leads"]],
        "tables": [one for one in sections if not one["leads"]],
        "truth": part_view(truth(report), dense=True) if "truth" in report.tables else None,
        "examples": examples,
        "meant": explained([one for _, group in examples for one in group]),
        "hard": HARD_ITEMS in report.tables,
        "over_time": about.main == HISTORY_TABLE,
        "meanings": meanings(report),
        "notes": [note for note in Caveat if note in texts_of(report, "caveat")],
        "methods": [
            (*METHODS.get(method, (method, "")), "; ".join(_of_method(report, method)))
            for method in texts_of(report, "method")
        ],
        "tested": tested(report),
        "alone": alone(report),
    }


def _of_method(report: Report, method: str) -> list[str]:
    """The titles of the figures whose intervals a method gives."""
    tables = (frame.filter(method=method) for frame in report.tables.values() if holds_estimates(frame))
    metrics = dict.fromkeys(metric for frame in tables for metric in frame["metric"].unique(maintain_order=True))
    return list(dict.fromkeys(metric_of(report.about.metrics, metric).title for metric in metrics))


def _confidence(report: Report) -> str:
    return f"{100 * report.confidence:.4g}"


def _headline(report: Report) -> list[tuple[MetricSpec, FigureText]]:
    """The defined figures of all items together, where there is one of each; those of groups stand in a table."""
    frame = report.tables.get(report.about.headline)
    if frame is None or frame["metric"].n_unique() < frame.height:
        return []
    pairs = ((row, metric_of(report.about.metrics, row["metric"])) for row in frame.iter_rows(named=True))
    texts = [(metric, row_text(row, metric)) for row, metric in pairs]
    return [(metric, text) for metric, text in texts if text.defined] or texts


def _linked(part: Part, report: Report, addresses: Sequence[str]) -> Part:
    """A table of items that leads to those that are among the examples, and says so."""
    links = links_to_examples(report, part.frame, addresses)
    said = "Linked ones are among the examples." if any(links) else ""
    return replace(part, links=links, about=sentences_of(part.about, said))


def _sections(report: Report, addresses: Sequence[str]) -> list[dict[str, Any]]:
    """A section per table but the main one, or per kind of comparison; the blocks of a table stand in one.

    grid: the sums of a table by label, where they say something. leads: whether it stands before the main table, as it
    does where tables are printed. addresses: of the examples, to which items lead that everyone gets wrong.
    """
    about, found = report.about, list[dict[str, Any]]()
    leading = leading_tables(report)
    elsewhere = {about.main, about.headline, SIDE_BY_SIDE, "truth"}
    for name in dict.fromkeys([*leading, *report.tables]):
        if name in elsewhere or report[name].is_empty():
            continue
        for part in parts(report, name):
            table = part_view(_linked(part, report, addresses) if name == HARD_ITEMS else part)
            if part.title:
                summed = {} if about.across else grid(part.frame, part.values)
                folded = name in about.folded or len(table.rows) > _LONG_TABLE
                found.append({"tables": [table], "grid": summed, "folded": folded, "leads": name in leading})
            else:
                found[-1]["tables"].append(table)
    return found


def unbroken(text: str) -> Markup:
    r"""A sentence as a page prints it: no line ends inside a figure, an interval, a p, a date or a name with hyphens.

    Long words, such as paths, may end behind their slashes and commas. Options of the command line stand as code.

    >>> print(unbroken("ana by 26.8 pp (2.7 to 49.6), adjusted p = .12 on 9 items").replace(chr(160), "_"))
    ana by 26.8_pp (2.7_to_49.6), adjusted p_=_.12 on 9 items
    >>> print(unbroken("until 2026-11-07 & later"))
    until <span class="whole">2026-11-07</span> &amp; later
    >>> print(unbroken("whether they start at 1 (--offset-base)"))
    whether they start at 1 (<code class="whole">--offset-base</code>)
    """
    words = re.split(r"(\s+)", _TORN.sub(NO_BREAK, text))
    return Markup("").join(map(_unbroken_word, words))


def _unbroken_word(word: str) -> Markup:
    if option := _OPTION.fullmatch(word):
        return Markup('{}<code class="whole">{}</code>{}').format(*option.groups())
    return divided(word) if len(word) > _LONGEST_WORD else _whole(word)


def divided(name: str) -> Markup:
    """A path, or a word of a command, which may end lines behind its slashes and commas.

    >>> print(divided("runs/may/a.json"))
    runs/<wbr>may/<wbr>a.json
    """
    return Markup("<wbr>").join(map(_whole, _INSIDE.split(name)))


def _whole(word: str) -> Markup:
    whole = "-" in word[1:-1] and len(word) <= _LONGEST_WORD
    return Markup('<span class="whole">{}</span>').format(word) if whole else escape(word)


# --- a pair of responses with all votes, whose different words are marked ---


@dataclass(frozen=True, slots=True)
class Voter:
    """Who voted. meant: whether it is one of the two whose votes one looks at."""

    name: str
    meant: bool = False


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it is shown. more: how many characters of it are left out. voters: who voted for it."""

    name: str
    model: str | None
    length: int
    pieces: Pieces
    more: int
    voters: Sequence[Voter]


def pair_fragment(
    pair: Mapping[str, str | None], votes: Mapping[str, Sequence[Voter]], meta: Mapping[str, str], *, marked: bool
) -> Markup:
    """A pair, to stand in a page that sets the colours --adjudge-ink ....

    pair: its pair, prompt, text_a, text_b, model_a and model_b. votes: each vote with those who gave it. meta: what
    else is known of it. marked: whether words that one text alone has are marked.
    """
    texts = [pair[name] or "" for name in ("text_a", "text_b")]
    cut = [text[:_LONGEST_TEXT] for text in texts]
    pieces = word_diff(*cut) if marked else ([(cut[0], False)], [(cut[1], False)])
    responses = []
    for side, text, own in zip("ab", texts, pieces, strict=True):
        name, more = f"text_{side}", max(0, len(text) - _LONGEST_TEXT)
        shown = Response(plain(name), pair[f"model_{side}"], len(text), own, more, votes.get(name, ()))
        responses.append(shown)
    others = {plain(vote): voters for vote, voters in votes.items() if vote not in ("text_a", "text_b")}
    prompt = pair["prompt"] or ""
    cut_prompt = {"prompt": prompt[:_LONGEST_TEXT], "prompt_more": max(0, len(prompt) - _LONGEST_TEXT)}
    return fragment("pair.html", pair=pair["pair"], responses=responses, others=others, meta=meta, **cut_prompt)
