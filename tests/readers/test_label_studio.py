"""Choices, ratings and taxonomies of Label Studio are judgments, and its ground truth is the reference."""

import pytest

from adjudge import DataError
from made_labels import LABEL_STUDIO, LABEL_STUDIO_CSV, LABEL_STUDIO_MIN, choice, judgments, rows_of, trusted


def test_annotations_and_predictions_are_judged_by_the_ground_truth(written):
    read = judgments(written(LABEL_STUDIO))
    assert rows_of(read) == [("1", "ana@x.org", "kind"), ("1", "bert-1", "rude"), ("2", "1", None)]
    assert trusted(read) == [("1", "2", "kind")]


def test_what_is_no_answer_and_what_was_cancelled_is_counted(written):
    told = "\n".join(judgments(written(LABEL_STUDIO)).warnings)
    assert "what is no answer about a whole item is left out: labels 1" in told
    assert "skipped, since without an answer to tone: 1 task" in told


def test_a_named_annotator_is_the_reference_in_place_of_the_ground_truth(written):
    read = judgments(written(LABEL_STUDIO), reference=["bert-1"])
    assert rows_of(read) == [("1", "2", "kind"), ("1", "ana@x.org", "kind"), ("2", "1", None)]
    assert trusted(read) == [("1", "bert-1", "rude")]


def test_data_of_tasks_can_group_and_be_the_reference(written):
    read = judgments(written(LABEL_STUDIO), by=["lang"])
    assert sorted(set(read.frame["lang"].cast(str))) == ["de", "en"]
    tasks = [{**task, "data": {"gold": "rude"}, "annotations": task["annotations"][:1]} for task in LABEL_STUDIO]
    assert ("1", "ana@x.org", "kind", "rude") in rows_of(judgments(written(tasks), reference="gold"))


@pytest.mark.parametrize(
    ("result", "label"),
    [
        ({"type": "rating", "value": {"rating": 4}}, "4"),
        ({"type": "number", "value": {"number": 2.5}}, "2.5"),
        ({"type": "taxonomy", "value": {"taxonomy": [["bird", "owl"], ["bird"]]}}, "bird, bird / owl"),
        ({"type": "pairwise", "value": {"selected": "left"}}, "left"),
        ({"type": "choices", "value": {"choices": ["b", "a"]}}, "a, b"),
    ],
)
def test_each_type_of_answer_is_a_label(written, result, label):
    task = {
        "id": 1,
        "data": {},
        "annotations": [{"completed_by": who, "result": [{"from_name": "q", **result}]} for who in (1, 2)],
    }
    assert rows_of(judgments(written([task]), reference=["2"])) == [("1", "1", label)]


def test_a_choice_about_a_part_of_the_text_is_left_out(written):
    annotations = [{"completed_by": 1, "result": [choice("tone", "kind"), choice("part", "x", start=0, end=2)]}]
    read = judgments(written([{"id": 1, "data": {"gold": "kind"}, "annotations": annotations}]), reference="gold")
    assert rows_of(read) == [("1", "1", "kind", "kind")]
    assert any("left out: choices 1" in one for one in read.warnings)


def test_a_record_of_json_min_has_its_answers_between_id_and_annotator(written):
    read = judgments(written(LABEL_STUDIO_MIN), reference=["1"])
    assert rows_of(read) == [("1", "2", "rude")]
    assert trusted(read) == [("1", "1", "kind"), ("2", "1", "curt, rude")]


def test_csv_does_not_say_which_columns_are_answers(written):
    path = written(LABEL_STUDIO_CSV, "project.csv")
    with pytest.raises(DataError, match=r"hold the answers\nfound: .*text, tone.*\nfix:   columns label=COLUMN"):
        judgments(path, reference=["1"])
    assert rows_of(judgments(path, reference=["1"], label="tone")) == [("1", "2", "curt, rude")]


def test_what_is_wrong_with_a_task_is_said_with_its_place(written):
    tasks = [{"id": 1, "data": {}, "annotations": "none"}, {"id": 2, "data": {}, "annotations": [1]}, *LABEL_STUDIO]
    with pytest.raises(DataError) as error:
        judgments(written(tasks))
    first, second = error.value.messages
    assert first.endswith('votes.json, task 1, annotations: expected a list; got "none"')
    assert second.endswith('votes.json, task 2, annotations 1: expected an object; got "1"')
    assert len(rows_of(judgments(written(tasks), drop=True))) == 3
