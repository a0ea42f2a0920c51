"""Text, markup and style. Texts of data are untrusted: all Markdown and HTML for streamlit is written here."""

import re
from collections.abc import Sequence

import streamlit as st
from markupsafe import Markup

from adjudge.display_names import short_name
from adjudge.render.numbers import capital
from adjudge.render.numbers import plain_words as in_words
from adjudge.render.palette import DARK, LIGHT, declared
from adjudge.render.visible_text import visible

_LABEL = 60
_LINKED = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=@)", re.IGNORECASE)
"""Places to cut addresses, which Markdown would link even with each sign escaped."""
_CUT = "\u2060"
"""An invisible word joiner."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:$^=@&])")

_STYLE = """
[data-testid=stMainBlockContainer] { padding: 2.5rem 2rem 4rem }
[data-testid=stCaptionContainer] { opacity: 1 }
[data-testid=stCaptionContainer] p { color: var(--adjudge-muted) }
[data-testid=stMainBlockContainer] :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) :is(p, li) {
  max-width: 62rem }
[class*=st-key-open-] { position: sticky; bottom: 1rem; z-index: 1 }
[data-testid=stHtml] { overflow-x: auto }
[data-testid=stHtml] .spans :is(th, td) { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0 }
.adjudge-command { margin: 0; padding: .8rem 1rem; font-size: .86rem; white-space: pre-wrap; user-select: all;
  background: color-mix(in srgb, currentcolor 5%, transparent) }
:is([data-tag], [data-testid=stBaseButton-primary]) { color: var(--adjudge-paper) !important }
.st-key-notes [data-testid=stMarkdownContainer] { margin: 0 }
.st-key-notes [data-testid=stMarkdownContainer] :is(p, li) { margin: 0; font-size: .88rem; line-height: 1.4 }
.st-key-notes ul { margin: 0 0 .6rem; padding-left: 1rem }
"""
"""The content starts near the top; small letters and selected values have contrast; lines are short enough to read."""


def escape_markdown(text: str) -> str:
    r"""A text of data with Markdown escaped and its control characters as signs.

    >>> escape_markdown("![x](http://a.b)")
    '\\!\\[x\\]\\(http\\:\u2060\\/\\/a\\.b\\)'
    """
    return _MARKDOWN.sub(r"\\\1", _LINKED.sub(_CUT, visible(text))).replace("/", "\\/")


def label(text: str) -> str:
    """A text of data as the label of a control, which is Markdown."""
    return escape_markdown(short_name(text, _LABEL))


def column(text: str) -> str:
    """A text of data as the heading of a column, which is not Markdown."""
    return visible(short_name(text, _LABEL))


def field_title(name: str) -> str:
    """A name of Adjudge's own as the title of a column or of a control.

    >>> field_title("reference_label")
    'Reference label'
    """
    return capital(in_words(name))


def heading(text: str) -> None:
    """A title of a view."""
    st.subheader(escape_markdown(text), anchor=False)


def small_heading(text: str) -> None:
    """A title of a part of a view."""
    st.markdown(f"**{escape_markdown(text)}**")


def toast(text: str) -> None:
    """A brief message."""
    st.toast(escape_markdown(text))


def warn(text: str) -> None:
    """A caution on the displayed results."""
    st.warning(escape_markdown(text))


def remark(text: str) -> None:
    """A sentence in small letters."""
    st.caption(escape_markdown(text))


def refuse(messages: Sequence[str]) -> None:
    """Errors in the input, a line for each message."""
    st.error("\n\n".join(map(escape_markdown, messages)))


def sentences(many: Sequence[str]) -> None:
    """Sentences as a list."""
    st.markdown("\n".join(f"- {escape_markdown(one)}" for one in many))


def show_html(markup: Markup) -> None:
    """HTML made of templates, which escape all data."""
    st.html(str(markup))


def command(line: str) -> None:
    """A command line, which a click selects. Streamlit's form of code loads every language for highlighting."""
    show_html(Markup('<pre class="adjudge-command" tabindex="0">{}</pre>').format(visible(line)))


def style() -> None:
    """Set the colours of items for both themes, since users may switch."""
    both = {name: f"light-dark({colour}, {DARK[name]})" for name, colour in LIGHT.items()}
    st.html(f"<style>:root{{{declared(both)} --sans:'Source Sans',sans-serif;}}{_STYLE}</style>")
