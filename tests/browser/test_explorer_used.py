"""The explorer in a browser: hostile data, what is written, opened and clicked, eyes, hands and narrow windows."""

import json
from urllib.parse import quote, quote_plus

import pytest
from playwright.sync_api import Page

from browser.conftest import explored
from browser.looking import faint, out_of_reach, seen, without_focus
from browser.using import choose_another, chosen, look_at, opened, said, unfold, view
from made_explorer import changed, ran, runs, serving, settled

pytestmark = pytest.mark.browser

_PAGES = {"light": "page", "dark": "dark_page"}
"""Theme -> the fixture of a page that has it."""
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


def test_what_is_written_opened_and_clicked(browser, demo, tmp_path):
    page = explored(browser, f"{demo}/?data=Simulated+reliability")
    page.get_by_text("More options").click()
    settled(page)
    confidence = page.get_by_label("Confidence level", exact=True)
    for written, expected in (("7", "--ci-level: expected a number between 0 and 1"), ("0.9", "--ci-level 0.9")):
        confidence.fill(written)
        with changed(page):
            confidence.press("Enter")
        assert expected in " ".join(page.get_by_test_id("stApp").text_content().split())
    assert chosen(page)["ci_level"] == ["0.9"]
    page.get_by_text("Open files", exact=True).click()
    file = tmp_path / "three votes.csv"
    rows = ["1,ana,x,x,de", "2,ana,y,x,de", "3,ana,x,x,en"]
    file.write_text("question,worker,answer,gold,language\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with changed(page):
        page.locator("input[type=file]").set_input_files(file)
    assert "ana: Reliability 66.7%" in " ".join(said(page)), "what is opened is shown"
    assert "ci_level" not in chosen(page), "options of other data are forgotten"
    by = page.get_by_role("combobox", name="Group by", exact=True)
    by.fill("language")
    page.get_by_role("option", name="language", exact=True).wait_for()
    with changed(page):
        by.press("Enter")
    assert "2 groups by language" in " ".join(said(page)), "columns that were guessed are kept"
    view(page, "Items")
    bars = page.get_by_test_id("stVegaLiteChart").locator("g.mark-rect.role-mark path")
    with changed(page):
        bars.first.click()
    assert chosen(page)["of-outcome"] == ["Choice agrees"]
    assert "2 outcomes of 2 items." in " ".join(said(page))
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_can_be_seen_and_reached_without_a_mouse(request, theme):
    page = request.getfixturevalue(_PAGES[theme])
    look_at(page, "Simulated violations", "Items")
    assert not faint(page)
    assert not without_focus(page)
    if theme == "light":
        assert not out_of_reach(page)


def test_a_theme_that_is_turned_to_is_followed(page):
    look_at(page, "Simulated reliability")
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_function(
            "theme => getComputedStyle(document.querySelector('.stApp')).colorScheme === theme", arg=theme
        )
        seen(page)


def test_the_address_shows_the_same_in_a_browser_that_knows_nothing_of_it(page, browser):
    look_at(page, "Simulated annotations", "Items")
    choose_another(page, page.get_by_test_id("stMain").get_by_role("combobox", name="Annotator", exact=True))
    assert [name for name in chosen(page) if name.startswith("of-")]
    again = explored(browser, page.url)
    for _ in range(20):
        if said(again) == said(page):
            break
        again.wait_for_timeout(250)
    assert said(again) == said(page)
    again.context.close()


def test_a_bar_of_outcomes_that_stand_several_times_chooses_one_variant(page):
    look_at(page, "Simulated violations", "Items")
    choose_bars(page)


def choose_bars(page: Page) -> None:
    """Choose the first bar of outcomes, then the last."""
    for place in (0, -1):  # the second time controls have what is chosen
        with changed(page):
            page.get_by_test_id("stVegaLiteChart").locator("g.mark-rect.role-mark path").nth(place).click()
        assert page.get_by_test_id("stException").count() == 0
    assert {"of-outcome"} <= chosen(page).keys()


def test_nothing_stands_outside_the_window(page):
    look_at(page, "Simulated reliability")
    for width in (1920, 420):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")


def test_a_click_selects_the_command_line(page):
    look_at(page, "Simulated annotations", "Tables")
    unfold(page, "Command line")
    words = page.locator(".adjudge-command").inner_text().split()
    assert words == ["adjudge", "annotations", "annotations.parquet", "--no-matrix"]
    page.locator(".adjudge-command").click()
    assert page.evaluate("getSelection().toString()").strip() == " ".join(words)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_chosen_values_can_be_read(request, theme):
    page = request.getfixturevalue(_PAGES[theme])
    look_at(page, "Simulated card")
    assert page.locator("[data-tag]").count()
    assert not faint(page)


def tab_to(page: Page, what: str) -> None:
    """Press the Tab key until what has the focus matches a selector."""
    for _ in range(100):
        page.keyboard.press("Tab")
        if page.evaluate("what => document.activeElement.matches(what)", what):
            return
    raise AssertionError(f"Tab does not lead to {what}")


@pytest.mark.parametrize(
    ("shown", "items"),
    [
        (("Simulated reliability", "Overview"), {"of-judge": "annotator-02"}),
        (("Simulated annotations", "Tables"), {"of-annotator": "has more examples"}),
    ],
)
def test_the_tab_key_leads_through_a_table_and_the_button_below_it_to_the_items(page, shown, items):
    look_at(page, *shown)
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    before = chosen(page)
    tab_to(page, "[data-testid=stDataFrame] canvas")
    ran(page, runs(page), 2_000)  # the first cell is chosen, where it leads somewhere
    settled(page)
    assert chosen(page) == before
    page.keyboard.press("ArrowDown")
    ran(page, runs(page), 2_000)
    settled(page)
    assert chosen(page) == before
    tab_to(page, "[class*=st-key-open-] button")
    ran(page, runs(page), 2_000)  # the cells on the way were chosen
    settled(page)
    assert opened(page).count() == 1
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: all(f"{name}={quote_plus(value)}" in url for name, value in items.items()))
    settled(page)
    assert chosen(page)["view"] == ["Items"]
