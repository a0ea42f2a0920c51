"""What becomes of files that the explorer is given."""

import json
import shutil

import polars as pl
import pytest

import adjudge
from adjudge.schemas.outcomes import MADE_BY
from made import EXAMPLES

open_inputs = pytest.importorskip("adjudge.explorer.inputs").open_inputs


@pytest.fixture
def run(tmp_path):
    """A run, and the file that it was made of."""
    votes = shutil.copy(EXAMPLES / "reliability" / "votes.json", tmp_path)
    items = tmp_path / "run.parquet"
    adjudge.reliability(votes, save_items=items, ci_level=0.9).save(tmp_path / "run.json")
    return items, tmp_path / "votes.json"


def test_a_run_is_made_again_with_its_options(run):
    items, votes = run
    (one,) = open_inputs((str(items),))
    assert (one.function, one.given["data"], one.given["ci_level"]) == ("reliability", [str(votes)], 0.9)


def test_a_run_whose_inputs_were_changed_is_refused(run):
    items, votes = run
    votes.write_text("[]", encoding="utf-8")
    with pytest.raises(adjudge.DataError, match="were changed"):
        open_inputs((str(items),))


def test_runs_whose_inputs_are_gone_are_compared(run):
    items, votes = run
    other = shutil.copy(items, items.with_name("other.parquet"))
    votes.unlink()
    assert [one.function for one in open_inputs((str(items), str(other)))] == ["compare"]


def test_a_report_whose_inputs_are_gone_is_shown_as_it_was_saved(run):
    items, votes = run
    votes.unlink()
    (one,) = open_inputs((str(items.with_name("run.json")),))
    assert (one.saved, one.given) == (str(items.with_name("run.json")), {})


OUTSIDE = {
    "base_url": "http://127.0.0.1:9/v1",
    "rule_similarity": "openai:m",
    "save_items": "victim.parquet",
    "resume": "victims",
    "max_size": "9TB",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder from somebody else: data, a report and an items file of them, which name more than data."""
    monkeypatch.chdir(tmp_path)
    for name in ("truth.jsonl", "careful.jsonl"):
        shutil.copy(EXAMPLES / "violations" / name, tmp_path)
    (tmp_path / "victim.parquet").write_text("precious")
    report = adjudge.violations("truth.jsonl", "careful.jsonl", save_items="run.parquet", ci_level=0.9)

    def claims(**options):
        document = json.loads(report.to_json())
        document["options"] |= options
        (tmp_path / "report.json").write_text(json.dumps(document))
        made = json.loads(pl.read_parquet_metadata("run.parquet")[MADE_BY])
        made["options"] |= options
        frame = pl.read_parquet("run.parquet")
        frame.write_parquet(tmp_path / "run.parquet", metadata={MADE_BY: json.dumps(made)})
        return tmp_path

    return claims


@pytest.mark.parametrize("name", ["report.json", "run.parquet"])
def test_what_a_file_names_is_neither_read_nor_written_nor_reached(folder, name):
    from made_explorer import page_of, said

    place = folder(**OUTSIDE)
    (one,) = open_inputs((str(place / name),))
    assert set(one.ignored) == set(OUTSIDE)
    assert not OUTSIDE.keys() & one.given.keys()
    page = page_of(str(place / name))
    assert not page.exception
    for option in OUTSIDE:
        assert f"--{option.replace('_', '-')}" in said(page)
    assert (place / "victim.parquet").read_text() == "precious"
    assert not (place / "victims").exists()


def test_a_report_is_made_again_without_what_changes_no_metric(folder):
    place = folder(save_items="victim.parquet", resume="victims")
    (one,) = open_inputs((str(place / "report.json"),))
    assert (one.saved, one.given["ci_level"], set(one.ignored)) == (None, 0.9, {"save_items", "resume"})
    shutil.copy(folder(config="other.toml") / "report.json", place / "other.json")
    (one,) = open_inputs((str(place / "other.json"),))
    assert (one.saved, one.given, set(one.ignored)) == (str(place / "other.json"), {}, {"config"})


def test_an_items_file_that_names_another_function_runs_nothing(folder):
    place = folder()
    made = json.loads(pl.read_parquet_metadata("run.parquet")[MADE_BY]) | {"evaluation": "convert"}
    pl.read_parquet("run.parquet").write_parquet("odd.parquet", metadata={MADE_BY: json.dumps(made)})
    with pytest.raises(adjudge.DataError):
        open_inputs((str(place / "odd.parquet"),))
    assert (place / "careful.jsonl").read_bytes() == (EXAMPLES / "violations" / "careful.jsonl").read_bytes()


def test_a_link_sets_no_option_that_reaches_a_network(folder):
    from made_explorer import page_of

    page = page_of(str(folder() / "report.json"), rule_similarity="openai:m", seed="5")
    assert [one.value for one in page.text_input if one.key == "rule_similarity"] == ["jaccard"]
    assert [one.value for one in page.text_input if one.key == "ci_level"] == ["0.9"]


def test_a_file_that_no_evaluation_reads_leads_to_look(tmp_path):
    questions = tmp_path / "questions.json"
    questions.write_text(
        '[{"query": "q", "answer": "a", "positive": ["a"], "negative": ["b"]},'
        ' {"query": "r", "answer": "c", "positive": ["c"], "negative": ["d"]}]',
        encoding="utf-8",
    )
    with pytest.raises(adjudge.DataError, match="no evaluation reads this\nhint:  adjudge look"):
        open_inputs((str(questions),))


def test_labels_of_a_model_beside_those_of_people_open_as_a_card(tmp_path):
    path = tmp_path / "labels.csv"
    rows = [f"{item},{who},{item % 2}" for item in range(6) for who in ("ana", "ben", "cleo", "gpt-4o")]
    path.write_text("\n".join(["item,annotator,label", *rows]))
    (card,) = open_inputs((str(path),))
    assert (card.name, card.function) == ("labels.csv", "card")
    assert card.given == {"data": [str(path)], "judges": ["gpt-4o"]}
    path = tmp_path / "referenced.csv"
    path.write_text("\n".join(["item,annotator,label,reference", *(f"{row},1" for row in rows)]))
    assert open_inputs((str(path),))[0].function == "reliability", "a reference says who is right"


def test_an_evaluation_that_is_named_reads_what_fits_another():
    labels, gold = (str(EXAMPLES / folder) for folder in ("card/labels.csv", "preferences/gold.jsonl"))
    (card,) = open_inputs((labels,), "card")
    assert (card.function, card.given["run_column"], card.given["judges"]) == ("card", "draw", ["hasty", "steady"])
    (trusting,) = open_inputs((labels,), "reliability")
    assert (trusting.name, trusting.function) == ("labels.csv", "reliability")
    with pytest.raises(adjudge.DataError, match="name a file of predictions too"):
        open_inputs((gold,), "preferences")


def test_an_evaluation_that_is_named_without_files_is_simulated_first(adjudge):
    assert open_inputs((), "rag")[0].function == "rag"
    assert {one.function for one in open_inputs((), "rag")} == {one.function for one in open_inputs(())}
    status, _, said = adjudge("view", "--evaluation", "agreement", "--no-browser")
    assert (status, "--evaluation: no data are simulated for agreement, only for reliability, " in said) == (2, True)


def test_an_evaluation_that_is_named_for_reports_alone_is_refused(tmp_path, adjudge):
    votes = str(EXAMPLES / "reliability" / "votes.json")
    assert adjudge("reliability", votes, "--output", tmp_path / "report.json")[0] == 0
    status, _, said = adjudge("view", tmp_path / "report.json", "--evaluation", "rag", "--no-browser")
    assert (status, "say what made them; leave the option out, or add a file" in said) == (2, True)
    assert [one.function for one in open_inputs((str(tmp_path / "report.json"), votes), "agreement")] == [
        "reliability",
        "agreement",
    ]
