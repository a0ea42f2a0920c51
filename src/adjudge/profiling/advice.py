"""Options that files suggest, as `--guess` takes them; what inputs become with them; what to do about refused files."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from adjudge.errors import AdjudgeError
from adjudge.evaluations import options_of
from adjudge.evaluations.scoring import scoring
from adjudge.options.command_lines import command_of
from adjudge.options.declaration import Options
from adjudge.profiling.file_profile import FileProfile, profile_of, recognised
from adjudge.profiling.guess import assigned, trusted_among
from adjudge.profiling.table_guesses import GUESSED, guess
from adjudge.readers.formats import READ_ALIKE
from adjudge.readers.inputs import source_of
from adjudge.readers.io.source import Format, Source, how_of, parted
from adjudge.readers.parsed_input import opened
from adjudge.readers.transforms import shaped
from adjudge.version import NAME

_SHAPING: Mapping[str, Any] = {"constant": {}, "map_values": {}, "item_columns": ()}
"""Options by which inputs become others, and what each is if nothing is said."""


def with_guesses(
    inputs: Mapping[str, Sequence[Source]], options: Options, guesses: Mapping[str, Any]
) -> dict[str, list[Source]]:
    """Inputs with the constants, meanings of values and rows that were guessed, which they do not have yet."""
    fresh = {name: guesses.get(name) or empty for name, empty in _SHAPING.items()}
    how = replace(how_of(options), **fresh)
    return {name: [shaped(replace(source, how=how)) for source in many] for name, many in inputs.items()}


def guessed(
    name: str,
    options: Any,  # noqa: ANN401 - of the evaluation
    inputs: dict[str, list[Source]],
) -> tuple[Any, dict[str, list[Source]], tuple[str, ...]]:
    """Options and inputs with what the files suggest, but for options given, and warnings that name the guesses."""
    if not options.guess:
        return options, inputs, ()
    files = [profile_of(source) for many in inputs.values() for source in parted(many)[0][:1]]
    if own_format(name, files):
        return replace(options, guess=False), inputs, ()
    suggested, given = guess(name, files[0].table), options.values()
    new = {
        key: {**value, **given[key]} if isinstance(value, Mapping) else given[key] or value
        for key, value in suggested.options.items()
    }
    made = type(options).of({**given, **new, "guess": False})
    guesses = [f"guessed: {key} {_in_words(value)}" for key, value in new.items() if made.values()[key] != given[key]]
    fresh: dict[str, Any] = {"item_columns": () if given["item_columns"] else new.get("item_columns")}
    for key in ("constant", "map_values"):
        fresh[key] = {column: value for column, value in new.get(key, {}).items() if column not in given[key]}
    return made, with_guesses(inputs, made, fresh), (*guesses, *suggested.doubts)


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_in_words(each)}" for name, each in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def own_format(name: str, files: Sequence[FileProfile]) -> Format | None:
    """The evaluation's own format that the first file is in; those that any table might be in are none."""
    reading, any_table = _reading(name), Source("a table", "table", table=pl.DataFrame({"": ["x"]}))
    form = recognised(name, files[0].source, reading)
    return None if form is None or form == recognised(name, any_table, reading) else form


def _reading(name: str) -> Any:  # noqa: ANN401
    """An evaluation's options of reading, if none is given."""
    return scoring(name).reader_options(options_of(name).of({}))


def lacks_answers(profile: FileProfile) -> bool:
    """Whether a file holds what models answered, and not the true answers, which another may hold."""
    form = own_format("rag", [profile])
    if form is None:
        return assigned("rag", profile.table, ["answer", "response"]).keys() == {"response"}
    layout = form.read(opened(profile.source, _reading("rag")))
    there = layout.names(["answer"], profile.table.names)["answer"] in profile.table.names
    return layout.joined or not (there or not layout.is_flat)


# --- what to do about a refused file ---

_LOOKED_INTO = 1 << 28
"""Bytes up to which a file that was refused is looked into again."""


def advise(error: AdjudgeError, name: str, path: str, options: Options) -> None:
    """Add the command that reads a refused file, or looks at it, and the options that an evaluation lacks.

    name: the evaluation, or another function. options: those that it was given.
    """
    error.hint = shlex.join([NAME, "look", path])
    if (name not in GUESSED and name not in READ_ALIKE) or Path(path).stat().st_size > _LOOKED_INTO:
        return
    with suppress(AdjudgeError):
        profile = profile_of(source_of(path))
        readers = [each for each in GUESSED if each not in READ_ALIKE and own_format(each, [profile])]
        if len(readers) == 1 and READ_ALIKE.get(name, name) not in readers and name in GUESSED:
            error.hint = shlex.join([NAME, *readers, path])
        missing = _missing_options(name, profile, options.values(), error) if name != "card" else {}
        if (error.columns or error.voters) and missing:
            error.fix = command_of(options.of(missing), [], "").removeprefix(NAME).strip()


def _missing_options(name: str, profile: FileProfile, given: Mapping[str, Any], error: AdjudgeError) -> dict[str, Any]:
    """Options that give an evaluation what it lacks: columns of a file, or whom to trust.

    None that is given already, and no column that is mapped already; {} where nothing tells them.
    """
    suggested = guess(name, profile.table)
    if name == "rag" and suggested.lacking:  # answers and true ones are hardly told apart
        return {}
    taken, wide = {*given["columns"].values()}, {"annotator_columns", "criteria"}
    columns = {ours: theirs for ours, theirs in suggested.options.get("columns", {}).items() if theirs not in taken}
    if error.voters:
        trusted = trusted_among(error.voters)
        if "reference" in columns:
            return {"columns": {"reference": columns["reference"]}}
        return {"reference": [trusted]} if trusted else {}
    new = {key: value for key, value in suggested.options.items() if key != "columns" and value != given.get(key)}
    known = {*columns, *new.get("constant", ())}
    if known.isdisjoint(error.columns) and wide.isdisjoint(new):
        return {}
    if wide.isdisjoint(new):
        columns |= {column: "COLUMN" for column in error.columns if column not in known}
    return {"columns": columns, **new} if columns else new
