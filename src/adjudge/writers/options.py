"""Options of `adjudge.convert`."""

from pathlib import Path
from typing import Any, Literal

from adjudge.options.declaration import option
from adjudge.options.kinds import INPUT, written_file
from adjudge.options.shared import Criteria, GoldAnswerOptions, Labels, Offsets, OnInvalid, Tables, VoteOptions


class ConvertOptions(Tables, OnInvalid, Labels, VoteOptions, Criteria, Offsets, GoldAnswerOptions):
    """Convert a file of any evaluation to Adjudge's own format.

    Pairs become a .parquet file or AnnotatedPairs .json. Judgments and preferences become tables (.csv, .tsv, .jsonl or
    .parquet). Violations and answers become .jsonl or .parquet.

    adjudge convert votes.json votes.parquet

    adjudge convert label-studio.json marked.jsonl --evaluation violations

    adjudge convert table.json pairs.parquet --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns annotator1,annotator2 --vote-values text_a=1,text_b=2,both=0
    """

    data: Any = option(
        "A file of pairs, judgments, preferences, violations or answers", metavar="INPUT", kind=INPUT, kw_only=False
    )
    output: str | Path = option(
        "The file to write: .parquet, .json, .jsonl, .csv or .tsv", metavar="OUT", kind=written_file(), kw_only=False
    )
    evaluation: Literal["annotations", "preferences", "rag", "reliability", "violations"] | None = option(
        "Evaluation that reads the file (default: detected)", default=None
    )
