"""The scorer `strict`: what an answer asserts, by rules.

It speaks of answers given: of a null or blank response there is nothing to say. Texts are folded
(adjudge.text.folding), and numbers and dates read by value (adjudge.text.values) where an alias holds any. An alias
stands in a text where its words do; an article before it may be left out.

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
| `It is either Paris or Rome.`, `Paris or Rome`           | no      | nothing is decided (roles.py)                   |
| `The king of Paris was Louis XIV.`                       | no      | only says who is told of (roles.py)             |
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

import polars as pl

from adjudge.evaluations.rag.scorers.explanation import explain_verdicts
from adjudge.evaluations.rag.scorers.false_hits import asserted_hits
from adjudge.evaluations.rag.scorers.fuzzy import fuzzy_hits
from adjudge.evaluations.rag.scorers.rules import (
    CLAUSE,
    DENIED,
    FALSE,
    LAST_TRUE,
    MARK,
    REFUSED,
    SENTENCE,
    TRUE,
    UNTOLD,
    double_spaces,
    phrase_rules,
)
from adjudge.schemas.answers import SLOTS, VERDICTS
from adjudge.text.folding import change_where, contains_where, fold, unbound, words
from adjudge.text.values import DAY, GLUED, HAS_FIGURES, figures, numbers_in_words, uncited, unnumbered, without_notes


def score_strict(answers: pl.DataFrame) -> pl.DataFrame:
    """Verdicts on answers (see adjudge.schemas.answers): correct, rejected, error_detected, error_corrected, detail.

    Also misled: whether what the documents say falsely is asserted; null where they do not lie.
    """
    # First what occurs at all; then in which way, for the rows where that can matter.
    asked, aliases = _distinct_questions(answers)
    rows = _fold_rows(asked, aliases)
    pairs = rows.lazy().select("row", "key", "words").join(aliases.lazy(), on="key", maintain_order="left")
    hits = pairs.filter(pl.col("words").str.contains(pl.col("form"), literal=True)).drop("words").collect()
    close = fuzzy_hits(rows, aliases, hits)
    hits = asserted_hits(asked, rows, aliases, hits).drop("key")
    rows = _with_hits(rows, pl.concat([hits.with_columns(way=pl.lit(None, pl.String)), close], how="diagonal"))
    hits = pl.concat([hits, close.drop("way").select(hits.columns)])
    unclear = pl.col("words").str.contains_any(phrase_rules().hints) | (
        (pl.col("slots_found") > 0) & pl.col("false_found")
    )
    read = _read_marked(_mark_aliases(rows.filter(unclear), hits))
    return _verdict_columns(rows.join(read, on="row", how="left", maintain_order="left"))


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


def _distinct_questions(answers: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows with the number (key) of what answers them, and the aliases of each such number, prepared once.

    aliases: key, slot (-1: what the documents say falsely), alias, form (its words), written (its words as they may
    stand in a text that is read, see _clauses), mark (what then stands for them). An alias without words (`""`, `"?"`)
    answers nothing.
    """
    rows = answers.select("response", pl.col("slots").cast(SLOTS), pl.col("false").cast(pl.List(pl.String)))
    keys = rows.select("slots", "false").unique(maintain_order=True).with_row_index("key")
    asked = rows.with_row_index("row").join(
        keys, on=["slots", "false"], how="left", nulls_equal=True, maintain_order="left"
    )
    true = keys.select("key", pl.int_ranges(pl.col("slots").list.len(), dtype=pl.Int32).alias("slot"), alias="slots")
    true = true.explode("slot", "alias").explode("alias")
    false = keys.select("key", pl.lit(-1, pl.Int32).alias("slot"), alias="false").explode("alias")
    listed = pl.concat([true, false]).drop_nulls()
    listed = listed.join(_alias_forms(listed["alias"].unique()), on="alias", maintain_order="left")
    listed = (
        _with_days(listed)
        .filter(pl.col("form").str.strip_chars() != "")
        .unique(["key", "slot", "form"], maintain_order=True)
    )
    truths = listed.filter(pl.col("slot") >= 0).select("key", "form", true=True).unique()
    listed = listed.join(truths, on=["key", "form"], how="left", maintain_order="left")
    marks = {slot: chr(min(ord(FALSE) + 1 + slot, ord(LAST_TRUE))) for slot in listed["slot"].unique()}
    mark = pl.col("slot").replace_strict(marks, return_dtype=pl.String)
    return asked, listed.filter((pl.col("slot") >= 0) | pl.col("true").is_null()).with_columns(mark=mark).drop("true")


def _with_days(listed: pl.DataFrame) -> pl.DataFrame:
    """The aliases, and a bare number beside the dates of other slots as a day too: the 12 of `May 11` and `12`."""
    dated = pl.col("form").str.contains(DAY, literal=True).any().over("key")
    number = pl.col("form").str.extract("^ ([1-9]|[12][0-9]|3[01]) $")
    days = listed.filter(dated & number.is_not_null() & (pl.col("slot") >= 0))
    form = pl.concat_str(pl.lit(f" {DAY}"), number, pl.lit(" "))
    days = days.with_columns(form=form, written=pl.concat_list(form))
    return pl.concat([listed, days])


def _alias_forms(aliases: pl.Series) -> pl.DataFrame:
    """The words of each alias, by value; a leading article falls where more follows."""
    folded = figures(fold(aliases).str.replace(r"^(?:the|an?) (\S)", "$1"))
    clauses = pl.col("clauses").str.strip_chars(f" {SENTENCE}{CLAUSE}")
    frame = pl.DataFrame({"alias": aliases, "clauses": numbers_in_words(_mark_clauses(folded))})
    frame = frame.with_columns(clauses=pl.concat_str(pl.lit(" "), clauses, pl.lit(" ")))
    frame = frame.with_columns(form=_drop_stop_marks(frame["clauses"])).with_columns(unbound(pl.col("form", "clauses")))
    written = pl.concat_list(double_spaces(pl.col("form")), double_spaces(pl.col("clauses"))).list.unique()
    return frame.select("alias", "form", written=written)


def _fold_rows(asked: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """The rows with their folded text, its clauses and its words, by value where a value is asked for.

    Blank texts are missing.
    """
    valued = aliases.filter(pl.col("form").str.contains(HAS_FIGURES)).select("key", valued=True).unique()
    where = asked.select("key").join(valued, on="key", how="left", maintain_order="left")["valued"]
    glued = aliases.filter(pl.col("form").str.contains(GLUED))["key"].unique()
    text = uncited(fold(without_notes(asked["response"])))
    text = change_where(text, ~asked["key"].is_in(glued.implode()), unnumbered)
    text = change_where(text.set(text == "", None), where, figures)
    clauses = change_where(_mark_clauses(text), where, numbers_in_words)
    return asked.drop("response").with_columns(text=text, clauses=clauses, words=_drop_stop_marks(clauses))


def _mark_clauses(folded: pl.Series) -> pl.Series:
    """The words of folded texts, with a mark where a sentence or a clause ends, and `not` wherever it is said."""
    titled = r"(?-u:\b)([a-z]|mrs?|ms|mt|ft|dr|st|[js]r|vs|prof|gen|col|lt)\."
    return words(folded.str.replace_all(titled, "$1 "), _STOPS)


def _drop_stop_marks(clauses: pl.Series) -> pl.Series:
    """The words of clauses."""
    return clauses.str.replace_many([f"{SENTENCE} ", f"{CLAUSE} "], [""])


def _mark_aliases(rows: pl.DataFrame, hits: pl.DataFrame) -> pl.DataFrame:
    """The words of texts, with marks for their aliases, the longest first: `New York City` holds no `New York`.

    Columns row, lied (whether the documents lie), text.
    """
    frame = rows.select(
        "row", lied=pl.col("false").is_not_null(), text=pl.col("clauses").str.replace_all(" ", "  ", literal=True)
    )
    places = frame.select("row").with_row_index("place")
    # `no` is a word of the rules too, and whether it is an answer is told by them.
    todo = (
        hits.filter(pl.col("form") != _NO)
        .join(places, on="row")
        .select("place", "mark", "written")
        .explode("written")
        .unique()
    )
    todo = todo.sort("place", -pl.col("written").str.len_chars().cast(pl.Int32), "mark", "written")
    text = frame["text"]
    for turn in todo.with_columns(turn=pl.int_range(pl.len()).over("place")).partition_by("turn", maintain_order=True):
        beside = turn.with_columns(text=text.gather(turn["place"]))
        marked = beside.select(pl.col("text").str.split(pl.col("written")).list.join(pl.col("mark"))).to_series()
        text = text.scatter(turn["place"], marked)
    return frame.with_columns(text=text)


def _read_marked(marked: pl.DataFrame) -> pl.DataFrame:
    """The marked texts, read by the rules: refusals, mentions of errors, denied aliases, and the aliases that are left.

    said, code: the codes before and after the rules. left, lies: how many slots are told, and whether something false
    is; null where the text holds no mark, which is so of an alias across a stop (`Tampa. Florida`).
    """
    code, phrases = pl.col("code"), phrase_rules()
    codes = phrases.vocabulary.encode(marked["text"])
    refused, erring = codes.str.contains(phrases.refusals), contains_where(codes, marked["lied"], phrases.detections)
    frame = marked.with_columns(said=codes, code=codes, refused=refused, erring=erring)
    frame = _rewrite(frame, pl.col("refused"), [(phrases.refusals, f"${{0}}{REFUSED}")])
    frame = _rewrite(frame, code.str.contains(MARK), phrases.denials)
    frame = _rewrite(frame, code.str.contains(TRUE) & code.str.contains(FALSE, literal=True), phrases.set_aside)
    frame = frame.with_columns(denied_lie=code.str.contains(DENIED + FALSE, literal=True))
    frame = _rewrite(frame, pl.col("erring") | pl.col("denied_lie"), phrases.corrections)
    undenied = pl.when(code.str.contains(MARK)).then(code).str.replace_all(f"[{DENIED}{UNTOLD}]+{MARK}", "")
    return (
        frame.drop("lied")
        .rename({"text": "marked"})
        .with_columns(
            answering=code.str.contains(phrases.answering),
            left=undenied.str.extract_all(TRUE).list.n_unique(),
            lies=undenied.str.contains(FALSE, literal=True),
        )
    )


def _rewrite(frame: pl.DataFrame, where: pl.Expr, steps: list[tuple[str, str]]) -> pl.DataFrame:
    """The codes after some rules, where they can matter: where none fits at first, none does later."""

    def rewrite(code: pl.Series) -> pl.Series:
        for pattern, replacement in steps:
            code = code.str.replace_all(pattern, replacement)
        return code

    fits = contains_where(frame["code"], frame.select(where).to_series(), "|".join(pattern for pattern, _ in steps))
    return frame.with_columns(code=change_where(frame["code"], fits, rewrite))


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
        whole=pl.when(pl.col("words").is_in(phrase_rules().whole)).then(pl.col("words").str.strip_chars(" ")),
    )
    answered = (pl.col("told") > 0) | pl.col("lied") | pl.col("answering")
    rows = rows.with_columns(
        correct=pl.when(given & (slots > 0)).then((pl.col("told") == slots) & ~pl.col("lied")),
        rejected=pl.when(given).then((pl.col("refused") | pl.col("whole").is_not_null()) & ~answered),
        error_detected=pl.when(given & pl.col("false").is_not_null()).then(pl.col("erring") | pl.col("denied_lie")),
        misled=pl.when(given & pl.col("false").is_not_null()).then("lied"),
    )
    corrected = pl.when(pl.col("error_detected").is_not_null()).then("correct")
    judged = rows.with_columns(error_corrected=corrected, detail=explain_verdicts(rows))
    return judged.select(*VERDICTS, "detail", "misled")


_NO = " no "
_STOPS = {
    "won't": "will not",
    "can't": "can not",
    "cannot": "can not",
    "n't": " not",
    **{f".{closed}{space}": f" {SENTENCE} " for closed in ("", *"\"')]", '")', ')"') for space in " \n"},
    **dict.fromkeys("!?。\n", f" {SENTENCE} "),
    **dict.fromkeys((*",;:()[]、", " - ", "--"), f" {CLAUSE} "),
}
