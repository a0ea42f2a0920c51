"""Text in any encoding, turned into UTF-8 before anything else looks at it.

UTF-8 stays as it is. UTF-16 shows in its byte-order mark, or in its zero bytes; what else is no UTF-8 may be Western
European (cp1252, which Latin-1 is a part of), where its letters stand between letters of ASCII. Any other encoding must
be named: its bytes could mean anything.
"""

import codecs
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from karat.errors import DataError
from karat.formats.scratch import scratch_file

_CHUNK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte-order marks, longer ones before those that they begin with."""

_UTF8 = {"utf-8", "utf-8-sig", "ascii"}
_MOSTLY = 0.3
"""Of UTF-16 in which anything is ASCII, at least this share of bytes is zero in one of both places, and none in the
other."""

_BESIDE = 8
"""So many letters that are not ASCII may stand beside one another in any text that counts as cp1252."""
_BROKEN = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as Python escapes them."""
_SOUND = re.compile("[^\x00-\x7f\udc80-\udcff]")
_LETTERS = re.compile("[^\x00-\x7f\xa0‘’“”„‚‹›«»–—…•€™]+")


def as_utf8(path: Path, name: str, encoding: str | None) -> tuple[Path, tuple[str, ...]]:
    """The file, or a temporary one with its text in UTF-8, and a warning that says what it was read as.

    encoding: by default what is found out. What is neither text nor in an encoding that shows stays as it is; its
    reader says so. Raises DataError where a byte is none of the encoding that was given.
    """
    found = encoding or encoding_of(path)
    if found is None or found in _UTF8:
        return path, ()
    plain = scratch_file(path.suffix)
    line = 1
    with plain.open("w", encoding="utf-8", newline="") as file:
        try:
            for text in _decoded(path, found):
                line += text.count("\n")
                file.write(text)
        except UnicodeDecodeError as error:
            odd = error.object[error.start : error.end].hex(" ")
            raise DataError(
                f"{name}: expected text in {found}; got the bytes {odd:.60} in or after line {line}. Name its encoding "
                "with --encoding"
            ) from None
        except UnicodeError as error:
            raise DataError(f"{name}: expected text in {found}; {error}. Name its encoding with --encoding") from None
    if encoding is not None:
        return plain, ()
    hint = " (Western European); if its letters look wrong, name its encoding with --encoding"
    return plain, (f"{name}: read as {found}{hint if found == 'cp1252' else ''}",)


def encoding_of(path: Path) -> str | None:
    """The encoding that a file of text shows to have; None for what is no text, or shows none."""
    with path.open("rb") as file:
        start = file.read(_CHUNK)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if marked:
        return marked
    if b"\0" in start:
        return _utf16(start)
    return "utf-8" if _is_utf8(path) else _western(path)


def _utf16(start: bytes) -> str | None:
    """UTF-16 without a mark, whose ASCII has a zero in every second byte."""
    even, odd = (start[place::2].count(0) / max(len(start[place::2]), 1) for place in (0, 1))
    if odd > _MOSTLY and not even:
        return "utf-16-le"
    return "utf-16-be" if even > _MOSTLY and not odd else None


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, _CHUNK), b"")


def _decoded(path: Path, encoding: str, errors: str = "strict") -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for chunk in _chunks(path):
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _is_utf8(path: Path) -> bool:
    try:
        for _ in _decoded(path, "utf-8"):
            pass
    except UnicodeDecodeError:
        return False
    return True


def _western(path: Path) -> str | None:
    """cp1252, where nothing speaks against it.

    Against it speak bytes that it lacks, text that is UTF-8 but for a few bytes, and letters beside one another that
    are not ASCII, as other languages have them.
    """
    broken = sound = letters = beside = 0
    try:
        for text in _decoded(path, "utf-8", "surrogateescape"):
            broken += len(_BROKEN.findall(text))
            sound += len(_SOUND.findall(text))
        for text in _decoded(path, "cp1252"):
            runs = list(map(len, _LETTERS.findall(text)))
            letters += sum(runs)
            beside += sum(runs) - len(runs)
    except UnicodeDecodeError:
        return None
    return None if sound > broken or (beside > _BESIDE and 2 * beside > letters) else "cp1252"
