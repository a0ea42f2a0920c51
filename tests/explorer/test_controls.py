"""Every control, and what is saved, of each evaluation, without a browser: tests/browser tries those of a few in one."""

import shlex

import pytest

import adjudge
from adjudge.render.files import table_csv
from adjudge.render.numbers import plain_words
from adjudge.report import Report
from made import EXAMPLES
from made_explorer import commands, page_of

pytest.importorskip("streamlit.testing.v1")

FILES = {
    "agreement": ["ratings.csv"],
    "annotations": ["pairs.json"],
    "card": ["labels.csv"],
    "preferences": ["gold.jsonl", "careful.tsv", "quick.tsv"],
    "rag": ["answers.jsonl"],
    "reliability": ["votes.json"],
    "violations": ["truth.jsonl", "careful.jsonl", "eager.jsonl"],
}
"""Evaluation -> its examples."""
CHANGES = {
    "toggle": lambda box: not box.value,
    "selectbox": lambda box: box.options[(box.index + 1) % len(box.options)],
    "multiselect": lambda box: [*box.value, box.options[-1]],
    "text_input": lambda _: "a",
    "number_input": lambda box: 2 if box.value == 1 else 1,
}
"""What another value of each kind of control is."""


@pytest.fixture(params=[*FILES, "compare"])
def looked_at(request, tmp_path):
    """Opens the page of an evaluation, or of two runs, at what its address says."""
    paths = [str(EXAMPLES / request.param / name) for name in FILES.get(request.param, ())]
    for name in () if paths else ("careful", "quick"):
        gold = EXAMPLES / "preferences" / "gold.jsonl"
        adjudge.preferences(gold, gold.with_name(f"{name}.tsv"), system="s", save_items=tmp_path / f"{name}.parquet")
        paths.append(str(tmp_path / f"{name}.parquet"))
    evaluation = request.param if len(paths) == 1 else ""
    return lambda **address: page_of(*paths, evaluation=evaluation, **address)


def change_all(page, part, kinds=tuple(CHANGES)):
    """Change the controls of a part one after the other; what they have then, by their names in the address."""
    chosen = {}
    for kind in kinds:
        for number in range(len(getattr(page.get(part)[0], kind))):
            boxes = getattr(page.get(part)[0], kind)
            if number >= len(boxes):  # what was chosen left less to choose from
                break
            box = boxes[number]
            if box.key == "data":
                continue
            value = CHANGES[kind](box)
            page = box.set_value(value).run()
            assert not page.exception, box.key
            chosen[box.proto.query_param_key] = value
    return chosen


def shown(page):
    texts = [one.value for one in (*page.markdown, *page.caption, *page.error, *page.warning, *page.html)]
    return texts, [one.value.to_csv() for one in page.dataframe]


def test_every_control_of_every_view_stands_in_the_address_which_shows_the_same_again(looked_at):
    for view in ("Tables", "Items"):
        page = looked_at(view=view)
        chosen = change_all(page, "main")
        assert "" not in chosen
        assert shown(looked_at(view=view, **chosen)) == shown(page)


def test_every_option_can_be_changed(looked_at):
    assert "" not in change_all(looked_at(view="Tables"), "sidebar", ("selectbox", "toggle"))


def test_downloads_equal_what_the_command_line_writes(looked_at, taken, adjudge, tmp_path):
    page = looked_at(view="Tables")
    (tmp_path / "there.json").write_text(taken["report.json"](), encoding="utf-8")
    there = Report.load(tmp_path / "there.json")
    assert commands(page)[-1] == there.command
    assert adjudge(*shlex.split(there.command)[1:], "--output", tmp_path / "here.json")[0] == 0
    assert Report.load(tmp_path / "here.json") == there
    *_, last = known = [name for name in there if there[name].height]
    name = next((name for name in known if there[name].columns[-1] == "count"), last)
    page.selectbox(key="table").select(plain_words(name).capitalize()).run()
    assert taken[f"{name}.csv"]() == table_csv(there[name])
