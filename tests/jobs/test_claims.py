#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The claim on a point of a study: two never run the same point, and the dead hold none."""
import collections
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import throwaway
from studies import STUDY, states, study_text
from throwaway import launch

sys.path.insert(0, str(launch.SOURCE / "jobs"))
from rowhalo_study.studies import claims  # noqa: E402  pylint: disable=wrong-import-position

# Claims a point, says so, and waits; with a second process that inherits the lock.
HOLDER = """
import subprocess, sys
from pathlib import Path
from rowhalo_study.studies import claims
with claims.claimed(Path(sys.argv[1]), claims.owner_here("none"), {}) as lock:
    child = subprocess.Popen(["sleep", "600"], pass_fds=(lock,)) if sys.argv[2] else None
    print(child.pid if child else 0, flush=True)
    sys.stdin.read()
"""
# Writes down that it runs a point, and what it and mpirun have open.
COUNTING = """#!/bin/bash
case "$*" in run*--json*)
  echo "$*" >>'{place}/runs'
  readlink /proc/$$/fd/* /proc/$PPID/fd/* >>'{place}/open' ;;
esac
exec {binary} "$@"
"""


class Claims(launch.Case):
    def hold(self, with_child=""):
        """A process that has claimed self.place, and its child."""
        # pylint: disable=consider-using-with
        process = subprocess.Popen(
            [sys.executable, "-B", "-c", HOLDER, str(self.place), with_child],
            cwd=launch.SOURCE / "jobs", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, int(process.stdout.readline())

    def is_free(self):
        with claims.claimed(self.place, claims.owner_here("none"), {}) as lock:
            return lock is not None

    def test_one_at_a_time(self):
        self.assertTrue(self.is_free())
        self.assertEqual(list(self.place.iterdir()), [])
        process, _ = self.hold()
        self.assertFalse(self.is_free())
        owner, is_claimed = claims.look(self.place, {})
        self.assertTrue(is_claimed)
        self.assertEqual(owner["pid"], process.pid)
        process.stdin.close()
        process.wait()
        self.assertTrue(self.is_free())

    def test_the_dead_hold_nothing(self):
        process, _ = self.hold()
        process.kill()
        process.wait()
        owner, is_claimed = claims.look(self.place, {})
        self.assertFalse(is_claimed)
        self.assertEqual(owner["pid"], process.pid)
        self.assertTrue(self.is_free())

    def test_the_dead_of_another_host_hold_nothing(self):
        for scheduler, job in (("none", ""), ("slurm", "17")):
            self.write("running", json.dumps({"scheduler": scheduler, "id": job, "pid": os.getpid(),
                                              "host": "elsewhere"}))
            self.assertTrue(self.is_free())

    def test_a_job_that_lives_elsewhere(self):
        """Where flock reaches one host only."""
        owner = {"scheduler": "slurm", "id": "17", "host": "elsewhere", "pid": 1}
        self.write("running", json.dumps(owner))
        self.assertEqual(claims.look(self.place, {"17": "running"}), (owner, True))
        with claims.claimed(self.place, claims.owner_here("none"), {"17": "running"}) as lock:
            self.assertIsNone(lock)

    def test_what_was_started_under_the_claim_keeps_it(self):
        process, child = self.hold("with a child")
        process.kill()
        process.wait()
        self.assertFalse(self.is_free())
        os.kill(child, signal.SIGKILL)
        deadline = time.monotonic() + 60
        while not self.is_free():
            self.assertLess(time.monotonic(), deadline)

    def test_two_studies_share_the_points(self):
        program = self.write("counting", COUNTING.format(place=self.place, binary=launch.BINARY))
        program.chmod(0o755)
        environment = throwaway.environment(ROWHALO=str(program))
        path = self.write("a study.ini", study_text(
            matrix="source =\n  stencil7:12\n  stencil7:13\n  stencil7:14", points="ranks = 1"))
        output = self.place / "out"
        both = [subprocess.Popen([sys.executable, "-B", str(STUDY), "run", str(path), "--site",
                                  "local", "--output", str(output), "--no-plot"], env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
                for _ in range(2)]
        self.assertEqual([process.wait(300) for process in both], [0, 0])
        self.assertEqual(list(states(output).values()), ["done"] * 3)
        runs = collections.Counter((self.place / "runs").read_text(encoding="utf-8").splitlines())
        self.assertEqual(list(runs.values()), [1, 1, 1], runs)
        # Launchers that outlive run.sh would keep the point claimed.
        self.assertNotIn("/running", (self.place / "open").read_text(encoding="utf-8"))
        self.assertEqual(list(output.glob("points/*/running")), [])


if __name__ == "__main__":
    unittest.main()
