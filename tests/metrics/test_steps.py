import shutil

import polars as pl
import pytest

import adjudge as library
from made_history import saved

EARLY, LATE = "2026-11-20", "2026-11-27"


def run(folder, day, right, items):
    """Saves a run with its items: of those of a judge so many are right, the first ones."""
    return saved(folder / f"{day}.json", {"ann": right}, len(items), save_items=folder / f"{day}.parquet", ids=items)


def two(folder, right, items=None):
    """A history of two runs of 200 items with so many right; of the same items unless others are given."""
    for day, count, of_run in zip((EARLY, LATE), right, items or [range(200)] * 2, strict=True):
        run(folder, day, count, of_run)
    return library.history(folder)


def test_runs_of_the_same_items_are_tested_as_adjudge_compare_tests_them(tmp_path):
    """120 and 108 of 200: 12 items are lost and none is won, so that McNemar's mid-P is 0.5^12.

    As if the items were others, z = 0.06 / sqrt(0.6 0.4 / 200 + 0.54 0.46 / 200) = 1.21, which tells nothing.
    """
    report = two(tmp_path, (120, 108))
    (step,) = report["steps"].to_dicts()
    assert (step["first"], step["second"], step["annotator"], step["same_items"]) == (EARLY, LATE, "ann", "yes")
    assert (step["first_value"], step["second_value"], step["n"]) == (0.6, 0.54, 200)
    assert step["p"] == step["p_adjusted"] == pytest.approx(0.5**12)
    compared = library.compare([tmp_path / f"{EARLY}.json", tmp_path / f"{LATE}.json"])["comparison"]
    like = compared.filter(metric="reliability").to_dicts()[0]
    assert all(step[name] == like[name] for name in ("value", "low", "high", "n", "method", "caveat", "p"))
    assert "1 step is tested on the items of both runs, as adjudge compare does." in report.notes


@pytest.mark.parametrize("lost", ["items", "report"])
def test_runs_without_items_are_tested_as_if_these_were_others_and_it_is_said(tmp_path, lost):
    """Wilson's intervals are [.4708, .6077] and [.5309, .6654]; Newcombe's is -.06 less hypot(.0692, .0654) and plus
    hypot(.0677, .0691).
    """
    two(tmp_path, (120, 108))
    if lost == "items":
        (tmp_path / f"{EARLY}.parquet").unlink()
    else:
        saved(tmp_path / f"{EARLY}.json", {"ann": 120}, 200)
    report = library.history(tmp_path)
    (step,) = report["steps"].to_dicts()
    assert step["same_items"] == "unknown"
    assert (step["low"], step["high"]) == pytest.approx((-0.1552, 0.0367), abs=2e-4)
    assert step["p"] > 0.2
    assert any("as if they shared no items" in note for note in report.notes)
    assert any("its items file" in warning for warning in report.warnings) is (lost == "items")
    assert "Go on" not in repr(report)


@pytest.mark.parametrize(("shared", "same", "n"), [(100, "yes", 100), (99, "no", 200)])
def test_runs_that_share_half_of_the_items_are_compared_on_these(tmp_path, shared, same, n):
    report = two(tmp_path, (120, 108), [range(200), range(200 - shared, 400 - shared)])
    (step,) = report["steps"].to_dicts()
    assert (step["same_items"], step["n"]) == (same, n)


def test_each_run_is_beside_the_one_before_and_the_last_beside_the_first(tmp_path):
    """All on the same 40 items: 4 more are lost each week, p = 0.5^4; from first to last 8, 0.5^8, a question of its own; Holm's 2."""
    for day, right in ((EARLY, 30), (LATE, 26), ("2026-12-04", 22)):
        run(tmp_path, day, right, range(40))
    table = library.history(tmp_path)["steps"]
    assert table.select("first", "second", "first_value", "second_value").rows() == [
        (EARLY, LATE, 0.75, 0.65),
        (LATE, "2026-12-04", 0.65, 0.55),
        (EARLY, "2026-12-04", 0.75, 0.55),
    ]
    assert table["p"].to_list() == pytest.approx([0.5**4, 0.5**4, 0.5**8])
    assert table["p_adjusted"].to_list() == pytest.approx([2 * 0.5**4, 2 * 0.5**4, 0.5**8])


def test_steps_are_adjusted_over_all_that_a_comparison_tests_even_where_a_history_does_not_show_it(tmp_path):
    """Of 40 items ann loses 4 in each week, p = 0.5^4, and bob 8, 0.5^8. Both together are tested too: t = -2.93, p = .0057.

    Of two runs that is Holm over these three; of three over six tests, and from first to last over three again.
    """
    days = (EARLY, LATE, "2026-12-04")
    paths = [tmp_path / f"{day}.json" for day in days]
    for path, ann, bob in zip(paths, (30, 26, 22), (34, 26, 18), strict=True):
        saved(path, {"ann": ann, "bob": bob}, 40, save_items=path.with_suffix(".parquet"))
    keys = ("p", "p_adjusted", "tests", "needed")
    of_two, of_all, of_ann = (
        library.history(runs, judge=judge)["steps"].sort("annotator", maintain_order=True)
        for runs, judge in ((paths[:2], ()), (paths, ()), (paths[:2], "ann"))
    )
    compared = [library.compare(paths[:2], judge=judge)["comparison"] for judge in ((), "ann")]
    reliability = [table.filter(pl.col("judge") != "pooled", metric="reliability") for table in compared]
    assert of_two.select(keys).rows() == reliability[0].select(keys).rows()
    assert of_ann.select(keys).rows() == reliability[1].select(keys).rows()
    assert of_two["tests"].to_list() == [3, 3]
    assert of_ann["tests"].to_list() == [1]
    assert of_all["tests"].to_list() == [6, 6, 3] * 2
    assert of_two["p_adjusted"].to_list() == pytest.approx([0.5**4, 3 * 0.5**8])


def test_an_items_file_with_rows_of_its_own_is_said_and_not_compared(tmp_path):
    two(tmp_path, (120, 108))
    path = tmp_path / f"{LATE}.parquet"
    shutil.copy(tmp_path / f"{EARLY}.parquet", path)
    report = library.history(tmp_path)
    assert report["steps"]["same_items"].to_list() == ["unknown"]
    assert any(f"{path}: was changed since" in warning for warning in report.warnings)
