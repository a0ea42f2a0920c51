"""The evaluations: `adjudge.reliability` and the others, and `adjudge.score` for two arrays."""

from typing import Any

from adjudge.api.functions import step_of, takes
from adjudge.api.reports import check_by, done_to, evaluate, inputs_of, without_items
from adjudge.errors import DataError, encodable
from adjudge.evaluations.agreement.options import AgreementOptions
from adjudge.evaluations.annotations.options import AnnotationsOptions
from adjudge.evaluations.card.options import CardOptions, CorrectOptions
from adjudge.evaluations.preferences.options import PreferencesOptions
from adjudge.evaluations.rag.options import RagOptions
from adjudge.evaluations.reliability.options import ReliabilityOptions, ScoreOptions
from adjudge.evaluations.violations.options import ViolationsOptions
from adjudge.report import Report


@takes(ReliabilityOptions)
def reliability(options: ReliabilityOptions) -> Report:
    """Accuracy of each annotator against a reference: flags first, then the choice.

    reliability = choices equal to the reference's / items that neither side flagged;
    flag_mismatch = items on which the flags differ / items on which both sides say whether to flag.

    Returns
    -------
    A Report with the tables annotators, overall, deductions, flags and confusion.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"item": [1, 2, 3, 4], "annotator": ["ann"] * 4,
    ...                       "label": ["a", "b", "a", "tie"], "reference": ["a", "b", "b", "tie"]})
    >>> print(adjudge.reliability(table).estimate("reliability", annotator="ann"))
    0.750 [0.301, 0.954] n=4 (few items)
    """
    return evaluate("reliability", options).report


@takes(AgreementOptions)
def agreement(options: AgreementOptions) -> Report:
    """How far annotators agree with one another, without a reference.

    alpha = 1 - observed / expected disagreement (Krippendorff); beside it Gwet's AC, Fleiss' kappa and percent
    agreement. Labels may be missing, and items have any number of annotators.

    Returns
    -------
    A Report with the tables agreement, annotators, informedness, consensus and others.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError without what glad and mace need.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"item": [1, 1, 2, 2], "annotator": ["ann", "ben"] * 2, "label": ["a", "a", "b", "a"]})
    >>> adjudge.agreement(table).estimate("alpha", over="items").value
    0.0
    """
    return evaluate("agreement", options).report


@takes(CardOptions)
def card(options: CardOptions) -> Report:
    """Can a judge replace human annotators? Its agreement with them beside the human ceiling, and its biases.

    agreement = mean over items of the share of human annotators whose label equals the judge's;
    people_agreement = the same of human annotators, each against the others.

    Returns
    -------
    A Report whose main table is judges.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> said = {"ana": "yes no no yes", "ben": "yes no yes yes", "gpt": "yes no yes no"}
    >>> rows = [(i, who, label) for who, labels in said.items() for i, label in enumerate(labels.split())]
    >>> table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    >>> report = adjudge.card(table, judges="gpt")
    >>> [report.estimate(name, judge="gpt").value for name in ("agreement", "people_agreement")]
    [0.625, 0.75]
    """
    return evaluate("card", options).report


@takes(AnnotationsOptions)
def annotations(options: AnnotationsOptions) -> Report:
    """Which traits votes on pairs of responses reward, and which traits a model shows.

    Each annotator (a human, a model asked about one trait, a rule, "the response that this model wrote")
    is compared with a reference: relevance = its valid votes / all pairs of the population; accuracy = equal votes /
    pairs on which both are valid; kappa = 2 (accuracy - 0.5); strength = kappa x relevance.

    Returns
    -------
    A Report with the tables overview, agreement, bias, votes, differences and matrix; of several references, data sets
    or groups also side_by_side: annotators x these, with the greatest difference, which comes first.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> table = pl.DataFrame({"text_a": ["Yes.", "No."], "text_b": ["Yes, it is!", "No"], "vote": ["b", "b"]})
    >>> report = adjudge.annotations(table, annotator_columns="vote", reference="style:longer",
    ...                            vote_values={"text_a": "a", "text_b": "b"})
    >>> report.estimate("accuracy").value
    0.5

    Source: the metrics follow Feedback Forensics (Findeis et al. 2025), except where they are undefined.
    """
    return evaluate("annotations", options).report


@takes(PreferencesOptions)
def preferences(options: PreferencesOptions) -> Report:
    """How well systems predict which of two responses humans prefer, and why.

    On each criterion: accuracy = labels equal to the gold label / items with a gold label (a missing label is wrong);
    balanced accuracy, macro F1 and Cohen's kappa. Then means over criteria, baselines and ranks.

    Returns
    -------
    A Report with the tables scores, confusion, differences and, of several systems, leaderboard and ranks; with check
    also submissions.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> gold = pl.DataFrame({"id": ["1", "2"], "fluency_preference": ["A", "B"]})
    >>> mine = pl.DataFrame({"id": ["2", "1"], "fluency_preference": ["B", "B"]})
    >>> report = adjudge.preferences(gold, mine, system="mine", criteria="fluency")
    >>> report.estimate("accuracy", system="mine", criterion="fluency").value
    0.5

    Source: the task of the ELOQUENT 2025 lab on preference prediction.
    """
    return evaluate("preferences", options).report


@takes(ViolationsOptions)
def violations(options: ViolationsOptions) -> Report:
    """How well checkers find violations of rules in texts.

    precision = matched predictions / all predictions; recall = matched true violations / all of them; F1 of both;
    match_score = sum of the matches' scores / all true violations; match_quality = mean of the matches' scores.
    A score is a weighted sum of five parts: overlap (characters in both spans / in either), similarity of the rules,
    equality of the categories, similarity of explanations and of corrections. Two violations can match if
    their overlap is > 0, the similarity of their rules > 0.01 and their score > 0.5; each is in at most one match.

    Returns
    -------
    A Report with the tables scores, differences, counts, by_category, by_rule and matches. What both violations of a
    pair lack has no weight: its weight is distributed over the other parts. If no violation in the data has some part,
    a warning and the signature record it.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed
    or a server that does not answer.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> truth = pl.DataFrame({"id": ["1"], "text": ["Best tea!"], "start": [0], "end": [4], "rule": ["superlatives"]})
    >>> report = adjudge.violations(truth, truth, checker="same")
    >>> keys = {"checker": "same", "variant": "std", "average": "micro"}
    >>> report.estimate("f1", **keys).value
    1.0

    Source: matching by intersection over union, as in object detection (Everingham et al. 2010).
    """
    return evaluate("violations", options).report


@takes(RagOptions)
def rag(options: RagOptions) -> Report:
    """How models answer from documents that are noisy, insufficient, scattered or false.

    accuracy = correct answers / answers, by the share of documents without the answer; rejection_rate = refusals /
    answers to questions whose documents do not hold the answer; error_detection_rate and error_correction_rate where
    documents are false.

    Returns
    -------
    A Report with the tables scores, differences, outcomes and, of several scorers, agreement; with human, card.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> rows = {"id": ["1", "2"], "ability": "noise_robustness", "response": ["It is Paris.", "Rome"]}
    >>> keys = {"model": "mine", "scorer": "strict"}
    >>> adjudge.rag(pl.DataFrame({**rows, "answer": "Paris"}), model="mine").estimate("accuracy", **keys).value
    0.5

    Source: the abilities and the scorer "benchmark" are those of RGB, Chen et al. 2024, arXiv:2309.01431.
    """
    return evaluate("rag", options).report


@takes(ScoreOptions)
def score(options: ScoreOptions) -> Report:
    """Agreement of the labels in one array with the gold labels in another: `adjudge.reliability` of one annotator.

    reliability = labels equal to the gold label / items; with `positive` also precision, recall, specificity and F1,
    with `ordered` weighted kappas, Spearman's correlation and the mean absolute error.

    Returns
    -------
    The report of `adjudge.reliability`; items are named by their place, from 1.

    Raises
    ------
    DataError for arrays of different lengths, or of more than one dimension; as `adjudge.reliability` otherwise.

    Example
    -------
    >>> import adjudge
    >>> adjudge.score([1, 0, 1, 1], [1, 0, 0, 1]).estimate("reliability").value
    0.75
    """
    import polars as pl

    from adjudge.readers.problems import count_words

    gold, given = (list(map(_label, labels)) for labels in (options.y_true, options.y_pred))
    if len(gold) != len(given):
        raise DataError(
            f"y_pred: expected {count_words(len(gold), 'label', 'labels')}, as in y_true; got {len(given):,}"
        )
    table = pl.DataFrame(
        {
            "item": range(1, len(given) + 1),
            "annotator": [options.annotator] * len(given),
            "label": pl.Series(given, strict=False),
            "reference": pl.Series(gold, strict=False),
        }
    )
    shared = {name: value for name, value in options.values().items() if name not in ("y_true", "y_pred", "annotator")}
    return evaluate("reliability", ReliabilityOptions.of({"data": table, **shared})).report


def _label(label: Any) -> Any:  # noqa: ANN401
    """A label as a Python value. Raises DataError for a row of labels."""
    found = label.item() if hasattr(label, "item") and getattr(label, "ndim", 0) == 0 else label
    if hasattr(found, "__len__") and not isinstance(found, str):
        raise DataError(f"y_true, y_pred: expected one label per item; got {type(found).__name__} {found!r:.60}")
    if isinstance(found, str) and not encodable(found):
        raise DataError(f"y_true, y_pred: expected text in UTF-8; got {found!r:.60}. Decode it from the right encoding")
    return None if found != found else found  # noqa: PLR0124 - NaN alone differs from itself


@takes(CorrectOptions)
def correct(options: CorrectOptions) -> Report:
    """Prediction-powered estimates of human labels on all items, from human labels of some and a judge's of all.

    corrected = the human metric on the n labelled items + w (the judge's metric on all items - its metric on the n);
    w, from 0 to 1 + n / N, is how well the judge predicts human labels.

    Returns
    -------
    A Report with the tables corrected and corrected_numbers (means and strengths). corrected has shares of labels, win
    rates and the judge's accuracy: by human labels, by the judge alone, corrected, the effective sample size in human
    labels, and w.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> said = {"gpt": "yes yes yes no yes yes yes no no no", "ana": "yes yes no no"}
    >>> rows = [(i, who, label) for who, labels in said.items() for i, label in enumerate(labels.split())]
    >>> table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    >>> report = adjudge.correct(table, judges="gpt")
    >>> report.estimate("corrected", judge="gpt", figure="share", label="yes").value
    0.4296875

    Source: Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453 (see `adjudge.statistics.prediction_powered`).
    """
    from adjudge.evaluations.card import corrected, reading
    from adjudge.evaluations.card.scoring import TAKEN
    from adjudge.evaluations.inputs import settle_judge_tables
    from adjudge.schemas.columns import check_cluster

    check_by(options.by, TAKEN)
    check_cluster(options.cluster, None)
    corrected.check_options(options)
    with step_of(options)("reading"):
        options, inputs, settled = settle_judge_tables(options, inputs_of(options, "card"))
        sources = inputs["data"]
        labels = reading.read_labels(sources, options)
    with step_of(options)("counting"):
        made, warnings, notes = corrected.correct(labels, options)
    return without_items(
        options,
        labels.judgments.inputs,
        made,
        evaluation="card",
        words="card correct",
        counts=labels.counts,
        warnings=(*settled, *done_to(sources), *labels.warnings, *warnings),
        notes=notes,
    )
