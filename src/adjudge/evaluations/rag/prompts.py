"""The documents of prompts, and their order.

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

from adjudge.errors import DataError, OptionError
from adjudge.schemas.answers import Question, QuestionKind, Questions

BENCHMARK_SEED = 2333
"""What the benchmark seeds Python's `random` with, anew for every item."""


@dataclass(frozen=True, slots=True)
class Passage:
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
    documents: tuple[Passage, ...]
    as_requested: bool = True
    correct: float = 0.0

    @property
    def reached_noise(self) -> float | None:
        """The share of negatives among the documents, in [0, 1]; None without documents."""
        return self.share("negative")

    def share(self, kind: str) -> float | None:
        """The share of documents of a kind; None without documents."""
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


def _passages(texts: Sequence[str], kind: str, group: int | None = None) -> list[Passage]:
    return [Passage(text, kind, place, group) for place, text in enumerate(texts)]


@dataclass(frozen=True, slots=True)
class PassageSampler:
    """The settings for all questions of one noise ratio and draw."""

    ability: str
    noise: float
    draw: int
    passages: int
    seed: int
    correct: float = 0.0

    @property
    def negative_count(self) -> int:
        """The number of documents wanted that do not hold the answer."""
        return negatives_of(self.passages, self.noise)

    @property
    def true_count(self) -> int:
        """The number of true documents in a prompt with false ones."""
        return negatives_of(self.passages, self.correct)

    @property
    def needs_groups(self) -> bool:
        """Whether each group of good documents must give one."""
        return self.ability == "information_integration"

    def good_groups(self, question: Question) -> list[list[Passage]]:
        """The groups of documents that are good for this ability; rejection is tested with none."""
        if self.ability == "negative_rejection":
            return []
        if self.ability == "counterfactual_robustness":
            return [_passages(question.wrong, "wrong")]
        groups = enumerate(question.groups)
        return [_passages(group, "positive", place if self.needs_groups else None) for place, group in groups]

    def make_prompt(self, question: Question, documents: Sequence[Passage]) -> Prompt:
        """The prompt that these documents make."""
        negatives, truths = (sum(document.kind == kind for document in documents) for kind in ("negative", "positive"))
        met = len(documents) == self.passages and negatives == self.negative_count
        met = met and (not self.correct or truths == self.true_count)
        return Prompt(question, self.ability, self.noise, self.draw, tuple(documents), met, self.correct)

    def sample_lies(
        self, question: Question, lies: Sequence[Passage], generator: random.Random, kept: int = 0
    ) -> list[Passage]:
        """Some false documents and the requested true ones, none of which is the original of a drawn false one.

        kept: how many lies are not taken, so that the true ones that they were made from can be.
        """
        drawn = generator.sample(lies, min(len(lies) - kept, self.passages - self.negative_count - self.true_count))
        taken = {lie.place for lie in drawn}
        left = [one for one in _passages(question.positive, "positive") if one.place not in taken]
        return [*drawn, *generator.sample(left, min(len(left), self.true_count))]

    def take_first(self, good: Sequence[Passage], negative: Sequence[Passage]) -> tuple[list[Passage], list[Passage]]:
        """The first of the good ones and of the negatives; where one list is too short, the other fills up."""
        wanted = min(self.negative_count, len(negative))
        positives = 0 if self.noise == 1 else min(self.passages - wanted, len(good))
        return [*good[:positives]], [*negative[: self.passages - positives]]

    def take_from_groups(
        self, groups: Sequence[list[Passage]], negative: Sequence[Passage], generator: random.Random
    ) -> tuple[list[Passage], list[Passage]]:
        """One of each group, then in turn up to the wanted number; and the first negatives, which fill up."""
        for group in groups:
            generator.shuffle(group)
        turns = [[one for one in turn if one is not None] for turn in zip_longest(*groups)]
        least = len(turns[0]) if turns else 0
        good = [*chain(*turns)][: max(self.passages - self.negative_count, least)]
        return good, [*negative[: max(self.passages - len(good), 0)]]

    # --- as the benchmark does it ---

    def sample_original(self, questions: Sequence[Question]) -> list[Prompt]:
        """A prompt for each question, each drawn alone."""
        prompts = []
        for question in questions:
            generator = random.Random(BENCHMARK_SEED)  # noqa: S311 - the benchmark's own numbers
            groups, negatives = self.good_groups(question), _passages(question.negative, "negative")
            if self.needs_groups:
                good, rest = self.take_from_groups(groups, negatives, generator)
            elif self.ability == "counterfactual_robustness":
                good = self.sample_lies(question, groups[0][: len(question.positive)], generator)
                rest = negatives[: self.negative_count]
            else:
                good, rest = self.take_first([*chain(*groups)], negatives)
            documents = [*good, *rest]
            generator.shuffle(documents)
            prompts.append(self.make_prompt(question, documents))
        return prompts

    # --- counterbalanced ---

    def sample_balanced(self, questions: Sequence[Question]) -> list[Prompt]:
        """A prompt for each question, positions counterbalanced over all of them."""
        chosen = {question.id: self._choose_passages(question) for question in questions}
        by_size: dict[tuple[int, int], list[str]] = defaultdict(list)
        for name, (good, negative) in sorted(chosen.items()):
            by_size[len(good), len(negative)].append(name)
        placed: dict[str, list[Passage]] = {}
        for (goods, rest), names in by_size.items():
            hands = _deal_positions(goods + rest, goods, len(names), self._generator("positions", goods, rest))
            for name, hand in zip(names, hands, strict=True):
                ones, others = (iter(documents) for documents in chosen[name])
                placed[name] = [next(ones if place in hand else others) for place in range(goods + rest)]
        return [self.make_prompt(one, placed[one.id]) for one in questions]

    def _generator(self, *about: object) -> random.Random:
        """Random numbers that depend on the seed, the noise, the draw, and on what they are for."""
        text = json.dumps([self.seed, float(self.noise), self.draw, *about])
        return random.Random(int.from_bytes(sha256(text.encode()).digest()))  # noqa: S311 - no secret

    def _choose_passages(self, question: Question) -> tuple[list[Passage], list[Passage]]:
        """The good documents and the negatives, each in random order."""
        generator = self._generator("documents", question.id)
        negatives = generator.sample(_passages(question.negative, "negative"), len(question.negative))
        groups = self.good_groups(question)
        if self.needs_groups:
            good, rest = self.take_from_groups(generator.sample(groups, len(groups)), negatives, generator)
            generator.shuffle(good)
            return good, rest
        if self.correct:
            pairs = min(len(groups[0]), len(question.positive))
            groups = [self.sample_lies(question, groups[0], generator, kept=min(self.true_count, pairs // 2))]
        good, rest = self.take_first([*chain(*groups)], negatives)
        return generator.sample([*chain(*groups)], len(good)), rest


def _deal_positions(size: int, good: int, hands: int, generator: random.Random) -> list[set[int]]:
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


KINDS: dict[str, tuple[QuestionKind, ...]] = {
    "noise_robustness": ("base", "fact"),
    "negative_rejection": ("base", "int", "fact"),
    "information_integration": ("int",),
    "counterfactual_robustness": ("fact",),
}
"""Which kinds of questions an ability can be tested with: one group of documents that each hold the answer; any
negatives; groups that hold a piece each; documents that lie."""

NOISES = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Noise ratios of prompts unless others are asked for."""

_NEEDED = {
    "noise_robustness": "documents that hold the whole answer, as en.json has them (or the true ones of en_fact.json)",
    "information_integration": "groups of documents that hold a piece of the answer each, as en_int.json has them",
    "counterfactual_robustness": "documents that lie (positive_wrong), as en_fact.json has them",
}
DOCUMENTS: dict[QuestionKind, str] = {
    "base": "documents that each hold the answer",
    "int": "groups of documents",
    "fact": "documents that lie",
}
"""What questions of a kind come with."""


def prepare_prompts(
    questions: Questions,
    ability: str,
    noises: Sequence[float],
    *,
    passages: int = 5,
    seed: int = 0,
    sampling: str = "balanced",
    draws: int = 1,
    correct: float = 0.0,
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

    correct: of the counterfactual ability, the share of passages that are true documents, rounded up as negatives are;
    the others lie. No true document is one that a lie in the same prompt was made from: where there are too few pairs
    of both, "original" takes lies first, as the benchmark's code does, "balanced" true ones up to half of the pairs.

    At noise 1 there are only negatives, except that "original" and "balanced" alike take one document of each group
    for information_integration.

    Raises OptionError for options that do not suit each other, and for questions of the wrong kind; DataError for ids
    that occur twice.
    """
    _check_options(questions, ability, noises if passages else None, sampling, draws)
    if correct and ability != "counterfactual_robustness":
        problem = f"is for counterfactual_robustness, whose documents lie; got it for {ability}"
        raise OptionError(problem, option="correct_rate")
    if correct and (full := noises_without_room(noises, passages, correct)):
        raise OptionError(
            f"expected room for a document that lies among {passages} passages; got {correct:g} true ones at noise "
            f"{', '.join(f'{noise:g}' for noise in full)}",
            option="correct_rate",
        )
    if not passages:
        return [Prompt(one, ability, None, draw, ()) for draw in range(1, draws + 1) for one in questions.items]
    drawings = [
        PassageSampler(ability, noise, draw, passages, seed, correct)
        for noise in noises
        for draw in range(1, draws + 1)
    ]
    drawn = PassageSampler.sample_balanced if sampling == "balanced" else PassageSampler.sample_original
    return [prompt for drawing in drawings for prompt in drawn(drawing, questions.items)]


def warnings_of(prompts: Sequence[Prompt]) -> list[str]:
    """A warning with the number of prompts that differ from the request."""
    short = sum(not prompt.as_requested for prompt in prompts)
    if not short:
        return []
    prompts_have = f"prompt{'s' if len(prompts) > 1 else ''} {'has' if short == 1 else 'have'}"
    grouped = prompts[0].ability == "information_integration"
    why = "there are too few documents, or more groups than good ones asked for" if grouped else "lists are too short"
    statement = f"{short:,} of {len(prompts):,} {prompts_have} fewer passages, or another noise ratio, than asked for"
    return [f"{statement}, since {why}; reached_noise says what they have"]


# --- what can be asked for ---


def _check_options(
    questions: Questions, ability: str, noises: Sequence[float] | None, sampling: str, draws: int
) -> None:
    """Whether options suit each other and the questions. noises: None where there are no passages."""
    got = ", ".join(map(str, noises or ()))
    if noises is not None and not noises:
        raise OptionError("expected at least one ratio; got none", option="noise")
    if noises and ability == "negative_rejection" and [*noises] != [1]:
        raise OptionError(f"{ability} is tested with negatives alone: expected 1; got {got}", option="noise", fix="1")
    if noises and len(set(noises)) < len(noises):
        raise OptionError(f"expected each ratio once; got {got}", option="noise")
    if sampling == "original" and draws > 1:
        raise OptionError(f"{sampling} gives the same documents every time: expected 1; got {draws}", option="draws")
    if questions.kind not in KINDS[ability]:
        raise OptionError(f"{questions.name}: {ability} needs {_NEEDED[ability]}", found=DOCUMENTS[questions.kind])
    first = {question.id: question for question in reversed(questions.items)}
    problems = [
        f'{questions.location(item)}, id: expected each id once; got "{item.id:.60}", as in '
        f"{questions.unit} {first[item.id].number}"
        for item in questions.items
        if first[item.id] is not item
    ]
    if problems:
        raise DataError(problems)


def noises_without_room(noises: Sequence[float], passages: int, correct: float) -> list[float]:
    """The noise ratios that leave no room for a false document, given the share of true ones."""
    used = negatives_of(passages, correct)
    return [noise for noise in noises if used and negatives_of(passages, noise) + used >= passages]


def prompt_records(prompts: Sequence[Prompt]) -> list[dict[str, object]]:
    """Prompts as they are written; see `adjudge.prepare_rag`."""
    return [
        {
            "id": prompt.question.id,
            "ability": prompt.ability,
            "noise_ratio": prompt.noise,
            "reached_noise": prompt.reached_noise,
            **(
                {"correct_rate": prompt.correct, "reached_correct_rate": prompt.share("positive")}
                if prompt.correct
                else {}
            ),
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
