# SPDX-License-Identifier: BSD-3-Clause
"""The one table of results: from reports of `rowhalo run`, `kernels` and `solve` to its lines, to CSV
and back.

A line is one (point, repeat, case): of `run` one combination of format and transport, of `kernels`
one format with the faster of its two times, of `solve` one solver, and one of PETSc's beside it, with
the time per iteration. What could not run has a reason in place of a time.
Every line holds its provenance, so a CSV stands for the reports that it was made of. A value that
was not measured is None, in CSV empty. Phases, minimum and 95 % belong to the combination that the
report describes in detail. What the columns mean: NUMBERS.md.
"""
import csv
import math
import re
import shlex
from pathlib import Path

from rowhalo_study.names import csv_of
from rowhalo_study.studies.shape import ANY_NUMBER, COUNT, NUMBER, brief

COLUMNS = (
    "study", "kind", "point", "repeat", "status", "matrix", "rows", "nonzeros", "ranks", "nodes",
    "device", "format", "boundary_format", "transport", "graph", "schedule", "partition",
    "precision", "threads", "median_seconds", "min_seconds", "p95_seconds", "exposed_seconds",
    "pack_seconds", "exchange_seconds", "interior_seconds", "boundary_seconds", "gflops",
    "gbytes_per_second", "share_of_read_bandwidth", "halo_bytes", "halo_messages",
    "nonzero_imbalance", "setup_seconds", "max_error_ratio", "passed", "y_hash", "petsc_seconds",
    "version", "git", "hosts", "time", "bytes", "read_bandwidth_gbytes",
    "reason", "called_seconds", "graph_seconds", "cold_seconds", "batches", "iterations",
    "parameters", "footprint_bytes", "bytes_per_nonzero", "padding", "coalescing", "balance",
    "setup_products", "choice_products", "copy_bandwidth_gbytes", "triad_bandwidth_gbytes",
    "columns", "block", "fingerprint", "row_length_min", "row_length_mean", "row_length_max",
    "row_length_stddev", "edge_cut", "halo_neighbors_max", "halo_bytes_max_rank",
    "halo_messages_between_nodes", "halo_bytes_between_nodes", "boundary_rows",
    "peak_bytes_max_rank", "device_bytes_max_rank", "rows_checked", "rows_unchecked", "against",
    "verdict", "command_line", "devices", "compiler", "flags", "mpi", "cuda", "nccl", "petsc",
    "hdf5")
SOLVER_COLUMNS = (  # only in tables that hold a line of `solve`
    "method", "petsc_solver", "preconditioner", "norm", "tolerance", "reproducible", "end",
    "product_seconds", "vectors_seconds", "reductions_seconds", "solve_seconds", "floor_seconds",
    "floor_share", "execution", "reduction_by", "first_norm", "last_norm", "true_residual", "error",
    "eigenvalue", "x_hash")
EXPECTED_COLUMNS = (  # only in tables that hold a line of `run --machine`
    "expected_seconds", "expected_local_seconds", "expected_exposed_seconds", "expected_transport")
VECTOR_COLUMNS = ("vectors", "layout", "seconds_per_vector")  # only in tables that hold a line of several vectors
SUM_COLUMNS = ("partial_sums",)  # only in tables that hold a line with partial sums
PAIR_COLUMNS = (  # only in tables that hold a line of `run --pair`
    "pair_seconds", "pair_time_ratio", "pair_memory_ratio", "transposed_seconds",
    "transposed_format", "transposed_transport", "transposed_y_hash")
SWEPT_COLUMNS = ("swept",)  # only in tables of a study that sweeps other options than those with columns
ALL_COLUMNS = (COLUMNS + SOLVER_COLUMNS + EXPECTED_COLUMNS + SUM_COLUMNS + PAIR_COLUMNS + VECTOR_COLUMNS
               + SWEPT_COLUMNS)
SIGNED = ("eigenvalue", "error")  # the latter of a model in tables of rowhalo-study partitions
NEEDED = ("matrix", "ranks")
NEVER_NONE = ("study", "kind", "point")
TEXTS = NEVER_NONE + (
    "status", "matrix", "device", "format", "boundary_format", "transport", "schedule", "partition",
    "precision", "y_hash", "version", "git", "hosts", "time", "reason", "parameters", "fingerprint",
    "against", "verdict", "command_line", "devices", "compiler", "flags", "mpi", "cuda", "nccl",
    "petsc", "hdf5", "method", "petsc_solver", "preconditioner", "norm", "end", "execution",
    "reduction_by", "x_hash", "expected_transport", "transposed_format", "transposed_transport",
    "transposed_y_hash", "layout", "swept")
# Of the columns of a format under `kernels`, those with the name that the report gives them.
OF_FORMAT = ("bytes", "gflops", "gbytes_per_second", "share_of_read_bandwidth", "setup_seconds",
             "max_error_ratio", "passed", "y_hash", "reason", "graph_seconds", "cold_seconds",
             "batches", "parameters", "footprint_bytes", "bytes_per_nonzero", "padding",
             "coalescing", "balance", "setup_products", "rows_unchecked")
# What was asked for of a solver; further columns with the name that the report gives them.
SOLVER_CHOICE = ("method", "preconditioner", "norm", "reproducible")
OF_OPERATOR = ("format", "transport", "graph", "footprint_bytes", "choice_products")
OF_SOLVER = ("tolerance", "end", "passed", "iterations", "solve_seconds", "gflops", "bytes",
             "floor_seconds", "floor_share", "execution", "reduction_by", "first_norm", "last_norm",
             "true_residual", "error", "eigenvalue", "x_hash")
OF_PETSC = ("end", "iterations", "solve_seconds", "true_residual")
OF_CASE = ("format", "transport", "graph", "median_seconds", "exposed_seconds", "max_error_ratio",
           "passed", "y_hash", "reason")
# Words of a command line that change nothing measured, and how many words they take.
OUTPUTS = {"--json": 2, "--csv": 2, "--hdf5": 2, "--save-y": 2, "--save-x": 2, "--history": 2,
           "--trace": 2, "--machine": 2, "--color": 2, "--quiet": 1, "--no-progress": 1, "--explain": 1}
DIGITS = 9  # of a number in CSV: more than a clock resolves


def section(report, name):
    return report.get(name) or {}


def unique(names):
    return list(dict.fromkeys(names))


def without_empty(line):
    return {name: None if value == "" and name not in NEVER_NONE else value
            for name, value in line.items()}


def words_of(report):
    """What was asked for: argv without outputs and machine file, and of `kernels` without the list of
    formats, which the lines of the report give."""
    left_out = {**OUTPUTS, "--format": 2} if report["command"] == "kernels" else OUTPUTS
    words = report["argv"]
    kept, at = [Path(word).name for word in words[:1]], 1  # no path of a machine
    while at < len(words):
        name, equals, _ = words[at].partition("=")
        if name in left_out:
            at += 1 if equals else left_out[name]
        else:
            kept.append(words[at])
            at += 1
    return kept


def command_line_of(report):
    kept = words_of(report)
    return shlex.join(kept)


def provenance(report):
    source = section(report, "provenance")
    return {"command_line": command_line_of(report), "verdict": report.get("verdict"),
            "hosts": " ".join(unique(source.get("hosts") or [])),
            "devices": "; ".join(source.get("devices") or []),
            **{name: source.get(name) for name in ("version", "git", "time", "compiler", "flags",
                                                   "mpi", "cuda", "nccl", "petsc", "hdf5")}}


def of_matrix(report):
    matrix = section(report, "matrix")
    lengths = section(matrix, "row_length")
    return {"matrix": matrix.get("source"),
            **{name: matrix.get(name) for name in ("rows", "columns", "nonzeros", "block",
                                                   "fingerprint")},
            **{f"row_length_{name}": lengths.get(name) for name in ("min", "mean", "max", "stddev")}}


def of_ranks(report):
    """Partition and halo, which all combinations share, and memory."""
    partition, halo, memory = (section(report, name) for name in ("partition", "halo", "memory"))
    hosts = section(report, "provenance").get("hosts") or []
    return {
        "ranks": partition.get("ranks") or len(hosts) or 1,
        "nodes": partition.get("nodes") or len(unique(hosts)) or 1,
        "partition": partition.get("name"), "nonzero_imbalance": partition.get("imbalance"),
        "edge_cut": partition.get("edge_cut"), "schedule": halo.get("schedule"),
        "halo_bytes": halo.get("bytes_total"), "halo_messages": halo.get("messages"),
        "halo_neighbors_max": section(halo, "neighbors").get("max"),
        "halo_bytes_max_rank": halo.get("bytes_max_rank"),
        "halo_messages_between_nodes": halo.get("messages_between_nodes"),
        "halo_bytes_between_nodes": halo.get("bytes_between_nodes"),
        "boundary_rows": halo.get("boundary_rows"), "partial_sums": halo.get("partial_sums"),
        **{name: memory.get(name) for name in ("peak_bytes_max_rank", "device_bytes_max_rank")}}


def common(report, point, repeat):
    """What all lines of a report share. `point`: its point.json, or {}."""
    kernel, checked = section(report, "kernel"), section(report, "validation")
    bandwidth = section(report, "bandwidth")
    setup = [value or 0 for name, value in section(report, "setup").items()
             if name in ("read_seconds", "partition_seconds", "plan_seconds", "convert_seconds",
                         "upload_seconds")]
    return {
        **dict.fromkeys(ALL_COLUMNS), **of_matrix(report), **of_ranks(report), **provenance(report),
        "study": point.get("study", ""), "kind": point.get("kind", ""),
        "point": point.get("name", ""), "repeat": repeat, "status": report["status"], "swept": point.get("swept") or None,
        "device": "gpu" if bandwidth else kernel.get("device", "cpu"),
        "boundary_format": kernel.get("boundary_format"), "precision": kernel.get("precision")
        or point.get("precision") or word_after("--precision", report["argv"]) or "fp64",
        "threads": point.get("threads"), "vectors": report.get("vectors"), "layout": report.get("layout"),
        "setup_seconds": math.fsum(setup),
        "petsc_seconds": checked.get("petsc_seconds"),
        # Reports of `kernels` have no section "validation".
        "against": checked.get("against") or word_after("--validate", report["argv"]),
        "read_bandwidth_gbytes": bandwidth.get("read"),
        "copy_bandwidth_gbytes": bandwidth.get("copy"),
        "triad_bandwidth_gbytes": bandwidth.get("triad")}


def word_after(option, words):
    """The value of an option, None where it is not there."""
    for place, word in enumerate(words):
        if word == option and place + 1 < len(words):
            return words[place + 1]
        if word.startswith(f"{option}="):
            return word[len(option) + 1:]
    return None


def described(report):
    """The columns of the combination that `run` describes in detail."""
    timing, rates = section(report, "timing"), section(report, "performance")
    kernel, halo = section(report, "kernel"), section(report, "halo")
    checked, expected = section(report, "validation"), section(report, "expected")
    pair = section(report, "pair")
    transposed = section(pair, "transposed")
    return {
        "format": kernel.get("format"), "transport": halo.get("transport"),
        "graph": halo.get("graph"),
        **{name: kernel.get(name) for name in ("bytes", "footprint_bytes", "choice_products", "parameters")},
        **{name: timing.get(name) for name in ("median_seconds", "min_seconds", "p95_seconds",
                                               "exposed_seconds", "batches", "iterations",
                                               "seconds_per_vector")},
        **{f"{phase}_seconds": seconds for phase, seconds in section(timing, "phases").items()},
        **{name: rates.get(name) for name in ("gflops", "gbytes_per_second",
                                              "share_of_read_bandwidth", "read_bandwidth_gbytes")},
        **{name: checked.get(name) for name in ("max_error_ratio", "passed", "y_hash",
                                                "rows_checked", "rows_unchecked")},
        **{f"expected_{name}": expected.get(name) for name in ("seconds", "local_seconds",
                                                               "exposed_seconds", "transport")},
        "pair_seconds": pair.get("median_seconds"),
        **{f"pair_{name}": pair.get(name) for name in ("time_ratio", "memory_ratio")},
        "transposed_seconds": transposed.get("median_seconds"),
        **{f"transposed_{name}": transposed.get(name) for name in ("format", "transport")},
        "transposed_y_hash": section(transposed, "validation").get("y_hash")}


def of_case(case, best, nonzeros):
    """A combination of `all`; rates follow from the one that is described in detail."""
    same = all(case.get(name) == best[name] for name in ("format", "transport", "graph",
                                                     "median_seconds"))
    line = dict(best) if same else {"read_bandwidth_gbytes": best["read_bandwidth_gbytes"]}
    line.update({name: case.get(name) for name in OF_CASE})
    if case.get("median_seconds") and best["median_seconds"] and nonzeros is not None and not same:
        line["gflops"] = 2e-9 * nonzeros / case["median_seconds"]
        faster = best["median_seconds"] / case["median_seconds"]
        for name in ("gbytes_per_second", "share_of_read_bandwidth"):
            moves_the_same = name == "gbytes_per_second" or case["format"] == best["format"]
            line[name] = best[name] * faster if best[name] and moves_the_same else None
        line["bytes"] = best["bytes"] if case["format"] == best["format"] else None
    return line


def of_format(entry):
    times = {graph: entry[name] for graph, name in ((False, "seconds"), (True, "graph_seconds"))
             if entry.get(name) is not None}
    if not times:  # refused: the report's other figures are zeros
        return {"format": entry["name"], "median_seconds": None, "reason": entry.get("reason")}
    graph = min(times, key=times.get)
    return {"format": entry["name"], "graph": graph, "median_seconds": times[graph],
            "called_seconds": entry.get("seconds"),
            **{name: entry.get(name) for name in OF_FORMAT}}


def of_solver(solver, best):
    """A solver on the operator that `best` describes, then PETSc's with their own product on the CPU.
    The time is that of an iteration, and `exposed_seconds` a part of its products."""
    chosen = {name: solver.get(name) for name in SOLVER_CHOICE}
    if solver.get("iteration_seconds") is None:
        yield {**chosen, "end": solver["end"], "passed": solver["passed"], "median_seconds": None,
               "reason": solver.get("reason") or solver["end"]}
    else:
        phases = section(solver, "phases")
        yield {**chosen, **{name: best[name] for name in OF_OPERATOR},
               **{name: solver.get(name) for name in OF_SOLVER},
               **{f"{name}_seconds": phases.get(name) for name in ("product", "vectors",
                                                                   "reductions")},
               "median_seconds": solver["iteration_seconds"],
               "exposed_seconds": phases.get("exposed_halo"),
               "reason": solver.get("reason") or None}
    for theirs in solver.get("petsc") or []:
        yield {**chosen, **{name: theirs.get(name) for name in OF_PETSC}, "device": "cpu",
               "boundary_format": None, "schedule": None, "petsc_solver": theirs["name"],
               "median_seconds": theirs.get("iteration_seconds")}


def solver_name(row):
    """As the program's table says it; empty for a product."""
    return f"petsc {row['petsc_solver']}" if row["petsc_solver"] else row["method"] or ""


def rows_of(report, point=None, repeat=1):
    """Lines of the table; `point` is its point.json. Of what ended before a time, none."""
    shared = common(report, point or {}, repeat)
    if report["command"] == "kernels":
        lines = [of_format(entry) for entry in report["formats"]]
    elif report["command"] == "solve":
        best = described(report)
        lines = [line for solver in report["solvers"] for line in of_solver(solver, best)]
    else:
        best = described(report)
        lines = [of_case(case, best, shared["nonzeros"]) for case in report["cases"]] or [best]
    for line in lines:
        if shared["against"] == "none" and line.get("passed"):  # there only nothing failed
            line.update(passed=None, max_error_ratio=None)
    return [without_empty({**shared, **line}) for line in lines
            if line["median_seconds"] is not None or line.get("reason")]


def columns_of(rows):
    """Of a table with these lines; it is not widened by what none of them can have."""
    return (COLUMNS + (SOLVER_COLUMNS if any(row.get("method") for row in rows) else ())
            + (EXPECTED_COLUMNS if any(row.get("expected_seconds") for row in rows) else ())
            + (SUM_COLUMNS if any(row.get("partial_sums") for row in rows) else ())
            + (PAIR_COLUMNS if any(row.get("pair_seconds") for row in rows) else ())
            + (VECTOR_COLUMNS if any((row.get("vectors") or 1) > 1 for row in rows) else ())
            + (SWEPT_COLUMNS if any(row.get("swept") for row in rows) else ()))


def text_of(value):
    if value is None:
        return ""
    return f"{value:.{DIGITS}g}" if isinstance(value, float) else value


def as_in_csv(row):
    """With the digits that CSV keeps, so that what is derived from it is the same as from a file."""
    return {name: float(text_of(value)) if isinstance(value, float) else value
            for name, value in row.items()}


def csv_text(rows, columns=None):
    columns = columns or columns_of(rows)
    return csv_of(columns, ({name: text_of(row.get(name)) for name in columns} for row in rows))


def kind_of(name):
    """Of a column that is no text."""
    if name in ("ranks", "nodes", "threads", "repeat"):
        return COUNT
    return NUMBER if name in ALL_COLUMNS and name not in SIGNED else ANY_NUMBER


def value_of(name, text, texts):
    """A field of a CSV as what it was."""
    if text == "" or text is None:
        if name in NEEDED:
            raise ValueError(f"{name} is missing")
        return "" if name in NEVER_NONE else None
    if name in texts:
        return text
    if text in ("True", "False"):
        return text == "True"
    try:
        value = int(text) if re.fullmatch(r"-?\d{1,18}", text) else float(text)
    except ValueError:
        value = text
    if not kind_of(name).fits(value):
        raise ValueError(f"{name} is {brief(text)}, not {kind_of(name).wanted()}")
    return value


def read_csv(path, texts=(), numbers=()):
    """Lines as rows_of gives them, but for digits beyond DIGITS; `texts`, `numbers`: further columns.
    ValueError where it is no such file."""
    texts = {*TEXTS, *texts}
    with open(path, encoding="utf-8", newline="") as file:
        reader, rows = csv.DictReader(file), []
        try:
            missing = {*NEEDED, "format", "median_seconds"} - set(reader.fieldnames or ())
            if missing:
                raise ValueError(f"has no column {sorted(missing)[0]}")
            known = [name for name in reader.fieldnames if name in {*ALL_COLUMNS, *texts, *numbers}]
            for line in reader:
                rows.append({**dict.fromkeys(ALL_COLUMNS), **{name: value_of(name, line[name], texts)
                                                              for name in known}})
        except (csv.Error, ValueError) as error:
            raise ValueError(f"line {reader.line_num}: {error}" if reader.line_num > 1 else str(error)) from error
        return rows
