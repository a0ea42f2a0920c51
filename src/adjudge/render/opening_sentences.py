"""Opening sentences of some reports, besides what their estimates answer, and what these reports then advise."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import polars as pl

from adjudge.metrics.row_selection import TableRow
from adjudge.render.card import as_told, card_sentences, card_steps, data_sentences
from adjudge.render.card_findings import worth_sentences
from adjudge.render.numbers import NO_BREAK, metric_text
from adjudge.render.wording import MOST_NAMED, Wording, joined, joined_first
from adjudge.report import Report
from adjudge.spec import Opening

_MOST_GROUPS = 3
_MOST_STEPS = 2


def crowd_sentences(report: Report) -> list[str]:
    """Who guesses, who labels against the others, and what the consensus is worth; of many groups, in the first."""
    words = Wording(report)
    said = {"annotators": _closest, "informedness": _informed, "consensus": _consensus}
    groups = {name: _groups(report, name) for name in said if name in report.tables}
    told = [
        f"{words.where(group)}{' '.join(sentences)}"
        for name, found in groups.items()
        for group, rows in found[:_MOST_GROUPS]
        if (sentences := list(said[name](rows, words)))
    ]
    most = max(map(len, groups.values()), default=0)
    first = f"What is said of single annotators and of the consensus is of the first {_MOST_GROUPS} of {most:,} groups."
    return [*told, *([first] if most > _MOST_GROUPS else []), *held_sentences(report)]


_COUNTS = "judgments", "judgments without a label", "items", "annotators"


def held_sentences(report: Report) -> list[str]:
    """How many of the labels are there that all annotators could have given; nothing where some gave several."""
    given, empty, items, people = (report.counts.get(one, 0) for one in _COUNTS)
    held = given - empty
    if not 0 < held <= items * people:
        return []
    each = f"{Wording(report).items(items)} by {people:,} annotators"
    if held == items * people:
        return [f"Every annotator labelled every item: {held:,} labels of {each}."]
    left, lacking = f"{empty:,} left without a label" if empty else "", items * people - given
    unmade = f"{lacking:,} never judged" if lacking > 0 else ""
    why = joined([one for one in (left, unmade) if one])
    missing = items * people - held
    are = "is" if missing == 1 else "are"
    return [f"{missing:,} of {items * people:,} possible labels {are} missing ({each}): {why}."]


def crowd_steps(report: Report) -> tuple[str, ...]:
    """What to do next: see to whoever guesses or labels against the others, then go through what is disputed."""
    words = Wording(report)
    rows = report["informedness"].to_dicts() if "informedness" in report.tables else []
    told = [row for row in rows if row["metric"] == "informedness"]
    guessing, contrary = (
        list(dict.fromkeys(_name(row, words) for row in told if row["verdict"] == one)) for one in _VERDICTS[:2]
    )
    steps = []
    if contrary:
        steps.append(f"See in the file whether labels of {joined_first(contrary, '{} other')} are swapped.")
    if guessing:
        steps.append(f"Read the labels of {joined_first(guessing, '{} other')} before they count in a consensus.")
    if disputed := len(set(report["disputed_items"]["item"])):
        listed = f"{disputed:,} disputed items" if disputed > 1 else "disputed item"
        if (of := report.counts.get("disputed items", disputed)) > disputed:
            listed = f"{disputed:,} most disputed of {of:,} items"
        steps.append(f"Go through the {listed} with those who labelled {'them' if disputed > 1 else 'it'}.")
    return tuple(steps[:_MOST_STEPS])


def _groups(report: Report, table: str) -> list[tuple[Mapping[str, Any], list[TableRow]]]:
    frame = report[table]
    by = [name for name in report.options.get("by") or () if name in frame.columns]
    keyed = groupby(frame.to_dicts(), lambda row: [row[name] for name in by])
    return [(dict(zip(by, values, strict=True)), list(rows)) for values, rows in keyed]


def _closest(rows: Sequence[TableRow], words: Wording) -> Iterator[str]:
    """Who agrees most with the others, and who least; of two annotators both agree alike."""
    own = [row for row in rows if row["metric"] == "agreement_with_others" and row["value"] is not None]
    if len(own) > 2:  # noqa: PLR2004
        least, most = (find(own, key=lambda row: row["value"]) for find in (min, max))
        if least["value"] == most["value"]:
            yield f"All {len(own):,} annotators agree alike with the others, {words.figure(most)}."
            return
        least_said = f"{_name(least, words)} least, {words.figure(least)}"
        most_said = f"{_name(most, words)} agrees most with the others, {words.figure(most)}"
        yield f"{most_said}; {least_said}. This order is not tested, so it may be chance."


def _informed(rows: Sequence[TableRow], words: Wording) -> Iterator[str]:
    """Whose labels tell nothing, or the contrary."""
    own = sorted((row for row in rows if row["metric"] == "informedness"), key=lambda row: -row["n"])
    guessing, contrary, open_ = ([row for row in own if row["verdict"] == one] for one in _VERDICTS)
    if guessing:
        names = joined_first([f"{_name(row, words)} ({row['n']:,}{NO_BREAK}labels)" for row in guessing], "{} other")
        are, labels = "are", "that many labels"
        if len(guessing) == 1:
            are, labels = "is", f"{guessing[0]['n']:,} labels"
        shown = f"Of {len(own):,} annotators, {names} {are} not shown to do better than guessing"
        yield f"{shown}, though {labels} are enough for a good annotator to stand out."
    if contrary:
        names = joined_first([f"{_name(row, words)} ({words.figure(row)})" for row in contrary], "{} other")
        yield f"Against the others, as if labels were swapped, {'labels' if len(contrary) == 1 else 'label'} {names}."
    if not guessing and not contrary:
        yield _nobody(len(own), len(open_))
    elif open_:
        yield f"The labels of {len(open_):,} more are too few to tell."


def _nobody(annotators: int, undecided: int) -> str:
    if undecided == annotators:
        return "Whether annotators follow one another or guess cannot be told from these labels."
    if undecided:
        few = f"the labels of {undecided:,} of {annotators:,} annotators are too few to tell"
        return f"Nobody is shown to guess; {few}."
    whose = "both annotators" if annotators == 2 else f"all {annotators:,} annotators"  # noqa: PLR2004
    return f"Nobody is shown to guess: {whose} follow the consensus of the others more than chance would."


_VERDICTS = ("guessing", "contrary", "undecided")


def _name(row: TableRow, words: Wording) -> str:
    return words.judge(row["annotator"])


def _consensus(rows: Sequence[TableRow], words: Wording) -> Iterator[str]:
    """How sure the consensus is, and where there is none."""
    known = {row["metric"]: row for row in rows}
    items, ties = known["consensus_items"], known["consensus_ties"]
    if ties["value"]:
        have = "is a tie and has" if ties["value"] == 1 else "are ties and have"
        yield f"{words.items(int(ties['value']))} of {items['n']:,} {have} no consensus."
    expected = known.get("consensus_probability")
    if expected is not None and expected["value"] is not None:
        sure = metric_text(expected["value"], words.metric("consensus_probability"))
        unless = "which is too sure if annotators make the same mistakes or gave few labels each"
        yield f"The consensus model is {sure} sure of its labels on average, {unless}."


# --- checkers ---


def checker_sentences(report: Report) -> list[str]:
    """Recall and precision of each checker, in the words of the page's question; nothing of many, or of groups."""
    words = Wording(report)
    found: dict[str, dict[str, str]] = {}
    rows = report["scores"].filter(pl.col("metric").is_in(["recall", "precision"]), average="micro")
    for row in rows.filter(variant=rows["variant"].first()).to_dicts() if rows.height else []:
        known = found.setdefault(words.judge_of(row), {})
        if row["metric"] in known:
            return []
        if row["value"] is not None:
            known[row["metric"]] = words.figure(row)
    told = [
        f"{name} finds {known['recall']} of the true violations"
        + (f", and {known['precision']} of what it marks is right" if "precision" in known else "")  # it may mark none
        for name, known in found.items()
        if "recall" in known
    ]
    return [f"{'; '.join(told)}."] if told and len(found) <= MOST_NAMED else []


# --- which reports have which ---


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an opening.

    sentences: those of a report. steps: what to do next; by default what follows from the facts that it concludes.
    of_data: those of the sentences that are about the data; by default none.
    place: whether the sentences stand before or behind all others, or instead of what its figures answer. ordered: a
    table with its rows in the order of the sentences; by default as it is.
    """

    sentences: Callable[[Report], Sequence[str]]
    steps: Callable[[Report], tuple[str, ...]] | None = None
    of_data: Callable[[Report], Iterable[str]] | None = None
    place: Literal["before", "instead", "behind"] = "behind"
    ordered: Callable[[Report, pl.DataFrame], pl.DataFrame] = lambda _, frame: frame


_NONE = Words(lambda _: ())
_WORDS: Mapping[Opening, Words] = {
    "judges": Words(card_sentences, card_steps, data_sentences, place="instead", ordered=as_told),
    "corrected": Words(worth_sentences, place="instead"),
    "checkers": Words(checker_sentences, place="before"),
    "annotators": Words(crowd_sentences, crowd_steps, held_sentences),
}


def opening_of(report: Report) -> Words:
    """The words with which a report opens; none where it lacks its main table."""
    return _WORDS.get(report.about.opening, _NONE) if report.about.main in report.tables else _NONE
