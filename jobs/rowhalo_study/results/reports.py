# SPDX-License-Identifier: BSD-3-Clause
"""Reports of rowhalo: every field that jobs/ reads, with its kind and range (shape.py).

Names and types are those of io/report/report.schema.json. What else a report holds is dropped when it is
read. Reports of earlier versions lack some fields; those that end with ! are in all of them.
"""
from rowhalo_study.studies.shape import ANY_NUMBER, COUNT, NUMBER, SHARE, TEXT, TRUTH, WHOLE, kept, parse_json, summary

SPAN = {"min": NUMBER, "mean": NUMBER, "max": NUMBER}
GPU = {"host!": TEXT, "pci_id!": TEXT, "sm_clock_mhz": SPAN, "highest_sm_clock_mhz": NUMBER,
       "power_watts": SPAN, "power_limit_watts": NUMBER, "temperature_celsius": NUMBER,
       "throttling!": [{"reason!": TEXT, "share!": SHARE}]}
FORMAT = {
    "name!": TEXT, "seconds": NUMBER, "graph_seconds": NUMBER, "cold_seconds": NUMBER, "batches": WHOLE,
    "bytes": WHOLE, "footprint_bytes": WHOLE, "gflops": NUMBER, "gbytes_per_second": NUMBER,
    "share_of_read_bandwidth": NUMBER, "parameters": TEXT, "bytes_per_nonzero": NUMBER, "padding": NUMBER,
    "coalescing": SHARE, "balance": SHARE, "setup_seconds": NUMBER, "setup_products": NUMBER,
    "max_error_ratio": NUMBER, "y_hash": TEXT, "passed": TRUTH, "rows_unchecked": WHOLE, "reason": TEXT}
PETSC_SOLVER = {"name!": TEXT, "end": TEXT, "iterations": WHOLE, "iteration_seconds": NUMBER,
                "solve_seconds": NUMBER, "true_residual": NUMBER}
SOLVER = {
    "method!": TEXT, "preconditioner": TEXT, "norm!": TEXT, "tolerance!": NUMBER, "reproducible": TRUTH,
    "end!": TEXT, "passed!": TRUTH, "iterations": WHOLE, "first_norm": NUMBER, "last_norm": NUMBER,
    "true_residual": NUMBER, "error": NUMBER, "eigenvalue": ANY_NUMBER, "iteration_seconds": NUMBER,
    "solve_seconds": NUMBER, "execution": TEXT, "reduction_by": TEXT, "phases": {"*": NUMBER}, "bytes": WHOLE,
    "floor_seconds": NUMBER, "floor_share": NUMBER, "gflops": NUMBER, "x_hash": TEXT, "reason": TEXT,
    "norms": [NUMBER], "petsc": [PETSC_SOLVER]}
CASE = {"format!": TEXT, "transport!": TEXT, "graph!": TRUTH, "median_seconds": NUMBER,
        "exposed_seconds": NUMBER, "max_error_ratio": NUMBER, "y_hash": TEXT, "passed": TRUTH, "reason": TEXT}
PAIR_SIDE = {"format": TEXT, "transport": TEXT, "median_seconds": NUMBER, "validation": {"y_hash": TEXT}}
SYSTEM = {"cpu": TEXT, "sockets": WHOLE, "cores": WHOLE, "numa_domains": WHOLE, "memory_bytes": WHOLE,
          "kernel": TEXT, "driver": TEXT, "gpus": [{"name!": TEXT}], "links": [{"kind!": TEXT}],
          "fabric": [TEXT], "scheduler": TEXT}
REPORT = {
    "command!": TEXT, "argv!": [TEXT], "status!": TEXT, "verdict": TEXT,
    "provenance": {**dict.fromkeys(("version", "git", "compiler", "flags", "mpi", "cuda", "nccl", "petsc",
                                    "hdf5", "time"), TEXT), "hosts": [TEXT], "devices": [TEXT]},
    "system": SYSTEM,
    "matrix": {"source!": TEXT, "rows": WHOLE, "columns": WHOLE, "nonzeros": WHOLE, "block": COUNT,
               "fingerprint": TEXT, "row_length": {**SPAN, "stddev": NUMBER}},
    "partition": {"name": TEXT, "ranks": COUNT, "nodes": COUNT, "imbalance": NUMBER, "edge_cut": WHOLE},
    "halo": {"transport": TEXT, "graph": TRUTH, "schedule": TEXT, "neighbors": {"max": NUMBER},
             **dict.fromkeys(("messages", "bytes_total", "bytes_max_rank", "partial_sums", "boundary_rows",
                              "messages_between_nodes", "bytes_between_nodes"), WHOLE)},
    "kernel": {"format": TEXT, "boundary_format": TEXT, "parameters": TEXT, "device": TEXT, "precision": TEXT,
               "bytes": WHOLE, "footprint_bytes": WHOLE, "choice_products": NUMBER},
    "vectors": COUNT, "layout": TEXT, "setup": {"*": NUMBER},
    "memory": {"peak_bytes_max_rank": WHOLE, "device_bytes_max_rank": WHOLE},
    "wall": {"measure_seconds": NUMBER},
    "timing": {"batches": WHOLE, "iterations": WHOLE, "median_seconds": NUMBER, "min_seconds": NUMBER,
               "p95_seconds": NUMBER, "exposed_seconds": NUMBER, "seconds_per_vector": NUMBER, "phases": {"*": NUMBER}},
    "performance": dict.fromkeys(("gflops", "gbytes_per_second", "read_bandwidth_gbytes",
                                  "share_of_read_bandwidth"), NUMBER),
    "validation": {"against": TEXT, "passed": TRUTH, "max_error_ratio": NUMBER, "rows_checked": WHOLE,
                   "rows_unchecked": WHOLE, "y_hash": TEXT, "petsc_seconds": NUMBER},
    "pair": {**dict.fromkeys(("median_seconds", "time_ratio", "memory_ratio"), NUMBER), "transposed": PAIR_SIDE},
    "telemetry": {"gpus": [GPU], "energy_per_product_joules": NUMBER, "gflops_per_watt": NUMBER},
    "bandwidth": {"read": NUMBER, "copy": NUMBER, "triad": NUMBER},
    "expected": {"transport": TEXT, "seconds": NUMBER, "local_seconds": NUMBER, "exposed_seconds": NUMBER},
    "communication": {"partition!": TEXT, "ranks!": COUNT, "node_of_rank!": [WHOLE],
                      "flows!": [{"from!": WHOLE, "to!": WHOLE, "bytes!": COUNT}]},
    "formats": [FORMAT], "solvers": [SOLVER], "cases": [CASE]}
LISTS = {"run": "cases", "kernels": "formats", "solve": "solvers"}  # that a command always writes


class WrongReport(ValueError):
    """What is wrong with a report, in a line."""


def fields_of(value, wrong):
    """What the table knows of a report; see shape.kept."""
    report = kept(value, REPORT, wrong)
    name = LISTS.get((report or {}).get("command"))
    if name and report.get(name) is None and not wrong:
        wrong.append(f"{name} is missing")
    return report


def checked_report(value):
    """The same of a value of JSON in which all must be right."""
    wrong = []
    report = fields_of(value, wrong)
    if wrong:
        raise WrongReport(f"is not as `rowhalo` writes reports: {summary(wrong)}; make it again")
    return report


def read_report(path):
    """The report in a file of JSON; OSError where there is none."""
    content = path.read_bytes()
    try:
        value = parse_json(content)
    except ValueError as error:
        raise WrongReport(str(error)) from error
    if not isinstance(value, dict) or "command" not in value:
        raise WrongReport("is no report; make one with `rowhalo run --json FILE`")
    return checked_report(value)
