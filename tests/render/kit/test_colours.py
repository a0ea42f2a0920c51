"""Colours that must be told apart by every eye, in both themes: as people see them who lack one kind of cone."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.render.kit.style import GRID, OUTCOMES, RIGHT, SERIES, SHARES, WRONG
from adjudge.render.palette import DARK, LIGHT, PRINTED
from made import EXAMPLES
from made_charts import blended

SEEN = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
"""On linear RGB. Machado, Oliveira and Fernandes 2009, IEEE TVCG 15, 1291-1298, severity 1."""
_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
_OKLAB = [
    [0.2104542553, 0.793617785, -0.0040720468],
    [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766],
]
"""Ottosson 2020, "A perceptual color space for image processing"."""
APART, JUST_APART = 0.1, 0.065
"""Distances in OKLab, where 0.02 is just noticeable side by side: for lines and marks that are sought in a legend, and
for neighbours of a scale, of which cells also hold the figure."""


def oklab(colour, eye):
    """A colour as an eye sees it.

    The lightness of white is 1, of black 0.
    """
    rgb = np.frombuffer(bytes.fromhex(colour[1:]), np.uint8) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.array(_OKLAB) @ np.cbrt(np.array(_CONES) @ np.clip(np.array(SEEN[eye]) @ linear, 0, 1))


NAMES = {RIGHT: "accent", WRONG: "second", GRID: "grid"}
"""What a page exchanges for its own."""


def nearest(pairs, eye):
    """The pair that is nearest to each other."""
    return min((float(np.linalg.norm(oklab(one, eye) - oklab(other, eye))), one, other) for one, other in pairs)


@pytest.mark.parametrize("eye", SEEN)
def test_colours_that_must_be_told_apart_are(eye):
    assert oklab("#ffffff", eye)[0] == pytest.approx(1, abs=1e-4)
    for accent in (LIGHT["accent"], DARK["accent"]):  # a page exchanges the first of the series for its own
        series = (accent, *SERIES[1:])
        assert nearest(combinations(series[:5], 2), eye)[0] > APART  # so many lines stand in one plot
        assert nearest(combinations(series, 2), eye)[0] > JUST_APART
    for theme in (LIGHT, DARK):
        shown = {theme.get(NAMES.get(colour), colour) for colour in OUTCOMES.values()}
        assert nearest(combinations(shown, 2), eye)[0] > JUST_APART
        shares = [blended(theme["accent"], theme["paper"], share) for share in (SHARES[0], sum(SHARES) / 2, SHARES[1])]
        assert nearest(combinations(shares, 2), eye)[0] > APART
        signs = [blended(theme[name], theme["paper"], SHARES[1]) for name in ("accent", "second")]
        assert nearest(combinations([*signs, theme["paper"]], 2), eye)[0] > JUST_APART
    themes = (LIGHT, DARK, PRINTED)
    pairs = [("accent", "second"), ("accent", "paper"), ("second", "paper"), ("mark", "panel"), ("muted", "paper")]
    assert nearest([(theme[one], theme[other]) for theme in themes for one, other in pairs], eye)[0] > JUST_APART


def test_every_outcome_of_the_examples_has_a_colour(tmp_path):
    votes, gold, truth = (
        EXAMPLES / path for path in ("reliability/votes.json", "preferences/gold.jsonl", "violations/truth.jsonl")
    )
    run = tmp_path / "run.parquet"
    reports = (
        lambda: adjudge.reliability(votes, save_items=run),
        lambda: adjudge.agreement(votes, save_items=run),
        lambda: adjudge.annotations(EXAMPLES / "annotations" / "pairs.json", save_items=run),
        lambda: adjudge.preferences(gold, gold.with_name("quick.tsv"), save_items=run),
        lambda: adjudge.violations(truth, truth.with_name("eager.jsonl"), save_items=run),
        lambda: adjudge.rag(EXAMPLES / "rag" / "answers.jsonl", save_items=run),
        lambda: adjudge.card(
            EXAMPLES / "card" / "labels.csv", judges=["steady", "hasty"], run_column="draw", save_items=run
        ),
    )
    for made in reports:
        scores = {name for name, metric in made().about.metrics.items() if not metric.percent}
        found = set(pl.read_parquet(run)["outcome"].cast(pl.String)) - scores
        assert found
        assert found <= OUTCOMES.keys()
