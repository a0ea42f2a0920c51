"""Where a page may begin a new line."""

import re

from markupsafe import Markup, escape

from adjudge.render.numbers import NO_BREAK

_TORN = re.compile(
    r"(?<=\d) (?=(?:%|pp)(?!\w)|to [\d.\u2212])|(?<=\d to) (?=[\d.\u2212])"
    r"|(?<=[=<>]) (?=[\d.\u2212])|(?<=\w) (?=[=<>] [\d.\u2212])|(?<=\bp) (?=[=<>] )"
    r"| (?=×)|(?<=×) "
)
"""Spaces inside an interval or a product, before a unit, and around what compares numbers."""
_WORD = 24
"""Up to so many letters a word stays whole: so much has room on a phone."""
_INSIDE = re.compile(r"(?<=[/\\,])(?=[^/\\,])")
"""Behind slashes and commas."""
_OPTION = re.compile(r"(\(?)(--[a-z][a-z-]*)(.*)")
"""A word that names an option of the command line, with what stands around it."""


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
    return Markup("").join(map(_said, words))


def _said(word: str) -> Markup:
    if option := _OPTION.fullmatch(word):
        return Markup('{}<code class="whole">{}</code>{}').format(*option.groups())
    return divided(word) if len(word) > _WORD else _whole(word)


def divided(name: str) -> Markup:
    """A path, or a word of a command, which may end lines behind its slashes and commas.

    >>> print(divided("runs/may/a.json"))
    runs/<wbr>may/<wbr>a.json
    """
    return Markup("<wbr>").join(map(_whole, _INSIDE.split(name)))


def _whole(word: str) -> Markup:
    whole = "-" in word[1:-1] and len(word) <= _WORD
    return Markup('<span class="whole">{}</span>').format(word) if whole else escape(word)
