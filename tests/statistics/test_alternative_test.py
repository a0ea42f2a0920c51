"""The alternative annotator test, by hand and against scipy and statsmodels."""

import numpy as np
import pytest
from scipy import optimize, stats

from adjudge.statistics.clusters import cluster_degrees
from adjudge.statistics.comparison import alternative_test, benjamini_yekutieli


def wins(gained, lost, ties):
    """Items on which only the person does well, only the judge, and both."""
    return [0] * gained + [1] * (lost + ties), [1] * gained + [0] * lost + [1] * ties


def test_below_30_items_p_is_the_greatest_chance_there_is():
    """The judge alone is best on all ten: .4 ** 10 if it is so on as many items as H0 lets it be."""
    assert alternative_test(*wins(0, 10, 0), epsilon=0.2) == (pytest.approx(0.4**10), "exact")
    assert alternative_test(*wins(0, 0, 10), epsilon=0.2).p == pytest.approx(0.8**10)
    assert alternative_test(*wins(10, 0, 0), epsilon=0.2).p == 1


def test_from_30_items_on_it_is_a_t_test():
    judge, person = map(np.array, wins(9, 6, 25))
    found = alternative_test(judge, person, epsilon=0.15)
    expected = stats.ttest_1samp(person - judge, 0.15, alternative="less").pvalue
    assert found == (pytest.approx(expected, rel=1e-12), "t")


def test_where_they_hardly_differ_it_is_a_score_test_since_t_would_reject_too_often():
    """Two of 40 items gained, none lost: sqrt(40) (.05 - .2) / sqrt(.2 .8)."""
    found = alternative_test(*wins(2, 0, 38), epsilon=0.2)
    assert found == (pytest.approx(stats.norm.cdf(40**0.5 * -0.15 / 0.4)), "tango")
    judge, person = map(np.array, wins(2, 0, 38))
    assert stats.ttest_1samp(person - judge, 0.2, alternative="less").pvalue < 1e-4 < found.p


def tango_score(gained, lost, n, difference):
    """By the greatest likelihood under the hypothesis, found numerically."""

    def unlikely(loses):
        ties = (n - gained - lost) * np.log(1 - difference - 2 * loses)
        return -(gained * np.log(loses + difference) + lost * np.log(loses) + ties)

    loses = optimize.minimize_scalar(unlikely, bounds=(1e-9, (1 - difference) / 2 - 1e-9), options={"xatol": 1e-12}).x
    return (gained - lost - n * difference) / (n * (2 * loses + difference * (1 - difference))) ** 0.5


def test_clusters_of_one_item_each_are_items_and_alike_items_are_one():
    """39/40 of Tango's squared score, and t at 39: the variance over 40 clusters has 39 in its denominator."""
    judge, person = map(np.array, wins(9, 6, 25))
    alone = stats.t.cdf((39 / 40) ** 0.5 * tango_score(9, 6, 40, 0.15), 39)
    assert alternative_test(judge, person, epsilon=0.15, clusters=np.arange(40)).p == pytest.approx(alone)
    twice = alternative_test(
        np.repeat(judge, 2), np.repeat(person, 2), epsilon=0.15, clusters=np.repeat(np.arange(40), 2)
    )
    assert twice == (pytest.approx(alone), "clustered-tango")


def test_clusters_that_differ_little_by_accident_are_worth_what_their_likeness_says():
    """Shares 3/6, 0/2, 2/2: mean squares 1/2 and 3/14, m = 2.8, a correlation of 10/31; 1 / (1 + 3.4 * 10/31) = 31/65."""
    clusters, gained, worth = np.repeat([0, 1, 2], [6, 2, 2]), np.array([1, 1, 1, 0, 0, 0, 0, 0, 1, 1]), 31 / 65
    found = alternative_test(1 - gained, np.ones(10), epsilon=0.2, clusters=clusters).p
    score = tango_score(5 * worth, 0, 10 * worth, 0.2)
    assert found == pytest.approx(stats.t.cdf(score, cluster_degrees([6, 2, 2])), rel=1e-5)


def test_what_does_not_vary_in_clusters_is_no_certainty():
    """Ties in 30 clusters of one: the score of 29 items without any difference, whose variance is 29 epsilon (1 - epsilon)."""
    found = alternative_test([1] * 30, [1] * 30, epsilon=0.1, clusters=np.arange(30)).p
    assert found == pytest.approx(stats.t.cdf(-0.1 * (30 / 0.09) ** 0.5, 29))


def test_without_items_and_with_one_cluster_there_is_no_p():
    assert alternative_test([], [], epsilon=0.2).p is None
    assert alternative_test([1, 1], [0, 1], epsilon=0.2, clusters=np.array([0, 0])).p is None


def test_benjamini_yekutieli_is_that_of_statsmodels():
    from statsmodels.stats.multitest import multipletests

    p = [0.001, 0.2, 0.013, 0.04, 0.04, 0.9]
    assert benjamini_yekutieli(p) == pytest.approx(multipletests(p, method="fdr_by")[1], rel=1e-12)
