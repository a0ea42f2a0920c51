"""The explorer in a browser: from figures to items and back, downloads."""

import re

import pytest

from adjudge.render.files import table_csv
from adjudge.render.numbers import plain
from adjudge.report import Report
from browser.conftest import FEW
from browser.using import choose, chosen, open_cell, unfold, view

pytestmark = pytest.mark.browser


def test_from_a_figure_to_its_items_and_back(evaluation):
    page = evaluation
    open_cell(page, 40, 52)
    assert chosen(page).get("view", ["Overview"]) != ["Overview"]
    view(page, "Overview")
    assert "view" not in chosen(page)


@FEW
def test_downloads_are_those_of_the_command_that_is_shown(evaluation, tmp_path):
    page = evaluation
    unfold(page, "Download")
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    there = Report.load(tmp_path / "there.json")
    assert page.locator(".adjudge-command").text_content() == re.sub(r"\S*/adjudge-simulated-[^/]*/", "", there.command)
    view(page, "Tables")
    *_, name = [name for name in there if there[name].height]
    choose(page, page.get_by_role("combobox", name="Table", exact=True), plain(name).capitalize())
    with page.expect_download() as found:
        page.get_by_role("button", name="Save as CSV", exact=True).click()
    found.value.save_as(tmp_path / "there.csv")
    assert (tmp_path / "there.csv").read_text(encoding="utf-8") == table_csv(there[name])
    view(page, "Overview")
