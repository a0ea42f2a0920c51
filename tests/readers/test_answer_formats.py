"""Answers as tools and benchmarks write them: each sample has the tool's shape, and is made up."""

import json

import polars as pl
import pytest

import adjudge as library
import made_answers as made
from adjudge import DataError
from made_answers import lines, result

OTHERS = "nr,question,ground_truth,model_answer\n1,where,Lyon,To Lyon.\n2,who,Bo Li,I do not know\n3,when,1999,In 98.\n"


def test_a_table_of_no_tool_is_scored_by_the_line_of_look(adjudge, written):
    path = written(OTHERS, "a.csv")
    command = library.look(path).command
    assert "--constant ability=question_answering" in command
    assert adjudge(*command.split()[1:], "--fail-under", "accuracy=0.33")[0] == 0


def report_of(written, sample, **options):
    _, content, name, gold = made.SAMPLES[sample]
    path = written(content, name)
    true = {} if gold is None else {"gold": written(gold, "gold.json")}
    return library.rag(path, **true, **options)


@pytest.mark.parametrize("sample", made.SAMPLES)
def test_half_of_the_answers_of_each_sample_are_right(written, sample):
    report = report_of(written, sample)
    ability = "noise_robustness" if sample == "rgb" else "question_answering"
    rows = report["scores"].filter(metric="accuracy")
    assert rows.select("ability", "value", "n").rows() == [(ability, 0.5, 2)]
    assert report.warnings == ()
    named = library.Reading(input_format=made.SAMPLES[sample][0])
    told = report_of(written, sample, reading=named, constant={"ability": "information_integration"})
    rows = told["scores"].filter(metric="accuracy")
    assert rows.select("ability", "value", "n").rows() == [("information_integration", 0.5, 2)]


def test_models_are_those_of_the_file_else_the_file_is_the_model(written):
    models = {"trulens": "tower-bot v1", "openai batch": "gpt-4o", "rgb": "chatgpt", "ragas": "a"}
    for sample, model in models.items():
        assert set(report_of(written, sample)["scores"]["model"]) == {model}


def test_a_question_that_is_answered_again_is_another_draw(written):
    report = library.rag(written([*made.RAGAS, {**made.RAGAS[0], "response": "Rome."}], "a.json"))
    row = report["scores"].filter(metric="accuracy").row(0, named=True)
    assert (row["value"], row["n"]) == (0.25, 2)  # the first question is half right, the second wrong
    (warning,) = report.warnings
    assert warning.endswith(": questions with several answers, each of which counts as a draw: 1")


def test_samples_without_true_answers_are_told_how_to_get_them(written):
    rows = [{key: value for key, value in row.items() if key != "reference"} for row in made.RAGAS]
    path = written(rows, "a.json")
    report = library.rag(path)
    assert report.estimate("accuracy", table="scores").value is None
    (warning,) = report.warnings
    assert warning.endswith(": no answer has a true one to compare with; name a file of them with --gold FILE")
    gold = written(
        lines([{"query": made.ASKED, "expected_response": "Lyon"}, {"query": made.OTHER, "expected_response": "B"}])
    )
    assert library.rag(path, gold=gold).estimate("accuracy", table="scores").value == 0.5


@pytest.mark.parametrize("content", [[{"type": "text", "text": "To "}, {"type": "text", "text": "Lyon."}], "To Lyon."])
def test_blocks_of_content_are_their_text(written, content):
    thought = {"type": "thinking", "thinking": "Is it Rome?"}
    blocks = [thought, *content] if isinstance(content, list) else {"role": "assistant", "content": content}
    rows = [{**made.RAGAS[0], "response": blocks}]
    assert library.rag(written(rows, "a.json"), scorer="document")["outcomes"]["outcome"].to_list() == ["correct"]


# --- lists of true answers ---


FLAT = {"id": "1", "ability": "question_answering", "response": "Lyon.", "answer": ["Lyon", "Lugdunum"]}
CELL = 'id,ability,response,answer\n1,question_answering,Lyon,"[""Lyon"", ""City of Lyon""]"\n'
BARS = [{**FLAT, "answer": "Lyon | Lugdunum |"}, {**FLAT, "id": "2", "answer": "Lyon"}]
A_LIST = ": true answers that are lists of texts, each of which a response must hold: 1. "


@pytest.mark.parametrize(
    ("content", "options", "value", "warning"),
    [
        ([FLAT], {"answer_lists": "aliases"}, 1, None),
        ([FLAT], {"answer_lists": "slots"}, 0, None),
        ([FLAT], {}, 0, A_LIST),
        (CELL, {"answer_lists": "aliases"}, 1, None),
        (CELL, {}, 0, A_LIST),
        # what says itself what it is, and pieces over several documents
        *(
            ([{**FLAT, "answer": answer}], {"answer_lists": lists}, 1, None)
            for answer in (["Lyon"], [["Lyon", "City of Lyon"]], [["Lyon"], ["Lyon"]], "Lyon")
            for lists in ("aliases", "slots", None)
        ),
        ([{**FLAT, "ability": "information_integration"}], {}, 0, None),
        # one text that holds several
        (BARS, {"answer_separator": "|", "answer_lists": "aliases"}, 1, None),
        (lines(BARS), {"answer_separator": "|", "answer_lists": "slots"}, 0.5, None),
        # numbers
        ([{**made.RAGAS[0], "response": 42, "reference": 42}, {**made.RAGAS[1], "response": 1.50, "reference": "1.5"}], {}, 1, None),
    ],
)  # fmt: skip
def test_lists_of_true_answers_are_read_as_they_are_said(written, content, options, value, warning):
    report = library.rag(written(content, "a.json"), **options)
    assert value in (None, report.estimate("accuracy", table="scores").value)
    assert [warning in told for told in report.warnings] == [True] * bool(warning)


# --- RGB ---


@pytest.mark.parametrize(
    ("name", "noise", "ability", "metric"),
    [
        ("en_chatgpt_temp0.2_noise0.6", 0.6, "noise_robustness", "accuracy"),
        ("zh_m_1_temp0.2_noise1.0", 1.0, "negative_rejection", "rejection_rate"),
        ("en_int_x_temp0.7_noise0.4", 0.4, "information_integration", "accuracy"),
        ("en_fact_x_temp0.7_noise0.0", 0, "counterfactual_robustness", "error_detection_rate"),
        (None, 0.2, "noise_robustness", "accuracy"),
    ],
)
def test_the_ability_is_said_by_the_name_of_an_rgb_file(written, name, noise, ability, metric):
    file = f"prediction_{name}_passage5_correct0.0.json" if name else "renamed.json"
    report = library.rag(written(lines([{**one, "noise_rate": noise} for one in made.RGB]), file))
    row = report["scores"].filter(metric=metric).row(0, named=True)
    assert (row["ability"], row["noise_ratio"]) == (ability, noise)


def test_the_lies_of_an_rgb_file_come_from_its_questions(written):
    name = "prediction_en_fact_x_temp0.7_noise0.0_passage5_correct0.0.json"
    documents = {"positive": ["a"], "negative": ["b"], "positive_wrong": ["c"]}
    questions = [{"id": 0, "query": made.ASKED, "answer": "Lyon", "fakeanswer": "Rome", **documents}]
    answers = written(lines([{**made.RGB[0], "noise_rate": 0.0, "prediction": "Not Rome but Lyon."}]), name)
    report = library.rag(answers, gold=written(lines(questions), "en_fact.json"))
    assert report["scores"].filter(metric="error_correction_rate")["value"].item() == 1


# --- true answers in a file of their own ---


def test_the_fields_of_the_gold_can_be_grouped_by_and_it_is_among_the_inputs(written):
    report = report_of(written, "hotpotqa", by="level")
    rows = report["scores"].filter(metric="accuracy").select("level", "value").sort("level").rows()
    assert rows == [("easy", 0), ("hard", 1)]
    assert [(one.path.rpartition("/")[2], one.rows) for one in report.inputs] == [("a.json", 2), ("gold.json", 2)]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["City of Light", "Goethe"], 0.5),
        ([{"text": ["Paris", "City of Light"]}, {"text": "Goethe"}], 0.5),
        (
            [{"Value": "Paris"}, "Goethe"],
            "slot 1: expected a text, or a list of slots|answer: expected a text, or a list",
        ),
        ([[{"answer": "Paris"}], "Goethe"], "slot 1: expected a text, or a list of slots"),
    ],
)
@pytest.mark.parametrize("in_python", [True, False])
def test_true_answers_are_texts_lists_or_objects_with_a_text(written, answers, expected, in_python):
    predicted = written({"t1": "It is the City of Light.", "t2": "Schiller"}, "p.json")
    rows = [{"id": one, "answer": answer} for one, answer in zip(("t1", "t2"), answers, strict=True)]
    gold = pl.DataFrame(rows) if in_python and isinstance(answers[0], str) else written(rows, "gold.json")
    if isinstance(expected, str):
        with pytest.raises(DataError, match=expected):
            library.rag(predicted, gold=gold)
        return
    report = library.rag(predicted, gold=gold)
    name = "table" if isinstance(gold, pl.DataFrame) else str(gold)
    assert (report.estimate("accuracy", table="scores").value, report.inputs[1].path) == (expected, name)


def test_a_column_called_answer_with_the_responses_is_not_also_the_truth():
    answers = pl.DataFrame({"id": ["a", "b"], "answer": ["Lyon", "Goethe"], "ability": "question_answering"})
    gold = pl.DataFrame({"id": ["a", "b"], "answers": ["Paris", "Goethe"]})
    report = library.rag(answers, gold=gold, columns={"response": "answer"})
    assert report.estimate("accuracy", table="scores").value == 0.5
    assert library.rag(answers, columns={"response": "answer"}).estimate("accuracy", table="scores").value is None


def test_an_id_that_the_gold_lacks_is_told_and_a_question_without_an_answer_is_counted(written):
    gold = written(made.HOTPOTQA_GOLD, "gold.json")
    other = written({"answer": {"h1": "Lyon", "h3": "x"}, "sp": {}}, "a.json")
    with pytest.raises(DataError, match=r'record 2, id: expected the id .* of .*gold.json; got "h3"'):
        library.rag(other, gold=gold)
    report = library.rag(other, gold=gold, on_invalid="drop")
    assert report.counts["answers"] == 1
    assert report.warnings[-1] == f"{other}: 1 of 2 questions of {gold} have no answer"


def test_each_outcome_of_a_call_of_a_batch_is_read(written):
    failed = {**result("h1", None), "response": {"status_code": 429, "body": {}}}
    refused = result("h2", None)
    refused["response"]["body"]["choices"][0]["message"]["refusal"] = "I cannot answer that."
    message = {"type": "message", "content": [{"type": "output_text", "text": "Lyon"}]}
    body = {"model": "o4", "output": [{"type": "reasoning", "summary": []}, message]}
    responses = {"custom_id": "h1", "response": {"status_code": 200, "body": body}, "error": None}
    gold = written(made.HOTPOTQA_GOLD, "gold.json")
    for calls, expected in (([failed, refused], {"missing": 1, "rejected": 1}), ([responses], {"correct": 1})):
        report = library.rag(written(lines(calls), "o.jsonl"), gold=gold)
        assert dict(report["outcomes"].select("outcome", "count").iter_rows()) == expected
        assert report["outcomes"]["model"].n_unique() == 1


def test_an_empty_prediction_on_squad_2_is_a_refusal(written):
    gold = json.loads(json.dumps(made.SQUAD_GOLD))
    first, second = gold["data"][0]["paragraphs"][0]["qas"]
    first["is_impossible"] = False
    second |= {"is_impossible": True, "answers": []}
    answers = written({**made.SQUAD, second["id"]: ""}, "a.json")
    report = library.rag(answers, gold=written(gold, "gold.json"), scorer="all")
    assert report["scores"].filter(metric="rejection_rate")["value"].to_list() == [1, 1, 1]
    assert report["scores"].filter(metric="accuracy")["value"].to_list() == [1, 1, 1]
    assert "empty answers read as refusals" in report.warnings[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([{"answer": "x"}], r"expected an id \(id, _id, .*\) or a question"),
        ({"data": [{"paragraphs": []}]}, "no questions found"),
        ([{"id": 1, "text": "x"}], r"expected true answers \(answer, "),
        ([{"id": 1, "answer": "x"}, {"id": 1, "answer": "y"}], "expected each question once; id 1 appears twice"),
        ({"data": [{"paragraphs": True}]}, "article 1, paragraphs: expected a list; got true"),
        ({"data": [{"paragraphs": [{"qas": [{"id": 1}]}]}]}, "answers: expected a list; got null"),
        ('{"id": 1, "answer": "x", "answer": "y"}', "expected each name once; answer appears twice"),
    ],
)
def test_a_gold_that_is_none_is_told(written, content, said):
    with pytest.raises(DataError, match=said):
        library.rag(written(made.RAGAS, "a.json"), gold=written(content, "gold.json"))


def test_an_answer_that_stands_twice_is_refused(written):
    with pytest.raises(DataError, match="expected one answer each"):
        library.rag(written({"results": [made.RAGCHECKER["results"][0]] * 2}, "a.json"))
    with pytest.raises(DataError, match="h1 appears twice"):
        library.rag(written('{"h1": "x", "h1": "y"}', "a.json"), gold=written(made.HOTPOTQA_GOLD, "gold.json"))


def test_answers_to_other_questions_than_those_of_the_gold_are_refused(written):
    with pytest.raises(DataError, match="expected the id or the text of a question"):
        library.rag(written(lines([result("0f3a", "Lyon")]), "o.jsonl"), gold=written(made.HOTPOTQA_GOLD, "gold.json"))


# --- lines, and rows from Python ---
