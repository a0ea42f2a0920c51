"""Documents of prompts: how they are drawn, counted and placed."""

from collections import Counter
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import DataError, OptionError
from adjudge.evaluations.rag.prompts import negatives_of, prepare_prompts, prompt_records, warnings_of
from adjudge.schemas.answers import Question, Questions

NOISES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
ABILITY = {"base": "noise_robustness", "int": "information_integration", "fact": "counterfactual_robustness"}


def question(name="q", positive=3, negative=3, wrong=0, groups=None):
    """A question whose documents are called p0, p1 ..., n0 ... and w0 ...; with groups p0.0 ... of these sizes."""
    if groups is None:
        good = (tuple(f"p{place}" for place in range(positive)),)
    else:
        good = tuple(tuple(f"p{one}.{place}" for place in range(size)) for one, size in enumerate(groups))
    lists = [tuple(f"{letter}{place}" for place in range(count)) for letter, count in (("n", negative), ("w", wrong))]
    return Question(1, name, "Where?", (("there", "here"),), good, *lists, ("nowhere",) if wrong else ())


def questions(*items, kind="base"):
    numbered = tuple(replace(one, number=place) for place, one in enumerate(items, 1))
    return Questions("q.json", kind, numbered)


def many(count, **sizes):
    return [question(f"q{place}", **sizes) for place in range(count)]


def texts(prompt):
    return [document.text for document in prompt.documents]


SIZES = st.integers(0, 8)


@st.composite
def made(draw):
    """Questions of any kind."""
    kind = draw(st.sampled_from(["base", "int", "fact"]))
    items = []
    for name in range(draw(st.integers(1, 3))):
        groups = draw(st.lists(st.integers(0, 5), max_size=4)) if kind == "int" else None
        positive = draw(SIZES)
        wrong = positive if kind == "fact" else 0
        items.append(question(str(name), positive, draw(SIZES), wrong, groups))
    return questions(*items, kind=kind)


@given(made(), st.integers(0, 10), st.integers(0, 5))
def test_documents_are_distinct_and_counted(found, passages, seed):
    for prompt in prepare_prompts(found, ABILITY[found.kind], NOISES, passages=passages, seed=seed):
        kinds = Counter(document.kind for document in prompt.documents)
        assert len(set(texts(prompt))) == len(prompt.documents)
        groups = sum(map(bool, prompt.question.groups)) if found.kind == "int" else 0
        assert len(prompt.documents) <= max(passages, groups)
        if not passages:
            assert (prompt.noise, prompt.reached_noise, prompt.documents, prompt.as_requested) == (None, None, (), True)
            continue
        wanted = ceil(round(passages * prompt.noise, 9))
        assert prompt.as_requested == (len(prompt.documents) == passages and kinds["negative"] == wanted)
        assert prompt.reached_noise == (kinds["negative"] / kinds.total() if kinds else None)
        lists = {
            "positive": prompt.question.positive,
            "negative": prompt.question.negative,
            "wrong": prompt.question.wrong,
        }
        for document in prompt.documents:
            whole = lists[document.kind] if document.group is None else prompt.question.groups[document.group]
            assert whole[document.place] == document.text


@pytest.mark.parametrize(
    ("passages", "noise", "negatives"),
    [(5, 0.6, 3), (25, 0.28, 7), (100, 0.55, 55), (5, 0.01, 1), (5, 0, 0), (5, 1, 5), (6, 5 / 6, 5)],
)
def test_negatives_are_those_of_the_decimal_number(passages, noise, negatives):
    assert negatives_of(passages, noise) == negatives


# --- balanced ---


def test_documents_stand_anywhere_and_are_drawn_equally_often():
    prompts = prepare_prompts(questions(*many(400, positive=8, negative=8)), "noise_robustness", [0.4])
    first = Counter(prompt.documents[0].kind for prompt in prompts)
    assert 200 < first["positive"] < 280  # 3 / 5 of 400
    counts = Counter(text for prompt in prompts for text in texts(prompt))
    # 400 x 3 / 8 = 150 for good ones (standard deviation 9.7), 400 x 2 / 8 = 100 for others (8.7).
    assert all(abs(counts[f"p{place}"] - 150) < 45 for place in range(8))
    assert all(abs(counts[f"n{place}"] - 100) < 40 for place in range(8))


def test_the_order_of_the_file_means_nothing():
    items = many(30, positive=6, negative=6)
    arguments = {"noises": NOISES, "seed": 3, "draws": 2}
    first = prepare_prompts(questions(*items), "noise_robustness", **arguments)
    second = prepare_prompts(questions(*reversed(items)), "noise_robustness", **arguments)

    def documents(prompts):
        return {(one.question.id, one.noise, one.draw): one.documents for one in prompts}

    assert documents(first) == documents(second)


def test_seeds_and_draws_differ():
    found = questions(*many(5, positive=9, negative=9))
    drawn = [prepare_prompts(found, "noise_robustness", [0.4], seed=seed, draws=3) for seed in (0, 1)]
    assert [prompt.draw for prompt in drawn[0]] == [draw for draw in (1, 2, 3) for _ in range(5)]
    assert len({tuple(texts(one)) for prompts in drawn for one in prompts if one.question.id == "q0"}) == 6
    assert drawn[0] == prepare_prompts(found, "noise_robustness", [0.4], draws=3)
    assert drawn[0][:5] == prepare_prompts(found, "noise_robustness", [0.4])


def test_each_group_gives_one_and_then_in_turn():
    found = questions(*many(20, negative=9, groups=[3, 1, 3]), kind="int")
    for noise, expected in ((0, {5}), (0.4, {3}), (0.8, {3}), (1, {3})):
        prompts = prepare_prompts(found, "information_integration", [noise])
        goods = [[one for one in prompt.documents if one.kind == "positive"] for prompt in prompts]
        assert {len(good) for good in goods} == expected
        assert all({one.group for one in good} == {0, 1, 2} for good in goods)


def test_one_list_fills_up_for_the_other_but_rejection_stays_pure():
    found = questions(question(positive=1, negative=9), question("r", positive=9, negative=1), question("s", 1, 1))
    prompts = prepare_prompts(found, "noise_robustness", [0.4, 1])
    assert [prompt.reached_noise for prompt in prompts] == [0.8, 0.2, 0.5, 1, 1, 1]
    assert [len(prompt.documents) for prompt in prompts] == [5, 5, 2, 5, 1, 1]
    assert [prompt.as_requested for prompt in prompts] == [False, False, False, True, False, False]
    (said,) = warnings_of(prompts)
    assert said.startswith("5 of 6 prompts have fewer passages, or another noise ratio, than asked for")
    assert warnings_of(prompts[3:4]) == []


def test_records_hold_all_there_is_to_know():
    found = questions(question(positive=1, wrong=1, negative=1), kind="fact")
    lying, pure = prompt_records(prepare_prompts(found, "counterfactual_robustness", [0.5, 1], passages=2))
    documents = lying.pop("documents")
    assert lying == {
        "id": "q",
        "ability": "counterfactual_robustness",
        "noise_ratio": 0.5,
        "reached_noise": 0.5,
        "draw": 1,
        "query": "Where?",
        "answer": [["there", "here"]],
        "counterfactual": ["nowhere"],
    }
    assert sorted(documents, key=lambda one: one["kind"]) == [
        {"text": "n0", "kind": "negative", "place": 0},
        {"text": "w0", "kind": "wrong", "place": 0},
    ]
    assert pure["counterfactual"] is None
    (true,) = prompt_records(prepare_prompts(found, "noise_robustness", [0], passages=1))
    assert (true["counterfactual"], true["documents"][0]["kind"]) == (None, "positive")
    found = questions(question(groups=[1]), kind="int")
    (grouped,) = prompt_records(prepare_prompts(found, "information_integration", [0], passages=1))
    assert grouped["documents"] == [{"text": "p0.0", "kind": "positive", "place": 0, "group": 0}]


# --- what is refused ---

LIES = {"ability": "counterfactual_robustness"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"kind": "int"}, "needs documents that each hold the answer or documents that lie"),
        ({"ability": "information_integration"}, "needs groups of documents that each hold a piece"),
        ({"ability": "information_integration", "kind": "fact"}, "found: documents that lie"),
        (LIES, "needs documents that lie"),
        (LIES | {"kind": "int"}, "found: groups of documents"),
        ({"noises": []}, "expected at least one ratio"),
        ({"noises": [0.2, 0.4, 0.2]}, "expected each ratio once"),
        ({"ability": "negative_rejection", "noises": [0.8]}, "expected 1; got 0.8"),
    ],
)
def test_options_that_do_not_suit_the_questions_or_each_other(arguments, said):
    given = {"ability": "noise_robustness", "noises": [0], "kind": "base", **arguments}
    asked = questions(question(wrong=3), kind=given.pop("kind"))
    with pytest.raises(OptionError, match=said):
        prepare_prompts(asked, **given)


def test_ids_that_stand_twice():
    with pytest.raises(DataError, match=r"q\.json: expected each id once; got several questions with q"):
        prepare_prompts(questions(question(), question("r"), question()), "noise_robustness", [0])
