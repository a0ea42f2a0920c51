"""Answers that a test writes down: in the place of a model, and as the results of a batch."""

import json

from adjudge.llm.calls import Reply, Status


def ask(answer):
    """What asks a script. answer: from a call to the value of its answer, or to a Status."""

    def asked(calls):
        for call in calls():
            said = answer(call)
            known = isinstance(said, Status)
            yield call, Reply(said) if known else Reply(Status.ANSWERED, call.form.checked(said), "so it is")

    return asked


def batch_results(batch, results, answer):
    """Write the results of a batch file. answer: from the JSON schema of a verdict (None for text) to the answer."""
    lines = [json.loads(line) for line in batch.read_text().splitlines()]
    results.write_text("".join(json.dumps(_result(line, answer)) + "\n" for line in reversed(lines)))
    return lines


def _result(line, answer):
    asked = line["body"].get("response_format")
    schema = asked and asked["json_schema"]["schema"]["properties"]["verdict"]
    said = answer(schema)
    text = said if schema is None else json.dumps({"reason": "so it is", "verdict": said})
    return result(line["custom_id"], text)


def result(key, text, finish="stop", refusal=None):
    """A line of results, as OpenAI's batches have it."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}
    return {"id": "1", "custom_id": key, "response": {"status_code": 200, "body": body}, "error": None}
