"""Embeddings: unit vectors, one for each text, as sentence-transformers and a mean worked out in the test give them."""

import numpy as np
import pytest

from adjudge.errors import OptionError
from adjudge.text import similarity as module
from adjudge.text.similarity import embed
from made_models import edit, make_model

pytestmark = pytest.mark.models

TEXTS = [
    "the cat sat on the mat.",
    "",
    "Über 漢字 😀",
    "the",
    "x" * 300,
    "the cat sat on the mat. " * 9,
    "not the dog!",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of sentence-transformers with mean pooling."""

    import sentence_transformers

    base = tmp_path_factory.mktemp("models")
    transformer = sentence_transformers.sentence_transformer.modules.Transformer(str(make_model(base / "bert")))
    pooling = sentence_transformers.sentence_transformer.modules.Pooling(
        transformer.get_embedding_dimension(), pooling_mode="mean"
    )
    sentence_transformers.SentenceTransformer(modules=[transformer, pooling], device="cpu").save(
        str(base / "sentences")
    )
    return str(base / "sentences")


def pooled(model, texts):
    """The mean of the vectors of all of a text's tokens, divided by its length."""

    import torch
    import transformers

    tokenizer, encoder = (
        transformers.AutoTokenizer.from_pretrained(model),
        transformers.AutoModel.from_pretrained(model).eval(),
    )
    rows = []
    for text in texts:
        with torch.no_grad():
            mean = encoder(**tokenizer(text, return_tensors="pt", truncation=True))[0][0].mean(0)
        rows.append((mean / mean.norm()).numpy())
    return np.stack(rows)


def test_a_vector_is_the_mean_of_the_tokens_at_unit_length(folder):
    found = embed(folder, TEXTS)
    assert (found.dtype, found.shape) == (np.float32, (len(TEXTS), 32))
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(found, pooled(folder, TEXTS), atol=1e-6)


def test_a_model_of_transformers_gets_mean_pooling(tmp_path, folder):
    plain = embed(str(make_model(tmp_path)), TEXTS)
    np.testing.assert_allclose(plain, embed(folder, TEXTS), atol=1e-6)


@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_vectors_do_not_depend_on_batches_and_order(folder, batch_size, monkeypatch):
    import sentence_transformers

    expected = sentence_transformers.SentenceTransformer(folder, device="cpu").encode(TEXTS, normalize_embeddings=True)
    monkeypatch.setattr(module, "_ENCODED_AT_ONCE", batch_size)
    order = [3, 0, 6, 5, 1, 4, 2]
    np.testing.assert_allclose(embed(folder, [TEXTS[place] for place in order]), expected[order], atol=1e-6)


def test_code_that_comes_with_a_model_is_not_run(tmp_path):
    make_model(tmp_path)
    (tmp_path / "modules.json").write_text('[{"idx": 0, "name": "0", "path": "", "type": "own.Module"}]')
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Module: pass\n")
    with pytest.raises(OptionError, match="tried it as the folder"):
        embed(str(tmp_path), ["a"])
    (tmp_path / "modules.json").unlink()
    edit(tmp_path / "config.json", model_type="own", auto_map={"AutoConfig": "own.Module"})
    with pytest.raises(OptionError, match="tried it as the folder"):
        embed(str(tmp_path), ["a"])
    assert not (tmp_path / "ran").exists()
