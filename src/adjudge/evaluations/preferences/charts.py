"""The charts of preferences. Systems stand in the same order in those of scores."""

from adjudge.spec import AnyChart, ForestPlot, Heatmap

_BEST = ("scores", "accuracy")


def _score_chart(metric: str) -> ForestPlot:
    return ForestPlot(
        name=metric.replace("_", "-"),
        title="{metric} by criterion",
        caption="{metric} of each system with its {confidence} interval.",
        table="scores",
        label="system",
        metrics=((metric,),),
        best=_BEST,
        selection="strongest",
    )


CHARTS: tuple[AnyChart, ...] = (
    *(_score_chart(metric) for metric in ("accuracy", "rouge_l", "bertscore", "judge")),
    Heatmap(
        name="glance",
        title="Systems and criteria",
        caption="Accuracy of each system on each criterion.",
        table="scores",
        rows="system",
        columns=("criterion",),
        metrics=("accuracy",),
        best=_BEST,
        selection="strongest",
        most=40,
    ),
    Heatmap(
        name="confusion",
        title="Predicted labels against people's",
        caption="How often each label is predicted (columns) for each label that people gave (rows). The stronger "
        "the colour, the greater the share of its row; outlined cells are right, empty ones do not occur.",
        table="confusion",
        rows="reference_label",
        columns=("label",),
        groups=("system",),
        ignore_groups=True,
        colours="shares",
        best=_BEST,
    ),
    ForestPlot(
        name="ranks",
        title="Systems by Borda points",
        caption="Borda points: how many systems each beats, summed over all figures; a tie counts half. They have no "
        "interval; the ranks that each system may have say how sure the order is.",
        table="ranks",
        label="system",
        metrics=(("borda",),),
        best=("ranks", "borda"),
        selection="strongest",
    ),
    ForestPlot(
        name="rank-sets",
        title="Ranks that each system may have",
        caption="The ranks that a system may have: from 1 + the number of systems that are significantly better to "
        "the number of all minus those significantly worse. Where bars overlap, the order may be chance.",
        table="ranks",
        groups=("ranked_metric",),
        label="system",
        metrics=(("rank_low", "rank_high"),),
        best=("ranks", "borda"),
        selection="strongest",
    ),
)
