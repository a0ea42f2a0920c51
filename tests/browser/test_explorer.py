"""The explorer of each evaluation in a browser: from figures to items and back, downloads."""

import re
import shlex

import pytest

from adjudge.render.files import table_csv
from adjudge.render.numbers import plain
from adjudge.report import Report
from browser.using import choose, chosen, open_cell, unfold, view

pytestmark = pytest.mark.browser


def test_from_a_figure_to_its_items_and_back(evaluation):
    page = evaluation
    open_cell(page, 40, 52)
    assert chosen(page).get("view", ["Overview"]) != ["Overview"]
    view(page, "Overview")
    assert "view" not in chosen(page)


def test_downloads_equal_what_the_command_line_writes(evaluation, adjudge, tmp_path):
    page = evaluation
    unfold(page, "Download")
    with page.expect_download() as found:
        page.get_by_role("button", name="Report (JSON)").click()
    found.value.save_as(tmp_path / "there.json")
    command = Report.load(tmp_path / "there.json").command
    assert page.locator(".adjudge-command").inner_text() == re.sub(r"\S*/adjudge-simulated-[^/]*/", "", command)
    words = shlex.split(command)
    assert adjudge(*words[1:], "--output", tmp_path / "here.json")[0] == 0
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
