"""Folding of texts: spellings that differ only in case and form of letters become the same text.

Both steps work on a column of texts; a missing text stays missing.

`fold` keeps the punctuation: Unicode NFKC, lower case, no accents on Latin letters, straight quotes, plain dashes, no
marks of Markdown, no control characters; misread UTF-8 (as Western European text) is repaired. White
space becomes one space, and white space with a line break one line break.

`words` keeps the words of a folded text, with one space before, between and after them, and no punctuation, so that
a text contains a phrase exactly if the words of the one contain the words of the other: `" paris "` in
`" it is paris "`, but not in `" comparison "`. Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces
between words: their letters form one word, and `unbound` removes the space from such an edge of a phrase,
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

`fold` never returns the characters U+0001 to U+0008 and U+000E to U+001B, and `words` treats them as letters:
other modules use them as marks (see `values`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType

import polars as pl

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Letters of scripts without spaces between words, as the inside of a character class."""


def fold(texts: pl.Series) -> pl.Series:
    r"""Texts normalized: case, accents, forms of letters, quotes, dashes, Markdown and white space folded.

    >>> fold(pl.Series(["It’s **Pog\u0061\u030c**\tＡ１ — `x`\n\n"])).item()
    "it's poga a1 - x"
    """
    misread = contains_where(texts, _beyond_ascii(texts), MISREAD)
    texts, _ = lower_case(change_where(texts, misread, lambda text: text.str.replace_many(MEANT, leftmost=True)))
    for pattern, change in _FOLDS:
        texts = change_where(texts, texts.str.contains(pattern), change)
    return texts.str.strip_chars(" \n")


def lower_case(texts: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Texts in lower case, and which of them have letters or signs beyond ASCII and usual Chinese and Japanese text.

    Lower case is slow beyond ASCII, so texts that would not change are skipped.
    """
    beyond_ascii = _beyond_ascii(texts)
    beyond = contains_where(texts, beyond_ascii, _BEYOND)
    return change_where(texts, beyond | ~beyond_ascii, lambda text: text.str.to_lowercase()), beyond


def words(folded: pl.Series, marks: Mapping[str, str] = MappingProxyType({})) -> pl.Series:
    """The words of folded texts: one space before, between and after them, and around runs of unspaced scripts.

    marks: replacements of some signs, before punctuation is removed.

    >>> words(pl.Series(["so, it's paris.", "在巴 黎, 1900年", "..."])).to_list()
    [' so it s paris ', ' 在巴黎 1900 年 ', ' ']
    """
    # The first matching sign wins.
    signs = {**marks, **{sign: " " for sign in _PUNCTUATION if sign not in marks}}
    plain = (" " + folded + " ").str.replace_many(signs, leftmost=True)
    return single_spaces(change_where(plain, contains_where(plain, _beyond_ascii(plain), _NO_RUNS), _runs))


def _runs(text: pl.Series) -> pl.Series:
    """Texts of only letters and digits, with a space around each run of letters of unspaced scripts."""
    text = text.str.replace_all(f"{_NO_LETTER}+", " ")
    text = text.str.replace_all(f"[{UNSPACED}]+", " ${0} ")
    for _ in range(2):  # two gaps may share a letter
        text = text.str.replace_all(rf"([{UNSPACED}]) +([{UNSPACED}])", "$1$2")
    return text


def unbound(words: pl.Expr) -> pl.Expr:
    """The words of a phrase without the space at an edge that is a letter of an unspaced script."""
    return words.str.replace(f"^ ([{UNSPACED}])", "${1}").str.replace(f"([{UNSPACED}]) $", "${1}")


def single_spaces(text: pl.Series) -> pl.Series:
    """Runs of spaces replaced by one space."""
    return text.str.replace_all(" {2,}", " ")


def contains_where(texts: pl.Series, where: pl.Series, pattern: str) -> pl.Series:
    """Whether texts contain a pattern, computed only for those for which `where` is true."""
    rows = where.fill_null(value=False)
    return rows.clone().scatter(rows.arg_true(), texts.filter(rows).str.contains(pattern))


def change_where(texts: pl.Series, where: pl.Series, change: Callable[[pl.Series], pl.Series]) -> pl.Series:
    """The texts, those for which `where` is true changed."""
    rows = where.fill_null(value=False)
    if not rows.any():
        return texts
    # A copy, since scatter changes the series that it is called on.
    return texts.clone().scatter(rows.arg_true(), change(texts.filter(rows)))


def replace_each(text: pl.Series, pairs: Iterable[Sequence[str]]) -> pl.Series:
    """The texts after replacing each pair's pattern by its replacement, in order."""
    return reduce(lambda changed, pair: changed.str.replace_all(*pair), pairs, text)


def _composed(text: pl.Series) -> pl.Series:
    """Unicode NFKC, without combining marks above Latin letters."""
    apart = text.str.normalize("NFKD").str.replace_all(r"([a-z])[\u{300}-\u{36f}]+", "$1")
    return apart.str.normalize("NFKC").str.to_lowercase().str.replace_many(_PLAIN, leftmost=True)


def _beyond_ascii(texts: pl.Series) -> pl.Series:
    return texts.str.len_bytes() != texts.str.len_chars()


def _plain_letters() -> dict[str, str]:
    """Replacements by plain characters: full-width ASCII, quotes, dashes, spaces, marks of Markdown.

    Emphasis around a whole word is removed; a single sign may also separate words, and becomes a space.
    """
    table = {chr(0xFEE0 + code): chr(code).lower() for code in range(0x21, 0x7F)}
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
# "c++" is a name, and so is "c#"; elsewhere the signs are removed.
_PUNCTUATION = [chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum() and chr(code) not in "%+#"] + ["\n"]
# All characters that the table may change.
_NOT_PLAIN = r"[^\n !\"$-)+-^a-}]"
# Characters that are not part of words, and runs of unspaced scripts that lack a space around or have one within.
_NO_LETTER = rf"[^\p{{L}}\p{{M}}\p{{N}}{_KEPT}‰\x00-\x7f]"
_NO_RUNS = f"{_NO_LETTER}|[{UNSPACED}] +[{UNSPACED}]|[{UNSPACED}][^{UNSPACED} ]|[^{UNSPACED} ][{UNSPACED}]"
# Characters that lower case or NFKC may change, white space beyond ASCII, and more.
_BEYOND = r"[^\x00-@\[-\x7f·“”‘’—–…、。《》\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}\u{ff01}-\u{ff20}]"
# Neither ASCII nor folded by the table nor certainly unchanged by NFKC.
_UNUSUAL = r"[^\x00-\x7f·、。《》\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}]"

# Changes made if a pattern is found, in this order. NFKC is slow, and few texts still need it then. Links
# of Markdown lose the address, which may contain words.
_FOLDS: tuple[tuple[str, Callable[[pl.Series], pl.Series]], ...] = (
    (r"\]\(", lambda text: text.str.replace_all(r"\]\([^()\s]*\)", "]")),
    (_NOT_PLAIN, lambda text: text.str.replace_many(_PLAIN, leftmost=True)),
    (_UNUSUAL, _composed),
    ("\n", lambda text: text.str.replace_all(r" *\n[ \n]*", "\n")),
    ("  ", single_spaces),
)

_LETTERS = [*range(0xA0, 0x180), *range(0x2010, 0x2027), 0x2032, 0x2033, 0x20AC, 0x2122, 0x2212]
_BYTES = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
"""Misread bytes; those undefined in cp1252 stay control characters."""
_READ = {"".join(_BYTES[byte] for byte in chr(code).encode()): chr(code) for code in _LETTERS}
MEANT = {read: letter for read, letter in _READ.items() if read[1:] not in tuple("‘’“”")}
"""Misread text -> intended text. Quotes may correctly follow a capital letter: `IRMÃ”`."""
MISREAD = "[ÂÃÄÅ][^a-zA-Z0-9 ]|â[^a-zA-Z0-9 ]{2}"
"""A pattern that all texts with misread characters contain."""
