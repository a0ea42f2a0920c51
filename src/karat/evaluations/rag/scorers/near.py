"""Answers that say the truth in nearly its words: what `strict` looks for where no alias stands in a response as it is.

A response is near an alias in one of the ways of WAYS; the first that fits says what decided. Nothing that holds a
number may be left out or added: `1971` does not answer `August 15, 1971`, nor `Apollo 11` `Apollo 13`.

| Response                       | Alias                    | Way              |
|--------------------------------|--------------------------|------------------|
| `coal miners`                  | coal miner               | other form       |
| `the fifth`                    | 5                        | other form       |
| `the United States`            | U.S.                     | other form       |
| `steam ship`                   | steamship                | other form       |
| `Kirsten Simone Vangsness`     | Kirsten Vangsness        | longer name      |
| `It is Kirsten Vangsness.`     | Kirsten Simone Vangsness | shorter name     |
| `The Hastings battle`          | Battle of Hastings       | other order      |
| `Madison` (all of the response)| Madison, Wisconsin       | part of the truth|
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from karat.evaluations.rag.scorers.rules import CLAUSE, SENTENCE
from karat.text.inflection import stem
from karat.text.values import DAY, MONTH

WAYS = OTHER_FORM, LONGER, SHORTER, ORDER, PART = (
    "other form",
    "longer name",
    "shorter name",
    "other order",
    "part of the truth",
)
SHORT = 8
"""Words of a response that may be a part of the truth."""
FIRST = 3
"""Letters of a word that a response must hold before it is looked at closely."""


@dataclass(frozen=True, slots=True)
class Near:
    """Where a response says nearly an alias: the places of its first and last word, and in what way."""

    first: int
    last: int
    way: str


@dataclass(frozen=True, slots=True)
class _Words:
    """Words that carry meaning: their common forms, and the places at which each begins and ends."""

    forms: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def content(self) -> "_Words":
        kept = [place for place, form in enumerate(self.forms) if form not in _IDLE]
        first, last = (tuple(part[place] for place in kept) for part in (self.starts, self.ends))
        return _Words(tuple(self.forms[place] for place in kept), first, last)


def near_hits(rows: pl.DataFrame, aliases: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """Where responses are near aliases of slots of which none stands in them: as hits, with the way.

    rows: row, key, words, clauses. aliases: key, slot, alias, form, mark; a negative slot is what is false. hits: row,
    slot and form of the aliases that stand in responses. What is false in a response is not taken for nearly true.
    """
    asked = aliases.filter(pl.col("slot") >= 0).select("key", "slot", "alias", "form", "mark")
    pairs = rows.select("row", "key", "words").drop_nulls("words").join(asked.select("key", "slot", "form"), on="key")
    missed = pairs.join(hits.select("row", "slot").unique(), on=["row", "slot"], how="anti")
    likely = pl.concat([_promising(missed, asked["form"].unique()), _within(missed)]).unique()
    likely = likely.join(asked, on=["key", "slot", "form"]).join(rows.select("row", "clauses"), on="row")
    lies = dict(hits.filter(pl.col("slot") < 0).group_by("row").agg("form").iter_rows())
    found = []
    for row, slot, alias, form, mark, clauses in likely.sort("row", "slot", "alias").select(_PAIR).iter_rows():
        place = near(clauses, form)
        if place is None or (place.way == PART and _LISTED.search(alias)):
            continue
        span = clauses.split()[place.first : place.last + 1]
        if not any(lie in f" {' '.join(span)} " for lie in lies.get(row, ())):
            found.append((row, slot, alias, form, mark, ["".join(f" {word} " for word in span)], place.way))
    schema = {name: likely.schema[name] for name in ("row", "slot", "alias", "form", "mark")}
    schema |= {"written": pl.List(pl.String), "way": pl.String()}
    return pl.DataFrame(found, schema=schema, orient="row")


_LISTED = re.compile(r"[,;/].*[,;/]|[;/]")
"""A list of which a part is no answer; `Madison, Wisconsin` is none."""
_PAIR = ("row", "slot", "alias", "form", "mark", "clauses")


def _promising(pairs: pl.DataFrame, forms: pl.Series) -> pl.DataFrame:
    """The pairs of which the response holds a clue to the alias."""
    table = [(form, clue) for form in forms for clue in clues(form)]
    known = pl.DataFrame(table, schema={"form": pl.String, "clue": pl.String}, orient="row")
    held = pl.col("words").str.contains(pl.col("clue"), literal=True)
    return pairs.join(known, on="form").filter(held).select("row", "key", "slot", "form")


def _within(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs whose short response may be a part of the alias: that holds the beginning of its last word."""
    last = pl.col("words").str.strip_chars(" ").str.split(" ").list.last().str.head(FIRST)
    short = pl.col("words").str.count_matches(" ", literal=True) <= SHORT + 1
    brief = pairs.filter(short)
    return brief.filter(pl.col("form").str.contains(last, literal=True)).select("row", "key", "slot", "form")


def clues(form: str) -> list[str]:
    """Beginnings of words of which a response must hold one to be near an alias, beside those that are part of it."""
    content = _alias(form)
    if not content:
        return []
    last = content[-1]
    joined = "".join(content)
    written = [*_WRITTEN.get(last, ()), *([] if _numeric(joined) else [joined[:_LONG]])]
    return [f" {one}" for one in (last if _numeric(last) else last[:FIRST], *written)]


def near(words: str, form: str) -> Near | None:
    """How the words of a response are near those of an alias, or None. Marks of sentences and clauses are words."""
    wanted = _alias(form)
    if not wanted:
        return None
    split = words.split()
    # In a longer text `us` is a pronoun, and `he first saw it` counts nothing.
    spoken = [f"{word} " if word in _SPOKEN else word for word in split] if len(split) > _FEW else split
    said = _read(tuple(spoken)).content()
    return _together(said, wanted) or _named(said, wanted) or _part(said, wanted)


@lru_cache(maxsize=100_000)
def _alias(form: str) -> tuple[str, ...]:
    forms = tuple(one for one in _read(tuple(form.split())).content().forms if one not in _STOPS)
    counted = tuple(one for one in forms if one not in _CURRENCIES)
    return counted if any(map(_numeric, counted)) else forms


@lru_cache(maxsize=4_096)
def _read(words: tuple[str, ...]) -> _Words:
    """The common forms of words: abbreviations and ordinals by meaning, the others without their endings."""
    forms: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    while place < len(words):
        length, form = _phrase(words, place)
        forms.append(form)
        starts.append(place)
        ends.append(place + length - 1)
        place += length
    return _Words(tuple(forms), tuple(starts), tuple(ends))


def _phrase(words: Sequence[str], place: int) -> tuple[int, str]:
    """How many words stand at a place for one, and its form."""
    for length in range(_LONGEST_PHRASE, 0, -1):
        form = _SAME.get(" ".join(words[place : place + length]))
        if form is not None and place + length <= len(words):
            return length, form
    return 1, common(words[place])


@lru_cache(maxsize=100_000)
def common(word: str) -> str:
    """The form that a word has in common with its inflections; of a number, its value."""
    if word.isascii() and word[-2:] in _ORDINAL_ENDS and word[:-2].isdigit():
        return word[:-2]
    return word if _numeric(word) else stem(word)


def _numeric(word: str) -> bool:
    return any(letter.isdigit() for letter in word) or word[0] in MONTH + DAY


# --- ways ---


def _together(said: _Words, wanted: tuple[str, ...]) -> Near | None:
    """The words of the alias one after another, in any form, or written as one word or as two."""
    count = len(wanted)
    for place in range(len(said.forms) - count + 1):
        if all(map(_alike, said.forms[place : place + count], wanted)):
            return Near(said.starts[place], said.ends[place + count - 1], OTHER_FORM)
    joined = "".join(wanted)
    if len(joined) < _LONG or _numeric(joined):
        return None
    for place, form in enumerate(said.forms):
        if form == joined:
            return Near(said.starts[place], said.ends[place], OTHER_FORM)
        if joined.startswith(form) and "".join(said.forms[place : place + _TWO]) == joined:
            return Near(said.starts[place], said.ends[place + 1], OTHER_FORM)
    return None


def _named(said: _Words, wanted: tuple[str, ...]) -> Near | None:
    """All words of the alias close together, or of a name the first and the last."""
    if len(wanted) < _TWO:
        return None
    found = _gapped(said, wanted, LONGER)
    if found is None and len(wanted) > _TWO and _droppable(wanted[1:-1]):
        found = _gapped(said, (wanted[0], wanted[-1]), SHORTER)
    return found or _shuffled(said, wanted)


def _gapped(said: _Words, wanted: tuple[str, ...], way: str) -> Near | None:
    """The words in their order, with up to one or two more between them, all of one clause."""
    spare = 0 if way == SHORTER else 1 if len(wanted) == _TWO else 2
    for place, form in enumerate(said.forms):
        if not _alike(form, wanted[0]):
            continue
        last = _last_of(said.forms, place, wanted, spare)
        if last is not None:
            return Near(said.starts[place], said.ends[last], way)
    return None


def _last_of(forms: Sequence[str], place: int, wanted: Sequence[str], spare: int) -> int | None:
    """Where the last word stands, if the first one stands at the place; inner words may be initials."""
    whole = all(len(word) > 1 for word in wanted)
    for count, word in enumerate(wanted[1:], start=2):
        place += 1
        inner = count < len(wanted)
        while place < len(forms) and not (_alike(forms[place], word) or (inner and _initial(forms[place], word))):
            spare -= 1
            if spare < 0 or not _addable(forms[place]) or not (whole or len(forms[place]) > 1):
                return None
            place += 1
        if place >= len(forms):
            return None
    return place


def _shuffled(said: _Words, wanted: tuple[str, ...]) -> Near | None:
    """The words side by side in another order; numbers stay where they are."""
    count, target = len(wanted), sorted(wanted)
    kept = [place for place, form in enumerate(said.forms) if form != CLAUSE and form not in _STOPS]
    for begin in range(len(kept) - count + 1):
        places = kept[begin : begin + count]
        if sorted(said.forms[place] for place in places) == target:
            return Near(said.starts[places[0]], said.ends[places[-1]], ORDER)
    return None


def _part(said: _Words, wanted: tuple[str, ...]) -> Near | None:
    """All of a short response is a part of the alias that leaves no number out."""
    own = [place for place, form in enumerate(said.forms) if form not in {SENTENCE, CLAUSE} and form not in _STOPS]
    if not 0 < len(own) <= SHORT or len(own) >= len(wanted):
        return None
    forms = [said.forms[place] for place in own]
    rest = list(wanted)
    for form in forms:
        match = next((one for one in rest if _alike(form, one)), None)
        if match is None:
            return None
        rest.remove(match)
    if any(map(_numeric, wanted)) or any(one in _DISTINCT for one in rest) or all(one in _VAGUE for one in forms):
        return None
    return Near(said.starts[own[0]], said.ends[own[-1]], PART)


def _alike(one: str, other: str) -> bool:
    """Whether a form that is said is the same as one that is wanted, but for a note's number or one letter of many."""
    if one[0] != other[0]:
        return False
    if one == other or (len(other) >= FIRST and stem(one.rstrip(_DIGITS)) == other):
        return True
    if min(len(one), len(other)) < _LONG or abs(len(one) - len(other)) > 1:
        return False
    if _numeric(one) or _numeric(other):
        return False
    return _one_letter_apart(one, other)


def _initial(one: str, other: str) -> bool:
    """Whether one of two words is the initial of the other."""
    return 1 in {len(one), len(other)} and one[0] == other[0] and one.isalpha() and other.isalpha()


def _one_letter_apart(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


def _addable(form: str) -> bool:
    """Whether a word may stand between those of a name."""
    return form not in {SENTENCE, CLAUSE} and form not in _JOINING and not _numeric(form)


def _droppable(forms: Iterable[str]) -> bool:
    """Whether words may be left out of a name."""
    return not any(_numeric(form) or form in _DISTINCT or form in _JOINING for form in forms)


_TWO, _FEW, _LONG = 2, 3, 6
_DIGITS = "0123456789"
_ORDINAL_ENDS = {"st", "nd", "rd", "th"}
_IDLE = {"the", "a", "an"}
_STOPS = {*_IDLE, "of", "in", "on", "at", "to", "by", "for", "from", "around", "about", "approximately", "circa"}
_STOPS = _STOPS | {common(one) for one in _STOPS}
_CURRENCIES = {common(one) for one in ("dollars", "usd", "us", "euros", "pounds", "united_states")}
_JOINING = {"and", "or", "not", "but", "no", "nor", "with", "vs", "is", "wa", "was", "are", "by", "of", "to", "in"}
_DISTINCT = {"north", "south", "east", "west", "northern", "southern", "eastern", "western", "non", "anti", "new"}
_DISTINCT |= {"jr", "sr", "ii", "iii", "iv", "v", "vi", "and", "or", "&", "not", "no", "never"}
_VAGUE = {common(one) for one in ("yes", "no", "river", "city", "king", "queen", "war", "president", "state", "world")}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
_SPOKEN = {"us", "first", "second"}
"""Words that a longer text holds in another sense."""
_ABBREVIATIONS = {
    "united_states": ("us", "u s", "usa", "u s a", "united states", "united states of america"),
    "united_kingdom": ("uk", "u k", "united kingdom", "great britain"),
    "european_union": ("eu", "e u", "european union"),
    "united_nations": ("un", "u n", "united nations"),
    "washington_dc": ("washington d c", "washington dc"),
    "am": ("a m", "am"),
    "pm": ("p m", "pm"),
    "bc": ("bc", "b c", "bce", "b c e"),
    "tv": ("tv", "t v", "television"),
    "saint": ("st", "saint"),
    "mount": ("mt", "mount"),
    "doctor": ("dr", "doctor"),
    "kilometre": ("km", "kilometer", "kilometre", "kilometers", "kilometres"),
    "mile": ("mi", "mile", "miles"),
    "world_war_1": ("world war i", "world war 1", "wwi", "ww1", "first world war"),
    "world_war_2": ("world war ii", "world war 2", "wwii", "ww2", "second world war"),
}
_SAME = {phrase: form for form, phrases in _ABBREVIATIONS.items() for phrase in phrases}
_SAME |= {word: str(number) for number, word in enumerate(_ORDINALS, start=1)}
_LONGEST_PHRASE = max(phrase.count(" ") + 1 for phrase in _SAME)
_WRITTEN = {form: [phrase for phrase, own in _SAME.items() if own == form] for form in _SAME.values()}
