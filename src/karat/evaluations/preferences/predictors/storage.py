"""Models in files of skops: arrays, numbers and texts alone, so that reading one runs nothing.

No type beyond those that skops itself takes for safe is trusted, and what was read is checked before it is used.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

import numpy as np
import polars as pl
from numpy.typing import DTypeLike

from karat import __version__
from karat.errors import DataError
from karat.evaluations.preferences.predictors.classifier import Classifier, Scaler
from karat.evaluations.preferences.predictors.features import pair_features
from karat.evaluations.preferences.predictors.model import Model
from karat.report import FIGURE, typed_table
from karat.schemas.preferences import TEXTS, Task
from karat.text.models import extra

KIND = "karat preferences neighbours"
"""What a file says of itself."""

TRUSTED: tuple[str, ...] = ()
"""Types that a file may hold beside those that skops takes for safe: none."""

_SHAPES = {"coefficients": ("seen", "features"), "intercepts": ("seen",), "shares": ("labels",)}
"""The arrays of a classifier, and how many of what they hold."""

_PARTS = ("seen", "factor", *_SHAPES)
_SCORES = ("system", "criterion", *FIGURE)
_DIFFERENCES = ("criterion", "first", "second", *FIGURE, "p")


def dumped(model: Model) -> bytes:
    """What `Model.save` writes."""
    with extra("fit", "Saving a model"):
        from skops.io import dumps
    content: bytes = dumps(_document(model), compression=ZIP_DEFLATED)
    return content


def load(path: str | Path) -> Model:
    """The model that `Model.save` wrote; it predicts the same to the last bit.

    Only arrays, numbers and texts are read: a file that holds any other type is refused, and nothing in it is run.
    Raises DataError where the file cannot be read, is damaged, is none of Karat's models, or was written by a
    version whose features are others, MissingError where skops is not installed.
    """
    place = Path(path)
    document = _read(place)
    with _understood(place):
        model = _model(document)
    if model.feature_names != _known_features(model.embedding_model):
        raise DataError(
            f"{place}: expected a model with the features of Karat {__version__}; got one of Karat {model.version} "
            "with others. Train it again"
        )
    return model


def _read(place: Path) -> Any:  # noqa: ANN401 - not checked yet
    with extra("fit", "Loading a model"):
        from skops.io import get_untrusted_types, loads
    try:
        content = place.read_bytes()
    except OSError as error:
        raise DataError(f"{place}: the model cannot be read ({error.strerror or error})") from None
    with _understood(place):
        untrusted = sorted(set(get_untrusted_types(data=content)) - set(TRUSTED))
    if untrusted:
        raise DataError(
            f"{place}: expected a model of Karat, which holds arrays, numbers and texts alone; "
            f"got {', '.join(untrusted[:3])}. Nothing was loaded"
        )
    with _understood(place):
        return loads(content, trusted=list(TRUSTED))


@contextmanager
def _understood(place: Path) -> Iterator[None]:
    """Turns whatever a damaged or foreign file makes a library raise into a DataError."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - zipfile, json, numpy and skops each have their own
        what = str(error).split("\n", maxsplit=1)[0][:200] or type(error).__name__
        raise DataError(
            f"{place}: expected a model that Karat saved; it is damaged or something else ({what})"
        ) from None


def _known_features(embedding_model: str | None) -> tuple[str, ...]:
    """The names of the features as this version makes them."""
    nothing = pl.DataFrame(schema=dict.fromkeys(TEXTS, pl.String))
    return pair_features(nothing, None if embedding_model is None else _no_vectors).names


def _no_vectors(texts: pl.Series) -> np.ndarray:
    return np.zeros((len(texts), 1))


def _document(model: Model) -> dict[str, object]:
    """A model as arrays, numbers and texts. Texts are one JSON text, as skops writes a record for each of a list."""
    texts = {
        "features": model.feature_names,
        "explanations": model.explanations,
        "scores": model.scores.rows(named=True),
        "differences": model.differences.rows(named=True),
        "notes": model.notes,
    }
    return {
        "kind": KIND,
        "version": model.version,
        "criteria": list(model.task.criteria),
        "labels": list(model.task.labels),
        "embedding_model": model.embedding_model,
        "classifiers": [
            asdict(one.scaler) | {name: getattr(one, name) for name in _PARTS} for one in model.classifiers
        ],
        "space": asdict(model.space),
        "examples": model.examples,
        "gold": model.gold,
        "texts": json.dumps(texts),
    }


def _model(document: Any) -> Model:  # noqa: ANN401
    """The model of a document. Raises whatever comes of a document that is none."""
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise ValueError(f"it does not say that it is a {KIND}")
    task = Task(_texts(document["criteria"]), _texts(document["labels"]))
    texts = json.loads(document["texts"])
    names = _texts(texts["features"])
    gold = _array(document["gold"], (len(task.criteria), None), np.uint8)
    items = gold.shape[1]
    if gold.max(initial=0) > len(task.labels) or len(document["classifiers"]) != len(task.criteria):
        raise ValueError("labels or criteria do not fit together")
    return Model(
        task=task,
        feature_names=names,
        embedding_model=_optional(document["embedding_model"]),
        classifiers=tuple(_classifier(one, len(names), len(task.labels)) for one in document["classifiers"]),
        space=_scaler(document["space"], len(names)),
        examples=_array(document["examples"], (items, len(names))),
        gold=gold,
        explanations=_explanations(texts["explanations"], len(task.criteria), items),
        scores=typed_table(texts["scores"], _SCORES),
        differences=typed_table(texts["differences"], _DIFFERENCES),
        notes=_texts(texts["notes"]),
        version=_texts([document["version"]])[0],
    )


def _classifier(document: Mapping[str, Any], features: int, labels: int) -> Classifier:
    seen = _array(document["seen"], (None,), np.intp)
    if not len(seen) or len(np.unique(seen)) != len(seen) or seen.min() < 0 or seen.max() >= labels:
        raise ValueError("labels that are none")
    factor = document["factor"]
    if not isinstance(factor, float) or not 0 < factor < np.inf:
        raise ValueError("a factor that is none")
    sizes = {"seen": len(seen), "features": features, "labels": labels}
    arrays = {name: _array(document[name], tuple(sizes[one] for one in shape)) for name, shape in _SHAPES.items()}
    return Classifier(seen=seen, scaler=_scaler(document, features), factor=factor, **arrays)


def _scaler(document: Mapping[str, Any], features: int) -> Scaler:
    deviations = _array(document["deviations"], (features,))
    if (deviations <= 0).any():
        raise ValueError("a deviation that is not above 0")
    return Scaler(_array(document["means"], (features,)), deviations)


def _array(value: object, shape: tuple[int | None, ...], kind: DTypeLike = np.float64) -> Any:  # noqa: ANN401 - of its kind
    fits = isinstance(value, np.ndarray) and value.dtype == np.dtype(kind) and value.ndim == len(shape)
    if not isinstance(value, np.ndarray) or not fits:
        raise ValueError("an array of another kind than expected")
    if any(one not in (None, own) for one, own in zip(shape, value.shape, strict=True)):
        raise ValueError(f"an array of shape {value.shape} where {shape} was expected")
    if not np.isfinite(value).all():
        raise ValueError("an array with something that is no number")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError("a list of texts that is none")
    return tuple(value)


def _optional(value: object) -> str | None:
    return None if value is None else _texts([value])[0]


def _explanations(value: Any, criteria: int, items: int) -> tuple[tuple[str | None, ...], ...] | None:  # noqa: ANN401
    if value is None:
        return None
    found = tuple(tuple(_optional(text) for text in texts) for texts in value)
    if len(found) != criteria or any(len(texts) != items for texts in found):
        raise ValueError("explanations do not fit the items")
    return found
