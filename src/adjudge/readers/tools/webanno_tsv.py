"""WebAnno TSV 3, which WebAnno and INCEpTION export: sentences of tokens, with layers of annotations as columns.

#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Claim|value

#Text=Cures headache.
1-1	0-5	Cures	claim[1]
1-2	6-14	headache	claim[1]
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from adjudge.errors import DataError
from adjudge.readers.io.source import Format
from adjudge.readers.parsed_input import Opened
from adjudge.readers.problems import Findings
from adjudge.readers.spans.span_offsets import code_points
from adjudge.readers.spans.span_records import Names, Raw, Record, raw_of
from adjudge.readers.spans.violations import Options
from adjudge.schemas.violations import ID, TEXT, TEXT_PARTS

_MARK, _LAYER, _SENTENCE = "#FORMAT=WebAnno TSV 3", "#T_SP=", "#Text="
_OTHER_LAYERS = {"#T_CH=": "chains", "#T_RL=": "relations"}
_GRAMMAR = re.compile(r"de\.tudarmstadt\.ukp\.dkpro\.core\.api\.(lexmorph|segmentation|syntax)\.")
"""Layers that say what each token is, and mark nothing."""
_ROW = re.compile(r"\d+-\d+(?:\.\d+)?\t(\d{1,15})-(\d{1,15})\t")
_BAR, _ESCAPED = re.compile(r"(?<!\\)\|"), re.compile(r"\\(->|.)")
_STACKED = re.compile(r"(.*)(?<!\\)\[(\d+)\]", re.DOTALL)
_UNSET = "*"
_FIRST_COLUMN = 3


@dataclass(slots=True)
class _Layer:
    """A layer of spans: its name, and its features, a column each from `first` on."""

    name: str
    features: Sequence[str]
    first: int


@dataclass(slots=True)
class _Sentence:
    """A sentence: the lines of its text, and its tokens' rows, each with start, end and the columns of layers."""

    number: int
    lines: list[str]
    rows: list[tuple[int, int, list[str]]] = field(default_factory=list)


def read_webanno_tsv(found: Opened[Options]) -> Raw:
    """A line for each sentence, by its number. The first feature that is set is the rule, else the layer's name.

    A feature that is called like a part of a violation is that part. Layers of grammar, chains, relations and further
    features are counted in a warning; an annotation that several sentences share is one in each of them.
    """
    source, findings = found.source, Findings("line")
    found.options.check_unused(source.name, "WebAnno TSV")
    text = source.text()
    layers, left = _layers(text)
    records = []
    for nth, sentence in enumerate(_sentences(text, source.name, findings), 1):
        said = "\n".join(map(_plain, sentence.lines))
        holder = {ID: str(nth), TEXT: said}
        records.append(Record(sentence.number, holder, _marks(sentence, said, layers)))
    if not records:
        raise DataError(f"{source.name}: expected at least one sentence ({_SENTENCE}); got none")
    raw = raw_of(source.name, "line", records, Names(), findings, len(records))
    told = ", ".join(f"{what} {count:,}" for what, count in left.items())
    return raw.warned([f"layers and features that are no rules are left out: {told}"] if told else [])


def _layers(text: str) -> tuple[list[_Layer], Counter[str]]:
    """The layers of spans that mark something, and how many others there are, by kind."""
    found, left, column = list[_Layer](), Counter[str](), _FIRST_COLUMN
    for line in text.splitlines():
        left.update(kind for start, kind in _OTHER_LAYERS.items() if line.startswith(start))
        if line.startswith(_LAYER):
            name, *features = line.removeprefix(_LAYER).split("|")
            if _GRAMMAR.match(name):
                left["layers of grammar"] += 1
            else:
                found.append(_Layer(name, features, column))
                left["further features"] += len([one for one in features[1:] if one not in TEXT_PARTS])
            column += max(len(features), 1)
        elif line and not line.startswith("#"):
            break
    return found, +left


def _sentences(text: str, name: str, findings: Findings) -> Iterator[_Sentence]:
    sentence: _Sentence | None = None
    for number, line in enumerate(text.split("\n"), 1):
        row = line.rstrip("\r")
        if row.startswith(_SENTENCE):
            if sentence is None or sentence.rows:
                if sentence:
                    yield sentence
                sentence = _Sentence(number, [])
            sentence.lines.append(row.removeprefix(_SENTENCE))
        elif sentence and (found := _ROW.match(row)):
            sentence.rows.append((int(found[1]), int(found[2]), row.split("\t")))
        elif row.strip() and not row.startswith("#"):
            findings.add(f'{name}, line {number}: expected the row of a token; got "{row:.60}"', dropped=1)
    if sentence:
        yield sentence


def _marks(sentence: _Sentence, text: str, layers: Sequence[_Layer]) -> list[object]:
    """The annotations of a sentence: those of several tokens by the id that stands at each of them."""
    points, base = code_points(text), sentence.rows[0][0] if sentence.rows else 0
    marks: dict[object, dict[str, str]] = {}
    for at, (start, end, cells) in enumerate(sentence.rows):
        for layer in layers:
            for nth, (own, parts) in enumerate(_annotations(cells, layer)):
                key = (layer.name, own or f"{at} {nth}")
                first, last = (str(points.get(offset - base, offset - base)) for offset in (start, end))
                marks.setdefault(key, {"start": first, **parts})["end"] = last
    return list(marks.values())


def _annotations(cells: Sequence[str], layer: _Layer) -> Iterator[tuple[str | None, dict[str, str]]]:
    """The annotations of a layer at a token: the id of each, where it has one, and what it says."""
    columns = cells[layer.first : layer.first + max(len(layer.features), 1)]
    stacks = [_BAR.split(cell) for cell in columns]
    for nth, value in enumerate(stacks[0] if stacks else ()):
        if value in ("_", ""):
            continue
        values = [stack[nth] if nth < len(stack) else _UNSET for stack in stacks]
        found = [(one[1], one[2]) if (one := _STACKED.fullmatch(value)) else (value, None) for value in values]
        said = {name: _plain(one) for name, (one, _) in zip(layer.features, found, strict=False) if one != _UNSET}
        parts = {part: one for part, one in said.items() if part in TEXT_PARTS}
        rule = next((one for name, one in said.items() if name not in parts), layer.name.rpartition(".")[2])
        yield next((own for _, own in found if own), None), {"rule": rule, **parts}


def _plain(text: str) -> str:
    r"""A text without what keeps its characters from meaning something else.

    >>> _plain(r"a\_b \-> c")
    'a_b -> c'
    """
    signs = {"t": "\t", "n": "\n", "r": "\r"}
    return _ESCAPED.sub(lambda found: signs.get(found[1], found[1]), text)


def _looks_like(found: Opened[Options]) -> bool:
    return found.is_text and found.start.content.startswith(_MARK.encode())


FORMAT = Format("webanno-tsv", "violations", read_webanno_tsv, _looks_like, 3, (".tsv",))
