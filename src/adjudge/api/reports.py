"""What figures become: a Report with its signature, and the command that gives the same."""

import json
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.api.calls import Argument, Call, arguments_of, bound, documented_as, flag_of, further_inputs
from adjudge.errors import DataError, OptionError
from adjudge.report import Input, Items, Report, sha256_of
from adjudge.version import NAME, TITLE, __version__

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import polars as pl

    from adjudge.evaluations.scoring import EvaluationResult, Row, Texts
    from adjudge.readers.io.source import Source
    from adjudge.readers.saved_runs import Run
    from adjudge.runners.running import Running


@dataclass(frozen=True, eq=False)
class Ran:
    """An evaluation that was run: its report, and what that leaves out.

    outcomes: all of them, as they are counted. texts: those of the items of some outcomes. read: the inputs as the
    evaluation read them. item: an item as examples are, where its outcomes with their texts do not say it.
    """

    report: Report
    outcomes: "pl.LazyFrame"
    texts: "Callable[[Sequence[Row]], list[Texts]]"
    read: Any
    item: "Callable[[str], pl.DataFrame] | None"


Keep: TypeAlias = Callable[[str, object, Callable[[], Any]], Any]
"""Takes the name of something, what it depends on besides files, and what makes it; gives it, made or kept."""


def not_kept(name: str, depends: object, make: Callable[[], Any]) -> Any:  # noqa: ANN401, ARG001 - whatever it is
    """What is made anew each time."""
    return make()


def run(function: Callable[..., Any], given: Mapping[str, Any]) -> Report:
    """The report of the evaluation named like the function, for the arguments that the function was given."""
    return ran(function, given).report


def ran(function: Callable[..., Any], given: Mapping[str, Any], keep: Keep = not_kept) -> Ran:
    """Evaluate a call and return the report with all outcomes. keep: a cache for inputs and what is read of them.

    All that can be wrong with options alone is found before anything is read.
    """
    call, name = bound(function, given), function.__name__
    step = call.step
    from adjudge.api._guessed import guessed
    from adjudge.evaluations import view_of
    from adjudge.evaluations.redact import redact_texts
    from adjudge.evaluations.scoring import scoring
    from adjudge.readers.tables import damage_named
    from adjudge.schemas.columns import check_cluster

    evaluation = scoring(name)
    check_by(call["by"], evaluation.TAKEN)
    check_cluster(call["cluster"], evaluation.ITEM)
    evaluation.check(call, call.settings)
    spare = call["on_invalid"] == "drop" and "resume" in call
    with step("reading"):
        inputs = keep("inputs", (call.reading, spare), lambda: inputs_of(call, name, spare=spare))
    call, inputs, told = guessed(call, inputs)
    evaluation.check(call, call.settings)
    options = call.settings
    opened = [source for many in inputs.values() for source in many]
    with damage_named(opened), _workers(call, name) as workers:
        with step("reading"):
            read = keep(
                "read", (inputs, evaluation.reader_options(options)), lambda: evaluation.read(inputs, options, workers)
            )
        found = evaluation.score(read, inputs, options, step, workers)
        _write_files(found, call)
        every, found = found.outcomes, found if options["texts"] else redact_texts(found, view_of(name).words)
        made = _made_by(call, name, found.inputs, found.found)
        report = _report(
            call,
            made,
            {**found.tables, **workers.left_out},
            f"{name} score",
            items=_items(found, call, made),
            examples=found.examples(options["examples"], options["seed"]),
            counts=found.counts,
            warnings=(*told, *workers.warnings, *done_to(opened), *found.warnings),
            notes=tuple(found.notes),
        )
    return Ran(report, every, found.texts or partial(evaluation.texts, read), read, found.item)


def _workers(call: Call, evaluation: str) -> "AbstractContextManager[Running]":
    """Who counts the files of a call; threads where it does not say."""
    from adjudge.runners.running import running

    if call.get("ray_address") is not None and call["runner"] != "ray":
        raise OptionError(f"ray_address: concerns the runner ray; the runner is {call['runner']}")
    return running(
        call.get("runner", "threads"),
        call.get("ray_address"),
        call.get("resume"),
        counted_by(call, evaluation),
        drop=call["on_invalid"] == "drop",
        step=call.step,
    )


def counted_by(call: Call, evaluation: str) -> str:
    """All that what is counted of a file depends on, besides the file: the settings, and the files beside it."""
    from adjudge.readers.inputs import source_beside

    beside = {name: source_beside(call[name], call).sha256() for name in further_inputs(call.function, call)}
    arguments = arguments_of(call.function)
    said = {name: one for name, one in call.settings.items() if not arguments[name].option.shown} | beside
    return json.dumps([evaluation, said], sort_keys=True, default=str)


def check_by(by: Sequence[str], taken: Collection[str]) -> None:
    """Raises OptionError for names to group by that are no columns of a file's own. taken: columns of an evaluation."""
    from adjudge.schemas.outcomes import RESERVED_COLUMNS

    for name in by:
        if not name.strip():
            raise OptionError("by: expected the name of a column to group by; got an empty one")
        if name in RESERVED_COLUMNS or name in taken or name.startswith("__"):
            raise OptionError(f"by: {TITLE}'s own tables have a column {name}; rename the file's column to group by it")


def inputs_of(call: Call, evaluation: str, *, spare: bool = False) -> "dict[str, list[Source]]":
    """What the function of an evaluation was called on, by argument: none of an argument that may be left out.

    spare: see `sources`.
    """
    from adjudge.readers.inputs import source_of, sources
    from adjudge.readers.transforms import check_values

    found: dict[str, list[Source]] = {}
    for name, one in arguments_of(call.function).items():
        if one.positional and not one.kind.several:
            found[name] = [source_of(call[name], call.reading, evaluation)]
        elif one.positional:
            given = call[name]
            left_out = isinstance(given, list | tuple) and not given and one.default == ()
            found[name] = [] if left_out else sources(given, call.reading, evaluation, spare=spare)
    check_values([source for many in found.values() for source in many], call.reading)
    return found


def done_to(opened: "Iterable[Source]") -> tuple[str, ...]:
    """Warnings that say what was done to read some inputs; of one that stands on both sides, each once."""
    return tuple(dict.fromkeys(warning for source in opened for warning in source.warnings))


def _write_files(found: "EvaluationResult", call: Call) -> None:
    """The further files that were asked for."""
    from adjudge.render.files import write_table

    for name, table in found.files.items():
        if call[name] is not None and table is None:
            raise OptionError(f"{name}: there is nothing to write. {' '.join(found.notes)}".rstrip())
        if call[name] is not None and table is not None:
            write_table(table, call[name])


def _items(found: "EvaluationResult", call: Call, made: Mapping[str, Any]) -> Items:
    """The first outcomes; all of them go into a file where one is asked for."""
    from adjudge.evaluations import evaluation
    from adjudge.render.files import write_items
    from adjudge.schemas.outcomes import categories_as_text

    first, path = categories_as_text(found.first).collect(), call["items"]
    if path is None:
        return Items(first, found.rows)
    with call.step("writing items"):
        items = found.counts.get(evaluation(made["evaluation"]).items, 0)
        write_items(categories_as_text(found.outcomes), path, {**made, "rows": found.rows, "collected": items})
    return Items(first, found.rows, str(path), sha256_of(path))


def without_items(
    call: Call,
    inputs: Sequence[Input],
    tables: "Mapping[str, pl.DataFrame]",
    *,
    evaluation: str,
    words: str,
    found: Mapping[str, Any] | None = None,
    **rest: Any,  # noqa: ANN401 - the other fields of a Report
) -> Report:
    """A report that has no outcomes of its own.

    words: what its command begins with. found: settings that the data decided, for the signature. rest: its counts,
    warnings, notes and, if there are any, examples.
    """
    import polars as pl

    from adjudge.schemas.outcomes import OUTCOMES

    examples = rest.pop("examples", pl.DataFrame(schema=dict.fromkeys(OUTCOMES, pl.String)))
    made = _made_by(call, evaluation, inputs, found or {})
    return _report(call, made, tables, words, items=Items(examples.clear(), 0), examples=examples, **rest)


def _made_by(call: Call, evaluation: str, inputs: Sequence[Input], found: Mapping[str, Any]) -> dict[str, Any]:
    """How a report was made, as its items file says it too."""
    arguments, hashed = arguments_of(call.function), further_inputs(call.function, call)
    figures = {name: one for name, one in _told(call).items() if not (arguments[name].option.shown or name in hashed)}
    return {
        NAME: __version__,
        "evaluation": evaluation,
        "signature": signature(__version__, evaluation, {**figures, **found}, inputs),
        "options": _told(call),
        "inputs": tuple(inputs),
    }


def _told(call: Call) -> dict[str, Any]:
    """The settings of a call as a report says them: addresses without passwords, tables by their type."""
    from adjudge.readers.io.remote import shown

    def said(name: str, given: object) -> object:
        if isinstance(given, str | PathLike):
            return shown(str(given))
        is_table = arguments[name].kind.role == "read" and given is not None and not isinstance(given, list | tuple)
        return type(given).__name__ if is_table else given

    arguments = arguments_of(call.function)
    return {name: said(name, one) for name, one in call.settings.items()}


def _report(
    call: Call,
    made: Mapping[str, Any],
    tables: "Mapping[str, pl.DataFrame]",
    words: str,
    **rest: Any,  # noqa: ANN401
) -> Report:
    """A report of what was made, with the other fields of a Report."""
    from adjudge.evaluations import evaluation
    from adjudge.metrics.metric import clip_intervals

    said = {name: value for name, value in made.items() if name != "evaluation"}
    about, command = evaluation(made["evaluation"], tables), None
    if all(Path(one.path).is_file() for one in made["inputs"]):
        own = made["inputs"][: len(made["inputs"]) - len(further_inputs(call.function, call))]
        command = command_of(call, [one.path for one in own], words)
    bounded = {name: clip_intervals(table, about.metrics) for name, table in tables.items()}
    return Report(about=about, tables=bounded, command=command, **said, **rest)


def command_of(call: Call, paths: Sequence[str], words: str) -> str:
    """The command that makes a call. words: what it begins with."""
    arguments = arguments_of(call.function)
    defaults = {name: one.default for name, one in arguments.items()}
    split = [name for name, one in arguments.items() if one.kind.split]
    return command_line(words, paths, call.settings, defaults, split)


# --- how a report was made, as text ---


_HASH_SHOWN = 12


def signature(version: str, evaluation: str, options: Mapping[str, Any], inputs: Sequence[Input]) -> str:
    """One line of text that differs whenever an option, an input's bytes or the version does.

    Options that are None or empty say nothing and are left out.

    >>> signature("0.2.0", "reliability", {"seed": 0, "by": [], "labels": ["a", "b"]}, [Input("x", "abcdef", 2)])
    'adjudge=0.2.0|evaluation=reliability|seed=0|labels=["a","b"]|inputs=abcdef'
    """
    said = {name: value for name, value in options.items() if _says(value)}
    parts = {NAME: version, "evaluation": evaluation, **said}
    hashes = ",".join(one.sha256[:_HASH_SHOWN] for one in inputs)
    return "|".join([*(f"{name}={_text(value)}" for name, value in parts.items()), f"inputs={hashes}"])


def _says(value: object) -> bool:
    return not (value is None or (isinstance(value, Sequence | Mapping) and not isinstance(value, str) and not value))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def command_line(
    command: str,
    paths: Sequence[str],
    options: Mapping[str, Any],
    defaults: Mapping[str, Any],
    split: Collection[str] = (),
) -> str:
    """The command that gives the same figures from the same files; options at their defaults are left out.

    command: what stands between adjudge and the files. split: options whose values the command line splits at commas.

    >>> command_line("reliability score", ["my votes.csv"], {"seed": 1, "drop": True}, {"seed": 0, "drop": False})
    "adjudge reliability score 'my votes.csv' --seed 1 --drop"
    """
    from adjudge.readers.io.remote import STANDARD_INPUT

    files = (f"./{path}" if path.startswith("-") and path != STANDARD_INPUT else path for path in paths)
    words = [NAME, *command.split(), *files]
    for name, value in options.items():
        if value != defaults.get(name) and _says(value):
            words += _flag(flag_of(name), value, split=name in split)
    return shlex.join(words)


def _flag(flag: str, value: object, *, split: bool) -> list[str]:
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag.removeprefix('--')}"]
    if isinstance(value, Mapping) and any(isinstance(one, Mapping) for one in value.values()):
        pairs = [(name, *one) for name, meanings in value.items() for one in meanings.items()]
        return [word for name, own, meant in pairs for word in (flag, f"{name}:{_value(own)}={_escaped(meant)}")]
    if isinstance(value, Mapping):
        pairs = [(name, one) for name, many in value.items() for one in (many if isinstance(many, list) else [many])]
        return _joined(flag, [f"{name}={_escaped(str(one))}" for name, one in pairs])
    if isinstance(value, list | tuple):
        if split:
            return _joined(flag, [_escaped(str(one)) for one in value])
        return [word for one in value for word in (flag, str(one))]
    return [flag, str(value)]


def values_as_given(argument: Argument, value: object) -> list[str]:
    """How the command line gives a value, without its flag."""
    return (
        [one for one in _flag(argument.flag, value, split=argument.kind.split) if one != argument.flag] if value else []
    )


def _joined(flag: str, values: Sequence[str]) -> list[str]:
    """Values behind one flag, with commas between them; each behind its own where one would not read back so."""
    if all(re.fullmatch(r"(\w+=)?(?!\s).*[^\s\\]", one, re.DOTALL) for one in values):
        return [flag, ",".join(values)]
    return [word for one in values for word in (flag, one)]


def _value(text: str) -> str:
    """A value that the command line does not take for a column's name, or for two values."""
    return _escaped(text.replace(":", "\\:").replace("=", "\\="))


def _escaped(text: str) -> str:
    """Text whose commas the command line does not take for ends of values."""
    return text.replace(",", "\\,")


# --- saved runs ---


def runs_of(paths: Sequence[str | Path]) -> "list[Run]":
    """The runs in files, see `readers.saved_runs.read_runs`. Raises DataError for options that are not valid."""
    from adjudge.evaluations import evaluation
    from adjudge.readers.saved_runs import read_runs

    found = read_runs(paths)
    for run in found:
        evaluation(run.evaluation)
    return [replace(run, options=_checked(run)) for run in found]


def _checked(run: "Run") -> dict[str, Any]:
    known = documented_as(run.evaluation).arguments
    broken = f"{run.path}: what it says of how it was made is broken"
    if unknown := [name for name in run.options if name not in known]:
        raise DataError(f"{broken}: no option is called {unknown[0]:.60}. Write it again with --items")
    try:
        return {name: known[name].checked(value) for name, value in run.options.items()}
    except OptionError as error:
        raise DataError(f"{broken}: {error}. Write it again with --items") from None
