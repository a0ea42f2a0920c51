"""Writes docs/reference/python.md from the signatures and docstrings of the public names."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cached_property
from operator import attrgetter
from pathlib import Path

import adjudge.testing
from adjudge.cli import QUESTIONS
from adjudge.options.shared import Reading

GROUPS = {
    "Files": "look convert",
    "Evaluations": "reliability agreement card correct annotations preferences rag violations score",
    "Runs and planning": "compare history plan",
    "Submissions and published scores": "check_preferences rank_preferences",
    "RAG questions": "audit_rag prepare_rag",
    "Violation matching": "violation_agreement violation_pairs calibrate_violations",
    "Language models": "judge label_annotations predict_preferences judge_preferences answer_rag judge_rag "
    "check_violations plant_violations",
    "Assertions for tests": "testing.assert_agreement testing.assert_significantly_better testing.assert_not_worse",
    "Results and settings": "Report Estimate Reading",
    "Errors": "AdjudgeError DataError OptionError MissingError",
}
_NAME = re.compile(r"(?<!\w)((?:[\w.]*[*_<>|{}][\w.*<>|{}/-]*)+)(?!\w)")
COMMANDS = {
    "correct": "card correct",
    "violation_agreement": "violations agreement",
    "violation_pairs": "violations pairs",
}
"""Commands whose functions have other names than theirs."""
INTRODUCTION = """# Python API

Every public name of `adjudge`, with its signature. Most commands have a function, and an option such as `--ci-level` is
the keyword `ci_level`; [Commands](commands.md) explains the options. An evaluation returns a `Report`, which is saved
with `report.save("report.html")`. Input is a path, an address or a table: polars, pandas, pyarrow, a data set of
Hugging Face, a dict of columns or a list of dicts. `help(adjudge.reliability)` shows the same text."""


def python_page() -> str:
    """The reference of the Python API as Markdown."""
    listed = {name for names in GROUPS.values() for name in names.split() if "." not in name}
    if missing := {*adjudge.__all__} ^ {*listed, "__version__"}:
        raise ValueError(f"expected each public name in one group; not so: {sorted(missing)}")
    parts = [INTRODUCTION]
    for group, names in GROUPS.items():
        parts.append(f"## {group}")
        for name in names.split():
            parts += _entry(f"adjudge.{name}", attrgetter(name)(adjudge))
    return "\n\n".join(parts) + "\n"


def _entry(name: str, found: Callable[..., object]) -> Iterator[str]:
    yield f"### {name}"
    if not inspect.isclass(found):
        yield _signature(name, found)
    verb, _, noun = name.removeprefix("adjudge.").partition("_")
    command = COMMANDS.get(verb if not noun else f"{verb}_{noun}", f"{noun} {verb}".strip())
    if command in QUESTIONS:
        yield f"Command: [`adjudge {command}`](commands.md#adjudge-{command.replace(' ', '-')})"
    yield from _sections(inspect.getdoc(found) or "", with_options=command not in QUESTIONS)
    if found is Reading:
        yield "Fields: " + ", ".join(f"`{field}`" for field in Reading.__annotations__) + "."
    elif inspect.isclass(found) and not issubclass(found, Exception):
        yield "\n".join(_methods(found))


def _methods(found: type) -> Iterator[str]:
    for method, held in vars(found).items():
        one = held.func if isinstance(held, cached_property) else getattr(held, "fget", getattr(found, method))
        if not method.startswith("_") and callable(one) and (text := inspect.getdoc(one)):
            brackets = f"({', '.join(_arguments(one))})" if callable(getattr(found, method)) else ""
            yield f"- `.{method}{brackets}`: {_text(text.partition(chr(10) * 2)[0])}"


def _signature(name: str, found: Callable[..., object]) -> str:
    return "\n".join(["```text", f"{name}(", *(f"    {one}," for one in _arguments(found)), ")", "```"])


def _arguments(found: Callable[..., object]) -> Iterator[str]:
    """The parameters of a function, with their types and defaults, short enough to be read."""
    parameters = [one for one in inspect.signature(found).parameters.values() if one.name not in ("self", "progress")]
    keyword = False
    for one in parameters:
        if one.kind is one.KEYWORD_ONLY and not keyword:
            keyword = True
            yield "*"
        yield re.sub(
            r"\b(?:typing|collections\.abc|pathlib|contextlib|polars|adjudge(?:\.\w+)+)\.(?=[A-Z])", "", str(one)
        )


def _sections(text: str, *, with_options: bool) -> Iterator[str]:
    """The paragraphs of a docstring, without examples, and its options as a list."""
    for part in re.split(r"\n\n(?=Returns\n|Raises\n|Example\n|Options\n)|\n\n", text):
        title, underlined, body = part.partition("\n-")
        if not underlined:
            yield from [] if part.startswith(">>>") else [_text(part)]
            continue
        body = body.lstrip("-").strip("\n")
        if title == "Options" and with_options:
            options = (one.partition(": ") for one in re.split(r"\n(?=\w+: )", body))
            yield "\n".join(f"- `{name}`: {_text(' '.join(said.split()))}" for name, _, said in options)
        elif title in ("Returns", "Raises"):
            yield f"{title}: {_text(body)}"


def _text(text: str) -> str:
    """Markdown of a docstring: names with signs that Markdown would take for its own become code."""
    parts = re.split(r"(`[^`]*`)", text.replace("\n", " "))
    return "".join(one if one.startswith("`") else _NAME.sub(r"`\1`", one) for one in parts)


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "python.md").write_text(python_page(), encoding="utf-8")
