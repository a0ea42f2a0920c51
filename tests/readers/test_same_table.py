"""The same table gives the same figures, whatever it is kept in."""

from functools import cache

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import adjudge
import made_samples as made
from made_samples import kept

OPTIONS = {"annotations": {"reference": "ana", "style": True}}
ROWS = {
    "annotations": made.VOTED,
    "rag": made.ANSWERED,
    "reliability": made.JUDGED,
    "wide": made.WIDE_JUDGED,
    "violations": made.MARKED,
    "gold": made.PREFERRED,
    "rank": made.SCORES,
}
KEPT = (*made.CONTAINERS, "xlsx", "pandas", "polars", "arrow")


def tables(evaluation: str, data):
    if evaluation == "wide":
        return adjudge.reliability(data, annotator_columns=["ana", "ben"]).tables
    if evaluation == "gold":
        predicted = pl.DataFrame(made.PREFERRED).with_columns(safety_preference=pl.lit("A"))
        return adjudge.preferences(data, predicted, criteria=["safety"]).tables
    return made.SCORED[evaluation](data, **OPTIONS.get(evaluation, {})).tables


@cache
def plain_tables(evaluation: str):
    """The tables of the same rows as a table of polars; those of wide judgments with a row each."""
    if evaluation == "wide":
        return tables("reliability", pl.DataFrame(made.JUDGED).drop("flag"))
    return tables(evaluation, pl.DataFrame(ROWS[evaluation]))


@pytest.mark.parametrize("way", KEPT)
@pytest.mark.parametrize("evaluation", ROWS)
def test_a_table_gives_the_same_figures_whatever_it_is_kept_in(tmp_path, evaluation, way):
    """A name that comes from the file's own does not count."""
    for package in {"pandas": ("pandas", "pyarrow"), "arrow": ("pyarrow",), "xlsx": ("fastexcel",)}.get(way, ()):
        pytest.importorskip(package)
    found, expected = tables(evaluation, kept(ROWS[evaluation], way, tmp_path)), plain_tables(evaluation)
    assert found.keys() == expected.keys()
    own = ("model", "checker", "data")
    for name, table in expected.items():
        assert_frame_equal(found[name].drop(own, strict=False), table.drop(own, strict=False))
