"""The predictor fitted: it learns, cannot tell which response stands first, and is scored on unseen instructions."""

import json
import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from test_features import ITEMS

import karat
from karat.errors import DataError, MissingError, OptionError, OutputError
from karat.evaluations.preferences.outcomes import Group
from karat.evaluations.preferences.predictors import storage
from karat.evaluations.preferences.predictors.classifier import (
    decided,
    grouped_folds,
    instruction_groups,
    swap_of,
)
from karat.evaluations.preferences.predictors.features import pair_features
from karat.evaluations.preferences.predictors.fitted import (
    FOLDS,
    a_before_b,
    features_of,
    fit,
    held_out,
    tables_of,
    used_of,
)
from karat.evaluations.preferences.predictors.storage import load, save
from karat.render.files import write_whole
from karat.schemas.preferences import Task
from karat.text import embeddings
from made_preferences import TASK, made_items, swapped_items

GOLD = made_items(28)
NEW = made_items(28, seed=1)
FEW = GOLD.head(60)
ONE = Task(criteria=("quality",))
COLUMNS = ["id", "quality_preference", "quality_explanation", "calm_preference", "calm_explanation"]
SWAP = {"A": "B", "B": "A"}


@pytest.fixture(scope="module")
def model():
    return fit(GOLD, TASK)


@pytest.fixture
def path(model, tmp_path):
    place = tmp_path / "model.skops"
    save(model, place)
    return place


def probabilities(model, items):
    """For each criterion the probability of each of the task's labels: items x labels."""
    features = features_of(items, model.embedding_model)
    both = zip(model.task.criteria, model.classifiers, strict=True)
    return {criterion: classifier.probabilities(features).T for criterion, classifier in both}


def words(items, criterion, task=TASK):
    return [task.word(code) for code in items[f"label:{criterion}"]]


def labels_after_swap(labels):
    return [SWAP.get(label, label) for label in labels]


def relabelled(task, **labels):
    """A few items with the labels given, each repeated over the items."""
    items = GOLD.head(60).drop(*TASK.label_columns, *TASK.why_columns)
    columns = {
        f"label:{name}": pl.Series([task.code(own[n % len(own)]) for n in range(len(items))], dtype=pl.UInt8)
        for name, own in labels.items()
    }
    return items.with_columns(**columns)


def scores_of(table, system, metric, criterion="quality"):
    return table.filter(system=system, metric=metric, criterion=criterion)["value"].item()


# --- what it learns ---


@pytest.mark.parametrize("criterion", TASK.criteria)
def test_it_learns_what_people_prefer(model, criterion):
    from sklearn.metrics import balanced_accuracy_score

    gold, found = words(NEW, criterion), model.predict(NEW)[f"{criterion}_preference"].to_list()
    longer = np.select(
        [
            NEW["output_a"].str.len_chars() > NEW["output_b"].str.len_chars(),
            NEW["output_a"].str.len_chars() < NEW["output_b"].str.len_chars(),
        ],
        ["A", "B"],
        "both_good",
    )
    baselines = [
        balanced_accuracy_score(gold, longer),
        balanced_accuracy_score(gold, [max(gold, key=gold.count)] * len(gold)),
    ]
    assert balanced_accuracy_score(gold, found) > max(baselines) + 0.1


def test_predictions_are_a_row_per_item_in_order(model):
    found = model.predict(NEW)
    assert found.columns == COLUMNS
    assert found["id"].to_list() == NEW["id"].to_list()
    assert set(found["quality_preference"]) <= set(TASK.labels)
    assert found["calm_explanation"].null_count() == 0


def test_probabilities_add_up_to_one_and_are_calibrated(model):
    for criterion, found in probabilities(model, NEW).items():
        assert found.shape == (len(NEW), 4)
        assert np.allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)
        gold = NEW[f"label:{criterion}"].to_numpy()
        own = found[np.arange(len(gold)), gold - 1]
        assert abs((found.argmax(axis=1) + 1 == gold).mean() - found.max(axis=1).mean()) < 0.1
        assert -np.log(own).mean() < 0.75  # of four labels at random 1.39
    assert np.all(probabilities(model, NEW)["calm"][:, 3] == 0)  # both_bad was never seen


def test_training_is_the_same_every_time():
    once, again = fit(FEW, ONE, seed=3), fit(FEW, ONE, seed=3)
    assert again.predict(NEW).equals(once.predict(NEW))
    assert again.scores.equals(once.scores)
    assert np.array_equal(probabilities(again, NEW)["quality"], probabilities(once, NEW)["quality"])


def test_steps_are_named_as_they_run():
    seen = []

    @contextmanager
    def step(name):
        seen.append(name)
        yield

    fit(GOLD.head(25), ONE, step=step)
    assert seen == ["Features", *(f"Cross-validation, fold {n} of 5" for n in range(1, 6)), "Training"]


# --- symmetry, batches ---


@given(ITEMS)
@settings(max_examples=10)
def test_a_swap_of_the_responses_swaps_a_and_b_exactly(model, items):
    items = items.with_row_index("id")
    there, back = model.predict(items), model.predict(swapped_items(items))
    for criterion in TASK.criteria:
        name = f"{criterion}_preference"
        assert back[name].to_list() == labels_after_swap(there[name])
        found, other = (probabilities(model, one)[criterion] for one in (items, swapped_items(items)))
        assert np.array_equal(other, found[:, [1, 0, 2, 3]])


@given(ITEMS)
@settings(max_examples=10)
def test_identical_responses_are_never_a_or_b(model, items):
    found = model.predict(items.with_columns(output_b="output_a").with_row_index("id"))
    assert not {"A", "B"} & {*found["quality_preference"], *found["calm_preference"]}


def test_predictions_do_not_depend_on_the_batch(model):
    for size, items in ((1, NEW.head(15)), (7, NEW.head(60)), (64, NEW)):
        whole, shares = model.predict(items), probabilities(model, items)
        parts = [items[start : start + size] for start in range(0, len(items), size)]
        assert pl.concat(map(model.predict, parts)).equals(whole)
        for criterion, found in shares.items():
            assert np.array_equal(np.vstack([probabilities(model, part)[criterion] for part in parts]), found)
    assert model.predict(NEW.head(0)).columns == COLUMNS


def test_the_order_of_labels_does_not_break_a_tie_in_favour_of_a_side():
    swap = swap_of(Task(labels=("A", "tie", "B")))
    equal = np.full(3, 1 / 3)
    found = np.array(
        [[0.4, 0.2, 0.4, 0.25, 0.5, 0.45], [0.4, 0.4, 0.2, 0.25, 0.1, 0.1], [0.2, 0.4, 0.4, 0.5, 0.4, 0.45]]
    )
    never = np.zeros(6, dtype=bool)
    assert decided(found, equal, swap, never, 0.0).tolist() == [1, 1, 1, 2, 0, 1]


def test_without_a_symmetric_label_texts_decide_a_tie():
    task = Task(criteria=("quality",), labels=("A", "B"))
    gold = relabelled(task, quality=["A", "B", "B"])
    found = fit(gold, task)
    items = pl.DataFrame({"id": ["1"], "instruction": ["x"], "output_a": ["ba"], "output_b": ["ab"]})
    (classifier,) = found.classifiers
    sides = [(one, features_of(one, None)) for one in (items, swapped_items(items))]
    there, back = (classifier.decide(features, a_before_b(one)).item() for one, features in sides)
    assert {there, back} == {0, 1}
    assert np.allclose(probabilities(found, items)["quality"].sum(axis=1), 1)


def test_labels_that_are_no_sides_are_not_swapped():
    task = Task(criteria=("quality",), labels=("first", "second", "B"))
    gold = relabelled(task, quality=["first"])
    longer = gold["output_a"].str.len_chars() > gold["output_b"].str.len_chars()
    gold = gold.with_columns(pl.Series("label:quality", np.where(longer, 1, 2), dtype=pl.UInt8))
    found = fit(gold, task)
    agreed = found.predict(gold)["quality_preference"] == pl.Series(words(gold, "quality", task))
    assert agreed.mean() > 0.9
    assert set(found.scores["system"]) == {"fitted", "majority"}


# --- labels that are few ---


def test_one_symmetric_label_is_predicted_without_a_classifier():
    task = Task(criteria=("quality",))
    found = fit(relabelled(task, quality=["both_good"]), task)
    assert set(found.predict(NEW)["quality_preference"]) == {"both_good"}
    assert set(probabilities(found, NEW)["quality"][:, 2]) == {1.0}
    assert "quality: all labelled items are both_good" in found.notes
    assert scores_of(found.scores, "fitted", "accuracy") == 1


def test_one_side_alone_is_the_most_frequent_label_and_learnt_in_both_orders():
    task = Task(criteria=("quality",))
    items = relabelled(task, quality=["A"]).with_columns(output_a=pl.lit("long and fine words"), output_b=pl.lit("no"))
    found = fit(items, task)
    assert set(found.predict(items)["quality_preference"]) == {"A"}
    assert found.used == ("majority",)
    turned = swapped_items(items)
    assert set(found.classifiers[0].decide(features_of(turned, None), a_before_b(turned))) == {1}


def test_missing_labels_are_not_learnt_from_or_scored():
    half = FEW.with_columns(
        pl.when(pl.int_range(pl.len()) % 2 == 0).then("label:calm").otherwise(0).alias("label:calm")
    )
    found = fit(half.with_columns(pl.col("label:calm").cast(pl.UInt8)), TASK)
    assert found.scores.filter(criterion="calm", metric="accuracy")["n"].to_list() == [30, 30, 30]
    assert "A" in set(found.predict(NEW)["calm_preference"])


def test_one_instruction_gives_a_model_without_scores():
    found = fit(GOLD.head(5), TASK)
    assert found.scores["value"].null_count() == len(found.scores)
    assert set(found.scores["reason"]) == {"fewer than two instructions: nothing can be held out"}
    assert "quality: only 5 labelled items of 1 instructions to learn from" in found.notes
    assert len(found.predict(NEW)) == len(NEW)


@pytest.mark.parametrize("size", [1, 2, 6])
def test_few_items_train_without_a_complaint_of_another_library(size):
    fit(GOLD.gather_every(4).head(size), ONE).predict(NEW.head(2))


# --- cross-validation ---


def held_out_on(gold, task=TASK):
    return held_out(
        pair_features(gold),
        gold.select(task.label_columns).to_numpy().T,
        instruction_groups(gold),
        gold,
        task,
        0,
        nullcontext,
    )


def test_scores_are_those_of_scikit_learn_on_held_out_predictions(model):
    from sklearn.metrics import accuracy_score, balanced_accuracy_score

    group = held_out_on(GOLD)
    table, _ = tables_of(group)
    assert table.equals(model.scores)
    for name, labels in zip(group.names, group.labels, strict=True):
        for place, criterion in enumerate(TASK.criteria):
            pair = group.gold[place], labels[place]
            assert scores_of(table, name, "accuracy", criterion) == pytest.approx(accuracy_score(*pair), abs=1e-12)
            expected = balanced_accuracy_score(*pair)
            assert scores_of(table, name, "balanced_accuracy", criterion) == pytest.approx(expected, abs=1e-12)


def test_differences_are_those_of_the_scores(model):
    for row in model.differences.iter_rows(named=True):
        first, second = (
            scores_of(model.scores, row[one], row["metric"], row["criterion"]) for one in ("first", "second")
        )
        assert row["value"] == pytest.approx(second - first, abs=1e-12)
        assert row["low"] <= row["value"] <= row["high"]
    assert set(model.differences["first"]) == {"majority", "longer"}


def test_what_is_held_out_has_no_say_in_what_is_predicted_of_it():
    fold = grouped_folds(instruction_groups(FEW), FOLDS)
    outside = pl.Series(fold == 2)
    # Other labels, and texts of another size, wherever the fold is held out.
    changed = FEW.with_columns(
        pl.when(outside)
        .then(1 + pl.col("label:quality") % 4)
        .otherwise("label:quality")
        .cast(pl.UInt8)
        .alias("label:quality")
    )
    held = np.flatnonzero(fold == 2)
    group = held_out_on(FEW, ONE)
    assert np.array_equal(group.labels[..., held], held_out_on(changed, ONE).labels[..., held])
    longer = FEW.with_columns(
        pl.when(outside & pl.int_range(pl.len()).is_in([int(held[0])]))
        .then(pl.lit("word " * 9999))
        .otherwise("output_a")
        .alias("output_a")
    )
    others = held[1:]
    assert np.array_equal(group.labels[0][:, others], held_out_on(longer, ONE).labels[0][:, others])


def test_items_that_repeat_an_instruction_do_not_leak():
    """Each instruction has one pair five times and a label at random: known elsewhere, it would be told each time."""
    one = made_items(40, each=1)
    draw = np.random.default_rng(0).integers(1, 4, size=40)
    many = pl.concat([one.with_columns(pl.Series("label:quality", draw, dtype=pl.UInt8))] * 5)
    group = held_out_on(many, ONE)
    assert (group.labels[0, 0] == group.gold[0]).mean() < 0.5


# --- explanations ---


def test_explanations_name_what_was_measured_in_the_items_own_responses():
    texts = {"instruction": "Say it.", "output_a": "red " * 17 + "!", "output_b": "red blue tree"}
    item = NEW.head(1).with_columns(**{name: pl.lit(text) for name, text in texts.items()})
    found = fit(GOLD, TASK, objective="balanced_accuracy").predict(item)
    assert found["quality_preference"].item() == "A"
    assert "more words (17, not 3)" in found["quality_explanation"].item()
    assert found["calm_preference"].item() == "B"
    assert "fewer exclamation marks (0, not 1)" in found["calm_explanation"].item()


def test_no_explanation_is_copied_from_a_labelled_item(model):
    for items in (GOLD, NEW):
        assert not set(model.predict(items)["quality_explanation"]) & set(GOLD["why:quality"])


def test_without_explanations_there_are_none_to_give():
    bare = fit(FEW.drop(TASK.why_columns), ONE)
    assert bare.predict(NEW).columns == ["id", "quality_preference"]
    silent = fit(FEW.with_columns(pl.lit(None, pl.String).alias("why:quality")), ONE)
    assert not silent.explained


# --- what predicts a criterion ---


@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy"])
def test_where_labels_have_nothing_to_do_with_the_texts_the_most_frequent_one_is_predicted(objective):
    draw = np.random.default_rng(0).choice([1, 1, 1, 2, 3], size=len(GOLD))
    gold = GOLD.with_columns(pl.Series("label:quality", draw, dtype=pl.UInt8))
    found = fit(gold, ONE, objective=objective)
    assert found.used == ("majority",)
    assert set(found.predict(NEW)["quality_preference"]) == {"A"}
    assert set(found.predict(NEW)["quality_explanation"].str.contains("by the rule majority: A has")) == {True}
    assert any(note.startswith("quality: neither the longer response nor the classifier beats") for note in found.notes)


def test_where_people_prefer_the_longer_response_no_classifier_is_used():
    lengths = GOLD["output_a"].str.len_chars(), GOLD["output_b"].str.len_chars()
    longer = np.select([lengths[0] > lengths[1], lengths[1] > lengths[0]], [1, 2], 3)
    found = fit(GOLD.with_columns(pl.Series("label:quality", longer, dtype=pl.UInt8)), ONE)
    assert found.used == ("longer",)
    said = pl.DataFrame({"id": ["1", "2"], "instruction": "?", "output_a": ["abc", None], "output_b": ["ab", "c"]})
    assert found.predict(said)["quality_preference"].to_list() == ["A", "B"]
    assert found.predict(said)["quality_explanation"][0] == "A by the rule longer: A has 3 characters, B 2."


@pytest.mark.parametrize(("right", "used"), [(28, "longer"), (25, "majority")])
def test_what_is_better_by_more_than_a_standard_error_is_used(right, used):
    # Of 100 items, half of them A, the majority gets the A right; longer 30 of these, and some of the B. With 28 the gain is .08,
    # and its standard error sqrt(20 + 28 - .64) / 100 = .069; with 25 it is .05 and .067. Neither interval leaves out 0.
    gold = np.array([[1] * 50 + [2] * 50], np.uint8)
    longer = np.array([[1] * 30 + [2] * 20 + [2] * right + [1] * (50 - right)], np.uint8)
    said = {"fitted": np.ones_like(gold), "majority": np.ones_like(gold), "longer": longer}
    group = Group({}, ONE, gold, tuple(said), np.stack([*said.values()]), {}, np.arange(100), 0.95, submitted=1)
    assert used_of(group, "accuracy") == (used,)


def test_for_balanced_accuracy_a_rare_label_counts_as_much():
    rare = pl.concat([GOLD.filter(pl.col("label:quality") != 4), GOLD.filter(pl.col("label:quality") == 4).head(8)])
    share = {}
    for objective in ("accuracy", "balanced_accuracy"):
        found = fit(rare, ONE, objective=objective)
        assert found.used == ("fitted",)
        share[objective] = (found.predict(NEW)["quality_preference"] == "both_bad").sum()
    assert share["balanced_accuracy"] > share["accuracy"]


# --- embeddings ---


def test_sentence_embeddings_add_features_and_are_asked_of_the_named_model(monkeypatch, tmp_path):
    asked = []

    def embed(texts, *, model):
        asked.append(model)
        angle = texts.str.len_bytes().to_numpy().astype(float)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)

    monkeypatch.setattr(embeddings, "embed", embed)
    found = fit(GOLD.head(25), ONE, embedding_model="some-encoder")
    assert {"cosine", "cosine a-b", "cosine a+b"} <= set(found.feature_names)
    save(found, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert again.predict(NEW).equals(found.predict(NEW))
    assert again.embedding_model == "some-encoder"
    assert set(asked) == {"some-encoder"}
    GOLD.write_ndjson(tmp_path / "items.jsonl")
    with pytest.raises(OptionError, match=r"was trained with the sentence encoder some-encoder.* embedding_model"):
        karat.predict_preferences(tmp_path / "items.jsonl", model=tmp_path / "model.skops", output=tmp_path / "out.tsv")
    assert set(asked) == {"some-encoder"}


# --- inputs that cannot be used ---


def test_inputs_that_cannot_be_learnt_from_say_so(model):
    with pytest.raises(DataError, match="got none of calm"):
        fit(GOLD.with_columns(pl.lit(0, pl.UInt8).alias("label:calm")), TASK)
    with pytest.raises(DataError, match="output_b not there"):
        fit(GOLD.drop("output_b"), TASK)
    with pytest.raises(DataError, match="label:calm not there"):
        fit(GOLD.drop("label:calm"), TASK)
    with pytest.raises(DataError, match="got none to learn from"):
        fit(GOLD.with_columns(output_a=pl.lit(None, pl.String), output_b=pl.lit(None, pl.String)), TASK)
    with pytest.raises(DataError, match="got none"):
        fit(GOLD.head(0), TASK)
    with pytest.raises(DataError, match="id not there"):
        model.predict(NEW.drop("id"))
    with pytest.raises(OptionError, match="seed"):
        fit(GOLD, TASK, seed=-1)


@pytest.mark.parametrize(("package", "use"), [("sklearn", lambda _: fit(GOLD, TASK)), ("skops.io", load)])
def test_a_missing_package_is_named_with_what_installs_it(monkeypatch, path, package, use):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingError, match=r'pip install "karat\[fit\]"'):
        use(path)


# --- files ---


def test_a_model_that_was_saved_predicts_the_same_to_the_last_bit(model, path):
    again = load(path)
    assert again.predict(NEW).equals(model.predict(NEW))
    for criterion, found in probabilities(model, NEW).items():
        assert np.array_equal(probabilities(again, NEW)[criterion], found)
    assert again.scores.equals(model.scores)
    assert again.differences.equals(model.differences)
    kept = ("task", "feature_names", "embedding_model", "used", "most", "explained", "notes", "version")
    assert [getattr(again, name) for name in kept] == [getattr(model, name) for name in kept]


def test_a_saved_model_holds_no_type_that_skops_does_not_trust_by_itself(path):
    import skops.io

    assert skops.io.get_untrusted_types(file=path) == []


class Foreign:
    """What a file could make a reader build."""

    def __init__(self):
        self.value = 1


def document(path):
    import skops.io

    return skops.io.load(path, trusted=[])


def test_a_file_with_another_type_is_refused_and_names_it(tmp_path):
    import skops.io

    skops.io.dump({"kind": storage.KIND, "scores": Foreign()}, tmp_path / "other.skops")
    with pytest.raises(DataError, match=r"nothing in it was run .*Foreign"):
        load(tmp_path / "other.skops")


def test_a_file_that_is_no_model_is_an_error_that_says_so(tmp_path):
    import skops.io

    place = tmp_path / "model.skops"
    with pytest.raises(DataError, match="cannot be read"):
        load(place)
    for content in (b"", b"id\tquality_preference\n", b"PK\x05\x06" + bytes(18)):
        place.write_bytes(content)
        with pytest.raises(DataError, match="a model that Karat saved"):
            load(place)
    skops.io.dump([1, 2, 3], place)
    with pytest.raises(DataError, match="a model that Karat saved"):
        load(place)


@pytest.mark.parametrize(
    "damage",
    [
        {"balance": None},
        {"scaler": np.zeros((2, 2, 62))},
        {"coefficients": np.full((2, 3, 2), 1.0)},
        {"intercepts": np.full((2, 4), np.nan)},
        {"factor": np.zeros(2)},
        {"factor": "1"},
        {"shares": np.zeros((2, 4))},
        {"said": "{"},
        {"said": "{}"},
        {"kind": "another"},
    ],
)
def test_a_model_whose_parts_do_not_fit_is_refused(path, damage):
    import skops.io

    skops.io.dump({**document(path), **damage}, path)
    with pytest.raises(DataError, match="a model that Karat saved"):
        load(path)


@pytest.mark.parametrize(
    "damage",
    [
        {"task": {"criteria": ["quality"]}},
        {"task": {"labels": 4}},
        {"version": None},
        {"embedding_model": 3},
        {"used": ["fitted"]},
        {"used": ["fitted", "nearest"]},
        {"most": [1, 9]},
        {"feature_names": ["words a-b"]},
        {"scores": [{}]},
    ],
)
def test_a_model_whose_texts_do_not_fit_is_refused(path, damage):
    import skops.io

    found = document(path)
    skops.io.dump({**found, "said": json.dumps({**json.loads(found["said"]), **damage})}, path)
    with pytest.raises(DataError, match="a model that Karat saved"):
        load(path)


def test_a_model_of_other_features_asks_to_be_trained_anew(monkeypatch, path):
    monkeypatch.setattr(storage, "_known_features", lambda _: ("words a-b",))
    with pytest.raises(DataError, match="Train it again"):
        load(path)


def test_damaged_bytes_never_end_in_another_error(model, path):
    content = path.read_bytes()
    cuts = [0, 1, len(content) // 3, len(content) // 2, len(content) - 30]
    for start, stop in pairwise(cuts):
        path.write_bytes(content[:start] + content[stop:])
        with pytest.raises(DataError):
            load(path)
    draw = np.random.default_rng(0)
    for place in draw.integers(len(content), size=40):
        path.write_bytes(content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :])
        try:
            again = load(path)
        except DataError:
            continue
        assert again.predict(NEW.head(5)).equals(model.predict(NEW.head(5)))  # what the byte said is read by nobody


def test_a_model_that_cannot_be_written_leaves_what_was_there(model, tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="cannot be written"):
        write_whole(tmp_path / "nowhere" / "model.skops", partial(save, model))
    (tmp_path / "model.skops").write_bytes(b"before")

    def full(_, content):
        raise OSError(28, f"no space for {len(content)} bytes")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match="no space"):
        write_whole(tmp_path / "model.skops", partial(save, model))
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"before"]
