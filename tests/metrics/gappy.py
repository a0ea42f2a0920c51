"""Small runs of all evaluations with gaps: items that a judge lacks, answers, labels and flags that are missing.

Two judges, A and B, are scored by the public functions in one run together, and in a run of their own each.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl

import adjudge

WAYS: dict[str, dict[str, Any]] = {
    "plain": {"cluster": "none"},
    "clusters": {"cluster": "doc"},
    "weeks": {"cluster": "doc", "by": "week"},
    "all labels": {"cluster": "none", "labels": "all", "population": "reference"},
}
"""How items are drawn and grouped: alone, in clusters, in clusters by a column; and with other options."""

N = 42


@dataclass(frozen=True, eq=False)
class Scored:
    """A run. items, saved: the files of its outcomes and of its report."""

    report: adjudge.Report
    items: Path
    saved: Path


DATA_SET = 0
"""Which of many random data sets is drawn."""


def draws(seed: int) -> np.random.Generator:
    """The same numbers for the same seed and data set."""
    return np.random.default_rng((DATA_SET, seed) if DATA_SET else seed)


def _about(count: int) -> dict[str, list[str | None]]:
    """Documents that items come from, of which some are not known, and weeks."""
    docs = [None if place % 11 == 7 else f"d{place // 3}" for place in range(count)]
    return {"doc": docs, "week": [f"w{place % 2}" for place in range(count)]}


def _picked(draw: np.random.Generator, words: Sequence[str | None], weights: Sequence[float], count: int) -> list[Any]:
    return [words[place] for place in draw.choice(len(words), count, p=weights)]


def _said(draw: np.random.Generator, truth: Sequence[Any], others: Sequence[Any], right: float) -> list[Any]:
    """What is true with some probability, else any of the others."""
    return [one if draw.random() < right else others[draw.integers(len(others))] for one in truth]


ORDERED, POSITIVE = ["x", "y", "z"], "x"
RIGHT = {"A": 0.55, "B": 0.75}
SEEDS = {"A": 1, "B": 2}


def reliability(_: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Choices beside a reference, with flags; items that either skips, and that a judge does not have at all."""
    labels = ORDERED
    draw = draws(3)
    truth = _picked(draw, labels, [0.5, 0.3, 0.2], N)
    flags = _picked(draw, ["yes", "no"], [0.2, 0.8], N)
    known = _picked(draw, ["yes", None], [0.1, 0.9], N)
    rows = []
    for judge in judges:
        own = draws(SEEDS[judge])
        for place, label in enumerate(_said(own, truth, labels, RIGHT[judge])):
            flag, skip, there = own.random() < 0.2, own.random() < 0.1, own.random() < 0.9
            if not there:
                continue
            rows.append(
                {
                    "item": f"i{place}",
                    "annotator": names[judge],
                    "label": None if flag or skip else label,
                    "flag": None if skip else "yes" if flag else "no",
                    "skipped": "yes" if skip else "no",
                    "reference": None if flags[place] == "yes" or known[place] else truth[place],
                    "reference_flag": None if known[place] else flags[place],
                    "reference_skipped": known[place] or "no",
                    **{name: values[place] for name, values in _about(N).items()},
                }
            )
    return adjudge.reliability(pl.DataFrame(rows, infer_schema_length=None), ordered=ORDERED, positive=POSITIVE, **more)


def card(_: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Labels of four people and the judges; items that somebody, everybody or all people but one do not have."""
    labels = ORDERED
    draw = draws(6)
    truth = _picked(draw, labels, [0.5, 0.3, 0.2], N)
    people = {f"p{nth}": (10 + nth, share, 0.6) for nth, share in enumerate((0.9, 0.8, 0.6, 0.3))}
    called = people | {names[judge]: (SEEDS[judge], 0.9, RIGHT[judge]) for judge in judges}
    rows = []
    for who, (seed, share, right) in called.items():
        own = draws(seed)
        for place, label in enumerate(_said(own, truth, labels, right)):
            if own.random() < share and not (who in people and place % 14 == 3):
                about = {name: values[place] for name, values in _about(N).items()}
                rows.append({"item": f"i{place}", "annotator": who, "label": label, **about})
    table = pl.DataFrame(rows, infer_schema_length=None)
    return adjudge.card(table, judges=[names[judge] for judge in judges], ordered=ORDERED, **more)


PEOPLE = ("p0", "p1", "p2")
"""Who gives grades in every run on agreement, beside the judges."""


def agreement(_: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Grades of three people and the judges: all of every second item, which is a week; of others some, or a single one."""
    truth = draws(8).integers(1, 5, N)
    called = {**{who: (30 + nth, 0.7) for nth, who in enumerate(PEOPLE)}, **{names[one]: (SEEDS[one], RIGHT[one]) for one in judges}}  # fmt: skip
    rows = []
    for who, (seed, right) in called.items():
        own = draws(seed)
        for place, label in enumerate(_said(own, truth.tolist(), [1, 2, 3, 4], right)):
            there = own.random() < 0.6
            if place % 2 == 0 or (who == "p0" if place % 7 == 3 else there):
                about = {name: values[place] for name, values in _about(N).items()}
                rows.append({"item": f"i{place}", "annotator": who, "label": str(label), **about})
    return adjudge.agreement(pl.DataFrame(rows, infer_schema_length=None), level="interval", **more)


def annotations(_: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Votes on pairs, of which the last third are the first ones with texts exchanged; missing and undecided votes."""
    draw = draws(4)
    once = 28
    words, weights = ["a", "b", "t", "x", None], [0.4, 0.35, 0.08, 0.07, 0.1]
    texts = [("one " * int(draw.integers(1, 4)), "two " * int(draw.integers(1, 4))) for _ in range(once)]
    pairs = [*texts, *((b, a) for a, b in texts[: N - once])]
    truth = _picked(draw, words, weights, N)
    table = {
        "pair": [f"p{place}" for place in range(N)],
        "prompt": [f"q{place % once}" for place in range(N)],
        "text_a": [a for a, _ in pairs],
        "text_b": [b for _, b in pairs],
        **_about(N),
        "gold": truth,
        **{names[judge]: _said(draws(SEEDS[judge]), truth, words, RIGHT[judge]) for judge in RIGHT},
    }
    return adjudge.annotations(
        pl.DataFrame(table),
        annotator=[names[judge] for judge in judges],
        reference="gold",
        annotator_columns=["gold", *names.values()],
        vote_values={"text_a": "a", "text_b": "b", "both": "t", "neither": "x"},
        **more,
    )


CRITERIA = ("relevance", "safety")


def _squared(given: pl.Series, known: pl.Series) -> pl.Series:
    """Stands for the scores of a language model, which is not at hand: any numbers between 0 and 1."""
    from adjudge.text.rouge import rouge_l

    return rouge_l(given, known) ** 2


def preferences(folder: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Labels and explanations on two criteria; without gold, without a prediction, without a verdict."""
    labels, verdicts = ["A", "B", "both_good", "both_bad"], []
    words = ["clear", "short", "vague", "polite", "careful"]
    draw = draws(5)
    gold: dict[str, Any] = {"id": [f"i{place}" for place in range(N)], **_about(N)}
    said: dict[str, dict[str, Any]] = {judge: {"id": gold["id"]} for judge in judges}
    for place, one in enumerate(CRITERIA):
        truth = _picked(draw, [*labels, None], [0.4, 0.3, 0.15, 0.05, 0.1], N)
        why = [None if draw.random() < 0.1 else " ".join(_picked(draw, words, [0.2] * 5, 4)) for _ in range(N)]
        gold |= {f"{one}_preference": truth, f"{one}_explanation": why}
        for judge in judges:
            own = draws(10 * place + SEEDS[judge])
            told = [text and (" ".join(_said(own, text.split(), words, 0.6)) if own.random() < 0.9 else None) for text in why]  # fmt: skip
            ours = _said(own, [label or "A" for label in truth], [*labels, None], RIGHT[judge])
            said[judge] |= {f"{one}_preference": ours, f"{one}_explanation": told}
            verdicts += [
                {"id": name, "system": names[judge], "criterion": one, "verdict": verdict}
                for name, verdict in zip(gold["id"], _picked(own, ["yes", "no", None], [0.5, 0.3, 0.2], N), strict=True)
            ]
    path = folder / f"verdicts_{'_'.join(names[judge] for judge in judges)}.csv"
    pl.DataFrame(verdicts).write_csv(path)
    with patch("adjudge.text.bertscore.loaded_bertscore", lambda *_: _squared):
        return adjudge.preferences(
            pl.DataFrame(gold),
            [pl.DataFrame(said[judge]) for judge in judges],
            system=[names[judge] for judge in judges],
            criteria=CRITERIA,
            explanations=True,
            embedding_model="stand-in",
            verdicts=path,
            **more,
        )


NOISES = (0.0, 0.5, 1.0)
_TRUE, _LIE = "Paris", "Rome"
_SAYINGS = ["Paris", "Rome", "I cannot answer, since the documents hold no information.", "Paris. The documents are factually wrong.", None]  # fmt: skip
_OFTEN = {"A": [0.4, 0.25, 0.1, 0.1, 0.15], "B": [0.5, 0.1, 0.15, 0.15, 0.1]}


def rag(folder: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Answers of all abilities, some without documents; unanswered questions; in clusters several draws of some.

    By weeks there are two scorers, since the figures of all four would be many.
    """
    rows, verdicts = [], []
    drawn = more["cluster"] != "none"
    asked = [("noise_robustness", noise, 26, None) for noise in NOISES]
    asked += [("negative_rejection", None, 24, None), ("information_integration", None, 9, None)]
    asked += [("counterfactual_robustness", None, 24, None), ("noise_robustness", 0.0, 12, [])]
    for judge in judges:
        own = draws(SEEDS[judge])
        for ability, noise, count, documents in asked:
            for place in range(count):
                for number in (1, 2) if drawn and place % 3 == 0 else (1,):
                    key = {
                        "id": f"{'c' if documents == [] else ability[0]}{place}",
                        "ability": ability,
                        "model": names[judge],
                        "noise_ratio": noise,
                        **({"draw": number} if drawn else {}),
                    }
                    response, there = own.choice(5, p=_OFTEN[judge]), own.random() < 0.95
                    verdict = {name: [True, False, None][own.choice(3, p=[0.5, 0.3, 0.2])] for name in _VERDICTS}
                    if not there:
                        continue
                    lies = {"counterfactual": _LIE} if ability.startswith("counter") else {}
                    answer = None if ability == "negative_rejection" or place == 5 else _TRUE
                    about = {name: values[place] for name, values in _about(count).items()}
                    given = {} if documents is None else {"documents": documents}
                    rows.append({**key, "response": _SAYINGS[response], "answer": answer, **lies, **about, **given})
                    if _SAYINGS[response] is not None:
                        verdicts.append({**key, **verdict})
    stem = "_".join(names[judge] for judge in judges)
    answers, judged = folder / f"answers_{stem}.jsonl", folder / f"judged_{stem}.csv"
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(verdicts, infer_schema_length=None).write_csv(judged)
    return adjudge.rag(answers, scorer="strict" if "by" in more else "all", verdicts=judged, **more)


_VERDICTS = ("correct", "rejected", "error_detected", "error_corrected")


def _span(place: int, rule: str | None, category: str, longer: int = 0) -> dict[str, Any]:
    words = {"explanation": f"why {rule}", "correction": f"better {category}"}
    return {"start": 20 * place, "end": 20 * place + 10 + longer, "rule": rule, "category": category, **words}


def violations(folder: Path, judges: Sequence[str], names: dict[str, str], more: dict[str, Any]) -> adjudge.Report:
    """Spans in texts of which some have none, with others invented and some missed; a rule that is not said."""
    draw = draws(7)
    rules, kinds = ["plain words", "no claims", None], ["style", "legal"]

    def named(own: np.random.Generator) -> tuple[Any, Any]:
        return rules[own.choice(3, p=[0.5, 0.4, 0.1])], kinds[own.integers(2)]

    about = _about(N)
    true = [[(place, *named(draw)) for place in range(4) if draw.random() < 0.35] for _ in range(N)]
    lines = [
        {"id": f"t{k}", "text": "x" * 100, "violations": [_span(*one) for one in spans]}
        | {name: values[k] for name, values in about.items()}
        for k, spans in enumerate(true)
    ]
    truth = folder / "truth.jsonl"
    truth.write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = []
    for judge in judges:
        own = draws(SEEDS[judge])
        found = []
        for k, spans in enumerate(true):
            held = {place for place, *_ in spans}
            said = [
                _span(place, *((rule, kind) if own.random() < 0.7 else named(own)), longer=int(own.integers(0, 3)))
                for place, rule, kind in spans
                if own.random() < RIGHT[judge]
            ]
            said += [_span(place, *named(own)) for place in range(5) if place not in held and own.random() < 0.1]
            found.append({"id": f"t{k}", "violations": said})
        files.append(folder / f"{names[judge]}.jsonl")
        files[-1].write_text("".join(json.dumps(line) + "\n" for line in found))
    checkers = [names[judge] for judge in judges]
    return adjudge.violations(truth, files, checker=checkers, **more)


SCORE: dict[str, Callable[..., adjudge.Report]] = {
    "agreement": agreement,
    "annotations": annotations,
    "card": card,
    "preferences": preferences,
    "rag": rag,
    "reliability": reliability,
    "violations": violations,
}


def scored(
    evaluation: str, judges: Sequence[str], folder: Path, way: str = "plain", names: dict[str, str] | None = None
) -> Scored:
    """A run of some judges, under other names where they are given."""
    called = names or {judge: judge for judge in RIGHT}
    items = folder / f"{''.join(called[judge] for judge in judges)}.parquet"
    report = SCORE[evaluation](folder, judges, called, {**WAYS[way], "save_items": items})
    saved = items.with_suffix(".json")
    report.save(saved)
    return Scored(report, items, saved)
