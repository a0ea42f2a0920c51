"""Where aliases stand in responses, and whether they are given there as the answer.

Literally first. Where a response holds no alias of a slot literally, it may come near one in other ways, which
`detail` names. Nothing that holds a number may be left out or added: `1971` does not answer `August 15, 1971`. Only
names, whose first and last word have a capital letter, may be longer or shorter. A part of the truth is enough where it
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
| `the fifteenth season`         | Season 15                | other order      |
| `Madison` (all of the response)| Madison, Wisconsin       | part of the truth|
| `Anders Celsius` (the same)    | the Swedish astronomer Anders Celsius | part of the truth |

What stands in a response is not always its answer; it is where it stands once in another way:

| Response          | Alias                       | Answer | Why                                        |
|-------------------|-----------------------------|--------|--------------------------------------------|
| `It may rain now` | May                         | no     | another word, without its capital letter   |
| `36 hours`        | an hour                     | no     | the number is another                      |
| `June 24, 1991`   | June 1991, or June 23, 1991 | no     | the more exact alias contradicts the other |
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import polars as pl

from adjudge.evaluations.rag.scorers.phrases import DATA
from adjudge.text.values import DAY, MONTH

SHORTER, PART = "shorter name", "part of the truth"
ARTICLE = r"^(?:[Aa]n?) \S"
"""What an alias begins with that is one of several."""
_WORDS = {name: frozenset(listed) for name, listed in DATA["words"].items()}
_VAGUE = _WORDS["vague"] | _WORDS["distinct"]
_FEW, _SHORT, _MOST = 4, 3, 9
"""Words of a response in which a common word needs its capital letter; letters of a word that has
inflections; words of an alias in another order, which are many to look for."""
_ENDING = r"(?:(?<=..)(?:y|ies)|(?<=..[^sui])s|(?<=[sxzh])es|(?<=.{4})(?:ings?|ed|e)|(?<=.{5})[eo]rs?)$"
_EDGES = ".,;:()\"'"


def alias_parts(alias: str) -> Iterator[tuple[str, str]]:
    """What stands for an alias, and the way: a shorter name anywhere; as all of a response, a part of the truth.

    That is its end, in capital letters, or what a place follows. A list has none, nor has what leaves out a number.
    """
    words = [word for word in alias.split() if word.lower() not in _WORDS["stops"]]
    if words and words[-1].lower().strip(_EDGES) in _WORDS["classes"] and _may_be_dropped(words[:-1]):
        yield " ".join(words[:-1]), SHORTER
    if is_name(alias) and words[1:-1] and not re.search(r"[0-9,;/(]", alias) and _may_be_dropped(words[1:-1]):
        yield f"{words[0]} {words[-1]}", SHORTER
    place, words = re.match(r"([A-Z][^,(]*?),? ?[,(] ?[A-Z]", alias), alias.split()
    ends = [words[count:] for count in range(1, len(words)) if words[count - 1].lower() not in {"of", "by", "de"}]
    ends = [end for end in ends if all(word[0].isupper() for word in end) and _may_be_dropped(words[: -len(end)])]
    parts = [*([place[1]] if place and is_name(place[1]) else []), *map(" ".join, ends)]
    if not re.search(r"[,;/].*[,;/]|[;/]", alias):
        yield from ((part, PART) for part in parts if not {*part.lower().split()} <= _VAGUE)


def is_name(alias: str) -> bool:
    """Whether the first and the last word of an alias are written with a capital letter."""
    named = [word for word in re.findall(r"[^\W\d_][^\W_]*", alias) if word not in _WORDS["stops"]]
    return bool(named) and named[0][0].isupper() and named[-1][0].isupper()


def _may_be_dropped(words: list[str]) -> bool:
    """Whether words may be left out of a name."""
    return not any(_holds_number(word) or word.lower().strip(_EDGES) in _WORDS["distinct"] for word in words)


def _holds_number(text: str) -> bool:
    return bool(re.search(rf"[0-9{MONTH}{DAY}]", text))


def alias_hits(rows: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """Where responses give aliases, literally or nearly: row, slot, alias, form, written, mark, way, and more.

    rows: row, key, response, words, clauses. aliases: as `strict` prepares them. A slot of which an alias stands in a
    response literally is not looked for nearly. What is nearly true is not where it holds what is false word for word.
    """
    aliases = aliases.with_columns(clue=pl.col("form").map_elements(_clue, pl.String))
    pairs = rows.lazy().select("row", "key", "response", "words", "clauses").join(aliases.lazy(), on="key")
    inside = pl.col("words").str.contains(pl.col("form"), literal=True)
    whole = (pl.col("words") == pl.col("form")) | (pl.col("words") == pl.format(" the{}", "form"))
    literal = pairs.filter(pl.when(pl.col("way") == PART).then(whole).otherwise(inside)).collect()
    near = pl.col("clauses").str.contains(pl.col("clue"), literal=True)
    fuzzy = pairs.filter(near & (pl.col("slot") >= 0) & pl.col("way").is_null())
    missed = fuzzy.join(literal.lazy(), on=["row", "slot"], how="anti").collect()
    matches = []
    for clauses, *alias in missed.select("clauses", "form", "alias").iter_rows():
        ways = ((pattern.search(clauses), way) for way, pattern in _fuzzy_patterns(*alias))
        matches.append(next(((match[0], way) for match, way in ways if match), (None, None)))
    nearly = pl.DataFrame(matches, schema={"form": pl.String, "way": pl.String}, orient="row")
    matched = missed.with_columns(nearly, written=nearly["form"]).drop_nulls("form")
    hits = pl.concat([_asserted(literal), matched]).sort("row", "slot", "place")
    lies = hits.filter(pl.col("slot") < 0).select("row", lie="form")
    nearly_false = hits.filter(pl.col("way").is_not_null()).join(lies, on="row")
    nearly_false = nearly_false.filter(pl.col("form").str.contains(pl.col("lie"), literal=True))
    return hits.join(nearly_false, on=["row", "slot", "form"], how="anti", maintain_order="left")


@lru_cache(maxsize=100_000)
def _fuzzy_patterns(form: str, alias: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The ways in which the words of an alias (form) may stand in the clauses of a response, each with its pattern."""
    words, numeric = _content(form), _holds_number(form)
    stops, distinct = "|".join(sorted(_WORDS["stops"])), "|".join(sorted(_WORDS["distinct"]))
    between, inflected = f"(?: (?:,|{stops}))* ", [*map(_inflected, words)]
    # Each word once, in any order, but numbers in theirs.
    numbers = [part for word, part in zip(words, inflected, strict=True) if _holds_number(word)]
    step = f"(?:{'|'.join(inflected)}){between}"
    runs = (f"{between}(?:{step})*".join(run) for run in (*zip(inflected, strict=True), numbers) if run)
    order = "".join(f"(?=(?:{step}){{0,{len(words) - 1}}}{run} )" for run in runs)
    order += f"(?:{step}){{{len(words) - 1}}}(?:{'|'.join(inflected)})"
    ways = [("other form", between.join(inflected))]
    if len(words) > 1 and not numeric and is_name(alias):
        shortest, spare = 1 + (min(map(len, words)) == 1), min(len(words) - 1, 2)
        extra = rf"(?: (?!(?:{stops}|{distinct}) )[^ .,0-9{MONTH}{DAY}]{{{shortest},}}){{1,{spare}}} "
        if spare > 1:
            initials = [f"{word[0]}{'[a-z]*' * (len(word) == 1)}" for word in words]
            inflected = [*map("(?:{}|{})".format, inflected[:-1], initials), inflected[-1]]
        ways.append(("longer name", f"(?:{between}|{extra})".join(inflected)))
    ways += [("other order", order)] * (len(words) <= _MOST)
    before = "(?:(?<![0-9])|(?<= 1))" if re.match(ARTICLE, alias) else ""
    behind = f"(?!(?:{'|'.join(sorted(_WORDS['currencies'] - set(form.split())))}) )" if numeric else ""
    if numeric and len(words) == 1 and not words[0].endswith("th"):
        behind += "(?:(?<!th )|(?=[.,] |$))"  # in `the fifth season` the number counts something else
    return tuple((way, re.compile(f"{before} (?:{pattern}) {behind}")) for way, pattern in ways)


def _content(form: str) -> list[str]:
    """The words of an alias that carry its meaning; a number stands for it without its currency."""
    empty = _WORDS["stops"] | (_WORDS["currencies"] if _holds_number(form) else frozenset())
    return [word for word in form.split() if word not in empty]


def _clue(form: str) -> str | None:
    """The beginning of the last word of an alias, which every response near it holds."""
    return next((f" {w.removesuffix('th') if _holds_number(w) else w[:3]}" for w in reversed(_content(form))), None)


def _inflected(word: str) -> str:
    """A pattern of the inflections of an English word; of a number, with its ordinal."""
    if _holds_number(word):
        return re.escape(word.removesuffix("th")) + "(?:th)?"
    if len(word) < _SHORT or not (word.isascii() and word.isalpha()):
        return re.escape(word)
    ending = re.search(_ENDING, word)
    if ending and ending[0] in {"y", "ies"}:
        return f"{word[: ending.start()]}(?:ys?|ies)"
    root = re.sub(r"([^ls])\1$", r"\1", word[: ending.start()]) if ending else word
    return f"{root}{root[-1]}?(?:e?s{'|e|ings?|ed' * (len(root) > _SHORT)}{'|[eo]rs?' * (len(root) > _SHORT + 1)})?"


def _asserted(hits: pl.DataFrame) -> pl.DataFrame:
    """The hits that the response gives as its answer. exact: another alias of the slot names a day of it."""
    common = pl.col("form").str.strip_chars().is_in(_WORDS["common"])
    doubtful = hits.filter(pl.col("exact") | pl.col("alias").str.contains(ARTICLE) | common)
    columns = doubtful.select("words", "response", "alias", "form").iter_rows()
    wrong = doubtful.filter(pl.Series([not _is_asserted(*texts) for texts in columns], dtype=pl.Boolean))
    return hits.join(wrong, on=["row", "slot", "form"], how="anti")


def _is_asserted(words: str, response: str, alias: str, form: str) -> bool:
    """Whether a response gives an alias that is a common word, begins with an article or is a month."""
    word = form.strip()
    if word in _WORDS["common"]:
        name = re.search(rf"(?i)\b{word}\b", alias)
        written = rf"\b(?:{name[0] if name else word.upper()}|{word.upper()})\b"
        return len(response.split()) < _FEW or bool(re.search(written, response))
    number = rf"(?<=[0-9])(?<! 1) {re.escape(word)}(?= )" if re.match(ARTICLE, alias) else f"{word} {DAY}"
    return form in re.sub(number, " ", words)
