"""Reports with their signatures, and the commands that repeat them."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.api.functions import step_of
from adjudge.errors import OptionError, flag_name
from adjudge.evaluations import declaration_of, options_of, view_of
from adjudge.options.declaration import Options, arguments, command_of, holds_value
from adjudge.options.shared import WorkerOptions
from adjudge.report import Input, Items, Report, sha256_of, typed_table
from adjudge.version import NAME, TITLE, __version__

if TYPE_CHECKING:
    import polars as pl

    from adjudge.evaluations.scoring import EvaluationResult, Row, Texts
    from adjudge.readers.io.source import Source
    from adjudge.readers.saved_runs import Run
    from adjudge.runners.workers import RunnerWorkers


@dataclass(frozen=True, eq=False)
class CompletedEvaluation:
    """A completed evaluation: its report, and the data that the report omits.

    outcomes: all of them, as counted. texts: those of the items of some outcomes. read: the inputs as the
    evaluation read them. item: an item in the form of examples, if its outcomes and texts do not show it.
    """

    report: Report
    outcomes: "pl.LazyFrame"
    texts: "Callable[[Sequence[Row]], list[Texts]]"
    read: Any
    item: "Callable[[str], pl.DataFrame] | None"


_ANNOTATORS = ("truth_annotator", "predicted_annotator", "references", "checker")
"""Options that select annotators of a file, so that it may be on both sides."""
_LEFT_OUT = "files_left_out"
"""The table of unreadable files."""

Cache: TypeAlias = Callable[[str, object, Callable[[], Any]], Any]
"""Takes the name of an object, its dependencies besides files, and its function; returns it, computed or cached."""


def evaluate(name: str, options: Any, keep: Cache = lambda _, __, make: make()) -> CompletedEvaluation:  # noqa: ANN401
    """The report of an evaluation with all outcomes. keep: a cache for inputs and data read from them.

    All errors in options alone are found before anything is read.
    """
    step = step_of(options)
    from adjudge.evaluations.inputs import settle_judge_tables
    from adjudge.evaluations.scoring import redact_texts, scoring
    from adjudge.readers.io.source import How
    from adjudge.readers.problems import count_words
    from adjudge.readers.tables import damage_named
    from adjudge.render.files import write_table
    from adjudge.schemas.columns import check_cluster

    module = scoring(name)
    check_by(options.by, module.TAKEN)
    check_cluster(options.cluster, module.ITEM)
    module.check(options)
    spare = options.on_invalid == "drop"
    with step("reading"):
        inputs = keep("inputs", (How.of(options), spare), lambda: inputs_of(options, name, spare=spare))
    options, inputs, settled = settle_judge_tables(options, inputs)
    module.check(options)
    sources = [source for many in inputs.values() for source in many]
    with damage_named(sources), _workers(options, name) as workers:
        with step("reading"):
            read = keep("read", (inputs, module.reader_options(options)), lambda: module.read(inputs, options, workers))
        result = module.score(read, inputs, options, step, workers)
        for file, table in result.files.items():
            if (path := getattr(options, file)) is None:
                continue
            if table is None:
                raise OptionError(f"there is nothing to write. {' '.join(result.notes)}".rstrip(), option=file)
            write_table(table, path)
        shown = result if options.texts else redact_texts(result, view_of(name).words)
        made = _made_by(options, name, result.inputs, result.found)
        lost = [{"file": file, "reason": reason} for file, reason in workers.lost.items()]
        many = count_words(len(lost), "file cannot be read and is", "files cannot be read and are")
        excluded = [f"{many} excluded; the table {_LEFT_OUT} gives the reasons"] * bool(lost)
        report = _report(
            options,
            made,
            {**shown.tables, **({_LEFT_OUT: typed_table(lost)} if lost else {})},
            name,
            outcomes=_items(shown, options, made),
            examples=shown.examples(options.examples, options.seed),
            counts=result.counts,
            warnings=(*settled, *excluded, *done_to(sources), *shown.warnings),
            notes=tuple(result.notes),
        )
    return CompletedEvaluation(report, result.outcomes, shown.texts or partial(module.texts, read), read, shown.item)


@contextmanager
def _workers(options: Any, evaluation: str) -> "Iterator[RunnerWorkers]":  # noqa: ANN401
    """The workers that count the files of an evaluation within the block; threads if it has no options for them."""
    from adjudge.readers.inputs import source_beside
    from adjudge.runners.workers import RunnerWorkers, checkpoint_in, runner_of

    where = options if isinstance(options, WorkerOptions) else WorkerOptions()
    if where.ray_address is not None and where.runner != "ray":
        raise OptionError(f"expected the runner ray; the runner is {where.runner}", option="ray_address", fix="")
    # what a file's counts depend on besides the file
    values, known = options.recorded(), arguments(type(options))
    beside = {name: source_beside(values[name], options.reading).sha256() for name in options.further_inputs()}
    settings = [evaluation, {name: one for name, one in values.items() if not known[name].help.shown} | beside]
    text = json.dumps(settings, sort_keys=True, default=str)
    kept = checkpoint_in(where.resume, text) if where.resume is not None else None
    with closing(runner_of(where.runner, where.ray_address)) as runner:
        yield RunnerWorkers(runner, step_of(options), kept, options.on_invalid == "drop")


def check_by(by: Sequence[str], taken: Collection[str]) -> None:
    """Raises OptionError for grouping names that are no columns of a file's own. taken: columns of an evaluation."""
    from adjudge.schemas.outcomes import RESERVED_COLUMNS

    for name in by:
        if not name.strip():
            raise OptionError("expected the name of a column to group by; got an empty one", option="by")
        if name in RESERVED_COLUMNS or name in taken or name.startswith("__"):
            message = f"{TITLE}'s own tables have a column {name}; rename the file's column to group by it"
            raise OptionError(message, option="by")


def inputs_of(options: Options, evaluation: str, *, spare: bool = False) -> "dict[str, list[Source]]":
    """The inputs of an evaluation, by argument: none for an optional argument. spare: see `sources`.

    Raises OptionError for a file that is named twice, unless options select annotators of it.
    """
    from adjudge.readers.inputs import source_of, sources
    from adjudge.readers.io.source import How
    from adjudge.readers.transforms import check_values

    how, found = How.of(options), dict[str, list["Source"]]()
    for name, one in arguments(type(options)).items():
        if not one.positional:
            continue
        given = getattr(options, name)
        if not one.kind.several:
            found[name] = [source_of(given, how, evaluation)]
        else:
            left_out = isinstance(given, list | tuple) and not given and one.default == ()
            found[name] = [] if left_out else sources(given, how, evaluation, spare=spare)
    every = [source for many in found.values() for source in many]
    paths = [Path(one.name).resolve() for one in every if one.path is not None]
    twice = next((path for path in paths if paths.count(path) > 1), None)
    may_choose = [one for one in _ANNOTATORS if one in arguments(type(options))]
    if twice is not None and not options.given_names(may_choose):
        fix = f"use another file, or {flag_name(_ANNOTATORS[0])} NAME" if _ANNOTATORS[0] in may_choose else ""
        name = next(one.name for one in every if Path(one.name).resolve() == twice)
        raise OptionError(f"{name}: the same file is given twice", fix=fix or "replace one with another file")
    if how.map_values or how.item_columns:
        check_values(every, how)
    return found


def done_to(opened: "Iterable[Source]") -> tuple[str, ...]:
    """Warnings on the reading of some inputs; each once, even if a file is on both sides."""
    return tuple(dict.fromkeys(warning for source in opened for warning in source.warnings))


def _items(found: "EvaluationResult", options: Any, made: Mapping[str, Any]) -> Items:  # noqa: ANN401
    """The first outcomes; if requested, all of them are written to a file."""
    from adjudge.render.files import write_items
    from adjudge.schemas.outcomes import categories_as_text

    first, path = categories_as_text(found.first).collect(), options.save_items
    if path is None:
        return Items(first, found.rows)
    with step_of(options)("writing items"):
        items = found.counts.get(declaration_of(made["evaluation"]).items, 0)
        write_items(categories_as_text(found.outcomes), path, {**made, "rows": found.rows, "collected": items})
    return Items(first, found.rows, str(path), sha256_of(path))


def without_items(
    options: Options,
    inputs: Sequence[Input],
    tables: "Mapping[str, pl.DataFrame]",
    *,
    evaluation: str,
    words: str,
    found: Mapping[str, Any] | None = None,
    **rest: Any,  # noqa: ANN401 - the other fields of a Report
) -> Report:
    """A report without outcomes of its own.

    words: the beginning of its command. found: settings determined by the data, for the signature. rest: its counts,
    warnings, notes and, if there are any, examples.
    """
    import polars as pl

    from adjudge.schemas.outcomes import OUTCOMES

    examples = rest.pop("examples", pl.DataFrame(schema=dict.fromkeys(OUTCOMES, pl.String)))
    made = _made_by(options, evaluation, inputs, found or {})
    return _report(options, made, tables, words, outcomes=Items(examples.clear(), 0), examples=examples, **rest)


def _made_by(options: Options, evaluation: str, inputs: Sequence[Input], found: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance of a report, which its items file also holds."""
    from adjudge.readers.io.paths import shown_address

    known, hashed, recorded = arguments(type(options)), options.further_inputs(), options.recorded()
    for name, given in recorded.items():
        if isinstance(given, str | PathLike):
            recorded[name] = shown_address(str(given))  # without a password
        elif known[name].kind.role == "read" and given is not None and not isinstance(given, list | tuple):
            recorded[name] = type(given).__name__
    signed = {name: one for name, one in recorded.items() if not known[name].help.shown and name not in hashed}
    return {
        NAME: __version__,
        "evaluation": evaluation,
        "signature": signature(__version__, evaluation, {**signed, **found}, inputs),
        "options": recorded,
        "inputs": tuple(inputs),
    }


def _report(
    options: Options,
    made: Mapping[str, Any],
    tables: "Mapping[str, pl.DataFrame]",
    words: str,
    **rest: Any,  # noqa: ANN401
) -> Report:
    """A report with that provenance, and the other fields of a Report."""
    from adjudge.metrics.metric import clip_intervals

    origin = {name: value for name, value in made.items() if name != "evaluation"}
    about, command = declaration_of(made["evaluation"], tables), None
    if all(Path(one.path).is_file() for one in made["inputs"]):
        own = made["inputs"][: len(made["inputs"]) - len(options.further_inputs())]
        command = command_of(options, [one.path for one in own], words)
    bounded = {name: clip_intervals(table, about.metrics) for name, table in tables.items()}
    return Report(about=about, tables=bounded, command=command, **origin, **rest)


# --- the provenance of a report, as text ---


_HASH_SHOWN = 12


def signature(version: str, evaluation: str, options: Mapping[str, Any], inputs: Sequence[Input]) -> str:
    """One line of text that differs whenever an option, an input's bytes or the version does.

    Options that are None or empty are excluded.

    >>> signature("0.2.0", "reliability", {"seed": 0, "by": [], "labels": ["a", "b"]}, [Input("x", "abcdef", 2)])
    'adjudge=0.2.0|evaluation=reliability|seed=0|labels=["a","b"]|inputs=abcdef'
    """
    values = {name: value for name, value in options.items() if holds_value(value)}
    parts = {NAME: version, "evaluation": evaluation, **values}
    hashes = ",".join(one.sha256[:_HASH_SHOWN] for one in inputs)
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        for name, value in parts.items()
    }
    return "|".join([*(f"{name}={text}" for name, text in texts.items()), f"inputs={hashes}"])


# --- saved runs ---


def runs_of(paths: Sequence[str | Path]) -> "list[Run]":
    """The runs in files; see `readers.saved_runs.read_runs`. A table of `adjudge judge` is one by its card."""
    from adjudge.evaluations.card.options import CardOptions
    from adjudge.evaluations.inputs import is_judge_table
    from adjudge.readers.inputs import source_of
    from adjudge.readers.saved_runs import names_of, read_runs

    files = [Path(path) for path in paths]
    with TemporaryDirectory() as folder:
        items = {path: path for path in files}
        for number, path in enumerate(items):
            if path.is_file() and is_judge_table(source_of(path)):
                items[path] = Path(folder, f"{number}.parquet")
                evaluate("card", CardOptions(data=path, save_items=items[path]))
        read = read_runs([items[path] for path in files], options_of)
        named = zip(read, files, names_of(files), strict=True)
        return [
            one
            if items[path] == path
            else replace(one, name=name, path=str(path), sha256=sha256_of(path), outcomes=one.outcomes.collect().lazy())
            for one, path, name in named
        ]
