"""Titles of plots."""

import pytest

from adjudge.render.kit.style import beside, plot, width_of


@pytest.mark.parametrize(
    "title", ["a week in which all annotators were trained at once, remotely", "\u4e2d" * 40, "W" * 40]
)
def test_a_title_has_lines_that_are_as_wide_as_its_plot(title):
    lines = plot([], title, 200, 50)["title"]["text"]
    assert "".join(lines).replace(" ", "") == title.replace(" ", "")
    assert len(lines) > 1
    assert all(width_of(line) <= 200 for line in lines)
    assert plot([], "week 1", 200, 50)["title"]["text"] == ["week 1"]


def test_plots_beside_one_another_stand_at_the_same_height_whatever_their_titles():
    plots = [plot([], title, 200, 50) for title in ("week 1", "a week in which all annotators were trained at once")]
    one, other = (each["title"]["text"] for each in beside(plots)["hconcat"])
    assert one == [*[" "] * (len(other) - 1), "week 1"]
