"""Turns of a conversation as text."""

import json
from collections.abc import Sequence

from karat.errors import DataError
from karat.formats.documents import Number


def turns_text(turns: Sequence[object]) -> str:
    r"""A list of messages as one text.

    A single message {"role": ..., "content": text} is its content; several are blocks `role: content`
    with a blank line between them. Content that is no text, and lists that hold anything but messages,
    stay JSON.

    >>> turns_text([{"role": "user", "content": "Hi"}])
    'Hi'
    >>> turns_text([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    'user: Hi\n\nassistant: Ho'
    """
    messages = [turn for turn in turns if isinstance(turn, dict) and "content" in turn]
    if not turns or len(messages) < len(turns):
        return json_text(turns)
    if len(messages) == 1:
        return _content(messages[0])
    return "\n\n".join(f"{turn.get('role') or 'unknown'}: {_content(turn)}" for turn in messages)


def _content(message: dict[str, object]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else json_text(content)


def json_text(value: object) -> str:
    """A value as compact JSON; a `Number` as it stood in its file.

    >>> json_text({"a": [Number("1.50"), None]})
    '{"a":[1.50,null]}'
    """
    try:
        return _written(value)
    except RecursionError:
        raise DataError("expected text; got lists or objects that are nested too deeply to be data") from None


def _written(value: object) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{json.dumps(key, ensure_ascii=False)}:{_written(one)}' for key, one in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)


def split_conversation(turns: Sequence[object]) -> tuple[str | None, str | None]:
    """A conversation as prompt and response: what stands before the model's first message, and the rest.

    >>> split_conversation([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    ('Hi', 'Ho')
    """
    first = next(
        (n for n, turn in enumerate(turns) if isinstance(turn, dict) and turn.get("role") == "assistant"), None
    )
    if first is None:
        return (turns_text(turns) if turns else None), None
    return (turns_text(turns[:first]) if first else None), turns_text(turns[first:])
