"""Logs of samples of lm-evaluation-harness are judgments of models by the target."""

import gzip

from made_labels import LM_EVAL, judgments, lines, rows_of

NAME = "samples_tone_2025-01-01T00-00-00.000000.jsonl"
WORDS = [
    {**LM_EVAL[0], "target": "18", "filtered_resps": [text], "filter": how, "exact_match": right, "acc": None}
    for text, how, right in [("18", "strict", 1.0), ("$18", "loose", 1.0)]
]


def test_of_choices_the_likeliest_is_the_label(written):
    path = written(lines(LM_EVAL), "log.jsonl")
    assert rows_of(judgments(path)) == [("0", "log", "1", "1"), ("1", "log", "1", "0")]


def test_where_the_target_is_the_text_of_a_choice_so_is_the_label(written):
    choices = {f"gen_args_{number}": {"arg_0": "?", "arg_1": text} for number, text in enumerate([" no", " yes"])}
    path = written(lines([{**LM_EVAL[0], "target": "yes", "arguments": choices}]), "log.jsonl")
    assert rows_of(judgments(path)) == [("0", "log", "yes", "yes")]


def test_in_logs_of_early_versions_the_texts_of_choices_stand_in_lists(written):
    old = {**LM_EVAL[0], "target": "yes", "arguments": [["?", " no"], ["?", " yes"]]}
    path = written(lines([{**old, "filtered_resps": [[-2.5, False], [-0.5, True]]}]), "log.jsonl")
    assert rows_of(judgments(path)) == [("0", "log", "yes", "yes")]


def test_an_answer_in_a_list_of_its_own_is_no_choice(written):
    path = written(lines([{**WORDS[0], "filtered_resps": [["18"]]}]), "log.jsonl")
    assert rows_of(judgments(path)) == [("0", "log", "18", "18")]


def test_files_of_the_harness_name_the_model_and_the_task(written, tmp_path):
    (tmp_path / "org__model").mkdir()
    plain = written(lines(LM_EVAL), f"org__model/{NAME}")
    packed = written(gzip.compress(plain.read_bytes()), f"org__model/{NAME}.gz")
    expected = [("tone/0", "org__model", "1", "1"), ("tone/1", "org__model", "1", "0")]
    assert rows_of(judgments(plain)) == rows_of(judgments(packed)) == expected


def test_answers_that_the_harness_counts_as_right_but_are_not_the_target_are_told(written):
    read = judgments(written(lines(WORDS), "log.jsonl"), label="loose")
    assert rows_of(read) == [("0", "log", "$18", "18")]
    assert any("the harness counts 1 answer that differs from the target as right" in one for one in read.warnings)


def test_what_the_document_says_can_group(written):
    read = judgments(written(lines(LM_EVAL), "log.jsonl"), by=["lang"])
    assert read.frame["lang"].cast(str).to_list() == ["en", "en"]
