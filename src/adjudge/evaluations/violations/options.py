"""Options of `adjudge.violations`, and of what prepares its matches: calibration, agreement, pairs to judge."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from adjudge.options import shared
from adjudge.options.declaration import Options, option
from adjudge.options.kinds import INPUT, INPUTS, WORD, from_to, written_file
from adjudge.options.shared import File

_file = partial(option, default=None, metavar="FILE")
Variants = Literal["std", "ha", "both"]
_variants: "partial[Variants]" = partial(
    option,
    "Variant: standard (std: overlap, rule), human-aligned (ha: all parts) or both",
    default="both",
    more="std is 0.5 overlap + 0.5 rule; ha 0.3 overlap + 0.3 rule + 0.1 category + 0.2 explanation + 0.1 correction.",
)


class SimilarityOptions(Options):
    """How parts of violations are compared."""

    rule_similarity: str = option(
        "Similarity of rules: jaccard, openai:MODEL or sentence-transformers:MODEL",
        default="jaccard",
        metavar="SIMILARITY",
        group="Advanced",
        more="jaccard is the share of words in both among the words in either; sentence-transformers needs "
        "adjudge[embeddings], openai needs adjudge[models], OPENAI_API_KEY and, for another server, OPENAI_BASE_URL.",
    )
    text_similarity: str = option(
        "The same for explanations and corrections", default="jaccard", metavar="SIMILARITY", group="Advanced"
    )


class MatchSettingsOptions(Options):
    """A file of weights and thresholds."""

    config: File = _file("Matching weights and threshold, as TOML", more="As `adjudge.calibrate_violations` writes.")


class MarkOptions(SimilarityOptions, shared.Offsets):
    """Texts with true violations, and with those of checkers."""

    ground_truth: Any = option(
        "Texts with the true violations",
        metavar="GROUND_TRUTH",
        kind=INPUT,
        kw_only=False,
        more='JSON lines {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation", '
        '"correction"}]}, an export of Label Studio, Prodigy, doccano, Argilla, brat and others, CoNLL, '
        "M2, MQM, or a table with a row per span.",
    )
    predictions: Any = option(
        "A file per checker; none with --truth-annotator", default=(), metavar="PREDICTED", kind=INPUTS, kw_only=False
    )
    truth_annotator: str | None = option(
        "Gold annotator, if the file has several annotators", default=None, metavar="NAME", kind=WORD
    )
    predicted_annotator: Sequence[str] = option(
        "Annotators whose violations are predictions (default: all others)", default=(), metavar="NAME,..."
    )


class ViolationsOptions(shared.Scoring, MarkOptions, MatchSettingsOptions):
    """Score checkers that find rule violations in texts.

    A file holds a text per line: {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
    "correction"}]}. Adjudge also reads exports from Label Studio, Prodigy, doccano, Argilla and others, tables of
    spans, CoNLL and M2.

    adjudge violations truth.jsonl ours.jsonl theirs.jsonl --output report.html
    """

    checker: Sequence[str] = option(
        "Names of the checkers, in the order of the files",
        default=(),
        metavar="NAME,...",
        more="Default: the names in the files, else those of the files.",
    )
    variant: Variants = _variants()


class CalibrateOptions(
    SimilarityOptions, MatchSettingsOptions, shared.Intervals, shared.Randomness, shared.WithProgress
):
    """Fit the weights and threshold of matching to pairs that annotators judged as the same violation or not.

    A file holds a pair per line: {"id", "text", "predicted": {...}, "ground_truth": {...}, "same": true or false,
    "judge"}, as written by adjudge violations pairs and filled in by annotators. Files of several annotators are
    pooled.

    adjudge violations calibrate ann.jsonl bob.jsonl --write-config ours.toml --output calibration.html
    """

    judged: Any = option("Judged pairs: a file, or one per annotator", metavar="JUDGED", kind=INPUTS, kw_only=False)
    variant: Literal["std", "ha"] = option(
        "Match to calibrate: std (overlap, rule) or ha (all parts)",
        default="ha",
        more="Its weights by default, or by --config, are what the fitted ones are compared with.",
    )
    write_config: File = _file(
        "Weights and threshold as .toml, for --config",
        kind=written_file(".toml"),
        group="Output",
        more="Nothing is written, with a warning, unless the calibrated rule is significantly more accurate than the "
        "default one and the majority on texts that it was not fitted to.",
    )
    reading: shared.Reading = shared.Reading()


class MarkedAgreementOptions(
    SimilarityOptions,
    shared.Offsets,
    MatchSettingsOptions,
    shared.Tables,
    shared.OnInvalid,
    shared.Intervals,
    shared.WithProgress,
):
    """Measure how well annotators of violations agree: each with every other, on the texts that both saw.

    A file holds the violations of several annotators: JSON lines with "annotator", a table with a row per span, an
    export of an annotation tool.

    adjudge violations agreement spans.csv --columns annotator=rater --output agreement.html
    """

    marked: Any = option(
        "Texts with violations marked by several annotators", metavar="MARKED", kind=INPUT, kw_only=False
    )
    variant: Variants = _variants()


class PairsOptions(
    MarkOptions, MatchSettingsOptions, shared.Tables, shared.OnInvalid, shared.Randomness, shared.WithProgress
):
    """Sample pairs of overlapping violations for annotators to judge.

    Half of the pairs score near the threshold. In a .jsonl file, annotators put true or false for "same" and their name
    for "judge"; an .html file is a page for a browser. Adjudge never replaces a file that holds judgments.

    adjudge violations pairs truth.jsonl ours.jsonl --output judge.html --count 200
    """

    count: int = option("Sampled pairs", default=200, metavar="N", kind=from_to(1), more="Fewer if there are no more.")
    variant: Literal["std", "ha"] = option("Match to use: std (overlap, rule), ha (all parts)", default="ha")
    output: File = _file(
        "Pairs as .jsonl to fill in, .html to judge in a browser",
        kind=written_file(".jsonl", ".html"),
        required=True,
        group="Output",
        short="-o",
    )


MarkedOptions: TypeAlias = ViolationsOptions | MarkedAgreementOptions | PairsOptions
"""Options of all that reads and matches marked texts."""
OPTIONS = ViolationsOptions
"""The options of the evaluation."""
