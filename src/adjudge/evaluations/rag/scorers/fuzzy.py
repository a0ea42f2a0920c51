"""Fuzzy matches of aliases, which `strict` looks for where a response holds no alias literally.

A response is near an alias in one of the ways of WAYS; the first that fits says what decided. Nothing that holds a
number may be left out or added: `1971` does not answer `August 15, 1971`, nor `Apollo 11` `Apollo 13`. Only
names, whose first and last word have a capital letter, may be longer, shorter, or their own end: `pressure` is no `high
blood pressure`. A word may be spelled in another way (`Katherine`, `Katharine`), but `Iceland` is not `Ireland`.

| Response                       | Alias                    | Way              |
|--------------------------------|--------------------------|------------------|
| `coal miners`                  | coal miner               | other form       |
| `the fifth`                    | 5                        | other form       |
| `the United States`            | U.S.                     | other form       |
| `steam ship`                   | steamship                | other form       |
| `Kirsten Simone Vangsness`     | Kirsten Vangsness        | longer name      |
| `It is Kirsten Vangsness.`     | Kirsten Simone Vangsness | shorter name     |
| `It is a part of Arpanet.`     | the Arpanet project      | shorter name     |
| `The Hastings battle`          | Battle of Hastings       | other order      |
| `Madison` (all of the response)| Madison, Wisconsin       | part of the truth|
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from adjudge.evaluations.rag.scorers.rules import CLAUSE, SENTENCE
from adjudge.text.inflection import stem
from adjudge.text.values import DAY, MONTH


@dataclass(frozen=True, slots=True)
class WordForms:
    """Words by their common forms, and the places at which each begins and ends."""

    forms: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def content_words(self) -> "WordForms":
        """The words that carry meaning (no articles)."""
        kept = [place for place, form in enumerate(self.forms) if form not in _IDLE]
        first, last = (tuple(part[place] for place in kept) for part in (self.starts, self.ends))
        return WordForms(tuple(self.forms[place] for place in kept), first, last)


@lru_cache(maxsize=4_096)
def word_forms(words: tuple[str, ...]) -> WordForms:
    """The common forms of words: abbreviations and ordinals by meaning, the others without their endings."""
    forms: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    while place < len(words):
        length, form = _phrase_form(words, place)
        forms.append(form)
        starts.append(place)
        ends.append(place + length - 1)
        place += length
    return WordForms(tuple(forms), tuple(starts), tuple(ends))


def _phrase_form(words: Sequence[str], place: int) -> tuple[int, str]:
    """The number of words of the phrase at a place, and its form."""
    for length in range(_LONGEST_PHRASE, 0, -1):
        form = _SAME.get(" ".join(words[place : place + length]))
        if form is not None and place + length <= len(words):
            return length, form
    if place and words[place] in _BEHIND_NAMES:
        return 1, _BEHIND_NAMES[words[place]]
    return 1, base_form(words[place])


def is_ordinal(word: str) -> bool:
    """Whether a word is an ordinal number.

    >>> [ordinal(word) for word in ("fifth", "5th", "5", "north")]
    [True, True, False, False]
    """
    return word in _ORDINALS or (word[-2:] in _ORDINAL_ENDS and word[:-2].isdigit())


@lru_cache(maxsize=100_000)
def base_form(word: str) -> str:
    """The form that a word has in common with its inflections; of a number, its value."""
    if word.isascii() and word[-2:] in _ORDINAL_ENDS and word[:-2].isdigit():
        return word[:-2]
    return word if is_numeric(word) else stem(word)


def is_numeric(word: str) -> bool:
    """Whether a word holds a number or is a part of a date."""
    return any(letter.isdigit() for letter in word) or word[0] in MONTH + DAY


def is_same_word(form: str, wanted: str) -> bool:
    """Whether a form equals the wanted one up to spelling."""
    if form[0] != wanted[0]:
        return False
    if form == wanted:
        return True
    if min(len(form), len(wanted)) < LONG or is_numeric(form) or is_numeric(wanted) or wanted[-2:] in _SALTS:
        return False
    return _is_spelling_variant(form, wanted)


def _is_spelling_variant(word: str, other: str) -> bool:
    """Whether two words differ by a vowel before their last letter, by a double letter, or by an `h`.

    >>> [_spelled_alike("katharine", two) for two in ("katherine", "katharina")]
    [True, False]
    >>> _spelled_alike("iceland", "ireland"), _spelled_alike("johnson", "johnston"), _spelled_alike("philip", "phillip")
    (False, False, True)
    """
    short, long = sorted((word, other), key=len)
    if len(long) - len(short) > 1:
        return False
    same = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(short) == len(long):
        return same < len(long) - 1 and {word[same], other[same]} <= _VOWELS and word[same + 1 :] == other[same + 1 :]
    return short[same:] == long[same + 1 :] and (long[same] == "h" or long[same] == long[same - 1])


def is_initial(first: str, second: str) -> bool:
    """Whether one of two words is the initial of the other."""
    return 1 in {len(first), len(second)} and first[0] == second[0] and first.isalpha() and second.isalpha()


FIRST, LONG = 3, 6
"""Letters of a word that a response must hold before it is looked at closely; of one that may be spelled otherwise."""
_VOWELS = frozenset("aeiouy")
_SALTS = {"at", "it", "id"}
"""Ends of common forms of `nitrate`, `nitrite`, `sulfide`, in which a letter makes another substance."""
_ORDINAL_ENDS = {"st", "nd", "rd", "th"}
_IDLE = {"the", "a", "an"}
STOPS = {*_IDLE, "of", "in", "on", "at", "to", "by", "for", "from", "around", "about", "approximately", "circa"}
STOPS = STOPS | {base_form(one) for one in STOPS}
CURRENCIES = {base_form(one) for one in ("dollars", "usd", "us", "euros", "pounds", "united_states")}
JOINING = {"and", "or", "not", "but", "no", "nor", "with", "vs", "is", "wa", "was", "are", "by", "of", "to", "in"}
DISTINCT = {"north", "south", "east", "west", "northern", "southern", "eastern", "western", "non", "anti", "new"}
DISTINCT |= {"jr", "sr", "ii", "iii", "iv", "v", "vi", "and", "or", "&", "not", "no", "never"}
CLASSES = {"project", "company", "corporation", "corp", "inc", "ltd", "llc", "plc", "gmbh", "language", "dynasty"}
CLASSES = {base_form(one) for one in CLASSES}
"""What may follow a name that is as clear without it."""
VAGUE = {
    base_form(one) for one in ("yes", "no", "river", "city", "king", "queen", "war", "president", "state", "world")
}
_ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
SPOKEN = {"us", "first", "second"}
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
_ROMAN = ("ii", "iii", "iv", "vi", "vii", "viii", "ix", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii")
_BEHIND_NAMES = dict(zip(_ROMAN, map(str, (2, 3, 4, 6, 7, 8, 9, *range(11, 19))), strict=True))
"""Roman numbers, which count behind a name alone: `IV` is an answer of its own."""
_LONGEST_PHRASE = max(phrase.count(" ") + 1 for phrase in _SAME)
WRITTEN = {form: [phrase for phrase, own in _SAME.items() if own == form] for form in _SAME.values()}


WAYS = OTHER_FORM, LONGER, SHORTER, ORDER, PART = (
    "other form",
    "longer name",
    "shorter name",
    "other order",
    "part of the truth",
)
SHORT = 8
"""Words of a response that may be a part of the truth."""


@dataclass(frozen=True, slots=True)
class FuzzyMatch:
    """A fuzzy match of an alias in a response: the places of its first and last word, and the way it matches."""

    first: int
    last: int
    way: str


def fuzzy_hits(rows: pl.DataFrame, aliases: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """Fuzzy matches in responses that hold no alias of a slot literally: as hits, with the way.

    rows: row, key, words, clauses. aliases: key, slot, alias, form, mark; a negative slot is what is false. hits: row,
    slot and form of the aliases that stand in responses. What is false in a response is not taken for nearly true.
    """
    asked = aliases.filter(pl.col("slot") >= 0).select("key", "slot", "alias", "form", "mark")
    pairs = rows.select("row", "key", "words").drop_nulls("words").join(asked.select("key", "slot", "form"), on="key")
    missed = pairs.join(hits.select("row", "slot").unique(), on=["row", "slot"], how="anti")
    likely = pl.concat([_pairs_with_clues(missed, asked["form"].unique()), _pairs_with_parts(missed)]).unique()
    likely = likely.join(asked, on=["key", "slot", "form"]).join(rows.select("row", "clauses"), on="row")
    lies = dict(hits.filter(pl.col("slot") < 0).group_by("row").agg("form").iter_rows())
    hit_rows = []
    for row, slot, alias, form, mark, clauses in likely.sort("row", "slot", "alias").select(_PAIR).iter_rows():
        place = fuzzy_match(clauses, form, named=is_name(alias))
        if place is None:
            continue
        span = clauses.split()[place.first : place.last + 1]
        whole = place.way != PART or not (_is_list(alias) or _splits_hyphen(alias, span))
        if whole and not any(lie in f" {' '.join(span)} " for lie in lies.get(row, ())):
            hit_rows.append((row, slot, alias, form, mark, ["".join(f" {word} " for word in span)], place.way))
    schema = {name: likely.schema[name] for name in ("row", "slot", "alias", "form", "mark")}
    schema |= {"written": pl.List(pl.String), "way": pl.String()}
    return pl.DataFrame(hit_rows, schema=schema, orient="row")


def _is_list(alias: str) -> bool:
    """Whether an alias is a list, so that a part is no answer; `Madison, Wisconsin` is none."""
    return bool(_LISTED.search(alias)) or ("," in alias and not is_name(alias))


_LISTED = re.compile(r"[,;/].*[,;/]|[;/]")
_WORD = re.compile(r"[^\W\d_][^\W_]*")


def is_name(alias: str) -> bool:
    """Whether the first and the last word of an alias are written with a capital letter."""
    words = [word for word in _WORD.findall(alias) if word not in STOPS]
    return bool(words) and words[0][0].isupper() and words[-1][0].isupper()


def _splits_hyphen(alias: str, span: Sequence[str]) -> bool:
    """Whether words are but a part of a word with a hyphen: the `Spanish` of `Spanish-French`."""
    lower = alias.lower()
    return f"-{span[0]}" in lower or f"{span[-1]}-" in lower


_PAIR = ("row", "slot", "alias", "form", "mark", "clauses")


def _pairs_with_clues(pairs: pl.DataFrame, forms: pl.Series) -> pl.DataFrame:
    """The pairs whose response holds a clue to the alias."""
    table = [(form, clue) for form in forms for clue in clues(form)]
    clue_table = pl.DataFrame(table, schema={"form": pl.String, "clue": pl.String}, orient="row")
    has_clue = pl.col("words").str.contains(pl.col("clue"), literal=True)
    return pairs.join(clue_table, on="form").filter(has_clue).select("row", "key", "slot", "form")


def _pairs_with_parts(pairs: pl.DataFrame) -> pl.DataFrame:
    """The pairs whose short response may be a part of the alias: its last word begins like one in the alias."""
    last = pl.col("words").str.strip_chars(" ").str.split(" ").list.last().str.head(FIRST)
    short = pl.col("words").str.count_matches(" ", literal=True) <= SHORT + 1
    brief = pairs.filter(short)
    return brief.filter(pl.col("form").str.contains(last, literal=True)).select("row", "key", "slot", "form")


def clues(form: str) -> list[str]:
    """Beginnings of words of which a response must hold one to be near an alias, beside those that are part of it."""
    content = _alias_words(form)
    if not content:
        return []
    last = content[-1]
    joined = "".join(content)
    if last in CLASSES and len(content) > 1:
        last = content[-2]
    written = [*WRITTEN.get(last, ()), *([] if is_numeric(joined) else [joined[:LONG]])]
    return [f" {one}" for one in (last if is_numeric(last) else last[:FIRST], *written)]


def fuzzy_match(words: str, form: str, *, named: bool = True) -> FuzzyMatch | None:
    """How the words of a response are near those of an alias, or None. Marks of sentences and clauses are words.

    named: whether the alias may be a name: nothing in it, nor its beginning, may be left out of `high blood pressure`.
    """
    wanted = _alias_words(form)
    if not wanted:
        return None
    response = word_forms(tuple(_mark_other_senses(words.split(), form, wanted))).content_words()
    match = (
        _match_adjacent(response, wanted)
        or _match_without_class(response, wanted)
        or (_match_name(response, wanted) if named else None)
    )
    return match or _match_reordered(response, wanted) or _match_part(response, wanted, named=named)


@lru_cache(maxsize=100_000)
def _alias_words(form: str) -> tuple[str, ...]:
    forms = tuple(one for one in word_forms(tuple(form.split())).content_words().forms if one not in STOPS)
    counted = tuple(one for one in forms if one not in CURRENCIES)
    return counted if any(map(is_numeric, counted)) else forms


# --- ways ---


def _match_adjacent(response: WordForms, wanted: tuple[str, ...]) -> FuzzyMatch | None:
    """The words of the alias one after another, in any form, or written as one word or as two."""
    count = len(wanted)
    for place in range(len(response.forms) - count + 1):
        if all(map(is_same_word, response.forms[place : place + count], wanted)):
            return FuzzyMatch(response.starts[place], response.ends[place + count - 1], OTHER_FORM)
    joined = "".join(wanted)
    if len(joined) < LONG or is_numeric(joined):
        return None
    for place, form in enumerate(response.forms):
        if form == joined:
            return FuzzyMatch(response.starts[place], response.ends[place], OTHER_FORM)
        if joined.startswith(form) and "".join(response.forms[place : place + _TWO]) == joined:
            return FuzzyMatch(response.starts[place], response.ends[place + 1], OTHER_FORM)
    return None


def _mark_other_senses(words: list[str], form: str, wanted: tuple[str, ...]) -> list[str]:
    """Words of a response, with a space behind those of a longer one that have another sense than in the alias.

    There `us` is a pronoun, `he first saw it` counts nothing, and the 20th century is no 20.
    """
    if len(words) > _FEW:
        words = [f"{word} " if word in SPOKEN else word for word in words]
    if len(words) > SHORT and len(wanted) == 1 and is_numeric(wanted[0]):
        counts = is_ordinal(form.strip())
        words = [
            f"{word} " if (is_numeric(word) or is_ordinal(word)) and is_ordinal(word) != counts else word
            for word in words
        ]
    return words


def _match_without_class(response: WordForms, wanted: tuple[str, ...]) -> FuzzyMatch | None:
    """All words of the alias but the last, if that is a class such as `company`."""
    if len(wanted) < _TWO or wanted[-1] not in CLASSES or not _may_be_dropped(wanted):
        return None
    match = _match_adjacent(response, wanted[:-1])
    return match and FuzzyMatch(match.first, match.last, SHORTER)


def _match_name(response: WordForms, wanted: tuple[str, ...]) -> FuzzyMatch | None:
    """All words of a name close together, or the first and the last."""
    if len(wanted) < _TWO or any(map(is_numeric, wanted)):
        return None
    match = _match_with_gaps(response, wanted, LONGER)
    if match is None and len(wanted) > _TWO and _may_be_dropped(wanted[1:-1]):
        match = _match_with_gaps(response, (wanted[0], wanted[-1]), SHORTER)
    return match


def _match_with_gaps(response: WordForms, wanted: tuple[str, ...], way: str) -> FuzzyMatch | None:
    """The words in their order, with up to one or two more between them, all of one clause.

    Of three or more, all but the last may be initials.
    """
    spare = 0 if way == SHORTER else 1 if len(wanted) == _TWO else 2
    for place, form in enumerate(response.forms):
        initials = len(wanted) > _TWO and way == LONGER and is_initial(form, wanted[0])
        if not initials and not is_same_word(form, wanted[0]):
            continue
        last = _last_place(response.forms, place, wanted, spare)
        if last is not None:
            return FuzzyMatch(response.starts[place], response.ends[last], way)
    return None


def _last_place(forms: Sequence[str], place: int, wanted: Sequence[str], spare: int) -> int | None:
    """The place of the last word, given the place of the first; inner words may be initials."""
    whole = all(len(word) > 1 for word in wanted)
    for count, word in enumerate(wanted[1:], start=2):
        place += 1
        inner = count < len(wanted)
        while place < len(forms) and not (
            is_same_word(forms[place], word) or (inner and is_initial(forms[place], word))
        ):
            spare -= 1
            if spare < 0 or not _may_be_added(forms[place]) or not (whole or len(forms[place]) > 1):
                return None
            place += 1
        if place >= len(forms):
            return None
    return place


def _match_reordered(response: WordForms, wanted: tuple[str, ...]) -> FuzzyMatch | None:
    """The words side by side in another order; numbers stay in theirs."""
    count, target, numbers = len(wanted), sorted(wanted), [*filter(is_numeric, wanted)]
    kept = [place for place, form in enumerate(response.forms) if form != CLAUSE and form not in STOPS]
    for begin in range(len(kept) - count + 1):
        places = kept[begin : begin + count]
        forms = [response.forms[place] for place in places]
        if sorted(forms) == target and [*filter(is_numeric, forms)] == numbers:
            way = OTHER_FORM if forms == [*wanted] else ORDER
            return FuzzyMatch(response.starts[places[0]], response.ends[places[-1]], way)
    return None


def _match_part(response: WordForms, wanted: tuple[str, ...], *, named: bool) -> FuzzyMatch | None:
    """The whole short response is the beginning or end of the alias, and no distinguishing word is missing."""
    kept = [place for place, form in enumerate(response.forms) if form not in {SENTENCE, CLAUSE} and form not in STOPS]
    count = len(kept)
    if not 0 < count < len(wanted) or count > SHORT or (any(map(is_numeric, wanted)) and not named):
        return None
    forms = [response.forms[place] for place in kept]
    if all(form in VAGUE or form in DISTINCT for form in forms):
        return None
    begins, ends = (wanted[:count], wanted[count:]), (wanted[-count:], wanted[:-count])
    for part, rest in (begins, ends) if named else (begins,):
        if _may_be_dropped(rest) and all(map(is_same_word, forms, part)):
            return FuzzyMatch(response.starts[kept[0]], response.ends[kept[-1]], PART)
    return None


def _may_be_added(form: str) -> bool:
    """Whether a word may stand between those of a name."""
    return form not in {SENTENCE, CLAUSE} and _may_be_dropped([form])


def _may_be_dropped(forms: Iterable[str]) -> bool:
    """Whether words may be left out."""
    return not any(is_numeric(form) or form in DISTINCT or form in JOINING for form in forms)


_TWO, _FEW = 2, 3
