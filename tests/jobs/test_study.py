#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study before anything runs: weak sizes, sites, what it says of bad files, the scripts
that it writes (golden/; `test_study.py --update` after a change that is meant)."""
import base64
import os
import re
import subprocess
import sys
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import throwaway
from studies import results, study, study_text
from throwaway import launch

sys.path.insert(0, str(launch.SOURCE / "jobs"))
os.environ["ROWHALO"] = str(launch.BINARY)
# pylint: disable=wrong-import-position
from rowhalo_study.schedulers import pbs, ready, slurm  # noqa: E402
from rowhalo_study.studies.folder import made  # noqa: E402
from rowhalo_study.studies.ini import WrongInput  # noqa: E402
from rowhalo_study.studies.program import Program  # noqa: E402
from rowhalo_study.schedulers.site import load_site  # noqa: E402
from rowhalo_study.studies.sizes import box_of, filled  # noqa: E402
from rowhalo_study.studies.study import SCHEDULES, SOLVE_SCHEDULES, check_names, read_study, split_list  # noqa: E402

PROGRAM = Program()
GOLDEN = Path(__file__).resolve().parent / "golden"
SITE = """[site]
scheduler = {scheduler}
[job]
account = my_project
{queue} = gpu
{extra}
[node]
cores = 64
gpus = 4
[launch]
command = mpirun -n {{ranks}} {{host_options}}
"""
GPU_STUDY = study_text(name="scaling", points="ranks = 1,4,8", run="device = gpu\nrepeats = 5\n"
                       "time = 7", sweep="formats = csr, sell")


def write_site(place, scheduler="slurm"):
    slurm = scheduler == "slurm"
    extra = "qos = regular\nextra =\n  --mem=0" if slurm else "extra =\n  -l filesystems=home"
    queue = "partition" if slurm else "queue"
    return place("site.ini", SITE.format(scheduler=scheduler, queue=queue, extra=extra))


class Sizes(launch.Case):
    def matrices(self, matrix, ranks="1,2,3,8", sweep=""):
        path = self.write("weak.ini", study_text(kind="weak", matrix=matrix, sweep=sweep,
                                                 points=f"ranks = {ranks}"))
        folder, _ = made(path, "local", self.place / "out", 0, PROGRAM)
        self.assertEqual([point["ranks"] for point in folder.points],
                         sorted(point["ranks"] for point in folder.points))
        return folder.points

    def test_rows_a_rank(self):
        for point in self.matrices("rows_per_rank = 27k\n"
                                   "template = stencil27:nx={nx},ny={ny},nz={nz}"):
            self.assertEqual(point["rows"], 27000 * point["ranks"])
            box = [int(word.split("=")[1]) for word in point["matrix"].split(":")[1].split(",")]
            self.assertEqual({side % 30 for side in box}, {0})

    def test_bytes_a_rank(self):
        """Of CSR in the run's precision: 12 or 8 per nonzero, 4 per row, vectors once."""
        for precision, value in (("fp64", 8), ("fp32", 4)):
            for point in self.matrices("bytes_per_rank = 5M\ntemplate = stencil7:{n}",
                                       sweep=f"precisions = {precision}"):
                count = (point["nonzeros"] * (value + 4) + point["rows"] * (4 + 2 * value))
                self.assertEqual(point["csr_bytes"], count)
                self.assertLess(abs(count / point["ranks"] / 5e6 - 1), 0.06, point)

    def test_blocks_and_one_axis(self):
        """Three unknowns per node; one axis alone grows."""
        for point in self.matrices("rows_per_rank = 3000\ntemplate =\n  elasticity:{n}\n"
                                   "  stencil5:nx=50,ny={ny}\n  rmat:scale={scale}", "1,4"):
            limit = {"e": 0.05, "s": 0.001, "r": 0.4}[point["matrix"][0]]
            self.assertLess(abs(point["rows"] / point["ranks"] / 3000 - 1), limit, point)

    def test_lists_with_options(self):
        self.assertEqual(split_list("sell:c=32,sigma=4, csr,bsr:block=2"),
                         ["sell:c=32,sigma=4", "csr", "bsr:block=2"])

    def test_filled(self):
        self.assertEqual(filled("a:{n},{rows},{side},{scale}", 1e6, 4), "a:100,1000000,1000,20")
        self.assertEqual(filled("a:nx={nx},ny={ny},nz={nz}", 8000, 8), "a:nx=20,ny=20,nz=20")
        self.assertEqual([box_of(ranks, 3) for ranks in (1, 2, 4, 12, 64, 7)],
                         [[1, 1, 1], [1, 1, 2], [1, 2, 2], [2, 2, 3], [4, 4, 4], [1, 1, 7]])


class Sites(launch.Case):
    def test_shell_quotes(self):
        path = self.write("a site.ini", "[site]\nscheduler = slurm\nname = it's\n[job]\naccount = "
                          "$(touch nowhere)\n[node]\ncores = 4\n[launch]\ncommand = srun -n "
                          "{ranks} 'a b'\n[environment]\nmodules =\n  one\n  two\nsetup = "
                          "ulimit -s\n[variables]\nA_B = it's; x\n")
        said = study("site", path, "--shell")
        run = subprocess.run(["bash", "-c", said + '\neval "$SITE_VARIABLES"; printf "%s|" '
                              '"$SITE_NAME" "$SITE_ACCOUNT" "$SITE_LAUNCH" "$SITE_MODULES" '
                              '"$SITE_SETUP" "$A_B" "$SITE_CORES" "$SITE_GPUS"'], check=True,
                             cwd=self.place, stdout=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(run.stdout, "it's|$(touch nowhere)|srun -n {ranks} 'a b'|one\ntwo|"
                         "ulimit -s|it's; x|4|0|")
        self.assertFalse((self.place / "nowhere").exists())

    def test_a_machine_file(self):
        """Found from the folder of the site; for `run` only, and not where the study has its own."""
        site = self.place / "sites/a.ini"
        site.parent.mkdir()
        site.write_text("[site]\nscheduler = none\nmachine = m.json\n[node]\ncores = 4\n[launch]\n"
                        "command = srun -n {ranks}\n[variables]\nmachine = x\n", encoding="utf-8")
        (site.parent / "m.json").write_text("{}", encoding="utf-8")
        self.assertEqual(load_site(site).text.count("machine"), 1)
        for run, more, words in (("", "", ["--machine", str(site.parent / "m.json")]),
                                 ("command = solve", "", []), ("", " --machine o", ["--machine", "o"])):
            path = self.write("s.ini", study_text(run=run, points="ranks = 1",
                                                  arguments=f"--batches 2{more}"))
            with unittest.mock.patch.object(Program, "refusal", return_value=""):  # of these machine files
                folder, _ = made(path, site, self.place / "out", 0, PROGRAM)
            self.assertEqual(folder.points[0]["arguments"], ["--batches", "2", *words])

    def test_what_is_found_out_stands_in_the_copy(self):
        """And a blank line after auto does not make the machine file's line another one."""
        self.write("m.json", "{}")
        site = self.write("a.ini", "[node]\ncores = 4\ngpus =  auto \n\n[site]\nscheduler = none\nmachine = m.json\n"
                          "\n[launch]\ncommand = srun -n {ranks}\n")
        with unittest.mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "0,1"}):
            self.assertEqual(load_site(site).text, "[node]\ncores = 4\ngpus = 2\n\n[site]\nscheduler = none\n\n"
                             "[launch]\ncommand = srun -n {ranks}\n")

    def test_all_that_ship(self):
        for path in sorted((launch.SOURCE / "jobs/sites").glob("*.ini")):
            if path.stem != "generic-slurm":  # asks sinfo
                self.assertIn(f"{path.stem} (", study("site", path.stem))


class Ready(unittest.TestCase):
    def test_every_ready_study(self):
        """Names are known to the program, matrices exist, and the memory is that of one machine."""
        files = sorted((launch.SOURCE / "jobs/studies").glob("*.ini"))
        self.assertGreater(len(files), 10)
        matrices = {}
        for path in files:
            one = read_study(path)
            check_names(one, PROGRAM)
            self.assertGreaterEqual(one.repeats, 5, path)
            self.assertGreater(one.minutes, 0, path)
            matrices.update(dict.fromkeys(one.sources, path))
        with ThreadPoolExecutor(4) as pool:
            outlines = pool.map(lambda matrix: PROGRAM.outline(matrix, 1, ""), matrices)
            for matrix, outline in zip(matrices, outlines):
                self.assertGreater(outline.nonzeros, 1e6, matrix)
                self.assertLess(outline.device_bytes, 80e9, matrix)


    def test_schedules_are_those_of_the_program(self):
        for command, known in (("run", SCHEDULES), ("solve", SOLVE_SCHEDULES)):
            said = subprocess.run([launch.BINARY, command, "--help"], env=throwaway.environment(), check=True,
                                  stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True).stdout
            about = re.search(r"--schedule NAME((?:.*\n)+?)\n* {2}--|--schedule NAME(.*)", said)[0]
            named = re.findall(r"^ {32}(\S+): ", about, re.MULTILINE) or re.search(
                r": (.*) \(default", about)[1].split(" | ")
            self.assertEqual(tuple(named), known)


class Golden(launch.Case):
    def scripts(self, scheduler, *options):
        said = study("submit", self.write("scaling.ini", GPU_STUDY), "--site",
                     write_site(self.write, scheduler), "--output", self.place / "my out",
                     "--dry-run", *options)
        for real, mask in ((str(self.place), "/home/me"),
                           (str(PROGRAM.path), "/home/me/bin/rowhalo"),  # may lie in the source's
                           (str(launch.SOURCE), "/home/me/rowhalo"),
                           (sys.executable, "/usr/bin/python3")):
            said = said.replace(real, mask)
        self.assertFalse((self.place / "my out").exists())
        return said

    def check(self, name, said):
        path = GOLDEN / name
        if UPDATE:
            path.parent.mkdir(exist_ok=True)
            path.write_text(said, encoding="utf-8")
        self.assertEqual(said, path.read_text(encoding="utf-8"), f"{path}: {__doc__}")

    def test_slurm(self):
        self.check("study-slurm.txt", self.scripts("slurm", "--after", "12", "--chain"))
        self.check("study-slurm-in-one-job.txt", self.scripts("slurm", "--in-one-job"))

    def test_pbs(self):
        self.check("study-pbs.txt", self.scripts("pbs", "--after", "12.head", "--chain"))
        self.check("study-pbs-in-one-job.txt", self.scripts("pbs", "--in-one-job"))

    def test_pbs_names_tell_sizes_apart(self):
        for study_name, name, expected in (("nodes-strong", "n16", "nodes-stron-n16"),
                                           ("nodes-strong", "n16-2", "nodes-str-n16-2"),
                                           ("tiny", "collect", "tiny-collect")):
            job = SimpleNamespace(title=f"{study_name}-{name}", name=name)
            self.assertEqual(pbs.title_of(job), expected)

    def test_any_option_can_be_swept(self):
        self.write("more.ini", study_text(sweep="formats = csr\nreorder = none,rcm\nbatches = 2,3", points="ranks = 1", arguments=""))
        said = study("plan", "more.ini", "--site", "local", cwd=self.place)
        self.assertIn("4 points, 4 runs", said)
        self.assertIn("stencil7-12-n1-reorder-rcm-batches-3 ", said)
        study("run", "more.ini", "--site", "local", "--no-plot", "--output", "out", cwd=self.place)
        rows = results(self.place / "out")
        self.assertEqual([row["swept"] for row in rows], [f"reorder={order}, batches={count}" for order in ("none", "rcm") for count in (2, 3)])
        self.assertTrue(all(f"--{row['swept'].split(', ')[0].replace('=', ' ')}" in row["command_line"] for row in rows))
        for line, message in (("colour = red", "colour: red: rowhalo: "), ("format = csr", "did you mean formats?"), ("reorder =", "unknown key")):
            self.write("wrong.ini", study_text(sweep=f"formats = csr\n{line}"))
            self.assertIn(message, study("plan", "wrong.ini", "--site", "local", cwd=self.place, status=2))

    def test_nodes_and_time_of_the_command_line(self):
        for scheduler, script, words in (("slurm", "run.sbatch", ["--time=01:30:00", "--nodes=3"]),
                                         ("pbs", "run.pbs", ["select=3:", "walltime=01:30:00"])):
            said = study("submit", script, "--site", write_site(self.write, scheduler), "--dry-run", "--nodes", 3, "--time", "1:30:00")
            for word in words:
                self.assertIn(word, said)
        said = self.scripts("slurm", "--time", "45")
        self.assertEqual(set(re.findall(r"#SBATCH --time=(\S+)", said)), {"00:45:00", "00:10:00"})
        self.write("small.ini", study_text())
        for words, message in ((["small.ini", "--nodes", 2], "--nodes: is for a batch script"), (["run.sbatch", "--time", "x"], "--time: x: give minutes"),
                               (["rnu.sbatch"], "there is no such script; did you mean run.sbatch?")):
            self.assertIn(message, study("submit", *words, "--site", write_site(self.write, "slurm"), "--dry-run", status=2, cwd=self.place))

    def test_ready_scripts_take_the_options_of_the_site(self):
        for scheduler, script in (("slurm", "strong.sbatch"), ("pbs", "strong.pbs")):
            path = self.write(script, ready.text_of(script))
            said = study("submit", path, "--site", write_site(self.write, scheduler), "--dry-run",
                         "--after", "7", "--", "my study.ini")
            if scheduler == "slurm":
                self.assertEqual(said, f"ROWHALO_SITE={self.place}/site.ini PYTHON={sys.executable} ROWHALO_HOME="
                                 f"{launch.SOURCE} sbatch --parsable --account=my_project --partition=gpu "
                                 "--qos=regular --mem=0 --ntasks-per-node=4 --cpus-per-task=16 "
                                 "--gpus-per-node=4 --exclusive --dependency=afterok:7 "
                                 f"--kill-on-invalid-dep=yes {path} 'my study.ini'\n")
            else:
                self.assertRegex(said, r"^ROWHALO_ENCODED=[\w+/]+=* qsub -l select=2:ncpus=64:mpiprocs=4:ngpus=4:"
                                 r"ompthreads=16 -l place=scatter:excl -A my_project -q gpu "
                                 r"-l filesystems=home "
                                 r"-W depend=afterok:7 -v ROWHALO_ENCODED /\S+/strong.pbs\n$")
        said = study("submit", path, "--site", "local", "--dry-run", status=2)
        self.assertIn("is a script for pbs, and site local has scheduler = none", said)

    def test_ready_scripts_of_one_rank(self):
        """They take the node where the site gives whole nodes, else their share of it."""
        for exclusive, slurm_takes, pbs_takes in (
                ("yes", "--ntasks-per-node=1 --cpus-per-task=64 --gpus-per-node=4 --exclusive",
                 "select=1:ncpus=64:mpiprocs=1:ngpus=4:ompthreads=64 -l place=scatter:excl"),
                ("no", "--ntasks-per-node=1 --cpus-per-task=16 --gpus-per-node=1 ",
                 "select=1:ncpus=16:mpiprocs=1:ngpus=1:ompthreads=16 -l place=scatter ")):
            for scheduler, suffix, takes in (("slurm", "sbatch", slurm_takes), ("pbs", "pbs", pbs_takes)):
                site = Path(write_site(self.write, scheduler))
                text = site.read_text(encoding="utf-8")
                site.write_text(text.replace("gpus = 4", f"gpus = 4\nexclusive = {exclusive}"),
                                encoding="utf-8")
                script = f"kernels.{suffix}"
                said = study("submit", script, "--site", site, "--dry-run", "--", "--only", "a b")
                self.assertIn(takes, said)
                # The script has the directive, which no option of sbatch takes back.
                self.assertEqual("sed " in said, (scheduler, exclusive) == ("slurm", "no"))

    def test_ready_scripts_run_by_this_python(self):
        """Where PYTHON names no other."""
        for chosen, python in (("", sys.executable), ("/my/python", "/my/python")):
            with unittest.mock.patch.dict(os.environ, {"PYTHON": chosen}):
                site = load_site(write_site(self.write))
                self.assertEqual(slurm.settings(site, [])["PYTHON"], python)
                encoded = pbs.settings(site, [])["ROWHALO_ENCODED"]
                self.assertIn(f"export PYTHON={python}\n", base64.b64decode(encoded).decode())

    def test_ready_scripts_take_no_options_of_studies(self):
        script = "run.sbatch"
        for words in (["--watch"], ["--chain"], ["--in-one-job"], ["--repeats", 2], ["--output", "x"]):
            said = study("submit", script, "--site", write_site(self.write), "--dry-run", *words, status=2)
            self.assertEqual(said, f"rowhalo-study: {words[0]}: means nothing for {script}, which is one job; a "
                             "study takes it\n")


# A part of a good file, what stands instead of it, and what is said.
BAD_STUDIES = (
    ("[study]", "study", r":1: a \[section\] must come first"),
    ("kind = strong", "kind = fast", r":3: \[study\] kind: 'fast': use strong, weak, list"),
    ("kind = strong", "kind = strong\ncolour = red", r":4: \[study\] colour: unknown key; use"),
    ("[sweep]", "[sweeps]", r":8: \[sweeps\]: unknown section; use study"),
    ("ranks = 1,2", "ranks = 1,two", r":7: \[points\] ranks: 'two': whole numbers"),
    ("ranks = 1,2", "ranks = 1,1", r":7: \[points\] ranks: a number stands twice"),
    ("ranks = 1,2", "ranks = 2\nnodes = 1,2", r":8: \[points\] nodes: 2 numbers of nodes for 1"),
    ("ranks = 1,2", "ranks = 3\nnodes = 2", r":8: .*3 ranks are not spread evenly over 2"),
    ("ranks = 1,2", "this is no key", r":7: neither \[section\] nor key = value"),
    ("ranks = 1,2", "ranks = 1\nranks = 2", r":8: stands twice"),
    ("formats = csr", "formats = csr, csv", r":9: \[sweep\] formats: csv: use all, auto, csr"),
    ("halos = mpi", "halos = smoke", r":10: \[sweep\] halos: smoke: use all, auto, mpi"),
    ("halos = mpi", "precisions = fp12", r":10: \[sweep\] precisions: fp12: use fp64"),
    ("source = stencil7:12", "source = stencil8:12", r":5: \[matrix\] source: stencil8:12: row"),
    ("source = stencil7:12", "source = absent.mtx", r":5: .*absent.mtx: there is no such file in"),
    ("source = stencil7:12", "template = stencil7:{n}", r":5: .*only a study of kind = weak"),
    ("source = stencil7:12", "source =", r":5: \[matrix\] source: is missing"),
    ("repeats = 1", "repeats = 0", r"\[run\] repeats: '0': a whole number from 1 on"),
    ("repeats = 1", "time = soon", r"\[run\] time: 'soon': minutes or H:M:S"),
    ("repeats = 1", "command = kernels", r":7: \[points\] ranks: command = kernels is one rank"),
    ("ranks = 1,2\n[sweep]\nformats = csr\nhalos = mpi\n[run]", "[sweep]\nhalos = mpi\n[run]\n"
     "command = kernels", r":8: \[sweep\] halos: means nothing to command"),
    ("ranks = 1,2\n[sweep]\nformats = csr\nhalos = mpi\n[run]", "[sweep]\nprecisions = fp32\n[run]\n"
     "command = solve", r":8: \[sweep\] precisions: means nothing to command = solve"),
    ("formats = csr\nhalos = mpi\n[run]", "halos = all\n[run]\ncommand = solve",
     r":9: \[sweep\] halos: all: a solver runs on one operator"),
    ("formats = csr\nhalos = mpi\n[run]", "schedules = hpcg-like\n[run]\ncommand = solve",
     r":9: \[sweep\] schedules: hpcg-like: use overlap, blocking"),
    ("formats = csr\nhalos = mpi\n[run]", "schedules = split\n[run]\ncommand = solve",
     r":9: \[sweep\] schedules: split: use overlap, blocking"),
    ("repeats = 1", "baseline = 2", r"\[run\] baseline: there is no such key any more: efficiency refers to"),
    ("--batches 2", "--json x", r"\[run\] arguments: --json: is set by the study"),
)
BAD_WEAK = (
    ("rows_per_rank = 100", "", r":4: \[matrix\]: a weak study needs one of"),
    ("rows_per_rank = 100", "rows_per_rank = many", r":5: .*'many': a number is expected"),
    ("rows_per_rank = 100", "rows_per_rank = 1\nbytes_per_rank = 1", r"needs one of"),
    ("stencil7:{n}", "stencil7:{m}", r":6: \[matrix\] template: \{m\}: use \{n\}"),
    ("stencil7:{n}", "stencil7:20", r":6: .*does not grow with the ranks"),
    ("stencil7:{n}", "stencil6:{n}", r":6: .*stencil6:\{n\}: rowhalo"),
)
BAD_SITES = (
    ("scheduler = slurm", "scheduler = lsf", r":2: \[site\] scheduler: 'lsf': use slurm, pbs"),
    ("scheduler = slurm", "scheduler = slurm\nmachine = none.json",
     r":3: \[site\] machine: none.json: there is no such file in .*; rowhalo network makes one"),
    ("cores = 64", "cores = lots", r":10: \[node\] cores: 'lots': a whole number"),
    ("gpus = 4", "gpu = 4", r":11: \[node\] gpu: unknown key; use cores, gpus"),
    ("{ranks}", "{cores}", r":13: \[launch\] command: \{cores\}: use \{ranks\}"),
    ("{ranks}", "4", r":13: \[launch\] command: does not say \{ranks\}"),
    ("{ranks}", "{ranks", r":13: \[launch\] command: "),
    ("partition = gpu", "partition = gpu\nqueue = gpu", r":6: .*another name of partition"),
    ("qos = regular", "time = never", r":6: \[job\] time: 'never': minutes or H:M:S"),
)


class BadFiles(launch.Case):
    def refused(self, function, text, bad, expected):
        before, after = bad
        self.assertIn(before, text)
        path = self.write("bad.ini", text.replace(before, after, 1))
        with self.assertRaises(WrongInput) as caught:
            function(path)
        self.assertRegex(str(caught.exception), rf"^{re.escape(str(path))}.*{expected}")
        self.assertNotIn("\n", str(caught.exception))

    def plan(self, path):
        made(path, "local", self.place / "out", 0, PROGRAM)

    def test_studies(self):
        for before, after, expected in BAD_STUDIES:
            with self.subTest(after):
                self.refused(self.plan, study_text(), (before, after), expected)
        weak = study_text(kind="weak", matrix="rows_per_rank = 100\ntemplate = stencil7:{n}")
        for before, after, expected in BAD_WEAK:
            with self.subTest(after):
                self.refused(self.plan, weak, (before, after), expected)

    def test_sites(self):
        text = write_site(self.write).read_text(encoding="utf-8")
        for before, after, expected in BAD_SITES:
            with self.subTest(after):
                self.refused(load_site, text, (before, after), expected)

    def test_usage(self):
        path = self.write("good.ini", study_text())
        said = study("plan", path, "--site", "nowhere", status=2)
        self.assertRegex(said, "--site nowhere: neither a file nor one of eight-gpu-node, four-gpu")
        said = study("plan", self.place / "none.ini", status=2)
        self.assertIn("neither a study file nor the output folder", said)
        said = study("plan", path, "--site", "local", status=2,
                     environment=throwaway.environment(ROWHALO="/nowhere/rowhalo"))
        self.assertEqual(said, "rowhalo-study: ROWHALO=/nowhere/rowhalo: there is no such executable\n")
        for other in ("true", "false"):
            said = study("plan", path, "--site", "local", status=2,
                         environment=throwaway.environment(ROWHALO=f"/bin/{other}"))
            self.assertRegex(said, rf"^rowhalo-study: /bin/{other}\b[^\n]*: [^\n]+\n$")
        self.assertIn("--repeats: -2: give a number", study("plan", path, "--repeats", -2, status=2))
        said = study("run", path, "--site", "local", "--output", "/proc/x", status=1)
        self.assertRegex(said, r"rowhalo-study: /proc/x[^\n]*: No such file or directory\n$")
        said = study("submit", path, "--site", "local", "--", "x", status=2)
        self.assertIn("only the ready scripts", said)


UPDATE = "--update" in sys.argv
if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
