# SPDX-License-Identifier: BSD-3-Clause
"""How sure a time and a ratio of two times are: the one place where rowhalo-study judges noise.

A run is timed in batches; the median of its batches is the time of the run. Batches of one run share its nodes, its
clock and its neighbours, so noise between runs, which decides, is estimated from runs alone. A ratio B/A has

  paired      where runs of A and B alternate: the median of the pairs' ratios with its interval by ordinals (sign test),
              of fewer than 7 pairs their mean with Student's interval, of logarithms;
  ranks       the median of all ratios b/a with the interval of the Mann-Whitney test (Hodges and Lehmann 1963), where the
              runs are enough for 95 %: from 4 and 4 on. Neither assumes a distribution;
  few         Student's interval of the logarithms, pooled, where one side has fewer runs;
  single      one run on both sides: the noise of the batches, and RUN_NOISE between runs, which one run cannot tell.

Verdicts: B is faster, slower, or it is not shown. Two equal series are told apart by mistake in at most 5 % of all cases.
Standard library only.
"""
import math
from collections.abc import Iterable, Sequence
from enum import Enum
from statistics import NormalDist, fmean, median, pvariance, variance
from typing import NamedTuple, Optional

CONFIDENCE = 0.96
POWER = 0.8             # with which the runs that are suggested would show a difference
RUN_NOISE = 0.03        # standard deviation between single runs, relative: the larger ones of jobs/results
USUAL_BATCHES = 20      # of `run`, where a table of an earlier version does not say
MOST_RUNS = 500         # more are not suggested
MOST_RATIOS = 250_000   # of two series, beyond which runs are thinned out
NORMAL = NormalDist()
Z = NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
NORMAL_95 = NORMAL.inv_cdf(0.95)
MEDIAN_ERROR = math.sqrt(math.pi / 2)   # standard error of a median over that of a mean


class Verdict(Enum):
    """Of B beside A."""
    FASTER = "faster"
    SLOWER = "slower"
    NOT_SHOWN = "not shown"


class Time(NamedTuple):
    """A median with its interval, in seconds."""
    seconds: float
    low: float
    high: float


class Run(NamedTuple):
    """A run's time, and the standard error of it that its batches give, relative to it."""
    seconds: float
    batch_error: float = 0.0


class Ratio(NamedTuple):
    """B over A. `noise`: standard deviation between runs, relative; None where it is only assumed."""
    value: float
    low: float
    high: float
    way: str
    noise: Optional[float]


def ordinal(count: int, holds: float = CONFIDENCE) -> int:
    """The largest k so that the k-th smallest and the k-th largest of so many values hold the true median with this
    probability (binomial distribution); 0: not even all of them do."""
    outside, k = 0.0, 0
    while k < count // 2:
        outside += 2 * math.comb(count, k) / 2 ** count
        if outside > 1 - holds:
            break
        k += 1
    return k


def interval_of_median(values: Iterable[float]) -> Time:
    """The median and its interval by ordinals, whatever the distribution: of at least 95 % from 6 values on; of fewer, all
    of them, which hold it in 50, 75, 88 and 94 % of all cases for 2, 3, 4 and 5."""
    found = sorted(values)
    k = max(1, ordinal(len(found)))
    return Time(median(found), found[k - 1], found[-k])


def batch_error(seconds: float, batches: Sequence[float], p95: Optional[float] = None, count: Optional[int] = None) -> float:
    """Standard error of the median of a run, relative: from its batches, else from its slowest twentieth."""
    if len(batches) > 1:
        middle = median(batches)
        deviation = 1.4826 * median(abs(one - middle) for one in batches)   # of the middle half: outliers do not count
        count = len(batches)
    else:
        deviation = max(0.0, (p95 or seconds) - seconds) / NORMAL_95
    return MEDIAN_ERROR * deviation / math.sqrt(count or USUAL_BATCHES) / seconds


def rank_ordinal(first: int, second: int, holds: float = CONFIDENCE) -> int:
    """The same as ordinal() of the sorted ratios of two series (Mann-Whitney)."""
    if first * second > 400:    # the normal approximation, which is close there
        spread = math.sqrt(first * second * (first + second + 1) / 12)
        return max(0, math.floor(first * second / 2 - NORMAL.inv_cdf((1 + holds) / 2) * spread))
    # Number of arrangements with each statistic U: coefficients of the Gaussian binomial.
    counts = [1] + [0] * (first * second)
    for i in range(1, second + 1):
        for u in range(first * second, first + i - 1, -1):
            counts[u] -= counts[u - first - i]
        for u in range(i, first * second + 1):
            counts[u] += counts[u - i]
    outside, k, every = 0, 0, math.comb(first + second, first)
    while k <= first * second // 2:
        outside += 2 * counts[k]
        if outside > (1 - holds) * every:
            break
        k += 1
    return k


def student(freedom: int) -> float:
    """The quantile of Student's distribution for the two-sided interval (expansion of Cornish and Fisher; exact for 1, 2)."""
    if freedom == 1:
        return math.tan(math.pi * CONFIDENCE / 2)
    if freedom == 2:
        return CONFIDENCE * math.sqrt(2 / (1 - CONFIDENCE ** 2))
    z, v = Z, freedom
    return (z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v ** 2)
            + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * v ** 3)
            + (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * v ** 4))


def noise_of(*sides: Sequence[float]) -> Optional[float]:
    """Standard deviation of logarithms within the sides; None where every side has one."""
    freedom = sum(len(side) - 1 for side in sides)
    return math.sqrt(sum(len(side) * pvariance(side) for side in sides) / freedom) if freedom else None


def between_runs(runs: Sequence[Run]) -> Optional[float]:
    """What is left of the noise of several runs where that of their batches is taken out, relative."""
    if len(runs) < 2:
        return None
    return math.sqrt(max(0.0, variance(math.log(run.seconds) for run in runs) - fmean(run.batch_error ** 2 for run in runs)))


def thinned(values: Sequence[float]) -> Sequence[float]:
    """Every k-th of the sorted, where two series would give too many ratios."""
    step = math.ceil(len(values) / math.isqrt(MOST_RATIOS))
    return sorted(values)[step // 2::step]


def of_logarithms(found: Time, way: str, noise: Optional[float]) -> Ratio:
    return Ratio(math.exp(found.seconds), math.exp(found.low), math.exp(found.high), way, noise)


def ratio_of(before: Sequence[Run], after: Sequence[Run], paired: bool = False) -> Ratio:
    """Of two series that hold at least a run each; `paired`: the k-th of both were measured one after the other."""
    sides = [[math.log(run.seconds) for run in runs] for runs in (before, after)]
    if paired and len(before) == len(after) > 1:
        pairs = [b - a for a, b in zip(*sides)]
        spread = math.sqrt(variance(pairs) / 2)
        found = interval_of_median(pairs)
        if not ordinal(len(pairs)):
            reach = student(len(pairs) - 1) * spread * math.sqrt(2 / len(pairs))
            found = Time(fmean(pairs), fmean(pairs) - reach, fmean(pairs) + reach)
        return of_logarithms(found, "paired", spread)
    noise = noise_of(*sides)
    a, b = map(thinned, sides)
    k = rank_ordinal(len(a), len(b))
    if k:
        differences = sorted(y - x for x in a for y in b)
        found = Time(median(differences), differences[k - 1], differences[-k])
        return of_logarithms(found, "ranks", noise)
    middle = fmean(sides[1]) - fmean(sides[0])
    if noise is None:
        reach = Z * math.sqrt(2 * RUN_NOISE ** 2 + before[0].batch_error ** 2 + after[0].batch_error ** 2)
    else:
        # Equal times tell no noise: the batches of a run do.
        errors = fmean(run.batch_error ** 2 for run in (*before, *after))
        reach = (student(len(before) + len(after) - 2) * math.sqrt(max(noise ** 2, errors))
                 * math.sqrt(1 / len(before) + 1 / len(after)))
    way = "few" if noise is not None else "single"
    return of_logarithms(Time(middle, middle - reach, middle + reach), way, noise)


def verdict_of(ratio: Ratio) -> Verdict:
    return Verdict.SLOWER if ratio.low > 1 else Verdict.FASTER if ratio.high < 1 else Verdict.NOT_SHOWN


def runs_to_show(ratio: Ratio, have: int) -> Optional[int]:
    """How many more runs on either side would show a difference as large as this one, with probability POWER; None where
    no practical number would: the difference is within the noise."""
    difference = abs(math.log(ratio.value))
    noise = ratio.noise
    if noise is None:   # as the interval has it: between runs, and of their batches
        noise = math.log(ratio.high / ratio.value) / Z / math.sqrt(2)
    need = math.inf if not difference else 2 * ((Z + NORMAL.inv_cdf(POWER)) * noise / difference) ** 2
    if ratio.way == "paired":
        need *= math.pi / 2     # a median of pairs knows less than their mean
    return None if need > MOST_RUNS else max(1, max(4, math.ceil(need)) - have)


def alternate(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether runs at these times (ISO 8601) took turns: of every two successive ones one is of each side."""
    if len(before) != len(after) or len(before) < 2:
        return False
    turns = [side for _, side in sorted([*((time, 0) for time in before), *((time, 1) for time in after)])]
    return all(first != second for first, second in zip(turns[::2], turns[1::2]))
