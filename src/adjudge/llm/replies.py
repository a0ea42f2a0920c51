"""What a reply can be: the forms of verdicts, and how one is read out of a reply.

A verdict is a JSON object with a verdict, or a line `FINAL VERDICT = ...`, at the end of the reply; Markdown around it
does no harm. Only what is unambiguous counts: several verdicts in a reply must be equal, and what merely repeats a
verdict in the judged texts says nothing.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from adjudge.errors import nearest

_MARKS = " \t*_`\u200b\u200c\u200d\u2060\ufeff"
"""Markdown around words, and characters that cannot be seen."""
_THOUGHT = re.compile(
    r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\A.*?</think(?:ing)?>[ \t]*\r?\n", re.DOTALL | re.IGNORECASE
)
"""Thoughts at the start; where their beginning was lost, what closes them ends a line."""
_LINE = re.compile(
    rf"^[{_MARKS}#>]*FINAL[{_MARKS}]+VERDICT[{_MARKS}]*[=:](.*)$", re.MULTILINE | re.IGNORECASE | re.ASCII
)
_OPENING = re.compile(r'\{\s*"')
_MOST_BROKEN = 100
"""Broken objects in a reply after which it is given up, since each takes a look at all of it."""
_FENCE = re.compile(r"```(?:json)?\s*\Z", re.IGNORECASE)
_REST = re.compile(rf"[{_MARKS}\s.]*\Z")
"""What may follow a verdict."""
_DRESS = re.compile(r"""[\s*_`#>~|.'"]+""")
_SHOWN = 80


class Unparseable(Exception):  # noqa: N818 - an outcome, not an error of ours
    """A reply that does not say one verdict; the reason why."""


class Part(Protocol):
    """A value within a verdict."""

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""

    @property
    def example(self) -> object:
        """How it looks, for the prompt."""

    def checked(self, value: object) -> Any:  # noqa: ANN401 - what the part gives
        """The value in one form. Raises Unparseable for what is none."""


class Form(Protocol):
    """What a reply has to be."""

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of a verdict; None where the whole reply is the answer."""

    @property
    def words(self) -> str:
        """How the prompt asks for it."""

    def checked(self, value: object) -> Any:  # noqa: ANN401 - what the form gives
        """A verdict in one form. Raises Unparseable for what is none."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    options: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [*self.options]}

    @property
    def words(self) -> str:
        return _line(f"X is one of: {', '.join(self.options)}")

    @property
    def example(self) -> object:
        return "|".join(self.options)

    def checked(self, value: object) -> str:
        hint = ""
        if isinstance(value, str):
            fitting = [value] if value in self.options else [one for one in self.options if _bare(one) == _bare(value)]
            if len(fitting) == 1:
                return fitting[0]
            hint = nearest(value, self.options)
        raise Unparseable(f"expected one of {', '.join(self.options)}; got {_shown(value)}{hint}")


@dataclass(frozen=True, slots=True)
class Text:
    """A text within a verdict."""

    schema: ClassVar[dict[str, Any]] = {"type": "string"}
    example: ClassVar[str] = "..."

    def checked(self, value: object) -> str:
        if isinstance(value, str):
            return encoded(value)
        raise Unparseable(f"expected a text; got {_shown(value)}")


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number from 1 to `most` within a verdict."""

    most: int
    example: ClassVar[int] = 1

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": 1, "maximum": self.most}

    def checked(self, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= self.most:
            return value
        raise Unparseable(f"expected a whole number from 1 to {self.most}; got {_shown(value)}")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with a value for each of some names."""

    fields: Mapping[str, Part]

    @property
    def schema(self) -> dict[str, Any]:
        return _object({name: one.schema for name, one in self.fields.items()})

    @property
    def words(self) -> str:
        return _line(f"X is a JSON object on one line, {json.dumps(self.example, ensure_ascii=False)}")

    @property
    def example(self) -> object:
        return {name: one.example for name, one in self.fields.items()}

    def checked(self, value: object) -> dict[str, Any]:
        if not isinstance(value, Mapping) or set(value) != set(self.fields):
            raise Unparseable(f"expected an object with {', '.join(self.fields)}; got {_shown(value)}")
        return {name: one.checked(value[name]) for name, one in self.fields.items()}


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of objects of one kind; it may be empty."""

    entry: Fields

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.entry.schema}

    @property
    def words(self) -> str:
        example = json.dumps([self.entry.example], ensure_ascii=False)
        return _line(f"X is a JSON list on one line, {example}, or [] if there is nothing to list")

    def checked(self, value: object) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            raise Unparseable(f"expected a list; got {_shown(value)}")
        return [self.entry.checked(one) for one in value]


@dataclass(frozen=True, slots=True)
class Free:
    """Any text."""

    schema: None = None
    words: str = ""

    def checked(self, value: object) -> str:
        if isinstance(value, str):
            return value
        raise Unparseable(f"expected a text; got {_shown(value)}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reply says. value: as its form has it. reason: what stands beside the verdict."""

    value: Any
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A verdict as it stands in a text.

    value: not yet checked. start, end: its place. inside: the JSON object that holds it.
    """

    value: object
    start: int
    end: int
    inside: Mapping[str, object] | None = None


def verdict(reply: str, form: Form, judged: Sequence[str] = ()) -> Verdict:
    """The verdict in a reply. Raises Unparseable where it holds none, or several that differ."""
    text = without_thoughts(reply)
    if form.schema is None:
        return Verdict(form.checked(text))
    statements = [*_lines(text), *_objects(text)]
    last = max(statements, key=lambda one: one.end, default=None)
    if last is None or not _REST.match(text, last.end):
        ending = text.rpartition("\n")[2]
        raise Unparseable(f"expected a last line FINAL VERDICT = ...; got {_shown(ending)}")
    if any(_repeats(text, last, one) for one in judged):
        raise Unparseable(f"its verdict stands in the judged text itself: {_shown(text[last.start : last.end])}")
    value = form.checked(last.value)
    for one in statements:
        if form.checked(one.value) != value:
            raise Unparseable(f"expected one verdict; got several: {_shown(one.value)}, {_shown(last.value)}")
    beside = last.inside.get("reason") if last.inside is not None else None
    return Verdict(value, encoded(str(beside or _FENCE.sub("", text[: last.start])).strip()))


def without_thoughts(reply: str) -> str:
    """A reply without what a reasoning model thought first."""
    return _THOUGHT.sub("", reply, count=1).strip()


def encoded(text: str) -> str:
    """A text in characters that can be written: JSON can escape halves of characters, which cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _lines(text: str) -> Iterator[_Statement]:
    """The lines FINAL VERDICT = ... of a text."""
    for line in _LINE.finditer(text):
        said = line[1].strip(_MARKS + "\r.")
        value = _json(said) if said[:1] in ("{", "[", '"') else said
        if isinstance(value, Mapping) and "verdict" in value:
            value = value["verdict"]
        if said:
            yield _Statement(value, line.start(), line.end())


def _objects(text: str) -> Iterator[_Statement]:
    """The JSON objects of a text that hold a verdict."""
    broken = 0
    opening = _OPENING.search(text) if '"verdict"' in text else None
    while opening:
        found, end = _object_at(text, opening.start())
        if found is not None and "verdict" in found:
            yield _Statement(found["verdict"], opening.start(), end, found)
        broken += found is None
        if broken > _MOST_BROKEN:
            raise Unparseable(f"expected JSON; got {_shown(text)}")
        opening = _OPENING.search(text, end)


def _object_at(text: str, start: int) -> tuple[Mapping[str, object] | None, int]:
    """The JSON object that begins at a brace, and where it ends; None where there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except ValueError:
        return None, start + 1
    except RecursionError:
        raise Unparseable(f"expected JSON; got {_shown(text[start:])}") from None


def _repeats(text: str, said: _Statement, judged: str) -> bool:
    """Whether a judged text holds the verdict of a reply: the whole object, or a line that ends with its line."""
    written = _plain(text[said.start : said.end])
    if said.inside is not None:
        return written in _plain(judged)
    return any(_plain(line).endswith(written) for line in judged.splitlines())


def _json(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise Unparseable(f"expected JSON; got {_shown(text)}") from None


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """An object whose names stand once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unparseable("expected each name once in a JSON object; got one twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_once, strict=False)  # models leave line breaks in texts as they are


def _bare(text: str) -> str:
    """A word without Markdown, its full stop and its case."""
    return text.strip(_MARKS + ".").casefold()


def _plain(text: str) -> str:
    """A text without what makes equal verdicts look different: case, space, marks, invisible characters."""
    same = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(one for one in same if unicodedata.category(one) != "Cf")
    return _DRESS.sub("", seen).replace(":", "=")


def _line(form: str) -> str:
    return (
        "Think first, briefly if you like. Then end with one last line of the form\n\nFINAL VERDICT = X\n\n"
        f'where {form}. If you were asked for JSON, put X under "verdict" and your reason under "reason".'
    )


def reply_schema(form: Form) -> dict[str, Any] | None:
    """The JSON schema of a whole reply, for servers that hold a model to one."""
    return None if form.schema is None else _object({"reason": {"type": "string"}, "verdict": form.schema})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [*properties],
        "additionalProperties": False,
    }


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f'"{text[:_SHOWN]}{"..." if len(text) > _SHOWN else ""}"'
