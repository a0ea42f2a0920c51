"""The charts of agreement."""

from adjudge.spec import ForestPlot, Heatmap

CHARTS = (
    ForestPlot(
        name="intervals",
        title="Agreement with intervals",
        caption="Agreement of all annotators with its {confidence} interval: for other items like these, and for other "
        "items and other annotators. 0 is what chance gives.",
        table="agreement",
        label="over",
        metrics=(("alpha",), ("gwet_ac",), ("fleiss_kappa",)),
        zeros={"alpha": 0.0, "gwet_ac": 0.0, "fleiss_kappa": 0.0},
    ),
    ForestPlot(
        name="annotators",
        title="Each annotator with the others",
        caption="How far the others agree with each annotator, with its {confidence} interval; the larger the point, "
        "the more labels. Who agrees least stands first.",
        table="annotators",
        label="annotator",
        metrics=(("agreement_with_others",),),
        selection="largest",
        most=60,
        sized=True,
    ),
    Heatmap(
        name="pairs",
        title="Annotators beside one another",
        caption="{metric} of every two annotators on the items that both label; each pair stands once. Blue where they "
        "agree more than chance gives, orange where less.",
        table="pairs",
        rows="annotator",
        columns=("other",),
        metrics=("kappa_quadratic", "cohen_kappa"),
        colours="signs",
        most=20,
    ),
    ForestPlot(
        name="informedness",
        title="Whose labels tell of the items",
        caption="On what share of the items each annotator's label follows the consensus of the others rather than a "
        "guess, with its {confidence} interval: 0 where it has nothing to do with it, below 0 where it goes against "
        "it; the larger the point, the more labels. Who is least informed stands first.",
        table="informedness",
        label="annotator",
        metrics=(("informedness",),),
        zeros={"informedness": 0.0},
        selection="largest",
        most=60,
        sized=True,
    ),
    Heatmap(
        name="confusion",
        title="Annotators against the consensus",
        caption="How often each label is given (columns) for each consensus label (rows), by the annotators with most "
        "labels. The stronger the colour, the greater the share of its row; outlined cells agree, empty ones do not "
        "occur.",
        table="consensus_confusion",
        rows="consensus_label",
        columns=("label",),
        groups=("annotator",),
        most_groups=8,
        colours="shares",
    ),
)
