"""The documents of prompts, and their order.

Of k passages ceil(k x noise) are negative: they do not hold the answer. All others are called good here, though those
of the counterfactual ability lie. Where a list is too short, the other fills up; a prompt then has another noise ratio,
or where both are too short fewer passages: `Prompt.met` says whether it is as asked for, `reached_noise` what it is.
"""

from collections.abc import Sequence
from dataclasses import asdict

from adjudge.errors import DataError, OptionError
from adjudge.evaluations.rag.document_sampling import PassageSampler, Prompt, negatives_of
from adjudge.schemas.answers import QuestionKind, Questions

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
                {"correct_rate": prompt.correct, "reached_correct_rate": prompt.reached_correct}
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
