"""Intervals of judges, drawn from tables made by hand."""

import pytest

from adjudge.estimate import Caveat, Estimate
from adjudge.render.kit.style import ACCENT, MUTED, PAPER, SECOND
from adjudge.report import typed_table
from made_charts import chart_of, figures, marked, names, plots, points, title, with_p

FEW = Estimate(0.6, 0.2, 0.9, n=5, method="wilson", caveat=Caveat.FEW_ITEMS)


def filled(plot):
    """Row -> what fills its point."""
    (layer, *_) = [layer for layer in plot["layer"] if layer["mark"]["type"] == "point"]
    fill = layer["encoding"]["fill"]
    scale = fill.get("scale", {"domain": [""], "range": [fill.get("value")]})
    colours = dict(zip(scale["domain"], scale["range"], strict=True))
    said = {one["test"].removeprefix("datum."): one["value"] for one in fill["condition"]}  # the first that holds

    def of(row):
        return next((colour for name, colour in said.items() if row[name]), colours[row["kind"]])

    return {row["label"]: of(row) for row in layer["rows"]}


def annotators(rows, keys=("annotator",)):
    return figures(keys, [(*row[:-1], "reliability", row[-1]) for row in rows])


def reliability(rows, **tables):
    return chart_of("reliability", "intervals", {"annotators": annotators(rows), **tables})


def test_judges_stand_by_their_figure_the_best_first_with_the_limits_of_the_table():
    (plot,) = plots(reliability([("bob", 0.4), ("ann", 0.7)]))
    assert points(plot) == {"ann": 0.7, "bob": 0.4}
    assert list(names(plot)) == ["ann", "bob"]
    (reach,) = marked(plot, "rule")
    assert {(row["label"], row["low"], row["high"]) for row in reach} == {
        ("ann", 0.7 - 0.1, 0.7 + 0.1),
        ("bob", 0.4 - 0.1, 0.4 + 0.1),
    }


def test_an_undefined_figure_is_a_word_and_no_point():
    (plot,) = plots(reliability([("ann", 0.7), ("eve", None)]))
    assert names(plot) == ["ann", "eve"]
    assert list(points(plot)) == ["ann"]
    assert [(row["label"], row["word"]) for row in marked(plot, "text")[0]] == [("eve", "undefined")]


def test_nothing_is_drawn_where_no_figure_is_defined():
    assert reliability([("ann", None)]) is None


def test_a_figure_with_a_note_is_hollow_and_the_caption_says_so():
    chart = reliability([("ann", 0.7), ("bob", FEW)])
    assert filled(plots(chart)[0]) == {"ann": ACCENT, "bob": PAPER}
    assert (
        "A hollow point carries the note \u201cfew items\u201d: the interval may hold the true value" in chart.caption
    )
    assert "hollow" not in reliability([("ann", 0.7)]).caption


def test_the_figure_of_all_together_is_a_dashed_line():
    chart = reliability([("ann", 0.7)], overall=figures((), [("reliability", 0.65)]))
    dashed = [layer for layer in plots(chart)[0]["layer"] if layer["mark"].get("strokeDash")]
    assert [layer["rows"] for layer in dashed] == [[{"x": 0.65}]]
    assert "dashed line is the figure of all judgments" in chart.caption


def test_the_truth_is_a_diamond_where_it_is_known():
    truth = typed_table(
        [{"annotator": "bob", "metric": "reliability", "truth": 0.9, "value": 0.4, "low": 0.3, "high": 0.5, "n": 9}]
    )
    chart = reliability([("ann", 0.7), ("bob", 0.4)], truth=truth)
    (diamonds,) = [layer for layer in plots(chart)[0]["layer"] if layer["mark"].get("shape") == "diamond"]
    assert [(row["label"], row["truth"]) for row in diamonds["rows"]] == [("bob", 0.9)]
    assert "true values" in chart.caption


def test_groups_stand_beside_each_other_over_the_same_rows_and_only_the_first_is_labelled():
    rows = [("w1", "ann", 0.7), ("w1", "bob", 0.4), ("w2", "ann", 0.3)]
    chart = chart_of("reliability", "intervals", {"annotators": annotators(rows, ("week", "annotator"))}, by=["week"])
    beside = plots(chart)
    assert [title(plot) for plot in beside] == ["week: w1", "week: w2"]
    assert names(beside[0]) == names(beside[1]) == ["ann", "bob"]
    shown = [plot["layer"][0]["encoding"]["y"]["axis"]["labels"] for plot in beside]
    assert shown == [True, False]
    assert [row["word"] for row in marked(beside[1], "text")[0]] == ["no figure"]


def test_of_many_judges_those_with_the_most_items_are_drawn():
    rows = [(f"a{n:03}", Estimate(0.5, 0.4, 0.6, n=n + 1, method="wilson")) for n in range(105)]
    chart = reliability(rows)
    assert set(points(plots(chart)[0])) == {f"a{n:03}" for n in range(5, 105)}
    assert "Shown: 100 of 105 annotators, those with the most items." in chart.caption


# --- around 0 ---


def agreement(rows, metric="strength", **options):
    table = with_p(("dataset", "annotator"), [("d", name, metric, value, p) for name, value, p in rows])
    return chart_of("annotations", "strength", {"agreement": table}, **options)


def test_what_differs_from_0_after_holm_is_blue_and_the_rest_grey_by_the_confidence():
    rows = [("sure", 0.3, 0.02), ("open", 0.1, 0.2)]
    for confidence, fill, said in ((0.95, ACCENT, "p < .05"), (0.99, MUTED, "p < .01")):
        chart = agreement(rows, ci_level=confidence)
        assert filled(plots(chart)[0]) == {"sure": fill, "open": MUTED}
        assert f"{said} after Holm's adjustment" in chart.caption


def test_the_axis_has_0_in_its_middle_and_holds_every_interval():
    (plot,) = plots(agreement([("one", 0.3, 0.02), ("other", -0.72, 0.01)]))
    low, high = plot["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert (low, high) == (-1.0, 1.0)  # the half of .9 is no round number
    assert marked(plot, "rule")[0] == [{"x": 0.0}]


# --- several values of a key ---


SYSTEMS = [
    ("good", "average", 0.8), ("bad", "average", 0.5), ("baseline:a", "average", 0.6),
    ("good", "safety", 0.7), ("bad", "safety", 0.9), ("baseline:a", "safety", 0.4),
    ("good", "tone", 0.9), ("bad", "tone", 0.1), ("baseline:a", "tone", 0.8),
]  # fmt: skip


def scores(rows, metric="accuracy"):
    return figures(("system", "criterion"), [(*row[:2], metric, row[2]) for row in rows])


def test_the_pooled_value_stands_first_and_judges_in_the_same_order_everywhere():
    average, safety, tone = plots(chart_of("preferences", "accuracy", {"scores": scores(SYSTEMS)}))
    assert (title(average), title(safety), title(tone)) == ("Average of all criteria", "safety", "tone")
    assert names(average) == names(safety) == names(tone) == ["good", "bad", "baseline:a"]


def test_baselines_are_ticks_below_and_the_best_of_them_is_a_dashed_line():
    chart = chart_of("preferences", "accuracy", {"scores": scores(SYSTEMS)})
    assert [[row["x"] for row in marked(plot, "tick")[0]] for plot in plots(chart)] == [[0.6], [0.4], [0.8]]
    dashed = [layer["rows"] for plot in plots(chart) for layer in plot["layer"] if layer["mark"].get("strokeDash")]
    assert dashed == [[{"x": 0.6}], [{"x": 0.4}], [{"x": 0.8}]]
    assert "Grey ticks are baselines" in chart.caption


def test_people_and_judges_differ_in_colour():
    rows = [("ann", "person", "agreement_with_others", 0.6), ("gpt", "judge", "agreement_with_others", 0.7)]
    everyone = figures(("annotator", "side"), rows)
    (plot,) = plots(chart_of("card", "ceiling", {"everyone": everyone}))
    stroke = next(layer for layer in plot["layer"] if layer["mark"]["type"] == "point")["encoding"]["stroke"]
    assert stroke["scale"]["domain"] == ["person", "judge"]
    assert len(set(stroke["scale"]["range"])) == 2


# --- differences ---


def differences(rows, keys=("first", "second", "judge")):
    return chart_of("reliability", "differences", {"comparison": with_p(keys, rows)})


@pytest.mark.parametrize(
    ("metric", "value", "p", "colour"),
    [
        ("reliability", 0.2, 0.01, ACCENT),
        ("reliability", -0.2, 0.01, SECOND),
        ("flag_mismatch", 0.2, 0.01, SECOND),
        ("flag_mismatch", -0.2, 0.01, ACCENT),
        ("reliability", 0.2, 0.06, MUTED),
        ("reliability", 0.2, None, MUTED),
        ("items", 0.2, 0.01, MUTED),
    ],
)
def test_a_difference_is_coloured_by_its_adjusted_p_and_by_which_end_is_better(metric, value, p, colour):
    (plot,) = plots(differences([("a", "b", "ann", metric, value, p)]))
    assert list(filled(plot).values()) == [colour]


@pytest.mark.parametrize("column", ["annotator", "metric", "value", "caveat"])
def test_a_table_that_lacks_a_column_is_not_drawn(column):
    assert chart_of("reliability", "intervals", {"annotators": annotators([("ann", 0.7)]).drop(column)}) is None
