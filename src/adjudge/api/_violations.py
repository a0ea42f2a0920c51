"""`adjudge.violations`, and what prepares its matches: calibration, agreement of annotators, pairs to judge."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Unpack

from adjudge.api import options as common
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT, INPUTS, LIMIT, WORD, File, Limit, Text, Texts, Weights, from_to, written
from adjudge.api.options import Option
from adjudge.api.reports import done_to, inputs_of, run, without_items
from adjudge.report import Report
from adjudge.version import TITLE, __version__

if TYPE_CHECKING:
    from adjudge.evaluations.violations.calibration import Calibration

GroundTruth = Annotated[Any, Option("Texts with the true violations.", "GROUND_TRUTH", INPUT)]
Predictions = Annotated[Any, Option("A file per checker; none with --truth-annotator.", "PREDICTED", INPUTS)]
OverlapThreshold = Annotated[Limit, Option("A match must overlap by more than this; 0 by default.", kind=LIMIT)]
RuleThreshold = Annotated[
    Limit, Option("The rules of a match must be more similar than this; 0.01 by default.", kind=LIMIT)
]
Variants = Annotated[Literal["std", "ha", "both"], Option("The standard match, the human-aligned match, or both.")]
Config = Annotated[File, Option("A TOML file with weights and thresholds.", "FILE")]


class Similarity(TypedDict, total=False):
    """How parts of violations are compared."""

    rule_similarity: Annotated[
        str,
        Option(
            "How rules are compared: jaccard, sentence-transformers:MODEL or openai:MODEL.",
            "SIMILARITY",
            default="jaccard",
        ),
    ]
    text_similarity: Annotated[
        str, Option("How explanations and corrections are compared: same choices.", "SIMILARITY", default="jaccard")
    ]
    base_url: Annotated[Text, Option("The server of openai:MODEL, such as http://localhost:8000/v1.", "URL")]


class Offsets(Similarity, common.Reading, total=False):
    """How files of violations are read, and how many of them may overlap, too."""

    offset_base: common.OffsetBase
    quote_mismatch: Annotated[
        Literal["error", "warn"],
        Option("Refuse quotes that differ from the text at their offsets, or warn.", default="error"),
    ]
    max_overlaps: Annotated[
        int | None,
        Option(
            "The most pairs of overlapping violations that are compared in one text; by default 2,097,152.",
            kind=from_to(1),
            shown=True,
        ),
    ]


class Marks(Offsets, total=False):
    """Whose violations are meant, too."""

    truth_annotator: Annotated[
        Text, Option("The annotator whose violations are the truth, in a file with several.", "NAME", WORD)
    ]
    predicted_annotator: Annotated[
        Texts,
        Option(
            "An annotator whose violations are predictions; by default every other one. Repeatable.", "NAME", default=()
        ),
    ]


class Scored(Marks, common.OnWorkers, total=False):
    """All of these, and the options of every evaluation."""


@documented
def violations(
    ground_truth: GroundTruth,
    predictions: Predictions = (),
    *,
    checker: Annotated[Texts, Option("A checker's name, in the files' order. Repeatable.", "NAME")] = (),
    references: Annotated[
        Literal["one", "best-of"],
        Option("Of several annotators, one is the truth, or in each text the one who fits best."),
    ] = "one",
    population: Annotated[
        Literal["all", "shared"],
        Option("A checker answers for all texts of the truth, or for those of which its file says something."),
    ] = "all",
    split: Annotated[Text, Option("A name for the data set.", "NAME@VERSION", WORD)] = None,
    variant: Variants = "both",
    assignment: Annotated[
        Literal["greedy", "optimal"], Option("Match the highest score first, or maximise the sum of scores.")
    ] = "greedy",
    std_weights: Annotated[Weights, Option("Weights of std, such as overlap=0.5,rule=0.5.", "PART=WEIGHT,...")] = None,
    ha_weights: Annotated[Weights, Option("Weights of ha, for all of its parts.", "PART=WEIGHT,...")] = None,
    score_threshold: Annotated[Limit, Option("A match must score above this; 0.5 by default.", kind=LIMIT)] = None,
    overlap_threshold: OverlapThreshold = None,
    rule_threshold: RuleThreshold = None,
    config: Config = None,
    severity_weights: Annotated[
        Weights, Option("What violations weigh by their severity, for weighted figures.", "SEVERITY=WEIGHT,...")
    ] = None,
    **further: Unpack[Scored],
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
        "correction", "severity"}]}, an export of Label Studio, Prodigy, doccano, Argilla, brat and others, CoNLL, M2,
        MQM, or a table with a row per span: docs/formats.md has them all.
    checker: By default the names that the files give, else the files' own names.
    references: best-of takes, in each text, the annotator of the highest F1 by the first variant, of equal ones the one
        with fewer violations, as scorers of grammatical corrections (M2) do. Of several checkers each has its own; all
        annotators must have looked at the same texts.
    population: With shared, a text of which a checker's file has no line, or row, is left out of its figures: an
        annotator who saw only part of the texts has not missed the others. Differences rest on texts that both saw.
    variant: std is 0.5 overlap + 0.5 rule; ha 0.3 overlap + 0.3 rule + 0.1 category + 0.2 explanation + 0.1
        correction.
    rule_similarity: jaccard is the share of words in both among the words in either; sentence-transformers needs
        adjudge[embeddings], openai needs adjudge[models].
    base_url: By default OPENAI_BASE_URL from the environment; the key is OPENAI_API_KEY.
    assignment: optimal needs adjudge[fit].
    std_weights: They sum to 1.
    score_threshold: "off" for none. So of the others, but violations that do not overlap never match.
    ha_weights: They sum to 1.
    config: As `adjudge.calibrate_violations` writes it; options take precedence over it.
    quote_mismatch: With a warning, the offsets count.
    severity_weights: Such as high=3,low=1, from 0, for each severity of the data (the key or column severity). A
        violation without one weighs 1. They change no match.

    Returns
    -------
    A Report with the tables scores, differences, counts, by_category, by_rule and matches. What both violations of a
    pair lack does not weigh: its weight is shared out among the other parts. If no violation in the data has some part,
    a warning and the signature say so.

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
    >>> report.estimate("scores", "f1", keys).value
    1.0

    Source: matching by intersection over union, as in object detection (Everingham et al. 2010).

    Command
    -------
    Match predicted violations with true ones: precision, recall, F1 and match score, also by category and rule.

    A file holds a text per line: {"id", "text", "violations": [{"start", "end", "rule", "category", "explanation",
    "correction"}]}. Exports of Label Studio, Prodigy, doccano, Argilla and others, tables of spans, CoNLL and M2 are
    read too. For example:

    adjudge violations score truth.jsonl ours.jsonl theirs.jsonl --output report.html
    """
    return run(violations, locals())


# --- calibration ---


@documented
def calibrate_violations(
    judged: Annotated[
        Any,
        Option("Pairs judged to be the same violation or not: a file, or one of each who judged.", "JUDGED", INPUTS),
    ],
    *,
    variant: Annotated[
        Literal["std", "ha"], Option("What to calibrate: std, of overlap and rule, or ha, of all parts.")
    ] = "ha",
    folds: Annotated[int, Option("Folds of cross-validation, by text.", kind=from_to(2))] = 5,
    overlap_threshold: OverlapThreshold = None,
    rule_threshold: RuleThreshold = None,
    write_config: Annotated[
        File, Option("Write weights and threshold to this .toml file, for --config.", "FILE", written(".toml"))
    ] = None,
    encoding: common.Encoding = None,
    separator: common.Separator = None,
    confidence: common.Confidence = 0.95,
    seed: common.Seed = 0,
    progress: common.Progress = None,
    **further: Unpack[Similarity],
) -> Report:
    """Fit the weights and the threshold of matching to pairs of violations that people judged to be the same or not.

    P(same) = 1 / (1 + exp(-(b + sum c_k x_k))), where x_k is the similarity in part k (overlap, rule, category,
    explanation, correction), fitted by maximum likelihood with c_k >= 0; each judgment counts once. weights = c / sum
    c; score_threshold = -b / sum c, kept in [0, 1]: the score at which both answers are equally likely; or, where that
    reproduces more judgments by a standard error, the score between two pairs' that reproduces most.

    Arguments
    ---------
    judged: {"id", "text", "predicted": {...}, "ground_truth": {...}, "same": true or false, "judge"}, such as
        `adjudge.violation_pairs` writes and people fill in, as JSON lines, CSV or an export of Label Studio. Violations
        are as in `adjudge.violations`; id or judge may be missing. Of several files, one that names no judge is that of
        one judge. Pairs with null for same are left out.
    variant: Its default weights are what the fitted ones are compared with.
    folds: At most as many as there are texts; all pairs of one text are in one fold.
    write_config: It holds the weights of the variant, to four decimals, its score_threshold, and the other thresholds
        where given. Nothing is written, with a warning, unless the calibrated rule is more accurate than the default
        one and than the majority on texts that it was not fitted to: the intervals of both differences lie above 0.

    Returns
    -------
    A Report with the tables calibration (accuracy of the calibrated rule, the default one and the majority, which gives
    all pairs the more frequent answer of other texts, on judgments that the rule was not fitted to, and thresholds),
    differences (calibrated minus each of the others) and weights (also the default ones). A part that no violation has
    gets the weight 0, and a warning says so. The thresholds of overlap and rules are not fitted; a warning counts the
    pairs judged to be the same that they exclude.

    Raises
    ------
    DataError for invalid input, for pairs of one text only, for judgments that are all the same, and where no part
    predicts "same"; OptionError for invalid arguments; MissingError without adjudge[fit] or another extra that is
    needed, and for a server that does not answer.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> near, far = {"start": 0, "end": 4, "rule": "claims"}, {"start": 3, "end": 9, "rule": "claims"}
    >>> rows = [
    ...     {"id": str(n), "text": "Best tea!", "predicted": near, "ground_truth": other, "same": other is near}
    ...     for n in range(20)
    ...     for other in (near, far)
    ... ]
    >>> report = adjudge.calibrate_violations(pl.DataFrame(rows))
    >>> report.estimate("calibration", "accuracy", {"rule": "calibrated"}).value
    1.0

    Source: logistic regression, Cox 1958, with signs as constraints, fitted by scipy's SLSQP (Kraft 1988).

    Command
    -------
    Fit the weights and the threshold of matching to people's judgments, and say how good they are.

    A file holds a pair per line: {"id", "text", "predicted": {...}, "ground_truth": {...}, "same": true or false,
    "judge"}, as adjudge violations pairs writes them and people fill them in; CSV and exports of Label Studio are read
    too. Files of several people are one set of judgments. For example:

    adjudge violations calibrate ann.jsonl bob.jsonl --write-config ours.toml --output calibration.html
    """
    values = bound(calibrate_violations, locals())
    from adjudge.evaluations.scoring import input_of
    from adjudge.evaluations.violations import calibration
    from adjudge.evaluations.violations.match_settings import VARIANTS, change_rule
    from adjudge.evaluations.violations.similarity_cache import likeness_of
    from adjudge.readers.inputs import sources
    from adjudge.readers.spans.judged_pairs import read_judged_pairs

    limits = {name: values[name] for name in ("overlap_threshold", "rule_threshold")}
    default = change_rule(VARIANTS[values["variant"]], {}, limits, "")
    likeness, step = likeness_of(values), values.step
    with step("reading"):
        files = sources(judged, values.reading)
        pairs = read_judged_pairs(*files)
    with step("fitting"):
        fitting = {name: values[name] for name in ("folds", "confidence", "seed")}
        data = calibration.calibrate(pairs, default, likeness, **fitting)
        tables = calibration.tables_of(data)
    objections, target = calibration.objections(data, tables["differences"]), values["write_config"]
    warnings = [*done_to(files), *calibration.warnings_of(data), *objections]
    if target is not None and objections:
        warnings.append(f"nothing is written to {target}: keep the default settings, or judge more pairs")
    elif target is not None:
        _write_config(target, values["variant"], data, limits)
    return without_items(
        values,
        [input_of(source, rows) for source, rows in zip(files, pairs.rows, strict=True)],
        tables,
        evaluation="violations",
        words="violations calibrate",
        found={"absent": data.absent},
        counts=calibration.counts_of(data),
        warnings=tuple(warnings),
        notes=calibration.notes_of(data),
    )


def _write_config(path: Path, variant: str, data: "Calibration", limits: Mapping[str, float | str | None]) -> None:
    """Write what was fitted, and the other thresholds where they were given."""
    from adjudge.display_names import short_name
    from adjudge.evaluations.violations.calibration import round_weights
    from adjudge.evaluations.violations.match_settings import OFF, settings_text
    from adjudge.render.files import write_text

    several = len(data.pairs.rows) > 1
    name = f"{len(data.pairs.rows)} files" if several else short_name(Path(data.pairs.name).name)
    remark = f"Calibrated by {TITLE} {__version__} on {len(data.judgments):,} judgments of {name}"
    settings: dict[str, float | str | Mapping[str, float]] = {
        "score_threshold": round(data.rule.score, 4),
        **{name: one if one == OFF else float(one) for name, one in limits.items() if one is not None},
        "weights": round_weights(data.rule.weights),
    }
    write_text(settings_text({variant: settings}, remark), path)


# --- several annotators ---


@documented
def violation_agreement(
    marked: Annotated[Any, Option("Texts with the violations that several annotators marked.", "MARKED", INPUT)],
    *,
    variant: Variants = "both",
    config: Config = None,
    columns: common.Columns = None,
    on_invalid: common.OnInvalid = "error",
    confidence: common.Confidence = 0.95,
    progress: common.Progress = None,
    **further: Unpack[Offsets],
) -> Report:
    """Every annotator of a file against every other: how far the violations that they mark match.

    Each pair is compared on the texts that both saw: of which the file has a line, or row, of either. F1 is the same
    whoever is taken for the truth; the match score, the sum of the matches' scores / all true violations, is not.

    Arguments
    ---------
    marked: As in `adjudge.violations`; annotators are named in it. A file that names checkers alone has them for
        annotators.
    config: As `adjudge.calibrate_violations` writes it.

    Returns
    -------
    A Report with the table annotators: f1 and match_score by each variant of matching, exact_f1 of spans alone,
    category_agreement and category_kappa of violations that overlap, and texts, which both saw. Of two who saw no text
    in common, figures are undefined.

    Raises
    ------
    DataError for invalid input, and for a file of fewer than two annotators; OptionError and MissingError as in
    `adjudge.violations`.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> marks = {"annotator": ["ann", "bob"], "start": [0, 0], "end": [4, 8]}
    >>> report = adjudge.violation_agreement(pl.DataFrame({"id": ["1", "1"], "text": ["Best tea!"] * 2, **marks}))
    >>> report.estimate("annotators", "match_score", {"checker": "ann", "reference": "bob", "variant": "std"}).value
    0.0

    Command
    -------
    Compare every annotator of a file with every other, on the texts that both saw: F1, match score, categories.

    A file holds the violations of several annotators: JSON lines with "annotator", a table with a row per span, an
    export of an annotation tool. For example:

    adjudge violations agreement spans.csv --columns annotator=rater --output agreement.html
    """
    values = bound(violation_agreement, locals())
    from adjudge.evaluations.scoring import input_of
    from adjudge.evaluations.violations import annotator_matrix, scoring
    from adjudge.evaluations.violations.match_settings import absent_part_warnings, rule_formula, rules_of
    from adjudge.evaluations.violations.similarity_cache import likeness_of
    from adjudge.readers.spans.violations import read_annotators

    how, (rules, config_input), likeness = scoring.reader_options(values), rules_of(values), likeness_of(values)
    with values.step("reading"):
        (source,) = inputs_of(values, "violations")["marked"]
        read = read_annotators(source, how)
    with values.step("matching"):
        table, applied, absent = annotator_matrix.annotator_matrix(read, rules, likeness, values["confidence"])
    lacking = absent_part_warnings(absent, "the match score rests on the other parts")
    return without_items(
        values,
        [input_of(source, read[0].rows), *([config_input] if config_input else [])],
        {"annotators": table},
        evaluation="violations",
        words="violations agreement",
        counts={"annotators": len(read), "texts": read[0].texts.height},
        found={"absent": absent},
        warnings=(*done_to([source]), *(said for one in read for said in one.warnings), *lacking),
        notes=(
            *(f"{name}: {rule_formula(rule, 'a match')}." for name, rule in applied.items()),
            "Intervals are clustered by text.",
        ),
    )


# --- pairs to judge ---


@dataclass(frozen=True, slots=True, eq=False)
class ViolationPairs:
    """Pairs of violations to be judged. pairs: as they are written. candidates: how many overlap in all.

    warnings: what to know of the files.
    """

    pairs: tuple[dict[str, object], ...]
    candidates: int
    warnings: tuple[str, ...] = ()


@documented
def violation_pairs(
    ground_truth: GroundTruth,
    predictions: Predictions = (),
    *,
    output: Annotated[
        File,
        Option(
            "The file to write: .jsonl or .csv to fill in, .html to judge in a browser, .json for Label Studio.",
            "FILE",
            written(".jsonl", ".csv", ".html", ".json"),
            required=True,
        ),
    ] = None,
    count: Annotated[int, Option("How many pairs to draw.", kind=from_to(1))] = 200,
    seed: common.Seed = 0,
    variant: Annotated[Literal["std", "ha"], Option("The match whose score and threshold choose the pairs.")] = "ha",
    config: Config = None,
    show_score: Annotated[bool, Option("Write the score too, which may sway the people who judge.")] = False,
    columns: common.Columns = None,
    on_invalid: common.OnInvalid = "error",
    progress: common.Progress = None,
    **further: Unpack[Marks],
) -> ViolationPairs:
    """Pairs of a predicted and a true violation that are worth judging, for `adjudge.calibrate_violations`.

    Of all pairs that overlap, half have a score within 0.1 of the threshold, where a judgment says most; the others are
    spread evenly over the scores. Of one text at most three are drawn, or more where there are few texts; pairs that
    several checkers predict alike stand once. The order is random.

    Arguments
    ---------
    output: A file that holds judgments, or anything else, is never replaced. As .html it is one page that needs nothing
        else: people judge in a browser, by keys if they like, and save their answers as JSON lines. As .json it holds
        tasks of Label Studio (docs/violations.md has the labeling interface), whose export
        `adjudge.calibrate_violations` reads.
    count: Fewer are drawn where there are no more.

    Returns
    -------
    ViolationPairs: the pairs, each with same and judge empty, and how many there were to draw from.

    Raises
    ------
    DataError for invalid input and where nothing overlaps; OptionError for invalid arguments; MissingError as in
    `adjudge.violations`.
    """
    values = bound(violation_pairs, locals())
    from adjudge.evaluations.violations import scoring
    from adjudge.evaluations.violations.match_settings import rules_of
    from adjudge.evaluations.violations.sampling import pairs_to_judge
    from adjudge.evaluations.violations.similarity_cache import likeness_of
    from adjudge.readers.spans.judged_pairs import check_unjudged

    target, step = values["output"], values.step
    if target is not None:
        check_unjudged(target)
    scoring.check(values, values)
    with step("reading"):
        inputs = inputs_of(values, "violations")
        truth = scoring.read(inputs, values)
        checkers, _ = scoring.read_marks(truth, inputs, values)
    with step("drawing"):
        rules, _ = rules_of(values)
        drawing = {name: values[name] for name in ("count", "seed", "show_score")}
        pairs, overlapping = pairs_to_judge(truth, checkers, rules[values["variant"]], likeness_of(values), **drawing)
    if target is not None:
        _write_pairs(pairs, target)
    opened = (source for many in inputs.values() for source in many)
    warnings = dict.fromkeys([*done_to(opened), *truth.warnings, *scoring.prediction_warnings(truth, checkers)])
    return ViolationPairs(tuple(pairs), overlapping, tuple(warnings))


def _write_pairs(pairs: list[dict[str, Any]], target: Path) -> None:
    """Write pairs in the form that the file's ending names."""
    import polars as pl

    from adjudge.readers.spans.judging_forms import pair_row, task_of
    from adjudge.render.files import table_csv, write_lines, write_text
    from adjudge.render.html import judging_page

    if target.suffix == ".html":
        write_text(judging_page(pairs), target)
    elif target.suffix == ".csv":
        write_text(table_csv(pl.DataFrame(map(pair_row, pairs), infer_schema_length=None)), target)
    elif target.suffix == ".json":
        write_text(json.dumps([task_of(one) for one in pairs], ensure_ascii=False, indent=1), target)
    else:
        write_lines(pairs, target)
