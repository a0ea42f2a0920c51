"""The charts of answers, by the first scorer of the report."""

from adjudge.spec import BarChart, Heatmap, LineChart

CHARTS = (
    LineChart(
        name="noise",
        title="Accuracy over noise",
        caption="Accuracy of each model as fewer documents hold the answer, with {confidence} intervals.",
        table="scores",
        where={"ability": "noise_robustness"},
        first=("scorer",),
        along="noise_ratio",
        metrics=("accuracy",),
        title_along="Noise ratio: share of documents without the answer",
        most=12,
    ),
    Heatmap(
        name="abilities",
        title="Models and abilities",
        caption="Each model on each ability, at each share of documents without the answer.",
        table="scores",
        first=("scorer",),
        rows="model",
        columns=("ability", "noise_ratio"),
        most=12,
    ),
    BarChart(
        name="outcomes",
        title="Outcomes of the answers",
        caption="Shares of all answers. To decline is right only where no document holds the answer.",
        table="outcomes",
        first=("scorer",),
        groups=("ability",),
        most_groups=8,
        parts=("correct", "corrected", "detected", "rejected", "answered", "incorrect", "missing", "unjudged"),
        most=12,
    ),
)
