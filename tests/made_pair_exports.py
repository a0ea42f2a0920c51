"""Made-up exports of annotation tools in which two texts are compared: format and content."""


def annotation(who, selected, name="comparison", **further):
    result = {
        "id": "r1",
        "type": "pairwise",
        "from_name": name,
        "to_name": "answer1,answer2",
        "value": {"selected": selected},
    }
    return {
        "id": 7,
        "completed_by": who,
        "result": [result],
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": 4.2,
        **further,
    }


DATA = {"prompt": "Why?", "answer1": "So.", "answer2": "No.", "topic": "logic"}
TASKS = [
    {"id": 1, "data": DATA, "annotations": [annotation(1, "left"), annotation({"id": 2, "email": "ben@x.org"}, "right")], "predictions": []},
    {"id": 2, "data": DATA, "annotations": [annotation(1, "right"), annotation(3, "left", was_cancelled=True)], "predictions": [{"model_version": "m", "result": []}]},
]  # fmt: skip
FIELDS = {"prompt": "Why?", "response_a": "So.", "response_b": "No."}
NESTED = [
    {"id": "r1", "fields": FIELDS, "metadata": {"topic": "logic"}, "suggestions": {"preference": {"value": "response_b", "score": 0.7, "agent": "gpt-4"}},
     "responses": {"preference": [{"value": "response_a", "user_id": "u1"}, {"value": "tie", "user_id": "u2"}]}, "vectors": {}, "status": "completed", "_server_id": "s1"},
]  # fmt: skip
FLAT = [
    {"id": "r1", "status": "completed", "_server_id": "s1", **FIELDS, "topic": "logic",
     "preference.responses": [["response_b", "response_a"], ["response_a", "response_b"]], "preference.responses.users": ["u1", "u2"],
     "preference.responses.status": ["submitted", "draft"], "preference.suggestion": None, "preference.suggestion.score": None, "preference.suggestion.agent": None},
]  # fmt: skip
SAMPLES = {
    "tasks": ("label-studio", TASKS),
    "nested": ("argilla", NESTED),
    "flat": ("argilla", FLAT),
}
