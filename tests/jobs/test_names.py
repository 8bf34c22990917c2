#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names are data in jobs/: what the functions of names.py promise, and names of points, pages and scripts."""
import ast
import csv
import io
import json
import random
import re
import subprocess
import sys
import unittest
from types import SimpleNamespace

import nasty
from results import JOBS, launch, script

# pylint: disable=wrong-import-position
from rowhalo_study.results.data import Detail  # noqa: E402
from rowhalo_study.results.hdf5 import WrongFile  # noqa: E402
from rowhalo_study.plots.ranks import flows_of  # noqa: E402
from rowhalo_study.names import quoted, shown, typed_line, utf8  # noqa: E402
from rowhalo_study.pages.page import escape, escape_lines, json_text, script_text  # noqa: E402
from rowhalo_study.studies.plan import NAME  # noqa: E402
from rowhalo_study.studies.points import name_of, slug  # noqa: E402
from rowhalo_study.results.rows import csv_text  # noqa: E402

MANY = [nasty.name(random.Random(seed)) for seed in range(400)] + nasty.PIECES


class Functions(unittest.TestCase):
    def test_shown(self):
        for text, wanted in (("a\nRESULT: PASS", "a\\nRESULT: PASS"), ("\x1b[31m", "\\x1b[31m"), ("\u202e", "\\u202e"),
                             ("\udcff", "\\xff"), ("\ud800", "\\ud800"), ("\x85\u2028", "\\x85\\u2028"),
                             ("行 é 'x'", "行 é 'x'"), ("\U000e0001", "\\U000e0001"), (7, "7")):
            self.assertEqual(shown(text), wanted)
        for text in MANY:
            self.assertTrue(shown(text).isprintable())
            shown(text).encode("utf-8")

    def test_quoted_is_what_bash_reads(self):
        line = typed_line(MANY)
        self.assertTrue(line.isprintable())
        for locale in ("C", "C.UTF-8"):
            made = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], check=True, stdout=subprocess.PIPE,
                                  env={"LC_ALL": locale, "PATH": "/usr/bin:/bin"})
            self.assertEqual(made.stdout.split(b"\0")[:-1], [text.encode("utf-8", "surrogateescape") for text in MANY])
        self.assertEqual(quoted("a\ud800'"), "$'a\\xed\\xa0\\x80\\''")
        self.assertEqual([quoted("plain.mtx"), quoted("big machine.ini")], ["plain.mtx", "'big machine.ini'"])

    def test_csv_reads_back(self):
        rows = [dict(matrix=text, ranks=1, format="csr", median_seconds=1.0) for text in MANY + ["\ud800"]]
        text = csv_text(rows, ("matrix", "ranks", "format", "median_seconds"))
        lines = list(csv.DictReader(io.StringIO(text.encode("utf-8").decode("utf-8"), newline="")))
        self.assertEqual([line["matrix"] for line in lines], [utf8(row["matrix"]) for row in rows])
        self.assertEqual(utf8("a\nb"), "a\nb")

    def test_pages(self):
        for text in MANY:
            self.assertNotRegex(escape(text), r"[<>\"'\x00-\x1f\x7f-\x9f\u202e]")
            self.assertNotRegex(json_text(text), r"[<>&]")
        self.assertEqual(escape_lines("a\n<b>\x1b"), "a\n&lt;b&gt;\\x1b")
        for end in ("</script>", "</SCRIPT>", "</ScRiPt >", "</sCRIPT", "<!-- <script>"):
            code = script_text(f'var text = "{end}";')
            self.assertNotRegex(code, re.compile("</script|<!--", re.IGNORECASE))
        self.assertEqual(script_text("a </b> < /script"), "a </b> < /script")

    def test_one_function_prints(self):
        """A print of its own, or a parser that shows words as they are, would let a name through."""
        for path in JOBS.rglob("*.py"):
            if {"recipes", "__pycache__"}.intersection(path.parts) or path.name in ("names.py",):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                called = node.func if isinstance(node, ast.Call) else None
                found = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
                self.assertNotIn(found, ("print", "ArgumentParser"), f"{path}:{getattr(node, 'lineno', 0)}")
                if found in ("quote", "join") and isinstance(called, ast.Attribute):
                    owner = getattr(called.value, "id", "")
                    self.assertFalse(owner == "shlex" and path.name != "rows.py", f"{path}:{node.lineno}")


class Points(unittest.TestCase):
    STUDY = SimpleNamespace(command="run", sweep={key: [] for key in (
        "formats", "halos", "partitions", "precisions", "schedules", "threads", "vectors")})

    def test_names(self):
        taken, names = set(), []
        for text in MANY + ["x" * 300, "-x", ".x", "_x", "..", ""]:
            for command in ("run", "kernels"):
                study = SimpleNamespace(command=command, sweep=self.STUDY.sweep)
                names.append(name_of({"matrix": f"/place/{text}.mtx", "ranks": 1}, study, taken))
                self.assertTrue(NAME.fits(names[-1]) and len(names[-1]) < 120, names[-1])
        self.assertEqual(len(set(names)), len(names))

    def test_other_letters(self):
        """The same name in every study, another one for other letters."""
        self.assertEqual(slug("stencil7:nx=4,ny=4"), "stencil7-nx-4-ny-4")
        self.assertRegex(slug("行列"), r"\A[0-9a-f]{8}\Z")
        self.assertNotEqual(slug("行列"), slug("列行"))
        self.assertRegex(slug("größe"), r"\Agr-e-[0-9a-f]{8}\Z")

    def test_a_study_of_such_a_matrix(self):
        with launch.tempfile.TemporaryDirectory() as folder:
            place = launch.Path(folder)
            (place / "行列.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
            (place / "letters.ini").write_text("[study]\nname = letters\nkind = list\n[matrix]\nsource = 行列.mtx\n"
                                               "[points]\nranks = 1\n[run]\ncommand = kernels\nrepeats = 1\n",
                                               encoding="utf-8")
            with nasty.patch.dict(nasty.os.environ, ROWHALO=str(nasty.fake_program(place))):
                made = script("study", "plan", place / "letters.ini", "--site", "local", "--output", place / "out")
            self.assertRegex(made.stdout, r"(?m)^[a-z0-9][a-z0-9.-]* +1 +1 .*行列.mtx")


class Hints(launch.Case):
    def test_a_site_that_is_new(self):
        for text in MANY[::40]:
            target = self.place / text
            made = script("new", "site", "generic-slurm", target)
            self.assertEqual(made.returncode, 0, made.stderr)
            nasty.check_text(made.stdout + made.stderr, "rowhalo-study new")
            line = made.stdout.rpartition("then: ")[2]
            told = subprocess.run(["bash", "-c", f"{line}\nprintf %s \"$ROWHALO_SITE\""], check=True,
                                  stdout=subprocess.PIPE).stdout
            self.assertEqual(told, nasty.os.fsencode(target.resolve()))

    def test_shell(self):
        for text in MANY:
            made = subprocess.run(["bash", "-c", 'source "$1"; shown "$2"', "bash", JOBS / "shell/names.sh", text],
                                  check=True, stdout=subprocess.PIPE, env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
                                  ).stdout if MANY.index(text) % 10 == 0 else b"\n"
            self.assertNotRegex(made[:-1], rb"[\x00-\x1f\x7f]|\xe2\x80\xae|\xe2\x80\xa8|\xc2\x85")
            self.assertEqual(made[-1:], b"\n")


class Changed(launch.Case):
    """Reports, plans and records that were changed by hand: one line of error that names the field."""

    def test_reports(self):
        report = json.loads((JOBS / "results/samples/run.json").read_text("utf-8"))
        for section in ("provenance", "matrix", "partition", "halo", "kernel", "setup", "memory", "timing",
                        "performance", "validation", "telemetry", "bandwidth", "cases"):
            for value in (7, "text", [1], True, {"a": 1} if section == "cases" else "x"):
                path = self.write("r.json", json.dumps({**report, section: value}))
                for program in ("table", "compare"):
                    words = [path] if program == "table" else [path, path]
                    _, out, said = nasty.call(program, *words, statuses=(2,))
                    self.assertRegex(out + said, rf"\Arowhalo-study {program}: .*r.json: is not as `rowhalo` writes reports: "
                                     rf"{section}.* is .*, not .*\n\Z")

    def test_cases_without_what_they_are_compared_with(self):
        report = json.loads((JOBS / "results/samples/run.json").read_text("utf-8"))
        case = {"format": "csr", "transport": "mpi", "graph": False, "median_seconds": 1e-3}
        for change in ({"timing": None}, {"matrix": {"source": "a"}}, {}):
            report.update(cases=[case, {**case, "median_seconds": None}], **change)
            nasty.call("table", self.write("r.json", json.dumps(report)))

    def test_figures(self):
        report = json.loads((JOBS / "results/samples/run.json").read_text("utf-8"))
        for value in ("NaN", "-1", "Infinity", '"fast"', "true", "[]"):
            text = re.sub(r'("median_seconds": )[^,]*', rf"\g<1>{value}", json.dumps(report))
            _, out, said = nasty.call("table", self.write("r.json", text), statuses=(2,))
            self.assertIn("timing.median_seconds is ", out + said)
        for text, why in (("[1, 2]", "is no report"), ("{", "is not JSON"), ("[" * 10000, "nested too deeply"),
                          ('{"command": "run", "command": "run"}', "stands twice")):
            _, out, said = nasty.call("table", self.write("r.json", text), statuses=(2,))
            self.assertIn(why, out + said)

    def test_ranks_of_a_communication_matrix(self):
        report = json.loads((JOBS / "results/samples/info.json").read_text("utf-8"))
        for change in ({"ranks": 10 ** 9}, {"node_of_rank": []}, {"flows": [{"from": 10 ** 9, "to": 0, "bytes": 1}]}):
            path = self.write("r.json", json.dumps({**report, "communication": {
                "partition": "rows", "ranks": 2, "node_of_rank": [0, 0], "flows": [], **change}}))
            with self.assertRaisesRegex(WrongFile, "r.json: communication names ranks that are not there"):
                flows_of(Detail("r", "r", 2, path, None))

    def test_tables(self):
        head = "matrix,ranks,format,median_seconds\n"
        for line, why in (("a,1,csr,nan", "median_seconds"), ("a,1,csr,-1", "median_seconds"),
                          ("a,,csr,1", "ranks"), ("a,1.5,csr,1", "ranks"), ("a,1,csr,fast", "median_seconds"),
                          ("a,1,csr," + "9" * 5000, "median_seconds"), (",1,csr,1", "matrix")):
            path = self.write("t.csv", head + line + "\n")
            _, out, said = nasty.call("table", path, statuses=(2,))
            self.assertRegex(out + said, rf"\Arowhalo-study table: .*t.csv: line 2: {why}.*\n\Z")

    def test_folders_of_studies(self):
        site = self.write("site.ini", nasty.SITE.format(scheduler="none"))
        matrix = self.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n")
        ini = self.write("s.ini", f"[study]\nkind = list\n[matrix]\nsource = {matrix}\n[points]\nranks = 1\n")
        output = self.place / "out"
        with nasty.patch.dict(nasty.os.environ, ROWHALO=str(nasty.fake_program(self.place))):
            nasty.call("study", "run", ini, "--site", site, "--output", output, "--no-plot")
        nasty.call("study", "status", output)
        plan = json.loads((output / "plan.json").read_text("utf-8"))
        point = plan["points"][0]
        for change, said in (({"points": 7}, "points is 7, not a list"), ({"points": []}, "points is empty"),
                             ({"minutes": "x"}, "minutes is 'x', not a whole number"), ({"study": "../x"}, "study is"),
                             ({"points": [{**point, "ranks": "1"}]}, "points[0].ranks is '1'"),
                             ({"points": [{**point, "name": "../x"}]}, "points[0].name is '../x'"),
                             ({"points": [None]}, "points[0] is null"), ({"title": None}, "title is null")):
            (output / "plan.json").write_text(json.dumps({**plan, **change}), encoding="utf-8")
            for command in ("status", "collect", "plan"):
                _, out, told = nasty.call("study", command, output, statuses=(2,))
                self.assertIn(f"plan.json: {said}", out + told)
        (output / "plan.json").write_text(json.dumps({**plan, "points": [{**point, "repeats": 10 ** 12}]}))
        nasty.call("study", "collect", output)
        (output / "jobs/n1.json").write_text(json.dumps({"name": "n1", "id": 7}), encoding="utf-8")
        _, out, told = nasty.call("study", "status", output, statuses=(2,))
        self.assertIn("jobs/n1.json: id is 7, not text", out + told)


if __name__ == "__main__":
    sys.path.insert(0, str(JOBS))
    unittest.main()
