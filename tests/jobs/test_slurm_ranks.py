#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""64 ranks on 8 nodes of a throw-away Slurm. On few cores they starve all else: in ctest alone."""
import throwaway
from throwaway import SMALL, changed_site


class ManyRanks(throwaway.SlurmCase):
    nodes, cpus, gpus = 8, 8, 8

    def test_64_ranks_on_8_nodes(self):
        # With srun's PMIx, 64 ranks that share two cores and one address at times die inside
        # MPI_Init (of Open MPI 4.1.4, in its TCP); started by mpirun they do not.
        site = changed_site(self.project, "mpirun.ini",
                            lambda _: "command = mpirun -n {ranks} {host_options}")
        job = self.sbatch("--nodes=8", "--ntasks-per-node=8", "--gpus-per-node=8",
                          "jobs/slurm/run.sbatch", *SMALL, "--halo", "mpi", "--format", "csr",
                          ROWHALO_SITE=site)
        self.assert_completed(job)
        place = self.project / f"rowhalo-run-{job}"
        self.check_point(place, 64, nodes=8)
        hosts = (place / "provenance" / "nodes.txt").read_text(encoding="utf-8").split()
        self.assertEqual(hosts, [f"n{i}" for i in range(1, 9)])


if __name__ == "__main__":
    throwaway.main()
