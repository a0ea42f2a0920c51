"""The explorer of each evaluation in a browser: every control, from figures to items and back, addresses, downloads."""

import shlex
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page

from browser.conftest import explored
from karat.render.files import table_csv
from karat.render.numbers import plain
from karat.report import Report
from made_explorer import changed, focus, settled

pytestmark = pytest.mark.browser
EVALUATIONS = ("reliability", "annotations", "preferences", "violations", "rag")


def chosen(page: Page) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(urlsplit(page.url).query)


def view(page: Page, name: str) -> None:
    with changed(page):
        page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_text(name, exact=True).click()


def said(page: Page) -> list[str]:
    return page.get_by_test_id("stMain").inner_text().replace("Back to Overview", "").split()


def choose(page: Page, box: Locator, option: str) -> None:
    """Choose from a list by its keys. What is chosen already stays, and the page is not made again for it."""
    if box.input_value() == option:
        return
    with changed(page):
        focus(page, box)
        box.fill(option)
        page.get_by_role("option", name=option, exact=True).wait_for()
        box.press("Enter")
    assert box.input_value() == option


def choose_another(page: Page, box: Locator) -> None:
    """Choose the last of a list, or the one before where the last is chosen already."""
    options, before = page.get_by_role("option"), box.input_value()
    focus(page, box)
    box.press("ArrowDown")
    options.first.wait_for()
    *_, other = (text for text in options.all_inner_texts() if text != before)
    choose(page, box, other)


@pytest.fixture(scope="module", params=EVALUATIONS)
def evaluation(request, browser, demo):
    """A page that all tests of an evaluation share, since each takes seconds to open; each leaves it at the overview."""
    page = explored(browser, f"{demo}/?data=Simulated+{request.param}")
    yield request.param, page
    page.context.close()


def test_from_a_figure_to_its_items_and_back(evaluation, browser):
    _, page = evaluation
    with changed(page):
        page.get_by_test_id("stDataFrame").first.click(position={"x": 40, "y": 52})
    assert chosen(page).get("view", ["Overview"]) != ["Overview"]
    again = explored(browser, page.url)
    for _ in range(20):
        if said(again) == said(page):
            break
        again.wait_for_timeout(250)
    assert said(again) == said(page)
    again.context.close()
    with changed(page):
        page.get_by_role("button", name="Back to Overview").click()
    assert "view" not in chosen(page)


def test_downloads_equal_what_the_command_line_writes(evaluation, karat, tmp_path):
    _, page = evaluation
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    words = shlex.split(page.get_by_test_id("stCode").inner_text())
    assert karat(*words[1:], "--output", tmp_path / "here.json")[0] == 0
    assert Report.load(tmp_path / "there.json") == Report.load(tmp_path / "here.json")
    view(page, "Tables")
    counts = Report.load(tmp_path / "here.json")
    names = (name for name in counts if counts[name].height and counts[name].columns[-1] == "count")
    name = next(names, "differences")
    choose(page, page.get_by_role("combobox", name="Table", exact=True), plain(name).capitalize())
    with page.expect_download() as found:
        page.get_by_role("button", name="Save as CSV", exact=True).click()
    found.value.save_as(tmp_path / "there.csv")
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == table_csv(counts[name])
    view(page, "Overview")


def test_every_view_opens_and_every_control_can_be_changed(evaluation):
    _, page = evaluation
    names = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_role("radio").all_inner_texts()
    assert names[:4] == ["Overview", "Tables", "Pictures", "Items"]
    for name in names[1:]:
        view(page, name)
    view(page, "Overview")
    page.get_by_text("More options").click()
    settled(page)
    side = page.get_by_test_id("stSidebar")
    for box in side.get_by_test_id("stSelectbox").locator("input").all()[1:]:
        choose_another(page, box)
    for toggle in side.get_by_test_id("stCheckbox").all():
        with changed(page):
            toggle.locator("label").click()
