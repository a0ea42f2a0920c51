"""What people do in the explorer, and what they then see."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page

from made_explorer import changed, focus, settled


def chosen(page: Page) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(urlsplit(page.url).query)


def view(page: Page, name: str) -> None:
    with changed(page):
        page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_text(name, exact=True).click()


def said(page: Page) -> list[str]:
    return page.get_by_test_id("stMain").inner_text().split()


IS_MARKED = """
([box, option]) => document.getElementById(box.getAttribute('aria-activedescendant'))?.innerText.trim() === option"""
"""The return key chooses what is marked in an open list, which is marked a moment after it is shown."""


def choose(page: Page, box: Locator, option: str) -> None:
    """Choose from a list by its keys. What is chosen already stays, and the page is not made again for it."""
    if box.input_value() == option:
        return
    with changed(page):
        focus(page, box)
        box.fill(option)
        page.wait_for_function(IS_MARKED, arg=[box.element_handle(), option])
        box.press("Enter")
    assert box.input_value() == option


def choose_another(page: Page, box: Locator) -> None:
    """Choose the first of a list that is not chosen already."""
    options, before = page.get_by_role("option"), box.input_value()
    focus(page, box)
    box.press("ArrowDown")
    options.first.wait_for()
    choose(page, box, next(text for text in options.all_inner_texts() if text.strip() not in {"", before}))


def opened(page: Page) -> Locator:
    """The button that opens what the cell that is chosen is about."""
    return page.get_by_role("button", name=re.compile("^Open the "))


def look_at(page: Page, name: str, shown: str = "Overview") -> None:
    """Look at data, in a view. What was chosen before is forgotten, as it is whenever other data are looked at."""
    box = page.get_by_role("combobox", name="Look at", exact=True)
    if box.input_value() == name and chosen(page).keys() - {"data", "view"}:
        choose_another(page, box)
    choose(page, box, name)
    if chosen(page).get("view", ["Overview"]) != [shown]:
        view(page, shown)


def unfold(page: Page, title: str) -> None:
    """Show what stands folded under a title; it stays so while other data are looked at."""
    place = page.get_by_test_id("stExpander").filter(has=page.get_by_text(title, exact=True)).locator("details")
    if place.get_attribute("open") is None:
        place.locator("summary").click()
        settled(page)
