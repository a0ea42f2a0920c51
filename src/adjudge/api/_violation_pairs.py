"""`adjudge.violation_pairs`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Unpack

from adjudge.api import options as common
from adjudge.api._violations import Config, GroundTruth, Marks, Predictions
from adjudge.api.calls import bound, documented
from adjudge.api.kinds import File, from_to, written
from adjudge.api.options import Option
from adjudge.api.reports import done_to, inputs_of


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
