"""Which response shows more of a trait? Votes of a model on pairs of responses.

The order of the two responses is drawn at random for each pair and recorded; several traits are asked in one prompt, in
an order drawn anew for each pair.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np
import polars as pl

from adjudge.errors import OptionError
from adjudge.llm.calls import Call, Reply, Status
from adjudge.llm.prompts import Template
from adjudge.llm.reply_forms import Choice, Fields
from adjudge.readers.inputs import source_of
from adjudge.readers.io.source import How
from adjudge.readers.pairs.pairs import PairReading, read_pairs
from adjudge.render.files import replacing
from adjudge.schemas.pairs import CODE, AnnotatedPairs, Annotator
from adjudge.text.toml_files import packaged, toml_in
from adjudge.writers.pair_files import write_pairs

ANSWERS = ("A", "B", "both", "neither")
ORDER = "adjudge_order"
"""The metadata column that says in which order a pair's responses were shown: ab or ba."""

_ORDERS = ("ab", "ba")
_TOGETHER = 10
"""Traits in a prompt."""

_VOTES = {answer: CODE[vote] for answer, vote in zip(ANSWERS, ("text_a", "text_b", "both", "neither"), strict=True)}
_SWAPPED = {"A": "B", "B": "A"}


@dataclass(frozen=True, slots=True)
class Labelling:
    """What is asked of each pair.

    traits: name -> what more of it means. model: as votes name it.
    """

    traits: Mapping[str, str]
    template: Template
    model: str
    seed: int = 0

    def annotators(self) -> list[Annotator]:
        """The annotators that votes are of: one per trait."""
        asked = f"Answered by {self.model}, prompt {self.template.signed}."
        return [
            Annotator(f"{trait}|{self.model}", f"{trait} ({self.model})", f"Which response {meaning}? {asked}", "model")
            for trait, meaning in self.traits.items()
        ]

    def calls(self, pairs: AnnotatedPairs) -> Iterator[Call]:
        """The calls on all pairs."""
        order = pl.col(ORDER).cast(pl.String) if ORDER in pairs.frame.collect_schema().names() else pl.lit(None)
        frame = pairs.frame.select("pair", "prompt", "text_a", "text_b", order.alias(ORDER)).collect()
        for row in frame.iter_rows(named=True):
            yield from self._of_pair(row)

    def _of_pair(self, row: Mapping[str, str | None]) -> Iterator[Call]:
        """The calls on a pair: in the order in which it was shown before, else in one that is drawn."""
        random = Random(sha256(f"{self.seed}|{row['pair']}".encode()).digest())  # noqa: S311 - an order, no secret
        drawn = "ba" if random.random() < 0.5 else "ab"  # noqa: PLR2004 - a coin
        order = row[ORDER] if row[ORDER] in _ORDERS else drawn
        names = sorted(self.traits)
        random.shuffle(names)
        shown_a, shown_b = ("text_b", "text_a") if order == "ba" else ("text_a", "text_b")
        instruction = row["prompt"] or "(not known)"
        judged = {"instruction": instruction, "response_a": row[shown_a], "response_b": row[shown_b]}
        for start in range(0, len(names), _TOGETHER):
            together = names[start : start + _TOGETHER]
            given = {"traits": "\n".join(f"{name}: {self.traits[name]}" for name in together)}
            form = Fields(dict.fromkeys(together, Choice(ANSWERS)))
            about = {"pair": row["pair"], "order": order, "traits": together}
            yield Call(self.template, form, judged, given, about)

    def labelled(self, pairs: AnnotatedPairs, replies: Iterable[tuple[Call, Reply]]) -> AnnotatedPairs:
        """The pairs with this model's votes; one that was not answered is what became of it, such as refused."""
        frame = pairs.frame.collect()
        rows = {pair: row for row, pair in enumerate(frame["pair"])}
        votes = {trait: np.zeros(len(rows), dtype=np.uint8) for trait in self.traits}
        orders: list[str | None] = [None] * len(rows)
        for call, reply in replies:
            row, order = rows[call.about["pair"]], call.about["order"]
            orders[row] = order
            for trait in call.about["traits"]:
                votes[trait][row] = _vote(reply, trait, order)
        own = self.annotators()
        columns = [pl.Series(one.column, codes) for one, codes in zip(own, votes.values(), strict=True)]
        return replace(
            pairs,
            frame=frame.with_columns(pl.Series(ORDER, orders, dtype=pl.String), *columns).lazy(),
            annotators=tuple({one.id: one for one in (*pairs.annotators, *own)}.values()),
            metadata=tuple(dict.fromkeys((*pairs.metadata, ORDER))),
        )


def _vote(reply: Reply, trait: str, order: str) -> int:
    """The code of a vote, in the pair's own order."""
    if reply.status != Status.ANSWERED:
        return CODE[reply.status.value]
    answer = reply.value[trait]
    return _VOTES[_SWAPPED.get(answer, answer) if order == "ba" else answer]


def traits(path: str | Path | None = None) -> dict[str, str]:
    """The traits in a TOML file, or those that come with Adjudge: a name and what "more of it" means.

    Raises OptionError for a file that is none.
    """
    wanted = 'traits as TOML, such as polite = "is more polite"'
    found = (packaged(__package__, "traits.toml") if path is None else toml_in(Path(path), wanted)).get("traits")
    if not isinstance(found, Mapping) or not found:
        raise OptionError(f"{path}: expected a table [traits] with a line per trait")
    for name, said in found.items():
        if not isinstance(said, str) or not said.strip():
            raise OptionError(f'{path}, {name}: expected what more of the trait means, as text; got "{said!s:.60}"')
    return dict(found)


# --- files ---


def read_all(pairs: object, columns: Mapping[str, str] | None = None, how: How | None = None) -> AnnotatedPairs:
    """The pairs in a file of any format, or in a table on which nobody has voted yet.

    Their warnings also say what was done to read the file.
    """
    source = source_of(pairs, how, "annotations")
    read = read_pairs(source, PairReading(columns=columns or {}, unlabelled=True))
    return replace(read, warnings=(*source.warnings, *read.warnings))


def write_labelled(labelled: AnnotatedPairs, output: Path) -> None:
    """Write pairs with their votes."""
    with replacing(output) as part:
        write_pairs(labelled, part, output.suffix)
