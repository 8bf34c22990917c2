#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rowhalo-study official believes nothing: every figure that a verdict rests on has a kind and a range, and a bundle costs
what its bytes cost. Short cases in this process; those of limits under a limit of memory."""
import copy
import gzip
import io
import json
import resource
import subprocess
import sys
import tarfile
import time
import unittest

from official_results import Made
from results import JOBS, launch

# pylint: disable=wrong-import-position
from rowhalo_study.official import bundle  # noqa: E402
from rowhalo_study.official.figures import FIGURES, FILLED, PLAN  # noqa: E402
from rowhalo_study.official.rating import Broken, Evidence, add_report, assess  # noqa: E402
from rowhalo_study.studies.shape import TRUTH, parse_json  # noqa: E402

NAN, INFINITE = float("nan"), float("inf")
MEMORY, SECONDS = 4000000 << 10, 5


def figures_of(shape, path=()):
    """(path, kind) of all that must be there; a list by its first entry."""
    for key, inner in shape.items():
        if not key.endswith("!"):
            continue
        place = (*path, key[:-1])
        yield place, inner
        if isinstance(inner, list) and isinstance(inner[0], dict) and inner[0]:
            yield from figures_of(inner[0], (*place, 0))
        elif isinstance(inner, dict):
            yield from figures_of(inner, place)


def spoilt(kind):
    """Values that are none of this kind."""
    wrong = [None, NAN, -1, [1], {"a": 1}, "fast\0", True]
    if isinstance(kind, dict):
        wrong = [one for one in wrong if not isinstance(one, dict)]
    elif isinstance(kind, list):
        wrong = [one for one in wrong if not isinstance(one, list)] + [[None]]
    else:
        wrong += ["fast", ""] if str not in kind.types else [7] if int not in kind.types else []
        wrong += [""] if kind == FILLED else []
        wrong += [INFINITE] + ([10 ** 30] if int in kind.types and kind.high < INFINITE else [])
    return [one for one in wrong if not (one is True and kind == TRUTH)]


def changed(value, path, change):
    """A copy in which `change` (container, key) was done to what is at the path."""
    value = copy.deepcopy(value)
    where = value
    for key in path[:-1]:
        where = where[key]
    change(where, path[-1])
    return value


def put(new):
    def change(where, key):
        where[key] = new
    return change


def archive(*members, names=None):
    """A .tar.gz of (TarInfo, bytes)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=names or tarfile.USTAR_FORMAT) as file:
        for member, content in members:
            file.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def member(name, content=b"", **more):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info, content


class Figures(unittest.TestCase):
    """One run of each problem, of which one figure is spoilt."""

    def setUp(self):
        self.made = Made(seconds=5.0)
        self.files = self.made.files()

    def reasons(self, name, content):
        result = assess({**self.files, name: json.dumps(content).encode()})
        self.assertEqual(result["verdict"], "INVALID", result)
        json.dumps(result, allow_nan=False)
        return "\n".join(result["reasons"])

    def flaws(self, problem, report):
        """What add_report says of it, which makes a verdict INVALID (the first loop below)."""
        evidence = Evidence({}, [], {problem: {}}, {problem: {}}, {}, {}, {})
        point = next(point for point in self.made.plan["points"] if point["name"] == problem)
        add_report(evidence, point, 1, report)
        return evidence.flaws.get((problem, 1))

    def test_every_figure_of_a_report(self):
        self.assertEqual(assess(self.files)["verdict"], "REHEARSAL")
        for problem, command in (("road", "run"), ("solve", "solve")):
            report = self.made.reports[problem, 1]
            figures = list(figures_of(FIGURES[command]))
            self.assertGreater(len(figures), 25)
            for path, kind in figures:
                text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]
                said = self.reasons(f"points/{problem}/result-1.json",
                                    changed(report, path, lambda where, key: where.pop(key)))
                self.assertRegex(said, rf"{text.replace('[', '.').replace(']', '.')} is missing[^\n]*: {problem}, run 1")
                for value in spoilt(kind):
                    with self.subTest(f"{text} = {value}"):
                        flaws = self.flaws(problem, changed(report, path, put(value)))
                        self.assertTrue(flaws and text.partition(".")[0].partition("[")[0] in flaws[0], flaws)

    def test_every_figure_of_the_plan(self):
        for path, kind in figures_of(PLAN):
            for value in spoilt(kind):
                with self.subTest(f"{path} = {value}"):
                    content = json.dumps(changed(self.made.plan, path, put(value))).encode()
                    with self.assertRaisesRegex(Broken, r"\Aplan.json[: ].*\Z"):
                        assess({**self.files, "plan.json": content})

    def test_numbers_that_are_none(self):
        """As text of JSON: literals that Python takes, and digits without end."""
        name = "points/road/result-1.json"
        text = json.dumps(self.made.reports["road", 1])
        for literal in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 100000, "-1", "true", '"1"', "null", "[]"):
            spoilt_text = text.replace('"max_error_ratio": 0.5', f'"max_error_ratio": {literal}')
            self.assertNotEqual(spoilt_text, text)
            result = assess({**self.files, name: spoilt_text.encode()})
            self.assertIn("validation.max_error_ratio is", "\n".join(result["reasons"]), literal[:20])

    def test_nulls_that_are_allowed(self):
        """What was not measured is null and no reason against a report."""
        report = self.made.reports["road", 1]
        report["setup"]["read_seconds"] = report["provenance"]["mpi"] = report["partition"]["nodes"] = None
        self.assertEqual(self.made.result()["verdict"], "REHEARSAL")

    def test_no_json(self):
        for content, said in ((b"{", "is not JSON"), (b'{"a": "\xff"}', "is not UTF-8: byte 7"),
                              (b"[" * 100000, "nested too deeply"), (b'{"a": 1, "a": 2}', "'a' stands twice"),
                              (b'{"a": 01}', "is not JSON"), (b"", "is not JSON")):
            with self.assertRaisesRegex(Broken, "points/road/result-1.json: .*" + said):
                assess({**self.files, "points/road/result-1.json": content})
        self.assertEqual(parse_json("[" + "1" * 18 + "]"), [int("1" * 18)])


class Rules(unittest.TestCase):
    """What is judged of figures that are there."""

    def setUp(self):
        self.made = Made()
        self.solver = self.made.reports["solve", 3]["solvers"][0]
        self.run = self.made.reports["road", 2]

    def check(self, text):
        result = self.made.result()
        self.assertEqual(result["verdict"], "INVALID")
        self.assertIn(text, "\n".join(result["reasons"]))

    def test_solver(self):
        self.solver.update(true_residual=0.9, error=0.5)
        self.check("true residual |b - A x| over |b| is 0.9, that of the iterations 2.88e-09: solve, run 3")
        self.check("x is wrong: its error is 0.5, more than 0.0001: solve, run 3")
        self.solver.update(true_residual=1e-5, first_norm=1, last_norm=1e-5, error=1e-8)
        self.check("true residual |b - A x| over |b| is 1e-05, more than 1e-06: solve, run 3")
        self.setUp()
        self.solver.update(method="power", preconditioner="none")
        self.check("set changed: method power, not cg: solve, run 3")
        self.check("set changed: preconditioner none, not jacobi: solve, run 3")
        self.setUp()
        self.made.reports["solve", 3]["solvers"] *= 2
        self.check("2 solvers, not one: solve, run 3")
        self.made.reports["solve", 4]["solvers"] = []
        self.check("no solver: solve, run 4")

    def test_product(self):
        for change, said in ((("validation", {"against": "none"}), "y was not checked by the reference, but by none"),
                             (("kernel", {"precision": "fp32"}), "set changed: the precision is fp32, not fp64")):
            self.setUp()
            self.run[change[0]].update(change[1])
            self.check(f"{said}: road, run 2")
        self.setUp()
        self.run["cases"] = [{"format": "csr", "transport": "", "graph": False, "median_seconds": 1e-9}]
        self.check("set changed: 1 combinations of format and transport in a run: road, run 2")
        self.setUp()
        self.run["command"], self.run["solvers"] = "solve", []
        self.check("set changed: the command is solve, not run: road, run 2")

    def test_plan(self):
        for key, value in (("repeats", 10 ** 12), ("ranks", 5), ("nodes", 2), ("ranks_per_node", 3),
                           ("device", "cpu"), ("matrix", "road:nx=1"), ("arguments", []), ("command", "solve")):
            self.setUp()
            self.made.plan["points"][3][key] = value
            self.check(f"set changed: {key} of a point is ")
        self.setUp()
        self.made.plan["study"] = "official-rack-standard"
        self.check("set changed: study is official-rack-standard, not official-node-standard")
        self.made.plan["points"] *= 2
        with self.assertRaisesRegex(Broken, "points is empty, or names one twice"):
            self.made.result()
        self.setUp()
        self.made.plan["official"]["options"] = ["--validate", "none"]
        self.check("set changed: ")

    def test_long_words(self):
        self.run["argv"].append("x" * 10 ** 6)
        result = self.made.result()
        self.assertLess(max(map(len, result["reasons"])), 1000)

    def test_many_words(self):
        """Their time grows as their number."""
        self.run["argv"] *= 20000
        start = time.process_time()
        self.made.result()
        self.assertLess(time.process_time() - start, SECONDS)


class Limits(launch.Case):
    """What bundles say of themselves is not believed. Each ends with a line that says why."""

    def setUp(self):
        super().setUp()
        self.path = self.place / "made.tar.gz"

    def refused(self, content, said, status=1):
        self.path.write_bytes(content)
        start = time.process_time()
        with self.assertRaisesRegex(Broken, said) as caught:
            bundle.check(self.path)
        self.assertNotIn("\n", str(caught.exception))
        self.assertLess(time.process_time() - start, SECONDS)
        return status

    def test_kinds(self):
        for kind, said in ((tarfile.SYMTYPE, "a symbolic link"), (tarfile.LNKTYPE, "a hard link"),
                           (tarfile.CHRTYPE, "a device"), (tarfile.BLKTYPE, "a device"), (tarfile.FIFOTYPE, "a pipe"),
                           (tarfile.CONTTYPE, "of kind 7"), (b"x", "of kind x"), (b"L", "of kind L")):
            self.refused(archive(member("a/b", type=kind, linkname="/etc/passwd")), f"is no plain file, but {said}")
        head = bytearray(member("a/plan.json")[0].tobuf(tarfile.GNU_FORMAT))
        head[156:157] = b"S"
        head[386:482] = (b"00000000000\x0000000000000\0" * 4)
        head[483:495] = b"%011o\0" % (64 << 30) if (64 << 30) < 8 ** 11 else b"\x80" + (64 << 30).to_bytes(11, "big")
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        self.refused(gzip.compress(bytes(head) + bytes(1024)), "plan.json': is no plain file, but a sparse file")

    def test_names(self):
        for name in ("/a/b", "a/../b", "../b", "a/./b", "a//b", "b", "a/b\\c", "a/b\nc", "a/\x1b[31m", "a/\u202eb"):
            self.refused(archive(member(name)), "is no name of a file in the bundle's folder")
        self.refused(archive(member("a/b"), member("c/d")), "c/d.: is no name of a file")
        self.refused(archive(member("a/b"), member("a/b")), "b: is there twice")
        self.refused(archive(member("a/" + "b" * 200), names=tarfile.GNU_FORMAT), "of kind L")

    def test_sizes(self):
        for size in (3 << 30, 8 ** 11 - 1):
            head = member("a/b")[0]
            head.size = size
            self.refused(gzip.compress(head.tobuf(tarfile.USTAR_FORMAT) + bytes(4096)),
                         f"a/b: says that it holds {size} bytes; a bundle of this size may hold 32 MiB in all")
        zeros = bytes(1 << 20)
        self.refused(archive(*(member(f"a/{number}", zeros) for number in range(40))), "may hold 3. MiB in all")
        self.refused(archive(*(member(f"a/{number}") for number in range(bundle.MOST_FILES + 1))),
                     "one file more than the 10000")
        self.refused(gzip.compress(bytes(64 << 20)), "holds more after its last file")
        head = member("a/b")[0]
        head.size = 1000
        self.refused(gzip.compress(head.tobuf(tarfile.USTAR_FORMAT) + bytes(100)), "a/b: is cut off")

    def test_end_of_the_archive(self):
        content = archive(member("a/b"))
        for bad in (content[:-4], content[:-8] + bytes(8), gzip.compress(gzip.decompress(content) + b"more")):
            self.refused(bad, "damaged|holds more")

    def test_a_folder_that_is_too_large(self):
        """rowhalo-study official makes no bundle that it would refuse."""
        with self.assertRaisesRegex(Broken, "may hold 3. MiB in all"):
            bundle.archive_of({f"log-{number}.txt": bytes(1 << 20) for number in range(40)}, "name")

    def test_in_little_memory(self):
        """In a process of its own, as a user calls it."""
        files = Made().files()
        files["points/road/result-1.json"] = b"[" + b'{"":0},' * (1 << 20) + b"0]"
        files[bundle.MANIFEST] = bundle.manifest_of(files).encode()
        packed = archive(*(member(f"a/{name}", content) for name, content in files.items()))
        self.path.write_bytes(packed)
        run = subprocess.run([sys.executable, "-B", JOBS / "rowhalo-study", "official", "check", self.path], check=False, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=launch.PATIENCE,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        self.assertIn(run.returncode, (1, 3), run.stderr)
        self.assertNotIn("Traceback", run.stderr)


if __name__ == "__main__":
    unittest.main()
