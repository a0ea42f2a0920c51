"""From gold and predictions to the tables of the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.evaluations import scoring
from karat.evaluations.preferences import EVALUATION, baselines, explanations
from karat.evaluations.preferences.counts import Group, System, part
from karat.evaluations.preferences.outcomes import outcomes
from karat.evaluations.preferences.tables import tables_of
from karat.evaluations.scoring import FIRST_ITEMS, Inputs, Options, Step, Texts, examples_of, input_of
from karat.figures.cells import Floats
from karat.formats import preferences as reader
from karat.formats.source import REMOTE, sources
from karat.formats.verdicts import read_verdicts
from karat.report import Input, cut
from karat.schemas.clusters import NONE, column_of, named_cluster
from karat.schemas.columns import mapped_columns
from karat.schemas.preferences import MISSING, TEXTS, WHY, Judged, Task, task_of

TAKEN: frozenset[str] = frozenset()
ITEM = "id"

_SAMPLED = 2_000
"""The most items that examples are chosen from."""


def check(_: Mapping[str, Any], options: Options) -> None:
    """Raises OptionError for an impossible task, and for options about explanations where these are not scored."""
    _reading(options)
    if (options["stem"] or options["embedding_model"]) and not options["explanations"]:
        given = "stem" if options["stem"] else "embedding_model"
        raise OptionError(f"{given} is about explanations; give explanations (--explanations) too")
    if options["layer"] is not None and options["embedding_model"] is None:
        raise OptionError("layer is that of an embedding model; give embedding_model (--embedding-model) too")


def _reading(options: Options) -> reader.Options:
    task = task_of(options["criteria"], options["labels"])
    return reader.Options(
        task=task,
        columns=mapped_columns(options["columns"], reader.known_columns(task)),
        by=options["by"],
        cluster=column_of(options["cluster"]),
        explanations=options["explanations"],
        drop=options["on_invalid"] == "drop",
    )


def read(inputs: Inputs, options: Options) -> Judged:
    """The items, and people's preferences."""
    return reader.read_gold(inputs["gold"][0], _reading(options))


def texts(read: Judged, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts of items."""
    found = scoring.texts_by_item(read.frame.lazy(), "id", TEXTS, rows)
    return [{name: cut(text) for name, text in found.get(row["item"], {}).items() if text} for row in rows]


def score(read: Judged, inputs: Inputs, options: Options, step: Step) -> scoring.Scored:
    """Systems against the gold labels."""
    by, submitted = options["by"], inputs["predictions"]
    names = system_names([(one.name, one.path) for one in submitted], options["system"])
    with step("reading"):
        reading = _reading(options)
        systems = [
            reader.read_predictions(one, reading, read, name) for one, name in zip(submitted, names, strict=True)
        ]
    rows = [
        (read.rows, inputs["gold"][0]),
        *((one.rows, source) for one, source in zip(systems, submitted, strict=True)),
    ]
    found, warnings = _explanation_scores(read, systems, options, step)
    judged, verdict_inputs, told = _verdicts(read, names, options)
    kept = ("by", "cluster", "confidence")
    with step("counting"):
        data = scored(read, systems, found | judged, **{name: options[name] for name in kept})
        tables = tables_of(data.groups, by)
    height = read.frame.height
    drawn = np.random.default_rng(options["seed"]).choice(height, size=min(height, _SAMPLED), replace=False)
    return scoring.Scored(
        inputs=[*(input_of(source, count) for count, source in rows), *verdict_inputs],
        tables=tables,
        outcomes=outcomes_of(data, by),
        first=outcomes_of(data, by, FIRST_ITEMS),
        rows=outcomes_count(data),
        examples=examples_of(sample_of(data, by, drawn), list(EVALUATION.outcomes), partial(_texts_of, data)),
        counts=counts_of(data),
        warnings=[*warnings_of(data), *warnings, *told],
        notes=notes_of(data),
    )


def _explanation_scores(
    judged: Judged, systems: Sequence[Judged], options: Options, step: Step
) -> tuple[dict[str, list[Floats]], list[str]]:
    """Metric -> scores of each system, and warnings."""
    if not options["explanations"]:
        return {}, []
    from karat.text.rouge import rouge_l

    found = {}
    with step("ROUGE-L"):
        found["rouge_l"] = explanations.scores(judged, systems, partial(rouge_l, stem=options["stem"]))
    if options["embedding_model"]:
        from karat.text.bertscore import bertscore

        with step("BERTScore"):
            compare = partial(bertscore, model=options["embedding_model"], layer=options["layer"])
            found["bertscore"] = explanations.scores(judged, systems, compare)
    absent = {system.name: explanations.absent(judged, system) for system in systems}
    return found, [f"{name}: {n:,} explanations are missing, and score 0" for name, n in absent.items() if n]


def _verdicts(
    judged: Judged, names: Sequence[str], options: Options
) -> tuple[dict[str, list[Floats]], list[Input], list[str]]:
    """The scores of a judge of explanations, the file that holds its verdicts, and warnings."""
    if options["verdicts"] is None:
        return {}, [], []
    (source,) = sources(options["verdicts"])
    table, warnings = read_verdicts(source, judged.frame["id"], names, judged.task.criteria)
    silent = table["verdict"].null_count()
    if silent:
        warnings.append(f"{source.name}: {silent:,} verdicts are null, and count as {options['unparsed']}")
    found = explanations.verdicts(judged, names, table, options["unparsed"])
    return {"judge": found}, [input_of(source, table.height)], warnings


@dataclass(frozen=True, slots=True)
class Scored:
    """Gold and predictions as arrays. whole: all items; groups: by the values of the `by` columns."""

    gold: Judged
    systems: tuple[Judged, ...]
    whole: Group
    groups: tuple[Group, ...]
    clusters: str | None


def scored(
    gold: Judged,
    systems: Sequence[Judged],
    scores: Mapping[str, Sequence[Floats]],
    *,
    by: Sequence[str],
    cluster: str | None,
    confidence: float,
) -> Scored:
    """All that figures rest on. scores: metric -> an array criteria x items per system."""
    task = gold.task
    codes = _codes(gold.frame, task)
    column, clusters = _clusters(gold.frame, cluster)
    whole = Group(
        keys={},
        criteria=task.criteria,
        labels=task.labels,
        gold=codes,
        systems=tuple(
            System(system.name, _codes(system.frame, task), {metric: own[place] for metric, own in scores.items()})
            for place, system in enumerate(systems)
        ),
        baselines=baselines.baselines(codes, gold.frame, task),
        clusters=clusters,
        confidence=confidence,
    )
    return Scored(gold, tuple(systems), whole, tuple(_groups(whole, gold.frame, by)), column)


def _codes(frame: pl.DataFrame, task: Task) -> np.ndarray:
    return np.stack([frame[column].to_numpy() for column in task.label_columns])


def _clusters(frame: pl.DataFrame, cluster: str | None) -> tuple[str | None, np.ndarray | None]:
    """The column that items are clustered by, and an index per item: as asked, else instructions that repeat."""
    if cluster == NONE:
        return None, None
    column = "cluster" if cluster is not None else "instruction"
    names = frame[column]
    if cluster is None and names.drop_nulls().n_unique() == len(names) - names.null_count():
        return None, None
    own = frame.select(named_cluster(pl.col(column), pl.col("id"))).to_series()
    return cluster or column, own.rank("dense").cast(pl.Int64).to_numpy() - 1


def _groups(whole: Group, frame: pl.DataFrame, by: Sequence[str]) -> list[Group]:
    if not by:
        return [whole]
    parts = frame.select(*by).with_row_index("__row__").group_by(by).agg("__row__").to_dicts()
    order = sorted(parts, key=lambda one: [(one[name] is not None, str(one[name])) for name in by])
    return [part(whole, np.array(one.pop("__row__"), dtype=np.intp), one) for one in order]


def counts_of(data: Scored) -> dict[str, int]:
    """Counts for the head of the report."""
    systems, criteria = len(data.systems), len(data.gold.task.criteria)
    found = {
        "items": data.gold.frame.height,
        "system" if systems == 1 else "systems": systems,
        "criterion" if criteria == 1 else "criteria": criteria,
    }
    return found | ({"clusters": data.whole.units} if data.clusters else {})


def notes_of(data: Scored) -> tuple[str, ...]:
    """How figures were made, for the foot of the report."""
    notes = [
        "A missing label is wrong. baseline:majority knows the gold labels: it shows what a constant answer can reach.",
    ]
    if data.clusters:
        notes.append(f"Intervals are clustered by {data.clusters}: {data.whole.units:,} clusters.")
    if any(system.scores for system in data.whole.systems):
        notes.append("Systems are ranked by the figures that all of them have.")
    return tuple(notes)


def warnings_of(data: Scored) -> list[str]:
    """Warnings about the data."""
    warnings = [*data.gold.warnings]
    for system, codes in zip(data.systems, data.whole.systems, strict=True):
        warnings += [f"{system.name}: {warning}" for warning in system.warnings]
        absent = int((codes.codes == MISSING).all(axis=0).sum())
        if absent:
            have = "item has" if absent == 1 else "items have"
            warnings.append(f"{system.name}: {absent:,} {have} no predicted label at all, and count as wrong")
    return warnings


def system_names(inputs: Sequence[tuple[str, Path | None]], given: Sequence[str]) -> list[str]:
    """The names of the systems: as given, else those of their files. inputs: name and path of each.

    Raises OptionError if there are more or fewer names than inputs, for a duplicate name, and for one of a baseline.
    """
    if given and len(given) != len(inputs):
        raise OptionError(f"system: expected a name for each of {len(inputs)} predictions; got {len(given)}")
    names = list(given) or [_stem(name, path) for name, path in inputs]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f'two systems are called "{name:.60}"; name each of them with system (--system)')
        if name.startswith(baselines.PREFIX):
            raise OptionError(f'names that begin with {baselines.PREFIX} are taken; got "{name:.60}"')
    return names


def _stem(name: str, path: Path | None) -> str:
    """A file's name without folder and ending; of a table from Python its name."""
    return path.stem if path else Path(name).stem if name.startswith(REMOTE) else name


def outcomes_count(data: Scored) -> int:
    """How many rows `outcomes_of` has."""
    scored = sum(int((~np.isnan(own)).sum()) for one in data.whole.systems for own in one.scores.values())
    return data.whole.gold.size * len(data.systems) + scored


def outcomes_of(data: Scored, by: Sequence[str], first: int | None = None) -> pl.LazyFrame:
    """The outcomes of all systems, or of the first items."""
    frame = data.gold.frame if first is None else data.gold.frame.head(first)
    height = frame.height
    systems = [
        System(one.name, one.codes[:, :height], {name: own[:, :height] for name, own in one.scores.items()})
        for one in data.whole.systems
    ]
    return outcomes(_with_cluster(data, frame), systems, data.gold.task, by)


def sample_of(data: Scored, by: Sequence[str], places: np.ndarray) -> pl.LazyFrame:
    """The outcomes of the items at some places."""
    some = part(data.whole, places, {})
    return outcomes(_with_cluster(data, data.gold.frame)[places], some.systems, data.gold.task, by)


def _with_cluster(data: Scored, frame: pl.DataFrame) -> pl.DataFrame:
    column = "cluster" if "cluster" in frame.columns else data.clusters
    named = pl.col(column) if column else pl.lit(None, pl.String)
    return frame.with_columns(named.alias("cluster"))


def _texts_of(data: Scored, rows: Sequence[scoring.Row]) -> list[Texts]:
    """The texts of items and both explanations, for rows of outcomes."""
    gold, theirs = _explained(data.gold, rows), {one.name: _explained(one, rows) for one in data.systems}
    found = []
    for row, shown in zip(rows, texts(data.gold, rows), strict=True):
        both = {"gold explanation": gold, "system's explanation": theirs[row["judge"]]}
        said = {name: own[row["item"]].get(WHY + row["part"]) for name, own in both.items()}
        found.append(shown | {name: cut(text) for name, text in said.items() if text})
    return found


def _explained(judged: Judged, rows: Sequence[scoring.Row]) -> dict[str, Texts]:
    names = [name for name in judged.frame.columns if name.startswith(WHY)]
    return scoring.texts_by_item(judged.frame.lazy(), "id", names, rows)
