"""The explorer's page as streamlit makes it, without a browser: what it shows, and what becomes of what is chosen."""

import json

import polars as pl
import pytest

import adjudge
from made import EXAMPLES
from made_explorer import commands, page_of, said

pytest.importorskip("streamlit.testing.v1")

VOTES = str(EXAMPLES / "reliability" / "votes.json")


def captions(page):
    return "".join(one.value for one in page.caption).replace("\\", "")


def test_the_overview_concludes():
    page = page_of(VOTES)
    assert not page.exception
    assert (
        page.subheader[0].value.replace("\\", "")
        == "ana scores highest, but not significantly better than ben or cleo."
    )


def test_options_of_other_data_are_forgotten_though_those_of_these_data_have_the_same_names():
    page = page_of(data="Simulated annotations", labels="all", cluster="topic", population="reference")
    assert page.selectbox(key="labels").value == "all"
    page.selectbox(key="data").select("Simulated preferences").run()
    assert not page.exception
    assert not page.error
    assert page.text_area(key="labels").value == ""
    assert set(page.query_params) == {"data"}


def test_simulated_files_are_named_with_the_command_that_writes_them():
    page = page_of(data="Simulated reliability")
    assert commands(page)[-1] == "adjudge reliability reliability.csv"
    assert "run adjudge demo, then this in the folder adjudge-demo." in captions(page)


def test_where_judges_are_ranked_the_ranks_come_first_of_the_tables():
    table = page_of(*VIOLATIONS, view="Tables").dataframe[0]
    assert {"checker": "Checker", "0": "Best rank", "1": "Worst rank"}.items() <= headings(table).items()
    assert table.value["checker"].to_list() == ["careful", "eager"] * 2  # by each way of matching


def headings(table):
    """Column -> what the grid calls it."""
    return {name: one.get("label") for name, one in json.loads(table.proto.columns).items()}


def test_columns_and_values_of_adjudges_own_read_as_words():
    table = page_of(VOTES, view="Items").dataframe[0]
    own = {"item": "Item", "judge": "Annotator", "part": "Kind of judgment", "reference_label": "Reference label"}
    assert own.items() <= headings(table).items()
    assert "response_1" in set(table.value["label"])  # the data's own label stays as it is
    flags = page_of(VOTES, view="Tables", table="Flags").dataframe[0]
    assert {"annotator": "Annotator", "annotator_only": "Annotator only"}.items() <= headings(flags).items()
    by = page_of(VOTES, view="Tables", table="Annotators", by="week").dataframe[0]
    assert {"week": "week", "annotator": "Annotator"}.items() <= headings(by).items()  # a column of the data's own
    pairs = page_of(str(EXAMPLES / "annotations" / "pairs.json"), view="Items", **{"of-outcome": "Votes that agree"})
    assert headings(pairs.dataframe[0])["judge"] == "Annotator"
    assert set(pairs.dataframe[0].value["label"]) == {"text a", "text b"}


VIOLATIONS = tuple(str(EXAMPLES / "violations" / f"{one}.jsonl") for one in ("truth", "careful", "eager"))


def test_a_file_that_is_none_is_refused_in_words(tmp_path):
    page = page_of(str(tmp_path / "none.csv"))
    assert not page.exception
    assert "none.csv" in page.error[0].value.replace("\\", "")


def test_what_is_read_alike_is_not_read_again_until_the_file_changes(tmp_path):
    from adjudge.explorer.results import result_of

    path = tmp_path / "pairs.json"
    path.write_bytes((EXAMPLES / "annotations" / "pairs.json").read_bytes())
    given = {"data": [str(path)], "matrix": False}
    first = result_of("annotations", given)
    other = result_of("annotations", {**given, "population": "reference"})
    assert other.read is first.read
    assert result_of("annotations", {**given, "annotator_columns": []}).read is first.read
    path.write_bytes(path.read_bytes() + b"\n")
    assert result_of("annotations", given).read is not first.read


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs of a system on the same items, the second much worse."""
    folder = tmp_path_factory.mktemp("runs")
    gold = EXAMPLES / "preferences" / "gold.jsonl"
    for name in ("careful", "quick"):
        adjudge.preferences(gold, gold.with_name(f"{name}.tsv"), system="s", save_items=folder / f"{name}.parquet")
    return [str(folder / f"{name}.parquet") for name in ("careful", "quick")]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Two simulated systems of which more judgments differ than a report lists of each kind."""
    from adjudge.demo import simulate_files

    folder = tmp_path_factory.mktemp("many")
    given, _ = simulate_files("preferences", folder, 0)
    runs = [folder / f"{name}.parquet" for name in ("careful", "quick")]
    for run, file in zip(runs, given["predictions"][:2], strict=True):
        adjudge.preferences(given["gold"], file, system="s", save_items=run)
    return list(map(str, runs))


def test_all_items_of_a_transition_are_listed_though_the_report_holds_the_first_alone(many):
    counts = adjudge.compare(many, examples=200)
    cell = {"criterion": "naturalness", "first_outcome": "correct", "second_outcome": "incorrect"}
    expected = counts["transitions"].filter(**cell)["count"].item()
    assert counts["changes"].filter(**cell).height < expected
    page = page_of(*many, view="Items", **{f"of-change-{name}": value for name, value in cell.items()})
    assert not page.exception
    assert len(page.dataframe[0].value) == expected
    assert f"{expected} judgments that changed" in captions(page)
    last = page.dataframe[0].value["item"].iloc[-1]
    page.query_params["item"] = last
    page.run()
    shown = "".join(one.proto.body for one in page.get("html"))
    assert f"<bdi>{last}</bdi>" in shown


def test_a_transition_without_a_change_leads_nowhere(runs, monkeypatch):
    import streamlit as st

    from adjudge.explorer.items import lead_to
    from adjudge.explorer.results import result_of

    told = []
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", {"of-change-change": ["better"]})
    monkeypatch.setattr(st, "toast", told.append)
    result = result_of("compare", {"runs": runs, "examples": 200})
    cell = {"judge": "s", "first_outcome": "correct", "second_outcome": "correct"}
    lead_to(result, cell)
    assert st.session_state == {}
    assert "No item changed there" in told[0]
    lead_to(result, {**cell, "second_outcome": "incorrect"})
    assert st.query_params == {"of-change-first_outcome": ["correct"], "of-change-second_outcome": ["incorrect"]}


def test_an_annotator_to_trust_is_asked_for_if_nothing_says_who_is_trusted():
    columns = "item=question\nannotator=worker\nlabel=answer"
    labels = str(EXAMPLES / "reliability" / "labels.csv")
    page = page_of(labels, columns=columns)
    assert "no reference labels" in said(page)
    assert page.multiselect(key="reference").options == ["ana", "ben", "cleo", "dev"]


def test_a_wrong_option_is_said_in_words_and_the_others_stay():
    page = page_of(VOTES, ci_level="7")
    assert not page.exception
    assert "--ci-level: expected a number between 0 and 1" in said(page)
    assert page.selectbox(key="on_invalid").value == "error"


def test_an_address_with_nonsense_is_no_error():
    page = page_of(VOTES, view="Nowhere", table="none", **{"of-judge": "nobody", "page": "x", "item": "none"})
    assert not page.exception
    assert not page.error


def test_items_are_searched_by_their_texts():
    page = page_of(VOTES, view="Items", **{"of-text": "CHEESE"})
    assert not page.exception
    assert set(page.dataframe[0].value["item"]) == {"q20"}


def test_what_several_judges_say_of_an_item_stands_in_one_place():
    page = page_of(VOTES, view="Items", item="q01", **{"of-part": "choice"})
    shown = "".join(one.value for one in page.html)
    assert shown.count('data-item="q01"') == 1
    assert all(name in shown for name in ("ana", "ben", "cleo"))


def test_a_file_that_cannot_be_opened_in_the_browser_is_refused_by_its_own_name():
    page = page_of(VOTES)
    page.file_uploader(key="files").set_value(("cut.json", b'{"a": 1,', "application/json")).run()
    assert page.error[0].value.replace("\\", "").startswith("cut.json, line 1")


def test_another_file_is_looked_at_without_what_was_chosen_of_the_one_before():
    page = page_of(VOTES, view="Items", **{"of-judge": "dev"})
    labels = (EXAMPLES / "reliability" / "labels.csv").read_bytes()
    page.file_uploader(key="files").set_value(("labels.csv", labels, "text/csv")).run()
    assert not page.exception
    assert page.selectbox(key="data").value == "labels.csv", "what is opened is shown"
    assert page.multiselect(key="of-judge").value == []
    assert page.session_state["view"] == "Items"


def marked(page):
    """The item of the row that is marked in the list of outcomes."""
    (row,) = page.session_state["outcomes"]["selection"]["rows"]
    return page.dataframe[0].value["item"].iloc[row]


def test_the_first_item_gives_way_to_the_first_of_another_list_and_one_that_is_chosen_stays():
    """Since the first stands in no address, which shows the same in a page that is opened from it."""
    page = page_of(VOTES, view="Items")
    assert marked(page) == "q01"
    page.multiselect(key="of-judge").set_value(["ana"]).run()
    assert marked(page) == marked(page_of(VOTES, view="Items", **{"of-judge": "ana"})) == "q08"
    page.query_params["item"] = "q04"
    page.multiselect(key="of-judge").set_value(["dev"]).run()
    assert marked(page) == "q04" != page.dataframe[0].value["item"].iloc[0]


@pytest.mark.parametrize(
    ("files", "columns"),
    [
        (["reliability/votes.json"], ["week"]),
        (["reliability/labels.csv"], ["language"]),
        (["rag/answers.jsonl"], ["counterfactual"]),
        (["preferences/gold.jsonl", "preferences/careful.tsv"], []),
    ],
)
def test_groups_are_made_of_columns_of_the_file(files, columns):
    page = page_of(*(str(EXAMPLES / name) for name in files))
    assert page.multiselect(key="by").options == columns
    if columns:
        page.multiselect(key="by").set_value(columns).run()
        assert not page.error
        assert f"--by {columns[0]}" in commands(page)[-1]


def test_what_is_kept_of_pairs_gives_the_same_figures_whatever_was_asked_before():
    """Votes, counts and examples are kept while nothing but the confidence changes: each change beside a fresh call."""
    from adjudge.explorer.results import result_of

    path = EXAMPLES / "annotations" / "pairs.json"
    changes = [
        {},
        {"ci_level": 0.8},
        {"population": "reference"},
        {"by": ["topic"]},
        {"cluster": "topic"},
        {"reference": ["omar"]},
    ]
    fresh = [(change, adjudge.annotations(path, **change)) for change in changes]
    for change, known in [*fresh, *reversed(fresh)]:
        found = result_of("annotations", {"data": [str(path)], **change}).report
        for table in known:
            assert found[table].equals(known[table]), (change, table)
        assert found.examples.equals(known.examples), change


def test_the_row_of_the_item_is_marked_and_whom_it_is_about_stands_first_in_its_card(tmp_path):
    path = tmp_path / "votes.csv"
    votes = [("1", "ana", "a"), ("1", "ben", "b"), ("2", "ana", "a"), ("2", "ben", "a")]
    path.write_text("item,annotator,label,reference\n" + "".join(f"{','.join(one)},a\n" for one in votes))
    page = page_of(str(path), view="Items")
    listed = page.dataframe[0].value
    assert listed.iloc[0][["item", "judge"]].to_list() == ["1", "ben"], "what is wrong stands first"
    assert page.session_state["outcomes"]["selection"]["rows"] == [0]
    (card,) = [one.proto.body for one in page.get("html") if "verdicts" in one.proto.body]
    assert card.index("ben") < card.index("ana")
    page.query_params["item"] = "2"
    page.run()
    (row,) = page.session_state["outcomes"]["selection"]["rows"]
    assert listed.iloc[row][["item", "judge"]].to_list() == ["2", "ana"]
    (card,) = [one.proto.body for one in page.get("html") if "verdicts" in one.proto.body]
    assert card.index("ana") < card.index("ben")


def test_judges_of_a_card_are_chosen_at_the_side_where_nothing_says_who_is_judged(tmp_path):
    """Nobody has the name of a model, or is asked twice about an item."""
    labels = pl.read_csv(EXAMPLES / "card" / "labels.csv").filter(draw=1).drop("draw")
    labels.write_csv(tmp_path / "labels.csv")
    page = page_of(str(tmp_path / "labels.csv"), evaluation="card")
    assert "--judges NAME,..." in said(page)
    judges = page.multiselect(key="judges")
    assert judges.options == ["ana", "ben", "cleo", "dev", "eva", "hasty", "steady"]
    judges.set_value(["hasty"]).run()
    assert page.subheader[0].value.replace("\\", "") == "hasty did not pass the alternative test (epsilon 0.2)."


def test_the_row_of_the_checker_of_the_address_is_marked_and_its_violations_explained():
    page = page_of(*VIOLATIONS, view="Items", item="ad-5", **{"item-judge": "eager"})
    listed = page.dataframe[0].value
    (row,) = page.session_state["outcomes"]["selection"]["rows"]
    assert listed.iloc[row][["item", "judge"]].to_list() == ["ad-5", "eager"]
    assert 'data-judge="eager"' in "".join(one.value for one in page.html)
