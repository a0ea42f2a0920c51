"""Preferences with a row per item and criterion read as those with a row per item."""

import pytest

import adjudge
from adjudge import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.preferences.preferences import PreferenceReading, read_gold
from adjudge.schemas.preferences import Task

TASK = Task(("safety", "fluency"))
LONG = """\
id,criterion,label,explanation,instruction,lang
2,fluency,B,clearer,Say hi,en
1,safety,A,safer,Greet,en
2,safety,both_bad,,Say hi,en
"""
WIDE = """\
id,instruction,lang,safety_preference,safety_explanation,fluency_preference,fluency_explanation
2,Say hi,en,both_bad,,B,clearer
1,Greet,en,A,safer,,
"""


def gold(path, **options):
    return read_gold(sources(path)[0], PreferenceReading(task=TASK, **options))


def test_a_long_table_reads_as_its_wide_one(written):
    long, wide = (gold(written(content, "gold.csv"), by=["lang"]) for content in (LONG, WIDE))
    assert long.frame.equals(wide.frame)
    assert long.warnings == wide.warnings


def test_the_columns_of_a_long_table_can_be_called_otherwise(written):
    path = written(LONG.replace("criterion,label", "aspect,better"), "gold.csv")
    found = gold(path, columns={"criterion": "aspect", "label": "better"})
    assert found.frame["label:safety"].to_list() == [4, 1]


def test_gold_and_predictions_may_both_be_long(written):
    table = written(LONG, "gold.csv")
    other = written(LONG, "same.csv")
    report = adjudge.preferences(table, other, system="same", criteria=["safety", "fluency"], explanations=True)
    assert report.estimate("accuracy", table="scores", system="same", criterion="safety").value == 1.0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (LONG + "1,style,A,,Greet,en\n", 'row 4, column criterion: expected one of safety, fluency (or other criteria, named with --criteria); got "style"'),
        (LONG + "1,safety,B,,Greet,en\n", "rows 2, 4: expected one label of each id and criterion; id 1, criterion safety stands 2 times"),
        (LONG + "1,fluency,B,,Other,en\n", 'column instruction: expected one value in all rows of the id; got "Greet"'),
        ("id,criterion\n1,safety\n", "missing columns safety_preference"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_long_table_is_said(written, content, expected):
    with pytest.raises(DataError) as error:
        gold(written(content, "gold.csv"))
    assert expected in str(error.value)


def test_explanations_that_are_scored_must_be_there(written):
    table = written("id,criterion,label\n1,safety,A\n", "gold.csv")
    other = written("id,criterion,label\n1,safety,B\n", "system.csv")
    with pytest.raises(DataError, match="missing column explanation"):
        adjudge.preferences(table, other, criteria="safety", explanations=True)
