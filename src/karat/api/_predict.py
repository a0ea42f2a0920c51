"""`karat.predict_preferences`."""

import glob
import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from karat.api import options as common
from karat.api.kinds import INPUT, File, Progress, Text, written
from karat.api.options import Call, Option, bound, documented
from karat.errors import DataError, OptionError, nearest
from karat.render.files import write_whole
from karat.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from karat.evaluations.preferences.predictors.neighbours import Model
    from karat.formats.source import Source
    from karat.schemas.preferences import Judged, Task

ItemsGiven = Annotated[Any, Option("A table of id, instruction, output_a, output_b.", "ITEMS", INPUT)]
PredictionsOutput = Annotated[File, Option("The .tsv to write.", "FILE", written(".tsv"), required=True)]
Predictor = Annotated[Literal["neighbours", "majority", "longer", "random"], Option("The method of prediction.")]
Train = Annotated[Any, Option("Labelled items to learn from.", "GOLD", INPUT)]
SavedModel = Annotated[File, Option("A saved model to use instead of --train.", "FILE")]
SaveModel = Annotated[File, Option("Save the trained model (.skops).", "FILE", written(".skops"))]
EmbeddingModel = Annotated[Text, Option("Name or folder of a sentence encoder to use.", "MODEL")]

_LEARNS_FROM = ("train", "model", "save_model", "embedding_model")
"""Options of a predictor that learns."""

_DIGITS = 16
"""Of the hash by which interrupted work is known again."""

_BATCH = 1000
"""Items that are predicted, and kept, at a time."""

Predict = Callable[["pl.DataFrame", int], "pl.DataFrame"]
"""From some items, and the place of the first among all, to their predictions."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions for items.

    frame: id, and `CRITERION_preference` (and `CRITERION_explanation` where it gives any) for each criterion.
    scores: cross-validated figures (system, criterion, metric, value, low, high, n, method, reason, note), where there
    is a model. differences: the predictor minus each baseline on the same items. notes: remarks on the training.
    """

    frame: "pl.DataFrame"
    scores: "pl.DataFrame | None" = None
    differences: "pl.DataFrame | None" = None
    notes: tuple[str, ...] = ()


@documented
def predict_preferences(
    items: ItemsGiven,
    *,
    predictor: Predictor = "neighbours",
    train: Train = None,
    model: SavedModel = None,
    save_model: SaveModel = None,
    embedding_model: EmbeddingModel = None,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    columns: common.Columns = None,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    input_format: common.InputFormat = None,
    output: PredictionsOutput = None,
    progress: common.Progress = None,
) -> Predictions:
    """Predict which of two responses people prefer, without asking a language model.

    Arguments
    ---------
    predictor: neighbours is a classifier on features of the texts, with explanations taken from the nearest
        labelled items (needs karat[fit]); majority predicts the most frequent label of train; longer the longer
        response, and both_good where both are equally long; random draws labels that are all equally likely.
    train: For neighbours and majority.
    model: Its criteria and labels are those it was trained with.
    embedding_model: For neighbours; needs karat[embeddings].
    output: Items are predicted 1,000 at a time. If the work is interrupted, the same call resumes it where it
        stopped, from a hidden folder beside the output that is removed at the end.

    Returns
    -------
    Predictions: a frame in the form of a submission and, for a trained model, its cross-validated scores. All items
    with the same instruction are in one fold: they resemble each other, and would flatter a model that has seen one.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.
    """
    asked = bound(predict_preferences, locals())
    _check(asked)
    from karat.formats import preferences as reader
    from karat.formats.source import sources
    from karat.schemas.columns import mapped_columns
    from karat.schemas.preferences import task_of

    step, task, learnt = asked.step, task_of(asked["criteria"], asked["labels"]), None
    if asked["model"] is not None:
        learnt = _loaded(asked["model"], task, named=bool(asked["criteria"] or asked["labels"]))
        task = learnt.task
    mapped = mapped_columns(asked["columns"], reader.known_columns(task))
    reading = reader.Options(task=task, columns=mapped, drop=asked["on_invalid"] == "drop")
    with step("reading"):
        (source,) = sources([items], asked["input_format"], "preferences")
        known = reader.read_items(source, reading)
        (shown,) = sources([train], asked["input_format"], "preferences") if train is not None else (None,)
        gold = reader.read_gold(shown, reading) if shown is not None else None
    _check_texts(asked["predictor"], known)
    work = _Work(asked["output"], _key(source, shown, task, asked))
    if asked["predictor"] == "neighbours" and learnt is None and gold is not None:
        learnt = work.model(lambda: _trained(gold, task, asked))
    if learnt is not None and asked["save_model"] is not None:
        write_whole(asked["save_model"], learnt.save)
    frame = work.done(known.frame, _predict(asked["predictor"], learnt, known, gold, task, asked["seed"]), step)
    read = (*known.warnings, *(gold.warnings if gold is not None else ()))
    if learnt is None:
        return Predictions(frame, notes=read)
    notes = (*read, *(learnt.notes if asked["model"] is None else ()))
    return Predictions(frame, learnt.scores, learnt.differences, notes)


def _check(asked: Mapping[str, Any]) -> None:
    """Raises OptionError for a predictor without what it learns from, and for options that it has no use for."""
    predictor, train, model = asked["predictor"], asked["train"], asked["model"]
    if predictor == "neighbours" and (train is None) == (model is None):
        raise OptionError("neighbours needs labelled items to learn from (train, --train) or a saved model (--model)")
    if predictor == "majority" and train is None:
        raise OptionError("majority needs labelled items to learn from (train, --train)")
    useful = {"neighbours": _LEARNS_FROM, "majority": ("train",)}.get(predictor, ())
    unused = [name for name in _LEARNS_FROM if asked[name] is not None and name not in useful]
    if unused:
        why = "" if useful else ": it learns nothing"
        raise OptionError(f"{unused[0]}: the predictor {predictor} does not use it{why}")
    if model is not None and (asked["save_model"] is not None or asked["embedding_model"] is not None):
        raise OptionError("a saved model is complete: give neither save_model nor embedding_model with it")


def _check_texts(predictor: str, items: "Judged") -> None:
    """Raises DataError for items that hold no texts, for a predictor that reads them."""
    if predictor not in {"neighbours", "longer"}:
        return
    for column in ("output_a", "output_b"):
        if items.frame[column].null_count() == items.frame.height:
            raise DataError(f"{items.name}: expected a column {column}; no item has a text there")


def _loaded(path: str | Path, task: "Task", *, named: bool) -> "Model":
    from karat.evaluations.preferences.predictors.storage import load

    place = Path(path)
    if not place.is_file():
        beside = place.parent.iterdir() if place.parent.is_dir() else ()
        raise OptionError(f"{path}: no such file{nearest(place.name, (other.name for other in beside))}")
    found = load(path)
    if named and (found.task.criteria, found.task.labels) != (task.criteria, task.labels):
        raise OptionError(
            f"{path}: the model was trained on the criteria {', '.join(found.task.criteria)} with the labels "
            f"{', '.join(found.task.labels)}; leave criteria and labels out, or give these"
        )
    return found


def _trained(gold: "Judged", task: "Task", asked: Call) -> "Model":
    from karat.evaluations.preferences.predictors.neighbours import fit

    how = {name: asked[name] for name in ("embedding_model", "seed")}
    return fit(gold.frame, task, **how, step=asked.step)


def _predict(
    predictor: str, model: "Model | None", items: "Judged", gold: "Judged | None", task: "Task", seed: int
) -> Predict:
    if model is not None:
        learnt = model
        return lambda some, _: learnt.predict(some)
    from karat.evaluations.preferences.baselines import constant_labels

    frame = constant_labels(predictor, items.frame, None if gold is None else gold.frame, task, seed)
    return lambda some, start: frame[start : start + some.height]


def _key(source: "Source", train: "Source | None", task: "Task", asked: Mapping[str, Any]) -> str:
    """What tells one piece of work from another: the hash of all that predictions depend on."""
    model, encoder = asked["model"], asked["embedding_model"]
    hashes = [source.sha256(), None if train is None else train.sha256()]
    hashes.append(None if model is None else sha256(Path(model).read_bytes()).hexdigest())
    inside = sorted(Path(encoder).rglob("*")) if encoder and Path(encoder).is_dir() else []
    files = [(str(one), one.stat().st_size, one.stat().st_mtime_ns) for one in inside]
    options = [asked[name] for name in ("predictor", "seed", "columns", "on_invalid", "input_format")]
    said = [__version__, *hashes, encoder, files, task.criteria, task.labels, *options]
    return sha256(json.dumps(said).encode()).hexdigest()[:_DIGITS]


class _Work:
    """Predictions in parts, kept in a folder beside the output so that interrupted work goes on."""

    def __init__(self, output: Path | None, key: str) -> None:
        self.output = output
        self.folder = None if self.output is None else self.output.parent / f".{self.output.name}.{key}"

    def model(self, train: "Callable[[], Model]") -> "Model":
        """The model of this work, trained where it is not there yet."""
        if self.folder is None:
            return train()
        from karat.evaluations.preferences.predictors.storage import load

        path = self.folder / "model.skops"
        with suppress(DataError, OptionError):
            return load(path)
        found = train()
        self.folder.mkdir(exist_ok=True)
        write_whole(path, found.save)
        return found

    def done(self, items: "pl.DataFrame", predict: Predict, step: Progress) -> "pl.DataFrame":
        """All predictions, those that are there already and the others; written where an output was asked for."""
        import polars as pl

        parts = []
        for start in range(0, items.height, _BATCH):
            path = None if self.folder is None else self.folder / f"{start:012}.parquet"
            with suppress(OSError, pl.exceptions.PolarsError):
                if path is not None:
                    parts.append(pl.read_parquet(path))
                    continue
            with step(f"predicting items {start + 1:,} to {min(start + _BATCH, items.height):,}"):
                parts.append(predict(items[start : start + _BATCH], start))
            if path is not None:
                path.parent.mkdir(exist_ok=True)
                write_whole(path, parts[-1].write_parquet)
        frame = pl.concat(parts)
        if self.output is not None:
            write_whole(self.output, partial(frame.write_csv, separator="\t"))
            for folder in self.output.parent.glob(f".{glob.escape(self.output.name)}.{'[0-9a-f]' * _DIGITS}"):
                shutil.rmtree(folder, ignore_errors=True)
        return frame
