"""Annotated pairs from any file that holds them; the format is found out from the content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from karat.errors import OptionError
from karat.formats.opened import Opened, format_of, opened
from karat.formats.source import Source
from karat.schemas.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Options:
    """How to read pairs.

    columns: Karat's name -> the file's (pair, prompt, text_a, text_b, model_a, model_b, annotator, vote).
    annotator_columns: of a wide table. vote_values: a vote of VOTES -> the values that mean it. drop: leave
    out invalid pairs instead of raising.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    annotator_columns: Sequence[str] = ()
    vote_values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drop: bool = False


def read_pairs(source: Source, options: Options | None = None) -> Pairs:
    """The pairs in a file or table, whatever its format.

    Raises DataError with all that is wrong with the file, OptionError where the options do not fit it.
    """
    found = opened(source, options or Options())
    form = format_of("annotations", found)
    if form is None:
        raise OptionError(
            f"{source.name}: cannot tell what this table holds (its columns are "
            f"{', '.join(found.records.columns):.300}). "
            "Name the annotators' columns with --annotator-columns, or the format with --input-format"
        )
    pairs: Pairs = form.read(found)
    return pairs


def check_fixed(found: Opened[Options], what: str) -> None:
    """Raises OptionError where options name columns or values of a format in which they are fixed."""
    given = [name for name in ("columns", "annotator_columns", "vote_values") if getattr(found.options, name)]
    if given:
        raise OptionError(f"{found.source.name}: the names in {what} are fixed; {', '.join(given)} cannot be given")
