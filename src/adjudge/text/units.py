"""Offsets in UTF-16 units, which Java and JavaScript count, as offsets in code points."""

from itertools import accumulate

_ASTRAL = "\uffff"


def has_pairs(text: str) -> bool:
    """Whether a text holds characters of two UTF-16 units, such as emoji, so that the two ways to count differ.

    >>> has_pairs("caf\u00e9"), has_pairs("\U0001f600")
    (False, True)
    """
    return bool(text) and max(text) > _ASTRAL


def code_points(text: str) -> dict[int, int]:
    """Offsets in UTF-16 units of a text -> in code points; without those within a character.

    >>> code_points("a\U0001f600b")
    {0: 0, 1: 1, 3: 2, 4: 3}
    """
    units = accumulate((2 if character > _ASTRAL else 1 for character in text), initial=0)
    return {unit: point for point, unit in enumerate(units)}
