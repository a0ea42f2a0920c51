"""The alternative annotator test against the numbers that its authors publish, and against a literal reading of it."""

from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from scipy import stats

import adjudge
from made import DATA


def table_of(rows):
    return pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")


def mtbench():
    """Votes on MT-Bench (Zheng et al. 2023, CC BY 4.0) as Calderon et al. 2025 publish them.

    A line per annotator: each pair of answers (question and opponent of gpt-3.5-turbo) with the votes on both turns.
    """
    rows = []
    for line in (DATA / "card" / "mtbench.txt").read_text().splitlines():
        who, *words = line.split()
        pairs = zip(words[::2], words[1::2], strict=True)
        rows += [(f"{pair}-{turn}", who, vote) for pair, votes in pairs for turn, vote in enumerate(votes, 1)]
    return table_of(rows)


def test_published_numbers_come_out():
    """Notebook alt_test_example of github.com/nitaytech/AltTest: epsilon 0.2, winning rate, advantage probability."""
    report = adjudge.card(mtbench(), judges="gemini*")
    published = {"gemini_flash": (0.00, 0.72), "gemini_pro": (0.00, 0.76)}
    for judge, expected in published.items():
        names = ("winning_rate", "advantage_probability")
        found = tuple(round(report.estimate(name, table="judges", judge=judge).value, 2) for name in names)
        assert found == expected


def wins(labels, people, score):
    """Each person -> item by item, whether the judge does as well as the person, and the person as well as the judge."""
    found = {}
    for one in people:
        judge, person = found.setdefault(one, ([], []))
        for said in labels.values():
            others = [said[name] for name in people if name in said and name != one]
            if one in said and "gpt" in said and others:
                ours, theirs = score(said["gpt"], others), score(said[one], others)
                judge.append(ours >= theirs)
                person.append(theirs >= ours)
    return found


def same(label, others):
    return sum(label == one for one in others) / len(others)


def near(label, others):
    return -round((sum((float(label) - float(one)) ** 2 for one in others) / len(others)) ** 0.5, 9)


@pytest.mark.parametrize(("score", "level"), [(same, "nominal"), (near, "interval")])
def test_it_is_what_the_paper_says_item_by_item(score, level):
    draw, people = np.random.default_rng(3), ["ana", "ben", "cy", "dan"]
    rows = [
        (f"i{place}", who, str(int(np.clip(round(true + draw.normal(0, 1)), 1, 5))))
        for place, true in enumerate(draw.integers(1, 6, 120))
        for who in [*people, "gpt"]
        if draw.random() < 0.8
    ]
    labels = defaultdict(dict)
    for item, who, label in rows:
        labels[item][who] = label
    report = adjudge.card(table_of(rows), judges="gpt", level=level, epsilon=0.15)
    tested = report["alternative_test"].filter(metric="advantage")
    found = {row["person"]: (row["value"], row["p"]) for row in tested.to_dicts()}
    expected = wins(labels, people, score)
    assert found.keys() == expected.keys()
    for one, (judge, person) in expected.items():
        test = stats.ttest_1samp(np.array(person, float) - np.array(judge, float), 0.15, alternative="less")
        assert found[one] == pytest.approx((np.mean(judge), test.pvalue), rel=1e-9)
