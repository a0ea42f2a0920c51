"""Quantiles and tail probabilities of the normal, t and beta distributions, without scipy."""

from functools import lru_cache
from math import copysign, erfc, exp, inf, isfinite, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

from adjudge.errors import OptionError

_TINY = 1e-300
"""Keeps Lentz's method from dividing by zero; far below anything that it adds up."""
_DIGITS = 12
"""The digits of a level: more than anyone needs, and fewer than a float has."""
_STEPS = 200
"""More than enough for bracketed Newton steps: bisection alone reaches 1e-16 in 54."""
_CLOSE = 4e-16
"""Relative change at which an iteration has converged: the resolution of a float."""
_NEWTON = 1e-11
"""Length of the last Newton step, relative to the rest on either side: its error is of the order of its
square. Later steps would follow rounding, out of the bracket and back to its middle."""
_SETTLED = 1e-15
"""Relative change at which the continued fraction has converged: a few times that resolution."""
_TERMS = 100_000
"""Terms grow with the root of the shapes: enough for shapes of 1e9."""
_STIRLING_FROM = 16.0
"""From here on the Stirling series below is exact to the last bit."""


def normal_quantile(probability: float) -> float:
    """The value below which a standard normal variable falls with the given probability.

    probability: in (0, 1). Returns any real number; 0 at one half.

    >>> round(normal_quantile(0.975), 6)
    1.959964

    Source: the standard library's statistics.NormalDist (Wichura 1988, algorithm AS 241).
    """
    return NormalDist().inv_cdf(probability)


@lru_cache(maxsize=4096)
def critical_value(confidence: float, degrees: float = inf) -> float:
    """The two-sided critical value of a confidence: z, or t with degrees of freedom.

    The quantile at (1 + confidence) / 2.

    confidence: in (0, 1). degrees: degrees of freedom, above 0; infinite for the normal distribution.
    Raises OptionError for a confidence outside (0, 1).

    >>> round(critical_value(0.95), 4), round(critical_value(0.95, 9), 4)
    (1.96, 2.2622)
    """
    if not 0 < confidence < 1:
        raise OptionError(f"expected a number between 0 and 1; got {confidence!r}", option="confidence")
    return t_quantile((1 + confidence) / 2, degrees)


@lru_cache(maxsize=4096)
def significance_level(confidence: float) -> float:
    """1 - confidence, an upper bound for p. Rounded, so that 0.95 gives exactly 0.05.

    >>> 1 - 0.95 == 0.05, significance_level(0.95) == 0.05
    (False, True)
    """
    return round(1 - confidence, _DIGITS)


def t_quantile(probability: float, degrees: float) -> float:
    """The value below which Student's t falls with the given probability.

    Solves I(degrees / (degrees + t^2); degrees / 2, 1 / 2) = 2 min(p, 1 - p) by Newton's method from the
    normal quantile, which always lies nearer to 0. The left side falls and is convex, so the steps rise
    to the solution and never pass it.

    probability: in (0, 1). degrees: degrees of freedom, above 0, whole or not; infinite for the normal.

    >>> round(t_quantile(0.975, 9), 4)
    2.2622
    >>> round(t_quantile(0.75, 1), 12)
    1.0
    """
    normal = normal_quantile(probability)
    tail = 2 * min(probability, 1 - probability)
    if not isfinite(degrees) or normal == 0:
        return normal
    t = abs(normal)
    for _ in range(_STEPS * 5):
        whole = degrees + t * t  # the density of Student's t, times t, is the kernel below
        density = beta_kernel(degrees / whole, t * t / whole, degrees / 2, 0.5)
        step = (t_two_sided_p(t, degrees) - tail) * t / (2 * density)
        t += step
        if step <= t * _CLOSE:
            break
    return copysign(t, normal)


@lru_cache(maxsize=4096)
def t_two_sided_p(t: float, degrees: float) -> float:
    """The probability that Student's t lies at least as far from 0 as the given value.

    p = I(degrees / (degrees + t^2); degrees / 2, 1 / 2), I being the regularised incomplete beta function.

    t: any number. degrees: degrees of freedom, above 0; infinite for the normal. Returns [0, 1].

    >>> round(t_two_sided_p(1.0, 1), 12)
    0.5

    Source: Abramowitz and Stegun 1964, equation 26.7.1 with 26.5.27.
    """
    if not isfinite(degrees):
        return erfc(abs(t) / sqrt(2))
    if not isfinite(t):
        return 0.0
    whole = degrees + t * t
    return _regularised(degrees / whole, t * t / whole, degrees / 2, 0.5)


def regularised_incomplete_beta(x: float, first: float, second: float) -> float:
    """The probability that a beta(first, second) variable lies at or below x.

    I(x; a, b) = integral from 0 to x of u^(a-1) (1-u)^(b-1) du / B(a, b).

    x: in [0, 1]. first, second: the shapes a and b, above 0, whole or not. Returns [0, 1].

    >>> round(regularised_incomplete_beta(0.5, 2, 1), 12)
    0.25

    Source: continued fraction of DiDonato and Morris 1992, "Algorithm 708", ACM Transactions on Mathematical
    Software 18, 360-373, by the modified Lentz method; its leading factor as in Loader 2000, "Fast and
    accurate computation of binomial probabilities".
    """
    return _regularised(x, 1 - x, first, second)


def beta_quantile(probability: float, first: float, second: float) -> float:
    """The value below which a beta(first, second) variable falls with the given probability.

    Newton's method on the regularised incomplete beta function, kept in a shrinking bracket.

    probability: in (0, 1). first, second: the shapes, above 0. Returns [0, 1].

    >>> round(beta_quantile(0.25, 2, 1), 12)
    0.5
    """
    first, second = float(first), float(second)  # numpy's floats would warn if a step overflows
    low, high = 0.0, 1.0
    # At first as if the logit were normal; the mean if that leaves (0, 1).
    mean, size = first / (first + second), first + second + 1
    spread = normal_quantile(probability) / sqrt(mean * (1 - mean) * size) if 0 < mean < 1 else 0.0
    x = 1 / (1 + (1 - mean) / mean * exp(-max(min(spread, 30.0), -30.0)))
    x = x if 0 < x < 1 else mean
    for _ in range(_STEPS):
        gap = _regularised(x, 1 - x, first, second) - probability
        low, high = (low, x) if gap > 0 else (x, high)
        slope = beta_kernel(x, 1 - x, first, second) / (x * (1 - x))
        guess = x - gap / slope if slope > 0 else low
        if slope > 0 and abs(guess - x) <= _NEWTON * min(x, 1 - x):
            return guess
        new = guess if low < guess < high else (low + high) / 2
        if abs(new - x) <= _CLOSE * x or not 0 < new < 1:
            return new
        x = new
    return x


def _regularised(x: float, rest: float, a: float, b: float) -> float:
    """I(x; a, b) with a separate rest = 1 - x, so that neither loses digits near the ends."""
    if x <= 0 or rest <= 0:
        return float(rest <= 0)
    kernel, upper = beta_kernel(x, rest, a, b), b * x > a * rest
    if upper:  # the continued fraction is for x below the mean
        x, rest, a, b = rest, x, b, a
    slope = a * rest - b * x + 1
    total = c = slope * a / (a + 1) or _TINY
    d = 0.0
    for m in range(1, _TERMS):  # calls no functions: p-values of a matrix of 40 annotators take a million steps
        odd = a + 2 * m - 1
        top = (a + m - 1) / odd * ((a + b + m - 1) / odd) * m * (b - m) * x * x
        bottom = m + m * (b - m) * x / odd + (a + m) * (slope + m * (1 + rest)) / (odd + 2)
        d, c = bottom + top * d, bottom + top / c
        d = 1 / (d if d > _TINY or d < -_TINY else _TINY)
        c = c if c > _TINY or c < -_TINY else _TINY
        change = c * d
        total *= change
        if -_SETTLED <= change - 1 <= _SETTLED:
            break
    return 1 - kernel / total if upper else kernel / total


def beta_kernel(x: float, rest: float, a: float, b: float) -> float:
    """x^a (1-x)^b / B(a, b) with rest = 1 - x, by Stirling's formula so that large shapes cancel in the exponent."""
    lean, deviance = b * x - a * rest, 0.0
    for shape, share, excess in ((a, x, lean / a), (b, rest, -lean / b)):
        logarithm = log1p(excess) if abs(excess) < 1 / 2 else log((a + b) * share / shape)  # the more precise
        deviance += shape * logarithm
    errors = 0.0
    for z, sign in ((a + b, 1), (a, -1), (b, -1)):  # log Gamma(z) minus (z - 1/2) log z - z + log(2 pi) / 2
        if z < _STIRLING_FROM:
            errors += sign * (lgamma(z) - (z - 0.5) * log(z) + z - 0.5 * log(2 * pi))
            continue
        square = 1 / (z * z)
        inner = 1 / 1260 - square * (1 / 1680 - square * (1 / 1188 - square * 691 / 360360))
        errors += sign * ((1 / 12 - square * (1 / 360 - square * inner)) / z)
    return sqrt(a / (2 * pi * (a + b)) * b) * exp(deviance + errors)
