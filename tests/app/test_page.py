"""The explorer's page as streamlit makes it, without a browser: what it shows, and what becomes of what is chosen."""

import pytest

from made import EXAMPLES

AppTest = pytest.importorskip("streamlit.testing.v1").AppTest

VOTES = str(EXAMPLES / "reliability" / "votes.json")


def page_of(*paths: str, **address: str):
    """The page for files, with what stands in the address."""

    def script(paths):
        from karat.app.page import page

        page(paths)

    test = AppTest.from_function(script, args=(paths,), default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def said(page) -> str:
    return "\n".join(one.value for one in (*page.markdown, *page.error, *page.warning)).replace("\\", "")


def test_the_overview_concludes():
    page = page_of(VOTES)
    assert not page.exception
    assert "ana agrees with the reference on 95.2\N{NO-BREAK SPACE}% (77.3 to 99.2) of choices" in said(page)


def test_an_option_changes_the_figures_and_the_command_line():
    page = page_of(VOTES)
    page.selectbox(key="reference_rule").select("majority").run()
    assert not page.exception
    assert page.code[0].value.endswith("votes.json --reference-rule majority")


def test_items_of_a_judge_are_chosen_by_the_address():
    page = page_of(VOTES, view="Items", **{"of-judge": "dev"})
    assert not page.exception
    assert set(page.dataframe[0].value["judge"]) == {"dev"}


def test_a_file_that_is_none_is_refused_in_words(tmp_path):
    page = page_of(str(tmp_path / "none.csv"))
    assert not page.exception
    assert "none.csv" in page.error[0].value.replace("\\", "")


def test_what_is_read_alike_is_not_read_again_until_the_file_changes(tmp_path):
    from karat.app.results import result_of

    path = tmp_path / "pairs.json"
    path.write_bytes((EXAMPLES / "annotations" / "pairs.json").read_bytes())
    given = {"data": [str(path)], "matrix": False}
    first = result_of("annotations", given)
    other = result_of("annotations", {**given, "population": "reference"})
    assert other.read is first.read
    assert result_of("annotations", {**given, "annotator_columns": []}).read is first.read
    path.write_bytes(path.read_bytes() + b"\n")
    assert result_of("annotations", given).read is not first.read
