"""The benchmark of scorers beside people, on two made-up systems of which one does badly."""

import sys
from pathlib import Path

import numpy as np
import polars as pl

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from rag_people import compared


def test_each_system_has_its_difference_and_says_where_strict_is_below():
    # On 40 questions each, a third right: of north all scorers agree with people, of south strict takes right for wrong.
    ids = [str(number) for number in range(40)]
    human = [number % 3 == 0 for number in range(40)]
    north = pl.DataFrame(
        {"id": ids, "model": "north", "human": human, "strict": human, "document": human, "lexical": human}
    )
    south = north.with_columns(model=pl.lit("south"), strict=~pl.col("human"))
    lines = [*compared(pl.concat([north, south]), np.random.default_rng(1), 50)]
    rows = {tuple(cells[1:3]): cells[3:] for cells in ([*map(str.strip, line.split("|"))] for line in lines[2:11])}
    # Both agree by chance with 14 * 26 * 2 / 1600 = .455, and not at all: kappa is -.455 / .545; the others have 1.
    assert rows["north", "document"][4] == "+0.000 [+0.000, +0.000]"
    assert rows["south", "strict"][:4] == ["0.000", "-0.835", "26 (1.000 [1.000, 1.000])", "14 (1.000)"]
    assert rows["south", "lexical"][4].startswith("-1.835 [")
    assert (
        lines[11]
        == "\nsignificantly below another scorer: all (document), all (lexical), south (document), south (lexical)"
    )
    assert lines[12:14] == ["models by human: north 0.350, south 0.350", "models by strict: south 0.650, north 0.350"]
