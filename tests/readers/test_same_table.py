"""The same table gives the same figures, whatever it is kept in."""

import gzip
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import adjudge
from made_files import workbook
from made_samples import (
    ANSWERED,
    CONTAINERS,
    JUDGED,
    MARKED,
    PREFERRED,
    SCORED,
    SCORES,
    VOTED,
    WIDE_JUDGED,
    in_container,
)

OPTIONS = {"annotations": {"reference": "ana", "style": True}}
ROWS = {"annotations": VOTED, "rag": ANSWERED, "reliability": JUDGED, "violations": MARKED, "rank": SCORES}
KEPT = (*CONTAINERS, "semicolons", "bars", "utf-16", "gz", "xlsx", "pandas", "polars", "arrow")


def kept(rows, way: str, folder: Path):
    table, path = pl.DataFrame(rows), folder / f"table.{way}"
    if way == "polars":
        return table
    if way == "arrow":
        return table.to_arrow()
    if way == "pandas":
        return table.to_pandas()
    if way == "xlsx":
        names = list(rows[0])
        return workbook(path, Sheet=[names, *([row[name] for name in names] for row in rows)])
    if way in ("semicolons", "bars"):
        path = path.with_suffix(".csv")
        table.write_csv(path, separator=";" if way == "semicolons" else "|")
    elif way == "gz":
        path.write_bytes(gzip.compress(in_container(rows, "csv")))
    elif way == "utf-16":
        path.write_bytes(in_container(rows, "csv").decode().encode("utf-16"))
    else:
        path.write_bytes(in_container(rows, way))
    return path


def _needs(way: str) -> None:
    """Skips a test where what reads or makes such a table is not installed."""
    for package in {"pandas": ("pandas", "pyarrow"), "arrow": ("pyarrow",), "xlsx": ("fastexcel",)}.get(way, ()):
        pytest.importorskip(package)


def tables(evaluation: str, data, **options):
    return SCORED[evaluation](data, **OPTIONS.get(evaluation, {}), **options).tables


@cache
def plain_tables(evaluation: str):
    """The tables of the same rows as a table of polars."""
    return tables(evaluation, pl.DataFrame(ROWS[evaluation]))


def assert_alike(found, expected):
    """Equal tables; a name that comes from the file's own does not count."""
    assert found.keys() == expected.keys()
    own = ("model", "checker", "data")
    for name, table in expected.items():
        assert_frame_equal(found[name].drop(own, strict=False), table.drop(own, strict=False))


@pytest.mark.parametrize("way", KEPT)
@pytest.mark.parametrize("evaluation", ROWS)
def test_a_table_gives_the_same_figures_whatever_it_is_kept_in(tmp_path, evaluation, way):
    _needs(way)
    data = kept(ROWS[evaluation], way, tmp_path)
    assert_alike(tables(evaluation, data), plain_tables(evaluation))


@pytest.mark.parametrize("way", KEPT)
def test_wide_judgments_give_the_figures_of_long_ones(tmp_path, way):
    _needs(way)
    wide = tables("reliability", kept(WIDE_JUDGED, way, tmp_path), annotator_columns=["ana", "ben"])
    assert_alike(wide, long_tables())


@cache
def long_tables():
    """The tables of the same judgments, a row each."""
    return tables("reliability", pl.DataFrame(JUDGED).drop("flag"))


@pytest.mark.parametrize("way", KEPT)
def test_gold_labels_give_the_same_figures_whatever_they_are_kept_in(tmp_path, way):
    _needs(way)
    assert_alike(gold_tables(kept(PREFERRED, way, tmp_path)), plain_gold_tables())


def gold_tables(gold):
    predicted = pl.DataFrame(PREFERRED).with_columns(safety_preference=pl.lit("A"))
    return adjudge.preferences(gold, predicted, criteria=["safety"]).tables


@cache
def plain_gold_tables():
    """The tables of the same gold labels as a table of polars."""
    return gold_tables(pl.DataFrame(PREFERRED))
