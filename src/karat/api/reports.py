"""What figures become: a Report with its signature, and the command that gives the same."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat import __version__
from karat.api import options as declared
from karat.errors import OptionError
from karat.report import Input, Items, Report
from karat.signature import command_line, signature

if TYPE_CHECKING:
    import polars as pl

    from karat.api.kinds import Progress
    from karat.evaluations.scoring import Scored
    from karat.formats.source import Source

Function = Callable[..., Any]
"""A public function, whose signature says its options."""


def run(function: Function, given: Mapping[str, Any]) -> Report:
    """The report of the evaluation named like the function, for the arguments that the function was given.

    All that can be wrong with options alone is found before anything is read.
    """
    values = declared.bound(function, given)
    options, step = declared.settings(function, values), values["progress"] or silent
    from karat.evaluations.scoring import scoring
    from karat.formats.tables import damage_named
    from karat.schemas.clusters import check_cluster

    evaluation = scoring(function.__name__)
    _check_by(options["by"], evaluation.TAKEN)
    check_cluster(options["cluster"], evaluation.ITEM)
    evaluation.check(values, options)
    with step("reading"):
        inputs = inputs_of(function, values, function.__name__)
    with damage_named([source.path for many in inputs.values() for source in many if source.path]):
        with step("reading"):
            read = evaluation.read(inputs, options)
        found = evaluation.score(read, inputs, options, step)
        made = made_by(function, options, found.inputs, found=found.found)
        return _report(
            made,
            found.tables,
            items=_items(found, values["items"], made, step),
            examples=found.examples(options["examples"], options["seed"]),
            counts=found.counts,
            warnings=tuple(found.warnings),
            notes=tuple(found.notes),
            command=command_of(function, options, found.inputs, f"{function.__name__} score"),
        )


def _report(made: Mapping[str, Any], tables: "Mapping[str, pl.DataFrame]", **rest: Any) -> Report:  # noqa: ANN401
    """A report of what was made, with the other fields of a Report."""
    from karat.evaluations import evaluation

    said = {name: value for name, value in made.items() if name != "evaluation"}
    return Report(about=evaluation(made["evaluation"], tables), tables=tables, **said, **rest)


def _check_by(by: Sequence[str], taken: Collection[str]) -> None:
    from karat.schemas.outcomes import RESERVED

    for name in by:
        if name in RESERVED or name in taken or name.startswith("__"):
            raise OptionError(f"by: Karat's own tables have a column {name}; rename the file's column to group by it")


def inputs_of(function: Function, values: Mapping[str, Any], evaluation: str) -> "dict[str, list[Source]]":
    """What the function of an evaluation was called on, by argument: none of an argument that may be left out."""
    from karat.formats.source import sources

    found: dict[str, list[Source]] = {}
    for name, one in declared.arguments_of(function).items():
        if one.positional:
            given = values[name] if one.several else [values[name]]
            nothing = isinstance(given, list | tuple) and not given
            left_out = nothing and one.default is not inspect.Parameter.empty
            found[name] = [] if left_out else sources(given, values["input_format"], evaluation)
    return found


def _items(found: "Scored", path: Path | None, made: Mapping[str, Any], step: "Progress") -> Items:
    """The first outcomes; all of them go into a file where one is asked for."""
    from karat.render.files import sha256_of, write_items
    from karat.schemas.outcomes import as_text

    first = as_text(found.first).collect()
    if path is None:
        return Items(first, found.rows)
    with step("writing items"):
        write_items(as_text(found.outcomes), path, {**made, "rows": found.rows})
    return Items(first, found.rows, str(path), sha256_of(path))


def made_by(
    function: Function,
    options: Mapping[str, Any],
    inputs: Sequence[Input],
    *,
    evaluation: str = "",
    found: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """How a report was made, as its items file says it too.

    evaluation: where the function's name does not say it. found: settings that the data decided, for the signature.
    """
    name = evaluation or function.__name__
    arguments = declared.arguments_of(function)
    hashed = declared.further_inputs(function, options)
    figures = {name: one for name, one in options.items() if not (arguments[name].option.shown or name in hashed)}
    return {
        "karat": __version__,
        "evaluation": name,
        "signature": signature(__version__, name, {**figures, **(found or {})}, inputs),
        "options": options,
        "inputs": tuple(inputs),
    }


def command_of(function: Function, options: Mapping[str, Any], inputs: Sequence[Input], words: str) -> str | None:
    """The command that gives the same report; None where an input is no file. words: what it begins with."""
    if not all(Path(one.path).is_file() for one in inputs):
        return None
    arguments = declared.arguments_of(function)
    paths = [one.path for one in inputs[: len(inputs) - len(declared.further_inputs(function, options))]]
    defaults = {name: one.default for name, one in arguments.items()}
    split = [name for name, one in arguments.items() if one.kind.split]
    return command_line(words, paths, options, defaults, split)


def without_items(
    function: Function,
    options: Mapping[str, Any],
    inputs: Sequence[Input],
    tables: "Mapping[str, pl.DataFrame]",
    *,
    evaluation: str,
    words: str,
    found: Mapping[str, Any] | None = None,
    **rest: Any,  # noqa: ANN401 - the other fields of a Report
) -> Report:
    """A report that has no outcomes of its own. rest: its counts, warnings, notes and, if there are any, examples."""
    import polars as pl

    from karat.schemas.outcomes import OUTCOMES

    nothing = pl.DataFrame(schema=dict.fromkeys(OUTCOMES, pl.String))
    examples = rest.pop("examples", nothing)
    return _report(
        made_by(function, options, inputs, evaluation=evaluation, found=found),
        tables,
        items=Items(examples.clear(), 0),
        examples=examples,
        command=command_of(function, options, inputs, words),
        **rest,
    )


def silent(_: str) -> AbstractContextManager[object]:
    """A progress that shows nothing."""
    return nullcontext()
