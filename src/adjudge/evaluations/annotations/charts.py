"""The charts of annotations. Groups stand side by side over the same rows, so that a line can be read across."""

from functools import partial

from adjudge.spec import ForestPlot, Heatmap

_BEST = ("agreement", "strength", "kappa_observed")

_forest = partial(
    ForestPlot,
    groups=("dataset", "reference"),
    label="annotator",
    best=_BEST,
    selection="strongest",
    most=40,
    most_groups=8,
)

CHARTS = (
    _forest(
        name="strength",
        title="Annotators by {metric}",
        caption="{metric} with its {confidence} interval. Right of 0 the annotator votes as the reference does, left "
        "of 0 against it.",
        table="agreement",
        metrics=(("strength", "kappa_observed"),),
        zeros={"strength": 0.0},
    ),
    Heatmap(
        name="matrix",
        title="Everyone against everyone",
        caption="Strength of the annotator of each row against the one of each column as reference: blue where they "
        "vote alike, orange where they vote against each other. The diagonal is left empty.",
        table="matrix",
        groups=("dataset",),
        rows="annotator",
        columns=("reference",),
        metrics=("strength",),
        colours="signs",
        best=_BEST,
        selection="strongest",
        most=40,
    ),
    _forest(
        name="bias",
        title="Votes by position and length",
        caption="Each annotator's votes, with {confidence} intervals. Position: the share of its valid votes that go "
        "to text a; the line at 50\u00a0% is no bias toward a position. Length bias: its strength if the longer "
        "text were always right; right of the line at 0 it votes for longer texts, left of it for shorter ones. "
        "Neither is tested.",
        table="bias",
        metrics=(("position",), ("length",)),
        zeros={"position": 0.5, "length": 0.0},
    ),
)
