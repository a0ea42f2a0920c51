"""The rules of `strict` on words: phrases.toml, made ready as patterns over codes.

A code is one letter that stands for a word, or for a phrase that counts as one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

import polars as pl

from adjudge.text.folding import UNSPACED, change_where, single_spaces
from adjudge.text.toml_files import packaged
from adjudge.text.values import DAY, MONTH, POINT

# Letters that stand for words in codes; `fold` lets no such character through. \x01 to \x03 are those of `values`.
SENTENCE, CLAUSE, DENIED, UNTOLD, REFUSED, SPENT, CUT = "\x04", "\x05", "\x06", "\x07", "\x08", "\x0e", "\x0f"
SPARED = "\x10"
WORD, LETTER = "W", "Z"
FALSE, LAST_TRUE = "\ue000", "\uf8ff"
"""Marks of aliases: of what is false, and behind it of the slots of the true answer. `words` lets none through."""
MARK, TRUE = f"[{FALSE}-{LAST_TRUE}]", f"[{chr(ord(FALSE) + 1)}-{LAST_TRUE}]"

_Lists = dict[str, list[str]]


class Vocabulary:
    """The words that rules distinguish, each with a letter as its code; words with the same uses share a code.

    A phrase of a kind is one word. Words are written with a space at each edge, so that two stand between them.
    """

    def __init__(self, kinds: _Lists, groups: _Lists, plain: Iterable[str]) -> None:
        longest = sorted({_space_words(phrase) for listed in kinds.values() for phrase in listed}, key=_longest_first)
        self._word = re.compile("|".join([*longest, " [^ ]+ "]))
        uses: dict[str, set[str]] = defaultdict(set)
        for name, listed in (*kinds.items(), *groups.items()):
            for phrase in listed:
                split = self.words(phrase)
                for word in split:
                    uses[word] |= ({name} if word.isascii() else {name, name + _CHINESE}) if len(split) == 1 else {word}
        for word in (word for part in plain for word in self.words(part)):
            uses[word].add(word)
        ranked = {word: (_word_rank(word, used, kinds), *sorted(used)) for word, used in uses.items()}
        codes = dict(zip(sorted(set(ranked.values())), _CODES, strict=False))
        self._own = {word: codes[use] for word, use in ranked.items()}
        written = {word if word.isascii() else word.replace(" ", ""): code for word, code in self._own.items()}
        self._codes = {f" {stop} ": stop for stop in (SENTENCE, CLAUSE)}
        self._codes |= {word: written[word] for word in sorted(written, key=_longest_first)}
        self._uses = uses
        self._ranks = [[code for use, code in codes.items() if use[0] == rank] for rank in range(_LETTER + 1)]
        self._one = {word: f" {word.strip().replace('  ', '_')} " for word in longest}

    def words(self, phrase: str) -> list[str]:
        """The words of a phrase."""
        return self._word.findall(_space_words(phrase))

    def codes(self, phrase: str) -> str:
        """The codes of a phrase."""
        return "".join(self._own[word] for word in self.words(phrase))

    def codes_of(self, name: str) -> str:
        """The codes of the words of a kind or group, as the inside of a character class."""
        return "".join(sorted({self._own[word] for word, used in self._uses.items() if name in used}))

    def rank_codes(self, rank: int) -> str:
        """The codes of all words of a rank, as the inside of a character class: they stand in a row."""
        return f"{self._ranks[rank][0]}-{self._ranks[rank][-1]}"

    def encode(self, texts: pl.Series) -> pl.Series:
        """The codes of texts; marks in them stay."""
        coded_words = texts.str.replace_many(self._codes, leftmost=True)
        unspaced = coded_words.str.contains(f"[{UNSPACED}]")
        letters = change_where(coded_words, unspaced, lambda text: text.str.replace_all(f"[{UNSPACED}]", LETTER))
        numbers = letters.str.replace_all(f" [0-9{MONTH}{DAY}{POINT}]+ ", LETTER)
        other = f" [^ \\p{{Lu}}{SENTENCE}{CLAUSE}{FALSE}-{LAST_TRUE}]+ "
        return numbers.str.replace_all(other, WORD).str.replace_all(" ", "", literal=True)

    def split(self, text: pl.Expr) -> pl.Expr:
        """The words of a text, one for each code."""
        apart = single_spaces(text.str.replace_all(f"[{UNSPACED}]|{MARK}", " ${0} "))
        joined = double_spaces(apart).str.replace_many(self._one, leftmost=True)
        return joined.str.strip_chars(" ").str.split("  ")


class PhraseRules:
    """The phrase file, made ready: its rules are patterns over codes."""

    def __init__(self, data: dict[str, _Lists]) -> None:
        patterns, denials = data["patterns"], data["denials"]
        listed = (*patterns.values(), *denials.values())
        parts = {part for rules in listed for rule in rules for part in rule.split()}
        self._groups = data["kinds"] | data["groups"]
        self.vocabulary = Vocabulary(
            data["kinds"], data["groups"], (one for one in parts if one[0].isalnum() and not one.isupper())
        )
        self._elements = self._sign_patterns()
        self.hints = data["hints"]["any"]
        self.whole = [f" {phrase} " for phrase in data["answers"]["whole"]]
        self.refusals, self.detections = (
            "|".join(map(self._rule_pattern, patterns[name])) for name in ("refusals", "detections")
        )
        self.denials = [
            *(self._denial_pattern(rule, f"${{1}}${{2}}{SPARED}") for rule in denials["spared"]),
            *(self._denial_pattern(rule, f"${{1}}${{2}}{UNTOLD}") for rule in denials["untold"]),
            *(self._denial_pattern(rule, f"{SPENT}${{2}}{DENIED}") for rule in denials["negated"]),
            *map(self._denial_pattern, denials["denied"]),
        ]
        self.set_aside = [
            self._denial_pattern(rule.replace("ONE", word).replace("OTHER", other))
            for word, other in (("FALSE", "TRUE"), ("TRUE", "FALSE"))
            for rule in denials["set_aside"]
        ]
        self.corrections = [*map(self._denial_pattern, denials["corrected"])]
        ends, of = self.vocabulary.rank_codes(_END), self.vocabulary.codes_of
        self.answering = (
            f"[{of('answering')}][^{ends}{SENTENCE}{CLAUSE}{REFUSED}][^{REFUSED}{SENTENCE}]*(?:{SENTENCE}|$)"
        )
        turning = "".join(map(of, ("negation", "wrong", "contrast", "right", "really")))
        self.denying = (
            f"[{SPENT}{of('falsely')}](?:{self._elements['..']}){{0,9}}{DENIED}{MARK}"
            f"|{DENIED}{MARK}(?:[^{SENTENCE}]{{0,8}}?)[{turning}]"
        )

    def _sign_patterns(self) -> dict[str, str]:
        """The pattern for each sign and name in rules."""
        end, negation, kind, word, letter = map(self.vocabulary.rank_codes, range(_LETTER + 1))
        ends = f"{end}{SENTENCE}{CLAUSE}"
        words, run = f"{kind}{word}{WORD}{REFUSED}{SPENT}", f"[{letter}{LETTER}]+"
        sentence = f"{words}{end}{negation}{CLAUSE}"
        return {
            "...": f"(?:[{words}{FALSE}-{LAST_TRUE}]|{run}){{0,4}}?",
            "::": f"[{kind}{letter}{LETTER}{CLAUSE}{FALSE}-{LAST_TRUE}]{{0,8}}?",
            "..": f"(?:[{words}]|{run})",
            "--": f"(?:[{sentence}]|{run})",
            "==": f"(?:[{sentence}{SENTENCE}]|{run})",
            "^": f"(?:^|{SENTENCE})",
            "$": f"(?:[{ends}]|$)",
            "/": f"[{ends}]{{1,3}}",
            ",": f"[{end}{CLAUSE}]",
            "ANSWER": MARK,
            "TRUE": TRUE,
            "FALSE": FALSE,
            "DENIED": f"{DENIED}{MARK}",
            "REFUSAL": REFUSED,
        }

    def _rule_pattern(self, rule: str) -> str:
        return "".join(map(self._part_pattern, rule.split()))

    def _part_pattern(self, part: str) -> str:
        if part.startswith("<"):
            return self._member_pattern(part.strip("<>").split("|"))
        sign, most = part.rstrip("0123456789"), part.lstrip(".:-=")
        if sign not in self._elements:
            return self.vocabulary.codes(part)
        return self._elements[sign] + (f"{{0,{most}}}" if most.isdigit() else "")

    def _member_pattern(self, names: list[str]) -> str:
        """One of the words or phrases of some kinds or groups."""
        longer = [
            self.vocabulary.codes(phrase)
            for name in names
            for phrase in self._groups.get(name, [])
            if len(self.vocabulary.words(phrase)) > 1
        ]
        single = "".join(map(self.vocabulary.codes_of, names))
        return f"(?:{'|'.join([*longer, *([f'[{single}]'] if single else [])])})"

    def _denial_pattern(self, rule: str, before: str = f"${{1}}${{2}}{DENIED}") -> tuple[str, str]:
        """A pattern and its replacement. before: replaces the part before the denied answer, which ! marks."""
        first, answer = (some.split() for some in rule.split("!"))
        groups = ("".join(map(self._part_pattern, some)) for some in (first[:1], first[1:], answer))
        return "".join(f"({group})" for group in groups), before + "${3}"


def _space_words(phrase: str) -> str:
    """The words of a phrase with a space at each edge; a letter of an unspaced script is a word."""
    return "".join(f" {word} " for word in re.findall("[a-z0-9]+|[^a-z0-9 ]", phrase))


def _longest_first(word: str) -> tuple[int, str]:
    """A sort key with the longest word first, since the first word that fits is taken."""
    return -len(word), word


def _word_rank(word: str, used: set[str], kinds: _Lists) -> int:
    """The rank of a word's code among all codes."""
    if used & _ENDING:
        return _END
    if "negation" in used:
        return _NEGATION
    if used & kinds.keys():
        return _KIND
    return _WORD if word.isascii() else _LETTER


@cache
def phrase_rules() -> PhraseRules:
    """The rules, read once."""
    return PhraseRules(packaged(__package__, "phrases.toml"))


def double_spaces(worded: pl.Expr) -> pl.Expr:
    """Words with two spaces between them, of which each takes one."""
    return worded.str.replace_all(" ", "  ", literal=True).str.strip_prefix(" ").str.strip_suffix(" ")


# Ranks of codes: what ends a clause, what denies, words of other kinds, words of groups and rules, and such letters.
_END, _NEGATION, _KIND, _WORD, _LETTER = range(5)
_ENDING = {"contrast", "right", "concession", "harmless", "breaks"}
_CHINESE = ":zh"
# Upper-case letters, of which a folded text has none.
_CODES = [chr(code) for code in range(0x100, 0x800) if chr(code) != chr(code).lower()]
