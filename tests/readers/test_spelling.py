"""Labels that differ only by spaces or case, equal numbers and equal sets are one label, in every evaluation."""

import polars as pl
import pytest

import adjudge
from adjudge import DataError
from adjudge.readers.label_values import LabelRules, settle

SAID = "spellings of one label count as one (--exact-labels keeps them separate): "


@pytest.mark.parametrize(
    ("counts", "known", "expected"),
    [
        ({"Tie": 2, "tie": 5, " tie ": 1}, [], {"Tie": "tie", " tie ": "tie"}),
        ({"a": 1, "A": 1}, [], {"a": "A"}),  # equally common: the first by code point
        ({"a": 9, "A": 1}, ["A"], {"a": "A"}),
        ({"a": 9, "A": 1, "a ": 1}, ["A", "a"], {}),  # both are meant: which one "a " is, nobody can tell
        ({"bothgood": 1, "both good": 1, "3.1": 1, "3.10": 1, "007": 1, "7": 1}, [], {}),
        ({"1": 1, "1.0": 9, "+1": 1, "0.00": 2, "0": 1, "5.0": 1}, [], {"1.0": "1", "+1": "1", "0.00": "0"}),
        ({"50 %": 1, "50%": 2, "50.0%": 1, "50": 1}, [], {"50 %": "50%", "50.0%": "50%"}),
        ({"café": 2, "cafe\u0301": 1, "café\u200b": 1}, [], {"cafe\u0301": "café", "café\u200b": "café"}),
        # sets: each part stands alone or in another set too, and one of them alone
        ({"b; A": 1, "a;b": 2, "a": 1, "['b']": 1}, [], {"b; A": "a;b", "['b']": "b"}),
        ({"b|a": 1, "a|b": 2, "a": 1, "b|c": 1, "c|d": 1}, [], {"b|a": "a|b"}),
        ({"1;2": 1, "2;1": 1, "1": 1, "2": 1}, [], {"2;1": "1;2"}),
        # else they may be names or rankings, and two numbers with a comma decimals; slashes are of paths
        ({"Smith, John": 1, "John, Smith": 1, "John": 1}, [], {}),
        ({"a,b": 1, "b,a": 1, "a,c": 1, "b,c": 1}, [], {}),
        ({"1,2": 1, "2,1": 1, "1": 1, "2": 1}, [], {}),
        ({"a/b": 1, "b/a": 1, "a": 1, "b": 1}, [], {}),
        # words for yes and no, where every label is one
        ({"yes": 3, "Y": 2, "n": 2, "no": 1}, [], {"Y": "yes", "no": "n"}),
        ({"1": 9, "0": 9, "yes": 1, "no": 1, "NA": 1}, [], {"1": "yes", "0": "no", "NA": None}),
        ({"1": 3, "0": 2}, [], {}),
        # dates of two styles, where every label is one
        ({"2020-01-20": 1, "20.01.2020": 1}, [], {"20.01.2020": "2020-01-20"}),
        ({"2020-01-20": 1, "2020-01-20 00:00:00": 1}, [], {"2020-01-20 00:00:00": "2020-01-20"}),
        ({"2020-01-20": 1, "99/01/2020": 1}, [], {}),
    ],
)
def test_which_label_a_spelling_is(counts, known, expected):
    assert settle(counts, (), LabelRules(known))[0] == expected


def test_numbers_on_a_scale_have_a_decimal_comma_where_it_can_be_nothing_else():
    counts = {"3,5": 1, "3.50": 2, "1,500": 1, "1.5": 1, "NA": 1}
    assert settle(counts, (), LabelRules(numbers=True))[0] == {"3,5": "3.5", "3.50": "3.5", "NA": None}


def judgments(*labels, reference="tie"):
    return pl.DataFrame({"item": range(len(labels)), "annotator": "x", "label": labels, "reference": reference})


def test_judgments_with_the_commonest_spelling():
    report = adjudge.reliability(judgments("tie", "Tie", "tie ", "a"))
    assert report.warnings == (f'{SAID}"Tie" (1), "tie " (1) as "tie"',)
    assert report["confusion"]["label"].to_list() == ["a", "tie"]
    assert report.estimate("reliability", table="annotators", annotator="x").value == 0.75
    assert adjudge.reliability(judgments("tie", "Tie", "tie ", "a"), exact_labels=True).estimate("reliability", table="annotators", annotator="x").value == 0.25  # fmt: skip


def test_labels_that_are_listed_are_spelt_as_they_are_listed():
    report = adjudge.reliability(judgments("tie", "A"), labels=["TIE", "a"])
    assert report["confusion"]["label"].to_list() == ["TIE", "a"]
    with pytest.raises(DataError, match='expected one of TIE, a; got "tie"'):
        adjudge.reliability(judgments("tie", "A"), labels=["TIE", "a"], exact_labels=True)
    ordered = adjudge.reliability(judgments("Tie", "loss"), ordered=["LOSS", "TIE"])
    assert ordered.estimate("mean_absolute_error", table="annotators", annotator="x").value == 0.5
    # on a scale 1,5 is 0.5 from 1 and from 2: a mean of (0 + 0.5) / 2
    scale = adjudge.reliability(judgments("1,0", "1,5", reference="1"), ordered=["numbers"])
    assert scale.estimate("mean_absolute_error", table="annotators", annotator="x").value == 0.25
    assert scale.warnings == (f'{SAID}"1,0" (1) as "1"; "1,5" (1) as "1.5"',)


def test_predicted_labels():
    gold = pl.DataFrame({"id": ["1", "2"], "safety_preference": ["A", "both_good"]})
    said = pl.DataFrame({"id": ["1", "2"], "safety_preference": ["a", " Both_good"]})
    report = adjudge.preferences(gold, said, criteria=["safety"], system=["s"])
    assert report.estimate("accuracy", table="scores", system="s", criterion="safety").value == 1
    assert report.warnings == (f's: {SAID}"a" (1) as "A"; " Both_good" (1) as "both_good"',)
    with pytest.raises(DataError, match='expected one of A, B, both_good, both_bad; got "a"'):
        adjudge.preferences(gold, said, criteria=["safety"], exact_labels=True)


@pytest.mark.parametrize("shape", ["wide", "long"])
def test_votes(shape):
    texts = {"text_a": ["x", "x"], "text_b": ["y", "y"]}
    wide = pl.DataFrame({"pair": ["1", "2"], "vote": ["Text_A", "text_b "], **texts})
    long = wide.with_columns(annotator=pl.lit("vote"))
    data, options = (wide, {"annotator_columns": "vote"}) if shape == "wide" else (long, {})
    report = adjudge.annotations(data, reference="vote", annotator="vote", **options)
    assert report.warnings[0].endswith(f'{SAID}"Text_A" (1) as "text_a"; "text_b " (1) as "text_b"')
    with pytest.raises(DataError, match='got "Text_A"'):
        adjudge.annotations(data, reference="vote", exact_labels=True, **options)
