"""What a reply can be: one of some words, a number, an object, a list of objects, or free text.

Each form has a JSON schema for servers that hold a model to one, words that ask for it in a prompt, and a check that
brings what a model wrote into one spelling.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from adjudge.errors import nearest

INVISIBLE = " \t*_`\u200b\u200c\u200d\u2060\ufeff"
"""Markdown around words, and characters that cannot be seen."""
_PREFIX = re.compile(r"(?:response|option|answer|output|assistant|model|text|candidate) ")
_SEPARATOR = re.compile(r"[,;:.(\[—–\n]|\s-")
_DENIAL = re.compile(r"\b(?:not?|n't|nor|or|neither|but|however|unsure)\b")
_OUT_OF = re.compile(r"\s*\(?(?:(?:/|out of)\s*(\d+)|%)\Z")
_UNIT = re.compile(r"(?<=\d) (?:stars?|points?)\Z")
_REMARK = re.compile(r"(?<=\d) ?(?:[(—–]| - )(?=[^\d)]{1,30}\Z)")
"""What stands between a number and a few words behind it."""
_APPROVAL = re.compile(r"[\s✅✔☑🏆🥇👍\ufe0f]+\Z")
_PERCENT, _SHOWN = 100, 80


class Unparseable(Exception):  # noqa: N818 - an outcome, not an error of ours
    """A reply that does not give one verdict; the reason why."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words."""

    options: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": [*self.options]}

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
        for spelling in (bare, _APPROVAL.sub("", _PREFIX.sub("", bare, count=1))):
            fitting = [option for option, word in folded.items() if word == spelling]
            if len(fitting) == 1:
                return fitting[0]
        first = _SEPARATOR.split(text.strip(INVISIBLE + "\"'"), maxsplit=1)
        if len(first) > 1 and fold(first[0]) != bare and holds(self, first[0]):
            begun = self.checked(first[0])
            if not names_another(self, begun, first[1]):
                return begun
        hint = nearest(text, self.options) if text else ""
        raise Unparseable(f"expected one of {', '.join(self.options)}; got {quoted(value)}{hint}")

    def is_open(self, rest: str) -> bool:
        """Whether what follows an option names one again, or denies it; single letters count in their own case."""
        words = fold(rest)
        places = [(option, rest) if len(option) == 1 else (fold(option), words) for option in self.options]
        named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name, text in places)
        return named or bool(_DENIAL.search(words))


@dataclass(frozen=True, slots=True)
class AnyText:
    """A text within a verdict; null is an empty one."""

    schema: ClassVar[dict[str, Any] | None] = {"type": "string"}
    example: ClassVar[str] = "..."

    def checked(self, value: object) -> str:
        if value is None or isinstance(value, str):
            return encoded(value or "")
        raise Unparseable(f"expected a text; got {quoted(value)}")


class Free(AnyText):
    """A whole reply, whatever it says."""

    schema = None


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
    def example(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}"

    def checked(self, value: object) -> float:
        """The number, also of a text: "4", "4/5", "4 stars" and "4 out of 5" on a scale to 5, "80%" on one to 100.

        A few words may follow it ("4 - good") unless they deny it.
        """
        text = fold(str(value)) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        text = _UNIT.sub("", text)
        begun = _REMARK.split(text, maxsplit=1)
        if len(begun) > 1 and not _DENIAL.search(begun[1]):
            text = begun[0]
        if (scale := _OUT_OF.search(text)) and float(scale[1] or _PERCENT) == self.high:
            text = text[: scale.start()]
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if self.low <= number <= self.high and (not self.whole or number == int(number)):
            return int(number) if self.whole else number
        raise Unparseable(f"expected {self.example}; got {quoted(value)}")


@dataclass(frozen=True, slots=True)
class Fields:
    """An object with a value for each of some names; others that a model adds are ignored.

    main: the name whose value may stand alone; then the others may be missing, and are null. optional: names that may
    be missing, and are null, where none may stand alone.
    """

    fields: Mapping[str, "Form"]
    main: str = ""
    optional: tuple[str, ...] = ()

    @property
    def schema(self) -> dict[str, Any]:
        return object_schema({name: part.schema for name, part in self.fields.items()})

    @property
    def example(self) -> object:
        return {name: part.example for name, part in self.fields.items()}

    def checked(self, value: object) -> dict[str, Any]:
        """The object, whose names may differ in case, spaces and underscores."""
        held = {self.main: value} if self.main and not isinstance(value, Mapping) else value
        named = {fold(str(name)): inner for name, inner in held.items()} if isinstance(held, Mapping) else {}
        needed = [self.main] if self.main else [name for name in self.fields if name not in self.optional]
        if not isinstance(held, Mapping) or len(named) < len(held) or any(fold(name) not in named for name in needed):
            raise Unparseable(f"expected an object with {', '.join(self.fields)}; got {quoted(value)}")
        values = {name: held.get(name, named.get(fold(name))) for name in self.fields}
        return {
            name: part.checked(values[name]) if name in needed or holds(part, values[name]) else None
            for name, part in self.fields.items()
        }


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of objects of one kind; it may be empty."""

    entry: Fields

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.entry.schema}

    @property
    def example(self) -> object:
        return [self.entry.example]

    def checked(self, value: object) -> list[dict[str, Any]]:
        """The entries that have the form: one bad entry costs that entry alone.

        Raises Unparseable for anything but a list of objects.
        """
        return [entry for entry in self.read(value) if not isinstance(entry, Unparseable)]

    def read(self, value: object) -> list[dict[str, Any] | Unparseable]:
        """Each entry, or why it has not the form; also of one entry alone, or of a list under a name."""
        if isinstance(value, Mapping) and value:
            value = next(iter(value.values())) if len(value) == 1 else [self.entry.checked(value)]
        if not isinstance(value, list) or not all(isinstance(entry, Mapping) for entry in value):
            raise Unparseable(f"expected a list of objects; got {quoted(value)}")
        entries: list[dict[str, Any] | Unparseable] = []
        for entry in value:
            try:
                entries.append(self.entry.checked(entry))
            except Unparseable as error:
                entries.append(error)
        return entries


Form = Choice | AnyText | Number | Fields | Listed
"""What a reply, or a value within a verdict, has to be.

schema: the JSON schema of a verdict; None where the whole reply is the answer. example: how it looks, for the prompt.
checked: a verdict in one spelling; raises Unparseable for what is none.
"""


def holds(form: Form, value: object) -> bool:
    """Whether a value is there and has the form."""
    try:
        form.checked(value)
    except Unparseable:
        return False
    return value is not None


def names_another(form: Form, value: Any, text: str) -> bool:  # noqa: ANN401
    """Whether a text names another value of a form than the given one, or denies it."""
    if isinstance(form, Fields) and form.main and value:
        return names_another(form.fields[form.main], value[form.main], text)
    if isinstance(form, Number) and value is not None:
        numbers = map(float, re.findall(r"(?<![/\d.])(?<!of )\d+(?:\.\d+)?", text))
        return any(form.low <= number <= form.high and number != value for number in numbers)
    if not isinstance(form, Choice) or value is None:
        return False
    own = "[_ -]".join(map(re.escape, re.split("[_ -]", value)))
    left = re.sub(rf"(?<!\w){own}(?!\w)", "", text, flags=re.IGNORECASE if len(value) > 1 else 0)
    return Choice(tuple(option for option in form.options if option != value)).is_open(left)


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


def instruction(form: Form, marker: str) -> str:
    """How a prompt asks for a verdict of a form; empty where the whole reply is the answer. marker: of the call."""
    example = json.dumps(form.example, ensure_ascii=False)
    if isinstance(form, Choice):
        asked = f"one of: {', '.join(form.options)}"
    elif isinstance(form, Number):
        asked = form.example
    elif isinstance(form, Fields):
        asked = f"a JSON object on one line, {example}"
    elif isinstance(form, Listed):
        asked = f"a JSON list on one line, {example}, or [] if there is nothing to list"
    else:
        return ""
    return (
        "Think first, briefly if you like. Then end with one last line of the form\n\n"
        f"FINAL VERDICT {marker} = X\n\n"
        f'where X is {asked}. If you were asked for JSON, put X under "verdict" and your reason under "reason".'
    )
