"""What a reply can be: one of some words, a number, an object, a list of objects, or free text.

Each form has a JSON schema for servers that hold a model to one, words that ask for it in a prompt, and a check that
brings what a model wrote into one spelling.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from adjudge.errors import nearest

MARKER = "<marker>"
"""What stands in a form's words for the marker of a call."""
INVISIBLE = " \t*_`\u200b\u200c\u200d\u2060\ufeff"
"""Markdown around words, and characters that cannot be seen."""
_PREFIX = re.compile(r"(?:response|option|answer|output|assistant|model|text|candidate) ")
_SEPARATOR = re.compile(r"[,;:.(\[—–\n]|\s-")
_DENIAL = re.compile(r"\b(?:not?|n't|nor|or|neither|but|however|unsure)\b")
_OUT_OF = re.compile(r"\s*(?:/|out of)\s*(\d+)\Z")
_SHOWN = 80


class Unparseable(Exception):  # noqa: N818 - an outcome, not an error of ours
    """A reply that does not give one verdict; the reason why."""


class Form(Protocol):
    """What a reply, or a value within a verdict, has to be."""

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema of a verdict; None where the whole reply is the answer."""

    @property
    def example(self) -> object:
        """How it looks, for the prompt."""

    @property
    def words(self) -> str:
        """How the prompt asks for it, with MARKER for the call's marker."""

    def checked(self, value: object) -> Any:  # noqa: ANN401 - what the form gives
        """A verdict in one spelling. Raises Unparseable for what is none."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    options: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [*self.options]}

    @property
    def words(self) -> str:
        return _last_line(f"X is one of: {', '.join(self.options)}")

    @property
    def example(self) -> object:
        return "|".join(self.options)

    def checked(self, value: object) -> str:
        """The option that a value is, whatever its case, spaces, quotes and Markdown, or that it begins with.

        "Response A" is A, "both good" is both_good, "A (it is clearer)" is A; "A or B" and "A, but B is shorter" are
        none, since they name another option, or deny one.
        """
        if isinstance(value, bool) and {"yes", "no"} <= set(self.options):
            return "yes" if value else "no"
        text = str(value) if isinstance(value, str | int) else f"{value:g}" if isinstance(value, float) else ""
        if text in self.options:
            return text
        folded = {option: fold(option) for option in self.options}
        bare = fold(text)
        for spelling in (bare, _PREFIX.sub("", bare, count=1)):
            fitting = [option for option, word in folded.items() if word == spelling]
            if len(fitting) == 1:
                return fitting[0]
        first = _SEPARATOR.split(text.strip(INVISIBLE + "\"'"), maxsplit=1)
        if len(first) > 1 and fold(first[0]) != bare and not self._is_open(first[1]):
            return self.checked(first[0])
        hint = nearest(text, self.options) if text else ""
        raise Unparseable(f"expected one of {', '.join(self.options)}; got {quoted(value)}{hint}")

    def _is_open(self, rest: str) -> bool:
        """Whether what follows an option names one again, or denies it; single letters count in their own case."""
        words = fold(rest)
        places = [(option, rest) if len(option) == 1 else (fold(option), words) for option in self.options]
        named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name, text in places)
        return named or bool(_DENIAL.search(words))


@dataclass(frozen=True, slots=True)
class AnyText:
    """A text within a verdict; null is an empty one."""

    schema: ClassVar[dict[str, Any]] = {"type": "string"}
    example: ClassVar[str] = "..."
    words: ClassVar[str] = ""

    def checked(self, value: object) -> str:
        if value is None or isinstance(value, str):
            return encoded(value or "")
        raise Unparseable(f"expected a text; got {quoted(value)}")


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `low` to `high`, or a whole one."""

    low: float
    high: float
    whole: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        kind = "integer" if self.whole else "number"
        return {"type": kind, "minimum": self.low, "maximum": self.high}

    @property
    def example(self) -> object:
        return self.low

    @property
    def words(self) -> str:
        return _last_line(f"X is a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}")

    def checked(self, value: object) -> float:
        """The number, also of a text: "4", "4/5" and "4 out of 5" on a scale to 5."""
        text = fold(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        if (scale := _OUT_OF.search(text)) and float(scale[1]) == self.high:
            text = text[: scale.start()]
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if self.low <= number <= self.high and (not self.whole or number == int(number)):
            return int(number) if self.whole else number
        raise Unparseable(
            f"expected a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}; got {quoted(value)}"
        )


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with a value for each of some names; others that a model adds are ignored."""

    fields: Mapping[str, Form]

    @property
    def schema(self) -> dict[str, Any]:
        return object_schema({name: part.schema for name, part in self.fields.items()})

    @property
    def words(self) -> str:
        return _last_line(f"X is a JSON object on one line, {json.dumps(self.example, ensure_ascii=False)}")

    @property
    def example(self) -> object:
        return {name: part.example for name, part in self.fields.items()}

    def checked(self, value: object) -> dict[str, Any]:
        """The object, whose names may differ in case, spaces and underscores."""
        named = {fold(str(name)): inner for name, inner in value.items()} if isinstance(value, Mapping) else {}
        if not isinstance(value, Mapping) or any(fold(name) not in named for name in self.fields):
            raise Unparseable(f"expected an object with {', '.join(self.fields)}; got {quoted(value)}")
        exact = {**named, **value}
        return {name: part.checked(exact.get(name, named[fold(name)])) for name, part in self.fields.items()}


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of objects of one kind; it may be empty."""

    entry: Fields

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.entry.schema}

    @property
    def words(self) -> str:
        example = json.dumps(self.example, ensure_ascii=False)
        return _last_line(f"X is a JSON list on one line, {example}, or [] if there is nothing to list")

    @property
    def example(self) -> object:
        return [self.entry.example]

    def checked(self, value: object) -> list[dict[str, Any]]:
        """The entries that have the form: one bad entry costs that entry alone.

        Raises Unparseable for anything but a list of objects.
        """
        return [entry for entry in self.read(value) if not isinstance(entry, Unparseable)]

    def read(self, value: object) -> list[dict[str, Any] | Unparseable]:
        """Each entry, or why it has not the form."""
        if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
            raise Unparseable(f"expected a list of objects; got {quoted(value)}")
        entries: list[dict[str, Any] | Unparseable] = []
        for entry in value:
            try:
                entries.append(self.entry.checked(entry))
            except Unparseable as error:
                entries.append(error)
        return entries


@dataclass(frozen=True, slots=True)
class Free:
    """Any text."""

    schema: None = None
    example: str = "..."
    words: str = ""

    def checked(self, value: object) -> str:
        if isinstance(value, str):
            return value
        raise Unparseable(f"expected a text; got {quoted(value)}")


def left_out(form: Form, value: object) -> tuple[str, ...]:
    """Why entries of a list have not the form."""
    entries = form.read(value) if isinstance(form, Listed) else []
    return tuple(str(entry) for entry in entries if isinstance(entry, Unparseable))


def reply_schema(form: Form) -> dict[str, Any] | None:
    """The JSON schema of a whole reply, for servers that hold a model to one."""
    return None if form.schema is None else object_schema({"reason": {"type": "string"}, "verdict": form.schema})


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with these properties and no others."""
    return {"type": "object", "properties": dict(properties), "required": [*properties], "additionalProperties": False}


def fold(text: str) -> str:
    """A word without case, Markdown, quotes, brackets and a full stop around it; _ and - within it are spaces.

    >>> fold('**"Both_good".**'), fold("(A)"), fold("3. ")
    ('both good', 'a', '3')
    """
    bare = text.strip(INVISIBLE + "\r\n.!\"'“”‘’()[]{}<>|$\\")
    return " ".join(re.sub(r"(?<=\w)[_-](?=\w)", " ", bare).casefold().split())


def encoded(text: str) -> str:
    """A text in characters that can be written: JSON can escape halves of characters, which cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def quoted(value: object) -> str:
    """What a message quotes of a value."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f'"{text[:_SHOWN]}{"..." if len(text) > _SHOWN else ""}"'


def _last_line(form: str) -> str:
    return (
        "Think first, briefly if you like. Then end with one last line of the form\n\n"
        f"FINAL VERDICT {MARKER} = X\n\n"
        f'where {form}. If you were asked for JSON, put X under "verdict" and your reason under "reason".'
    )
