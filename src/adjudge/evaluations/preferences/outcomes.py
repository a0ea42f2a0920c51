"""The outcome of each prediction: a row per item, system and criterion, and one more per score of its explanation.

| outcome | value | when |
|---|---|---|
| correct, incorrect | 1, 0 | the system's label is the gold label, or another |
| missing | 0 | the system gives no label |
| unjudged | | people gave no label |
| rouge_l, bertscore, judge | the score | of the explanation, where there is one |

Metrics rest on labels as arrays: the same cells that outcomes would give, without a table of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from adjudge.errors import DataError, OptionError
from adjudge.evaluations.preferences.metrics import LABEL
from adjudge.metrics.cells import Floats, Integers
from adjudge.metrics.difference import ItemParts
from adjudge.schemas.outcomes import OUTCOMES, REPLY, outcomes_frame
from adjudge.schemas.preferences import MISSING, JudgedItems, Task
from adjudge.spec import BASELINE_PREFIX

Codes = NDArray[np.uint8]
"""Criteria x items, codes of labels; 0 is missing."""


def codes_of(frame: pl.DataFrame, task: Task) -> Codes:
    """The labels of judged items."""
    return np.stack([frame[column].to_numpy() for column in task.label_columns])


_OUTCOMES = ("correct", "incorrect", "missing", "unjudged")


@dataclass(frozen=True, eq=False)
class ItemGroup:
    """Items to give metrics for: all, or those with the same values of the `by` columns.

    keys: the values of the key columns. task: criteria and labels. gold: human labels. names: of the systems and,
    behind them, of baselines. labels: what each of these says, names x criteria x items. scores: of the systems'
    explanations, metric -> systems x criteria x items, NaN where an item has none. clusters: an index per item, or None
    where items are independent. system_count: how many systems there are. replies: of each system, what became of the
    questions to a model, a column per criterion.
    """

    keys: Mapping[str, str | None]
    task: Task
    gold: Codes
    names: tuple[str, ...]
    labels: Codes
    scores: Mapping[str, Floats]
    clusters: Integers | None
    confidence: float
    system_count: int
    replies: tuple[pl.DataFrame, ...] = ()

    @property
    def systems(self) -> range:
        """The places of systems among the names."""
        return range(self.system_count)

    @property
    def baselines(self) -> range:
        """The places of baselines among the names."""
        return range(self.system_count, len(self.names))

    @property
    def unit_count(self) -> int:
        """The number of sampling units: items, or clusters of them."""
        return self.gold.shape[1] if self.clusters is None else int(self.clusters.max(initial=-1)) + 1

    @cached_property
    def states(self) -> pl.DataFrame:
        """The states of every gold label with every predicted one, missing first."""
        words, size = pl.Series([None, *self.task.labels], dtype=pl.String), 1 + len(self.task.labels)
        gold, codes = np.divmod(np.arange(size * size), size)
        kinds = np.select([gold == MISSING, codes == MISSING, gold == codes], [3, 2, 0], default=1)
        return pl.DataFrame(
            {
                "outcome": pl.Series(_OUTCOMES).gather(kinds),
                "label": words.gather(codes),
                "reference_label": words.gather(gold),
                "score": pl.Series([None] * len(kinds), dtype=pl.Float64),
            }
        )

    def parts(self, kind: str, *places: int) -> ItemParts:
        """The counts of one system or baseline on all criteria, by kind of rows; with two places, of their pairs."""
        if kind == LABEL:
            size = 1 + len(self.task.labels)
            coded = self.gold.astype(np.min_scalar_type(size * size)) * size
            runs = [[*(coded + self.labels[place])] for place in places]
            return ItemParts(self.task.criteria, [self.states] * len(coded), runs, self.clusters)
        scores = np.concatenate([self.scores[kind][place] for place in places], axis=1)
        distinct = [np.unique(values, return_inverse=True) for values in scores]
        states = [pl.DataFrame({"score": pl.Series(values, nan_to_null=True)}) for values, _ in distinct]
        split = (np.split(found, len(places)) for _, found in distinct)
        return ItemParts(self.task.criteria, states, [*zip(*split, strict=True)], self.clusters)

    def subset(self, items: Integers, keys: Mapping[str, str | None]) -> "ItemGroup":
        """Some of the items as a group of their own."""
        return replace(
            self,
            keys=keys,
            gold=self.gold[:, items],
            labels=self.labels[..., items],
            scores={metric: values[..., items] for metric, values in self.scores.items()},
            clusters=None if self.clusters is None else np.unique(self.clusters[items], return_inverse=True)[1],
            replies=tuple(one[items] for one in self.replies),
        )


_OURS, _THEIRS, _SCORE = "__ours__", "__theirs__", "__score__"


def outcomes(gold: pl.DataFrame, group: ItemGroup, keys: Sequence[str]) -> pl.LazyFrame:
    """The outcomes of a group's systems, of each system and criterion those of labels, then of each kind of scores.

    gold: id, cluster (may be null) and key columns of its items.
    """
    state = pl.col(_OURS).cast(pl.UInt32) * (1 + len(group.task.labels)) + pl.col(_THEIRS)
    right = pl.when(pl.col("outcome") != "unjudged").then((pl.col("outcome") == "correct").cast(pl.Float64))
    words = group.states.select("label", "reference_label", "outcome", right.alias("value"))
    words = words.cast({name: OUTCOMES[name] for name in words.columns})
    label_columns, nothing = {word.name: pl.lit(word).gather(state) for word in words}, pl.lit(None, pl.String)
    frames = []
    for system, criterion in product(group.systems, range(len(group.task.criteria))):
        about = {
            "item": pl.col("id"),
            "cluster": pl.col("cluster"),
            "judge": pl.lit(group.names[system]),
            "reference": pl.lit("gold"),
            "part": pl.lit(group.task.criteria[criterion]),
        }
        reply = group.replies[system].to_series(criterion).cast(pl.String) if group.replies else nothing
        labels = pl.Series(_OURS, group.gold[criterion]), pl.Series(_THEIRS, group.labels[system, criterion])
        frame = gold.with_columns(*labels, reply.alias(REPLY))
        frames.append(outcomes_frame({**about, **label_columns}, frame.lazy(), [*keys, REPLY]))
        for metric, values in group.scores.items():
            score = {**about, "outcome": pl.lit(metric), "value": pl.col(_SCORE)}
            scores = pl.Series(_SCORE, values[system, criterion], nan_to_null=True)
            scored = frame.with_columns(scores, nothing.alias(REPLY)).lazy().filter(pl.col(_SCORE).is_not_null())
            frames.append(outcomes_frame(score, scored, [*keys, REPLY]))
    return pl.concat(frames)


MAJORITY, LONGER = "majority", "longer"


def baselines(gold: Codes, items: pl.DataFrame, task: Task) -> tuple[list[str], list[Codes]]:
    """The names of baselines, which need no system, and their labels.

    majority: the most frequent gold label of each criterion, the first of several; an oracle, since it has seen the
    gold. The first label throughout (`baseline:a` of the usual ones). longer: the label of the longer response, where
    there are texts and two labels are called A and B; both_good (else A) where both are equally long.
    """
    names = [BASELINE_PREFIX + MAJORITY, BASELINE_PREFIX + task.labels[0].lower()]
    codes = [majority_labels(gold, len(task.labels)), np.ones_like(gold)]
    longest = longer_labels(items, task)
    if longest is None:
        return names, codes
    return [*names, BASELINE_PREFIX + LONGER], [*codes, np.broadcast_to(longest, gold.shape)]


def majority_labels(gold: Codes, labels: int) -> Codes:
    """The most frequent label of each criterion for every item."""
    counts = np.stack([np.bincount(row[row != MISSING], minlength=labels + 1)[1:] for row in gold])
    most = (1 + counts.argmax(axis=1)).astype(np.uint8)
    return np.repeat(most[:, None], gold.shape[1], axis=1)


def longer_labels(items: pl.DataFrame, task: Task) -> Codes | None:
    """The code of the longer response of each item; None where the labels do not tell, or a side has no text at all."""
    texts = items.select("output_a", "output_b")
    if not {"A", "B"} <= set(task.labels) or items.height in texts.null_count().row(0):
        return None
    a, b = task.code("A") or 0, task.code("B") or 0
    tie = task.code("both_good") or a
    lengths = items.select(pl.col("output_a", "output_b").str.len_chars().fill_null(0)).to_numpy()
    codes: Codes = np.select([lengths[:, 0] > lengths[:, 1], lengths[:, 1] > lengths[:, 0]], [a, b], tie)
    return codes.astype(np.uint8)


def constant_labels(items: pl.DataFrame, gold: JudgedItems | None, task: Task) -> pl.DataFrame:
    """The most frequent label of gold, or without gold the label of the longer response, for each item.

    Returns them as a submission. Raises DataError where there is neither gold nor a text, OptionError where the labels
    do not tell which response is longer.
    """
    if gold is not None:
        codes = np.repeat(majority_labels(codes_of(gold.frame, task), len(task.labels))[:, :1], items.height, axis=1)
    elif (longest := longer_labels(items, task)) is not None:
        codes = np.broadcast_to(longest, (len(task.criteria), items.height))
    elif task.code("A") is None or task.code("B") is None:
        raise OptionError("longer needs labels called A and B", option="predictor", found=", ".join(task.labels))
    else:
        raise DataError("longer needs the texts output_a and output_b; one of the two is there for no item")
    words = np.array(task.labels)
    columns = {f"{name}_preference": words[own.astype(int) - 1] for name, own in zip(task.criteria, codes, strict=True)}
    return pl.DataFrame({"id": items["id"], **columns})
