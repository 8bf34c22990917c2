#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A rank that dies or stops, and signals that ask for an early end."""
import json
import os
import signal
import time
import unittest
import unittest.mock

import launch

LIMIT = max(3, round(3 * launch.good_seconds()))  # of --timeout, in seconds
SOON = 200  # seconds: mpirun notices and cleans up; less than the default of --timeout
LONG = ["run", "--matrix", "stencil7:24", "--min-seconds", "600", "--timeout", LIMIT,
        "--format", "csr", "--halo", "mpi", "--iterations", "10"]


def alive(pid):
    """Zombies do not count: in a container there may be nobody to collect them."""
    return (launch.state_and_parent(pid) or "Z")[0] != "Z"


class Failures(launch.Case):
    def start_long_run(self, *more):
        """A job in the middle of its measurement: (process, ranks, JSON path)."""
        target = self.place / "result.json"
        process = launch.start([*LONG, "--json", target, *more], ranks=4)
        ranks = launch.wait_until_measuring(process, 4)
        self.assertIsNone(process.poll())
        self.assertEqual(len(ranks), 4)
        return process, ranks, target

    def ends_without_result(self, which):
        process, ranks, target = self.start_long_run()
        sent = time.monotonic()
        os.kill(ranks[1], which)
        result = launch.finish(process)
        seconds = time.monotonic() - sent
        self.assertIsInstance(result.status, int, result)
        self.assertNotEqual(result.status, 0, result)
        self.assertLess(seconds, SOON, result)
        self.assertNotIn("RESULT: PASS", result.stdout)
        self.assertEqual(list(self.place.iterdir()), [], "no result file, nor a part of one")
        while any(map(alive, ranks)) and time.monotonic() < sent + SOON:
            time.sleep(0.1)
        self.assertEqual([pid for pid in ranks if alive(pid)], [], "ranks left behind")
        return result

    def test_a_process_without_launcher_shares_no_folder(self):
        """In the temporary folder, with others that end and take it away."""
        with unittest.mock.patch.dict(launch.ENVIRONMENT, OMPI_MCA_orte_tmpdir_base="/dev/null/none"):
            result = launch.run("run", "--matrix", "stencil7:4", *launch.SHORT, ranks=0)
        self.assertEqual(result.status, 0, result)

    def test_killed_rank(self):
        self.ends_without_result(signal.SIGKILL)

    def test_stopped_rank(self):
        result = self.ends_without_result(signal.SIGSTOP)
        self.assertIn("--timeout", result.stderr)
        self.assertRegex(result.stderr, r"\[rank \d+ on ")

    def ends_with_result(self, send):
        process, ranks, target = self.start_long_run()
        send(process, ranks)
        result = launch.finish(process)
        self.assertEqual(result.status, 1, result)
        report = json.loads(target.read_text(encoding="utf-8"))
        self.assertEqual(report["status"], "interrupted")
        self.assertGreater(report["timing"]["batches"], 0)
        self.assertGreater(report["timing"]["median_seconds"], 0)

    def test_sigterm_to_all_ranks(self):
        self.ends_with_result(lambda _, ranks: [os.kill(pid, signal.SIGTERM) for pid in ranks])

    def test_sigterm_to_one_rank(self):
        self.ends_with_result(lambda _, ranks: os.kill(ranks[2], signal.SIGTERM))

    def test_sigusr1_to_the_launcher(self):
        """mpirun forwards it to every rank; a batch system sends it before the time is over."""
        self.ends_with_result(lambda process, _: process.send_signal(signal.SIGUSR1))

    def test_time_limit_does_not_strike_a_healthy_run(self):
        """Few products per batch: on a busy machine each may take a thousand times as long as on a quiet
        one, by whose speed batches were sized."""
        result = launch.run("run", "--matrix", "stencil7:16", "--min-seconds", LIMIT + 1, "--timeout",
                            LIMIT, "--validate", "reference", "--format", "csr", "--halo", "mpi",
                            "--iterations", 10, "--warmup", 2)
        self.assertEqual(result.status, 0, result)


if __name__ == "__main__":
    unittest.main()
