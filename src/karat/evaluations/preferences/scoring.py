"""From gold and predictions to the tables of the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.estimate import Estimate, Note
from karat.evaluations import scoring
from karat.evaluations.preferences import EVALUATION, baselines, explanations, ranking
from karat.evaluations.preferences.counts import Floats, Group, System, part
from karat.evaluations.preferences.metrics import averages, figures
from karat.evaluations.preferences.outcomes import outcomes
from karat.evaluations.scoring import FIRST_ITEMS, Inputs, Options, Step, Texts, examples_of, input_of
from karat.formats import preferences as reader
from karat.formats.source import REMOTE, sources
from karat.formats.verdicts import read_verdicts
from karat.report import FIGURE, Input, cut, typed_table
from karat.schemas.columns import mapped_columns
from karat.schemas.preferences import AVERAGE, MISSING, TEXTS, WHY, Judged, Task, task_of

TESTED = (*FIGURE, "p", "p_adjusted")
TAKEN: frozenset[str] = frozenset()

_SAMPLED = 2_000
"""How many items, at most, examples are chosen from."""

Row = dict[str, object]


def check(_: Mapping[str, Any], options: Options) -> None:
    """Raises OptionError for a task that cannot be, and for options about explanations where these are not scored."""
    _reading(options)
    if (options["stem"] or options["embedding_model"]) and not options["explanations"]:
        given = "stem" if options["stem"] else "embedding_model"
        raise OptionError(f"{given} is about explanations; give explanations (--explanations) too")
    if options["layer"] is not None and options["embedding_model"] is None:
        raise OptionError("layer is that of an embedding model; give embedding_model (--embedding-model) too")


def _reading(options: Options) -> reader.Options:
    task, cluster = task_of(options["criteria"], options["labels"]), options["cluster"]
    return reader.Options(
        task=task,
        columns=mapped_columns(options["columns"], reader.known_columns(task)),
        by=options["by"],
        cluster=None if cluster == "id" else cluster,
        explanations=options["explanations"],
        drop=options["on_invalid"] == "drop",
    )


def read(inputs: Inputs, options: Options) -> Judged:
    """The items and what people prefer."""
    return reader.read_gold(inputs["gold"][0], _reading(options))


def texts(read: Judged, rows: Sequence[scoring.Row]) -> list[Texts]:
    """What items show."""
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
    kept = ("by", "cluster", "confidence", "seed")
    with step("counting"):
        data = scored(read, systems, found | judged, **{name: options[name] for name in kept})
        tables = tables_of(data, by)
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
    seed: int,
) -> Scored:
    """All that figures are made of. scores: metric -> an array criteria x items per system."""
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
        seed=seed,
    )
    return Scored(gold, tuple(systems), whole, tuple(_groups(whole, gold.frame, by)), column)


def _codes(frame: pl.DataFrame, task: Task) -> np.ndarray:
    return np.stack([frame[column].to_numpy() for column in task.label_columns])


def _clusters(frame: pl.DataFrame, cluster: str | None) -> tuple[str | None, np.ndarray | None]:
    """The column that items are clustered by, and an index per item: as asked, else instructions that repeat."""
    if cluster == "id":
        return None, None
    column = "cluster" if cluster is not None else "instruction"
    names = frame[column]
    if cluster is None and names.drop_nulls().n_unique() == len(names) - names.null_count():
        return None, None
    own = frame.select(pl.coalesce(pl.col(column), pl.concat_str(pl.lit("\x00"), pl.col("id")))).to_series()
    return cluster or column, own.rank("dense").cast(pl.Int64).to_numpy() - 1


def _groups(whole: Group, frame: pl.DataFrame, by: Sequence[str]) -> list[Group]:
    if not by:
        return [whole]
    parts = frame.select(*by).with_row_index("__row__").group_by(by).agg("__row__").to_dicts()
    order = sorted(parts, key=lambda one: [(one[name] is not None, str(one[name])) for name in by])
    return [part(whole, np.array(one.pop("__row__"), dtype=np.intp), one) for one in order]


def tables_of(data: Scored, by: Sequence[str]) -> dict[str, pl.DataFrame]:
    """All tables of the report."""
    groups = data.groups
    comparisons = [ranking.system_comparisons(group) for group in groups]
    both = list(zip(groups, comparisons, strict=True))
    tables = {"scores": ([row for group in groups for row in score_rows(group)], [*by, "system", "criterion", *FIGURE])}
    if len(data.systems) > 1:
        rows = [row for group, found in both for row in rank_rows(group, found)]
        tables["ranks"] = (rows, [*by, "system", "criterion", "ranked_metric", *FIGURE])
    tables["differences"] = (
        [row for group, found in both for row in difference_rows(group, found)],
        ["compared", *by, "criterion", "first", "second", *TESTED],
    )
    tables["confusion"] = (
        [row for group in groups for row in confusion_rows(group)],
        [*by, "system", "criterion", "reference_label", "label", "count"],
    )
    return {name: typed_table(rows, columns) for name, (rows, columns) in tables.items()}


def score_rows(group: Group) -> list[Row]:
    """Each system, then each baseline, on each criterion and on average."""
    rows: list[Row] = []
    for system in group.everyone:
        for place, criterion in enumerate(group.criteria):
            rows += _rows(group, system.name, criterion, figures(group, system, place))
        rows += _rows(group, system.name, AVERAGE, averages(group, system))
    judged = [int(row.sum()) for row in group.judged]
    everywhere = int(group.judged.any(axis=0).sum())
    for criterion, n in (*zip(group.criteria, judged, strict=True), (AVERAGE, everywhere)):
        rows += _rows(group, baselines.RANDOM, criterion, baselines.expected(len(group.labels), n, group.confidence))
    return rows


def _rows(group: Group, system: str, criterion: str, found: Mapping[str, Estimate]) -> list[Row]:
    keys = {**group.keys, "system": system, "criterion": criterion}
    return [_row(keys, metric, estimate) for metric, estimate in found.items()]


def _row(keys: Mapping[str, str | None], metric: str, estimate: Estimate) -> Row:
    return {**keys, "metric": metric, **{name: getattr(estimate, name) for name in FIGURE[1:]}}


def confusion_rows(group: Group) -> list[Row]:
    """Every combination of labels that occurs, of each system."""
    words = ("missing", *group.labels)
    return [
        {
            **group.keys,
            "system": system.name,
            "criterion": criterion,
            "reference_label": words[gold],
            "label": words[code],
            "count": int(table[gold, code]),
        }
        for system in group.everyone
        for place, criterion in enumerate(group.criteria)
        for table in (group.predicted(system, place).table,)
        for gold, code in np.argwhere(table)
    ]


def difference_rows(group: Group, comparisons: Sequence[ranking.Compared]) -> list[Row]:
    """Every two systems on every figure that all have, and every system against every baseline in accuracy."""
    found = [("systems", row) for row in comparisons]
    pairs = [(system, baseline) for system in group.systems for baseline in group.baselines]
    for criterion in (*group.criteria, AVERAGE):
        found += [("baselines", row) for row in ranking.compared(group, "accuracy", criterion, pairs)]
    return [
        {
            "compared": kind,
            **_row({**group.keys, "criterion": row.criterion}, row.metric, row.found.estimate),
            "first": row.first,
            "second": row.second,
            "p": row.found.p,
            "p_adjusted": row.p_adjusted,
        }
        for kind, row in found
    ]


def rank_rows(group: Group, comparisons: Sequence[ranking.Compared]) -> list[Row]:
    """Borda points and mean rank of each system over all figures, and the ranks it may have on each."""
    values = {figure: ranking.values_of(group, figure) for figure in ranking.ranked_figures(group)}
    whole = [figure for figure, own in values.items() if None not in own]
    names = [system.name for system in group.systems]
    rows = overall_rows(names, {f: [v for v in values[f] if v is not None] for f in whole}, group)
    for metric, criterion in whole:
        own = [row for row in comparisons if (row.metric, row.criterion) == (metric, criterion)]
        sets = ranking.rank_set(names, own, group.confidence)
        n = max((row.found.estimate.n for row in own), default=0)
        for name in names:
            keys = {**group.keys, "system": name, "criterion": criterion, "ranked_metric": metric}
            for side in ("low", "high"):
                estimate = Estimate(float(getattr(sets[name], side)), n=n, confidence=group.confidence)
                rows.append(_row(keys, f"rank_{side}", estimate))
    return rows


def overall_rows(names: Sequence[str], values: Mapping[ranking.Figure, Sequence[float]], group: Group) -> list[Row]:
    """The rows about all figures together."""
    if not values:
        return []
    points = ranking.borda_estimates(group, values)
    means = ranking.mean_ranks(values)
    rows = []
    for name, borda, mean in zip(names, points, means, strict=True):
        keys = {**group.keys, "system": name, "criterion": None, "ranked_metric": None}
        rank = Estimate(mean, n=borda.n, confidence=group.confidence)
        rows += [_row(keys, "borda", borda), _row(keys, "mean_rank", rank)]
    return rows


def counts_of(data: Scored) -> dict[str, int]:
    """What was counted, for the head of the report."""
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
    """What a reader must know of the data."""
    warnings = [*data.gold.warnings]
    for system, codes in zip(data.systems, data.whole.systems, strict=True):
        warnings += [f"{system.name}: {warning}" for warning in system.warnings]
        absent = int((codes.codes == MISSING).all(axis=0).sum())
        if absent:
            have = "item has" if absent == 1 else "items have"
            warnings.append(f"{system.name}: {absent:,} {have} no predicted label at all, and count as wrong")
    return warnings


def system_names(inputs: Sequence[tuple[str, Path | None]], given: Sequence[str]) -> list[str]:
    """What the systems are called: as given, else as their files. inputs: name and path of each.

    Raises OptionError for another number of names than of inputs, a name that stands twice, and one of a baseline.
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
    """What items show, and both explanations, for rows of outcomes."""
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


# --- published scores ---


def published_ranks(scores: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """The table of ranks by published scores (system, criterion, metric, value), and warnings.

    Figures that some system lacks rank nobody. A metric that is better when it is low counts the other way round.
    """
    kept = scores.filter((pl.col("criterion") != AVERAGE) & ~pl.col("system").str.starts_with(baselines.PREFIX))
    systems = kept["system"].unique(maintain_order=True).to_list()
    values = _published_values(kept)
    whole = {figure: own for figure, own in values.items() if len(own) == len(systems)}
    note = Note.PUBLISHED
    rows: list[Row] = []
    for name, overall in (ranking.published(whole, systems) if whole else {}).items():
        keys = {"system": name, "criterion": None, "ranked_metric": None}
        for metric, value in zip(("borda", "mean_rank"), overall, strict=True):
            rows.append(_row(keys, metric, Estimate(value, n=len(whole), note=note)))
    for (metric, criterion), own in whole.items():
        for name, ranks in ranking.observed_ranks(own).items():
            keys = {"system": name, "criterion": criterion, "ranked_metric": metric}
            for side, value in zip(("low", "high"), ranks, strict=True):
                rows.append(_row(keys, f"rank_{side}", Estimate(float(value), n=len(systems), note=note)))
    gaps = [f"{metric} of {criterion}" for metric, criterion in values if (metric, criterion) not in whole]
    warnings = [f"figures that some system lacks rank nobody: {', '.join(gaps)}"] if gaps else []
    if kept.height < scores.height:
        warnings.append(f"baselines and averages are not ranked: {scores.height - kept.height:,} scores left out")
    return typed_table(rows, ["system", "criterion", "ranked_metric", *FIGURE]), warnings


def _published_values(scores: pl.DataFrame) -> dict[ranking.Figure, dict[str, float]]:
    """Figure -> system -> value, so that higher is better."""
    found: dict[ranking.Figure, dict[str, float]] = {}
    for system, criterion, metric, value in scores.iter_rows():
        own = found.setdefault((metric, criterion), {})
        if value is not None:
            low = metric in EVALUATION.metrics and EVALUATION.metrics[metric].better == "low"
            own[system] = -value if low else value
    return found
