"""The scorers `document` and `benchmark` against the cases and against a literal reading of their rules."""

import json
from functools import partial

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.evaluations.rag.substrings import ERRORS, REFUSALS, score_benchmark, score_document
from adjudge.schemas.answers import ANSWERS
from made import DATA

CASES = [json.loads(line) for line in (DATA / "rag" / "document_rules.jsonl").read_text().splitlines()]


def frame(rows):
    columns = {name: [None] * len(rows) for name in ANSWERS}
    columns["response"] = [row[0] for row in rows]
    columns["slots"] = [row[1] for row in rows]
    columns["false"] = [row[2] for row in rows]
    return pl.DataFrame(columns, schema=ANSWERS)


def cases():
    def listed(one):
        return None if one is None else [one]

    return frame([(one["response"], listed(listed(one["answer"])), listed(one["counterfactual"])) for one in CASES])


@pytest.mark.parametrize(
    ("name", "score", "verdict"),
    [
        *(
            (verdict, score_document, verdict)
            for verdict in ("correct", "rejected", "error_detected", "error_corrected")
        ),
        ("correct_exact", partial(score_document, exact=True), "correct"),
        ("benchmark_correct", score_benchmark, "correct"),
    ],
)
def test_scorers_give_the_verdicts_of_the_cases(name, score, verdict):
    found = score(cases())[verdict].to_list()
    known = [place for place, one in enumerate(CASES) if name in one["expected"]]
    assert [found[place] for place in known] == [CASES[place]["expected"][name] for place in known]


def test_document_names_the_phrase_that_decided():
    found = score_document(frame([("Sorry, I CANNOT say", [["x"]], None), ("However, it rains", [["x"]], ["y"])]))
    assert found["detail"].to_list() == ["i cannot", "however"]


def normalised(text):
    return " ".join(text.lower().strip().rstrip(".!?,;:").split())


def literal(response, slots, false, *, exact=False):
    lowered, said = (response or "").lower(), normalised(response or "")

    def right(alias):
        alias = normalised(alias)
        if not (said and alias):
            return False
        if exact:
            return said == alias
        words = set(alias.split(" "))
        return (
            alias in said
            or (len(said) < len(alias) and said in alias)
            or len(words & set(said.split(" "))) >= 0.8 * len(words)
        )

    correct = None if slots is None else all(any(right(alias) for alias in slot) for slot in slots)
    detected = corrected = None
    if false is not None:
        lies = [one.lower() for one in false]
        detected = any(one in lowered for one in ERRORS) or any(
            f"not {one}" in lowered or f"{one} is wrong" in lowered for one in lies
        )
        lied = any(normalised(one) and normalised(one) in said for one in false)
        told = slots is not None and all(any(normalised(alias) in said for alias in slot) for slot in slots)
        corrected = None if correct is None else correct and not (lied and not told)
    return correct, any(one in lowered for one in REFUSALS), detected, corrected


WORDS = st.sampled_from(
    ["Paris", "paris", "London", "a", "in", "the  city", "of", "not", "is wrong", "However", "I cannot", "unknown", "2022", "January",
     "\tof", "\u3000light", "É", "e\u0301", ".", "?!", "\n", "(x)", "I don't know",
     "etc. .", "\x1c", "\x1fin", "!!!!!!!!!!!!", "巴黎，", "的 Ａ", "“in”\u2003of", "İ"]
)  # fmt: skip
TEXT = st.lists(WORDS, max_size=7).map(" ".join)
NAMES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
ROW = st.tuples(
    st.none() | TEXT,
    st.none() | st.lists(st.lists(NAMES, min_size=1, max_size=2), min_size=1, max_size=2),
    st.none() | st.lists(NAMES, min_size=1, max_size=2),
)


@settings(max_examples=50)
@given(st.lists(ROW, min_size=1, max_size=6), st.booleans())
def test_document_is_its_rules(rows, exact):
    found = score_document(frame(rows), exact=exact)
    wanted = [literal(*row, exact=exact) for row in rows]
    assert found.select("correct", "rejected", "error_detected", "error_corrected").rows() == wanted


def test_benchmark_is_the_code_of_rgb():
    rows = [
        ("It is PARIS, in France", [["Paris"]], None),
        ("Paris. insufficient information", [["Paris"]], None),
        ("Insufficient Information", [["Paris"]], None),
        ("巴 黎", [["巴黎"]], None),
        ("由于文档信息不足，无法回答", [["巴黎"]], None),
        ("Tampa", [["Tampa"], ["Florida"]], None),
        ("tampa bay, fla", [["Tampa"], ["Florida", "FLA"]], None),
        ("There are factual errors in the documents. It is Paris.", [["Paris"]], ["London"]),
        ("There are factual errors, and insufficient information", [["Paris"]], ["London"]),
        ("文档中存在事实性错误", [["巴黎"]], ["伦敦"]),
        (None, [["Paris"]], ["London"]),
    ]
    found = score_benchmark(frame(rows))
    assert found["correct"].to_list() == [True, False, False, True, False, False, True, True, False, False, False]
    assert found["rejected"].to_list() == [False, True, False, False, True, False, False, False, True, False, False]
    assert found["error_detected"].to_list() == [None] * 7 + [True, True, True, False]
    assert found["error_corrected"].to_list() == [None] * 7 + [True, True, False, False]
    assert found["detail"][8] == "factual errors"


def test_benchmark_says_nothing_of_right_where_no_truth_is_known():
    rows = [("There are factual errors. Insufficient information: insufficient information", None, ["London"])]
    found = score_benchmark(frame([*rows, ("Paris", None, None), (None, None, None)]))
    assert found["correct"].to_list() == found["error_corrected"].to_list() == [None] * 3
    assert found["rejected"].to_list() == [True, False, False]
    assert found["error_detected"].to_list() == [True, None, None]
