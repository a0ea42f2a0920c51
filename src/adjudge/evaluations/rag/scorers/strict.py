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
(adjudge.evaluations.rag.scorers.matching), or what a wrong one says falsely with the documents.
"""

import polars as pl

from adjudge.evaluations.rag.scorers.matching import ARTICLE, alias_hits, alias_parts
from adjudge.evaluations.rag.scorers.phrases import DATA, HINTS, NO, mark_of, read_texts
from adjudge.schemas.answers import SLOTS, VERDICTS
from adjudge.text.folding import change_where, fold, unbound, words
from adjudge.text.values import DAY, GLUED, HAS_FIGURES, MONTH, NOTES, figures, numbers_in_words, without_notes


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
