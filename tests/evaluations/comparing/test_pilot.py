"""What saved runs say of the next one."""

import numpy as np
import polars as pl
import pytest

import karat as library
from karat.errors import OptionError
from karat.evaluations.comparing import pairing
from karat.evaluations.comparing.joining import joined
from karat.evaluations.comparing.pilot import pilots
from karat.formats.saved_runs import read_runs


@pytest.fixture
def scored(tmp_path):
    """Saves a run of preferences on one criterion: labels by item, all gold labels being A."""

    def save(name, labels, prompts=None):
        ids = [f"i{number}" for number in range(len(labels))]
        gold = pl.DataFrame({"id": ids, "safety_preference": "A", "prompt": prompts or ids})
        said = pl.DataFrame({"id": ids, "safety_preference": labels})
        path = tmp_path / f"{name}.parquet"
        cluster = "prompt" if prompts else None
        library.preferences(gold, [said], criteria=["safety"], cluster=cluster, system=["s"], items=path)
        return path

    return save


def known(*paths):
    read = read_runs(paths)
    how = pairing("preferences")
    return {one.metric: one.pilot for one in pilots(joined(read[0], read[-1], {"s": "s"}, how), how)}


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
    planned = library.plan("accuracy", width=0.1, detect=0.1, pilot=[one, two])
    by_hand = library.plan("accuracy", expected=0.8, width=0.1, detect=0.1, discordant=0.1)
    assert [row.items for row in planned.rows] == [row.items for row in by_hand.rows]
    alone = library.plan("accuracy", width=0.1, pilot=one)
    assert alone.rows[0].items == library.plan("accuracy", expected=0.8, width=0.1).rows[0].items


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("accurracy", "has no accurracy .did you mean"),
        ("accuracy[criterion=taste]", "no row answers to accuracy"),
        ("accuracy[", "expected a figure, or one with keys"),
    ],
)
def test_what_a_pilot_cannot_tell_is_said(scored, metric, said):
    with pytest.raises(OptionError, match=said):
        library.plan(metric, width=0.1, pilot=scored("one", ["A", "B"]))


def test_one_of_several_figures_must_be_named(tmp_path):
    gold = pl.DataFrame({"id": ["1", "2"], "safety_preference": ["A", "B"], "relevance_preference": ["A", "B"]})
    library.preferences(gold, [gold], criteria=["safety", "relevance"], system=["s"], items=tmp_path / "i.parquet")
    with pytest.raises(OptionError, match=r"2 rows answer.*accuracy\[criterion=safety\]"):
        library.plan("accuracy", width=0.1, pilot=tmp_path / "i.parquet")
    with pytest.raises(OptionError, match="expected one saved run, or two"):
        library.plan("accuracy", width=0.1, pilot=[])
