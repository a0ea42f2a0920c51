"""`karat.violations`."""

from typing import Annotated, Any, Literal

from karat.api import options as common
from karat.api.kinds import INPUT, SOME_INPUTS, File, Number, Text, Texts, Weights, from_to
from karat.api.options import Option, documented
from karat.api.reports import run
from karat.report import Report

GroundTruth = Annotated[Any, Option("Texts with the true violations.", "GROUND_TRUTH", INPUT)]
Predictions = Annotated[Any, Option("A file per checker; none with --truth-annotator.", "[PREDICTED]...", SOME_INPUTS)]
Checker = Annotated[Texts, Option("A checker's name, in the files' order. Repeatable.", "NAME")]
Split = Annotated[Text, Option("What the data is called.", "NAME@VERSION")]
TruthAnnotator = Annotated[Text, Option("Whose violations are true, in a file with several annotators.", "NAME")]
PredictedAnnotator = Annotated[
    Texts, Option("Whose violations are predicted; by default all others'. Repeatable.", "NAME")
]
Variant = Annotated[Literal["std", "ha", "both"], Option("Standard match, human-aligned match, or both.")]
RuleSimilarity = Annotated[
    str, Option("How rules are compared: jaccard, sentence-transformers:MODEL or openai:MODEL.", "SIMILARITY")
]
TextSimilarity = Annotated[str, Option("How explanations and corrections are compared: any of the same.", "SIMILARITY")]
BaseUrl = Annotated[Text, Option("The server of openai:MODEL, such as http://localhost:8000/v1.", "URL")]
Assignment = Annotated[
    Literal["greedy", "optimal"], Option("Match the highest score first, or maximise the sum of scores.")
]
StdWeights = Annotated[Weights, Option("Weights of std, such as overlap=0.5,rule=0.5.", "PART=WEIGHT,...")]
HaWeights = Annotated[Weights, Option("Weights of ha, of all its parts.", "PART=WEIGHT,...")]
ScoreThreshold = Annotated[Number, Option("What a score must exceed; 0.5 by default.")]
OverlapThreshold = Annotated[Number, Option("What an overlap must exceed; 0 by default.")]
RuleThreshold = Annotated[Number, Option("What the likeness of rules must exceed; 0.01 by default.")]
Config = Annotated[File, Option("Weights and thresholds in a TOML file.", "FILE")]
OffsetBase = Annotated[int, Option("The offset of the first character: 0 or 1.", kind=from_to(0, 1))]
QuoteMismatch = Annotated[Literal["error", "warn"], Option("Refuse quotes that differ from their place, or warn.")]


@documented
def violations(
    ground_truth: GroundTruth,
    predictions: Predictions = (),
    *,
    checker: Checker = (),
    split: Split = None,
    truth_annotator: TruthAnnotator = None,
    predicted_annotator: PredictedAnnotator = (),
    variant: Variant = "both",
    rule_similarity: RuleSimilarity = "jaccard",
    text_similarity: TextSimilarity = "jaccard",
    base_url: BaseUrl = None,
    assignment: Assignment = "greedy",
    std_weights: StdWeights = None,
    ha_weights: HaWeights = None,
    score_threshold: ScoreThreshold = None,
    overlap_threshold: OverlapThreshold = None,
    rule_threshold: RuleThreshold = None,
    config: Config = None,
    offset_base: OffsetBase = 0,
    quote_mismatch: QuoteMismatch = "error",
    columns: common.Columns = None,
    by: common.By = (),
    cluster: common.Cluster = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    input_format: common.InputFormat = None,
    examples: common.Examples = 5,
    items: common.Items = None,
    progress: common.Progress = None,
) -> Report:
    """How well checkers find violations of rules in texts.

    precision = matched predictions / all predictions; recall = matched true violations / all of them; F1 of both;
    match_score = sum of the matches' scores / all true violations; match_quality = mean of the matches' scores.
    A score is a weighted sum of overlap (characters in both spans / in either), likeness of the rules, equality of
    the categories, likeness of explanations and of corrections. Two violations can match if overlap > 0, the rules'
    likeness > 0.01 and the score > 0.5; each is in one match at most.

    Arguments
    ---------
    ground_truth: JSON lines {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
        "correction"}]}, a Label Studio or Prodigy export, M2, or a table with a row per span.
    checker: By default what the files say, else their names.
    variant: std is 0.5 overlap + 0.5 rule; ha 0.3 overlap + 0.3 rule + 0.1 category + 0.2 explanation + 0.1
        correction.
    rule_similarity: jaccard is the words in both / in either; sentence-transformers needs karat[embeddings], openai
        karat[models].
    base_url: By default the environment's OPENAI_BASE_URL, with its OPENAI_API_KEY.
    assignment: optimal needs karat[fit].
    std_weights: Sum 1.
    ha_weights: Sum 1.
    config: As `karat.calibrate_violations` writes it; options go before it.
    quote_mismatch: With a warning the offsets win.

    Returns
    -------
    A Report with the tables scores, differences, counts, by_category, by_rule and matches. A part that nobody in the
    data gives has its weight shared out among the others, which a warning and the signature say.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed
    and a server that does not answer.

    Example
    -------
    >>> import polars as pl, karat
    >>> truth = pl.DataFrame({"id": ["1"], "text": ["Best tea!"], "start": [0], "end": [4], "rule": ["superlatives"]})
    >>> report = karat.violations(truth, truth, checker="same")
    >>> keys = {"checker": "same", "variant": "std", "average": "micro"}
    >>> report.estimate("scores", "f1", keys).value
    1.0

    Source: matching by intersection over union, as in object detection (Everingham et al. 2010).

    Command
    -------
    Match predicted violations with true ones: precision, recall, F1, match score, by category and rule.

    A file holds a text per line: {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
    "correction"}]}; exports of Label Studio and Prodigy, tables of spans and M2 are read too. For example:

    karat violations score truth.jsonl ours.jsonl theirs.jsonl --output report.html
    """
    return run(violations, locals())
