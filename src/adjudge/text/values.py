"""Numbers and dates by value: equal numbers or days become the same words.

`figures` rewrites the dates and the numbers in digits of folded texts (see `folding.fold`), before words are taken;
`numbers_in_words` the numbers written in words, in the words of texts (see `folding.words`). Applied to both an answer
and a response, they make equal values equal, so that a search for words finds the answer.

A date becomes the words year, month, day, the latter two marked (here `m` and `d`, in fact U+0001 and U+0002). So a
year is found in any date of that year, a month in any day of it, and a day without a year in the same day of any year;
but a year never matches a day, and the 12 is found neither in December nor in a twelfth. A sign and a range are parts
of their number (here `-` and `~`, in fact U+0006 and U+0007): 7 is found neither in -7 nor in 3-7.

| Text                                                                   | Words             |
|------------------------------------------------------------------------|-------------------|
| `January 2, 2022`, `2 Jan. 2022`, `the 2nd of January 2022`            | `2022 m1 d2`      |
| `2022-01-02`, `2022/1/2`, `2022年1月2日`, `2022 年 1 月 2 号`           | `2022 m1 d2`      |
| `13/1/2022`, `1/13/2022` (one part can be no month)                    | `2022 m1 d13`     |
| `1/2/2022` (which is the month?): left as it is                        | `1 2 2022`        |
| `December 2015`, `Dec. 2015`, `2015年12月`, `2015-12`                   | `2015 m12`        |
| `July 4th`, `4 July`, `7月4日`                                         | `m7 d4`           |
| `1,000`, `1000`, `1000.0`, `one thousand`, `1 thousand`, `一千`         | `1000`            |
| `$10.4 billion`, `$10.4bn`, `10,400,000,000 dollars`                   | `10400000000 dollar` |
| `twenty-one`, `二十一`; `twenty-first`, `21st`                          | `21`; `21th`      |
| `12.50`, `12.5`; `7:00 pm`; `2.3%`, `2.3 percent`, `百分之2.3`          | `12.5`; `7 pm`; `2.3 %` |
| `-5`, `minus 5`; `+5`; `< 5`; `> 5`                                    | `-5`; `5`; `less than 5`; `more than 5` |
| `3-7`, `3 to 7` (years from 1990 to 1995 stay apart)                   | `3~7`             |
| `one of them`, `no one`, `四川` (no number, or part of a name)          | as it is          |
"""

import re
from collections.abc import Sequence
from decimal import Decimal, localcontext

import polars as pl

from adjudge.text.folding import change_where, replace_each, single_spaces
from adjudge.text.toml_files import packaged

MONTH, DAY, POINT, MINUS, RANGE = "\x01", "\x02", "\x03", "\x06", "\x07"
"""Marks: before a month, before a day of a month, the decimal point, the sign of a number, and within a range."""

HAS_FIGURES = rf"[0-9{MONTH}]"
"""A pattern found in the words of a text with a number or date, after processing by this module."""


def figures(folded: pl.Series) -> pl.Series:
    r"""Folded texts with dates and numbers in digits by value, and without the numbers of list items: `1. ...`.

    >>> figures(pl.Series(["on july 4th, 1,000.50 of 2015-12-11"])).item().split()
    ['on', '\x017', '\x024', ',', '1000\x035', 'of', '2015', '\x0112', '\x0211']
    """
    texts = change_where(folded, folded.str.contains(_ITEM), lambda text: text.str.replace_all(_ITEM, "$tail"))
    texts = change_where(texts, texts.str.contains("[0-9]"), _signs_and_ranges)
    texts = change_where(texts, texts.str.contains_any(_MONTHS), lambda text: _dates(text, *_ENGLISH_DATE))
    return change_where(texts, texts.str.contains("[0-9]"), lambda text: replace_each(text, _REPLACED["numerals"]))


def _signs_and_ranges(text: pl.Series) -> pl.Series:
    return replace_each(_dates(replace_each(text, _REPLACED["signs"]), *_NUMERIC_DATE), _REPLACED["ranges"])


def _dates(text: pl.Series, pattern: str, parts: str) -> pl.Series:
    """Dates by their parts: months and days without leading zeros, and no mark for a missing part."""
    dated = text.str.replace_all(pattern, parts).str.replace_many(_MONTH_NUMBERS)
    return dated.str.replace_all(rf"([{MONTH}{DAY}])0?([0-9]*)", "$1$2").str.replace_all(rf"[{MONTH}{DAY}] ", " ")


def numbers_in_words(words: pl.Series) -> pl.Series:
    """The words of texts with each number that is wholly or partly written in words in digits.

    Each distinct number is parsed once. A single Chinese numeral counts before a measure word (`三个`).

    >>> numbers_in_words(pl.Series([" twenty three of 2 million ", " 一百零五人 10 万 "])).to_list()
    [' 23 of 2000000 ', ' 105 人 100000 ']
    """
    return change_where(words, words.str.contains_any(_HINTS), _with_digits)


def _with_digits(words: pl.Series) -> pl.Series:
    # Two numbers may share a space, so the spaces are doubled, and each word takes its own.
    doubled = words.str.replace_all(" ", "  ", literal=True)
    phrases = doubled.str.extract_all(_PHRASE).list.explode(empty_as_null=False).unique().drop_nulls()
    # The longest comes first, since the first match is taken; non-numbers block the number within them.
    table = {phrase: _read(phrase) for phrase in sorted(phrases, key=lambda each: (-len(each), each))}
    return single_spaces(doubled.str.replace_many(table, leftmost=True) if table else doubled)


def _read(phrase: str) -> str:
    """The phrase with its numbers in digits and all else unchanged."""
    with localcontext(prec=_DIGITS * len(phrase)):
        chinese = re.fullmatch(_CHINESE, phrase)
        if chinese:
            numerals = [*filter(None, [chinese["number"]]), *chinese["numerals"]]
            plain = not _SCALES.keys() & {*numerals}
            digits = "".join(str(_NUMBERS[letter]) for letter in numerals) if plain else _digits(_value(numerals))
            return f" {digits} {chinese['counted'] or ''}"
        run = phrase.split()
        return phrase if set(run) & _NO_NUMBER else f" {re.sub(_NUMBER, _in_digits, ' '.join(run))} "


def _in_digits(number: re.Match[str]) -> str:
    """A number in words in digits; an ordinal ends in `th`."""
    words = number[0].split()
    return _digits(_value(words)) + ("th" if words[-1] in _ORDINALS else "")


def _value(words: Sequence[str]) -> Decimal:
    """The value of a number, word by word: the part before its largest scale times that, plus the part after."""
    largest = max(words, key=lambda word: _SCALES.get(word, 0), default="")
    if largest not in _SCALES:
        values = (_NUMBERS.get(word, word.replace(POINT, ".")) for word in words if word != "and")
        return sum(map(Decimal, values), Decimal(0))
    place = len(words) - 1 - [*reversed(words)].index(largest)
    return (_value(words[:place]) if place else 1) * _SCALES[largest] + _value(words[place + 1 :])


def _digits(value: Decimal) -> str:
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", POINT)


def without_notes(texts: pl.Series, pattern: str) -> pl.Series:
    """Texts without the numbers of notes, citations and sources that a pattern (`NOTES`, `GLUED`) finds.

    >>> without_notes(pl.Series(["Fleet\u2076, in 1971\u00b9\u2070, 5 km\u00b2 [3][4]."]), NOTES).item()
    'Fleet, in 1971, 5 km².'
    >>> without_notes(pl.Series(["by fleet1, of maryland.3", "in 19711.", "19711 men, h2o of g20"]), GLUED).to_list()
    ['by fleet, of maryland.', 'in 1971.', '19711 men, h2o of g20']
    """
    return change_where(texts, texts.str.contains(pattern), lambda text: text.str.replace_all(pattern, "${1}${2}${3}"))


def _expanded(pattern: str) -> str:
    """A pattern with its parts."""
    while (full := re.sub("(?<!P)<([a-z]+)>", lambda match: _PARTS[match[1]], pattern)) != pattern:
        pattern = full
    return pattern


def _date(patterns: list[str]) -> tuple[str, str]:
    """One pattern for all of them, with unnamed groups, and its replacement: year, month, day, in this order.

    An unmatched group is empty: a mark that then stands alone means a missing month or day.
    """
    named = _expanded("|".join(patterns))
    groups = list(enumerate(re.findall(r"\?P<([ymd])>", named), start=1))
    year, month, day = ("".join(f"${{{place}}}" for place, part in groups if part == letter) for letter in "ymd")
    return re.sub(r"\?P<[ymd]>", "", named), f" {year} {MONTH}{month} {DAY}{day} "


_DIGITS = 16
"""More digits than any word or letter adds to a number."""
_DATA = packaged(__package__, "values.toml")
_UNITS, _FIRSTS, _TENS, _MONTHS = (_DATA["words"][name] for name in ("units", "ordinals", "tens", "months"))
_ORDINALS = {*_FIRSTS, *(f"{word[:-1]}ieth" for word in _TENS)}
_ENGLISH = {word: value for words in (_UNITS, _FIRSTS) for value, word in enumerate(words)}
_ENGLISH |= {form: 10 * tens for tens, word in enumerate(_TENS, start=2) for form in (word, f"{word[:-1]}ieth")}
_NUMBERS = _ENGLISH | {letter: value for value, letter in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS = _DATA["scales"] | {"hundred": 2, "十": 1, "百": 2, "千": 3, "万": 4, "亿": 8}
_SCALES = {word: Decimal(10**power) for word, power in _POWERS.items()}
_HINTS = [f" {word} " if word.isascii() else word for word in (*_NUMBERS, *_SCALES)]
_BEFORE_ONE, _AFTER_ONE = _DATA["words"]["before_one"], _DATA["words"]["after_one"]
_NO_NUMBER = {*_BEFORE_ONE, *_AFTER_ONE}
_MONTH_NUMBERS = {MONTH + name: MONTH + str(number) for number, name in enumerate(_MONTHS, start=1)}
_PARTS = _DATA["parts"] | {"point": POINT, "minus": MINUS, "range": RANGE, "scale": "|".join(_DATA["scales"])}
_PARTS["small"], _PARTS["ten"] = "|".join(sorted(_ENGLISH, key=len, reverse=True)), "|".join(_TENS)
_PARTS["unit"] = "|".join((*_UNITS[1:10], *_FIRSTS[1:10]))
# Non-numbers come first, so that the number in them is not parsed.
_PARTS["ones"] = "|".join([*(f" {word}  one " for word in _BEFORE_ONE), *(f" one  {word} " for word in _AFTER_ONE)])
_ITEM, _CHINESE, _PHRASE, _NUMBER = (_expanded(f"<{name}>") for name in ("item", "chinese", "phrase", "number"))
_ENGLISH_DATE, _NUMERIC_DATE = (_date(_DATA["dates"][name]) for name in ("english", "numeric"))
_REPLACED = {name: [[*map(_expanded, pair)] for pair in pairs] for name, pairs in _DATA["replaced"].items()}
NOTES = _expanded("<notes>")
"""Superscript numbers after words, years and signs; citations such as `[3]`, `[^1^]`, `【3†source】`; `document 3`."""
GLUED = _expanded("<glued>")
"""Numbers of notes attached to words, to years and to the ends of sentences of folded texts.

They may also be parts of names and numbers, such as `windows10`, which only a list of these can distinguish.
"""
