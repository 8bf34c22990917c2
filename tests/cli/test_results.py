#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`rowhalo run --hdf5` and `kernels --hdf5`: what the JSON holds, the times of every rank and batch,
what every rank owns, and the communication matrix, which agrees with `rowhalo info`."""
import json
import signal
import unittest

import launch

launch.require("h5py", "numpy")
import h5py  # noqa: E402  pylint: disable=wrong-import-position
import hdf5_report  # noqa: E402  pylint: disable=wrong-import-position
import numpy  # noqa: E402  pylint: disable=wrong-import-position


class Results(launch.Case):
    def both(self, command, *arguments, ranks):
        """The JSON and the path of the HDF5 file of one run."""
        files = [self.place / name for name in ("result.json", "result.h5")]
        result = launch.run(command, *arguments, "--json", files[0], "--hdf5", files[1],
                            ranks=ranks)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(sorted(self.place.iterdir()), sorted(files))
        return json.loads(files[0].read_text(encoding="utf-8")), files[1]

    def test_ranks_batches_and_flows(self):
        matrix = ["--matrix", "random:rows=301,columns=301,row=5", "--partition", "nnz"]
        for ranks in (1, 3, 7):
            report, target = self.both("run", *matrix, "--format", "csr", "--halo", "auto", "--precision", "fp32",
                                       "--batches", 6, "--iterations", 4, "--min-seconds", 0,
                                       "--ranks-per-node", 2, ranks=ranks)
            self.assertIsNone(report["communication"])
            hdf5_report.check(self, target, report, beside=("communication",))
            with h5py.File(target) as file:
                self.check_ranks(file["ranks"], report, ranks)
                self.check_flows(file["communication"], report, matrix, ranks)

    def check_ranks(self, section, report, ranks):
        values = {name: section[name][:] for name in section}
        for name in ("rows", "nonzeros"):
            self.assertEqual(len(values[name]), ranks)
            self.assertEqual(values[name].sum(), report["matrix"][name])
            self.assertEqual(values[name].max(), report["partition"][name]["max"])
        self.assertEqual(values["boundary_rows"].sum(), report["halo"]["boundary_rows"])
        self.assertEqual(4 * values["sent_entries"].sum(), report["halo"]["bytes_total"])
        self.assertEqual(4 * values["sent_entries"].max(), report["halo"]["bytes_max_rank"])
        self.assertEqual(values["ghosts"].sum(), values["sent_entries"].sum())
        timing = report["timing"]
        batches = values["batch_seconds"]
        self.assertEqual(batches.shape, (ranks, timing["batches"]))
        slowest = batches.max(axis=0)
        self.assertAlmostEqual(numpy.median(slowest), timing["median_seconds"], places=15)
        self.assertAlmostEqual(slowest.min(), timing["min_seconds"], places=15)
        pairs = 5 if report["halo"]["bytes_total"] else timing["batches"]
        self.assertEqual(values["local_batch_seconds"].shape, (ranks, pairs))
        self.assertGreater(values["local_batch_seconds"].min(), 0)
        for phase, seconds in timing["phases"].items():
            self.assertEqual(len(values[phase + "_seconds"]), ranks)
            self.assertEqual(values[phase + "_seconds"].max(), seconds)

    def check_flows(self, section, report, matrix, ranks):
        target = self.place / "info.json"
        planned = launch.run("info", *matrix, "--precision", "fp32", "--ranks-per-node", 2,
                             "--json", target, ranks=ranks)
        self.assertEqual(planned.status, 0, planned)
        expected = json.loads(target.read_text(encoding="utf-8"))["communication"]
        target.unlink()
        self.assertEqual(section.attrs["partition"], expected["partition"])
        self.assertEqual(section.attrs["ranks"], ranks)
        self.assertEqual(section["node_of_rank"][:].tolist(), expected["node_of_rank"])
        for name in ("from", "to", "entries", "bytes") if expected["flows"] else ():
            self.assertEqual(section[name][:].tolist(), [flow[name] for flow in expected["flows"]])
        self.assertEqual(len(expected["flows"]), report["halo"]["messages"])

    def test_all_combinations_keep_the_fastest(self):
        report, target = self.both("run", "--matrix", "stencil7:6", "--halo", "all", "--format",
                                   "all", *launch.SHORT, ranks=2)
        self.assertGreater(len(report["cases"]), 4)
        hdf5_report.check(self, target, report, beside=("communication",))
        with h5py.File(target) as file:
            self.assertAlmostEqual(file["ranks/batch_seconds"][:, 0].max(),
                                   report["timing"]["median_seconds"], places=15)

    def test_an_interrupted_run_keeps_its_batches(self):
        target = self.place / "a.h5"
        process = launch.start(["run", "--matrix", "stencil7:16", "--min-seconds", "600", "--format",
                                "csr", "--halo", "mpi", "--hdf5", target], ranks=3)
        launch.wait_until_measuring(process, 3)
        process.send_signal(signal.SIGUSR1)  # mpirun forwards it to every rank
        self.assertEqual(launch.finish(process).status, 1)
        with h5py.File(target) as file:
            self.assertEqual(file.attrs["status"], "interrupted")
            batches = file["timing"].attrs["batches"]
            self.assertGreater(batches, 0)
            self.assertEqual(file["ranks/batch_seconds"].shape, (3, batches))
            self.assertEqual(file["ranks/local_batch_seconds"].shape, (3, 0))
            self.assertGreater(file["ranks/batch_seconds"][:].min(), 0)

    def test_kernels(self):
        report, target = self.both("kernels", "--matrix", "stencil5:12", *launch.SHORT, ranks=1)
        hdf5_report.check(self, target, report)
        with h5py.File(target) as file:
            self.assertIn(b"csr", file["formats/name"][:])
            self.assertNotIn("ranks", file)

    def test_refusals(self):
        for command in ("run", "kernels"):
            result = launch.run(command, "--matrix", "stencil5:4", "--hdf5",
                                self.place / "no" / "a.h5", ranks=1)
            self.assertEqual(result.status, 2, result)
            self.assertIn("there is no directory", result.message())


class WithoutHdf5(launch.Case):
    def test_refused_with_the_remedy(self):
        target = self.place / "a.h5"
        result = launch.run("run", "--matrix", "stencil5:4", "--hdf5", target, ranks=2)
        self.assertEqual(result.status, 2, result)
        self.assertIn("ROWHALO_WITH_HDF5=ON", result.message())
        self.assertFalse(target.exists())


if __name__ == "__main__":
    unittest.main(defaultTest="Results" if launch.built_with("HDF5") else "WithoutHdf5")
