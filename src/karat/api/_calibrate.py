"""`karat.calibrate_violations` and `karat.violation_pairs`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from karat import __version__
from karat.api import arguments, readings, reports
from karat.api._violations import QuoteMismatch, _predicted, _told, likeness_of, rules_of
from karat.api.arguments import OnInvalid, Progress
from karat.errors import OptionError
from karat.report import Input, Report

if TYPE_CHECKING:
    from karat.evaluations.violations.calibration_tables import Calibration
    from karat.schemas.violations import Marked

Calibrated = Literal["std", "ha"]
"""Variants of matching that can be calibrated, one at a time."""

_FEWEST_FOLDS = 2


def calibrate_violations(
    judged: Any,  # noqa: ANN401 - a path or a table
    *,
    variant: Calibrated = "ha",
    folds: int = 5,
    rule_similarity: str = "jaccard",
    text_similarity: str = "jaccard",
    base_url: str | None = None,
    overlap_threshold: float | None = None,
    rule_threshold: float | None = None,
    write_config: str | Path | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Weights and a threshold of matching, fitted to pairs of violations that people judge as the same or not.

    P(same) = 1 / (1 + exp(-(b + sum c_k x_k))) with x_k the likeness in part k (overlap, rule, category, explanation,
    correction), fitted by maximum likelihood with c_k >= 0, each judgment once. weights = c / sum c; score_threshold =
    -b / sum c, kept in [0, 1]: where the model holds both answers equally likely.

    Arguments
    ---------
    judged: path of JSON lines or a JSON array of {"id", "text", "predicted": {...}, "ground_truth": {...}, "same":
        true or false, "judge"}, such as `karat.violation_pairs` writes and people fill in, or such a table from Python.
        Violations are as in `karat.violations`; id or judge may be missing. What has null for same is left out.
    variant: the rule to calibrate, and to compare with: "std" weighs overlap and rule, "ha" all five parts.
    folds: of cross-validation, from 2, at most as many as there are texts. All pairs of one text are in one fold.
    rule_similarity, text_similarity, base_url: as in `karat.violations`; weights hold for those they were fitted with.
    overlap_threshold, rule_threshold: what overlap and the rules' likeness must exceed, 0 and 0.01 by default, for the
        calibrated and the default rule alike.
    write_config: path of a TOML file to write, which `karat.violations` reads as config: the variant's weights, to four
        decimals, its score_threshold, and the other thresholds where they are given.
    confidence, seed: of the intervals; of the folds and of the resampling behind the weights' intervals.
    progress: called with the name of each step.

    Returns
    -------
    A Report with the tables calibration (AUC, accuracy and F1 of the calibrated and the default rule on judgments that
    the weights were not fitted to, and their thresholds), differences (calibrated less default), weights (beside the
    default's), judges (agreement and kappa of every two judges on the same pairs, and the ceiling that their agreement
    sets to the accuracy of any rule: (1 + sqrt(2 agreement - 1)) / 2 if they judge independently) and flatness (the
    best accuracy and log-likelihood with the weight of one part held at 0, 0.05 ... 1). A part that nobody gives has
    the weight 0, which a warning says; the thresholds of overlap and rules are not fitted, and a warning counts the
    pairs called the same that they forbid.

    Raises
    ------
    DataError for invalid input, for judgments that are all alike, and where no part speaks for "same"; OptionError for
    invalid arguments; MissingError without karat[fit] or another extra that is needed, and for a server that does not
    answer.

    Example
    -------
    >>> import polars as pl, karat
    >>> near, far = {"start": 0, "end": 4, "rule": "claims"}, {"start": 3, "end": 9, "rule": "claims"}
    >>> rows = [
    ...     {"id": str(n), "text": "Best tea!", "predicted": near, "ground_truth": other, "same": other is near}
    ...     for n in range(20)
    ...     for other in (near, far)
    ... ]
    >>> report = karat.calibrate_violations(pl.DataFrame(rows))
    >>> report.estimate("calibration", "accuracy", {"rule": "calibrated"}).value
    1.0

    Source: logistic regression, Cox 1958, with signs as constraints, fitted by scipy's SLSQP (Kraft 1988). DeLong et
    al. 1988 for the AUC.
    """
    base_url, folds = arguments.text("base_url", base_url), arguments.whole("folds", folds)
    confidence, seed = arguments.confidence(confidence), arguments.whole("seed", seed)
    options = arguments.bound(locals())
    arguments.one_of("variant", variant, get_args(Calibrated))
    if folds < _FEWEST_FOLDS:
        raise OptionError(f"folds: expected {_FEWEST_FOLDS} or more; got {folds}")
    _check_progress(progress)
    target = _target("write_config", write_config, ".toml")
    from karat.evaluations.violations.rules import VARIANTS, changed

    limits = {"overlap_threshold": overlap_threshold, "rule_threshold": rule_threshold}
    default = changed(VARIANTS[variant], {}, limits, "")
    likeness = likeness_of(rule_similarity, text_similarity, base_url)
    import polars as pl

    from karat.evaluations.violations import calibration_tables
    from karat.formats.judged_pairs import read_judged_pairs
    from karat.formats.source import sources
    from karat.report import Items
    from karat.schemas.outcomes import OUTCOMES

    step = progress or reports.silent
    with step("reading"):
        (source,) = sources([judged])
        pairs = read_judged_pairs(source)
    with step("fitting"):
        data = calibration_tables.calibration(pairs, default, likeness, folds=folds, confidence=confidence, seed=seed)
        tables = calibration_tables.tables_of(data)
    if target is not None:
        _write_config(target, variant, data, limits)
    nothing = pl.DataFrame(schema=dict.fromkeys(OUTCOMES, pl.String))
    return reports.report_of(
        calibrate_violations,
        options,
        (Input(source.name, source.sha256(), pairs.rows),),
        tables,
        found={"absent": list(data.absent)},
        evaluation="violations",
        command="violations calibrate",
        counts=calibration_tables.counts_of(data),
        warnings=tuple(calibration_tables.warnings_of(data)),
        notes=calibration_tables.notes_of(data),
        items=Items(nothing, 0),
        examples=nothing,
    )


def _check_progress(progress: object) -> None:
    if progress is not None and not callable(progress):
        raise OptionError(f"progress: expected a function; got {progress!r:.60}")


def _write_config(path: Path, variant: str, data: "Calibration", limits: Mapping[str, float | None]) -> None:
    """Write what was fitted, and those of the other thresholds that were given."""
    from karat.evaluations.violations.calibration import rounded
    from karat.formats.settings import settings_text
    from karat.names import short
    from karat.render.files import replacing

    name = short(Path(data.pairs.name).name)
    remark = f"Calibrated by Karat {__version__} on {len(data.judgments):,} judgments of {name}"
    settings: dict[str, float | Mapping[str, float]] = {
        "score_threshold": round(data.rule.score, 4),
        **{name: float(one) for name, one in limits.items() if one is not None},
        "weights": rounded(data.rule.weights),
    }
    with replacing(path) as partial:
        partial.write_text(settings_text({variant: settings}, remark), encoding="utf-8")


# --- pairs to judge ---


@dataclass(frozen=True, slots=True, eq=False)
class ViolationPairs:
    """Pairs of violations to be judged. pairs: as they are written. candidates: how many overlap in all.

    warnings: what to know of the files.
    """

    pairs: tuple[dict[str, object], ...]
    candidates: int
    warnings: tuple[str, ...] = ()


def violation_pairs(
    ground_truth: Any,  # noqa: ANN401 - a path or a table
    predictions: Any = (),  # noqa: ANN401 - a path, a table, or several of them
    *,
    truth_annotator: str | None = None,
    predicted_annotator: str | Sequence[str] | None = (),
    output: str | Path | None = None,
    count: int = 200,
    seed: int = 0,
    variant: Calibrated = "ha",
    config: str | Path | None = None,
    rule_similarity: str = "jaccard",
    text_similarity: str = "jaccard",
    base_url: str | None = None,
    show_score: bool = False,
    offset_base: int = 0,
    quote_mismatch: QuoteMismatch = "error",
    columns: Mapping[str, str] | None = None,
    on_invalid: OnInvalid = "error",
    input_format: str | None = None,
    progress: Progress | None = None,
) -> ViolationPairs:
    """Pairs of a predicted and a true violation that are worth judging, for `karat.calibrate_violations`.

    Of all pairs that overlap, half have a score within 0.1 of the threshold, where a judgment says most; the others are
    spread evenly over the scores. Of one text at most three are drawn, or more where there are few texts; pairs that
    several checkers predict alike stand once. The order is random.

    Arguments
    ---------
    ground_truth, predictions, truth_annotator, predicted_annotator: as in `karat.violations`.
    output: path of the JSON lines to write; a file that holds judgments, or anything else, is never replaced.
    count: how many pairs to draw, from 1; fewer are drawn where there are no more. seed: of what is drawn.
    variant, config: whose score and threshold are meant. rule_similarity, text_similarity, base_url: as in
        `karat.violations`.
    show_score: write the score beside each pair; it is left out by default, since it would sway whoever judges.
    offset_base, quote_mismatch, columns, on_invalid, input_format: as in `karat.violations`.
    progress: called with the name of each step.

    Returns
    -------
    ViolationPairs: the pairs, each with same and judge empty, and how many there were to draw from.

    Raises
    ------
    DataError for invalid input and where nothing overlaps; OptionError for invalid arguments; MissingError as in
    `karat.violations`.
    """
    from karat.evaluations.violations.rules import THRESHOLDS
    from karat.evaluations.violations.sampling import pairs_to_judge
    from karat.formats.judged_pairs import check_unjudged

    options = {
        **dict.fromkeys((*THRESHOLDS, f"{variant}_weights", "cluster")),
        "by": (),
        "checker": (),
        "assignment": "greedy",
        "input_format": input_format,
        "offset_base": offset_base,
        "variant": variant,
        "quote_mismatch": quote_mismatch,
        "on_invalid": on_invalid,
        "truth_annotator": arguments.text("truth_annotator", truth_annotator),
        "predicted_annotator": arguments.listed("predicted_annotator", predicted_annotator),
        "columns": arguments.names("columns", columns),
        "config": None if config is None else str(config),
    }
    seed, count = arguments.whole("seed", seed), arguments.whole("count", count)
    _check_pairs(options, count, show_score=show_score, progress=progress)
    target = _target("output", output, ".jsonl")
    if target is not None:
        check_unjudged(target)
    rules, _ = rules_of(options)
    likeness = likeness_of(rule_similarity, text_similarity, arguments.text("base_url", base_url))
    step = progress or reports.silent
    with step("reading"):
        truth, checkers = _marked(ground_truth, predictions, options)
    with step("drawing"):
        pairs, overlapping = pairs_to_judge(
            truth, checkers, rules[variant], likeness, count, seed=seed, show_score=show_score
        )
    if target is not None:
        _write_pairs(target, pairs)
    return ViolationPairs(tuple(pairs), overlapping, (*dict.fromkeys([*truth.warnings, *_told(truth, checkers)]),))


def _check_pairs(options: Mapping[str, Any], count: int, *, show_score: object, progress: object) -> None:
    for name, known in {"variant": Calibrated, "quote_mismatch": QuoteMismatch, "on_invalid": OnInvalid}.items():
        arguments.one_of(name, options[name], get_args(known))
    if not count:
        raise OptionError("count: expected 1 or more; got 0")
    if options["offset_base"] not in (0, 1) or isinstance(options["offset_base"], bool):
        raise OptionError(f"offset_base: expected 0 or 1; got {options['offset_base']!r:.60}")
    arguments.boolean("show_score", show_score)
    _check_progress(progress)


def _marked(
    ground_truth: Any,  # noqa: ANN401 - a path or a table
    predictions: Any,  # noqa: ANN401
    options: Mapping[str, Any],
) -> "tuple[Marked, list[Marked]]":
    """What is true, and what each checker marks."""
    from karat.formats import violations as reader
    from karat.formats.source import sources

    reading = readings.of_violations(options)
    (trusted,) = sources([ground_truth], options["input_format"], reader.FORMATS)
    truth = reader.read_truth(trusted, reading)
    return truth, _predicted(trusted, truth, predictions, reading, options)[0]


def _write_pairs(path: Path, pairs: Sequence[Mapping[str, object]]) -> None:
    from karat.formats.judged_pairs import write_pairs
    from karat.render.files import replacing

    with replacing(path) as partial:
        write_pairs(pairs, partial)


def _target(name: str, path: str | Path | None, ending: str) -> Path | None:
    """Where something is to be written, if anywhere. Raises OptionError where it surely cannot."""
    from karat.render.files import check_target

    if path is None:
        return None
    if not isinstance(path, str | Path):
        raise OptionError(f"{name}: expected the path of a {ending} file; got {path!r:.60}")
    check_target(Path(path), endings=(ending,))
    return Path(path)
