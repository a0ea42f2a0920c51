"""Charts of the card."""

from adjudge.spec import ForestPlot, LineChart

CHARTS = (
    ForestPlot(
        name="ceiling",
        title="Judges among people",
        caption="{metric}: each judge, and each person, compared with the other people, with {confidence} intervals.",
        table="everyone",
        label="annotator",
        metrics=(("agreement_with_others", "distance_from_others"),),
        colour="side",
        best=("everyone", "agreement_with_others", "distance_from_others"),
        most=40,
    ),
    ForestPlot(
        name="difference",
        title="Judge minus people",
        caption="{metric}: the judge's figure with people less that of people with one another, on items that two or "
        "more people labelled, with its {confidence} interval.",
        table="judges",
        label="judge",
        metrics=(("agreement_difference", "distance_difference"),),
        zeros={"agreement_difference": 0.0, "distance_difference": 0.0},
        best=("judges", "agreement", "distance"),
    ),
    LineChart(
        name="calibration",
        title="How sure, and how often right",
        caption="How many labels are right, by what most people say, in bins of similar certainty, with {confidence} "
        "intervals. On the dashed line the judge is right as often as it says; below it, it is too sure.",
        table="calibration",
        along="certainty",
        metrics=("right",),
        title_along="How sure the judge says it is",
        diagonal=True,
    ),
    LineChart(
        name="abstaining",
        title="Accuracy when the least sure labels are left out",
        caption="How many labels are right where the judge abstains on the items it is least sure of, with "
        "{confidence} intervals: the further left, the fewer items are kept.",
        table="abstaining",
        along="coverage",
        metrics=("kept_right",),
        title_along="Items that are kept",
    ),
    LineChart(
        name="windows",
        title="Over time",
        caption="Agreement with people in each window of time, with {confidence} intervals: on all items, and on "
        "anchors, the items that the judge labelled in every window, if any.",
        table="windows",
        along="window",
        metrics=("anchor_agreement", "anchor_distance", "window_agreement", "window_distance"),
        title_along="Window of time",
    ),
)
