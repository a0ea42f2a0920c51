"""How often the alternative annotator test rejects true hypotheses, and passes judges that it should not. Nominal: 5 %.

    python benchmarks/alternative_test.py [--replications N] [--seed N]

First a judge beside one person: the share of p below .05 where the person is better by exactly epsilon, of the t test
alone as it was published, and of Adjudge's. Each row is the worst of three epsilons (.1, .15, .2). lost: the share of
items on which the judge alone does well. Then the same in clusters whose sizes differ, five items on average, the worst
of the intraclass correlations .1 and .3 too, beside the test that takes items for independent. Then whole tests: people of equal skill, and a judge so much worse that each
of them is better by epsilon, or as good as they are: how often the winning rate is above 0, and how often it is half.
Last the coverage of the intervals beside it: agreement, agreement less that of people, advantage probability; the
worst and the mean over truths.
"""

import argparse
from statistics import fmean

import numpy as np
import polars as pl
from scipy import stats

import adjudge
from adjudge.estimate import Estimate
from adjudge.statistics.comparison import alternative_test, paired_t
from adjudge.statistics.proportions import linearised_proportion
from adjudge.statistics.scores import mean_score_limits

EPSILONS = (0.1, 0.15, 0.2)
SIZES = (10, 20, 29, 30, 50, 100, 300)
LOST = (0.0, 0.02, 0.05, 0.2)
CLUSTERS = (5, 10, 20, 40, 100, 300)
CORRELATIONS = (0.1, 0.3)
PEOPLE = 5


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    draw = np.random.default_rng(chosen.seed)
    print(f"{'items':>5} {'lost':>5} {'t alone':>8} {'Adjudge':>8}")
    for items in SIZES:
        for lost in LOST:
            worst = [_rejected(draw, items, lost, epsilon, chosen.replications) for epsilon in EPSILONS]
            alone, ours = (max(one[side] for one in worst) for side in (0, 1))
            print(f"{items:>5} {lost:>5} {alone:>8.4f} {ours:>8.4f}", flush=True)
    print(f"\n{'clusters':>8} {'lost':>5} {'items alone':>11} {'Adjudge':>8}")
    for clusters in CLUSTERS:
        for lost in (0.0, 0.05, 0.2):
            worst = [
                _rejected_in_clusters(draw, clusters, lost, epsilon, correlation, chosen.replications // 2)
                for epsilon in EPSILONS
                for correlation in CORRELATIONS
            ]
            alone, ours = (max(one[side] for one in worst) for side in (0, 1))
            print(f"{clusters:>8} {lost:>5} {alone:>11.4f} {ours:>8.4f}", flush=True)
    print(f"\n{'items':>5} {'skill':>6} {'judge':>6} {'any':>7} {'half':>7}")
    for items in (50, 100, 200):
        for skill, judge in ((0.9, 0.9), (0.9, 0.7), (0.8, 0.8), (0.8, 0.56)):
            found = [_winning_rate(draw, items, skill, judge) for _ in range(chosen.replications // 50)]
            some, half = fmean(rate > 0 for rate in found), fmean(rate >= 1 / 2 for rate in found)
            print(f"{items:>5} {skill:>6} {judge:>6} {some:>7.3f} {half:>7.3f}", flush=True)
    print(f"\n{'figure':<24} {'items':>5} {'worst':>6} {'mean':>6}")
    for items in (30, 100, 300):
        found = [_coverage(draw, items, skill, judge, chosen.replications // 5) for skill, judge in TRUTHS]
        for place, name in enumerate(("agreement", "agreement_difference", "advantage_probability")):
            shares = [one[place] for one in found]
            print(f"{name:<24} {items:>5} {min(shares):>6.3f} {fmean(shares):>6.3f}", flush=True)


TRUTHS = tuple((skill, judge) for skill in (0.6, 0.75, 0.9) for judge in (0.55, 0.75, 0.95))


def _coverage(draw: np.random.Generator, items: int, skill: float, judge: float, replications: int) -> list[float]:
    """How often each interval holds the value of a very large sample."""
    truth = [one.value for one in _estimates(draw, 400_000, skill, judge)]
    found = [_estimates(draw, items, skill, judge) for _ in range(replications)]
    return [
        fmean(one.low is not None and one.low <= true <= one.high for one in own)
        for own, true in zip(zip(*found, strict=True), truth, strict=True)
    ]


def _estimates(draw: np.random.Generator, items: int, skill: float, judge: float) -> list[Estimate]:
    """Of two labels that are right with the skill of each; items are harder or easier by up to a tenth."""
    ease = draw.choice([-0.1, 0.0, 0.05], size=(items, 1))
    right = draw.random((items, PEOPLE)) < np.clip(skill + ease, 0, 1)
    own = draw.random((items, 1)) < np.clip(judge + ease, 0, 1)
    alike, votes = right == own, right.sum(axis=1, keepdims=True)
    pairs = (votes * (votes - 1) + (PEOPLE - votes) * (PEOPLE - votes - 1)) / (PEOPLE * (PEOPLE - 1))
    agrees = alike.mean(axis=1)
    same = np.where(right, votes, PEOPLE - votes) - 1
    wins = (np.where(own, votes, PEOPLE - votes) - alike >= same).mean(axis=1)
    return [
        linearised_proportion(agrees.mean(), (agrees - agrees.mean()) / items, n=items, scores=True),
        paired_t([*(agrees - pairs[:, 0]), 0.5, -0.5]).estimate,
        linearised_proportion(wins.mean(), (wins - wins.mean()) / items, n=items),
    ]


def _rejected(
    draw: np.random.Generator, items: int, lost: float, epsilon: float, replications: int
) -> tuple[float, float]:
    """The share of p below .05 of t alone, and of the test."""
    counts = draw.multinomial(items, [lost + epsilon, lost, 1 - 2 * lost - epsilon], size=replications)
    kinds, times = np.unique(counts[:, :2], axis=0, return_counts=True)
    alone, ours = zip(*(_p(int(gained), int(few), items, epsilon) for gained, few in kinds), strict=True)
    return tuple(float(times @ (np.array(one) < 0.05)) / replications for one in (alone, ours))


def _rejected_in_clusters(
    draw: np.random.Generator, clusters: int, lost: float, epsilon: float, correlation: float, replications: int
) -> tuple[float, float]:
    """The share of p below .05 of the test that takes items for independent, and of the one in clusters.

    Each cluster has its own chances of the three outcomes, from a Dirichlet distribution.
    """
    chances = np.array([lost + epsilon, lost, 1 - 2 * lost - epsilon]) * (1 - correlation) / correlation
    found = []
    for _ in range(replications):
        sizes = 1 + draw.poisson(4 * draw.gamma(2, 1 / 2, clusters))
        own = np.maximum(draw.gamma(chances, size=(clusters, 3)), 1e-300)
        units = np.repeat(np.arange(clusters), sizes)
        place = (draw.random(len(units))[:, None] > np.cumsum(own / own.sum(axis=1, keepdims=True), axis=1)[units]).sum(
            1
        )
        sides = place != 0, place != 1
        found.append([alternative_test(*sides, epsilon=epsilon, clusters=held).p < 0.05 for held in (None, units)])
    alone, ours = np.mean(found, axis=0)
    return float(alone), float(ours)


def passed_at_margin(
    draw: np.random.Generator, people: int, skill: float, margin: float, items: int, replications: int
) -> float:
    """How often a judge that is worse than people by exactly a margin is shown not to be, at 5 %, of two labels."""

    def gaps(size: int, judge: float) -> np.ndarray:
        right = draw.random((size, people)) < skill
        votes, own = right.sum(axis=1), draw.random(size) < judge
        pairs = (votes * (votes - 1) + (people - votes) * (people - votes - 1)) / (people * (people - 1))
        return np.where(own, votes, people - votes) / people - pairs

    # Two people agree in s^2 + (1 - s)^2 and a judge that is right in j with one in j s + (1 - j) (1 - s).
    judge = (skill**2 + (1 - skill) ** 2 - margin - (1 - skill)) / (2 * skill - 1)
    passed = []
    for _ in range(replications):
        values, counts = np.unique(gaps(items, judge).round(9), return_counts=True)
        limits = mean_score_limits(values, np.ones(len(values)), counts.astype(float), (-1.0, 1.0), confidence=0.9)
        passed.append(float(limits.low) > -margin)
    return fmean(passed)


def _p(gained: int, lost: int, items: int, epsilon: float) -> tuple[float, float]:
    judge = np.repeat([0, 1, 1], [gained, lost, items - gained - lost])
    person = np.repeat([1, 0, 1], [gained, lost, items - gained - lost])
    gap = person - judge
    t = stats.ttest_1samp(gap, epsilon, alternative="less").pvalue if gap.std() else float(gap[0] >= epsilon)
    return float(t), alternative_test(judge, person, epsilon=epsilon).p


def _winning_rate(draw: np.random.Generator, items: int, skill: float, judge: float) -> float:
    """Of a whole test: people and the judge give the right one of three labels with their skill."""
    skills = {**{f"person {nth}": skill for nth in range(PEOPLE)}, "judge": judge}
    rows = [
        (item, who, "abc"[0 if draw.random() < right else int(draw.integers(1, 3))])
        for item in range(items)
        for who, right in skills.items()
    ]
    table = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    report = adjudge.card(table, judges="judge", examples=0)
    return report.estimate("winning_rate", table="judges", judge="judge").value or 0.0


if __name__ == "__main__":
    main()
