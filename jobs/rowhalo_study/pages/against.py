# SPDX-License-Identifier: BSD-3-Clause
"""Measured times beside others: what a machine file expects, an earlier result (compare/lines.py), a reference of another
machine (official/ratios.py)."""
from rowhalo_study.compare.lines import name_of, words_of
from rowhalo_study.official.rating import grouped_rows
from rowhalo_study.official.ratios import ratio_of, ratios
from rowhalo_study.official.sets import SOLVE
from rowhalo_study.pages.words import Section, Table, meta_of, ranks_text
from rowhalo_study.plots.style import device_name, four_digits, short_matrix
from rowhalo_study.results.data import fastest, grouped
from rowhalo_study.results.expected import summary, with_errors
from rowhalo_study.results.table import microseconds

LEADS = {
    "expected": "The time that the machine file lets expect beside the measured one. If the product takes longer than "
                "expected, look at the network, for a slow node or for a busy machine.",
    "earlier": "Time over the earlier time with its interval of 95 %: below 1 this result is faster. It is slower, or "
               "faster, if the whole interval is above, or below, 1; else it is not shown, and more runs may tell.",
    "reference": "Rates of this result beside those of the reference. A ratio above 1 means that "
                 "this machine is faster; per {rank}, both are divided by their numbers of ranks."}


def expected_section(data):
    rows = with_errors([row for row in data.rows if row["median_seconds"]])
    if not rows:
        return []
    table = Table(["matrix", "ranks", "format", "transport", "measured, µs", "expected, µs", "error"], [
        [short_matrix(row["matrix"]), row["ranks"], row["format"], row["transport"],
         microseconds(row["median_seconds"]), microseconds(row["expected_seconds"]),
         f"{row['expected_error']:+.1%}"] for row in rows], summary(rows), tuple(map(meta_of, rows)))
    return [Section("expected", "Expected beside measured", LEADS["expected"], (), (table,))]


def interval(one):
    """Of a Comparison or Ratio; a single report of `kernels` or `solve` tells no spread."""
    return f"{one.low:.3f} to {one.high:.3f}" if one.low < one.high else "unknown"


def earlier_section(outcome, draw):
    """`outcome` of compare.lines.outcome_of; `draw` gives the pictures of Comparisons."""
    lines = sorted(outcome.lines, key=lambda line: -line.ratio)
    cells = [[line.name, f"{line.before.seconds * 1e3:.5g}", f"{line.after.seconds * 1e3:.5g}",
              f"{line.ratio:.3f}", interval(line), words_of(line), "; ".join(line.changed)] for line in lines]
    cells += [[name_of(row), "", "", "", "", "wrong now", ""] for row in outcome.broken]
    note = ""
    for names, where in ((outcome.only_before, "the earlier"), (outcome.only_after, "this")):
        if names:
            note += f" Only in {where} result: {'; '.join(names[:3])}"
            note += f" and {len(names) - 3} more." if len(names) > 3 else "."
    table = Table(["", "earlier, ms", "this, ms", "ratio", "interval", "", "changed"], cells, note.strip())
    return Section("earlier", "Compared with an earlier result", LEADS["earlier"], draw(lines) if lines else (), (table,))


def reference_name(reference):
    """Machine and study of a reference."""
    first = next(iter(reference.values()))[0]
    devices = [device_name(name) for name in (first["devices"] or "").split("; ")]
    return f"{len(devices)} × {devices[0]}" if devices[0] else first["hosts"] or "reference", first


def same_problem(row, other):
    """By the fingerprint of the matrix, where both tell it."""
    known = row["fingerprint"] and other["fingerprint"]
    alike = row["fingerprint"] == other["fingerprint"] if known else row["matrix"] == other["matrix"]
    return alike and row["precision"] == other["precision"] and row["method"] == other["method"]


def reference_ratios(data, reference, official):
    """[(Ratio, rows of ours)], of an official result as rowhalo-study official has them."""
    if official:
        ours = grouped_rows(data.rows + data.solvers)
        return [(ratio, ours.get(ratio.name, [])) for ratio in ratios(ours, reference)]
    found = []
    usable = [row for row in data.rows + data.solvers if not row["petsc_solver"]
              and (row["gflops"] if row["method"] else row["gbytes_per_second"])]
    for (matrix, ranks, _, _), some in grouped(usable, "matrix", "ranks", "precision", "method").items():
        theirs = next((rows for rows in reference.values() if same_problem(some[0], rows[0])), None)
        if theirs:
            best = fastest(some)
            words = [short_matrix(matrix), some[0]["method"], ranks_text(ranks)]
            found.append((ratio_of(", ".join(filter(None, words)), best, theirs), best))
    return found


def reference_section(found, name, first, rank, draw):
    """`found` of reference_ratios; `draw` gives the pictures of Ratios."""
    cells = []
    for ratio, rows in found:
        unit = "GF/s" if bool(rows and rows[0]["method"]) or ratio.name == SOLVE else "GB/s"
        cells.append([ratio.name, four_digits(ratio.ours), four_digits(ratio.theirs), unit, f"{ratio.ratio:.3f}",
                      interval(ratio), f"{ratio.per_rank:.3f}"])
    note = (f"Reference: {first['study']}, {ranks_text(first['ranks'])} on {first['hosts']}, "
            f"{name}, rowhalo {first['version']} ({first['git']}), {first['time']}.")
    table = Table(["", "this", "reference", "unit", "ratio", "interval", f"ratio per {rank}"], cells, note,
                  tuple(meta_of(rows[0]) if rows else None for _, rows in found))
    return Section("reference", "Beside a reference", LEADS["reference"].format(rank=rank),
                   draw([ratio for ratio, _ in found]), (table,))
