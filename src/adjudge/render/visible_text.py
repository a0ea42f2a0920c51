"""Visible signs for invisible characters."""

from unicodedata import bidirectional

_CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"}
_NO_TEXT = dict.fromkeys((*range(0x7F, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), 0xFFFD)
_SIGNS = _CONTROLS | _NO_TEXT
ENDS_OF_LINES = {"\n": "\u240a", "\r": "\u240d", "\u2028": "\u240a", "\u2029": "\u240a"}
_ONE_LINE = _SIGNS | str.maketrans(ENDS_OF_LINES | {"\t": "\u2409"})
_MARKS = {0x061C: "ALM", 0x200E: "LRM", 0x200F: "RLM"}
_DIRECTIONS = _MARKS | {code: bidirectional(chr(code)) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""Characters that change the direction of text, and so can disguise it."""
_NAMED = {code: f"[{name}]" for code, name in _DIRECTIONS.items()}
TURNS = {chr(code): name for code, name in _NAMED.items()}
"""Characters that change the direction of text -> their names in brackets."""
_ALL = _SIGNS | _NAMED


def printable(text: str) -> str:
    """A text with visible signs for control characters, which can be encoded."""
    return text.translate(_SIGNS)


def one_line(text: str) -> str:
    r"""A text on one line: control characters, line ends and tabs become signs.

    >>> one_line("a\n::error::b\x1b")
    'a␊::error::b␛'
    """
    return text.translate(_ONE_LINE)


def visible(text: str) -> str:
    r"""A text with control characters as signs, and characters that change its direction named in brackets.

    >>> visible("a\u202eb\x1b")
    'a[RLO]b␛'
    """
    return text.translate(_ALL)


def turns_named(text: str) -> str:
    r"""A text with the names of characters that change its direction in brackets; all others are unchanged.

    >>> turns_named("a\u202eb\x1b")
    'a[RLO]b\x1b'
    """
    return text.translate(_NAMED)
