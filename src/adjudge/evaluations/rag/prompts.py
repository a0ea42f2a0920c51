"""The documents of prompts, and their order.

Of k passages ceil(k x noise) are negative: they do not hold the answer. All others are called good here, though those
of the counterfactual ability lie. Where a list is too short, the other fills up; a prompt then has another noise ratio,
or where both are too short fewer passages: `Prompt.met` says whether it is as asked for, `reached_noise` what it is.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import zip_longest
from math import ceil

from adjudge.errors import DataError, OptionError
from adjudge.readers.problems import listed
from adjudge.schemas.answers import Question, QuestionKind, Questions


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

    noise: the ratio asked for; None where no passages were. draw: from 1. as_requested: whether there are as many
    passages, and as many negatives among them, as asked for.
    """

    question: Question
    ability: str
    noise: float | None
    draw: int
    documents: tuple[Passage, ...]
    as_requested: bool = True

    @property
    def reached_noise(self) -> float | None:
        """The share of negatives among the documents, in [0, 1]; None without documents."""
        negatives = sum(document.kind == "negative" for document in self.documents)
        return negatives / len(self.documents) if self.documents else None

    @property
    def counterfactual(self) -> tuple[str, ...] | None:
        """The false answer in this prompt's documents; None without false documents, or if it is unknown."""
        lies = any(document.kind == "wrong" for document in self.documents)
        return self.question.false or None if lies else None


def negatives_of(passages: int, noise: float) -> int:
    """ceil(passages x noise), of the number that noise is written as.

    >>> negatives_of(5, 0.2), negatives_of(25, 0.28), negatives_of(6, 5 / 6), negatives_of(5, 0.5)
    (1, 7, 5, 3)

    In floats 25 x 0.28 is a little more than 7, and 5 / 6 a little more than five sixths.
    """
    return ceil(round(passages * noise, 9))


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

    @property
    def negative_count(self) -> int:
        """The number of documents wanted that do not hold the answer."""
        return negatives_of(self.passages, self.noise)

    def sample_prompts(self, questions: Sequence[Question]) -> list[Prompt]:
        """A prompt for each question, its documents in random order."""
        prompts = []
        for question in questions:
            good, negatives = self._choose_passages(question)
            documents = [*good, *negatives]
            self._generator("positions", question.id).shuffle(documents)
            met = (len(documents), len(negatives)) == (self.passages, self.negative_count)
            prompts.append(Prompt(question, self.ability, self.noise, self.draw, tuple(documents), met))
        return prompts

    def _generator(self, *about: object) -> random.Random:
        """Random numbers that depend on the seed, the noise, the draw, and on what they are for."""
        text = json.dumps([self.seed, float(self.noise), self.draw, *about])
        return random.Random(int.from_bytes(sha256(text.encode()).digest()))  # noqa: S311 - no secret

    def _choose_passages(self, question: Question) -> tuple[list[Passage], list[Passage]]:
        """The good documents and the negatives, each in random order; where one list is too short, the other fills up.

        Of groups each gives one, then in turn up to the wanted number.
        """
        generator = self._generator("documents", question.id)
        negatives = generator.sample(_passages(question.negative, "negative"), len(question.negative))
        if self.ability == "information_integration":
            listed = [_passages(texts, "positive", place) for place, texts in enumerate(question.groups)]
            groups = generator.sample(listed, len(listed))
            for group in groups:
                generator.shuffle(group)
            turns = [one for turn in zip_longest(*groups) for one in turn if one is not None]
            good = turns[: max(self.passages - self.negative_count, sum(map(bool, groups)))]
            generator.shuffle(good)
            return good, negatives[: max(self.passages - len(good), 0)]
        lies = self.ability == "counterfactual_robustness"
        good = _passages(question.wrong, "wrong") if lies else _passages(question.positive, "positive")
        count = min(self.passages - min(self.negative_count, len(negatives)), len(good))
        if self.noise == 1 or self.ability == "negative_rejection":
            count = 0
        return generator.sample(good, count), negatives[: self.passages - count]


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

DOCUMENTS: dict[QuestionKind, str] = {
    "base": "documents that each hold the answer",
    "int": "groups of documents that each hold a piece of the answer",
    "fact": "documents that lie (positive_wrong)",
}
"""What questions of a kind come with."""


def prepare_prompts(
    questions: Questions, ability: str, noises: Sequence[float], *, passages: int = 5, seed: int = 0, draws: int = 1
) -> list[Prompt]:
    """A prompt per noise ratio, draw and question, in this order; questions as in their file.

    ability: one of ABILITIES, for which the questions must be of the right kind (KINDS). noises: each in [0, 1], and
    once; 1 for negative_rejection. passages: how many documents a prompt has; with 0 it has none (closed book), and
    noises are not used: there is one prompt per draw and question.

    Documents are drawn without replacement, as a hash of seed, id, noise and draw has it, so that
    the order of the file does not matter. Of groups each gives one, and then in turn. They stand in random
    order.

    At noise 1 there are only negatives, except that information_integration takes one document of each group.

    Raises OptionError for options that do not suit each other, and for questions of the wrong kind; DataError for ids
    that occur twice.
    """
    _check_options(questions, ability, noises if passages else None)
    draw_numbers = range(1, draws + 1)
    if not passages:
        return [Prompt(one, ability, None, draw, ()) for draw in draw_numbers for one in questions.items]
    samplers = [PassageSampler(ability, noise, draw, passages, seed) for noise in noises for draw in draw_numbers]
    return [prompt for sampler in samplers for prompt in sampler.sample_prompts(questions.items)]


def warnings_of(prompts: Sequence[Prompt]) -> list[str]:
    """A warning with the number of prompts that differ from the request."""
    short = sum(not prompt.as_requested for prompt in prompts)
    statement = f"{short:,} of {len(prompts):,} prompts have fewer passages, or another noise ratio, than asked for"
    return [f"{statement}, since lists of documents are too short; reached_noise says what they have"] if short else []


# --- what can be asked for ---


def _check_options(questions: Questions, ability: str, noises: Sequence[float] | None) -> None:
    """Whether options suit each other and the questions. noises: None where there are no passages."""
    got = ", ".join(map(str, noises or ()))
    if noises is not None and not noises:
        raise OptionError("expected at least one ratio; got none", option="noise")
    if noises and ability == "negative_rejection" and [*noises] != [1]:
        raise OptionError(f"{ability} is tested with negatives alone: expected 1; got {got}", option="noise", fix="1")
    if noises and len(set(noises)) < len(noises):
        raise OptionError(f"expected each ratio once; got {got}", option="noise")
    if questions.kind not in KINDS[ability]:
        needed = " or ".join(DOCUMENTS[kind] for kind in KINDS[ability])
        raise OptionError(f"{questions.name}: {ability} needs {needed}", found=DOCUMENTS[questions.kind])
    ids = Counter(question.id for question in questions.items)
    if twice := [name for name, count in ids.items() if count > 1]:
        raise DataError(f"{questions.name}: expected each id once; got several questions with {listed(twice)}")


def prompt_records(prompts: Sequence[Prompt]) -> list[dict[str, object]]:
    """Prompts as they are written; see `adjudge.prepare_rag`."""
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
