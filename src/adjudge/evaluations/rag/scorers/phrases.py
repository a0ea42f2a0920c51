"""Texts read by the phrases and the rules of `strict` (phrases.toml): patterns over codes, one letter for each word."""

import re
from functools import cache

import polars as pl

from adjudge.text.folding import change_where, replace_each
from adjudge.text.toml_files import packaged

DATA = packaged(__package__, "phrases.toml")
FALSE, LAST_TRUE = "\ue000", "\uf8ff"
"""Marks of aliases: of what is false, and behind it of the slots of the true answer. `words` lets none through."""
TRUE, MARKS = f"[{chr(ord(FALSE) + 1)}-{LAST_TRUE}]", f"{FALSE}-{LAST_TRUE}"
NO = " no "
"""A word of the rules and an answer; which it is, the rules say."""
_KINDS: dict[str, str] = {name: chr(0x400 + place) for place, name in enumerate(DATA["kinds"])} | {"harmless": "x"}
"""Kinds of words -> their codes: capital letters, of which a folded text has none."""
_DENIED = {"TRUE": "d", "FALSE": "f"}


def mark_of(slot: int) -> str:
    """What stands for the aliases of a slot in a text that is read; -1: of what is false."""
    return chr(min(ord(FALSE) + 1 + slot, ord(LAST_TRUE)))


def read_texts(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The texts, read by the rules: refusals, errors spoken of, denied aliases, and the aliases that are left.

    left, lies: how many slots are asserted, and whether something false is; null where the text holds no
    mark, which is so of an alias across a stop (`Tampa. Florida`).
    """
    marked = _mark_aliases(rows, hits)
    # A letter for each word; marks and the ends of clauses stay.
    code = marked.str.replace_many(_PHRASES, leftmost=True).str.replace_all(f"[^ .,\u0400-\u042f{MARKS}]+", "x")
    code = code.str.replace_all(" ", "", literal=True)
    refused, erring, answering = (code.str.contains(pattern(name)) for name in ("refusals", "detections", "answering"))
    erring &= rows["false"].is_not_null()
    answered = code.str.contains(f"[{MARKS}]")
    codes = change_where(code, answered, lambda code: _without_denied(code, "untold", "denials", "set_aside"))
    denied_lie = codes.str.contains(_DENIED["FALSE"], literal=True)
    codes = change_where(codes, answered & (erring | denied_lie), lambda code: _without_denied(code, "corrected"))
    left = codes.str.extract_all(TRUE).list.n_unique().set(~answered, None)
    lies = codes.str.contains(FALSE, literal=True).set(~answered, None)
    frame = rows.select("row").with_columns(left=left, lies=lies)
    return frame.with_columns(refused=refused, erring=erring, answering=answering, denied_lie=denied_lie)


def _mark_aliases(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.Series:
    """The words of texts, with marks for their aliases, the longest first: `New York City` holds no `New York`."""
    texts = dict(rows.select("row", _spread(pl.col("clauses"))).iter_rows())
    hits = hits.filter(pl.col("form") != NO).join(rows, on="row", how="semi").select("row", "mark", "form", "written")
    written = hits.filter(pl.col("form") != pl.col("written")).with_columns(form="written")
    forms = pl.concat([hits, written]).select("row", "mark", _spread(pl.col("form")))
    for row, mark, form in forms.sort(pl.col("form").str.len_bytes(), descending=True, maintain_order=True).iter_rows():
        texts[row] = texts[row].replace(form, mark)
    return pl.Series([*texts.values()], dtype=pl.String)


def _spread(words: pl.Expr) -> pl.Expr:
    """Words with two spaces between them, of which each takes one."""
    return words.str.replace_all(" ", "  ", literal=True).str.strip_prefix(" ").str.strip_suffix(" ")


def _without_denied(codes: pl.Series, *names: str) -> pl.Series:
    """The codes after the rules of some names, which replace the answers that they deny."""
    pairs = [pair for name in names for pair in _denials(name)]
    # Where no rule fits at first, none does later.
    fits = codes.str.contains("|".join(rule for rule, _ in pairs))
    return change_where(codes, fits, lambda codes: replace_each(codes, pairs))


@cache
def pattern(name: str) -> str:
    """The rules of a name as one regular expression."""
    return "|".join([rule for rule, _ in _denials(name)] if name == "denials" else map(_pattern, DATA["rules"][name]))


@cache
def _denials(name: str) -> list[tuple[str, str]]:
    """The rules of a name as pairs of a pattern and what replaces it: the answer denied becomes a small letter."""
    pairs = []
    for rule in DATA["rules"][name]:
        for denied, letter in _DENIED.items():
            before, found, after = rule.replace("!ANSWER", f"!{denied}").partition(f"!{denied}")
            replacement = f"${{1}}{'u' if name == 'untold' else letter}${{2}}"
            if found:
                pairs.append((f"({_pattern(before)}){_SIGNS[denied]}({_pattern(after)})", replacement))
    return pairs


def _pattern(rule: str) -> str:
    signs = r"<([a-z|]+)>|[A-Z]+|[x~=/^]|-(?=\{)"
    return re.sub(signs, lambda match: _SIGNS.get(match[0]) or _codes(*match[1].split("|")), rule.replace(" ", ""))


def _codes(*kinds: str) -> str:
    return f"[{''.join(_KINDS[kind] for kind in kinds)}]"


def _spaced(phrase: str) -> str:
    """A phrase as it stands in a text of doubled spaces; unspaced scripts have none."""
    return f" {phrase.replace(' ', '  ')} " if phrase.isascii() else phrase


_PHRASES = {_spaced(phrase): code for name, code in _KINDS.items() for phrase in DATA["kinds"][name]}
_PHRASES = {phrase: _PHRASES[phrase] for phrase in sorted(_PHRASES, key=lambda phrase: (-len(phrase), phrase))}
HINTS = [phrase.replace("  ", " ") for phrase, code in _PHRASES.items() if code in _codes(*DATA["hints"]["kinds"])]
"""What a text that is read holds any of."""
_TURNS = _codes("contrast", "right", "really", "concession", "breaks")[1:-1]
_DENIES = _TURNS + _KINDS["negation"]
_SIGNS = {
    "x": f"[^.,{_DENIES}{_KINDS['unsure']}{MARKS}]",
    "~": f"[^.,{_DENIES}]{{0,4}}?",
    "-": f"[^.{MARKS}]",
    "=": f"[^{MARKS}]",
    "^": "(?:^|[.])",
    "/": f"(?:[.,{_TURNS}]|$)",
}
_SIGNS |= {"ANSWER": f"[{MARKS}]", "TRUE": TRUE, "FALSE": FALSE, "REFUSAL": f"(?:{pattern('refusals')})"}
