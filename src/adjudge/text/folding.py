"""Folding of texts: what is written alike but for its letters' case and form becomes the same text.

Two steps, both over a column of texts; a missing text stays missing.

`fold` keeps the punctuation: Unicode NFKC, lower case, no accents on Latin letters, straight quotes, plain dashes, no
marks of Markdown, no control characters; UTF-8 that was read as Western European text is read as it was meant. White
space becomes one space, and what holds a line break one line break.

`words` takes a folded text and leaves its words, with one space before, between and behind, and no punctuation, so that
a phrase stands in a text exactly where the words of the one hold the words of the other: `" paris "` in
`" it is paris "`, but not in `" comparison "`. Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces
between words: their letters stand together like one word, and `unbound` takes the space from such an edge of a phrase,
so that it is found within.

| Text             | `fold`          | `words`             |
|------------------|-----------------|---------------------|
| `It’s **Paris**` | `it's paris`    | `␣it␣s␣paris␣`      |
| `Tadej Pogačar`  | `tadej pogacar` | `␣tadej␣pogacar␣`   |
| `J·K·罗琳`       | `j·k·罗琳`      | `␣j␣k␣罗琳␣`        |
| `詹姆斯 · 卡梅隆`  | `詹姆斯 · 卡梅隆` | `␣詹姆斯卡梅隆␣`      |
| `10â€“12`       | `10-12`         | `␣10␣12␣`           |
| `骁龙８４５`      | `骁龙845`       | `␣骁龙␣845␣`        |
| `2.3%`           | `2.3%`          | `␣2␣3%␣`            |

The characters U+0001 to U+0008 and U+000E to U+001B never come out of `fold` and pass through `words` as letters do:
other modules mark with them what they found (see `values`).
"""

import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

import polars as pl

Texts = TypeVar("Texts", pl.Series, pl.Expr)

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Letters of scripts without spaces between words, as the inside of a character class."""


def fold(texts: pl.Series) -> pl.Series:
    r"""Texts by what they say: case, accents, forms of letters, quotes, dashes, Markdown and white space folded.

    >>> fold(pl.Series(["It’s **Pog\u0061\u030c**\tＡ１ — `x`\n\n"])).item()
    "it's poga a1 - x"
    """
    texts, beyond = lower_case(_reread(texts))
    texts = _plain_signs(_unlinked(texts))
    # NFKC is slow, and what is left unusual is rare: it is asked for where something is.
    texts = change_where(texts, contains_where(texts, beyond, _UNUSUAL), _composed)
    broken = texts.str.contains("\n", literal=True)
    texts = change_where(texts, broken, lambda text: text.str.replace_all(r" *\n[ \n]*", "\n"))
    texts = change_where(texts, texts.str.contains("  ", literal=True), single_spaces)
    return texts.str.strip_chars(" \n")


def lower_case(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Texts in lower case, and which of them hold letters or signs beyond ASCII and usual Chinese and Japanese text.

    Lower case is slow beyond ASCII: it is not asked for where nothing would change.
    """
    beyond_ascii = _beyond_ascii(texts)
    beyond = contains_where(texts, beyond_ascii, _BEYOND)
    return change_where(texts, beyond | ~beyond_ascii, lambda text: text.str.to_lowercase()), beyond


def words(folded: pl.Series, marks: Mapping[str, str] = MappingProxyType({})) -> pl.Series:
    """The words of folded texts: one space before, between and behind them, and around runs of unspaced scripts.

    marks: what stands for some signs, before punctuation falls.

    >>> words(pl.Series(["so, it's paris.", "在巴 黎, 1900年", "..."])).to_list()
    [' so it s paris ', ' 在巴黎 1900 年 ', ' ']
    """
    # Of the signs that fit, the first is taken.
    signs = {**marks, **{sign: " " for sign in _PUNCTUATION if sign not in marks}}
    plain = (" " + folded + " ").str.replace_many(signs, leftmost=True)
    return single_spaces(change_where(plain, contains_where(plain, _beyond_ascii(plain), _NO_RUNS), _runs))


def _runs(text: pl.Series) -> pl.Series:
    """Texts of nothing but letters and digits, with a space around each run of letters of unspaced scripts."""
    text = text.str.replace_all(f"{_NO_LETTER}+", " ")
    text = text.str.replace_all(rf"([{UNSPACED}])([^{UNSPACED} ])", "$1 $2")
    text = text.str.replace_all(rf"([^{UNSPACED} ])([{UNSPACED}])", "$1 $2")
    for _ in range(2):  # two gaps may share a letter
        text = text.str.replace_all(rf"([{UNSPACED}]) +([{UNSPACED}])", "$1$2")
    return text


def unbound(words: pl.Expr) -> pl.Expr:
    """The words of a phrase without the space at an edge that is a letter of an unspaced script."""
    return words.str.replace(f"^ ([{UNSPACED}])", "${1}").str.replace(f"([{UNSPACED}]) $", "${1}")


def single_spaces(text: Texts) -> Texts:
    """One space for each run of them. Twice letter by letter, which is fast; the pattern is left the rare long runs."""
    text = text.str.replace_all("  ", " ", literal=True).str.replace_all("  ", " ", literal=True)
    return text.str.replace_all(" {2,}", " ")


def contains_where(texts: pl.Series, where: pl.Series, pattern: str) -> pl.Series:
    """Whether `where` is true of the texts, and they hold a pattern, which is asked of no others."""
    rows = where.fill_null(value=False)
    return rows.clone().scatter(rows.arg_true(), texts.filter(rows).str.contains(pattern))


def change_where(texts: pl.Series, where: pl.Series, change: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """The texts, those for which `where` is true changed."""
    rows = where.fill_null(value=False)
    if not rows.any():
        return texts
    new = change(texts.filter(rows))
    return texts.clone().scatter(rows.arg_true(), new)  # scatter changes the series that it is called on


def _reread(texts: pl.Series) -> pl.Series:
    """Texts with the letters that were meant where UTF-8 was read as Western European text."""
    misread = contains_where(texts, _beyond_ascii(texts), MISREAD)
    return change_where(texts, misread, lambda text: text.str.replace_many(MEANT, leftmost=True))


def _plain_signs(texts: pl.Series) -> pl.Series:
    unusual = texts.str.contains(_NOT_PLAIN)
    return change_where(texts, unusual, lambda text: text.str.replace_many(_PLAIN, leftmost=True))


def _unlinked(texts: pl.Series) -> pl.Series:
    """Links of Markdown without the address, in which there may be words."""
    linked = texts.str.contains("](", literal=True)
    return change_where(texts, linked, lambda text: text.str.replace_all(r"\]\([^()\s]*\)", "]"))


def _composed(text: pl.Series) -> pl.Series:
    """Unicode NFKC; what then still stands above a Latin letter falls."""
    normal = text.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"([a-z])[\u{300}-\u{36f}]+", "$1")
    return normal.str.replace_many(_PLAIN, leftmost=True)


def _beyond_ascii(texts: pl.Series) -> pl.Series:
    return texts.str.len_bytes() != texts.str.len_chars()


def _plain_letters() -> dict[str, str]:
    """What is not plain becomes: full-width ASCII, accented Latin letters, quotes, dashes, spaces, marks of Markdown.

    Emphasis around a whole word falls without a trace; a single sign may also stand between words, and is a space.
    """
    table = {chr(0xFEE0 + code): chr(code).lower() for code in range(0x21, 0x7F)}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = "".join(c for c in unicodedata.normalize("NFKD", chr(code)) if not unicodedata.combining(c)).lower()
        if base.isascii() and base.isalpha():
            table[chr(code)] = base
    table |= dict.fromkeys("‘’‚‛′ʼ´", "'") | dict.fromkeys("“”„‟″«»「」『』〝〞", '"')
    table |= dict.fromkeys("‐‑‒–—―−﹣", "-") | {"ß": "ss", "ς": "σ", "×": "x", "…": "..."}
    table |= dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0f", "")
    table |= {chr(code): " " for code in (*range(0x0A), *range(0x0B, 0x20), 0x7F, 0x85, 0xA0, 0x3000)}
    table |= {chr(code): " " for code in range(0x2000, 0x200B)} | dict.fromkeys("\u2028\u2029\u202f", " ")
    table |= {"**": "", "__": "", "~~": "", "`": "", "*": " ", "_": " ", "#": " ", "c#": "c#", "f#": "f#"}
    return table | {"\r\n": "\n", "\r": "\n", "\u2028": "\n", "\u2029": "\n"}


# Marks that other modules put into a folded text; they count as letters.
_KEPT = r"\x01-\x08\x0e-\x1b"
_PLAIN = _plain_letters()
# "c++" is a name, and so is "c#"; elsewhere the signs fall.
_PUNCTUATION = [chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum() and chr(code) not in "%+#"] + ["\n"]
# All that the table may change.
_NOT_PLAIN = r"[^\n !\"$-)+-^a-}]"
# What the words of a text do not consist of, and where runs of unspaced scripts have no space around or one within.
_NO_LETTER = rf"[^\p{{L}}\p{{M}}\p{{N}}{_KEPT}‰\x00-\x7f]"
_NO_RUNS = f"{_NO_LETTER}|[{UNSPACED}] +[{UNSPACED}]|[{UNSPACED}][^{UNSPACED} ]|[^{UNSPACED} ][{UNSPACED}]"
# What lower case or NFKC may change, white space beyond ASCII, and more.
_BEYOND = r"[^\x00-@\[-\x7f·“”‘’—–…、。《》\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}\u{ff01}-\u{ff20}]"
# Neither ASCII nor folded by the table nor left as it is by NFKC for sure.
_UNUSUAL = r"[^\x00-\x7f·、。《》\u{df}-\u{24f}\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}]"


_LETTERS = [*range(0xA0, 0x180), *range(0x2010, 0x2027), 0x2032, 0x2033, 0x20AC, 0x2122, 0x2212]
_CLOSED = tuple("‘’“”")
"""Signs that may stand behind a capital letter as it is meant, at the end of a quotation: `IRMÃ”`."""


def _read(letter: str) -> str:
    """What becomes of a letter. Bytes that cp1252 leaves open stay control characters."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in letter.encode())


_READ = {_read(chr(code)): chr(code) for code in _LETTERS}
MEANT = {read: letter for read, letter in _READ.items() if read[1:] not in _CLOSED}
"""What was read -> what was meant."""
MISREAD = "[ÂÃÄÅ][^a-zA-Z0-9 ]|â[^a-zA-Z0-9 ]{2}"
"""A pattern that all texts with any of them hold."""
