"""`adjudge.violation_agreement`."""

from typing import Annotated, Any, Unpack

from adjudge.api import options as common
from adjudge.api._violations import Config, Offsets, Variants
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import INPUT
from adjudge.api.options import Option
from adjudge.api.reports import done_to, inputs_of, without_items
from adjudge.report import Report

_CLUSTERED = "Intervals are clustered by text."


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
        notes=(*(f"{name}: {rule_formula(rule, 'a match')}." for name, rule in applied.items()), _CLUSTERED),
    )
