"""What cells of the explorer's tables show, and what they stand for."""

import polars as pl
import pytest

pytest.importorskip("streamlit")

import adjudge
from adjudge.explorer.filters import arrow
from adjudge.explorer.tables import cells_of
from adjudge.render.tables import report_table
from adjudge.render.terminal import tables_text
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made import EXAMPLES
from made_reports import made_report


def cells(report, table):
    return cells_of(report_table(report, table))


@pytest.fixture(scope="module")
def votes():
    return adjudge.reliability(EXAMPLES / "reliability" / "votes.json")


def test_a_figure_stands_beside_its_interval_and_what_it_rests_on(votes):
    shown = cells(votes, "annotators")
    row = shown.frame.row(0, named=True)
    assert row["annotator"] == "ana"
    assert row["0"] == 95.2  # of 21 items 20
    assert row["0 interval"].replace("\N{NO-BREAK SPACE}", " ") == "[77.3, 99.2]"
    assert row["0 n"] == 21
    assert shown.about(0, "0 interval") == {"annotator": "ana"}
    assert shown.words(0, "0 interval") == ["ana"]


def test_a_share_halfway_between_two_percentages_is_rounded_as_on_pages():
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "agreement", "value": 57 / 80, "n": 80}
    report = made_report("card", {"judges": typed_table([{"judge": "steady", **row}])})
    assert cells(report, "judges").frame["0"].to_list() == [71.2]
    assert "71.2" in tables_text(report)


def test_a_count_stands_for_the_value_that_heads_its_column_too(votes):
    shown = cells(votes, "confusion")
    place = shown.frame["annotator"].to_list().index("dev")
    column = shown.frame.columns[-1]
    assert shown.about(place, column).keys() == {"annotator", "label", "reference_label"}
    assert column in shown.about(place, column).values()
    assert [shown.words(place, column)[0], shown.words(place, column)[-1]] == ["dev", column]


def test_a_cell_stands_for_the_judge_and_the_criterion_of_its_row():
    folder = EXAMPLES / "preferences"
    report = adjudge.preferences(folder / "gold.jsonl", [folder / "careful.tsv", folder / "quick.tsv"])
    shown = cells(report, "scores")
    assert shown.about(0, "0") == {"system": "careful", "criterion": "relevance"}
    assert shown.words(0, "0") == ["careful", "relevance"]


def test_a_share_by_which_rows_are_named_is_in_percent_and_stands_for_itself():
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "right", "value": 0.75, "n": 31}
    table = typed_table([{"judge": "steady", "certainty": 0.25, **row}], numbers=["certainty"])
    shown = cells(made_report("card", {"judges": table.clear(), "calibration": table}), "calibration")
    assert shown.frame["certainty"].to_list() == ["25.0%"]
    assert shown.about(0, "0") == {"judge": "steady", "certainty": 0.25}
    assert shown.words(0, "0") == ["steady", "25.0%"]


def test_characters_that_turn_text_about_are_named_in_cells():
    frame = pl.DataFrame({"item": ["a\u202egnp.exe", None, "\u05e9\u05dc\u05d5\u05dd"], "n": [1, 2, 3]})
    shown = pl.from_arrow(arrow(frame))
    assert shown["item"].to_list() == ["a[RLO]gnp.exe", None, "\u05e9\u05dc\u05d5\u05dd"]
    assert shown["n"].to_list() == [1, 2, 3]
