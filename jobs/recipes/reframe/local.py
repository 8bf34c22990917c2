# SPDX-License-Identifier: BSD-3-Clause
"""Settings of ReFrame for this machine, without a scheduler, by mpirun. For a cluster, copy the `extras` into a
partition of the site's own settings. These references only refuse a machine or build that is far too slow; replace
them by figures that ReFrame has printed on the machine, e.g. "spmv_gbytes": (2060, -0.05, 0.05, "GB/s")."""

site_configuration = {
    "systems": [
        {
            "name": "local",
            "hostnames": [".*"],
            "partitions": [
                {
                    "name": "default",
                    "scheduler": "local",
                    "launcher": "mpirun",
                    "environs": ["default"],
                    "max_jobs": 1,
                    "extras": {
                        "rowhalo_references": {
                            # (value, lower, upper, unit): at least 1 GB/s, and so on
                            "RowhaloRun": {
                                "spmv_gbytes": (1, 0, None, "GB/s"),
                                "setup_seconds": (60, None, 0, "s"),
                            },
                            "RowhaloSolve": {"solve_gflops": (0.1, 0, None, "GF/s")},
                        },
                    },
                },
            ],
        },
    ],
    "environments": [{"name": "default"}],
}
