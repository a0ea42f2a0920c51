"""What becomes of an answer is called the same in cards, tables and the legend of a picture."""

from dataclasses import replace
from pathlib import Path

import adjudge
from adjudge.render.examples import example_groups
from adjudge.render.kit import charts
from adjudge.render.views import table_views

ANSWERS = Path(__file__).parents[2] / "examples" / "rag" / "answers.jsonl"


def test_cards_say_what_became_of_an_answer_as_their_headings_do():
    groups = example_groups(adjudge.rag(ANSWERS))
    said = {title: {one.verdicts[0].label for one in examples} for title, examples in groups}
    assert said == {title: {title} for title in said}
    assert "Error noticed and corrected" in said


def test_tables_and_the_legend_say_it_in_the_same_words():
    report = adjudge.rag(ANSWERS)
    (view,) = table_views(report, "outcomes")
    heads = {one.title for one in view.columns if one.number} - {"noise ratio"}
    (chart,) = [one for one in charts(report) if one.name == "outcomes"]
    legend = chart.spec["vconcat"][0]["layer"][0]["encoding"]["color"]["scale"]["domain"]
    assert heads == {*legend}


def test_groups_of_examples_stand_in_the_order_of_the_outcomes():
    report = adjudge.rag(ANSWERS)
    known = [*report.about.outcomes.values()]
    titles = [title for title, _ in example_groups(report)]
    assert titles == sorted(titles, key=known.index)
    backwards = replace(report, examples=report.examples.reverse())
    assert [title for title, _ in example_groups(backwards)] == titles
    assert len(titles) > 1
