"""`karat convert`: annotated pairs in another format."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from karat.api import options as common
from karat.api.kinds import INPUT, written
from karat.api.options import Option, bound, documented
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.schemas.pairs import Pairs

_BY_ENDING = {".json": "annotated-pairs", ".csv": "feedback-csv", ".parquet": "karat"}

Source = Annotated[Any, Option("A file of annotated pairs, in any format.", "IN", INPUT)]


@documented
def convert(
    source: Source,
    target: Annotated[Path, Option("The file to write: .parquet, .json or .csv.", "OUT", written())],
    *,
    input_format: common.InputFormat = None,
    output_format: Annotated[
        Literal["annotated-pairs", "feedback-csv", "karat"] | None,
        Option("The format to write; by default the one that OUT's ending says."),
    ] = None,
    columns: common.Columns = None,
    annotator_columns: common.AnnotatorColumns = (),
    vote_values: common.VoteValues = None,
    on_invalid: common.OnInvalid = "error",
) -> tuple[str, ...]:
    """Turn a file of annotated pairs into another format.

    Arguments
    ---------

    Returns
    -------
    Warnings about the file. It is written whole or not at all.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.
    """
    values = bound(convert, locals())
    from karat.formats.pairs import Options, read_pairs
    from karat.formats.source import sources
    from karat.formats.tables import damage_named
    from karat.render.files import check_target, replacing

    target, chosen = values["target"], _format(values["target"], values["output_format"])
    check_target(target, [target.suffix] if output_format else list(_BY_ENDING))
    names = (values["columns"], values["annotator_columns"], values["vote_values"])
    reading = Options(*names, drop=values["on_invalid"] == "drop")
    (opened,) = sources(source, values["input_format"], "annotations")
    with damage_named([opened.path] if opened.path else []):
        pairs = read_pairs(opened, reading)
        with replacing(target) as partial:
            _write(partial, pairs, chosen)
    return pairs.warnings


def _format(target: Path, output_format: str | None) -> str:
    if output_format is not None:
        return output_format
    if target.suffix not in _BY_ENDING:
        known = ", ".join(_BY_ENDING)
        raise OptionError(
            f'{target}: expected a name that ends in one of {known}, or --output-format; got "{target.suffix}"'
        )
    return _BY_ENDING[target.suffix]


def _write(path: Path, pairs: "Pairs", chosen: str) -> None:
    from karat.formats.annotated_pairs_json import annotated_pairs_json
    from karat.formats.columnar import write_columnar
    from karat.formats.feedback_csv import feedback_csv

    if chosen == "karat":
        write_columnar(pairs, path)
        return
    blocks = annotated_pairs_json(pairs) if chosen == "annotated-pairs" else feedback_csv(pairs)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(blocks)
