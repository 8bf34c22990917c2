# SPDX-License-Identifier: BSD-3-Clause
"""Every figure that an official result rests on: its place in the files, its kind and its range (shape.py).

The rules (verdict.py) see what is left of a report under FIGURES and nothing else, so a rule about a figure
that is not in this table fails at once. What ends with ! must be there: without it a report does not count.
"""
from rowhalo_study.official.sets import DIVISIONS, MOST_NODES, SETS
from rowhalo_study.studies import plan
from rowhalo_study.studies.shape import COUNT, NUMBER, SHARE, TEXT, TRUTH, WHOLE

SECONDS = NUMBER.between(1e-12, 1e9)
FILLED = TEXT.matching(r"(?s).+")
RATE = NUMBER.between(1e-12, 1e18)      # GB/s, GF/s

OFFICIAL = {**plan.OFFICIAL, "set!": TEXT.one_of(*SETS), "division!": TEXT.one_of(*DIVISIONS),
            "nodes!": COUNT.between(1, MOST_NODES), "seconds!": NUMBER.between(1e-6, 1e6),
            "runs!": COUNT.between(1, 1000)}
PLAN = {"study!": plan.NAME, "official!": OFFICIAL,
        "points!": [{**plan.ASKED, "device!": TEXT.one_of("cpu", "gpu")}]}

GPU = {"host!": TEXT, "pci_id!": TEXT, "throttling!": [{"reason!": TEXT, "share!": SHARE}]}
COMMON = {
    "command!": TEXT, "argv!": [TEXT],
    "provenance!": {"version!": TEXT, "git!": TEXT, "compiler!": TEXT, "flags!": TEXT, "hosts!": [TEXT],
                    "devices!": [TEXT]},
    "matrix!": {"source!": FILLED, "rows!": COUNT, "columns!": COUNT, "nonzeros!": COUNT, "fingerprint!": TEXT},
    "partition!": {"ranks!": COUNT},
    "kernel!": {"format!": FILLED, "precision!": TEXT},
    "telemetry": {"gpus": [GPU]}}
SOLVER = {
    "method!": FILLED, "preconditioner!": TEXT, "passed!": TRUTH, "iterations!": COUNT, "first_norm!": NUMBER,
    "last_norm!": NUMBER, "true_residual!": NUMBER, "error!": NUMBER, "iteration_seconds!": SECONDS,
    "solve_seconds!": SECONDS, "gflops!": RATE}
FIGURES = {
    "run": {
        **COMMON, "cases!": [{}], "wall!": {"measure_seconds!": SECONDS},
        "timing!": {"median_seconds!": SECONDS, "min_seconds!": SECONDS, "p95_seconds!": SECONDS},
        "performance!": {"gbytes_per_second!": RATE, "gflops!": RATE},
        "validation!": {"against!": TEXT, "passed!": TRUTH, "max_error_ratio!": NUMBER, "rows_checked!": WHOLE,
                        "rows_unchecked!": WHOLE}},
    "solve": {**COMMON, "solvers!": [SOLVER]}}
