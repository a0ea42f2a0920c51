"""Pairs as files: Adjudge's columnar form, and AnnotatedPairs JSON."""

from functools import partial
from pathlib import Path

from adjudge.readers.io.source import Source
from adjudge.readers.pairs.annotated_pairs_json import annotated_pairs_json
from adjudge.readers.pairs.columnar import write_columnar
from adjudge.readers.pairs.pairs import Options, read_pairs
from adjudge.readers.tables import height_of
from adjudge.schemas.pairs import AnnotatedPairs
from adjudge.writers.tables import Settings, Writable


def write_pairs(pairs: AnnotatedPairs, path: Path, ending: str) -> int:
    """Stream a data set into a file; returns how many pairs it holds. ending: what the file's name will end with."""
    if ending == ".parquet":
        write_columnar(pairs, path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(annotated_pairs_json(pairs))
    return height_of(pairs.frame)


def pairs_to_write(source: Source, values: Settings) -> Writable:
    """The pairs of a file. Raises DataError with all that is wrong with it."""
    names = (values["columns"], values["annotator_columns"], values["vote_values"])
    drop = values["on_invalid"] == "drop"
    pairs = read_pairs(source, Options(*names, drop=drop, exact_labels=values["exact_labels"]))
    return Writable(height_of(pairs.frame), pairs.warnings, partial(write_pairs, pairs))
