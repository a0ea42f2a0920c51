"""Text in any encoding, converted to UTF-8 before any other step.

UTF-8 stays unchanged. A byte-order mark or zero bytes identify UTF-16. Other text may be Japanese, Chinese or Korean,
if it has characters common in one of these encodings, or Western European (cp1252, which includes Latin-1), if its
letters are between ASCII letters. The user must name any other encoding, since its bytes are ambiguous.
"""

import codecs
import re
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path

from adjudge.errors import DataError, flag_name
from adjudge.readers.io.decompress import begins
from adjudge.readers.io.paths import scratch_file
from adjudge.readers.io.source import Source

_CHUNK = 1 << 20
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    **dict.fromkeys((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32"),
    **dict.fromkeys((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16"),
}
"""Byte-order marks, longer ones before their prefixes."""

_UTF8 = {"utf-8", "utf-8-sig", "ascii"}
_LANGUAGES = {"cp932": "Japanese", "euc_jp": "Japanese", "big5": "Chinese", "gb18030": "Chinese", "euc_kr": "Korean"}
_LANGUAGES |= {"cp1252": "Western European"}
_EASTERN = {
    "cp932": (rb"[\x81-\x84\x88-\x97].", rb"[\x82\x83]."),
    "euc_jp": (rb"[\xa1-\xa5\xb0-\xcf].", rb"[\xa4\xa5]."),
    "big5": (rb"[\xa1-\xa3\xa4-\xc6].", rb".[\x40-\x7e]"),
    "gb18030": (rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]", rb"[\xc9-\xd7]."),
    "euc_kr": (rb"[\xa1-\xa3\xb0-\xc8].", rb"[\xb0-\xc8]."),
}
"""Encodings with two bytes a character -> the bytes of common characters; those of characters in its texts that texts
in the other encodings, read as this one, lack."""
_SHARES = (0.9, 0.1)
"""Minimum shares of a text's characters that are common in an encoding, and typical of it."""
_SIGNS = 10_000
_MOSTLY = 0.5
"""Minimum share of zero bytes at one of the two positions in UTF-16 with any ASCII; the other position has none."""

_BESIDE = 8
"""Maximum run of non-ASCII letters in a text that counts as cp1252."""
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LETTERS = re.compile("[^\x00-\x7f\xa0‘’“”„‚‹›«»–—…•€™]+")


def as_utf8(source: Source) -> Source:
    """The file, or a temporary one with its text in UTF-8, with warnings about changes.

    A given encoding applies only to files that are not UTF-8, since others, such as Adjudge's own, may accompany them.
    A file without text or detectable encoding stays unchanged; its reader reports it. Carriage returns as line ends, as
    on old Macs, become line feeds. Raises DataError for a byte invalid in the given encoding.
    """
    path, name, encoding = source.file, source.name, source.how.encoding
    warnings, start = list[str](), begins(path, _CHUNK)
    if encoding and encoding not in _UTF8 and _unicode(path) == "utf-8":
        warnings, encoding = [f"{name}: read as UTF-8, which it is, and not as {encoding}"], "utf-8"
    used = encoding or encoding_of(path)
    returns = b"\r" in start.rstrip(b"\r\0") and b"\n" not in start
    if used is None or (used in _UTF8 and not returns):
        return source.with_warnings(*warnings)
    text, plain = _decode(path.read_bytes(), name, used), scratch_file(path.suffix)
    plain.write_text(text.replace("\r", "\n") if returns else text, encoding="utf-8", newline="")
    if encoding is None and used not in _UTF8:
        unsure = "; if its letters look wrong, name its encoding with --encoding"
        warnings.append(f"{name}: read as {used}" + (f" ({_LANGUAGES[used]}){unsure}" if used in _LANGUAGES else ""))
    return source.with_warnings(*warnings, *[f"{name}: carriage returns read as ends of lines"] * returns, path=plain)


def _decode(data: bytes, name: str, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        start, end = getattr(error, "start", 0), getattr(error, "end", 1)
        line = data[:start].decode(encoding, "replace").count("\n") + 1
        message = f"{name}, line {line}: expected text in {encoding}; got the bytes {data[start:end].hex(' '):.60}"
        raise DataError(message, fix=f"{flag_name('encoding')} NAME, such as utf-8 or cp1252") from None


def encoding_of(path: Path) -> str | None:
    """The detected encoding of a file of text; None for any other file, or if undetected."""
    start = begins(path, _CHUNK)
    marked = next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)
    if marked:
        return marked
    if b"\0" in start:
        even, odd = (start[place::2].count(0) / max(len(start[place::2]), 1) for place in (0, 1))
        return "utf-16-le" if odd > _MOSTLY and not even else "utf-16-be" if even > _MOSTLY and not odd else None
    if _unicode(path):
        return "utf-8"
    data = path.read_bytes()
    return None if _CONTROL.search(start) else _eastern(data) or _western(data)


def _unicode(path: Path) -> str:
    """ASCII or UTF-8, if a file is in one of them; else empty."""
    decoder, encoding = codecs.getincrementaldecoder("utf-8")(), "ascii"
    with path.open("rb") as file, suppress(UnicodeDecodeError):
        for chunk in iter(partial(file.read, _CHUNK), b""):
            if decoder.getstate()[0] or not chunk.isascii():  # ten times as fast as decoding
                decoder.decode(chunk)
                encoding = "utf-8"
        decoder.decode(b"", final=True)
        return encoding
    return ""


def _eastern(data: bytes) -> str | None:
    """The encoding with two bytes a character whose common characters make up nearly all of a text."""
    for encoding, patterns in _EASTERN.items():
        with suppress(UnicodeError):
            signs = islice((sign for sign in data.decode(encoding) if not sign.isascii()), _SIGNS)
            coded = [sign.encode(encoding) for sign in signs]
            counts = [sum(bool(re.fullmatch(one, code, re.DOTALL)) for code in coded) for one in patterns]
            if len(coded) > _BESIDE and all(n >= share * len(coded) for n, share in zip(counts, _SHARES, strict=True)):
                return encoding
    return None


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
