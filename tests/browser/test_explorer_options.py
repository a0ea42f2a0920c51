"""The explorer of each evaluation in a browser: every option at its side can be changed. In a file of its own, since the
tests of a file run one after the other.
"""

import pytest

from browser.test_explorer import choose_another
from browser.test_explorer_controls import change_all
from made_explorer import settled

pytestmark = pytest.mark.browser


def test_every_option_can_be_changed(evaluation):
    page = evaluation
    page.get_by_text("More options").click()
    settled(page)
    side = page.get_by_test_id("stSidebar")
    for box in side.get_by_test_id("stSelectbox").locator("input").all()[1:]:
        choose_another(page, box)
    assert not change_all(page, side, ["stCheckbox"])
