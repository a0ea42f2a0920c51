"""Counts by label in a page: what the reference said in rows, as in the picture and in other tools."""

import polars as pl

from adjudge.render.views import grid


def test_rows_are_what_the_reference_said_and_columns_what_was_said_instead():
    counts = pl.DataFrame({"label": ["yes", "no", "no"], "reference_label": ["yes", "yes", "no"], "count": [3, 2, 4]})
    assert grid(counts) == {"no": {"no": 4, "yes": 0}, "yes": {"no": 2, "yes": 3}}
