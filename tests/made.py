"""Small inputs that several tests make, and where those stand that are files."""

from pathlib import Path

import polars as pl

DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).parent.parent / "examples"


def verdict(choice: str | None = None, flag: object = "No", **further: object) -> dict[str, object]:
    """A verdict of the win-tie-loss JSON."""
    return {"item_flag": flag, **({"best": choice} if choice else {}), **further}


def item(reference: object, /, **annotators: object) -> dict[str, object]:
    """An item of the win-tie-loss JSON; a bare string is an unflagged choice."""

    def full(one: object) -> object:
        return verdict(one) if isinstance(one, str) else one

    judges = reference if isinstance(reference, dict) and "item_flag" not in reference else {"sme": reference}
    return {
        "output_values": {name: full(one) for name, one in annotators.items()},
        "QC": {name: full(one) for name, one in judges.items()},
    }


def labelled(said: dict[str, str], **columns: object) -> pl.DataFrame:
    """A table of labels. said: by annotator the labels of items i0, i1 ... in a row, `-` where there is none."""
    rows = [
        (f"i{place}", who, label)
        for who, labels in said.items()
        for place, label in enumerate(labels.split())
        if label != "-"
    ]
    return pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row").with_columns(**columns)
