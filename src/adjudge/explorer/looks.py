"""The looks of the explorer: colours of both themes, as pages of reports have them."""

from collections.abc import Mapping

import streamlit as st

from adjudge.render.palette import DARK, LIGHT, declared

_LESS_ROOM = """
[data-testid=stMainBlockContainer] { padding: 2.5rem 2rem 4rem }
[data-testid=stSidebarHeader] { height: 2.5rem }
[data-testid=stCaptionContainer] { opacity: 1 }
[data-testid=stCaptionContainer] p { color: var(--adjudge-muted) }
[data-testid=stMainBlockContainer] :is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) :is(p, li) {
  max-width: 62rem }
[data-testid=stMainBlockContainer] :is([data-testid=stSelectbox], [data-testid=stTextInput]) { max-width: 40rem }
[data-testid=stButtonGroup] button:not([data-selected], :hover, :focus-visible) {
  border-color: color-mix(in srgb, currentcolor 20%, transparent) !important }
.adjudge-legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: 0; padding: 1px !important;
  list-style: none }
.adjudge-legend li { font-size: .86rem; margin: 0 !important }
.adjudge-legend span { display: inline-block; width: .75em; height: .75em; margin-right: .4em;
  outline: 1px solid color-mix(in srgb, currentcolor 40%, transparent) }
@media (max-width: 48rem) { [data-testid=stMainBlockContainer] { padding: 4.5rem 1.2rem 4rem } }
[class*=st-key-narrow-], [class*=st-key-scrolled-picture] { display: none }
@media (max-width: 48rem) { [class*=st-key-wide-picture] { display: none }
  [class*=st-key-narrow-], [class*=st-key-scrolled-picture] { display: flex } }
[class*=st-key-scrolled-picture] :is([data-testid=stElementContainer], [data-testid=stFullScreenFrame],
  [data-testid=stImage]) { width: 100% !important; max-width: 100% }
[class*=st-key-scrolled-picture] [data-testid=stImageContainer] { overflow-x: auto; max-width: 100% }
[class*=st-key-scrolled-picture] img { max-width: none !important }
@media (max-width: 48rem) { [data-testid=stColumn]:not(:has([data-testid=stElementContainer])) { display: none } }
@media (max-width: 48rem) { [data-testid=stButtonGroup] [role=radiogroup] { gap: .4rem }
  [data-testid=stButtonGroup] button { border-radius: .5rem !important; margin: 0 !important } }
[class*=st-key-open-] { position: sticky; bottom: 1rem; z-index: 1 }
[data-testid=stHtml] { overflow-x: auto }
[data-testid=stHtml] .spans :is(th, td) { text-align: left; vertical-align: top; padding: .25rem .9rem .25rem 0 }
@media (max-width: 48rem) { [data-testid=stHtml] .spans { display: block; overflow-x: auto;
  animation: adjudge-fade linear both; animation-timeline: scroll(self inline) }
  [data-testid=stHtml] table.spans td:nth-child(n) bdi { display: inline-block; width: max-content; min-width: 0 } }
:is([data-testid=stDataFrame], [class*=st-key-scrolled-picture]) { position: relative; timeline-scope: --sideways }
:is([data-testid=stDataFrame] .dvn-scroller, [class*=st-key-scrolled-picture] [data-testid=stImageContainer]) {
  scroll-timeline: --sideways inline }
:is([data-testid=stDataFrame], [class*=st-key-scrolled-picture])::after {
  content: ""; position: absolute; inset: 1px 1px 1px auto; width: 2.5rem; border-radius: 0 .45rem .45rem 0;
  pointer-events: none; opacity: 0; background: linear-gradient(to left, var(--adjudge-grid), transparent);
  animation: adjudge-more linear both; animation-timeline: --sideways }
[class*=st-key-scrolled-picture]::after { width: .8rem }
@keyframes adjudge-fade { from, 95% { mask-image: linear-gradient(to left, transparent, black 2.5rem) }
  to { mask-image: none } }
@keyframes adjudge-more { from, 95% { opacity: 1 } to { opacity: 0 } }
.adjudge-command { margin: 0; padding: .8rem 1rem; border-radius: .5rem; white-space: pre-wrap;
  user-select: all; -webkit-user-select: all; background: color-mix(in srgb, currentcolor 5%, transparent) }
.adjudge-command code { padding: 0; background: none; color: inherit; font-size: .86rem; line-height: 1.6 }
.adjudge-command span { display: inline-block; max-width: 100%; overflow-wrap: anywhere } .adjudge-by-keys { position:
absolute; width: 1px; height: 1px; padding: 0; border: 0; opacity: 0 } .adjudge-by-keys:focus { position: static; width:
100%; height: auto; margin-top: .4rem; padding: .3rem 1rem; opacity: 1;
  color: inherit; background: none; font: .86rem monospace }
:is([data-tag], [data-testid=stBaseButton-primary]) { color: var(--adjudge-paper) !important }
[data-testid=stMainBlockContainer] h3 { font-size: 1.35rem }
@media (hover: none) { [data-testid=stElementContainer]:has(> * > [data-testid=stDataFrame]) { margin-top: 1.75rem } }
"""
"""What one looks at stands near the top; small letters and chosen values have contrast; where a table or a
picture goes on, its edge is shaded; columns that hold nothing take no room below one another; no line is too long to
be read; the command line breaks in no name of an option or a file that fits a line; buttons of which one is chosen
stand apart on a phone, where they take several rows. Streamlit draws no border beside the button that is chosen, and
one is missed where another row begins there. Where nothing hovers, a table's own buttons are always seen, above it,
where they would cover what is said there."""


def colours() -> Mapping[str, str]:
    """The colours of the theme that the browser shows: name -> colour."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def style() -> None:
    """Set the colours that items take, those of both themes: people may turn to the other while they look."""
    both = {name: f"light-dark({colour}, {DARK[name]})" for name, colour in LIGHT.items()}
    st.html(f"<style>:root{{{declared(both)} --sans:'Source Sans',sans-serif;}}{_LESS_ROOM}</style>")
