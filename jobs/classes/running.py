# SPDX-License-Identifier: BSD-3-Clause
"""Runs `rowhalo kernels` on a matrix, or takes the report that is there already.

A report counts as complete when the run ended well and holds every format that this build has; so a
new format is measured, and a run that was cut off goes on where it stopped.
"""
import json
import re
import subprocess
import sys

from matrices import CLASSES, Matrix, wanted_formats
from results import (Measured, Outcome, measured, measured_formats, names_in, read_report,
                     summary_of)
from whole_files import set_aside, write_whole

HUGE_FACTOR = 10  # of the time limit
SHORT = ("--batches", "3", "--iterations", "2", "--warmup", "1", "--min-seconds", "0")


class Program:
    """The executable, and what it can do here."""

    def __init__(self, options):
        self.options = options
        listing = subprocess.run([options.rowhalo, "list", "formats", "--json"], timeout=60,
                                 stdout=subprocess.PIPE, check=False)
        if listing.returncode != 0:  # it has said why
            sys.exit(f"classes: --rowhalo {options.rowhalo}: `list formats` does not run")
        formats = [(entry["summary"].split(":")[0], entry["name"])
                   for entry in json.loads(listing.stdout) if entry["usable"]]
        self.device = options.device
        if self.device == "auto":
            self.device = "gpu" if any(device == "gpu" for device, _ in formats) else "cpu"
        self.names = {name for device, name in formats if device == self.device}
        if not self.names:
            sys.exit(f"classes: --device {self.device}: no format is usable here; "
                     "`rowhalo list formats` says why")
        report, _ = self.kernels(Matrix("tiny", "stencil5:2"), ["auto"], options.precision)
        if report and "auto" in names_in(report):
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

    def kernels(self, matrix, formats, precision):
        """One run: its report and the text of it, or None and why it failed."""
        options = self.options
        products = str(CLASSES[matrix.group].products)
        timing = SHORT if options.quick else ("--iterations", products, "--warmup", products,
                                              "--min-seconds", "0")
        command = ["rowhalo", "kernels", "--quiet", "--no-progress", "--device", self.device,
                   "--precision", precision, *timing, "--matrix", matrix.spec, "--format",
                   ",".join(formats), "--json", "-"]
        if options.threads:
            command += ["--threads", options.threads]
        limit = options.seconds * (HUGE_FACTOR if matrix.group == "huge" else 1)
        try:
            # Files are named without their folder, so that reports hold no path of a machine.
            run = subprocess.run(command, executable=options.rowhalo, timeout=limit, check=False,
                                 cwd=options.matrices, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            return None, f"time-out after {limit:g} s"
        if run.returncode < 0:
            return None, f"ended by signal {-run.returncode}"
        try:
            return json.loads(run.stdout), run.stdout
        except ValueError:
            said = run.stderr.decode(errors="replace").strip() or "nothing said"
            return None, f"exit status {run.returncode}: " + said.split("\n")[-1]


def place_of(matrix, folder, suffix=".json"):
    """The file of a matrix's report."""
    name = re.sub(r"\.mtx(\.gz)?$", "", matrix.spec)
    own = f"-{matrix.precision}" if matrix.precision else ""
    return folder / (re.sub(r"[^A-Za-z0-9.]+", "-", name) + own + suffix)


def run_once(program, matrix, spec, formats, place):
    """The report of a matrix, or why there is none; whether it ran, or was complete in `place`."""
    report = read_report(place)
    complete = report and report["status"] == "ok" and set(formats) <= names_in(report)
    if complete and not program.options.again:
        return report, "", False
    precision = matrix.precision or program.options.precision
    report, said = program.kernels(matrix._replace(spec=spec), formats, precision)
    set_aside([place], place.parent)
    if report is None:
        return None, said, True
    write_whole(place, said)
    return report, report["verdict"] if report["status"] == "interrupted" else "", True


def assembled(matrix, device, precision, report, absent):
    """The outcome that a report tells."""
    wanted = [name for name in wanted_formats(matrix, device) if name not in absent]
    formats = measured_formats(report, wanted)
    absent = {**dict.fromkeys(set(wanted) - names_in(report), "not measured"), **absent}
    formats += [Measured(name, "", None, {}, reason) for name, reason in sorted(absent.items())]
    return Outcome(matrix, matrix.precision or precision, report, formats, None, 0, "")


def with_companion(outcome, beside, name, failure):
    """The same with what was measured beside it, by the format `name`."""
    found = [entry for entry in beside["formats"] if entry["name"] == name] if beside else []
    if not found:
        return outcome._replace(companion=Measured(name, "companion", None, {}, failure))
    return outcome._replace(companion=measured(found[0], "companion"),
                            companion_nonzeros=beside["matrix"]["nonzeros"])


def run(program, matrix, folder):
    """Runs a matrix and its companion as far as they are not there; whether anything ran."""
    absent = program.absent(matrix)
    formats = [name for name in wanted_formats(matrix, program.device) if name not in absent]
    report, failure, ran = run_once(program, matrix, matrix.spec, formats, place_of(matrix, folder))
    precision = program.options.precision
    if report is None:
        return Outcome(matrix, matrix.precision or precision, None, [], None, 0, failure), ran
    outcome = assembled(matrix, program.device, precision, report, absent)._replace(failure=failure)
    ours = summary_of(outcome, program.device).ours
    if not matrix.companion or not ours:
        return outcome, ran
    beside, failure, beside_ran = run_once(program, matrix, matrix.companion, [ours.name],
                                           place_of(matrix, folder, "-companion.json"))
    return with_companion(outcome, beside, ours.name, failure), ran or beside_ran


def stored(matrix, device, precision, folder):
    """The outcome of an earlier run; None where there is none."""
    report = read_report(place_of(matrix, folder))
    if report is None:
        return None
    outcome = assembled(matrix, device, precision, report, {})
    ours = summary_of(outcome, device).ours
    if not matrix.companion or not ours:
        return outcome
    beside = read_report(place_of(matrix, folder, "-companion.json"))
    return with_companion(outcome, beside, ours.name, "not measured")
