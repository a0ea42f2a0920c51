"""Similarity of texts: figures worked by hand, and what holds for any texts."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import OptionError
from adjudge.text import similarity as module
from adjudge.text.similarity import similarity

TEXTS = ["the cat sat on the mat.", "the dog ran", "not the dog!", "", "...", "Über 漢字", "unused", "x" * 300]
PAIRS = [(0, 1), (1, 2), (2, 1), (3, 0), (3, 3), (4, 4), (0, 4), (5, 0), (5, 5), (1, 2), (7, 1)]


def of_pairs(measure, texts, pairs):
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    found = measure(texts, first, second)
    assert (found.dtype, found.shape) == (np.float64, (len(pairs),))
    return found


def jaccard(one, other):
    """The figure of two texts, and the same the other way round."""
    found = of_pairs(similarity("jaccard"), [one, other], [(0, 1), (1, 0)])
    assert found[0] == found[1]
    return float(found[0])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The cat sat.", "the cat", 2 / 3),
        ("a a a b", "a b b", 1),
        ("don't", "don t", 1),
        ("snake_case", "snake case", 0),
        ("", "", 0),
        ("?!", "?!", 0),
        ("👍", "👍", 0),
        ("STRASSE", "straße", 0),
        ("ΣΑΣ", "σας", 1),
        # One word each, which Python's \w would cut at the vowel signs, so that "हिन्दी" and "हन्द" would be alike.
        ("हिन्दी", "हन्द", 0),
        ("cafe\u0301", "café", 0),
        ("漢字 かな", "漢字", 1 / 2),
    ],
)
def test_jaccard_is_the_share_of_words_in_both_among_those_in_either(one, other, expected):
    assert jaccard(one, other) == expected


ascii_texts = st.lists(
    st.text(alphabet="aAbB_1 .", max_size=12) | st.text(st.characters(max_codepoint=127)), min_size=1, unique=True
)


def literal(one, other):
    """Jaccard as its definition reads."""
    left, right = (set(re.findall(r"\w+", text.lower())) for text in (one, other))
    return len(left & right) / len(left | right) if left | right else 0.0


@given(ascii_texts, st.data())
def test_jaccard_of_ascii_is_what_the_definition_says_however_pairs_are_parted(texts, data):
    places = st.integers(0, len(texts) - 1)
    pairs = data.draw(st.lists(st.tuples(places, places)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PAIRS_AT_ONCE", data.draw(st.integers(1, 40)))
        found = of_pairs(similarity("jaccard"), texts, pairs)
    assert found.tolist() == [literal(texts[one], texts[other]) for one, other in pairs]


@given(st.lists(st.text(), min_size=1, unique=True), st.data())
def test_jaccard_of_any_texts_is_symmetric_and_in_range(texts, data):
    places = st.integers(0, len(texts) - 1)
    pairs = data.draw(st.lists(st.tuples(places, places)))
    found = of_pairs(similarity("jaccard"), texts, pairs)
    assert ((found >= 0) & (found <= 1)).all()
    assert found.tolist() == of_pairs(similarity("jaccard"), texts, [(other, one) for one, other in pairs]).tolist()
    assert all(found[place] in {0, 1} for place, (one, other) in enumerate(pairs) if one == other)


@pytest.mark.parametrize("at_once", [1, 3, 1 << 13])
def test_cosines_are_those_of_the_vectors_and_never_negative(at_once, monkeypatch):
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", at_once)
    vectors = {"a": [1, 0], "b": [0.6, 0.8], "c": [-0.8, 0.6], "zero": [0, 0]}
    asked = []

    def embedding(texts):
        asked.append(texts)
        return np.array([vectors[text] for text in texts], np.float32)

    texts = ["", "c", "unused", "a", "b", "!", "zero"]
    pairs = [(3, 4), (4, 3), (3, 1), (4, 1), (4, 4), (0, 3), (5, 5), (6, 3), (6, 6), (3, 4)]
    found = of_pairs(partial(module._cosines, embedding), texts, pairs)
    np.testing.assert_allclose(found, [0.6, 0.6, 0, 0, 1, 0, 0, 0, 0, 0.6], atol=1e-7)
    assert asked == [["c", "a", "b", "zero"]]


class Encoder:
    """Stands for a model of sentence-transformers, which takes seconds to import and is tried in test_embeddings."""

    VECTORS = np.random.default_rng(0).normal(size=(len(TEXTS), 3)).astype(np.float32)

    def encode(self, texts, *, normalize_embeddings, **_):
        assert normalize_embeddings
        found = self.VECTORS[[TEXTS.index(text) for text in texts]]
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_sentence_transformers_give_the_cosines_of_embeddings(monkeypatch):
    loaded = []
    monkeypatch.setattr(module, "_load", lambda model: loaded.append(model) or Encoder())
    vectors = Encoder().encode(TEXTS, normalize_embeddings=True).astype(float)
    worded = {0, 1, 2, 5, 7}
    expected = [max(0, vectors[one] @ vectors[other]) if {one, other} <= worded else 0 for one, other in PAIRS]
    found = of_pairs(similarity("sentence-transformers:some/model"), TEXTS, PAIRS)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert len(set(found.round(3))) > 3
    assert loaded == ["some/model"]


@pytest.mark.parametrize("pairs", [[], [(3, 0), (4, 4)]])
def test_nothing_is_loaded_where_no_pair_has_words(pairs, monkeypatch):
    monkeypatch.setattr(module, "_load", None)
    assert of_pairs(similarity("sentence-transformers:some/model"), TEXTS, pairs).tolist() == [0.0] * len(pairs)


def test_a_server_is_asked_for_what_is_needed_at_the_address_of_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://environment/v1/")
    asked = []

    def embed_by_server(texts, *, model, base_url):
        asked.append((texts, model, base_url))
        return np.full((len(texts), 1), 1, np.float32)

    monkeypatch.setattr(module, "embed_by_server", embed_by_server)
    assert of_pairs(similarity("openai:m:1"), TEXTS, [(0, 1), (3, 2)]).tolist() == [1, 0]
    assert asked == [(TEXTS[:2], "m:1", "http://environment/v1")]


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("jacard", r"\nfix:   similarity jaccard"),
        ("sentence-transformer:m", r"\nfix:   similarity sentence-transformers:MODEL"),
        ("open-ai:m", r"\nfix:   similarity openai:MODEL"),
        *((spec, "") for spec in ("", ":", "xyz", "jaccard:m", "jaccard:", "openai", "openai:", "openai: ")),
        *((spec, "") for spec in ("sentence-transformers", "sentence-transformers:")),
    ],
)
def test_an_unknown_spec_is_refused(spec, hint):
    known = "jaccard, sentence-transformers:MODEL, openai:MODEL"
    with pytest.raises(OptionError, match=rf'^similarity: expected one of {known}; got "{spec}"{hint}(\nfix: .*)?$'):
        similarity(spec)


def test_addresses_and_folders_are_checked_before_anything_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "file:///etc")
    with pytest.raises(OptionError, match="server: expected an address of http or https"):
        similarity("openai:m")
    with pytest.raises(OptionError, match="there is no such folder"):
        similarity(f"sentence-transformers:{tmp_path / 'none'}")
