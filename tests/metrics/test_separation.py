"""The ranks that judges may have, against tests of pairs made by hand."""

from adjudge.metrics.ranking import rank_ranges


def test_a_pair_whose_difference_is_undefined_is_not_told_apart():
    """North is better than south (.03 after Holm's adjustment for two tests); nothing is known of east and north."""

    def pair(first, second, value, p):
        return {"first": first, "second": second, "value": value, "p_adjusted": p}

    rows = [pair("south", "north", 0.3, 0.03), pair("east", "north", None, None), pair("south", "east", 0.1, 0.4)]
    found = rank_ranges(["north", "south", "east"], rows, 0.95)
    assert {name: (one.low, one.high) for name, one in found.items()} == {
        "north": (1, 2),
        "south": (2, 3),
        "east": (1, 3),
    }
