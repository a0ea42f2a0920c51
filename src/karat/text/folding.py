"""Folding of texts: what is written alike but for its letters' case and form becomes the same text.

Two steps, both polars expressions over a column of text; a missing text stays missing.

`fold` keeps the punctuation: Unicode NFKC, lower case, no accents on Latin letters, straight quotes, plain dashes, no
marks of Markdown, no control characters. White space becomes one space, and what holds a line break one line break.

`words` takes a folded text and leaves its words, with one space before, between and behind, and no punctuation, so that
a phrase stands in a text exactly where the words of the one hold the words of the other: `" paris "` in
`" it is paris "`, but not in `" comparison "`. Chinese, Japanese, Thai, Lao, Khmer and Burmese put no spaces
between words: their letters stand together, and neither before nor behind one of them is a space asked for.

| Text             | `fold`          | `words`             |
|------------------|-----------------|---------------------|
| `It’s **Paris**` | `it's paris`    | `␣it␣s␣paris␣`      |
| `Tadej Pogačar`  | `tadej pogacar` | `␣tadej␣pogacar␣`   |
| `J·K·罗琳`       | `j·k·罗琳`      | `␣j␣k␣罗琳`         |
| `詹姆斯 · 卡梅隆`  | `詹姆斯 · 卡梅隆` | `詹姆斯卡梅隆`        |
| `骁龙８４５`      | `骁龙845`       | `骁龙␣845␣`         |
| `2.3%`           | `2.3%`          | `␣2␣3␣%␣`           |

The characters U+0001 to U+0008 and U+000E to U+001B never come out of `fold` and pass through `words` as letters do:
other modules mark with them what they found (see `values`).
"""

import unicodedata

import polars as pl

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Letters of scripts without spaces between words, as the inside of a character class."""


def fold(text: pl.Expr) -> pl.Expr:
    """A text by what it says: case, accents, forms of letters, quotes, dashes, Markdown and white space folded.

    >>> pl.DataFrame({"text": ["It’s **Pog\\u0061\\u030c**\\tＡ１ — `x`\\n\\n"]}).select(fold(pl.col("text"))).item()
    "it's poga a1 - x"
    """
    plain = _plain(_unlinked(text.str.to_lowercase()))
    # NFKC is slow, and what is left unusual is rare: it is asked for where something is.
    other = pl.when(plain.str.len_bytes() != plain.str.len_chars()).then(plain)
    odd = pl.when(other.str.contains(_UNUSUAL)).then(other)
    normal = odd.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"([a-z])[\u{300}-\u{36f}]+", "$1")
    return _squeeze(pl.coalesce(_plain(normal), plain))


def words(folded: pl.Expr) -> pl.Expr:
    """The words of a folded text: one space before, between and behind, none beside letters of unspaced scripts.

    >>> pl.DataFrame({"text": ["so, it's paris.", "在巴黎, 1900年", "..."]}).select(words(pl.col("text"))).to_series().to_list()
    [' so it s paris ', '在巴黎 1900 年', ' ']
    """
    spaced = pl.concat_str(pl.lit(" "), folded.str.replace_many(_PUNCTUATION, [" "]), pl.lit(" "))
    other = pl.when(spaced.str.len_bytes() != spaced.str.len_chars()).then(spaced)
    joined = (
        other.str.replace_all(rf"[^\p{{L}}\p{{M}}\p{{N}}{_KEPT}‰\x00-\x7f]+", " ")
        .str.replace_all(rf"([{UNSPACED}]) +", "$1")
        .str.replace_all(rf" +([{UNSPACED}])", "$1")
        .str.replace_all(rf"([{UNSPACED}])([^{UNSPACED} ])", "$1 $2")
        .str.replace_all(rf"([^{UNSPACED} ])([{UNSPACED}])", "$1 $2")
    )
    return single_spaces(pl.coalesce(joined, spaced))


def single_spaces(text: pl.Expr) -> pl.Expr:
    """One space for each run of them. Twice letter by letter, which is fast; the pattern is left the rare long runs."""
    return (
        text.str.replace_all("  ", " ", literal=True)
        .str.replace_all("  ", " ", literal=True)
        .str.replace_all(" {2,}", " ")
    )


def _plain(lowered: pl.Expr) -> pl.Expr:
    return lowered.str.replace_many(_PLAIN, leftmost=True)


def _unlinked(text: pl.Expr) -> pl.Expr:
    """Links of Markdown without the address, in which there may be words."""
    linked = pl.when(text.str.contains("](", literal=True)).then(text)
    return pl.coalesce(linked.str.replace_all(r"\]\([^()\s]*\)", "]"), text)


def _squeeze(text: pl.Expr) -> pl.Expr:
    lines = pl.when(text.str.contains("\n", literal=True)).then(text)
    text = pl.coalesce(lines.str.replace_all(r" *\n[ \n]*", "\n"), text)
    wide = pl.when(text.str.contains("  ", literal=True)).then(text)
    return pl.coalesce(single_spaces(wide), text).str.strip_chars(" \n")


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
# Neither ASCII nor folded by the table nor left as it is by NFKC for sure.
_UNUSUAL = r"[^\x00-\x7f·、。《》\u{df}-\u{24f}\u{3041}-\u{3096}\u{30a1}-\u{30fa}\u{4e00}-\u{9fff}]"
