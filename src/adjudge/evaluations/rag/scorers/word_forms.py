"""Word forms for fuzzy matching: base forms, English words without endings, spelling variants, classes of words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from adjudge.text.values import DAY, MONTH

SHORTEST = 4
"""Letters that are left at least."""
_HISSING = ("ss", "us", "is")
_PLURAL_AFTER = ("s", "x", "z", "ch", "sh")


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
@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The word without its inflection; short words, and those with other letters than English has, stay as they are.

    It only has to be the same for the forms of a word, and need not be one itself.

    >>> [stem(word) for word in ("miners", "mining", "cities", "city", "boxes", "glass", "was")]
    ['miner', 'mining', 'citi', 'citi', 'box', 'glass', 'was']
    """
    if not (word.isascii() and word.isalpha()) or len(word) < SHORTEST:
        return word
    singular = _singular(word)
    for ending in ("ing", "ed", "er", "or"):
        if singular.endswith(ending) and len(singular) - len(ending) > SHORTEST:
            root = singular.removesuffix(ending)
            return _even(root[:-1] if root[-1] == root[-2] else root)
    return _even(singular)


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(_HISSING):
        return word
    if word.endswith("ies") and len(word) > SHORTEST:
        return word.removesuffix("ies") + "y"
    if word.endswith("es") and word.removesuffix("es").endswith(_PLURAL_AFTER):
        return word.removesuffix("es")
    return word.removesuffix("s")


def _even(root: str) -> str:
    """The root without the letter at its end that some endings drop or change."""
    if len(root) > SHORTEST and root.endswith("e"):
        return root[:-1]
    return root[:-1] + "i" if root.endswith("y") else root


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
