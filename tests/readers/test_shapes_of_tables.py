"""Tables in shapes in which people keep them: what holds no judgments is left out, and the report says so."""

import polars as pl
import pytest

import adjudge as library


def test_counts_of_unequal_numbers_of_annotators_are_counts(adjudge, written):
    table = pl.DataFrame({"claim": ["a", "b", "c", "d"], "yes": [5, 1, 3, 4], "no": [0, 4, 2, 0], "n": [5, 5, 5, 4]})
    path = written(table.write_csv(), "counts.csv")
    # pairs that agree, by items: 10 of 10, 6 of 10, 4 of 10, 6 of 6
    agreement = library.agreement(path).estimate("percent_agreement").value
    assert agreement == pytest.approx((1 + 0.6 + 0.4 + 1) / 4)
    (warning,) = library.agreement(path, columns={"item": "claim"}, annotator_columns=["yes", "no"]).warnings
    assert "counts of 5 annotators per label" in warning
    ratings = table.with_columns(yes=pl.Series([1, 1, 1, 0]), no=pl.Series([1, 1, 1, 1])).drop("n")
    assert "missing column" in adjudge("agreement", written(ratings.write_csv(), "ratings.csv"))[2]
