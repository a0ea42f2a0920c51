"""Verdicts that stand at the beginning of sentences (Yes, ...), as labels."""

import re
from collections.abc import Mapping

from karat.formats.findings import listed
from karat.formats.guess import VERDICTS
from karat.formats.profiles import Column
from karat.formats.shaping import ANY, meaning_of

_WORD = re.compile(r"[^\W\d_]+")
_BEGINNING = re.compile(r"\S+(?:\s+\S+){0,2}")
"""The first words of a sentence, which may stand for all that begin so."""
_EXCEPTIONS = 20
"""Of so many sentences with verdicts one may give none."""


def verdicts_in(column: Column) -> dict[str, str]:
    """How the sentences of a column begin -> the verdict that they give; none where many give none, or they repeat.

    Of the few that give none, nothing. Verdicts alone, one in a cell or several, are labels as they stand.
    """
    found: dict[str, str] = {}
    repeat = column.is_label and 2 * len(column.distinct) <= len(column.texts)
    alone = all(VERDICTS.issuperset(_WORD.findall(text.lower())) for text in column.distinct)
    without = 0
    for text in column.distinct if column.kind == "text" and not (repeat or alone) else ():
        word = _WORD.match(text)
        if word and word[0].lower() in VERDICTS:
            found[text if text == word[0] else text[: word.end() + 1] + ANY] = word[0].lower()
        else:
            without += 1
            found[_beginning(text) + ANY] = ""
        if without * _EXCEPTIONS > len(column.distinct):
            return {}
    return found if len(set(found.values()) - {""}) > 1 else {}


def _beginning(text: str) -> str:
    words_of_it = _BEGINNING.match(text.strip())
    return words_of_it[0] if words_of_it else text


def without_verdict(column: Column, meant: Mapping[str, str]) -> str:
    """What is said of the sentences of a column that give no verdict."""
    silent = [one for one in column.texts if not meaning_of(one, meant)]
    shown = listed([f'"{one:.40}"' for one in dict.fromkeys(silent)])
    return (
        f"{len(silent):,} of {len(column.texts):,} values of {column.name} begin with no verdict, and count as no "
        f"judgment: {shown}; if some mean one, put it behind their = in --values"
    )


def as_labels(column: Column, meant: Mapping[str, str]) -> Column:
    """The column with the labels that its values mean."""
    if not meant:
        return column
    said = (one if one is None else meaning_of(str(one).strip(), meant) for one in column.values)
    return Column(column.name, list(said))
