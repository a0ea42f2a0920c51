"""`karat.convert`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from karat.api import options as common
from karat.api._convertible import evaluation_said, evaluation_seen, others_options
from karat.api.calls import Call, bound, documented
from karat.api.kinds import INPUTS, LISTED, File, Texts, written
from karat.api.options import Option
from karat.errors import OptionError

if TYPE_CHECKING:
    from karat.formats.conversion import Conversion, Held
    from karat.schemas.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Converted:
    """What became of files. output: the file that was written. read: each file -> the rows read from it.

    written: the rows in `output`. unit: what a row is: pair, judgment, item, answer, or line of violations. warnings:
    what to know of the files.
    """

    output: Path
    read: Mapping[str, int]
    written: int
    unit: str
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        from karat.formats.findings import counted, listed

        rows, each = sum(self.read.values()), ""
        if len(self.read) > 1:
            each = f" ({listed((f'{count:,} in {name}' for name, count in self.read.items()), say=str)})"
        found = counted(rows, f"{self.unit} read", f"{self.unit}s read")
        left = f", {rows - self.written:,} left out" if len(self.read) == 1 and rows > self.written else ""
        return f"{found}{each}, {self.written:,} written to {self.output}{left}"


@documented
def convert(
    data: Annotated[
        Any,
        Option(
            "Files of pairs, judgments, preferences, violations or answers, in any format; without --output the last "
            "is OUT.",
            "INPUT",
            INPUTS,
        ),
    ],
    output: Annotated[
        File,
        Option("The file to write: .parquet, .json, .jsonl, .csv or .tsv.", "OUT", written(), flag="--output"),
    ] = None,
    *,
    evaluation: Annotated[
        Literal["annotations", "preferences", "rag", "reliability", "violations"] | None,
        Option("The evaluation whose input the files are; by default what their format and columns say."),
    ] = None,
    output_format: Annotated[
        Literal["annotated-pairs", "feedback-csv", "karat", "long-votes"] | None,
        Option("The format to write, of pairs; by default the one that OUT's ending says."),
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
    vote_separator: common.VoteSeparator = None,
    flag_values: common.FlagValues = None,
    exact_labels: common.ExactLabels = False,
    criteria: Annotated[
        Texts, Option("The criteria of preferences; by default those that the files name.", "CRITERION,...", LISTED)
    ] = (),
    labels: common.Labels = (),
    offset_base: common.OffsetBase = 0,
    gold: common.Gold = None,
    answer_lists: common.AnswerLists = None,
    answer_separator: common.AnswerSeparator = None,
    on_invalid: common.OnInvalid = "error",
    **further: Unpack[common.Reading],
) -> Converted:
    """Turn files of any evaluation into a format of Karat's own, and several into one.

    Several files become one data set: the same id is the same pair, item or text, and annotators stand side by side.
    What two files say differently of the same (texts, labels, votes, trusted labels) is refused, and so are two lists
    of violations by one annotator in a text, and two answers of a model to the same question in one draw.

    Pairs become any format of `output_format`. Judgments and preferences become flat tables (.csv, .tsv, .json, .jsonl,
    .parquet), with a row per item and annotator or per item; further columns are kept. Violations and answers become
    Karat's own lines (.jsonl, .json, .parquet), which hold what evaluations use: no further columns, no documents;
    violations also become tables of spans (.csv, .tsv).

    Arguments
    ---------
    evaluation: To be named of spans that Argilla exported, and of tables whose columns do not show it.
    vote_values: Of pairs.
    vote_separator: Of judgments, as in `karat.reliability`.
    flag_values: Of judgments.
    labels: Of preferences.
    offset_base: Of violations; what is written counts from 0.
    gold: Of answers, as in `karat.rag`.
    answer_lists: Of answers, as in `karat.rag`; what is written says it itself.
    answer_separator: Of answers, as in `karat.rag`.
    pseudonyms: Of pairs, judgments and violations: people's ids become those of the key file, and their names and
        descriptions are left out; principles, rules, models and checkers keep theirs. Texts and further columns are not
        touched.

    Returns
    -------
    Converted: how many rows were read from each file and written, and warnings. The output is written whole or not at
    all.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.
    """
    values = bound(convert, locals())
    from karat.formats.conversions import CONVERSIONS
    from karat.formats.inputs import sources
    from karat.formats.shaping import check_values
    from karat.formats.source import how_of
    from karat.formats.tables import damage_named
    from karat.render.files import check_apart, replacing

    inputs, target = _inputs(values)
    check_apart(
        [target, *filter(None, [values["pseudonyms"]])],
        [Path(one) for one in (*inputs, values["gold"]) if isinstance(one, str | Path)],
    )
    how = how_of(values)
    said = evaluation_said(values, inputs)
    opened = sources(inputs, how, said or "annotations")
    with damage_named(opened):
        conversion = CONVERSIONS[said or evaluation_seen(opened[0], values)]
        form = _form(conversion, target, values)
        check_values(opened, how)
        held = conversion.read(opened, values)
        if values["pseudonyms"] is not None:
            held = _anonymised(held, values["pseudonyms"])
        with replacing(target) as partial:
            count = held.write(partial, form, target.suffix)
    warnings = dict.fromkeys((*(warning for one in opened for warning in one.warnings), *held.warnings))
    return Converted(target, held.rows, count, conversion.unit, tuple(warnings))


def _inputs(values: Mapping[str, Any]) -> tuple[list[Any], Path]:
    """What is read, and the file to write: the one that is named, else the last of several."""
    from karat.formats.inputs import each_of

    data = each_of(values["data"])
    if values["output"] is not None:
        return data, values["output"]
    if len(data) < 2 or not isinstance(data[-1], str | Path):  # noqa: PLR2004 - an input and an output
        raise OptionError("output: expected the file to write; got none. Name it last, or with --output")
    several = len(data) > 2  # noqa: PLR2004
    if several and Path(data[-1]).exists():
        raise OptionError(
            f"output: {data[-1]} stands last, where the file to write is expected, and is there already. If it is an "
            "input too, name the file to write with --output"
        )
    return data[:-1], Path(data[-1])


# --- what can be written ---


def _form(conversion: "Conversion", target: Path, values: Call) -> str:
    """The format to write.

    Raises OptionError for options of other evaluations, and where the file's name does not say a format, or another.
    """
    from karat.formats.conversions import CONVERSIONS
    from karat.render.files import check_target

    if given := others_options(conversion, values):
        whose = ", ".join(one.what for one in CONVERSIONS.values() if given[0] in one.options)
        raise OptionError(f"{given[0]}: concerns {whose}; the input holds {conversion.what}")
    named = values["output_format"]
    check_target(target, [target.suffix] if named else list(conversion.forms))
    return named or conversion.forms[target.suffix]


def _anonymised(held: "Held", path: Path) -> "Held":
    """What is held with pseudonyms; the key is written before anything else is, so that none is lost."""
    from karat.formats.pseudonyms import extended, key_text, read_key
    from karat.render.files import replacing

    known = read_key(path)
    key = extended(known, held.people())
    if key != known:
        with replacing(path) as partial:
            partial.write_text(key_text(key), encoding="utf-8")
    return held.anonymised(key)


def written_pairs(pairs: "Pairs", target: Path, form: str | None = None) -> None:
    """Write pairs in a format, by default the one that the file's ending says, whole or not at all."""
    from karat.formats.written_pairs import BY_ENDING, write_pairs
    from karat.render.files import replacing

    with replacing(target) as partial:
        write_pairs(pairs, partial, form or BY_ENDING[target.suffix], target.suffix)
