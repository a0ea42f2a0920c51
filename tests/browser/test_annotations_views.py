"""The views that annotations alone have, in a browser: bars and cells lead to pairs, and their address leads back."""

import pytest

from browser.conftest import explored
from browser.using import chosen, look_at, open_cell, view
from made_explorer import changed

pytestmark = pytest.mark.browser


def pair(page) -> str:
    return page.locator(".karat-items .item").inner_text()


def test_bars_and_cells_lead_to_pairs_and_their_address_leads_back(page, browser):
    look_at(page, "Simulated annotations", "Traits")
    bars = page.get_by_test_id("stVegaLiteChart").locator("g.mark-rect.role-mark path")
    with changed(page):
        bars.nth(1).click()
    ours = chosen(page)["of-annotator"]
    with changed(page):
        page.get_by_role("radio", name="They disagree").click()
    first = pair(page)
    with changed(page):
        page.get_by_role("button", name="Next").click()
    second = pair(page)
    assert second != first
    assert page.locator(".karat-items mark.differs").count()
    again = explored(browser, page.url)
    assert pair(again) == second
    assert chosen(again)["of-annotator"] == ours
    again.context.close()
    with changed(page):
        page.get_by_role("button", name="Back to Traits").click()
    view(page, "Matrix")
    open_cell(page, 320, 90)
    assert {"of-annotator", "of-reference"} <= chosen(page).keys()
    assert pair(page).startswith("pair-")


def test_a_preset_sets_the_options_and_the_command_line(page):
    look_at(page, "Simulated annotations", "Traits")
    with changed(page):
        page.get_by_role("button", name="What does the model show?").click()
    assert chosen(page)["reference"] == ["model:*"]
    assert "--reference 'model:*'" in page.locator(".karat-command").inner_text()
