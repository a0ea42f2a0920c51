"""What of a table applies to the data at hand."""

import json

import polars as pl
import pytest

import adjudge
from adjudge.metrics.tables import DIFFERENCE
from adjudge.render.kit import charts
from adjudge.render.kit.style import PERCENT
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


@pytest.mark.parametrize(("missing", "said"), [(0.0, "Missing: 0.0 % throughout."), (0.1, "")])
def test_what_nobody_misses_is_a_sentence_and_no_column(missing, said):
    keys = {"model": "m", "ability": "question_answering", "noise_ratio": 0.0, "scorer": "strict"}
    rows = [
        dict.fromkeys([*keys, *ESTIMATE_COLUMNS]) | {**keys, "metric": metric, "value": value, "n": 9}
        for metric, value in (("accuracy", 0.5), ("missing", missing))
    ]
    (part,) = parts(made_report("rag", {"scores": typed_table(rows)}), "scores")
    assert part.said.replace("\u00a0", " ") == said
    assert part.frame["metric"].to_list() == (["accuracy"] if said else ["accuracy", "missing"])


@pytest.mark.parametrize(("flags", "said"), [([], ""), (["neither"], "Flag mismatch: undefined throughout (no pair).")])
def test_of_what_data_need_not_hold_nothing_is_said_where_they_hold_none(flags, said):
    """No flags at all; or those of one side alone, of which the mismatch is undefined."""
    counts = pl.DataFrame(
        {"outcome": flags, "count": [1] * len(flags)}, schema={"outcome": pl.String, "count": pl.Int64}
    )
    undefined = {"metric": "flag_mismatch", "reason": "no pair", "n": 0}
    assert _said_of(undefined, flags=counts)[:2] == ["", said]


def _said_of(undefined, **further):
    """What stands below the tables of a report with a figure that is known and one that is not."""
    known = {"metric": "reliability", "value": 0.5, "n": 9}
    main = [dict.fromkeys(["annotator", *ESTIMATE_COLUMNS]) | {"annotator": "ana", **one} for one in (known, undefined)]
    head = [dict.fromkeys(ESTIMATE_COLUMNS) | one for one in (known, undefined)]
    report = made_report("reliability", {"overall": typed_table(head), "annotators": typed_table(main), **further})
    return [parts(report, name)[0].said for name in report]


def test_a_share_by_which_rows_are_named_is_shown_as_its_picture_shows_it():
    row = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "kept_right", "value": 0.75, "n": 31}
    rows = [{"judge": "steady", "coverage": coverage, **row} for coverage in (31 / 60, 1.0)]
    table = typed_table(rows, numbers=["coverage"])
    report = made_report("card", {"judges": table.clear(), "abstaining": table})
    (part,) = parts(report, "abstaining")
    assert [cells[1].text.replace("\u00a0", " ") for cells in part_view(part).rows] == ["51.7 %", "100.0 %"]
    (chart,) = charts(report)
    assert PERCENT in json.dumps(chart.spec["layer"][0]["encoding"]["x"]["axis"], ensure_ascii=False)


@pytest.mark.parametrize(("second", "shown"), [("yes", []), ("unknown", ["same_items"])])
def test_what_all_steps_of_a_history_share_is_said_once(second, shown):
    days = ("2026-11-20", "2026-11-27", "2026-12-04")
    figure = {"system": "north", "criterion": "average", "metric": "accuracy", "value": 0.5}
    runs = [
        dict.fromkeys(["run", "time", *figure, *ESTIMATE_COLUMNS]) | {"run": day, "time": day, **figure} for day in days
    ]
    named = ["first", "second", "system", "criterion", "same_items"]
    steps = [
        dict.fromkeys([*named, *DIFFERENCE]) | {"first": first, "second": last, "same_items": same, **figure}
        for first, last, same in zip(days, days[1:], ("yes", second), strict=False)
    ]
    tables = {"history": typed_table(runs), "steps": typed_table(steps)}
    (part,) = parts(made_report("preferences", tables), "steps")
    assert part.frame.columns[: part.frame.columns.index("metric")] == ["first", "second", "system", *shown]
    assert part.about.endswith("intervals of both." if shown else "intervals of both. Same items: yes.")


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
    assert "Noise robustness: slope from no noise to all noise" in shown
    lies = report["scores"].filter(ability="counterfactual_robustness")["metric"].to_list()
    assert "accuracy_lowest" in lies
    assert "accuracy_lowest" not in shown["Counterfactual robustness"]
    assert "accuracy" in shown["Counterfactual robustness"]
