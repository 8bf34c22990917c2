#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""rowhalo-study classes: the real program on small matrices of the CPU, a program that crashes, hangs and gives
wrong results, and one with made-up times of a GPU, whose ratios and verdicts are known."""
import csv
import io
import os
import re
import signal
import subprocess
import sys
import time
import unittest

import launch

SCRIPT = (launch.SOURCE / "jobs/rowhalo-study", "classes")
OWN_COLUMNS = "class,role,ratio,study,kind,point,repeat,status,matrix,rows,nonzeros,ranks,"

# A program with a GPU: ours and theirs take these milliseconds; bsr refuses; asell has value codes
# on the second matrix; on the third csr-vector is fastest, but wrong. With more digits than CSV keeps the
# ratio of the two that count would be 1.50000001.
MADE_UP = r'''#!/usr/bin/env python3
import json, sys
TIMES = {"cusparse-csr1": 2.0, "cusparse-sell:c=32": 1.50000000499, "asell:codes=off": 0.99999999999, "asell": 1.0,
         "csr-vector": 1.2, "sell": 1.1, "auto": 1.02, "bsr": None}
if sys.argv[1] == "list":
    print(json.dumps([{"name": name.split(":")[0], "summary": "gpu: x", "usable": True, "reason": ""}
                      for name in TIMES if name != "auto"]))
    sys.exit()
option = dict(zip(sys.argv[2:], sys.argv[3:]))
matrix, formats = option["--matrix"], []
for name in option["--format"].split(","):
    time, size = TIMES.get(name), 800
    reason = "" if time else "pads 9 times the nonzeros"
    if matrix == "stencil7:256" and name == "asell":
        time, size = 0.5, 100
    if matrix == "stencil27:200" and name == "csr-vector":
        time, reason = 0.1, "y differs"
    if matrix == "stencil27:200" and name == "auto":
        time = 1.2
    if "heavy=5" in matrix and time:
        time *= 1.2
    seconds = time and time * 1e-3
    formats.append({"name": name, "baseline": name.startswith("cu"), "bytes": size,
                    "seconds": seconds and seconds * 1.1, "graph_seconds": seconds,
                    "share_of_read_bandwidth": 0.95,
                    "setup_products": 200.0 if "coef" in matrix else 301.0,
                    "passed": reason != "y differs", "reason": reason,
                    "parameters": "format=asell,offsets" if name == "auto" else ""})
print(json.dumps({"command": "kernels", "status": "ok", "verdict": "", "formats": formats,
                  "argv": ["rowhalo", *sys.argv[1:]], "bandwidth": {"read": 4400.0},
                  "matrix": {"source": matrix, "rows": 10, "columns": 10, "nonzeros": 10000001},
                  "provenance": {"version": "1", "git": "", "cuda": "13", "time": "now",
                                 "devices": ["A GPU 0000:00:06.0, cores 0-15"]}}))
'''

SECONDS = str(max(3, round(3 * launch.good_seconds())))  # limit of a matrix
# The real one, but for two matrices.
TROUBLE = f'''#!/bin/bash
case "$*" in
  *stencil5:32*) kill -SEGV $$ ;;
  *stencil27:6*) exec sleep 600 ;;
esac
exec {launch.BINARY} "$@"
'''


def has_matplotlib():
    """Of the Python that runs the script."""
    return subprocess.run([sys.executable, "-c", "import matplotlib"], check=False,
                          capture_output=True).returncode == 0


class Classes(launch.Case):
    def classes(self, *arguments, program=launch.BINARY, status=0):
        """What it prints, and the lines of its CSV."""
        command = [sys.executable, "-B", *SCRIPT, "--rowhalo", program, "--output",
                   self.place / "out", "--threads", "1", *arguments]
        run = subprocess.run(list(map(str, command)), env=launch.ENVIRONMENT, timeout=launch.PATIENCE,
                             check=False, capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        tables = list((self.place / "out").glob("*.csv"))
        if not tables:
            return run.stdout + run.stderr, []
        text = tables[0].read_text(encoding="utf-8")
        self.assertTrue(text.startswith(OWN_COLUMNS))
        return run.stdout + run.stderr, list(csv.DictReader(text.splitlines()))

    def executable(self, text):
        path = self.write("program", text)
        path.chmod(0o755)
        return path

    def markdown(self, stem):
        """Cells of the line of each matrix."""
        text = (self.place / f"out/{stem}.md").read_text(encoding="utf-8")
        lines = [line.strip("|").split(" | ") for line in text.split("\n") if line.startswith("|")]
        return {cells[1].strip(): [cell.strip() for cell in cells]
                for cells in lines if len(cells) == 19}

    def test_small_matrices_of_the_cpu(self):
        chosen = ("--device", "cpu", "--quick", "--classes", "stencils,long-rows,dense", "--only",
                  "stencil7", "--only", "arrow", "--only", "dense")
        said, lines = self.classes(*chosen)
        matrices = ["stencil7:12,coef=random", "stencil7:12", "arrow:rows=4000,heavy=5,row=1000",
                    "dense:200"]
        of_table = [line for line in lines if line["role"] != "companion"]
        self.assertEqual(list(dict.fromkeys(line["matrix"] for line in of_table)), matrices)
        for line in lines:
            if line["median_seconds"]:
                self.assertGreater(float(line["median_seconds"]), 0)
                self.assertEqual((line["passed"], line["reason"]), ("True", ""), line)
            else:
                self.assertNotEqual(line["reason"], "", line)
        for matrix in matrices:
            roles = {line["role"] for line in lines if line["matrix"] == matrix and line["median_seconds"]}
            self.assertLessEqual({"baseline", "ours"}, roles)
        refused = [line for line in lines if line["matrix"] == "arrow:rows=4000,heavy=5,row=1000"
                   and line["format"] == "dia"]
        self.assertRegex(refused[0]["reason"], "pad|diagonals")
        self.assertEqual(list(self.markdown("quick-fp64"))[2:],
                         matrices[:-1] + ["dense:200 (fp32)"])
        self.check_provenance(lines, matrices + ["arrow:rows=4000,heavy=0"])
        self.check_picture(said)
        self.check_what_is_run_again(chosen, lines)

    def check_provenance(self, lines, matrices):
        commands = {line["matrix"]: line["command_line"] for line in lines if line["y_hash"]}
        self.assertEqual(set(commands), set(matrices))
        for matrix, command in commands.items():
            precision = "fp32" if matrix == "dense:200" else "fp64"
            plain = "--value-codes off " if matrix.endswith("heavy=0") else ""  # the companion
            self.assertEqual(command, f"rowhalo kernels --device cpu --precision {precision} "
                             "--batches 3 --iterations 2 --warmup 1 --min-seconds 0 --matrix "
                             f"{matrix} {plain}--threads 1")
        for line in lines:
            if line["command_line"]:
                self.assertEqual((line["study"], line["kind"]), ("quick-fp64", "list"))
                self.assertRegex(line["time"], r"^\d{4}-\d\d-\d\dT")
                self.assertNotIn("", (line["version"], line["devices"], line["mpi"]))

    def check_picture(self, said):
        """One file: the smaller of SVG and PNG."""
        if not has_matplotlib():
            self.assertIn("no picture", said)
            return
        pictures = [path for path in (self.place / "out").iterdir() if path.suffix in (".svg", ".png")]
        self.assertEqual(len(pictures), 1)
        self.assertEqual(pictures[0].stem, "quick-fp64")
        self.assertGreater(pictures[0].stat().st_size, 10000)

    def check_what_is_run_again(self, chosen, lines):
        """What lacks a format or ended early; what was measured moves aside first."""
        table = self.place / "out/quick-fp64.csv"
        whole = table.read_text(encoding="utf-8")
        changed = [line for line in lines if line["matrix"] != "stencil7:12,coef=random"
                   or line["format"] != "sell"]
        for line in changed:
            if line["matrix"] == "stencil7:12":
                line["status"] = "interrupted"
        text = io.StringIO()
        writer = csv.DictWriter(text, lines[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(changed)
        table.write_text(text.getvalue(), encoding="utf-8")
        said, lines = self.classes(*chosen)
        self.assertEqual(len(re.findall("there already", said)), 2, said)
        self.assertEqual({line["status"] for line in lines}, {"ok"})
        before = list((self.place / "out").glob("before-*/quick-fp64.csv"))
        self.assertEqual([path.read_text(encoding="utf-8") for path in before], [text.getvalue()])
        kept = [line for line in whole.splitlines() if ",dense-200-fp32," in line]
        whole = table.read_text(encoding="utf-8")
        self.assertEqual([line for line in whole.splitlines() if ",dense-200-fp32," in line], kept)
        self.classes("--device", "cpu", "--quick", "--tables")
        self.assertEqual(table.read_text(encoding="utf-8"), whole)
        said, _ = self.classes(*chosen, "--again", "--only", "dense")
        self.assertNotIn("there already", said)

    def test_a_crash_and_a_time_out_do_not_end_the_run(self):
        said, lines = self.classes("--device", "cpu", "--quick", "--classes", "tiny", "--only",
                                   "stencil", "--seconds", SECONDS, program=self.executable(TROUBLE),
                                   status=1)
        self.assertIn("failed: stencil5:32, stencil27:6", said)
        reasons = {line["matrix"]: line["reason"] for line in lines if not line["format"]}
        self.assertEqual(reasons, {"stencil5:32": "ended by signal 11",
                                   "stencil27:6": f"time-out after {SECONDS} s"})
        self.assertIn("stencil5:30", {line["matrix"] for line in lines if line["median_seconds"]})
        self.assertEqual(self.markdown("quick-fp64")["stencil27:6"][-1],
                         f"time-out after {SECONDS} s")

    def test_a_signal_ends_what_runs(self):
        """run.sh sends USR1, whatever it has got itself."""
        pid = self.place / "pid"
        program = self.executable(f"""#!/bin/bash
case "$*" in *stencil5:32*) echo $$ >'{pid}.new'; mv '{pid}.new' '{pid}'; exec sleep 600 ;; esac
exec {launch.BINARY} "$@"
""")
        for number in (signal.SIGUSR1, signal.SIGTERM):
            with subprocess.Popen([sys.executable, "-B", *SCRIPT, "--rowhalo", program, "--output", self.place / "out",
                                   "--device", "cpu", "--quick", "--classes", "tiny", "--only", "stencil5:32"],
                                  env=launch.ENVIRONMENT, stdout=subprocess.DEVNULL) as process:
                deadline = time.monotonic() + launch.PATIENCE
                while not pid.exists():
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.05)
                process.send_signal(number)
                self.assertEqual(process.wait(launch.PATIENCE), 128 + number)
            self.assertRaises(ProcessLookupError, os.kill, int(pid.read_text(encoding="utf-8")), 0)
            pid.unlink()

    def test_ratios_and_verdicts(self):
        said, lines = self.classes("--classes", "stencils,long-rows",
                                   program=self.executable(MADE_UP), status=1)
        self.assertRegex(said, "failed: stencil27:200\n")
        table = self.markdown("classes-fp64")
        plain, codes = table["stencil7:256,coef=random"], table["stencil7:256"]
        wrong, heavy = table["stencil27:200"], table["road:2500,heavy=5,row=1000000"]
        self.assertEqual(plain[4:8], ["cusparse-sell:c=32", "1.5", "asell", "1"])
        self.assertEqual(plain[8:], ["1.50", "1.40", "yes", "asell", "1.02", "+2.0%", "200", "-",
                                     "-", "95%", "-"])
        self.assertEqual(codes[6:11], ["asell:codes=off", "1", "1.50", "1.40", "yes"])
        self.assertEqual(codes[13:17], ["+104.0% (too slow)", "301", "0.5", "3.00"])
        self.assertEqual(codes[-1], "set-up of auto above 300 products")
        self.assertEqual(wrong[6:9], ["asell", "1", "1.50"])
        self.assertIn("csr-vector: y differs", wrong[-1])
        self.assertEqual(wrong[13], "+20.0% (too slow)")
        self.assertEqual((heavy[8], heavy[10]), ("1.36", "no"))
        self.assertIn("+20% per nonzero due to long rows", heavy[-1])
        reasons = {line["format"]: line["reason"] for line in lines
                   if line["matrix"] == "road:2500,heavy=5,row=1000000"}
        self.assertEqual(reasons["bsr"], "pads 9 times the nonzeros")
        self.assertEqual(reasons["csr-balanced"], "not in this build")
        self.assertIn("left out", reasons["csr-vector"])
        self.assertIn("| stencils | 6 | 1.50 | 6 of 6 |",
                      (self.place / "out/classes-fp64.md").read_text(encoding="utf-8"))

    def test_files(self):
        folder = self.place / "matrices"
        folder.mkdir()
        entries = "".join(f"{i} {i} {i}.5\n" for i in range(1, 31))
        for name, field, text in (("a.mtx", "real", entries), ("b.mtx.gz", "real", entries),
                                  ("c.mtx", "complex", entries.replace("\n", " 1\n"))):
            self.write(f"matrices/{name}",
                       f"%%MatrixMarket matrix coordinate {field} general\n30 30 30\n{text}")
        self.write("matrices/d.mtx", "junk\n")
        said, lines = self.classes("--matrices", folder, "--device", "cpu", "--precision", "fp32")
        self.assertIn("d.mtx is left out: not a Matrix Market file", said)
        self.assertEqual({line["matrix"] for line in lines}, {"a.mtx", "b.mtx.gz"})
        self.assertEqual([line for line in lines if "/" in line["command_line"]], [])

    def test_a_table_of_another_layout_is_refused(self):
        (self.place / "out").mkdir()
        self.write("out/classes-fp64.csv", "class,matrix,seconds\nfem,elasticity:80,1\n")
        run = subprocess.run([sys.executable, "-B", *SCRIPT, "--tables", "--output", self.place / "out"],
                             check=False, capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r"^rowhalo-study classes: .*classes-fp64\.csv: has no column .*\n$")

    def test_usage(self):
        said, _ = self.classes("--list")
        self.assertIn("stencil27:450", said)
        self.assertEqual(len(said.splitlines()), len(set(said.splitlines())))
        for arguments, message in ((("--classes", "fem,foo"), "--classes foo: use stencils, fem"),
                                   (("--matrices", "nowhere"), "is not a folder"),
                                   (("--only", "nothing"), "no matrix is selected; --list prints all"),
                                   (("--tables",), "classes-fp64.csv holds no lines; run without"),
                                   (("--rowhalo", "nowhere"), "there is no such executable")):
            with self.subTest(arguments):
                said, _ = self.classes(*arguments, status=2)
                self.assertIn(message, said)
        self.assertIn("does not answer as rowhalo does", self.classes("--rowhalo", "/bin/true", status=1)[0])


if __name__ == "__main__":
    unittest.main()
