"""What `make docs` changes in the pages of the site, so that lines break where a reader expects it, also on a phone.

Numbers stay with their signs, options with their dashes. A line of commands that goes on in the next is indented there.
Pictures that a phone can show whole are marked.
"""

import re
from pathlib import Path

_DOCS = Path(__file__).parent
_PICTURE = re.compile(r'(?<=<img )(?=[^>]*src="(?:\.\./)*([\w/-]+\.svg)")')
_WIDTH = re.compile(r'<svg[^>]* width="(\d+)"')
_WHOLE = 540
"""Pixels of a picture that can be read when it is made as narrow as a phone."""
_PARTS = re.compile(r"(<pre>.*?</pre>|<code>.*?</code>|<[^>]+>)", re.DOTALL)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_KEPT = (
    re.compile(rf"(?<=\d) (?=(?:%|pp|[KMGT]B|ms|s|min|h|{_MONTHS})(?!\w))"),
    re.compile(r"(?<=[\d.]) (?=to [-−]?[\d.]+[)\]])"),
    re.compile(r"(?<=\d[ \u00a0]to) (?=[-−]?[\d.]+[)\]])"),
    re.compile(r"(?<=\w) (?=[=/×−-] [\d.])"),
    re.compile(r"(?<=\w) (?=(?:&lt;|&gt;) [\d.])"),
    re.compile(r"(?<=\w[ \u00a0][=/×−-]) (?=[\d.])"),
    re.compile(r"(?<=\w[ \u00a0]&[lg]t;) (?=[\d.])"),
    re.compile(r"(?<=\w) (?=[nptk](?![\w'’]))"),
)
"""Spaces at which no line breaks: before a unit, in an interval, around a sign before a number, before one letter."""
_CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)
_SENTENCE = 20
"""Characters of a cell from which on it needs some width."""
_PIECES = re.compile(r"[^,=/]*[,=/]*")
_SHORT = 30
"""As many characters of code fit a line of a phone. Longer ones break behind a comma, a sign of equality or a slash."""


def on_page_content(html: str, **_: object) -> str:
    """A page's content, as mkdocs hands it to the theme."""
    return "".join(map(_part, _PARTS.split(_CELL.sub(_wide, html))))


def _wide(cell: re.Match[str]) -> str:
    """A cell of a table, which the style sheet keeps from getting narrow where it holds a sentence."""
    return f'<td class="text"{cell[0].removeprefix("<td")}' if len(cell[1]) > _SENTENCE else cell[0]


def _part(part: str) -> str:
    if part.startswith("<pre><code>"):
        lines = part.removeprefix("<pre><code>").removesuffix("</code></pre>").removesuffix("\n").split("\n")
        shown = "".join(f'<span class="line">{_words(line)}\n</span>' for line in lines)
        return f"<pre><code>{shown}</code></pre>"
    if part.startswith("<code>"):
        return f"<code>{_words(part.removeprefix('<code>').removesuffix('</code>'))}</code>"
    if part.startswith("<img "):
        return _PICTURE.sub(lambda found: 'class="whole" ' if _narrow(found[1]) else "", part)
    if not part.startswith("<"):
        part = part.replace("\n", " ")
        for kept in _KEPT:
            part = kept.sub("\u00a0", part)
    return part


def _narrow(picture: str) -> bool:
    width = _WIDTH.search((_DOCS / picture).read_text(encoding="utf-8"))
    return width is not None and int(width[1]) <= _WHOLE


def _words(code: str) -> str:
    return re.sub(r"[\d.]+ (?:%|pp)(?=\W|$)\S*|\S+", lambda word: _word(word[0]), code)


def _word(word: str) -> str:
    pieces = [word] if len(word) <= _SHORT else _PIECES.findall(word)
    return "<wbr>".join(f"<span>{one}</span>" if len(one) <= _SHORT else one for one in pieces if one)
