"""The results of gates, those of one gate together: what was asked once, and what was found for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from karat.render.wording import joined
from karat.report import GateResult, Report

_MAY_BE = ", so it may be "
"""So a result says that the limit lies within the interval (`karat.gates`)."""
_MANY_GATES, _FIRST_FAILED = 6, 3
"""Of more gates than this only so many that fail are told where a report opens."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate says. said: all of it, or of several rows what was asked. each: of several rows, what was found."""

    passed: bool
    said: str
    each: Sequence[str] = ()


def verdicts(results: Sequence[GateResult]) -> list[Verdict]:
    """The verdicts in the order of results; those of one gate that pass, and those that fail, are one.

    >>> of = "week 2, annotator ana", "week 2, annotator ben"
    >>> verdicts([GateResult("kappa must be at least 0.4", one, "it is 0.57", passed=True) for one in of])[0].said
    'PASS (week 2): kappa must be at least 0.4'
    """
    alike: dict[tuple[str, bool], list[GateResult]] = {}
    for result in results:
        alike.setdefault((result.gate, result.passed), []).append(result)
    return [_verdict(found) for found in alike.values()]


def _verdict(results: Sequence[GateResult]) -> Verdict:
    first, *others = results
    if not others:
        return Verdict(first.passed, str(first))
    keys = [result.subject.split(", ") for result in results]
    shared = [key for key in keys[0] if all(key in own for own in keys)]
    whose = (", ".join(key for key in own if key not in shared) for own in keys)
    each = [
        ": ".join(filter(None, (of, one.said.removeprefix("it is ")))) for of, one in zip(whose, results, strict=True)
    ]
    about = f" ({', '.join(shared)})" if shared else ""
    sure = "" if any(map(surely, results)) else ", but uncertain"
    return Verdict(first.passed, f"{first.verdict}{sure}{about}: {first.gate}", each)


def surely(result: GateResult) -> bool:
    """Whether the interval leaves no doubt about a gate's verdict, as far as it is known."""
    return _MAY_BE not in result.said


def told_gates(report: Report) -> tuple[Sequence[GateResult], str]:
    """The gates that are told, of many the first that fail; and of many a sentence on how many pass or fail."""
    if len(report.gates) <= _MANY_GATES:
        return report.gates, ""
    failed = [one for one in report.gates if not one.passed]
    if not failed:
        unsure = len(report.gates) - sum(map(surely, report.gates))
        asked = list(dict.fromkeys(one.gate for one in report.gates))
        named = len(asked) <= _FIRST_FAILED
        many = f"{len(report.gates):,}"
        all_met = f"{joined(asked)}; all {many} figures meet this" if named else f"all {many} gates are met"
        if not unsure:
            return (), f"PASS: {all_met}"
        every = unsure == len(report.gates)
        whose = (
            f"all {many} intervals also include"
            if every
            else f"{unsure:,} of their intervals also include{'s' * (unsure == 1)}"
        )
        return (), f"PASS, but uncertain: {all_met}, but {whose} values that fail"
    among = ", these among them" if len(failed) > _FIRST_FAILED else ""
    return failed[:_FIRST_FAILED], f"{len(failed):,} of {len(report.gates):,} gates fail{among}:"
