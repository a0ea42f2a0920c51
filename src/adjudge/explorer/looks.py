"""The looks of the explorer: colours of both themes, as pages of reports have them."""

from collections.abc import Mapping

import streamlit as st

from adjudge.render.palette import DARK, LIGHT, declared

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
.adjudge-command { margin: 0; padding: .8rem 1rem; white-space: pre-wrap; user-select: all;
  background: color-mix(in srgb, currentcolor 5%, transparent) }
:is([data-tag], [data-testid=stBaseButton-primary]) { color: var(--adjudge-paper) !important }
[data-testid=stMainBlockContainer] h3 { font-size: 1.35rem }
"""
"""What one looks at stands near the top; small letters and chosen values have contrast; no line is too long to be
read. Streamlit draws no border beside the button that is chosen, and one is missed where another row begins there."""


def colours() -> Mapping[str, str]:
    """The colours of the theme that the browser shows: name -> colour."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def style() -> None:
    """Set the colours that items take, those of both themes: users may turn to the other while they look."""
    both = {name: f"light-dark({colour}, {DARK[name]})" for name, colour in LIGHT.items()}
    st.html(f"<style>:root{{{declared(both)} --sans:'Source Sans',sans-serif;}}{_STYLE}</style>")
