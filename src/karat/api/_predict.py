"""`karat.predict_preferences`."""

import glob
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from karat import __version__
from karat.api import arguments, reports
from karat.api.arguments import OnInvalid, Progress
from karat.api.readings import task_of
from karat.errors import DataError, OptionError, nearest

if TYPE_CHECKING:
    import polars as pl

    from karat.evaluations.preferences.predictors.model import Model
    from karat.formats.source import Source
    from karat.schemas.preferences import Judged, Task

Predictor = Literal["neighbours", "majority", "longer", "random"]

_DIGITS = 16
"""Of the hash by which interrupted work is known again."""

_BATCH = 1000
"""Items that are predicted, and kept, at a time."""

Predict = Callable[["pl.DataFrame", int], "pl.DataFrame"]
"""From some items, and the place of the first among all, to their predictions."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What a predictor says of items.

    frame: id, and `CRITERION_preference` (and `CRITERION_explanation` where it gives any) for each criterion.
    scores: cross-validated figures (system, criterion, metric, value, low, high, n, method, reason, note), where there
    is a model. differences: the predictor less each baseline on the same items. notes: what to know of the training.
    """

    frame: "pl.DataFrame"
    scores: "pl.DataFrame | None" = None
    differences: "pl.DataFrame | None" = None
    notes: tuple[str, ...] = ()


def predict_preferences(
    items: Any,  # noqa: ANN401 - a path or a table
    *,
    predictor: Predictor = "neighbours",
    train: Any = None,  # noqa: ANN401
    model: str | Path | None = None,
    save_model: str | Path | None = None,
    embedding_model: str | None = None,
    criteria: str | Sequence[str] | None = (),
    labels: str | Sequence[str] | None = (),
    columns: Mapping[str, str] | None = None,
    seed: int = 0,
    on_invalid: OnInvalid = "error",
    input_format: str | None = None,
    output: str | Path | None = None,
    progress: Progress | None = None,
) -> Predictions:
    """Predict which of two responses people prefer, without asking a language model.

    Arguments
    ---------
    items: path of a table or a table: id, instruction, output_a, output_b.
    predictor: "neighbours" (a classifier on features of the texts, explanations from the nearest labelled items; needs
        karat[fit]), "majority" (the most frequent label of `train`), "longer" (the longer response; both_good where
        both are equally long) or "random" (every label equally likely).
    train: labelled items to learn from (as `gold` of `karat.preferences`): for neighbours and majority.
    model: a model saved before, instead of `train`. save_model: path to save the trained one to (.skops).
    embedding_model: name or folder of a sentence encoder, for neighbours (needs karat[embeddings]).
    criteria, labels, columns, on_invalid, input_format: as in `karat.preferences`; a saved model brings its own
        criteria and labels.
    seed: of the folds of cross-validation, and of random labels.
    output: path of the .tsv to write. Items are predicted 1,000 at a time; if the work is interrupted, the same call
        takes it up again where it stopped, from a hidden folder beside the output that is removed at the end.
    progress: called with the name of each step.

    Returns
    -------
    Predictions: a frame in the form of a submission and, of a trained model, its cross-validated scores. Folds keep all
    items of one instruction together: such items resemble each other, and would flatter a model that has seen one.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.
    """
    criteria, labels = arguments.listed("criteria", criteria), arguments.listed("labels", labels)
    embedding_model, columns = arguments.text("embedding_model", embedding_model), arguments.names("columns", columns)
    seed = arguments.whole("seed", seed)
    arguments.one_of("predictor", predictor, get_args(Predictor))
    arguments.one_of("on_invalid", on_invalid, get_args(OnInvalid))
    _check(predictor, train, model, save_model, embedding_model, output)
    task = task_of(criteria, labels)
    from karat.formats import preferences as reader
    from karat.formats.source import sources

    step = progress or reports.silent
    learnt = None
    if model is not None:
        learnt = _loaded(model, task, named=bool(criteria or labels))
        task = learnt.task
    reading = reader.Options(
        task=task,
        columns=arguments.mapped_columns(columns, None, reader.known_columns(task)),
        drop=on_invalid == "drop",
    )
    with step("reading"):
        (source,) = sources([items], input_format, reader.FORMATS)
        known = reader.read_items(source, reading)
        (shown,) = sources([train], input_format, reader.FORMATS) if train is not None else (None,)
        gold = reader.read_gold(shown, reading) if shown is not None else None
    _check_texts(predictor, known)
    further = (predictor, seed, task.criteria, task.labels, columns, on_invalid, input_format)
    work = _Work(output, _key(source, shown, model, embedding_model, further))
    if predictor == "neighbours" and learnt is None and gold is not None:
        learnt = work.model(lambda: _trained(gold, task, embedding_model, seed, progress))
    if learnt is not None and save_model is not None:
        learnt.save(save_model)
    frame = work.done(known.frame, _predict(predictor, learnt, known, gold, task, seed), step)
    read = (*known.warnings, *(gold.warnings if gold is not None else ()))
    if learnt is None:
        return Predictions(frame, notes=read)
    return Predictions(frame, learnt.scores, learnt.differences, (*read, *(learnt.notes if model is None else ())))


def _check(
    predictor: str,
    train: object,
    model: object,
    save_model: object,
    embedding_model: object,
    output: object,
) -> None:
    from karat.render.files import check_target

    learns = predictor in {"neighbours", "majority"}
    if predictor == "neighbours" and (train is None) == (model is None):
        raise OptionError("neighbours needs labelled items to learn from (train, --train) or a saved model (--model)")
    if predictor == "majority" and train is None:
        raise OptionError("majority needs labelled items to learn from (train, --train)")
    given = {"train": train, "model": model, "save_model": save_model, "embedding_model": embedding_model}
    unused = [name for name, value in given.items() if value is not None]
    if predictor == "majority":
        unused = [name for name in unused if name != "train"]
    if predictor != "neighbours" and unused:
        raise OptionError(
            f"{unused[0]}: the predictor {predictor} has no use for it{'' if learns else ': it learns nothing'}"
        )
    if model is not None and (save_model is not None or embedding_model is not None):
        raise OptionError("a saved model is complete: give neither save_model nor embedding_model with it")
    if save_model is not None:
        check_target(Path(str(save_model)), endings=(".skops",))
    if output is not None:
        check_target(Path(str(output)), endings=(".tsv",))


def _check_texts(predictor: str, items: "Judged") -> None:
    """Raises DataError for items that hold no texts, for a predictor that reads them."""
    if predictor not in {"neighbours", "longer"}:
        return
    for column in ("output_a", "output_b"):
        if items.frame[column].null_count() == items.frame.height:
            raise DataError(f"{items.name}: expected a column {column}; no item has a text there")


def _loaded(path: str | Path, task: "Task", *, named: bool) -> "Model":
    from karat.evaluations.preferences.predictors.neighbours import load

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


def _trained(
    gold: "Judged", task: "Task", embedding_model: str | None, seed: int, progress: Progress | None
) -> "Model":
    from karat.evaluations.preferences.predictors.neighbours import fit

    return fit(gold.frame, task, embedding_model=embedding_model, seed=seed, progress=progress)


def _predict(
    predictor: str, model: "Model | None", items: "Judged", gold: "Judged | None", task: "Task", seed: int
) -> Predict:
    if model is not None:
        learnt = model
        return lambda some, _: learnt.predict(some)
    from karat.evaluations.preferences.baselines import constant_labels

    frame = constant_labels(predictor, items.frame, None if gold is None else gold.frame, task, seed)
    return lambda some, start: frame[start : start + some.height]


def _key(
    source: "Source",
    train: "Source | None",
    model: str | Path | None,
    embedding_model: str | None,
    options: Sequence[object],
) -> str:
    """What tells one piece of work from another: the hash of all that predictions depend on."""
    hashes = [source.sha256(), None if train is None else train.sha256()]
    hashes.append(None if model is None else sha256(Path(model).read_bytes()).hexdigest())
    folder = Path(embedding_model or "")
    inside = sorted(folder.rglob("*")) if embedding_model and folder.is_dir() else []
    files = [(str(one), one.stat().st_size, one.stat().st_mtime_ns) for one in inside]
    return sha256(json.dumps([__version__, *hashes, embedding_model, files, *options]).encode()).hexdigest()[:_DIGITS]


class _Work:
    """Predictions in parts, kept in a folder beside the output so that interrupted work goes on."""

    def __init__(self, output: str | Path | None, key: str) -> None:
        self.output = None if output is None else Path(output)
        self.folder = None if self.output is None else self.output.parent / f".{self.output.name}.{key}"

    def model(self, train: "Callable[[], Model]") -> "Model":
        """The model of this work, trained where it is not there yet."""
        if self.folder is None:
            return train()
        from karat.evaluations.preferences.predictors.neighbours import load

        path = self.folder / "model.skops"
        with suppress(DataError, OptionError):
            return load(path)
        found = train()
        self.folder.mkdir(exist_ok=True)
        found.save(path)
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
                self._keep(parts[-1], path)
        frame = pl.concat(parts)
        if self.output is not None:
            self._finish(frame)
        return frame

    def _keep(self, part: "pl.DataFrame", path: Path) -> None:
        from karat.render.files import replacing

        path.parent.mkdir(exist_ok=True)
        with replacing(path) as partial:
            part.write_parquet(partial)

    def _finish(self, frame: "pl.DataFrame") -> None:
        from karat.render.files import replacing

        if self.output is None or self.folder is None:
            return
        with replacing(self.output) as partial:
            frame.write_csv(partial, separator="\t")
        for folder in self.output.parent.glob(f".{glob.escape(self.output.name)}.{'[0-9a-f]' * _DIGITS}"):
            shutil.rmtree(folder, ignore_errors=True)
