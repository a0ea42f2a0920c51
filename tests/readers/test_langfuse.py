"""Scores of Langfuse: what people annotated is what judges are compared with."""

import re

import polars as pl

from made_labels import LANGFUSE, judgments, rows_of, score


def test_what_people_say_is_the_reference_of_what_judges_say(written):
    expected = [("t1", "EVAL", "polite"), ("t2", "API", "curt"), ("t2", "EVAL", "polite")]
    read = judgments(written(LANGFUSE, "scores.json"))
    assert sorted(rows_of(read)) == expected
    trusted = read.references.select(pl.col("item", "annotator", "label").cast(pl.String)).rows()
    assert trusted == [("t1", "u7", "polite"), ("t2", "u7", "curt")]
    snake = pl.DataFrame(LANGFUSE).rename(lambda name: re.sub("([A-Z])", r"_\1", name).lower())
    assert sorted(rows_of(judgments(written(snake.write_csv(), "scores.csv")))) == expected


def test_people_alone_are_annotators_and_numbers_are_their_text(written):
    rows = [score("t1", "ANNOTATION", None, value=value, authorUserId=who) for who, value in (("u1", 1), ("u2", 0.5))]
    found = rows_of(judgments(written(rows, "scores.json"), reference=["u1"]))
    assert found == [("t1", "u2", "0.5")]
