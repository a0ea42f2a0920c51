"""Numbers in texts that say where something stands: of notes, citations and sources."""

import polars as pl

from adjudge.text.folding import change_where

GLUED = r"[a-z]{2}[0-9]| [0-9]{5,6} "
"""A pattern found in the words of what looks as if the number of a note were glued to it."""


def without_notes(texts: pl.Series) -> pl.Series:
    """Texts without the raised numbers of notes that stand behind words, years and signs.

    >>> without_notes(pl.Series(["Fleet\u2076, in 1971\u00b9\u2070, 5 km\u00b2"])).item()
    'Fleet, in 1971, 5 km²'
    """
    return change_where(texts, texts.str.contains(_RAISED), lambda text: text.str.replace_all(_NOTED, "$1"))


def uncited(folded: pl.Series) -> pl.Series:
    """Folded texts without citations: `... [3]`, `... [doc 1, 2]`, `[^1^]`, `【3†source】`.

    >>> uncited(pl.Series(["paris [3][4]."])).to_list()
    ['paris .']
    """
    cited = folded.str.contains_any(["[", "【"])
    return change_where(folded, cited, lambda text: text.str.replace_all(_CITED, "$head "))


def unnumbered(folded: pl.Series) -> pl.Series:
    """Folded texts without the numbers of notes that are glued to words, to years and to the ends of sentences.

    They may be parts of names and numbers, such as `windows10`, which only who knows those can tell (`GLUED`).

    >>> unnumbered(pl.Series(["by fleet1, of maryland.3", "in 19711.", "19711 men, h2o of g20, vol.3"])).to_list()
    ['by fleet, of maryland.', 'in 1971.', '19711 men, h2o of g20, vol.3']
    """
    return change_where(folded, folded.str.contains(_GLUED), lambda text: text.str.replace_all(_GLUED, "$1$2$3$4"))


def unsourced(folded: pl.Series) -> pl.Series:
    """Folded texts without citations, and without the numbers of sources: `document 3 says`."""
    return change_where(
        folded,
        folded.str.contains(_HAS_SOURCE),
        lambda text: text.str.replace_all(_CITED, "$head ").str.replace_all(_SOURCE_NUMBER, " "),
    )


_RAISED = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"
_NOTED = rf"(\p{{L}}{{3}}|[.,;!?\"”')\]]|(?-u:\b)(?:1[0-9]|20)[0-9]{{2}}){_RAISED}+"
_SOURCE = r"(?:documents?|docs?|passages?|sources?|文档|资料|文件)"
_HAS_SOURCE = rf"{_SOURCE} ?[0-9]|[\[【] ?\^?(?:{_SOURCE} ?)?[0-9]"
_CITATION = rf"[\[【] ?\^?(?:{_SOURCE} ?)?[0-9]{{1,2}}(?: ?, ?[0-9]{{1,2}})*(?:[:†][^\]】]{{0,40}})?\^? ?[\]】]"
_CITED = rf"(?P<head>\S)(?: ?{_CITATION})+"
_GLUED = (
    r"([a-z]{3}|[a-z]{4}[.!?])[1-9][0-9]?([ .,;:!?)\"'\n]|$)"
    r"|((?-u:\b)(?:1[0-9]|20)[0-9]{2})[1-9][0-9]?([.!?)\n]|$)"
)
_SOURCE_NUMBER = r"(?:(?-u:\b)(?:documents?|docs?|passages?|sources?) |(?:文档|资料) ?)[0-9]{1,2}(?-u:\b)"
