"""`adjudge plan` and `adjudge.plan`."""

import json

import pytest

import adjudge as library
from adjudge.errors import OptionError
from adjudge.estimate import Caveat
from adjudge.evaluations import NAMES, declaration_of
from adjudge.statistics.planning import Pilot, paired_difference_power, proportion_width


def test_a_width_takes_items(adjudge):
    assert adjudge("plan", "--metric", "accuracy", "--expected", "0.8", "--width", "0.1") == (
        0,
        "263 items give a 95% CI at most 10 pp wide around accuracy 80% (in 80% of samples, Wilson).\n",
        "",
    )


def test_a_width_holds_as_probably_as_asked(adjudge):
    _, printed, _ = adjudge("plan", "--expected", "0.8", "--width", "0.1", "--assurance", "0.5")
    assert printed.startswith("245 items give a 95% CI at most 10 pp wide around accuracy 80% (in 50% of samples")
    with pytest.raises(OptionError, match="assurance: expected a number between 0 and 1"):
        library.plan(expected=0.8, width=0.1, assurance=1)


def test_a_difference_takes_items_and_says_what_it_depends_on(adjudge):
    _, printed, _ = adjudge("plan", "--expected", "0.8", "--detect", "0.03")
    assert "2,631 items show a difference of 3 pp with power 0.8, if 30.2% of them are discordant" in printed
    assert "as where two judges err independently" in printed
    assert "between 223 items at 3%, the least it can be, and 3,224 items at 37%, the most" in printed


def test_a_known_share_of_discordant_items_gives_one_answer(adjudge):
    _, printed, _ = adjudge("plan", "--detect", "0.03", "--discordant", "0.12")
    assert printed.startswith("1,037 items show a difference of 3 pp with power 0.8, if 12% of them are discordant")
    assert printed.count("\n") == 1


def test_items_show_a_width_and_a_difference(adjudge):
    _, printed, _ = adjudge("plan", "--expected", "0.8", "--items", "500")
    assert "500 items give a 95% CI at most 7.19 pp wide around accuracy 80% (in 80% of samples" in printed
    assert "500 items show a difference of 6.6 pp with power 0.8" in printed
    assert "between 1.34 pp, the least it can be, and 7.15 pp, the most" in printed


def test_json_is_the_library_s(adjudge):
    status, printed, _ = adjudge("plan", "--expected", "0.8", "--width", "0.1", "--detect", "0.05", "--format", "json")
    plan = library.plan(expected=0.8, width=0.1, detect=0.05)
    assert (status, printed) == (0, plan.to_json())
    rows = json.loads(printed)["rows"]
    assert [row["assumption"] for row in rows] == [None, "independent", "least", "most"]
    assert rows[0]["width"] == proportion_width(263, 0.8, assurance=0.8) <= 0.1
    assert rows[1]["power"] == paired_difference_power(rows[1]["items"], 0.05, rows[1]["discordant"]) >= 0.8
    assert rows[2]["items"] < rows[1]["items"] < rows[3]["items"]


def test_other_figures_take_a_standard_deviation(adjudge):
    words = "plan --metric kappa --sd 0.8 --expected 0.6 --width 0.1 --detect 0.05"
    _, printed, _ = adjudge(*words.split())
    assert "1,023 items give a 95% CI at most 0.1 wide around kappa 0.6, if single" in printed
    assert "2,012 items show a difference of 0.05 with power 0.8, if the differences of single items have" in printed


def test_kappa_with_a_chance_of_one_half_is_twice_as_wide_as_accuracy():
    """Kappa = 2 accuracy - 1: a single item adds 1 or -1, with the standard deviation 2 sqrt(.8 x .2) = .8."""
    kappa = library.plan(metric="kappa", sd=0.8, items=1000, assurance=0.5).rows[0]
    accuracy = library.plan(expected=0.8, items=1000, assurance=0.5).rows[0]
    assert kappa.width == pytest.approx(2 * accuracy.width, rel=0.005)


def test_few_items_are_noted_and_may_show_nothing(adjudge):
    _, printed, _ = adjudge("plan", "--expected", "0.8", "--items", "4")
    assert "Note: few items." in printed
    assert "4 items show no difference with power 0.8" in printed
    assert "Without knowing" not in printed
    row = library.plan(expected=0.8, items=20, discordant=0.5).rows[1]
    assert row.caveats == (Caveat.FEW_DISCORDANT_ITEMS,)


def test_where_none_can_be_better_the_other_judge_is_worse():
    row = library.plan(expected=0.98, detect=0.05).rows[0]
    assert (row.caveats, round(row.discordant, 4)) == ((Caveat.OTHER_IS_WORSE,), 0.0872)
    found = library.plan(expected=0.98, items=100).rows[1]
    assert found.difference > 0.02
    assert found.power == pytest.approx(0.8, abs=1e-6)


def test_a_pilot_tells_what_is_not_given():
    pilot = Pilot(value=0.8, design_effect=1.8, items=500, clusters=100, discordant=0.12)
    plan = library.plan(width=0.1, detect=0.03, pilot=pilot)
    assert [(row.items, row.clusters) for row in plan.rows] == [(505, 101), (1890, 378)]
    assert "Note: fewer than 100 clusters." in str(library.plan(width=0.1, assurance=0.5, pilot=pilot))
    assert library.plan(width=0.1, expected=0.5, pilot=pilot).expected == 0.5


def test_a_pilot_tells_the_variances_of_other_figures():
    pilot = Pilot(value=0.6, item_variance=0.64, difference_variance=0.25, items=100, clusters=100)
    plan = library.plan(metric="f1", width=0.1, detect=0.05, pilot=pilot)
    assert [row.sd for row in plan.rows] == [0.8, 0.5]
    assert [row.items for row in plan.rows] == [1023, 787]
    assert plan.cluster_size is None
    assert [row.sd for row in library.plan(metric="f1", items=100, sd=0.3, pilot=pilot).rows] == [0.3, 0.3]


def test_every_figure_is_planned_or_refused():
    for name in NAMES:
        for metric, about in declaration_of(name).metrics.items():
            if about.decimals is not None:
                with pytest.raises(OptionError, match="metric"):
                    library.plan(metric=metric, expected=0.5, width=0.1)
            elif about.share:
                assert library.plan(metric=metric, expected=0.5, width=0.1).rows[0].method == "wilson"
            else:
                assert library.plan(metric=metric, sd=0.5, width=0.1).rows[0].method == "t"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--metric items --width .1", "metric: expected a metric"),
        *((f"--metric kappa {way} .1", "sd: is missing: kappa is planned") for way in ("--width", "--detect")),
        ("--expected .8", "expected --width or --detect"),
        ("--width .1", "expected: is missing: the share that accuracy may come to"),
        ("--detect .1", "or discordant"),
        ("--expected .8 --width .1 --items 5", "or --items alone"),
        ("--expected .8 --items 0", "items: expected a whole number, 1 or more; got 0"),
        ("--expected 1.8 --width .1", "expected: expected a number from 0 to 1; got 1.8"),
        ("--expected .8 --width 0", "width: expected a number between 0 and 1; got 0"),
        ("--metric f1 --sd nan --width 1", "sd: expected a number above 0; got nan"),
        ("--metric f1 --expected inf --sd 1 --width 1", "expected: expected a number; got inf"),
        ("--expected .8 --detect .1 --power 1", "power: expected a number between 0 and 1"),
        ("--expected .8 --detect .1 --ci-level 1", "--ci-level: expected a number between 0 and 1"),
        ("--expected .8 --detect .1 --ci-level .3", "--ci-level: expected a number from 0.5 for a test; got 0.3"),
        ("--expected .8 --detect .9", "difference: expected a number from 0 to 0.8"),
        ("--detect .1 --discordant .05", "discordant: expected at least the difference, 0.1; got 0.05"),
        ("--expected .8 --width .1 --discordant .05", "discordant: expected only if two judges' shares"),
        ("--metric f1 --sd 1 --detect .1 --discordant .2", "discordant: expected only if two judges' shares"),
        ("--expected .8 --width .1 --sd 1", "sd: expected none for accuracy"),
    ],
)
def test_wrong_questions_are_refused(adjudge, words, message):
    status, printed, error = adjudge("plan", *words.split())
    assert (status, printed) == (2, "")
    assert message in error
