#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The PBS scripts of jobs/ through qsub of a throw-away Slurm that plays PBS.

That qsub reads the #PBS lines, sets PBS_* and PBS_NODEFILE, and ignores ngpus, place and -j; jobs
start in the folder they were submitted from. How PBS itself behaves: test_pbs.py.
"""
import json
import shutil
import sys

import throwaway
from throwaway import LONG, MATRIX, SMALL, launch
from test_slurm_scripts import STUDY

if shutil.which("qsub") is None:
    launch.skip_all("there is no qsub: apt-get install slurm-wlm-torque")


class Scripts(throwaway.SlurmCase):
    pbs = True

    def test_each_script_ends_with_results(self):
        for kind, matrix in (("strong", "source = stencil7:12"),
                             ("weak", "rows_per_rank = 1000\ntemplate = stencil7:{n}")):
            (self.project / f"{kind} study.ini").write_text(STUDY.format(kind=kind, matrix=matrix),
                                                            encoding="utf-8")
        submitted = {
            "run": self.qsub("jobs/pbs/run.pbs", " ".join(SMALL)),
            "halo": self.qsub("jobs/pbs/halo.pbs", " ".join(MATRIX)),
            "gemv": self.qsub("jobs/pbs/gemv.pbs", " ".join(["--matrix dense:32", *launch.SHORT])),
            "kernels": self.qsub("jobs/pbs/kernels.pbs", "--quick --only elasticity:6"),
            "strong": self.qsub("jobs/pbs/strong.pbs", "'strong study.ini'"),
            "weak": self.qsub("jobs/pbs/weak.pbs", "'weak study.ini'"),
        }
        for job in submitted.values():
            self.assert_completed(job)
        place = {name: self.project / f"rowhalo-{name}-{job}" for name, job in submitted.items()}
        for name in ("run", "halo"):
            self.check_point(place[name], 8, nodes=2)
            command = (place[name] / "provenance" / "command.txt").read_text(encoding="utf-8")
            self.assertRegex(command, r"^mpirun -n 8 --hostfile ")
            nodefile = (place[name] / "provenance" / "nodefile.txt").read_text(encoding="utf-8")
            self.assertEqual(len(nodefile.split()), 8)
        gemv = json.loads((place["gemv"] / "result-1.json").read_text(encoding="utf-8"))
        self.assertIn("dense", [entry["name"] for entry in gemv["formats"]])
        self.assertTrue(list(place["kernels"].glob("*.csv")))
        for name in ("strong", "weak"):
            self.assertEqual(len((place[name] / "results.csv").read_text().splitlines()), 3)

    def test_walltime_saves_the_result(self):
        job = self.qsub("jobs/pbs/run.pbs", " ".join(LONG))
        log = self.project / f"rowhalo-run-{job}" / "log-1.txt"
        self.wait_for(lambda: log.is_file() and "ranks; hosts" in log.read_text(encoding="utf-8"),
                      "no header")
        throwaway.time.sleep(max(2, 2 * throwaway.launch.good_seconds()))
        self.command("scancel", "--batch", "--signal=TERM", job)
        self.assertEqual(self.wait(job), ("FAILED", 1), self.outputs())
        self.check_error(log.parent, "interrupted by SIGTERM")
        report = json.loads((log.parent / "result-1.json").read_text(encoding="utf-8"))
        self.assertEqual(report["status"], "interrupted")


if __name__ == "__main__":
    sys.exit(throwaway.main())
