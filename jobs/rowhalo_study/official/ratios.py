# SPDX-License-Identifier: BSD-3-Clause
"""An official result beside a reference: results.csv of another one (jobs/reference).

Above 1 this machine is faster. A matrix is compared by its rate, so that sets of other numbers of
nodes compare, too; the interval follows from the spread of the runs, as in rowhalo-study compare. The interval
of the rating is that of the harmonic mean of all lows and all highs, which is wider than needed.
"""
from typing import NamedTuple

from rowhalo_study.compare.lines import ratio_of_rows, time_of
from rowhalo_study.official.rating import grouped_rows, harmonic_mean, sustained
from rowhalo_study.official.sets import SOLVE
from rowhalo_study.plots.style import four_digits
from rowhalo_study.results.rows import read_csv
from rowhalo_study.studies.ini import WrongInput


class Ratio(NamedTuple):
    name: str
    ours: float         # GB/s, of the solver GF/s
    theirs: float
    ratio: float
    low: float
    high: float
    per_rank: float     # ratio of the rates per rank


def read_reference(path):
    """{point: lines}."""
    try:
        rows = read_csv(path)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise WrongInput(f"{path}: is no reference: {error}; use results.csv of an official result, or a "
                     "file of jobs/reference") from error
    groups = grouped_rows(rows)
    if not groups:
        raise WrongInput(f"{path}: is no reference: holds no line of a finished run")
    return groups


def rate_of(row):
    return row["gflops"] if row["method"] else row["gbytes_per_second"]


def timed(rows):
    """The lines of a point, and the work of a product in GB or GF."""
    rows = [{**(sustained(row) if row["method"] else row), "hdf5_path": None} for row in rows]
    return rows, rate_of(rows[0]) * rows[0]["median_seconds"], rows[0]["ranks"]


def ratio_of(name, ours, theirs):
    """Rates are work over time, so the ratio of rates is that of the other's time over ours."""
    (ours, our_work, our_ranks), (theirs, their_work, their_ranks) = timed(ours), timed(theirs)
    found, more = ratio_of_rows(ours, theirs), our_work / their_work
    return Ratio(name, our_work / time_of(ours).seconds, their_work / time_of(theirs).seconds, found.value * more,
                 found.low * more, found.high * more, found.value * more * their_ranks / our_ranks)


def ratios(ours, theirs):
    """Of all points that both have, and of the rating where both have all its matrices; the solver is
    the last line."""
    both = [ratio_of(name, rows, theirs[name]) for name, rows in ours.items() if name in theirs]
    products = [ratio for ratio in both if ratio.name != SOLVE]
    if products and {*ours} - {SOLVE} == {*theirs} - {SOLVE}:
        base = harmonic_mean([ratio.theirs for ratio in products])
        values = [harmonic_mean([getattr(ratio, key) * ratio.theirs for ratio in products]) / base
                  if all(getattr(ratio, key) > 0 for ratio in products) else 0.0
                  for key in ("ratio", "low", "high")]
        ranks = ours[products[0].name][0]["ranks"], theirs[products[0].name][0]["ranks"]
        products.append(Ratio("rating", values[0] * base, base, *values,
                              values[0] * ranks[1] / ranks[0]))
    return products + [ratio for ratio in both if ratio.name == SOLVE]


def lines_of(ours, theirs, path, rank):
    """As a person reads it."""
    found = ratios(ours, theirs)
    if not found:
        raise WrongInput(f"{path}: has no problem in common with this result")
    first = next(iter(theirs.values()))[0]
    yield (f"beside {path}: {first['study']}, {first['ranks']} ranks on {first['hosts']}, "
           f"{(first['devices'] or '').split(';')[0]}, {first['time']}")
    yield f"{'':12}{'this':>10}{'reference':>11}{'ratio':>8}  {'interval':15}{'per ' + rank:>8}"
    for ratio in found:
        known = ratio.low < ratio.high  # a single run of a solver does not tell its spread
        interval = f"{ratio.low:.3f} to {ratio.high:.3f}" if known else "unknown"
        unit = "GF/s" if ratio.name == SOLVE else "GB/s"
        yield (f"{ratio.name:12}{four_digits(ratio.ours):>10}{four_digits(ratio.theirs):>11}{ratio.ratio:8.3f}  "
               f"{interval:15}{ratio.per_rank:8.3f}  {unit}")
    for name, rows in ours.items():
        if name in theirs and rows[0]["ranks"] == theirs[name][0]["ranks"] and (
                rows[0]["fingerprint"] != theirs[name][0]["fingerprint"]):
            yield f"  warning: {name}: the reference has another matrix ({theirs[name][0]['matrix']})"
    ours_name = next(iter(ours.values()))[0]["study"]
    if first["study"] != ours_name:
        yield f"  warning: this is {ours_name}, the reference {first['study']}"
