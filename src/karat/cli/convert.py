"""`karat convert`."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import options as common
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.schemas.pairs import Pairs


class OutputFormat(StrEnum):
    """Forms in which pairs are written."""

    annotated_pairs = "annotated-pairs"
    feedback_csv = "feedback-csv"
    karat = "karat"


_BY_ENDING = {".json": OutputFormat.annotated_pairs, ".csv": OutputFormat.feedback_csv, ".parquet": OutputFormat.karat}


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of annotated pairs, in any format.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .parquet, .json or .csv.")],
    input_format: common.InputFormat = None,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option("--output-format", help="What to write; by default, what OUT's ending says."),
    ] = None,
    columns: common.Columns = None,
    annotator_columns: Annotated[
        list[str] | None,
        typer.Option(
            "--annotator-columns", metavar="COLUMN,...", help="The columns of a wide table that are annotators."
        ),
    ] = None,
    vote_values: Annotated[
        list[str] | None,
        typer.Option(
            "--vote-values",
            metavar="VOTE=VALUE,...",
            help="What the values of votes mean, such as text_a=1,text_b=2,both=0.",
        ),
    ] = None,
    on_invalid: common.Invalid = common.OnInvalid.error,
) -> None:
    """Turn a file of annotated pairs into another format: .parquet (Karat's own), .json or .csv.

    karat convert votes.json votes.parquet

    karat convert table.json pairs.parquet --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns annotator1,annotator2 --vote-values text_a=1,text_b=2,both=0
    """
    from karat.formats.pairs import FORMATS, Options, read_pairs
    from karat.formats.source import sources
    from karat.formats.tables import damage_named
    from karat.render.files import check_target

    chosen = _format(target, output_format)
    check_target(target, [target.suffix] if output_format else list(_BY_ENDING))
    options = Options(
        columns=dict(common.pairs("--columns", columns)),
        annotator_columns=common.listed(annotator_columns),
        vote_values=common.grouped("--vote-values", vote_values),
        drop=on_invalid is common.OnInvalid.drop,
    )
    (opened,) = sources(source, input_format, FORMATS)
    with damage_named([source]):
        pairs = read_pairs(opened, options)
        _write(pairs, target, chosen)
    for warning in pairs.warnings:
        typer.echo(f"karat: {source}: {warning}", err=True)


def _format(target: Path, output_format: OutputFormat | None) -> OutputFormat:
    if output_format is not None:
        return output_format
    if target.suffix not in _BY_ENDING:
        known = ", ".join(_BY_ENDING)
        raise OptionError(
            f'{target}: expected a name that ends in one of {known}, or --output-format; got "{target.suffix}"'
        )
    return _BY_ENDING[target.suffix]


def _write(pairs: "Pairs", target: Path, chosen: OutputFormat) -> None:
    """Write all or nothing."""
    from karat.render.files import replacing

    with replacing(target) as partial:
        _write_to(partial, pairs, chosen)


def _write_to(path: Path, pairs: "Pairs", chosen: OutputFormat) -> None:
    from karat.formats.annotated_pairs_json import annotated_pairs_json
    from karat.formats.columnar import write_columnar
    from karat.formats.feedback_csv import feedback_csv

    if chosen is OutputFormat.karat:
        write_columnar(pairs, path)
        return
    blocks = annotated_pairs_json(pairs) if chosen is OutputFormat.annotated_pairs else feedback_csv(pairs)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(blocks)
