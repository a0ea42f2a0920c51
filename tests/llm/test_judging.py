"""A judge's labels: both orders turned back, the most frequent one, and what labelled items teach of it."""

import re
from collections import Counter
from hashlib import sha256

import polars as pl
import pytest

import adjudge as library
from adjudge.errors import OptionError
from adjudge.llm.calls import Status
from adjudge.llm.judging import Corrected, Judge, Votes, balanced, plurality, predictions, without_judged
from adjudge.llm.prompts import template
from adjudge.schemas.preferences import Task
from adjudge.statistics.proportions import proportion
from llm.scripted import ask, batch_results

TASK = Task(criteria=("quality", "calm"), labels=("A", "B", "both_good", "both_bad"))
ONE = Task(criteria=("q",), labels=("A", "B", "both_good"))
SWAPPED = {"A": "B", "B": "A"}
HARD = 'It says "no",\n\tand then: ,'


def judge(task=TASK, *, together=5, swap=True, shots=None):
    return Judge(task, template("preferences_judge"), swap, together, shots)


def items(count=3):
    texts = {name: [f"{name} {n}" for n in range(count)] for name in ("instruction", "output_a", "output_b")}
    return pl.DataFrame({"id": [f"i{n}" for n in range(count)], **texts})


def all_of(label):
    return lambda call: {name: {"explanation": f"why {label}", "label": label} for name in call.form.fields}


def votes_of(given, task=ONE):
    """Votes on items by id: the labels given, in the item's own order."""
    found = Votes()
    for identity, labels in given.items():
        found.given[identity, task.criteria[0]] = [(label, f"why {label}", False) for label in labels]
    return found


def test_each_item_is_asked_in_both_orders():
    calls = [*judge().calls(items(1))]
    assert [(call.about["turned"], call.judged["response_a"]) for call in calls] == [
        (False, "output_a 0"),
        (True, "output_b 0"),
    ]
    assert [call.about["turned"] for call in judge(swap=False).calls(items(2))] == [False, False]
    fields = {n: [[*call.form.fields] for call in judge(together=n, swap=False).calls(items(1))] for n in (1, 5)}
    assert fields == {1: [["quality"], ["calm"]], 5: [["quality", "calm"]]}


def test_answers_on_the_other_order_are_turned_back():
    """Who always says A means the first response in one order and the second in the other."""
    votes = judge().votes(items(1), ask(all_of("A")))
    assert votes.labels("i0", "quality") == ["A", "B"]
    votes = judge().votes(items(1), ask(all_of("both_bad")))
    assert votes.labels("i0", "quality") == ["both_bad"] * 2


def test_position_inconsistency_counts_where_both_orders_were_answered():
    def answer(call):
        number = int(call.judged["instruction"][-1])
        if number == 0 and call.about["turned"]:
            return Status.FAILED
        return all_of("A" if number == 1 or not call.about["turned"] else "B")(call)

    votes = judge().votes(items(3), ask(answer))
    # i0 was answered in one order; i1 says A twice, which is A and B; i2 says A and then B, which is A and A
    found = votes.inconsistency()  # of each, two criteria: 2 of 4 answers, those of one item
    assert (found.value, found.n, found.method) == (0.5, 4, "clustered-wilson")
    votes = Votes()
    votes.given["alone", "q"] = [("A", "", False)]
    assert votes.inconsistency().reason == "no items"
    votes.given |= {(f"i{n}", "q"): [("A", "", False), ("A" if n else "B", "", True)] for n in range(4)}
    assert votes.inconsistency() == proportion(1, 4), "on one criterion a share of items"


def test_an_explanation_is_one_of_an_answer_that_gave_the_label_and_says_that_sides_are_swapped():
    """Where the item's own order was refused, "Response A" of the other one is the item's response B."""
    votes = Votes()
    votes.given["i0", "quality"] = [("B", "no", False), ("A", "turned", True), ("A", "straight", False)]
    assert votes.explanation("i0", "quality", "A") == "straight"
    assert votes.explanation("i0", "quality", "both_bad") is None
    said = {"explanation": "Response A is clearer.", "label": "A"}
    asked = ask(lambda call: {"q": said} if call.about["turned"] else Status.REFUSED)
    found = predictions(items(1), judge(ONE).votes(items(1), asked), ONE, Corrected(ONE))
    assert found.row(0)[1:] == ("B", "(A and B are swapped here.) Response A is clearer.")


@pytest.mark.parametrize(
    ("given", "label"),
    [
        (["B", "A", "B"], "B"),
        (["both_bad", "both_bad", "A", "B"], "both_bad"),
        (["A", "B", "both_bad"], "both_good"),
        (["both_bad", "B"], "B"),
        (["both_bad", "both_good"], "both_good"),
    ],
)
def test_the_most_frequent_label_and_its_ties(given, label):
    assert plurality(TASK.labels, given) == label
    assert plurality(("A", "tie", "B"), ["A", "B"]) == "tie"


def biased(call):
    """A judge that likes what it sees first, and else says what the texts' hash says; the same for the same prompt."""
    shown = f"{call.judged['response_a']}|{call.judged['response_b']}"
    return {
        name: {"explanation": "...", "label": (*TASK.labels, "A")[sha256(f"{name}{shown}".encode()).digest()[0] % 5]}
        for name in call.form.fields
    }


def test_swapped_responses_get_swapped_labels_exactly():
    many = items(60)
    rule = Corrected(TASK)
    frames = [
        predictions(frame, judge().votes(frame, ask(biased)), TASK, rule)
        for frame in (many, many.with_columns(output_a="output_b", output_b="output_a"))
    ]
    for criterion in TASK.criteria:
        straight, turned = (frame[f"{criterion}_preference"].to_list() for frame in frames)
        assert [SWAPPED.get(label, label) for label in turned] == straight
        assert len(set(straight)) == 4, "all labels are there"


LEARNT = {"a1": ["A"], "a2": ["A"], "a3": ["B"], "b1": ["B"], "g1": ["A"], "g2": ["both_good"]}
GOLD = pl.DataFrame({"id": [*LEARNT], "q_preference": ["A", "A", "A", "B", "both_good", "both_good"]})


@pytest.mark.parametrize(
    ("given", "label"),
    [
        (["A"], "A"),  # 3.5 * 4 = 14, 1.5 * 2 = 3, 2.5 * 2 = 5
        (["B"], "A"),  # 3.5 * 2 = 7, 1.5 * 4 = 6, 2.5 * 2 = 5: one B is not enough against so many A
        (["B", "B"], "B"),  # 3.5 * 2 * 2 = 14, 1.5 * 4 * 4 = 24, 2.5 * 2 * 2 = 10
        (["both_good"], "both_good"),  # 3.5 * 1, 1.5 * 1, 2.5 * 3 = 7.5
        (["A", "both_good"], "both_good"),  # 3.5 * 4 * 1 = 14, 1.5 * 2 * 1 = 3, 2.5 * 2 * 3 = 15
        (["A", "B"], "A"),  # 3.5 * 4 * 2 = 28, 1.5 * 2 * 4 = 12, 2.5 * 2 * 2 = 10
    ],
)
def test_the_most_probable_label_worked_by_hand(given, label):
    """Half a count more for each cell, then the two orders together, in sevenths:

    people said   the judge said A     B              both_good
    A             2.5 + 1.5 = 4        1.5 + 0.5 = 2  0.5 + 0.5 = 1
    B             2                    4              1
    both_good     1.5 + 0.5 = 2        2              1.5 + 1.5 = 3

    and people said A, B and both_good in 3.5, 1.5 and 2.5 of 7.5. Each case says the products, without the sevenths.
    """
    assert Corrected(ONE).fit(votes_of(LEARNT), GOLD).label("q", given) == label


@pytest.mark.parametrize("gold", [GOLD, GOLD.clear(), GOLD.with_columns(q_preference=pl.lit(None, pl.String))])
def test_where_nothing_was_learnt_the_most_frequent_label_counts(gold):
    rule = Corrected(ONE).fit(Votes(), gold)
    assert [rule.label("q", given) for given in (["B"], ["A", "B"])] == ["B", "both_good"]


def test_what_was_not_answered_has_neither_label_nor_explanation():
    fates = {"i0": Status.REFUSED, "i1": Status.UNPARSEABLE, "i2": Status.FAILED}
    votes = judge().votes(items(4), ask(lambda call: fates.get(call.about["id"]) or all_of("both_good")(call)))
    found = predictions(items(4), votes, TASK, Corrected(TASK))
    assert found.columns == [
        "id",
        *(f"{name}_{what}" for name in TASK.criteria for what in ("preference", "explanation")),
        *(f"{name}_{what}" for name in TASK.criteria for what in ("outcome", "reason")),
    ]
    for number, fate in enumerate(fates.values()):
        assert found.row(number) == (f"i{number}", None, None, None, None, *(fate.value, "") * 2)
    assert found.row(3) == ("i3", *("both_good", "why both_good") * 2, *("answered", None) * 2)


def test_a_label_that_was_corrected_is_explained_so_without_swapped_orders_too():
    rule = Corrected(ONE).fit(votes_of(LEARNT), GOLD)
    found = predictions(items(1), votes_of({"i0": ["B"]}), ONE, rule)
    # one B is not enough against so many A: 3.5 * 2 = 7, 1.5 * 4 = 6
    assert found.row(0)[1:] == ("A", "The model said B; this counts as A.")
    assert not [name for name in found.columns if name.endswith(("_outcome", "_reason"))]
    both = predictions(items(1), votes_of({"i0": ["A", "B"]}), ONE, Corrected(ONE))
    assert both.row(0)[1:] == ("both_good", "The model said A, B; this counts as both_good.")


def labelled_items(labels):
    frame = items(len(labels))
    return frame.with_columns(pl.Series("q_preference", labels), q_explanation=pl.lit("for a reason"))


@pytest.mark.parametrize("seed", range(5))
def test_examples_are_balanced_over_labels(seed):
    many = labelled_items([*["A"] * 20, "B", "both_good", *["A"] * 20])
    shown = balanced(many, ONE, 3, seed)
    assert sorted(shown["q_preference"]) == ["A", "B", "both_good"]
    assert Counter(balanced(many, ONE, 5, seed)["q_preference"]) == {"A": 3, "B": 1, "both_good": 1}
    assert sorted(balanced(labelled_items(["A", None, "B"]), ONE, 9, seed)["id"]) == ["i0", "i2"]


def test_a_criterion_that_nobody_labelled_takes_no_example_away():
    many = items(2).with_columns(quality_preference=pl.Series(["A", "B"]), calm_preference=pl.lit(None, pl.String))
    shots = balanced(many, TASK, 2, 0)
    assert sorted(shots["id"]) == ["i0", "i1"]
    (both,) = judge(together=2, swap=False, shots=shots).calls(items(1))
    quality, calm = judge(together=1, swap=False, shots=shots).calls(items(1))
    assert sorted(both.given["answers"]) == sorted(quality.given["answers"]) == ["quality: A", "quality: B"]
    assert ([*calm.form.fields], calm.judged["shots"], calm.given["answers"]) == (["calm"], [], [])


def test_labelled_items_that_are_to_be_judged_are_left_out():
    """i0 has an id of the items, i1 their texts, i2 the same texts swapped; i3 only the instruction, i4 nothing."""
    judged = pl.DataFrame(
        {"id": ["i0", "x", "y"], "instruction": ["a", "b", "c"], "output_a": ["1"] * 3, "output_b": ["2"] * 3}
    )
    labelled = pl.DataFrame(
        {
            "id": [f"i{n}" for n in range(5)],
            "instruction": ["other", "b", "c", "c", None],
            "output_a": ["1", "1", "2", "1", None],
            "output_b": ["2", "2", "1", "3", None],
        }
    )
    assert without_judged(labelled, judged)["id"].to_list() == ["i3", "i4"]
    without_texts = judged.with_columns(pl.lit(None, pl.String).alias(name) for name in judged.columns[1:])
    assert without_judged(labelled, without_texts)["id"].to_list() == ["i1", "i2", "i3", "i4"]


@pytest.fixture
def files(tmp_path):
    gold = labelled_items(["A", "B", "both_good", "both_bad"] * 3)
    texts = [pl.concat_str(pl.lit("known "), name).alias(name) for name in ("instruction", "output_a", "output_b")]
    gold.with_columns(*texts, id=pl.concat_str(pl.lit("gold-"), "id")).write_ndjson(tmp_path / "gold.jsonl")
    items(5).write_ndjson(tmp_path / "items.jsonl")
    return tmp_path


def predicted(folder, **how):
    """Predictions of a judge whose answers come from a batch; and the batch."""
    given = {"predictor": "judge", "model": "openai/m", "criteria": ["q"], "output": folder / "ours.tsv", **how}
    batch, results = folder / "batch.jsonl", folder / "results.jsonl"
    library.predict_preferences(folder / "items.jsonl", **given, batch_file=batch)
    lines = batch_results(batch, results, lambda schema: {"q": {"explanation": HARD, "label": "A"}})
    return library.predict_preferences(folder / "items.jsonl", **given, from_batch=results), lines


def test_examples_are_left_out_of_what_the_correction_learns_from(files):
    found, lines = predicted(files, train=files / "gold.jsonl", shots=4)
    prompts = [re.sub("text-[0-9a-f]{8}", "text", line["body"]["messages"][1]["content"]) for line in lines]
    asked = [prompt.partition("Now judge these.") for prompt in prompts]
    (examples,) = {before for before, _, _ in asked}
    for label in ("A", "B", "both_good", "both_bad"):
        assert examples.count(f"People said: q: {label}\n") == 1
    shown = {n for n in range(12) if f"known instruction {n}\n" in examples}
    judged = {n for _, _, after in asked for n in range(12) if f"known instruction {n}\n" in after}
    assert len(shown) == 4
    assert judged == set(range(12)) - shown
    assert len(lines) == 2 * (12 - 4) + 2 * 5
    assert found.asked.tally.answered == len(lines)


def test_items_to_be_judged_are_neither_examples_nor_learnt_from_and_that_is_said(files):
    """Of gold, 12 items, the first 5 are asked for: 7 are left, of which 4 are examples."""
    gold = pl.read_ndjson(files / "gold.jsonl")
    gold[:5].write_ndjson(files / "items.jsonl")
    found, lines = predicted(files, train=files / "gold.jsonl", shots=4)
    assert found.notes[0] == "5 items of train are left out, since the items to judge hold them too"
    assert len(lines) == 2 * 3 + 2 * 5
    for line in lines:
        examples = line["body"]["messages"][1]["content"].partition("Now judge these.")[0]
        assert not any(f"known instruction {n}\n" in examples for n in range(5))
    with pytest.raises(OptionError, match="train: expected labelled items other than those to be judged"):
        predicted(files, train=gold[:5])


def test_predictions_pass_the_check_of_submissions(files, adjudge):
    found, _ = predicted(files)
    assert [one.name for one in files.glob("*.logs")] == ["ours.tsv.logs"]
    assert found.notes[0] == f"the prompt was {template('preferences_judge').signed}"
    assert found.position_inconsistency == proportion(5, 5)
    status, out, err = adjudge(
        "preferences", "check", files / "ours.tsv", "--gold", files / "items.jsonl", "--criteria", "q", "--explanations"
    )
    assert (status, err) == (0, "")
    assert "5 rows, no problems found" in out


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"predictor": "majority", "train": True, "dry_run": True}, "dry_run: the predictor majority does not use it"),
        ({"predictor": "longer", "timeout": 9}, "timeout: the predictor longer does not use it: it learns nothing"),
        ({"predictor": "longer", "model": "openai/m"}, r"model: the predictor longer .*\nfix: +predictor judge"),
        ({"predictor": "baseline", "model": "openai/m", "shots": 2}, "shots: the predictor baseline"),
        ({"predictor": "judge", "model": "openai/m", "shots": 2}, "shots: a judge does not use it without labelled"),
        (
            {"predictor": "judge", "model": "openai/m", "labels": ["left", "right"]},
            "labels: expected A and B among them",
        ),
    ],
)
def test_options_that_a_predictor_has_no_use_for_are_refused_and_nothing_is_written(files, how, said):
    given = {**how, "train": pl.read_ndjson(files / "gold.jsonl")} if "train" in how else how
    with pytest.raises(OptionError, match=said):
        library.predict_preferences(files / "items.jsonl", criteria=["q"], output=files / "o.tsv", **given)
    assert not (files / "o.tsv").exists()
    given = {"predictor": "majority", "train": pl.read_ndjson(files / "gold.jsonl"), "shots": 4, "dry_run": False}
    library.predict_preferences(files / "items.jsonl", criteria=["q"], output=files / "o.tsv", **given)
    assert (files / "o.tsv").exists(), "options with their default are as if they were not given"


def test_explanations_of_items_with_labels_of_ones_own_are_judged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = pl.DataFrame({"id": ["1"], "q_preference": ["left"], "q_explanation": ["it is shorter"]})
    ours = pl.DataFrame({"id": ["1"], "q_preference": ["right"], "q_explanation": ["it is longer"]})
    given = {"model": "openai/m", "output": "verdicts.jsonl", "dry_run": True, "criteria": "q", "system": "ours"}
    assert library.judge_preferences(gold, ours, labels=["left", "right"], **given).plan.calls == 1
