# SPDX-License-Identifier: BSD-3-Clause
"""From reports (JSON of `rowhalo run` and `kernels`) to the lines of results.csv, and back.

A line is one (point, repeat, case): of `run` one combination of format and transport, of `kernels`
one format with the faster of its two times. A value that was not measured is None, in CSV empty.
Phases, minimum and 95 % are there for the combination that the report describes closely.
"""
import csv
import io

TEXTS = ("study", "kind", "point", "status", "matrix", "device", "format", "boundary_format",
         "transport", "schedule", "partition", "precision", "y_hash", "version", "git", "hosts",
         "time")
COLUMNS = (
    "study", "kind", "point", "repeat", "status", "matrix", "rows", "nonzeros", "ranks", "nodes",
    "device", "format", "boundary_format", "transport", "graph", "schedule", "partition",
    "precision", "threads", "median_seconds", "min_seconds", "p95_seconds", "exposed_seconds",
    "pack_seconds", "exchange_seconds", "interior_seconds", "boundary_seconds", "gflops",
    "gbytes_per_second", "share_of_read_bandwidth", "halo_bytes", "halo_messages",
    "nonzero_imbalance", "setup_seconds", "max_error_ratio", "passed", "y_hash", "petsc_seconds",
    "version", "git", "hosts", "time", "bytes", "read_bandwidth_gbytes")


def section(report, name):
    return report.get(name) or {}


def unique(names):
    return list(dict.fromkeys(names))


def common(report, point, repeat):
    """What all lines of a report share. `point`: its point.json, or {}."""
    matrix, partition, halo = (section(report, name) for name in ("matrix", "partition", "halo"))
    kernel, source = section(report, "kernel"), section(report, "provenance")
    checked = section(report, "validation")
    setup = [value for name, value in section(report, "setup").items()
             if name in ("read_seconds", "partition_seconds", "plan_seconds", "convert_seconds",
                         "upload_seconds")]
    hosts = unique(source.get("hosts", []))
    return {
        **dict.fromkeys(COLUMNS),
        "study": point.get("study", ""), "kind": point.get("kind", ""),
        "point": point.get("name", ""), "repeat": repeat, "status": report["status"],
        "matrix": matrix.get("source"), "rows": matrix.get("rows"),
        "nonzeros": matrix.get("nonzeros"),
        "ranks": partition.get("ranks", len(source.get("hosts", [])) or 1),
        "nodes": partition.get("nodes", len(hosts) or 1),
        "device": "gpu" if report.get("bandwidth") else kernel.get("device", "cpu"),
        "boundary_format": kernel.get("boundary_format"), "schedule": halo.get("schedule"),
        "partition": partition.get("name"), "precision": kernel.get("precision")
        or point.get("precision") or word_after("--precision", report["argv"]) or "fp64",
        "threads": point.get("threads"), "halo_bytes": halo.get("bytes_total"),
        "halo_messages": halo.get("messages"), "nonzero_imbalance": partition.get("imbalance"),
        "setup_seconds": sum(setup), "petsc_seconds": checked.get("petsc_seconds"),
        "version": source.get("version"), "git": source.get("git"), "hosts": " ".join(hosts),
        "time": source.get("time")}


def word_after(option, words):
    return words[words.index(option) + 1] if option in words[:-1] else None


def described(report):
    """The columns of the combination that `run` describes closely."""
    timing, rates = section(report, "timing"), section(report, "performance")
    kernel, halo = section(report, "kernel"), section(report, "halo")
    checked = section(report, "validation")
    return {
        "format": kernel.get("format"), "transport": halo.get("transport"),
        "graph": halo.get("graph"), "bytes": kernel.get("bytes"),
        **{name: timing.get(name) for name in ("median_seconds", "min_seconds", "p95_seconds",
                                               "exposed_seconds")},
        **{f"{phase}_seconds": seconds for phase, seconds in section(timing, "phases").items()},
        **{name: rates.get(name) for name in ("gflops", "gbytes_per_second",
                                              "share_of_read_bandwidth", "read_bandwidth_gbytes")},
        **{name: checked.get(name) for name in ("max_error_ratio", "passed", "y_hash")}}


def of_case(case, best, nonzeros):
    """A combination of `all`; rates follow from the closely described one."""
    same = all(case[name] == best[name] for name in ("format", "transport", "graph",
                                                     "median_seconds"))
    line = dict(best) if same else {"read_bandwidth_gbytes": best["read_bandwidth_gbytes"]}
    line.update({name: case[name] for name in ("format", "transport", "graph", "median_seconds",
                                               "exposed_seconds", "max_error_ratio", "passed",
                                               "y_hash")})
    if case["median_seconds"] and not same:
        line["gflops"] = 2e-9 * nonzeros / case["median_seconds"]
        faster = best["median_seconds"] / case["median_seconds"]
        for name in ("gbytes_per_second", "share_of_read_bandwidth"):
            moves_the_same = name == "gbytes_per_second" or case["format"] == best["format"]
            line[name] = best[name] * faster if best[name] and moves_the_same else None
        line["bytes"] = best["bytes"] if case["format"] == best["format"] else None
    return line


def of_format(entry, read_bandwidth):
    times = {graph: entry[name] for graph, name in ((False, "seconds"), (True, "graph_seconds"))
             if entry.get(name) is not None}
    graph = min(times, key=times.get) if times else None
    return {"format": entry["name"], "graph": graph, "median_seconds": times.get(graph),
            **{name: entry[name] for name in ("bytes", "gflops", "gbytes_per_second",
                                              "share_of_read_bandwidth", "setup_seconds",
                                              "max_error_ratio", "passed", "y_hash")},
            "read_bandwidth_gbytes": read_bandwidth}


def rows_of(report, point=None, repeat=1):
    """Lines of results.csv; `point` is its point.json. Of what could not run, none."""
    shared = common(report, point or {}, repeat)
    if report["command"] == "kernels":
        read = section(report, "bandwidth").get("read")
        lines = [of_format(entry, read) for entry in report["formats"]]
    else:
        best = described(report)
        lines = [of_case(case, best, shared["nonzeros"]) for case in report["cases"]] or [best]
    return [{**shared, **line} for line in lines if line["median_seconds"] is not None]


def csv_text(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if value is None else value for name, value in row.items()})
    return text.getvalue()


def value_of(name, text):
    """A field of results.csv as what it was."""
    if text == "" or text is None:
        return "" if name in ("study", "kind", "point") else None
    if name in TEXTS:
        return text
    if text in ("True", "False"):
        return text == "True"
    try:
        return int(text)
    except ValueError:
        return float(text)


def read_csv(path):
    """Lines as rows_of gives them. ValueError or KeyError where it is no such file."""
    with open(path, encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = {"matrix", "ranks", "format", "median_seconds"} - set(reader.fieldnames or ())
        if missing:
            raise ValueError(f"has no column {sorted(missing)[0]}")
        return [{**dict.fromkeys(COLUMNS), **{name: value_of(name, text)
                                              for name, text in line.items() if name}}
                for line in reader]
