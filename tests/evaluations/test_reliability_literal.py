"""Every count and figure beside a slow, literal reading of the definitions, on random data."""

import random
from collections import Counter, defaultdict

import pytest

import karat

LABELS = ("r1", "r2", "tie")


def one_reference(judges, rule):
    """Status, flag and choice of the trusted judges of an item: (flag, label, skipped) each, in order."""
    speaking = [judge for judge in judges if not judge[2]]
    if not speaking:
        return "skipped", None, None
    if rule == "first":
        speaking = speaking[:1]
    flag = decided([flag for flag, _, _ in speaking], rule)
    if flag is None:
        return "flags", None, None
    choice = None if flag else decided([label for flagged, label, _ in speaking if not flagged], rule)
    return ("choices" if not flag and choice is None else "given"), flag, choice


def decided(values, rule):
    counts = Counter(values).most_common()
    if rule == "majority":
        return counts[0][0] if len(counts) == 1 or counts[0][1] > counts[1][1] else None
    return counts[0][0] if len(counts) == 1 else None


def literal(items, rule, exclude):
    tallies, flagged = defaultdict(Counter), []
    for judges, trusted in items:
        status, flag, choice = one_reference(trusted, rule)
        votes = Counter(label for flagged_, label, skipped in judges.values() if not flagged_ and not skipped)
        top = votes.most_common(2)
        tied = len(top) == 2 and top[0][1] == top[1][1]
        if judges and status in ("given", "choices"):
            flagged.append(flag)
        for name, (ours, label, skipped) in judges.items():
            tallies[name].update(
                ["items", literal_outcome(ours, label, skipped, status, flag, choice, exclude and tied)]
            )
    return tallies, flagged


def literal_outcome(ours, label, skipped, status, flag, choice, without_consensus):
    reasons = {"skipped": "reference_skipped", "flags": "reference_flags_differ"}
    if skipped:
        return "skipped"
    if status in reasons:
        return reasons[status]
    if ours or flag:
        return "both" if ours and flag else "annotator_only" if ours else "reference_only"
    if status == "choices":
        return "reference_choices_differ"
    if without_consensus:
        return "no_consensus"
    return "correct" if label == choice else "incorrect"


def made(draw):
    flags, skips, labels = draw.choice([0, 0.1, 0.4, 1]), draw.choice([0, 0.2, 0.6]), LABELS[: draw.randint(1, 3)]

    def judge():
        return draw.random() < flags, draw.choice(labels), draw.random() < skips

    annotators, trusted = draw.randint(1, 5), draw.randint(1, 4)
    return [
        (
            {f"a{number}": judge() for number in range(annotators) if draw.random() < 0.8},
            [judge() for _ in range(draw.randint(1, trusted))],
        )
        for _ in range(draw.randint(1, 12))
    ]


def document(items):
    def verdict(one):
        flag, label, skipped = one
        return {"item_flag": "Yes" if flag else "No", "best": label, "skipped": skipped}

    return [
        {
            "output_values": {name: verdict(one) for name, one in judges.items()},
            "QC": {f"q{number}": verdict(one) for number, one in enumerate(trusted)},
        }
        for judges, trusted in items
    ]


@pytest.mark.parametrize("seed", range(60))
def test_every_count_and_figure_follows_the_definitions(written, seed):
    draw = random.Random(seed)
    items, rule, exclude = made(draw), draw.choice(["first", "majority", "unanimous"]), draw.random() < 0.5
    tallies, flagged = literal(items, rule, exclude)
    if not tallies:
        return
    report = karat.reliability(written(document(items)), reference_rule=rule, exclude_no_consensus=exclude)
    for name, tally in tallies.items():
        check(report, name, tally)
    share = report.estimate("overall", "reference_flagged")
    assert (share.value, share.n) == ((sum(flagged) / len(flagged), len(flagged)) if flagged else (None, 0))
    total = sum(tallies.values(), Counter())
    pooled = report.estimate("overall", "reliability")
    choices = total["correct"] + total["incorrect"]
    assert pooled.value == (total["correct"] / choices if choices else None)


def check(report, name, tally):
    from statsmodels.stats.proportion import proportion_confint

    outcomes = ("both", "annotator_only", "reference_only", "neither")
    table = report["flags"].filter(report["flags"]["annotator"] == name)
    counts = dict(zip(table["outcome"], table["count"], strict=True))
    leave_choice = tally["reference_choices_differ"] + tally["no_consensus"]
    unflagged = tally["correct"] + tally["incorrect"] + leave_choice
    assert counts == {outcome: tally[outcome] for outcome in outcomes[:3]} | {"neither": unflagged}
    reasons = report["deductions"].filter(report["deductions"]["annotator"] == name)
    known = {"items", "correct", "incorrect", *outcomes}
    assert dict(zip(reasons["reason"], reasons["count"], strict=True)) == {
        reason: count for reason, count in tally.items() if reason not in known
    }
    assert report.estimate("annotators", "items", {"annotator": name}).value == tally["items"]
    for metric, part, whole in (
        ("reliability", tally["correct"], tally["correct"] + tally["incorrect"]),
        ("flag_mismatch", tally["annotator_only"] + tally["reference_only"], sum(counts.values())),
    ):
        found = report.estimate("annotators", metric, {"annotator": name})
        assert found.n == whole
        if whole:
            assert found.value == part / whole
            assert (found.low, found.high) == pytest.approx(proportion_confint(part, whole, method="wilson"), abs=1e-12)
        else:
            assert found.value is None
