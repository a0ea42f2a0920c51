"""The scorer `strict`: what an answer asserts, by rules.

It speaks of answers given: of a null or blank response there is nothing to say. Texts are folded
(adjudge.text.folding), and numbers and dates read by value (adjudge.text.values) where an alias holds any. An alias
stands in a text where its words do; an article before it may be left out, but no number takes its place.

Most texts are clear from what occurs in them. Those with a word that may refuse, deny or speak of an error (`hints` of
phrases.toml), and those with both a true and a false answer, are read: each word becomes one letter, its code, and the
rules of the phrase file are patterns of codes.

Correct: of every slot some alias is asserted, and nothing that the documents say falsely is. With `Paris` for a truth,
and where (L) stands documents that say `London`:

| Answer                                                   | Correct | Why                                             |
|----------------------------------------------------------|---------|-------------------------------------------------|
| `It is Paris, not Rome.`                                 | yes     | a negation denies what follows it               |
| `It is not Paris.`, `It is not Rome or Paris.`           | no      |                                                 |
| `Paris is not the capital.`, `Paris? That is incorrect.` | no      | or, with a verb, what stands before it          |
| `Rome rather than Paris.`                                | no      | so do `instead of`, `other than`                |
| `It is not only Paris.`, `There is no doubt it is Paris` | yes     | no denial (`harmless`)                          |
| `Paris. It is not a small city.`                         | yes     | another sentence                                |
| `It is not Paris. I was wrong: it is Paris.`             | yes     | it is asserted once                             |
| `It is either Paris or Rome.`, `Paris or Rome`           | no      | nothing is decided                              |
| `Many think it is Paris, but it is actually Rome.`       | no      | what others think is set aside                  |
| `Paris. Sorry, I meant Rome.`                            | no      | it is taken back                                |
| (L) `It is Paris or London.`                             | no      | neither is rejected                             |
| (L) `While the documents say London, it is Paris.`       | yes     | the false one is set aside                      |
| (L) `They say London, but the correct answer is Paris.`  | yes     |                                                 |
| `The documents do not mention Paris.`                    | no      | what a refusal speaks of is not asserted        |
| `The documents do not say, but I believe it is Paris.`   | yes     | a refusal that then answers is an answer        |

Rejected: it is said that the documents, or the speaker by them, do not answer, and no answer is given: none of the true
and false ones is asserted, and nothing follows words such as `the answer is`, `I believe`, `most likely`.

| Answer                                                   | Rejected | Why                                            |
|----------------------------------------------------------|----------|------------------------------------------------|
| `The documents do not say.`, `I can’t tell from this.`   | yes      |                                                |
| `Unknown.`                                               | yes      | that is all; not so `The unknown soldier.`     |
| `The documents do not say, but most likely it was Rome.` | no       | an answer, if a wrong one                      |
| `He cannot swim.`                                        | no       | nothing is said of answering                   |

Detected, where the documents lie: they are said to hold an error, or what they say falsely is denied.

| Answer (L)                                               | Detected | Why                                            |
|----------------------------------------------------------|----------|------------------------------------------------|
| `The documents contain mistakes.`                        | yes      | whatever the answer is                         |
| `London is wrong.`, `It is Paris, not London.`           | yes      | the false answer is denied                     |
| `There are no factual errors in the documents.`          | no       |                                                |
| `However, it rains.`, `Actually, it is Paris.`           | no       | of the documents nothing is said               |
| `It is not Paris.`                                       | no       | another answer is denied                       |

Corrected: where the documents lie, the same as correct. Who says `Paris` there has not followed them, whether or not
the error is spoken of; `error_correction_rate_detected` is of both.

detail is the alias that was found in a correct answer, with the way in which it is near the response
(as below), or what a wrong one says falsely with the documents.

Texts read by the phrases and the rules of `strict` (phrases.toml): patterns over codes, one letter for each word.

Where aliases stand in responses, and whether they are given there as the answer.

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
from functools import cache, lru_cache

import polars as pl

from adjudge.evaluations.rag.substrings import contains
from adjudge.schemas.answers import SLOTS, VERDICTS
from adjudge.text.folding import change_where, fold, replace_each, unbound, words
from adjudge.text.toml_files import packaged
from adjudge.text.values import DAY, GLUED, HAS_FIGURES, MONTH, NOTES, figures, numbers_in_words, without_notes

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
    whole = (pl.col("words") == pl.col("form")) | (pl.col("words") == pl.format(" the{}", "form"))
    literal = pairs.filter(pl.when(pl.col("way") == PART).then(whole).otherwise(contains("words", "form"))).collect()
    fuzzy = pairs.filter(contains("clauses", "clue") & (pl.col("slot") >= 0) & pl.col("way").is_null())
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
    nearly_false = nearly_false.filter(contains("form", "lie"))
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


def score_strict(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on answers (see adjudge.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    Also misled: whether what the documents say falsely is asserted; null where they do not lie.
    """
    # First what occurs at all; then in which way, for the rows where that can matter.
    asked, aliases = _distinct_questions(answers)
    rows = _fold_rows(asked, aliases)
    hits = alias_hits(rows, aliases)
    rows = _with_hits(rows, hits)
    unclear = pl.col("words").str.contains_any(HINTS) | pl.col("response").str.contains(_CHOICE) | pl.col("false_found")
    read = read_texts(rows.filter(unclear), hits)
    return _verdict_columns(rows.join(read, on="row", how="left", maintain_order="left"))


def _distinct_questions(answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows with the number (key) of what answers them, and the aliases of each such number, prepared once.

    aliases: key, slot (-1: what the documents say falsely), alias, form (its words), written (its words as they may
    stand in a text that is read), mark (what then stands for them), way (in which they do; null: literally), exact
    (whether another alias of the slot names a day of this month). An alias without words (`""`, `"?"`) answers nothing.
    """
    truths_and_lies = pl.col("slots").cast(SLOTS), pl.col("false").cast(pl.List(pl.String))
    rows = answers.select("response", *truths_and_lies).with_row_index("row")
    keys = rows.select("slots", "false").unique(maintain_order=True).with_row_index("key")
    asked = rows.join(keys, on=["slots", "false"], how="left", nulls_equal=True, maintain_order="left")
    true = keys.select("key", pl.int_ranges(pl.col("slots").list.len(), dtype=pl.Int32).alias("slot"), alias="slots")
    true = true.explode("slot", "alias").explode("alias")
    false = keys.select("key", pl.lit(-1, pl.Int32).alias("slot"), alias="false").explode("alias")
    listed = pl.concat([true, false]).drop_nulls("alias")
    listed = listed.join(_alias_forms(listed["alias"].unique()), on="alias", maintain_order="left")
    # A bare number beside the dates of other slots is a day, too: the 12 of `May 11` and `12`.
    dated = pl.col("form").str.contains(DAY, literal=True).any().over("key")
    day = pl.concat_str(pl.lit(f" {DAY}"), pl.col("form").str.extract("^ ([1-9]|[12][0-9]|3[01]) $"), pl.lit(" "))
    days = listed.filter(dated & day.is_not_null() & (pl.col("slot") >= 0)).with_columns(form=day, written=day)
    short = listed.with_columns(pl.col("form", "written").replace_strict(_SHORT_NAMES, default=None)).drop_nulls("form")
    listed = pl.concat([listed, days, short]).filter(pl.col("form").str.strip_chars() != "")
    listed = listed.with_row_index("place").sort("way", nulls_last=False, maintain_order=True)
    listed = listed.unique(["key", "slot", "form"], keep="first", maintain_order=True)
    month = pl.col("form").str.extract(rf"^( [0-9]{{4}} {MONTH}[0-9]+ ){DAY}")
    listed = listed.with_columns(
        exact=month.is_null() & month.is_not_null().any().over("key", "slot", pl.coalesce(month, "form")),
        mark=pl.col("slot").map_elements(mark_of, pl.String),
    )
    whole = pl.col("way").is_null()
    also_true = pl.col("slot").filter(whole).max().over("key", "form") >= 0
    return asked, listed.filter((pl.col("slot") >= 0) | (whole & ~also_true))


def _alias_forms(aliases: pl.Series) -> pl.DataFrame:
    """The words of each alias and of what stands for it, by value; a leading article falls where more follows."""
    parts = [(alias, part, way) for alias in aliases for part, way in ((alias, None), *alias_parts(alias))]
    frame = pl.DataFrame(parts, schema=dict.fromkeys(("alias", "part", "way"), pl.String), orient="row")
    folded = figures(fold(without_notes(frame["part"], NOTES)).str.replace(r"^(?:the|an?) (\S)", "$1"))
    written = numbers_in_words(_mark_clauses(folded)).str.strip_chars(" .,")
    frame = frame.with_columns(written=pl.format(" {} ", written)).drop("part")
    return frame.with_columns(form=unbound(_without_stops(pl.col("written"))), written=unbound(pl.col("written")))


def _fold_rows(asked: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """The rows with their folded text, its clauses and its words, by value where a value is asked for.

    Blank texts are missing.
    """
    valued = pl.col("form").str.contains(HAS_FIGURES) | pl.col("alias").str.contains(ARTICLE)
    where = asked["key"].is_in(aliases.filter(valued)["key"].unique().implode())
    glued = asked["key"].is_in(aliases.filter(pl.col("form").str.contains(_LIKE_GLUED))["key"].unique().implode())
    text = fold(without_notes(asked["response"], NOTES))
    text = change_where(text, ~glued, lambda texts: without_notes(texts, GLUED))
    text = change_where(text.set(text == "", None), where, figures)
    clauses = change_where(_mark_clauses(text), where, numbers_in_words)
    return asked.with_columns(text=text, clauses=clauses).with_columns(words=_without_stops(pl.col("clauses")))


def _mark_clauses(folded: pl.Series) -> pl.Series:
    """The words of folded texts, with a stop or a comma where a sentence or a clause ends, and `not` for n't."""
    titled = r"(?-u:\b)([a-z]|mrs?|ms|mt|ft|dr|st|[js]r|vs|prof|gen|col|lt)\."
    return words(folded.str.replace_all(titled, "$1 "), _STOPS).str.replace_many(_SAME, leftmost=True)


def _without_stops(clauses: pl.Expr) -> pl.Expr:
    return clauses.str.replace_many([". ", ", "], [""])


def _with_hits(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The rows with what occurs in them: how many slots, whether anything false, which truth and in what way."""
    true = pl.col("slot") >= 0
    by_row = hits.group_by("row", maintain_order=True).agg(
        pl.col("slot").filter(true).n_unique().alias("slots_found"),
        (~true).any().alias("false_found"),
        (pl.col("form").filter(true) == NO).all().alias("bare_no"),
        pl.col("alias").filter(true).first().alias("truth"),
        pl.col("way").filter(true).first(),
        pl.col("alias").filter(~true).first().alias("lie"),
    )
    return rows.join(by_row, on="row", how="left", maintain_order="left")


def _verdict_columns(rows: pl.DataFrame) -> pl.DataFrame:
    """The verdicts, from what was found and what was read."""
    given, slots, false = pl.col("text").is_not_null(), pl.col("slots").list.len(), pl.col("false").is_not_null()
    rows = rows.with_columns(pl.col("refused", "erring", "denied_lie", "answering").fill_null(value=False))
    # In `there is no mention of it` nobody says no.
    no_answer = pl.col("bare_no") & pl.col("refused") & ~pl.col("answering")
    rows = rows.with_columns(
        asserted=pl.when(no_answer).then(0).otherwise(pl.coalesce("left", "slots_found", 0)),
        lied=pl.coalesce("lies", "false_found", pl.lit(value=False)),
        whole=pl.col("words").str.strip_chars(" ").is_in(DATA["answers"]["whole"]),
    )
    answered = (pl.col("asserted") > 0) | pl.col("lied") | pl.col("answering")
    rows = rows.with_columns(
        correct=pl.when(given & (slots > 0)).then((pl.col("asserted") == slots) & ~pl.col("lied")),
        rejected=pl.when(given).then((pl.col("refused") | pl.col("whole")) & ~answered),
        error_detected=pl.when(given & false).then(pl.col("erring") | pl.col("denied_lie")),
        misled=pl.when(given & false).then("lied"),
    )
    way = pl.concat_str(pl.lit(" ("), "way", pl.lit(")")).fill_null("")
    alias = pl.when("correct").then(pl.concat_str("truth", way)).when("lied").then("lie")
    corrected = pl.when(false).then("correct")
    return rows.with_columns(error_corrected=corrected, detail=alias).select(*VERDICTS, "detail", "misled")


_CHOICE = r"[A-Z0-9\"”][^ ]* or (?:the |in |on )?[A-Z0-9\"“*_]|或"
"""Found where names, numbers or quotations stand for a choice; other words may mean the same (`film or movie`)."""
_SHORT_NAMES = {" us ": " united states ", " united states ": " us "}
"""Other words for an alias alone: elsewhere `us` is a pronoun."""
_LIKE_GLUED = r"[a-z]{2}[0-9]| [0-9]{5,6} "
"""Found in the words of what looks as if the number of a note were glued to it."""
_SAME = {f" {spelling} ": f" {name} " for name, spellings in DATA["same"].items() for spelling in spellings}
_SAME = {spelling: _SAME[spelling] for spelling in sorted(_SAME, key=lambda spelling: (-len(spelling), spelling))}
_STOPS = {"won't": "will not", "can't": "can not", "cannot": "can not", "n't": " not"}
_STOPS |= {f".{closed}{space}": " . " for closed in ("", *"\"')]", '")', ')"') for space in " \n"}
_STOPS |= dict.fromkeys("!?。\n", " . ") | dict.fromkeys((*",;:()[]、", " - ", "--"), " , ")
