# SPDX-License-Identifier: BSD-3-Clause
"""The pictures that there are: name, title, function of (data, folder) that draws, what it shows."""
from rowhalo_study.plots import formats, product, ranks, scaling, solve

KINDS = {
    "strong": ("Strong scaling", scaling.strong, "time, speed-up and efficiency over ranks, one matrix per line"),
    "weak": ("Weak scaling", scaling.weak, "time and efficiency over ranks, sizes that grow with them"),
    "breakdown": ("Breakdown of a product", product.breakdown, "phases of a product: pack, exchange, interior, boundary"),
    "exposed": ("Exposed halo", scaling.exposed, "halo time that the interior does not hide"),
    "transports": ("Transports", product.transports, "product and exposed time of every transport"),
    "formats": ("Formats", formats.formats, "time of every format beside the vendors'"),
    "roofline": ("Roofline", formats.roofline, "rates under the measured bandwidths"),
    "communication": ("Communication matrix", ranks.communication, "who sends how much to whom"),
    "imbalance": ("Ranks beside each other", ranks.imbalance, "times and loads of every rank"),
    "solve-strong": ("Strong scaling of solvers", solve.strong, "time per iteration over ranks, one line per method"),
    "solve-weak": ("Weak scaling of solvers", solve.weak, "time per iteration over ranks, sizes that grow with them"),
    "solve-breakdown": ("Breakdown of an iteration", solve.breakdown, "phases of an iteration, efficiency, share of the floor"),
    "history": ("Residual histories", solve.history, "residual over iterations, one line per method"),
}
