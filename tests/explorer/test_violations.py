"""The explorer of checkers."""

import pytest

from made import EXAMPLES
from made_explorer import page_of

FILES = [str(EXAMPLES / "violations" / f"{name}.jsonl") for name in ("truth", "careful", "eager")]


def test_whose_violations_are_the_truth_is_asked_before_other_options(tmp_path):
    path = tmp_path / "marked.csv"
    rows = ["id,text,annotator,start,end,rule"]
    rows += [f"{place},one two,{who},0,3,r" for place in range(3) for who in ("ann", "ben")]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    page = page_of(str(path), view="Tables")
    first = page.sidebar.selectbox[0]
    assert (first.key, first.options) == ("truth_annotator", ["", "ann", "ben"])
    page = first.select("ann").run()
    assert not page.error
    assert set(page.dataframe[0].value["checker"]) == {"ben"}


@pytest.mark.parametrize("address", [{}, {"of-judge": "eager"}])
def test_a_text_is_shown_once_with_the_violations_of_one_checker_explained(address):
    page = page_of(*FILES, view="Items", **address)
    assert not page.exception
    listed = page.dataframe[0].value
    for checker in listed[listed["item"] == listed["item"][0]]["judge"]:
        page.query_params["item"], page.query_params["item-judge"] = listed["item"][0], checker
        shown = "".join(one.value for one in page.run().html)
        assert shown.count('class="verdicts"') == 1
        assert f'data-judge="{checker}"' in shown
