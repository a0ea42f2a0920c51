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
| `It is either Paris or Rome.`, `Paris or Rome`           | no      | nothing is decided (naming.py)                  |
| `The king of Paris was Louis XIV.`                       | no      | only says who is told of (naming.py)            |
| `Many think it is Paris, but it is actually Rome.`       | no      | what others think is set aside                  |
| `Paris. Sorry, I meant Rome.`                            | no      | it is taken back                                |
| (L) `It is Paris or London.`                             | no      | neither is rejected                             |
| (L) `While the documents say London, it is Paris.`       | yes     | the false one is set aside                      |
| (L) `They say London, but the correct answer is Paris.`  | yes     |                                                 |
| `The documents do not mention Paris.`                    | no      | what a refusal speaks of is not told            |
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

detail is the phrase that decided: of the error, of the denial or of the refusal; else the alias that was found.
"""

import re

import polars as pl

from adjudge.evaluations.rag.scorers.fuzzy import fuzzy_hits
from adjudge.evaluations.rag.scorers.naming import ARTICLE, asserted_hits
from adjudge.evaluations.rag.scorers.phrases import (
    DATA,
    DENIED_FALSE,
    FALSE,
    HINTS,
    LAST_TRUE,
    MARKS,
    TRUE,
    denials,
    encode,
    patterns,
    split,
)
from adjudge.schemas.answers import SLOTS, VERDICTS
from adjudge.text.folding import change_where, contains_where, fold, unbound, words
from adjudge.text.values import DAY, GLUED, HAS_FIGURES, NOTES, figures, numbers_in_words, without_notes


def score_strict(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on answers (see adjudge.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    Also misled: whether what the documents say falsely is asserted; null where they do not lie.
    """
    # First what occurs at all; then in which way, for the rows where that can matter.
    asked, aliases = _distinct_questions(answers)
    rows = _fold_rows(asked, aliases)
    pairs = rows.lazy().select("row", "key", "words", "response").join(aliases.lazy(), on="key", maintain_order="left")
    hits = pairs.filter(pl.col("words").str.contains(pl.col("form"), literal=True)).collect()
    close = fuzzy_hits(rows, aliases, hits)
    hits = pl.concat([asserted_hits(hits).select(close.columns), close])
    rows = _with_hits(rows.drop("response"), hits)
    unclear = pl.col("words").str.contains_any(HINTS) | ((pl.col("slots_found") > 0) & pl.col("false_found"))
    read = _read_marked(_mark_aliases(rows.filter(unclear), hits))
    return _verdict_columns(rows.join(read, on="row", how="left", maintain_order="left"))


def _distinct_questions(answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows with the number (key) of what answers them, and the aliases of each such number, prepared once.

    aliases: key, slot (-1: what the documents say falsely), alias, form (its words), written (its words as they may
    stand in a text that is read), mark (what then stands for them), others and forms (all aliases of its slot,
    and their words). An alias without words (`""`, `"?"`) answers nothing.
    """
    rows = answers.select("response", pl.col("slots").cast(SLOTS), pl.col("false").cast(pl.List(pl.String)))
    keys = rows.select("slots", "false").unique(maintain_order=True).with_row_index("key")
    asked = rows.with_row_index("row").join(
        keys, on=["slots", "false"], how="left", nulls_equal=True, maintain_order="left"
    )
    true = keys.select("key", pl.int_ranges(pl.col("slots").list.len(), dtype=pl.Int32).alias("slot"), alias="slots")
    true = true.explode("slot", "alias").with_columns(others="alias").explode("alias")
    false = keys.select("key", pl.lit(-1, pl.Int32).alias("slot"), alias="false", others="false").explode("alias")
    listed = pl.concat([true, false]).drop_nulls("alias")
    listed = listed.join(_alias_forms(listed["alias"].unique()), on="alias", maintain_order="left")
    # A bare number beside the dates of other slots is a day, too: the 12 of `May 11` and `12`.
    dated = pl.col("form").str.contains(DAY, literal=True).any().over("key")
    day = pl.concat_str(pl.lit(f" {DAY}"), pl.col("form").str.extract("^ ([1-9]|[12][0-9]|3[01]) $"), pl.lit(" "))
    days = listed.filter(dated & day.is_not_null() & (pl.col("slot") >= 0)).with_columns(form=day, written=day)
    short = listed.with_columns(pl.col("form", "written").replace_strict(_SHORT_NAMES, default=None)).drop_nulls("form")
    listed = pl.concat([listed, days, short]).filter(pl.col("form").str.strip_chars() != "")
    listed = listed.unique(["key", "slot", "form"], maintain_order=True).with_columns(
        forms=pl.col("form").implode().over("key", "slot", mapping_strategy="join")
    )
    also_true = pl.col("slot").max().over("key", "form") >= 0
    mark = pl.col("slot").replace_strict(
        {slot: chr(min(ord(FALSE) + 1 + slot, ord(LAST_TRUE))) for slot in listed["slot"].unique()},
        return_dtype=pl.String,
    )
    return asked, listed.filter((pl.col("slot") >= 0) | ~also_true).with_columns(mark=mark)


def _alias_forms(aliases: pl.Series) -> pl.DataFrame:
    """The words of each alias, by value; a leading article falls where more follows."""
    folded = figures(fold(without_notes(aliases, NOTES)).str.replace(r"^(?:the|an?) (\S)", "$1"))
    written = numbers_in_words(_mark_clauses(folded)).str.strip_chars(" .,")
    frame = pl.DataFrame({"alias": aliases, "written": written}).with_columns(
        written=pl.concat_str(pl.lit(" "), "written", pl.lit(" "))
    )
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
    frame = asked.with_columns(text=text, clauses=clauses)
    return frame.with_columns(words=_without_stops(pl.col("clauses")))


def _mark_clauses(folded: pl.Series) -> pl.Series:
    """The words of folded texts, with a stop or a comma where a sentence or a clause ends, and `not` for n't."""
    titled = r"(?-u:\b)([a-z]|mrs?|ms|mt|ft|dr|st|[js]r|vs|prof|gen|col|lt)\."
    marked = words(folded.str.replace_all(titled, "$1 "), _STOPS)
    return change_where(
        marked, marked.str.contains_any(list(_SAME)), lambda text: text.str.replace_many(_SAME, leftmost=True)
    )


def _without_stops(clauses: pl.Expr) -> pl.Expr:
    return clauses.str.replace_many([". ", ", "], [""])


def _with_hits(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The rows with what occurs in them: how many slots, whether anything false, which truth and in what way."""
    true = pl.col("slot") >= 0
    by_row = hits.group_by("row", maintain_order=True).agg(
        pl.col("slot").filter(true).n_unique().alias("slots_found"),
        (~true).any().alias("false_found"),
        (pl.col("form").filter(true) == _NO).all().alias("bare_no"),
        pl.col("alias").filter(true).first().alias("truth"),
        pl.col("way").filter(true).first(),
        pl.col("alias").filter(~true).first().alias("lie"),
    )
    return rows.join(by_row, on="row", how="left", maintain_order="left").with_columns(
        pl.col("slots_found").fill_null(0), pl.col("false_found", "bare_no").fill_null(value=False)
    )


def _mark_aliases(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The words of texts, with marks for their aliases, the longest first: `New York City` holds no `New York`.

    Columns row, lied (whether the documents lie), marked.
    """
    # `no` is a word of the rules too, and whether it is an answer is told by them.
    forms = hits.filter(pl.col("form") != _NO).with_columns(_spread(pl.col("form", "written")))
    forms = forms.group_by("row").agg("form", "written", "mark")
    frame = rows.select("row", _spread(pl.col("clauses")).alias("marked"), lied=pl.col("false").is_not_null())
    frame = frame.join(forms, on="row", how="left", maintain_order="left")
    marked = map(_with_marks, *(frame[name].to_list() for name in ("marked", "form", "written", "mark")))
    return frame.select("row", "lied", marked=pl.Series([*marked], dtype=pl.String))


def _with_marks(text: str, forms: list[str] | None, written: list[str] | None, marks: list[str] | None) -> str:
    pairs = {*zip(forms or (), marks or (), strict=True), *zip(written or (), marks or (), strict=True)}
    for words_written, mark in sorted(pairs, key=lambda pair: (-len(pair[0]), *pair)):
        text = text.replace(words_written, mark)
    return text


def _spread(words: pl.Expr) -> pl.Expr:
    """Words with two spaces between them, of which each takes one."""
    return words.str.replace_all(" ", "  ", literal=True).str.strip_prefix(" ").str.strip_suffix(" ")


def _read_marked(marked: pl.DataFrame) -> pl.DataFrame:
    """The marked texts, read by the rules: refusals, mentions of errors, denied aliases, and the aliases that are left.

    said, code: the codes before and after the rules. left, lies: how many slots are told, and whether something false
    is; null where the text holds no mark, which is so of an alias across a stop (`Tampa. Florida`).
    """
    code = pl.col("code")
    codes = encode(marked["marked"])
    frame = marked.with_columns(
        said=codes,
        code=codes,
        refused=codes.str.contains(_any("refusals")),
        erring=contains_where(codes, marked["lied"], _any("detections")),
        answering=codes.str.contains(_any("answering")),
    )
    frame = _denied(frame, code.str.contains(f"[{MARKS}]"), "untold", "denials")
    frame = _denied(frame, code.str.contains(TRUE) & code.str.contains(FALSE, literal=True), "set_aside")
    frame = frame.with_columns(denied_lie=code.str.contains(DENIED_FALSE, literal=True))
    frame = _denied(frame, pl.col("erring") | pl.col("denied_lie"), "corrected")
    any_mark = pl.when(pl.col("said").str.contains(f"[{MARKS}]"))
    return frame.drop("lied").with_columns(
        left=any_mark.then(code.str.extract_all(TRUE).list.n_unique()),
        lies=any_mark.then(code.str.contains(FALSE, literal=True)),
    )


def _denied(frame: pl.DataFrame, where: pl.Expr, *names: str) -> pl.DataFrame:
    """The codes after the denials of some names, where they can matter."""

    def rewrite(codes: pl.Series) -> pl.Series:
        for pattern, replacement in (pair for name in names for pair in denials(name)):
            codes = codes.str.replace_all(pattern, replacement)
        return codes

    # Where no pattern fits at first, none does later.
    anything = "|".join(pattern for name in names for pattern, _ in denials(name))
    fits = contains_where(frame["code"], frame.select(where).to_series(), anything)
    return frame.with_columns(code=change_where(frame["code"], fits, rewrite))


def _any(name: str) -> str:
    return "|".join(patterns(name))


def _verdict_columns(rows: pl.DataFrame) -> pl.DataFrame:
    """The verdicts, from what was found and what was read."""
    given, slots = pl.col("text").is_not_null(), pl.col("slots").list.len()
    rows = rows.with_columns(
        pl.col("refused", "erring", "denied_lie", "answering").fill_null(value=False)
    ).with_columns(
        # In `there is no mention of it` nobody says no.
        told=pl.when(pl.col("bare_no") & pl.col("refused") & ~pl.col("answering"))
        .then(0)
        .otherwise(pl.coalesce("left", "slots_found")),
        lied=pl.coalesce("lies", "false_found"),
        whole=pl.col("words").str.strip_chars(" ").is_in(DATA["answers"]["whole"]),
    )
    answered = (pl.col("told") > 0) | pl.col("lied") | pl.col("answering")
    rows = rows.with_columns(
        correct=pl.when(given & (slots > 0)).then((pl.col("told") == slots) & ~pl.col("lied")),
        rejected=pl.when(given).then((pl.col("refused") | pl.col("whole")) & ~answered),
        error_detected=pl.when(given & pl.col("false").is_not_null()).then(pl.col("erring") | pl.col("denied_lie")),
        misled=pl.when(given & pl.col("false").is_not_null()).then("lied"),
    )
    corrected = pl.when(pl.col("error_detected").is_not_null()).then("correct")
    return rows.with_columns(error_corrected=corrected, detail=_details(rows)).select(*VERDICTS, "detail", "misled")


def _details(rows: pl.DataFrame) -> pl.Series:
    """The phrase that decided: of the error or the denial, of the refusal; else the alias that was found."""
    way = pl.concat_str(pl.lit(" ("), "way", pl.lit(")")).fill_null("")
    alias = pl.when("correct").then(pl.concat_str("truth", way)).when("lied").then("lie")
    whole = pl.when("rejected", "whole").then(pl.col("words").str.strip_chars(" "))
    details = rows.select(pl.coalesce(whole, alias).alias("detail")).to_series()
    denied = "|".join(pattern for pattern, _ in denials("denials"))
    rule = (
        pl.when("error_detected", "erring").then(pl.lit(_any("detections")))
        .when("error_detected", ~pl.col("erring")).then(pl.lit(denied))
        .when("rejected", "refused").then(pl.lit(_any("refusals")))
        .when(~pl.col("correct") & ~pl.col("rejected") & pl.col("code").str.contains("[df]")).then(pl.lit(denied))
    )  # fmt: skip
    chosen = rows.with_row_index("place").with_columns(rule=rule).drop_nulls(["rule", "said"])
    columns = chosen.select("place", "text", "said", "rule", "truth", "lie").iter_rows()
    phrases = {
        place: _as_written(text, words[match.start() : match.end()], truth, lie)
        for (place, text, said, rule, truth, lie), words in zip(columns, split(chosen["marked"]), strict=True)
        if (match := re.search(rule, said))
    }
    return details.scatter(list(phrases), list(phrases.values())) if phrases else details


def _as_written(text: str, said: list[str], truth: str | None, lie: str | None) -> str:
    """A phrase of a text, with the aliases instead of their marks and its negations as they stand in the text."""
    named = [(lie if word == FALSE else truth) or "…" if FALSE <= word <= LAST_TRUE else word for word in said]
    phrase = " ".join(named).replace("_", " ").replace(" ,", ",").replace(" .", ".").strip(",. ")
    if not phrase.isascii():
        phrase = re.sub(r"(?<=[^\x00-\x7f]) (?=[^\x00-\x7f])", "", phrase)
    ways = [phrase, *(phrase.replace(*pair) for pair in _SHORT)]
    return next((way for way in ways if way in text), phrase)


_NO = " no "
_SHORT_NAMES = {" us ": " united states ", " united states ": " us "}
"""Other words for an alias alone: elsewhere `us` is a pronoun."""
_SHORT = [("can not", "cannot"), ("can not", "can't"), (" not", "n't")]
_LIKE_GLUED = r"[a-z]{2}[0-9]| [0-9]{5,6} "
"""Found in the words of what looks as if the number of a note were glued to it."""
_SAME = {f" {spelling} ": f" {name} " for name, spellings in DATA["same"].items() for spelling in spellings}
_SAME = {spelling: _SAME[spelling] for spelling in sorted(_SAME, key=lambda spelling: (-len(spelling), spelling))}
_STOPS = {
    "won't": "will not",
    "can't": "can not",
    "cannot": "can not",
    "n't": " not",
    **{f".{closed}{space}": " . " for closed in ("", *"\"')]", '")', ')"') for space in " \n"},
    **dict.fromkeys("!?。\n", " . "),
    **dict.fromkeys((*",;:()[]、", " - ", "--"), " , "),
}
