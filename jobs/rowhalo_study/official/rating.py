# SPDX-License-Identifier: BSD-3-Clause
"""Figures of an official result, from its files alone: {name in the folder: bytes}.

Rating: the harmonic mean over the matrices of their median GB/s (bytes of CSR), in all and per rank,
which is per GPU where there are GPUs. The solver's rate is sustained: operations of all iterations
over the time from the first to the last. What the figures mean: RULES.md.
"""
import re
import statistics
from typing import NamedTuple

from rowhalo_study.official.figures import FIGURES, PLAN
from rowhalo_study.official.sets import SOLVE, wanted_points
from rowhalo_study.official.verdict import Findings, judge
from rowhalo_study.plots.style import device_name, four_digits
from rowhalo_study.results.reports import fields_of
from rowhalo_study.results.rows import csv_text, rows_of, section, unique
from rowhalo_study.studies.plan import BEFORE
from rowhalo_study.studies.points import plural
from rowhalo_study.studies.shape import kept, parse_json, summary

PROVENANCE = ("version", "git", "compiler", "flags", "mpi", "cuda", "nccl", "petsc", "hdf5")


class Broken(Exception):
    """What is wrong with the files of a result."""


class Evidence(NamedTuple):
    """What the files hold, each checked against its shape."""
    plan: dict
    before: list        # of before.json
    reports: dict       # {point: {run: report}}; None in place of one that is not as rowhalo writes them
    figures: dict       # {point: {run: what the rules see}}; of the reports that are complete
    flaws: dict         # {(point, run): lines}, what is wrong with its report, and what is missing in it
    markers: dict       # {point: text of its marker `error`}
    files: dict


def parsed(files, name):
    try:
        return parse_json(files[name])
    except ValueError as error:
        raise Broken(f"{name}: {error}") from error


def parsed_as(shape, files, name):
    wrong = []
    found = kept(parsed(files, name), shape, wrong)
    if wrong:
        raise Broken(f"{name}: {summary(wrong)}")
    return found


def plan_of(files):
    if "plan.json" not in files:
        raise Broken("holds no plan.json: not the folder or bundle of an official result")
    said = parsed(files, "plan.json")
    if isinstance(said, dict) and "official" not in said:
        raise Broken("plan.json is that of a study, not of an official result; use rowhalo-study")
    plan = parsed_as(PLAN, files, "plan.json")
    names = [point["name"] for point in plan["points"]]
    if not names or len(set(names)) < len(names):
        raise Broken("plan.json: points is empty, or names one twice")
    return plan


def evidence_of(files):
    plan = plan_of(files)
    before = parsed_as(BEFORE, files, "before.json") if "before.json" in files else []
    evidence = Evidence(plan, before, {}, {}, {}, {}, files)
    for point in plan["points"]:
        name, place = point["name"], f"points/{point['name']}/"
        evidence.reports[name], evidence.figures[name] = {}, {}
        for run in range(1, plan["official"]["runs"] + 1):
            if f"{place}result-{run}.json" in files:
                add_report(evidence, point, run, parsed(files, f"{place}result-{run}.json"))
        if f"{place}error" in files:
            evidence.markers[name] = files[f"{place}error"].decode(errors="replace")
    return evidence


def add_report(evidence, point, run, said):
    """A report, and its figures if none that counts is missing."""
    wrong, name = [], point["name"]
    report = fields_of(said, wrong)
    evidence.reports[name][run] = None if wrong else report
    if not wrong:
        figures = kept(report, FIGURES.get(point["command"], FIGURES["run"]), wrong)
    if wrong:
        evidence.flaws[name, run] = wrong
    else:
        evidence.figures[name][run] = figures


def rows_of_result(evidence):
    """Lines of the table of results, as rowhalo-study has them; of the solver with its sustained rate."""
    for point in evidence.plan["points"]:
        for run, report in evidence.reports[point["name"]].items():
            if report:
                yield from rows_of(report, point, run)


def table_of(evidence):
    """results.csv, which rowhalo-study compare and --reference read."""
    return csv_text(list(rows_of_result(evidence)))


def counted_rows(evidence):
    """{point: its lines that hold a time}, of complete reports."""
    return grouped_rows(row for row in rows_of_result(evidence) if row["repeat"] in evidence.figures[row["point"]])


def sustained(row):
    """A solver's line with the time and the rate of all iterations in the place of the median's."""
    if not row["solve_seconds"] or not row["iterations"]:
        return row
    seconds = row["solve_seconds"] / row["iterations"]
    return {**row, "gflops": row["gflops"] * row["median_seconds"] / seconds,
            "median_seconds": seconds, "min_seconds": None, "p95_seconds": None}


def spread(values):
    """Minimum, quartiles and maximum over the runs of a matrix; of two runs or one no quartiles."""
    quartiles = (statistics.quantiles(values, n=4, method="inclusive") if len(values) > 2
                 else [None, statistics.median(values), None])
    return dict(zip(("min", "first_quartile", "median", "third_quartile", "max"),
                    [min(values), *quartiles, max(values)]))


def of_one_run(row):
    """Of a single run the batches show the spread: the fastest, and the slowest twentieth."""
    rate, seconds = row["gbytes_per_second"], row["median_seconds"]
    return {"min": rate * seconds / row["p95_seconds"], "first_quartile": None, "median": rate,
            "third_quartile": None, "max": rate * seconds / row["min_seconds"]}


def of_matrix(name, rows):
    first = rows[0]
    rates = [row["gbytes_per_second"] for row in rows]
    figures = of_one_run(first) if len(rows) == 1 else spread(rates)
    return {"name": name, "matrix": first["matrix"], "nonzeros": first["nonzeros"],
            "fingerprint": first["fingerprint"], "ranks": first["ranks"], "runs": len(rows),
            "formats": unique(row["format"] for row in rows),
            "transports": unique(row["transport"] for row in rows),
            "gbytes_per_second": figures,
            "gbytes_per_second_per_rank": figures["median"] / first["ranks"]}


def of_solver(rows):
    rows = [sustained(row) for row in rows]
    figures = spread([row["gflops"] for row in rows])
    return {"matrix": rows[0]["matrix"], "method": rows[0]["method"], "runs": len(rows),
            "iterations": rows[0]["iterations"], "gflops": figures,
            "gflops_per_rank": figures["median"] / rows[0]["ranks"]}


def grouped_rows(rows):
    """{point: its lines that hold a time}."""
    groups = {}
    for row in rows:
        if row["median_seconds"] and (row["gflops"] if row["method"] else row["gbytes_per_second"]):
            groups.setdefault(row["point"], []).append(row)
    return groups


def harmonic_mean(values):
    return len(values) / sum(1 / value for value in values)


def system_of(evidence):
    """What ran where, as the reports say."""
    reports = [report for runs in evidence.reports.values() for report in runs.values() if report]
    if not reports:
        return {}
    source = section(reports[0], "provenance")
    devices = [device_name(device).split(",")[0] for device in source.get("devices") or []]
    processor = re.search(rb"^Model name:\s*(.*)", b"\n".join(
        text for name, text in evidence.files.items() if name.endswith("provenance/cpu.txt")), re.MULTILINE)
    return {"hosts": unique(source.get("hosts") or []), "ranks": len(source.get("hosts") or []),
            "devices": {name: devices.count(name) for name in unique(devices)},
            "processor": processor[1].decode(errors="replace").strip() if processor else None,
            "time": source.get("time"), **{name: source.get(name) for name in PROVENANCE}}


def assess(files):
    """All that is concluded from the files of a result; what rating.json holds."""
    evidence = evidence_of(files)
    official, findings = evidence.plan["official"], Findings()
    judge(evidence, findings)
    rows = counted_rows(evidence)
    names = [wanted.name for wanted in wanted_points(official) if wanted.name != SOLVE]
    matrices = [of_matrix(name, rows[name]) for name in names if name in rows]
    rating = None
    if len(matrices) == len(names):
        rating = {
            "gbytes_per_second": harmonic_mean([matrix["gbytes_per_second"]["median"]
                                                for matrix in matrices]),
            "gbytes_per_second_per_rank": harmonic_mean([matrix["gbytes_per_second_per_rank"]
                                                         for matrix in matrices])}
    device = evidence.plan["points"][0]["device"]
    return {"schema_version": 1, "name": evidence.plan["study"], "official": official,
            "rank": "GPU" if device == "gpu" else "rank", **findings.verdict(official["rehearsal"]),
            "system": system_of(evidence), "matrices": matrices, "rating": rating,
            "solve": of_solver(rows[SOLVE]) if SOLVE in rows else None}


def figure(value, width=9):
    return f"{'-' if value is None else four_digits(value):>{width}}"


def lines_of(result):
    """The result as a person reads it."""
    official, system = result["official"], result["system"]
    yield (f"{result['name']}: set {official['set']} (version {official['version']}), division "
           f"{official['division']}")
    if system:
        counted = ", ".join(f"{count} x {name}" for name, count in system["devices"].items())
        where = f"{plural(system['ranks'], 'rank')} on {plural(len(system['hosts']), 'node')}"
        yield (f"{where} ({counted}), processor {system['processor'] or 'unknown'}, rowhalo "
               f"{system['version']} ({system['git']})")
    yield ""
    yield (f"{'GB/s':12}" + "".join(f"{head:>9}" for head in ("min", "25 %", "median", "75 %", "max"))
           + f"{'per ' + result['rank']:>12}  format, transport")
    for matrix in result["matrices"]:
        rates = matrix["gbytes_per_second"]
        yield (f"{matrix['name']:12}" + "".join(map(figure, rates.values()))
               + figure(matrix["gbytes_per_second_per_rank"], 12)
               + f"  {'/'.join(map(str, matrix['formats']))}, {'/'.join(map(str, matrix['transports']))}")
    if result["matrices"]:
        runs = result["matrices"][0]["runs"]
        yield (f"(over {runs} runs each)" if runs > 1 else
               "(one run each: min is the slowest twentieth of its batches, max the fastest batch)")
    yield ""
    rating, solve = result["rating"], result["solve"]
    if rating:
        yield (f"rating (harmonic mean): {four_digits(rating['gbytes_per_second'])} GB/s, "
               f"{four_digits(rating['gbytes_per_second_per_rank'])} GB/s per {result['rank']}")
    if solve:
        yield (f"sustained CG on {solve['matrix'].partition(':')[0]}: "
               f"{four_digits(solve['gflops']['median'])} GF/s, "
               f"{four_digits(solve['gflops_per_rank'])} GF/s per {result['rank']}")
    yield f"verdict: {result['verdict']}"
    for reason in result["reasons"]:
        yield f"  reason: {reason}"
    for warning in result["warnings"]:
        yield f"  warning: {warning}"
