"""How many items would tell two judges apart."""

import json
import math

import numpy as np
import pytest

import adjudge
from adjudge.estimate import Estimate
from adjudge.statistics.comparison import mcnemar_mid_p
from adjudge.statistics.planning import items_needed
from adjudge.statistics.strength import paired_difference


def test_as_many_pairs_as_the_sign_test_takes_where_one_judge_always_wins():
    """All are discordant: mid-P of n to 0 is 2^-n, below .05 from 5 on, and below .05 / 3 from 6 on."""
    once = paired_difference(1, 0, 1).estimate
    assert [items_needed(once, tests) for tests in (1, 3)] == [5, 6]


def test_a_difference_that_enough_items_show_needs_no_more():
    assert items_needed(paired_difference(40, 0, 40).estimate, 1) is None
    assert items_needed(paired_difference(3, 3, 40).estimate, 1) is None


def test_the_normal_distribution_tells_how_many_of_many():
    """se = .1 / 1.96; (1.96 + .8416) * se / .05 is 2.8588, squared 8.173 times 100: 817.3."""
    assert items_needed(Estimate(0.05, -0.05, 0.15, n=100, method="t"), 1) == 820


def test_sample_sizes_count_collected_items(tmp_path):
    """24 of 200 texts have a true violation; x finds 18 and y 14 of them, 2 of which x misses.

    Among those texts a difference of 4 / 24 with 8 / 24 discordant takes about 91 (Connor); 91 x 200 / 24 = 758.
    """
    span = [{"start": 0, "end": 4, "rule": "r"}]
    found = {"x": {*range(18)}, "y": {*range(12), 18, 19}}

    def written(name, marked):
        rows = [{"id": f"t{n}", "text": f"text {n}", "violations": span if n in marked else []} for n in range(200)]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path / name

    truth = written("truth.jsonl", {*range(24)})
    files = [written(f"{name}.jsonl", marked) for name, marked in found.items()]
    keys = {"metric": "recall", "variant": "std", "average": "micro"}
    report = adjudge.violations(truth, files)
    row = report["differences"].filter(**keys).row(0, named=True)
    assert (row["n"], row["collected"], row["value"]) == (24, 200, pytest.approx(-4 / 24))
    assert row["needed"] == 760
    paths = []
    for name, path in zip(found, files, strict=True):
        paths.append(tmp_path / f"{name}.json")
        adjudge.violations(truth, path, checker="c", save_items=tmp_path / f"{name}.parquet").save(paths[-1])
    compared = adjudge.compare(paths)["comparison"].filter(**keys).row(0, named=True)
    assert {name: compared[name] for name in ("needed", "collected")} == {
        name: row[name] for name in ("needed", "collected")
    }
    steps = adjudge.history(paths, metric="recall")["steps"]
    assert set(steps["collected"]) == {200}
    (plan,) = adjudge.plan(metric="recall[variant=std,average=micro]", pilot=paths, detect=4 / 24).rows
    assert (plan.items, plan.bearing) == (math.ceil(plan.bearing * 200 / 24), pytest.approx(91, abs=3))
    (_, shown) = adjudge.plan(metric="recall[variant=std,average=micro]", pilot=paths, items=plan.items).rows
    assert shown.difference == pytest.approx(4 / 24, rel=0.02)


def test_as_many_items_as_are_needed_detect_the_difference_in_about_four_of_five_samples():
    """At the data's own rate of 12% of items that bear on it; a difference of 1/6 with 1/3 discordant."""
    difference = paired_difference(2, 6, 24).estimate
    needed = items_needed(difference, 1, 200, discordant=8 / 24)
    random = np.random.default_rng(5)
    bearing = random.binomial(needed, 0.12, 2000)
    discordant = random.binomial(bearing, 1 / 3)
    worse = random.binomial(discordant, 0.25)
    p = [mcnemar_mid_p(a, b) for a, b in zip(discordant - worse, worse, strict=True)]
    assert 0.775 <= np.mean(np.array(p) < 0.05) <= 0.835
