#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks on 8 nodes x 8 GPUs of a throw-away Slurm: two a node, with --all eight.

64 ranks need as many cores as can be had: while they wait for each other in MPI_Init every one wakes
up 10000 times per second, and on two cores starves the daemons that it waits for, at times for minutes.
"""
import sys

import throwaway
from throwaway import SMALL, changed_site

A_NODE = 8 if "--all" in sys.argv else 2


class ManyNodes(throwaway.SlurmCase):
    nodes, cpus, gpus = 8, 8, 8

    def test_ranks_on_8_nodes(self):
        # With srun's PMIx, 64 ranks that share two cores and one address at times die inside
        # MPI_Init (of Open MPI 4.1.4, in its TCP); started by mpirun they do not.
        site = changed_site(self.project, "mpirun.ini",
                            lambda _: "command = mpirun -n {ranks} {host_options}")
        job = self.sbatch("--nodes=8", f"--ntasks-per-node={A_NODE}", "--gpus-per-node=8",
                          "jobs/slurm/run.sbatch", *SMALL, ROWHALO_SITE=site)
        self.assertEqual(self.wait(job, 300), ("COMPLETED", 0), self.outputs())
        place = self.project / f"rowhalo-run-{job}"
        self.check_point(place, 8 * A_NODE, nodes=8)
        hosts = (place / "provenance" / "nodes.txt").read_text(encoding="utf-8").split()
        self.assertEqual(hosts, [f"n{i}" for i in range(1, 9)])


if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word != "--all"]
    throwaway.main()
