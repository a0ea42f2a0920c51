"""Calibration of the matching of violations, agreement of their annotators, and pairs to judge."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.api.functions import step_of, takes
from adjudge.api.reports import done_to, inputs_of, without_items
from adjudge.evaluations.violations.options import CalibrateOptions, MarkedAgreementOptions, PairsOptions
from adjudge.report import Report
from adjudge.version import TITLE, __version__

if TYPE_CHECKING:
    from adjudge.evaluations.violations.calibration import Calibration
    from adjudge.evaluations.violations.span_matching import MatchRule


@takes(CalibrateOptions)
def calibrate_violations(options: CalibrateOptions) -> Report:
    """Fit the weights and the threshold of matching to pairs of violations that were judged to be the same or not.

    P(same) = 1 / (1 + exp(-(b + sum c_k x_k))), where x_k is the similarity in part k (overlap, rule, category,
    explanation, correction). It is fitted by maximum likelihood with c_k >= 0; each judgment counts once. weights = c /
    sum c; score_threshold = -b / sum c, kept in [0, 1]: the score at which both answers are equally likely; or, if
    that reproduces more judgments by a standard error, the score between two pairs' that reproduces most.

    Returns
    -------
    A Report with the tables calibration, differences (calibrated minus each of the others) and weights (also the
    default ones). calibration has thresholds, and the accuracy of the calibrated rule, the default one and the majority
    on judgments that the rule was not fitted to. The majority gives all pairs the more frequent answer of other texts.
    A part that no violation has gets the weight 0, and a warning says so. The thresholds of overlap and rules are not
    fitted; a warning counts the pairs judged to be the same that they exclude.

    Raises
    ------
    DataError for invalid input, for pairs of one text only, for judgments that are all the same, and if no part
    predicts "same"; OptionError for invalid arguments; MissingError without adjudge[fit] or another required extra,
    and for a server that does not answer.

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
    >>> report.estimate("accuracy", rule="calibrated").value
    1.0

    Source: logistic regression, Cox 1958, with signs as constraints, fitted by scipy's SLSQP (Kraft 1988).
    """
    from adjudge.evaluations.scoring import input_of
    from adjudge.evaluations.violations import calibration
    from adjudge.evaluations.violations.span_matching import likeness_of, rules_of
    from adjudge.readers.inputs import sources
    from adjudge.readers.io.source import How
    from adjudge.readers.spans.violations import read_judged_pairs

    (rules, config), likeness, step = rules_of(options), likeness_of(options), step_of(options)
    default = rules[options.variant]
    with step("reading"):
        files = sources(options.judged, How.of(options))
        pairs = read_judged_pairs(*files)
    with step("fitting"):
        data = calibration.calibrate(pairs, default, likeness, options)
        tables = calibration.tables_of(data)
    objections, target = calibration.objections(tables["differences"]), options.write_config
    warnings = [*done_to(files), *calibration.warnings_of(data), *objections]
    if target is not None and objections:
        warnings.append(f"nothing is written to {target}: keep the default settings, or judge more pairs")
    elif target is not None:
        _write_config(Path(target), options.variant, data, default)
    return without_items(
        options,
        [*map(input_of, files, pairs.rows), *config],
        tables,
        evaluation="violations",
        words="violations calibrate",
        found={"absent": data.absent},
        counts=calibration.counts_of(data),
        warnings=tuple(warnings),
        notes=calibration.notes_of(data),
    )


def _write_config(path: Path, variant: str, data: "Calibration", default: "MatchRule") -> None:
    """Write the fitted values, and the other thresholds of the default rule."""
    from adjudge.display_names import short_name
    from adjudge.evaluations.violations.span_matching import settings_text
    from adjudge.render.files import write_text

    several = len(data.pairs.rows) > 1
    name = f"{len(data.pairs.rows)} files" if several else short_name(Path(data.pairs.name).name)
    remark = f"Calibrated by {TITLE} {__version__} on {len(data.judgments):,} judgments of {name}"
    rule = replace(default, weights=data.rule.weights, score=round(data.rule.score, 4))
    write_text(settings_text(variant, rule, remark), path)


# --- several annotators ---


@takes(MarkedAgreementOptions)
def violation_agreement(options: MarkedAgreementOptions) -> Report:
    """Agreement of every two annotators of a file: how far the violations that they mark match.

    Each pair is compared on the texts that both saw: those for which the file has a line, or row, of either. F1 is
    symmetric in the two; the match score, the sum of the matches' scores / all true violations,
    is not.

    Returns
    -------
    A Report with the table annotators: f1 and match_score by each variant of matching, exact_f1 of spans alone,
    category_agreement and category_kappa of violations that overlap, and texts, which both saw. Metrics of two without
    a common text are undefined.

    Raises
    ------
    DataError for invalid input, and for a file of fewer than two annotators; OptionError and MissingError as in
    `adjudge.violations`.

    Example
    -------
    >>> import polars as pl, adjudge
    >>> marks = {"annotator": ["ann", "bob"], "start": [0, 0], "end": [4, 8]}
    >>> report = adjudge.violation_agreement(pl.DataFrame({"id": ["1", "1"], "text": ["Best tea!"] * 2, **marks}))
    >>> report.estimate("match_score", checker="ann", reference="bob", variant="std").value
    0.0
    """
    from adjudge.evaluations.scoring import input_of
    from adjudge.evaluations.violations import scoring, tables
    from adjudge.evaluations.violations.span_matching import absent_part_warnings, likeness_of, rule_formula, rules_of
    from adjudge.readers.spans.violations import read_annotators

    reading, (rules, config), likeness = scoring.reader_options(options), rules_of(options), likeness_of(options)
    with step_of(options)("reading"):
        (source,) = inputs_of(options, "violations")["marked"]
        read = read_annotators(source, reading)
    with step_of(options)("matching"):
        table, setup = tables.annotator_matrix(read, rules, likeness, options.ci_level)
    lacking = absent_part_warnings(setup.absent, "the match score uses the other parts")
    return without_items(
        options,
        [input_of(source, read[0].rows), *config],
        {"annotators": table},
        evaluation="violations",
        words="violations agreement",
        counts={"annotators": len(read), "texts": read[0].texts.height},
        found={"absent": setup.absent},
        warnings=(*done_to([source]), *(text for one in read for text in one.warnings), *lacking),
        notes=(
            *(f"{name}: {rule_formula(rule, 'a match')}." for name, rule in setup.rules.items()),
            "Intervals are clustered by text.",
        ),
    )


# --- pairs to judge ---


@dataclass(frozen=True, slots=True, eq=False)
class ViolationPairs:
    """Pairs of violations to be judged; their number is printed. pairs: in the form of the file.

    candidates: how many overlap in all. warnings: on the files. output: the written file.
    """

    pairs: tuple[dict[str, object], ...]
    candidates: int
    warnings: tuple[str, ...] = ()
    output: str | Path | None = None

    def __str__(self) -> str:
        place = f"{self.output}: " if self.output else ""
        return f"{place}{len(self.pairs):,} of {self.candidates:,} overlapping pairs to judge"


@takes(PairsOptions)
def violation_pairs(options: PairsOptions) -> ViolationPairs:
    """Pairs of a predicted and a true violation to judge, for `adjudge.calibrate_violations`.

    They overlap, and half have a score within 0.1 of the threshold, where judgments are most informative; others are
    spread evenly over the scores. At most three are from one text, or more if there are few texts; equal predictions of
    several checkers appear once. The order is random.

    Returns
    -------
    ViolationPairs: the pairs, each with same and judge empty, and the number of candidates.

    Raises
    ------
    DataError for invalid input and if nothing overlaps; OptionError for invalid arguments; MissingError as in
    `adjudge.violations`.
    """
    from adjudge.evaluations.violations import scoring
    from adjudge.evaluations.violations.calibration import pairs_to_judge
    from adjudge.evaluations.violations.span_matching import likeness_of, rules_of
    from adjudge.readers.spans.violations import check_new
    from adjudge.render.files import write_lines, write_text
    from adjudge.render.html import judging_page

    target, step = options.output, step_of(options)
    if target is not None:
        check_new(Path(target))
    (rules, _), likeness = rules_of(options), likeness_of(options)
    with step("reading"):
        inputs = inputs_of(options, "violations")
        truth, _ = read = scoring.read(inputs, options)
        checkers = scoring.checkers_of(read)
    with step("drawing"):
        pairs, overlapping = pairs_to_judge(truth, checkers, rules[options.variant], likeness, options)
    if target is not None and Path(target).suffix == ".html":
        write_text(judging_page(pairs), Path(target))
    elif target is not None:
        write_lines(pairs, Path(target))
    opened = (source for many in inputs.values() for source in many)
    of_checkers = (text for one in checkers for text in one.warnings)
    warnings = dict.fromkeys([*done_to(opened), *truth.warnings, *of_checkers])
    return ViolationPairs(tuple(pairs), overlapping, tuple(warnings), target)
