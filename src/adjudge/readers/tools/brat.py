"""brat's standoff: a folder of texts (.txt) with annotations beside them (.ann), or one such pair.

T1	Claim 0 5	Cures
#1	AnnotatorNotes T1	says what tea does
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from adjudge.errors import DataError
from adjudge.readers.io.source import Format, Source, decode
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import Names, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT

_TEXT, _MARKS = ".txt", ".ann"
_SPAN = re.compile(r"(\S+) (\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*)")
_NOTE = re.compile(r"\S+ (T\d+)")
_LEFT = {"E": "events", "R": "relations", "N": "normalizations", "*": "equivalences"}
_LEFT |= dict.fromkeys("AM", "attributes")
"""The first character of other annotations, and what they are."""
_LINE = re.compile(rb"T\d+\t\S+ \d+ \d+|[#EARMN]\d+\t\S|\*\t\S")
_DONE = {
    "pieces": ("span", "of several pieces counts from the start of the first to the end of the last"),
    "case": ("quote", "written in other capitals than the text counts as what stands there"),
    "ends": ("text", "with ends of lines of two characters is read as offsets count it, with one"),
}
"""What is done with the file, to what."""


def read_brat(found: Opened[Options]) -> Raw:
    """A line for each text; its id is its name without the ending. Types are rules, notes explanations.

    A span of several pieces is read from the start of the first to the end of the last. Ends of lines are one
    character where the quotes show that offsets count them so. Both are counted in warnings, and so are events,
    relations and attributes, which mark nothing of their own.
    """
    source, counts = found.source, Counter[str]()
    found.options.check_unused(source.name, "brat's standoff")
    bad_lines, bad_spans = Findings("document"), Findings("violation")
    place = _place(source)
    documents = sorted(place.rglob(f"*{_MARKS}")) if place.is_dir() else [place.with_suffix(_MARKS)]
    if not documents:
        raise DataError(f"{source.name}: expected files that end in {_MARKS}; got none")
    records = []
    for number, path in enumerate(documents, 1):
        name = str(path.relative_to(place)) if place.is_dir() else path.name
        text, shown = path.with_suffix(_TEXT), Path(source.name) / name if place.is_dir() else path
        if path.exists() and text.exists():
            content = decode(text.read_bytes(), str(shown.with_suffix(_TEXT)))
            annotations = decode(path.read_bytes(), str(shown)).split("\n")
            readings = [
                (one, *_marks(annotations, one, str(shown))) for one in (content, content.replace("\r\n", "\n"))
            ]
            counted_in, marks, findings, done = min(readings, key=lambda reading: reading[2].total)
            bad_spans.join(findings)
            counts += done + Counter(ends=counted_in != content)
            records.append(Record(number, {ID: name.removesuffix(_MARKS), TEXT: counted_in}, marks))
        else:
            lacking = shown.with_suffix(_TEXT) if path.exists() else shown
            bad_lines.add(f"{lacking}: no such file; expected the text and its annotations side by side", dropped=1)
    raw = raw_of(source.name, "document", records, Names(), bad_lines, len(documents))
    raw.bad_spans.join(bad_spans)
    told = [f"{what} {said}: {count:,}" for key, (what, said) in _DONE.items() if (count := counts.pop(key, 0))]
    left = ", ".join(f"{what} {count:,}" for what, count in counts.items())
    return raw.warned([*told, *([f"annotations that mark nothing in a text are left out: {left}"] if left else [])])


def _marks(annotations: Sequence[str], text: str, name: str) -> tuple[list[dict[str, str]], Findings, Counter[str]]:
    """The spans of a text, with the notes on them, what is wrong with them, and what else there is."""
    findings, counts = Findings("violation"), Counter[str]()
    spans: dict[str, dict[str, str]] = {}
    notes: list[tuple[str, str]] = []
    for number, line in enumerate(annotations, 1):
        key, what, said = [*line.rstrip("\r").split("\t", 2), "", ""][:3]
        if key.startswith("T"):
            try:
                spans[key] = _span(what, said, text, counts)
            except DataError as wrong:
                findings.add(f"{name}, line {number}{wrong}", dropped=1)
        elif key.startswith("#") and (about := _NOTE.fullmatch(what)):
            notes.append((about[1], said))
        elif line.strip() and line[0] in _LEFT:
            counts[_LEFT[line[0]]] += 1
        elif line.strip() and line[0] != "#":
            findings.add(f'{name}, line {number}: expected an annotation; got "{line:.60}"', dropped=1)
    for key, said in notes:
        if key in spans:
            spans[key]["explanation"] = "\n".join(filter(None, (spans[key].get("explanation"), said)))
    return list(spans.values()), findings, counts


def _span(what: str, quote: str, text: str, counts: Counter[str]) -> dict[str, str]:
    """A span of text, of which the quote proves the place."""
    found = _SPAN.fullmatch(what)
    if found is None:
        raise DataError(f': expected a type, a start and an end; got "{what:.60}"')
    pieces = [tuple(map(int, piece.split())) for piece in found[2].split(";")]
    stands = " ".join(text[start:end] for start, end in pieces)
    if any(not start <= end <= len(text) for start, end in pieces):
        raise DataError(f": expected offsets within the text of {len(text)} characters; got {found[2]:.60}")
    if stands.casefold().split() != quote.casefold().split():
        raise DataError(f': expected what stands there, "{stands:.60}"; got "{quote:.60}"')
    counts.update(["pieces"] * (len(pieces) > 1) + ["case"] * (stands.split() != quote.split()))
    start, end = min(start for start, _ in pieces), max(end for _, end in pieces)
    return {"start": str(start), "end": str(end), "rule": found[1]}


def _place(source: Source) -> Path:
    """The folder, or a file beside which the other of the pair stands: what was given, or an archive unpacked."""
    return source.file if source.file.is_dir() else source.given or source.file


def _looks_like(found: Opened[Options]) -> bool:
    """Whether a folder holds annotations, a text has them beside it, or a file's first lines are such."""
    if found.source.path is None:
        return False
    path = _place(found.source)
    if path.is_dir() or path.suffix == _TEXT:
        return path.is_dir() or path.with_suffix(_MARKS).exists()
    lines = [line for line in found.start.content.splitlines()[:100] if line.strip()]
    return path.suffix == _MARKS or (bool(lines) and all(map(_LINE.match, lines)))


FORMAT = Format("brat", "violations", read_brat, _looks_like, 3, (_MARKS,), folder=f"*{_MARKS}")
