"""Numbers and dates by value: what means the same number or day becomes the same words.

`figures` rewrites the dates and the numbers in digits of folded texts (see `folding.fold`), before words are taken;
`numbers_in_words` the numbers written in words, in the words of texts (see `folding.words`). Applied to an answer and
to a response alike, they make equal what has the same value, and the answer is found by its words.

A date becomes the words year, month, day, the latter two marked (here `m` and `d`, in truth U+0001 and U+0002). So a
year is found in any date of that year, a month in any day of it, and a day without a year in the same day of any year;
but no year answers for a day, and the 12 is found neither in December nor in a twelfth.

| Text                                                                   | Words             |
|------------------------------------------------------------------------|-------------------|
| `January 2, 2022`, `2 Jan. 2022`, `the 2nd of January 2022`            | `2022 m1 d2`      |
| `2022-01-02`, `2022/1/2`, `2022年1月2日`, `2022 年 1 月 2 号`           | `2022 m1 d2`      |
| `13/1/2022`, `1/13/2022` (one part can be no month)                    | `2022 m1 d13`     |
| `1/2/2022` (which is the month?): left as it is                        | `1 2 2022`        |
| `December 2015`, `Dec. 2015`, `2015年12月`, `2015-12`                   | `2015 m12`        |
| `July 4th`, `4 July`, `7月4日`                                         | `m7 d4`           |
| `1991年`, `1991`                                                       | `1991`            |
| `1,000`, `1000`, `1000.0`, `one thousand`, `1 thousand`, `一千`         | `1000`            |
| `$10.4 billion`, `$10.4bn`, `10,400,000,000`, `104亿`                   | `10400000000`     |
| `twenty-one`, `二十一`                                                 | `21`              |
| `12.50`, `12.5`                                                        | `12.5`, one word  |
| `7:00 pm`                                                              | `7 pm`            |
| `2.3%`, `2.3 percent`, `百分之2.3`                                      | `2.3 %`           |
| `one of them`, `no one`, `四川` (no number, or part of a name)          | as it is          |
"""

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext

import polars as pl

from adjudge.text.folding import change_where, single_spaces

MONTH, DAY, POINT = "\x01", "\x02", "\x03"
"""Marks: before a month, before a day of a month, and the point of a number with decimals."""

HAS_FIGURES = rf"[0-9{MONTH}]"
"""A pattern found in the words of a text that holds a number or date, once it has gone through this module."""


def figures(folded: pl.Series) -> pl.Series:
    r"""Folded texts with their dates and their numbers in digits by value.

    The numbers of sources and of items of lists fall: `... [3]`, `Document 3 says`, `1. ...`.

    >>> figures(pl.Series(["on july 4th, 1,000.50 of 2015-12-11"])).item().split()
    ['on', '\x017', '\x024', ',', '1000\x035', 'of', '2015', '\x0112', '\x0211']
    """
    texts = change_where(folded, folded.str.contains(_ITEM), lambda text: text.str.replace_all(_ITEM, "$tail"))
    texts = unsourced(texts)
    texts = change_where(texts, texts.str.contains_any(_MONTHS), _english_dates)
    return change_where(texts, texts.str.contains("[0-9]"), lambda text: _numbers(_numeric_dates(text)))


def _english_dates(text: pl.Series) -> pl.Series:
    return _stripped(text.str.replace_all(_ENGLISH_DATE, _ENGLISH_PARTS).str.replace_many(_MONTH_NUMBERS))


def _numeric_dates(text: pl.Series) -> pl.Series:
    return _stripped(text.str.replace_all(_NUMERIC_DATE, _NUMERIC_PARTS))


def _stripped(dated: pl.Series) -> pl.Series:
    """Months and days without a zero before them, and no mark for one that is not said."""
    return dated.str.replace_all(rf"([{MONTH}{DAY}])0?([0-9]*)", "$1$2").str.replace_all(rf"[{MONTH}{DAY}] ", " ")


def _numbers(text: pl.Series) -> pl.Series:
    grouped = r"([0-9]),([0-9]{3}(?:[0-9]{3})*(?-u:\b))"
    text = text.str.replace_all(grouped, "$1$2").str.replace_all(grouped, "$1$2")
    text = text.str.replace_all(r"([0-9]):00( ?[ap]\.? ?m(?-u:\b))", "$1$2")
    text = text.str.replace_all(r"([0-9])\.0+(?-u:\b)", "$1").str.replace_all(r"([0-9]\.[0-9]*?[1-9])0+(?-u:\b)", "$1")
    text = text.str.replace_all(r"([0-9])\.([0-9])", f"${{1}}{POINT}$2")
    text = text.str.replace_all(r"百分之([0-9\x03]+)", "$1%")
    text = text.str.replace_all(r"([0-9])( ?per ?cent(?-u:\b)|%)", "$1 % ")
    return text.str.replace_all("‰", " ‰ ", literal=True).str.replace_all(r"([0-9])(bn|mn|tn)(?-u:\b)", "$1 $2")


def numbers_in_words(words: pl.Series) -> pl.Series:
    """The words of texts with each number that is written in words, wholly or in part, in digits.

    Each distinct number is read once. A single Chinese numeral counts before a word that counts things (`三个`).

    >>> numbers_in_words(pl.Series([" twenty three of 2 million ", " 一百零五人 10 万 "])).to_list()
    [' 23 of 2000000 ', ' 105 人 100000 ']
    """
    return change_where(words, words.str.contains_any(_HINTS), _with_digits)


def _with_digits(words: pl.Series) -> pl.Series:
    # Two numbers may share a space, so the spaces are doubled, and each word takes its own.
    doubled = words.str.replace_all(" ", "  ", literal=True)
    phrases = doubled.str.extract_all(_PHRASE).list.explode(empty_as_null=False).unique().drop_nulls()
    # The longest stands first, for the first that fits is taken; what is no number bars the number within it.
    table = {phrase: _read(phrase) for phrase in sorted(phrases, key=lambda each: (-len(each), each))}
    return single_spaces(doubled.str.replace_many(table, leftmost=True) if table else doubled)


def _read(phrase: str) -> str:
    """What stands for the phrase: its numbers in digits, whatever else there is as it was."""
    with localcontext(prec=_DIGITS * len(phrase)):
        if re.search(_HAN_NUMERAL, phrase):
            return _read_chinese(phrase)
        run = phrase.split()
        return phrase if set(run) & _NO_NUMBER else f" {_read_english(run)} "


def _read_english(run: list[str]) -> str:
    """The numbers in a run of words. Where two cannot be one number (`two three`), the second begins anew."""
    out: list[str] = []
    number = _Number()
    for word in run:
        if number.take(word):
            continue
        out += [*number.digits(), *(["and"] if word == "and" else [])]
        number = _Number()
        number.take(word)
    return " ".join([*out, *number.digits()])


@dataclass(slots=True)
class _Number:
    """A number read word by word: `total`, up to the last million or thousand, and the `part` that follows it.

    room: what is added to the part must be smaller. scale: the last million or thousand; the next must be smaller.
    """

    total: Decimal = Decimal(0)
    part: Decimal | None = None
    room: int = 0
    scale: Decimal = Decimal("Infinity")

    def take(self, word: str) -> bool:
        """Add a word to the number, if it can go on so."""
        if word == "and":
            return self.room == _HUNDRED or (self.part is None and self.total > 0)
        if word in _SCALES:
            return self._multiply(_SCALES[word])
        if word == "hundred":
            fits = self.part is None or self.part < _HUNDRED
            if fits:
                self.part, self.room = (Decimal(1) if self.part is None else self.part) * _HUNDRED, _HUNDRED
            return fits
        value = Decimal(_NUMBERS[word] if word in _NUMBERS else word.replace(POINT, "."))
        if self.part is not None and not value < self.room:
            return False
        self.part, self.room = (self.part or 0) + value, 10 if word in _TENS else 0
        return True

    def digits(self) -> list[str]:
        """The number in digits; nothing where no word was taken."""
        return [_digits(self.total + (self.part or 0))] if self.part is not None or self.total else []

    def _multiply(self, scale: Decimal) -> bool:
        if scale >= self.scale:
            return False
        self.total += (1 if self.part is None else self.part) * scale
        self.part, self.room, self.scale = None, 0, scale
        return True


def _read_chinese(phrase: str) -> str:
    """A run of Chinese numerals, or digits and 万 or 亿, maybe with the word for what is counted."""
    match = re.fullmatch(_CHINESE, phrase)
    if match is None:
        return phrase
    figures, numerals, counted = match["figures"], match["numerals"], match["counted"] or ""
    if figures:
        value = Decimal(figures.replace(POINT, "."))
        for letter in numerals:
            value *= _HAN_SCALES[letter]
        read = _digits(value)
    elif all(letter in _HAN_DIGITS for letter in numerals):
        read = "".join(str(_HAN_DIGITS[letter]) for letter in numerals)
    else:
        read = _digits(_han_value(numerals))
    return f" {read} {counted}"


def _han_value(numerals: str) -> Decimal:
    """The value of numerals: digits times ten, hundred, thousand; their sum times 万; all so far times 亿."""
    total = section = digit = Decimal(0)
    for letter in numerals:
        if letter in _HAN_DIGITS:
            digit = Decimal(_HAN_DIGITS[letter])
        elif letter in "万亿":
            section += digit
            if letter == "亿":
                total, section = Decimal(0), total + section
            total += (section or Decimal(1)) * _HAN_SCALES[letter]
            section = digit = Decimal(0)
        else:
            section, digit = section + (digit or Decimal(1)) * _HAN_SCALES[letter], Decimal(0)
    return total + section + digit


def _digits(value: Decimal) -> str:
    text = format(value, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", POINT)


_HUNDRED = 100
_DIGITS = 16
"""More than any word or letter adds to a number."""
_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: value for value, word in enumerate(_UNITS)}
_NUMBERS |= {word: 10 * tens for tens, word in enumerate(_TENS, start=2)}
_POWERS = {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12, "tn": 12}
_SCALES = {word: Decimal(10**power) for word, power in _POWERS.items()}
_HAN_DIGITS = {letter: value for value, letter in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_HAN_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_COUNTED = "[个名位人年月日次届级岁天场部支块种座条元倍枚所家队集季]"
_CHINESE = rf" *(?:(?P<figures>[0-9]+(?:{POINT}[0-9]+)?) +)?(?P<numerals>{_HAN_NUMERAL}+)(?P<counted>{_COUNTED})?"

# The words that are no number stand first, so that the number in them is not read.
_WORD = "(?:" + "|".join((*_UNITS, *_TENS, *_SCALES, "hundred")) + ")"
_NOT_ONE_BEFORE = "(?:no|any|every|some|each|the|this|that|which|another|first|last|only|number)"
_NOT_ONE_AFTER = "(?:of|another|day|or|can|should|must|who|that|could|would|might|may)"
_NO_NUMBER = {*re.findall("[a-z]+", _NOT_ONE_BEFORE), *re.findall("[a-z]+", _NOT_ONE_AFTER)}
_PHRASE = (
    rf" {_NOT_ONE_BEFORE}  one | one  {_NOT_ONE_AFTER} "
    rf"| (?:[0-9]+(?:{POINT}[0-9]+)?  )?{_WORD}(?:  (?:and  )?{_WORD})* "
    rf"| [0-9]+(?:{POINT}[0-9]+)?  [千百万亿]+|{_HAN_NUMERAL}{{2,}}|[一二两三四五六七八九十]{_COUNTED}"
)
_HINTS = [*(f" {word} " for word in (*_UNITS, *_TENS, *_SCALES, "hundred")), *"零〇一二两三四五六七八九十百千万亿"]

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH_NUMBERS = {MONTH + name: MONTH + str(number) for number, name in enumerate(_MONTHS, start=1)}
_EDGE = r"(?-u:\b)"
_GAP = r"[ ,.\-/]{0,3}"
_Y = "[12][0-9]{3}"
_D = "(?:[12][0-9]|3[01]|0?[1-9])"
_M = "(?:1[0-2]|0?[1-9])"
_ORDINAL = "(?:st|nd|rd|th)?"
_TWELVE = f"(?P<m>{'|'.join(_MONTHS)})(?:r?uary|ch|il|e|y|ust|t?ember|t|ober)?"
_ENGLISH = (
    f"{_EDGE}{_TWELVE}{_GAP}(?:the )?(?P<d>{_D}){_ORDINAL}{_GAP}(?:of )?(?P<y>{_Y}){_EDGE}",
    f"{_EDGE}(?P<d>{_D}){_ORDINAL}{_GAP}(?:day )?(?:of )?{_TWELVE}{_GAP}(?:of )?(?P<y>{_Y}){_EDGE}",
    f"{_EDGE}{_TWELVE}{_GAP}(?:of )?(?P<y>{_Y}){_EDGE}",
    f"{_EDGE}{_TWELVE}{_GAP}(?:the )?(?P<d>{_D}){_ORDINAL}{_EDGE}",
    f"{_EDGE}(?P<d>{_D}){_ORDINAL}{_GAP}(?:day )?(?:of )?{_TWELVE}{_EDGE}",
    f"{_EDGE}(?P<m>jan|feb)r?uary{_EDGE}",
    f"{_EDGE}(?:(?P<m>apr)il|(?P<m>jun)e|(?P<m>jul)y|(?P<m>aug)ust|(?P<m>oct)ober){_EDGE}",
    f"{_EDGE}(?P<m>sep|nov|dec)t?ember{_EDGE}",
)
_NUMERIC = (
    f"(?P<y>{_Y}) ?[-/.年] ?(?P<m>{_M}) ?[-/.月] ?(?P<d>{_D})(?: ?[日号]|{_EDGE})",
    f"(?P<y>{_Y}) ?年 ?(?P<m>{_M}) ?月",
    f"{_EDGE}(?P<y>{_Y})-(?P<m>0[1-9]|1[0-2]){_EDGE}",
    f"(?P<m>{_M}) ?月 ?(?P<d>{_D}) ?[日号]",
    f"{_EDGE}(?P<d>1[3-9]|2[0-9]|3[01])[-/.](?P<m>{_M})[-/.](?P<y>{_Y}){_EDGE}",
    f"{_EDGE}(?P<m>{_M})[-/.](?P<d>1[3-9]|2[0-9]|3[01])[-/.](?P<y>{_Y}){_EDGE}",
    f"(?P<y>{_Y}) ?年",
)


def _alternatives(patterns: tuple[str, ...]) -> tuple[str, str]:
    """One pattern of them all, with unnamed groups, and what stands for it: year, month, day, in this order.

    A group that took no part is empty: a mark that stands alone afterwards says that there is no month or no day.
    """
    named = "|".join(patterns)
    groups = list(enumerate(re.findall(r"\?P<([ymd])>", named), start=1))
    year, month, day = ("".join(f"${{{place}}}" for place, part in groups if part == letter) for letter in "ymd")
    return re.sub(r"\?P<[ymd]>", "", named), f" {year} {MONTH}{month} {DAY}{day} "


_ENGLISH_DATE, _ENGLISH_PARTS = _alternatives(_ENGLISH)
_NUMERIC_DATE, _NUMERIC_PARTS = _alternatives(_NUMERIC)
_ITEM = r"(?m:^)[0-9]{1,2}[.)] (?P<tail>[^0-9\s])"


# --- numbers of notes, citations and sources ---


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
