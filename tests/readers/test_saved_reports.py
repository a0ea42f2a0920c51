import os

import pytest

from adjudge import DataError, OptionError
from adjudge.readers.saved_runs import date_in, read_saved_reports
from made_history import saved


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2026-11-20", "2026-11-20"),
        ("nightly-20261120-v2", "2026-11-20"),
        ("2026-11-20T10-30", "2026-11-20 10:30"),
        ("2026-11-20T10:30:05Z", "2026-11-20 10:30:05"),
        ("2026-11-20_1030", "2026-11-20 10:30"),
        ("20261120T103005", "2026-11-20 10:30:05"),
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
    with pytest.raises(DataError, match="got a pipe, a device"):
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
