"""The charts of violations, and of annotators of violations."""

from adjudge.spec import ForestPlot, Heatmap


def _breakdown_chart(part: str, plural: str) -> ForestPlot:
    return ForestPlot(
        name=f"by-{part}",
        title=f"Which {plural} are found, and which are wrongly claimed",
        caption=f"For each {part}: the share of predictions that match (precision) and the share of true violations "
        "that are matched (recall), with {confidence} intervals.",
        table=f"by_{part}",
        first=("variant",),
        groups=("checker",),
        label=part,
        metrics=(("precision",), ("recall",)),
        most=15,
    )


CHARTS = (
    ForestPlot(
        name="figures",
        title="Precision, recall, F1 and match score",
        caption="Each checker over all texts together, with {confidence} intervals. Where spans alone are compared, "
        "figures are those of exact spans, and there is no match score.",
        table="scores",
        where={"average": "micro"},
        label="checker",
        metrics=(("precision", "exact_precision"), ("recall", "exact_recall"), ("f1", "exact_f1"), ("match_score",)),
        colour="variant",
        best=("scores", "match_score"),
    ),
    Heatmap(
        name="glance",
        title="Checkers at a glance",
        caption="Each checker over all texts together.",
        table="scores",
        where={"average": "micro"},
        first=("variant",),
        rows="checker",
        metrics=("precision", "recall", "f1", "match_score"),
        best=("scores", "match_score"),
        most=40,
    ),
    _breakdown_chart("rule", "rules"),
    _breakdown_chart("category", "categories"),
    Heatmap(
        name="confusion",
        title="Which categories are taken for which",
        caption="How often violations that overlap are given each category: true ones in rows, predicted ones in "
        "columns. The stronger the colour, the greater the share of its row; outlined cells are right, empty ones do "
        "not occur.",
        table="confusion",
        rows="reference_label",
        columns=("label",),
        groups=("checker",),
        colours="shares",
    ),
)

MATRIX = (
    Heatmap(
        name="annotators",
        title="Everyone against everyone",
        caption="{metric} of the annotator of each row against the one of each column as the truth, on texts that both "
        "saw. The diagonal is left empty.",
        table="annotators",
        first=("variant",),
        rows="checker",
        columns=("reference",),
        metrics=("f1",),
    ),
    Heatmap(
        name="match-scores",
        title="Match scores",
        caption="The same of match scores, which count the true violations alone.",
        table="annotators",
        first=("variant",),
        rows="checker",
        columns=("reference",),
        metrics=("match_score",),
    ),
)
