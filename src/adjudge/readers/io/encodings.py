"""Text in any encoding, turned into UTF-8 before anything else looks at it.

UTF-8 stays as it is. UTF-16 shows in its byte-order mark, or in its zero bytes; what else is no UTF-8 may be Japanese,
Chinese or Korean, where it holds the signs that are common in one of these encodings, or Western European (cp1252,
which Latin-1 is a part of), where its letters stand between letters of ASCII. Any other encoding must be named: its
bytes could mean anything.
"""

import codecs
import re
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path

from adjudge.errors import DataError, named
from adjudge.readers.io.paths import scratch_file

_CHUNK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
}
"""Byte-order marks, longer ones before those that they begin with."""

_WESTERN = "cp1252"
_UNSURE = "; if its letters look wrong, name its encoding with --encoding"
_EASTERN = {
    "cp932": ("Japanese", rb"[\x81-\x84\x88-\x97].", rb"[\x82\x83]."),
    "euc_jp": ("Japanese", rb"[\xa1-\xa5\xb0-\xcf].", rb"[\xa4\xa5]."),
    "big5": ("Chinese", rb"[\xa1-\xa3\xa4-\xc6].", rb".[\x40-\x7e]"),
    "gb18030": ("Chinese", rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]", rb"[\xc9-\xd7]."),
    "euc_kr": ("Korean", rb"[\xa1-\xa3\xb0-\xc8].", rb"[\xb0-\xc8]."),
}
"""Encodings in two bytes a sign -> the language; the bytes of common signs; those of some that texts in it hold, and
texts in the others, read as this one, lack."""
_COMMON, _TYPICAL = 0.9, 0.1
"""What share of the signs of a text must be common in an encoding, and typical of it."""
_UTF8 = {"utf-8", "utf-8-sig", "ascii"}
_MOSTLY = 0.5
"""Of UTF-16 in which anything is ASCII, at least this share of bytes is zero in one of both places, and none in the
other."""

_BESIDE = 8
"""So many letters that are not ASCII may stand beside one another in any text that counts as cp1252."""
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_BROKEN = re.compile("[\udc80-\udcff]")
"""Bytes that are no UTF-8, as Python escapes them."""
_SOUND = re.compile("[^\x00-\x7f\udc80-\udcff]")
_LETTERS = re.compile("[^\x00-\x7f\xa0‘’“”„‚‹›«»–—…•€™]+")


def as_utf8(path: Path, name: str, encoding: str | None) -> tuple[Path, tuple[str, ...]]:
    """The file, or a temporary one with its text in UTF-8, and warnings that say what was done.

    encoding: by default what is found out. It is for files that are no UTF-8: others may stand beside them, such as
    those that Adjudge wrote. What is neither text nor in an encoding that shows stays as it is; its reader says so.
    Carriage returns that alone end lines, as on old Macs, become line feeds. Raises DataError where a byte is none of
    the encoding that was given.
    """
    if encoding and encoding not in _UTF8 and _is_utf8(path) and not _is_ascii(path):
        plain, warnings = as_utf8(path, name, None)
        return plain, (f"{name}: read as UTF-8, which it is, and not as {encoding}", *warnings)
    found = encoding or encoding_of(path)
    returns = found is not None and _ends_with_returns(path, found)
    if found is None or (found in _UTF8 and not returns):
        return path, ()
    text, plain = _decoded(path.read_bytes(), name, found), scratch_file(path.suffix)
    text = text.replace("\r\n", "\n").replace("\r", "\n") if returns else text
    plain.write_text(text, encoding="utf-8", newline="")
    language = _EASTERN[found][0] if found in _EASTERN else "Western European" if found == _WESTERN else ""
    read_as = f"{name}: read as {found}{f' ({language}){_UNSURE}' if language else ''}"
    return plain, (
        *([read_as] if encoding is None and found not in _UTF8 else []),
        *([f"{name}: carriage returns read as ends of lines"] if returns else []),
    )


def _ends_with_returns(path: Path, encoding: str) -> bool:
    """Whether the first of a file's lines end with carriage returns alone."""
    with path.open("rb") as file:
        start = file.read(_CHUNK)
    with suppress(UnicodeError):
        text = start.decode(encoding, "replace")
        return "\r" in text.rstrip("\r") and "\n" not in text
    return False


def _decoded(data: bytes, name: str, encoding: str) -> str:
    expected = f"expected text in {encoding}"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        odd = data[error.start : error.end].hex(" ")
        raise DataError(f"{name}, line {line}: {expected}; got the bytes {odd:.60}", fix=_OTHER_ENCODING) from None
    except UnicodeError:
        raise DataError(f"{name}: {expected}; got something else", fix=_OTHER_ENCODING) from None


_OTHER_ENCODING = f"{named('encoding')} NAME, such as utf-8 or cp1252"


def encoding_of(path: Path) -> str | None:
    """The encoding that a file of text shows to have; None for what is no text, or shows none."""
    with path.open("rb") as file:
        start = file.read(_CHUNK)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if marked:
        return marked
    if b"\0" in start:
        return _utf16(start)
    if _is_utf8(path):
        return "utf-8"
    if _CONTROL.search(start):
        return None
    data = path.read_bytes()
    return _eastern(data) or _western(data)


def _utf16(start: bytes) -> str | None:
    """UTF-16 without a mark, whose ASCII has a zero in every second byte."""
    even, odd = (start[place::2].count(0) / max(len(start[place::2]), 1) for place in (0, 1))
    if odd > _MOSTLY and not even:
        return "utf-16-le"
    return "utf-16-be" if even > _MOSTLY and not odd else None


def _is_ascii(path: Path) -> bool:
    with path.open("rb") as file:
        return all(map(bytes.isascii, iter(partial(file.read, _CHUNK), b"")))


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file, suppress(UnicodeDecodeError):
        for chunk in iter(partial(file.read, _CHUNK), b""):
            if decoder.getstate()[0] or not chunk.isascii():  # which takes a tenth of the time of decoding
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
        return True
    return False


def _eastern(data: bytes) -> str | None:
    """The encoding of two bytes a sign in whose common signs nearly all of a text is written."""
    for encoding, (_, common, typical) in _EASTERN.items():
        with suppress(UnicodeError):
            signs = Counter(sign for sign in data.decode(encoding) if not sign.isascii())
            coded = [(sign.encode(encoding), count) for sign, count in signs.items()]
            total = signs.total()
            shares = (sum(n for code, n in coded if re.fullmatch(one, code, re.DOTALL)) for one in (common, typical))
            if total > _BESIDE and next(shares) >= _COMMON * total and next(shares) >= _TYPICAL * total:
                return encoding
    return None


def _western(data: bytes) -> str | None:
    """cp1252, where nothing speaks against it.

    Against it speak bytes that it lacks, text that is UTF-8 but for a few bytes, and letters beside one another that
    are not ASCII, as other languages have them.
    """
    text = data.decode("utf-8", "surrogateescape")
    if len(_SOUND.findall(text)) > len(_BROKEN.findall(text)):
        return None
    try:
        runs = list(map(len, _LETTERS.findall(data.decode(_WESTERN))))
    except UnicodeDecodeError:
        return None
    beside = sum(runs) - len(runs)
    return None if beside > _BESIDE and 2 * beside > sum(runs) else _WESTERN
