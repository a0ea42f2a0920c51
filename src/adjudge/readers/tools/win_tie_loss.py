"""The win-tie-loss JSON: a list of items, each with every annotator's verdict and the reference (QC).

    [{"id": "7", "output_values": {"ann": {"item_flag": "No", "best": "tie"}}, "QC": {"sme": {...}}}]

All items may lack `id`; an item's position, from 1, replaces it. A verdict may hold `"skipped": true`. `by` and
`cluster` can name other keys at the top of an item (a prompt, a language, a week).
"""

from collections.abc import Iterator
from typing import Any

from adjudge.errors import DataError
from adjudge.readers.io.json_documents import check, kind, not_plain, object_in
from adjudge.readers.labels.annotation_export import Format, LabelFile, Parts, Tool, ToolRow, scalars, unfolded

_JUDGED, _TRUSTED = "output_values", "QC"


def read_win_tie_loss(opened: LabelFile) -> Parts:
    """Both sides as long tables of text. Both exclude items with a wrong structure."""
    needs_trusted = not (opened.options.reference or opened.options.untrusted)

    def rows(item: dict[str, Any]) -> Iterator[ToolRow]:
        fields = scalars(item)
        for side, needed in ((_JUDGED, True), (_TRUSTED, needs_trusted)):
            verdicts = object_in(item, side)
            if needed and not verdicts and not (side == _JUDGED and side in item):
                raise DataError(f", {side}: expected an object of annotator -> verdict; got {kind(item.get(side))}")
            for annotator, verdict in verdicts.items():
                check(not_plain(verdict), f", {side}, {annotator:.60}")
                flags = {"item_flag": verdict.get("item_flag"), "skipped": verdict.get("skipped")}
                yield ToolRow(fields, annotator, {"best": verdict.get("best")}, side == _TRUSTED, flags)

    names = {"item": "id", "annotator": "annotator", "flag": "item_flag", "label": "best", "skipped": "skipped"}
    return unfolded(opened, Tool(names, rows, unit="item"), opened.objects)


def _looks_like(opened: LabelFile) -> bool:
    """Whether some of the first items have output_values or QC."""
    return opened.source.format == "json" and any({_JUDGED, _TRUSTED} & item.keys() for item in opened.first)


FORMAT = Format("win-tie-loss", "reliability", read_win_tie_loss, _looks_like, endings=(".json",), nested=True)
