#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/ on a PBS that does not answer, holds, refuses or forgets; the letters are those of pbs_double.md."""
import os
import re
import shutil
import subprocess
import time

import pbs_case
import throwaway
from pbs_case import BLOCKER, DEAF, GATED, executable
from studies import results, study_text
from throwaway import launch


class Answers(pbs_case.StudyCase):
    def test_e_the_job_that_collects_is_deleted(self):
        folder, jobs = self.blocked(points="ranks = 1")
        self.command("qdel", jobs[1])
        (self.project / "go").touch()
        hint = r"\nresults are not collected yet: [^\n]*rowhalo-study collect [^\n]* --plot\n$"
        self.assertRegex(self.study("status", folder, "--watch"), rf"  done{hint}")
        for command in ("status", "resume"):
            self.assertRegex(self.study(command, folder), rf"1 done{hint}")
        self.study("collect", folder)
        for command in ("status", "resume"):
            self.assertNotIn("collected", self.study(command, folder))

    def test_j_a_job_that_is_ending(self):
        """What it has not measured is not waiting for it."""
        self.set(ending=600, kill_delay=1)
        ready = self.program(DEAF)
        folder, jobs = self.submit("--in-one-job", points="ranks = 1,2")
        self.wait_for(ready.exists, "the program has not started")
        self.command("qdel", jobs[0])
        self.wait_for(lambda: self.live()[jobs[0].split(".")[0]] == "E", "the job does not end")
        said = self.study("status", folder, status=None)
        self.assertIn(f"job {jobs[0]}, which is ending", said)

    def test_k_what_does_not_answer(self):
        """A run goes on, a submission is looked for."""
        self.set(silent=["qstat"])
        self.site().write_text(self.site().read_text("utf-8").replace("cores = 2", "cores = 2\nexclusive = no"), "utf-8")
        job = self.study("submit", "jobs/pbs/gemv.pbs", "--", "--matrix", "dense:32", *launch.SHORT).strip()
        start = time.monotonic()
        folder = self.project / f"rowhalo-gemv-{job.split('.')[0]}"
        self.wait_for((folder / "done").exists, "the run waits for qstat")
        self.assertLess(time.monotonic() - start, 60 + 60 * launch.good_seconds())
        self.assertIn("no answer in 5 s: qstat -f",
                      (folder / "provenance/job.txt").read_text(encoding="utf-8"))
        if len(os.sched_getaffinity(0)) > 1:  # another job may have its core
            self.assertIn("--bind-to none", (folder / "provenance/command.txt").read_text(encoding="utf-8"))

    def test_k_a_submission_without_an_answer(self):
        self.environment["ROWHALO_SCHEDULER_SECONDS"] = "10"  # what answers does so in time on a busy machine
        self.set(silent=["qsub"])
        folder = self.place / "out"
        path = self.place / "a study.ini"
        path.write_text(study_text(points="ranks = 1"), encoding="utf-8")
        said = self.study("submit", path, "--output", folder)
        self.assertIn("adopted: its submission was not answered", said)
        jobs = re.findall(r"^job (\d+): ", said, re.MULTILINE)
        self.wait(*jobs)
        self.assertEqual(list(self.states(folder, 0).values()), ["done"])
        # Where nothing answers, the next call looks for it.
        self.set(silent=["qsub", "qstat"])
        folder = self.place / "other"
        self.study("submit", path, "--output", folder, status=2)
        self.set()
        self.assertEqual(list(self.live().values()), ["H"])
        said = self.study("resume", folder, "--watch")
        self.assertEqual(said.count("adopted"), 1, said)
        self.assertEqual(list(self.states(folder, 0).values()), ["done"])
        self.assertEqual(self.live(), {})

    def test_k_a_server_that_is_down(self):
        """qstat says it once for every job."""
        folder, jobs = self.blocked()
        executable(self.double / "bin/qstat", "#!/bin/sh\nfor job; do printf 'Connection refused\\nqstat: cannot connect "
                                              "to server n1 (errno=15010)\\n' >&2; done; exit 1\n")
        run = subprocess.run(["jobs/rowhalo-study", "status", folder], cwd=self.project, check=False, env=self.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertEqual(run.stderr, f"rowhalo-study: qstat -f {' '.join(jobs)}: Connection refused qstat: cannot connect "
                                     "to server n1 (errno=15010)\n")
        (self.project / "go").touch()

    def test_k_a_release_without_an_answer(self):
        """The jobs stay held, and resume releases them; one job of two folders is not taken for the other's."""
        self.environment["ROWHALO_SCHEDULER_SECONDS"] = "10"  # what answers does so in time on a busy machine
        self.set(deaf=["qrls"])
        folder, jobs = self.submit(points="ranks = 1", status=1)
        self.assertEqual(set(self.live().values()), {"H"})
        self.set(deaf=["qsub"])  # those of the first folder have the names of the second one's
        other = self.place / "other"
        self.study("submit", self.place / "a study.ini", "--output", other, status=2)
        self.assertEqual(len(self.live()), len(jobs))
        self.set()
        self.study("resume", other, "--watch")
        self.assertEqual(list(self.states(other, 0).values()), ["done"])
        self.assertEqual(list(self.states(folder, 0).values()), ["held"])
        self.study("resume", folder, "--watch")
        self.assertEqual(list(self.states(folder, 0).values()), ["done"])
        self.assertEqual(self.live(), {})

    def test_m_held_by_a_hand(self):
        folder, jobs = self.blocked()
        self.command("qhold", jobs[0])
        (self.project / "go").touch()
        release = f"release it by: qrls {jobs[0].split('.')[0]}\n"
        said = self.study("status", folder, "--watch", status=1)
        self.assertRegex(said, rf"held +job {jobs[0]}; {release}")
        collects = f"collect is held: job {jobs[2]} waits for job {jobs[0].split('.')[0]}; {release}"
        self.assertIn(collects, said)
        self.assertEqual(self.study("resume", folder), f"nothing to submit: 1 done, 1 held\n{collects}")
        self.assertEqual(list(self.states(folder, 0).values()), ["held", "done"])
        self.command("qrls", jobs[0])
        self.study("status", folder, "--watch")

    def test_m_held_by_the_system(self):
        """As PBS holds what it could not start; that another waits for the job is no reason to wait for it."""
        folder, jobs = self.blocked()
        self.command("qhold", "-h", "s", jobs[0])
        (self.project / "go").touch()
        said = self.study("status", folder, "--watch", status=1)
        self.assertRegex(said, rf"held +job {jobs[0]}; held by an administrator or by the scheduler itself: .*; qstat -f ")
        self.assertEqual(list(self.states(folder, 0).values()), ["held", "done"])

    def test_n_what_the_queue_refuses(self):
        """The others are submitted, and the one that collects takes a node where it must."""
        self.set(most_nodes=1, whole_nodes=2)
        folder, jobs = self.submit(points="nodes = 1,2\nranks_per_node = 1", status=1)
        self.assertEqual(len(jobs), 2)
        self.assertIn("select=1:ncpus=2:mpiprocs=1", (folder / "jobs/collect.pbs").read_text(encoding="utf-8"))
        self.wait(*jobs)
        self.assertEqual(list(self.states(folder, 0).values()), ["done", "not submitted"])
        self.assertEqual(len(results(folder)), 1)
        self.set(most_jobs=1)
        shutil.rmtree(folder)
        folder, jobs = self.submit(points="ranks = 1", status=0)
        self.assertEqual(len(jobs), 1)
        self.wait(*jobs)
        self.assertEqual(list(self.states(folder, 0).values()), ["done"])

    def test_o_a_number_that_is_given_again(self):
        """A server that was set up anew begins with 1: the job of that number is another one."""
        folder, jobs = self.submit("--in-one-job", points="ranks = 1")
        self.wait(*jobs)
        record = folder / "jobs/all.json"
        blocker = executable(self.project / "blocker.pbs", BLOCKER)
        number = self.qsub(blocker.name)
        record.write_text(record.read_text("utf-8").replace(jobs[0], number), "utf-8")
        (next(iter((folder / "points").iterdir())) / "done").unlink()
        self.assertEqual(list(self.states(folder, 0).values()), ["cut off"])
        (self.project / "go").touch()

    def test_p_a_suspended_job(self):
        """It goes on by itself: resume leaves it alone, and watch waits."""
        ready = self.program(GATED)
        folder, jobs = self.submit("--in-one-job", points="ranks = 1,2")
        self.wait_for(ready.exists, "the program has not started")
        self.command("qsig", "-s", "suspend", jobs[0])
        said = self.study("status", folder)
        self.assertRegex(said, rf"suspended +job {jobs[0]}; goes on when .*; qstat -f {jobs[0].split('.')[0]} tells more\n")
        self.assertRegex(said, rf"pending +job {jobs[0]}, which is suspended\n")
        self.assertIn("nothing to submit: 1 suspended, 1 pending\n", self.study("resume", folder))
        (self.place / "ready.go").touch()
        self.command("qsig", "-s", "resume", jobs[0])
        self.study("status", folder, "--watch")
        self.assertEqual(list(self.states(folder, 0).values()), ["done", "done"])


if __name__ == "__main__":
    throwaway.main()
