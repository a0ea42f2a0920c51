"""Scores of Langfuse: what people annotated is what judges are compared with."""

import csv
import io

import polars as pl

from made_labels import LANGFUSE, judgments, said, score


def test_what_people_say_is_the_reference_of_what_judges_say(written):
    expected = [("t1", "EVAL", "polite"), ("t2", "API", "curt"), ("t2", "EVAL", "polite")]
    read = judgments(written(LANGFUSE, "scores.json"))
    assert sorted(said(read)) == expected
    trusted = read.references.select(pl.col("item", "annotator", "label").cast(pl.String)).rows()
    assert trusted == [("t1", "u7", "polite"), ("t2", "u7", "curt")]
    snake = {
        "traceId": "trace_id",
        "stringValue": "string_value",
        "dataType": "data_type",
        "authorUserId": "author_user_id",
    }
    rows = [{snake.get(key, key): value for key, value in one.items()} for one in LANGFUSE]
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    assert sorted(said(judgments(written(text.getvalue(), "scores.csv")))) == expected


def test_people_alone_are_annotators_and_numbers_are_their_text(written):
    rows = [score("t1", "ANNOTATION", None, value=value, authorUserId=who) for who, value in (("u1", 1), ("u2", 0.5))]
    found = said(judgments(written(rows, "scores.json"), reference=["u1"]))
    assert found == [("t1", "u2", "0.5")]
