"""The sentences with which the card of a judge opens, from its tables alone: no more than their tests say."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from itertools import groupby
from math import ceil
from typing import Any

import polars as pl

from adjudge.estimate import Estimate
from adjudge.render import card_findings
from adjudge.render.card_findings import OfJudge
from adjudge.render.numbers import NO_BREAK, metric_text
from adjudge.render.wording import MOST_NAMED, Wording, capital, difference_text, joined
from adjudge.report import Report
from adjudge.statistics.alternative_test import LEAST_PEOPLE

PASSES = 0.5
"""The winning rate from which on the alternative annotator test is passed."""
_MOST_GROUPS = 3
_PLACE = "\x00place"


def card_sentences(report: Report) -> list[str]:
    """What the card says of each judge, the first ones of the first groups."""
    judges = _judges(report)
    told = judges[: _MOST_GROUPS if any(judge.group for judge in judges) else MOST_NAMED]
    more = len(judges) - len(told)
    rest = [f"{more:,} more {'stands' if more == 1 else 'stand'} in the table."] if more else []
    return [*map(_line, told), *rest, *_passing(report, judges), *data_sentences(report)]


def _passing(report: Report, judges: Sequence[OfJudge]) -> Iterator[str]:
    """What it is to pass against a person in the alternative annotator test, once for all judges."""
    if any(_verdict_on(judge) is not Verdict.UNTESTED for judge in judges):
        epsilon = report.options["epsilon"]
        lower = f"{100 * epsilon:g}{NO_BREAK}pp (epsilon {epsilon:g})"
        yield (
            "The test takes each person in turn and asks, on that person's items, who is closer to the other people: "
            "the judge or that person. The judge passes against a person if it is shown to be less than "
            f"{lower} behind."
        )


def data_sentences(report: Report) -> Iterator[str]:
    """What is to be known of the labels: how many people share, and which no person gives."""
    yield from people_sentences(report)
    yield from card_findings.foreign_sentences(report)


def people_sentences(report: Report) -> Iterator[str]:
    """How many items each person labelled that others did too, where all are in one group: what labels lack."""
    rows = report["everyone"].filter(side="person") if "everyone" in report.tables else pl.DataFrame()
    if rows.is_empty() or rows["annotator"].is_duplicated().any():
        return
    sizes: list[int] = rows["n"].sort().to_list()
    each = f"{sizes[0]:,}" if sizes[0] == sizes[-1] else f"{sizes[0]:,} to {sizes[-1]:,}"
    of = Wording(report).items(report.counts["items"])
    people = report.counts["people"]
    who = f"each of the {people:,} people" if len(sizes) == people else f"{len(sizes):,} of {people:,} people"
    share = f"{capital(who)} share{'s' if who.startswith('each') else ''} {each} of the {of} with another person"
    needed = report.options["min_items"]
    tested = report.tables.get("alternative_test", pl.DataFrame({"judge": [], "person": []}))
    whole = tested.select("judge", "person").n_unique() == people * report.counts["judges"]
    needs = f"and the test needs {needed:,} that a judge labelled too"
    yield f"{share}, {f'enough for the test, which needs {needed:,}' if whole else needs}.{_drawn(report)}"


def _drawn(report: Report) -> str:
    """How often judges that answered an item twice gave the same label, and which answer counts."""
    if report.tables.get("steadiness", pl.DataFrame()).is_empty():
        return ""
    words, counts = Wording(report), "agreement, the test and examples use the first answer only."
    rows = report["steadiness"].filter(pl.col("value").is_not_null(), metric="self_agreement").to_dicts()
    judges = [words.judge(row["judge"]) for row in rows]
    if not rows or len(rows) > MOST_NAMED or len({*judges}) < len(judges):
        return f" Judges answered some items more than once; {counts}"
    shares = [metric_text(row["value"], words.metric(row["metric"])) for row in rows]
    each = joined([f"{judge} in {share}" for judge, share in zip(judges, shares, strict=True)])
    return f" Asked again about an item, judges gave the same label: {each}; {counts}"


def _judges(report: Report) -> list[OfJudge]:
    """The judges of a card, of each group those first that may stand in for people, then those with the best score."""
    by = [name for name in report.options.get("by") or () if name in report["judges"].columns]
    keyed = groupby(report["judges"].to_dicts(), lambda row: [row[name] for name in (*by, "judge")])
    judges = [
        OfJudge(report, Wording(report), dict(zip(by, values[:-1], strict=True)), {row["metric"]: row for row in rows})
        for values, rows in keyed
    ]
    groups = list(dict.fromkeys(tuple(judge.group.values()) for judge in judges))
    return sorted(judges, key=lambda judge: (groups.index(tuple(judge.group.values())), *_place(judge)))


def as_told(report: Report, frame: pl.DataFrame) -> pl.DataFrame:
    """A table of a card with its judges in the order in which the card speaks of them; any other as it is."""
    if "judge" not in frame.columns:
        return frame
    judges = _judges(report)
    keys = [name for name in (*judges[0].group, "judge") if name in frame.columns] if judges else []
    places: dict[tuple[Any, ...], int] = {}
    for place, judge in enumerate(judges):
        places.setdefault(tuple(judge.keys[key] for key in keys), place)
    found = [places.get(row, len(places)) for row in frame.select(keys).iter_rows()]
    return (
        frame.with_columns(pl.Series(_PLACE, found)).sort(_PLACE, maintain_order=True).drop(_PLACE) if keys else frame
    )


def _place(judge: OfJudge) -> tuple[int, int, float]:
    """What stands the lower, the better: by the verdict, then by the figure that is told beside that of people."""
    own = next((own for gap, own, _ in _CEILINGS if gap in judge.rows and own in judge.rows), None)
    if own is None:  # a saved report that lacks it
        return len(Verdict), True, 0.0
    value = judge.rows[own]["value"]
    score = 0.0 if value is None else -value if judge.metric(own).better == "high" else value
    return list(Verdict).index(_verdict_on(judge)), value is None, score


def _line(judge: OfJudge) -> str:
    """All that is said of a judge, which is named once."""
    first, *rest = (sentence for say in SAYERS for sentence in say(judge))
    further = (f"It{one.removeprefix(judge.name)}" if one.startswith(f"{judge.name} ") else one for one in rest)
    own = f"{judge.name}'s "
    named = (f"Its {one.removeprefix(own)}" if one.startswith(own) else one for one in further)
    return judge.words.where(judge.group) + " ".join([first, *named])


class Verdict(Enum):
    """What comes of the alternative annotator test, the best first.

    WORSE: it passes, though it is shown to agree less with people than they do with one another.
    """

    PASSED = auto()
    WORSE = auto()
    UNTESTED = auto()
    FAILED = auto()


def _verdict_on(judge: OfJudge) -> Verdict:
    won = judge.rows.get("winning_rate")
    if won is None or won["value"] is None:
        return Verdict.UNTESTED
    if won["value"] < PASSES:
        return Verdict.FAILED
    return Verdict.WORSE if _side(judge) == "worse" else Verdict.PASSED


def _verdict(judge: OfJudge) -> Iterator[str]:
    """What comes of the alternative annotator test; of too few people nothing is concluded."""
    verdict, won = _verdict_on(judge), judge.rows.get("winning_rate")
    if won is None or verdict is Verdict.UNTESTED:
        if won is not None and won["n"]:
            yield f"Whether {judge.name} may stand in for people is not tested: {won['reason']}."
        return
    people = round(won["value"] * won["n"])
    rate = f"a winning rate of {metric_text(won['value'], judge.metric('winning_rate'))}"
    many = f"all {people}" if people == won["n"] else f"{people or 'none'} of the {won['n']}"
    needed = f"at least {ceil(PASSES * won['n'])} are needed"
    among = f"in the alternative annotator test it passes against {many} people ({rate}); {needed}"
    if verdict is Verdict.FAILED:
        yield f"{judge.name} is not shown to be able to stand in for people: {among}."
    elif verdict is Verdict.WORSE:
        yield f"{judge.name} passes: {among}."
    else:
        yield f"{judge.name} may stand in for people: {among}."


_CEILINGS = (
    ("agreement_difference", "agreement", "people_agreement"),
    ("distance_difference", "distance", "people_distance"),
)
"""Figures of a judge beside people: the difference, the judge's, people's. The first that stands there is told."""


def _side(judge: OfJudge) -> str:
    """Whether the judge is shown to be better or worse than people; empty where neither is."""
    gap, better = next((judge.rows[one], judge.metric(one).better) for one, *_ in _CEILINGS if one in judge.rows)
    if gap["low"] is None or gap["low"] <= 0 <= gap["high"]:
        return ""
    return "better" if (gap["value"] > 0) is (better == "high") else "worse"


_SAID = {
    "agreement": {
        "more": "{judge} agrees with people more often than they do with one another",
        "less": "{judge} agrees with people less often than they do with one another",
        "same": "{judge} agrees with people as often as they do with one another",
        "open": "{judge} agrees with people on {figure}, and they with one another on {others}",
        "alone": "{judge} agrees with people on {figure}",
    },
    "distance": {
        "more": "{judge} is farther from people than they are from one another",
        "less": "{judge} is closer to people than they are to one another",
        "same": "{judge} is as far from people as they are from one another",
        "open": "{judge}'s mean distance from people is {figure}, and theirs from one another {others}",
        "alone": "{judge} is {figure} from people on average",
    },
}


def _ceiling(judge: OfJudge) -> Iterator[str]:
    """Whether a judge agrees with people as often as they do with one another."""
    difference, own, people = next(names for names in _CEILINGS if names[0] in judge.rows)
    gap, row, words = judge.rows[difference], judge.rows[own], judge.words
    if row["value"] is None:
        yield f"{judge.name}: {words.inside(own)} is undefined ({row['reason']})."
        return
    said, figure = _SAID[own], words.figure(row)
    if gap["value"] is None:
        yield f"{said['alone'].format(judge=judge.name, figure=figure)}; what people reach is unknown."
        return
    apart = f"{'+' if gap['value'] > 0 else ''}{difference_text(Estimate.from_row(gap), judge.metric(difference))}"
    value, others = (metric_text(judge.rows[one]["value"], judge.metric(one)) for one in (own, people))
    open_ = "more" if gap["value"] > 0 else "less" if gap["value"] < 0 else "same"
    side = _side(judge)
    shown = said[open_].format(judge=judge.name)
    chance = "" if side or open_ == "same" else ", which may be chance"
    if row["n"] == gap["n"] and chance:
        both = said["open"].format(judge=judge.name, figure=value, others=others)
        before = "" if _verdict_on(judge) is Verdict.UNTESTED else "Apart from that test, "
        yield f"{before}{both}; the difference, {apart} on {words.items(gap['n'])}, may be chance."
        return
    if row["n"] == gap["n"]:
        found = f"{value} against {others}, {apart} on {words.items(gap['n'])}"
    else:  # the three do not rest on the same items
        several = f"{words.items(gap['n'])} that two or more of them labelled"
        found = f"{apart} on the {several} ({words.inside(own)} on all {row['n']:,}: {value})"
    yield f"{shown}: {found}{chance}."


SAYERS: tuple[Callable[[OfJudge], Iterator[str]], ...] = (
    _verdict,
    _ceiling,
    card_findings.prefers,
    card_findings.drifts,
    card_findings.sure_of_itself,
    card_findings.gains_of_draws,
    card_findings.worth_of,
)
"""What is said of a judge, in this order."""


def card_steps(report: Report) -> tuple[str, ...]:
    """What to do next: which judge to take, or on whom not to rely.

    A judge is taken that passes in every group, and has not become worse over time, which its verdict does not show.
    """
    verdicts: dict[str, set[Verdict]] = {}
    since: dict[str, str] = {}
    for judge in _judges(report):
        verdicts.setdefault(judge.name, set()).add(_verdict_on(judge))
        if worse := card_findings.worse_since(judge):
            since.setdefault(judge.name, worse)
    if all(found == {Verdict.UNTESTED} for found in verdicts.values()):
        return (_for_a_test(report),)
    able = [name for name, found in verdicts.items() if found == {Verdict.PASSED}]
    steady = [name for name in able if name not in since]
    if steady:
        return (_to_take(Wording(report), steady, len(verdicts), of=len(able)), *_of_certainty(report, steady))
    if able:
        return (f"Ask for a card of the labels of {able[0]} since {since[able[0]]} alone: it has become worse.",)
    failed = [name for name, found in verdicts.items() if Verdict.FAILED in found]
    whom = failed[0] if len(failed) == 1 else "any of these judges"
    return (f"Do not rely on {whom} alone: keep people for a part of the items.",) if failed else ()


def _to_take(words: Wording, steady: Sequence[str], judges: int, of: int) -> str:
    """Which judge to take of those that may stand in for people: each is tested against people, none beside another.

    ``of`` judges pass the test; the steady ones of them have not become worse, which is said where others have.
    """
    if len(steady) > 1:
        still = " and have not become worse" if len(steady) < of else ""
        one_of = f"Choose one of {words.listed(steady)}: they may stand in for people{still}"
        return f"{one_of}; which is better is not tested here."
    still = " and has not become worse" if len(steady) < of else ""
    if judges == 1:
        return f"Choose {steady[0]}: it may stand in for people{still}."
    only = f"Choose {steady[0]}, the only one of {judges} judges"
    return f"{only} that is shown to be able to stand in for people{still}."


def _of_certainty(report: Report, taken: Sequence[str]) -> Iterator[str]:
    """Whose certainty is not to be used, of the judges that may be taken."""
    too_sure = {judge.name for judge in _judges(report) if card_findings.is_too_sure(judge)}
    where = " in some groups" if any(judge.group for judge in _judges(report)) else ""
    if named := [name for name in taken if name in too_sure]:
        yield f"Do not use the certainty of {Wording(report).listed(named)} as it is: it is too high{where}."


def _for_a_test(report: Report) -> str:
    """What is to be done where the alternative annotator test says nothing: people, or labels, are missing."""
    if report.counts["people"] < LEAST_PEOPLE:
        return "Have three or more people label the same items: they alone show what people reach."
    least = report.options["min_items"]
    return (
        "Have more of the same items labelled: the alternative annotator test takes three people each of whom shares "
        f"{least:,} items with the judge and somebody else."
    )
