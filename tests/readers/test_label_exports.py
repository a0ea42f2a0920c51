"""Exports of labelling tools, crowds and harnesses are judgments: who says what of which item, and what is trusted."""

import copy
import gzip
import json
import re
from pathlib import Path

import polars as pl
import pytest

import adjudge as library
import made_labels as made
from adjudge import DataError
from adjudge.readers.inputs import sources
from adjudge.readers.io import json_documents
from adjudge.readers.labels import annotation_export
from adjudge.readers.labels.judgments import JudgmentReading
from adjudge.readers.parsed_input import opened
from made_labels import annotation, choice, judgments, lines, rows_of, score, state, trusted

DATA = Path(__file__).parents[1] / "data"


def with_each(records, **more):
    """Copies of records with further fields, or others in place of those that they have."""
    return [{**copy.deepcopy(one), **more} for one in records]


def log(*samples):
    return {**made.INSPECT, "samples": [{"id": 1, "epoch": 1, "target": "kind", **one} for one in samples]}


def scored(answer, value="I", **more):
    return {"scores": {"match": {"value": value, "answer": answer}}, **more}


def answered(kind, **value):
    """A task of Label Studio on which two people give the same answer."""
    result = [{"from_name": "q", "type": kind, "value": value}]
    return [{"id": 1, "data": {}, "annotations": [{"completed_by": who, "result": result} for who in (1, 2)]}]


def text(read):
    """The rows of judgments, and behind // those of the reference where it stands apart; - where there is no label."""
    parts = [rows_of(read), trusted(read) if read.references is not None else []]
    return " // ".join("; ".join(" ".join(cell or "-" for cell in row) for row in rows) for rows in parts if rows)


FORM = "HITId,WorkerId,Input.gold,Answer.taskAnswers\n" + "".join(
    f'h{n},w,kind,"[{{""tone"": {{""kind"": {kind}, ""rude"": {rude}}}, ""why"": ""so""}}]"\n'
    for n, (kind, rude) in enumerate([("true", "false"), ("false", "true")])
)
GOLD_TASKS = [{**one, "data": {"gold": "rude"}, "annotations": one["annotations"][:1]} for one in made.LABEL_STUDIO]
PART = [{"completed_by": 1, "result": [choice("tone", "kind"), choice("part", "x", start=0, end=2)]}]
CHOICES = {f"gen_args_{n}": {"arg_0": "?", "arg_1": said} for n, said in enumerate([" no", " yes"])}
OLD = {"target": "yes", "arguments": [["?", " no"], ["?", " yes"]], "filtered_resps": [[-2.5, False], [-0.5, True]]}
WORD = {**made.LM_EVAL[0], "target": "18", "exact_match": 1.0, "acc": None}
RATED = with_each(made.PROMPTFOO_RATED, testCase={})
for one in RATED:
    first = one["gradingResult"]["componentResults"][0]
    one["gradingResult"] = {"componentResults": [first, {**first, "pass": not first["pass"]}]}
RESULTS = made.PROMPTFOO["results"]["results"]
FAILED = {name: held for name, held in RESULTS[0].items() if name not in {"gradingResult", "response"}}
SCORES = [score("t1", "ANNOTATION", None, value=said, authorUserId=who) for who, said in (("u1", 1), ("u2", 0.5))]
KIND = "1 openai/m kind kind"
TONES = "0 openai:a kind kind; 0 openai:b rude kind; 1 openai:a rude rude; 1 openai:b rude rude"

ARGILLA_ROW = {
    "id": "r1", "text": "Good.", "tone.responses": ["kind", None], "tone.responses.users": ["u1", "u2"],
    "tone.responses.status": ["submitted", "discarded"], "tone.suggestion": "rude", "tone.suggestion.agent": "m1",
}  # fmt: skip
HONEST = [choice("tone", "kind")], [choice("tone", "rude")]
OLD_TASKS = [
    {"id": n, "data": {"text": "x"}, "completions": [{"completed_by": who, "result": given, "honeypot": who == 9} for who, given in ((1, HONEST[n]), (9, HONEST[0]))]}
    for n in (0, 1)
]  # fmt: skip
IDS = [{"id": n, "data": {"text": "x"}, "predictions": [90, 91], "annotations": [annotation(n, who, choice("tone", "ab"[n % who])) for who in (1, 2)]} for n in range(4)]  # fmt: skip
STATUS_TABLE = """\
text,label,[openai:a] What tone?,Status,Score,Named Scores,Grader Reason,Comment
Good.,kind,kind,PASS,1.00,,All assertions passed,
Bad.,rude,kind,FAIL,0.00,,Expected rude,
Ugh.,rude,,ERROR,0.00,,timeout,
"""
PLAIN_TABLE = "text,label,What tone?\nGood.,kind,[PASS] kind\nBad.,rude,[FAIL] kind\nUgh.,rude,[ERROR] timeout\n"

READ = [
    ("b.csv", made.MTURK, {"reference": "Input.gold"}, "3H1 A1 4 4; 3H1 A2 5 4; 3H2 A1 5 5"),
    ("b.csv", FORM, {"label": "Answer.tone", "reference": "Input.gold"}, "h0 w kind kind; h1 w rude kind"),
    ("p.tsv", made.TOLOKA, {}, "t1 w1 good good; t1 w2 bad good; t2 w1 bad -"),
    ("p.tsv", made.TOLOKA.replace("ASSIGNMENT:task_id", "ASSIGNMENT:link"), {}, "Go w1 bad -; Hello w1 good good; Hello w2 bad good"),
    ("a.json", made.ARGILLA, {"reference": ["u1"]}, "r1 m1 rude; r1 u2 rude // r1 u1 kind"),
    ("a.json", with_each(made.ARGILLA, metadata={"gold": "kind"}), {"reference": "gold"}, "r1 m1 rude kind; r1 u1 kind kind; r1 u2 rude kind"),
    ("a.json", [ARGILLA_ROW], {"reference": ["u1"]}, "r1 m1 rude; r1 u2 - // r1 u1 kind"),
    ("s.json", made.HELM, {}, "id1 openai/gpt-4 polite polite; id1/typos openai/gpt-4 curt polite; id2 openai/gpt-4 So B, I think curt"),
    ("t.json", made.LABEL_STUDIO, {}, "1 ana@x.org kind; 1 bert-1 rude; 2 1 - // 1 2 kind", "about a whole item are excluded: labels 1", "without an answer to tone: 1 task"),
    ("t.json", made.LABEL_STUDIO, {"reference": ["bert-1"]}, "1 2 kind; 1 ana@x.org kind; 2 1 - // 1 bert-1 rude"),
    ("t.json", GOLD_TASKS, {"reference": "gold"}, "1 ana@x.org kind rude; 1 bert-1 rude rude; 2 1 - rude"),
    ("t.json", answered("rating", rating=4), {"reference": ["2"]}, "1 1 4 // 1 2 4"),
    ("t.json", answered("taxonomy", taxonomy=[["bird", "owl"], ["bird"]]), {"reference": ["2"]}, "1 1 bird, bird / owl // 1 2 bird, bird / owl"),
    ("t.json", answered("pairwise", selected="left"), {"reference": ["2"]}, "1 1 left // 1 2 left"),
    ("t.json", answered("choices", choices=["b", "a"]), {"reference": ["2"]}, "1 1 a, b // 1 2 a, b"),
    ("t.json", [{"id": 1, "data": {"gold": "kind"}, "annotations": PART}], {"reference": "gold"}, "1 1 kind kind", "excluded: choices 1"),
    ("t.json", OLD_TASKS, {}, "0 1 kind; 1 1 rude // 0 9 kind; 1 9 kind"),
    ("t.json", IDS, {"reference": ["1"]}, "0 2 a; 1 2 b; 2 2 a; 3 2 b // 0 1 a; 1 1 a; 2 1 a; 3 1 a", "predictions given as ids, without results, are excluded: 8"),
    ("s.json", made.LANGFUSE, {}, "t1 EVAL polite; t2 API curt; t2 EVAL polite // t1 u7 polite; t2 u7 curt"),
    ("s.json", SCORES, {"reference": ["u1"]}, "t1 u2 0.5 // t1 u1 1"),
    ("log.jsonl", lines(made.LM_EVAL), {}, "0 log 1 1; 1 log 1 0"),
    ("log.jsonl", lines([{**made.LM_EVAL[0], "target": "yes", "arguments": CHOICES}]), {}, "0 log yes yes"),
    ("log.jsonl", lines([{**made.LM_EVAL[0], **OLD}]), {}, "0 log yes yes"),
    ("log.jsonl", lines([{**WORD, "filtered_resps": [["18"]]}]), {}, "0 log 18 18"),
    ("log.jsonl", lines([{**WORD, "filtered_resps": ["$18"]}]), {}, "0 log $18 18", "the harness counts answers that differ from the target as right, which are wrong here: 1"),
    ("c.jsonl", lines(made.PRODIGY), {"reference": ["ana"]}, "7 ben kind, rude; 7 cleo - // 7 ana kind"),
    ("c.jsonl", lines([{**made.PRODIGY[0], "accept": []}, made.PRODIGY[1]]), {"reference": ["ben"]}, "7 ana none // 7 ben kind, rude"),
    ("c.jsonl", lines(with_each(made.PRODIGY, meta={"id": "q1"})), {"reference": ["ana"]}, "q1 ben kind, rude; q1 cleo - // q1 ana kind"),
    ("t.jsonl", lines(made.PRODIGY_LABEL), {"reference": ["ana"]}, "8 ben reject // 8 ana accept; 9 ana -"),
    ("r.json", made.PROMPTFOO, {}, TONES),
    ("r.json", {"results": {"version": 3, "results": [FAILED, *RESULTS[1:]]}}, {}, "0 openai:a - kind; 0 openai:b rude kind; 1 openai:a rude rude; 1 openai:b rude rude"),
    ("r.jsonl", lines(with_each(RESULTS, provider="m")), {}, "0 m#0 kind kind; 0 m#1 rude kind; 1 m#0 rude rude; 1 m#1 rude rude"),
    ("r.jsonl", lines(made.PROMPTFOO_RATED), {}, "0/0 llm-rubric pass; 1/0 llm-rubric pass // 0/0 human pass; 1/0 human fail"),
    ("r.csv", made.PROMPTFOO_TABLE, {}, "1 b rude kind; 1 openai:a kind kind; 2 b - rude; 2 openai:a rude rude"),
    ("r.csv", made.PROMPTFOO_TABLE, {"label": "grade", "reference": ["openai:a"]}, "1 b fail; 2 b - // 1 openai:a pass; 2 openai:a pass"),
    ("r.csv", STATUS_TABLE, {}, "1 openai:a kind kind; 2 openai:a kind rude; 3 openai:a - rude"),
    ("r.csv", PLAIN_TABLE, {}, "1 What tone? kind kind; 2 What tone? kind rude; 3 What tone? - rude"),
    ("l.json", made.INSPECT, {}, f"{KIND}; 2 openai/m kind rude"),
    ("l.json", log(scored("nice", "C", target=["kind", "nice"])), {}, KIND),
    ("l.json", log(scored("rude"), scored("kind")), {}, KIND),
    ("l.json", log(scored("kind"), scored("rude", epoch=2)), {}, "1#1 openai/m kind kind; 1#2 openai/m rude kind"),
    ("l.json", log(scored("Kind, I think", "C")), {}, "1 openai/m Kind, I think kind", "the scorer match counts answers that differ from the target as right, which are wrong here: 1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "options", "expected", "warnings"), [(*one[:4], one[4:]) for one in READ])
def test_exports_are_judgments(written, name, content, options, expected, warnings):
    read = judgments(content if name == "table" else written(content, name), **options)
    assert text(read) == expected
    for warning in warnings:
        assert any(warning in one for one in read.warnings)


TWO_COLUMNS = made.MTURK.replace('"Answer.quality"', '"Answer.quality","Answer.tone"')
TWO_COLUMNS = TWO_COLUMNS.replace('"4"\n', '"4","kind"\n').replace('"5"\n', '"5","rude"\n')
WHY = {**made.ARGILLA[0]["responses"], "why": [{"value": "because", "user_id": "u1"}]}
SCORERS = log({"scores": {name: {"value": "C", "answer": "kind"} for name in ("match", "includes")}})
FILTERED = [{**WORD, "filtered_resps": ["18"], "filter": how} for how in ("strict", "loose")]
CHOSEN = [choice("tone", "kind"), choice("unsafe", "no")]
TASK = {"id": 1, "data": {}, "annotations": [{"completed_by": who, "result": CHOSEN} for who in (1, 2)]}


@pytest.mark.parametrize(
    ("name", "content", "reference", "questions", "label", "read"),
    [
        ("batch.csv", TWO_COLUMNS, "Input.gold", "Answer.quality, Answer.tone", "Answer.quality", 3),
        ("argilla.json", with_each(made.ARGILLA, responses=WHY), ["u1"], "tone, why", "tone", 2),
        ("inspect.json", SCORERS, (), "match.answer, includes.answer", "includes.answer", 1),
        ("log.jsonl", lines(FILTERED), (), "strict, loose", "strict", 1),
        ("tasks.json", [TASK], ["1"], "tone, unsafe", "tone", 1),
    ],
)
def test_one_of_several_questions_must_be_named(written, name, content, reference, questions, label, read):
    path = written(content, name)
    asked = f"several questions were asked\nfound: {questions}\nfix:   columns label={questions.partition(',')[0]}"
    with pytest.raises(DataError, match=re.escape(asked)):
        judgments(path, reference=reference)
    assert len(rows_of(judgments(path, reference=reference, label=label))) == read


ALONE = {**made.HELM, "request_states": [{**state("id1", " A", "polite"), "reference_index": 0}]}
FREE = "question,__expected,[a] {{question}}\nWhere?,Paris,[PASS] In Paris.\nWho?,Goethe,[FAIL] Me.\n"
WRONG_LINES = [{**made.PRODIGY[0], "answer": "maybe"}, {**made.PRODIGY[1], "accept": "kind"}, made.PRODIGY[2]]
WRONG_TASKS = [
    {"id": 1, "data": {}, "annotations": "none"},
    {"id": 2, "data": {}, "annotations": [1]},
    *made.LABEL_STUDIO,
]


def test_a_tasks_field_is_no_answer_to_the_question_of_its_name(written):
    given = [[annotation(n, who, *[choice("tone", "kind")] * (n < 500)) for who in (1, 2)] for n in range(501)]
    tasks = [{"id": n, "data": {"tone": "rude"}, "annotations": each} for n, each in enumerate(given)]
    assert {*judgments(written(tasks), reference=["2"]).frame["label"]} == {"kind", None}


def tasks_with(**annotation):
    return [{**IDS[0], "annotations": [{"completed_by": 1, **annotation}]}]


@pytest.mark.parametrize(
    ("name", "content", "options", "expected"),
    [
        ("b.csv", made.MTURK, {}, r"no reference labels\n.*annotators A1, A2\nfix:   reference ANNOTATOR"),
        ("a.json", with_each(made.ARGILLA, responses={"tone": "kind"}), {"reference": ["u1"]}, 'record 1, tone: expected a list; got "kind"'),
        ("s.json", ALONE, {}, "request state 1: each choice has its own question"),
        ("r.json", {"results": {"results": []}}, {"input_format": "promptfoo"}, "results: expected a list of records; got an empty list"),
        ("r.jsonl", lines(RATED), {"reference": ["llm-rubric"]}, "llm-rubric labels item 0/0 more than once"),
        ("r.csv", FREE, {}, "no reference labels\nfound: .*annotators a\n"),
        ("c.jsonl", lines(WRONG_LINES), {"reference": ["ana"]}, 'line 1, answer: expected one of accept, reject, ignore; got "maybe"\n.*line 2, accept: expected a list; got "kind"'),
        ("t.json", json.dumps(IDS).replace('"id": 3,', '"id": 1e400,'), {}, "Number out of range"),
        ("t.json", tasks_with(result=[5]), {}, 'task 1, annotations 1, result 1: expected an object; got "5"'),
        ("t.json", tasks_with(result=[{"value": "x"}]), {}, 'task 1, annotations 1, result 1, value: expected an object; got "x"'),
        ("t.json", WRONG_TASKS, {}, 'task 1, annotations: expected a list; got "none"\n.*task 2, annotations 1: expected an object; got "1"'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_export_is_said(written, name, content, options, expected):
    with pytest.raises(DataError, match=expected):
        judgments(written(content, name), **options)


def test_what_is_wrong_can_be_dropped_groups_made_and_flags_named(written):
    assert len(rows_of(judgments(written(WRONG_TASKS), drop=True))) == 3
    read = judgments(written(made.LABEL_STUDIO), by=["lang"])
    assert sorted(set(read.frame["lang"].cast(str))) == ["de", "en"]
    read = judgments(written(lines(made.LM_EVAL), "log.jsonl"), by=["lang"])
    assert read.frame["lang"].cast(str).to_list() == ["en", "en"]
    assert judgments(written([TASK]), reference=["1"], label="tone", flag="unsafe").flags_known


@pytest.mark.parametrize(
    ("content", "clusters"),
    [(made.HELM, ["id1", "id1", "id2"]), (log(scored("kind"), scored("rude", epoch=2)), ["1", "1"])],
)
def test_items_that_come_from_one_belong_together(written, content, clusters):
    assert judgments(written(content)).frame["cluster"].cast(pl.String).to_list() == clusters


def test_a_file_of_doccano_per_annotator_is_called_after_them(written):
    ana = written(lines(made.DOCCANO), "ana.jsonl")
    ben = written(lines(with_each(made.DOCCANO, label=["kind"])), "ben.jsonl")
    read = judgments(ana, ben, reference=["ana"])
    assert rows_of(read) == [("1", "ben", "kind"), ("2", "ben", "kind"), ("3", "ben", "kind")]
    assert any("ana.jsonl: skipped, since without an answer to label: 1 line" in one for one in read.warnings)


def test_scores_of_langfuse_in_a_table_have_other_names(written):
    snake = pl.DataFrame(made.LANGFUSE).rename(lambda name: re.sub("([A-Z])", r"_\1", name).lower())
    expected = text(judgments(written(made.LANGFUSE, "scores.json")))
    assert text(judgments(written(snake.write_csv(), "scores.csv"))) == expected


def test_files_of_lm_evaluation_harness_name_the_model_and_the_task(written, tmp_path):
    (tmp_path / "org__model").mkdir()
    name = "org__model/samples_tone_2025-01-01T00-00-00.000000.jsonl"
    plain = written(lines(made.LM_EVAL), name)
    packed = written(gzip.compress(plain.read_bytes()), f"{name}.gz")
    for path in (plain, packed):
        assert text(judgments(path)) == "tone/0 org__model 1 1; tone/1 org__model 1 0"


def test_predictions_given_as_ids_change_no_agreement():
    """The value is that of shared cases: 60 items, 2 annotators."""
    report = library.agreement(DATA / "label_studio_ids.json")
    assert report.estimate("cohen_kappa", annotator="1", other="2").value == pytest.approx(0.7225725094577553)


MODEL = [{"model_version": "m", "result": [choice("tone", "a")]}]
SUGGESTED = [
    {"id": str(n), "fields": {"text": "x"}, "suggestions": {"tone": {"value": "a", "agent": "m"}},
     "responses": {"tone": [{"value": given, "user_id": who} for who, given in (("1", "a"), ("2", "ab"[n % 2]))]}}
    for n in range(4)
]  # fmt: skip


@pytest.mark.parametrize("records", [with_each(IDS, predictions=MODEL), SUGGESTED])
def test_what_models_predict_is_judged_and_is_no_label_of_people(written, records):
    """Two people agree on two items of four; the model has the label of each on four and on two."""
    path = written(records, "r.json")
    report = library.agreement(path)
    assert report.estimate("percent_agreement", over="items").value == 0.5
    assert any("4 predictions are excluded, of m: adjudge card" in one for one in report.warnings)
    card = library.card(path)
    assert (card.counts["people"], card.counts["judges"]) == (2, 1)
    scores = library.reliability(path, reference=["1"])
    assert scores.estimate("reliability", table="annotators", annotator="m").value == 1


@pytest.mark.parametrize(
    "content",
    [
        {"images": [{"id": 1}], "annotations": [{"id": 1, "image_id": 1, "category_id": 3, "bbox": [0, 0, 1, 1]}]},
        [{"data": "a text", "annotations": [{"annotator": "ana", "label": "x"}]}],
        [{"id": 1, "data": {"text": "x"}, "annotations": [{"annotator": "ana", "label": "x"}]}],
        [{"id": 1, "text": "x", "annotations": [{"who": "ana", "tone": "kind"}]}],
    ],
)
def test_other_json_with_annotations_is_not_taken_for_label_studios(written, content):
    look = library.look(written(content, "o.json"))
    assert "label-studio" not in [one.form.name for one in (look.fit, *look.others) if one and one.form]


def test_the_tool_that_the_guide_adds_is_read(written):
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    module, _ = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    names = {**vars(annotation_export), **vars(json_documents)}
    exec(module, names)  # noqa: S102 - the guide's own
    answers = [{"by": "ana", "tone": "kind"}, {"by": "ben", "tone": "rude", "status": "draft"}, {"by": "cleo"}]
    records = [{"key": 7, "fields": {"text": "Good."}, "answers": answers}, {"key": 8, "fields": {}, "answers": []}]
    (source,) = sources([written(records)])
    found = opened(source, JudgmentReading(untrusted=True))
    form = names["FORMAT"]
    assert form.recognise(found)
    (part,), findings = form.read(found)
    assert part.rows.select("item", "annotator", "label").collect().rows() == [
        ("7", "ana", "kind"),
        ("7", "cleo", None),
    ]
    assert [one.rpartition("/")[2] for one in findings.told][:1] == ["votes.json: drafts are left out: 1"]
    records[1]["answers"] = "none"
    with pytest.raises(DataError, match='record 2, answers: expected a list; got "none"'):
        form.read(opened(sources([written(records)])[0], found.options))
