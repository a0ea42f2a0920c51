"""Style rules: what can be counted in a response, and which of two responses has more of it.

Each rule counts one thing in a column of text. Given a pair it prefers the response with the larger count,
and neither where the counts are equal. No model is asked: a count is a polars expression of regular
expressions, so it runs lazily, in parallel and in a stream. docs/style.md says exactly what is counted.

All rules but `longer` and `more_code` read prose: the text in which each piece of Markdown code and each
address of the web (from its `://`) has become one backtick. A missing text counts as an empty one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import polars as pl

HEDGES = (
    *("might", "maybe", "perhaps", "probably", "possibly", "presumably", "potentially", "apparently", "seemingly"),
    *("arguably", "likely", "unlikely", "could be", "not necessarily", "it seems", "seems to", "seem to"),
    *("it appears", "appears to", "appear to", "in my opinion", "to my knowledge", "as far as I know"),
    *("I think", "I don't think", "I do not think", "I believe", "I guess", "I suppose", "I suspect", "I assume"),
    *("I'm not sure", "I am not sure", "I'm not certain", "I am not certain"),
)
"""What hedges, beside a lower-case `may`: capitalised it may be the month."""

APOLOGIES = (
    *("sorry", "apologize", "apologise", "apologizing", "apologising", "apologies", "my apology", "our apology"),
    *("forgive me", "pardon me", "my bad", "I regret", "we regret"),
)

REFUSALS = (
    *("I am unable to", "I'm unable to", "I am not able to", "I'm not able to", "I won't be able to"),
    *("I will not be able to", "I am not allowed to", "I'm not allowed to", "I am not permitted to"),
    *("I'm not permitted to", "I am not programmed to", "I'm not programmed to", "I am not designed to"),
    *("I'm not designed to", "I am not comfortable", "I'm not comfortable", "I must decline", "I have to decline"),
    *("I decline to", "I must refuse", "I have to refuse", "I refuse to", "I would rather not", "I'd rather not"),
)
"""What refuses, whatever follows."""

DENIALS = ("I can't", "I cannot", "I can not", "I won't", "I will not", "I am not going to", "I'm not going to")
"""What refuses where one of DENIED follows."""

DENIED = (
    *("accommodate", "advise", "answer", "assist", "browse", "comment", "complete", "comply", "condone", "continue"),
    *("create", "disclose", "discuss", "do so", "do that", "do this", "encourage", "endorse", "engage", "facilitate"),
    *("fulfil", "fulfill", "generate", "give a", "give advice", "give an", "give any", "give you", "help anyone"),
    *("help in", "help people", "help someone", "help users", "help with", "help you", "offer", "participate"),
    *("predict", "proceed", "produce", "promote", "provide", "respond", "reveal", "share", "speculate", "support"),
    *("write", "access"),
)
"""What is refused; also `help` before a punctuation mark or the end, for `I can't help laughing` is no refusal."""

AI_SUBJECTS = (
    *("as an AI", "as an AI model", "as an AI language model", "as an AI assistant", "as a language model"),
    *("as a large language model", "as an artificial intelligence"),
)
"""What refuses where a comma may follow, and then one of AI_DENIALS."""

AI_DENIALS = (
    *("I can't", "I cannot", "I can not", "I don't", "I do not", "I won't", "I will not", "I am not", "I'm not"),
    *("I am unable", "I'm unable", "I have no", "I must", "I lack"),
)

Column = str | pl.Expr


@dataclass(frozen=True, slots=True)
class StyleRule:
    """What is counted in a text.

    id: as in the annotator `style:ID`. name, description: for reading. count: from a column of text to its
    counts, UInt32 and never null.
    """

    id: str
    name: str
    description: str
    count: Callable[[pl.Expr], pl.Expr]


def prefers(
    rule: StyleRule,
    text_a: Column = "text_a",
    text_b: Column = "text_b",
    *,
    length_a: Column | None = None,
    length_b: Column | None = None,
) -> pl.Expr:
    """Which of two responses a rule prefers, as Int8: 1 the first, -1 the second, 0 neither. Never null.

    length_a, length_b: the lengths of the texts in characters, where they are known. The rule `longer` then
    reads them alone and needs no texts; the others pay no heed to them.

    >>> pairs = pl.DataFrame({"text_a": ["Yes!", "No."], "text_b": ["Yes.", "Well, no."]})
    >>> pairs.select(prefers(RULES[rule]).alias(rule) for rule in ("more_exclamation_marks", "longer")).rows()
    [(1, 0), (0, -1)]
    """
    if rule.id == LONGER and length_a is not None and length_b is not None:
        return larger(_expression(length_a).fill_null(0), _expression(length_b).fill_null(0))
    return larger(rule.count(_expression(text_a)), rule.count(_expression(text_b)))


def larger(count_a: pl.Expr, count_b: pl.Expr) -> pl.Expr:
    """Which of two counts is larger, as Int8: 1 the first, -1 the second, 0 neither."""
    return (count_a > count_b).cast(pl.Int8) - (count_a < count_b).cast(pl.Int8)


def prose(text: pl.Expr) -> pl.Expr:
    """The text with a backtick in place of each piece of code, address, `![` of a picture and `!=`."""
    return _string(text).str.replace_all(_NOT_PROSE, "`")


def _expression(column: Column) -> pl.Expr:
    return pl.col(column) if isinstance(column, str) else column


def _string(text: pl.Expr) -> pl.Expr:
    """The column as strings; it may be categorical, or of no type where all is missing."""
    return text.cast(pl.String)


def _number(count: pl.Expr) -> pl.Expr:
    return count.fill_null(0).cast(pl.UInt32)


def _matches(text: pl.Expr, pattern: str) -> pl.Expr:
    return _number(prose(text).str.count_matches(pattern))


def _line_starts(text: pl.Expr, pattern: str) -> pl.Expr:
    """How many lines begin with the pattern, behind spaces and quotation marks of Markdown (`>`).

    Equal to counting `(?m)^`, which the engine searches letter by letter; it leaps from one line break to the next.
    """
    first = text.str.contains(rf"\A[ \t>]*{pattern}").cast(pl.UInt32)
    return first + text.str.count_matches(rf"\n[ \t>]*{pattern}")


def _length(text: pl.Expr) -> pl.Expr:
    return _number(_string(text).str.len_chars())


def _code(text: pl.Expr) -> pl.Expr:
    return _number(_string(text).str.count_matches(_CODE))


def _list_items(text: pl.Expr) -> pl.Expr:
    return _number(_line_starts(prose(text), _LIST_ITEM))


def _numbers(text: pl.Expr) -> pl.Expr:
    """Numbers that do not number an item of a list. Each such mark is one of the numbers, so none goes below 0."""
    numbers = prose(text).str.count_matches(_NUMBER)
    return _number(numbers - _line_starts(prose(text), _LIST_NUMBER))


def _emoji(text: pl.Expr) -> pl.Expr:
    """Emoji. The pattern is slow and most texts are plain ASCII, which hold none: those are passed over."""
    read = prose(text)
    return _number(pl.when(read.str.len_bytes() > read.str.len_chars()).then(read).str.count_matches(_EMOJI))


def _hedging(text: pl.Expr) -> pl.Expr:
    """Hedges in three searches: the fewer first letters there are, the further the engine leaps."""
    mine = tuple(phrase for phrase in HEDGES if phrase.startswith("I"))
    others = tuple(phrase for phrase in HEDGES if not phrase.startswith("I"))
    patterns = (f"may{_EDGE}", _any_of(mine), _any_of(others))
    return _number(pl.sum_horizontal(prose(text).str.count_matches(_EDGE + pattern) for pattern in patterns))


def _phrase(phrase: str) -> str:
    """The pattern of a phrase: its first letter in either case, a line break for a space, either apostrophe."""
    first = phrase[0] if phrase[0] == "I" else f"[{phrase[0].upper()}{phrase[0]}]"
    rest = phrase[1:].replace(" ", _SPACE).replace("'", "['’]")
    return first + rest + _EDGE


def _any_of(phrases: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(map(_phrase, phrases))})"


def _refusal() -> str:
    adverb = rf"(?:{_SPACE}(?:[a-z]+ly|also|just|still))?"
    denied = rf"(?:{_any_of(DENIED)}|help\s*(?:[.,;:!]|\z))"
    denial = _any_of(DENIALS) + adverb + _SPACE + denied
    as_ai = f"{_any_of(AI_SUBJECTS)},?{_SPACE}{_any_of(AI_DENIALS)}"
    return f"{_EDGE}(?:{_any_of(REFUSALS)}|{denial}|{as_ai})"


# Rust's regular expressions know no look-around, and leave their fast path where \b stands beside a letter
# beyond ASCII. So words end and begin as ASCII words do; where that would find the `me` in `crème`, the
# character before the word is consumed.
_EDGE = r"(?-u:\b)"
_SPACE = r"(?:[ \n]|\r\n)"


def _fence(opening: str, closing: str) -> str:
    """A block from its opening backticks to a line of at least as many, or to the end of the text."""
    return rf"{opening}[^`\n]*\n(?s:.*?)(?:^[ \t>]*{closing}[ \t\r]*$|\z)"


# Every alternative begins with letters of its own (no space, no h of http), for which the engine leaps ahead.
_FENCES = (_fence("`````+", "`````+"), _fence("````", "````+"), _fence("```", "```+"))
_TILDES = r"^~~~[^\n]*\n(?s:.*?)(?:^[ \t]*~~~+[ \t\r]*$|\z)"
_INLINE = r"``[^`\n](?:[^`\n]|`[^`\n])*``|`[^`\n]+`"
_CODE = "(?m)" + "|".join((*_FENCES, _TILDES, _INLINE))
_ADDRESS = r"://[A-Za-z0-9._~:/?#@!$&'+,;=%-]*[A-Za-z0-9/~#@$&+=%-]"
_NOT_PROSE = rf"{_CODE}|{_ADDRESS}|!\[|!="

# A bullet, then more bullets and spaces, then something else: `* * *` is a line across the page.
_LIST_ITEM = r"(?:[-*+][ \t][-*+ \t]*[^-*+\s]|[0-9]{1,9}[.)][ \t]+\S)"
_LIST_NUMBER = r"[0-9]{1,9}[.)][ \t]"
_HEADING = r"(?m)^ {0,3}#{1,6}[ \t]+\S"
_BOLD = (
    r"\*\*[^\s*](?:(?:[^*\n]|\*[^*\n])*[^\s*])?\*\*"
    r"|(?-u:\b)__[^\s_](?:(?:[^_\n]|_[^_\n])*[^\s_])?__(?-u:\b)"
)
_EMOJI = (
    r"\p{RI}{2}"
    r"|[0-9#*]\x{FE0F}?\x{20E3}"
    r"|(?:\p{ExtPict}\x{FE0F}|\p{EBase}\p{EMod}|[\p{EPres}--\p{RI}])\x{FE0F}?[\x{E0020}-\x{E007F}]*"
    r"(?:\x{200D}\p{ExtPict}[\x{FE0F}\p{EMod}]*)*"
)
_EXCLAMATION_MARK = r"[!！]"
_QUESTION = r"[？؟][?!？！؟]*|\?[?!？！؟]*(?:[^?!？！؟A-Za-z0-9_=&/%-]|\z)"
_NUMBER = r"(?:\A|[^\w./-])-?\.?\d+(?:[.,:/-]?\w+)*"
_FIRST_PERSON = rf"(?:\A|\W)(?:I(?:[^\w.)/-]|\z)|[Mm](?:e|y|ine|yself){_EDGE})"

LONGER = "longer"


def _more(what: str, name: str, description: str, pattern: str) -> StyleRule:
    """A rule that counts what a pattern finds in prose."""
    return StyleRule(f"more_{what}", name, description, partial(_matches, pattern=pattern))


RULES: dict[str, StyleRule] = {
    rule.id: rule
    for rule in (
        StyleRule(LONGER, "Longer", "Has more characters (Unicode code points).", _length),
        StyleRule("more_lists", "More list items", "Has more items of Markdown lists.", _list_items),
        _more("headings", "More headings", "Has more Markdown headings.", _HEADING),
        _more("bold", "More bold", "Has more passages in Markdown bold.", _BOLD),
        StyleRule("more_code", "More code", "Has more Markdown code: blocks and pieces within a line.", _code),
        StyleRule("more_emoji", "More emoji", "Has more emoji.", _emoji),
        _more("exclamation_marks", "More exclamation marks", "Has more exclamation marks.", _EXCLAMATION_MARK),
        _more("questions", "More questions", "Has more questions.", _QUESTION),
        StyleRule("more_numbers", "More numbers", "Has more numbers written in digits.", _numbers),
        _more("first_person", "More first person", "Says I, me, my, mine, myself more often.", _FIRST_PERSON),
        StyleRule("more_hedging", "More hedging", "Hedges more often: might, perhaps, I think ...", _hedging),
        _more(
            *("apology", "More apology", "Apologises more often: sorry, my apologies ..."), _EDGE + _any_of(APOLOGIES)
        ),
        _more("refusal", "More refusal", "Refuses more often: I can't help with, I'm unable to ...", _refusal()),
    )
}
"""All rules by id."""
