import pytest

from adjudge.display_names import axis_kind, parse_moment, sort_key


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["2026-11-20", "2026-11-27T10:30", None], "moment"),
        (["20261120", "20261127"], "moment"),
        (["2026-11-20 10:30:05", "2026-11-20T10:30+02:00"], "moment"),
        (["1", "2.5", "-3e2"], "number"),
        (["2026", "2027"], "number"),
        (["1", "v2"], "name"),
        (["1", "nan"], "name"),
        (["1", "1_000"], "name"),
        ([], "name"),
    ],
)
def test_values_are_moments_or_numbers_where_all_of_them_are(values, kind):
    assert axis_kind(values) == kind


def test_moments_are_compared_in_utc():
    assert (
        parse_moment("2026-11-20T10:30+02:00") == parse_moment("2026-11-20T08:30") == parse_moment("2026-11-20 08:30Z")
    )


@pytest.mark.parametrize(
    ("kind", "ordered"),
    [
        ("number", ["-3", "2", "10", None]),
        ("moment", ["2026-09-30", "2026-10-01T23:00", "20261002", None]),
        ("name", ["a", "v1.9", "v1.10", "v2", "week 2", "week 10", "week 10b", None]),
    ],
)
def test_values_stand_by_size_names_as_people_count_and_missing_ones_last(kind, ordered):
    for given in (ordered, ordered[::-1], sorted(ordered, key=str)):
        assert sorted(given, key=lambda value: sort_key(value, kind)) == ordered
