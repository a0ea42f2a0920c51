"""What a report says first: the examples word by word, and what is said of tables made by hand by its numbers."""

import json

import polars as pl
import pytest

import adjudge
from adjudge.evaluations import evaluation, view_of
from adjudge.metrics.conclusions import facts
from adjudge.metrics.next_steps import Action, next_steps
from adjudge.metrics.ranking import Separation
from adjudge.metrics.run_changes import RunComparisons, run_changes
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made import DATA, EXAMPLES
from made_conclusions import annotators, row, systems
from made_reports import advised, concluded, made_report


def truth_and(evaluation, truth, *names):
    return EXAMPLES / evaluation / truth, [EXAMPLES / evaluation / name for name in names]


GOLDEN = {
    "agreement": lambda: adjudge.agreement(
        EXAMPLES / "agreement" / "ratings.csv", columns={"label": "rating"}, level="ordinal"
    ),
    "annotations": lambda: adjudge.annotations(EXAMPLES / "annotations" / "pairs.json"),
    "card": lambda: adjudge.card(EXAMPLES / "card" / "labels.csv", judges=["steady", "hasty"], run_column="draw"),
    "preferences": lambda: adjudge.preferences(*truth_and("preferences", "gold.jsonl", "careful.tsv", "quick.tsv")),
    "rag": lambda: adjudge.rag(EXAMPLES / "rag" / "answers.jsonl"),
    "reliability": lambda: adjudge.reliability(EXAMPLES / "reliability" / "votes.json"),
    "violations": lambda: adjudge.violations(*truth_and("violations", "truth.jsonl", "careful.jsonl", "eager.jsonl")),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_examples_open_with_these_findings_and_next_steps(name):
    report = GOLDEN[name]()
    told = "\n".join([*report.conclusion, "", *report.advice, ""]).replace("\u00a0", " ")
    assert told == (DATA / "findings" / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["reliability", "annotations", "preferences", "violations", "rag"])
def test_a_report_without_its_main_table_concludes_nothing(name):
    assert concluded(made_report(name, {"other": pl.DataFrame({"count": [1]})})) == ()


def lines_of(report):
    return [line.replace("\u00a0", " ") for line in concluded(report)]


def separation_of(report):
    (found,) = [fact for part in facts(report) for fact in part if isinstance(fact, Separation)]
    return found


# --- judges of one run ---


@pytest.mark.parametrize(("few", "high", "low"), [("a7", "a6", "a0"), ("a0", "a7", "a1")])
def test_an_annotator_with_few_labels_is_neither_the_highest_nor_the_lowest(few, high, low):
    rows = [
        (name, 0.5 + place / 100, 0.4, 0.6, *((7, "few_items") if name == few else (100, None)))
        for place, name in enumerate(f"a{place}" for place in range(8))
    ]
    first, second, *_ = lines_of(annotators(*rows))
    assert f"{high}, the highest" in first
    assert f"{low}, the lowest" in first
    assert (few in first, second.startswith(few), "7 choices" in second) == (False, True, True)


def test_an_annotator_with_few_labels_is_told_from_others_and_is_in_no_tie():
    """Six judges, one with few labels: all 15 pairs are tested, and a tie is told of the others.

    a0 to a2 are level; a3 and a4 are ahead of each by .2 with intervals of .05 either way: z = .2 * 1.96 /
    hypot(.05, .05) = 5.54, p = 3e-8, and 15 times that is less than .001. So is few, by .45 with .1 below: z = 7.9.
    """
    rows = [(f"a{place}", 0.5, 0.45, 0.55, 100, None) for place in range(3)]
    rows += [(f"a{place}", 0.7, 0.65, 0.75, 100, None) for place in (3, 4)]
    report = annotators(*rows, ("few", 0.95, 0.85, 0.99, 7, "few_items"))
    found = separation_of(report)
    assert (found.judges, {*found.few_labels}, found.pairs, found.tests) == (6, {"few"}, 15, 15)
    assert found.count == len(("few", "a3", "a4")) * 3 + len(("few a3", "few a4"))
    assert (*found.tie.judges,) == ("a3", "a4")
    assert any("11 of 15 compared pairs" in line for line in concluded(report))
    assert "a2" in advised(report)[0]


def test_an_annotator_who_is_ahead_by_few_labels_alone_is_in_no_tie():
    """few may be better or worse than all others: it is told apart from nobody."""
    rows = [(f"a{place}", 0.5 + place / 1000, 0.45, 0.55, 100, None) for place in range(3)]
    rows += [("a3", 0.7, 0.65, 0.75, 100, None), ("a4", 0.69, 0.64, 0.74, 100, None)]
    assert (*separation_of(annotators(*rows, ("few", 0.8, 0.3, 0.98, 7, "few_items"))).tie.judges,) == ("a3", "a4")


@pytest.mark.parametrize(
    ("few", "others", "undefined", "apart"),
    [(1, 3, 0, False), (1, 4, 0, True), (3, 3, 0, False), (2, 3, 0, True), (2, 0, 3, False), (8, 0, 0, False)],
)
def test_those_with_few_labels_are_set_apart_where_they_are_the_fewer_of_more_than_four(few, others, undefined, apart):
    rows = [(f"a{place}", 0.5, 0.4, 0.6, 100, None) for place in range(others)]
    rows += [(f"f{place}", 0.8, 0.4, 0.95, 7, "few_items") for place in range(few)]
    rows += [(f"u{place}", None, None, None, 0, None) for place in range(undefined)]
    assert ("f0" not in concluded(annotators(*rows))[0]) is apart


@pytest.mark.parametrize(
    ("n", "step", "said"),
    [(100, 100, "(−12.7 to 17.4) on 100 items; about 2,000 items"), (1000, 350, "more than 100,000 items")],
)
def test_of_many_annotators_who_cannot_be_told_apart_the_items_are_named_that_would(n, step, said):
    """MOVER: 0.07 less hypot(0.17, 0.1) and more hypot(0.03, 0.1). An item of each adds 100 * (0.1 / 1.96)^2 = 0.2603;
    of 28 tests the smallest needs z = 3.124, and 80 % power 0.842 more: (3.966 / 0.07)^2 * 0.5206 is 1,671. By the width$
    times the items and a gap of 0.02: (3.966 / 0.02)^2 * 5.206 is 204,700.
    """
    report = annotators(*[(f"a{place}", 0.5 + place / step, 0.4, 0.6, n, None) for place in range(8)])
    first, tie = lines_of(report)
    assert ("a7, the highest" in first, "a0, the lowest" in first) == (True, True)
    assert said in tie


def test_a_tie_ends_before_the_first_who_is_told_from_one_of_it():
    values = {"ana": (0.9, 0.85, 0.95), "ben": (0.88, 0.83, 0.93), "cy": (0.7, 0.6, 0.8), "dev": (0.69, 0.6, 0.8)}
    found = separation_of(annotators(*((name, *own, 100, None) for name, own in values.items())))
    assert (*found.tie.judges,) == ("ana", "ben")


def test_of_three_with_the_same_value_nobody_has_a_lead():
    lines = lines_of(annotators(*((name, 0.8, 0.7, 0.9, 100, None) for name in "abc")))
    assert not any("lead" in line or "ahead" in line for line in lines)
    assert any("3 pairs are tested together; c and a differ by 0.0" in line for line in lines)


def test_the_first_groups_are_named_and_further_ones_counted():
    keys = ["team", "annotator", *ESTIMATE_COLUMNS]
    of = {"annotator": "ana", "metric": "reliability", "value": 0.9, "low": 0.85, "high": 0.95}
    rows = [row(keys, team=team, **of) for team in ("team 1", "b", None, "c", "d")]
    lines = concluded(made_report("reliability", {"annotators": typed_table(rows)}, options={"by": ["team"]}))
    assert [line.split(":")[0] for line in lines[:-1]] == ["Team 1", "Team b", "Team (missing)"]
    assert lines[-1].startswith("2 more groups")


def test_two_that_are_not_told_apart_come_with_the_items_that_would():
    """The standard error is 0.08 / 1.96; 80 % power takes (1.96 + 0.8416) times it: 0.1143 over 0.05, squared, 522.9."""
    report = systems(("north", 0.8), ("south", 0.75), differences=[("south", "north", 0.05, -0.03, 0.13, 0.22, 0.75)])
    assert "5.0 pp (−3.0 to 13.0) on 100 items; about 530 items" in lines_of(report)[1]
    level = systems(("north", 0.8), ("south", 0.8), differences=[("south", "north", 0.0, -0.1, 0.1, 1.0, 0.8)])
    assert lines_of(level)[1].endswith("on 100 items: 0.0 pp (−10.0 to 10.0).")


@pytest.mark.parametrize(
    ("value", "p", "how"),
    [(0.1, 0.2, "not shown to be better"), (-0.3, 0.2, "not shown"), (-0.3, 0.001, "worse"), (0.3, 0.001, "")],
)
def test_a_system_that_is_not_shown_to_beat_the_best_baseline_is_named(value, p, how):
    best = ("baseline:majority", "north", value, value - 0.1, value + 0.1, p, 0.6)
    against = [("baseline:a", "north", 0.5, 0.4, 0.6, 0.001, 0.2), best]
    said = [line for line in concluded(systems(("north", 0.7), differences=against)) if "majority" in line]
    assert [line.startswith(f"north is {how}") for line in said] == [True] * bool(how)


@pytest.mark.parametrize(("texts", "few"), [(29, True), (30, False)])
def test_approximate_metrics_of_few_texts_rest_on_few(texts, few):
    keys = {"checker": "calm", "average": "micro", "variant": "std", "metric": "match_score", "caveat": "approximate"}
    scores = typed_table([row([*keys, *ESTIMATE_COLUMNS], **keys, value=0.7, low=0.5, high=0.9)])
    lines = concluded(made_report("violations", {"scores": scores}, counts={"texts": texts}))
    assert any("few texts" in line for line in lines) is few


def test_of_several_scorers_the_one_whose_metrics_are_told_is_named():
    keys = ["model", "ability", "noise_ratio", "scorer"]
    of = {
        "model": "m",
        "ability": "noise_robustness",
        "noise_ratio": 0.0,
        "metric": "accuracy",
        "low": 0.4,
        "high": 0.6,
    }
    rows = [
        row([*keys, *ESTIMATE_COLUMNS], **of, value=value, scorer=one)
        for one, value in (("strict", 0.5), ("document", 0.51), ("benchmark", 0.52))
    ]
    for count, said in ((3, "scorer strict; the tables also have those of the other 2 scorers"), (1, "")):
        lines = concluded(made_report("rag", {"scores": typed_table(rows[:count])}))
        assert [said in line for line in lines if "the scorer" in line] == [True] * bool(said)


def test_variants_with_the_same_values_stand_once(tmp_path):
    """Without categories, explanations and corrections both variants weigh overlap and rule alike."""
    text, span = "It is a paradigm, and it is blue.", {"start": 8, "end": 16, "rule": "jargon"}
    truth, checker = tmp_path / "truth.jsonl", tmp_path / "checker.jsonl"
    truth.write_text(json.dumps({"id": "1", "text": text, "violations": [span]}) + "\n")
    checker.write_text(json.dumps({"id": "1", "violations": [span]}) + "\n")
    report = adjudge.violations(truth, checker)
    assert any("(std); those of the human-aligned match (ha) are the same." in line for line in report.conclusion)
    lines = str(report).splitlines()
    assert "Standard match (std) and Human-aligned match (ha)" in lines
    assert "Human-aligned match (ha)" not in lines


# --- strengths of annotators ---


def strengths(reference, *found):
    """A report on annotators: name, strength and p; none of one without a vote."""
    names = ["dataset", "annotator", "name", "reference", *ESTIMATE_COLUMNS, "p", "p_adjusted", "tests", "needed"]
    of = {"dataset": "pairs", "reference": reference, "metric": "strength"}
    rows = [
        row(names, **of, annotator=one, name=one, value=value, low=value - 0.1, high=value + 0.1, p=p / 2, p_adjusted=p)
        if value is not None
        else row(names, **of, annotator=one, name=one, reason="no vote")
        for one, value, p in found
    ]
    return made_report("annotations", {"agreement": typed_table(rows)})


def test_strengths_are_told_from_0_by_their_adjusted_p_alone():
    (line,) = lines_of(
        strengths("lena", ("kind", 0.4, 0.01), ("long", -0.3, 0.02), ("rude", 0.3, 0.06), ("new", None, 1))
    )
    with_it, against, untold, undefined = line.replace("%.", "%").split(". ")
    assert ("kind" in with_it, "0.40 (0.30 to 0.50)" in with_it) == (True, True)
    assert ("long" in against, "−0.30 (−0.40 to −0.20)" in against) == (True, True)
    assert untold.endswith("rude 0.30 (0.20 to 0.40, p = .06)")
    assert undefined == "new has no figure."
    (none,) = lines_of(strengths("lena", ("kind", 0.1, 0.4)))
    assert "different from 0 for no annotator" in none


# --- several runs ---


def figure(keys, metric, value, limits=(None, None), **further):
    held = {**keys, "metric": metric, "value": value, "low": limits[0], "high": limits[1], "n": 100, **further}
    return dict.fromkeys([*keys, *ESTIMATE_COLUMNS]) | held


def history(*steps, few=(), keys=("run", "annotator")):
    """A report on runs: run, annotator and reliability, whose interval goes 0.05 either way. few: run, annotator."""
    rows = [
        figure(
            {"run": of[0], "time": of[0], **dict(zip(keys, of, strict=True))},
            "reliability",
            value,
            (value - 0.05, value + 0.05),
            caveat="few_items" if few == of else None,
        )
        for *of, value in steps
        for of in [tuple(of)]
    ]
    table = typed_table(rows)
    paired = RunComparisons({}, view_of("reliability"), ["reliability"], 0.95)
    steps = run_changes(table, evaluation("reliability"), None, paired)
    return made_report("reliability", {"history": table, "steps": steps})


def test_a_history_names_who_lacks_runs_and_what_rests_on_few_items():
    """Of three runs ben has two and cy the first alone; of the two values of the last run ana's rests on few items."""
    steps = (("r1", "ana", 0.6), ("r1", "ben", 0.6), ("r1", "cy", 0.6), ("r2", "ana", 0.6), ("r3", "ana", 0.6))
    lines = concluded(history(*steps, ("r3", "ben", 0.6), few=("r3", "ana")))
    assert any("ana rests on few items" in line for line in lines)
    assert lines[-1].endswith("all 3 runs: cy has them for 1 and ben for 2.")


def changed(keys, metric, value, p):
    """A row of a comparison: a difference whose interval goes 0.1 either way, with its p."""
    limits, values = (value - 0.1, value + 0.1), {"first_value": 0.5, "second_value": 0.5 + value}
    return figure(
        {"first": "old", "second": "new", **keys},
        metric,
        value,
        limits,
        p=p / 4,
        p_adjusted=p,
        tests=1,
        needed=3300,
        **values,
    )


def compared(evaluation, *rows, **tables):
    return lines_of(made_report(evaluation, {"comparison": typed_table(rows), **tables}))


def test_changes_are_told_by_their_adjusted_p_the_smallest_first():
    """The difference of w2 is not told from 0, though its own interval leaves out 0."""
    weeks = (("w3", 0.01, 1.0), ("w2", 0.15, 0.2), ("w1", 0.3, 0.001))
    rows = [changed({"judge": "ana", "week": week}, "reliability", value, p) for week, value, p in weeks]
    lines = compared("reliability", *rows)
    assert lines[0] == ("Week w1: reliability of ana rises from old to new by 30.0 pp (20.0 to 40.0), p = .001.")
    assert ("do not tell" in lines[1], "15.0 pp (5.0 to 25.0), p = .20" in lines[1]) == (True, True)
    assert ("do not tell" in lines[2], "1.0 pp (−9.0 to 11.0)" in lines[2]) == (True, True)


# --- other questions ---


def with_scorers(told, scorers):
    """Answers that are scored by one scorer, and metrics of scorers against people."""
    keys = {"model": "all models", "verdict": "correct"}
    card = [
        figure({**keys, "scorer": scorer}, metric, value)
        for scorer, values in scorers.items()
        for metric, value in values.items()
    ]
    key = {"model": "north", "ability": "question_answering", "noise_ratio": 0.0, "scorer": told}
    return made_report("rag", {"scores": typed_table([figure(key, "accuracy", 0.5)]), "card": typed_table(card)})


@pytest.mark.parametrize(("told", "advised"), [("strict", True), ("document", False)])
def test_the_scorer_nearest_to_people_is_named_and_advised_where_another_was_used(told, advised):
    values = {"strict": (0.8, 0.1, 0.3), "document": (0.9, 0.05, None)}
    named = ("agreement", "false_right", "false_wrong")
    report = with_scorers(told, {one: dict(zip(named, own, strict=True)) for one, own in values.items()})
    (said,) = [line for line in lines_of(report) if line.startswith("Of 2 scorers, document agrees most")]
    assert ("in 90.0 % of 100 answers" in said, "yes in 5.0 % of answers" in said) == (True, True)
    assert any(step.action is Action.SCORER for step in next_steps(report, list(facts(report)))) is advised


def test_of_many_annotators_those_that_are_compared_are_counted():
    """Thirty are always right and thirty never: of the best 25 each is better than each of the worst 25."""
    rows = [
        {"item": f"i{item}", "annotator": f"a{who:02}", "label": "x" if who < 30 else "y", "reference": "x"}
        for item in range(30)
        for who in range(60)
    ]
    (told,) = [line for line in adjudge.reliability(pl.DataFrame(rows)).conclusion if "is better than" in line]
    assert "a00 is better than 25 of the 49 annotators" in told
    assert "625 of 1,225 compared pairs" in told
