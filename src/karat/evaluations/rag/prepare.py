"""Which documents stand in a prompt, and in which order.

Of k passages ceil(k x noise) are negative: they do not hold the answer. All others are called good here, though those
of the counterfactual ability lie. Where a list is too short, the other fills up; a prompt then has another noise ratio,
or where both are too short fewer passages: `Prompt.met` says whether it is as asked for, `reached_noise` what it is.
"""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import chain, zip_longest
from math import ceil

from karat.errors import DataError, OptionError
from karat.schemas.answers import Kind, Question, Questions

BENCHMARK_SEED = 2333
"""What the benchmark seeds Python's `random` with, anew for every item."""

KINDS: dict[str, tuple[Kind, ...]] = {
    "noise_robustness": ("base", "fact"),
    "negative_rejection": ("base", "int", "fact"),
    "information_integration": ("int",),
    "counterfactual_robustness": ("fact",),
}
"""Which kinds of questions an ability can be tested with: one group of documents that each hold the answer; any
negatives; groups that hold a piece each; documents that lie."""

_NEEDED = {
    "noise_robustness": "documents that hold the whole answer, as en.json has them (or the true ones of en_fact.json)",
    "information_integration": "groups of documents that hold a piece of the answer each, as en_int.json has them",
    "counterfactual_robustness": "documents that lie (positive_wrong), as en_fact.json has them",
}
DOCUMENTS: dict[Kind, str] = {
    "base": "documents that each hold the answer",
    "int": "groups of documents",
    "fact": "documents that lie",
}
"""What questions of a kind come with."""


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
    as many negatives among them, as asked for.
    """

    question: Question
    ability: str
    noise: float | None
    draw: int
    documents: tuple[Document, ...]
    met: bool = True

    @property
    def reached_noise(self) -> float | None:
        """The share of negatives among the documents, in [0, 1]; None without documents."""
        negatives = sum(document.kind == "negative" for document in self.documents)
        return negatives / len(self.documents) if self.documents else None

    @property
    def counterfactual(self) -> tuple[str, ...] | None:
        """What documents of this prompt say that lie; None where none does, or nobody says what it says."""
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


def prepare(
    questions: Questions,
    ability: str,
    noises: Sequence[float],
    *,
    passages: int = 5,
    seed: int = 0,
    sampling: str = "balanced",
    draws: int = 1,
) -> list[Prompt]:
    """A prompt per noise ratio, draw and question, in this order; questions as in their file.

    ability: one of ABILITIES, for which the questions must be of the right kind (KINDS). noises: each in [0, 1], and
    once; 1 for negative_rejection. passages: how many documents a prompt has; with 0 it has none (closed book), and
    noises are not used: there is one prompt per draw and question.

    sampling "original": as the benchmark's code has it, with Python's `random` seeded with 2333 for every item. Base
    questions give the first documents of each list. Groups are shuffled, then give one each, even where fewer good
    ones are wanted; then in turn up to their number; the first negatives fill up. Lying documents are drawn with
    `random.sample`, and followed by the first negatives. All are shuffled at the end. Departures, where that code
    fails: a group without documents gives none, and lying documents are drawn from the places that also have a true
    one. seed has no effect.

    sampling "balanced": documents are drawn without replacement, as a hash of seed, id, noise and draw has it, so that
    the order of the file does not matter. Of groups each gives one, and then in turn. Positions of good documents are
    counterbalanced: questions with as many good ones among as many documents are put in the order of their ids, and
    each takes its positions from a shuffled deck of all of them; a new deck is shuffled when one is used up. So each
    position holds a good document equally often, give or take one, whatever the questions are.

    At noise 1 there are only negatives, except that "original" and "balanced" alike take one document of each group
    for information_integration.

    Raises OptionError for options that do not suit each other, and for questions of the wrong kind; DataError for ids
    that occur twice.
    """
    _check(questions, ability, noises if passages else None, sampling, draws)
    if not passages:
        return [Prompt(one, ability, None, draw, ()) for draw in range(1, draws + 1) for one in questions.items]
    drawings = [_Drawing(ability, noise, draw, passages, seed) for noise in noises for draw in range(1, draws + 1)]
    drawn = _Drawing.balanced if sampling == "balanced" else _Drawing.original
    return [prompt for drawing in drawings for prompt in drawn(drawing, questions.items)]


def warnings_of(prompts: Sequence[Prompt]) -> list[str]:
    """A warning that counts the prompts that are not as asked for."""
    short = sum(not prompt.met for prompt in prompts)
    if not short:
        return []
    prompts_have = f"prompt{'s' if len(prompts) > 1 else ''} {'has' if short == 1 else 'have'}"
    grouped = prompts[0].ability == "information_integration"
    why = "there are too few documents, or more groups than good ones asked for" if grouped else "lists are too short"
    said = f"{short:,} of {len(prompts):,} {prompts_have} fewer passages, or another noise ratio, than asked for"
    return [f"{said}, since {why}; reached_noise says what they have"]


# --- what can be asked for ---


def _check(questions: Questions, ability: str, noises: Sequence[float] | None, sampling: str, draws: int) -> None:
    """Whether options suit each other and the questions. noises: None where there are no passages."""
    got = ", ".join(map(str, noises or ()))
    if noises is not None and not noises:
        raise OptionError("noise: expected at least one ratio; got none")
    if noises and ability == "negative_rejection" and [*noises] != [1]:
        raise OptionError(f"noise: negative_rejection is tested with negatives alone: expected 1; got {got}")
    if noises and len(set(noises)) < len(noises):
        raise OptionError(f"noise: expected each ratio once; got {got}")
    if sampling == "original" and draws > 1:
        raise OptionError(f"draws: original sampling gives the same documents every time: expected 1; got {draws}")
    if questions.kind not in KINDS[ability]:
        raise OptionError(
            f"{questions.name}: {ability} needs {_NEEDED[ability]}; this file has {DOCUMENTS[questions.kind]}"
        )
    first = {question.id: question for question in reversed(questions.items)}
    problems = [
        f'{questions.where(one)}, id: expected each id once; got "{one.id:.60}", as in '
        f"{questions.unit} {first[one.id].number}"
        for one in questions.items
        if first[one.id] is not one
    ]
    if problems:
        raise DataError(problems)


# --- drawing ---


def _documents(texts: Sequence[str], kind: str, group: int | None = None) -> list[Document]:
    return [Document(text, kind, place, group) for place, text in enumerate(texts)]


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What is the same for all questions of a noise ratio and a draw."""

    ability: str
    noise: float
    draw: int
    passages: int
    seed: int

    @property
    def negatives(self) -> int:
        return negatives_of(self.passages, self.noise)

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
        negatives = sum(document.kind == "negative" for document in documents)
        met = len(documents) == self.passages and negatives == self.negatives
        return Prompt(question, self.ability, self.noise, self.draw, tuple(documents), met)

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
        return [self.prompt(question, self._original(question)) for question in questions]

    def _original(self, question: Question) -> list[Document]:
        generator = random.Random(BENCHMARK_SEED)  # noqa: S311 - the benchmark's own numbers
        groups, negatives = self.good(question), _documents(question.negative, "negative")
        if self.grouped:
            good, rest = self.of_groups(groups, negatives, generator)
        elif self.ability == "counterfactual_robustness":
            paired = groups[0][: len(question.positive)]
            good = generator.sample(paired, min(len(paired), self.passages - self.negatives))
            rest = negatives[: self.negatives]
        else:
            good, rest = self.taken([*chain(*groups)], negatives)
        found = [*good, *rest]
        generator.shuffle(found)
        return found

    # --- counterbalanced ---

    def balanced(self, questions: Sequence[Question]) -> list[Prompt]:
        chosen = {question.id: self._chosen(question) for question in questions}
        alike: dict[tuple[int, int], list[str]] = defaultdict(list)
        for name, (good, negative) in sorted(chosen.items()):
            alike[len(good), len(negative)].append(name)
        placed: dict[str, list[Document]] = {}
        for (ours, theirs), names in alike.items():
            hands = _dealt(ours + theirs, ours, len(names), self._generator("positions", ours, theirs))
            for name, hand in zip(names, hands, strict=True):
                ones, others = (iter(documents) for documents in chosen[name])
                placed[name] = [next(ones if place in hand else others) for place in range(ours + theirs)]
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
        good, rest = self.taken([*chain(*groups)], negatives)
        return generator.sample([*chain(*groups)], len(good)), rest


def _dealt(size: int, good: int, hands: int, generator: random.Random) -> list[set[int]]:
    """For each of `hands` prompts, `good` of its positions 0 ... size - 1, dealt from shuffled decks one after another.

    Each position is dealt equally often, give or take one. A hand that needs two decks has no position twice: those it
    has from the first go to the end of the second.
    """
    deck: list[int] = []
    found = []
    for _ in range(hands):
        hand = deck[:good]
        deck = deck[good:]
        if len(hand) < good:
            rest = generator.sample([place for place in range(size) if place not in hand], size - len(hand))
            missing = good - len(hand)
            deck = [*rest[missing:], *generator.sample(hand, len(hand))]
            hand += rest[:missing]
        found.append(set(hand))
    return found


def as_records(prompts: Sequence[Prompt]) -> list[dict[str, object]]:
    """Prompts as they are written; see `karat.prepare_rag`."""
    return [
        {
            "id": prompt.question.id,
            "ability": prompt.ability,
            "noise_ratio": prompt.noise,
            "reached_noise": prompt.reached_noise,
            "draw": prompt.draw,
            "query": prompt.question.query,
            "answer": [list(slot) for slot in prompt.question.slots],
            "counterfactual": None if prompt.counterfactual is None else list(prompt.counterfactual),
            "documents": [
                {key: value for key, value in asdict(document).items() if value is not None}
                for document in prompt.documents
            ],
        }
        for prompt in prompts
    ]
