"""brat's standoff: a folder of texts (.txt) with their annotations (.ann), or one such pair.

T1	Claim 0 5	Cures
#1	AnnotatorNotes T1	says what tea does
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from adjudge.errors import DataError
from adjudge.readers.io.source import Source, decode
from adjudge.readers.spans import span_records as spans

_TEXT, _MARKS = ".txt", ".ann"
_SPAN = re.compile(r"(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)")
_NOTE = re.compile(r"\S+ (T\d+)")
_PIECES = spans.Skipped("span of several pieces counts from the start of the first to the end of the last")
_CASE = spans.Skipped("quote in other capitals than the text counts as the text")


def read_brat(opened: spans.Found) -> Iterator[spans.Held]:
    """A line for each text; its id is its name without the ending. Types are rules, notes explanations.

    A span of several pieces goes from the start of the first to the end of the last. Line ends are one character if the
    quotes show that offsets count them so. Warnings count such spans, and events, relations and attributes, which mark
    no text.
    """
    source, place = opened.source, _place(opened.source)
    for path in sorted(place.rglob(f"*{_MARKS}")) if place.is_dir() else [place.with_suffix(_MARKS)]:
        name = str(path.relative_to(place)) if place.is_dir() else path.name
        text, shown = path.with_suffix(_TEXT), Path(source.name) / name if place.is_dir() else path
        if not (path.exists() and text.exists()):
            lacking = shown.with_suffix(_TEXT) if path.exists() else shown
            raise DataError(f"{lacking}: no such file; expected the text and its annotations side by side")
        content = decode(text.read_bytes(), str(shown.with_suffix(_TEXT)))
        annotations = decode(path.read_bytes(), str(shown)).split("\n")
        try:
            marks, others = _marks(annotations, content, str(shown))
        except DataError:
            content = content.replace("\r\n", "\n")
            marks, others = _marks(annotations, content, str(shown))
        yield from others
        yield spans.Line({spans.ID: name.removesuffix(_MARKS), spans.TEXT: content}, marks)


def _marks(annotations: Sequence[str], text: str, name: str) -> tuple[list[dict[str, str]], list[spans.Skipped]]:
    """The spans of a text with the notes on them, and skipped annotations."""
    others, marks, notes = list[spans.Skipped](), dict[str, dict[str, str]](), defaultdict[str, str](str)
    for number, line in enumerate(annotations, 1):
        key, content, note = [*line.rstrip("\r").split("\t", 2), "", ""][:3]
        if key.startswith("T"):
            marks[key] = _span(f"{name}, line {number}", content, note, text, others)
        elif key.startswith("#") and (about := _NOTE.fullmatch(content)):
            notes[about[1]] += f"\n{note}"
        elif line.strip() and line[0] in "ERNAM*":
            others.append(spans.Skipped("events, relations, attributes and the like, which mark no text, are excluded"))
        elif line.strip() and line[0] != "#":
            raise DataError(f'{name}, line {number}: expected an annotation; got "{line:.60}"')
    return [{**mark, "explanation": notes[key].strip()} for key, mark in marks.items()], others


def _span(place: str, what: str, quote: str, text: str, others: list[spans.Skipped]) -> dict[str, str]:
    """A span of text, whose quote must match its place."""
    match = _SPAN.fullmatch(what)
    if match is None:
        raise DataError(f'{place}: expected a type, a start and an end; got "{what:.60}"')
    pieces = [tuple(map(int, piece.split())) for piece in match[2].split(";")]
    stands = " ".join(text[start:end] for start, end in pieces)
    if any(not start <= end <= len(text) for start, end in pieces):
        raise DataError(f"{place}: expected offsets within the text of {len(text)} characters; got {match[2]:.60}")
    if stands.casefold().split() != quote.casefold().split():
        raise DataError(f'{place}: expected the text there, "{stands:.60}"; got "{quote:.60}"')
    others += [_PIECES] * (len(pieces) > 1) + [_CASE] * (stands.split() != quote.split())
    start, end = min(start for start, _ in pieces), max(end for _, end in pieces)
    return {"start": str(start), "end": str(end), "rule": match[1]}


def _place(source: Source) -> Path:
    """The folder, or one file of the pair: the given path, or an unpacked archive."""
    return source.file if source.file.is_dir() else source.given or source.file


def _looks_like(opened: spans.Found) -> bool:
    """Whether it is a folder, a text with an annotation file, or such a file."""
    if opened.source.path is None:
        return False
    path = _place(opened.source)
    return path.is_dir() or path.suffix == _MARKS or (path.suffix == _TEXT and path.with_suffix(_MARKS).exists())


FORMAT = spans.Format("brat", "violations", read_brat, _looks_like, 3, (_MARKS,), folder=f"*{_MARKS}")
