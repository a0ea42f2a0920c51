"""Options that files suggest, as `guess` takes them; and what inputs become with them."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError
from adjudge.evaluations import NAMES, options_of
from adjudge.evaluations.scoring import scoring
from adjudge.options.command_lines import command_of
from adjudge.options.declaration import Options
from adjudge.profiling.file_profile import Seen, recognised, seen
from adjudge.profiling.guess import trusted_among
from adjudge.profiling.guessers import GUESSERS, are_answers_alone, guess
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.inputs import source_of
from adjudge.readers.io.source import Format, Source, how_of, parted
from adjudge.readers.parsed_input import opened
from adjudge.readers.transforms import shaped
from adjudge.version import NAME


def with_guesses(
    inputs: Mapping[str, list[Source]], options: Options, guesses: Mapping[str, Any]
) -> dict[str, list[Source]]:
    """Inputs with the constants, meanings of values and rows that were guessed, which they do not have yet."""
    constants, meanings = (guesses.get(name) or {} for name in ("constant", "map_values"))
    items = guesses.get("item_columns") or ()
    how = replace(how_of(options), constant=constants, map_values=meanings, item_columns=items)
    return {name: [shaped(replace(one, how=how)) for one in many] for name, many in inputs.items()}


def guessed(
    name: str,
    options: Any,  # noqa: ANN401 - of the evaluation
    inputs: dict[str, list[Source]],
) -> tuple[Any, dict[str, list[Source]], tuple[str, ...]]:
    """Options and inputs with what the files suggest, but for options given, and warnings that name the guesses."""
    if not options.guess:
        return options, inputs, ()
    files = [seen(source) for many in inputs.values() for source in parted(many)[0][:1]]
    if own_format(name, files):
        return replace(options, guess=False), inputs, ()
    found, given = guess(name, files[0].table), options.values()
    new = {
        key: {**value, **given[key]} if isinstance(value, Mapping) else given[key] or value
        for key, value in found.options.items()
    }
    made = type(options).of({**given, **new, "guess": False})
    guesses = [f"guessed: {key} {_in_words(value)}" for key, value in new.items() if made.values()[key] != given[key]]
    fresh: dict[str, Any] = {
        key: {one: value for one, value in (new.get(key) or {}).items() if one not in given[key]}
        for key in ("constant", "map_values")
    }
    fresh["item_columns"] = () if given["item_columns"] else new.get("item_columns")
    return made, with_guesses(inputs, made, fresh), (*guesses, *found.doubts)


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_in_words(one)}" for name, one in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def own_format(name: str, files: Sequence[Seen]) -> Format | None:
    """The evaluation's own format that the first file is in; those that any table might be in are none."""
    reading, any_table = _reading(name), Source("a table", "table", table=pl.DataFrame({"": ["x"]}))
    form = recognised(name, files[0].source, reading)
    return None if form is None or form == recognised(name, any_table, reading) else form


def _reading(name: str) -> Any:  # noqa: ANN401
    """An evaluation's options of reading, if none is given."""
    return scoring(name).reader_options(options_of(name).of({}))


def lacks_answers(file: Seen) -> bool:
    """Whether a file holds what models answered, and not the true answers, which another may hold."""
    form = own_format("rag", [file])
    if form is None:
        return are_answers_alone(file.table)
    layout = form.read(opened(file.source, _reading("rag")))
    there = layout.names(["answer"], file.table.names)["answer"] in file.table.names
    return layout.joined or not (there or layout.batches)


def advise(error: AdjudgeError, name: str, path: str, options: Options) -> None:
    """Add the command that reads a refused file, or looks at it, and the options that an evaluation lacks.

    name: the evaluation, or another function. options: those that it was given.
    """
    error.hint = shlex.join([NAME, "look", path])
    if Path(path).stat().st_size <= _LOOKED_INTO:
        with suppress(AdjudgeError):
            error.hint = _other_command(name, path) or error.hint
            if (error.columns or error.voters) and (missing := _missing_options(name, path, options.values(), error)):
                error.fix = command_of(options.of(missing), [], "").removeprefix(NAME).strip()


def _missing_options(name: str, path: str, given: Mapping[str, Any], error: AdjudgeError) -> dict[str, Any]:
    """Options that give an evaluation what it lacks: columns of a file, or whom to trust.

    None that is given already, and no column that is mapped already; {} where nothing tells them.
    """
    if name not in NAMES or name == "card":
        return {}
    read = guess(name, seen(source_of(path)).table)
    if name == "rag" and read.lacking:  # answers and true ones are hardly told apart
        return {}
    found: dict[str, Any] = dict(read.options)
    taken = {*given["columns"].values()}
    columns = {one: theirs for one, theirs in found.pop("columns", {}).items() if theirs not in taken}
    if error.voters:
        trusted = trusted_among(error.voters)
        if "reference" in columns:
            return {"columns": {"reference": columns["reference"]}}
        return {"reference": [trusted]} if trusted else {}
    new = {key: value for key, value in found.items() if value != given.get(key)}
    known = {*columns, *new.get("constant", ())}
    if known.isdisjoint(error.columns) and {"annotator_columns", "criteria"}.isdisjoint(new):
        return {}
    if "annotator_columns" not in new and "criteria" not in new:
        columns |= {one: "COLUMN" for one in error.columns if one not in known}
    return {"columns": columns, **new} if columns else new


def _other_command(name: str, path: str) -> str:
    """The command for a file in a format that another evaluation alone reads; empty for other files."""
    if name not in GUESSERS:
        return ""
    file = seen(source_of(path))
    known = [one for one in NAMES if one in GUESSERS and one not in READ_ALIKE and own_format(one, [file])]
    return shlex.join([NAME, *known, path]) if READ_ALIKE.get(name, name) not in known and len(known) == 1 else ""


_LOOKED_INTO = 1 << 28
"""Bytes up to which a file that was refused is looked into again."""
