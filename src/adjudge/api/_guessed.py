"""Options that files suggest, as `guess` takes them; and what inputs become with them."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.api.calls import Call, arguments_of, bound, documented_as
from adjudge.errors import AdjudgeError
from adjudge.version import NAME

if TYPE_CHECKING:
    from adjudge.profiling.file_profile import Seen
    from adjudge.readers.io.source import Format, Source


def made_of(inputs: "Mapping[str, list[Source]]", call: Call, options: Mapping[str, Any]) -> "dict[str, list[Source]]":
    """Inputs with the constants, meanings of values and rows that were guessed, which they do not have yet."""
    from adjudge.readers.transforms import shaped

    constants, meanings = (options.get(name) or {} for name in ("constant", "map_values"))
    items = options.get("item_columns") or ()
    how = replace(call.reading, constant=constants, map_values=meanings, item_columns=items)
    return {name: [shaped(replace(one, how=how)) for one in many] for name, many in inputs.items()}


def guessed(call: Call, inputs: "dict[str, list[Source]]") -> "tuple[Call, dict[str, list[Source]], tuple[str, ...]]":
    """A call and its inputs with the options that its files suggest, but for those given, and warnings that say so."""
    from adjudge.profiling.file_profile import seen
    from adjudge.profiling.guessers import guess
    from adjudge.readers.io.source import parted

    if not call["guess"]:
        return call, inputs, ()
    files = [seen(source) for many in inputs.values() for source in parted(many)[0][:1]]
    if own_format(call.function.__name__, files):
        return Call(call.function, {**call, "guess": False}), inputs, ()
    found = guess(call.function.__name__, files[0].table)
    new = {
        name: {**value, **call[name]} if isinstance(value, Mapping) else call[name] or value
        for name, value in found.options.items()
    }
    told = [f"guessed: {name} {_in_words(value)}" for name, value in new.items() if value != call[name]]
    made = Call(call.function, {**call, **new, "guess": False})
    fresh: dict[str, Any] = {
        name: {key: value for key, value in (new.get(name) or {}).items() if key not in (call[name] or {})}
        for name in ("constant", "map_values")
    }
    fresh["item_columns"] = () if call["item_columns"] else new.get("item_columns")
    return made, made_of(inputs, made, fresh), (*told, *found.doubts)


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={_in_words(one)}" for name, one in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def own_format(name: str, files: "Sequence[Seen]") -> "Format | None":
    """The evaluation's own format that the first file is in; those that any table might be in are none."""
    import polars as pl

    from adjudge.profiling.file_profile import recognised
    from adjudge.readers.io.source import Source

    reading, any_table = _reading(name), Source("a table", "table", table=pl.DataFrame({"": ["x"]}))
    form = recognised(name, files[0].source, reading)
    return None if form is None or form == recognised(name, any_table, reading) else form


def _reading(name: str) -> Any:
    """An evaluation's options of reading, where none is given."""
    from adjudge.evaluations.scoring import scoring

    function = documented_as(name).function
    unnamed: dict[str, list[str]] = {key: [] for key, one in arguments_of(function).items() if one.positional}
    return scoring(name).reader_options(bound(function, unnamed).settings)


def lacks_answers(file: "Seen") -> bool:
    """Whether a file holds what models answered, and not the true answers, which another may hold."""
    from adjudge.profiling.guessers import are_answers_alone
    from adjudge.readers.parsed_input import opened

    form = own_format("rag", [file])
    if form is None:
        return are_answers_alone(file.table)
    layout = form.read(opened(file.source, _reading("rag")))
    there = layout.names(["answer"], file.table.names)["answer"] in file.table.names
    return layout.joined or not (there or layout.batches)


def read_elsewhere(name: str, path: str) -> str:
    """What a file looks like that another evaluation alone knows the format of; empty for other files."""
    from adjudge.evaluations import NAMES
    from adjudge.profiling.file_profile import seen
    from adjudge.profiling.guessers import GUESSERS
    from adjudge.readers.formats import READ_ALIKE
    from adjudge.readers.inputs import source_of

    apart = [one for one in NAMES if one in GUESSERS and one not in READ_ALIKE]
    if name not in GUESSERS or Path(path).stat().st_size > _LOOKED_INTO:
        return ""
    with suppress(AdjudgeError):
        file = seen(source_of(path))
        known = {one: form for one in apart if (form := own_format(one, [file]))}
        if READ_ALIKE.get(name, name) not in known and len(known) == 1:
            ((other, form),) = known.items()
            return f"It looks like {form.name}, which {NAME} {other} score reads"
    return ""


_LOOKED_INTO = 1 << 28
"""Bytes up to which a file that was refused is looked into again."""
