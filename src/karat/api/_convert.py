"""`karat.convert`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from karat.api import options as common
from karat.api.kinds import INPUTS, LISTED, File, Texts, from_to, written
from karat.api.options import Call, Option, bound, documented
from karat.errors import DataError, KaratError, OptionError

if TYPE_CHECKING:
    from karat.formats.conversion import Conversion, Held
    from karat.formats.opened import Opened
    from karat.formats.source import Source
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
    offset_base: Annotated[int, Option("The offset of the first character: 0 or 1.", kind=from_to(0, 1))] = 0,
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
    from karat.formats.conversion import conversions
    from karat.formats.shaping import check_values
    from karat.formats.source import how_of, sources
    from karat.formats.tables import damage_named
    from karat.render.files import check_apart, replacing

    inputs, target = _inputs(values)
    check_apart(
        [target, *filter(None, [values["pseudonyms"]])],
        [Path(one) for one in (*inputs, values["gold"]) if isinstance(one, str | Path)],
    )
    how = how_of(values)
    said = _evaluation_said(values, inputs)
    opened = sources(inputs, how, said or "annotations")
    with damage_named(opened):
        conversion = conversions()[said or _evaluation_seen(opened[0], values)]
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
    data = values["data"] if isinstance(values["data"], list | tuple) else [values["data"]]
    if values["output"] is not None:
        return list(data), values["output"]
    if len(data) < 2 or not isinstance(data[-1], str | Path):  # noqa: PLR2004 - an input and an output
        raise OptionError("output: expected the file to write; got none. Name it last, or with --output")
    several = len(data) > 2  # noqa: PLR2004
    if several and Path(data[-1]).exists():
        raise OptionError(
            f"output: {data[-1]} stands last, where the file to write is expected, and is there already. If it is an "
            "input too, name the file to write with --output"
        )
    return list(data[:-1]), Path(data[-1])


# --- which evaluation ---


def _evaluation_said(values: Call, inputs: Sequence[Any]) -> str | None:
    """The evaluation that the user names, or whose format is named, or whose folders such are."""
    from karat.formats.conversion import conversions
    from karat.formats.source import formats, whole_folders

    if values["evaluation"] is not None:
        return str(values["evaluation"])
    for name in conversions():
        folder = Path(inputs[0]) if isinstance(inputs[0], str | Path) else None
        if any(folder and folder.is_dir() and any(folder.rglob(one)) for one in whole_folders(name)):
            return name
        if values["input_format"] in [form.name for form in formats(name)]:
            return name
    return None


def _evaluation_seen(source: "Source", values: Call) -> str:
    """The first evaluation with a format of its own that recognises a file; else that of the table's columns.

    Raises OptionError where nothing shows it.
    """
    from karat.formats.conversion import conversions
    from karat.formats.opened import is_certain, opened
    from karat.formats.pairs import Options

    found = opened(source, Options(values["columns"], values["annotator_columns"]))
    every = conversions()
    if certain := next((name for name in every if is_certain(name, found)), None):
        return certain
    if own := [name for name in every if _is_of(name, found)]:
        return _only_readable(source, own, values)
    there = _columns_of(found)
    if held := next((name for name, one in every.items() if one.holds(there)), None):
        return held
    given = {*values["columns"], *values["set"]}
    likely = [name for name, one in every.items() if given <= {*one.known(values)} and not _others_options(one, values)]
    if len(likely) == 1:
        return likely[0]
    raise OptionError(
        f"evaluation: nothing shows what {source.name} holds; its columns are {', '.join(found.names):.300}. Say for "
        f"which evaluation it is, with --evaluation: {', '.join(sorted(every))}"
    )


def _only_readable(source: "Source", names: Sequence[str], values: Call) -> str:
    """The one of some evaluations, all with a format like a file's, that finds anything in it; the first if none does.

    Tools write labels, comparisons and spans into files that look alike. Raises OptionError where several find some.
    """
    from karat.formats.conversion import conversions

    readable = []
    for name in names if len(names) > 1 else ():
        with suppress(KaratError):
            readable += [name] * conversions()[name].read([source], values).says_anything()
    if len(readable) > 1:
        raise OptionError(
            f"evaluation: {source.name} holds data for several; say which, with --evaluation: {', '.join(readable)}"
        )
    return [*readable, *names][0]


def _is_of(evaluation: str, found: "Opened[Any]") -> bool:
    """Whether a file is of a format of an evaluation; those that any table may have say nothing."""
    from karat.formats.opened import format_of

    try:
        form = format_of(evaluation, found)
    except DataError:  # no table at all, as plain text is; whoever reads the file says what is wrong with it
        return False
    if form is None or form.name == "spans":
        return False
    return (form.name, evaluation) != ("wide", "annotations") or found.theirs("text_a") in found.names


def _columns_of(found: "Opened[Any]") -> set[str]:
    """The columns of a table, also under Karat's names where the user maps them."""
    names = set(found.names)
    mapped = {
        ours for ours, theirs in found.options.columns.items() if {theirs} <= names or {*theirs.split("+")} <= names
    }
    return names | mapped


# --- what can be written ---


def _others_options(conversion: "Conversion", values: Call) -> list[str]:
    """The options given that do not concern an evaluation, but others."""
    from karat.formats.conversion import conversions

    all_of_them = dict.fromkeys(name for one in conversions().values() for name in one.options)
    return values.set_among(name for name in all_of_them if name not in conversion.options)


def _form(conversion: "Conversion", target: Path, values: Call) -> str:
    """The format to write.

    Raises OptionError for options of other evaluations, and where the file's name does not say a format, or another.
    """
    from karat.formats.conversion import conversions
    from karat.render.files import check_target

    if given := _others_options(conversion, values):
        whose = ", ".join(one.what for one in conversions().values() if given[0] in one.options)
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
