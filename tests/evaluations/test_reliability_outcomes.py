"""What becomes of every judgment beside several reference judges, by the rules and on random data."""

import random
from collections import Counter, defaultdict

import pytest

import adjudge

LABELS = ("r1", "r2", "tie")


def outcome_of(judged, trusted):
    """What becomes of a verdict beside those of the reference judges. Each verdict is (flagged, label, skipped)."""
    flagged, label, skipped = judged
    if skipped:
        return "skipped"
    speaking = [one for one in trusted if not one[2]]
    flags, choices = {one[0] for one in speaking}, {one[1] for one in speaking if not one[0]}
    if not speaking:
        return "reference_skipped"
    if len(flags) > 1:
        return "reference_flags_differ"
    if flagged or flags == {True}:
        return "both" if flagged and flags == {True} else "annotator_only" if flagged else "reference_only"
    if len(choices) > 1:
        return "reference_choices_differ"
    return "correct" if {label} == choices else "incorrect"


def made(draw):
    """Items, each with the verdicts of annotators by name and those of reference judges in order."""
    flags, skips, labels = draw.choice([0, 0.1, 0.4, 1]), draw.choice([0, 0.2, 0.6]), LABELS[: draw.randint(1, 3)]
    annotators, trusted = draw.randint(1, 5), draw.randint(1, 4)

    def verdict():
        return draw.random() < flags, draw.choice(labels), draw.random() < skips

    for _ in range(draw.randint(1, 12)):
        judges = {f"a{number}": verdict() for number in range(annotators) if draw.random() < 0.8}
        yield judges, {f"q{number}": verdict() for number in range(draw.randint(1, trusted))}


def written_as(verdicts):
    return {
        name: {"item_flag": "Yes" if flag else "No", "best": label, "skipped": skipped}
        for name, (flag, label, skipped) in verdicts.items()
    }


@pytest.mark.parametrize("seed", range(24))
def test_every_judgment_has_the_outcome_that_the_rules_say(written, seed):
    items = [*made(random.Random(seed))]
    expected = defaultdict(Counter)
    for judges, trusted in items:
        for name, judged in judges.items():
            expected[name][outcome_of(judged, trusted.values())] += 1
    if not expected:
        return
    path = written([{"output_values": written_as(judges), "QC": written_as(trusted)} for judges, trusted in items])
    report = adjudge.reliability(path)
    choices = ("correct", "incorrect", "reference_choices_differ")
    flags = ("both", "annotator_only", "reference_only")
    for name, counts in expected.items():
        found = dict(report["flags"].filter(annotator=name).select("outcome", "count").iter_rows())
        assert found == {flag: counts[flag] for flag in flags} | {"neither": sum(counts[one] for one in choices)}
        found = dict(report["deductions"].filter(annotator=name).select("reason", "count").iter_rows())
        assert found == {reason: n for reason, n in counts.items() if reason not in {*choices[:2], *flags}}
        right = report.estimate("reliability", table="annotators", annotator=name)
        assert right.n == counts["correct"] + counts["incorrect"]
        assert right.value == (counts["correct"] / right.n if right.n else None)
