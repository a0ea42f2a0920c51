"""The explorer of each evaluation in a browser: every control can be changed, and the address holds what was chosen."""

import pytest
from playwright.sync_api import Browser, Locator, Page

from browser.conftest import explored
from browser.using import IS_MARKED, choose_another, said, unfold, view
from made_explorer import changed, focus

pytestmark = pytest.mark.browser


def change_several(page: Page, box: Locator) -> None:
    """Add the last value to what is chosen of a list, by its keys: a list folds where a click scrolls the page."""
    place, options = box.locator("input"), page.get_by_role("option")
    focus(page, place)
    place.press("ArrowDown")
    options.first.wait_for()
    last = options.last.inner_text().strip()
    for _ in range(options.count()):  # what is typed may stand in other values too
        if page.evaluate(IS_MARKED, [place.element_handle(), last]):
            break
        place.press("ArrowDown")
        page.wait_for_timeout(30)
    page.wait_for_function(IS_MARKED, arg=[place.element_handle(), last])
    with changed(page):
        place.press("Enter")
    page.keyboard.press("Escape")


def write(page: Page, box: Locator) -> None:
    box.locator("input").fill("a")
    with changed(page):
        box.locator("input").press("Enter")


def count(page: Page, box: Locator) -> None:
    number = box.locator("input")
    number.fill("2" if number.input_value() == "1" else "1")
    with changed(page):
        number.press("Enter")


def switch(page: Page, box: Locator) -> None:
    with changed(page):
        box.locator("label").click()


CHANGES = {
    "stSelectbox": lambda page, box: choose_another(page, box.locator("input")),
    "stMultiSelect": change_several,
    "stTextInput": write,
    "stNumberInput": count,
    "stCheckbox": switch,
}
"""What changes each kind of control, which is named as streamlit marks it."""


def title(box: Locator) -> str:
    return box.inner_text().partition("\n")[0]


def change_all(page: Page, place: Locator, kinds: list[str]) -> list[str]:
    """Change the controls of a place one after the other; those are named that leave the address as it was."""
    kept = []
    for kind in kinds:
        boxes = place.get_by_test_id(kind)
        for number in range(boxes.count()):
            if number >= boxes.count():  # what was chosen left less to choose from
                break
            box, before = boxes.nth(number), page.url
            CHANGES[kind](page, box)
            if page.url == before:
                kept.append(title(box))
    return kept


def assert_the_same_after_a_reload(page: Page, browser: Browser) -> None:
    """The page's address shows the same in a browser that knows nothing of it."""
    again = explored(browser, page.url)
    for _ in range(20):
        if said(again) == said(page):
            break
        again.wait_for_timeout(250)
    assert said(again) == said(page)
    again.context.close()


def test_every_control_of_every_view_changes_the_address_which_shows_the_same_again(evaluation, browser):
    page = evaluation
    main = page.get_by_test_id("stMain")
    names = main.get_by_test_id("stButtonGroup").first.get_by_role("radio").all_inner_texts()
    assert names == ["Overview", "Tables", "Items"]
    for name in names[1:]:
        view(page, name)
        assert not change_all(page, main, list(CHANGES)), name
        if name == "Items":
            assert_the_same_after_a_reload(page, browser)
    view(page, "Overview")


def test_every_option_can_be_changed(evaluation):
    page = evaluation
    unfold(page, "More options")
    side = page.get_by_test_id("stSidebar")
    for box in side.get_by_test_id("stSelectbox").locator("input").all()[1:]:
        choose_another(page, box)
    assert not change_all(page, side, ["stCheckbox"])
