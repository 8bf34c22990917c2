#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`rowhalo network`, and what `info` and `run` predict from its file."""
import json
import unittest

import launch

launch.require("jsonschema")
import jsonschema  # noqa: E402  pylint: disable=wrong-import-position

CPU = ("--device", "cpu")


class Network(launch.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        schema = json.loads((launch.SOURCE / "io/report/report.schema.json").read_text(encoding="utf-8"))
        cls.validator = jsonschema.Draft202012Validator(schema)

    def report(self, command, *arguments, ranks=1, name="report.json"):
        target = self.place / name
        result = launch.run(command, *arguments, "--json", target, ranks=ranks)
        self.assertEqual(result.status, 0, result)
        report = json.loads(target.read_text(encoding="utf-8"))
        self.validator.validate(report)
        return report, result

    def refused(self, command, *arguments, ranks=1):
        result = launch.run(command, *arguments, ranks=ranks)
        self.assertEqual(result.status, 2, result)
        return result.message()

    def test_measure_and_predict(self):
        machine = self.place / "machine.json"
        report, result = self.report("network", *CPU, "--ranks-per-node", 2, ranks=4,
                                     name="machine.json")
        self.assertIn("\nRESULT: PASS", result.stdout)
        self.assert_fits(result)
        network = report["network"]
        self.assertIsNone(report["matrix"])
        self.assertEqual((network["device"], network["ranks"], network["nodes"]), ("cpu", 4, 2))
        self.assertIsNone(network["launch_seconds"])
        reading = network["reading"]
        self.assertEqual([point["bytes"] for point in reading],
                         sorted(point["bytes"] for point in reading))
        self.assertTrue(all(point["seconds"] > 0 for point in reading))
        self.assertGreater(network["product"]["nonzero_seconds"] + network["product"]["row_seconds"], 0)
        self.assertEqual({link["between"] for link in network["links"]}, {"same node", "other node"})
        self.assertLessEqual({"mpi", "mpi-persistent"},
                             {link["transport"] for link in network["links"]})

        # The same partition, planned from the matrix and as it runs.
        words = ("--matrix", "stencil27:24", *CPU, "--ranks-per-node", 2, "--partition", "box",
                 "--machine", machine)
        planned = self.report("info", *words, ranks=4)[0]["expected"]
        self.assertEqual((planned["ranks"], planned["partition"]), (4, "box"))
        run, result = self.report("run", *words, "--halo", "mpi", "--validate", "reference",
                                  *launch.SHORT, ranks=4)
        expected = run["expected"]
        self.assertEqual((expected["ranks"], expected["transport"]), (4, "mpi"))
        for one in (planned, expected):
            self.assertEqual(one["note"], "")
            self.assertGreater(one["exchange_seconds"], 0)
            self.assertAlmostEqual(one["seconds"], one["local_seconds"] + one["exposed_seconds"])
            self.assertGreater(one["efficiency"], 0)
        self.assertRegex(result.stdout, r"\n  measured +\S+ \S+; the expected time is \S+ % (less|more)\n")

        # Any size, without an entry; more nodes than were measured.
        words = ("--dry", "--matrix", "stencil27:3200", "--ranks", 4096, "--machine", machine)
        far, result = self.report("info", *words)
        self.assertEqual(far["expected"]["partition"], "16 x 16 x 16 boxes")
        self.assertEqual(far["info"]["nodes"], 2048)
        self.assertEqual(far["info"]["need"]["ghosts"], 202 ** 3 - 200 ** 3)
        words = ("--dry", "--matrix", "stencil5:40", "--ranks", 40, "--partition", "rows", "--machine", machine)
        flat, _ = self.report("info", *words)
        self.assertEqual(flat["expected"]["partition"], "1 x 40 x 1 boxes")
        self.assertEqual(flat["info"]["need"]["ghosts"], 80)

    def test_refusals(self):
        machine = self.place / "machine.json"
        self.report("network", *CPU, name="machine.json")
        words = ("--matrix", "stencil7:8", "--machine")
        self.assertIn("no such file", self.refused("run", *words, self.place / "absent.json").lower())
        self.write("other.json", "{}")
        self.assertIn("is no machine file; make one: rowhalo network --json FILE",
                      self.refused("info", *words, self.place / "other.json", ranks=2))
        self.assertIn("--dry --machine: messages are known beforehand for stencils and elasticity",
                      self.refused("info", "--dry", "--matrix", "rmat:scale=10", "--machine", machine))
        self.assertIn("64 ranks are more than the 8 layers of the grid; use box",
                      self.refused("info", "--dry", *words, machine, "--partition", "rows", "--ranks", 64))
        # An input is no output.
        self.assertIn("--machine", self.refused("info", *words, machine, "--json", machine))
        text = machine.read_text(encoding="utf-8").replace('"device": "cpu"', '"device": "gpu"')
        machine.write_text(text, encoding="utf-8")
        self.assertIn("was measured on the gpu, but this run computes on the cpu",
                      self.refused("run", *words, machine, *CPU))


if __name__ == "__main__":
    unittest.main()
