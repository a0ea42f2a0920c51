"""Ways in which a good file goes bad, as strategies: bytes, the values of JSON, and the cells of tables."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

DEEP = "[" * 3000 + "]" * 3000
"""JSON that is nested deeper than readers go."""
LONG = "9" * 5000
"""A number with more digits than Python makes a number of."""
PIECES = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff\xfe", b"\\ud800", b"\\u0000", b"\\", b"\xe2\x80\xa8"),
    *(
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"1e-400",
        b"-0.0",
        b"null",
        b"true",
        b"{}",
        b"[]",
        b'""',
        LONG.encode(),
        DEEP.encode(),
    ),
    *(b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\n\n", b"}", b"]", b":", b"#", b"|||"),
]
ODD = [
    *(None, True, False, 0, -1, 1.5, 10**20, 1e300, float("nan"), float("inf")),
    *("", " ", "x", "0", "-1", "1.0", "nan", "null", "[]", "\x00", "\ud800", "\ufeff", "é😀", "a,b", 'a"b', "a\nb\r"),
    *([], {}, [[]], [None], [1, "x"], {"": None}, {"x": {"x": [{}]}}, [[[[1]]]]),
]
"""Values that stand where others belong."""


@st.composite
def changed_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """A file that was cut, joined, doubled in part, written in another encoding, or has other bytes somewhere."""
    at = draw(st.integers(0, len(content)))
    end = min(len(content), at + draw(st.sampled_from([0, 1, 2, 9, 60])))
    piece = draw(st.sampled_from(PIECES))
    lines = content.split(b"\n")
    line = draw(st.integers(0, len(lines) - 1))
    ways: list[Callable[[], bytes]] = [
        lambda: content[:at],
        lambda: content[at:],
        lambda: content[:at] + content[end:],
        lambda: content[:at] + piece + content[end:],
        lambda: content[:at] + piece + content[at:],
        lambda: content[:at] + bytes(byte ^ 0x80 for byte in content[at:end]) + content[end:],
        lambda: content[:end] + content[at:],
        lambda: b"\n".join([*lines[: line + 1], *lines[line:]]),
        lambda: b"\n".join(lines[:line]) + b"".join(lines[line:]),
        lambda: content.replace(b"\n", b"\r"),
        lambda: content.replace(b"\n", b"\n\n"),
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.decode(errors="replace").encode("utf-16"),
        lambda: content.decode(errors="replace").encode("utf-16-le"),
        lambda: content.decode(errors="replace").encode("utf-32"),
        lambda: content.decode(errors="replace").encode("cp1252", "replace"),
    ]
    return draw(st.sampled_from(ways))()


@st.composite
def changed_json(draw: st.DrawFn, content: bytes) -> bytes:
    """JSON, or JSON lines, in which a value is another one, is lacking, or stands twice."""
    try:
        documents = [json.loads(content)]
    except ValueError:
        documents = [json.loads(line) for line in content.splitlines() if line.strip()]
    number = draw(st.integers(0, len(documents) - 1))
    places = list(_places(documents[number]))
    texts = [json.dumps(one) for one in documents]
    if places:
        holder, key = draw(st.sampled_from(places))
        way = draw(st.sampled_from(["other", "gone", "twice", "wrapped", "long", "deep"]))
        texts[number] = _changed(documents[number], holder, key, way, draw(st.sampled_from(ODD)))
    return "\n".join(texts).encode()


def _changed(document: Any, holder: Any, key: Any, way: str, odd: object) -> str:
    if way == "gone":
        del holder[key]
        return json.dumps(document)
    mark = "a name that stands nowhere"
    old = holder[key]
    holder[key] = {"other": odd, "wrapped": [old]}.get(way, mark)
    if way == "twice" and isinstance(holder, dict):
        held = f"{json.dumps(old)}, {json.dumps(key)}: {json.dumps(odd)}"
    else:
        held = {"long": LONG, "deep": DEEP}.get(way, json.dumps(old))
    return json.dumps(document).replace(json.dumps(mark), held)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where the values of JSON stand: their holder, and their key or place in it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, held in inner:
        yield value, key
        yield from _places(held)


@st.composite
def changed_cells(draw: st.DrawFn, content: bytes) -> bytes:
    """A table of text in which a cell holds something else."""
    text = content.decode(errors="replace")
    sign = "\t" if "\t" in text else ","
    rows = [line.split(sign) for line in text.splitlines()] or [[""]]
    row = draw(st.sampled_from(rows))
    row[draw(st.integers(0, len(row) - 1))] = draw(
        st.sampled_from(["", " ", "x", "-1", "1e999", "nan", "NULL", LONG, '"', '"a\n', "\x00", "[]", "{}", "[1", "é"])
    )
    return "\n".join(sign.join(each) for each in rows).encode()


def mutations(content: bytes) -> st.SearchStrategy[bytes]:
    """Every way in which a file of that content may go bad."""
    start = content.lstrip()[:1]
    if start in (b"{", b"["):
        return changed_json(content) | changed_bytes(content)
    return changed_bytes(content) if b"\0" in content else changed_cells(content) | changed_bytes(content)
