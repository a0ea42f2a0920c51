"""The votes that the words and numbers of a table mean."""

from collections.abc import Iterable, Mapping

from adjudge.readers.column_names import VOTES as WORDS
from adjudge.readers.column_names import joined_key
from adjudge.readers.label_values import is_abstention, side_word
from adjudge.readers.pairs.pairs import SIDE_VOTES

TEXT_A, TEXT_B, TIE = "text_a", "text_b", "both"
_NUMBERS = ("1 2", "0 1", "1 2 0", "1 2 3", "1 -1 0")
"""Numbers that mean the first response, the second and a tie if a column has no other values; the first list counts."""


def votes_meant(values: Iterable[str], side: str) -> dict[str, str]:
    """Value -> its vote, without missing ones; empty if a value has none. side: the word for the first response.

    >>> votes_meant(["Left", "tie", "skip"], ""), votes_meant(["1", "2", "tie"], "1"), votes_meant(["good"], "")
    ({'Left': 'text_a', 'tie': 'both'}, {'1': 'text_a', '2': 'text_b', 'tie': 'both'}, {})
    """
    distinct = dict.fromkeys(value for value in values if not is_abstention(value))
    numbers = next((each for each in _NUMBERS if distinct.keys() <= {*each.split()}), "")
    known = dict(zip(numbers.split(), (TEXT_A, TEXT_B, TIE), strict=False))
    votes = {value: known.get(value) or _vote(value, side) for value in distinct}
    return votes if all(votes.values()) and {TEXT_A, TEXT_B} & {*votes.values()} else {}


def are_usual(votes: Mapping[str, str]) -> bool:
    """Whether the values are the usual ones for their votes."""
    return all({"a": TEXT_A, "b": TEXT_B}.get(value, value) == vote for value, vote in votes.items())


def _vote(value: str, side: str) -> str:
    """The vote that a word means, as pairs are read; empty for others."""
    if side == "1" and value in ("1", "2"):
        return TEXT_A if value == side else TEXT_B
    known = (vote for vote, synonyms in WORDS.items() if joined_key(value) in synonyms)
    unclear = side == "0" and value[-1:].isdigit()
    return next(known, "" if unclear else SIDE_VOTES.get(side_word(value) or "", ""))
