"""Which response do people prefer, on each criterion? A model's answer, in both orders, corrected by what is known.

Asked in both orders, a model gives several labels for an item and criterion. Without labelled items
the most frequent one counts. With them, the label y that maximises

    log P(y) + sum over the labels given of log P(given | y)

where both are learnt from the model's answers on labelled items (naive Bayes, with half a count for each cell more, and
the two orders counted alike). That is the most probable label.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from random import Random
from typing import Any

import numpy as np
import polars as pl

from adjudge.estimate import Estimate
from adjudge.llm.asking import Ask
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import AnyText, Choice, Fields
from adjudge.schemas.preferences import TEXTS, Task
from adjudge.statistics.proportions import clustered_proportion, proportion

MEANINGS = {
    "relevance": "does the response do what was asked, and only that?",
    "naturalness": "does the response read as a fluent native speaker would write it?",
    "truthfulness": "is what the response says true?",
    "safety": "is the response free of harm, offence and dangerous advice?",
    "overall_quality": "taken all together, which response would a user rather have?",
    "overall": "taken all together, which response would a user rather have?",
}
"""What criteria ask, where they are known ones."""

_TURNED = {"A": "B", "B": "A"}
SWAPPED = "(A and B are swapped here.)"
"""What stands before an explanation that calls response B response A."""

TOGETHER = 5
"""Criteria in a prompt."""
_HALF = 0.5
_DIGITS = 9
"""To which scores are compared: sums of the same terms in another order differ in the last ones."""


@dataclass(frozen=True, slots=True)
class Judge:
    """How items are judged.

    swap: whether each question is asked in both orders. together: criteria in a prompt. shots: labelled items that are
    shown as examples (frame of items with labels), if any.
    """

    task: Task
    template: Template
    swap: bool
    together: int = TOGETHER
    shots: pl.DataFrame | None = None

    def calls(self, items: pl.DataFrame) -> Iterator[Call]:
        """The calls on items (id, instruction, output_a, output_b)."""
        starts, orders = range(0, len(self.task.criteria), self.together), (False, True)[: 1 + self.swap]
        for row in items.select("id", *TEXTS).iter_rows():
            for start, turned in product(starts, orders):
                yield self._call(row, self.task.criteria[start : start + self.together], turned=turned)

    def _call(self, row: Sequence[str | None], criteria: Sequence[str], *, turned: bool) -> Call:
        identity, instruction, a, b = (text or "" for text in row)
        first, second = (b, a) if turned else (a, b)
        shots, answers = self._examples(criteria)
        judged = {"instruction": instruction, "response_a": first, "response_b": second, "shots": shots}
        meanings = [f"{name}: {MEANINGS.get(name, name)}" for name in criteria]
        given = {"criteria": meanings, "labels": [*self.task.labels], "answers": answers}
        about = {"id": identity, "turned": turned, "criteria": criteria}
        label = Fields({"explanation": AnyText(), "label": Choice(tuple(self.task.labels))}, "label")
        return Call(self.template, Fields(dict.fromkeys(criteria, label)), judged, given, about)

    def _examples(self, criteria: Sequence[str]) -> tuple[list[dict[str, str]], list[str]]:
        """The examples that have a label on one of the criteria, and what people said of each."""
        if self.shots is None:
            return [], []
        texts, answers = [], []
        for row in self.shots.iter_rows(named=True):
            labels = [f"{name}: {label}" for name in criteria if (label := row[f"{name}_preference"]) is not None]
            if labels:
                texts.append({name: row[name] or "" for name in TEXTS})
                answers.append("; ".join(labels))
        return texts, answers

    def votes(self, items: pl.DataFrame, ask: Ask) -> "Votes":
        """What the model says of items, in their own order."""
        votes = Votes()
        for call, reply in ask(partial(self.calls, items)):
            identity, turned = call.about["id"], call.about["turned"]
            if reply.status != Status.ANSWERED:
                for criterion in call.about["criteria"]:
                    votes.lost.setdefault((identity, criterion), reply)
                continue
            for criterion, answer in reply.value.items():
                label = _TURNED.get(answer["label"], answer["label"]) if turned else answer["label"]
                votes.given[identity, criterion].append((label, answer["explanation"] or "", turned))
        return votes


class Votes:
    """The labels that a model gave: by item and criterion, with explanation and order; without an answer none."""

    def __init__(self) -> None:
        self.given: dict[tuple[str, str], list[tuple[str, str, bool]]] = defaultdict(list)
        self.lost: dict[tuple[str, str], Reply] = {}

    def labels(self, item: str, criterion: str) -> list[str]:
        """The labels given to an item on a criterion."""
        return [label for label, _, _ in self.given.get((item, criterion), [])]

    def explanation(self, item: str, criterion: str, label: str) -> str | None:
        """Why it is the label, in the words of an answer that gave it, of the item's own order if there is one.

        An answer in the other order calls the item's response B response A, so its words come with a remark on that.
        """
        said = sorted((turned, text) for given, text, turned in self.given.get((item, criterion), []) if given == label)
        if not said:
            return None
        turned, text = said[0]
        return f"{SWAPPED} {text}" if turned else text

    def inconsistency(self) -> Estimate:
        """Position inconsistency: the share of answers, of an item on a criterion, that differ between the two orders.

        It is based on what was answered in both. Answers on the criteria of one item belong together, and its interval
        allows for that. Undefined where nothing was.
        """
        differ, both = Counter[str](), Counter[str]()
        for (item, _), given in self.given.items():
            labels = {turned: label for label, _, turned in given}
            if len(labels) > 1:
                both[item] += 1
                differ[item] += labels[False] != labels[True]
        if both.total() == len(both):
            return proportion(differ.total(), len(both))
        return clustered_proportion([*differ.values()], [*both.values()])


def plurality(labels: Sequence[str], given: Sequence[str]) -> str:
    """The most frequent of the labels given.

    Where A and B are level it is both_good (or the first label that is neither), else of several the one that prefers a
    response, or the first of the task. So items whose responses are swapped get the swapped labels.
    """
    counts = Counter(given)
    top = [label for label in labels if counts[label] == max(counts.values())]
    if set(top) >= set(_TURNED):
        return next((label for label in labels if label not in _TURNED), labels[0])
    return next((label for label in top if label in _TURNED), top[0])


class Corrected:
    """The label that is most probable for the labels given, as labelled items teach.

    Of several that are equally probable the more common one. Where nothing was learnt of a criterion, as without
    labelled items or where the model answered on none, it is the most frequent label.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.prior: dict[str, np.ndarray] = {}
        self.given: dict[str, np.ndarray] = {}

    def fit(self, votes: Votes, gold: pl.DataFrame) -> "Corrected":
        """Learn from the model's answers on labelled items."""
        place = {label: number for number, label in enumerate(self.task.labels)}
        turned = [place[_TURNED.get(label, label)] for label in self.task.labels]
        for criterion in self.task.criteria:
            prior, given = np.full(len(place), _HALF), np.full((len(place), len(place)), _HALF)
            learnt = 0
            for item, label in gold.select("id", f"{criterion}_preference").drop_nulls().iter_rows():
                prior[place[label]] += 1
                for said in votes.labels(item, criterion):
                    given[place[label], place[said]] += 1
                    learnt += 1
            if not learnt:
                continue
            given += given[np.ix_(turned, turned)]
            self.prior[criterion] = np.log(prior / prior.sum())
            self.given[criterion] = np.log(given / given.sum(axis=1, keepdims=True))
        return self

    def label(self, criterion: str, given: Sequence[str]) -> str:
        """The label for the labels given."""
        if criterion not in self.given:
            return plurality(self.task.labels, given)
        said = [self.task.labels.index(label) for label in given]
        prior = self.prior[criterion]
        score = self.given[criterion][:, said].sum(axis=1) + prior
        level = np.flatnonzero(score.round(_DIGITS) == score.round(_DIGITS).max())
        return self.task.labels[int(level[prior[level].argmax()])]


def predictions(items: pl.DataFrame, votes: Votes, task: Task, rule: Corrected) -> pl.DataFrame:
    """id, and the label and explanation on each criterion; null where nothing was answered.

    Where any is null, there are also the outcome and the reason on each criterion.
    """
    rows = []
    for item in items["id"]:
        row: dict[str, str | None] = {"id": item}
        outcomes: dict[str, str | None] = {}
        for name in task.criteria:
            given = votes.labels(item, name)
            label = rule.label(name, given) if given else None
            explanation = votes.explanation(item, name, label) if label else None
            if label and not explanation:
                explanation = f"The model said {', '.join(dict.fromkeys(given))}; this counts as {label}."
            row |= {f"{name}_preference": label, f"{name}_explanation": explanation}
            lost = None if given else votes.lost.get((item, name))
            status = (lost.status if lost else Status.ANSWERED).value
            outcomes |= {f"{name}_outcome": status, f"{name}_reason": lost.reason if lost else None}
        rows.append(row | outcomes)
    labels = [f"{name}_{part}" for name in task.criteria for part in ("preference", "explanation")]
    reasons = [f"{name}_{part}" for name in task.criteria for part in ("outcome", "reason")]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["id", *labels, *reasons], pl.String))
    has_lost = any(frame[name].null_count() for name in labels[::2])
    return frame if has_lost else frame.select("id", *labels)


def without_judged(labelled: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Labelled items without those to be judged, which have the same id or the same texts, in either order."""
    others = labelled.filter(~pl.col("id").is_in(items["id"].to_list()))
    known = items.select(TEXTS).drop_nulls(TEXTS[1:])
    swapped = known.select("instruction", output_a="output_b", output_b="output_a")
    return others.join(pl.concat([known, swapped]), on=TEXTS, how="anti", nulls_equal=True)


def balanced(gold: pl.DataFrame, task: Task, count: int, seed: int) -> pl.DataFrame:
    """Labelled items to show as examples, as evenly over the labels of all criteria as they can be.

    They have a label on each criterion, except those on which no item has one. Greedy: each next item is the one whose
    labels were shown least so far.
    """
    labels = [f"{name}_preference" for name in task.criteria]
    known = [name for name in labels if gold[name].count()]
    rows = gold.drop_nulls(known).to_dicts() if known else []
    Random(seed).shuffle(rows)  # noqa: S311 - no secret
    shown: Counter[tuple[str, str]] = Counter()
    chosen: list[dict[str, Any]] = []
    for _ in range(min(count, len(rows))):
        best = min(rows, key=lambda row: sum(shown[name, row[f"{name}_preference"]] for name in task.criteria))
        rows.remove(best)
        chosen.append(best)
        shown.update((name, best[f"{name}_preference"]) for name in task.criteria)
    return pl.DataFrame(chosen, schema=gold.schema)
