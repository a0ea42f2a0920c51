"""Explanations of verdicts: the phrase of the text that decided, or the alias found and how it matched."""

import polars as pl

from adjudge.evaluations.rag.scorers.rules import (
    CLAUSE,
    CUT,
    DENIED,
    FALSE,
    REFUSED,
    SENTENCE,
    SPARED,
    TRUE,
    UNTOLD,
    phrase_rules,
)
from adjudge.text.folding import UNSPACED


def explain_verdicts(rows: pl.DataFrame) -> pl.Series:
    """The phrase that decided: of the error or the denial, of the refusal; else the alias that was found."""
    detected, rejected = (pl.col(name).fill_null(value=False) for name in ("error_detected", "rejected"))
    erring, refused = detected & pl.col("erring"), ~detected & rejected & pl.col("refused")
    denied = (detected & ~erring) | (~detected & ~rejected & pl.col("correct").not_().fill_null(value=True))
    alone = ~detected & rejected & ~refused
    places = rows.with_row_index("place")
    phrases = [
        _first_phrases(places.filter(erring), "said", phrase_rules().detections),
        _first_phrases(places.filter(refused), "said", phrase_rules().refusals),
        _first_phrases(places.filter(denied), "code", phrase_rules().denying),
        places.filter(alone).select("place", "text", "truth", "lie", phrase="whole"),
    ]
    phrase = (
        pl.concat(phrases)
        .lazy()
        .with_columns(phrase=_with_answers(pl.col("phrase")))
        .select("place", _as_written())
        .collect()
    )
    way = pl.concat_str(pl.lit(" ("), "way", pl.lit(")")).fill_null("")
    alias = pl.when("correct").then(pl.concat_str("truth", way)).when("lied").then("lie")
    return rows.select(alias.alias("detail")).to_series().scatter(phrase["place"], phrase["phrase"])


def _first_phrases(rows: pl.DataFrame, codes: str, pattern: str) -> pl.DataFrame:
    """The words of the first place where the pattern is found in the codes: place, text, truth, lie, phrase."""
    text = pl.col("marked")
    hits = rows.filter(pl.col(codes).str.contains(pattern))
    if hits.is_empty():  # of no rows, polars before 1.42 forgets that lists hold texts
        return hits.select("place", "text", "truth", "lie", phrase=pl.lit("", pl.String))
    # The codes before and in the place; only its sentence is split into words.
    cut = pl.col(codes).str.replace(pattern, f"{CUT}${{0}}{CUT}")
    cut = cut.str.replace(CUT + SENTENCE, SENTENCE + CUT, literal=True)
    around = cut.str.replace_all(f"[{DENIED}{UNTOLD}{REFUSED}{SPARED}]", "").str.split(CUT).list
    hits = hits.select("place", "text", "truth", "lie", "marked", before=around.get(0), inside=around.get(1))
    sentence = pl.col("before").str.count_matches(SENTENCE, literal=True)
    tokens = phrase_rules().vocabulary.split(text.str.split(f" {SENTENCE} ").list.get(sentence))
    start = pl.col("before").str.split(SENTENCE).list.last().str.len_chars()
    length = pl.col("inside").str.strip_chars_end(SENTENCE).str.len_chars()
    phrase = tokens.list.slice(start, length).list.join(" ").str.replace_all("_", " ", literal=True)
    phrase = phrase.str.replace_all(f" ?{CLAUSE}", ",").str.strip_chars_end(",")
    return hits.select("place", "text", "truth", "lie", phrase=phrase)


def _with_answers(phrase: pl.Expr) -> pl.Expr:
    """A phrase with its aliases instead of their marks."""
    phrase = phrase.str.split(FALSE).list.join(pl.col("lie").fill_null("…"))
    phrase = phrase.str.replace_all(TRUE, FALSE).str.split(FALSE).list.join(pl.col("truth").fill_null("…"))
    return phrase.str.replace_all(rf"([{UNSPACED}]) +", "$1")


def _as_written() -> pl.Expr:
    """A phrase with its negations as they stand in the text, where that is so."""
    text, phrase = pl.col("text"), pl.col("phrase")
    ways = [phrase, *(phrase.str.replace_all(*pair, literal=True) for pair in _SHORT)]
    return pl.coalesce(*(pl.when(text.str.contains(way, literal=True)).then(way) for way in ways), phrase).alias(
        "phrase"
    )


_SHORT = [("can not", "cannot"), ("can not", "can't"), (" not", "n't")]
