"""Text in any encoding, converted to UTF-8 before any other step.

UTF-8 stays unchanged. A byte-order mark identifies UTF-16 and UTF-32. Other text may be Western European (cp1252, which
includes Latin-1), if its letters are between ASCII letters. The user must name any other encoding, since its bytes are
ambiguous.
"""

import codecs
import re
from contextlib import suppress
from functools import partial
from pathlib import Path

from adjudge.errors import DataError, flag_name
from adjudge.readers.io.decompress import begins, is_binary
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import Source

_CHUNK = 1 << 20
_MARKS = {
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
}
"""Byte-order marks, longer ones before their prefixes."""
_LETTERS = re.compile("[^\x00-\x7f]+")
_BESIDE = 8
"""Maximum run of non-ASCII letters in a text that counts as cp1252."""


def as_utf8(source: Source) -> Source:
    """The file, or a temporary one with its text in UTF-8, with warnings about changes.

    A given encoding applies only to files that are not UTF-8, since others, such as Adjudge's own, may accompany them.
    A file without text or detectable encoding stays unchanged; its reader reports it. Raises DataError for a byte
    invalid in the given encoding.
    """
    path, name, given = source.file, source.name, source.how.encoding
    found = encoding_of(path)
    used = "utf-8" if found == "utf-8" else given or found
    if used in (None, "ascii", "utf-8", "utf-8-sig"):
        ignored = found == "utf-8" and given not in (None, "utf-8", "utf-8-sig")
        return source.with_warnings(*[f"{name}: read as UTF-8, which it is, and not as {given}"] * ignored)
    plain = scratch_file(path.suffix)
    try:
        plain.write_text(path.read_bytes().decode(used), encoding="utf-8", newline="")
    except UnicodeError as error:
        got = getattr(error, "object", b"")[getattr(error, "start", 0) :][:1].hex()
        fix = f"{flag_name('encoding')} NAME, such as utf-8 or cp1252"
        raise DataError(f"{name}: expected text in {used}; got the byte 0x{got.upper()}", fix=fix) from None
    unsure = " (Western European); if its letters look wrong, name its encoding with --encoding"
    told = [] if given else [f"{name}: read as {used}{unsure if used == 'cp1252' else ''}"]
    return source.with_warnings(*told, path=plain)


def encoding_of(path: Path) -> str | None:
    """The detected encoding of a file of text; None for any other file, or if undetected."""
    start = begins(path, _CHUNK)
    if marked := next((name for mark, name in _MARKS.items() if start.startswith(mark)), None):
        return marked
    if is_binary(start):
        return None
    decoder, encoding = codecs.getincrementaldecoder("utf-8")(), "ascii"
    with path.open("rb") as file, suppress(UnicodeDecodeError):
        for chunk in iter(partial(file.read, _CHUNK), b""):
            encoding = encoding if chunk.isascii() else "utf-8"
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
        return encoding
    return _western(path.read_bytes())


def _western(data: bytes) -> str | None:
    """cp1252, unless something contradicts it.

    Contradictions are bytes that it lacks, text that is UTF-8 except for a few bytes, and runs of non-ASCII letters, as
    in other languages.
    """
    text = data.decode("utf-8", "replace")
    if len(text) - len(text.encode("ascii", "ignore")) > 2 * text.count("\ufffd"):
        return None
    with suppress(UnicodeDecodeError):
        runs = list(map(len, _LETTERS.findall(data.decode("cp1252"))))
        beside = sum(runs) - len(runs)
        return None if beside > _BESIDE and 2 * beside > sum(runs) else "cp1252"
    return None
