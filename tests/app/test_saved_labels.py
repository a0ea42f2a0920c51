"""What becomes of labels that a person gives: the file that is saved, and what `score` makes of it."""

import json
import shlex

import polars as pl
import pytest

import karat as library
from made import EXAMPLES
from made_explorer import commands, page_of, said

pytest.importorskip("streamlit.testing.v1")

VOTES = str(EXAMPLES / "reliability" / "votes.json")
TEXTS = {"instruction": "?", "output_a": "a", "output_b": "b"}


@pytest.fixture
def saved(taken):
    """Opens the view Label as zoe, gives labels to the items that stand first, and returns the page and the bytes."""

    def give(*files, labels, **address):
        page = page_of(*map(str, files), view="Label", labeller="zoe", **address)
        assert not page.exception
        given = {}
        for label in labels:
            given[page.selectbox(key="item").value] = label
            page.radio[0].set_value(label).run()
            next(one for one in page.button if one.label == "Next").click().run()
            assert not page.exception
        return page, given, next(make for name, make in taken.items() if name.startswith("label"))()

    return give


def remarks(page):
    return " ".join(one.value for one in page.caption).replace("\\", "")


def command_of(page):
    return shlex.split(commands(page)[0])[1:]


@pytest.fixture
def gold(tmp_path):
    """Four items on two topics, with explanations and a further column; the third has no label."""
    known = [("1", "x", "A"), ("2", "x", "B"), ("3", "y", None), ("4", "y", "A")]
    rows = [
        {"id": item, **TEXTS, "topic": topic, "safety_preference": label, "safety_explanation": f"since {item} is kind"}
        for item, topic, label in known
    ]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    mine = [("1", "A"), ("2", "A"), ("3", "B"), ("4", "A")]
    rows = [{"id": item, "safety_preference": one, "safety_explanation": f"since {item} is rude"} for item, one in mine]
    pl.DataFrame(rows).write_csv(tmp_path / "mine.csv")
    return tmp_path / "gold.jsonl", tmp_path / "mine.csv"


def test_gold_is_saved_with_its_explanations_and_further_columns(gold, saved, karat, tmp_path, monkeypatch):
    page, given, file = saved(*gold, labels=["B"], by="topic", criteria="safety", explanations="true")
    assert given == {"3": "B"}
    held, had = ([json.loads(line) for line in text.splitlines()] for text in (file, gold[0].read_bytes()))
    assert held == [{**row, "safety_preference": given.get(row["id"], row["safety_preference"])} for row in had]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.jsonl").write_bytes(file)
    code, *_ = karat(*command_of(page))
    assert code == 0
    options = {"criteria": "safety", "by": "topic", "explanations": True}
    before, after = (library.preferences(one, gold[1], **options) for one in (gold[0], "labels.jsonl"))
    of = {"system": "mine", "criterion": "safety"}

    def accuracy(report, topic):
        found = report.estimate("scores", "accuracy", {**of, "topic": topic})
        return found.value, found.n

    assert [accuracy(before, topic) for topic in "xy"] == [(0.5, 2), (1, 1)]
    assert [accuracy(after, topic) for topic in "xy"] == [(0.5, 2), (1, 2)], "the new label is that of the system"
    for topic in "xy":
        rouge = after.estimate("scores", "rouge_l", {**of, "topic": topic})
        assert rouge.value == pytest.approx(0.75), "three of four words are those of the people"
        assert rouge == before.estimate("scores", "rouge_l", {**of, "topic": topic})


def test_what_is_saved_has_the_columns_and_the_format_that_options_say(gold, saved, karat, tmp_path, monkeypatch):
    renamed = tmp_path / "renamed.csv"
    pl.read_ndjson(gold[0]).rename({"id": "key", "safety_preference": "better"}).write_csv(renamed)
    theirs = tmp_path / "theirs.csv"
    pl.read_csv(gold[1]).rename({"id": "key", "safety_preference": "better"}).write_csv(theirs)
    report = tmp_path / "report.json"
    options = {"columns": {"id": "key", "safety_preference": "better"}, "criteria": "safety", "by": "topic"}
    options["input_format"] = "csv"
    library.preferences(str(renamed), str(theirs), **options).save(report)
    page, _, file = saved(report, labels=["A"])
    had = pl.read_csv(renamed).with_columns(better=pl.Series(["A", "B", "A", "A"]))
    assert pl.read_csv(file).select(had.columns).equals(had)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_bytes(file)
    assert karat(*command_of(page))[0] == 0


def test_labels_of_files_that_mean_something_else_than_they_say_are_not_asked(gold, tmp_path):
    library.preferences(*map(str, gold), criteria="safety", values={"safety_preference": {"A": "both_good"}}).save(
        tmp_path / "report.json"
    )
    page = page_of(str(tmp_path / "report.json"), view="Label", labeller="zoe")
    assert not page.exception
    assert not page.radio
    assert "Labels can be given where files are read as they stand" in said(page)


def test_labels_beside_those_of_flagging_annotators_are_scored(saved, karat, tmp_path, monkeypatch):
    """The reference of the first three items is response_2, response_1, response_1."""
    page, given, file = saved(VOTES, labels=["response_2", "response_1", "tie"])
    assert list(given) == ["q01", "q02", "q03"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labelled.jsonl").write_bytes(file)
    assert karat(*command_of(page))[0] == 0
    before, after = library.reliability(VOTES), library.reliability("labelled.jsonl")
    zoe = after.estimate("annotators", "reliability", {"annotator": "zoe"})
    assert (zoe.value, zoe.n) == (pytest.approx(2 / 3), 3)
    for who in ("ana", "ben", "cleo", "dev"):
        for figure in ("reliability", "flag_mismatch", "kappa"):
            of = {"annotator": who}
            assert after.estimate("annotators", figure, of) == before.estimate("annotators", figure, of)
    pooled = [one.estimate("overall", "reliability") for one in (before, after)]
    assert pooled[1].n == pooled[0].n + 3


def test_what_the_reference_flags_is_not_asked(saved):
    """The lead flags two of the 24 items, and labels the others."""
    page, given, _ = saved(VOTES, labels=["tie"] * 22)
    assert len(given) == 22
    assert not {"q06", "q18"} & set(given)
    assert "22 of 22 items labelled. All have a trusted label; yours is one more beside it. Items that" in remarks(page)
    assert "the reference flags" in remarks(page)


COLUMNS = ("item", "annotator", "label", "flag", "reference", "reference_flag", "reference_skipped")
ROWS = [
    ("1", "ana", "x", "no", "x", "no", None),
    ("2", "ana", "x", "no", None, "yes", None),
    ("3", "ana", "x", "no", None, "no", None),
    ("4", "ana", "x", "no", None, None, None),
    ("5", "ana", "x", "no", None, None, "true"),
    ("5", "ben", None, "yes", None, None, "true"),
    ("6", "ana", "y", "no", "y", "no", None),
]


def test_each_label_of_an_item_that_lacks_a_trusted_one_counts(saved, tmp_path):
    """The items 3, 4 and 5 have no trusted label: for want of one, of anything said, and since it was skipped."""
    path = tmp_path / "votes.csv"
    pl.DataFrame(ROWS, COLUMNS, orient="row").write_csv(path)
    page, given, file = saved(path, labels=["x", "y", "x"])
    assert list(given) == ["3", "4", "5"]
    assert "3 of 5 items labelled. Those without a trusted label stand first" in remarks(page)
    (tmp_path / "labelled.jsonl").write_bytes(file)
    before, after = (library.reliability(tmp_path / name) for name in ("votes.csv", "labelled.jsonl"))
    found = [one.estimate("annotators", "reliability", {"annotator": "ana"}) for one in (before, after)]
    assert [(one.value, one.n) for one in found] == [(1, 2), (pytest.approx(4 / 5), 5)]


def test_what_a_named_one_flags_is_not_asked_and_others_stand_in_for_what_is_missing(saved, tmp_path):
    """Ana is trusted: she labels 1, flags 2, and says nothing of 3."""
    rows = [("1", "ana", "x", "no"), ("2", "ana", None, "yes")]
    rows += [("1", "ben", "x", "no"), ("2", "ben", "x", "no"), ("3", "ben", "y", "no")]
    path = tmp_path / "votes.csv"
    pl.DataFrame(rows, COLUMNS[:4], orient="row").write_csv(path)
    library.reliability(path, reference="ana").save(tmp_path / "report.json")
    page, given, file = saved(tmp_path / "report.json", labels=["x"])
    assert given == {"3": "x"}
    assert "1 of 2 items labelled" in remarks(page)
    assert command_of(page)[-4:] == ["--reference", "ana", "--reference", "zoe"]
    (tmp_path / "labelled.jsonl").write_bytes(file)
    report = library.reliability(tmp_path / "labelled.jsonl", reference=["ana", "zoe"])
    found = report.estimate("annotators", "reliability", {"annotator": "ben"})
    assert (found.value, found.n) == (0.5, 2)


def test_where_several_are_trusted_on_an_item_the_person_is_one_more(saved, karat, tmp_path, monkeypatch):
    """Two leads: they agree on q1 and differ on q2, which no third can settle where all must agree."""
    trust = {"q1": ("a", "a"), "q2": ("a", "b")}
    rows = [
        {
            "id": item,
            "prompt": "?",
            "output_values": {"ana": {"item_flag": "No", "best": "a"}},
            "QC": {who: {"item_flag": "No", "best": one} for who, one in zip(("kim", "lee"), own, strict=True)},
        }
        for item, own in trust.items()
    ]
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    page, given, file = saved(path, labels=["a"])
    assert given == {"q1": "a"}
    assert "1 of 1 items labelled" in remarks(page)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labelled.jsonl").write_bytes(file)
    assert karat(*command_of(page))[0] == 0
    trusted = ["kim", "lee", "zoe"]
    found = [
        one.estimate("annotators", "reliability", {"annotator": "ana"})
        for one in (library.reliability(path), library.reliability("labelled.jsonl", reference=trusted))
    ]
    assert [(one.value, one.n) for one in found] == [(1, 1), (1, 1)]


def test_of_the_first_named_no_further_label_counts_where_that_one_speaks(saved, tmp_path):
    """Ana is trusted first: she labels 1, flags 2, and says nothing of 3."""
    rows = [("1", "ana", "x", "no"), ("2", "ana", None, "yes")]
    rows += [("1", "ben", "x", "no"), ("2", "ben", "x", "no"), ("3", "ben", "y", "no")]
    path = tmp_path / "votes.csv"
    pl.DataFrame(rows, COLUMNS[:4], orient="row").write_csv(path)
    library.reliability(path, reference="ana", reference_rule="first").save(tmp_path / "report.json")
    page, given, file = saved(tmp_path / "report.json", labels=["x"])
    assert given == {"3": "x"}
    assert "1 of 1 items labelled" in remarks(page)
    assert "Items that the reference labels or flags are left out" in remarks(page)
    assert command_of(page)[-6:] == ["--reference", "ana", "--reference", "zoe", "--reference-rule", "first"]
    (tmp_path / "labelled.jsonl").write_bytes(file)
    report = library.reliability(tmp_path / "labelled.jsonl", reference=["ana", "zoe"], reference_rule="first")
    found = report.estimate("annotators", "reliability", {"annotator": "ben"})
    assert (found.value, found.n) == (0.5, 2)
