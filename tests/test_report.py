import inspect
import json
import re
from dataclasses import replace

import polars as pl
import pytest

import adjudge
from adjudge import DataError, Estimate, OptionError, Report
from made import DATA
from made_reports import made_report, signed

FLAGS = DATA / "reliability" / "flags.json"


@pytest.fixture(scope="module")
def report() -> Report:
    return adjudge.reliability(FLAGS)


def test_a_report_read_back_equals_the_saved_one(report, tmp_path):
    report.save(tmp_path / "report.json")
    loaded = Report.load(tmp_path / "report.json")
    assert dict(report) == dict(report.tables)
    assert (len(report), "annotators" in report, "x" in report) == (len(report.tables), True, False)
    assert report.summary.verdict in repr(report)
    assert "<table" in report._repr_html_()
    assert loaded == report
    assert hash(loaded) == hash(report)
    assert all(loaded[name].equals(table) for name, table in report.tables.items())
    assert all(loaded[name].schema == table.schema for name, table in report.tables.items())
    assert loaded.outcomes.first.equals(report.outcomes.first)
    assert loaded.examples.equals(report.examples)


def test_the_json_holds_what_the_design_says(report):
    document = json.loads(report.to_json())
    assert document["adjudge"] == adjudge.__version__
    assert document["evaluation"] == "reliability"
    assert document["inputs"][0]["rows"] == 93
    assert len(document["inputs"][0]["sha256"]) == 64
    assert document["inputs"][0]["size"] == FLAGS.stat().st_size
    assert document["schema"] == 1
    types = {"annotator": "text", "metric": "text", "value": "number", "n": "integer", "caveat": "text"}
    assert types.items() <= document["columns"]["annotators"].items()
    row = document["tables"]["annotators"][0]
    assert list(row) == ["annotator", "metric", "value", "low", "high", "n", "method", "reason", "caveat"]


def test_a_table_that_is_not_there_is_named_with_the_nearest(report):
    with pytest.raises(
        OptionError, match=r'no table "anotators" in this report\nfound: .*\nfix:   annotators'
    ) as caught:
        report["anotators"]
    assert caught.value.fix == "annotators"
    assert isinstance(caught.value, KeyError)


def test_an_estimate_is_found_by_its_keys(report):
    found = report.estimate("reliability", table="annotators", annotator="annotator_0")
    assert isinstance(found, Estimate)
    assert (found.value, found.n, found.method) == (1 / 3, 30, "wilson")
    assert report.estimate("reliability", annotator="annotator_0") == found
    assert report.estimate("reliability") == report.estimate("reliability", table="overall")
    refused = {}
    for metric, keys in (("reliabilty", {}), ("reliability", {}), ("reliability", {"anotator": "x"})):
        with pytest.raises(OptionError) as caught:
            report.estimate(metric, table="annotators", **keys)
        refused[metric, *keys] = caught.value.fix
    known = " or ".join(f"annotator=annotator_{number}" for number in range(3))
    assert refused == {("reliabilty",): "reliability", ("reliability",): known, ("reliability", "anotator"): known}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "Input data was truncated"),
        ("{}", "got other JSON"),
        ("[]", "Expected `object`, got `array`"),
        ('{"adjudge": 1,\n"tables": {', ""),
        ("[" * 100_000, ""),
        (b"\xff", ""),
    ],
)
def test_what_is_no_report_is_not_read(written, content, said):
    path = written(content)
    with pytest.raises(DataError) as caught:
        Report.load(path)
    assert str(caught.value).startswith(f"{path}: expected a report saved by Adjudge as JSON; {said}")
    assert str(caught.value).endswith("\nfix:   use a report saved with output FILE.json")


DOCTORED = [
    (("options",), []),
    (("options", "ci_level"), "high"),
    (("inputs", 0), {}),
    (("tables", "annotators"), {}),
    (("tables", "annotators", 0, "value"), "0.5"),
    (("tables", "annotators", 0, "value"), None),
    (("tables", "annotators", 0, "metric"), None),
    (("tables", "annotators", 0), {"annotator": "x"}),
    (("columns", "annotators", "value"), "text"),
    (("about",), None),
    (("about", "name"), "rag"),
    (("about", "metrics", "kappa"), {"title": "Kappa"}),
    (("examples",), [{"item": "1"}]),
    (("items", "first"), 5),
    (("items", "rows"), 1.5),
    (("signature",), "\udce9"),
    (("schema",), 2),
]


@pytest.mark.parametrize(("place", "value"), DOCTORED, ids=str)
def test_a_report_that_was_tampered_with_is_not_read(report, written, place, value):
    document = json.loads(report.to_json())
    inner = document
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(DataError, match="expected a report saved by Adjudge as JSON") as caught:
        Report.load(written(document))
    assert not re.search(r"\w+Error\(|__init__|argument", str(caught.value))


@pytest.mark.parametrize("name", ["os", "charting", "reliability.charts", ""])
def test_what_a_report_says_of_its_evaluation_runs_no_code(report, written, name):
    document = json.loads(report.to_json())
    document["evaluation"] = document["about"]["name"] = name
    assert "annotator_1" in repr(Report.load(written(document)))


@pytest.mark.parametrize("name", ["../../evil", "/abs", "a.b", "", "a\n"])
def test_a_table_s_name_is_no_path(report, written, name):
    with pytest.raises(OptionError, match="expected a table name of letters"):
        replace(report, tables={name: report["annotators"]})
    document = json.loads(report.to_json())
    for part in ("tables", "columns"):
        document[part][name] = document[part]["annotators"]
    with pytest.raises(DataError, match="expected a report saved by Adjudge as JSON"):
        Report.load(written(document))


OTHER = {
    "reference": "annotator_0",
    "flag_values": {"flagged": "Yes", "clean": "No"},
    "labels": ["response_1", "response_2", "tie"],
    "by": "id",
    "cluster": "id",
    "ci_level": 0.9,
    "seed": 1,
    "on_invalid": "drop",
    "columns": {"cluster": "id"},
    "exact_labels": True,
    "date_order": "day",
    "ordered": ["response_1", "tie", "response_2"],
    "positive": "tie",
    "reading": adjudge.Reading(input_format="win-tie-loss", encoding="utf-8", separator=";"),
}
OF_TABLES = {
    "constant": {"cluster": "1"},
    "map_values": {"label": {"tie": "x"}},
    "annotator_columns": "label",
    "item_columns": "q*",
}
SILENT = {"data", "examples", "save_items", "progress", "texts"}
"""What no figure depends on."""


def test_the_signature_changes_with_every_option_and_with_the_data(written):
    items = [{"id": str(number), **one} for number, one in enumerate(json.loads(FLAGS.read_text()))]
    path = written(items)
    together = {name: value for name, value in OTHER.items() if name != "cluster"}  # which columns name too
    report = adjudge.reliability(path, **together)
    assert signed(report, path, **together) == report.signature
    assert set(OTHER) | set(OF_TABLES) | SILENT == set(inspect.signature(adjudge.reliability).parameters)
    signatures = {signed(report, path), *(signed(report, path, **{name: value}) for name, value in OTHER.items())}
    signatures.add(adjudge.reliability(written(items[1:], "fewer.json")).signature)
    assert len(signatures) == len(OTHER) + 2
    table = written("item,label,reference,annotator\n1,tie,a,x\n2,a,a,x\n", "long.csv")
    wide = written("item,label,reference\n1,tie,a\n2,a,a\n", "wide.csv")
    signatures = {adjudge.reliability(table).signature}
    signatures |= {
        adjudge.reliability(table, **{name: OF_TABLES[name]}).signature for name in ("constant", "map_values")
    }
    signatures.add(adjudge.reliability(wide, annotator_columns="label").signature)
    form = written("annotator,q1,q2\nx,a,a\ny,a,b\n", "form.csv")
    signatures.add(adjudge.reliability(form, reference="x", item_columns=OF_TABLES["item_columns"]).signature)
    assert len(signatures) == len(OF_TABLES) + 1


@pytest.mark.parametrize(
    ("value", "further"),
    [(None, {}), (0.5, {"reason": "none"}), (float("nan"), {}), (0.5, {"low": 0.1}), (0.5, {"low": 0.6, "high": 0.4})],
)
def test_an_estimate_has_a_value_or_a_reason(value, further):
    with pytest.raises(ValueError, match="finite value or a reason"):
        Estimate(value, **further)


def test_a_workbook_holds_each_table_and_no_formula(tmp_path):
    rows = {"annotator": ["=1+1", None], "value": [0.125, 3.0], "count": [1, 2]}
    report = made_report("reliability", {"history": pl.DataFrame(rows), "flags": pl.DataFrame({"count": [7]})})
    report.save(tmp_path / "t.xlsx")
    first = (tmp_path / "t.xlsx").read_bytes()
    assert pl.read_excel(tmp_path / "t.xlsx", sheet_name="table 1").to_dict(as_series=False) == rows
    assert pl.read_excel(tmp_path / "t.xlsx", sheet_name="flags").item() == 7
    report.save(tmp_path / "t.xlsx")
    assert (tmp_path / "t.xlsx").read_bytes() == first
