"""The charts of reliability."""

from adjudge.spec import ForestPlot, Heatmap

_BEST = ("annotators", "reliability")

CHARTS = (
    ForestPlot(
        name="intervals",
        title="Reliability with intervals",
        caption="Reliability of each annotator with its {confidence} interval; the larger the point, the more choices.",
        table="annotators",
        label="annotator",
        metrics=(("reliability",),),
        best=_BEST,
        selection="largest",
        most=100,
        most_groups=8,
        sized=True,
    ),
    Heatmap(
        name="matrix",
        title="Annotators at a glance",
        caption="A row per annotator; reliability is good where it is high, flag mismatch where it is low.",
        table="annotators",
        rows="annotator",
        metrics=("reliability", "flag_mismatch", "items"),
        best=_BEST,
        selection="largest",
        most=100,
        most_groups=8,
    ),
)
