"""The verdict in a reply, as models write them; only what is unambiguous counts.

A prompt asks for a last line FINAL VERDICT MARKER = X, whose marker is drawn at random for each call. So no judged text
can hold that line, and a reply that has it counts, whatever it quotes. Without the marker a reply counts if it is a
JSON object with a verdict, a line FINAL VERDICT = X, or else a line that names an answer, or nothing but the value;
several verdicts must be equal, and one that equals a verdict in the judged texts may be a quotation and is none.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.llm.reply_forms import INVISIBLE, Fields, Form, Unparseable, encoded, fold, left_out, quoted

_THOUGHTS = (
    re.compile(r"\A.*<\|channel\|>\s*final\b.*?<\|message\|>", re.DOTALL),
    re.compile(r"\Aanalysis.*?assistantfinal", re.DOTALL),
    re.compile(
        r"\A\s*(?:<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z))", re.DOTALL | re.IGNORECASE
    ),
    re.compile(r"\A.*?(?:</think(?:ing)?>|\[/THINK\])[ \t]*\r?\n", re.DOTALL | re.IGNORECASE),
)
"""Thoughts at the start; where their beginning was lost, what closes them ends a line."""
_END = re.compile(r"(?:\s*(?:<\|\w+\|>|</s>|<end_of_turn>))+\s*\Z")
"""Signs of a model's protocol at the end of its reply."""
_GAP = rf"[{re.escape(INVISIBLE)}]"
_MARK = rf"[{re.escape(INVISIBLE)}\r,;|{{}}\"'“”]"
"""A sign around names and values."""
_TABLE_OR_BULLET = re.compile(r"^(?:\|.*\n|[-•])", re.MULTILINE)
_START = rf"^[{re.escape(INVISIBLE)}#>•-]*"
_VERDICT = rf"FINAL{_GAP}+VERDICT{_GAP}*[(\[<]?(\w*)[)\]>]?{_GAP}*[=:：＝]"
_ANYWHERE = re.compile(_VERDICT, re.IGNORECASE | re.ASCII)
_LINE = re.compile(_START + _VERDICT, re.MULTILINE | re.IGNORECASE | re.ASCII)
_NAMES = "answer|verdict|label|rating|score|choice|decision|judge?ment"
_NAMED = re.compile(
    rf"(?:{_START}(?:(?:my|the) )?(?:final )?(?:{_NAMES}){_GAP}*(?:is{_GAP}*)?[:=：＝]"
    r"|(?=\\boxed\s*\{)|<(?:answer|verdict)>)()",
    re.MULTILINE | re.IGNORECASE,
)
"""What else stands before a verdict."""
_BOXED = re.compile(r"\$*\\boxed\s*\{\s*(?:\\text\w*\s*\{)?([^{}]*)\}")
_OPENING = re.compile(r"[{\[]\s*[\"{\]\[}]")
_FENCE = re.compile(r"\s*```\w*[ \t]*\n?")
_LONGEST_BLOCK, _LONG_REPLY = 5000, 20
_MOST_BROKEN = 100
"""Broken JSON values in a reply after which it is given up, since each takes a look at all of it."""
_VERDICT_KEYS = {"verdict", "final verdict"}
_REASON_KEYS = ("reason", "reasoning", "explanation", "rationale")


@dataclass(frozen=True, slots=True)
class ReplyVerdict:
    """What a reply gives. value: as its form has it. reason: what stands beside it. left_out: entries without form."""

    value: Any
    reason: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A verdict as it stands in a text. value: not yet checked. start: its place. inside: the object that holds it."""

    value: object
    start: int
    inside: Mapping[str, object] | None = None


def verdict(
    reply: str, form: Form, judged: Sequence[str] = (), marker: str = "", *, structured: bool = False
) -> ReplyVerdict:
    """The verdict in a reply. Raises Unparseable where it holds none, or several that differ.

    judged: the texts that were judged. marker: of the call. structured: whether the server held the model to the schema
    of a reply, so that a reply that is one object is the model's own.
    """
    text = without_thoughts(reply)
    if form.schema is None:
        return ReplyVerdict(form.checked(text))
    whole = _value_at(text, 0)
    if structured and whole and whole[1] == len(text):
        return _agreed(text, form, [*_objects(text)] or [Statement(whole[0], 0)])
    lines = [*_lines(text, _LINE, form)]
    if marked := [statement for key, statement in lines if marker and key.casefold() == marker.casefold()]:
        return _agreed(text, form, marked)
    statements = [*(statement for _, statement in lines), *_objects(text)]
    again = _ANYWHERE
    if not statements:
        statements, again = [statement for _, statement in _lines(text, _NAMED, form)], _NAMED
    is_bare = not statements
    if is_bare:
        values = [Statement(value, start) for value, start, _ in _json_values(text)] or [Statement(text, 0)]
        statements = [statement for statement in values if fits(form, statement.value)]
        if not statements:
            raise Unparseable(f"expected a last line FINAL VERDICT = ...; got {quoted(text.rpartition(chr(10))[2])}")
    found = _agreed(text, form, statements)
    for other in judged:
        stated = (*(line for _, line in _lines(other, again, form)), *_objects(other))
        echoes = [value for value, _, _ in _json_values(other)] if is_bare else [one.value for one in stated]
        if is_bare and len(text) > _LONG_REPLY and text.casefold() in other.casefold():
            echoes.append(text)
        if any(fits(form, value, found.value) for value in echoes):
            raise Unparseable(f"its verdict stands in the judged text too, without a marker: {quoted(found.value)}")
    return found


def without_thoughts(reply: str) -> str:
    """A reply without what a reasoning model thought first, and without the signs of a model's protocol at its end."""
    for pattern in _THOUGHTS:
        reply, count = pattern.subn("", reply, count=1)
        if count:
            break
    return _END.sub("", reply).strip()


def _agreed(text: str, form: Form, statements: Sequence[Statement]) -> ReplyVerdict:
    """The one verdict of all statements. Raises Unparseable where they differ."""
    last = max(statements, key=lambda statement: statement.start)
    value = form.checked(last.value)
    for statement in statements:
        if form.checked(statement.value) != value:
            raise Unparseable(f"expected one verdict; got several: {quoted(statement.value)}, {quoted(last.value)}")
    named = {fold(key): inner for key, inner in (last.inside or {}).items()}
    beside = next((named[key] for key in _REASON_KEYS if named.get(key)), None)
    return ReplyVerdict(
        value, encoded(str(beside or _FENCE.sub("", text[: last.start]).strip())), left_out(form, last.value)
    )


def fits(form: Form, value: object, same: object = None) -> bool:
    """Whether a value has the form, and is the same as another, if one is given."""
    try:
        checked = form.checked(value)
    except Unparseable:
        return False
    return same is None or checked == same


def _lines(text: str, pattern: re.Pattern[str], form: Form) -> Iterator[tuple[str, Statement]]:
    """What stands behind the words of a verdict, with the marker in them."""
    for match in pattern.finditer(text):
        value = _behind(text, match.end(), form)
        if isinstance(value, Mapping):
            value = next((inner for key, inner in value.items() if fold(key) in _VERDICT_KEYS), value)
        if value != "":
            yield match[1] or "", Statement(value, match.start())


def _behind(text: str, start: int, form: Form) -> object:
    """The JSON value, names with their values, or else the rest of the line, behind a place; also in a fence below."""
    fence = _FENCE.match(text, start)
    rest = text[fence.end() if fence else start :].lstrip(INVISIBLE + "\r\n")
    if boxed := _BOXED.match(rest):
        return boxed[1].strip()
    if found := _value_at(rest, 0) if rest[:1] in ("{", "[") else None:
        return found[0]
    block = re.split(r"\n\s*\n|</|```", rest[:_LONGEST_BLOCK], maxsplit=1)[0]
    named = _named_values(block, form) if isinstance(form, Fields) else None
    return named or re.split(r"\n|</", rest, maxsplit=1)[0].strip(INVISIBLE + "\r|")


def _named_values(text: str, form: Fields) -> dict[str, str] | None:
    """Names of a form with their values: in lines, a table, or JSON with faults. None if more is said, or one twice."""
    names = "|".join(re.sub(r"_|\\[ -]", r"[\\s_-]+", re.escape(name)) for name in form.fields)
    before, *parts = re.split(rf"(?<![\w-])({names}){_MARK}*[:=：＝|]", text, flags=re.IGNORECASE)
    values = [re.sub(rf"\A(?:{_MARK}|\n)+|(?:{_MARK}|[\n•-])+\Z", "", value) for value in parts[1::2]]
    found = dict(
        zip(map(fold, parts[::2]), [*values[:-1], *(last.partition("\n")[0] for last in values[-1:])], strict=True)
    )
    return found if len(found) == len(values) and not fold(_TABLE_OR_BULLET.sub("", before)) else None


def _objects(text: str) -> Iterator[Statement]:
    """The JSON objects of a text that hold a verdict."""
    if "verdict" in text.casefold():
        for value, start, _ in _json_values(text):
            for inside in value if isinstance(value, list) else [value]:
                for key, inner in inside.items() if isinstance(inside, Mapping) else ():
                    if fold(str(key)) in _VERDICT_KEYS:
                        yield Statement(inner, start, inside)


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    """The objects and lists of JSON in a text that stand in no other, with their places."""
    broken, place = 0, _OPENING.search(text)
    while place:
        found = _value_at(text, place.start())
        if found is None:
            broken += 1
            if broken > _MOST_BROKEN:
                raise Unparseable(f"expected JSON; got {quoted(text)}")
        else:
            yield found[0], place.start(), found[1]
        place = _OPENING.search(text, found[1] if found else place.start() + 1)


def _value_at(text: str, start: int) -> tuple[Any, int] | None:
    """The JSON value that begins at a place, and where it ends; None where there is none."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def _every_value(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """An object; a name that stands several times has the list of its values, which is no value of a form."""
    found: dict[str, object] = {}
    for name, value in pairs:
        found[name] = [found[name], value] if name in found else value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_every_value, strict=False)
"""Models leave line breaks in texts as they are."""
