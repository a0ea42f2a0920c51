"""`karat.convert`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from karat.api import options as common
from karat.api.kinds import INPUTS, File, written
from karat.api.options import Option, bound, documented
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.schemas.pairs import Pairs


@documented
def convert(
    data: Annotated[
        Any, Option("Files of annotated pairs, in any format; without --output the last is OUT.", "INPUT", INPUTS)
    ],
    output: Annotated[
        File, Option("The file to write: .parquet, .json, .csv or .jsonl.", "OUT", written(), flag="--output")
    ] = None,
    *,
    output_format: Annotated[
        Literal["annotated-pairs", "feedback-csv", "karat", "long-votes"] | None,
        Option("The format to write; by default the one that OUT's ending says."),
    ] = None,
    pseudonyms: Annotated[
        File,
        Option(
            "Write pseudonyms for annotators, as this key file says; it is written, or extended, where it lacks some.",
            "KEYFILE.csv",
            written(),
        ),
    ] = None,
    columns: common.Columns = None,
    annotator_columns: common.AnnotatorColumns = (),
    vote_values: common.VoteValues = None,
    exact_labels: common.ExactLabels = False,
    on_invalid: common.OnInvalid = "error",
    **further: Unpack[common.Reading],
) -> tuple[str, ...]:
    """Turn files of annotated pairs into another format, and several into one.

    Several files become one data set: the same id is the same pair, and annotators stand side by side. Texts that
    differ, and two different votes of one annotator on a pair, are refused.

    Arguments
    ---------
    pseudonyms: People's ids become those of the key file, and their names and descriptions are left out; principles,
        rules and models keep theirs. Texts and metadata are not touched.

    Returns
    -------
    Warnings about the files. The output is written whole or not at all.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.
    """
    values = bound(convert, locals())
    from karat.formats.merged_pairs import merged
    from karat.formats.pairs import Options, read_pairs
    from karat.formats.shaping import check_values
    from karat.formats.source import how_of, sources
    from karat.formats.tables import damage_named
    from karat.render.files import check_apart

    inputs, target = _inputs(values)
    form = _format(target, values["output_format"])
    check_apart(
        [target, *filter(None, [values["pseudonyms"]])], [Path(one) for one in inputs if isinstance(one, str | Path)]
    )
    names = (values["columns"], values["annotator_columns"], values["vote_values"])
    drop = values["on_invalid"] == "drop"
    opened = sources(inputs, how_of(values), "annotations")
    check_values(opened, how_of(values))
    with damage_named(opened):
        reading = Options(*names, drop=drop, exact_labels=values["exact_labels"])
        sets = [read_pairs(one, reading) for one in opened]
        pairs = merged(sets, [one.name for one in opened], drop=drop)
        if values["pseudonyms"] is not None:
            pairs = _anonymised(pairs, values["pseudonyms"])
        written_pairs(pairs, target, form)
    return tuple(dict.fromkeys((*(said for one in opened for said in one.warnings), *pairs.warnings)))


def _inputs(values: Mapping[str, Any]) -> tuple[list[Any], Path]:
    """What is read, and the file to write: the one that is named, else the last of several."""
    data = values["data"] if isinstance(values["data"], list | tuple) else [values["data"]]
    if values["output"] is not None:
        return list(data), values["output"]
    if len(data) < 2 or not isinstance(data[-1], str | Path):  # noqa: PLR2004 - an input and an output
        raise OptionError("output: expected the file to write; got none. Name it: convert INPUT --output OUT")
    return list(data[:-1]), Path(data[-1])


def _anonymised(pairs: "Pairs", path: Path) -> "Pairs":
    """The pairs with pseudonyms; the key is written before anything else is, so that none is lost."""
    from karat.formats.pseudonyms import anonymised, extended, key_text, people, read_key
    from karat.render.files import replacing

    known = read_key(path)
    key = extended(known, [one.id for one in people(pairs)])
    if key != known:
        with replacing(path) as partial:
            partial.write_text(key_text(key), encoding="utf-8")
    return anonymised(pairs, key)


def written_pairs(pairs: "Pairs", target: Path, form: str | None = None) -> None:
    """Write pairs in a format, by default the one that the file's ending says, whole or not at all."""
    from karat.formats.written_pairs import BY_ENDING, write_pairs
    from karat.render.files import replacing

    with replacing(target) as partial:
        write_pairs(pairs, partial, form or BY_ENDING[target.suffix], target.suffix)


def _format(target: Path, output_format: str | None) -> str:
    """The format to write. Raises OptionError where the file's name does not say one, or another."""
    from karat.formats.written_pairs import BY_ENDING
    from karat.render.files import check_target

    check_target(target, [target.suffix] if output_format else list(BY_ENDING))
    return output_format or BY_ENDING[target.suffix]
