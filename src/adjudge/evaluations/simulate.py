"""Simulated data with known true values for each evaluation, to compare estimates with the truth."""

from collections.abc import Iterator
from itertools import combinations, product
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl

from adjudge.evaluations.rag.prompts import NOISES
from adjudge.report import typed_table
from adjudge.schemas.pairs import CODE, TRAIT, VOTE, AnnotatedPairs, Annotator, add_lengths
from adjudge.schemas.preferences import AVERAGE, CRITERIA, LABELS
from adjudge.schemas.violations import TEXT_PARTS

# --- reliability ---

_CHOICES = ("response_1", "response_2", "tie")

_RESPONSES = ("response 1", "response 2")

_SKILLS = (0.95, 0.92, 0.88, 0.85, 0.8, 0.8, 0.75, 0.7, 0.62, 0.55, 0.45, 0.9)
"""Each annotator's probability of choosing as the reference does."""

_FLAG_ERRORS = (0.01, 0.02, 0.03, 0.05, 0.05, 0.1, 0.04, 0.15, 0.08, 0.2, 0.12, 0.02)
"""Each annotator's probability of flagging differently from the reference."""

_SHARES = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.02)
"""Each annotator's share of the items; the last has so few that its metric is mostly luck."""

_JUDGED = 400
_FLAGGED = 0.1
"""Share of items that the reference flags."""

_WEEK = 100


def simulate_judgments(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgments of annotators with known skill, and the truth about them.

    Every choice equals the reference's with the annotator's skill, else is one of the other two at
    random; every flag differs with the annotator's flag error; all independent. Since the reference's
    choices are uniform over three, the true kappa is (skill - 1/3) / (2/3).
    Returns the long table (item, week, prompt, response 1, response 2, annotator, flag, label, reference,
    reference_flag) and the truth (annotator, metric, truth).
    """
    draw = np.random.default_rng(seed)
    items = pl.DataFrame(
        {
            "item": [f"item-{number + 1:03}" for number in range(_JUDGED)],
            "week": [f"week {number // _WEEK + 1}" for number in range(_JUDGED)],
            "prompt": [f"Made-up prompt {number + 1}" for number in range(_JUDGED)],
            **{name: [f"Made-up {name} to prompt {number + 1}" for number in range(_JUDGED)] for name in _RESPONSES},
            "reference": draw.integers(len(_CHOICES), size=_JUDGED),
            "reference_flag": draw.random(_JUDGED) < _FLAGGED,
        }
    )
    skills = enumerate(zip(_SKILLS, _FLAG_ERRORS, _SHARES, strict=True), start=1)
    annotators = {f"annotator-{number:02}": skill for number, skill in skills}
    judgments = pl.concat(_annotator_judgments(draw, items, name, *skill) for name, skill in annotators.items())
    truths = [
        {"annotator": name, "metric": metric, "truth": truth}
        for name, (skill, error, _) in annotators.items()
        for metric, truth in (("reliability", skill), ("flag_mismatch", error), ("kappa", (skill - 1 / 3) / (2 / 3)))
    ]
    return judgments.sort("item", "annotator"), typed_table(truths)


def _annotator_judgments(
    draw: np.random.Generator, items: pl.DataFrame, name: str, skill: float, error: float, share: float
) -> pl.DataFrame:
    rows = items[np.sort(draw.choice(_JUDGED, size=round(share * _JUDGED), replace=False))]
    shifts = np.where(draw.random(rows.height) < skill, 0, draw.integers(1, len(_CHOICES), size=rows.height))
    rows = rows.with_columns(
        annotator=pl.lit(name),
        flag=rows["reference_flag"] ^ pl.Series(draw.random(rows.height) < error),
        label=(rows["reference"] + shifts) % len(_CHOICES),
    )
    label, reference = (pl.col(one).replace_strict(range(len(_CHOICES)), _CHOICES) for one in ("label", "reference"))
    judged = rows.with_columns(
        pl.when(~pl.col("flag")).then(label),
        pl.when(~pl.col("reference_flag")).then(reference),
        pl.col("flag", "reference_flag").replace_strict([False, True], ["No", "Yes"]),
    )
    return judged.select(
        "item", "week", "prompt", *_RESPONSES, "annotator", "flag", "label", "reference", "reference_flag"
    )


# --- annotations ---

_PAIRS = 600

_TRAITS = {
    "is more polite": (0.9, 0.72),
    "is more concise": (0.7, 0.6),
    "has more examples": (0.5, 0.85),
    "is more formal": (0.8, 0.5),
    "hedges more": (0.6, 0.35),
    "flatters the reader": (0.3, 0.25),
}
"""Trait -> (relevance: probability of a valid vote, accuracy: probability that it equals the person's)."""

_PLAIN_WORDS = (
    *("a", "plain", "word", "or", "two", "of", "some", "text", "that"),
    *("says", "nothing", "at", "all", "but", "has", "a", "length"),
)
_TOPICS = ("code", "chat", "maths")


def simulate_pairs(seed: int) -> tuple[AnnotatedPairs, pl.DataFrame]:
    """Pairs with a person's votes and those of an annotator per trait, and the truth about them.

    Each trait's vote is valid with its relevance, and then equals the person's with its accuracy, all
    independent; so its kappa is 2 accuracy - 1 and its strength relevance times that.
    Returns the pairs and the truth (annotator, metric, truth).
    """
    draw = np.random.default_rng(seed)
    person = draw.choice([CODE["text_a"], CODE["text_b"]], _PAIRS)
    ids = {trait: trait.replace(" ", "-") for trait in _TRAITS}
    votes = {VOTE + ids[trait]: _trait_votes(draw, person, *chances) for trait, chances in _TRAITS.items()}
    text_a, text_b = ([" ".join(draw.choice(_PLAIN_WORDS, draw.integers(5, 60))) for _ in range(_PAIRS)] for _ in "ab")
    frame = pl.DataFrame(
        {
            "pair": [f"pair-{number + 1:03}" for number in range(_PAIRS)],
            "prompt": [f"Made-up prompt {number + 1}" for number in range(_PAIRS)],
            "text_a": text_a,
            "text_b": text_b,
            "model_a": draw.choice(["model-x", "model-y"], _PAIRS).tolist(),
            "model_b": draw.choice(["model-y", "model-z"], _PAIRS).tolist(),
            "topic": draw.choice(_TOPICS, _PAIRS).tolist(),
            VOTE + "person": person,
            **votes,
        }
    ).with_columns(pl.col(f"^{VOTE}.*$").cast(pl.UInt8))
    annotators = (
        Annotator("person", "person", "Which response is better?", "human"),
        *(Annotator(ids[trait], trait, f"Select the response that {trait}", TRAIT) for trait in _TRAITS),
    )
    truths = []
    for trait, (relevance, accuracy) in _TRAITS.items():
        kappa = 2 * accuracy - 1
        true_values = {"relevance": relevance, "accuracy": accuracy, "kappa": kappa, "strength": relevance * kappa}
        truths += [{"annotator": ids[trait], "metric": metric, "truth": truth} for metric, truth in true_values.items()]
    return AnnotatedPairs("simulated", add_lengths(frame.lazy()), annotators, "person", ("topic",)), typed_table(truths)


def _trait_votes(draw: np.random.Generator, person: np.ndarray, relevance: float, accuracy: float) -> np.ndarray:
    valid = draw.random(_PAIRS) < relevance
    agrees = draw.random(_PAIRS) < accuracy
    other = CODE["text_a"] + CODE["text_b"] - person
    return np.where(valid, np.where(agrees, person, other), CODE["not_applicable"])


# --- card ---

_HELPFUL = ("unhelpful", "helpful")
_PEOPLE = {"ana": 0.92, "ben": 0.88, "cleo": 0.85, "dev": 0.8, "eva": 0.75}
"""Each person's probability of the right label."""
_LABELLED = 0.8
"""Each person's share of the items."""
JUDGES = {"steady": (0.88, 0.0), "hasty": (0.7, 0.15)}
"""Each judge's mean probability of the right label, and by how much its confidence exceeds that."""
_SPREAD = 0.1
"""How far a judge's probability lies from its mean, up or down, from item to item."""
_ANSWERS = 300
_DRAWS = 2
_WINDOW = 100


def simulate_labels(seed: int, items: int = _ANSWERS) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Labels of people and judges, and the truth about the judges.

    All err independently. Two who are right with p and q give the same of two labels with p q + (1 - p) (1 - q).
    Returns the long table (item, annotator, label, draw, certainty, month, text) and the truth (judge, metric, truth).
    """
    draw = np.random.default_rng(seed)
    true = draw.integers(2, size=items)
    labels = []
    for name, skill in _PEOPLE.items():
        labelled = pl.Series(draw.random(items) < _LABELLED)
        labels.append(_label_rows(draw, true, np.full(items, skill), name, 1, None).filter(labelled))
    for (name, (skill, boast)), nth in product(JUDGES.items(), range(1, _DRAWS + 1)):
        # Its chance of being right differs from item to item, and is the same in all draws.
        sure = skill + _SPREAD * np.random.default_rng([*map(ord, name)]).choice([-1, 1], size=items)
        labels.append(_label_rows(draw, true, sure, name, nth, np.minimum(sure + boast, 1.0).round(3)))
    table = pl.concat(labels).with_columns(
        item=pl.format("item-{}", pl.col("place").cast(pl.String).str.zfill(3)),
        label=pl.col("label").replace_strict([0, 1], _HELPFUL),
        month=pl.format("2026-0{}", (pl.col("place") - 1) // _WINDOW + 1),
        text=pl.format("Made-up answer {}", pl.col("place")),
    )
    names = ("item", "annotator", "label", "draw", "certainty", "month", "text")
    return table.sort("place", "annotator", "draw").select(names), typed_table([*_truths()])


def _label_rows(
    draw: np.random.Generator, true: np.ndarray, right: np.ndarray, name: str, nth: int, certainty: np.ndarray | None
) -> pl.DataFrame:
    label = np.where(draw.random(len(true)) < right, true, 1 - true)
    return pl.DataFrame({"place": np.arange(1, len(true) + 1), "label": label}).with_columns(
        annotator=pl.lit(name),
        draw=pl.lit(nth),
        certainty=pl.Series(certainty if certainty is not None else [None] * len(true), dtype=pl.Float64),
    )


def _truths() -> Iterator[dict[str, object]]:
    def pair_agreement(first: float, second: float) -> float:
        return first * second + (1 - first) * (1 - second)

    skills = _PEOPLE.values()
    people = fmean(pair_agreement(first, second) for first, second in combinations(skills, 2))
    for judge, (skill, _) in JUDGES.items():
        agreement = fmean(pair_agreement(skill, other) for other in skills)
        truths = {"agreement": agreement, "people_agreement": people, "agreement_difference": agreement - people}
        yield from ({"judge": judge, "metric": metric, "truth": truth} for metric, truth in truths.items())


# --- preferences ---

_COMPARED = 300

_GOLD_SHARES = {
    "relevance": (0.4, 0.3, 0.2, 0.1),
    "naturalness": (0.25, 0.25, 0.4, 0.1),
    "truthfulness": (0.3, 0.3, 0.25, 0.15),
    "safety": (0.02, 0.02, 0.95, 0.01),
    "overall_quality": (0.4, 0.35, 0.15, 0.1),
}
"""The frequency of each gold label; on safety nearly all are the same."""

_SYSTEMS = {"careful": (0.8, 0.0), "quick": (0.65, 0.02), "guessing": (0.4, 0.0), "absent-minded": (0.75, 0.2)}
"""Each system's probability of predicting the gold label, and of giving no label at all."""

_COPIED = 0.5
"""Probability that a word of an explanation is that of the gold explanation."""

_WORDS = ("clear", "direct", "vague", "polite", "short", "detailed", "wrong", "careful", "helpful", "odd")
_VERDICTS = {"A": "The first is", "B": "The second is", "both_good": "Both are", "both_bad": "Neither is"}


def simulate_preferences(seed: int) -> tuple[pl.DataFrame, dict[str, pl.DataFrame], pl.DataFrame]:
    """Gold, what systems predict, and the truth about them.

    A system gives no label with its probability of that, else the gold label with its skill, else one of the other
    three at random; all independent. So its true accuracy is skill x (1 - the probability of no label) throughout.
    An explanation names the verdict and a few words, about half of them those of the gold.
    Returns the gold (id, instruction, output_a, output_b, labels, explanations), system -> predictions, and the truth
    (system, criterion, metric, truth).
    """
    draw = np.random.default_rng(seed)
    codes = {name: draw.choice(len(LABELS), size=_COMPARED, p=_GOLD_SHARES[name]) for name in CRITERIA}
    reasons = {name: draw.choice(_WORDS, size=(_COMPARED, 4)) for name in CRITERIA}
    ids = [f"item-{number + 1:03}" for number in range(_COMPARED)]
    texts = pl.DataFrame(
        {
            "id": ids,
            "instruction": [f"Made-up question {number + 1}" for number in range(_COMPARED)],
            "output_a": [_simulate_response(draw, "first") for _ in ids],
            "output_b": [_simulate_response(draw, "second") for _ in ids],
        }
    )
    gold = pl.concat(
        [texts, *(_label_columns(name, codes[name], reasons[name]) for name in CRITERIA)], how="horizontal"
    )
    systems = {
        name: pl.concat(
            [texts.select("id"), *_simulate_predictions(draw, codes, reasons, skill, silent)], how="horizontal"
        )
        for name, (skill, silent) in _SYSTEMS.items()
    }
    truths = [
        {"system": name, "criterion": criterion, "metric": "accuracy", "truth": skill * (1 - silent)}
        for name, (skill, silent) in _SYSTEMS.items()
        for criterion in (*CRITERIA, AVERAGE)
    ]
    shuffled = {name: one.sample(fraction=1, shuffle=True, seed=seed) for name, one in systems.items()}
    return gold, shuffled, typed_table(truths)


def _simulate_response(draw: np.random.Generator, which: str) -> str:
    return f"The {which} response: " + " ".join(draw.choice(_WORDS, size=draw.integers(3, 12))) + "."


def _simulate_predictions(
    draw: np.random.Generator, codes: dict[str, np.ndarray], reasons: dict[str, np.ndarray], skill: float, silent: float
) -> Iterator[pl.DataFrame]:
    """The labels and explanations on each criterion."""
    for name, gold in codes.items():
        others = (gold + draw.integers(1, len(LABELS), size=_COMPARED)) % len(LABELS)
        predicted = np.where(draw.random(_COMPARED) < skill, gold, others)
        words = np.where(draw.random((_COMPARED, 4)) < _COPIED, reasons[name], draw.choice(_WORDS, size=(_COMPARED, 4)))
        given = pl.lit(pl.Series(draw.random(_COMPARED) >= silent))
        yield _label_columns(name, predicted, words).select(pl.when(given).then(pl.all()))


def _label_columns(criterion: str, codes: np.ndarray, words: np.ndarray) -> pl.DataFrame:
    """Labels, and explanations that give the verdict and a few words."""
    labels = [LABELS[code] for code in codes]
    reasons = [
        f"{_VERDICTS[label]} {', '.join(line[:-1])} and {line[-1]}." for label, line in zip(labels, words, strict=True)
    ]
    return pl.DataFrame({f"{criterion}_preference": labels, f"{criterion}_explanation": reasons})


# --- rag ---

_QUESTIONS = 150

_MODELS = {"large": (0.95, 0.25, 0.8, 0.7), "small": (0.8, 0.5, 0.4, 0.3)}
"""Probability of a correct answer without noise, how much of it noise alone would take, the probability of a refusal
where documents hold no answer, and of correcting what they say falsely."""

_PLACES = ("Paris", "Lima", "Oslo", "Cairo", "Hanoi", "Quito", "Dakar", "Bern")

_RESPONSES_OF = {
    "noise_robustness": ("According to the documents, it is {place}.", "According to the documents, it is {other}."),
    "negative_rejection": ("The documents do not contain enough information to answer this.", "It is {other}."),
    "counterfactual_robustness": ("The documents are wrong: it is {place}, not {other}.", "It is {other}."),
}
"""Good and bad responses of a model, by ability."""


def simulate_answers(seed: int) -> tuple[list[dict[str, Any]], Any]:
    """Answers, and the truth about the models; all answers are independent.

    Returns the answers as records, and the truth (model, ability, noise_ratio, scorer, metric, truth).
    """
    draw = np.random.default_rng(seed)
    answers, truth = [], []
    for model, (skill, loss, refuses, corrects) in _MODELS.items():
        for ability, metric, noise, chance in (
            *(("noise_robustness", "accuracy", noise, skill * (1 - loss * noise)) for noise in NOISES),
            ("negative_rejection", "rejection_rate", 1.0, refuses),
            ("counterfactual_robustness", "error_correction_rate", 0.0, corrects),
        ):
            keys = {"model": model, "ability": ability, "noise_ratio": noise}
            answers += [{**keys, **_simulate_answer(draw, ability, number, chance)} for number in range(_QUESTIONS)]
            truth.append({**keys, "scorer": "strict", "metric": metric, "truth": chance})
    return answers, typed_table(truth, numbers=["noise_ratio"])


def _simulate_answer(draw: np.random.Generator, ability: str, number: int, chance: float) -> dict[str, Any]:
    """The answer to a question, which is as it should be with this probability."""
    place, other = (_PLACES[at % len(_PLACES)] for at in (number, number + draw.integers(1, len(_PLACES))))
    well, badly = _RESPONSES_OF[ability]
    response = (well if draw.random() < chance else badly).format(place=place, other=other)
    lie = {"counterfactual": other} if ability == "counterfactual_robustness" else {}
    asked = f"In which city is meeting {number + 1} held?"
    return {"id": f"q{number + 1:03}", "question": asked, "response": response, "answer": place, **lie}


# --- violations ---

_TEXTS = 200
_SENTENCES = 8
"""Sentences of a text; each breaks one rule or none."""

_BROKEN = 0.3
"""Probability that a sentence breaks a rule."""

_RULES = {
    "superlatives": ("avoid superlatives", "style", "the best {} ever", "a {}"),
    "medical": ("no medical claims", "legal", "a {} that cures everything", "a {} that tastes good"),
    "jargon": ("no jargon", "style", "a paradigm-shifting {}", "a new {}"),
    "brand": ("write the brand name in full", "brand", "our {} by K.", "our {} by Adjudge"),
}
_THINGS = ("tea", "lamp", "chair", "soap", "bicycle", "notebook")
_PLAIN = "This is a {} we make."


_CHECKERS = {"careful@1": (0.9, 0.02), "eager@3": (0.95, 0.25), "shy@2": (0.5, 0.01)}
"""Each checker's probability of finding a violation, and of marking a sentence that breaks no rule."""


def simulate_violations(seed: int) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]], Any]:
    """Texts with true violations, what checkers predict, and the truth about the checkers.

    A checker finds each violation with its probability of that, one word longer or shorter half of the time, which
    every variant still matches; and marks each sound sentence with another, under a rule at random. All independent.
    Returns lines of the ground truth, checker -> lines of predictions, and the truth (checker, variant, average,
    metric, truth).
    """
    draw = np.random.default_rng(seed)
    truth = [_simulate_text(draw, number) for number in range(1, _TEXTS + 1)]
    predicted = {name: [_simulate_line(draw, one, *skill) for one in truth] for name, skill in _CHECKERS.items()}
    rows = []
    for name, (recall, false_alarm) in _CHECKERS.items():
        matched, marked = _BROKEN * recall, _BROKEN * recall + (1 - _BROKEN) * false_alarm  # expected counts
        metrics = {"precision": matched / marked, "recall": recall, "f1": 2 * matched / (marked + _BROKEN)}
        keys = {"checker": name, "variant": "std", "average": "micro"}
        rows += [{**keys, "metric": metric, "truth": value} for metric, value in metrics.items()]
    lines = [{key: one[key] for key in ("id", "text", "violations")} for one in truth]
    return lines, predicted, typed_table(rows)


def _simulate_text(draw: np.random.Generator, number: int) -> dict[str, Any]:
    """A text with its violations; sound: the offsets of sentences that break no rule."""
    text, violations, sound = "", [], []
    for _ in range(_SENTENCES):
        thing = str(draw.choice(_THINGS))
        start = len(text)
        if draw.random() < _BROKEN:
            rule, category, broken, better = _RULES[str(draw.choice(list(_RULES)))]
            text += "You get " + broken.format(thing) + ". "
            violations.append(
                _make_violation(start + len("You get "), len(text) - 2, rule, category, better.format(thing))
            )
        else:
            text += _PLAIN.format(thing) + " "
            sound.append((start, len(text) - 1))
    return {"id": f"text-{number:03}", "text": text.strip(), "violations": violations, "sound": sound}


def _make_violation(start: int, end: int, rule: str, category: str, correction: str) -> dict[str, Any]:
    values = (start, end, rule, category, f"{rule}: this breaks it", correction)
    return dict(zip(("start", "end", *TEXT_PARTS), values, strict=True))


def _simulate_line(draw: np.random.Generator, text: dict[str, Any], finds: float, invents: float) -> dict[str, Any]:
    violations = [dict(violation) for violation in text["violations"] if draw.random() < finds]
    for violation in violations:
        if draw.random() < 0.5:  # noqa: PLR2004 - half of the time
            violation["start"] -= len("You get ") if draw.random() < 0.5 else -2  # noqa: PLR2004 - longer or shorter
    for start, end in text["sound"]:
        if draw.random() < invents:
            rule, category, _, better = _RULES[str(draw.choice(list(_RULES)))]
            violations.append(_make_violation(start, end, rule, category, better.format("thing")))
    return {"id": text["id"], "violations": violations}
