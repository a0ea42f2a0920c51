"""From labels of people and judges to the tables of their card."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from karat.evaluations import judged_files, judging
from karat.evaluations.card import outcomes
from karat.evaluations.card import reading as labels
from karat.evaluations.card.about import EVALUATION
from karat.evaluations.card.reading import Read
from karat.evaluations.card.section import Made
from karat.evaluations.card.sections import SECTIONS
from karat.evaluations.card.sides import check_responses
from karat.evaluations.scoring import FIRST_ITEMS, Inputs, Options, Row, Scored, Step, Texts, examples_of, sampled
from karat.figures.parts import HERE, Workers
from karat.formats import judgments as reader

TAKEN = outcomes.TAKEN
ITEM = None


def check(_: Mapping[str, Any], options: Options) -> None:
    """Raises OptionError for options that contradict one another."""
    judging.check(options)
    labels.reading(options)
    check_responses(options)


def reading(options: Options) -> reader.Options:
    """How labels are read."""
    return labels.reading(options)


def read(inputs: Inputs, options: Options, workers: Workers = HERE) -> Read:
    """The labels of all inputs."""
    return labels.read_labels(inputs["data"], options, judged_files.on(workers))


def shown(read: Read, count: int) -> pl.DataFrame:
    """The first labels."""
    return outcomes.shown(read, count)


def texts(read: Read, rows: Sequence[Row]) -> list[Texts]:
    """The texts of items in the inputs, and how often people gave each label."""
    found = judging.texts(read.held, rows)
    if any(outcomes.LABELS_OF_PEOPLE in texts for texts in found):  # a column of that name is the file's own
        return found
    people = outcomes.labels_of_people(read, {row["item"] for row in rows})
    return [texts | people.get(row["item"], {}) for texts, row in zip(found, rows, strict=True)]


def score(read: Read, _: Inputs, options: Options, step: Step, __: Workers = HERE) -> Scored:
    """All sections."""
    by = options["by"]
    with step("counting"):
        outcome = outcomes.outcomes(read, by).collect()
        made = [one.made_of(read, options) for one in SECTIONS]
    numbers = {
        "labels": read.labels.height,
        "items": read.labels["item"].n_unique(),
        "people": len(read.people),
        "judges": len(read.judges),
    }
    lazy = outcome.lazy()
    return Scored(
        inputs=read.held.inputs,
        tables=_tables(made, [*by, "judge"]),
        outcomes=lazy,
        first=lazy.head(FIRST_ITEMS),
        rows=outcome.height,
        examples=examples_of(
            sampled(lazy, outcome.height, options["seed"]),
            EVALUATION,
            partial(texts, read),
            every=lambda items: lazy.filter(pl.col("item").is_in(items)),
        ),
        counts=numbers | {f"dropped for {column}": dropped for column, dropped in read.held.dropped.items()},
        warnings=read.warnings,
        notes=(
            *([judging.clustered_by(judging.clusters_in(read.labels), options["cluster"])] if read.clustered else []),
            *judging.of_scale(read.labels["label"], options),
            *(note for one in made for note in one.notes),
        ),
    )


def _tables(made: Sequence[Made], keys: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The tables of all sections; of those with the same name one, in which the rows of a judge stand together."""
    found: dict[str, list[pl.DataFrame]] = {}
    for one in made:
        for name, table in one.tables.items():
            found.setdefault(name, []).append(table)
    return {
        name: pl.concat(parts).sort(keys, maintain_order=True) if len(parts) > 1 else parts[0]
        for name, parts in found.items()
    }
