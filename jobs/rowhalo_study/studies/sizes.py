# SPDX-License-Identifier: BSD-3-Clause
"""Weak sizes: the matrix of a template that has a fixed number of rows, or of CSR bytes, a rank.

A template is filled for a number of grid points g; rows and bytes grow in proportion to g but for
the boundary, so g is corrected by wanted over found until that is near enough, asking the program
for an outline each time. {n} is the cube root of g, {side} the square root, {rows} g itself,
{scale} its binary logarithm; {nx}, {ny}, {nz} are ranks laid out as a box near to a cube, times the
side of the cube of one rank, so that every rank's part has the same shape.
"""
import math
import re

CLOSE = 0.01
STEPS = 6


def box_of(ranks, axes):
    """Factors of `ranks` along the axes, as equal as can be, the largest last."""
    factors = [1] * axes
    primes, rest = [], ranks
    for prime in range(2, int(math.sqrt(ranks)) + 1):
        while rest % prime == 0:
            primes.append(prime)
            rest //= prime
    if rest > 1:
        primes.append(rest)
    for prime in sorted(primes, reverse=True):
        factors[factors.index(min(factors))] *= prime
    return sorted(factors)


def filled(template, points, ranks):
    """The template for about so many grid points."""
    axes = [name for name in ("nx", "ny", "nz") if f"{{{name}}}" in template]
    values = {
        "n": max(1, round(points ** (1 / 3))), "side": max(1, round(math.sqrt(points))),
        "rows": max(1, round(points)), "scale": max(1, round(math.log2(max(2, points)))),
    }
    if axes:
        side = max(1, round((points / ranks) ** (1 / len(axes))))
        values.update(zip(axes, (side * factor for factor in box_of(ranks, len(axes)))))
    return re.sub(r"\{(\w+)\}", lambda name: str(values[name[1]]), template)


def weak_matrix(study, template, ranks, precision, program):
    """The matrix nearest to the wanted size, and its size over the wanted one."""
    wanted = study.per_rank * ranks
    points, best, asked = 1000.0 * ranks, None, set()
    for _ in range(STEPS):
        matrix = filled(template, points, ranks)
        if matrix in asked:
            break
        asked.add(matrix)
        outline = program.outline(matrix, ranks, precision)
        found = outline.rows if study.unit == "rows" else outline.csr_bytes(precision)
        share = max(found, 1) / wanted
        if best is None or abs(math.log(share)) < abs(math.log(best[1])):
            best = matrix, share
        if abs(share - 1) < CLOSE:
            break
        points /= share
    return best
