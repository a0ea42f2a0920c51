"""What cells of the explorer's tables show, and what they stand for."""

from dataclasses import replace

import polars as pl
import pytest

pytest.importorskip("streamlit")

import adjudge
from adjudge.explorer.tables import cells_of, with_minus
from adjudge.render.parts import parts
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made import EXAMPLES
from made_reports import made_report


def cells(report, table, place=0):
    return cells_of(report, parts(report, table)[place])


@pytest.fixture(scope="module")
def votes():
    return adjudge.reliability(EXAMPLES / "reliability" / "votes.json")


def test_a_figure_stands_beside_its_interval_and_what_it_rests_on(votes):
    shown = cells(votes, "annotators")
    row = shown.frame.row(0, named=True)
    assert row["annotator"] == "ana"
    assert row["0"] == pytest.approx(100 * 20 / 21)
    assert row["0 interval"].replace("\N{NO-BREAK SPACE}", " ") == "77.3 to 99.2"
    assert row["0 n"] == 21
    assert shown.about(0, "0 interval") == {"annotator": "ana"}
    assert shown.said(0, "0 interval") == ["ana"]


def test_a_count_stands_for_the_value_that_heads_its_column_too(votes):
    shown = cells(votes, "confusion")
    place = shown.frame["annotator"].to_list().index("dev")
    column = shown.frame.columns[-1]
    assert shown.about(place, column).keys() == {"annotator", "label", "reference_label"}
    assert column in shown.about(place, column).values()
    assert [shown.said(place, column)[0], shown.said(place, column)[-1]] == ["dev", column]


def test_where_criteria_stand_side_by_side_a_cell_stands_for_its_criterion():
    folder = EXAMPLES / "preferences"
    report = adjudge.preferences(folder / "gold.jsonl", [folder / "careful.tsv", folder / "quick.tsv"])
    shown = cells(report, "scores")
    assert shown.about(0, "0") == {"system": "careful", "criterion": "average"}  # which is seen without scrolling
    assert shown.about(0, "1") == {"system": "careful", "criterion": "relevance"}
    assert shown.said(0, "1") == ["careful", "relevance"]


def test_a_share_by_which_rows_are_named_is_in_percent_and_stands_for_itself():
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "kept_right", "value": 0.75, "n": 31}
    table = typed_table([{"judge": "steady", "coverage": 0.25, **row}], numbers=["coverage"])
    shown = cells(made_report("card", {"judges": table.clear(), "abstaining": table}), "abstaining")
    assert shown.frame["coverage"].to_list() == [25.0]
    assert shown.config["coverage"]["type_config"]["format"] == "%.1f %%"
    assert shown.about(0, "0") == {"judge": "steady", "coverage": 0.25}
    assert shown.said(0, "0") == ["steady", "25.0 %"]


def test_what_reads_as_zero_has_no_sign(votes):
    small = pl.when(pl.col("metric") == "kappa").then(pl.lit(-0.0001)).otherwise("value")
    frame = votes["annotators"].with_columns(small.alias("value"))
    report = replace(votes, tables={**votes.tables, "annotators": frame})
    shown = cells(report, "annotators")
    kappa = next(number for number, name in enumerate(parts(report, "annotators")[0].shown) if name == "kappa")
    assert [f"{one:.2f}" for one in shown.frame[str(kappa)]] == ["0.00"] * 4


def test_numbers_below_zero_have_the_sign_that_intervals_have(votes):
    """By pandas, which is loaded for them alone; what is not negative keeps streamlit's format, which sorts as well."""
    shown = cells(votes, "annotators")
    kappa = next(number for number, name in enumerate(parts(votes, "annotators")[0].shown) if name == "kappa")
    lower = shown.frame.with_columns(pl.lit(-0.125).alias(str(kappa)))
    table, config = with_minus(lower, shown.config)
    assert table.to_html().count("\N{MINUS SIGN}0.12") == shown.frame.height
    assert config[str(kappa)]["type_config"]["format"] is None
    assert config["0"] == shown.config["0"]
    assert with_minus(lower.drop(str(kappa)), shown.config)[1] is shown.config


def test_an_interval_says_its_level_in_its_head(votes):
    assert cells(votes, "annotators").config["0 interval"] == "95 % interval"
    assert (
        cells(replace(votes, options={**votes.options, "confidence": 0.9}), "annotators").config["0 interval"]
        == "90 % interval"
    )


@pytest.mark.parametrize(("versions", "kept"), [((1, 2), []), ((1, 3), ["name", "version"])])
def test_what_the_name_of_a_checker_says_has_no_column(versions, kept):
    """Both are versions 1 and 2 by their names; where the columns say other versions, they stay."""
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {
        "metric": "precision",
        "value": 0.5,
        "n": 4,
        "variant": "std",
        "average": "micro",
    }
    rows = [
        {"checker": f"tone@{number}", "name": "tone", "version": str(version), **row}
        for number, version in zip((1, 2), versions, strict=True)
    ]
    shown = cells(made_report("violations", {"scores": typed_table(rows)}), "scores")
    assert [name for name in ("name", "version") if name in shown.frame.columns] == kept
    assert shown.frame["checker"].to_list() == ["tone@1", "tone@2"]
