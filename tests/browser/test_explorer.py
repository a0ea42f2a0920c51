"""The explorer of each evaluation in a browser: from figures to items and back, downloads."""

import re
import shlex
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page

from karat.render.files import table_csv
from karat.render.numbers import plain
from karat.report import Report
from made_explorer import changed, focus

pytestmark = pytest.mark.browser


def chosen(page: Page) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(urlsplit(page.url).query)


def view(page: Page, name: str) -> None:
    with changed(page):
        page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_text(name, exact=True).click()


def said(page: Page) -> list[str]:
    return page.get_by_test_id("stMain").inner_text().replace("Back to Overview", "").split()


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


def open_cell(page: Page, x: int, y: int) -> None:
    """Choose a cell of the first table, and open what it is about."""
    with changed(page):
        page.get_by_test_id("stDataFrame").first.click(position={"x": x, "y": y})
    with changed(page):
        opened(page).click()


def test_from_a_figure_to_its_items_and_back(evaluation):
    page = evaluation
    open_cell(page, 40, 52)
    assert chosen(page).get("view", ["Overview"]) != ["Overview"]
    with changed(page):
        page.get_by_role("button", name="Back to Overview").click()
    assert "view" not in chosen(page)


def test_downloads_equal_what_the_command_line_writes(evaluation, karat, tmp_path):
    page = evaluation
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    command = Report.load(tmp_path / "there.json").command
    assert page.get_by_test_id("stCode").inner_text() == re.sub(r"\S*/karat-simulated-[^/]*/", "", command)
    words = shlex.split(command)
    assert karat(*words[1:], "--output", tmp_path / "here.json")[0] == 0
    assert Report.load(tmp_path / "there.json") == Report.load(tmp_path / "here.json")
    view(page, "Tables")
    counts = Report.load(tmp_path / "here.json")
    *_, last = known = [name for name in counts if counts[name].height]
    name = next((name for name in known if counts[name].columns[-1] == "count"), last)
    choose(page, page.get_by_role("combobox", name="Table", exact=True), plain(name).capitalize())
    with page.expect_download() as found:
        page.get_by_role("button", name="Save as CSV", exact=True).click()
    found.value.save_as(tmp_path / "there.csv")
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == table_csv(counts[name])
    view(page, "Overview")
