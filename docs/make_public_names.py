"""Writes docs/public-names.txt: the names that users of Karat may rely on. docs/commands.md has those of commands."""

import inspect
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType

import karat
from karat import statistics
from karat.evaluations import NAMES, evaluation
from karat.evaluations.several_runs import HEADS
from karat.report import FIGURE

PATH = Path(__file__).parent / "public-names.txt"
_WIDTH = 118


def public_names() -> str:
    """Functions with their parameters, classes with what they hold, figures and tables, an entry each."""
    entries = [*_of_module(karat, karat.__all__), *_of_module(statistics, statistics.__all__), *_of_reports()]
    return "".join(f"{_entry(name, held)}\n" for name, held in entries)


def _of_module(module: ModuleType, names: Iterable[str]) -> Iterator[tuple[str, Iterable[str]]]:
    for name in names:
        one = getattr(module, name)
        if inspect.isclass(one):
            yield f"{module.__name__}.{name}", _of_class(one)
        elif callable(one):
            yield f"{module.__name__}.{name}()", _of_function(one)
        else:
            yield f"{module.__name__}.{name}", ()


def _of_class(one: type) -> Iterator[str]:
    if is_dataclass(one):
        yield from (f"{field.name}{'' if field.init else ' (made)'}" for field in fields(one))
    for name, member in sorted(vars(one).items()):
        if name[0] != "_" and (callable(member) or isinstance(member, property | classmethod | staticmethod)):
            function = getattr(one, name)
            yield f"{name}({', '.join(_of_function(function))})" if callable(function) else name


def _of_function(function: object) -> Iterator[str]:
    seen = False
    for one in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
        if one.kind is one.KEYWORD_ONLY and not seen:
            seen = True
            yield "*"
        if one.name != "self":
            yield str(one.replace(annotation=one.empty))


def _of_reports() -> Iterator[tuple[str, Iterable[str]]]:
    yield "columns of tables of figures", FIGURE
    for name in NAMES:
        about = evaluation(name)
        yield f"tables of {name}", about.tables
        yield f"figures of {name}", about.metrics
        yield from ((f"tables of {name}, with {head}", about.heads[head].tables) for head in about.heads)
    yield from ((f"tables of several runs, with {head}", HEADS[head].tables) for head in HEADS)


def _entry(name: str, held: Iterable[str]) -> str:
    text = f"{name}: {', '.join(held)}".removesuffix(": ")
    return textwrap.fill(text, _WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PATH.write_text(public_names(), encoding="utf-8")
