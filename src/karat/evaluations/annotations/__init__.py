"""Which traits votes reward, and which traits a model shows: annotators of response pairs against one another."""

from karat.about import Evaluation, Metric
from karat.evaluations.annotations.charts import PICTURES
from karat.schemas.pairs import VOTES

EVALUATION = Evaluation(
    name="annotations",
    title="Annotations of response pairs",
    question="How often, and how strongly, does each annotator vote as the reference does?",
    main="agreement",
    judge="annotator",
    metrics={
        "relevance": Metric("Relevance", "Pairs on which the annotator's vote is valid / all pairs of the population."),
        "coverage": Metric("Coverage", "Pairs that the annotator annotates / all pairs."),
        "accuracy": Metric(
            "Accuracy", "Votes equal to the reference's / pairs on which both are valid.", better="high"
        ),
        "kappa": Metric(
            "Kappa", "2 (accuracy - 0.5): agreement beyond a chance of one half.", better="high", percent=False
        ),
        "kappa_observed": Metric(
            "Kappa, observed chance",
            "Cohen's kappa with chance from both annotators' own votes over the same pairs.",
            better="high",
            percent=False,
        ),
        "strength": Metric(
            "Strength",
            "Kappa x relevance: above 0 the reference rewards the trait, below 0 it avoids it.",
            better="high",
            percent=False,
        ),
        "pairs_total": Metric("Pairs in all", "All pairs of the data set.", percent=False, decimals=0),
        "pairs": Metric("Pairs", "Pairs on which the reference's vote is valid.", percent=False, decimals=0),
        "prefers_a": Metric("Prefers A", "Pairs on which the reference prefers text_a / pairs."),
        "length_a": Metric("Length A", "Mean length of text_a in characters.", percent=False),
        "length_b": Metric("Length B", "Mean length of text_b in characters.", percent=False),
        "length_preferred": Metric(
            "Length preferred", "Mean length of the preferred text, in characters.", percent=False
        ),
        "length_rejected": Metric("Length rejected", "Mean length of the rejected text, in characters.", percent=False),
        "prefers_longer": Metric("Prefers longer", "Pairs on which the preferred text is the longer one / pairs."),
        "position": Metric("Position", "Votes for text_a / valid votes: 50 % without a bias toward a place."),
        "length": Metric(
            "Length bias", "Strength against the rule that the longer text wins.", percent=False, better="high"
        ),
        "swap_consistency": Metric(
            "Swap consistency",
            "Pairs judged in both orders on which the same text wins / those with two valid votes.",
            better="high",
        ),
    },
    tables={
        "agreement": "Each annotator against the reference.",
        "votes": "Every combination of both votes, with how often it stands in the data.",
        "overview": "The data as the reference sees it.",
        "matrix": "Every annotator against every other.",
        "differences": "Whether two strengths differ: of two annotators, two groups, two data sets.",
        "bias": "What a vote depends on besides the texts' quality.",
        "truth": "The estimates beside the truth of the simulation.",
    },
    outcomes={
        "disagree": "Votes that differ",
        "agree": "Votes that agree",
        "annotator_only": "Only the annotator's vote is valid",
        "reference_only": "Only the reference's vote is valid",
    },
    headline="overview",
    leading="strength",
    printed=("overview", "agreement", "bias", "differences"),
    folded=("votes", "differences", "matrix"),
    common=("dataset", "reference"),
    values=VOTES,
    beside=("text_a", "text_b"),
    keys=("dataset", "annotator", "name", "reference"),
    pictures=PICTURES,
)
