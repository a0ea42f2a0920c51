"""The phrases and the rules of `strict` (phrases.toml), made ready as patterns over codes: one letter for each word."""

import re
from functools import cache

import polars as pl

from adjudge.text.toml_files import packaged

FALSE, LAST_TRUE = "\ue000", "\uf8ff"
"""Marks of aliases: of what is false, and behind it of the slots of the true answer. `words` lets none through."""
TRUE, MARKS = f"[{chr(ord(FALSE) + 1)}-{LAST_TRUE}]", f"{FALSE}-{LAST_TRUE}"
DENIED_TRUE, DENIED_FALSE, UNTOLD = "d", "f", "u"
DATA = packaged(__package__, "phrases.toml")
_KINDS: dict[str, str] = {name: chr(0x400 + place) for place, name in enumerate(DATA["kinds"])} | {"harmless": "x"}
"""Kinds of words -> their codes: capital letters, of which a folded text has none."""


def _spaced(phrase: str) -> str:
    """A phrase as it stands in a text of doubled spaces; unspaced scripts have none."""
    return f" {phrase.replace(' ', '  ')} " if phrase.isascii() else phrase


_PHRASES = {_spaced(phrase): code for name, code in _KINDS.items() for phrase in DATA["kinds"][name]}
_PHRASES = {phrase: _PHRASES[phrase] for phrase in sorted(_PHRASES, key=lambda phrase: (-len(phrase), phrase))}
HINTS = [
    phrase.replace("  ", " ") for phrase, code in _PHRASES.items() if code in map(_KINDS.get, DATA["hints"]["kinds"])
]


def encode(texts: pl.Series) -> pl.Series:
    """The codes of texts of doubled spaces, one for each word; marks and the ends of clauses stay."""
    coded = texts.str.replace_many(_PHRASES, leftmost=True)
    return coded.str.replace_all(f"[^ .,\u0400-\u042f{MARKS}]+", "x").str.replace_all(" ", "", literal=True)


def split(texts: pl.Series) -> list[list[str]]:
    """The words of texts of doubled spaces, one for each code; those of a phrase are joined by `_`."""
    joined = {phrase: f" {phrase.strip().replace('  ', '_')} " for phrase in _PHRASES}
    apart = texts.str.replace_many(joined, leftmost=True).str.replace_all(f"[{MARKS}]", " ${0} ")
    return [text.split() for text in apart]


@cache
def patterns(name: str) -> tuple[str, ...]:
    """The rules of a name as regular expressions."""
    return tuple(map(_pattern, DATA["rules"][name]))


@cache
def denials(name: str) -> tuple[tuple[str, str], ...]:
    """The rules of a name as pairs of a pattern and what replaces it: the answer denied becomes a small letter."""
    result = []
    for rule in DATA["rules"][name]:
        swapped = rule.replace("TRUE", "\0").replace("FALSE", "TRUE").replace("\0", "FALSE")
        for written in (rule, *([swapped] if name == "set_aside" else [])):
            before, after = written.replace("ANSWER", "(?:ANSWER)").split("!")
            denied = re.match(r"\(\?:ANSWER\)|TRUE|FALSE", after)[0]  # type: ignore[index]
            for mark, code, other in ((TRUE, DENIED_TRUE, "FALSE"), (FALSE, DENIED_FALSE, "TRUE")):
                if denied != other:
                    rest = _pattern(after.removeprefix(denied))
                    result.append(
                        (f"({_pattern(before)}){mark}({rest})", f"${{1}}{UNTOLD if name == 'untold' else code}${{2}}")
                    )
    return tuple(result)


def _pattern(rule: str) -> str:
    return re.sub(
        r"<([a-z|]+)>|[A-Z]+|[x~=/^]|-(?=\{)",
        lambda match: _SIGNS.get(match[0]) or _codes(match[1]),
        rule.replace(" ", ""),
    )


def _codes(kinds: str) -> str:
    return f"[{''.join(_KINDS[name] for name in kinds.split('|'))}]"


_TURNS = "".join(_KINDS[name] for name in ("contrast", "right", "really", "concession", "breaks"))
_DENIES = _TURNS + _KINDS["negation"]
_SIGNS = {
    "x": f"[^.,{_DENIES}{_KINDS['unsure']}{MARKS}]",
    "~": f"[^.,{_DENIES}]{{0,4}}?",
    "-": f"[^.{MARKS}]",
    "=": f"[^{MARKS}]",
    "^": "(?:^|[.])",
    "/": f"(?:[.,{_TURNS}]|$)",
    "ANSWER": f"[{MARKS}]",
    "TRUE": TRUE,
    "FALSE": FALSE,
}
_SIGNS["REFUSAL"] = "(?:" + "|".join(map(_pattern, DATA["rules"]["refusals"])) + ")"
