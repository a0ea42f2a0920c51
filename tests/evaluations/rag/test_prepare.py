"""Documents of prompts: the benchmark's rules beside a literal version of them, and balanced drawing."""

import random
from collections import Counter
from dataclasses import replace
from math import ceil

import pytest
from hypothesis import given, settings
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
    return Questions("q.json", "line", kind, numbered)


def many(count, **sizes):
    return [question(f"q{place}", **sizes) for place in range(count)]


def texts(prompt):
    return [document.text for document in prompt.documents]


# --- as the benchmark does it ---


def literal(one, kind, noise, k):
    """The rules of issue 6, word for word; the global generator is seeded anew for the item."""
    random.seed(2333)
    documents = {"base": literal_base, "int": literal_groups, "fact": literal_lies}[kind](
        one, ceil(round(k * noise, 9)), noise, k
    )
    random.shuffle(documents)
    return documents


def literal_base(one, negatives, noise, k):
    positives = k - negatives
    if noise == 1:
        return list(one.negative[:k])  # only negatives
    if len(one.negative) < negatives:  # too short: the other fills up
        negatives = len(one.negative)
        positives = k - negatives
    elif len(one.positive) < positives:
        positives = len(one.positive)
        negatives = k - positives
    return list(one.positive[:positives]) + list(one.negative[:negatives])


def literal_groups(one, negatives, _, k):
    groups = [list(group) for group in one.groups]
    for group in groups:
        random.shuffle(group)  # each group of positives is shuffled
    documents = [group.pop(0) for group in groups if group]  # one document per group
    while any(groups) and len(documents) < k - negatives:  # filled up in turn to the wanted number of positives
        for group in groups:
            if group and len(documents) < k - negatives:
                documents.append(group.pop(0))
    for document in one.negative:  # then the first negatives up to k
        if len(documents) < k:
            documents.append(document)
    return documents


def literal_lies(one, negatives, _, k):
    indices = random.sample(range(len(one.positive)), min(len(one.positive), k - negatives))
    return [one.wrong[index] for index in indices] + list(one.negative[:negatives])


@pytest.fixture
def _generator():
    state = random.getstate()
    yield
    random.setstate(state)


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


@pytest.mark.usefixtures("_generator")
@given(made(), st.integers(1, 10))
@settings(max_examples=50)
def test_original_is_the_literal_version(found, passages):
    prompts = prepare_prompts(found, ABILITY[found.kind], NOISES, passages=passages, sampling="original")
    expected = [literal(one, found.kind, noise, passages) for noise in NOISES for one in found.items]
    assert [texts(prompt) for prompt in prompts] == expected


def literal_mixed(one, noise, correct, k):
    """What the benchmark's code does of correct_rate, word for word."""
    random.seed(2333)
    negatives, truths = ceil(k * noise), ceil(k * correct)
    indices = list(range(len(one.positive)))
    selected = random.sample(indices, min(len(indices), k - negatives - truths))
    docs = [one.wrong[index] for index in selected]
    remain = [index for index in indices if index not in selected]
    if truths > 0 and len(remain) > 0:
        docs += [one.positive[index] for index in random.sample(remain, min(len(remain), truths))]
    if negatives > 0:
        docs += one.negative[:negatives]
    random.shuffle(docs)
    return docs


@pytest.mark.usefixtures("_generator")
@pytest.mark.parametrize(("noise", "correct", "truths"), [(0, 0.2, 4), (0.2, 0.4, 4), (0.4, 0.4, 5), (0, 0.8, 2)])
def test_original_puts_truths_beside_lies_as_the_literal_version(noise, correct, truths):
    one = question(positive=truths, wrong=truths, negative=4)
    found = questions(one, kind="fact")
    (prompt,) = prepare_prompts(found, "counterfactual_robustness", [noise], sampling="original", correct=correct)
    assert texts(prompt) == literal_mixed(one, noise, correct, 5)


def test_balanced_truths_are_none_that_a_lie_was_made_from():
    found = questions(*many(20, positive=5, wrong=5), kind="fact")
    for prompt in prepare_prompts(found, "counterfactual_robustness", [0.2], correct=0.4):
        kinds = Counter(one.kind for one in prompt.documents)
        assert (kinds, prompt.as_requested) == ({"negative": 1, "positive": 2, "wrong": 2}, True)
        places = [one.place for one in prompt.documents if one.kind != "negative"]
        assert len(set(places)) == len(places)
    (short,) = prepare_prompts(questions(question(positive=2, wrong=2), kind="fact"), ABILITY["fact"], [0], correct=0.4)
    assert Counter(one.kind for one in short.documents) == {"negative": 3, "positive": 1, "wrong": 1}
    (record,) = prompt_records([short])
    assert (short.as_requested, record["correct_rate"], record["reached_correct_rate"]) == (False, 0.4, 0.2)


def test_original_leaves_the_global_generator_alone():
    before = random.getstate()
    prepare_prompts(questions(question()), "noise_robustness", NOISES, sampling="original")
    assert random.getstate() == before


def test_original_rejection_takes_the_first_negatives_of_any_kind():
    expected = {"n0", "n1", "n2", "n3", "n4"}
    for kind, one in (
        ("base", question(negative=9)),
        ("int", question(negative=9, groups=[2, 2])),
        ("fact", question(negative=9, wrong=3)),
    ):
        (prompt,) = prepare_prompts(questions(one, kind=kind), "negative_rejection", [1], sampling="original")
        assert set(texts(prompt)) == expected
        assert prompt.counterfactual is None


def test_original_draws_lies_from_places_with_a_truth():
    one = question(positive=2, wrong=4, negative=0)
    (prompt,) = prepare_prompts(questions(one, kind="fact"), "counterfactual_robustness", [0], sampling="original")
    assert sorted(texts(prompt)) == ["w0", "w1"]


# --- what both have in common ---


@given(made(), st.integers(0, 10), st.integers(0, 5), st.sampled_from(["balanced", "original"]))
def test_documents_are_distinct_and_counted(found, passages, seed, sampling):
    for prompt in prepare_prompts(found, ABILITY[found.kind], NOISES, passages=passages, seed=seed, sampling=sampling):
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
    [(5, 0.6, 3), (25, 0.28, 7), (100, 0.55, 55), (5, 0.01, 1), (5, 0, 0), (5, 1, 5), (6, 5 / 6, 5), (5, 1e-300, 1)],
)
def test_negatives_are_those_of_the_decimal_number(passages, noise, negatives):
    assert negatives_of(passages, noise) == negatives


# --- balanced ---


def test_positions_are_balanced_where_lists_are_of_many_lengths():
    items = [question(f"q{place}", positive=place % 7, negative=place % 5) for place in range(200)]
    shapes = {}
    for prompt in prepare_prompts(questions(*items), "noise_robustness", [0.4]):
        kinds = [one.kind for one in prompt.documents]
        counted = shapes.setdefault((len(kinds), kinds.count("positive")), Counter(range(len(kinds))))
        counted.update(place for place, kind in enumerate(kinds) if kind == "positive")
    assert len(shapes) > 5
    assert all(max(counted.values()) - min(counted.values()) <= 1 for counted in shapes.values() if counted)


def test_documents_are_drawn_equally_often():
    prompts = prepare_prompts(questions(*many(400, positive=8, negative=8)), "noise_robustness", [0.4])
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
        ({"kind": "int"}, "needs documents that hold the whole answer, as en.json has them"),
        ({"ability": "information_integration"}, "needs groups of documents that hold a piece"),
        ({"ability": "information_integration", "kind": "fact"}, "found: documents that lie"),
        (LIES, r"needs documents that lie \(positive_wrong\), as en_fact.json"),
        (LIES | {"kind": "int"}, "found: groups of documents"),
        (
            LIES | {"kind": "fact", "noises": [0.2, 0.6], "correct": 0.4},
            r"room for a document that lies among 5 passages; got 0.4 true .* noise 0.6",
        ),
        ({"noises": []}, "expected at least one ratio"),
        ({"noises": [0.2, 0.4, 0.2]}, "expected each ratio once"),
        ({"ability": "negative_rejection", "noises": [0.8]}, "expected 1; got 0.8"),
        ({"correct": 0.2}, "is for counterfactual_robustness, whose documents lie; got it for noise_robustness"),
        ({"sampling": "original", "draws": 2}, "the same documents every time: expected 1; got 2"),
    ],
)
def test_options_that_do_not_suit_the_questions_or_each_other(arguments, said):
    given = {"ability": "noise_robustness", "noises": [0], "kind": "base", **arguments}
    asked = questions(question(wrong=3), kind=given.pop("kind"))
    with pytest.raises(OptionError, match=said):
        prepare_prompts(asked, **given)


def test_ids_that_stand_twice():
    with pytest.raises(DataError, match=r'q\.json, line 3, id: expected each id once; got "q", as in line 1'):
        prepare_prompts(questions(question(), question("r"), question()), "noise_robustness", [0])
