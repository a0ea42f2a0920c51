"""Features of pairs: counted by hand, opposite or equal after a swap to the last bit, the same in every batch."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.evaluations.preferences.predictors.classifier import grouped_folds, instruction_groups
from karat.evaluations.preferences.predictors.features import pair_features, swapped
from made_preferences import made_items, swapped_items

TEXT = st.one_of(
    st.none(),
    st.sampled_from(
        ["", " ", "Yes.", "yes", "A cat sat on the mat. A cat sat!", "I can't help with that", "**x** 😀\n- 1"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
ITEMS = st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4).map(
    lambda rows: pl.DataFrame(
        rows, schema=dict.fromkeys(["instruction", "output_a", "output_b"], pl.String), orient="row"
    )
)


def features(instruction, a, b):
    found = pair_features(pl.DataFrame({"instruction": [instruction], "output_a": [a], "output_b": [b]}))
    return dict(zip(found.names, found.values[0].tolist(), strict=True))


def test_features_of_a_response_are_as_counted_by_hand():
    found = features("Name the big cat", "The cat! The cat is\n7 big", "")
    expected = {
        "characters": math.log1p(25),
        "words": math.log1p(7),
        "sentences": math.log1p(1),
        "lines": math.log1p(1),
        "more_exclamation_marks": math.log1p(1),
        "more_numbers": math.log1p(1),
        "more_apology": 0.0,
        "word_length": 18 / 7,
        "distinct_words": 5 / 7,  # the, cat, is, 7, big
        "distinct_pairs": 5 / 6,  # the cat, cat the, the cat, cat is, is 7, 7 big
        "beyond_ascii": 0.0,
        "digits": 1 / 25,
        "capitals": 2 / 25,
        "finished": 0.0,
        "capitalised": 1.0,
        "empty": 0.0,
        "from_instruction": 3 / 5,
        "of_instruction": 3 / 4,
        "pairs_from_instruction": 0.0,
        "length_ratio": math.log1p(7) - math.log1p(4),
        "other_language": 0.0,
    }
    both = {name: (found[f"{name} a-b"] + found[f"{name} a+b"]) / 2 for name in expected}
    assert both == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("instruction", "response", "other"),
    [
        ("What is the name of the river?", "Der Fluss ist nicht groß und heißt Elbe.", 1),
        ("Wie heißt der Fluss und wo ist er?", "Der Fluss ist nicht groß und heißt Elbe.", 0),
        ("What is the name of the river?", "Эльба", 1),
        ("What is the name of the river?", "Elbe", 0),
        ("River?", "Der Fluss ist nicht groß und heißt Elbe.", 0),
    ],
)
def test_a_response_in_another_language_is_told_where_both_are_known(instruction, response, other):
    assert features(instruction, response, "")["other_language a-b"] == other


def test_adjoining_words_that_the_instruction_has_are_a_share_of_distinct_ones():
    found = features("say the big cat", "the big cat, the big dog", "")
    # of the response's distinct pairs (the big, big cat, cat the, big dog) two are asked
    assert found["pairs_from_instruction a-b"] == 2 / 4


def test_pairs_are_alike_as_counted_by_hand():
    found = features("one two", "red green blue", "Blue red! Red")
    assert found["jaccard"] == 2 / 3
    assert found["same"] == 0
    assert found["instruction_words"] == pytest.approx(math.log1p(2))
    assert found["characters |a-b|"] == pytest.approx(math.log1p(14) - math.log1p(13))
    assert found["words a-b"] == 0
    assert found["words a+b"] == pytest.approx(2 * math.log1p(3))


def test_an_empty_response_has_finite_features_and_equals_a_missing_one():
    assert features("Ask", "", "x") == features("Ask", None, "x")
    assert features(None, "", "") == features("", None, None)
    assert features("Ask", "", "")["same"] == 1
    assert features("Ask", "", "")["jaccard"] == 1


def test_no_rows_have_the_same_features():
    none = made_items(1).head(0)
    assert pair_features(none).names == pair_features(made_items(1)).names
    assert pair_features(none, lambda texts: np.zeros((len(texts), 3))).values.shape[0] == 0


@given(ITEMS)
def test_a_swap_negates_odd_features_and_leaves_even_ones_to_the_last_bit(items):
    found, other = pair_features(items), pair_features(swapped_items(items))
    assert np.isfinite(found.values).all()
    assert np.array_equal(other.values, swapped(found.values, found.odd))


@given(ITEMS)
def test_features_do_not_depend_on_the_batch(items):
    whole = pair_features(items).values
    for number in range(len(items)):
        assert np.array_equal(pair_features(items[number]).values[0], whole[number])


def test_each_distinct_text_is_embedded_once_and_cosines_are_products():
    asked = []

    def embed(texts):
        asked.extend(texts.to_list())
        angle = texts.str.len_chars().to_numpy() / 10
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)

    frame = pl.DataFrame({"instruction": ["abc", "abc"], "output_a": ["a", "abc"], "output_b": ["abcdef", "a"]})
    found = pair_features(frame, embed)
    assert sorted(asked) == ["a", "abc", "abcdef"]
    values = dict(zip(found.names, found.values.T, strict=True))
    assert np.allclose(values["cosine"], [np.cos(0.5), np.cos(0.2)], atol=1e-5)
    assert np.allclose(values["cosine a-b"], [np.cos(0.2) - np.cos(0.3), 1 - np.cos(0.2)], atol=2e-5)
    other = pair_features(swapped_items(frame), embed)
    assert np.array_equal(other.values, swapped(found.values, found.odd))


def test_items_of_one_instruction_are_one_group_whatever_its_case_and_spaces():
    frame = pl.DataFrame(
        {
            "instruction": ["Add up\n1 2", "add  up 1 2 ", "Add up\n1 3", None, " ", "", None],
            "output_a": ["x", "y", "x", "p", "q", "p", None],
            "output_b": ["y", "z", "y", "q", "p", "p", None],
        }
    )
    a, b, c, d, e, f, g = instruction_groups(frame).tolist()
    assert a == b
    assert d == e
    assert len({a, c, d, f, g}) == 5
    assert instruction_groups(frame.reverse()).tolist() == [g, f, e, d, c, b, a]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 6), st.integers(0, 3))
def test_folds_part_no_group_and_are_about_as_large_as_each_other(groups, folds, seed):
    groups = np.array(groups)
    fold = grouped_folds(groups, folds, seed=seed)
    assert all(len(set(fold[groups == group])) == 1 for group in groups)
    sizes = np.bincount(fold, minlength=folds)
    assert sizes.max() - sizes.min() <= np.bincount(groups).max()
    assert np.array_equal(fold, grouped_folds(groups, folds, seed=seed))
