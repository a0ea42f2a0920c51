"""What is odd in the data: each threshold just reached, and just missed, on tables of counts made by hand."""

import polars as pl
import pytest

import adjudge
from adjudge.metrics.data_checks import ProblemKind, data_problems
from adjudge.report import ESTIMATE_COLUMNS, typed_table
from made_reports import advised, concluded, made_report


def confusion_of(rows, *names):
    """Counts of labels beside those of the reference."""
    return pl.DataFrame(list(rows), schema=[*names, "count"], orient="row")


def choices(*rows, deducted=(), flags=()):
    """A report on annotators: annotator, label, reference label and count; reasons of deductions; outcomes of flags."""
    of = dict.fromkeys(ESTIMATE_COLUMNS) | {"metric": "reliability", "value": 0.5, "n": 40}
    figures = [{"annotator": name} | of for name in dict.fromkeys(row[0] for row in rows)]
    further = {
        table: pl.DataFrame(held, {"annotator": pl.String, key: pl.String, "count": pl.Int64}, orient="row")
        for table, key, held in (("deductions", "reason", deducted), ("flags", "outcome", flags))
    }
    confusion = confusion_of(rows, "annotator", "label", "reference_label")
    return made_report("reliability", {"annotators": typed_table(figures), "confusion": confusion, **further})


def odd(report):
    return {one.kind: (one.judge, one.label, one.count, one.of) for one in data_problems(report)}


GOOD = (("ana", "a", "a", 6), ("ana", "b", "b", 6))
"""A judge of whom nothing is odd."""


def test_good_data_have_nothing_odd():
    assert data_problems(choices(*GOOD, ("ben", "a", "a", 6), ("ben", "b", "a", 1), ("ben", "b", "b", 6))) == []


@pytest.mark.parametrize(
    ("kind", "expected", "rows", "nearly"),
    [
        (ProblemKind.CONSTANT, ("dev", "a", 10, 10), [("dev", "a", "a", 5), ("dev", "a", "b", 5)], [("dev", "a", "a", 6), ("dev", "a", "b", 4)]),
        (ProblemKind.STRANGE, ("", "c", 5, 17), [("dev", "c", "a", 5)], [("dev", "c", "a", 4)]),
        (ProblemKind.NOBODY, ("", "d", 5, 17), [("ana", "a", "d", 5), ("dev", "a", "a", 9)], [("ana", "a", "d", 4), ("dev", "a", "a", 9)]),
        (
            ProblemKind.NEVER,
            ("dev", "b", 5, 10),
            [("dev", "a", "a", 4), ("dev", "a", "b", 5), ("dev", "c", "c", 1)],
            [("dev", "a", "a", 5), ("dev", "a", "b", 4), ("dev", "c", "c", 1)],
        ),
    ],
)  # fmt: skip
def test_labels_that_one_side_alone_gives(kind, expected, rows, nearly):
    assert odd(choices(*GOOD, *rows))[kind] == expected
    assert kind not in odd(choices(*GOOD, *nearly))


def test_left_out_is_told_from_one_in_twenty_and_of_the_worst():
    left = [("ana", "skipped", 2), ("ben", "skipped", 3)]
    many = [("ana", "a", "a", 19), ("ana", "b", "b", 19), ("ben", "a", "a", 19), ("ben", "b", "b", 18)]
    assert odd(choices(*many, deducted=left))[ProblemKind.LEFT_OUT] == ("ben", "", 3, 40)
    assert ProblemKind.LEFT_OUT not in odd(choices(*GOOD, deducted=[("ana", "skipped", 1)]))
    assert ProblemKind.LEFT_OUT not in odd(choices(*many, ("ana", "b", "b", 1), deducted=left[:1]))
    assert "1 other annotator" in concluded(choices(*many, deducted=left))[-1]


def test_what_does_not_count_comes_with_the_most_frequent_reason():
    reasons = [("ana", "no_reference", 3), ("ana", "no_reference_choice", 1)]
    assert ("", "no_reference", 4, 16) in odd(choices(*GOOD, deducted=reasons)).values()


@pytest.mark.parametrize(("same", "told"), [(16, True), (15, False)])
def test_a_label_that_is_nearly_always_right(same, told):
    report = choices(("ana", "a", "a", same), ("ana", "b", "b", 20 - same))
    assert (odd(report).get(ProblemKind.ONE_SIDED) == ("", "a", 16, 20)) is told


@pytest.mark.parametrize(("same", "told"), [(16, True), (15, False)])
def test_a_label_that_is_nearly_always_right_for_one_criterion_is_told_of_it(same, told):
    """Over both criteria "A" is right in 26 or 25 of 40: that says nothing of safety."""
    counts = [("safety", "A", same), ("safety", "B", 20 - same), ("style", "A", 10), ("style", "B", 10)]
    rows = [("north", criterion, label, label, count) for criterion, label, count in counts]
    confusion = confusion_of(rows, "system", "criterion", "reference_label", "label")
    report = made_report("preferences", {"confusion": confusion})
    assert (odd(report).get(ProblemKind.ONE_SIDED) == ("", "A", 16, 20)) is told
    assert not advised(report)


@pytest.mark.parametrize(("count", "of", "told"), [(4, 50, True), (5, 50, False), (4, 49, False)])
def test_a_rare_label(count, of, told):
    most = (of - count) // 2
    rows = [("ana", "a", "a", most), ("ana", "b", "b", of - count - most), ("ana", "c", "c", count)]
    assert (ProblemKind.RARE in odd(choices(*rows))) is told


@pytest.mark.parametrize(("size", "told"), [(1, True), (5, True), (6, False)])
def test_few_labels_of_a_judge_beside_the_others(size, told):
    rows = [(name, label, label, 6) for name in ("ana", "ben") for label in "ab"]
    assert (odd(choices(*rows, ("cy", "a", "a", size))).get(ProblemKind.FEW) == ("cy", "", size, 12)) is told


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        ({"reference_only": 5, "neither": 7}, ProblemKind.NEVER_FLAGS),
        ({"reference_only": 4, "neither": 8}, None),
        ({"both": 1, "annotator_only": 9}, ProblemKind.ALL_FLAGS),
        ({"both": 1, "annotator_only": 8}, None),
        ({"both": 10}, None),
    ],
)
def test_flags_nowhere_and_everywhere(flags, kind):
    report = choices(*GOOD, flags=[("ana", outcome, count) for outcome, count in flags.items()])
    assert list(odd(report)) == ([] if kind is None else [kind])


def test_votes_that_take_no_side_are_no_labels():
    counts = {("text_a", "not_applicable"): 9, ("both", "text_a"): 9, ("missing", "text_a"): 2}
    rows = [("ana", "lena", *pair, count) for pair, count in counts.items()]
    votes = confusion_of(rows, "annotator", "reference", "vote", "reference_vote")
    assert odd(made_report("annotations", {"votes": votes})) == {ProblemKind.LEFT_OUT: ("ana", "", 2, 20)}


def test_empty_and_repeated_texts_are_counted_in_the_data():
    texts = pl.DataFrame({"id": list("abcd"), "text": ["Best tea!", "Best tea!", " ", "Tea."]})
    marks = texts.with_columns(start=0, end=1, rule=pl.lit("claims"))
    report = adjudge.violations(marks, marks)
    assert (report.counts["empty texts"], report.counts["repeated texts"]) == (1, 1)
    assert any(line.startswith("1 of 4 texts have an empty text. ") for line in report.conclusion)
    pairs = pl.DataFrame(
        {"pair": ["1", "2"], "text_a": ["x", ""], "text_b": ["y", "z"], "ana": "text_a", "ben": "text_b"}
    )
    report = adjudge.annotations(pairs, annotator_columns=["ana", "ben"], reference="ana")
    assert report.counts["empty texts"] == 1
    gold = pl.DataFrame(
        {"id": ["1", "2"], "instruction": "q", "output_a": "x", "output_b": "y", "safety_preference": ["A", "B"]}
    )
    report = adjudge.preferences(gold, gold, criteria=["safety"], system="s")
    assert report.counts["repeated texts"] == 1


def test_quotes_that_do_not_stand_at_their_offsets_are_told_from_one_in_twenty():
    """Two of two, then one of two, and one of 40; and the offsets are to be looked at before all else."""

    def report(*quotes):
        ids = range(len(quotes))
        texts = {"id": [f"t{place}" for place in ids], "text": [f"{place:02} tea" for place in ids]}
        marks = pl.DataFrame(texts | {"start": 3, "end": 6, "context": quotes, "rule": "claims"})
        return adjudge.violations(marks, marks, quote_mismatch="warn")

    both = report("ea", "te")
    assert both.counts["misplaced quotes"] == 2
    assert odd(both)[ProblemKind.MISPLACED][2:] == (2, 2)
    assert "--offset-base" in both.advice[0]
    assert "misplaced quotes" not in report("tea", "tea").counts
    assert odd(report("ea", *["tea"] * 39)) == {}
    assert ProblemKind.MISPLACED in odd(report("ea", "te", *["tea"] * 38))


def by_rule(*counts):
    """Checker, rule, how often the checker gave it, and how often it is right."""
    of = dict.fromkeys(ESTIMATE_COLUMNS) | {"variant": "std"}
    rows = [
        of | {"checker": name, "rule": rule, "metric": metric, "n": n}
        for name, rule, given, right in counts
        for metric, n in (("precision", given), ("recall", right))
    ]
    scores = [of | {"checker": name, "average": "micro", "metric": "match_score", "value": 0.5} for name, *_ in counts]
    tables = {"scores": typed_table(scores).unique(maintain_order=True), "by_rule": typed_table(rows)}
    return made_report("violations", tables)


def test_a_checker_that_marks_nothing_and_a_rule_that_nobody_names():
    report = by_rule(
        ("calm", "jargon", 0, 6), ("calm", "claims", 0, 4), ("eager", "claims", 7, 4), ("eager", "jargon", 0, 6)
    )
    assert odd(report) == {ProblemKind.NOTHING: ("calm", "", 0, 10), ProblemKind.NEVER: ("eager", "jargon", 6, 10)}


@pytest.mark.parametrize(("count", "dropped", "plain"), [(40, True, False), (38, False, True), (8, False, False)])
def test_rows_that_were_dropped_are_told_and_nothing_is_then_called_plain(count, dropped, plain):
    """Of 40 labels one is a number that the order lacks. Of eight labels that may be good, few show it."""
    said = {"item": [*range(40)], "annotator": "ana", "label": [*"12"] * 20, "reference": [*"12"] * 20}
    said["label"][-1] = "9"
    report = adjudge.reliability(pl.DataFrame(said).head(count), ordered=["1", "2"], on_invalid="drop")
    assert any("count nowhere: 1 for label" in line for line in report.conclusion) is dropped
    assert any("Nothing odd" in line for line in report.conclusion) is plain


def test_violations_that_were_dropped_are_not_nothing():
    texts = {"id": [f"t{place}" for place in range(40)], "text": "a tea", "rule": "claims"}
    truth = pl.DataFrame(texts | {"start": 0, "end": 1})
    marks = pl.DataFrame(texts | {"start": [-1, 0] * 20, "end": 1})
    report = adjudge.violations(truth, marks, on_invalid="drop")
    assert any("20 invalid violations were dropped" in line for line in report.warnings)
    assert not any("Nothing odd" in line for line in report.conclusion)


def test_quotes_of_annotators_whose_violations_do_not_count_are_not_told():
    """Each text counts with ben, who marks what the checker does; the quotes of ana, who is named first, are wrong."""
    marks = {"id": ["1", "2"], "text": ["my tea", "no tea"], "start": 3, "end": 6, "context": "tea", "rule": "claims"}
    ben, ana = pl.DataFrame({**marks, "annotator": "ben"}), pl.DataFrame({**marks, "start": 2, "annotator": "ana"})
    report = adjudge.violations(pl.concat([ana, ben]), pl.DataFrame(marks), references="best-of", quote_mismatch="warn")
    assert report.counts["true violations"] == 2
    assert "misplaced quotes" not in report.counts
