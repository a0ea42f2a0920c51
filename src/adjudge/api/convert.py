"""`adjudge.convert`."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.api.functions import takes
from adjudge.errors import DataError, OptionError
from adjudge.writers.options import ConvertOptions

if TYPE_CHECKING:
    from adjudge.readers.io.source import Source
    from adjudge.readers.parsed_input import Opened


@dataclass(frozen=True, slots=True)
class Converted:
    """The result of a conversion. output: the written file. read: the rows of the file that was read.

    written: the rows in `output`. unit: of a row: pair, judgment, item, answer, or line of violations. warnings:
    on the file.
    """

    output: Path
    read: int
    written: int
    unit: str
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        from adjudge.readers.problems import count_words

        found = count_words(self.read, f"{self.unit} read", f"{self.unit}s read")
        left = f", {self.read - self.written:,} skipped" if self.read > self.written else ""
        return f"{found}, {self.written:,} written to {self.output}{left}"


@takes(ConvertOptions)
def convert(options: ConvertOptions) -> Converted:
    """Turn a file of any evaluation into Adjudge's own form.

    Pairs become Adjudge's columnar form (.parquet) or AnnotatedPairs JSON (.json). Judgments and preferences become
    flat tables (.csv, .tsv, .jsonl, .parquet), with a row per item and annotator or per item; further columns are kept.
    Violations and answers become Adjudge's own lines (.jsonl, .parquet), which hold what evaluations use: no further
    columns, no documents.

    Returns
    -------
    Converted: the numbers of rows read and written, and warnings. The output is written whole or not at all.

    Raises
    ------
    DataError for invalid input, OptionError for invalid arguments.
    """
    from adjudge.readers.inputs import sources
    from adjudge.readers.io.source import How
    from adjudge.readers.tables import damage_named
    from adjudge.readers.transforms import check_values
    from adjudge.render.files import check_apart, check_target, replacing
    from adjudge.writers.conversions import CONVERSIONS

    target = Path(options.output)
    check_apart([target], list(options.paths("read")))
    named, how = _named_evaluation(options), How.of(options)
    source, *others = sources(options.data, how, named or "annotations")
    if others:
        message = f"expected one file; got {1 + len(others)}"
        raise OptionError(message, found=f"{others[0].name} as the second", fix="a command for each file")
    with damage_named([source]):
        conversion = CONVERSIONS[named or _recognised_evaluation(source, options)]
        known = dict.fromkeys(name for one in CONVERSIONS.values() for name in one.options)
        if given := options.given_names(name for name in known if name not in conversion.options):
            whose = ", ".join(one.what for one in CONVERSIONS.values() if given[0] in one.options)
            raise OptionError(f"concerns {whose}; the input holds {conversion.what}", option=given[0])
        check_target(target, list(conversion.endings))
        check_values([source], how)
        held = conversion.read(source, options)
        with replacing(target) as partial:
            count = held.write(partial, target.suffix)
    return Converted(
        target, held.rows, count, conversion.unit, tuple(dict.fromkeys((*source.warnings, *held.warnings)))
    )


def _named_evaluation(options: ConvertOptions) -> str | None:
    """The evaluation that the user names, or that of the named format, or of the input's folders."""
    from adjudge.readers.formats import formats
    from adjudge.readers.inputs import format_of_folder
    from adjudge.writers.conversions import CONVERSIONS

    if options.evaluation is not None:
        return str(options.evaluation)
    for name in CONVERSIONS:
        named = options.reading.input_format in [one.name for one in formats(name)]
        if named or format_of_folder(options.data, name) is not None:
            return name
    return None


def _recognised_evaluation(source: "Source", options: ConvertOptions) -> str:
    """The evaluation whose own format recognises a file; else that of the table's columns.

    Raises OptionError if nothing shows it, or several formats recognise the file.
    """
    from adjudge.readers.pairs.pairs import PairReading
    from adjudge.readers.parsed_input import opened
    from adjudge.writers.conversions import CONVERSIONS

    found = opened(source, PairReading.of(options))
    if b'"comparisons"' in found.start.content and _recognises("annotations", found):
        return "annotations"
    own = [name for name in CONVERSIONS if _recognises(name, found)]
    if len(own) > 1:
        raise OptionError(f"{source.name} may hold data for several: {', '.join(own)}", option="evaluation", fix=own[0])
    if own:
        return own[0]
    columns = set(found.names)
    mapped = found.options.columns.items()
    columns |= {ours for ours, theirs in mapped if theirs in columns or {*theirs.split("+")} <= columns}
    if held := next((name for name, one in CONVERSIONS.items() if one.holds(columns)), None):
        return held
    raise OptionError(
        f"nothing shows what {source.name} holds; its columns are {', '.join(found.names):.300}",
        option="evaluation",
        fix="|".join(sorted(CONVERSIONS)),
    )


def _recognises(evaluation: str, found: "Opened[Any]") -> bool:
    """Whether a file is of a format of an evaluation; general formats do not count.

    A wide table holds votes on pairs if it has their texts, otherwise judgments.
    """
    from adjudge.readers.parsed_input import format_of

    try:
        form = format_of(evaluation, found)
    except DataError:  # not a table, such as plain text; the reader reports what is wrong
        return False
    if form is None or form.name == "spans":
        return False
    return form.name != "wide" or (found.file_column("text_a") in found.names) == (evaluation == "annotations")
