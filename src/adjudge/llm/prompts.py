"""Prompts: a readable template a question, each with a version; users may pass their own file.

A template is a TOML file: `version`, `system` (may be missing) and `prompt`, in which {{ name }} stands for a value.
Texts that are judged come fenced by a marker drawn at random for each call, so that none of them can close its fence.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import StrictUndefined, TemplateError, meta
from jinja2.sandbox import SandboxedEnvironment

from adjudge.errors import OptionError
from adjudge.text.toml_files import packaged, toml_in

_FIELDS = ("prompt", "system", "version")
_JINJA = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
_compiled = lru_cache(maxsize=16)(_JINJA.from_string)


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt with places for values. name, version: which it is."""

    name: str
    version: str
    system: str
    prompt: str

    @property
    def signed(self) -> str:
        """As a report's signature says it: the name, the version and the first digits of the text's hash."""
        digest = sha256(f"{self.system}\0{self.prompt}".encode()).hexdigest()[:8]
        return f"{self.name}@{self.version}#{digest}"

    def filled(self, given: Mapping[str, object], judged: Mapping[str, Any], marker: str) -> tuple[str, str]:
        """System message and prompt.

        given: values as they are. judged: texts (or lists and dicts of texts), which are fenced. marker: of the fence.

        Raises OptionError for a place that no value is for.
        """
        values = {**given, **{name: fenced(one, marker) for name, one in judged.items()}, "marker": marker}
        return _filled(self.name, self.system, values), _filled(self.name, self.prompt, values)


def fenced(one: Any, marker: str) -> Any:  # noqa: ANN401 - a text, or lists and dicts of texts
    """A judged text between marks that it cannot hold."""
    if isinstance(one, Mapping):
        return {name: fenced(inner, marker) for name, inner in one.items()}
    if isinstance(one, list):
        return [fenced(inner, marker) for inner in one]
    return f"<text-{marker}>\n{one}\n</text-{marker}>"


def texts_in(one: object) -> Iterator[str]:
    """The texts among judged values."""
    if isinstance(one, Mapping):
        one = list(one.values())
    if isinstance(one, list):
        for inner in one:
            yield from texts_in(inner)
    else:
        yield str(one)


def template(name: str, path: str | Path | None = None) -> Template:
    """The template of that name that comes with Adjudge, or the one in a user's file.

    Raises OptionError for a file that is none.
    """
    wanted = "a prompt as TOML, with version and prompt"
    found = packaged(__package__, f"prompts/{name}.toml") if path is None else toml_in(Path(path), wanted)
    for field in ("version", "system", "prompt"):
        if not isinstance(found.get(field, "" if field == "system" else None), str):
            raise OptionError(
                f"{path}: expected {field} = a text", found=f"{found[field]!r:.60}" if field in found else ""
            )
    if more := found.keys() - {*_FIELDS}:
        raise OptionError(f"{path}: expected {', '.join(_FIELDS)}; got {', '.join(more)} too")
    shown = name if path is None else Path(path).stem
    return Template(shown, found["version"], found.get("system", ""), found["prompt"])


def left_out(own: Template, name: str) -> list[str]:
    """The values that Adjudge's prompt of that name has a place for, and a user's own has none for."""
    try:
        ours, theirs = (
            meta.find_undeclared_variables(_JINJA.parse(f"{one.system}\n{one.prompt}")) for one in (template(name), own)
        )
    except TemplateError as error:
        raise OptionError(f"the prompt {own.name}: expected a template of Jinja", found=str(error)) from None
    return sorted(ours - theirs - {"marker"})


def _filled(name: str, text: str, values: Mapping[str, object]) -> str:
    try:
        return str(_compiled(text).render(values)).strip()
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:  # what expressions raise
        fix = f"use only {', '.join(sorted(values))}"
        raise OptionError(f"the prompt {name} cannot be filled in", found=str(error), fix=fix) from None
