"""Which evaluation files to convert are for: as the user says, or as their format, columns and options show."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from karat.api.calls import Call
from karat.errors import DataError, KaratError, OptionError

if TYPE_CHECKING:
    from karat.formats.conversion import Conversion
    from karat.formats.opened import Opened
    from karat.formats.source import Source


def evaluation_said(values: Call, inputs: Sequence[Any]) -> str | None:
    """The evaluation that the user names, or whose format is named, or whose folders such are."""
    from karat.formats.conversions import CONVERSIONS

    if values["evaluation"] is not None:
        return str(values["evaluation"])
    return next((name for name in CONVERSIONS if _is_said(name, values["input_format"], inputs[0])), None)


def _is_said(evaluation: str, form: str | None, given: Any) -> bool:
    """Whether a format, or what makes a folder one input, is an evaluation's own."""
    from karat.formats.inputs import format_of_folder
    from karat.formats.source import formats

    return form in [one.name for one in formats(evaluation)] or format_of_folder(given, evaluation) is not None


def evaluation_seen(source: "Source", values: Call) -> str:
    """The first evaluation with a format of its own that recognises a file; else that of the table's columns.

    Raises OptionError where nothing shows it.
    """
    from karat.formats.conversions import CONVERSIONS
    from karat.formats.opened import is_certain, opened
    from karat.formats.pairs import Options

    found = opened(source, Options(values["columns"], values["annotator_columns"]))
    every = CONVERSIONS
    if certain := next((name for name in every if is_certain(name, found)), None):
        return certain
    if own := [name for name in every if _is_of(name, found)]:
        return _only_readable(source, own, values)
    there = _columns_of(found)
    if held := next((name for name, one in every.items() if one.holds(there)), None):
        return held
    given = {*values["columns"], *values["set"]}
    likely = [name for name, one in every.items() if given <= {*one.known(values)} and not others_options(one, values)]
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
    from karat.formats.conversions import CONVERSIONS

    readable = []
    for name in names if len(names) > 1 else ():
        with suppress(KaratError):
            readable += [name] * CONVERSIONS[name].read([source], values).says_anything()
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


def others_options(conversion: "Conversion", values: Call) -> list[str]:
    """The options given that do not concern an evaluation, but others."""
    from karat.formats.conversions import CONVERSIONS

    all_of_them = dict.fromkeys(name for one in CONVERSIONS.values() for name in one.options)
    return values.set_among(name for name in all_of_them if name not in conversion.options)
