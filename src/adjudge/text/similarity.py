"""Similarity of two texts, from 0 to 1: by shared words, or by the cosine of their embeddings."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from adjudge.errors import MissingError, OptionError, closest
from adjudge.text.local_models import extra, is_folder, loading

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
    from sentence_transformers import SentenceTransformer

_ENCODED_AT_ONCE = 64


def embed(model: str, texts: list[str]) -> "NDArray[np.float32]":
    """Vectors of unit length, one for each text; the product of two is the cosine of the angle between them.

    texts: one or more distinct ones; encoded in order of length, on the GPU if torch sees one. model: a local folder,
    read without network access, or the name of a model that sentence-transformers downloads. A
    transformers model without pooling gets the mean of its last layer. Code that comes with a model is not run.

    Returns an array texts x dimensions, float32. Edge: a text without tokens gets the vector of the model's special
    tokens; texts longer than the model allows are cut.
    Raises OptionError if the model cannot be loaded or gives vectors that are no numbers, MissingError if
    sentence-transformers is not installed.

    Source: Reimers and Gurevych 2019, "Sentence-BERT", https://doi.org/10.18653/v1/D19-1410.
    """
    return embedder(model)(texts)


def embedder(model: str) -> Callable[[list[str]], "NDArray[np.float32]"]:
    """`embed` with a model that is loaded now and used by all later calls."""
    return partial(_encode, _load(model), model)


def _encode(encoder: "SentenceTransformer", model: str, texts: list[str]) -> "NDArray[np.float32]":
    import numpy as np

    # Sorted, or batches would depend on the order of the rows.
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


KINDS = {"jaccard": "jaccard", "sentence-transformers": "sentence-transformers:MODEL", "openai": "openai:MODEL"}
"""The prefixes of specs, and their forms."""

_WORD = r"\w+"
"""In the regular expressions of polars: letters, marks, decimal digits, connectors such as "_", and joiners."""

_PAIRS_AT_ONCE = 1 << 13
"""Pairs whose words or vectors are in memory at once."""


TextSimilarity = Callable[[list[str], "NDArray[np.int64]", "NDArray[np.int64]"], "NDArray[np.float64]"]
"""Similarities of pairs of texts: from texts, first and second to those of texts[first[k]] and texts[second[k]].

texts: distinct, none missing. first, second: places in texts, of equal lengths; there may be millions: they are
processed in parts, so that memory grows with texts and a few numbers per pair.

Returns an array as long as first, from 0 to 1, symmetric in first and second. Edge: 0 if either
text has no word, even if both are the same; empty without pairs. Raises the errors of the kind of similarity: see
`similarity`.
"""


Embedding = Callable[[list[str]], "NDArray[np.float32]"]
"""From distinct texts to vectors, texts x dimensions, of unit length or zero."""

EmbeddingFunction = Callable[[str, list[str]], "NDArray[np.float32]"]
"""From a local model and distinct texts to vectors, as `Embedding`."""


def similarity(spec: str, *, embedded: EmbeddingFunction = embed, option: str = "similarity") -> TextSimilarity:
    r"""The similarity that a spec names; no model is loaded and no server called before texts are compared.

    spec is one of

    - `jaccard`: |words in both| / |words in either|. The words of a text are the set of runs of `\w` in its lower
      case, both as in polars: letters, combining marks, decimal digits, "_" and joiners. So a word in
      Devanagari, or with accents as separate characters, stays whole (Python's `\w` would cut it), but "é" as
      one character and as two are different words.
    - `sentence-transformers:MODEL`: the cosine of the angle between the two embeddings, 0 if it is negative.
      MODEL is a local folder or the name of a published model, as in `adjudge.text.similarity.embed`.
    - `openai:MODEL`: the same with embeddings of any OpenAI-compatible server, as in
      `embed_by_server`, at the environment's OPENAI_BASE_URL, or else OpenAI's.

    Cosines use float32 vectors, with errors of some 1e-6. Only texts that are in a pair and have a word are embedded,
    each once. Words are those of `jaccard` for every kind: a text of punctuation or emoji has similarity 0.

    embedded: the function that embeds texts by a local model; by default in this process.
    option: the option that gave spec, for errors.

    Raises OptionError if spec is none of these, a model's folder does not exist, or the server has no address of http
    or https. Comparing raises OptionError if a model cannot be loaded, MissingError if
    sentence-transformers or openai is not installed or the server does not answer as expected.

    >>> import numpy as np
    >>> texts = ["The cat sat.", "the cat", "..."]
    >>> similarity("jaccard")(texts, np.array([0, 1, 2]), np.array([1, 1, 2])).round(3).tolist()
    [0.667, 1.0, 0.0]

    Source: Jaccard 1912, "The Distribution of the Flora in the Alpine Zone", https://doi.org/10.1111/j.1469-8137.1912.tb05611.x.
    """
    kind, _, model = spec.partition(":")
    if kind not in KINDS or (spec != kind) != (kind != "jaccard") or (kind != "jaccard" and not model.strip()):
        near = closest(kind, KINDS)
        message = f'expected one of {", ".join(KINDS.values())}; got "{spec}"'
        raise OptionError(message, option=option, fix=near and KINDS[near])
    if kind == "jaccard":
        return _jaccard
    if kind == "sentence-transformers":
        is_folder(model)
        return partial(_cosines, _Remembered(partial(embedded, model)))
    address = checked_address(os.environ.get("OPENAI_BASE_URL") or OPENAI)
    return partial(_cosines, _Remembered(partial(embed_by_server, model=model, base_url=address)))


@dataclass(frozen=True, slots=True)
class _Remembered:
    """An embedding that computes each text once, however often it is requested."""

    embedding: Embedding
    known: "dict[str, NDArray[np.float32]]" = field(default_factory=dict)

    def __call__(self, texts: list[str]) -> "NDArray[np.float32]":
        import numpy as np

        new = [text for text in texts if text not in self.known]
        if new:
            self.known.update(zip(new, self.embedding(new), strict=True))
        return np.stack([self.known[text] for text in texts])


Scorer = Callable[["pl.Series", "pl.Series"], list[float]]
"""From distinct pairs, as predictions and references without nulls, to a score for each."""


def of_distinct_pairs(name: str, predictions: "pl.Series", references: "pl.Series", score: Scorer) -> "pl.Series":
    """A score for each row, as Float64: null if the prediction or the reference is null.

    name: of the returned column. predictions, references: texts, of equal lengths. score: called
    once, or never if no row has both texts.

    >>> import polars as pl
    >>> first, second = pl.Series(["a", "bb", "a", None]), pl.Series(["x", "y", "x", "z"])
    >>> of_distinct_pairs("length", first, second, lambda left, right: [len(text) for text in left]).to_list()
    [1.0, 2.0, 1.0, None]
    """
    import polars as pl

    rows = pl.DataFrame({"prediction": predictions.cast(pl.String), "reference": references.cast(pl.String)})
    distinct = rows.drop_nulls().unique(maintain_order=True)
    scores = score(distinct["prediction"], distinct["reference"]) if len(distinct) else []
    scored = distinct.with_columns(pl.Series("score", scores, pl.Float64))
    return rows.join(scored, on=["prediction", "reference"], how="left", maintain_order="left")["score"].alias(name)


def distinct_texts(*columns: "pl.Series") -> list[str]:
    """Each distinct text of columns without nulls once, in order of first occurrence, column by column."""
    import polars as pl

    return pl.concat([column.alias("text") for column in columns]).unique(maintain_order=True).to_list()


def _jaccard(texts: list[str], first: "NDArray[np.int64]", second: "NDArray[np.int64]") -> "NDArray[np.float64]":
    import numpy as np

    words = _lower(texts).str.extract_all(_WORD).list.unique()
    sizes = words.list.len().to_numpy().astype(np.int64)
    similarities = np.zeros(len(first))
    for start in range(0, len(first), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        left, right = first[part], second[part]
        both = words.gather(left).list.set_intersection(words.gather(right)).list.len().to_numpy().astype(np.int64)
        # 0 / 1 if neither has a word.
        similarities[part] = both / np.maximum(sizes[left] + sizes[right] - both, 1)
    return similarities


def _cosines(
    embedding: Embedding, texts: list[str], first: "NDArray[np.int64]", second: "NDArray[np.int64]"
) -> "NDArray[np.float64]":
    import numpy as np

    worded = _lower(texts).str.contains(_WORD).to_numpy()
    pairs = np.flatnonzero(worded[first] & worded[second])
    cosines = np.zeros(len(first))
    if not len(pairs):
        return cosines
    needed = np.unique([first[pairs], second[pairs]])
    vectors = embedding([texts[place] for place in needed])
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        part = pairs[start : start + _PAIRS_AT_ONCE]
        left, right = (vectors[np.searchsorted(needed, side[part])] for side in (first, second))
        cosines[part] = np.einsum("ij,ij->i", left, right)
    return np.clip(cosines, 0, 1)


def _lower(texts: list[str]) -> "pl.Series":
    import polars as pl

    return pl.Series(texts, dtype=pl.String).str.to_lowercase()


# --- embeddings from an OpenAI-compatible server ---

OPENAI = "https://api.openai.com/v1"
BATCH = 32
"""Texts per request: the default maximum of Text Embeddings Inference."""
TIMEOUT = 60.0
"""Seconds to wait for data from the server."""
TRIES = 4
_SHOWN = 200
"""The most characters of an error in a message."""


def embed_by_server(texts: list[str], *, model: str, base_url: str) -> "NDArray[np.float32]":
    """Vectors of unit length, one for each text, from a server.

    Uses the client of the package openai, BATCH texts at a time. The environment's OPENAI_API_KEY is
    sent as bearer token. A request without connection, without an answer for TIMEOUT seconds, or with the status 408,
    409, 429 or 5xx is tried TRIES times in all, with growing pauses, or the server's (Retry-After). Redirections are
    not followed: they would take texts and key elsewhere.

    texts: one or more distinct ones, not empty strings, for which servers have no vector. model: the
    server's name for it. base_url: a result of `checked_address`.

    Returns an array texts x dimensions, float32. Edge: a vector of zeros stays one.
    Raises MissingError if the package openai is not installed, or the server cannot be reached or does not answer
    as expected, OptionError if OPENAI_API_KEY cannot be sent.

    Source: https://platform.openai.com/docs/api-reference/embeddings.
    """
    import numpy as np

    with extra("models", "The similarity openai"):
        import openai

    key = os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key.isascii() and key.isprintable()):
        raise OptionError("OPENAI_API_KEY: expected printable ASCII characters; got others", fix="set it again")
    headers = {} if key else {"Authorization": openai.omit}
    transport = openai.DefaultHttpxClient(follow_redirects=False)
    rows: list[list[float]] = []
    try:
        with openai.OpenAI(
            api_key=key or "none", base_url=base_url, timeout=TIMEOUT, max_retries=TRIES - 1, http_client=transport
        ) as client:
            for start in range(0, len(texts), BATCH):
                batch = texts[start : start + BATCH]
                answer = client.embeddings.create(
                    model=model, input=batch, encoding_format="float", extra_headers=headers
                )
                found = {row.index: row.embedding for row in answer.data if row.embedding}
                rows += [found[place] for place in range(len(batch))]
        vectors = np.asarray_chkfinite(rows, np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    except Exception as error:  # noqa: BLE001 - a server may answer anything
        reason = "no answer with a vector for each text"
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            reason = f"status {error.status_code}"  # the reply may repeat some of the key
        elif isinstance(error, openai.OpenAIError):
            reason = re.sub(r"\[Errno -?\d+\] ", "", str(error.__cause__ or error)) or type(error).__name__
        printable = "".join(letter if letter.isprintable() else " " for letter in reason.replace(key or "\0", "***"))
        raise MissingError(
            f'{base_url}/embeddings: expected vectors from an OpenAI-compatible server with the model "{model}"',
            found=" ".join(printable.split())[:_SHOWN],
            fix="the address of such a server as OPENAI_BASE_URL, its model, and its key as OPENAI_API_KEY",
        ) from None
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def checked_address(base_url: str) -> str:
    """An address without the "/" at its end.

    Raises OptionError if it is not http or https, or has more than host, port and path; the message does
    not repeat it, since it may contain a password.

    >>> checked_address("http://localhost:8000/v1/")
    'http://localhost:8000/v1'
    """
    try:
        parts = urlsplit(base_url)
        known = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        known = False
    odd = not (base_url.isascii() and base_url.isprintable()) or not set(" @?#\\").isdisjoint(base_url)
    if odd or not known:
        raise OptionError(
            "base URL of the server: expected an address of http or https, such as http://localhost:8000/v1, without "
            "name, password, question mark or other odd characters, since logs keep it",
            hint="keys in the environment, as OPENAI_API_KEY, or LOCAL_API_KEY for openai-api/local/NAME",
        )
    return base_url.rstrip("/")
