"""Coloured cells, drawn from tables made by hand."""

import itertools

import pytest

from adjudge.render.kit.matrix import MOST_LABELS, MOST_PRINTED
from adjudge.render.kit.style import ACCENT, MUTED, SECOND
from adjudge.render.palette import DARK, LIGHT, PRINTED
from adjudge.report import typed_table
from made_charts import blended, chart_of, contrast, figures, marked, plots

FIGURES = {"ann": (1.0, 0.0, 12), "bob": (0.5, 0.2, 1234), "eve": (None, 1.0, 3)}
METRICS = ("reliability", "flag_mismatch", "items")


def glance(judges=FIGURES, **options):
    rows = [
        (name, metric, value) for name, values in judges.items() for metric, value in zip(METRICS, values, strict=True)
    ]
    return chart_of("reliability", "matrix", {"annotators": figures(("annotator",), rows)}, **options)


def cells(plot):
    """Row and column -> cell."""
    return {(cell["row"], cell["column"]): cell for cell in marked(plot, "rect")[0]}


def test_every_judge_and_figure_has_a_cell_and_a_dash_where_there_is_none():
    (plot,) = plots(glance())
    texts = {place: cell["text"].replace("\u00a0", " ") for place, cell in cells(plot).items()}
    assert texts["ann", "Reliability"] == "100.0 %"
    assert texts["eve", "Reliability"] == "–"
    assert texts["bob", "Flag\u0020mismatch"] == "20.0 %"
    assert texts["bob", "Items"] == "1,234"
    assert plot["layer"][0]["encoding"]["y"]["sort"] if "encoding" in plot["layer"][0] else True


def test_colours_go_from_the_worst_to_the_best_whichever_end_is_better():
    """The strongest colour is half of what fills a cell, the palest 0.06; 0.5 is halfway, 0.8 is 0.6 of the way up."""
    found = cells(plots(glance())[0])
    looks = {place: (cell["fill"], pytest.approx(cell["strength"])) for place, cell in found.items()}
    assert looks["ann", "Reliability"] == looks["ann", "Flag mismatch"] == (ACCENT, 0.5)
    assert looks["bob", "Reliability"] == (ACCENT, 0.06)
    assert looks["bob", "Flag mismatch"] == (ACCENT, 0.06 + 0.6 * 0.44)
    assert looks["eve", "Flag mismatch"] == (SECOND, 0.5)
    assert looks["eve", "Reliability"] == (MUTED, 0.3)
    assert {found[name, "Items"]["strength"] for name in FIGURES} == {0}


def everyone(names, value=lambda *_: 0.5):
    rows = [("d", one, other, "strength", value(one, other)) for one, other in itertools.permutations(names, 2)]
    return chart_of("annotations", "matrix", {"matrix": figures(("dataset", "annotator", "reference"), rows)})


def test_judges_against_each_other_leave_the_diagonal_empty():
    values = {("ann", "bob"): 0.12, ("bob", "ann"): -0.4, ("ann", "eve"): 1.0, ("eve", "ann"): None}
    (plot,) = plots(everyone(["ann", "bob", "eve"], lambda *pair: values.get(pair, 0.0)))
    texts = {place: cell["text"] for place, cell in cells(plot).items()}
    assert texts == {
        ("ann", "bob"): ".12", ("bob", "ann"): "\u2212.40", ("ann", "eve"): "1", ("eve", "ann"): "–",
        ("bob", "eve"): "0", ("eve", "bob"): "0",
    }  # fmt: skip


COUNTS = [
    ("s1", "tone", "A", "A", 8),
    ("s1", "tone", "A", "B", 2),
    ("s1", "tone", "B", "A", 5),
    ("s2", "tone", "A", "A", 1),
]
KEYS = ("system", "criterion", "reference_label", "label", "count")


def confusion(rows, **tables):
    table = typed_table([dict(zip(KEYS, row, strict=True)) for row in rows])
    return chart_of("preferences", "confusion", {"confusion": table, **tables})


def test_counts_stand_by_the_reference_in_rows_the_right_ones_outlined():
    first = plots(confusion(COUNTS))[0]
    assert {place: (cell["text"], cell["right"]) for place, cell in cells(first).items()} == {
        ("A", "A"): ("8", True), ("A", "B"): ("2", False), ("B", "A"): ("5", False), ("B", "B"): ("", True),
    }  # fmt: skip


def test_with_many_labels_there_are_no_matrices():
    labels = [f"label {n}" for n in range(MOST_LABELS + 1)]
    assert confusion([("s1", "tone", label, label, 1) for label in labels]) is None


def test_abilities_stand_side_by_side_at_each_share_of_noise_with_their_own_metric():
    rows = [
        ("strict", "noise_robustness", "large", 0.0, "accuracy", 0.9),
        ("strict", "noise_robustness", "large", 0.2, "accuracy", 0.8),
        ("strict", "noise_robustness", "large", 0.2, "missing", 0.1),
        ("strict", "negative_rejection", "large", 1.0, "rejection_rate", 0.4),
    ]
    table = figures(("scorer", "ability", "model", "noise_ratio"), rows, ("noise_ratio",))
    chart = chart_of("rag", "abilities", {"scores": table})
    assert " Noise robustness: accuracy; negative rejection: rejection rate. Blue" in chart.caption
    (plot,) = plots(chart)
    assert {place[1].replace("\n", " "): cell["text"] for place, cell in cells(plot).items()} == {
        "Noise robustness, 0": "90.0\u00a0%",
        "Noise robustness, 0.2": "80.0\u00a0%",
        "Negative rejection": "40.0\u00a0%",
    }


# --- colours ---


@pytest.mark.parametrize("theme", [LIGHT, DARK, PRINTED])
def test_text_can_be_read_on_every_cell_in_every_theme(theme):
    names = [f"a{n}" for n in range(MOST_PRINTED)]
    signs = everyone(names, lambda one, other: (int(one[1:]) * MOST_PRINTED + int(other[1:])) / 200 - 1)
    exchanged = {LIGHT[name]: theme[name] for name in ("accent", "second", "muted")}
    for chart in (glance({f"a{step:02}": (step / 50, None, 3) for step in range(51)}), glance(), signs):
        seen = {(cell["fill"], cell["strength"]) for cell in cells(plots(chart)[0]).values()}
        assert len(seen) > 2
        grounds = [blended(exchanged[fill], theme["paper"], strength) for fill, strength in seen]
        assert min(contrast(ground, theme["ink"]) for ground in grounds) >= 4.5
