"""What is odd in the data: each threshold just reached, and just missed, on tables of counts made by hand."""

import polars as pl
import pytest

import karat
from karat.figures.oddities import Kind, oddities
from karat.render.oddities import odd_text
from karat.report import FIGURE, typed_table
from made_reports import advised, concluded, made_report


def choices(*rows, deducted=(), flags=()):
    """A report on annotators: annotator, label, reference label and count; reasons of deductions; outcomes of flags."""
    names = list(dict.fromkeys(row[0] for row in rows))
    figures = [
        dict.fromkeys(FIGURE) | {"annotator": name, "metric": "reliability", "value": 0.5, "n": 40} for name in names
    ]
    keys = {"deductions": "reason", "flags": "outcome"}
    further = {
        table: pl.DataFrame(
            held, schema={"annotator": pl.String, keys[table]: pl.String, "count": pl.Int64}, orient="row"
        )
        for table, held in (("deductions", deducted), ("flags", flags))
    }
    confusion = pl.DataFrame(list(rows), schema=["annotator", "label", "reference_label", "count"], orient="row")
    tables = {"annotators": typed_table(figures, ["annotator", *FIGURE]), "confusion": confusion}
    return made_report("reliability", tables | further)


def odd(report):
    return {one.kind: (one.judge, one.label, one.count, one.of) for one in oddities(report)}


GOOD = (("ana", "a", "a", 6), ("ana", "b", "b", 6))
"""A judge of whom nothing is odd."""


def test_good_data_have_nothing_odd():
    assert oddities(choices(*GOOD, ("ben", "a", "a", 6), ("ben", "b", "a", 1), ("ben", "b", "b", 6))) == []


@pytest.mark.parametrize(
    ("kind", "expected", "rows", "nearly"),
    [
        (Kind.CONSTANT, ("dev", "a", 10, 10), [("dev", "a", "a", 5), ("dev", "a", "b", 5)], [("dev", "a", "a", 6), ("dev", "a", "b", 4)]),
        (Kind.STRANGE, ("", "c", 5, 17), [("dev", "c", "a", 5)], [("dev", "c", "a", 4)]),
        (Kind.NOBODY, ("", "d", 5, 17), [("ana", "a", "d", 5), ("dev", "a", "a", 9)], [("ana", "a", "d", 4), ("dev", "a", "a", 9)]),
        (
            Kind.NEVER,
            ("dev", "b", 5, 10),
            [("dev", "a", "a", 4), ("dev", "a", "b", 5), ("dev", "c", "c", 1)],
            [("dev", "a", "a", 5), ("dev", "a", "b", 4), ("dev", "c", "c", 1)],
        ),
    ],
)  # fmt: skip
def test_labels_that_one_side_alone_gives(kind, expected, rows, nearly):
    assert odd(choices(*GOOD, *rows))[kind] == expected
    assert kind not in odd(choices(*GOOD, *nearly))


def test_who_gives_one_label_where_it_is_always_right_is_not_odd():
    assert Kind.CONSTANT not in odd(choices(*GOOD, ("dev", "a", "a", 40)))


def test_left_out_is_told_from_one_in_twenty_and_of_the_worst():
    left = [("ana", "skipped", 2), ("ben", "skipped", 3)]
    many = [("ana", "a", "a", 19), ("ana", "b", "b", 19), ("ben", "a", "a", 19), ("ben", "b", "b", 18)]
    assert odd(choices(*many, deducted=left))[Kind.LEFT_OUT] == ("ben", "", 3, 40)
    assert Kind.LEFT_OUT not in odd(choices(*GOOD, deducted=[("ana", "skipped", 1)]))
    assert Kind.LEFT_OUT not in odd(choices(*many, ("ana", "b", "b", 1), deducted=left[:1]))
    (line,) = concluded(choices(*many, deducted=left))[-1:]
    assert (
        line
        == "ben left out 3 of 40 choices on 10 items (1 other annotator left out some, too): the figures rest on the other 37 choices."
    )


def test_single_gaps_are_told_of_the_worst_where_nobody_leaves_out_more():
    assert odd(choices(*GOOD, deducted=[("ana", "skipped", 1)])) == {Kind.GAPS: ("ana", "", 1, 13)}
    assert Kind.GAPS not in odd(choices(*GOOD, deducted=[("ana", "skipped", 2)]))
    line = concluded(choices(*GOOD, deducted=[("ana", "skipped", 1)]))[-1]
    assert line == "ana left out 1 of 13 choices on 10 items: the figures rest on the other 12 choices."


def test_what_all_of_many_leave_out_was_not_to_be_given():
    rows = [(name, label, label, 6) for name in ("ana", "ben", "cy") for label in "ab"]
    each = [(name, "skipped", 5) for name in ("ana", "ben", "cy")]
    assert Kind.LEFT_OUT in odd(choices(*rows, deducted=each[:2]))
    assert oddities(choices(*rows, deducted=each)) == []


def test_what_does_not_count_comes_with_the_most_frequent_reason():
    reasons = [("ana", "no_reference", 3), ("ana", "no_reference_choice", 1)]
    lines = concluded(choices(*GOOD, deducted=reasons))
    assert "4 of 16 choices do not count, most often for this reason: no reference." in lines


@pytest.mark.parametrize(
    ("right", "end"), [(15, ", more often than any system is."), (16, ": a high figure there says little.")]
)
def test_it_is_told_where_the_same_label_throughout_is_right_more_often_than_every_system(right, end):
    """Always "A" is right in 16 of 20. A baseline that always says so is no system."""
    rows = [
        ("north", "A", "A", right - 2),
        ("north", "B", "B", 2),
        ("north", "A", "B", 18 - right),
        ("north", "B", "A", 2),
    ]
    rows += [("baseline:a", "A", "A", 16), ("baseline:a", "B", "A", 4)]
    confusion = pl.DataFrame(
        [(system, "safety", true, said, count) for system, true, said, count in rows if count],
        schema=["system", "criterion", "reference_label", "label", "count"],
        orient="row",
    )
    report = made_report("preferences", {"confusion": confusion})
    (found,) = [one for one in oddities(report) if one.kind is Kind.ONE_SIDED]
    said = odd_text(found, report.about, judge="", reference="", items=20)
    assert said == f'For criterion safety, always giving "A" would be right in 16 of 20 labels{end}'


@pytest.mark.parametrize(("same", "told"), [(16, True), (15, False)])
def test_a_label_that_is_nearly_always_right(same, told):
    report = choices(("ana", "a", "a", same), ("ana", "b", "b", 20 - same))
    assert (odd(report).get(Kind.ONE_SIDED) == ("", "a", 16, 20)) is told


@pytest.mark.parametrize(("same", "told"), [(16, True), (15, False)])
def test_a_label_that_is_nearly_always_right_for_one_criterion_is_told_of_it(same, told):
    """Over both criteria "A" is right in 26 or 25 of 40: that says nothing of safety."""
    counts = [("safety", "A", same), ("safety", "B", 20 - same), ("style", "A", 10), ("style", "B", 10)]
    confusion = pl.DataFrame(
        [("north", criterion, label, label, count) for criterion, label, count in counts],
        schema=["system", "criterion", "reference_label", "label", "count"],
        orient="row",
    )
    report = made_report("preferences", {"confusion": confusion})
    assert (odd(report).get(Kind.ONE_SIDED) == ("", "A", 16, 20)) is told
    said = 'For criterion safety, always giving "A" would be right in 16 of 20 labels: a high figure there says little.'
    assert (said in [odd_text(one, report.about, judge="", reference="", items=20) for one in oddities(report)]) is told
    assert not advised(report)


@pytest.mark.parametrize(("count", "of", "told"), [(4, 50, True), (5, 50, False), (4, 49, False)])
def test_a_rare_label(count, of, told):
    most = (of - count) // 2
    rows = [("ana", "a", "a", most), ("ana", "b", "b", of - count - most), ("ana", "c", "c", count)]
    assert (Kind.RARE in odd(choices(*rows))) is told


@pytest.mark.parametrize(
    ("size", "few", "told"), [(1, "1 choice", True), (5, "5 choices", True), (6, "6 choices", False)]
)
def test_few_labels_of_a_judge_beside_the_others(size, few, told):
    rows = [(name, "a", "a", 6) for name in ("ana", "ben")] + [(name, "b", "b", 6) for name in ("ana", "ben")]
    report = choices(*rows, ("cy", "a", "a", size))
    assert (odd(report).get(Kind.FEW) == ("cy", "", size, 12)) is told
    said = f"cy has only {few}; the median annotator has 12."
    assert (said in concluded(report)) is told


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        ({"neither": 12}, Kind.NO_FLAGS),
        ({"reference_only": 5, "neither": 7}, Kind.NEVER_FLAGS),
        ({"reference_only": 4, "neither": 8}, None),
        ({"both": 1, "annotator_only": 9}, Kind.ALL_FLAGS),
        ({"both": 1, "annotator_only": 8}, None),
        ({"both": 10}, None),
    ],
)
def test_flags_nowhere_and_everywhere(flags, kind):
    report = choices(*GOOD, flags=[("ana", outcome, count) for outcome, count in flags.items()])
    assert list(odd(report)) == ([] if kind is None else [kind])


@pytest.mark.parametrize(("first", "of", "told"), [(60, 100, False), (65, 100, True), (650, 1100, False)])
def test_positions_that_are_not_balanced(first, of, told):
    """99 % by Wilson: from .473 for 60 of 100, from .521 for 65; 650 of 1,100 is sure, and below 60 %."""
    rows = [("north", "relevance", "A", "A", first), ("north", "relevance", "B", "B", of - first)]
    confusion = pl.DataFrame(rows, schema=["system", "criterion", "reference_label", "label", "count"], orient="row")
    scores = typed_table([dict.fromkeys(["system", "criterion", *FIGURE]) | {"system": "north", "metric": "accuracy"}])
    report = made_report("preferences", {"scores": scores, "confusion": confusion})
    assert (Kind.UNBALANCED in odd(report)) is told


def test_votes_that_take_no_side_are_no_labels():
    rows = [
        ("ana", "lena", "text_a", "not_applicable", 9),
        ("ana", "lena", "both", "text_a", 9),
        ("ana", "lena", "missing", "text_a", 2),
    ]
    votes = pl.DataFrame(rows, schema=["annotator", "reference", "vote", "reference_vote", "count"], orient="row")
    report = made_report("annotations", {"votes": votes})
    assert odd(report) == {Kind.LEFT_OUT: ("ana", "", 2, 20)}


def test_empty_and_repeated_texts_are_counted_in_the_data():
    texts = pl.DataFrame({"id": list("abcd"), "text": ["Best tea!", "Best tea!", " ", "Tea."]})
    marks = texts.with_columns(start=0, end=1, rule=pl.lit("claims"))
    report = karat.violations(marks, marks)
    assert (report.counts["empty texts"], report.counts["repeated texts"]) == (1, 1)
    assert any(line.startswith("1 of 4 texts have an empty text. ") for line in report.conclusion)
    pairs = pl.DataFrame(
        {"pair": ["1", "2"], "text_a": ["x", ""], "text_b": ["y", "z"], "ana": "text_a", "ben": "text_b"}
    )
    report = karat.annotations(pairs, annotator_columns=["ana", "ben"], reference="ana")
    assert report.counts["empty texts"] == 1
    gold = pl.DataFrame(
        {"id": ["1", "2"], "instruction": "q", "output_a": "x", "output_b": "y", "safety_preference": ["A", "B"]}
    )
    report = karat.preferences(gold, gold, criteria=["safety"], system="s")
    assert report.counts["repeated texts"] == 1


def test_quotes_that_do_not_stand_at_their_offsets_are_told_from_one_in_twenty():
    """Two of two, then one of two, and one of 40; and the offsets are to be looked at before all else."""

    def report(*quotes):
        texts = {
            "id": [f"t{place}" for place in range(len(quotes))],
            "text": [f"{place:02} tea" for place in range(len(quotes))],
        }
        marks = pl.DataFrame(texts | {"start": 3, "end": 6, "context": quotes, "rule": "claims"})
        return karat.violations(marks, marks, quote_mismatch="warn")

    both = report("ea", "te")
    assert both.counts["misplaced quotes"] == 2
    assert any(
        line.startswith("In 2 of 2 true violations, the quote differs from the text") for line in both.conclusion
    )
    quotes = "whether the quotes are written as they stand in the text (quotation marks, escapes)."
    asked = "their unit (characters or bytes), "
    assert both.advice[0].endswith(f"{asked}whether they start at 0 or 1 (--offset-base), and {quotes}")
    assert "misplaced quotes" not in report("tea", "tea").counts
    assert odd(report("ea", *["tea"] * 39)) == {}
    assert Kind.MISPLACED in odd(report("ea", "te", *["tea"] * 38))


def test_quotes_of_annotators_whose_violations_do_not_count_are_not_told():
    """Each text counts with ben, who marks what the checker does; the quotes of ana, who is named first, are wrong."""
    marks = {"id": ["1", "2"], "text": ["my tea", "no tea"], "start": 3, "end": 6, "context": "tea", "rule": "claims"}
    ben, ana = pl.DataFrame({**marks, "annotator": "ben"}), pl.DataFrame({**marks, "start": 2, "annotator": "ana"})
    report = karat.violations(pl.concat([ana, ben]), pl.DataFrame(marks), references="best-of", quote_mismatch="warn")
    assert report.counts["true violations"] == 2
    assert "misplaced quotes" not in report.counts


def test_a_checker_that_marks_nothing_and_a_rule_that_nobody_names():
    rows = [
        dict.fromkeys(FIGURE) | {"checker": name, "variant": "std", "rule": rule, "metric": metric, "n": n}
        for name, rule, given, right in [("calm", "jargon", 0, 6), ("calm", "claims", 0, 4), ("eager", "claims", 7, 4), ("eager", "jargon", 0, 6)]
        for metric, n in (("precision", given), ("recall", right))
    ]  # fmt: skip
    report = made_report("violations", {"by_rule": typed_table(rows)})
    assert odd(report) == {Kind.NOTHING: ("calm", "", 0, 10), Kind.NEVER: ("eager", "jargon", 6, 10)}
    checkers = [dict.fromkeys(FIGURE) | {"checker": "calm", "average": "micro", "metric": "match_score", "value": 0.0}]
    lines = concluded(made_report("violations", {"scores": typed_table(checkers), "by_rule": typed_table(rows)}))
    assert lines[-2:] == (
        "calm marks nothing, where 10 violations are right.",
        'eager never marks "jargon", which is right in 6 of 10 violations.',
    )


def test_no_more_than_two_are_told_the_gravest_first():
    flags = [("ana", "neither", 12)]
    report = choices(*GOOD, ("dev", "a", "a", 5), ("dev", "a", "b", 5), flags=flags, deducted=[("dev", "skipped", 9)])
    assert [one.kind for one in oddities(report)] == [Kind.CONSTANT, Kind.LEFT_OUT]


def test_a_checker_that_marks_few_violations_is_not_told_to_get_more_texts():
    """230 is less than half of 500, the median of 230, 500 and 900."""
    found = {"shy": 230, "calm": 500, "eager": 900}
    rows = [
        dict.fromkeys(FIGURE) | {"checker": one, "variant": "std", "rule": rule, "metric": metric, "n": n // 2}
        for one, count in found.items()
        for rule in ("spelling", "grammar")
        for metric, n in (("precision", count), ("recall", 600))
    ]
    scores = [
        dict.fromkeys(FIGURE) | {"checker": one, "average": "micro", "metric": "match_score", "value": 0.5}
        for one in found
    ]
    report = made_report("violations", {"scores": typed_table(scores), "by_rule": typed_table(rows)})
    assert "shy marks only 230 violations; the median checker has 500." in concluded(report)
    assert not advised(report)


def test_rows_that_were_dropped_are_told_and_nothing_is_then_called_plain():
    """Of 40 labels one is a number that the order lacks. Of eight labels that may be good, few show it."""
    said = {"item": [*range(40)], "annotator": "ana", "label": [*"12"] * 20, "reference": [*"12"] * 20}
    said["label"][-1] = "9"
    report = karat.reliability(pl.DataFrame(said), ordered=["1", "2"], on_invalid="drop")
    assert (
        "Rows with missing, invalid or repeated values were dropped and count nowhere: 1 for label."
        in report.conclusion
    )
    assert not any("Nothing odd" in line for line in report.conclusion)
    for count, told in ((38, True), (8, False)):
        whole = karat.reliability(pl.DataFrame(said).head(count), ordered=["1", "2"], on_invalid="drop")
        assert any("Nothing odd" in line for line in whole.conclusion) is told


def test_who_labels_much_and_agrees_no_more_than_chance_is_named_and_a_newcomer_is_not():
    """Right are a and b in turn. Guess has a, a, b, b ...: half of 200 right, as two equally frequent labels are by
    chance, so kappa is 0. New does the same on eight items, which is too little to say so.
    """
    right = ["ab"[place % 2] for place in range(200)]
    given = {"good": right, "guess": ["aabb"[place % 4] for place in range(200)], "new": [*"aabbaabb"]}
    rows = [
        (f"i{place}", who, label, right[place]) for who, labels in given.items() for place, label in enumerate(labels)
    ]
    report = karat.reliability(pl.DataFrame(rows, schema=["item", "annotator", "label", "reference"], orient="row"))
    said = "By Cohen's kappa, guess (0.00 on 200 choices) is not shown to agree with the reference beyond chance."
    assert said in report.conclusion
    assert "Read the choices of guess before they are used." in report.advice


def against(**given):
    """What reliability concludes and advises of annotators' labels for items whose right labels are a and b in turn."""
    rows = [
        (f"i{place}", who.replace("_", " "), label, "ab"[place % 2])
        for who, labels in given.items()
        for place, label in enumerate(labels)
    ]
    report = karat.reliability(pl.DataFrame(rows, schema=["item", "annotator", "label", "reference"], orient="row"))
    return [line for line in report.conclusion if "kappa" in line], report.advice


def test_those_with_most_labels_stand_first_and_more_than_four_are_counted():
    """Each is right on half, as chance would be."""
    half = "aabb"
    many = {f"g{number}": half * (25 + number) for number in range(6)}
    (line,), advice = against(**many, good="ab" * 60)
    named = ", ".join(f"g{number} (0.00 on {4 * (25 + number)} choices)" for number in (5, 4, 3, 2))
    assert line == f"By Cohen's kappa, {named} and 2 others are not shown to agree with the reference beyond chance."
    assert "Read the choices of g5 and the 5 others that are not shown to do better, before they are used." in advice


def test_labels_that_are_swapped_are_no_guesses_and_those_that_are_all_the_same_are_told_otherwise():
    (line,), advice = against(swapped="ba" * 100, always="a" * 200)
    said = "swapped (\u22121.00 on 200 choices) agrees with the reference less often than chance would"
    assert line == f"By Cohen's kappa, {said}, as if labels were swapped."
    assert advice[0] == "Check the choices of swapped in the file before you trust its figures."


def test_violations_that_were_dropped_are_not_nothing():
    texts = {"id": [f"t{place}" for place in range(40)], "text": "a tea", "rule": "claims"}
    truth = pl.DataFrame(texts | {"start": 0, "end": 1})
    marks = pl.DataFrame(texts | {"start": [-1, 0] * 20, "end": 1})
    report = karat.violations(truth, marks, on_invalid="drop")
    assert any("20 invalid violations were dropped" in line for line in report.warnings)
    assert not any("Nothing odd" in line for line in report.conclusion)
