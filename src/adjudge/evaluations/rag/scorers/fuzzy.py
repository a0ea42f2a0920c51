"""Fuzzy matches of aliases, which `strict` looks for where a response holds no alias literally.

A response is near an alias in one of the ways of WAYS; the first that fits says what decided. Nothing that holds a
number may be left out or added: `1971` does not answer `August 15, 1971`, nor `Apollo 11` `Apollo 13`. Only
names, whose first and last word have a capital letter, may be longer or shorter. Of a truth, a part is enough where it
holds what the truth is about: `George Huntington` of `the physician George Huntington`, but not `Boston` of
`Boston suburbs`, nor `Evey` of `Evey's mother`.

| Response                       | Alias                    | Way              |
|--------------------------------|--------------------------|------------------|
| `coal miners`                  | coal miner               | other form       |
| `the fifth`                    | 5                        | other form       |
| `Kirsten Simone Vangsness`     | Kirsten Vangsness        | longer name      |
| `It is Kirsten Vangsness.`     | Kirsten Simone Vangsness | shorter name     |
| `It is a part of Arpanet.`     | the Arpanet project      | shorter name     |
| `The Hastings battle`          | Battle of Hastings       | other order      |
| `Madison` (all of the response)| Madison, Wisconsin       | part of the truth|
| `Anders Celsius` (the same)    | the Swedish astronomer Anders Celsius | part of the truth |
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import polars as pl

from adjudge.evaluations.rag.scorers.phrases import DATA
from adjudge.text.folding import fold, words
from adjudge.text.values import DAY, MONTH

WAYS = OTHER_FORM, LONGER, SHORTER, ORDER, PART = (
    "other form",
    "longer name",
    "shorter name",
    "other order",
    "part of the truth",
)
FuzzyMatch = tuple[int, int, str]
"""The places of the first and last word of a match among the words of a response, and the way it matches."""


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """What the inflections of an English word have in common; of an ordinal number, the number.

    Short words, and those with other letters than English has, stay as they are.

    >>> [stem(word) for word in ("miners", "mining", "cities", "city", "boxes", "glass", "hunting", "hunt", "5th")]
    ['miner', 'mining', 'citi', 'citi', 'box', 'glass', 'hunt', 'hunt', '5']
    """
    if not (word.isascii() and word.isalpha()) or len(word) < _SHORTEST:
        return word.removesuffix("th") if word[:1].isdigit() else word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = re.sub(r"(?<=\w\w)ies$", "y", word)
        word = re.sub(r"(?<=[sxz])es$|(?<=[cs]h)es$|s$", "", word)
    for ending, shortest in (("ing", _SHORTEST), ("ed", _SHORTEST), ("er", _SHORTEST + 1), ("or", _SHORTEST + 1)):
        root = word.removesuffix(ending)
        if root != word and len(root) >= shortest:
            word = root[:-1] if root[-1] == root[-2] and root[-1] not in "ls" else root
            break
    return re.sub("(?<=....)e$", "", re.sub("y$", "i", word))


def fuzzy_hits(rows: pl.DataFrame, aliases: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """Fuzzy matches in responses that hold no alias of a slot literally: as hits, with the way.

    rows: row, key, words, clauses. aliases: key, slot, alias, form, mark; a negative slot is what is false. hits: row,
    slot and form of the aliases that stand in responses. What is false in a response is not taken for nearly true.
    """
    asked = aliases.filter(pl.col("slot") >= 0).select("key", "slot", "alias", "form", "mark")
    asked = asked.join(_clue_table(asked.select("alias", "form").unique()), on=["alias", "form"])
    pairs = rows.select("row", "key", "words", "clauses").drop_nulls("words").join(asked, on="key")
    missed = pairs.join(hits.select("row", "slot").unique(), on=["row", "slot"], how="anti")
    near = missed.filter(pl.col("words").str.contains(pl.col("clue"), literal=True))
    lies = dict(hits.filter(pl.col("slot") < 0).group_by("row").agg("form").iter_rows())
    schema = {name: near.schema[name] for name in ("row", "slot", "alias", "form", "mark")}
    hit_rows = []
    for *key, form, mark, clauses in near.select(*schema, "clauses").unique().sort("row", "slot", "alias").iter_rows():
        match = fuzzy_match(clauses, form, key[-1])
        span = f" {' '.join(clauses.split()[match[0] : match[1] + 1])} " if match else ""
        if match and not any(lie in span for lie in lies.get(key[0], ())):
            hit_rows.append((*key, span, mark, span, match[2]))
    schema = {name: schema[name] for name in ("row", "slot", "alias", "form", "mark")}
    return pl.DataFrame(hit_rows, schema=schema | {"written": pl.String(), "way": pl.String()}, orient="row")


def _clue_table(aliases: pl.DataFrame) -> pl.DataFrame:
    """Aliases and beginnings of words of which a response must hold one to be near: columns alias, form, clue."""
    table = []
    for alias, form in aliases.iter_rows():
        content = _alias_words(form)
        ends = {content[0], content[-1], *content[-2:-1]} if content else ()
        table += [(alias, form, f" {word if is_numeric(word) else word[:3]}") for word in ends]
    return pl.DataFrame(table, schema=dict.fromkeys(("alias", "form", "clue"), pl.String()), orient="row")


@lru_cache(maxsize=100_000)
def _alias_words(form: str) -> tuple[str, ...]:
    content = tuple(stem(word) for word in form.split() if word not in WORD_LISTS["stops"])
    return tuple(word for word in content if word not in _CURRENCIES) if any(map(is_numeric, content)) else content


def fuzzy_match(clauses: str, form: str, alias: str) -> FuzzyMatch | None:
    """How the words of a response are near those of an alias, or None. Ends of sentences and clauses are words."""
    wanted, response = _alias_words(form), clauses.split()
    places = [place for place, word in enumerate(response) if word not in WORD_LISTS["stops"]]
    forms = [stem(response[place]) for place in places]
    for begin, end, way in _matches(forms, wanted, alias):
        first, last = places[begin], places[end]
        joined = way == LONGER and set(response[first : last + 1]) & _JOINING - set(form.split())
        if not joined and not _is_counted(response, first, last, form, alias):
            return first, last, way
    said = " ".join(word for word in response if word not in {".", ","}).removeprefix("the ")
    short = len(said) < len(alias)
    return (0, len(response) - 1, PART) if short and said in _heads(alias) else None


def _matches(forms: Sequence[str], wanted: tuple[str, ...], alias: str) -> Iterator[FuzzyMatch]:
    """Where the words of an alias, or what may stand for it, stand among those of a response, and the way."""
    named = is_name(alias) and not any(map(is_numeric, wanted)) and len(wanted) > 1
    variants = [(wanted, min(len(wanted) - 1, 2) if named else 0, LONGER)]
    if len(wanted) > 1 and wanted[-1] in _CLASSES and _may_be_dropped(wanted):
        variants.append((wanted[:-1], 0, SHORTER))
    if named and wanted[1:-1] and _may_be_dropped(wanted[1:-1]):
        variants.append(((wanted[0], wanted[-1]), 0, SHORTER))
    for variant, spare, way in variants if wanted else ():
        for begin in (place for place, form in enumerate(forms) if form[0] == variant[0][0]):
            end = _end_of_walk(forms, begin, variant, spare)
            if end is not None:
                yield begin, end, OTHER_FORM if way == LONGER and forms[begin : end + 1] == [*variant] else way
    content, numbers = [place for place, word in enumerate(forms) if word != ","], [*filter(is_numeric, wanted)]
    for begin in range(len(content) - len(wanted) + 1 if wanted else 0):
        window = content[begin : begin + len(wanted)]
        if forms[window[0]] not in wanted or forms[window[-1]] not in wanted:
            continue
        same = [forms[place] for place in window]
        if sorted(same) == sorted(wanted) and [*filter(is_numeric, same)] == numbers:
            yield window[0], window[-1], ORDER


def _end_of_walk(forms: Sequence[str], place: int, wanted: tuple[str, ...], spare: int) -> int | None:
    """The place of the last of the words wanted, which stand in their order, with up to `spare` more between them.

    Of three or more with spare words, all but the last may be initials.
    """
    for number, word in enumerate(wanted):
        initial = spare > 1 and number < len(wanted) - 1
        left = spare if number else 0
        while place < len(forms) and not _is_same(forms[place], word, initial=initial):
            if (
                not left
                or not _may_be_dropped([forms[place]])
                or (len(forms[place]) == 1 and min(map(len, wanted)) == 1)
            ):
                return None
            place, left = place + 1, left - 1
        if place == len(forms):
            return None
        place += 1
    return place - 1


def _is_same(form: str, word: str, *, initial: bool) -> bool:
    return form == word or (initial and 1 in {len(form), len(word)} and form[0] == word[0] and form.isalpha())


def _is_counted(response: Sequence[str], first: int, last: int, form: str, alias: str) -> bool:
    """Whether the words at a place have another number, unit or sense than the alias.

    `36 hours` for an hour, EUR 5 for $5; in longer texts the 20th century is no 20.
    """
    before, behind = response[max(first - 1, 0) : first], response[last + 1 : last + 2]
    if re.match("[Aa]n? ", alias) and before and is_numeric(before[0]) and before != ["1"]:
        return True
    if any(word in _CURRENCIES and word not in form.split() for word in behind) and is_numeric(
        form.split(maxsplit=1)[0]
    ):
        return True
    ordinal = [word.endswith("th") for word in (response[last], form.strip())]
    return len(form.split()) == 1 and is_numeric(form.strip()) and len(response) > _FEW and ordinal[0] != ordinal[1]


def is_numeric(word: str) -> bool:
    """Whether a word holds a number or is a part of a date."""
    return any(letter.isdigit() for letter in word) or word[0] in MONTH + DAY


def _may_be_dropped(forms: Sequence[str]) -> bool:
    """Whether words may be left out, or stand between those of a name."""
    return not any(is_numeric(form) or form in _DISTINCT or form in {".", ","} for form in forms)


def is_name(alias: str) -> bool:
    """Whether the first and the last word of an alias are written with a capital letter."""
    named = [word for word in re.findall(r"[^\W\d_][^\W_]*", alias) if word not in WORD_LISTS["stops"]]
    return bool(named) and named[0][0].isupper() and named[-1][0].isupper()


@lru_cache(maxsize=100_000)
def _heads(alias: str) -> frozenset[str]:
    """The words of the parts of an alias that hold what it is about: its end, in capital letters; what a place follows.

    A list has none, nor has what leaves out a number.
    """
    if re.search(r"[,;/].*[,;/]|[;/]", alias):
        return frozenset()
    parts, heads = alias.split(), []
    place = re.fullmatch(r"([A-Z][^,(]*?),? ?[,(] ?[A-Z].*", alias)
    if place and is_name(place[1]):
        heads.append(place[1])
    for count in range(1, len(parts)):
        rest, end = words(fold(pl.Series([" ".join(parts[:count])]))).item().split(), parts[count:]
        last = parts[count - 1].lower()
        if all(word[0].isupper() for word in end) and last not in {"of", "by", "de"} and _may_be_dropped(rest):
            heads.append(" ".join(end))
    plain = (words(fold(pl.Series([head]))).item().strip() for head in heads)
    return frozenset(head for head in plain if not set(head.split()) <= _VAGUE)


_SHORTEST, _FEW = 4, 4
"""Letters of a word that may lose an ending; words of a response in which an ordinal is a number."""
WORD_LISTS = {name: frozenset(listed) for name, listed in DATA["words"].items()}
_CURRENCIES, _DISTINCT = WORD_LISTS["currencies"], WORD_LISTS["distinct"]
_JOINING = WORD_LISTS["stops"] - {"the", "a", "an"}
_CLASSES, _VAGUE = frozenset(map(stem, WORD_LISTS["classes"])), WORD_LISTS["vague"] | WORD_LISTS["distinct"]
