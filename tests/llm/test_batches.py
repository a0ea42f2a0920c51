"""Batches: calls written as a file and answers read from its results, for every command and without a model."""

import io
import json
import random

import pytest

from adjudge.errors import DataError
from adjudge.llm.asking import replies
from adjudge.llm.batches import BatchResults, BatchWriter
from adjudge.llm.calls import Call, Status, Tally
from adjudge.llm.options import AskingOptions
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Choice, Free
from llm.commands import ASKS, CALLS
from llm.scripted import batch_results, result

TEMPLATE = Template("test", "1", "Be brief.", "{{ text }}\n{{ form }}")
AB = Choice(("A", "B"))


def calls(count, form=AB):
    return [Call(TEMPLATE, form, {"text": f"item {number}"}, {}, {"item": number}) for number in range(count)]


@pytest.fixture
def settings(tmp_path):
    return AskingOptions(model="openai/m", logs=tmp_path / "logs", max_tokens=50)


def written_batch(settings, many):
    file = io.StringIO()
    writer = BatchWriter(file, settings)
    found = [reply.status for _, reply in replies(lambda: many, writer, settings)]
    lines = [json.loads(line) for line in file.getvalue().splitlines()]
    assert len(writer.keys) == len(lines)
    return lines, found


def read_batch(settings, path, records, many):
    """What calls become by the results in a file."""
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records))
    tally = Tally()
    return [reply for _, reply in replies(lambda: many, BatchResults(path), settings, None, tally)], tally


def test_a_call_is_a_request_of_openais_batches(settings, tmp_path):
    (line,), found = written_batch(settings, calls(1))
    assert found == [Status.FAILED]
    key, marker = line["custom_id"].split("-")
    assert key == calls(1)[0].key(settings.asker)
    assert f"FINAL VERDICT {marker} = X" in line["body"]["messages"][1]["content"]
    assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
    body = line["body"]
    assert (body["model"], body["max_tokens"]) == ("m", 50)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    schema = body["response_format"]["json_schema"]
    assert schema["strict"]
    assert schema["schema"]["properties"]["verdict"] == {"type": "string", "enum": ["A", "B"]}
    assert "temperature" not in body
    (line,), _ = written_batch(settings, [Call(Template("t", "1", "", "{{ q }}"), Free(), {}, {"q": "Where?"})])
    assert line["body"] == {"model": "m", "messages": [{"role": "user", "content": "Where?"}], "max_tokens": 50}
    (line,), _ = written_batch(AskingOptions(model="openai-api/local/meta-llama/L", logs=tmp_path), calls(1))
    assert line["body"]["model"] == "meta-llama/L"


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
        ({"response": {"body": of_message(content="I say A.")}}, Status.UNPARSEABLE, "expected a last line"),
        ({"response": {"body": of_message(content="I'm happy to help: A.")}}, Status.UNPARSEABLE, "expected a last"),
        ({"response": {"body": of_message(content="**Apologies, I can't rate it.**")}}, Status.REFUSED, "Apologies"),
        (result("", "FINAL VERDICT = A", "length"), Status.UNPARSEABLE, "cut off"),
        (result("", "FINAL VERDICT = A", "content_filter"), Status.REFUSED, "FINAL VERDICT = A"),
        ({"response": {"body": {"choices": [None], "usage": 3}}}, Status.FAILED, "empty"),
        ({"response": {"body": "<html>"}}, Status.FAILED, "empty"),
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
    ("form", "text", "expected"),
    [
        (Free(), "In \ud83d.", (Status.ANSWERED, "In ?.", "")),
        (AB, '{"reason": "so \\ud83d", "verdict": "A"}', (Status.ANSWERED, "A", "so ?")),
        (Free(), "<think>In Lima?</think> Yes.", (Status.ANSWERED, "Yes.", "")),
        (Free(), "<think>In Lima?</think>\n", (Status.FAILED, None, "the answer is empty")),
    ],
)
def test_halves_of_characters_are_replaced_and_thoughts_are_no_answer(settings, tmp_path, form, text, expected):
    r"""JSON can say \ud83d, half of a character, in the results and in the verdict inside them."""
    many = calls(1, form)
    record = result(many[0].key(settings.asker), text)
    ((reply,), _) = read_batch(settings, tmp_path / "r.jsonl", [record], many)
    assert (reply.status, reply.value, reply.reason) == expected


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"id": "1"}'])
def test_a_file_of_something_else_is_refused(tmp_path, line):
    path = tmp_path / "r.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(DataError, match=r"r\.jsonl, line 2: expected a result of a batch"):
        BatchResults(path)


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


@pytest.mark.parametrize("name", ASKS)
def test_each_command_writes_a_batch_and_reads_its_results(name, folder, adjudge):
    command, batch, results = ASKS[name].split(), folder / "batch.jsonl", folder / "results.jsonl"
    command += ["--model", "openai/m"]
    output = next(folder / word for word in command if word.startswith("out."))
    status, out, err = adjudge(*command, "--batch-file", batch)
    assert out == f"{batch}: written; give the results of the batch to the same command with --from-batch\n"
    assert status == 0
    assert f"{CALLS[name]} calls to be answered" in err
    assert not output.exists()
    assert len(batch_results(batch, results, filled)) == CALLS[name]
    status, out, err = adjudge(*command, "--from-batch", results)
    assert status == 0, err
    assert f"{CALLS[name]} answered" in out
    assert output.exists()
    results.unlink()
    written = adjudge(*command, "--batch-file", batch)
    assert name == "plant" or "0 calls to be answered" in written[2], "what was answered is not asked again"


RAG_JUDGE = ["rag", "judge", "answers.jsonl", "--output", "out.jsonl", "--model", "openai/m"]


def test_the_same_results_twice_and_results_in_two_files_are_taken_up(folder, adjudge):
    batch, results = folder / "batch.jsonl", folder / "results.jsonl"
    adjudge(*RAG_JUDGE, "--batch-file", batch)
    batch_results(batch, results, filled)
    first, second = results.read_text().splitlines(keepends=True)
    for part, count in ((first, 1), (first, 1), (second, 2)):
        results.write_text(part)
        status, out, err = adjudge(*RAG_JUDGE, "--from-batch", results)
        assert (status, f"{count} answered" in out) == (0, True), err


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ({"error": "no such model"}, 4, "nothing was written\n  found: no such model (2 times)\n"),
        (
            result("", "I cannot say."),
            0,
            'not answered: expected a last line FINAL VERDICT = ...; got "I cannot say." (2 times)',
        ),
    ],
)
def test_what_was_not_answered_is_said_with_its_reasons(folder, adjudge, line, status, said):
    adjudge(*RAG_JUDGE, "--batch-file", "batch.jsonl")
    keys = [json.loads(one)["custom_id"] for one in (folder / "batch.jsonl").read_text().splitlines()]
    (folder / "results.jsonl").write_text("".join(f"{json.dumps(line | {'custom_id': key})}\n" for key in keys))
    found, out, err = adjudge(*RAG_JUDGE, "--from-batch", "results.jsonl")
    counts = "3 questions, 2 calls: 0 answered (0 known from before), 0 refused, 2 unparseable, 0 failed"
    assert (found, said in err, counts in out) == (status, True, status == 0)
    assert (folder / "out.jsonl").exists() == (status == 0)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--from-batch", "none.jsonl"], "error: none.jsonl: no such file"),
        (["--from-batch", "a.jsonl", "--batch-file", "b.jsonl"], "give one of them"),
        (["--base-url", "http://user:secret@host/v1"], "without name, password, question mark"),
        (["--model", "gpt-4o"], "  fix:   --model openai/gpt-4o"),
        (["--logs", "answers.jsonl"], "answers.jsonl: expected a folder in which answers can be kept; File exists"),
        (["--prices", "none.toml"], "none.toml: no such file"),
    ],
)
def test_options_that_cannot_be_are_refused_and_nothing_is_written(folder, adjudge, more, said):
    (folder / "results.jsonl").write_text(json.dumps(result("0" * 32, "FINAL VERDICT = A")))
    where = [] if "--from-batch" in more else ["--batch-file", "batch.jsonl"]
    status, _, err = adjudge(*RAG_JUDGE, *more, *where)
    assert status == 2
    assert said in err
    assert "secret" not in err
    assert not (folder / "out.jsonl").exists()
