"""Who is closest: which scorer to people, and which two annotators to one another. Nothing is tested here."""

from collections.abc import Sequence
from dataclasses import dataclass

from karat.about import Answer
from karat.figures.answering import Row
from karat.report import Report


@dataclass(frozen=True, slots=True)
class Match:
    """Of two annotators or more each beside each other: the two who agree most, and of several those who agree least.

    pairs: how many are known.
    """

    answer: Answer
    most: Row
    least: Row | None
    pairs: int


@dataclass(frozen=True, slots=True)
class Nearest:
    """The scorer that agrees most with people, of so many. false_right, false_wrong: where it errs.

    corrected: to how many of all answers it says yes, and to how many people would; None where that is unknown.
    """

    agreement: Row
    false_right: Row
    false_wrong: Row
    of: int
    corrected: tuple[Row, Row] | None = None


def match_of(answer: Answer, rows: Sequence[Row], judge: str) -> Match | None:
    """Of rows for every annotator beside every other; a figure that is the same either way round counts once."""
    pairs = {frozenset((row[judge], row["reference"])): row for row in reversed(rows) if row["value"] is not None}
    ranked = sorted(pairs.values(), key=lambda row: -row["value"])
    if not ranked:
        return None
    return Match(answer, ranked[0], ranked[-1] if ranked[-1]["value"] < ranked[0]["value"] else None, len(ranked))


def nearest_of(report: Report) -> Nearest | None:
    """From the card of scorers beside people: all models together, by the first verdict that people gave."""
    card = report.tables.get("card")
    if card is None or card.is_empty():
        return None
    first = card.row(0, named=True)
    keys = [*(report.options.get("by") or ()), "model", "verdict"]
    rows = [row for row in card.to_dicts() if all(row[key] == first[key] for key in keys)]
    figures = {(row["scorer"], row["metric"]): row for row in rows}
    known = [row for row in rows if row["metric"] == "agreement" and row["value"] is not None]
    if not known:
        return None
    best = max(known, key=lambda row: row["value"])
    false_right, false_wrong = (figures[best["scorer"], metric] for metric in ("false_right", "false_wrong"))
    rates = [figures.get((best["scorer"], metric)) for metric in ("scorer_rate", "corrected_rate")]
    known_rates = [one for one in rates if one and one["value"] is not None]
    corrected = (known_rates[0], known_rates[1]) if len(known_rates) == len(rates) else None
    return Nearest(best, false_right, false_wrong, len(known), corrected)
