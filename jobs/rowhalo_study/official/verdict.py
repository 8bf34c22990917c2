# SPDX-License-Identifier: BSD-3-Clause
"""Is a result official? Every reason against it, and apart from them what a reader should know.

Judged from files alone, so that another machine comes to the same verdict. What cannot be known is a
warning, not a reason. A rehearsal is never official: its reasons are wrong or missing figures only,
and what would make an official result invalid is a warning.
"""
import math
import re

from rowhalo_study.official.sets import METHOD, PRECONDITIONER, SETS, SOLVE, VERSION, name_of, official_of, wanted_points
from rowhalo_study.results.rows import section, unique, words_of
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.points import plural
from rowhalo_study.studies.shape import brief

# Reasons for which a GPU's clock is held down (telemetry.gpus[].throttling), and from which share of
# the samples on they count.
FAULTS = ("thermal slowdown", "hardware slowdown", "hardware thermal slowdown", "power brake")
LEAST_SHARE = 0.01
MOST_BUSY_CORES = 0.5       # of other processes before the start, or this share of all cores:
MOST_BUSY_SHARE = 0.01
SAME_FIGURE = 1e-6          # relative; rates follow from counts and times in the same report
MOST_DRIFT = 100            # of b - A x from the recurrence of CG, as in miniapp/commands/solve.cpp:
LEAST_RESIDUAL = 1e-13      # below, rounding errors are all that is left of it
MOST_ERROR = 100            # of x, over the most that |b - A x| over |b| may be
MOST_LETTERS = 400          # of a reason
CSR_ENTRY, CSR_ROW, VECTOR = 12, 4, 8   # bytes, fp64


class Findings:
    """Texts, each with the places that it holds for."""

    def __init__(self):
        self.wrong, self.unfit, self.notes = {}, {}, {}

    @staticmethod
    def lines(kind):
        return [f"{text}: {', '.join(unique(places))}" if any(places) else text
                for text, places in kind.items()]

    def add(self, kind, text, place=""):
        """Words of a report may be of any length."""
        text = text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."
        getattr(self, kind).setdefault(text, []).append(place)

    def verdict(self, rehearsal):
        wrong, unfit, notes = map(self.lines, (self.wrong, self.unfit, self.notes))
        if rehearsal:
            would = [f"an official result would be INVALID: {line}" for line in unfit]
            return {"verdict": "INVALID" if wrong else "REHEARSAL", "reasons": wrong,
                    "warnings": would + notes}
        return {"verdict": "INVALID" if wrong or unfit else "VALID", "reasons": wrong + unfit,
                "warnings": notes}


def judge(evidence, findings):
    """All checks, each a function below."""
    judge_set(evidence, findings)
    judge_layout(evidence, findings)
    judge_sharing(evidence, findings)
    for point in evidence.plan["points"]:
        judge_point(point, evidence, findings)
    judge_together(evidence, findings)


def judge_set(evidence, findings):
    """plan.json against the table of sets."""
    official = evidence.plan["official"]
    if official["version"] != VERSION:
        findings.add("unfit", f"set changed: version {official['version']} of the sets, this "
                     f"rowhalo-study official knows {VERSION}; use the one in the bundle's scripts/")
        return
    seconds = official["seconds"] if official["rehearsal"] else None
    try:
        usual = official_of(official["set"], official["division"], official["nodes"], seconds,
                            official["options"])
    except WrongInput as error:
        findings.add("unfit", f"set changed: {error}")
        return
    for key, value in usual.items():
        if official[key] != value:
            findings.add("unfit", f"set changed: {key} is {official[key]}, not {value}")
    judge_plan(evidence.plan, findings)
    if official["seconds"] < SETS["node"].seconds:
        findings.add("unfit", f"too short: {official['seconds']:g} s per run, not "
                     f"{SETS['node'].seconds:g}")


def judge_plan(plan, findings):
    """The points as the set has them, all with the same layout."""
    official, points = plan["official"], plan["points"]
    wanted = list(wanted_points(official))
    if [point["name"] for point in points] != [each.name for each in wanted]:
        findings.add("unfit", f"set changed: the points of plan.json are not {', '.join(each.name for each in wanted)}")
        return
    if plan["study"] != name_of(official):
        findings.add("unfit", f"set changed: study is {plan['study']}, not {name_of(official)}")
    nodes, per_node = official["nodes"], points[0]["ranks_per_node"]
    for point, each in zip(points, wanted):
        usual = {"command": each.command, "matrix": each.matrix, "arguments": each.arguments,
                 "repeats": official["runs"], "nodes": nodes, "ranks_per_node": per_node,
                 "ranks": nodes * per_node, "device": points[0]["device"]}
        for key, value in usual.items():
            if point[key] != value:
                findings.add("unfit", f"set changed: {key} of a point is {brief(point[key])}, not {brief(value)}",
                             point["name"])


def judge_layout(evidence, findings):
    """One rank per GPU, all nodes filled."""
    point, official = evidence.plan["points"][0], evidence.plan["official"]
    listed = [int(count) for name, text in evidence.files.items()
              if name.endswith("provenance/nvidia-smi.txt")
              for count in re.findall(r"Attached GPUs\s*:\s*(\d{1,6})\b", text.decode(errors="replace"))]
    gpus, ranks = max([official["gpus_per_node"], *listed]), point["ranks_per_node"]
    if point["device"] == "gpu" and ranks < gpus:
        findings.add("unfit", f"fewer ranks than GPUs: {ranks} per node with {gpus} GPUs")
    if point["device"] == "gpu" and ranks > gpus:
        findings.add("unfit", f"ranks share GPUs: {ranks} per node with {gpus} GPUs")
    if point["device"] != "gpu" and gpus:
        findings.add("unfit", f"fewer ranks than GPUs: measured on the processors of a node with "
                     f"{plural(gpus, 'GPU')}")
    if point["device"] == "gpu" and not listed:
        findings.add("notes", "unknown whether a node has more GPUs than the site file says: no "
                     "output of nvidia-smi")


def judge_sharing(evidence, findings):
    """Nobody else on the nodes: by the scheduler's word, else by what ran before."""
    official = evidence.plan["official"]
    if official["scheduler"] == "none":
        judge_load(evidence.before, findings)
        return
    if not official["exclusive"]:
        findings.add("unfit", "shared node: the site file says exclusive = no")
    for point in evidence.plan["points"]:
        record = evidence.files.get(f"points/{point['name']}/provenance/job.txt", b"").decode(
            errors="replace")
        sharing = re.search(r"\bOverSubscribe=(\w+)", record)
        place = re.search(r"Resource_List\.place = (\S+)", record)
        if sharing and sharing[1] != "NO":
            findings.add("unfit", f"shared node: Slurm's record of the job says OverSubscribe="
                         f"{sharing[1]}", point["name"])
        elif place and "excl" not in place[1]:
            findings.add("unfit", f"shared node: PBS's record of the job says place = {place[1]}",
                         point["name"])
        elif not sharing and not place:
            findings.add("notes", "unknown whether nodes were shared: no record of the scheduler",
                         point["name"])


def judge_load(before, findings):
    if not before:
        findings.add("notes", "unknown whether the node was shared: no before.json")
    for entry in before:
        busy, cores = entry.get("busy_cores"), entry.get("cores") or 1
        if busy is None:
            findings.add("notes", "unknown whether the node was shared: no /proc/stat", entry["time"])
        elif busy > max(MOST_BUSY_CORES, MOST_BUSY_SHARE * cores):
            findings.add("unfit", "shared node: other processes kept cores busy before the start",
                         f"{busy:g} cores at {entry['time']}")
        if entry["gpu_processes"]:
            findings.add("unfit", "shared node: other processes were on its GPUs before the start",
                         f"{entry['gpu_processes']} at {entry['time']}")


def judge_point(point, evidence, findings):
    name, official = point["name"], evidence.plan["official"]
    wanted = {each.name: each for each in wanted_points(official)}.get(name)
    reports = evidence.reports[name]
    for run in range(1, official["runs"] + 1):
        if run not in reports:
            said = re.search(r"reason = (.*)", evidence.markers.get(name, ""))
            findings.add("wrong", f"not finished: {said[1] if said else 'there is no report'}",
                         f"{name}, run {run}")
            break
    held = {}  # share of the samples in which a clock was held down, by reason
    for run, report in reports.items():
        place = f"{name}, run {run}"
        if report and not judge_end(report, findings, place):
            continue
        for line in evidence.flaws.get((name, run), ()):
            findings.add("wrong", f"figure missing or out of range: {line}", place)
        figures = evidence.figures[name].get(run)
        if figures is None:
            continue
        judge_command(figures, point, wanted, findings, place)
        judge_ranks(figures, point, official, findings, place)
        judge_figures(figures, official, findings, place)
        judge_telemetry(figures, findings, place, held)
    for reason, shares in held.items():
        findings.add("notes", f"clocks held down by {reason}"
                     + (" (normal operation)" if reason == "power cap" else ""),
                     f"{name} (up to {max(shares):.0%} of the time)")


def judge_end(report, findings, place):
    """Whether it ended well, and found no error itself. Looks at any report of rowhalo."""
    checked, solvers = section(report, "validation"), report.get("solvers") or []
    failed = [solver.get("reason") or solver["end"] for solver in solvers if not solver["passed"]]
    if checked.get("passed") is False:
        findings.add("wrong", "y is wrong", place)
    elif failed:
        findings.add("wrong", f"the solver did not pass: {failed[0]}", place)
    elif report["status"] != "ok":
        findings.add("wrong", f"not finished: status {report['status']}, {report.get('verdict')}", place)
    else:
        return True
    return False


def judge_command(report, point, wanted, findings, place):
    """The command line as the set has it; other words are another problem."""
    if wanted is None:
        return
    if report["command"] != wanted.command:
        findings.add("unfit", f"set changed: the command is {report['command']}, not {wanted.command}", place)
    if report["kernel"]["precision"] != "fp64":
        findings.add("unfit", f"set changed: the precision is {report['kernel']['precision']}, not fp64", place)
    asked = [wanted.command, "--matrix", wanted.matrix, "--device", point["device"],
             *wanted.arguments]
    words = words_of(report)[1:]
    if words != asked:
        differ = [word for word in words if word not in asked] + [
            word for word in asked if word not in words]
        findings.add("unfit", f"set changed: the command line differs in {' '.join(differ) or 'order'}",
                     place)
    if report["matrix"]["source"] != wanted.matrix:
        findings.add("unfit", f"set changed: the matrix is {report['matrix']['source']}, not "
                     f"{wanted.matrix}", place)


def judge_ranks(report, point, official, findings, place):
    ranks, hosts = report["partition"]["ranks"], report["provenance"]["hosts"]
    if ranks != point["ranks"] or ranks != len(hosts):
        findings.add("unfit", f"ranks: {ranks} instead of {point['ranks']}", place)
    if len(set(hosts)) != point["nodes"]:
        findings.add("unfit", f"nodes: {len(set(hosts))} instead of {point['nodes']}", place)
    processors = [device for device in report["provenance"]["devices"] if device.startswith("cpu")]
    if point["device"] == "gpu" and processors:
        findings.add("unfit", f"fewer ranks than GPUs: {len(processors)} of {ranks} ranks computed on "
                     "processors", place)
    if "dirty" in report["provenance"]["git"] or not report["provenance"]["git"]:
        kind = "unfit" if official["division"] == "standard" else "notes"
        findings.add(kind, "the executable is not that of a commit: git says "
                     f"{report['provenance']['git'] or 'nothing'}")


def judge_figures(report, official, findings, place):
    """What was computed is right, and rates follow from counts and times."""
    if "solvers" in report:
        judge_solvers(report["solvers"], official, findings, place)
    else:
        judge_product(report, findings, place)
        judge_times(report, official, findings, place)


def judge_solvers(solvers, official, findings, place):
    """The solver of the set alone, its x near to the solution, and as near as its recurrence says."""
    if len(solvers) != 1:
        findings.add("wrong", f"{len(solvers) or 'no'} solvers, not one" if solvers else "no solver", place)
    most = SETS[official["set"]].residual
    for solver in solvers:
        asked = {"method": METHOD, "preconditioner": PRECONDITIONER}
        for key, value in asked.items():
            if solver[key] != value:
                findings.add("unfit", f"set changed: {key} {solver[key]}, not {value}", place)
        if solver["iterations"] != official["iterations"]:
            findings.add("unfit", f"too short: {solver['iterations']} iterations, not "
                         f"{official['iterations']}", place)
        reached = solver["last_norm"] / (solver["first_norm"] or 1)
        residual, error = solver["true_residual"], solver["error"]
        said = f"x is wrong: its true residual |b - A x| over |b| is {residual:.3g}"
        if residual > MOST_DRIFT * max(reached, LEAST_RESIDUAL):
            findings.add("wrong", f"{said}, that of the iterations {reached:.3g}", place)
        elif residual > most:
            findings.add("unfit", f"{said}, more than {most:g}", place)
        if error > MOST_ERROR * most:
            findings.add("unfit", f"x is wrong: its error is {error:.3g}, more than {MOST_ERROR * most:g}", place)


def judge_product(report, findings, place):
    """y of one combination, checked in all rows by the reference."""
    checked = report["validation"]
    if checked["against"] != "reference":
        findings.add("wrong", f"y was not checked by the reference, but by {checked['against']}", place)
    elif checked["max_error_ratio"] > 1:
        findings.add("wrong", f"y is wrong: {checked['max_error_ratio']:.3g} times the bound", place)
    elif checked["rows_unchecked"] or checked["rows_checked"] != report["matrix"]["rows"]:
        findings.add("wrong", "y was not checked in all rows", place)
    if report["cases"]:
        findings.add("unfit", f"set changed: {len(report['cases'])} combinations of format and transport in a run",
                     place)


def judge_times(report, official, findings, place):
    """Rates and times of a product against each other, and how long it was measured."""
    matrix, timing, rates = report["matrix"], report["timing"], report["performance"]
    seconds = timing["median_seconds"]
    moved = (matrix["nonzeros"] * CSR_ENTRY + matrix["rows"] * CSR_ROW
             + (matrix["rows"] + matrix["columns"]) * VECTOR)
    for name, value in (("gbytes_per_second", moved / seconds / 1e9),
                        ("gflops", 2 * matrix["nonzeros"] / seconds / 1e9)):
        if not math.isclose(rates[name], value, rel_tol=SAME_FIGURE):
            findings.add("wrong", f"report changed: {name} is {rates[name]:g}, its counts and median "
                         f"time give {value:g}", place)
    if not timing["min_seconds"] <= seconds <= timing["p95_seconds"]:
        findings.add("wrong", "report changed: the median time is not between the least and the 95 % "
                     "one", place)
    measured = report["wall"]["measure_seconds"]
    if measured < official["seconds"]:
        findings.add("unfit", f"too short: measured for {measured:.3g} s, not {official['seconds']:g}",
                     place)


def judge_telemetry(report, findings, place, held):
    telemetry, gpus = report.get("telemetry"), section(report, "telemetry").get("gpus") or []
    on_gpus = not all(device.startswith("cpu") for device in report["provenance"]["devices"])
    if report["command"] != "solve" and (telemetry is None or (on_gpus and not gpus)):
        findings.add("notes", "unknown whether clocks were held down: reports hold no telemetry"
                     + (" of GPUs" if on_gpus else ""))
    places = {(gpu["host"], gpu["pci_id"]) for gpu in gpus}
    if gpus and len(places) < report["partition"]["ranks"]:
        findings.add("unfit", f"ranks share GPUs: {report['partition']['ranks']} ranks on "
                     f"{plural(len(places), 'GPU')}", place)
    for gpu in gpus:
        for cause in gpu["throttling"]:
            if cause["share"] < LEAST_SHARE:
                continue
            if cause["reason"] in FAULTS:
                findings.add("unfit", cause["reason"], f"{place} on {gpu['host']} {gpu['pci_id']}: "
                             f"{cause['share']:.0%} of the time")
            else:
                held.setdefault(cause["reason"], []).append(cause["share"])


def judge_together(evidence, findings):
    """All runs on one executable and the same nodes, and of a matrix one fingerprint."""
    reports = [report for runs in evidence.figures.values() for report in runs.values()]
    for what in ("version", "git", "compiler", "flags"):
        values = unique(report["provenance"][what] for report in reports)
        if len(values) > 1:
            findings.add("unfit", f"runs of more than one executable: {what} {' and '.join(values)}")
    if len({frozenset(report["provenance"]["hosts"]) for report in reports}) > 1:
        findings.add("notes", "runs on different nodes: provenance/nodes.txt names them")
    for name, runs in evidence.figures.items():
        others = evidence.figures.get("stencil27", {}) if name == SOLVE else {}  # the same matrix
        if len({report["matrix"]["fingerprint"] for report in [*runs.values(), *others.values()]}) > 1:
            findings.add("unfit", "set changed: runs of more than one matrix, by its fingerprint", name)
