"""`karat.violations`."""

from typing import Annotated, Any, Literal

from karat.api import options as common
from karat.api.kinds import INPUT, INPUTS, File, Number, Text, Texts, Weights, from_to
from karat.api.options import Option, documented
from karat.api.reports import run
from karat.report import Report

GroundTruth = Annotated[Any, Option("Texts with the true violations.", "GROUND_TRUTH", INPUT)]
Predictions = Annotated[Any, Option("A file per checker; none with --truth-annotator.", "[PREDICTED]...", INPUTS)]
Checker = Annotated[Texts, Option("A checker's name, in the files' order. Repeatable.", "NAME")]
Split = Annotated[Text, Option("A name for the data set.", "NAME@VERSION")]
TruthAnnotator = Annotated[
    Text, Option("The annotator whose violations are the truth, in a file with several.", "NAME")
]
PredictedAnnotator = Annotated[
    Texts, Option("An annotator whose violations are predictions; by default every other one. Repeatable.", "NAME")
]
Variant = Annotated[Literal["std", "ha", "both"], Option("The standard match, the human-aligned match, or both.")]
RuleSimilarity = Annotated[
    str, Option("How rules are compared: jaccard, sentence-transformers:MODEL or openai:MODEL.", "SIMILARITY")
]
TextSimilarity = Annotated[str, Option("How explanations and corrections are compared: same choices.", "SIMILARITY")]
BaseUrl = Annotated[Text, Option("The server of openai:MODEL, such as http://localhost:8000/v1.", "URL")]
Assignment = Annotated[
    Literal["greedy", "optimal"], Option("Match the highest score first, or maximise the sum of scores.")
]
StdWeights = Annotated[Weights, Option("Weights of std, such as overlap=0.5,rule=0.5.", "PART=WEIGHT,...")]
HaWeights = Annotated[Weights, Option("Weights of ha, for all of its parts.", "PART=WEIGHT,...")]
ScoreThreshold = Annotated[Number, Option("A match must score above this; 0.5 by default.")]
OverlapThreshold = Annotated[Number, Option("A match must overlap by more than this; 0 by default.")]
RuleThreshold = Annotated[Number, Option("The rules of a match must be more similar than this; 0.01 by default.")]
Config = Annotated[File, Option("A TOML file with weights and thresholds.", "FILE")]
OffsetBase = Annotated[int, Option("The offset of the first character: 0 or 1.", kind=from_to(0, 1))]
QuoteMismatch = Annotated[
    Literal["error", "warn"], Option("Refuse quotes that differ from the text at their offsets, or warn.")
]


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
    A score is a weighted sum of the overlap (characters in both spans / in either), the similarity of the rules, the
    equality of the categories, and the similarity of explanations and of corrections. Two violations can match if
    their overlap is > 0, the similarity of their rules > 0.01 and their score > 0.5; each is in at most one match.

    Arguments
    ---------
    ground_truth: JSON lines {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
        "correction"}]}, a Label Studio or Prodigy export, M2, or a table with a row per span.
    checker: By default the names that the files give, else the files' own names.
    variant: std is 0.5 overlap + 0.5 rule; ha 0.3 overlap + 0.3 rule + 0.1 category + 0.2 explanation + 0.1
        correction.
    rule_similarity: jaccard is the share of words in both among the words in either; sentence-transformers needs
        karat[embeddings], openai needs karat[models].
    base_url: By default OPENAI_BASE_URL from the environment; the key is OPENAI_API_KEY.
    assignment: optimal needs karat[fit].
    std_weights: They sum to 1.
    ha_weights: They sum to 1.
    config: As `karat.calibrate_violations` writes it; options take precedence over it.
    quote_mismatch: With a warning, the offsets count.

    Returns
    -------
    A Report with the tables scores, differences, counts, by_category, by_rule and matches. If no violation in the data
    has some part, its weight is shared out among the other parts; a warning and the signature say so.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed
    or a server that does not answer.

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
    Match predicted violations with true ones: precision, recall, F1 and match score, also by category and rule.

    A file holds a text per line: {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
    "correction"}]}. Exports of Label Studio and Prodigy, tables of spans and M2 are read too. For example:

    karat violations score truth.jsonl ours.jsonl theirs.jsonl --output report.html
    """
    return run(violations, locals())
