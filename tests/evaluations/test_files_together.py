"""Columns that some of several inputs lack, each case by hand."""

import json

import pytest

from adjudge.evaluations.inputs import with_missing_columns
from adjudge.readers.inputs import sources
from adjudge.readers.io.source import How
from adjudge.readers.labels.judgments import JudgmentReading

PEOPLE = "item,annotator,label,draw,family\ni1,ana,y,1,gpt\n"
JUDGE = "item,annotator,label\ni1,gpt,y\n"
PLAIN = JudgmentReading(columns={}, reference=(), by=(), flag_values={}, labels=(), drop=False)


def together(folder, second, named, name="b.csv"):
    (folder / "a.csv").write_text(PEOPLE)
    (folder / name).write_text(second)
    read = sources([folder / "a.csv", folder / name], How(), "reliability")
    return read, with_missing_columns(read, named, PLAIN)


def test_only_columns_of_labels_are_warned_of_and_clusters_may_be_in_no_file(tmp_path):
    read, found = together(tmp_path, JUDGE, {"family": "family"})  # of the item, which another file may say
    assert found[0] is read[0]
    assert (found[1] is read[1], found[1].warnings) == (False, ())
    read, found = together(tmp_path, JUDGE, {"cluster": "cluster"})
    assert found == read


@pytest.mark.parametrize(("records", "lacks"), [([{}, {}], True), ([{}, {"draw": "1"}], False), ([{}, "i2"], True)])
def test_a_record_of_json_has_a_column_where_any_of_them_has_it(tmp_path, records, lacks):
    of = {"item": "i1", "annotator": "gpt", "label": "y"}
    many = [of | one if isinstance(one, dict) else one for one in records]
    read, found = together(tmp_path, "".join(json.dumps(one) + "\n" for one in many), {"run_column": "draw"}, "b.jsonl")
    assert (found[1] is not read[1]) == lacks
    read, found = together(tmp_path, json.dumps({"i1": {"gpt": "y"}}), {"run_column": "draw"}, "b.json")
    assert found[1] is read[1]  # the names of an object may be items
