"""The threshold that reproduces most judgments, worked by hand."""

import numpy as np
import pytest

from adjudge.evaluations.violations.calibration import best_threshold

NINE = [0.2] * 9 + [0.4] * 9
TURNED = [False] * 9 + [True] * 9


@pytest.mark.parametrize(
    ("score", "same", "usual", "wanted"),
    [
        (NINE, TURNED, 0.1, 0.3),  # nine judgments more, with a standard error of three
        (NINE, TURNED, 0.25, 0.25),  # already between the two
        (NINE, TURNED, 0.5, 0.3),
        ([0.2, 0.4], [False, True], 0.1, 0.1),  # one judgment more, with a standard error of one
        (
            [0.2] * 5 + [0.3] + NINE,
            [True] * 5 + [False, *TURNED],
            0.1,
            0.35,
        ),  # 10 more and 5 fewer, with an error of 3.9
        ([0.0] * 9 + [0.4] * 9, TURNED, 0.4, 0.2),  # what is alike in nothing is never the same
        ([0.2] * 9, [False] * 9, 0.1, 0.2),  # nothing is
        ([0.2] * 9, [True] * 9, 0.3, 0.1),  # all are
    ],
)
def test_a_threshold_moves_where_it_reproduces_more_than_chance_would(score, same, usual, wanted):
    found = best_threshold(usual, np.array(score), np.array(same), np.arange(len(score)), np.ones(len(score), bool))
    assert found == pytest.approx(wanted)


def test_judgments_of_one_text_are_one_piece_of_evidence():
    groups = np.repeat([0, 1], 9)
    assert best_threshold(0.1, np.array(NINE), np.array(TURNED), groups, np.ones(18, bool)) == 0.1


def test_judgments_that_do_not_count_move_nothing():
    kept = np.arange(18) % 9 < 2
    assert best_threshold(0.1, np.array(NINE), np.array(TURNED), np.arange(18), kept) == pytest.approx(0.3)
    assert best_threshold(0.1, np.array(NINE), np.array(TURNED), np.arange(18), kept & (np.arange(18) > 8)) == 0.1
