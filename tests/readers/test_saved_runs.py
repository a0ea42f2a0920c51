"""Saved runs: what is read of items files and of the reports that name them, and what runs are called."""

import json
import os
from hashlib import sha256
from pathlib import Path

import polars as pl
import pytest

import adjudge as library
from adjudge.api.reports import runs_of
from adjudge.errors import DataError, OptionError
from adjudge.readers.saved_runs import date_in, names_of, read_saved_reports
from adjudge.schemas.outcomes import MADE_BY, OUTCOMES
from made import EXAMPLES
from made_history import saved

VOTES = EXAMPLES / "reliability" / "votes.json"


@pytest.fixture(scope="module")
def items(tmp_path_factory):
    """An items file, with its report beside it."""
    path = tmp_path_factory.mktemp("run") / "week.parquet"
    report = library.reliability(VOTES, by="week", labels=["response_1", "response_2", "tie"], save_items=path)
    report.save(path.with_suffix(".json"))
    return path


def test_a_run_says_how_it_was_made(items):
    (run,) = runs_of([items])
    hashed = sha256(items.read_bytes()).hexdigest()
    assert (run.name, run.path, run.sha256, run.evaluation) == ("week", str(items), hashed, "reliability")
    assert (run.judges, run.keys, run.rows, run.written) == (("ana", "ben", "cleo", "dev"), ("week",), 160, 160)
    assert run.options.labels == ("response_1", "response_2", "tie")
    assert run.options.by == ("week",)
    assert run.adjudge == library.__version__
    assert f"adjudge={library.__version__}|evaluation=reliability|" in run.signature
    (source,) = run.inputs
    assert (source.path, source.rows) == (str(VOTES), 80)
    assert source.sha256 == sha256(VOTES.read_bytes()).hexdigest()
    frame = run.outcomes.collect()
    assert frame.columns == [*OUTCOMES, "week"]
    assert set(frame.schema.values()) == {pl.String, pl.Float64}


def test_items_are_found_from_here_or_beside_their_report(items, tmp_path, monkeypatch):
    report = json.loads(items.with_suffix(".json").read_text())
    for place, there in ((tmp_path, "week.parquet"), (tmp_path / "a", "a/week.parquet"), (tmp_path / "b", "../elsewhere/week.parquet")):  # fmt: skip
        place.mkdir(exist_ok=True)
        (place / "week.parquet").write_bytes(items.read_bytes())
        report["items"]["path"] = there
        (place / "report.json").write_text(json.dumps(report))
    monkeypatch.chdir(tmp_path)
    found = [runs_of([path])[0].path for path in ("report.json", "a/report.json", "b/report.json")]
    assert found == ["week.parquet", "a/week.parquet", "b/week.parquet"]


def test_items_that_were_changed_since_are_refused(items, tmp_path):
    for path in (items, items.with_suffix(".json")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    report = json.loads((tmp_path / "week.json").read_text())
    report["items"]["path"] = "week.parquet"
    (tmp_path / "week.json").write_text(json.dumps(report))
    runs_of([tmp_path / "week.json"])
    changed = pl.read_parquet(items).reverse()
    said = pl.read_parquet_metadata(items)[MADE_BY]
    changed.write_parquet(tmp_path / "week.parquet", metadata={MADE_BY: said})
    with pytest.raises(DataError, match=r"week\.parquet: was changed since "):
        runs_of([tmp_path / "week.json"])
    assert runs_of([tmp_path / "week.parquet"])[0].sha256 != report["items"]["sha256"]


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (None, "expected an items file; got another table"),
        ('{"evaluation": "reliability"}', "is broken"),
        ({"options": None}, "is broken"),
        ({"options": {"refrence": ["ana"]}}, "no option is called refrence"),
        ({"options": {"ci_level": 95}}, "ci_level: expected a number between 0 and 1"),
        ({"evaluation": "relaibility"}, r"expected an evaluation \(agreement, .*; got .relaib"),
        ({"inputs": [{"path": "x"}]}, "is broken"),
        ({"inputs": [{"path": "x", "sha256": "0", "rows": "many"}]}, "is broken"),
    ],
)
def test_what_an_items_file_says_of_itself_is_checked(items, tmp_path, made, said):
    known = json.loads(pl.read_parquet_metadata(items)[MADE_BY])
    text = json.dumps({**known, **made}) if isinstance(made, dict) else made
    path = tmp_path / "x.parquet"
    pl.read_parquet(items).write_parquet(path, metadata=None if text is None else {MADE_BY: text})
    with pytest.raises(DataError, match=said):
        runs_of([path])


@pytest.mark.parametrize("name", ["item", "value", "detail"])
def test_every_column_of_outcomes_has_to_be_there_in_its_type(items, tmp_path, name):
    said = {MADE_BY: pl.read_parquet_metadata(items)[MADE_BY]}
    frame, path = pl.read_parquet(items), tmp_path / "x.parquet"
    for changed in (frame.drop(name), frame.with_columns(pl.lit(1).alias(name))):
        changed.write_parquet(path, metadata=said)
        with pytest.raises(DataError, match=f"column {name}: expected it as it was written"):
            runs_of([path])


def test_runs_of_several_evaluations_are_refused(items, tmp_path):
    other = tmp_path / "answers.parquet"
    library.rag(EXAMPLES / "rag" / "answers.jsonl", save_items=other)
    with pytest.raises(DataError, match="expected one evaluation; got week of reliability, answers of rag"):
        runs_of([items, other])


@pytest.mark.parametrize(("name", "said"), [("none", "no such file"), ("", "expected a file; got a folder")])
def test_files_that_cannot_be_read_are_told(tmp_path, name, said):
    with pytest.raises(OptionError, match=said):
        runs_of([tmp_path / name])


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a/run.json", "b/run.json"], ["a/run", "b/run"]),
        (["/a/x/run.json", "/a/y/run.json", "/b/x/run.json"], ["/a/x/run.json", "y/run", "/b/x/run.json"]),
        (["run.json", "run.parquet"], ["run.json", "run.parquet"]),
        (["run.json", "other.json", "a/../run.json"], ["run (1)", "other", "run (2)"]),
        (["/run.json", "/a/run.json"], ["/run", "a/run"]),
    ],
)
def test_files_are_called_by_the_shortest_name_that_tells_them_apart(paths, expected):
    assert names_of([Path(path) for path in paths]) == expected


# --- reports in folders ---


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2026-11-20", "2026-11-20"),
        ("nightly-20261120-v2", "2026-11-20"),
        ("2026-11-20T10-30", "2026-11-20 10:30"),
        ("2026-11-20T10:30:05Z", "2026-11-20 10:30:05"),
        ("2026-11-20_2561", "2026-11-20"),
        ("gpt-2025-08-06-on-2026-11-20", "2026-11-20"),
        ("2026-11-20_2026-11-27", "2026-11-27"),
        ("2026-02-30", ""),
    ],
)
def test_names_say_dates_in_iso_form(name, said):
    assert date_in(name) == said


def test_reports_are_found_however_deep_and_named_apart(tmp_path):
    saved(tmp_path / "2026-11-20" / "nightly.json", {"ann": 5})
    for name in ("r-2025-12-31.json", "s.json"):
        saved(tmp_path / "2026-11-20" / "2026-11-21" / name, {"ann": 5})
    saved(tmp_path / "2026-11-27" / "deep" / "nightly.json", {"ann": 6})
    saved(tmp_path / "a.json", {"ann": 7}).rename(tmp_path / "a.JSON")
    (tmp_path / "x.json").mkdir()
    saved(tmp_path / "x.json" / "b.json", {"ann": 8})
    found, others = read_saved_reports([tmp_path])
    assert {one.name for one in found} == {"2026-11-20/nightly", "deep/nightly", "r-2025-12-31", "s", "a", "b"}
    assert {one.name: one.time for one in found if one.dated} == {
        "2026-11-20/nightly": "2026-11-20",
        "deep/nightly": "2026-11-27",
        "r-2025-12-31": "2025-12-31",
        "s": "2026-11-21",
    }
    assert others == []


def test_an_unreadable_folder_is_refused(tmp_path, monkeypatch):
    saved(tmp_path / "r.json", {"ann": 5})
    (tmp_path / "closed").mkdir()
    scandir = os.scandir

    def closed(place):
        if str(place).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(place))
        return scandir(place)

    monkeypatch.setattr("os.scandir", closed)
    with pytest.raises(OptionError, match=r"closed: cannot be read: Permission denied"):
        read_saved_reports([tmp_path])


def test_a_file_that_is_named_twice_is_read_once(tmp_path):
    path = saved(tmp_path / "r.json", {"ann": 5})
    (tmp_path / "again.json").symlink_to(path)
    found, _ = read_saved_reports([tmp_path, path, tmp_path / "." / "r.json"])
    assert len(found) == 1


def test_what_is_no_report_is_left_out_of_folders(tmp_path):
    saved(tmp_path / "r.json", {"ann": 5})
    (tmp_path / "broken.json").write_text('{"adjudge": ')
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    (tmp_path / "other.json").write_text('{"evaluation": "reliability"}')
    (tmp_path / "notes.txt").write_text("no JSON, and none looks at it")
    (tmp_path / "link.json").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.json")
    found, others = read_saved_reports([tmp_path])
    assert [one.name for one in found] == ["r"]
    names = ["broken.json", "bytes.json", "empty.json", "link.json", "other.json", "pipe.json"]
    assert others == [str(tmp_path / name) for name in names]


def test_a_file_that_is_named_must_be_a_report(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text("{")
    with pytest.raises(DataError, match=r"broken\.json: expected a report saved by Adjudge"):
        read_saved_reports([tmp_path, path])
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(OptionError, match="got a pipe or a device"):
        read_saved_reports([tmp_path / "pipe.json"])


def test_a_place_must_be_there_and_have_a_name_in_utf8(tmp_path):
    (tmp_path / "runs").mkdir()
    with pytest.raises(OptionError, match=r"rums: no such file or folder\nfix:   .*runs"):
        read_saved_reports([tmp_path / "rums"])
    with pytest.raises(OptionError, match="no such file or folder"):
        read_saved_reports([tmp_path / "none" / "deeper"])
    odd = tmp_path / os.fsdecode(b"\xe9.json")
    odd.write_text("{}")
    for place in (tmp_path, odd):
        with pytest.raises(OptionError, match="expected a name in UTF-8"):
            read_saved_reports([place])
