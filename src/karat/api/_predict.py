"""`karat.predict_preferences`."""

import glob
import json
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Unpack

from karat.api import _asking as asking
from karat.api import options as common
from karat.api.calls import Call, bound, documented
from karat.api.kinds import INPUT, File, Progress, Text, from_to, written
from karat.api.options import Option
from karat.api.reports import done_to
from karat.errors import DataError, OptionError
from karat.render.files import write_whole
from karat.report import sha256_of
from karat.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from karat.estimate import Estimate
    from karat.evaluations.preferences.predictors.fitted import Model
    from karat.formats.source import Source
    from karat.schemas.preferences import Judged

T = TypeVar("T")


_ASKING = ("prompt", *asking.Asking.__annotations__)
_TRAINED = ("shots", "objective", "fit_items")
"""Options of a judge that say what it does with `train`."""
_USES: dict[str, tuple[str, ...]] = {
    "fitted": ("train", "model", "save_model", "embedding_model", "objective"),
    "majority": ("train",),
    "judge": ("train", "model", "swap", "samples", "criteria_per_prompt", *_TRAINED, *_ASKING),
    "baseline": ("model", *_ASKING),
}
"""Options that a predictor has a use for, of those that not all have."""

_JUDGES = ("judge", "baseline")
"""Predictors that ask a language model."""

_DIGITS = 16
"""Of the hash by which interrupted work is known again."""

_BATCH = 1000
"""Items that are predicted, and kept, at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions for items.

    frame: id, and `CRITERION_preference` (and `CRITERION_explanation` where it gives any) for each criterion.
    scores: cross-validated figures (system, criterion, metric, value, low, high, n, method, reason, note), where there
    is a model. differences: the predictor minus each baseline on the same items. notes: remarks on the training. asked:
    of a language model, how many calls became what; there is no frame where it was not asked (a dry run, a batch file).
    position_inconsistency: of a judge that was asked in both orders, the share of its answers (of an item on a
    criterion) that differ between them.
    """

    frame: "pl.DataFrame | None"
    scores: "pl.DataFrame | None" = None
    differences: "pl.DataFrame | None" = None
    notes: tuple[str, ...] = ()
    asked: asking.Asked | None = None
    position_inconsistency: "Estimate | None" = None


@documented
def predict_preferences(
    items: Annotated[Any, Option("A table of id, instruction, output_a, output_b.", "ITEMS", INPUT)],
    *,
    predictor: Annotated[
        Literal["fitted", "majority", "longer", "random", "judge", "baseline"], Option("The method of prediction.")
    ] = "fitted",
    train: Annotated[Any, Option("Labelled items to learn from.", "GOLD", INPUT)] = None,
    model: Annotated[
        File, Option("A saved model to use instead of --train; or the language model, as PROVIDER/NAME.", "MODEL")
    ] = None,
    save_model: Annotated[File, Option("Save the trained model (.skops).", "FILE", written(".skops"))] = None,
    embedding_model: Annotated[Text, Option("Name or folder of a sentence encoder to use.", "MODEL")] = None,
    shots: Annotated[int, Option("How many items of --train a judge is shown.", kind=from_to(0))] = 4,
    swap: Annotated[bool, Option("Ask a judge in both orders of the responses.")] = True,
    samples: Annotated[int, Option("How often a judge is asked in each order.", kind=from_to(1))] = 1,
    criteria_per_prompt: Annotated[int, Option("How many criteria a judge is asked at once.", kind=from_to(1))] = 5,
    objective: Annotated[
        Literal["accuracy", "balanced_accuracy"],
        Option("What predictions are to be good at: as many items as possible, or each label alike, however rare."),
    ] = "accuracy",
    fit_items: Annotated[
        int,
        Option(
            "How many items of --train a judge is asked about, to learn how to correct it; 0 for none.", kind=from_to(0)
        ),
    ] = 200,
    prompt: asking.Prompt = None,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    columns: common.Columns = None,
    seed: common.Seed = 0,
    on_invalid: common.OnInvalid = "error",
    output: Annotated[File, Option("The .tsv to write.", "FILE", written(".tsv"), required=True)] = None,
    progress: common.Progress = None,
    **further: Unpack[asking.Asking],
) -> Predictions:
    """Predict which of two responses people prefer: from labelled items, by a rule, or by a language model.

    Arguments
    ---------
    predictor: fitted predicts, per criterion, by what is shown to be best on held-out items of train: the most
        frequent label, the longer response, or a classifier on features of the texts; it explains labels by what was
        measured in the responses (needs karat[fit]); majority predicts the most frequent label of train; longer the
        longer response, and both_good where both are equally long; random draws labels that are all equally likely;
        judge asks a language model, in both orders; baseline asks it once, in one plain prompt (both need
        karat[models]).
    train: For fitted, majority and judge.
    model: A saved model's criteria and labels are those it was trained with.
    samples: The most frequent label counts; without train, A and B that are level become both_good.
    objective: Of fitted, and of a judge that is corrected by train. For accuracy the most probable label, which favours
        common ones; for balanced_accuracy a rare label counts as much as a common one.
    embedding_model: For fitted; needs karat[embeddings]. With a saved model that has one it has to be named again.
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
    if asked["predictor"] in _JUDGES:
        from karat.api._predict_judge import judged

        by = judged(asked)
        return Predictions(by.frame, notes=by.asked.notes, asked=by.asked, position_inconsistency=by.inconsistency)
    from karat.evaluations.preferences.baselines import constant_labels
    from karat.evaluations.preferences.scoring import reading
    from karat.formats.inputs import source_of
    from karat.formats.preferences import read_gold, read_items
    from karat.formats.source import how_of

    learnt = None if asked["model"] is None else _loaded(asked)
    how = reading(asked if learnt is None else asked | asdict(learnt.task))
    with asked.step("reading"):
        given = [one for one in (items, train) if one is not None]
        opened = [source_of(table, how_of(asked), "preferences") for table in given]
        known, gold = read_items(opened[0], how), None if train is None else read_gold(opened[1], how)
    if asked["predictor"] in {"fitted", "longer"}:
        _check_texts(known)
    told = known.warnings if gold is None else (*known.warnings, *gold.warnings)
    folder, notes = _folder(asked, opened), (*done_to(opened), *told)
    if asked["predictor"] == "fitted" and gold is not None:
        learnt = _trained(gold, asked, folder)
        notes = (*notes, *learnt.notes, *_known(known.frame, gold.frame))
    if learnt is None:
        found = Predictions(
            constant_labels(asked["predictor"], known.frame, gold, how.task, asked["seed"]), notes=notes
        )
    else:
        frame = _predicted(learnt, known.frame, folder, asked.step)
        found = Predictions(frame, learnt.scores, learnt.differences, notes)
    if asked["output"] is not None and found.frame is not None:
        _write(found.frame, asked["output"])
    return found


def _check(asked: Call) -> None:
    """Raises OptionError for a predictor without what it learns from, and for options that it has no use for."""
    predictor, train, model = asked["predictor"], asked["train"], asked["model"]
    if predictor == "fitted" and (train is None) == (model is None):
        raise OptionError("predictor: fitted needs labelled items to learn from (--train) or a saved model (--model)")
    if predictor == "majority" and train is None:
        raise OptionError("predictor: majority needs labelled items to learn from (--train)")
    if predictor in _JUDGES and model is None:
        raise OptionError(f"predictor: {predictor} needs a language model (--model)")
    useful = _USES.get(predictor, ())
    known = dict.fromkeys(one for many in _USES.values() for one in many)
    unused = asked.set_among(name for name in known if name not in useful)
    if unused:
        why = "" if useful else ": it learns nothing"
        raise OptionError(f"{unused[0]}: the predictor {predictor} does not use it{why}")
    if predictor == "judge" and train is None and (unused := asked.set_among(_TRAINED)):
        raise OptionError(f"{unused[0]}: a judge has no use for it without labelled items (--train)")
    if predictor == "fitted" and model is not None and asked.set_among(("save_model", "objective")):
        raise OptionError("model: a saved model is complete; give no --save-model or --objective with it")


def _check_texts(items: "Judged") -> None:
    """Raises DataError for items that hold no texts."""
    for column in ("output_a", "output_b"):
        if items.frame[column].null_count() == items.frame.height:
            raise DataError(f"{items.name}: expected a column {column}; no item has a text there")


def _known(items: "pl.DataFrame", gold: "pl.DataFrame") -> list[str]:
    """A note on items to be predicted that stand among the labelled ones."""
    from karat.schemas.preferences import TEXTS

    seen = items.join(gold.select(TEXTS).unique(), on=TEXTS, how="semi", nulls_equal=True).height
    if not seen:
        return []
    return [f"{seen:,} items to predict stand in train too: labels predicted for them say nothing about new items"]


def _loaded(asked: Mapping[str, Any]) -> "Model":
    from karat.evaluations.preferences.predictors.storage import load
    from karat.formats.places import check_place
    from karat.schemas.preferences import task_of

    path, task = Path(asked["model"]), task_of(asked["criteria"], asked["labels"])
    check_place(path)
    found = load(path)
    if (asked["criteria"] or asked["labels"]) and found.task != task:
        raise OptionError(
            f"{path}: the model was trained on the criteria {', '.join(found.task.criteria)} with the labels "
            f"{', '.join(found.task.labels)}; leave criteria and labels out, or give these"
        )
    if found.embedding_model != asked["embedding_model"]:
        raise OptionError(_encoder_unsaid(path, found.embedding_model))
    return found


def _encoder_unsaid(path: Path, encoder: str | None) -> str:
    """What is said where a model's encoder was not named: it is read, or fetched, so a file alone cannot ask for it."""
    if encoder is None:
        return f"embedding_model: {path} was trained without a sentence encoder; leave it out"
    return (
        f"{path}: was trained with the sentence encoder {encoder}, which is read from there or fetched; if you trust "
        f"it, say so: --embedding-model {shlex.quote(encoder)}"
    )


def _trained(gold: "Judged", asked: Call, folder: Path | None) -> "Model":
    from karat.evaluations.preferences.predictors.fitted import fit
    from karat.evaluations.preferences.predictors.storage import load, save

    how = {name: asked[name] for name in ("embedding_model", "objective", "seed")}
    learnt = _kept(folder, "model.skops", load, partial(fit, gold.frame, gold.task, **how, step=asked.step), save)
    if asked["save_model"] is not None:
        write_whole(asked["save_model"], partial(save, learnt))
    return learnt


def _predicted(model: "Model", items: "pl.DataFrame", folder: Path | None, step: Progress) -> "pl.DataFrame":
    """The predictions for all items, a batch at a time."""
    import polars as pl

    def predicted(start: int, some: pl.DataFrame) -> pl.DataFrame:
        with step(f"predicting items {start + 1:,} to {start + some.height:,}"):
            return model.predict(some)

    batches = {start: items[start : start + _BATCH] for start in range(0, items.height, _BATCH)}
    return pl.concat(
        _kept(
            folder, f"{start:012}.parquet", pl.read_parquet, partial(predicted, start, some), pl.DataFrame.write_parquet
        )
        for start, some in batches.items()
    )


def _write(frame: "pl.DataFrame", output: Path) -> None:
    """Write the predictions, and remove what was kept of interrupted work."""
    write_whole(output, partial(frame.write_csv, separator="\t"))
    for folder in output.parent.glob(f".{glob.escape(output.name)}.{'[0-9a-f]' * _DIGITS}"):
        shutil.rmtree(folder, ignore_errors=True)


# --- work that may be interrupted ---


def _folder(asked: Call, inputs: Sequence["Source"]) -> Path | None:
    """The folder beside the output that keeps work until all is done; its name tells all that predictions depend on."""
    output, model, encoder = (asked[name] for name in ("output", "model", "embedding_model"))
    if output is None:
        return None
    inside = sorted(Path(encoder).rglob("*")) if encoder and Path(encoder).is_dir() else []
    files = [(str(one), one.stat().st_size, one.stat().st_mtime_ns) for one in inside]
    hashes = [*(one.sha256() for one in inputs), *([] if model is None else [sha256_of(Path(model))])]
    settings = {name: one for name, one in asked.settings.items() if name not in {"train", "model"}}
    key = sha256(json.dumps([__version__, hashes, files, settings]).encode()).hexdigest()[:_DIGITS]
    return Path(output.parent, f".{output.name}.{key}")


def _kept(
    folder: Path | None,
    name: str,
    read: Callable[[Path], T],
    make: Callable[[], T],
    write: Callable[[T, Path], object],
) -> T:
    """What `make` gives; where there is a folder, it is read from there, or made and kept there."""
    if folder is None:
        return make()
    from polars.exceptions import PolarsError

    with suppress(OSError, DataError, PolarsError):
        return read(folder / name)
    found = make()
    folder.mkdir(exist_ok=True)
    write_whole(folder / name, partial(write, found))
    return found
