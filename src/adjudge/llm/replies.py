"""The verdict in a reply, as models write them; only what is unambiguous counts.

A prompt asks for a last line FINAL VERDICT MARKER = X, whose marker is drawn at random for each call. So no judged text
can hold that line, and a reply that has it counts, whatever it quotes. Without the marker a reply counts if it is a
JSON object with a verdict, a line FINAL VERDICT = X, or else a line that names an answer, or nothing but the value;
several verdicts must be equal, and no text behind the last may name another. One that equals a verdict in the judged
texts may be a quotation and is none.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from adjudge.llm.reply_forms import (
    INVISIBLE,
    Fields,
    Form,
    Listed,
    Unparseable,
    encoded,
    fold,
    left_out,
    names_another,
    quoted,
)

_THOUGHTS = (
    re.compile(r"\A.*<\|channel\|>\s*final\b.*?<\|message\|>", re.DOTALL),
    re.compile(r"\Aanalysis.*?assistantfinal", re.DOTALL),
    re.compile(
        r"\A\s*(?:[<◁](?:seed:)?think(?:ing)?[>▷].*?(?:[<◁]/(?:seed:)?think(?:ing)?[>▷]|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z))",
        re.DOTALL | re.IGNORECASE,
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
_VERDICT = rf"FINAL{_GAP}+VERDICT{_GAP}*[(\[<#]?(\w*)[)\]>]?{_GAP}*(?:[=:：＝]+|(?<=[0-9a-f]{{4}} )(?:is|[-–—])(?=\s))"
_ANYWHERE = re.compile(_VERDICT, re.IGNORECASE | re.ASCII)
_LINE = re.compile(rf"{_START}(?:\d{{1,2}}[.)]{_GAP}*)?{_VERDICT}", re.MULTILINE | re.IGNORECASE | re.ASCII)
_NAMES = "answer|verdict|label|rating|score|choice|decision|judge?ment"
_NAMED = re.compile(
    rf"(?:{_START}(?:(?:my|the) )?(?:final )?(?:{_NAMES}){_GAP}*(?:is{_GAP}*)?[:=：＝]"
    rf"|(?=\\boxed\s*\{{)|\[result\]|<(?:{_NAMES})>)()",
    re.MULTILINE | re.IGNORECASE,
)
"""What else stands before a verdict."""
_IS = rf"{_MARK}*(?:[:=：＝|→>]|(?:is|was|are|should|must|would)\b)"
_CHANGED = (
    r"no(?=[,.]\s*\w)|wait|hold on|hmm*|oops|actually|correct(?:ion|ed)|instead|rather|sorry|my mistake|i mean|i meant"
    r"|(?:second|further) thoughts?|reflection|(?:scratch|strike) that|take (?:that|this|it) back|(?:edit|update)(?=:)"
    r"|chang(?:e|ed|ing) (?:my|the|this|that|it)|revis(?:e|ed|ing|ion)|now (?:choose|pick|prefer|say|think)"
    r"|should (?:be|have been)(?=[^\w\n]+(?:\w+ )?\w+\W*(?:\n|\Z))"
)
"""What stands between a name and its value, and words by which a model takes its verdict back."""
_BOXED = re.compile(r"\$*\\boxed\s*\{\s*(?:\\text\w*\s*\{)?([^{}]*)\}")
_OPENING = re.compile(r"[{\[]\s*[\"{\]\[}]")
_FENCE = re.compile(r"\s*```\w*[ \t]*\n?")
_LONGEST_BLOCK, _LONG_REPLY = 5000, 20
_TRAILING_COMMA = re.compile(r"(?<=[\"\d}\]]),(?=\s*[}\]])")
_MOST_BROKEN = 100
"""Broken JSON values in a reply after which it is given up, since each takes a look at all of it."""
_VERDICT_KEY = re.compile(r"(?:final )?verdict(?: [0-9a-f]{4,})?")
_REASON_KEYS = ("reason", "reasoning", "explanation", "rationale")


@dataclass(frozen=True, slots=True)
class ReplyVerdict:
    """What a reply gives. value: as its form has it. reason: what stands beside it. left_out: entries without form."""

    value: Any
    reason: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A verdict as it stands in a text.

    value: not yet checked. start: its place. behind: the text that follows. inside: the object that holds it.
    """

    value: object
    start: int
    behind: str = ""
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
    statements, again = [*(statement for _, statement in lines), *_objects(text)], _ANYWHERE
    if not statements:
        statements, again = [statement for _, statement in _lines(text, _NAMED, form)], _NAMED
    if statements:
        found = _agreed(text, form, [*statements, *_fitting(text, form)])
        echoes = [one.value for other in judged for _, one in _lines(other, again, form)]
        echoes += [one.value for other in judged for one in _objects(other)]
    else:
        found, echoes = _bare(text, form, judged)
    if any(fits(form, value, found.value) for value in echoes):
        raise Unparseable(f"its verdict stands in the judged text too, without a marker: {quoted(found.value)}")
    return found


def _bare(text: str, form: Form, judged: Sequence[str]) -> tuple[ReplyVerdict, list[object]]:
    """The verdict in a reply that is nothing but one, or JSON and words around it, and what of judged texts equals it.

    A list under a name counts only if there is nothing beside it.
    """
    statements = _fitting(text, form) or [Statement(text, 0)] * fits(form, text)
    wrapped = any(_is_wrapped(form, one.value) for one in statements)
    if not statements or (wrapped and _FENCE.sub("", text[: statements[0].start] + statements[0].behind)):
        raise Unparseable(f"expected a last line FINAL VERDICT = ...; got {quoted(text.rpartition(chr(10))[2])}")
    echoes = [one for other in judged for one, _, _ in _json_values(other) if wrapped or not _is_wrapped(form, one)]
    echoes += [text] * (len(text) > _LONG_REPLY and any(text.casefold() in other.casefold() for other in judged))
    return _agreed(text, form, statements), echoes


def _fitting(text: str, form: Form) -> list[Statement]:
    """The JSON values of a text that have the form."""
    values = (Statement(value, start, text[end:]) for value, start, end in _json_values(text))
    return [one for one in values if fits(form, one.value)]


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
        if not fits(form, statement.value, value):
            raise Unparseable(f"expected one verdict; got several: {quoted(statement.value)}, {quoted(last.value)}")
    named = {fold(key): inner for key, inner in (last.inside or {}).items()}
    _check_behind(last, form, value)
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
    return same is None or _is_same(form, checked, same)


def _is_same(form: Form, one: Any, other: Any) -> bool:  # noqa: ANN401
    """Whether two verdicts are one; what only one of them holds, such as a confidence, makes no difference."""
    if isinstance(form, Fields):
        held = ((part, one[name], other[name]) for name, part in form.fields.items())
        return all(None in (a, b) or _is_same(part, a, b) for part, a, b in held)
    return bool(one == other)


def _is_wrapped(form: Form, value: object) -> bool:
    """Whether a value may be a list under a name."""
    return not isinstance(form, Fields) and isinstance(value, Mapping) and len(value) == 1


def _check_behind(last: Statement, form: Form, value: Any) -> None:  # noqa: ANN401
    """Raises Unparseable where JSON around a verdict or behind it holds another, or a name of the form behind it."""
    behind = last.behind
    others = [last.inside, *(one.value for one in _objects(behind)), *behind.splitlines()]
    for other, start, end in reversed([*_json_values(behind)]):
        others.append(other)
        behind = behind[:start] + behind[end:]
    others = [one for one in others if not _is_wrapped(form, one) and fits(form, one) and not fits(form, one, value)]
    parts = {fold(name): (part, value[name]) for name, part in form.fields.items()} if isinstance(form, Fields) else {}
    main = parts.get(fold(form.main)) if isinstance(form, Fields) else (form, value)
    names = f"{_any_of(form.fields if isinstance(form, Fields) else [])}{f'|{_NAMES}' * bool(main)}"
    again = f"{_CHANGED}|{_any_of([form.main] if isinstance(form, Fields) and main else [])}"
    pieces = re.split(rf"(?<![\w-])(?:({names}){_IS}|(?:{again})\b)", behind, flags=re.IGNORECASE)
    for name, said in zip(pieces[1::2], pieces[2::2], strict=True):
        part, held = parts.get(fold(name or ""), main) or (form, None)
        others += [said] * names_another(part, held, said.strip().partition("\n")[0])
    if others:
        raise Unparseable(f"expected one verdict; got another with {quoted(last.value)}: {quoted(others[0])}")


def _any_of(names: Iterable[str]) -> str:
    """A pattern of names, whatever stands between their words."""
    return "|".join(re.sub(r"_|\\[ -]", r"[\\s_-]+", re.escape(name)) for name in names) or "(?!)"


def _lines(text: str, pattern: re.Pattern[str], form: Form) -> Iterator[tuple[str, Statement]]:
    """What stands behind the words of a verdict, with the marker in them."""
    for match in pattern.finditer(text):
        value, behind = _behind(text, match, form)
        inside = value if isinstance(value, Mapping) else {}
        value = next((inner for key, inner in inside.items() if _VERDICT_KEY.fullmatch(fold(key))), value)
        if value != "":
            yield match[1] or "", Statement(value, match.start(), behind, inside)


def _behind(text: str, match: re.Match[str], form: Form) -> tuple[object, str]:
    """What a line says, also in a fence below, and the text behind it.

    It says a JSON value, names with their values, or else the rest of the line.
    """
    fence = _FENCE.match(text, match.end())
    rest = text[fence.end() if fence else match.end() :].lstrip(INVISIBLE + "\r\n")
    if boxed := _BOXED.match(rest):
        return boxed[1].strip(), rest[boxed.end() :]
    if found := _value_at(rest, 0) if rest[:1] == "{" or (rest[:1] == "[" and isinstance(form, Listed)) else None:
        return found[0], rest[found[1] :]
    if isinstance(form, Fields):
        named = text[match.start() :] if match.re is _NAMED else rest
        block = re.split(r"\n\s*\n|</|```", named[:_LONGEST_BLOCK], maxsplit=1)[0]
        values, behind = _named_values(block, form)
        if values:
            return values, behind + named[len(block) :]
    line = re.split(r"\n|</", rest, maxsplit=1)[0]
    return line.strip(INVISIBLE + "\r|"), rest[len(line) :]


def _named_values(text: str, form: Fields) -> tuple[dict[str, str], str]:
    """Names of a form with their values, in lines, a table, or JSON with faults, and the text behind them.

    None if more is said before them, or one twice.
    """
    before, *parts = re.split(rf"(?<![\w-])({_any_of(form.fields)}){_MARK}*[:=：＝|]", text, flags=re.IGNORECASE)
    values = [re.sub(rf"\A(?:{_MARK}|\n)+|(?:{_MARK}|[\n•-])+\Z", "", value) for value in parts[1::2]]
    last, _, behind = "".join(values[-1:]).partition("\n")
    found = dict(zip(map(fold, parts[::2]), [*values[:-1], last], strict=False))
    return (found if len(found) == len(values) and not fold(_TABLE_OR_BULLET.sub("", before)) else {}), behind


def _objects(text: str) -> Iterator[Statement]:
    """The JSON objects of a text that hold a verdict."""
    if "verdict" in text.casefold():
        for value, start, end in _json_values(text):
            for inside in value if isinstance(value, list) else [value]:
                for key, inner in inside.items() if isinstance(inside, Mapping) else ():
                    if _VERDICT_KEY.fullmatch(fold(str(key))):
                        yield Statement(inner, start, text[end:], inside)


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
    """The JSON value that begins at a place, and its end; None if there is none. A comma may follow its last entry."""
    for spelling in (text, _TRAILING_COMMA.sub(" ", text)):
        with suppress(ValueError, RecursionError):
            return _DECODER.raw_decode(spelling, start)
    return None


def _every_value(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """An object; a name that stands several times has the list of its values, which is no value of a form."""
    found: dict[str, object] = {}
    for name, value in pairs:
        found[name] = [found[name], value] if name in found else value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_every_value, strict=False)
"""Models leave line breaks in texts as they are."""
