"""Settings of matching in a TOML file: a table for each variant, with thresholds and a table of weights.

[ha]
score_threshold = 0.42

[ha.weights]
overlap = 0.5
rule = 0.5
"""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.errors import DataError, OptionError, nearest
from adjudge.readers.io.source import Source


def read_settings(path: Path, variants: Sequence[str], thresholds: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What a file says of each variant: `weights` (part -> number) and thresholds, neither checked further.

    Raises DataError for anything else in it, OptionError for a file that cannot be read.
    """
    try:
        document = tomllib.loads(Source(str(path), "toml", path).text())
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"{path}: expected TOML; {error}") from None
    _check_names(str(path), document, variants)
    for variant, settings in document.items():
        _check_table(f"{path}, {variant}", settings)
        _check_names(f"{path}, {variant}", settings, ["weights", *thresholds])
        _check_table(f"{path}, {variant}.weights", settings.get("weights", {}))
    return document


def _check_names(where: str, found: Mapping[str, Any], known: Sequence[str]) -> None:
    for name in found:
        if name not in known:
            raise DataError(f'{where}: expected one of {", ".join(known)}; got "{name:.60}"{nearest(name, known)}')


def _check_table(where: str, value: object) -> None:
    if not isinstance(value, dict):
        raise DataError(f"{where}: expected a table of names and values; got {value!r:.60}")


def settings_text(settings: Mapping[str, Mapping[str, float | str | Mapping[str, float]]], remark: str) -> str:
    """Settings as TOML that `read_settings` reads, under a line of remark.

    >>> print(settings_text({"ha": {"score_threshold": 0.5, "weights": {"rule": 1.0}}}, "made by hand"), end="")
    # made by hand
    <BLANKLINE>
    [ha]
    score_threshold = 0.5
    <BLANKLINE>
    [ha.weights]
    rule = 1.0
    """
    lines = [f"# {remark}"]
    for variant, own in settings.items():
        lines += [
            "",
            f"[{variant}]",
            *(f"{name} = {one!r}" for name, one in own.items() if isinstance(one, float | str)),
        ]
        for name, one in own.items():
            if isinstance(one, Mapping):
                lines += ["", f"[{variant}.{name}]", *(f"{part} = {weight!r}" for part, weight in one.items())]
    return "\n".join(lines) + "\n"
