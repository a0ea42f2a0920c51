"""The explorer's views of checkers."""

import pytest

from made import EXAMPLES
from made_explorer import page_of

FILES = [str(EXAMPLES / "violations" / f"{name}.jsonl") for name in ("truth", "careful", "eager")]


@pytest.mark.parametrize("view", ["Overview", "Tables", "Pictures", "Items", "Texts", "Settings", "Judge"])
def test_every_view_opens(view):
    assert not page_of(*FILES, view=view).exception


def test_texts_with_most_errors_come_first_with_their_marks():
    page = page_of(*FILES, view="Texts")
    counts = page.dataframe[0].value
    errors = counts["missed"] + counts["invented"]
    assert list(errors) == sorted(errors, reverse=True)
    assert "<mark" in "".join(one.value for one in page.html)


def test_weights_that_are_tried_change_the_figures_and_the_command_line():
    page = page_of(*FILES, view="Settings", **{"ha-overlap": "0"})
    assert not page.exception
    # the others, .3, .1, .2 and .1, are scaled to sum to 1
    assert "explanation=0.2857142857142857,overlap=0.0,rule=0.42857142857142855" in page.code[0].value
