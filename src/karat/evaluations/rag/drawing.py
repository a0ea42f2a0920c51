"""Which documents a prompt gets, drawn as the benchmark's code does it, or with counterbalanced positions."""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import chain, zip_longest
from math import ceil

from karat.schemas.answers import Question

BENCHMARK_SEED = 2333
"""What the benchmark seeds Python's `random` with, anew for every item."""


@dataclass(frozen=True, slots=True)
class Document:
    """A passage of a prompt. kind: positive, negative or wrong. place: in its list in the file, from 0.

    group: which list of positives it is from, from 0; None where there are no groups.
    """

    text: str
    kind: str
    place: int
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question with its documents, in order.

    noise: the ratio asked for; None where no passages were. draw: from 1. met: whether there are as many passages, and
    as many negatives and true ones among them, as asked for. correct: the share of true ones asked for beside lies.
    """

    question: Question
    ability: str
    noise: float | None
    draw: int
    documents: tuple[Document, ...]
    met: bool = True
    correct: float = 0.0

    @property
    def reached_noise(self) -> float | None:
        """The share of negatives among the documents, in [0, 1]; None without documents."""
        return self._share("negative")

    @property
    def reached_correct(self) -> float | None:
        """The share of documents that hold the answer; None without documents."""
        return self._share("positive")

    def _share(self, kind: str) -> float | None:
        count = sum(document.kind == kind for document in self.documents)
        return count / len(self.documents) if self.documents else None

    @property
    def counterfactual(self) -> tuple[str, ...] | None:
        """The false answer in this prompt's documents; None without false documents, or if it is unknown."""
        lies = any(document.kind == "wrong" for document in self.documents)
        return self.question.false or None if lies else None


def negatives_of(passages: int, noise: float) -> int:
    """ceil(passages x noise), of the number that noise is written as: a short fraction if that is the same float.

    >>> negatives_of(5, 0.2), negatives_of(25, 0.28), negatives_of(6, 5 / 6), negatives_of(5, 0.5)
    (1, 7, 5, 3)

    In floats 25 x 0.28 is a little more than 7, and 5 / 6 a little more than five sixths.
    """
    written = Fraction(repr(float(noise)))
    short = written.limit_denominator()
    return ceil(passages * (short if float(short) == noise else written))


def _documents(texts: Sequence[str], kind: str, group: int | None = None) -> list[Document]:
    return [Document(text, kind, place, group) for place, text in enumerate(texts)]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The settings for all questions of one noise ratio and draw."""

    ability: str
    noise: float
    draw: int
    passages: int
    seed: int
    correct: float = 0.0

    @property
    def negatives(self) -> int:
        """The number of documents wanted that do not hold the answer."""
        return negatives_of(self.passages, self.noise)

    @property
    def truths(self) -> int:
        """The number of true documents in a prompt with false ones."""
        return negatives_of(self.passages, self.correct)

    @property
    def grouped(self) -> bool:
        """Whether each group of good documents must give one."""
        return self.ability == "information_integration"

    def good(self, question: Question) -> list[list[Document]]:
        """The groups of documents that are good for this ability; rejection is tested with none."""
        if self.ability == "negative_rejection":
            return []
        if self.ability == "counterfactual_robustness":
            return [_documents(question.wrong, "wrong")]
        groups = enumerate(question.groups)
        return [_documents(group, "positive", place if self.grouped else None) for place, group in groups]

    def prompt(self, question: Question, documents: Sequence[Document]) -> Prompt:
        """The prompt that these documents make."""
        negatives, truths = (sum(document.kind == kind for document in documents) for kind in ("negative", "positive"))
        met = len(documents) == self.passages and negatives == self.negatives
        met = met and (not self.correct or truths == self.truths)
        return Prompt(question, self.ability, self.noise, self.draw, tuple(documents), met, self.correct)

    def lying(
        self, question: Question, lies: Sequence[Document], generator: random.Random, kept: int = 0
    ) -> list[Document]:
        """Some false documents and the requested true ones, none of which is the original of a drawn false one.

        kept: how many lies are not taken, so that the true ones that they were made from can be.
        """
        drawn = generator.sample(lies, min(len(lies) - kept, self.passages - self.negatives - self.truths))
        taken = {lie.place for lie in drawn}
        left = [one for one in _documents(question.positive, "positive") if one.place not in taken]
        return [*drawn, *generator.sample(left, min(len(left), self.truths))]

    def taken(self, good: Sequence[Document], negative: Sequence[Document]) -> tuple[list[Document], list[Document]]:
        """The first of the good ones and of the negatives; where one list is too short, the other fills up."""
        wanted = min(self.negatives, len(negative))
        positives = 0 if self.noise == 1 else min(self.passages - wanted, len(good))
        return [*good[:positives]], [*negative[: self.passages - positives]]

    def of_groups(
        self, groups: Sequence[list[Document]], negative: Sequence[Document], generator: random.Random
    ) -> tuple[list[Document], list[Document]]:
        """One of each group, then in turn up to the wanted number; and the first negatives, which fill up."""
        for group in groups:
            generator.shuffle(group)
        turns = [[one for one in turn if one is not None] for turn in zip_longest(*groups)]
        least = len(turns[0]) if turns else 0
        good = [*chain(*turns)][: max(self.passages - self.negatives, least)]
        return good, [*negative[: max(self.passages - len(good), 0)]]

    # --- as the benchmark does it ---

    def original(self, questions: Sequence[Question]) -> list[Prompt]:
        """A prompt for each question, each drawn alone."""
        return [self.prompt(question, self._original(question)) for question in questions]

    def _original(self, question: Question) -> list[Document]:
        generator = random.Random(BENCHMARK_SEED)  # noqa: S311 - the benchmark's own numbers
        groups, negatives = self.good(question), _documents(question.negative, "negative")
        if self.grouped:
            good, rest = self.of_groups(groups, negatives, generator)
        elif self.ability == "counterfactual_robustness":
            good = self.lying(question, groups[0][: len(question.positive)], generator)
            rest = negatives[: self.negatives]
        else:
            good, rest = self.taken([*chain(*groups)], negatives)
        documents = [*good, *rest]
        generator.shuffle(documents)
        return documents

    # --- counterbalanced ---

    def balanced(self, questions: Sequence[Question]) -> list[Prompt]:
        """A prompt for each question, positions counterbalanced over all of them."""
        chosen = {question.id: self._chosen(question) for question in questions}
        by_size: dict[tuple[int, int], list[str]] = defaultdict(list)
        for name, (good, negative) in sorted(chosen.items()):
            by_size[len(good), len(negative)].append(name)
        placed: dict[str, list[Document]] = {}
        for (goods, rest), names in by_size.items():
            hands = _dealt(goods + rest, goods, len(names), self._generator("positions", goods, rest))
            for name, hand in zip(names, hands, strict=True):
                ones, others = (iter(documents) for documents in chosen[name])
                placed[name] = [next(ones if place in hand else others) for place in range(goods + rest)]
        return [self.prompt(one, placed[one.id]) for one in questions]

    def _generator(self, *about: object) -> random.Random:
        """Random numbers that depend on the seed, the noise, the draw, and on what they are for."""
        text = json.dumps([self.seed, float(self.noise), self.draw, *about])
        return random.Random(int.from_bytes(sha256(text.encode()).digest()))  # noqa: S311 - no secret

    def _chosen(self, question: Question) -> tuple[list[Document], list[Document]]:
        """The good documents and the negatives, each in random order."""
        generator = self._generator("documents", question.id)
        negatives = generator.sample(_documents(question.negative, "negative"), len(question.negative))
        groups = self.good(question)
        if self.grouped:
            good, rest = self.of_groups(generator.sample(groups, len(groups)), negatives, generator)
            generator.shuffle(good)
            return good, rest
        if self.correct:
            pairs = min(len(groups[0]), len(question.positive))
            groups = [self.lying(question, groups[0], generator, kept=min(self.truths, pairs // 2))]
        good, rest = self.taken([*chain(*groups)], negatives)
        return generator.sample([*chain(*groups)], len(good)), rest


def _dealt(size: int, good: int, hands: int, generator: random.Random) -> list[set[int]]:
    """For each of `hands` prompts, `good` of its positions 0 ... size - 1, dealt from shuffled decks one after another.

    Each position is dealt equally often, give or take one. A hand that needs two decks has no position twice: those it
    has from the first go to the end of the second.
    """
    deck: list[int] = []
    dealt = []
    for _ in range(hands):
        hand = deck[:good]
        deck = deck[good:]
        if len(hand) < good:
            rest = generator.sample([place for place in range(size) if place not in hand], size - len(hand))
            missing = good - len(hand)
            deck = [*rest[missing:], *generator.sample(hand, len(hand))]
            hand += rest[:missing]
        dealt.append(set(hand))
    return dealt
