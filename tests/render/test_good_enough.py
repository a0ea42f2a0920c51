"""What a page says where no gate was set, against tables made by hand."""

from dataclasses import replace
from math import floor

import polars as pl
import pytest

import karat
from karat.render.conclusion import answer_and_data
from karat.render.good_enough import reached
from karat.render.html import report_page
from karat.render.markdown import report_markdown
from karat.render.terminal import report_text
from karat.report import FIGURE, GateResult, typed_table
from karat.schemas.preferences import AVERAGE
from made import EXAMPLES
from made_conclusions import TESTED, annotators, row, systems
from made_history import judgments, saved
from made_reports import made_report

UNSET = "No gate was set: it depends on what you need. "
UNSET_OF_RUNS = "No gate was set. "
LIMITS = f"{UNSET}By the 95\u00a0% intervals, rounded to the safe side: "
NOTHING = "No gate was set: there is no verdict."


def test_the_lower_limits_stand_in_for_a_verdict():
    report = annotators(("ana", 0.95, 0.77, 0.99, 40, None), ("dev", 0.25, 0.07, 0.59, 40, None))
    assert reached(report) == f"{LIMITS}reliability at least 77.0\u00a0% for ana and 7.0\u00a0% for dev."


def test_who_stands_alone_is_not_named_and_of_many_the_first_and_the_last_are():
    alone = annotators(("ana", 0.95, 0.77, 0.99, 40, None))
    assert reached(alone) == f"{LIMITS}reliability at least 77.0\u00a0%."
    many = annotators(*[(f"a{place}", 0.5 + place / 100, 0.4 + place / 100, 0.6, 100, None) for place in range(8)])
    ends = "47.0\u00a0% for a7 and 40.0\u00a0% for a0, the highest and the lowest of 8"
    assert reached(many) == f"{LIMITS}reliability at least {ends}."


def test_what_is_shown_of_all_judgments_together_is_told_as_a_gate_on_them_reads_it():
    """50 of 69 choices are right, in 24 items: Wilson's lower limit with an effective n is .5997."""
    said = reached(karat.reliability(EXAMPLES / "reliability" / "votes.json"))
    assert said.endswith(" and 7.1\u00a0% for dev; of all judgments together at least 59.9\u00a0%.")
    alone = pl.DataFrame({"item": range(40), "annotator": "ana", "label": "a", "reference": ["a"] * 30 + ["b"] * 10})
    assert "of all judgments together" not in reached(karat.reliability(alone))


def test_of_many_those_are_named_of_whom_most_and_least_is_shown_whatever_their_figures():
    """a7 has the highest figure, and few labels; a0 the lowest figure, and many."""
    others = [(f"a{place}", 0.6, 0.5 + place / 100, 0.7, 100, None) for place in range(1, 7)]
    many = annotators(("a7", 1.0, 0.3, 1.0, 7, "few_items"), *others, ("a0", 0.59, 0.55, 0.63, 900, None))
    ends = "56.0\u00a0% for a6 and 30.0\u00a0% for a7, the highest and the lowest of 8"
    assert reached(many) == f"{LIMITS}reliability at least {ends}."


def test_of_a_figure_that_should_be_low_the_upper_limits_are_told():
    keys = ["team", "annotator", *FIGURE]
    flags = {"metric": "flag_mismatch", "value": 0.1, "low": 0.05, "high": 0.2, "annotator": "ana"}
    report = made_report("reliability", {"annotators": typed_table([row(keys, **flags, team="a")])})
    (answer,) = report.about.answers
    low = replace(report, about=replace(report.about, answers=(replace(answer, metric="flag_mismatch"),)))
    assert reached(low) == f"{LIMITS}flag mismatch at most 20.0\u00a0%."


def test_groups_and_figures_of_the_same_name_are_told_apart():
    asked = [
        ("noise_robustness", "accuracy"),
        ("information_integration", "accuracy"),
        ("negative_rejection", "rejection_rate"),
    ]
    keys = {"model": "north", "noise_ratio": 0.0, "scorer": "strict", "value": 0.8, "low": 0.7, "high": 0.9}
    scores = [row([*keys, *FIGURE], ability=ability, metric=metric, **keys) for ability, metric in asked]
    said = reached(made_report("rag", {"scores": typed_table(scores)}))
    rest = "declined unanswerable questions at least 70.0\u00a0%; accuracy (ability information integration) at least 70.0\u00a0%."
    assert said == f"{LIMITS}accuracy (ability noise robustness, noise ratio 0) at least 70.0\u00a0%; {rest}"
    teams = [
        row(
            ["team", "annotator", *FIGURE],
            team=team,
            annotator="ana",
            metric="reliability",
            value=0.9,
            low=low,
            high=1.0,
        )
        for team, low in (("a", 0.8), ("b", 0.7))
    ]
    report = made_report("reliability", {"annotators": typed_table(teams)}, options={"by": ["team"]})
    assert (
        reached(report)
        == f"{LIMITS}reliability (team a) at least 80.0\u00a0%; reliability (team b) at least 70.0\u00a0%."
    )


def over_time(folder, first, last):
    """A history of two runs on 200 items that may be others: how many of them each annotator has right."""
    for day, right in (("2026-11-20", first), ("2026-11-27", last)):
        saved(folder / f"{day}.json", right, 200)
    return reached(karat.history(folder)).replace("\u00a0", " ")


def test_of_a_history_the_losses_that_are_shown_are_told(tmp_path):
    """.75 to .5 is shown, .6 to .59 is not."""
    said = over_time(tmp_path, {"ana": 150, "ben": 120}, {"ana": 100, "ben": 118})
    loss = "reliability of ana from 2026-11-20 to 2026-11-27"
    assert said == f"{UNSET_OF_RUNS}Of the 2 changes tested, 1 shows a loss: {loss}."


def test_losses_of_several_groups_are_told_apart(tmp_path):
    """.75 to .5 in both languages."""
    for day, right in (("2026-11-20", 150), ("2026-11-27", 100)):
        both = [judgments({"ana": right}, 200, lang=lang) for lang in ("de", "en")]
        karat.reliability(pl.concat(both), by="lang", examples=0).save(tmp_path / f"{day}.json")
    said = reached(karat.history(tmp_path)).replace("\u00a0", " ")
    losses = [f"reliability of ana (lang {lang}) from 2026-11-20 to 2026-11-27" for lang in ("de", "en")]
    assert said == f"{UNSET_OF_RUNS}Of the 2 changes tested, 2 show a loss: {' and '.join(losses)}."


def test_whether_runs_share_their_items_is_no_group_of_a_loss(tmp_path):
    """Two runs are saved with their items, and a third is not: .9 to .6 to .3."""
    for day, right, kept in (("2026-11-20", 180, True), ("2026-11-27", 120, True), ("2026-12-04", 60, False)):
        items = {"items": tmp_path / f"{day}.parquet"} if kept else {}
        saved(tmp_path / f"{day}.json", {"ana": right}, 200, **items)
    report = karat.history(tmp_path)
    assert {*report["steps"]["same_items"]} == {"yes", "unknown"}
    said = reached(report)
    assert "3 show a loss: reliability of ana from 2026-11-20 to 2026-11-27, reliability of ana from" in said


def test_of_a_history_without_losses_those_are_told_that_intervals_allow(tmp_path):
    """Newcombe's interval of .54 - .6 begins at -.1552, of .6 - .54 at -.0367, of 1 - .5 above 0."""
    days = "from 2026-11-20 to 2026-11-27 the"
    alone = over_time(tmp_path / "one", {"ana": 120}, {"ana": 108})
    still = f"{days} interval of reliability allows a loss of 15.5 pp for ana"
    assert alone == f"{UNSET_OF_RUNS}The change shows no loss, but losses are not excluded: {still}."
    three = over_time(tmp_path / "three", {"ana": 120, "ben": 108, "cy": 100}, {"ana": 108, "ben": 120, "cy": 200})
    allow = f"{days} 95 % intervals of reliability allow no loss for cy and a loss of 15.5 pp for ana"
    assert (
        three
        == f"{UNSET_OF_RUNS}None of the 3 changes tested shows a loss, but losses are not excluded: {allow}, the smallest and the largest of 3."
    )


def test_of_strengths_those_that_are_shown_to_be_above_0_are_told():
    names = ["dataset", "annotator", "name", "reference", *FIGURE, "p", "p_adjusted"]
    one = row(names, annotator="a", reference="lena", metric="strength", value=0.7, low=0.4, high=0.9, p_adjusted=0.01)
    other = one | {"annotator": "b", "value": -0.5, "low": -0.7, "high": -0.3}
    unsure = one | {"annotator": "c", "value": 0.1, "low": -0.1, "high": 0.3, "p_adjusted": 0.5}
    both = made_report("annotations", {"agreement": typed_table([one, other, unsure])})
    assert reached(both) == f"{LIMITS}strength at least 0.400 for a."
    none = made_report("annotations", {"agreement": typed_table([other, unsure])})
    assert reached(none) == NOTHING


def test_a_figure_without_an_interval_promises_nothing():
    report = systems(("north", 0.8))
    bare = report["scores"].with_columns(low=None, high=None)
    assert reached(report) == f"{LIMITS}accuracy at least 70.0\u00a0%."
    assert reached(replace(report, tables={"scores": bare})) == NOTHING


@pytest.mark.parametrize(
    ("changes", "gain", "said"),
    [
        (
            [(-0.2, 0.01), (0.3, 0.001), (-0.1, 0.4)],
            "accuracy (criterion 1) gets better by at least 20.0\u00a0pp",
            "Of the 3 differences tested, 1 shows a loss: accuracy (criterion 0).",
        ),
        ([(-0.2, 0.01)], "accuracy gets worse by 10.0 to 30.0\u00a0pp", "The difference shows a loss: accuracy."),
        (
            [(-0.2, 0.06), (0.3, 0.001)],
            "accuracy (criterion 1) gets better by at least 20.0\u00a0pp",
            "None of the 2 differences tested shows a loss, but the interval of accuracy still allows one of 30.0\u00a0pp.",
        ),
        (
            [(0.05, 0.3)],
            "accuracy gets worse by at most 5.0\u00a0pp",
            "The difference does not show a loss.",
        ),
        ([(-0.2, None)], "", ""),
    ],
)
def test_what_is_shown_to_have_got_worse_stands_in_for_a_verdict_on_two_runs(changes, gain, said):
    rows = [
        row(["first", "second", "judge", "criterion", *TESTED], first="old", second="new", judge="north", metric="accuracy",
            criterion=str(place), value=value, low=value - 0.1, high=value + 0.1, p=p, p_adjusted=p)
        for place, (value, p) in enumerate(changes)
    ]  # fmt: skip
    told = reached(made_report("preferences", {"comparison": typed_table(rows)}))
    assert told == (f"{UNSET_OF_RUNS}By the 95\u00a0% intervals, {gain}. {said}" if said else NOTHING)


def test_a_gain_in_a_mean_is_said_to_be_one():
    names = ["first", "second", "judge", "criterion", *TESTED]
    said = {"first": "old", "second": "new", "judge": "a", "metric": "accuracy", "value": 0.2, "low": 0.1, "high": 0.3}
    parts = [row(names, **said, criterion=one, p=0.01, p_adjusted=0.02) for one in (AVERAGE, "relevance", "safety")]
    mean, single = (made_report("preferences", {"comparison": typed_table(some)}) for some in (parts, parts[:2]))
    assert "intervals, mean accuracy gets better by at least 10.0\u00a0pp." in reached(mean)
    assert "intervals, accuracy gets better by at least 10.0\u00a0pp." in reached(single)


def test_of_many_losses_the_first_are_named():
    keys = ["first", "second", "judge", "criterion", *TESTED]
    said = {"first": "old", "second": "new", "judge": "a", "metric": "accuracy", "value": -0.2, "p_adjusted": 0.01}
    rows = [row(keys, **said, criterion=one) for one in "abcdef"]
    told = reached(made_report("preferences", {"comparison": typed_table(rows)}))
    named = "accuracy (criterion a), accuracy (criterion b), accuracy (criterion c), accuracy (criterion d) and 2 more"
    assert told == f"{UNSET_OF_RUNS}Of the 6 differences tested, 6 show a loss: {named}."


def test_of_many_losses_in_few_groups_the_groups_are_named():
    keys = ["first", "second", "judge", "criterion", *TESTED]
    said = {"first": "old", "second": "new", "judge": "a", "value": -0.2, "p_adjusted": 0.01}
    rows = [
        row(keys, **said, metric=metric, criterion=one)
        for one in ("safety", AVERAGE)
        for metric in ("accuracy", "kappa", "macro_f1")
    ]
    told = reached(made_report("preferences", {"comparison": typed_table(rows)}))
    shown = "Of the 6 differences tested, 6 show a loss: all in safety and the average."
    assert told == f"{UNSET_OF_RUNS}{shown}"


def test_bounds_that_lose_too_are_not_counted_as_losses():
    """What accuracy would be at least, had no labels been missing, stands in the table and is no figure of its own."""
    keys = ["first", "second", "judge", "criterion", *TESTED]
    said = {"first": "old", "second": "new", "judge": "a", "value": -0.2, "p_adjusted": 0.01}
    for metrics, shown in (
        (
            ("accuracy", "accuracy_lowest"),
            "Losses are shown in accuracy (criterion safety) and accuracy (criterion average).",
        ),
        (("accuracy", "kappa", "macro_f1", "accuracy_lowest"), "Losses are shown in safety and the average."),
    ):
        rows = [row(keys, **said, metric=metric, criterion=one) for one in ("safety", AVERAGE) for metric in metrics]
        told = reached(made_report("preferences", {"comparison": typed_table(rows)}))
        assert told == f"{UNSET_OF_RUNS}{shown}"


def test_a_rise_of_what_should_be_low_is_a_loss():
    keys = ["first", "second", "judge", *TESTED]
    rise = row(keys, first="old", second="new", judge="ana", metric="flag_mismatch", value=0.1, p_adjusted=0.01)
    told = reached(made_report("reliability", {"comparison": typed_table([rise])}))
    assert told == f"{UNSET_OF_RUNS}The difference shows a loss: flag mismatch."


def test_a_card_says_what_its_own_test_does():
    card = karat.card(EXAMPLES / "card" / "labels.csv", judges=["steady", "hasty"], draw="draw")
    assert (
        reached(card)
        == "No gate was set. By the alternative annotator test, steady is good enough to stand in for people; hasty is not shown to be good enough to stand in for people."
    )
    page = report_page([card]).replace("<span>", "").replace("</span>", "")
    meaning = "a judge passes if it is shown to be no more than MARGIN worse than people (0.05 is 5 percentage points; the least that passes now, by one-sided limits: 0.16 for hasty and 0.013 for steady)"
    assert (
        "good enough to stand in for people. "
        f"Set a gate: {meaning}. <code>--fail-unless-equivalent agreement:MARGIN</code>" in page
    )


def test_what_intervals_promise_stands_below_gates_too():
    report = annotators(("ana", 0.95, 0.77, 0.99, 40, None), ("dev", 0.25, 0.07, 0.59, 40, None))
    gated = replace(
        report, gates=(GateResult("reliability must be at least 90 %", "annotator dev", "it is 25.0 %", passed=False),)
    )
    promised = "reliability at least 77.0\u00a0% for ana and 7.0\u00a0% for dev."
    assert reached(gated) == f"Besides the gate, by the 95\u00a0% intervals, rounded to the safe side: {promised}"
    assert "No gate was set" not in report_page([gated])


def test_what_gates_told_one_by_one_is_not_told_again():
    report = annotators(("ana", 0.95, 0.77, 0.99, 40, None), ("dev", 0.25, 0.07, 0.59, 40, None))
    results = [
        GateResult("reliability must be at least 90 %", f"annotator {name}", said, passed=name == "ana")
        for name, said in (("ana", "it is 95.0 % (77.0 to 99.0)"), ("dev", "it is 25.0 % (7.0 to 59.0)"))
    ]
    assert reached(replace(report, gates=tuple(results))) == ""


def test_offsets_that_do_not_fit_come_before_what_intervals_promise():
    texts = {"id": ["1", "2", "3"], "text": ["1 tea", "2 tea", "3 tea"], "start": 2, "end": 5, "rule": "claims"}
    marks, odd = (pl.DataFrame(texts | {"context": quotes}) for quotes in (["tea"] * 3, ["te", "a", "ea"]))
    right, doubted = (reached(karat.violations(one, one, quote_mismatch="warn")) for one in (marks, odd))
    assert right.startswith(LIMITS)
    unless = (
        "Not until the offsets are checked. If they are right, by the 95\u00a0% intervals, rounded to the safe side: "
    )
    assert doubted == unless + right.removeprefix(LIMITS).lstrip()


def test_sentences_on_the_data_have_a_label_of_their_own():
    report = karat.reliability(EXAMPLES / "reliability" / "votes.json")
    page = report_page([report])
    answer, data = page.index("<dt>The answer</dt>"), page.index("<dt>The data</dt>")
    assert (
        answer
        < page.index("<li>ana agrees with the reference")
        < page.index("<li>No annotator is shown to be best: ana, ben")
        < data
    )
    page = page.replace("\u00a0", " ")
    data = page.index("<dt>The data</dt>")
    about = [line for line in report.conclusion if page.index(f"<li>{line}</li>".replace("\u00a0", " ")) > data]
    assert about == [
        "dev has only 8 choices; the median annotator has 20.",
        "cleo left out 1 of 20 choices: the figures rest on the other 19 choices.",
        "These figures rest on few items: read the interval, not the value.",
    ]


def test_what_is_wrong_with_the_data_is_labelled_wherever_a_report_is_read():
    report = karat.reliability(EXAMPLES / "reliability" / "votes.json")
    data = (
        "dev has only 8 choices; the median annotator has 20. cleo left out 1 of 20 choices: the figures "
        "rest on the other 19 choices. These figures rest on few items: read the interval, not the value."
    )
    assert f"\nData: {data}\nNext: " in report_text(report, width=1_000).replace("\u00a0", " ")
    assert f"\n\n**Data:** {data}\n\n**Next:** " in report_markdown(report).replace("\u00a0", " ")


def test_a_card_labels_what_people_share_as_data():
    card = karat.card(EXAMPLES / "card" / "labels.csv", judges=["steady", "hasty"], draw="draw")
    _, data = answer_and_data(card)
    drawn = pl.read_csv(EXAMPLES / "card" / "labels.csv").filter(pl.col("annotator").is_in(["hasty", "steady"]))
    same = (
        drawn.group_by("annotator", "item")
        .agg(pl.col("label").n_unique() == 1)
        .group_by("annotator")
        .agg(pl.col("label").mean())
    )
    each = " and ".join(f"{name} in {100 * share:.1f}\u00a0%" for name, share in same.sort("annotator").iter_rows())
    assert data == [
        (
            "Each of the 5 people shares 65 to 81 of the 90 items with another person, enough for the test, which needs "
            f"30. Asked again about an item, judges gave the same label: {each}; agreement, the test and examples use "
            "the first answer only."
        )
    ]


def test_agreement_tells_these_annotators_from_others():
    report = karat.agreement(EXAMPLES / "agreement" / "ratings.csv", columns={"label": "rating"})
    items, both = (
        report.estimate("agreement", "alpha", {"over": one}).low for one in ("items", "items and annotators")
    )
    assert both < 0 < items
    others = "perhaps no better than chance (0) for others like them"
    said = f"alpha is at least {floor(1000 * items) / 1000:.3f} for these annotators and {others}"
    assert reached(report) == f"{UNSET}By the 95\u00a0% intervals, {said}."


def test_agreement_without_a_row_promises_nothing():
    report = karat.agreement(EXAMPLES / "agreement" / "ratings.csv", columns={"label": "rating"})
    empty = replace(report, tables={**report.tables, "agreement": report["agreement"].clear()})
    assert reached(empty) == NOTHING
