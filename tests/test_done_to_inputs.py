"""What is done to read an input is told, whichever function reads it."""

import json

import pytest

import adjudge

SAID = "read as cp1252"
QUESTION = {"id": 0, "query": "Käse?", "answer": "Köln", "positive": ["In Köln."], "negative": ["No.", "Hm."]}
NEAR, FAR = {"start": 0, "end": 4, "rule": "claims"}, {"start": 3, "end": 9, "rule": "claims"}
MARKED = {"id": "1", "text": "Käse heilt.", "violations": [NEAR]}
JUDGED = [
    {"id": str(n), "text": "Käse, Tee!", "predicted": NEAR, "ground_truth": other, "same": other is NEAR}
    for n in range(20)
    for other in (NEAR, FAR)
]
TEXT = {"id": "1", "text": "Käse heilt."}
RULE = {"rule": "claims", "description": "nichts heilt für immer"}
ASKED = {"id": "0", "query": "Käse?"}
ANSWER = {"id": "0", "ability": "noise_robustness", "response": "In Köln."}


@pytest.fixture
def western(tmp_path):
    """Lines in a file whose encoding has to be found out."""

    def write(name, *lines):
        path = tmp_path / name
        text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
        path.write_bytes(text.encode("cp1252"))
        return path

    return write


CALLS = {
    "audit": lambda write, _: adjudge.audit_rag(write("q.jsonl", QUESTION), passages=2),
    "prepare": lambda write, _: adjudge.prepare_rag(
        write("q.jsonl", QUESTION), ability="noise_robustness", noise=[0.5], passages=2
    ),
    "pairs": lambda write, _: adjudge.violation_pairs(write("t.jsonl", MARKED), write("p.jsonl", MARKED)),
    "calibrate": lambda write, _: adjudge.calibrate_violations(write("j.jsonl", *JUDGED)),
    "gold": lambda write, _: adjudge.rag(
        write("a.jsonl", ANSWER), gold=write("g.jsonl", {"id": "0", "answer": "Köln"})
    ),
    "judge": lambda write, out: adjudge.judge_rag(
        write("a.jsonl", ANSWER), questions=write("q.jsonl", ASKED), model="mock/a", dry_run=True, output=out
    ),
    "plant": lambda write, out: adjudge.plant_violations(
        write("t.jsonl", TEXT), rules=write("r.jsonl", RULE), model="mock/a", dry_run=True, output=out
    ),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_encoding_that_was_found_out_is_told_of_every_file_of_its_own(call, western, tmp_path):
    out = tmp_path / "out.jsonl"
    made = call(western, out)
    told = getattr(made, "warnings", ()) or made.notes
    named = sorted(one.partition(":")[0] for one in told if SAID in one)
    assert named == sorted(str(one) for one in tmp_path.iterdir() if one != out)
