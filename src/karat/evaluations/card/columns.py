"""Columns that options name and that some of several inputs lack: people rarely say how sure they are."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from karat.formats import judgments as reader
from karat.formats.opened import opened
from karat.formats.shaping import INNER, JOIN, shaped
from karat.formats.source import How, Source
from karat.schemas.columns import check_there


def with_columns(sources: Sequence[Source], named: Mapping[str, str], options: reader.Options) -> list[Source]:
    """The inputs with the columns that others of them have, which are empty there; and warnings that say so.

    named: option -> column. Raises OptionError for a column that none of several inputs has.
    """
    if len(sources) == 1:
        return list(sources)
    lacking = [_lacking(source, named, options) for source in sources]
    if nowhere := set(named).intersection(*lacking):
        known = dict.fromkeys(chain.from_iterable(opened(source, options).names for source in sources))
        check_there("all inputs", [(option, theirs) for option, theirs in named.items() if option in nowhere], known)
    return [
        _with_empty(source, {option: theirs for option, theirs in named.items() if option in lacks})
        for source, lacks in zip(sources, lacking, strict=True)
    ]


def _lacking(source: Source, named: Mapping[str, str], options: reader.Options) -> set[str]:
    """The options whose columns a flat input does not hold, as far as its rows are known; none of other inputs."""
    found = opened(source, options)
    plain = {option: name for option, name in named.items() if not (JOIN in name or INNER in name)}
    lacks = {option for option, name in plain.items() if name not in found.names}
    if not (lacks and found.is_json):
        return lacks
    values = found.objects.values
    if len(values) == 1:  # whose keys may be items
        return set()
    held = {name for value in values if isinstance(value, dict) for name in value}
    return {option for option in lacks if plain[option] not in held}


def _with_empty(source: Source, named: Mapping[str, str]) -> Source:
    if not named:
        return source
    how = How(encoding=source.how.encoding, separator=source.how.separator, max_size=source.how.max_size)
    made = shaped(replace(source, how=replace(how, set=dict.fromkeys(named.values(), ""))))
    asked = ", ".join(f"{name} (--{option.replace('_', '-')})" for option, name in named.items())
    told = f"{source.name}: no column {asked}, of which its labels say nothing"
    return replace(made, how=replace(source.how, separator=made.how.separator), warnings=(*source.warnings, told))
