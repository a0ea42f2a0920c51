"""Files of answers, read side by side: as frames that any worker can hand over or keep."""

import json
from collections.abc import Sequence
from functools import partial

import polars as pl

from karat.figures.parts import Known, Part, Workers
from karat.formats import answers as reader
from karat.formats.asked import asked
from karat.formats.source import Source
from karat.schemas.answers import Answers

_ABOUT, _ANSWERS = "about", "answers"


def read_files(sources: Sequence[Source], how: reader.Options, workers: Workers) -> list[Answers]:
    """The answers in each file that can be read."""
    if len(sources) == 1 and not workers.apart:
        return [reader.read_answers(sources[0], how)]
    known = {source.name: source for source in sources}
    parts = workers.files("reading files", partial(_as_part, how), sources, {})
    return [_from_part(part, known) for part in parts]


def _as_part(how: reader.Options, source: Source, _: Known) -> Part:
    """What a file of answers holds, as frames."""
    found = reader.read_answers(source, how)
    told = {"rows": found.rows, "warnings": found.warnings, "gold": found.gold, "named": dict(found.named)}
    about = pl.DataFrame({"source": [source.name], "told": [json.dumps(told)]})
    return Part(rows={_ABOUT: about, _ANSWERS: found.frame})


def _from_part(part: Part, known: dict[str, Source]) -> Answers:
    """The same as it was read."""
    name, text = part.rows[_ABOUT].row(0)
    told = json.loads(text)
    again = partial(asked, known[name], told["named"]) if told["named"] else None
    return Answers(name, part.rows[_ANSWERS], told["rows"], tuple(told["warnings"]), told["gold"], again, told["named"])
