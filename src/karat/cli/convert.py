"""`karat convert`."""

import typer

from karat.api.options import Call
from karat.cli.command import made


def convert(call: Call) -> None:
    """Turn a file of annotated pairs into another format: .parquet (Karat's own), .json or .csv.

    karat convert votes.json votes.parquet

    karat convert table.json pairs.parquet --columns prompt=instruction,text_a=response1,text_b=response2
    --annotator-columns annotator1,annotator2 --vote-values text_a=1,text_b=2,both=0
    """
    for warning in made(call):
        typer.echo(f"karat: {call['source']}: {warning}", err=True)
