"""What saved runs say of the next one."""

import numpy as np
import polars as pl
import pytest

import adjudge as library
from adjudge.api.reports import runs_of
from adjudge.errors import OptionError
from adjudge.evaluations import view_of
from adjudge.metrics.planning import pilots
from adjudge.metrics.run_matching import match_runs


@pytest.fixture
def scored(tmp_path):
    """Saves a run of preferences on one criterion: labels by item, all gold labels being A."""

    def save(name, labels, prompts=None):
        ids = [f"i{number}" for number in range(len(labels))]
        gold = pl.DataFrame({"id": ids, "safety_preference": "A", "prompt": prompts or ids})
        said = pl.DataFrame({"id": ids, "safety_preference": labels})
        path = tmp_path / f"{name}.parquet"
        cluster = "prompt" if prompts else None
        library.preferences(gold, [said], criteria=["safety"], cluster=cluster, system=["s"], save_items=path)
        return path

    return save


def known(*paths):
    read = runs_of(paths)
    [data] = match_runs(read[0], read[-1], {"s": "s"}, view_of("preferences"))
    return {one["metric"]: one["pilot"] for one in pilots(data)}


def test_a_run_tells_the_value_and_the_variance_of_single_items(scored):
    pilot = known(scored("one", ["A"] * 8 + ["B"] * 2))["accuracy"]
    assert pilot.value == 0.8
    assert pilot.item_variance == pytest.approx(0.8 * 0.2)
    assert (pilot.items, pilot.clusters, pilot.design_effect, pilot.discordant) == (10, None, None, None)


def test_two_runs_tell_how_often_judges_differ(scored):
    first, second = ["A", "A", "A", "A", "B", "B", "A", "A"], ["A", "A", "B", "B", "A", "B", "A", "A"]
    pilot = known(scored("one", first), scored("two", second))["accuracy"]
    gaps = np.array([0, 0, -1, -1, 1, 0, 0, 0])
    assert pilot.discordant == pytest.approx(3 / 8)
    assert pilot.difference_variance == pytest.approx(gaps.var())
    assert pilot.value == 6 / 8


def test_clusters_that_are_alike_count_once(scored):
    labels = ["A", "A", "B", "B", "A", "A", "B", "B"]
    pilot = known(scored("one", labels, ["p", "p", "q", "q", "r", "r", "s", "s"]))["accuracy"]
    assert pilot.clusters == 4
    assert pilot.design_effect == pytest.approx(2 * 4 / 3)  # pairs that are alike, and C / (C - 1)


def test_a_plan_takes_all_of_it_from_runs(scored):
    one, two = scored("one", ["A"] * 80 + ["B"] * 20), scored("two", ["A"] * 70 + ["B"] * 30)
    planned = library.plan(metric="accuracy", width=0.1, detect=0.1, pilot=[one, two])
    by_hand = library.plan(metric="accuracy", expected=0.8, width=0.1, detect=0.1, discordant=0.1)
    assert [row.items for row in planned.rows] == [row.items for row in by_hand.rows]
    alone = library.plan(metric="accuracy", width=0.1, pilot=one)
    assert alone.rows[0].items == library.plan(metric="accuracy", expected=0.8, width=0.1).rows[0].items


def test_a_difference_that_one_run_cannot_tell_takes_a_second(scored):
    with pytest.raises(OptionError, match="or a pilot of two runs"):
        library.plan(metric="balanced_accuracy", detect=0.1, pilot=scored("one", ["A"] * 8 + ["B"] * 2))


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("accurracy", r"has no .accurracy.\nfound: .*\nfix:   metric accuracy"),
        ("accuracy[criterion=taste]", r"no accuracy of criterion .taste.\nfound: safety, average"),
        ("accuracy[", "expected a metric, or one with keys"),
    ],
)
def test_what_a_pilot_cannot_tell_is_said(scored, metric, said):
    with pytest.raises(OptionError, match=said):
        library.plan(metric=metric, width=0.1, pilot=scored("one", ["A", "B"]))


def test_one_of_several_figures_must_be_named(tmp_path):
    gold = pl.DataFrame({"id": ["1", "2"], "safety_preference": ["A", "B"], "relevance_preference": ["A", "B"]})
    items = tmp_path / "i.parquet"
    library.preferences(gold, [gold, gold], criteria=["safety", "relevance"], system=["s", "t"], save_items=items)
    with pytest.raises(OptionError, match=r"2 rows answer to accuracy in i\nfix: +metric accuracy\[judge=s\]"):
        library.plan(metric="accuracy", width=0.1, pilot=items)
    with pytest.raises(OptionError, match="expected one saved run, or two"):
        library.plan(metric="accuracy", width=0.1, pilot=[])
