"""Matches and counts of every checker, and the notes and warnings of the report."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from karat.errors import OptionError
from karat.evaluations.violations.figures import MOST_VALUES
from karat.evaluations.violations.matching import Pairs, Similarity, matches
from karat.evaluations.violations.rules import ALONE, Rule, without
from karat.evaluations.violations.spans import NOTHING, Integers, Spans, Words, as_arrays
from karat.evaluations.violations.tallies import OVERLAP, Tally, tallies
from karat.schemas.clusters import named_cluster
from karat.schemas.violations import ID, TEXT_PARTS, Marked

CLUSTER = "cluster"


@dataclass(frozen=True, eq=False)
class Group:
    """Texts to give figures for. keys: of the `by` columns. texts: their places. clusters: of each, from 0, or None."""

    keys: dict[str, str | None]
    texts: Integers
    clusters: Integers | None
    count: int


@dataclass(frozen=True, eq=False)
class Checked:
    """What one checker marks, beside the truth. matches: variant -> pairs. tallies: (variant, kind) -> per text."""

    name: str
    spans: Spans
    matches: dict[str, Pairs]
    tallies: dict[tuple[str, str], Tally]


@dataclass(frozen=True, eq=False)
class Scored:
    """All that tables are made of.

    rules: variant -> the rule as it was applied. absent: parts with a weight that no violation has. words: the
    texts behind numbers.
    """

    marked: Marked
    truth: Spans
    checkers: tuple[Checked, ...]
    words: Words
    rules: dict[str, Rule]
    absent: tuple[str, ...]
    groups: tuple[Group, ...]
    by: tuple[str, ...]
    split: str | None
    confidence: float
    clustered: bool

    def keys(self, checker: Checked, group: Group | None = None, **more: str | None) -> dict[str, str | None]:
        """The keys of a row."""
        return {**(group.keys if group else {}), "checker": checker.name, "split": self.split, **more}


def scored(
    truth: Marked,
    predicted: Sequence[Marked],
    rules: Mapping[str, Rule],
    similarities: Mapping[str, Callable[[pl.Series], Similarity]],
    *,
    by: Sequence[str],
    cluster: str | None,
    split: str | None,
    confidence: float,
) -> Scored:
    """Matches and counts of every checker. similarities: part -> what makes a similarity of its texts."""
    (ours, *theirs), words = as_arrays([truth.spans, *(one.spans for one in predicted)])
    effective = {name: without(rule, words.absent) for name, rule in rules.items()}
    alike = {
        part: similarities[part](words.texts[part])
        for part in TEXT_PARTS
        if any(part in rule.parts or (part == "rule" and rule.rule >= 0) for rule in effective.values())
        if part in similarities
    }
    checkers = []
    for one, spans in zip(predicted, theirs, strict=True):
        found = matches(spans, ours, {**effective, OVERLAP: ALONE}, alike)
        checkers.append(Checked(one.name, spans, found, tallies(spans, ours, found, truth.texts.height)))
    return Scored(
        truth,
        ours,
        tuple(checkers),
        words,
        effective,
        tuple(part for part in words.absent if any(part in rule.parts for rule in rules.values())),
        tuple(_groups(truth.texts, by, cluster)),
        tuple(by),
        split,
        confidence,
        cluster is not None,
    )


def _groups(texts: pl.DataFrame, by: Sequence[str], cluster: str | None) -> Iterator[Group]:
    """All texts, or those with the same values of the `by` columns; in the order of ids, so that sums are the same."""
    rows = texts.select(*by, *([CLUSTER] if cluster else []), ID).with_row_index("__row__")
    if cluster:
        own = named_cluster(pl.col(CLUSTER), pl.col(ID))
        rows = rows.with_columns(own.rank("dense").alias(CLUSTER))
    parts = [({}, rows)] if not by else [(_keys(by, values), part) for values, part in rows.group_by(by)]
    order = sorted(parts, key=lambda one: [(value is not None, value or "") for value in one[0].values()])
    for keys, rows_of in order:
        part = rows_of.sort(ID)
        places = part["__row__"].to_numpy().astype(np.int64)
        if not cluster:
            yield Group(keys, places, None, len(places))
            continue
        names, clusters = np.unique(part[CLUSTER].to_numpy(), return_inverse=True)
        yield Group(keys, places, clusters, len(names))


def _keys(by: Sequence[str], values: Sequence[object]) -> dict[str, str | None]:
    return {name: None if value is None else str(value) for name, value in zip(by, values, strict=True)}


# --- what is said beside the tables ---


def counts_of(data: Scored) -> dict[str, int]:
    """Counts for the head of the report."""
    found = {
        "text": data.marked.texts.height,
        "true violation": len(data.truth),
        "checker": len(data.checkers),
        "predicted violation": sum(len(one.spans) for one in data.checkers),
    }
    if data.clustered:
        found["cluster"] = sum(group.count for group in data.groups)
    return {name if count == 1 else f"{name}s": count for name, count in found.items()}


def notes_of(data: Scored) -> tuple[str, ...]:
    """How figures were made, for the foot of the report."""
    notes = [f"{name}: {_formula(rule)}." for name, rule in data.rules.items()]
    unit = "the clusters that texts come in" if data.clustered else "text"
    return (*notes, f"Intervals are clustered by {unit}.")


def _formula(rule: Rule) -> str:
    score = " + ".join(f"{rule.weights[part]:.3g} {part}" for part in rule.parts)
    limits = f"score > {rule.score:g}, overlap > {rule.overlap:g}"
    return f"score = {score}; a match needs {limits}" + (f", rule > {rule.rule:g}" if rule.rule >= 0 else "")


def warnings_of(data: Scored) -> list[str]:
    """Warnings about the data."""
    warnings = [*data.marked.warnings]
    if data.absent:
        gone = ", and the threshold of rules is left out" if "rule" in data.absent else ""
        weight = "weight is" if len(data.absent) == 1 else "weights are"
        warnings.append(
            f"no violation has a {' or '.join(data.absent)}: the {weight} shared out among the other parts{gone}"
        )
    for part in TEXT_PARTS:
        names = [one.name for one in data.checkers if (one.spans.parts[part] != NOTHING).any()]
        lone = names and len(names) < len(data.checkers) and not (data.truth.parts[part] != NOTHING).any()
        if lone and any(part in rule.parts for rule in data.rules.values()):
            warnings.append(
                f"only {', '.join(names)} and not the truth: {part}. It weighs in every score, so that figures of the "
                "other checkers are lower than alone"
            )
    for part in ("category", "rule"):
        more = len(data.words.texts[part]) - MOST_VALUES
        if more > 0:
            warnings.append(
                f"by_{part} holds the {MOST_VALUES:,} most frequent; {more:,} more have no row of their own"
            )
    return warnings


def checker_names(names: Sequence[str]) -> None:
    """Raises OptionError where two checkers have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise OptionError(f'two checkers are called "{twice[0]:.60}"; name each of them with checker (--checker)')
