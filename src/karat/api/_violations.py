"""`karat.violations`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from karat.api import arguments, readings, reports
from karat.api.arguments import OnInvalid, Progress
from karat.errors import KaratError, OptionError
from karat.report import Input, Report

if TYPE_CHECKING:
    from karat.evaluations.violations.rules import Rule

Variant = Literal["std", "ha", "both"]
Assignment = Literal["greedy", "optimal"]
QuoteMismatch = Literal["error", "warn"]

_KEYS = frozenset({"variant", "split", "average", "rule", "category", "true_category", "text", "marks", "__row__"})
"""Columns of this evaluation's own tables, besides those of all."""


def violations(
    ground_truth: Any,  # noqa: ANN401 - a path or a table
    predictions: Any = (),  # noqa: ANN401 - a path, a table, or several of them
    *,
    checker: str | Sequence[str] | None = (),
    split: str | None = None,
    truth_annotator: str | None = None,
    predicted_annotator: str | Sequence[str] | None = (),
    variant: Variant = "both",
    rule_similarity: str = "jaccard",
    text_similarity: str = "jaccard",
    base_url: str | None = None,
    assignment: Assignment = "greedy",
    std_weights: Mapping[str, float] | None = None,
    ha_weights: Mapping[str, float] | None = None,
    score_threshold: float | None = None,
    overlap_threshold: float | None = None,
    rule_threshold: float | None = None,
    config: str | Path | None = None,
    offset_base: int = 0,
    quote_mismatch: QuoteMismatch = "error",
    columns: Mapping[str, str] | None = None,
    by: str | Sequence[str] | None = (),
    cluster: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    on_invalid: OnInvalid = "error",
    input_format: str | None = None,
    examples: int = 5,
    items: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Which predicted violations are true ones, and how good each checker's list of them is.

    precision = matched predictions / all predictions; recall = matched true violations / all of them; F1 of both;
    match_score = sum of the matches' scores / all true violations; match_quality = mean of the matches' scores.
    A score is a weighted sum of overlap (characters in both spans / in either), likeness of the rules, equality of
    the categories, likeness of explanations and of corrections. Two violations can match if overlap > 0, the rules'
    likeness > 0.01 and the score > 0.5; each is in one match at most.

    Arguments
    ---------
    ground_truth: path of a file with true violations: JSON lines {"id", "text", "violations": [{"start", "end",
        "rule", "category", "explanation", "correction"}]}, a Label Studio or Prodigy export, M2, a table with a row
        per span; or such a table from Python.
    predictions: one or several of the same; none where one file holds several annotators.
    checker: the checkers' names in the order of predictions; by default what the files say, else their names.
    split: the name of the data, such as "test@2".
    truth_annotator, predicted_annotator: whose violations of a file with several annotators; by default all but the
        true one are predicted ones.
    variant: "std" (0.5 overlap + 0.5 rule), "ha" (0.3 overlap + 0.3 rule + 0.1 category + 0.2 explanation + 0.1
        correction) or "both".
    rule_similarity, text_similarity: of rules; of explanations and corrections: "jaccard" (words in both / in
        either), "sentence-transformers:MODEL" (needs karat[embeddings]) or "openai:MODEL" (asks the server at
        base_url, by default the environment's OPENAI_BASE_URL, with its OPENAI_API_KEY; needs karat[models]).
    assignment: "greedy" takes the highest score first; "optimal" the highest sum (needs karat[fit]).
    std_weights, ha_weights: part -> weight, sum 1, in the place of those above. score_threshold, overlap_threshold,
        rule_threshold: for both variants. config: path of a TOML file with all these for each variant, as
        `karat.calibrate_violations` writes it; arguments go before it.
    offset_base: what the first character is called, 0 or 1. quote_mismatch: "error", or "warn" where a quoted text
        that differs from its place is no error and the offsets win.
    columns: Karat's column -> the file's; several columns are joined by +, as in {"id": "document+system"}.
    by: columns of the ground truth to give every figure for each group of. cluster: column of the ground truth that
        names texts that are not independent, such as the document they come from.
    confidence, seed, on_invalid, input_format, examples, items, progress: as in `karat.reliability`; with
        on_invalid="drop" invalid violations are left out, examples are texts.

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
    """
    checker, by = arguments.listed("checker", checker), arguments.listed("by", by)
    predicted_annotator = arguments.listed("predicted_annotator", predicted_annotator)
    truth_annotator, split = arguments.text("truth_annotator", truth_annotator), arguments.text("split", split)
    base_url, cluster = arguments.text("base_url", base_url), arguments.text("cluster", cluster)
    std_weights, ha_weights = (
        arguments.mapping(name, own) for name, own in (("std_weights", std_weights), ("ha_weights", ha_weights))
    )
    columns = arguments.names("columns", columns)
    config = None if config is None else str(config)
    confidence, seed, examples = (
        arguments.confidence(confidence),
        arguments.whole("seed", seed),
        arguments.whole("examples", examples),
    )
    options = arguments.bound(locals())
    arguments.check_common(options, items, progress)
    for name, known in (("variant", Variant), ("assignment", Assignment), ("quote_mismatch", QuoteMismatch)):
        arguments.one_of(name, options[name], get_args(known))
    taken = [name for name in by if name in _KEYS]
    if taken:
        raise OptionError(f"by: Karat's own tables have a column {taken[0]}; rename the file's column to group by it")
    if checker and (not all(checker) or _none(predictions)):
        raise OptionError("checker: names files of predictions, one each; give files, or leave it")
    if offset_base not in (0, 1) or isinstance(offset_base, bool):
        raise OptionError(f"offset_base: expected 0 or 1; got {offset_base!r:.60}")
    rules, config_input = rules_of(options)
    likeness = likeness_of(rule_similarity, text_similarity, base_url)
    from karat.evaluations.violations import examples as example_texts
    from karat.evaluations.violations import outcomes, scoring, tables
    from karat.formats import violations as reader
    from karat.formats.source import sources

    step = progress or reports.silent
    reading = readings.of_violations(options)
    with step("reading"):
        (trusted,) = sources([ground_truth], input_format, reader.FORMATS)
        truth = reader.read_truth(trusted, reading)
        marked, inputs = _predicted(trusted, truth, predictions, reading, options)
    scoring.checker_names([one.name for one in marked])
    with step("matching"):
        data = scoring.scored(
            truth,
            marked,
            rules,
            likeness,
            by=by,
            cluster=scoring.CLUSTER if scoring.CLUSTER in reading.further else None,
            split=split,
            confidence=confidence,
        )
    with step("counting"):
        made = tables.tables_of(data)
    return reports.report_of(
        violations,
        options,
        (*inputs, *([config_input] if config_input else [])),
        made,
        named=("config",) if config_input else (),
        found={"absent": list(data.absent)},
        counts=scoring.counts_of(data),
        warnings=(*scoring.warnings_of(data), *_told(truth, marked)),
        notes=scoring.notes_of(data),
        items=reports.items_of(
            outcomes.outcomes(data),
            outcomes.outcomes(data, reports.FIRST_ITEMS).head(reports.FIRST_ITEMS),
            outcomes.outcomes_count(data),
            items,
            step,
        ),
        examples=example_texts.examples(data, examples, seed),
    )


def _told(truth: Any, marked: Sequence[Any]) -> list[str]:  # noqa: ANN401 - Marked
    """What reading the predictions had to tell, under the checker's name, without what the truth's file told before."""
    return [f"{own.name}: {one}" for own in marked for one in own.warnings if one not in truth.warnings]


def _read(source: Any, own: Any, truth: Any, name: str | None) -> list[Any]:  # noqa: ANN401 - Source, Options, Marked
    """What the checkers of a file mark. Columns are those of the truth, unless the file has Karat's own names."""
    from karat.formats import violations as reader

    try:
        return reader.read_predictions(source, own, truth, name)
    except KaratError:
        if not own.columns:
            raise
        with suppress(KaratError):
            return reader.read_predictions(source, replace(own, columns={}), truth, name)
        raise


def _none(predictions: object) -> bool:
    return isinstance(predictions, list | tuple) and not predictions


def _predicted(
    trusted: Any,  # noqa: ANN401 - a Source
    truth: Any,  # noqa: ANN401 - Marked
    predictions: Any,  # noqa: ANN401
    reading: Any,  # noqa: ANN401 - the reader's Options
    options: Mapping[str, Any],
) -> tuple[list[Any], list[Input]]:
    """What checkers mark, and all inputs."""
    from karat.formats import violations as reader
    from karat.formats.source import sources

    inputs = [Input(trusted.name, trusted.sha256(), truth.rows)]
    names, own = options["checker"], replace(reading, further={}, annotators=options["predicted_annotator"])
    if _none(predictions):
        if not options["truth_annotator"]:
            raise OptionError(
                "predictions: name a file of predictions, or say whose violations of the one file are true with "
                "truth_annotator (--truth-annotator)"
            )
        found = reader.read_predictions(trusted, own, truth, None)
        others = [one for one in found if one.name != options["truth_annotator"]]
        if not others:
            raise OptionError(
                f"{trusted.name}: expected predictions of another than {options['truth_annotator']}; got none"
            )
        told = tuple(warning for one in found for warning in one.warnings)
        return [replace(others[0], warnings=told), *(replace(one, warnings=()) for one in others[1:])], inputs
    submitted = sources(predictions, options["input_format"], reader.FORMATS)
    if names and len(names) != len(submitted):
        raise OptionError(f"checker: expected a name for each of {len(submitted)} predictions; got {len(names)}")
    marked = []
    for place, source in enumerate(submitted):
        found = _read(source, own, truth, names[place] if names else None)
        marked += found
        inputs.append(Input(source.name, source.sha256(), max(one.rows for one in found)))
    return marked, inputs


def rules_of(options: Mapping[str, Any]) -> "tuple[dict[str, Rule], Input | None]":
    """The rule of each variant that was asked for, and the file of settings as an input."""
    from karat.evaluations.violations.rules import THRESHOLDS, VARIANTS, changed
    from karat.formats.settings import read_settings
    from karat.formats.source import Source

    path = options["config"]
    said = read_settings(Path(path), list(VARIANTS), list(THRESHOLDS)) if path else {}
    names = list(VARIANTS) if options["variant"] == "both" else [options["variant"]]
    rules = {}
    for name in names:
        own = dict(said.get(name, {}))
        first = changed(VARIANTS[name], own.pop("weights", {}), own, f"{path}, {name}, ")
        limits = {one: options[one] for one in THRESHOLDS}
        rules[name] = changed(first, {}, limits, "")
        if options[f"{name}_weights"]:
            rules[name] = changed(rules[name], options[f"{name}_weights"], {}, f"{name}_")
        rules[name] = replace(rules[name], assignment=options["assignment"])
    source = Source(str(path), "toml", path=Path(path)) if path else None
    return rules, Input(source.name, source.sha256(), 0) if source else None


def likeness_of(rule_similarity: str, text_similarity: str, base_url: str | None) -> dict[str, Any]:
    """Part -> what makes a similarity of its texts. The address of a server is for those that ask one."""
    from functools import partial

    from karat.evaluations.violations.likeness import likeness
    from karat.text.similarity import similarity

    specs = {
        name: arguments.checked(name, one)
        for name, one in (("rule_similarity", rule_similarity), ("text_similarity", text_similarity))
    }
    asked = [one for one in specs.values() if one.startswith("openai:")]
    if base_url is not None and not asked:
        raise OptionError("base_url is the address of a server, which neither similarity asks; leave it")
    made = {one: similarity(one, base_url=base_url if one in asked else None) for one in specs.values()}
    of_part = {"rule": "rule_similarity", "explanation": "text_similarity", "correction": "text_similarity"}
    return {part: partial(likeness, similarity=made[specs[name]]) for part, name in of_part.items()}
