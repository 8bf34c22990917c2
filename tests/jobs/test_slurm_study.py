#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study on a real, throw-away Slurm: submitted studies end in tables and pictures by
themselves; chains stop at an error; what was cancelled is resumed; the same through qsub."""
import os
import re
import signal
import subprocess
import sys

import throwaway
from studies import marked, points, results, states, study, study_text

MATPLOTLIB = subprocess.run([sys.executable, "-c", "import matplotlib, h5py"], check=False,
                            stderr=subprocess.DEVNULL).returncode == 0
NODES = "nodes = 1,2,4\nranks_per_node = 2"
# Ends as soon as a point has more ranks than two.
ONLY_TWO = """#!/bin/bash
case "$*" in
  run*--json*) [ "${{SLURM_NTASKS:-0}}" -le 2 ] || {{ echo "rowhalo: planted" >&2; exit 1; }} ;;
esac
exec {binary} "$@"
"""


class OnSlurm(throwaway.SlurmCase):
    pbs = True

    def submit(self, *options, site="generic-slurm", output="out of it", **parts):
        """The folder, and the numbers of the jobs, the one that collects last."""
        folder = self.place / self.id() / output
        folder.parent.mkdir(exist_ok=True)
        path = folder.parent / "a study.ini"
        path.write_text(study_text(**parts), encoding="utf-8")
        said = study("submit", path, "--site", site, "--output", folder, *options,
                     environment=self.environment)
        return folder, re.findall(r"^job (\d+)", said, re.MULTILINE)

    def states(self, folder, status=0):
        return states(folder, environment=self.environment, status=status)

    def check_ended(self, folder, pictures=()):
        """All done, collected and drawn without a hand's touch."""
        self.assertEqual(set(self.states(folder).values()), {"done"}, self.outputs())
        rows = results(folder)
        self.assertEqual({row["point"] for row in rows}, set(points(folder)))
        self.assertEqual({row["passed"] for row in rows}, {"True"})
        if MATPLOTLIB and pictures:
            self.assertTrue((folder / "results.h5").is_file())
            for picture in pictures:
                for suffix in ("svg", "png"):
                    path = folder / "plots" / f"{picture}.{suffix}"
                    self.assertGreater(path.stat().st_size, 5000, picture)
        return rows

    def with_pictures(self):
        """Jobs of this test draw."""
        self.environment = {**self.environment}
        del self.environment["PYTHONPATH"]

    def test_strong_over_nodes(self):
        self.with_pictures()
        folder, jobs = self.submit(points=NODES)
        self.assertEqual(len(jobs), 4)
        self.assert_completed(jobs[-1])
        rows = self.check_ended(folder, ("strong", "breakdown"))
        self.assertEqual([(row["ranks"], row["nodes"]) for row in rows],
                         [("2", "1"), ("4", "2"), ("8", "4")])
        self.assertEqual(len({row["y_hash"] for row in rows}), 1)
        for name, point in points(folder).items():
            self.check_point(folder / "points" / name, point["ranks"], point["nodes"])

    def test_weak_in_one_job(self):
        self.with_pictures()
        folder, jobs = self.submit(
            "--in-one-job", kind="weak", points="ranks = 1,2,4\nranks_per_node = 2",
            matrix="rows_per_rank = 1000\ntemplate = stencil7:nx={nx},ny={ny},nz={nz}")
        self.assertEqual(len(jobs), 2)
        self.assert_completed(jobs[-1])
        rows = self.check_ended(folder, ("weak",))
        self.assertEqual([(row["ranks"], row["nodes"], row["rows"]) for row in rows],
                         [("1", "1", "1000"), ("2", "1", "2000"), ("4", "2", "4000")])

    def test_a_chain_stops_at_an_error(self):
        program = self.place / "only two"
        program.write_text(ONLY_TWO.format(binary=throwaway.launch.BINARY), encoding="utf-8")
        program.chmod(0o755)
        self.environment["ROWHALO"] = str(program)
        try:
            folder, jobs = self.submit("--chain", points=NODES)
        finally:
            self.environment["ROWHALO"] = str(throwaway.launch.BINARY)
        for job in jobs:
            self.wait(job)
        self.assertEqual([self.state(job)[0] for job in jobs],
                         ["COMPLETED", "FAILED", "CANCELLED"])
        self.assertEqual(list(self.states(folder, status=1).values()), ["done", "error", "cut off"])
        self.assertIn("planted", study("status", folder, environment=self.environment, status=1))
        self.assertEqual(len(results(folder)), 1)  # each collects what there is
        before = marked(folder)
        said = study("resume", folder, environment=self.environment)
        again = re.findall(r"^job (\d+)", said, re.MULTILINE)
        self.assertEqual(len(again), 3)
        self.assert_completed(again[-1])
        self.check_ended(folder)
        self.assertEqual({name: marked(folder)[name] for name in before}, before)

    def test_cancelled_and_resumed(self):
        folder, jobs = self.submit("--in-one-job", points=NODES,
                                   matrix="source =\n  stencil7:12\n  stencil27:10")
        self.wait_for(lambda: len(marked(folder)) >= 2, "no two points are done")
        self.command("scancel", jobs[0])
        self.wait(jobs[0])
        self.wait(jobs[-1])
        before = marked(folder)
        self.assertLess(len(before), 6)
        words = self.states(folder, status=None)
        self.assertEqual({name for name, word in words.items() if word == "done"}, set(before))
        self.assertLessEqual(set(words.values()), {"done", "error", "cut off"})
        said = study("resume", folder, "--in-one-job", "--watch", environment=self.environment)
        self.assertIn(f": all-2, {6 - len(before)} point", said)
        self.check_ended(folder)
        self.assertEqual({name: marked(folder)[name] for name in before}, before)

    def test_after_what_slurm_does_not_know(self):
        """sbatch itself takes any number, and begins at once."""
        path = self.place / "later.ini"
        path.write_text(study_text(), encoding="utf-8")
        for submitted in ([path, "--output", self.place / "later"],
                          ["run.sbatch"]):
            said = study("submit", *submitted, "--site", "generic-slurm", "--after", 999999,
                         environment=self.environment, status=2)
            self.assertIn("--after 999999: Slurm does not know this job", said)
        self.assertFalse((self.place / "later").exists())

    def blocked(self, *options, **parts):
        """A study whose jobs wait for another one, which ends when this is called."""
        go = self.place / self.id() / "go"
        blocker = self.sbatch("--nodes=4", "--exclusive", "--output=/dev/null", "--wrap",
                              f"while [ ! -e '{go}' ]; do sleep 0.2; done")
        self.wait_for(lambda: self.state(blocker)[0] == "RUNNING", "the other job does not begin")
        folder, jobs = self.submit(*options, **parts)
        return folder, jobs, go.touch

    def test_a_job_that_is_held(self):
        folder, jobs, let_go = self.blocked(points="nodes = 1,2\nranks_per_node = 2")
        self.command("scontrol", "hold", jobs[0])  # by root, who is an administrator
        said = study("status", folder, environment=self.environment)
        self.assertRegex(said, rf"held +job {jobs[0]}; held by an administrator or by the scheduler itself: ask the administrators; "
                               rf"scontrol show job {jobs[0]} tells more\n")
        self.command("scontrol", "release", jobs[0])
        self.command("scontrol", "uhold", jobs[0])
        let_go()
        said = study("status", folder, "--watch", environment=self.environment, status=1)
        release = f"release it by: scontrol release {jobs[0]}\n"
        self.assertRegex(said, rf"held +job {jobs[0]}; {release}")
        self.assertIn(f"collect is held: job {jobs[2]} waits for job {jobs[0]}; {release}", said)
        self.assertEqual(list(self.states(folder).values()), ["held", "done"])
        self.command("scontrol", "release", jobs[0])
        self.assert_completed(jobs[2])
        self.check_ended(folder)

    def running(self, **parts):
        """A study whose only point runs until it is told to end."""
        folder, jobs = self.submit(points="ranks = 2", arguments="--min-seconds 600 --iterations 10 --validate none",
                                   **parts)
        name, = points(folder)
        log = folder / "points" / name / "log-1.txt"
        self.wait_for(lambda: log.is_file() and "ranks; hosts" in log.read_text("utf-8"), "it does not measure")
        return folder, jobs

    def test_a_job_that_is_suspended(self):
        folder, jobs = self.running()
        self.command("scontrol", "suspend", jobs[0])  # by root, who is an administrator
        said = study("status", folder, environment=self.environment)
        self.assertRegex(said, rf"suspended +job {jobs[0]}; goes on when .*; scontrol show job {jobs[0]} tells more\n")
        self.command("scontrol", "resume", jobs[0])
        self.assertEqual(list(self.states(folder).values()), ["running"])
        self.command("scancel", *jobs)
        self.wait(jobs[0])

    def test_a_node_that_fails(self):
        """While a job runs on it; resume takes another one. A requeue is refused, since `resume` does it."""
        folder, jobs = self.running()
        self.command("scontrol", "requeue", jobs[0], status=1)
        node, = re.findall(r"NodeList=(n\d)$", self.command("scontrol", "show", "job", jobs[0]), re.MULTILINE)
        self.command("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        self.assertEqual(self.wait(jobs[0])[0], "NODE_FAIL")
        self.wait(jobs[1])
        self.assertLessEqual(set(self.states(folder, status=None).values()), {"cut off", "error"})
        self.command("scontrol", "update", f"nodename={node}", "state=resume", status=None)  # or it is up by itself
        said = study("resume", folder, "--dry-run", environment=self.environment)
        self.assertIn("--nodes=1", said)

    def test_a_controller_that_does_not_answer(self):
        """It is asked for a while, and again by --watch; a job that runs goes on."""
        folder, jobs = self.running()
        controller = int((self.place / "slurm/run/slurmctld.pid").read_text(encoding="utf-8"))
        environment = {**self.environment, "ROWHALO_SCHEDULER_SECONDS": "3"}
        os.kill(controller, signal.SIGSTOP)
        try:
            said = study("status", folder, environment=environment, status=2)
            self.assertIn("squeue: no answer in 3 s", said)
        finally:
            os.kill(controller, signal.SIGCONT)
        self.command("scancel", "--batch", "--signal=USR1", jobs[0])
        self.wait(jobs[-1])
        self.assertEqual(list(self.states(folder, status=1).values()), ["error"])
        self.assertIn("interrupted by SIGUSR1 in repeat 1", study("status", folder, environment=environment, status=1))

    def test_through_qsub(self):
        folder, jobs = self.submit(site="generic-pbs", points="nodes = 1,2\nranks_per_node = 2")
        self.assert_completed(jobs[-1])
        self.check_ended(folder)
        self.assertEqual(len(list(folder.glob("jobs/*.pbs"))), 3)


if __name__ == "__main__":
    throwaway.main()
