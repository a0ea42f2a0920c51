"""The screen of `adjudge look`: what files hold, and the evaluation that fits them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from adjudge.display_names import count_of, short_name
from adjudge.readers.io.delimited import DELIMITED, separator_of, separator_word
from adjudge.render.visible_text import one_line
from adjudge.version import TITLE

if TYPE_CHECKING:
    from adjudge.profiling.file_profile import FileProfile
    from adjudge.profiling.result import Look, Proposal


def look_screen(look: "Look") -> str:
    """The text of a look: its files, the fit and the command."""
    parts: list[Iterable[str]] = [*map(_file, look.files), _fitting(look)]
    if look.fit:
        checks = [f"Check: {text}" for text in look.fit.doubts]
        parts += [[*(f"Warning: {text}" for text in look.fit.warnings), *checks], _next(look.fit, look.others)]
    return "\n\n".join("\n".join(map(one_line, part)) for part in map(list, parts) if part) + "\n"


_COLUMNS = 40
"""The most columns that are listed."""


def _file(file: "FileProfile") -> Iterator[str]:
    columns = [*file.table.values()]
    counts = {"row": file.rows, "column": len(columns) or None, "byte": file.size}
    facts = [count_of(count, noun) for noun, count in counts.items() if count is not None]
    yield f"{file.name}: {'; '.join([_format_of(file), *facts])}"
    yield from (f"  Read so: {warning}" for warning in file.source.warnings)
    for number, line in enumerate(file.wrong.splitlines()):
        yield f"    {line}" if number else f"  Cannot be read: {line}"
    if columns:
        width = max(cell_len(short_name(name)) for name in ("column", *[*file.table][:_COLUMNS]))
        yield from ("", f"  {'column':{width}}  holds          differ  missing  such as")
    for column in columns[:_COLUMNS]:
        name, examples = short_name(column.name), " | ".join(short_name(text, 28) for text in column.distinct[:2])
        numbers = f"{len(column.distinct):>6,}  {column.missing:>7,}"
        yield f"  {set_cell_size(name, width)}  {column.kind:13}  {numbers}  {examples}".rstrip()
    if len(columns) > _COLUMNS:
        yield f"  and {len(columns) - _COLUMNS:,} more columns"


def _format_of(file: "FileProfile") -> str:
    """A file's format in words."""
    given, path = file.source.given, file.source.path
    if path and path.is_dir():
        return f"a folder in the format {file.format}"
    if given and given != path and given.suffix[:4] == ".xls":
        return "a sheet of Excel"
    if file.format in DELIMITED:
        return f"text with {separator_word(separator_of(replace(file.source, format=file.format)))} between columns"
    return {"json": "JSON", "jsonl": "JSON lines", "parquet": "Parquet"}.get(file.format, file.format)


def _fitting(look: "Look") -> Iterator[str]:
    if look.fit:
        yield f"Fits {look.fit.evaluation}: {look.fit.evidence}"
    elif any(file.wrong for file in look.files):
        yield "Correct the file or export it again; then look suggests a command."
    else:
        yield f"Fits no evaluation that {TITLE} has: nothing in it says what is judged, and by whom."
    for other in look.others:
        lacking = f"; lacking: {', '.join(other.lacking)}" if other.lacking else ""
        yield f"  else {other.evaluation}: {other.evidence}{lacking}"


def _next(fit: "Proposal", others: "Iterable[Proposal]") -> Iterator[str]:
    """The command, after what it lacks, and those for further questions that the files can answer."""
    if fit.lacking:
        yield from ("Lacking:", *(f"  {line}" for text in fit.lacking for line in text.splitlines()))
    yield from ("Run, with what is lacking:" if fit.lacking else "Run:", f"  {fit.command}")
    for other in others:
        if other.besides and not other.lacking:
            yield from ("", f"Or ask {other.besides}:", f"  {other.command}")
