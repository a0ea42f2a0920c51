"""Whether a table holds published scores of systems: a row for each, and a column for each figure."""

import re

from adjudge.look.column_profile import Column, Table
from adjudge.readers.column_names import joined, mentioning, words
from adjudge.readers.column_synonyms import ANNOTATOR, SCORES
from adjudge.readers.preferences.score_tables import ALL, RANKS, SYSTEMS, figure_in, is_score, plain

_WEAK = {"name", "run"}
"""What other things than systems are called too."""
_EXACT = re.compile(r"\d[.,]\d|%")
"""What scores have, and labels have not."""


def holds_scores(table: Table, *, alone: bool = False) -> bool:
    """Whether each row is a system's, and columns hold what was measured of it: numbers with decimals.

    Where their column may be that of other things than systems, figures must be called as such. alone: whether the
    table is known to be no other, so that whole numbers may be scores too.
    """
    system = next((name for name in table.names if name.strip().casefold() in SYSTEMS), None)
    if system is None or not table[system].is_id:
        return False
    others = [name for name in table.names if name != system and plain(name).casefold() not in RANKS]
    scores = [name for name in others if _are_scores(table[name])]
    called = all(_is_figure(name) for name in scores) if joined(system) in _WEAK else not mentioning(ANNOTATOR, scores)
    exact = alone or any(_EXACT.search(text) for name in scores for text in table[name].texts)
    return bool(scores) and exact and called and 2 * len(scores) >= len(others)


def _are_scores(column: Column) -> bool:
    """Whether all that stands there are numbers, whatever stands around them."""
    return column.is_flat and bool(column.texts) and all(map(is_score, column.texts))


def _is_figure(name: str) -> bool:
    """Whether a column is called as figures are, or after a criterion of the task."""
    return figure_in(name)[0] != ALL or not SCORES.isdisjoint({*words(name), joined(name)})
