"""From gold and predictions to the tables of the report.

Scores of explanations: similarity to gold explanations, and verdicts of a judge.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from adjudge.errors import DataError, OptionError, flag_name
from adjudge.evaluations import scoring
from adjudge.evaluations.preferences.declaration import EVALUATION
from adjudge.evaluations.preferences.options import ItemTables, PreferencesOptions
from adjudge.evaluations.preferences.outcomes import LONGER, ItemGroup, baselines, codes_of, outcomes
from adjudge.evaluations.preferences.tables import reply_table, tables_of
from adjudge.evaluations.scoring import FIRST_ITEMS, Inputs, Step, Texts, examples_of, hard_items, input_of, texts_of
from adjudge.metrics.cells import Floats, Integers
from adjudge.metrics.data_checks import REPEATED
from adjudge.metrics.partial_counts import LOCAL_WORKERS, Workers
from adjudge.metrics.tables import Keys
from adjudge.readers.inputs import source_beside
from adjudge.readers.io.source import Source
from adjudge.readers.preferences import preferences as reader
from adjudge.readers.preferences.preferences import PreferenceReading, find_problems, predictions_of, read_predictions
from adjudge.readers.preferences.score_tables import read_verdicts
from adjudge.readers.problems import count_words
from adjudge.report import Input, typed_table
from adjudge.schemas.columns import NONE, cluster_name, constant_columns, mapped_columns, requested_column
from adjudge.schemas.preferences import MISSING, TEXTS, WHY, JudgedItems, make_task
from adjudge.spec import BASELINE_PREFIX, HARD_ITEMS
from adjudge.text.rouge import other_scripts_warning, rouge_l
from adjudge.text.similarity import of_distinct_pairs

Load = Callable[[], Callable[[pl.DataFrame], list[float]]]


def explanation_scores(
    judged: JudgedItems, systems: Sequence[JudgedItems], options: PreferencesOptions, workers: Workers
) -> tuple[dict[str, Floats], list[str]]:
    """Metric -> an array systems x criteria x items of scores, and warnings."""
    if not options.explanations:
        return {}, []
    scores = {"rouge_l": _score_array(judged, systems, rouge_l)}
    if options.embedding_model:
        load = partial(load_bertscorer, options.embedding_model)
        scores["bertscore"] = _score_array(judged, systems, partial(score_bertscore, workers, load))
    absent = {
        system.name: sum(
            int((_blank_to_null(judged.frame[one]).is_not_null() & _blank_to_null(system.frame[one]).is_null()).sum())
            for one in judged.task.why_columns
        )
        for system in systems
    }
    texts = pl.concat(
        one.frame[column].cast(pl.String) for one in (judged, *systems) for column in judged.task.why_columns
    )
    missing = [f"{name}: {n:,} explanations are missing, and count as 0" for name, n in absent.items() if n]
    return scores, [*missing, *other_scripts_warning(texts)]


def score_bertscore(workers: Workers, load: Load, predicted: pl.Series, reference: pl.Series) -> pl.Series:
    """BERTScore, each two texts once, those with the same reference in a row. load: see `load_bertscorer`."""

    def score_distinct(predicted: pl.Series, reference: pl.Series) -> list[float]:
        texts = pl.DataFrame({"given": predicted, "known": reference}).with_row_index("row").sort("known", "row")
        scores = workers.run_loaded("BERTScore", load, texts)
        return pl.Series("score", scores, pl.Float64).gather(texts["row"].arg_sort()).to_list()

    return of_distinct_pairs("bertscore", predicted, reference, score_distinct)


def load_bertscorer(model: str) -> Callable[[pl.DataFrame], list[float]]:
    """A function that scores pairs of texts by a model, which is loaded now."""
    from adjudge.text.bertscore import loaded_bertscore

    score = loaded_bertscore(model, None)
    return lambda texts: score(texts["given"], texts["known"])


def _score_array(
    gold: JudgedItems, systems: Sequence[JudgedItems], compare: Callable[[pl.Series, pl.Series], pl.Series]
) -> Floats:
    """An array systems x criteria x items: NaN without a gold explanation, 0 without the system's.

    All texts are compared in one call, so that each distinct one is dealt with once. compare: from predicted and
    reference texts to scores, null where either is missing.
    """
    columns = gold.task.why_columns
    reference = pl.concat([_blank_to_null(gold.frame[column]) for _ in systems for column in columns], rechunk=True)
    predicted = pl.concat([_blank_to_null(one.frame[column]) for one in systems for column in columns], rechunk=True)
    scores = compare(predicted.fill_null(""), reference).cast(pl.Float64).fill_null(np.nan).to_numpy()
    return scores.reshape(len(systems), len(columns), gold.frame.height)


def _blank_to_null(texts: pl.Series) -> pl.Series:
    """The texts, null if blank."""
    return texts.to_frame("text").select(pl.when(pl.col("text").str.strip_chars() != "").then("text")).to_series()


def verdicts_of(
    gold: JudgedItems, systems: Sequence[str], options: PreferencesOptions
) -> tuple[dict[str, Floats], pl.DataFrame | None, list[Input], list[str]]:
    """The scores of a judge of explanations, its verdicts, the file that holds them, and warnings.

    Scores are an array systems x criteria x items: 1 for yes, 0 for no, NaN where there is no verdict.
    """
    if options.verdicts is None:
        return {}, None, [], []
    source, criteria = source_beside(options.verdicts, options.reading), gold.task.criteria
    table, warnings = read_verdicts(source, gold.frame["id"], systems, criteria)
    if silent := table["verdict"].null_count():
        warnings.append(f"{source.name}: {silent:,} verdicts are null, and count as missing")
    coded = table.with_columns((pl.col("verdict") == "yes").cast(pl.Float64))
    asked = pl.DataFrame({"system": systems})
    for keys in (pl.DataFrame({"criterion": criteria}), gold.frame.select("id")):
        asked = asked.join(keys, how="cross", maintain_order="left_right")
    verdicts = asked.join(coded, on=["system", "criterion", "id"], how="left", maintain_order="left")["verdict"]
    judged = verdicts.fill_null(np.nan).to_numpy().reshape(len(systems), len(criteria), gold.frame.height)
    return {"judge": judged}, table, [input_of(source, table.height)], warnings


TAKEN: frozenset[str] = frozenset()
ITEM = "id"

_SAMPLED = 2_000
"""The most items that examples are chosen from."""
_NOTE = (
    "A missing label is wrong. baseline:majority gives the most frequent gold label of each criterion throughout: "
    "it shows what a constant answer can reach."
)
SYSTEM_EXPLANATION = "system's explanation"
"""What the explanation of a system is called among the texts of an item."""


def check(options: PreferencesOptions) -> None:
    """Raises OptionError for an impossible task, and for options about explanations where these are not scored."""
    reader_options(options)
    if options.embedding_model and not options.explanations:
        raise OptionError(f"needs {flag_name('explanations')}", option="embedding_model")


def reader_options(options: PreferencesOptions) -> reader.PreferenceReading:
    """How to read gold and predictions."""
    return replace(
        item_options(options),
        by=options.by,
        cluster=requested_column(options.cluster),
        explanations=options.explanations,
        drop=options.on_invalid == "drop",
        exact_labels=options.exact_labels,
    )


def item_options(options: ItemTables) -> reader.PreferenceReading:
    """How to read items, for any function that has such options."""
    task = make_task(options.criteria, options.labels)
    known = mapped_columns(options.columns, reader.known_columns(task), constants=constant_columns(options))
    return reader.PreferenceReading(task=task, columns=known)


Sides = tuple[JudgedItems, dict[str, JudgedItems], list[Keys]]
"""The items with their gold labels; the predictions of systems that can be scored, by name; rows about submissions."""


def read(inputs: Inputs, options: PreferencesOptions, _: Workers = LOCAL_WORKERS) -> Sides:
    """The items and the predictions; rows about submissions if these are checked."""
    submitted, reading = inputs["predictions"], reader_options(options)
    gold = reader.read_gold(inputs["gold"][0], reading)
    names = system_names(submitted, options.system)
    reader.check_order(submitted, reading, gold)
    if options.check:
        return gold, *check_submissions(submitted, names, reading, gold)
    given = list(zip(names, submitted, strict=True))
    systems = LOCAL_WORKERS.pieces("", lambda one: read_predictions(one[1], reading, gold, one[0]), given)
    return gold, {one.name: one for one in systems}, []


def texts(read: Sides, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts of items."""
    return texts_of(read[0].frame.lazy(), "id", TEXTS, rows)


def score(
    read: Sides, inputs: Inputs, options: PreferencesOptions, step: Step, workers: Workers = LOCAL_WORKERS
) -> scoring.EvaluationResult:
    """Systems against the gold labels."""
    by, (items, predicted, found_wrong) = options.by, read
    refused = list(dict.fromkeys(row["system"] for row in found_wrong if row["status"] == REFUSED))
    systems = [*predicted.values()]
    explanation_values, score_warnings = explanation_scores(items, systems, options, workers)
    judged, verdicts, verdict_inputs, verdict_warnings = verdicts_of(items, [*predicted], options)
    column, clusters = _find_clusters(items.frame, options.cluster)
    gold = items.frame.select("id", *by, cluster=pl.col(column) if column else pl.lit(None, pl.String))
    with step("counting"):
        trusted, *codes = (codes_of(one.frame, items.task) for one in (items, *systems))
        names, labels = baselines(trusted, items.frame, items.task)
        whole = ItemGroup(
            keys={},
            task=items.task,
            gold=trusted,
            names=(*(one.name for one in systems), *names),
            labels=np.stack([*codes, *labels]),
            scores=explanation_values | judged,
            clusters=clusters,
            confidence=options.ci_level,
            system_count=len(systems),
            replies=tuple(one.frame.select(items.task.reply_columns) for one in systems),
        )
        every, texts_too = partial(_outcomes_of_items, gold, whole, by), partial(_texts_of, read)
        hard = _hard_items(gold, whole, by)
        tables = {SUBMISSIONS: typed_table(found_wrong, COLUMNS)} if found_wrong else {}
        tables |= tables_of(whole, gold, by, refused)
        tables |= reply_table(gold, systems, verdicts, options, "cluster" if column else None)
        tables |= {} if hard.is_empty() else {HARD_ITEMS: hard.rename({"part": "criterion"})}
    drawn = np.random.default_rng(options.seed).choice(gold.height, min(gold.height, _SAMPLED), replace=False)
    sample, beginning = (
        outcomes(gold[places], whole.subset(places, {}), by) for places in (drawn, np.arange(gold.height)[:FIRST_ITEMS])
    )
    texts_given = items.frame.select(TEXTS).drop_nulls()
    counts = {
        "refused submissions": len(refused),
        "clusters": whole.unit_count if column else 0,
        REPEATED: texts_given.height - texts_given.n_unique(),
    }
    notes = [_NOTE]
    if column:
        units = count_words(whole.unit_count, "cluster", "clusters")
        notes.append(f"Intervals are clustered by {options.cluster or column}: {units}.")
    names = system_names(inputs["predictions"], options.system)
    rows = [items.rows, *(predicted[name].rows if name in predicted else 0 for name in names)]
    scores = sum(int((~np.isnan(values)).sum()) for values in whole.scores.values())
    return scoring.EvaluationResult(
        inputs=[*map(input_of, [*inputs["gold"], *inputs["predictions"]], rows), *verdict_inputs],
        tables=tables,
        outcomes=outcomes(gold, whole, by),
        first=beginning,
        rows=whole.gold.size * len(systems) + scores,
        examples=examples_of(sample, EVALUATION, texts_too, every, partial(_system_texts, systems), hard),
        counts={"items": gold.height, "systems": len(systems), "criteria": len(items.task.criteria)}
        | {name: count for name, count in counts.items() if count},
        warnings=[*_warnings(items, systems, whole, refused), *score_warnings, *verdict_warnings],
        notes=notes,
        texts=texts_too,
    )


def _hard_items(gold: pl.DataFrame, whole: ItemGroup, by: Sequence[str]) -> pl.DataFrame:
    """The criteria of items that all systems got wrong, from the outcomes of these items alone."""
    own = whole.labels[: whole.system_count]
    judged, right = (own != MISSING) & (whole.gold != MISSING), own == whole.gold
    places = np.flatnonzero(((judged.sum(axis=0) > 1) & ~(judged & right).any(axis=0)).any(axis=0))
    found = outcomes(gold[places], replace(whole.subset(places, {}), scores={}), by)
    labelled = found.filter(pl.col("outcome").is_in(["correct", "incorrect"]))
    return hard_items(labelled, [*by, "part"], pl.col("outcome") == "correct")


def _outcomes_of_items(gold: pl.DataFrame, whole: ItemGroup, by: Sequence[str], items: Sequence[str]) -> pl.LazyFrame:
    """All outcomes of some items but the scores of explanations."""
    places = gold["id"].is_in(items).arg_true().to_numpy()
    return outcomes(gold[places], replace(whole.subset(places, {}), scores={}), by)


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


def _warnings(
    gold: JudgedItems, systems: Sequence[JudgedItems], whole: ItemGroup, refused: Sequence[str]
) -> Iterator[str]:
    """Warnings about the gold, about submissions that are not scored, and about each system."""
    yield from gold.warnings
    if refused:
        submissions = count_words(len(refused), "submission is", "submissions are")
        yield f"{submissions} not scored: {', '.join(refused)}; the table {SUBMISSIONS} says why"
    empty = gold.frame.filter(pl.any_horizontal(pl.col("output_a", "output_b").is_null())).height
    if f"{BASELINE_PREFIX}{LONGER}" in whole.names and empty:
        yield f"{gold.name}: {empty:,} items lack a response; {BASELINE_PREFIX}{LONGER} counts it as empty"
    for system, codes in zip(systems, whole.labels[: whole.system_count], strict=True):
        yield from (f"{system.name}: {warning}" for warning in system.warnings)
        if absent := int((codes == MISSING).all(axis=0).sum()):
            items = count_words(absent, "unlabelled item counts", "unlabelled items count")
            yield f"{system.name}: {items} as wrong"


def system_names(inputs: Sequence[Source], given: Sequence[str]) -> list[str]:
    """The names of the systems: as given, else those of their files.

    Raises OptionError if there are more or fewer names than inputs, for a duplicate name, and for one of a baseline.
    """
    if given and len(given) != len(inputs):
        raise OptionError(f"expected a name for each of {len(inputs)} predictions; got {len(given)}", option="system")
    names = list(given) or [one.stem for one in inputs]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(
                f'two systems are called "{name:.60}"', fix=f"{flag_name('system')} NAME,... for each file"
            )
        if name.startswith(BASELINE_PREFIX):
            raise OptionError(f'names that begin with {BASELINE_PREFIX} are taken; got "{name:.60}"', option="system")
    return names


def _texts_of(read: Sides, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts of items and both explanations, for rows of outcomes."""
    gold, systems, _ = read
    of_gold, of_systems = _explanations(gold, "gold explanation", rows), _system_texts([*systems.values()], rows)
    return [own | true | said for own, true, said in zip(texts(read, rows), of_gold, of_systems, strict=True)]


def _system_texts(systems: Sequence[JudgedItems], rows: Sequence[scoring.Row]) -> list[Texts]:
    """The explanations of systems; none of a baseline."""
    by_name = {one.name: _explanations(one, SYSTEM_EXPLANATION, rows) for one in systems}
    return [by_name[row["judge"]][place] if row["judge"] in by_name else {} for place, row in enumerate(rows)]


def _explanations(judged: JudgedItems, title: str, rows: Sequence[scoring.Row]) -> list[Texts]:
    names = [name for name in judged.frame.columns if name.endswith(WHY)]
    found = texts_of(judged.frame.lazy(), "id", names, rows)
    wanted = ((own, row["part"] + WHY) for own, row in zip(found, rows, strict=True))
    return [{title: own[why]} if why in own else {} for own, why in wanted]


SUBMISSIONS = "submissions"
COLUMNS = ("system", "status", "found")
"""The table of submissions and its columns: a row per problem, or one row without problems."""
COMPLETE, INCOMPLETE, REFUSED = "complete", "incomplete", "refused"


def check_submissions(
    sources: Sequence[Source], names: Sequence[str], options: PreferenceReading, gold: JudgedItems
) -> tuple[dict[str, JudgedItems], list[Keys]]:
    """The systems whose submission can be scored, by name, and what was found in each of all.

    A submission is refused for what scoring would refuse; labels, ids and explanations that it lacks are told. Raises
    DataError where none is left.
    """
    systems, rows = dict[str, JudgedItems](), list[Keys]()
    for source, name in zip(sources, names, strict=True):
        status, problems, gaps = REFUSED, list[str](), list[str]()
        try:
            frame, found, lacking = find_problems(source, options, gold)
            gaps = lacking.messages
            systems[name] = predictions_of(frame, found, options, gold, name)
            status = INCOMPLETE if gaps else COMPLETE
        except DataError as wrong:
            problems = list(wrong.problems)
        problems = [*problems, *gaps] or ["nothing is wrong"]
        rows += [{"system": name, "status": status, "found": one} for one in problems]
    if not systems:
        raise DataError([f"{row['system']} cannot be scored: {row['found']}" for row in rows])
    return systems, rows
