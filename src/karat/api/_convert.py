"""`karat.convert`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Unpack

from karat.api import options as common
from karat.api.kinds import INPUTS, File, from_to, written
from karat.api.options import Call, Option, bound, documented
from karat.errors import DataError, OptionError

if TYPE_CHECKING:
    from karat.formats.opened import Opened
    from karat.formats.opened import Options as Reading
    from karat.formats.source import Source
    from karat.schemas.pairs import Pairs


@documented
def convert(
    data: Annotated[
        Any,
        Option(
            "Files of pairs, violations or answers, in any format; without --output the last is OUT.", "INPUT", INPUTS
        ),
    ],
    output: Annotated[
        File, Option("The file to write: .parquet, .json, .csv or .jsonl.", "OUT", written(), flag="--output")
    ] = None,
    *,
    evaluation: Annotated[
        Literal["annotations", "rag", "violations"] | None,
        Option("What the files hold: pairs, answers or violations; by default what their format says."),
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
    exact_labels: common.ExactLabels = False,
    offset_base: Annotated[int, Option("The offset of the first character: 0 or 1.", kind=from_to(0, 1))] = 0,
    gold: Annotated[File, Option("The true answers, where they stand in a file of their own.", "FILE")] = None,
    answer_lists: common.AnswerLists = None,
    answer_separator: common.AnswerSeparator = None,
    on_invalid: common.OnInvalid = "error",
    **further: Unpack[common.Reading],
) -> tuple[str, ...]:
    """Turn files of pairs, of violations or of answers into another format, and several into one.

    Several files become one data set: the same id is the same pair, or text, and annotators stand side by side. Texts
    that differ, two different votes of one annotator on a pair, two lists of violations by one annotator in a text, and
    two answers of a model to the same question in one draw are refused.

    Violations and answers become Karat's own JSON lines (.jsonl). These hold what evaluations use: no further columns,
    and no documents.

    Arguments
    ---------
    evaluation: To be named of plain tables of answers or of spans, and of spans that Argilla exported; where no format
        says it, files are taken to hold pairs.
    offset_base: Of violations; what is written counts from 0.
    gold: Of answers, as in `karat.rag`.
    answer_lists: Of answers, as in `karat.rag`; what is written says it itself.
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
    from karat.formats.shaping import check_values
    from karat.formats.source import how_of, sources
    from karat.formats.tables import damage_named
    from karat.render.files import check_apart

    inputs, target = _inputs(values)
    check_apart(
        [target, *filter(None, [values["pseudonyms"]])],
        [Path(one) for one in (*inputs, values["gold"]) if isinstance(one, str | Path)],
    )
    how = how_of(values)
    said = _evaluation_said(values, inputs)
    opened = sources(inputs, how, said or "annotations")
    with damage_named(opened):
        held = said or _evaluation_seen(opened[0], values)
        _check_options(held, values, target)
        check_values(opened, how)
        told = _WRITERS[held](opened, target, values)
    return tuple(dict.fromkeys((*(warning for one in opened for warning in one.warnings), *told)))


# --- which evaluation ---

_OPTIONS = {
    "annotations": ("output_format", "pseudonyms", "annotator_columns", "vote_values", "exact_labels"),
    "rag": ("gold", "answer_lists", "answer_separator"),
    "violations": ("offset_base",),
}
"""Options that concern the files of one evaluation."""
_HELD = {"annotations": "pairs", "rag": "answers", "violations": "violations"}


def _evaluation_said(values: Call, inputs: Sequence[Any]) -> str | None:
    """The evaluation that the user names, or whose format is named, or whose folders such are."""
    from karat.formats.source import formats, whole_folders

    if values["evaluation"] is not None:
        return str(values["evaluation"])
    for name in _HELD:
        folder = Path(inputs[0]) if isinstance(inputs[0], str | Path) else None
        if any(folder and folder.is_dir() and any(folder.rglob(one)) for one in whole_folders(name)):
            return name
        if values["input_format"] in [form.name for form in formats(name)]:
            return name
    return None


def _evaluation_seen(source: "Source", values: Call) -> str:
    """The first evaluation with a format of its own that recognises a file; that of pairs where none has."""
    from karat.formats import answers, pairs, violations
    from karat.formats.opened import opened

    columns = values["columns"]
    shape = pairs.Options(columns, values["annotator_columns"], values["vote_values"])
    asked: dict[str, Opened[Any]] = {
        "annotations": opened(source, shape),
        "rag": opened(source, answers.Options(columns)),
        "violations": opened(source, violations.Options(columns)),
    }
    return next((name for name, found in asked.items() if _is_of(name, found)), "annotations")


def _is_of(evaluation: str, found: "Opened[Any]") -> bool:
    """Whether a file is of a format of an evaluation; any table may be one of spans, so that this says nothing."""
    from karat.formats.opened import format_of

    try:
        form = format_of(evaluation, found)
    except DataError:  # no table at all, as plain text is; whoever reads the file says what is wrong with it
        return False
    return form is not None and form.name != "spans"


def _check_options(evaluation: str, values: Call, target: Path) -> None:
    """Raises OptionError for options of other evaluations, and for a file that cannot be written of this one."""
    from karat.render.files import check_target

    others = [name for one, names in _OPTIONS.items() if one != evaluation for name in names]
    if given := values.set_among(others):
        whose = next(one for one, names in _OPTIONS.items() if given[0] in names)
        raise OptionError(f"{given[0]}: concerns {_HELD[whose]}; the input holds {_HELD[evaluation]}")
    if evaluation == "annotations":
        _format(target, values["output_format"])
    elif target.suffix != ".jsonl":
        raise OptionError(
            f"{target}: {_HELD[evaluation]} are written as Karat's JSON lines: expected a name that ends in .jsonl; "
            f'got "{target.suffix}"'
        )
    else:
        check_target(target, [".jsonl"])


# --- each evaluation ---


def _write_pairs(opened: "list[Source]", target: Path, values: Call) -> Sequence[str]:
    from karat.formats.merged_pairs import merged
    from karat.formats.pairs import Options, read_pairs

    names = (values["columns"], values["annotator_columns"], values["vote_values"])
    drop = values["on_invalid"] == "drop"
    reading = Options(*names, drop=drop, exact_labels=values["exact_labels"])
    sets = [read_pairs(one, reading) for one in opened]
    pairs = merged(sets, [one.name for one in opened], drop=drop)
    if values["pseudonyms"] is not None:
        pairs = _anonymised(pairs, values["pseudonyms"])
    written_pairs(pairs, target, _format(target, values["output_format"]))
    return pairs.warnings


def _write_violations(opened: "list[Source]", target: Path, values: Call) -> Sequence[str]:
    from karat.formats.violations import KNOWN_COLUMNS, Options
    from karat.formats.written_violations import merged_lines, read_lines
    from karat.schemas.columns import constants_of, mapped_columns

    drop = values["on_invalid"] == "drop"
    columns = mapped_columns(values["columns"], KNOWN_COLUMNS, constants=constants_of(values))
    options = Options(columns, offset_base=values["offset_base"], drop=drop, predictions=True)
    read = [read_lines(one, options) for one in opened]
    lines, told = merged_lines([one for one, _ in read], [one.name for one in opened], drop=drop)
    _write_lines(lines, target)
    left = [said for one in opened for said in _left_out("violations", one, options, KNOWN_COLUMNS)]
    return [*(said for _, warnings in read for said in warnings), *told, *left]


def _write_answers(opened: "list[Source]", target: Path, values: Call) -> Sequence[str]:
    from karat.formats.answers import KNOWN_COLUMNS, Options, read_answers, together
    from karat.formats.gold_answers import read_gold
    from karat.formats.source import source_of
    from karat.formats.written_answers import answer_lines
    from karat.schemas.columns import constants_of, mapped_columns

    options = Options(
        mapped_columns(values["columns"], KNOWN_COLUMNS, constants=constants_of(values)),
        drop=values["on_invalid"] == "drop",
        lists=values["answer_lists"],
        separator=values["answer_separator"],
        gold=None if values["gold"] is None else read_gold(source_of(values["gold"])),
    )
    read = [read_answers(one, options) for one in opened]
    _write_lines(answer_lines(together(read)), target)
    left = [said for one in opened for said in _left_out("rag", one, options, KNOWN_COLUMNS)]
    return [*(said for one in read for said in one.warnings), *left]


def _left_out(evaluation: str, source: "Source", options: "Reading", known: Iterable[str]) -> list[str]:
    """A warning that names the columns of a plain table, or of Karat's own lines, that are not written."""
    from karat.formats.findings import listed
    from karat.formats.opened import format_of, opened
    from karat.schemas.replies import OUTCOME

    found = opened(source, options)
    form = format_of(evaluation, found)
    if form is not None and form.name not in {"violations", "spans"}:
        return []
    mapped = [part for theirs in options.columns.values() for part in (theirs, *theirs.split("+"))]
    kept = {*known, *mapped, OUTCOME}
    left = [name for name in found.names if name not in kept]
    if not left:
        return []
    return [f"{source.name}: not written, since Karat's lines of {_HELD[evaluation]} have no such keys: {listed(left)}"]


def _write_lines(lines: Iterable[Mapping[str, Any]], target: Path) -> None:
    from karat.render.files import replacing

    with replacing(target) as partial, partial.open("w", encoding="utf-8", newline="") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


_WRITERS = {"annotations": _write_pairs, "rag": _write_answers, "violations": _write_violations}


def _inputs(values: Mapping[str, Any]) -> tuple[list[Any], Path]:
    """What is read, and the file to write: the one that is named, else the last of several."""
    data = values["data"] if isinstance(values["data"], list | tuple) else [values["data"]]
    if values["output"] is not None:
        return list(data), values["output"]
    if len(data) < 2 or not isinstance(data[-1], str | Path):  # noqa: PLR2004 - an input and an output
        raise OptionError("output: expected the file to write; got none. Name it last, or with --output")
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
