"""What every picture says of itself, over all that are declared."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree as ET

import polars as pl
import pytest
import vl_convert

import adjudge
from adjudge.render.kit import charts
from adjudge.render.kit.style import NARROW, theme
from made import EXAMPLES


def several(weeks: bool) -> adjudge.Report:  # noqa: FBT001 - a comparison, or a history
    """Two predictors of preferences beside one another."""
    systems = ("careful", "quick")
    with TemporaryDirectory() as folder:
        for name in systems:
            predicted = EXAMPLES / "preferences" / f"{name}.tsv"
            run = adjudge.preferences(
                EXAMPLES / "preferences" / "gold.jsonl", predicted, save_items=f"{folder}/{name}.parquet"
            )
            run.save(f"{folder}/{name}.json")
        ending = ".json" if weeks else ".parquet"
        return (adjudge.history if weeks else adjudge.compare)([Path(folder, f"{name}{ending}") for name in systems])


def marked() -> pl.DataFrame:
    """What three annotators mark in two texts, by rule."""
    rules = {"ann": "aab", "bob": "aba", "cyd": "baa"}
    return pl.DataFrame(
        [
            {"id": item, "text": "0123456789", "annotator": who, "start": 3 * at, "end": 3 * at + 2, "rule": rule}
            for (who, given), item in product(rules.items(), ("x", "y"))
            for at, rule in enumerate(given)
        ]
    )


MADE = {
    "compare": lambda: several(weeks=False),
    "history": lambda: several(weeks=True),
    "violation_agreement": lambda: adjudge.violation_agreement(marked()),
    "annotations": lambda: adjudge.annotations(EXAMPLES / "annotations" / "pairs.json"),
    "preferences": lambda: adjudge.preferences(
        EXAMPLES / "preferences" / "gold.jsonl",
        [EXAMPLES / "preferences" / f"{name}.tsv" for name in ("careful", "quick")],
        explanations=True,
    ),
    "rag": lambda: adjudge.rag(EXAMPLES / "rag" / "answers.jsonl"),
    "reliability": lambda: adjudge.reliability(EXAMPLES / "reliability" / "votes.json"),
    "violations": lambda: adjudge.violations(
        EXAMPLES / "violations" / "truth.jsonl",
        [EXAMPLES / "violations" / f"{name}.jsonl" for name in ("careful", "eager")],
    ),
}
REFERENCES = {
    "annotations": "Lena",
    "preferences": "gold",
    "rag": "truth",
    "reliability": "lead",
    "violations": "truth",
}
NOT_IN_THE_EXAMPLES = {"preferences": {"bertscore", "judge"}}


@cache
def made(name: str) -> adjudge.Report:
    return MADE[name]()


def plots(spec: dict) -> Iterator[list[dict]]:
    """The encodings of each plot of a chart by Vega-Lite; its layers share their axes."""
    for several in ("hconcat", "vconcat", "concat"):
        for one in spec.get(several, ()):
            yield from plots(one)
    if "layer" in spec:
        yield [layer.get("encoding", {}) for layer in spec["layer"]]
    elif "encoding" in spec:
        yield [spec["encoding"]]


@pytest.mark.parametrize("name", MADE)
def test_every_picture_has_a_title_a_unit_the_reference_and_the_data(name):
    drawn = charts(made(name))
    declared = {picture.name for picture in made(name).about.charts} - NOT_IN_THE_EXAMPLES.get(name, set())
    assert {chart.name for chart in drawn} == declared
    for chart in drawn:
        assert chart.title, chart.name
        everyone = "each column as reference" in chart.caption
        assert name not in REFERENCES or everyone != (f"Reference: {REFERENCES[name]}." in chart.caption)
        assert " Data: " in chart.caption
        for layers in plots(chart.spec):
            for one in ("x", "y"):
                axes = [layer[one] for layer in layers if layer.get(one, {}).get("type") == "quantitative"]
                seen = [axis for axis in axes if axis.get("axis", {}) is not None]
                seen = [axis for axis in seen if axis.get("axis", {}).get("labels", True)]
                assert not seen or any(axis.get("title") for axis in seen), (chart.name, axes)


@pytest.mark.parametrize("name", REFERENCES)
def test_a_notebook_has_the_page_s_head_once_and_any_table_and_picture_in_its_own_forms(name):
    report = made(name)
    shown, main = report._repr_html_(), report.about.main
    assert shown.count("<table") == shown.count('class="adjudge-fragment"') == 1
    assert len(report.to_pandas(main)) == report[main].height
    assert "\\toprule" in report.to_latex()


@pytest.mark.parametrize("name", MADE)
def test_every_picture_has_a_form_that_fits_a_phone_and_says_the_same_in_letters_of_the_same_size(name):
    wide, narrow = charts(made(name)), charts(made(name), narrow=True)
    assert [(one.name, one.title, one.caption) for one in wide] == [
        (one.name, one.title, one.caption) for one in narrow
    ]
    for one, other in zip(wide, narrow, strict=True):
        shown, fitted = drawn(one), drawn(other)
        assert float(fitted.get("width")) <= NARROW, one.name
        sizes = {element.get("font-size") for element in fitted.iter() if element.get("font-size")}
        assert sizes <= {"12px", "12.5px"}, one.name
        assert words(shown) <= words(fitted), one.name


def drawn(chart):
    return ET.fromstring(vl_convert.vegalite_to_svg(chart.spec, config=theme()))  # noqa: S314 - our own picture


def words(svg):
    """All words of a picture: titles may stand in other lines; but not the numbers of axes, of which fewer fit."""
    return {word for one in svg.iter() if one.text for word in one.text.split() if word.isalpha()}
