"""Batches: calls written as a file and answers read from its results, for every command and without a model."""

import io
import json
import random

import pytest

from adjudge.errors import DataError, OptionError
from adjudge.llm.asking import Settings, replies
from adjudge.llm.batches import BatchResults, BatchWriter
from adjudge.llm.calls import Call, Status, Tally
from adjudge.llm.prompts import Template
from adjudge.llm.replies import Choice, Free
from llm.scripted import batch_results, result
from made_pairs import comparison, document

TEMPLATE = Template("test", "1", "Be brief.", "{{ text }}\n{{ form }}")
AB = Choice(("A", "B"))


def calls(count, form=AB):
    return [Call(TEMPLATE, form, {"text": f"item {number}"}, {}, {"item": number}) for number in range(count)]


@pytest.fixture
def settings(tmp_path):
    return Settings("openai/m", tmp_path / "logs", max_tokens=50)


def written_batch(settings, many):
    file = io.StringIO()
    writer = BatchWriter(file, settings)
    found = [reply.status for _, reply in replies(many, writer, settings)]
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert writer.count == len(lines)
    return lines, found


def read_batch(settings, path, records, many):
    """What calls become by the results in a file."""
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    tally = Tally()
    return [reply for _, reply in replies(many, BatchResults(path), settings, None, tally)], tally


# --- what is written ---


def test_a_call_is_a_request_of_openais_batches(settings):
    (line,), found = written_batch(settings, calls(1))
    assert found == [Status.FAILED]
    assert line["custom_id"] == calls(1)[0].key(settings.asker)
    assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
    body = line["body"]
    assert (body["model"], body["max_tokens"]) == ("m", 50)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    schema = body["response_format"]["json_schema"]
    assert schema["strict"]
    assert schema["schema"]["properties"]["verdict"] == {"type": "string", "enum": ["A", "B"]}
    assert "temperature" not in body


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/m", "m"),
        ("openai-api/local/m", "m"),
        ("openai-api/local/meta-llama/Llama-3", "meta-llama/Llama-3"),
        ("together/meta-llama/Llama-3", "meta-llama/Llama-3"),
    ],
)
def test_a_batch_names_the_model_as_its_server_knows_it(tmp_path, model, name):
    (line,), _ = written_batch(Settings(model, tmp_path), calls(1))
    assert line["body"]["model"] == name


def test_free_text_is_asked_without_a_schema_and_an_empty_system_message_is_left_out(settings):
    (line,), _ = written_batch(settings, [Call(Template("t", "1", "", "{{ q }}"), Free(), {}, {"q": "Where?"})])
    assert line["body"] == {"model": "m", "messages": [{"role": "user", "content": "Where?"}], "max_tokens": 50}


def test_equal_calls_are_written_once_however_far_apart(settings, monkeypatch):
    monkeypatch.setattr("adjudge.llm.asking.PART", 2)
    lines, found = written_batch(settings, [*calls(3), *calls(3)])
    assert len(found) == 6
    assert len({line["custom_id"] for line in lines}) == len(lines) == 3


def test_what_is_known_is_not_written(settings, tmp_path):
    many = calls(3)
    read_batch(settings, tmp_path / "r.jsonl", [result(many[1].key(settings.asker), "FINAL VERDICT = B")], many)
    lines, _ = written_batch(settings, many)
    assert [line["custom_id"] for line in lines] == [many[place].key(settings.asker) for place in (0, 2)]


# --- what is read ---


def test_results_are_read_back_in_any_order(settings, tmp_path):
    many = calls(20)
    records = [result(call.key(settings.asker), f"FINAL VERDICT = {'AB'[call.about['item'] % 2]}") for call in many]
    random.Random(1).shuffle(records)
    found, tally = read_batch(settings, tmp_path / "r.jsonl", records, many)
    assert [reply.value for reply in found] == ["A", "B"] * 10
    assert (tally.answered, tally.asked, tally.tokens_in, tally.tokens_out) == (20, 20, 140, 60)


def of_message(**message):
    return {"choices": [{"message": message, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("record", "status", "said"),
    [
        (None, Status.FAILED, "not among the results"),
        ({"error": {"message": "expired"}}, Status.FAILED, "expired"),
        ({"response": {"status_code": 400, "body": {"error": {"message": "bad"}}}}, Status.FAILED, "bad"),
        ({"response": {"status_code": 500}}, Status.FAILED, "status 500"),
        ({"response": {"body": of_message(content=None, refusal="I will not.")}}, Status.REFUSED, "I will not."),
        ({"response": {"body": of_message(content=None)}}, Status.FAILED, "empty"),
        ({"response": {"body": of_message(content=["a part"])}}, Status.FAILED, "empty"),
        ({"response": {"body": of_message(content="I say A.")}}, Status.UNPARSEABLE, "expected a last line"),
        ({"response": {"body": {"choices": []}}}, Status.FAILED, "empty"),
        ({"response": {"body": {"choices": [None]}}}, Status.FAILED, "empty"),
        ({"response": {"body": {"choices": "no", "usage": 3}}}, Status.FAILED, "empty"),
        ({"response": {"body": "<html>"}}, Status.FAILED, "empty"),
        ({"response": "<html>"}, Status.FAILED, "empty"),
        ({"response": None}, Status.FAILED, "empty"),
    ],
)
def test_what_is_no_answer_is_an_outcome(settings, tmp_path, record, status, said):
    many = calls(2)
    answered, other = (call.key(settings.asker) for call in many)
    records = [result(answered, "FINAL VERDICT = A"), *([{**record, "custom_id": other}] if record else [])]
    (first, second), _ = read_batch(settings, tmp_path / "r.jsonl", records, many)
    assert (first.status, second.status, second.value) == (Status.ANSWERED, status, None)
    assert said in second.reason


@pytest.mark.parametrize(
    ("finish", "status"),
    [("length", Status.UNPARSEABLE), ("content_filter", Status.REFUSED), ("stop", Status.ANSWERED)],
)
def test_an_answer_that_was_cut_off_or_filtered_is_none(settings, tmp_path, finish, status):
    many = calls(1)
    record = result(many[0].key(settings.asker), "FINAL VERDICT = A", finish)
    ((reply,), _) = read_batch(settings, tmp_path / "r.jsonl", [record], many)
    assert reply.status == status


def test_halves_of_characters_are_replaced(settings, tmp_path):
    r"""JSON can say \ud83d, half of a character, in the results and in the verdict inside them."""
    many = calls(2, Free())
    keys = [call.key(settings.asker) for call in many]
    records = [result(keys[0], "In \ud83d."), result(keys[1], "Lima")]
    found, _ = read_batch(settings, tmp_path / "r.jsonl", records, many)
    assert [reply.value for reply in found] == ["In ?.", "Lima"]
    judged = calls(1)
    said = result(judged[0].key(settings.asker), '{"reason": "so \\ud83d", "verdict": "A"}')
    ((reply,), _) = read_batch(settings, tmp_path / "r.jsonl", [said], judged)
    assert (reply.value, reply.reason) == ("A", "so ?")


@pytest.mark.parametrize("line", ["no JSON", "[]", '"text"', "{}", '{"id": "1"}'])
def test_a_file_of_something_else_is_refused(tmp_path, line):
    path = tmp_path / "r.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(DataError, match=r"r\.jsonl, line 2: expected a result of a batch"):
        BatchResults(path)


def test_results_of_other_questions_are_refused(settings, tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text(json.dumps(result("0" * 32, "FINAL VERDICT = A")))
    results = BatchResults(path)
    assert [reply.status for _, reply in replies(calls(2), results, settings)] == [Status.FAILED] * 2
    with pytest.raises(OptionError, match="its custom_ids are of other questions"):
        results.check_used()


# --- each command ---


@pytest.fixture
def inputs(tmp_path):
    """Small inputs of all commands, by name."""
    lines = {
        "pairs.json": json.dumps(document(*(comparison(n, {"ann": "a"}, a=f"yes {n}") for n in "12"))),
        "items.jsonl": [{"id": n, "instruction": "Go.", "output_a": f"a{n}", "output_b": "b"} for n in "12"],
        "gold.jsonl": [
            {"id": n, "instruction": "Go.", "output_a": "a", "output_b": "b"}
            | {"q_preference": "A", "q_explanation": "it is shorter"}
            for n in "12"
        ],
        "ours.tsv": "id\tq_preference\tq_explanation\n1\tA\tshort\n2\tB\tlong\n",
        "prompts.jsonl": [
            {"id": n, "ability": "noise_robustness", "noise_ratio": 0.0, "query": "Where?", "answer": ["Lima"]}
            | {"documents": ["It is in Lima."]}
            for n in "12"
        ],
        "answers.jsonl": [
            {"id": n, "ability": "noise_robustness", "noise_ratio": 0.0, "answer": ["Lima"]}
            | {"model": "m", "response": "Lima"}
            for n in "12"
        ],
        "texts.csv": "id,text\n1,The best tea.\n2,It heals.\n",
        "rules.csv": "rule,description\ncalm,no superlatives\n",
    }
    for name, content in lines.items():
        text = content if isinstance(content, str) else "".join(f"{json.dumps(one)}\n" for one in content)
        (tmp_path / name).write_text(text)
    return lambda *words: [tmp_path / word if "." in word else word for word in words]


COMMANDS = {
    "annotations label": (["pairs.json", "--output", "out.json"], 2 * 4),
    "preferences predict": (["items.jsonl", "--predictor", "judge", "--criteria", "q", "--output", "out.tsv"], 2 * 2),
    "preferences judge": (["gold.jsonl", "ours.tsv", "--criteria", "q", "--output", "out.jsonl"], 2),
    "rag answer": (["prompts.jsonl", "--output", "out.jsonl"], 1),
    "rag judge": (["answers.jsonl", "--questions", "prompts.jsonl", "--output", "out.jsonl"], 1),
    "violations check": (["texts.csv", "--rules", "rules.csv", "--output", "out.jsonl"], 2),
    "violations plant": (["texts.csv", "--rules", "rules.csv", "--output", "out.jsonl"], 2),
}
"""The arguments of each command, and how many calls its first step takes (equal ones count once)."""


def filled(schema):
    """An answer of a schema: the first word, the number 1, a list of one."""
    if schema is None:
        return "In Lima."
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: filled(one) for name, one in schema["properties"].items()}
    if schema["type"] == "array":
        return [filled(schema["items"])]
    return 1 if schema["type"] == "integer" else "heals"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_writes_a_batch_and_reads_its_results(name, inputs, adjudge, tmp_path):
    (words, count), batch, results = COMMANDS[name], tmp_path / "batch.jsonl", tmp_path / "results.jsonl"
    command = [*name.split(), *inputs(*words), "--model", "openai/m"]
    output = next(tmp_path / word for word in words if word.startswith("out."))
    status, out, err = adjudge(*command, "--batch-file", batch)
    assert (status, out) == (
        0,
        f"{batch}: written; give the results of the batch to the same command with --from-batch\n",
    )
    assert f"{count} calls to be answered" in err
    assert not output.exists()
    assert len(batch_results(batch, results, filled)) == count
    status, out, err = adjudge(*command, "--from-batch", results)
    assert status == 0, err
    assert f"{count} answered" in out
    assert output.exists()
    results.unlink()
    written = adjudge(*command, "--batch-file", batch)
    assert "plant" in name or "0 calls to be answered" in written[2], "what was answered is not asked again"


def test_a_checker_of_several_steps_goes_on_batch_by_batch(inputs, adjudge, tmp_path):
    words = ["texts.csv", "--rules", "rules.csv", "--output", "out.jsonl", "--checker", "self-consistent-explainer"]
    command = ["violations", "check", *inputs(*words), "--draws", "3", "--model", "openai/m"]
    batch, results = tmp_path / "batch.jsonl", tmp_path / "results.jsonl"
    # 2 texts x 3 draws find "heals", which one text holds and which is invented in the other; 2 x 3 verify; 2 explain
    for step, (count, left) in enumerate([(6, 2), (6, 0), (2, 0), (0, 0)]):
        adjudge(*command, "--batch-file", batch)
        assert len(batch_results(batch, results, first_or_yes)) == count
        if count:
            status, _, err = adjudge(*command, "--from-batch", results)
            assert status == 0, err
            assert ("2 texts were not answered: their lines say why" in err) == (left == 2), step
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["violations"] for line in lines] == [
        [{"invented": "heals", "rule": "calm", "explanation": "heals", "correction": "heals"}],
        [{"start": 3, "end": 8, "rule": "calm", "explanation": "heals", "correction": "heals"}],
    ]


def first_or_yes(schema):
    return "yes" if "yes" in schema.get("enum", ()) else filled(schema)


def test_the_same_results_twice_and_results_in_two_files_are_taken_up(inputs, adjudge, tmp_path):
    command = ["rag", "judge", *inputs("answers.jsonl", "--output", "out.jsonl"), "--model", "openai/m"]
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    rows[1]["response"] = "Quito"
    (tmp_path / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    batch, results = tmp_path / "batch.jsonl", tmp_path / "results.jsonl"
    adjudge(*command, "--batch-file", batch)
    batch_results(batch, results, filled)
    first, second = results.read_text().splitlines(keepends=True)
    for part, count in ((first, 1), (first, 1), (second, 2)):
        results.write_text(part)
        status, out, err = adjudge(*command, "--from-batch", results)
        assert (status, f"{count} answered" in out) == (0, True), err


def test_other_results_end_the_command_and_write_nothing(inputs, adjudge, tmp_path):
    (tmp_path / "results.jsonl").write_text(json.dumps(result("0" * 32, "FINAL VERDICT = A")))
    command = ["rag", "judge", *inputs("answers.jsonl", "--output", "out.jsonl"), "--model", "openai/m"]
    status, _, err = adjudge(*command, "--from-batch", tmp_path / "results.jsonl")
    assert status == 2
    assert "its custom_ids are of other questions" in err
    assert not (tmp_path / "out.jsonl").exists()


def test_results_that_are_not_there_are_refused(inputs, adjudge, tmp_path):
    command = ["rag", "judge", *inputs("answers.jsonl", "--output", "out.jsonl"), "--model", "openai/m"]
    status, _, err = adjudge(*command, "--from-batch", tmp_path / "none.jsonl")
    assert status
    assert err.startswith(f"error: {tmp_path / 'none.jsonl'}: no such file\n")


def test_a_batch_is_written_or_read(inputs, adjudge, tmp_path):
    command = ["rag", "judge", *inputs("answers.jsonl", "--output", "out.jsonl"), "--model", "openai/m"]
    status, _, err = adjudge(*command, "--from-batch", tmp_path / "a.jsonl", "--batch-file", tmp_path / "b.jsonl")
    assert status == 2
    assert "give one of them" in err


# --- what is said of the outcome ---


@pytest.fixture
def rag_judge(adjudge, inputs, tmp_path):
    """Runs `rag judge` on two answers that are equal; answer: from a custom_id to its line of results, or None."""

    def run(answer, *more):
        command = ["rag", "judge", *inputs("answers.jsonl", "--output", "out.jsonl"), "--model", "openai/m", *more]
        batch, results = tmp_path / "batch.jsonl", tmp_path / "results.jsonl"
        adjudge(*command, "--batch-file", batch)
        lines = [answer(json.loads(line)["custom_id"]) for line in batch.read_text().splitlines()]
        results.write_text("".join(f"{json.dumps(line)}\n" for line in lines if line))
        return adjudge(*command, "--from-batch", results)

    return run


def test_where_nothing_was_answered_it_says_why_and_writes_nothing(rag_judge, tmp_path):
    status, out, err = rag_judge(lambda key: {"custom_id": key, "error": "no such model"})
    assert (status, out) == (4, "")
    assert err == "error: 1 call was made, none answered, and nothing was written\n  found: 1 x no such model\n"
    assert not (tmp_path / "out.jsonl").exists()


def test_what_was_not_answered_is_said_with_its_reasons(rag_judge, tmp_path):
    status, out, err = rag_judge(lambda key: result(key, "I cannot say."))
    assert status == 0
    assert "2 questions, 1 call: 0 answered (0 known from before), 0 refused, 1 unparseable, 0 failed" in out
    assert 'not answered: 1 x expected a last line FINAL VERDICT = ...; got "I cannot say."' in err
    assert (tmp_path / "out.jsonl").exists()


def test_thoughts_alone_are_no_answer(settings, tmp_path):
    many = calls(2, Free())
    keys = [call.key(settings.asker) for call in many]
    records = [result(keys[0], "<think>In Lima?</think>\n"), result(keys[1], "<think>In Lima?</think> Yes.")]
    found, _ = read_batch(settings, tmp_path / "r.jsonl", records, many)
    assert [(one.status, one.value) for one in found] == [(Status.FAILED, None), (Status.ANSWERED, "Yes.")]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--base-url", "http://user:secret@host/v1"], "without name, password, question mark"),
        (["--base-url", "http://host/v1?api_key=secret"], "keys in the environment"),
        (["--base-url", "http://[host/v1"], "expected an address of http or https"),
        (["--model", "gpt-4o"], "  fix:   --model openai/gpt-4o"),
        (["--logs", "answers.jsonl"], "answers.jsonl: expected a folder in which answers can be kept; File exists"),
        (["--prices", "none.toml"], "none.toml: no such file"),
    ],
)
def test_options_that_cannot_be_are_refused(inputs, adjudge, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    command = ["rag", "judge", *inputs("answers.jsonl", "--output", "out.jsonl"), "--model", "openai/m"]
    status, _, err = adjudge(*command, *more, "--batch-file", "batch.jsonl")
    assert status == 2
    assert said in err
    assert "secret" not in err
