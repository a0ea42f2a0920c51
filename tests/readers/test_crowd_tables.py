"""Results of crowdsourcing platforms are read as they are downloaded."""

import io

import polars as pl
import pytest

from adjudge import DataError
from made_labels import APPEN, APPEN_AGGREGATED, MTURK, TICKED, TOLOKA, judgments, rows_of


def test_a_batch_of_mturk_has_workers_as_annotators_and_hits_as_items(written):
    read = judgments(written(MTURK, "batch.csv"), reference="Input.gold")
    assert rows_of(read) == [("3H1", "A1", "4", "4"), ("3H1", "A2", "5", "4"), ("3H2", "A1", "5", "5")]


def test_rows_that_were_rejected_count_and_are_told(written):
    (warning,) = judgments(written(MTURK, "batch.csv"), reference="Input.gold").warnings
    assert warning.endswith("batch.csv: rows with AssignmentStatus Rejected count like the others: 1")


def test_answers_of_a_form_in_one_cell_are_a_column_for_each_question(written):
    answers = ('[{"tone": {"kind": true, "rude": false}, "why": "so"}]', '[{"tone": {"kind": false, "rude": true}}]')
    text = "HITId,WorkerId,Input.gold,Answer.taskAnswers\n"
    text += "".join(f'h{n},w,kind,"{one.replace(chr(34), chr(34) * 2)}"\n' for n, one in enumerate(answers))
    read = judgments(written(text, "batch.csv"), label="Answer.tone", reference="Input.gold")
    assert read.frame["label"].cast(str).to_list() == ["kind", "rude"]


def test_mturk_without_a_reference_says_how_to_name_one(written):
    with pytest.raises(DataError, match=r"no reference labels\n.*annotators A1, A2\nfix:   reference ANNOTATOR"):
        judgments(written(MTURK, "batch.csv"))


def test_buttons_with_a_column_each_are_one_question_and_nothing_ticked_is_skipped(written):
    read = judgments(written(TICKED, "batch.csv"), label="Answer.tone", reference=["b"])
    assert rows_of(read) == [("1", "a", "kind"), ("2", "a", None)]
    assert any("skipped, since without an answer to Answer.tone: 1 row" in one for one in read.warnings)


def test_tasks_of_toloka_without_ids_are_told_by_what_was_shown(written):
    read = judgments(written(TOLOKA.replace("ASSIGNMENT:task_id", "ASSIGNMENT:link"), "pool.tsv"))
    assert rows_of(read) == [("Go", "w1", "bad", None), ("Hello", "w1", "good", "good"), ("Hello", "w2", "bad", "good")]


def test_control_tasks_of_toloka_are_the_reference(written):
    read = judgments(written(TOLOKA, "pool.tsv"))
    assert rows_of(read) == [("t1", "w1", "good", "good"), ("t1", "w2", "bad", "good"), ("t2", "w1", "bad", None)]


def test_test_questions_of_appen_are_the_reference(written):
    read = judgments(written(APPEN, "f1.csv"))
    assert rows_of(read) == [
        ("1", "501", "positive", "positive"),
        ("1", "502", "negative", "positive"),
        ("2", "501", "negative", None),
    ]
    assert any("rows with _tainted true count like the others: 1" in one for one in read.warnings)


def test_each_answer_that_a_test_question_of_appen_accepts_is_right(written):
    read = judgments(written(APPEN.replace("true,positive,,", 'true,"positive\nnegative",,'), "f1.csv"))
    assert rows_of(read)[:2] == [("1", "501", "positive", "positive"), ("1", "502", "positive", "positive")]


def test_a_full_report_of_appen_without_test_questions_lists_its_columns(written):
    content = "_unit_id,_worker_id,sentiment,text\n1,501,positive,Good\n1,502,negative,Good\n"
    path = written(content, "f1.csv")
    with pytest.raises(DataError, match="hold the answers\nfound: sentiment, text"):
        judgments(path, reference=["501"])
    assert rows_of(judgments(path, reference=["501"], label="sentiment")) == [("1", "502", "negative")]


def test_the_aggregated_report_of_appen_is_one_annotator(written):
    read = judgments(written(APPEN_AGGREGATED, "a1.csv"))
    assert rows_of(read) == [("1", "aggregated", "positive", "positive"), ("2", "aggregated", "negative", "positive")]


@pytest.mark.parametrize(
    ("content", "separator", "options"),
    [
        (MTURK, ",", {"reference": "Input.gold"}),
        (TICKED, ",", {"reference": ["a"], "label": "Answer.tone"}),
        (TOLOKA, "\t", {}),
        (APPEN, ",", {}),
        (APPEN_AGGREGATED, ",", {}),
    ],
)
def test_tables_with_types_read_as_their_text(written, tmp_path, content, separator, options):
    table, path = pl.read_csv(io.StringIO(content), separator=separator), tmp_path / "typed.parquet"
    table.write_parquet(path)
    expected = rows_of(judgments(written(content, "plain.csv"), **options))
    assert rows_of(judgments(path, **options)) == expected
    assert rows_of(judgments(table, **options)) == expected
