"""Text, markup and style. Texts of data are untrusted: all that streamlit reads as Markdown or HTML is written here."""

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
"""Where addresses are cut, which Markdown makes links of even if each of their signs is escaped."""
_CUT = "\u2060"
"""What joins words, and is not seen."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:$^=@&])")

_STYLE = """
[data-testid=stMainBlockContainer] { padding: 2.5rem 2rem 4rem }
[data-testid=stSidebarHeader] { height: 2.5rem }
[data-testid=stCaptionContainer] { opacity: 1 }
[data-testid=stCaptionContainer] p { color: var(--adjudge-muted) }
[data-testid=stMainBlockContainer] :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) :is(p, li) {
  max-width: 62rem }
[data-testid=stMainBlockContainer] :is([data-testid=stSelectbox], [data-testid=stTextInput]) { max-width: 40rem }
[data-testid=stButtonGroup] button:not([data-selected], :hover, :focus-visible) {
  border-color: color-mix(in srgb, currentcolor 20%, transparent) !important }
[class*=st-key-open-] { position: sticky; bottom: 1rem; z-index: 1 }
[data-testid=stHtml] { overflow-x: auto }
[data-testid=stHtml] .spans :is(th, td) { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0 }
.adjudge-command { margin: 0; padding: .8rem 1rem; font-size: .86rem; white-space: pre-wrap; user-select: all;
  background: color-mix(in srgb, currentcolor 5%, transparent) }
:is([data-tag], [data-testid=stBaseButton-primary]) { color: var(--adjudge-paper) !important }
[data-testid=stMainBlockContainer] h3 { font-size: 1.35rem }
.st-key-notes [data-testid=stMarkdownContainer] { margin: 0 }
.st-key-notes [data-testid=stMarkdownContainer] :is(p, li) { margin: 0; font-size: .88rem; line-height: 1.4 }
.st-key-notes ul { margin: 0 0 .6rem; padding-left: 1rem }
"""
"""What one looks at stands near the top; small letters and chosen values have contrast; no line is too long to be
read. Streamlit draws no border beside the button that is chosen, and one is missed where another row begins there."""


def escape_markdown(text: str) -> str:
    r"""A text of data that Markdown leaves as it is, its control characters as signs.

    >>> escape_markdown("![x](http://a.b)")
    '\\!\\[x\\]\\(http\\:\u2060\\/\\/a\\.b\\)'
    """
    return _MARKDOWN.sub(r"\\\1", _LINKED.sub(_CUT, visible(text))).replace("/", "\\/")


def label(text: str) -> str:
    """A text of data as the label of a control, where Markdown is read."""
    return escape_markdown(short_name(text, _LABEL))


def column(text: str) -> str:
    """A text of data as the heading of a column, where it is not."""
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
    """What is said for a moment."""
    st.toast(escape_markdown(text))


def warn(text: str) -> None:
    """What one should know before trusting what is shown."""
    st.warning(escape_markdown(text))


def remark(text: str) -> None:
    """A sentence in small letters."""
    st.caption(escape_markdown(text))


def refuse(messages: Sequence[str]) -> None:
    """What is wrong with the input, a line for each message."""
    st.error("\n\n".join(map(escape_markdown, messages)))


def sentences(many: Sequence[str]) -> None:
    """Sentences as a list."""
    st.markdown("\n".join(f"- {escape_markdown(one)}" for one in many))


def show_html(markup: Markup) -> None:
    """HTML that was made of templates, which escape all data."""
    st.html(str(markup))


def command(line: str) -> None:
    """A command line, which a click selects. Streamlit's form of code loads every language that it can colour."""
    show_html(Markup('<pre class="adjudge-command" tabindex="0">{}</pre>').format(visible(line)))


def style() -> None:
    """Set the colours that items take, those of both themes: users may turn to the other while they look."""
    both = {name: f"light-dark({colour}, {DARK[name]})" for name, colour in LIGHT.items()}
    st.html(f"<style>:root{{{declared(both)} --sans:'Source Sans',sans-serif;}}{_STYLE}</style>")
