"""The formats that Adjudge reads, each declared as FORMAT by the module that reads it.

Such a module is in the folder of its evaluation or in `tools`; there is no list of them.
"""

from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from adjudge.readers.io.source import Format, Source, Start

FOLDERS = {"reliability": "labels", "annotations": "pairs", "violations": "spans", "rag": "answers"}
FOLDERS |= {"preferences": "preferences"}
"""Evaluation -> the folder of its formats; `tools` holds those of other tools."""


@cache
def formats(evaluation: str | None = None) -> tuple[Format, ...]:
    """The formats of an evaluation, or of flat tables, in their order of recognition."""
    whose = {"agreement": "reliability", "card": "reliability"}.get(evaluation or "", evaluation)
    folders = (FOLDERS[whose], "tools") if whose in FOLDERS else ()
    names = [] if folders else ["tables", "io.delimited"]
    for folder in folders:
        names += [f"{folder}.{module.name}" for module in iter_modules([str(Path(__file__).parent / folder)])]
    declared = [getattr(import_module(f"{__package__}.{name}"), "FORMAT", ()) for name in names]
    all_formats = [form for one in declared for form in ((one,) if isinstance(one, Format) else one)]
    own = [form for form in all_formats if form.evaluation == whose]
    return tuple(sorted(own, key=lambda form: (-form.precedence, form.name)))


def names(evaluation: str | None) -> list[str]:
    """The values of `--input-format` for an evaluation: its own formats, and flat tables."""
    own = formats(evaluation) if evaluation else ()
    return [form.name for form in (*own, *formats())]


def format_named(evaluation: str | None, name: str) -> Format:
    """The format of a name. Raises KeyError if there is none."""
    return {form.name: form for form in formats(evaluation)}[name]


def container(start: Start) -> str:
    """The flat table, or the JSON, that a file looks like."""
    return next(form.name for form in formats() if form.recognise(start))


def with_container(source: Source) -> Source:
    """A file as the flat table, or the JSON, that it looks like; a table unchanged."""
    if source.path is None or source.format in names(None):
        return source
    return replace(source, format=container(source.start()))
