"""What reports say is to be done next, against tables made by hand."""

import re
from dataclasses import replace

import polars as pl
import pytest

import karat
from karat.render.next_steps import what_next
from karat.report import FIGURE, GateResult, typed_table
from made import EXAMPLES
from made_conclusions import TESTED, annotators, row, systems
from made_reports import advised, made_report


def test_the_worst_annotator_is_seen_to_before_more_items_are_labelled():
    """MOVER: .7 (.31 to .88). ana and ben: hypot(.18, .04) is .184 below .02, hypot(.04, .2) above: out of reach."""
    report = annotators(
        ("ana", 0.95, 0.77, 0.99, 40, None), ("ben", 0.93, 0.73, 0.97, 40, None), ("dev", 0.25, 0.07, 0.59, 40, None)
    )
    assert advised(report) == ("Read what dev gets wrong.",)


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (
            0.05,
            "Collect about 530 items instead of 100: they would probably tell north from south, if the difference is what it seems.",
        ),
        (
            0.005,
            "Choose between north and south on other grounds, such as cost: far more than 100 items would be needed to tell them apart.",
        ),
    ],
)
def test_more_items_are_asked_for_where_they_are_within_reach(apart, said):
    """The standard error is .08 / 1.96: 2.8016 times it is .1143; over .05, squared, 523 items, and over .005, 52,300."""
    limits = apart - 0.08, apart + 0.08
    between = ("south", "north", apart, *limits, 0.3, 0.75)
    assert advised(systems(("north", 0.75 + apart), ("south", 0.75), differences=[between])) == (said,)


def test_a_system_is_taken_that_is_better_than_all_others_and_than_the_best_baseline():
    found = [("south", "north", 0.3, 0.2, 0.4, 0.001, 0.5), ("baseline:majority", "north", 0.2, 0.1, 0.3, 0.001, 0.6)]
    both = ("north", 0.8), ("south", 0.5)
    assert advised(systems(*both, differences=found)) == ("Choose north, which is shown to be better.",)
    level = [found[0], ("baseline:majority", "north", 0.0, -0.1, 0.1, 1.0, 0.8)]
    assert advised(systems(*both, differences=level)) == (
        "Do not rely on north before it is shown to be better than baseline:majority.",
    )


def test_a_system_is_not_taken_while_one_with_few_labels_is_ahead_of_it():
    """Of six, north is told from the four that follow, and not from the one that has few labels and a higher figure."""
    others = [("e", 0.5), ("d", 0.5), ("c", 0.5), ("b", 0.5)]
    found = [(name, "north", 0.4, 0.3, 0.5, 0.001, 0.5) for name, _ in others]
    ahead = ("north", "few", 0.05, -0.2, 0.2, 1.0, 0.9)
    report = systems(("few", 0.95), ("north", 0.9), *others, differences=[*found, ahead])
    rows = [one | {"note": "few_items" if one["system"] == "few" else None} for one in report["scores"].to_dicts()]
    tables = {**report.tables, "scores": typed_table(rows, report["scores"].columns)}
    assert not any(line.startswith("Choose north") for line in advised(replace(report, tables=tables)))
    alone = systems(("north", 0.9), *others, differences=found)
    assert advised(alone) == ("Choose north, which is shown to be better.",)


def test_more_items_tell_the_first_two_apart_whoever_is_ahead_by_few_labels():
    """z is 2.394 + .8416 (the smallest p of three) times .08 / 1.96 over .05, squared, of 100 items: 700."""
    found = [("south", "north", 0.05, -0.03, 0.13, 0.3, 0.75)]
    found += [(low, high, 0.3, 0.2, 0.4, 0.001, 0.5) for low in ("c", "d") for high in ("north", "south")]
    report = systems(("few", 0.95), ("north", 0.8), ("south", 0.75), ("c", 0.5), ("d", 0.5), differences=found)
    rows = [one | {"note": "few_items" if one["system"] == "few" else None} for one in report["scores"].to_dicts()]
    tables = {**report.tables, "scores": typed_table(rows, report["scores"].columns)}
    (said,) = [line for line in advised(replace(report, tables=tables)) if "north from south" in line]
    assert said.startswith("Collect about ")


def three(**ahead):
    """Systems: north, middle and south. ahead: of each two, such as north_south, by how much, and p."""
    values = {"north": 0.8, "middle": 0.7, "south": 0.6}
    compared = [(pair.split("_"), *found) for pair, found in ahead.items()]
    found = [(other, one, gap, gap - 0.08, gap + 0.08, p, values[other]) for (one, other), gap, p in compared]
    return systems(*values.items(), differences=found)


def test_a_system_that_is_told_from_some_others_alone_is_not_taken():
    """The smallest of three p: z is 2.394 + .8416 times .08 / 1.96 over .02, squared: 43.6 times the items there are."""
    found = {"north_south": (0.2, 0.001), "middle_south": (0.18, 0.001), "north_middle": (0.02, 0.6)}
    assert advised(three(**found)) == (
        "Choose between north and middle on other grounds, such as cost: far more than 100 items would be needed to tell them apart.",
    )


def test_fewer_items_than_there_are_are_never_asked_for():
    """The interval alone would tell them apart, but not the p, which is adjusted: 13 items would do, of 100."""
    between = ("south", "north", 0.2, 0.15, 0.25, 0.06, 0.6)
    assert advised(systems(("north", 0.8), ("south", 0.6), differences=[between])) == ()


def test_annotators_without_an_interval_are_told_from_nobody():
    known = ("ana", 0.95, 0.9, 0.99, 40, None), ("dev", 0.25, 0.1, 0.4, 40, None)
    assert advised(annotators(*known, ("ben", 0.0, None, None, 40, None))) == advised(annotators(*known))


def test_systems_behind_the_one_to_take_need_not_be_told_apart():
    found = {"north_south": (0.2, 0.001), "north_middle": (0.18, 0.001), "middle_south": (0.05, 0.3)}
    assert advised(three(**found)) == ("Choose north, which is shown to be better.",)


def test_where_low_is_good_the_lower_is_taken():
    report = three(north_south=(0.2, 0.001), middle_south=(0.1, 0.001), north_middle=(0.1, 0.001))
    lower = {**report.about.metrics, "accuracy": replace(report.about.metrics["accuracy"], better="low")}
    assert advised(replace(report, about=replace(report.about, metrics=lower)))[-1] == (
        "Choose south, which is shown to be better."
    )


def test_nothing_follows_from_differences_of_systems_without_a_figure():
    report = three(north_south=(0.2, 0.001))
    nobody = report["scores"].with_columns(pl.lit(None, pl.Float64).alias(name) for name in ("value", "low", "high"))
    assert advised(replace(report, tables={**report.tables, "scores": nobody})) == ()


def test_of_annotators_those_behind_the_first_are_told_apart_too():
    """MOVER: .04 (hypot(.05, .04) = .0640 below, hypot(.04, .04) = .0566 above), of three p. The standard error is
    .0603 / 1.96: 3.2355 times it, over .04, is 2.49, squared 6.19 times the 40 items: 248.
    """
    first = ("ana", 0.97, 0.95, 0.99, 40, None)
    behind = ("ben", 0.44, 0.39, 0.48, 40, None), ("dev", 0.4, 0.36, 0.44, 40, None)
    said = advised(annotators(first, *behind))
    assert said[0] == "Read what dev gets wrong."
    assert said[1] == (
        "Bring ben and dev to about 250 items each: if the difference is what it seems, that would probably tell them apart."
    )


def test_of_two_annotators_the_one_with_too_few_items_is_given_more():
    """Ana has 14 right of 24, dev 1 of 6, with Wilson's intervals: 19 each would do, which ana has already."""
    dev, ana = ("dev", 1 / 6, 0.0301, 0.5635, 6, None), ("ana", 14 / 24, 0.3883, 0.7553, 24, None)
    (step,) = [one for one in advised(annotators(ana, dev)) if "tell" in one]
    assert step == (
        "Bring dev to about 19 items: if the difference is what it seems, that would probably tell dev from ana."
    )


def test_nobody_is_told_from_the_end_of_a_long_tie():
    alike = [(name, 0.44 - at / 100, 0.39, 0.48, 40, None) for at, name in enumerate("abcde")]
    assert any("Bring a and d to about" in step for step in advised(annotators(*alike[:4])))
    assert advised(annotators(*alike)) == ()


@pytest.mark.parametrize("change", [-0.2, 0.2])
def test_a_change_of_which_nothing_says_that_it_is_good_or_bad_leads_to_nothing(change):
    names = ["first", "second", "judge", "reference", *TESTED]
    of = {"first": "old", "second": "new", "judge": "long", "reference": "gpt", "metric": "strength"}
    compared = row(names, **of, value=change, low=change - 0.1, high=change + 0.1, p=0.001, p_adjusted=0.001)
    assert advised(made_report("annotations", {"comparison": typed_table([compared])})) == ()


def models(*figures, noise_ratio=0.0):
    """North beside south in two abilities. figures: of each by how much north is ahead, p, and the interval."""
    keys = ["model", "ability", "noise_ratio", "scorer"]
    scores, compared = [], []
    named = (("noise_robustness", "accuracy"), ("negative_rejection", "rejection_rate"))
    for (ability, metric), (gap, p, low, high) in zip(named, figures, strict=True):
        of = {"ability": ability, "noise_ratio": noise_ratio, "scorer": "strict", "metric": metric}
        for name, value in (("north", 0.5 + gap), ("south", 0.5)):
            scores.append(row([*keys, *FIGURE], **of, model=name, value=value, low=value - 0.1, high=value + 0.1))
        sides = {"compared": "models", "first": "south", "second": "north", "p": p, "p_adjusted": p}
        found = {**of, **sides, "value": gap, "low": low, "high": high}
        compared.append(row(["compared", *keys, "first", "second", *TESTED], **found))
    return made_report("rag", {"scores": typed_table(scores), "differences": typed_table(compared)})


def test_nobody_is_taken_for_one_of_two_figures():
    # 2.8016 * .2 / 1.96 over .1, squared: 8.17 times the items there are
    assert advised(models((0.4, 0.001, 0.3, 0.5), (0.1, 0.2, -0.1, 0.3))) == (
        "Collect about 820 questions instead of 100: they would probably tell north from south, if the difference is what it seems.",
    )


def test_where_each_is_better_in_one_figure_somebody_has_to_decide_which_counts_more():
    assert advised(models((0.4, 0.001, 0.3, 0.5), (-0.3, 0.001, -0.4, -0.2))) == (
        "Decide which figure counts more: north is shown to be better in accuracy, south in declined unanswerable questions.",
    )


@pytest.mark.parametrize("noise_ratio", [0.4, None])
def test_one_that_is_better_in_both_figures_is_taken(noise_ratio):
    assert advised(models((0.4, 0.001, 0.3, 0.5), (0.3, 0.001, 0.2, 0.4), noise_ratio=noise_ratio)) == (
        "Choose north, which is shown to be better.",
    )


def test_nobody_decides_which_figure_counts_more_before_a_file_that_says_nothing_is_looked_at():
    keys, of = ["checker", "variant", "average"], {"variant": "ha", "average": "micro"}
    scores, compared = [], []
    for metric, gap in (("match_score", 0.3), ("f1", -0.3)):
        for name, value in (("careful", 0.5 + gap), ("eager", 0.5)):
            limits = {"low": value - 0.1, "high": value + 0.1}
            scores.append(row([*keys, *FIGURE], **of, checker=name, metric=metric, value=value, **limits))
        found = {"value": gap, "low": gap - 0.1, "high": gap + 0.1, "p": 0.001, "p_adjusted": 0.001}
        sides = {"first": "eager", "second": "careful"}
        compared.append(row([*keys[1:], *sides, *TESTED], **of, **sides, metric=metric, **found))
    tables = {"scores": typed_table(scores), "differences": typed_table(compared)}
    assert advised(made_report("violations", tables)) == (
        "Decide which figure counts more: careful is shown to be better in match score, eager in F1.",
    )
    given = (
        ("careful", "precision", 30),
        ("careful", "recall", 30),
        ("eager", "precision", 0),
        ("eager", "recall", 30),
    )
    by_rule = [
        row(["checker", "variant", "rule", *FIGURE], checker=name, variant="ha", rule="praise", metric=metric, n=n)
        for name, metric, n in given
    ]
    assert advised(made_report("violations", {**tables, "by_rule": typed_table(by_rule)})) == (
        "Check the violations of eager in the file before you trust its figures.",
    )


def test_what_is_missing_comes_before_what_it_may_change():
    lacking = [("quick", (0.6, 0.75)), ("careful", (0.7, 0.72))]
    apart = [("quick", "careful", 0.1, 0.05, 0.15, 0.001, 0.6)]
    assert advised(systems(("quick", 0.6), ("careful", 0.7), bounds=lacking, differences=apart)) == (
        "Get the labels that quick left out.",
        "Choose careful, which is shown to be better.",
    )


@pytest.mark.parametrize(("highest", "first"), [(0.68, "Choose careful"), (0.7, "Get the labels")])
def test_what_is_missing_comes_last_where_it_cannot_change_the_choice(highest, first):
    """The interval of careful begins at 0.69: quick stays below it with all that it left out right, or passes it."""
    apart = [("quick", "careful", 0.19, 0.05, 0.3, 0.001, 0.6)]
    steps = advised(systems(("quick", 0.6), ("careful", 0.79), bounds=[("quick", (0.6, highest))], differences=apart))
    assert [len(steps), steps[0].startswith(first)] == [2, True]


def test_few_items_alone_ask_for_more():
    report = annotators(("ana", 0.9, 0.85, 0.95, 9, "few_items"))
    assert advised(report) == ("Collect more items before you rely on these figures: 10 items are too few.",)


def test_few_texts_ask_for_as_many_as_tell_two_apart_by_the_figure_that_takes_the_fewest():
    """Of match scores the table holds more than 20 times the 6 texts, of F1 too: both are more than is within reach."""
    checkers = EXAMPLES / "violations"
    report = karat.violations(checkers / "truth.jsonl", [checkers / "careful.jsonl", checkers / "eager.jsonl"])
    (said,) = report.advice
    found = [line for line in report.conclusion if "texts would probably show" in line]
    needed = [int(re.search(r"about ([\d,]+) texts", line)[1].replace(",", "")) for line in found]
    assert [len(found), min(needed)] == [2, needed[1]]
    assert said == (
        f"Collect more texts before you rely on these figures: 6 texts are too few, and about {needed[1]} would probably tell "
        "careful from eager by F1, if the difference is what it seems."
    )


def test_the_sign_that_takes_the_fewest_more_pairs_is_named():
    """Of two tests z = 2.2414 and 80 % power .8416; for .2 and .1: (3.083 * .15 / (1.96 * .2))^2 is 1.392 times 100."""
    keys = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    rows = [
        row(
            keys,
            annotator=one,
            reference="lena",
            metric="strength",
            value=value,
            low=value - 0.15,
            high=value + 0.15,
            p=0.1,
            p_adjusted=0.2,
        )
        for one, value in (("kind", 0.1), ("long", -0.2))
    ]
    assert advised(made_report("annotations", {"agreement": typed_table(rows)})) == (
        'To find out whether the strength of "long" differs from 0, collect about 140 pairs instead of 100; that would probably be enough, if its true strength is about the one measured.',
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (-0.1, "Read the items that changed for the worse from old to new."),
        (0.1, "Choose new, which is shown to be better."),
    ],
)
def test_a_run_that_is_worse_is_read_and_a_better_one_taken(change, said):
    names = ["first", "second", "judge", "criterion", *TESTED]
    of = {"first": "old", "second": "new", "judge": "north", "criterion": "safety", "metric": "accuracy"}
    compared = row(names, **of, value=change, low=change - 0.05, high=change + 0.05, p=0.001, p_adjusted=0.001)
    assert advised(made_report("preferences", {"comparison": typed_table([compared])})) == (said,)


def test_two_runs_that_are_better_in_one_figure_are_no_matter_of_which_figure_counts():
    names = ["first", "second", "judge", "criterion", *TESTED]
    of = {"first": "old", "judge": "north", "criterion": "safety", "metric": "accuracy", "p": 0.001}
    compared = [
        row(names, **of, second=run, value=gain, low=gain - 0.05, high=gain + 0.05, p_adjusted=0.002)
        for run, gain in (("new", 0.1), ("newest", 0.2))
    ]
    assert advised(made_report("preferences", {"comparison": typed_table(compared)})) == ()
    assert advised(made_report("preferences", {"comparison": typed_table(compared[1:])})) == (
        "Choose newest, which is shown to be better.",
    )


def test_published_values_ask_for_their_items_and_annotators_for_a_talk():
    points = typed_table(
        [row(["system", *FIGURE], system=one, metric="borda", value=2.0, note="published") for one in "xy"]
    )
    (said,) = advised(made_report("preferences", {"ranks": points}))
    assert said.startswith("Ask for the single items behind these values")
    pairs = [("a", "b", 0.5), ("a", "c", 0.8), ("b", "c", 0.6)]
    keys = ["checker", "reference", "variant", *FIGURE]
    match = [row(keys, checker=one, reference=two, variant="std", metric="f1", value=f1) for one, two, f1 in pairs]
    assert advised(made_report("violations", {"annotators": typed_table(match)})) == (
        "Go through the texts on which a and b differ.",
    )


def test_a_label_that_one_side_alone_knows_is_looked_at_first():
    counts = pl.DataFrame(
        {"annotator": ["ana"] * 3, "label": ["a", "c", "b"], "reference_label": ["a", "b", "b"], "count": [20, 9, 20]}
    )
    report = annotators(("ana", 0.8, 0.77, 0.84, 400, None))
    assert advised(replace(report, tables={**report.tables, "confusion": counts})) == (
        'See whether "c" is another spelling of a known label; --values maps one to the other.',
    )


def test_who_fails_a_gate_is_to_be_seen_to():
    report = replace(systems(("north", 0.8)), advice=("Choose north.",))
    gates = [GateResult("", f"system {one}", "0.8", passed=one == "east") for one in ("east", "north")]
    seen_to = "Find out why the gate fails for system north before you rely on it."
    assert what_next(replace(report, gates=gates)) == f"{seen_to} Choose north."
    assert "Find out why 2 gates fail (first system north) before you go on." in what_next(
        replace(report, gates=[*gates, gates[1]])
    )
    unnamed = GateResult("accuracy must not fall", "", "b minus a is −3.0 pp", passed=False)
    alone = replace(report, advice=(), gates=(unnamed,))
    assert what_next(alone) == "Find out why the gate fails before you go on."
    assert what_next(replace(report, advice=(), gates=gates[:1])) == "Nothing needs to be done: all gates pass."
    assert what_next(replace(report, advice=())) == ""


def test_a_criterion_on_which_no_system_reaches_one_label_is_not_to_be_relied_on():
    """Of 60 items 57 are safe both, by people; careful says so of fewer."""
    gold, careful = (EXAMPLES / "preferences" / name for name in ("gold.jsonl", "careful.tsv"))
    said = 'For criterion safety, do not rely on any system: none is right as often as a constant "both good".'
    assert said in karat.preferences(gold, careful).advice
    assert said not in karat.preferences(gold, gold, system="same").advice
