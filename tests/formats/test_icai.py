"""Folders of ICAI's results are data sets of pairs."""

import json

import pytest

import karat
from karat import DataError, OptionError
from made_pairs import column, comparison, document, read, votes

TRAINED = 'index,index,input,text_a,text_b,preferred_text,human_2,model_a\n0,0,Why?,A cat.,A dog.,text_a,text_b,m\n1,1,Why?,"Yes, it is.",No.,text_b,,m\n'
PRINCIPLES = {"0": "Select the response that is more concise", "1": "Select the response that is polite"}
VOTES = 'index,votes\n0,"{0: True, 1: None}"\n1,"{0: True, 1: \'invalid\'}"\n'


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "2025-05-07_18-35-25" / "results"
    folder.mkdir(parents=True)
    (folder / "000_train_data.csv").write_text(TRAINED)
    (folder / "030_distilled_principles_per_cluster.json").write_text(json.dumps(PRINCIPLES))
    (folder / "040_votes_per_comparison.csv").write_text(VOTES)
    return folder


@pytest.mark.parametrize("inner", [False, True])
def test_logs_are_pairs_with_the_votes_of_principles(results, inner):
    pairs = read(results if inner else results.parent)
    # The ids are the first 8 digits of the principles' MD5, as `printf %s ... | md5sum` gives them.
    assert votes(pairs) == {
        "preferred_text": ["text_a", "text_b"],
        "human_2": ["text_b", "missing"],
        "bf731c7f": ["text_a", "text_b"],
        pairs.annotators[3].id: ["not_applicable", "invalid"],
    }
    assert [one.name for one in pairs.annotators[2:]] == ["is more concise", "is polite"]
    assert (pairs.name, pairs.default) == ("2025-05-07_18-35-25", "preferred_text")
    assert (column(pairs, "prompt"), column(pairs, "text_a")) == (["Why?", "Why?"], ["A cat.", "Yes, it is."])


def test_the_file_of_annotated_pairs_in_a_folder_is_read_if_it_is_there(results):
    (results / "070_annotations_train_ap.json").write_text(json.dumps(document(comparison("x", {"ann": "b"}))))
    assert votes(read(results))["ann"] == ["text_b"]


def test_a_report_of_a_folder_names_it_and_its_content(results):
    first = karat.annotations(results.parent)
    assert first.inputs[0].path == str(results.parent)
    assert karat.annotations(results).inputs[0].sha256 == first.inputs[0].sha256


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("040_votes_per_comparison.csv", "index,votes\n0,{0: True}\n", "expected votes on each pair; 1 pair has none, such as 1"),
        ("040_votes_per_comparison.csv", "index,votes\n0,__import__('os')\n", "row 1, column votes: expected a dictionary"),
        ("040_votes_per_comparison.csv", "index,votes\n0,1,2\n", "row 1: expected 2 cells, as in line 1; got 3"),
        ("030_distilled_principles_per_cluster.json", "[1]", "expected an object of numbers and principles"),
        ("000_train_data.csv", "index,text_a,text_b\n0,x,\n1,y,z\n", "expected rows with the columns index, .*; got no preferred_text"),
    ],
)  # fmt: skip
def test_logs_that_are_broken_are_refused(results, name, text, expected):
    (results / name).write_text(text)
    with pytest.raises(DataError, match=expected):
        read(results)


def test_other_folders_are_none(tmp_path):
    with pytest.raises(OptionError, match="folder"):
        read(tmp_path)
