"""Models in files of skops: arrays, numbers and texts alone, so that reading one runs nothing.

No type beyond those that skops itself takes for safe is trusted, and what was read is checked before it is used.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_type_hints
from zipfile import ZIP_DEFLATED

import numpy as np
import polars as pl

from karat.errors import DataError
from karat.evaluations.preferences.baselines import LONGER, MAJORITY
from karat.evaluations.preferences.predictors.classifier import Classifier, swap_of
from karat.evaluations.preferences.predictors.features import pair_features
from karat.evaluations.preferences.predictors.fitted import NAME, TABLES, Model
from karat.records import as_json, from_json
from karat.report import typed_table
from karat.schemas.preferences import TEXTS, Task
from karat.text.models import extra
from karat.version import __version__

KIND = "karat preferences fitted"
"""What a file says of itself."""

_SAID = ("task", "feature_names", "embedding_model", "used", "most", "explained", "notes", "version")
"""Held as text, as TABLES are. All of it is one JSON text, since skops writes a record for each text of a list."""

_LEARNT = {
    "scaler": ("two", "features"),
    "coefficients": ("labels", "features"),
    "intercepts": ("labels",),
    "factor": (),
    "shares": ("labels",),
    "balance": (),
}
"""Arrays and numbers of a classifier, and how many of what they hold; those of all criteria are one array."""

_ARRAYS = {name: ("criteria", *shape) for name, shape in _LEARNT.items()}


def save(model: Model, path: str | Path) -> None:
    """Write a model as a skops file: arrays, numbers and texts, nothing that runs when it is read.

    Raises MissingError where skops is not installed, OSError where the file cannot be written.
    """
    with extra("fit", "Saving a model"):
        from skops.io import dumps
    said = {name: as_json(getattr(model, name)) for name in _SAID}
    tables = {name: getattr(model, name).rows(named=True) for name in TABLES}
    arrays = {name: np.array([getattr(one, name) for one in model.classifiers]) for name in _LEARNT}
    document = {"kind": KIND, "said": json.dumps(said | tables), **arrays}
    Path(path).write_bytes(dumps(document, compression=ZIP_DEFLATED))


def load(path: str | Path) -> Model:
    """The model that `save` wrote; it predicts the same to the last bit.

    Only arrays, numbers and texts are read: a file that holds any other type is refused, and nothing in it is run.
    Raises DataError where the file cannot be read, is damaged, is none of Karat's models, or was written by a
    version whose features are others, MissingError where skops is not installed.
    """
    with extra("fit", "The predictor fitted, which is the default,"):
        from skops.io import loads
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"{path}: the model cannot be read ({error.strerror or error})") from None
    with _understood(path):
        model = _model(loads(content, trusted=[]))
    if model.feature_names != _known_features(model.embedding_model):
        raise DataError(
            f"{path}: expected a model with the features of Karat {__version__}; got one of Karat {model.version} "
            "with others. Train it again"
        )
    return model


@contextmanager
def _understood(path: str | Path) -> Iterator[None]:
    """Turns whatever a damaged or foreign file makes a library raise into a DataError."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - zipfile, json, numpy and skops each have their own
        what = str(error).split("\n", maxsplit=1)[0][:200] or type(error).__name__
        raise DataError(
            f"{path}: expected a model that Karat saved, which holds arrays, numbers and texts alone; it is damaged or "
            f"something else, and nothing in it was run ({what})"
        ) from None


def _known_features(embedding_model: str | None) -> tuple[str, ...]:
    """The names of the features as this version makes them."""
    nothing = pl.DataFrame(schema=dict.fromkeys(TEXTS, pl.String))
    return pair_features(nothing, None if embedding_model is None else lambda texts: np.zeros((len(texts), 1))).names


def _model(document: Any) -> Model:  # noqa: ANN401 - not checked yet
    """The model of a document. Raises whatever comes of a document that is none."""
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise ValueError(f"it does not say that it is a {KIND}")
    held = json.loads(document["said"])
    kinds = get_type_hints(Model)
    said: dict[str, Any] = {name: from_json(kinds[name], held[name], name) for name in _SAID}
    task = said["task"]
    sizes = {"two": 2, "criteria": len(task.criteria), "labels": len(task.labels)}
    sizes["features"] = len(said["feature_names"])
    arrays = {name: _array(name, document[name], tuple(sizes[one] for one in of)) for name, of in _ARRAYS.items()}
    _check_values(arrays, said["used"], said["most"], task)
    tables: dict[str, Any] = {name: typed_table(held[name], columns) for name, columns in TABLES.items()}
    return Model(
        **said,
        **tables,
        classifiers=tuple(
            Classifier(**{name: arrays[name][place] for name in _LEARNT}, swap=swap_of(task))
            for place in range(len(task.criteria))
        ),
    )


def _array(name: str, value: Any, shape: tuple[int, ...]) -> Any:  # noqa: ANN401 - of its kind
    kind = np.dtype(np.float64)
    if not isinstance(value, np.ndarray) or (value.dtype, value.shape) != (kind, shape) or not np.isfinite(value).all():
        raise ValueError(f"{name}: expected an array of {kind} of the shape {shape}, all of it finite")
    return value


def _check_values(arrays: Mapping[str, Any], used: Sequence[str], most: Sequence[int], task: Task) -> None:
    """Raises ValueError for values that no training gives."""
    if any((one <= 0).any() for one in (arrays["factor"], arrays["scaler"][:, 1], arrays["shares"].max(axis=1))):
        raise ValueError("factors, deviations, shares: expected numbers above 0")
    if not len(used) == len(most) == len(task.criteria) or not set(used) <= {MAJORITY, LONGER, NAME}:
        raise ValueError(f"used: expected {MAJORITY}, {LONGER} or {NAME} for each criterion")
    if not all(1 <= code <= len(task.labels) for code in most):
        raise ValueError("most: expected labels of the task")
    if LONGER in used and not {"A", "B"} <= set(task.labels):
        raise ValueError("used: longer needs labels called A and B")
