# SPDX-License-Identifier: BSD-3-Clause
"""Runs points one after the other, each by run.sh: inside a job, or on this machine.

What is done is skipped. USR1 and TERM are passed on, so that the program writes what it has; then
no further point is begun. A point that fails does not keep the others from running.
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from rowhalo_study.calling import JOBS
from rowhalo_study.names import say
from rowhalo_study.results.reports import read_report
from rowhalo_study.results.rows import rows_of, solver_name
from rowhalo_study.studies.claims import claimed, owner_here
from rowhalo_study.studies.folder import results_in
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.points import arguments_of, obstacle, plural
from rowhalo_study.studies.states import live_jobs_of, reason_of
from rowhalo_study.whole_files import write_whole

RUN_SH = JOBS / "run.sh"
GRACE_SECONDS = 60
NAP_SECONDS = 1
POINT_KEYS = ("name", "study", "kind", "matrix", "ranks", "nodes", "ranks_per_node", "format",
              "halo", "partition", "precision", "schedule", "threads", "command", "arguments",
              "repeats", "swept")


class Interruption:
    """Passes signals on to the point that runs."""

    def __init__(self):
        self.name = ""
        self.child = None
        self.overdue = False
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.take)

    def take(self, number, _frame):
        self.name = signal.Signals(number).name
        if self.child and self.child.poll() is None:
            # What Ctrl-C sends, the point has got by itself.
            self.child.send_signal(signal.SIGTERM if number == signal.SIGINT else number)

    def run(self, command, environment, log, seconds, kept=()):
        """Exit status; after `seconds` it is asked to end, then made to. Inherits `kept`."""
        self.overdue = False
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                              env=environment, pass_fds=kept) as self.child:
            if self.name:  # it came before the child was known, which has not got it
                self.child.send_signal(signal.SIGUSR1)
            for limit, number in ((seconds, signal.SIGUSR1), (GRACE_SECONDS, signal.SIGTERM),
                                  (GRACE_SECONDS, signal.SIGKILL)):
                if self.has_ended(limit):
                    return self.child.returncode
                self.overdue = True
                self.child.send_signal(number)
            return self.child.wait()

    def has_ended(self, seconds):
        """Waits so long at most; while this job is suspended no seconds are counted."""
        while seconds is None or seconds > 0:
            try:
                self.child.wait(seconds and min(seconds, NAP_SECONDS))
                return True
            except subprocess.TimeoutExpired:
                seconds -= NAP_SECONDS
        return False


def command_of(folder, point):
    return [str(RUN_SH), "--site", str(folder.path / "site.ini"), "--ranks", str(point["ranks"]),
            "--nodes", str(point["nodes"]), "--ranks-per-node", str(point["ranks_per_node"]),
            "--threads", str(point["threads"]), "--repeats", str(point["repeats"]), "--output",
            str(folder.place_of(point)), "--", *arguments_of(point)]


def lack_of_nodes(point, site):
    """Why a point cannot run in this job; another job may be larger."""
    nodes = point["nodes"]
    if site.scheduler == "slurm":
        nodes = int(os.environ.get("SLURM_JOB_NUM_NODES", nodes))
    elif site.scheduler == "pbs" and os.path.isfile(os.environ.get("PBS_NODEFILE", "")):
        nodes = len(set(Path(os.environ["PBS_NODEFILE"]).read_text(encoding="utf-8").split()))
    return f"needs {point['nodes']} nodes, this job has {nodes}" if nodes < point["nodes"] else ""


def run_point(folder, point, interruption, environment, lock):
    """Its exit status; leaves a marker whatever happens. run.sh keeps the lock as long as it lives."""
    place = folder.place_of(point)
    if (place / "error").exists():
        (place / "error").unlink()
    write_whole(place / "point.json",
                json.dumps({key: point[key] for key in POINT_KEYS if key in point}, indent=1) + "\n")
    try:
        with open(place / "run.txt", "w", encoding="utf-8") as log:
            status = interruption.run(command_of(folder, point),
                                      {**environment, "ROWHALO_CLAIM": str(lock)}, log,
                                      60 * folder.plan["minutes"] or None, kept=(lock,))
    except OSError as error:
        status = 1
        (place / "run.txt").write_text(f"{RUN_SH}: {error}\n", encoding="utf-8")
    if status and interruption.overdue:
        write_whole(place / "error", f"status = {status}\nreason = longer than the "
                    f"{folder.plan['minutes']} minutes of [run] time; see run.txt\n")
    elif status and not (place / "error").exists():
        said = (place / "run.txt").read_text(encoding="utf-8", errors="replace").strip()
        reason = (f"interrupted by {interruption.name} before it began" if interruption.name
                  else "run.sh could not run it")
        write_whole(place / "error", f"status = {status}\nreason = {reason}\n\n"
                    f"{said.split(chr(10))[-1]}\n")
    return status


def outcome_of(place):
    """'done' and the time of the fastest case: the median over the repeats."""
    fastest = []
    for _, path in results_in(place):
        try:
            rows = [row for row in rows_of(read_report(path)) if row["median_seconds"]]
        except ValueError as error:
            return f"done, but {path} {error}"
        fastest += [min(rows, key=lambda row: row["median_seconds"])] if rows else []
    if not fastest:
        return "done"
    name = solver_name(fastest[0]) or fastest[0]["format"]
    seconds = statistics.median(row["median_seconds"] for row in fastest)
    return f"done, {name} {seconds * 1e3:.4g} ms"


def run_claimed(folder, point, interruption, environment, lock, head):
    """Runs a point that is ours; whether it failed."""
    place = folder.place_of(point)
    say(f"{head}: {plural(point['ranks'], 'rank')} on {plural(point['nodes'], 'node')}",
          flush=True)
    start = time.monotonic()
    status = run_point(folder, point, interruption, environment, lock)
    seconds = time.monotonic() - start
    said = f"failed: {reason_of(place / 'error')}" if status else outcome_of(place)
    say(f"{head}: {said} ({seconds:.0f} s)", flush=True)
    return bool(status)


def known_jobs(folder):
    """The jobs that live; none where the scheduler does not answer. The locks on the points remain."""
    try:
        return live_jobs_of(folder)
    except WrongInput as error:
        say(f"note: no list of running jobs, only the locks tell which points run elsewhere: {error}",
              flush=True)
        return {}


def run_points(folder, points):
    """Runs what is not done; True when nothing failed."""
    interruption, failed = Interruption(), False
    environment = {**os.environ, "PYTHON": sys.executable}
    owner, live_jobs = owner_here(folder.site.scheduler), known_jobs(folder)
    for number, point in enumerate(points, 1):
        place, head = folder.place_of(point), f"[{number}/{len(points)}] {point['name']}"
        stop = obstacle(point, folder.site) or lack_of_nodes(point, folder.site)
        if interruption.name:
            failed = True
            say(f"{head}: not begun, got {interruption.name}", flush=True)
            continue
        if stop:
            say(f"{head}: skipped: {stop}", flush=True)
            continue
        place.mkdir(parents=True, exist_ok=True)
        with claimed(place, owner, live_jobs) as lock:
            # Looked at under the claim: who had it before may have ended just now.
            if (place / "done").exists():
                say(f"{head}: done already", flush=True)
            elif lock is None:
                say(f"{head}: is run by somebody else now", flush=True)
            elif run_claimed(folder, point, interruption, environment, lock, head):
                failed = True
    return not failed
