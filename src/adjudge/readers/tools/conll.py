"""CoNLL: a token per line, its tag in the last column (IOB1, IOB2, BIOES, BILOU), sentences between empty lines.

    Cures B-claim
    headache B-illness
    . O

The text of a sentence is its tokens with spaces between them. Of two columns of tags with the same types, as conlleval
takes them, the first is the annotator gold, the second predicted, unless a heading calls them otherwise.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from adjudge.errors import DataError
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings, counted
from adjudge.readers.spans.span_records import Names, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT

REBUILT = "texts are rebuilt from their tokens, with a space between any two"
_SIDES = ("gold", "predicted")
_WRITTEN = (re.compile(r"O|[BIESLUM][-_].+"), re.compile(r"O|.+[-_][BIESLUM]"), re.compile(r"[OBIESLUM]"))
"""The ways to write tags: B-claim, claim-B, B."""
_ID = re.compile(r"#\s*(?:sent_)?id(?:\s*=\s*|\s+)(\S+)")
_DOCUMENT = "-DOCSTART-"
_COLUMNS = 2
_LAST = "the column before the last holds tags too, of other types or of a second level: those of the last count"
_WHOLE = "BSU"
"""Tags that begin a span, and of these, in _ENDS, those that end it too."""
_ENDS = "ESLU"


class Tag(NamedTuple):
    """What a tag says: the letter of its scheme, and the type, which may be empty."""

    letter: str
    type: str


_OUTSIDE = Tag("O", "")


class _Line(NamedTuple):
    number: int
    cells: list[str]


def read_conll(found: Opened[Options]) -> Raw:
    """A line for each sentence and column of tags, by its number or by the id in a comment above it.

    Types of tags are rules. A tag that continues a span where none is open begins one, as the scorer of CoNLL 2000 has
    it. Where the first column counts tokens, the second holds them. Raises DataError where no sentence is found.
    """
    source, findings = found.source, Findings("line")
    found.options.check_unused(source.name, "a file of CoNLL")
    heading, sentences = _sentences(source.text().split("\n"), source.name, findings)
    if not sentences:
        raise DataError(f"{source.name}: expected at least one line with a token and its tag; got none")
    is_counted = all(line.cells[0] == str(nth) for _, lines in sentences for nth, line in enumerate(lines, 1))
    token = int(is_counted and all(len(line.cells) > _COLUMNS for _, lines in sentences for line in lines))
    columns, others = _tag_columns(
        [line.cells[token + 1 :] for _, lines in sentences for line in lines], alone=token > 0
    )
    names: Sequence[str | None] = [None]
    if len(columns) > 1:
        names = heading[-len(columns) :] or [*_SIDES, *map(str, range(3, len(columns) + 1))]
    records, tagged = list[Record](), list[list[Tag]]()
    for at, name in enumerate(names, -len(names)):
        for nth, (own, lines) in enumerate(sentences, 1):
            tagged.append([columns[at][line.cells[at]] for line in lines])
            text, marks = marked_tokens([line.cells[token] for line in lines], tagged[-1])
            records.append(Record(lines[0].number, {ID: own or str(nth), TEXT: text, "annotator": name}, marks))
    raw = raw_of(source.name, "line", records, Names(), findings, len(sentences))
    return raw.warned([REBUILT, *([_LAST] if others else []), *broken_starts(tagged)])


def _sentences(
    rows: Sequence[str], name: str, findings: Findings
) -> tuple[list[str], list[tuple[str | None, list[_Line]]]]:
    """The heading, if any, and each sentence with the id in the comments above it.

    A line that is neither comment nor token is a problem.
    """
    split = [[cell.strip() for cell in row.split("\t")] if "\t" in row else row.split() for row in rows]
    tags = tags_among(cells[-1] for cells in split if len(cells) >= _COLUMNS)
    heading, own, lines = list[str](), None, list[_Line]()
    sentences: list[tuple[str | None, list[_Line]]] = []
    for number, (row, cells) in enumerate(zip((*rows, ""), (*split, []), strict=True), 1):
        is_tagged = len(cells) >= _COLUMNS and cells[-1] in tags
        if row.startswith("#") and not is_tagged:
            own = comment[1] if (comment := _ID.match(row)) else own
        elif not row.strip() or cells[0] == _DOCUMENT:
            if lines:
                sentences.append((own, lines))
                own, lines = None, []
        elif is_tagged:
            lines.append(_Line(number, cells))
        elif number == 1 and len(cells) >= _COLUMNS and [len(cells)] == [len(after) for after in split[1:2]]:
            heading = cells
        else:
            expected = f'expected a token and a tag such as O or B-claim; got "{row:.60}"'
            findings.add(f"{name}, line {number}: {expected}", dropped=1)
    return heading, sentences


def _tag_columns(rows: Sequence[Sequence[str]], *, alone: bool) -> tuple[list[dict[str, Tag]], bool]:
    """What tags say in each of the last columns that are of one kind, and whether one before these marks anything.

    They share types with the last, or are the only two, one of which marks nothing. alone: the last counts alone.
    """
    columns = list[dict[str, Tag]]()
    for at in range(1, min(map(len, rows)) + 1):
        values = {row[-at] for row in rows}
        tags = tags_among(values)
        if len(tags) < len(values):
            break
        columns.insert(0, tags)
    types = [{tag.type for tag in column.values() if tag.letter != "O"} for column in columns]
    only = max(map(len, rows)) == _COLUMNS and not all(types)
    like = 1
    while not alone and like < len(columns) and (types[-1 - like] & types[-1] or only):
        like += 1
    return columns[-like:], like < len(columns) and bool(types[-1 - like])


def tags_among(values: Iterable[str]) -> dict[str, Tag]:
    """What tags say, of the values that are tags as the file writes them: B-claim, else claim-B, else B alone.

    >>> tags_among(["O", "PER-B"])
    {'O': Tag(letter='O', type=''), 'PER-B': Tag(letter='B', type='PER')}
    """
    distinct = dict.fromkeys(values)
    marks = [value for value in distinct if value != "O"]
    written = next((one for one in _WRITTEN if any(map(one.fullmatch, marks))), _WRITTEN[0])
    tags = [value for value in distinct if written.fullmatch(value)]
    if written is _WRITTEN[1]:
        return {tag: _OUTSIDE if tag == "O" else Tag(tag[-1], tag[:-2]) for tag in tags}
    if written is _WRITTEN[2] and not ("O" in tags and {"B", "I"} & {*tags}):
        return {}
    return {tag: Tag(tag[0], tag[2:]) for tag in tags}


def marked_tokens(words: Sequence[str], tags: Sequence[Tag]) -> tuple[str, list[dict[str, str]]]:
    """The text of a sentence, and its spans."""
    starts = [0, *accumulate(len(word) + 1 for word in words)]
    spans = list[dict[str, str]]()
    for at, (last, tag) in enumerate(pairwise([_OUTSIDE, *tags])):
        if _begins(last, tag):
            spans.append({"start": str(starts[at]), "rule": tag.type})
        if tag.letter != "O":
            spans[-1]["end"] = str(starts[at + 1] - 1)
    return " ".join(words), spans


def _begins(last: Tag, tag: Tag) -> bool:
    return tag.letter != "O" and (tag.letter in _WHOLE or last.letter in f"O{_ENDS}" or last.type != tag.type)


def broken_starts(sentences: Iterable[Sequence[Tag]]) -> list[str]:
    """A warning that counts spans whose first tag continues one; none where spans begin so as a rule (IOB1)."""
    begins = [pair for tags in sentences for pair in pairwise([_OUTSIDE, *tags]) if _begins(*pair)]
    broken = sum(tag.letter not in _WHOLE for _, tag in begins)
    if not any(tag.letter in _WHOLE and (last.letter == "O" or last.type != tag.type) for last, tag in begins):
        return []
    spans = counted(broken, "span begins", "spans begin")
    return [f"{spans} with a tag that continues one, such as I without B, and counts all the same"] if broken else []


def _looks_like(found: Opened[Options]) -> bool:
    """Whether all of the first lines are empty, comments, or tokens with tags, of which one marks something."""
    if not found.is_text:
        return False
    findings = Findings()
    rows = found.start.content.decode("utf-8", errors="replace").split("\n")[:-1]
    _, sentences = _sentences(rows, "", findings)
    return not findings.total and any(line.cells[-1] != "O" for _, lines in sentences for line in lines)


FORMAT = Format("conll", "violations", read_conll, _looks_like, 2, (".conll", ".bio", ".iob"))
