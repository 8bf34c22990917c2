#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The batch scripts of jobs/ on a real, throw-away Slurm: 4 nodes x 4 GPUs."""
import json
import os
import shlex
import signal
import sys
from pathlib import Path

import throwaway
from throwaway import LONG, MATRIX, SMALL, changed_site

STUDY = """[study]
name = tiny
kind = {kind}
[matrix]
{matrix}
[points]
ranks = 1,2
[sweep]
formats = csr
[run]
device = cpu
repeats = 1
time = 1
arguments = --batches 1 --iterations 1 --warmup 0 --min-seconds 0
"""
SOLVE_STUDY = STUDY.split("arguments")[0] + "command = solve\narguments = --iterations 3\n"


def ranks_of(job):
    """{rank: process} of the program in a job's steps."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            name = (entry / "comm").read_text(encoding="utf-8").strip()
            pairs = (entry / "environ").read_text(errors="replace").split("\0")
            variables = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        except OSError:
            continue
        if name == "rowhalo" and variables.get("SLURM_JOB_ID") == job:
            found[int(variables.get("SLURM_PROCID", -1))] = int(entry.name)
    return found


class Scripts(throwaway.SlurmCase):
    def write(self, name, text):
        (self.project / name).write_text(text, encoding="utf-8")
        return name

    def site(self, name, change):
        return changed_site(self.project, name, change)

    def wait_until_measuring(self, job, ranks):
        self.wait_for(lambda: len(ranks_of(job)) == ranks, f"job {job} has no {ranks} ranks")
        log = self.project / f"rowhalo-run-{job}" / "log-1.txt"
        self.wait_for(lambda: "ranks; hosts" in log.read_text(encoding="utf-8"), "no header")
        # Set-up of so small a matrix is over by then.
        throwaway.time.sleep(max(2, 2 * throwaway.launch.good_seconds()))

    def test_each_script_ends_with_results(self):
        weak = self.write("weak study.ini", STUDY.format(
            kind="weak", matrix="rows_per_rank = 1000\ntemplate = stencil7:{n}"))
        strong = self.write("strong study.ini", STUDY.format(kind="strong",
                                                             matrix="source = stencil7:12"))
        dense = ["--matrix", "dense:32", *throwaway.launch.SHORT]
        submitted = {
            "run": self.sbatch("jobs/slurm/run.sbatch", *SMALL),
            "halo": self.sbatch("jobs/slurm/halo.sbatch", *MATRIX),
            "gemv": self.sbatch("jobs/slurm/gemv.sbatch", *dense),
            "kernels": self.sbatch("jobs/slurm/kernels.sbatch", "--quick", "--only", "elasticity:6"),
            "strong": self.sbatch("jobs/slurm/strong.sbatch", strong),
            "weak": self.sbatch("jobs/slurm/weak.sbatch", weak),
            "solve-strong": self.sbatch("jobs/slurm/solve-strong.sbatch", self.write(
                "solve study.ini", SOLVE_STUDY.format(kind="strong", matrix="source = stencil7:12"))),
        }
        for job in submitted.values():
            self.assert_completed(job)
        place = {name: self.project / f"rowhalo-{name}-{job}" for name, job in submitted.items()}
        self.check_point(place["run"], 8, nodes=2)
        halo = self.check_point(place["halo"], 8, nodes=2)
        self.assertGreater(len({case["transport"] for case in halo["cases"]}), 2)
        gemv = json.loads((place["gemv"] / "result-1.json").read_text(encoding="utf-8"))
        self.assertIn("dense", [entry["name"] for entry in gemv["formats"]])
        self.assertTrue(list(place["kernels"].glob("*.csv")))
        for name in ("strong", "weak", "solve-strong"):
            points = list((place[name] / "points").iterdir())
            self.assertEqual(len(points), 2)
            self.assertTrue(all((point / "done").is_file() for point in points), self.outputs())
            lines = len((place[name] / "results.csv").read_text().splitlines())
            self.assertIn(lines, (3, 5))  # of a solver PETSc's are beside ours

    def test_a_site_that_shares_its_nodes(self):
        """The script's own --exclusive is left out, which no option of sbatch would take back."""
        generic = (self.project / "jobs/sites/generic-slurm.ini").read_text(encoding="utf-8")
        for exclusive, shown in (("no", "OverSubscribe=OK"), ("yes", "OverSubscribe=NO")):
            site = self.write(f"{exclusive}.ini", generic.replace("exclusive = yes", f"exclusive = {exclusive}"))
            job = self.command(sys.executable, "jobs/rowhalo-study", "submit", "jobs/slurm/gemv.sbatch", "--site", site,
                               "--", "--matrix", "dense:32", *throwaway.launch.SHORT).strip()
            self.assertIn(shown, self.command("scontrol", "-o", "show", "job", job))
            self.assert_completed(job)
            self.assertTrue((self.project / f"rowhalo-gemv-{job}" / "done").is_file())

    def test_provenance_is_filtered(self):
        job = self.sbatch("jobs/slurm/run.sbatch", *SMALL, NCCL_TOKEN="hidden",
                          HOME_ADDRESS="hidden", NCCL_DEBUG="WARN")
        self.assert_completed(job)
        place = self.project / f"rowhalo-run-{job}" / "provenance"
        kept = (place / "environment.txt").read_text(encoding="utf-8")
        self.assertIn("NCCL_DEBUG=WARN", kept)
        self.assertIn(f"SLURM_JOB_ID={job}", kept)
        self.assertNotIn("hidden", kept)
        self.assertIn(f"JobId={job}", (place / "job.txt").read_text(encoding="utf-8"))
        self.assertIn("rowhalo", (place / "version.txt").read_text(encoding="utf-8"))

    def test_where_it_is_submitted_from(self):
        matrix = self.place / "my matrix.mtx"
        matrix.write_text("%%MatrixMarket matrix coordinate real general\n9 9 9\n" +
                          "".join(f"{i} {i} {i}.5\n" for i in range(1, 10)), encoding="utf-8")
        arguments = ["--matrix", matrix, *throwaway.launch.SHORT]
        below = self.sbatch("run.sbatch", *arguments, cwd=self.project / "jobs/slurm")
        script = self.project / "jobs/slurm/run.sbatch"
        nowhere = self.sbatch(script, *arguments, cwd=self.place)
        # As under PBS: the words in a variable, which the scripts read where they get none.
        home = self.sbatch(script, cwd=self.place, ROWHALO_HOME=str(self.project),
                           ROWHALO_ARGUMENTS=shlex.join(map(str, arguments)))
        self.assert_completed(below)
        self.check_point(self.project / f"jobs/slurm/rowhalo-run-{below}", 8)
        self.assertEqual(self.wait(nowhere), ("FAILED", 2))
        said = (self.place / f"rowhalo-run-{nowhere}.out").read_text(encoding="utf-8")
        self.assertRegex(said, r"^no jobs/run.sh in .*: submit from .* ROWHALO_HOME\n$")
        self.assert_completed(home)
        self.check_point(self.place / f"rowhalo-run-{home}", 8)

    def test_mpi_that_does_not_belong_to_the_launcher(self):
        # What an MPI without the launcher's PMI does: every rank is alone.
        alone = " ".join(f"-u {name}" for name in ("SLURM_JOBID", "SLURM_JOB_ID", "SLURM_STEPID",
                                                   "SLURM_STEP_ID", "SLURM_NODELIST"))
        site = self.site("alone.ini", lambda line: line.replace("--mpi=pmix", "--mpi=none") +
                         f" env {alone}")
        foreign = self.site("foreign.ini", lambda line: line.replace("pmix", "none"))
        job = self.sbatch("jobs/slurm/run.sbatch", *SMALL, ROWHALO_SITE=site)
        other = self.sbatch("jobs/slurm/run.sbatch", *SMALL, ROWHALO_SITE=foreign)
        # srun ends the other ranks with the first, and may tell their end.
        self.assertIn(self.wait(job), [("FAILED", 2), ("FAILED", 128 + signal.SIGTERM)], self.outputs())
        place = self.project / f"rowhalo-run-{job}"
        self.check_error(place, "the launcher started 8 ranks but MPI sees 1")
        self.assertFalse((place / "result-1.json").exists())
        self.assertEqual(self.wait(other)[0], "FAILED")
        self.check_error(self.project / f"rowhalo-run-{other}", "exit status")

    def test_end_of_time_saves_the_result(self):
        job = self.sbatch("jobs/slurm/run.sbatch", *LONG)
        self.wait_until_measuring(job, 8)
        self.command("scancel", "--batch", "--signal=USR1", job)
        self.assertEqual(self.wait(job), ("FAILED", 1), self.outputs())
        place = self.project / f"rowhalo-run-{job}"
        self.check_error(place, "interrupted by SIGUSR1 in repeat 1 of 1")
        report = json.loads((place / "result-1.json").read_text(encoding="utf-8"))
        self.assertEqual(report["status"], "interrupted")
        self.assertGreater(report["timing"]["batches"], 0)

    def test_failing_rank_fails_the_job(self):
        job = self.sbatch("jobs/slurm/run.sbatch", *LONG)
        self.wait_until_measuring(job, 8)
        os.kill(ranks_of(job)[5], signal.SIGKILL)
        state, status = self.wait(job)
        self.assertEqual(state, "FAILED", self.outputs())
        self.assertNotEqual(status, 0)
        place = self.project / f"rowhalo-run-{job}"
        self.check_error(place, "exit status")
        self.assertFalse((place / "result-1.json").exists())
        self.wait_for(lambda: not ranks_of(job), "ranks were left behind")

    def test_more_ranks_than_the_job_has(self):
        run = f"'{self.project}/jobs/run.sh' --ranks 9 --output refused -- run --matrix stencil7:4"
        job = self.sbatch("--nodes=2", "--ntasks-per-node=4", "--output=refused.out", "--wrap", run)
        self.assertEqual(self.wait(job), ("FAILED", 2))
        self.check_error(self.project / "refused", "9 ranks need 3 nodes with 4 each, there are 2")


if __name__ == "__main__":
    throwaway.main()
