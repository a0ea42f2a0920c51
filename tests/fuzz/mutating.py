"""Ways in which a good file goes bad: its bytes, the values of JSON, the cells of tables, and what holds them."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import polars as pl

DEEP = "[" * 3000 + "]" * 3000
"""JSON that is nested deeper than readers go."""
LONG = "9" * 5000
"""A number with more digits than Python makes a number of."""
PIECES = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xff\xfe", b"\\ud800", b"\\u0000", b"\\", b"\xe2\x80\xa8"),
    *(b"NaN", b"-Infinity", b"1e999", b"1e-400", b"-0.0", b"null", b"true", b"{}", b"[]", b'""', LONG.encode(), DEEP.encode()),
    *(b'"', b"'", b",", b";", b"\t", b"\n", b"\r", b"\n\n", b"}", b"]", b":", b"#", b"|||"),
]  # fmt: skip
NAMES = [
    *("__proto__", "constructor", "toString", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)"),
    *("![x](http://127.0.0.1/x)", "[x](javascript:alert(1))", "=1+1", "@SUM(1)", "+cmd|' /C calc'!A0"),
    *("\x1b]0;x\x07\x1b[2J", "x\n::error::y", "##[error]x", "\x9b2J", "\u202eabc", "\u2066x\u2069", "a\u0000b", "\ufeffx"),
    *("../../x", "/etc/passwd", "C:\\x", "con", "x" * 300, "&lt;b&gt;", "]]>", "<![CDATA[", "<!--", "--><x>", "$1", "`x`"),
    *("\\input{/etc/passwd}", "\\write18{ls}", "^^5cinput x", "_x003d_1+1"),
    *("|a|b|", "\\", "%s%n", "{{7*7}}", "{x}", "\r\n\r\n", "e\u0301", "é", "ﬁ", "İ", "ß", "\U0001f469\u200d\U0001f680"),
]  # fmt: skip
"""What a user can write as a name or a text, and what some program would take for more than that."""
ODD = [
    *(None, True, False, 0, -1, 1.5, 10**20, 1e300, float("nan"), float("inf")),
    *("", " ", "x", "0", "-1", "1.0", "nan", "null", "[]", "\x00", "\ud800", "\ufeff", "é😀", "a,b", 'a"b', "a\nb\r"),
    *([], {}, [[]], [None], [1, "x"], {"": None}, {"x": {"x": [{}]}}, [[[[1]]]]),
]
"""Values that stand where others belong."""
CELLS = ["", " ", "x", "-1", "1e999", "nan", "NULL", LONG, '"', '"a\n', "\x00", "[]", "{}", "[1", "é"]
_WIDE, _GIANT, _RARE = 30_000, 1 << 20, 400

Draw = Random


def mutated(content: bytes, draw: Draw) -> bytes:
    """A file of that content gone bad in some way."""
    ways = [changed_bytes]
    if content.lstrip()[:1] in (b"{", b"["):
        ways = [changed_json, changed_json, changed_bytes]
    elif b"\0" not in content:
        ways = [changed_cells, changed_cells, changed_bytes]
    elif content[:4] == b"PAR1":
        ways = [changed_columns, changed_bytes]
    return draw.choice(ways)(content, draw)


def changed_bytes(content: bytes, draw: Draw) -> bytes:
    """A file that was cut, joined, doubled in part, written in another encoding, or has other bytes somewhere."""
    at = draw.randint(0, len(content))
    end = min(len(content), at + draw.choice([0, 1, 2, 9, 60]))
    piece = draw.choice(PIECES)
    lines = content.split(b"\n")
    line = draw.randint(0, len(lines) - 1)
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
        lambda: content + content,
        lambda: b"\xef\xbb\xbf" + content,
        lambda: content.decode(errors="replace").encode("utf-16"),
        lambda: content.decode(errors="replace").encode("utf-16-le"),
        lambda: content.decode(errors="replace").encode("utf-32"),
        lambda: content.decode(errors="replace").encode("cp1252", "replace"),
        lambda: gzip.compress(content)[: at + 20],
        lambda: _zipped(content),
    ]
    return draw.choice(ways)()


def _zipped(content: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("../x.csv", content)
    return held.getvalue()


def changed_json(content: bytes, draw: Draw) -> bytes:
    """JSON, or JSON lines, in which a value is another one, is lacking, or appears twice."""
    try:
        documents = [json.loads(content)]
    except ValueError:
        documents = [json.loads(line) for line in content.splitlines() if line.strip()]
    number = draw.randint(0, len(documents) - 1)
    places = list(_places(documents[number]))
    texts = [json.dumps(one) for one in documents]
    if places:
        holder, key = draw.choice(places)
        way = draw.choice(["other", "name", "key", "gone", "twice", "wrapped", "long", "deep", "giant"])
        texts[number] = _changed(documents[number], holder, key, way, draw)
    return "\n".join(texts).encode()


def _changed(document: Any, holder: Any, key: Any, way: str, draw: Draw) -> str:
    if way == "gone":
        del holder[key]
        return json.dumps(document)
    if way == "key" and isinstance(holder, dict):
        holder[draw.choice(NAMES)] = holder.pop(key)
        return json.dumps(document)
    mark, odd, old = "a name that stands nowhere", draw.choice(ODD), holder[key]
    name = "x" * _GIANT if way == "giant" and not draw.randrange(_RARE) else draw.choice(NAMES)
    holder[key] = {"other": odd, "wrapped": [old], "name": name, "giant": name}.get(way, mark)
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


def changed_cells(content: bytes, draw: Draw) -> bytes:
    """A table of text in which a cell holds something else, a row is shorter, or there are many more columns."""
    text = content.decode(errors="replace")
    sign = "\t" if "\t" in text else ","
    rows = [line.split(sign) for line in text.splitlines()] or [[""]]
    row = draw.choice(rows)
    place = draw.randint(0, len(row) - 1)
    way = draw.choice(["cell", "cell", "name", "short", "wide"])
    if way == "short":
        del row[place]
    elif way == "wide" and not draw.randrange(_RARE):
        row += [f"c{number}" for number in range(_WIDE)]
    else:
        row[place] = draw.choice(CELLS) if way == "cell" else '"' + draw.choice(NAMES).replace('"', '""') + '"'
    return "\n".join(sign.join(each) for each in rows).encode(errors="surrogatepass")


def changed_columns(content: bytes, draw: Draw) -> bytes:
    """A Parquet file in which a column has another type, or other values."""
    table = pl.read_parquet(content)
    name = draw.choice(table.columns)
    held = table[name]
    ways: list[Callable[[], pl.Series]] = [
        lambda: pl.Series(name, [None] * table.height),
        lambda: pl.Series(name, range(table.height)),
        lambda: pl.Series(name, [float("nan"), *[1.5] * (table.height - 1)]),
        lambda: pl.Series(name, [[1]] * table.height),
        lambda: pl.Series(name, [{"a": 1}] * table.height),
        lambda: pl.Series(name, [b"\xff\x00"] * table.height),
        lambda: pl.Series(name, [True] * table.height),
        lambda: pl.Series(name, range(table.height)).cast(pl.Duration),
        lambda: pl.Series(name, range(table.height)).cast(pl.Date),
        lambda: pl.Series(name, [2**63] * table.height, pl.UInt64),
        lambda: pl.Series(name, [draw.choice(NAMES)] * table.height),
        lambda: held.cast(pl.String, strict=False).cast(pl.Categorical),
        held.reverse,
    ]
    made = io.BytesIO()
    table.with_columns(draw.choice(ways)()).write_parquet(made)
    return made.getvalue()
