"""CoNLL: a token per line, its tag in the last column (IOB1, IOB2, BIOES, BILOU), sentences between empty lines.

    Cures B-claim
    headache B-illness
    . O

The text of a sentence is its tokens with spaces between them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from adjudge.errors import DataError
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_records import Names, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT

TAG = re.compile(r"O|[BIESLUM][-_].+")
REBUILT = "texts are rebuilt from their tokens, with a space between any two"
_ID = re.compile(r"#\s*(?:sent_)?id(?:\s*=\s*|\s+)(\S+)")
_DOCUMENT = "-DOCSTART-"
_COLUMNS = 2
_LAST = "the column before the last holds tags too: those of the last count, also where one is gold and one predicted"
_WHOLE = "BSU"
"""Tags that begin a span, and of these, in _ENDS, those that end it too."""
_ENDS = "ESLU"


class _Line(NamedTuple):
    number: int
    cells: list[str]


def read_conll(found: Opened[Options]) -> Raw:
    """A line for each sentence, by its number or by the id in a comment above it. Types of tags are rules.

    A tag that continues a span where none is open begins one, as the scorer of CoNLL 2000 has it. Where the first
    column counts tokens, the second holds them. Raises DataError where no sentence is found.
    """
    source, findings = found.source, Findings("line")
    found.options.check_unused(source.name, "a file of CoNLL")
    sentences = list(_sentences(source.text(), source.name, findings))
    if not sentences:
        raise DataError(f"{source.name}: expected at least one line with a token and its tag; got none")
    counted = all(line.cells[0] == str(nth) for _, lines in sentences for nth, line in enumerate(lines, 1))
    column = 1 if counted and all(len(line.cells) > _COLUMNS for _, lines in sentences for line in lines) else 0
    records = [
        Record(lines[0].number, {ID: own or str(nth), TEXT: text}, marks)
        for nth, (own, lines) in enumerate(sentences, 1)
        for text, marks in [marked_tokens([(line.cells[column], line.cells[-1]) for line in lines])]
    ]
    raw = raw_of(source.name, "line", records, Names(), findings, len(records))
    beside = [line.cells[-2] for _, lines in sentences for line in lines if len(line.cells) > column + _COLUMNS]
    others = bool(beside) and all(map(TAG.fullmatch, beside)) and any(tag != "O" for tag in beside)
    return raw.warned([REBUILT, *([_LAST] if others else [])])


def _sentences(text: str, name: str, findings: Findings) -> Iterator[tuple[str | None, list[_Line]]]:
    """Each sentence with the id in the comments above it; a line that is neither comment nor token is a problem."""
    own, lines = None, list[_Line]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        cells = line.split("\t") if "\t" in line else line.split()
        tagged = len(cells) >= _COLUMNS and bool(TAG.fullmatch(cells[-1].strip()))
        if line.startswith("#") and not tagged:
            own = found[1] if (found := _ID.match(line)) else own
        elif not line.strip() or cells[0] == _DOCUMENT:
            if lines:
                yield own, lines
                own, lines = None, []
        elif tagged:
            lines.append(_Line(number, [cell.strip() for cell in cells]))
        else:
            said = f'expected a token and a tag such as O or B-claim; got "{line:.60}"'
            findings.add(f"{name}, line {number}: {said}", dropped=1)


def marked_tokens(tokens: Sequence[tuple[str, str]]) -> tuple[str, list[dict[str, str]]]:
    """The text of a sentence, and its spans."""
    starts, at = [], 0
    for word, _ in tokens:
        starts.append(at)
        at += len(word) + 1
    spans = [
        {
            "start": str(starts[places[0]]),
            "end": str(starts[places[-1]] + len(tokens[places[-1]][0])),
            "rule": tokens[places[0]][1][2:],
        }
        for places in _chunks([tag for _, tag in tokens])
    ]
    return " ".join(word for word, _ in tokens), spans


def _chunks(tags: Sequence[str]) -> Iterator[list[int]]:
    """The places of the tokens of each span."""
    nth, last, numbers = 0, "O", []
    for tag in tags:
        nth += tag != "O" and (tag[0] in _WHOLE or last[0] in f"O{_ENDS}" or last[2:] != tag[2:])
        numbers.append(0 if tag == "O" else nth)
        last = tag
    for number, places in groupby(range(len(tags)), key=numbers.__getitem__):
        if number:
            yield list(places)


def _looks_like(found: Opened[Options]) -> bool:
    """Whether all of the first lines are empty, comments, or tokens with tags, of which one marks something."""
    if not found.is_text:
        return False
    tags = []
    for line in found.start.content.decode("utf-8", errors="replace").split("\n")[:-1]:
        cells = line.split("\t") if "\t" in line else line.split()
        if cells and not line.startswith("#"):
            if len(cells) < _COLUMNS or not TAG.fullmatch(cells[-1].strip()):
                return False
            tags.append(cells[-1])
    return any(tag.strip() != "O" for tag in tags)


FORMAT = Format("conll", "violations", read_conll, _looks_like, 2, (".conll", ".bio", ".iob"))
