"""From gold and predictions to the tables of the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.evaluations.preferences import baselines
from karat.evaluations.preferences.counts import Group, System, part
from karat.evaluations.preferences.outcomes import outcomes
from karat.figures.cells import Floats
from karat.formats.source import REMOTE
from karat.report import cut
from karat.schemas.preferences import MISSING, WHY, Judged, Task

_SHOWN = ("instruction", "output_a", "output_b")


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


def texts_of(data: Scored, rows: pl.DataFrame) -> list[dict[str, str]]:
    """What an item shows, and both explanations, for rows of outcomes."""
    frame = data.gold.frame
    ids = frame.select("id").with_row_index("place").filter(pl.col("id").is_in(rows["item"].unique().to_list()))
    place_of = dict(ids.select("id", "place").iter_rows())
    systems = {system.name: system.frame for system in data.systems}
    found = []
    for row in rows.select("item", "judge", "part").to_dicts():
        place, why = place_of[row["item"]], WHY + row["part"]
        texts = {name: frame[name][place] for name in _SHOWN} | {"gold explanation": frame[why][place]}
        if why in systems[row["judge"]].columns:
            texts["system's explanation"] = systems[row["judge"]][why][place]
        found.append({name: cut(text) for name, text in texts.items() if text})
    return found
