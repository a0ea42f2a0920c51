"""Sentence embeddings: texts as vectors whose angles say how close they are in meaning."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from adjudge.errors import OptionError
from adjudge.text.local_models import extra, loading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

_ENCODED_AT_ONCE = 64


def embed(texts: list[str], *, model: str) -> "NDArray[np.float32]":
    """Vectors of unit length, one for each text; the product of two is the cosine of the angle between them.

    texts: one or more, each once; encoded in order of length, on the GPU if torch sees one. model: a local folder, of
    which nothing but local files is read, or the name of a model that sentence-transformers fetches. A model of
    transformers that says nothing of pooling gets the mean of its last layer. Code that comes with a model is not run.

    Returns an array texts x dimensions, float32. Edge: a text of no token gets what the model makes of its special
    tokens; one longer than the model takes is cut.
    Raises OptionError where the model cannot be loaded or gives vectors that are no numbers, MissingError where
    sentence-transformers is not installed.

    Source: Reimers and Gurevych 2019, "Sentence-BERT", https://doi.org/10.18653/v1/D19-1410.
    """
    return embedder(model)(texts)


def embedder(model: str) -> Callable[[list[str]], "NDArray[np.float32]"]:
    """`embed` with a model that is loaded now and used by all later calls."""
    return partial(_encode, _load(model), model)


def _encode(encoder: "SentenceTransformer", model: str, texts: list[str]) -> "NDArray[np.float32]":
    import numpy as np

    # Sorted, or which texts share a batch would depend on the order of the rows.
    order = sorted(range(len(texts)), key=texts.__getitem__)
    encoded = encoder.encode(
        [texts[place] for place in order],
        batch_size=_ENCODED_AT_ONCE,
        show_progress_bar=False,
        normalize_embeddings=True,
    )
    if not np.isfinite(encoded).all():
        raise OptionError(f'model "{model}": gives vectors that are no numbers')
    vectors = np.empty(encoded.shape, np.float32)
    vectors[order] = encoded
    return vectors


def _load(model: str) -> "SentenceTransformer":
    with extra("embeddings", "Embedding"):
        import torch
        from sentence_transformers import SentenceTransformer

    with loading(model) as folder:
        return SentenceTransformer(
            model,
            device="cuda" if torch.cuda.is_available() else "cpu",
            local_files_only=folder,
            trust_remote_code=False,
            model_kwargs={"dtype": torch.float32},
        )
