"""What of a table applies to the data at hand."""

import polars as pl
import pytest

import adjudge
from adjudge.render.parts import parts
from adjudge.render.views import part_view
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made_reports import made_report


def scores(*figures):
    """A report on systems: criterion, metric and value."""
    rows = [
        dict.fromkeys(ESTIMATE_COLUMNS)
        | {"system": "north", "criterion": criterion, "metric": metric, "value": value, "n": 9}
        for criterion, metric, value in figures
    ]
    return made_report("preferences", {"scores": typed_table(rows, ["system", "criterion", *ESTIMATE_COLUMNS])})


@pytest.mark.parametrize(("criteria", "shown"), [(["safety"], ["safety"]), (["safety", "tone"], ["safety", "tone", "average"])])  # fmt: skip
def test_the_mean_over_one_criterion_is_not_shown_beside_it(criteria, shown):
    (part,) = parts(scores(*[(one, "accuracy", 0.5) for one in (*criteria, "average")]), "scores")
    assert part.frame["metric"].to_list() == shown


def test_a_share_by_which_rows_are_named_is_a_percentage():
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "kept_right", "value": 0.75, "n": 31}
    rows = [{"judge": "steady", "coverage": coverage, **row} for coverage in (31 / 60, 1.0)]
    table = typed_table(rows, numbers=["coverage"])
    report = made_report("card", {"judges": table.clear(), "abstaining": table})
    (part,) = parts(report, "abstaining")
    assert [cells[1].text.replace("\u00a0", " ") for cells in part_view(part).rows] == ["51.7%", "100.0%"]


def test_bounds_that_are_the_figure_in_every_row_of_a_part_are_left_out_of_it_alone():
    """Two questions: an answer is missing of those with noise, none of those whose documents lie."""
    rows = [
        {"id": item, "ability": ability, "noise_ratio": noise, "response": said, "answer": ["Rome"]}
        for ability, item, noise, said in (
            ("noise_robustness", "1", 0.0, "Rome"),
            ("noise_robustness", "1", 0.5, ""),
            ("noise_robustness", "2", 0.0, "Rome"),
            ("noise_robustness", "2", 0.5, "Oslo"),
            ("counterfactual_robustness", "1", 0.0, "Rome"),
            ("counterfactual_robustness", "2", 0.0, "Bonn"),
        )
    ]
    report = adjudge.rag(pl.DataFrame(rows))
    shown = {part.block: part.shown for part in parts(report, "scores")}
    assert {"accuracy_lowest", "accuracy_highest"} <= set(shown["Noise robustness"])
    assert "Noise robustness: accuracy (mean), slope from no noise to all noise" in shown
    lies = report["scores"].filter(ability="counterfactual_robustness")["metric"].to_list()
    assert "accuracy_lowest" in lies
    assert "accuracy_lowest" not in shown["Counterfactual robustness"]
    assert "accuracy" in shown["Counterfactual robustness"]
