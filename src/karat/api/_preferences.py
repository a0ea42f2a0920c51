"""`karat.preferences`, `karat.rank_preferences`, `karat.check_preferences` and `karat.predict_preferences`."""

import glob
import json
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
from karat.api.kinds import INPUT, INPUTS, File, Progress, Text, Texts, from_to, written
from karat.api.options import Call, Option, bound, documented
from karat.api.reports import done_to, run, without_items
from karat.errors import DataError, OptionError, nearest
from karat.render.files import write_whole
from karat.report import Report, sha256_of
from karat.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from karat.estimate import Estimate
    from karat.evaluations.preferences.predictors.fitted import Model
    from karat.formats.preferences import Options as Reading
    from karat.formats.score_tables import Published
    from karat.formats.source import Source
    from karat.schemas.preferences import Judged


@documented
def preferences(
    gold: Annotated[Any, Option("Items with people's labels: any table, or hf://...", "GOLD", INPUT)],
    predictions: Annotated[Any, Option("A file for each system, or a folder of them.", "PREDICTIONS", INPUTS)],
    *,
    system: Annotated[
        Texts, Option("A system's name, in the order of the files; by default the file's. Repeatable.", "NAME")
    ] = (),
    check: Annotated[
        bool,
        Option("Tell what is wrong with each file of predictions, and score the others if some cannot be scored."),
    ] = False,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    exact_labels: common.ExactLabels = False,
    explanations: Annotated[
        bool, Option("Score explanations too: by ROUGE-L, and by BERTScore and verdicts where given.")
    ] = False,
    stem: Annotated[bool, Option("Compare word stems in ROUGE-L.")] = False,
    embedding_model: Annotated[Text, Option("Name or folder of a model for BERTScore.", "MODEL")] = None,
    layer: Annotated[int | None, Option("The layer of the model whose vectors are compared.")] = None,
    verdicts: Annotated[File, Option("A judge's verdicts on explanations.", "FILE")] = None,
    unparsed: Annotated[Literal["yes", "no", "missing"], Option("How to count a null verdict.")] = "missing",
    **further: Unpack[common.Scoring],
) -> Report:
    """How well systems predict which of two responses people prefer, and why.

    On each criterion: accuracy = labels equal to the gold label / items with a gold label (a missing label is wrong);
    balanced accuracy, macro F1 and Cohen's kappa. Then means over criteria, baselines and ranks.

    Arguments
    ---------
    gold: A row per item: id, instruction, output_a, output_b (these three may be missing), {criterion}_preference,
        {criterion}_explanation (may be missing).
    predictions: With id and the labels, and explanations where these are scored. Rows are joined by id.
    stem: Porter stems, as in rouge-score.
    embedding_model: Needs karat[embeddings].
    layer: By default the one that the authors of BERTScore recommend, else the last.
    verdicts: A table: id, system, criterion, verdict (yes, no or null).
    unparsed: With missing, null verdicts are left out of the denominator, and counted.

    Returns
    -------
    A Report with the tables scores, confusion, differences and, of several systems, leaderboard and ranks; with check
    also submissions.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments, MissingError for an extra that is not installed.

    Example
    -------
    >>> import polars as pl, karat
    >>> gold = pl.DataFrame({"id": ["1", "2"], "fluency_preference": ["A", "B"]})
    >>> mine = pl.DataFrame({"id": ["2", "1"], "fluency_preference": ["B", "B"]})
    >>> report = karat.preferences(gold, mine, system="mine", criteria="fluency")
    >>> report.estimate("scores", "accuracy", {"system": "mine", "criterion": "fluency"}).value
    0.5

    Source: the task of the ELOQUENT 2025 lab on preference prediction.

    Command
    -------
    Compare predicted preferences with people's: accuracy and other figures by criterion, explanations, ranks.

    Tables need the columns id and CRITERION_preference, and CRITERION_explanation with --explanations. For example:

    karat preferences score gold.jsonl ours.tsv theirs.tsv --explanations --output report.html

    karat preferences score gold.jsonl submissions --check --output board.tex
    """
    return run(preferences, locals())


@documented
def rank_preferences(
    scores: Annotated[Any, Option("Tables of scores, or results files of the shared task.", "SCORES", INPUTS)],
    *,
    lower_is_better: Annotated[Texts, Option("A metric that is better when low. Repeatable.", "METRIC")] = (),
    columns: common.Columns = None,
    **further: Unpack[common.Reading],
) -> Report:
    """Rank systems by published scores: Borda points and mean rank over all figures.

    Each metric on each criterion ranks all systems. Borda points = systems beaten, summed over these figures; a tie
    counts half.

    Arguments
    ---------
    scores: Long (system, criterion, metric, value), wide (a row per system, a column per figure), also in Markdown, or
        the JSON that the shared task's script writes for each system. Numbers may be bold, and have %, ± or brackets.
    lower_is_better: Higher is better, except for these metrics, for columns with an arrow that points down, and for
        metrics that Karat knows to be better when low.

    Returns
    -------
    A Report with the table ranks. There are no items, so no intervals and no tests.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.

    Example
    -------
    >>> import polars as pl, karat
    >>> table = pl.DataFrame({"system": ["x", "y"], "criterion": "safety", "metric": "accuracy", "value": [0.9, 0.8]})
    >>> karat.rank_preferences(table).estimate("ranks", "borda", {"system": "x"}).value
    1.0

    Source: Borda 1784; Friedman 1937 for mean ranks.

    Command
    -------
    Rank systems by published scores: Borda points and mean ranks over all figures.

    karat preferences rank table.md --lower-is-better "error rate"
    """
    values = bound(rank_preferences, locals())
    from karat.evaluations.preferences.tables import published_ranks
    from karat.evaluations.scoring import input_of
    from karat.formats.score_tables import SCORES, read_scores
    from karat.formats.source import how_of, sources
    from karat.schemas.columns import mapped_columns

    inputs = sources(scores, how_of(values), "preferences")
    found = read_scores(inputs, mapped_columns(values["columns"], SCORES))
    ranks, warnings = published_ranks(found.frame, _low(values["lower_is_better"], found))
    return without_items(
        values,
        [input_of(source, height) for source, height in zip(inputs, found.heights, strict=True)],
        {"ranks": ranks},
        evaluation="preferences",
        words="preferences rank",
        counts={"systems": found.frame["system"].n_unique(), "scores": found.frame.height},
        warnings=(*(said for source in inputs for said in source.warnings), *found.warnings, *warnings),
    )


def _low(asked: Sequence[str], scores: "Published") -> list[str]:
    """The metrics that are better when low, as options and scores say. Raises OptionError for another's name."""
    metrics = scores.frame["metric"].unique(maintain_order=True).to_list()
    for name in asked:
        if name not in metrics:
            raise OptionError(
                f"lower_is_better: no metric {name}{nearest(name, metrics)}; there are {', '.join(metrics):.300}"
            )
    return [*asked, *scores.low]


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a check.

    rows: rows that can be scored. done: what was repaired. left: what is still wrong with the repaired file.
    """

    rows: int
    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


@documented
def check_preferences(
    submission: Annotated[Any, Option("The predictions to be submitted.", "SUBMISSION", INPUT)],
    gold: Annotated[Any, Option("The items, with or without labels.", "ITEMS", INPUT, flag="--gold", required=True)],
    *,
    explanations: Annotated[bool, Option("Require explanations too.")] = False,
    fix: Annotated[
        File, Option("Repair spaces, case, encoding and separator, and write this .tsv.", "FILE", written(".tsv"))
    ] = None,
    criteria: common.Criteria = (),
    labels: common.Labels = (),
    columns: common.Columns = None,
    **further: Unpack[common.Reading],
) -> Checked:
    """Check a file of predictions before it is submitted, and repair what needs no guess.

    Arguments
    ---------
    submission: Tab-separated, unless input_format says otherwise, or it is repaired.
    fix: Names of columns, ids and labels that differ from known ones by spaces or case alone (ids also by the .0 of a
        number) become these. Nothing else is changed: rows, their order and other columns stay; leading zeros are not
        restored.

    Returns
    -------
    Checked: the number of rows and, with fix, what was done and what is left to be mended.

    Raises
    ------
    DataError with all that is wrong: missing, extra or duplicate ids, labels outside the list, empty labels and
    explanations, missing columns, another separator; with fix, only for what cannot be read as a table. OptionError for
    invalid arguments.
    """
    values = bound(check_preferences, locals())
    from karat.evaluations.preferences.scoring import reading
    from karat.formats.preferences import read_items
    from karat.formats.repairs import repaired
    from karat.formats.source import how_of, source_of

    how = reading(values)
    items, source = (source_of(one, how_of(values), "preferences") for one in (gold, submission))
    known = read_items(items, how)
    if values["fix"] is not None:
        table, done = repaired(source, how, known)
        write_whole(values["fix"], partial(table.write_csv, separator="\t"))
        try:
            return Checked(_checked(source_of(values["fix"]), how, known), done)
        except DataError as wrong:
            return Checked(table.height, done, tuple(str(wrong).splitlines()))
    if source.path is not None and values["input_format"] is None and source.format != "tsv":
        raise DataError(
            f"{source.name}: expected a table separated by tabs, as it is submitted; got {source.format}. "
            "Save it with tabs (--fix OUT.tsv does), or name its format with --input-format"
        )
    return Checked(_checked(source, how, known))


def _checked(source: "Source", how: "Reading", gold: "Judged") -> int:
    """How many rows there are. Raises DataError with all that is wrong."""
    from karat.formats.preferences import find_gaps, find_problems

    found = find_problems(source, how, gold)
    find_gaps(source, how, gold, found)
    found.findings.settle(drop=False)
    return found.frame.height


# --- prediction ---


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
        Option("What predictions are to be good at: equal labels, or each label as much as any other."),
    ] = "accuracy",
    fit_items: Annotated[
        int, Option("How many items of --train a judge is asked to learn its correction; 0 for none.", kind=from_to(0))
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
    embedding_model: For fitted; needs karat[embeddings].
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
    from karat.formats.preferences import read_gold, read_items
    from karat.formats.source import how_of, source_of

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
    if predictor == "fitted" and model is not None and asked.set_among(("save_model", "embedding_model", "objective")):
        raise OptionError(
            "model: a saved model is complete; give no --save-model, --embedding-model or --objective with it"
        )


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
    return found


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
