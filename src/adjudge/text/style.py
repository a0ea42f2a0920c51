"""Style rules: countable features of a response, and which of two responses has more of them.

Each rule counts one feature in a column of text. In a pair it prefers the response with the larger count,
and neither if the counts are equal. No model is used: a count is a polars expression of regular
expressions, so it runs lazily, in parallel and in a stream. docs/style.md defines the features.

All rules but `longer` and `more_code` read prose: the text with each piece of Markdown code and each
web address (from its `://`) replaced by one backtick. A missing text counts as an empty one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import polars as pl

from adjudge.text.toml_files import packaged

_PHRASES = packaged(__package__, "style.toml")


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A countable feature of a text.

    id: as in the annotator `style:ID`. name, description: for display. found: from a column of strings to its number of
    occurrences in each, null in a missing one.
    """

    id: str
    name: str
    description: str
    found: Callable[[pl.Expr], pl.Expr]

    def count(self, text: pl.Expr) -> pl.Expr:
        """The counts of a column of text, which may be categorical, as UInt32; 0 in a missing text."""
        return self.found(text.cast(pl.String)).fill_null(0).cast(pl.UInt32)


def prefers(rule: StyleRule) -> pl.Expr:
    """Which of two responses a rule prefers, as Int8: 1 the first, -1 the second, 0 neither. Never null.

    The rule `longer` reads length_a and length_b, the lengths of the texts in characters; others text_a and text_b.

    >>> pairs = pl.DataFrame({"text_a": ["Yes!", "No."], "text_b": ["Yes.", "Well, no."]})
    >>> pairs.select(prefers(RULES["more_exclamation_marks"])).to_series().to_list()
    [1, 0]
    """
    if rule.id == LONGER:
        return larger(pl.col("length_a").fill_null(0), pl.col("length_b").fill_null(0))
    return larger(rule.count(pl.col("text_a")), rule.count(pl.col("text_b")))


def larger(count_a: pl.Expr, count_b: pl.Expr) -> pl.Expr:
    """Which of two counts is larger, as Int8: 1 the first, -1 the second, 0 neither."""
    return (count_a > count_b).cast(pl.Int8) - (count_a < count_b).cast(pl.Int8)


def _prose(text: pl.Expr) -> pl.Expr:
    """The text with a backtick in place of each piece of code, address, `![` of an image and `!=`."""
    return text.str.replace_all(_NOT_PROSE, "`")


def _in_prose(text: pl.Expr, pattern: str) -> pl.Expr:
    return _prose(text).str.count_matches(pattern)


def _length(text: pl.Expr) -> pl.Expr:
    return text.str.len_chars()


def _code(text: pl.Expr) -> pl.Expr:
    return text.str.count_matches(_CODE)


def _numbers(text: pl.Expr) -> pl.Expr:
    """Numbers except those of list items. Each list mark is one of the numbers, so none goes below 0."""
    return _in_prose(text, _NUMBER) - _in_prose(text, _LINE_START + r"[0-9]{1,9}[.)][ \t]")


def _phrase(phrase: str) -> str:
    """The pattern of a phrase: its first letter in either case, a line break for a space, either apostrophe."""
    first = phrase[0] if phrase[0] == "I" else f"[{phrase[0].upper()}{phrase[0]}]"
    return first + phrase[1:].replace(" ", _SPACE).replace("'", "['’]") + _EDGE


def _any_of(phrases: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(_phrase, phrases))})"


def _refusal() -> str:
    listed = {name: _any_of(phrases) for name, phrases in _PHRASES.items()}
    adverb = rf"(?:{_SPACE}(?:[a-z]+ly|also|just|still))?"
    denial = listed["denials"] + adverb + _SPACE + rf"(?:{listed['denied']}|help\s*(?:[.,;:!]|\z))"
    as_ai = f"{listed['ai_subjects']},?{_SPACE}{listed['ai_denials']}"
    return f"{_EDGE}(?:{listed['refusals']}|{denial}|{as_ai})"


# Rust's regular expressions have no look-around, and leave their fast path if \b is next to a letter
# beyond ASCII. So words end and begin as ASCII words do; if that would find the `me` in `crème`, the
# character before the word is consumed.
_EDGE = r"(?-u:\b)"
_SPACE = r"(?:[ \n]|\r\n)"


def _fence(opening: str, closing: str) -> str:
    """A block from its opening backticks to a line of at least as many, or to the end of the text."""
    return rf"{opening}[^`\n]*\n(?s:.*?)(?:^[ \t>]*{closing}[ \t\r]*$|\z)"


# Every alternative begins with letters of its own (no space, no h of http), to which the engine jumps.
_FENCES = (_fence("`````+", "`````+"), _fence("````", "````+"), _fence("```", "```+"))
_TILDES = r"^~~~[^\n]*\n(?s:.*?)(?:^[ \t]*~~~+[ \t\r]*$|\z)"
_INLINE = r"``[^`\n](?:[^`\n]|`[^`\n])*``|`[^`\n]+`"
_CODE = "(?m)" + "|".join((*_FENCES, _TILDES, _INLINE))
_ADDRESS = r"://[A-Za-z0-9._~:/?#@!$&'+,;=%-]*[A-Za-z0-9/~#@$&+=%-]"
_NOT_PROSE = rf"{_CODE}|{_ADDRESS}|!\[|!="

# Before it spaces and quotation marks of Markdown.
_LINE_START = r"(?m)^[ \t>]*"
# A bullet, then more bullets and spaces, then something else: `* * *` is a line across the page.
_LIST_ITEM = _LINE_START + r"(?:[-*+][ \t][-*+ \t]*[^-*+\s]|[0-9]{1,9}[.)][ \t]+\S)"
_HEADING = r"(?m)^ {0,3}#{1,6}[ \t]+\S"
_BOLD = r"\*\*[^\s*](?:(?:[^*\n]|\*[^*\n])*[^\s*])?\*\*|(?-u:\b)__[^\s_](?:(?:[^_\n]|_[^_\n])*[^\s_])?__(?-u:\b)"
_EMOJI = (
    r"\p{RI}{2}"
    r"|[0-9#*]\x{FE0F}?\x{20E3}"
    r"|(?:\p{ExtPict}\x{FE0F}|\p{EBase}\p{EMod}|[\p{EPres}--\p{RI}])\x{FE0F}?[\x{E0020}-\x{E007F}]*"
    r"(?:\x{200D}\p{ExtPict}[\x{FE0F}\p{EMod}]*)*"
)
_QUESTION = r"[？؟][?!？！؟]*|\?[?!？！؟]*(?:[^?!？！؟A-Za-z0-9_=&/%-]|\z)"
_NUMBER = r"(?:\A|[^\w./-])-?\.?\d+(?:[.,:/-]?\w+)*"
_FIRST_PERSON = rf"(?:\A|\W)(?:I(?:[^\w.)/-]|\z)|[Mm](?:e|y|ine|yself){_EDGE})"
_APOLOGY = _EDGE + _any_of(_PHRASES["apologies"])
_HEDGE = f"{_EDGE}(?:may{_EDGE}|{_any_of(_PHRASES['hedges'])})"

LONGER = "longer"


def _count_rule(what: str, description: str, search: str | Callable[[pl.Expr], pl.Expr]) -> StyleRule:
    """A rule that counts a pattern's matches in prose, or the result of a function."""
    counting = partial(_in_prose, pattern=search) if isinstance(search, str) else search
    return StyleRule("more_" + what.replace(" ", "_"), "More " + what, description, counting)


RULES: dict[str, StyleRule] = {
    rule.id: rule
    for rule in (
        StyleRule(LONGER, "Longer", "Has more characters (Unicode code points).", _length),
        StyleRule(
            "more_lists", "More list items", "Has more items of Markdown lists.", partial(_in_prose, pattern=_LIST_ITEM)
        ),
        _count_rule("headings", "Has more Markdown headings.", _HEADING),
        _count_rule("bold", "Has more passages in Markdown bold.", _BOLD),
        _count_rule("code", "Has more Markdown code: blocks and pieces within a line.", _code),
        _count_rule("emoji", "Has more emoji.", _EMOJI),
        _count_rule("exclamation marks", "Has more exclamation marks.", r"[!！]"),
        _count_rule("questions", "Has more questions.", _QUESTION),
        _count_rule("numbers", "Has more numbers written in digits.", _numbers),
        _count_rule("first person", "Says I, me, my, mine, myself more often.", _FIRST_PERSON),
        _count_rule("hedging", "Hedges more often: might, perhaps, I think ...", _HEDGE),
        _count_rule("apology", "Apologises more often: sorry, my apologies ...", _APOLOGY),
        _count_rule("refusal", "Refuses more often: I can't help with, I'm unable to ...", _refusal()),
    )
}
"""All rules by id."""
