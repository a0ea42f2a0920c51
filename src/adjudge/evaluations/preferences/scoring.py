"""From gold and predictions to the tables of the report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import OptionError, named
from adjudge.evaluations import scoring
from adjudge.evaluations.examples import hard_items
from adjudge.evaluations.preferences import baselines
from adjudge.evaluations.preferences.declaration import EVALUATION
from adjudge.evaluations.preferences.explanations import explanation_scores, verdicts_of
from adjudge.evaluations.preferences.options import ItemTables, PreferencesOptions
from adjudge.evaluations.preferences.outcomes import ItemGroup, codes_of, outcomes
from adjudge.evaluations.preferences.replies import KEYS, reply_rows
from adjudge.evaluations.preferences.submissions import COLUMNS, REFUSED, SUBMISSIONS, check_submissions, read_systems
from adjudge.evaluations.preferences.tables import tables_of
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, examples_of, input_of, texts_of
from adjudge.metrics.cells import Floats, Integers
from adjudge.metrics.data_checks import REPEATED
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.metrics.reply_rates import REPLIES_TABLE
from adjudge.metrics.tables import Keys, rows_by_group
from adjudge.readers.io.source import Source
from adjudge.readers.preferences import preferences as reader
from adjudge.readers.problems import counted
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from adjudge.schemas.columns import NONE, cluster_name, constant_columns, mapped_columns, requested_column
from adjudge.schemas.preferences import LABEL, MISSING, TEXTS, WHY, JudgedItems, make_task
from adjudge.spec import BASELINE_PREFIX, HARD_ITEMS

TAKEN: frozenset[str] = frozenset()
ITEM = "id"

_SAMPLED = 2_000
"""The most items that examples are chosen from."""
_ROW = "__row__"
SYSTEM_EXPLANATION = "system's explanation"
"""What the explanation of a system is called among the texts of an item."""


def check(options: PreferencesOptions) -> None:
    """Raises OptionError for an impossible task, and for options about explanations where these are not scored."""
    reader_options(options)
    if (options.stem or options.embedding_model) and not options.explanations:
        raise OptionError(f"needs {named('explanations')}", option="stem" if options.stem else "embedding_model")
    if options.layer is not None and options.embedding_model is None:
        raise OptionError(f"needs {named('embedding_model')}, the model that it is a layer of", option="layer")


def reader_options(options: PreferencesOptions) -> reader.Options:
    """How to read gold and predictions."""
    return replace(
        item_options(options),
        by=options.by,
        cluster=requested_column(options.cluster),
        explanations=options.explanations,
        drop=options.on_invalid == "drop",
        exact_labels=options.exact_labels,
    )


def item_options(options: ItemTables) -> reader.Options:
    """How to read items, for any function that has such options."""
    task = make_task(options.criteria, options.labels)
    known = mapped_columns(options.columns, reader.known_columns(task), constants=constant_columns(options))
    return reader.Options(task=task, columns=known)


def read(inputs: Inputs, options: PreferencesOptions, _: Workers = LOCAL_WORKERS) -> JudgedItems:
    """The items with their gold labels."""
    return reader.read_gold(inputs["gold"][0], reader_options(options))


def preview(read: JudgedItems, count: int) -> pl.DataFrame:
    """The first items, with their gold labels."""
    first, task = read.frame.head(count), read.task
    labels = [pl.Series(one, map(task.word, first[f"{LABEL}{one}"]), pl.String) for one in task.criteria]
    return first.select("id", *TEXTS).with_columns(labels)


def texts(read: JudgedItems, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts of items."""
    return texts_of(read.frame.lazy(), "id", TEXTS, rows)


def score(
    read: JudgedItems, inputs: Inputs, options: PreferencesOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> scoring.EvaluationResult:
    """Systems against the gold labels."""
    by, submitted, how = options.by, inputs["predictions"], reader_options(options)
    given = dict(zip(system_names(submitted, options.system), submitted, strict=True))
    reader.check_order(submitted, how, read)
    if options.check:
        with step("reading"):
            predicted, found_wrong = check_submissions(submitted, [*given], how, read)
    else:
        predicted, found_wrong = read_systems(read, given, how, inputs["gold"][0], workers), []
    systems = [*predicted.values()]
    explanation_values, score_warnings = explanation_scores(read, systems, options, workers)
    judged, verdicts, verdict_inputs, verdict_warnings = verdicts_of(read, [*predicted], options)
    column, clusters = _find_clusters(read.frame, options.cluster)
    gold = read.frame.select("id", *by, cluster=pl.col(column) if column else pl.lit(None, pl.String))
    with step("counting"):
        whole = _all_items(read, systems, explanation_values | judged, clusters, options.ci_level)
        every, texts_too = partial(_outcomes_of_items, gold, whole, by), partial(_texts_of, read, systems)
        hard = _hard_criteria(whole, every, gold["id"], by)
        unit = "cluster" if column else None
        replies = [*reply_rows(gold, systems, verdicts, by, unit, options.ci_level)]
        tables = _tables(whole, gold, by, found_wrong, replies, hard)
    sample, beginning = (
        outcomes(gold[places], whole.subset(places, {}), by) for places in _example_places(gold.height, options.seed)
    )
    scores = sum(int((~np.isnan(values)).sum()) for values in whole.scores.values())
    return scoring.EvaluationResult(
        inputs=[
            input_of(inputs["gold"][0], read.rows),
            *(input_of(source, predicted[name].rows if name in predicted else 0) for name, source in given.items()),
            *verdict_inputs,
        ],
        tables=tables,
        outcomes=outcomes(gold, whole, by),
        first=beginning,
        rows=whole.gold.size * len(systems) + scores,
        examples=examples_of(sample, EVALUATION, texts_too, every, partial(_system_texts, read, systems), hard),
        counts=_report_counts(read, whole, found_wrong, clustered=column is not None),
        warnings=[*_warnings(read, systems, whole, found_wrong), *score_warnings, *verdict_warnings],
        notes=tuple(_report_notes(whole, column and (options.cluster or column))),
        texts=texts_too,
    )


def _tables(
    whole: ItemGroup,
    gold: pl.DataFrame,
    by: Sequence[str],
    found_wrong: Sequence[Keys],
    replies: Sequence[Keys],
    hard: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """All tables of the report. found_wrong: rows about submissions. hard: see `_hardest`."""
    parts = rows_by_group(gold.select("id", *by).with_row_index(_ROW), by)
    return {
        **({SUBMISSIONS: typed_table(found_wrong, COLUMNS)} if found_wrong else {}),
        **tables_of(
            [whole.subset(part[_ROW].to_numpy(), keys) for keys, part in parts], by, _refused_systems(found_wrong)
        ),
        **({REPLIES_TABLE: typed_table(replies, [*by, *KEYS, *ESTIMATE_COLUMNS])} if replies else {}),
        **({} if hard.is_empty() else {HARD_ITEMS: hard.rename({"part": "criterion"})}),
    }


def _example_places(height: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of items that examples are chosen from, and of the first ones."""
    drawn = np.random.default_rng(seed).choice(height, min(height, _SAMPLED), replace=False)
    return drawn, np.arange(min(FIRST_ITEMS, height))


def _outcomes_of_items(gold: pl.DataFrame, whole: ItemGroup, by: Sequence[str], items: Sequence[str]) -> pl.LazyFrame:
    """All outcomes of some items but the scores of explanations."""
    places = gold["id"].is_in(items).arg_true().to_numpy()
    return outcomes(gold[places], replace(whole.subset(places, {}), scores={}), by)


def _hard_criteria(
    whole: ItemGroup, every: Callable[[Sequence[str]], pl.LazyFrame], ids: pl.Series, by: Sequence[str]
) -> pl.DataFrame:
    """The criteria of items on which all systems differ from the gold label."""
    system_labels = whole.labels[: whole.system_count]
    wrong_for_all = ((system_labels != whole.gold) | (system_labels == MISSING)).all(axis=0) & (whole.gold != MISSING)
    judged = (system_labels != MISSING).sum(axis=0) > 1
    rows = every(ids.filter(pl.Series((wrong_for_all & judged).any(axis=0))).to_list())
    labelled = rows.filter(pl.col("outcome").is_in(["correct", "incorrect"]))
    return hard_items(labelled, [*by, "part"], pl.col("outcome") == "correct")


def _all_items(
    gold: JudgedItems,
    systems: Sequence[JudgedItems],
    scores: Mapping[str, Floats],
    clusters: Integers | None,
    confidence: float,
) -> ItemGroup:
    """All items as one group. scores: see Group."""
    trusted, *codes = (codes_of(one.frame, gold.task) for one in (gold, *systems))
    names, labels = baselines.baselines(trusted, gold.frame, gold.task)
    return ItemGroup(
        keys={},
        task=gold.task,
        gold=trusted,
        names=(*(one.name for one in systems), *names),
        labels=np.stack([*codes, *labels]),
        scores=scores,
        clusters=clusters,
        confidence=confidence,
        system_count=len(systems),
        replies=tuple(one.frame.select(gold.task.reply_columns) for one in systems),
    )


def _find_clusters(frame: pl.DataFrame, cluster: str | None) -> tuple[str | None, Integers | None]:
    """The column that items are clustered by, and an index per item: as asked, else instructions that repeat."""
    if cluster == NONE:
        return None, None
    column = "cluster" if cluster is not None else "instruction"
    names = frame[column]
    if cluster is None and names.drop_nulls().n_unique() == len(names) - names.null_count():
        return None, None
    cluster_names = frame.select(cluster_name(pl.col(column), pl.col("id"))).to_series()
    return column, cluster_names.rank("dense").cast(pl.Int64).to_numpy() - 1


def _report_counts(
    gold: JudgedItems, whole: ItemGroup, found_wrong: Sequence[Keys], *, clustered: bool
) -> dict[str, int]:
    """Counts for the head of the report."""
    counts = {"items": whole.gold.shape[1], "systems": whole.system_count, "criteria": len(whole.task.criteria)}
    if refused := len(_refused_systems(found_wrong)):
        counts["refused submissions"] = refused
    if clustered:
        counts["clusters"] = whole.unit_count
    texts_given = gold.frame.select(TEXTS).drop_nulls()
    if repeated := texts_given.height - texts_given.n_unique():
        counts[REPEATED] = repeated
    return counts


def _report_notes(whole: ItemGroup, clustered: str | None) -> Iterator[str]:
    """How metrics were made, for the foot of the report."""
    yield (
        "A missing label is wrong. baseline:majority gives the most frequent gold label of each criterion throughout: "
        "it shows what a constant answer can reach."
    )
    if clustered:
        yield f"Intervals are clustered by {clustered}: {counted(whole.unit_count, 'cluster', 'clusters')}."
    if whole.scores:
        yield "Systems are ranked by the figures that all of them have."


def _refused_systems(submission_rows: Sequence[Keys]) -> list[str]:
    return list(dict.fromkeys(row["system"] for row in submission_rows if row["status"] == REFUSED))


def _warnings(
    gold: JudgedItems, systems: Sequence[JudgedItems], whole: ItemGroup, submission_rows: Sequence[Keys]
) -> Iterator[str]:
    """Warnings about the gold, about submissions that are not scored, and about each system."""
    yield from gold.warnings
    if refused := _refused_systems(submission_rows):
        submissions = counted(len(refused), "submission is", "submissions are")
        yield f"{submissions} not scored: {', '.join(refused)}; the table {SUBMISSIONS} says why"
    longer = f"{BASELINE_PREFIX}{baselines.LONGER}"
    if longer in whole.names and (empty := baselines.empty_responses(gold.frame)):
        yield f"{gold.name}: {empty:,} items lack a response; {longer} counts it as empty"
    for system, codes in zip(systems, whole.labels[: whole.system_count], strict=True):
        yield from (f"{system.name}: {warning}" for warning in system.warnings)
        if absent := int((codes == MISSING).all(axis=0).sum()):
            items = counted(absent, "item has", "items have")
            yield f"{system.name}: {items} no predicted label at all, and count as wrong"


def system_names(inputs: Sequence[Source], given: Sequence[str]) -> list[str]:
    """The names of the systems: as given, else those of their files.

    Raises OptionError if there are more or fewer names than inputs, for a duplicate name, and for one of a baseline.
    """
    if given and len(given) != len(inputs):
        raise OptionError(f"expected a name for each of {len(inputs)} predictions; got {len(given)}", option="system")
    names = list(given) or [one.stem for one in inputs]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f'two systems are called "{name:.60}"', fix=f"{named('system')} NAME,... for each file")
        if name.startswith(BASELINE_PREFIX):
            raise OptionError(f'names that begin with {BASELINE_PREFIX} are taken; got "{name:.60}"', option="system")
    return names


def _texts_of(gold: JudgedItems, systems: Sequence[JudgedItems], rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts of items and both explanations, for rows of outcomes."""
    of_gold, of_systems = _explanation_texts(gold, rows), {one.name: _explanation_texts(one, rows) for one in systems}
    result, no_texts = [], [Texts()] * len(rows)  # of a baseline
    for place, (row, item_texts) in enumerate(zip(rows, texts(gold, rows), strict=True)):
        both = {"gold explanation": of_gold[place], SYSTEM_EXPLANATION: of_systems.get(row["judge"], no_texts)[place]}
        why = WHY + row["part"]
        result.append(item_texts | {name: own[why] for name, own in both.items() if why in own})
    return result


def _system_texts(gold: JudgedItems, systems: Sequence[JudgedItems], rows: Sequence[scoring.Row]) -> list[Texts]:
    """The explanations of systems."""
    all_texts = _texts_of(gold, systems, rows)
    return [{name: text for name, text in row.items() if name == SYSTEM_EXPLANATION} for row in all_texts]


def _explanation_texts(judged: JudgedItems, rows: Sequence[scoring.Row]) -> list[Texts]:
    names = [name for name in judged.frame.columns if name.startswith(WHY)]
    return texts_of(judged.frame.lazy(), "id", names, rows)
