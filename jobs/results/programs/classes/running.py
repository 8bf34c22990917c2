# SPDX-License-Identifier: BSD-3-Clause
"""Runs `rowhalo kernels` on a matrix, or takes the lines of the table that are there already.

The table is the CSV: read at the start, written whole after every matrix. A matrix counts as
complete when its run ended well and holds every format that this build has; so a new format is
measured, and a run that was cut off goes on where it stopped.
"""
import json
import subprocess
import sys

from rowhalo_study.calling import typed
from matrices import CLASSES, Matrix, point_of, wanted_formats
from results import fastest, names_in, not_measured, outcome_of, shared_by
from rowhalo_study.results.rows import as_in_csv, read_csv, rows_of
from tables import OWN_TEXTS, table_text
from rowhalo_study.whole_files import set_aside, write_whole

NAME = typed("classes")
HUGE_FACTOR = 10  # of the time limit
SHORT = ("--batches", "3", "--iterations", "2", "--warmup", "1", "--min-seconds", "0")


class Table:
    """Lines of the CSV by the names of their points, which tell a matrix from its companion."""

    def __init__(self, path):
        self.path, self.points, self.kept = path, {}, False
        rows = []
        if path.is_file():
            try:
                rows = read_csv(path, OWN_TEXTS)
            except (OSError, ValueError) as error:
                sys.exit(f"{NAME}: {path}: {error}; move it away, or write to another --output")
        for row in rows:
            self.points.setdefault(row["point"], []).append(row)

    def put(self, point, rows):
        """What was measured and is replaced is kept in an earlier CSV, which moves aside."""
        if not self.kept and any(row["median_seconds"] for row in self.points.get(point, [])):
            set_aside([self.path], self.path.parent)
            self.kept = True
        self.points[point] = rows
        write_whole(self.path, table_text(row for some in self.points.values() for row in some))


class Program:
    """The executable, and what it can do here."""

    def __init__(self, options):
        self.options = options
        try:
            listing = subprocess.run([options.rowhalo, "list", "formats", "--json"], timeout=60,
                                     stdout=subprocess.PIPE, check=True)
            formats = [(entry["summary"].split(":")[0], entry["name"])
                       for entry in json.loads(listing.stdout) if entry["usable"]]
        except (OSError, ValueError, LookupError, TypeError, subprocess.SubprocessError) as error:
            sys.exit(f"{NAME}: {options.rowhalo} list formats --json: does not answer as rowhalo "
                     f"does: {error}")
        self.device = options.device
        if self.device == "auto":
            self.device = "gpu" if any(device == "gpu" for device, _ in formats) else "cpu"
        self.names = {name for device, name in formats if device == self.device}
        if not self.names:
            sys.exit(f"{NAME}: --device {self.device}: no format is usable here; "
                     "`rowhalo list formats` says why")
        report, _ = self.kernels(Matrix("tiny", "stencil5:2"), ["auto"], options.precision)
        if report and "auto" in {entry["name"] for entry in report["formats"]}:
            self.names.add("auto")

    def absent(self, matrix):
        """Formats that are wanted but not measured, with the reason."""
        left_out = () if self.options.quick else CLASSES[matrix.group].left_out
        reasons = {}
        for name in wanted_formats(matrix, self.device):
            if name.split(":")[0] not in self.names:
                reasons[name] = "not in this build"
            elif name in left_out:
                reasons[name] = "left out: far from the best here, and slow"
        return reasons

    def kernels(self, matrix, formats, precision, words=()):
        """The report of one run with further words of its command, or None and why it failed."""
        options = self.options
        products = str(CLASSES[matrix.group].products)
        timing = SHORT if options.quick else ("--iterations", products, "--warmup", products,
                                              "--min-seconds", "0")
        command = ["rowhalo", "kernels", "--quiet", "--no-progress", "--device", self.device,
                   "--precision", precision, *timing, "--matrix", matrix.spec, "--format",
                   ",".join(formats), "--json", "-", *words]
        if options.threads:
            command += ["--threads", options.threads]
        limit = options.seconds * (HUGE_FACTOR if matrix.group == "huge" else 1)
        try:
            # Files are named without their folder, so that the table holds no path of a machine.
            run = subprocess.run(command, executable=options.rowhalo, timeout=limit, check=False,
                                 cwd=options.matrices, stdin=subprocess.DEVNULL,
                                 capture_output=True)
        except subprocess.TimeoutExpired:
            return None, f"time-out after {limit:g} s"
        if run.returncode < 0:
            return None, f"ended by signal {-run.returncode}"
        try:
            return json.loads(run.stdout), ""
        except ValueError:
            said = run.stderr.decode(errors="replace").strip() or "nothing said"
            return None, f"exit status {run.returncode}: " + said.split("\n")[-1]


def run_once(program, matrix, spec, formats, point, table, words=()):
    """Measures `spec` unless the table has all of it; whether it ran."""
    rows = table.points.get(point, [])
    if set(formats) <= names_in(rows) and not program.options.again:
        return False
    precision = matrix.precision or program.options.precision
    shared = {"study": table.path.stem, "kind": "list", "point": point, "class": matrix.group,
              "device": program.device}
    report, said = program.kernels(matrix._replace(spec=spec), formats, precision, words)
    rows = rows_of(report, {"precision": precision}) if report else []
    table.put(point, [{**as_in_csv(row), **shared} for row in rows] or [
        not_measured(spec, precision, "", said or report["verdict"], **shared)])
    return True


def with_reasons(rows, matrix, absent):
    """`rows` of a matrix with a line for every format that is not measured, and the reason."""
    rows = [row for row in rows if row["status"] != "skipped"]
    shared = shared_by(rows[0])
    return rows + [not_measured(matrix.spec, rows[0]["precision"], name, reason, **shared)
                   for name, reason in sorted(absent.items())]


def run(program, matrix, table):
    """Runs a matrix and its companion as far as they are not there; whether anything ran."""
    absent = program.absent(matrix)
    formats = [name for name in wanted_formats(matrix, program.device) if name not in absent]
    ran = run_once(program, matrix, matrix.spec, formats, point_of(matrix), table)
    rows = table.points[point_of(matrix)]
    if rows[0]["format"]:
        table.points[point_of(matrix)] = with_reasons(rows, matrix, absent)
    outcome = stored(matrix, program.device, program.options.precision, table)
    ours = fastest(outcome.formats, "ours")
    if not matrix.companion or not ours:
        return outcome, ran
    # With the values of the matrix beside it, which no code shortens.
    ran |= run_once(program, matrix, matrix.companion, [ours.name],
                    point_of(matrix, companion=True), table, ("--value-codes", "off"))
    return stored(matrix, program.device, program.options.precision, table), ran


def stored(matrix, device, precision, table):
    """The outcome that the table holds; None where there is none."""
    rows = table.points.get(point_of(matrix))
    return rows and outcome_of(matrix, device, precision, rows,
                               table.points.get(point_of(matrix, companion=True), []))
