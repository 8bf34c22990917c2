#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rowhalo_study.results.statistics on series whose answer is known: quantiles by tables, intervals by hand, false alarms and
misses counted over draws. --rates prints these counts for more kinds of noise."""
import math
import random
import sys
import unittest

from results import JOBS  # noqa: F401  (it knows the way to the package)

from rowhalo_study.results.statistics import (  # noqa: E402  pylint: disable=wrong-import-position
    Run, Verdict, alternate, batch_error, between_runs, interval_of_median, ordinal, rank_ordinal, ratio_of,
    runs_to_show, student, verdict_of)

DRAWS = 1000
KINDS = {   # logarithms of times with a deviation of about `noise`
    "normal": lambda one, noise: one.gauss(0, noise),
    "skewed": lambda one, noise: one.expovariate(1 / noise),
    "spikes": lambda one, noise: abs(one.gauss(0, noise)) * (5 if one.random() < 0.1 else 1)}


def runs(values):
    return [Run(value) for value in values]


def told_apart(one, kind, count, shift, noise=0.02, drift=0.0):
    """Share of draws of two series that are told apart; with a drift they take turns on a machine that changes."""
    found = 0
    for _ in range(DRAWS):
        base = [one.gauss(0, drift) for _ in range(count)]
        a, b = (runs(math.exp(at + move + KINDS[kind](one, noise)) for at in base) for move in (0, shift))
        found += verdict_of(ratio_of(a, b, paired=drift > 0)) is not Verdict.NOT_SHOWN
    return found / DRAWS


class Intervals(unittest.TestCase):
    def test_of_a_median(self):
        """By the binomial distribution."""
        for count in range(2, 120):
            low, high = interval_of_median(range(count))[1:]
            self.assertEqual(low + high, count - 1)
            holds = 1 - sum(math.comb(count, one) for one in range(low + 1)) / 2 ** (count - 1)
            self.assertEqual(holds >= 0.95, count >= 6, count)
            if count < 6:
                self.assertEqual((low, round(100 * holds)), (0, {2: 50, 3: 75, 4: 88, 5: 94}[count]))

    def test_ordinals_of_tables(self):
        """Of Mann and Whitney at 5 %, of the sign test at 5 %."""
        critical = {(3, 3): 0, (4, 4): 1, (5, 5): 3, (6, 6): 6, (8, 8): 14, (10, 10): 24, (3, 5): 1, (4, 7): 4}
        for sizes, k in critical.items():
            self.assertEqual(rank_ordinal(*sizes, 0.95), k, sizes)
            self.assertEqual(rank_ordinal(*reversed(sizes), 0.95), k, sizes)
        self.assertEqual([ordinal(count, 0.95) for count in (5, 6, 8, 9, 12, 20)], [0, 1, 1, 2, 3, 6])
        self.assertAlmostEqual(rank_ordinal(21, 21) / rank_ordinal(20, 20), 21 * 21 / (20 * 20), 1)

    def test_student(self):
        """Quantiles of 98 %, for CONFIDENCE = 0.96."""
        for freedom, value in ((1, 15.894), (2, 4.849), (3, 3.482), (5, 2.757), (10, 2.359), (30, 2.147)):
            self.assertAlmostEqual(student(freedom), value, delta=0.002 * value)

    def test_a_ratio_by_hand(self):
        found = ratio_of(runs([1.0, 1.1, 1.2, 1.3]), runs([2.0, 2.2, 2.4, 2.6]))
        self.assertEqual(found.way, "ranks")
        self.assertAlmostEqual(found.value, 2.0)
        self.assertAlmostEqual(found.low, 2.0 / 1.3)    # the first and the last of the 16 ratios
        self.assertAlmostEqual(found.high, 2.6)
        self.assertIs(verdict_of(found), Verdict.SLOWER)
        found = ratio_of(runs([1.0, 2.0, 4.0, 1.0, 2.0, 4.0, 3.0]), runs([1.1, 2.2, 4.4, 1.2, 2.4, 4.8, 3.3]), paired=True)
        self.assertEqual(found.way, "paired")
        for value, wanted in zip(found, (1.1, 1.1, 1.2)):
            self.assertAlmostEqual(value, wanted)
        found = ratio_of(runs([1.0]), runs([1.05]))
        self.assertEqual((found.way, found.noise, verdict_of(found)), ("single", None, Verdict.NOT_SHOWN))

    def test_noise_of_batches_and_between_runs(self):
        one = random.Random(7)
        batches = [one.gauss(1, 0.05) for _ in range(400)]
        self.assertAlmostEqual(batch_error(1.0, batches), 1.2533 * 0.05 / 20, delta=0.0006)
        self.assertEqual(batch_error(1.0, [1.0, 1.0, 1.0]), 0)
        series = [Run(math.exp(one.gauss(0, 0.04) + one.gauss(0, 0.03)), 0.03) for _ in range(2000)]
        self.assertAlmostEqual(between_runs(series), 0.04, delta=0.003)
        self.assertEqual(between_runs([Run(1.0, 0.1), Run(1.001, 0.1)]), 0)
        self.assertIsNone(between_runs([Run(1.0)]))

    def test_turns(self):
        self.assertTrue(alternate(["1", "4", "5"], ["2", "3", "6"]))
        self.assertFalse(alternate(["1", "2"], ["3", "4"]))
        self.assertFalse(alternate(["1"], ["2"]))


class Rates(unittest.TestCase):
    def test_false_alarms(self):
        one = random.Random(78)
        for kind in ("normal", "skewed"):
            for count in (1, 3, 4, 5, 8, 20):
                self.assertLessEqual(told_apart(one, kind, count, 0), 0.05, f"{kind}, {count} runs")
        for count in (3, 7, 12):
            self.assertLessEqual(told_apart(one, "normal", count, 0, drift=0.1), 0.05, f"pairs, {count} runs")

    def test_misses(self):
        """Of a difference of five deviations, and of one."""
        one = random.Random(79)
        self.assertGreaterEqual(told_apart(one, "normal", 5, 0.10), 0.99)
        self.assertGreaterEqual(told_apart(one, "normal", 20, 0.02), 0.70)
        self.assertLessEqual(told_apart(one, "normal", 5, 0.02), 0.35)

    def test_runs_that_are_suggested_show_it(self):
        one = random.Random(80)
        first = ratio_of(*(runs(math.exp(one.gauss(at, 0.02)) for _ in range(5)) for at in (0, 0.01)))
        more = runs_to_show(first._replace(value=1.02, noise=0.02), 5)
        self.assertGreater(told_apart(one, "normal", 5 + more, math.log(1.02)), 0.7)
        self.assertIsNone(runs_to_show(first._replace(value=1.0001, noise=0.02), 5))


def print_rates():
    one = random.Random(78)
    for kind in KINDS:
        for count in (1, 2, 3, 5, 8, 20):
            shares = [told_apart(one, kind, count, shift) for shift in (0, 0.02, 0.05, 0.10)]
            print(f"{kind:7} {count:3} runs: false alarms {shares[0]:.1%}; missed of 2, 5, 10 %: "
                  + ", ".join(f"{1 - share:.1%}" for share in shares[1:]))


if __name__ == "__main__":
    if sys.argv[1:] == ["--rates"]:
        print_rates()
    else:
        unittest.main()
