"""Sentence embeddings: texts as vectors whose angles say how close they are in meaning."""

from typing import TYPE_CHECKING

from karat.errors import DataError, OptionError
from karat.text.models import check_batch_size, extra, loading

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from sentence_transformers import SentenceTransformer


def embed(texts: "pl.Series", *, model: str, batch_size: int = 64) -> "np.ndarray":
    """Vectors of unit length, one for each text; the product of two is the cosine of the angle between them.

    texts: no nulls. model: a local folder, of which nothing but local files is read, or the name of a model that
    sentence-transformers fetches. A model of transformers that says nothing of pooling gets the mean of its last
    layer. Code that comes with a model is not run. batch_size: how many texts are encoded at once; each distinct
    text is encoded once, in order of length, on the GPU if torch sees one.

    Returns an array texts x dimensions, float32. Edge: a text of no token gets what the model makes of its special
    tokens; one longer than the model takes is cut.
    Raises DataError where a text is null, OptionError where the model cannot be loaded or gives vectors that are
    no numbers, or batch_size is below 1, MissingError where sentence-transformers is not installed.

    Source: Reimers and Gurevych 2019, "Sentence-BERT", https://doi.org/10.18653/v1/D19-1410.
    """
    import numpy as np
    import polars as pl

    check_batch_size(batch_size)
    if texts.null_count():
        raise DataError(f"texts: expected no missing text; got {texts.null_count():,} among {len(texts):,}")
    encoder = _load(model)
    # Sorted, or which texts share a batch would depend on the order of the rows.
    rows = pl.DataFrame({"text": texts.cast(pl.String)})
    distinct = rows.unique().sort("text").with_row_index("place")
    vectors = _encoded(encoder, distinct["text"].to_list(), batch_size)
    if not np.isfinite(vectors).all():
        raise OptionError(f'model "{model}": gives vectors that are no numbers')
    places = rows.join(distinct, on="text", how="left", maintain_order="left")["place"]
    return vectors.take(places.to_numpy(), axis=0)


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


def _encoded(encoder: "SentenceTransformer", texts: list[str], batch_size: int) -> "np.ndarray":
    import numpy as np

    if not texts:
        return np.empty((0, encoder.get_embedding_dimension() or 0), np.float32)
    found = encoder.encode(texts, batch_size=batch_size, show_progress_bar=False, normalize_embeddings=True)
    return np.asarray(found, np.float32)
