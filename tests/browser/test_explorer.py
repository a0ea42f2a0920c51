"""The explorer in a browser: every control, from figures to items and back, addresses, downloads, hostile data."""

import json
import shlex
from contextlib import suppress
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Error, Locator, Page

from browser.conftest import explored
from karat.report import Report
from made_explorer import changed, serving

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


def unfold(page: Page, box: Locator) -> None:
    """Open a list, again where the page scrolled, which folds it."""
    for _ in range(5):
        box.get_by_role("button", name="Open").click()
        with suppress(Error):
            page.get_by_role("option").first.wait_for(timeout=2_000)
            return


@pytest.fixture(params=EVALUATIONS)
def evaluation(request, browser, demo):
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


def test_every_view_opens_and_every_control_can_be_changed(evaluation):
    _, page = evaluation
    names = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first.get_by_role("radio").all_inner_texts()
    assert names[:4] == ["Overview", "Tables", "Pictures", "Items"]
    for name in names[1:]:
        view(page, name)
    view(page, "Overview")
    page.get_by_text("More options").click()
    side = page.get_by_test_id("stSidebar")
    for box in side.get_by_test_id("stSelectbox").all()[1:]:
        unfold(page, box)
        others = page.locator("[role=option][aria-selected=false]")
        if not others.count():
            page.keyboard.press("Escape")
            continue
        with changed(page):
            others.last.click()
    for toggle in side.get_by_test_id("stCheckbox").all():
        with changed(page):
            toggle.locator("label").click()


def test_downloads_equal_what_the_command_line_writes(evaluation, karat, tmp_path):
    _, page = evaluation
    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    words = shlex.split(page.get_by_test_id("stCode").inner_text())
    assert karat(*words[1:], "--output", tmp_path / "here.json")[0] == 0
    assert Report.load(tmp_path / "there.json") == Report.load(tmp_path / "here.json")


HOSTILE = (
    "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\"> ![x](http://example.org/x.png) "
    "[y](javascript:document.title='ran') :red[z] $x$ \u202e\u2066"
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Votes of which all is hostile: names of annotators, items, columns and the file; texts, of a megabyte each."""

    def vote(label: str) -> dict[str, str]:
        return {"item_flag": "No", "best": label}

    rows = [
        {
            "id": f"{HOSTILE}{item}",
            HOSTILE: f"group {item % 2} {HOSTILE}",
            "prompt": HOSTILE + "x" * 1_000_000,
            "output_values": {f"ana {HOSTILE}": vote("response_1"), f"ben {HOSTILE}": vote(f"response_{1 + item % 2}")},
            "QC": {f"lead {HOSTILE}": vote("response_1")},
        }
        for item in range(4)
    ]
    path = tmp_path_factory.mktemp("hostile") / "a <img src=x onerror=alert(1)> ![x](http:example.org).json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with serving(path) as (address, _):
        yield address


def test_nothing_of_the_data_runs_or_is_fetched(hostile, browser):
    page = explored(browser, f"{hostile}/?by={quote(HOSTILE)}")
    main = page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").first
    assert "ana" in " ".join(said(page))
    for name in main.get_by_role("radio").all_inner_texts()[1:]:
        view(page, name)
        assert (
            page.locator("[data-testid=stApp] script, img[src^='http'], a[href^='javascript'], a[href^='http']").count()
            == 0
        )
    assert "ran" not in page.title()
    page.context.close()


@pytest.mark.parametrize("width", [420, 1920])
def test_nothing_stands_outside_the_window(browser, demo, width):
    page = explored(browser, demo, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()
