#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/run.sh without a scheduler: with mpirun, and where a scheduler's variables and commands are
needed, with played ones. Schedulers: test_pbs.py, test_slurm_scripts.py and test_slurm_pbs.py.
"""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import throwaway
from throwaway import LONG, MATRIX, SMALL, launch

SITE = """[site]
scheduler = {scheduler}
[node]
cores = 4
gpus = {gpus}
gpu_order = {order}
[launch]
command = {command}
[variables]
ROWHALO_TEST_VARIABLE = two words
"""
OPEN_MPI = "mpirun -n {ranks} {host_options}"


class Run(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="rowhalo-")
        self.addCleanup(holder.cleanup)
        self.place = Path(holder.name)
        self.project = throwaway.copy_of_jobs(self.place)
        self.environment = throwaway.environment(ROWHALO_SITE="local", HOME=str(self.place))
        self.environment.pop("OMP_NUM_THREADS", None)

    def start(self, *words, cwd=None, **more):
        return subprocess.Popen(list(map(str, words)), cwd=cwd or self.project,
                                env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                universal_newlines=True, start_new_session=True)

    def end(self, process, status=0):
        """What it has printed."""
        try:
            said = process.communicate(timeout=launch.PATIENCE)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said = process.communicate()[0] + "\nkilled: no end in sight"
        self.assertEqual(process.returncode, status, said)
        return said

    def run_sh(self, *words, status=0, **more):
        return self.end(self.start("jobs/run.sh", *words, **more), status)

    def site(self, scheduler="none", gpus=0, order="", command=OPEN_MPI):
        path = self.place / f"{scheduler} site.ini"
        path.write_text(SITE.format(scheduler=scheduler, gpus=gpus, order=order, command=command),
                        encoding="utf-8")
        return path

    def program(self, name, text):
        """A played command, the first in PATH; the environment that finds it."""
        folder = self.place / "played"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    def report(self, folder):
        return json.loads((self.project / folder / "result-1.json").read_text(encoding="utf-8"))

    def wait_for_header(self, folder):
        log = self.project / folder / "log-1.txt"
        deadline = time.monotonic() + launch.PATIENCE
        while not (log.is_file() and "; hosts:" in log.read_text(encoding="utf-8")):
            self.assertLess(time.monotonic(), deadline, "the program has not started")
            time.sleep(0.1)
        time.sleep(max(2, 2 * launch.good_seconds()))

    def test_repeats_and_names_with_spaces(self):
        (self.project / "my matrix.mtx").write_text(
            "%%MatrixMarket matrix coordinate real general\n4 4 4\n" +
            "".join(f"{i} {i} 2\n" for i in range(1, 5)), encoding="utf-8")
        said = self.run_sh("--ranks", 2, "--repeats", 2, "--output", "the point", "--", "run",
                           "--matrix", "my matrix.mtx", *launch.SHORT)
        point = self.project / "the point"
        self.assertEqual(said.count("RESULT: PASS"), 2)
        self.assertEqual(said.count(" on " + socket.gethostname() + " cores "), 2)
        for k in (1, 2):
            self.assertEqual(json.loads((point / f"result-{k}.json").read_text())["status"], "ok")
            self.assertIn("RESULT: PASS", (point / f"log-{k}.txt").read_text(encoding="utf-8"))
        self.assertIn("status = 0", (point / "done").read_text(encoding="utf-8"))
        kept = {path.name for path in (point / "provenance").iterdir()}
        self.assertLessEqual({"environment.txt", "map.txt", "nodes.txt", "version.txt", "site.txt",
                              "command.txt"}, kept)
        self.assertEqual((point / "result-1.h5").exists(), launch.built_with("HDF5"))

    def test_failure_of_the_program(self):
        arguments = ("--ranks", 2, "--repeats", 3, "--output", "point", "--", "run", "--matrix")
        (self.project / "bad.mtx").write_text(
            "%%MatrixMarket matrix coordinate real general\n4 4 1\n1 1 x\n", encoding="utf-8")
        self.run_sh(*arguments, "bad.mtx", status=2)
        point = self.project / "point"
        marker = (point / "error").read_text(encoding="utf-8")
        self.assertIn("reason = repeat 1 of 3 ended with exit status 2", marker)
        self.assertIn("bad.mtx:3:", marker)
        self.assertFalse((point / "done").exists())
        self.assertFalse((point / "log-2.txt").exists())
        crash = self.place / "crash"
        for case, status, reason in (("*json*", 139, "exit status 139 (SIGSEGV)"),
                                     ("*version*", 2, "crash does not start here: ")):
            crash.write_text(f'#!/bin/bash\ncase "$*" in {case}) kill -SEGV $$ ;; esac\n',
                             encoding="utf-8")
            crash.chmod(0o755)
            self.run_sh(*arguments, *SMALL[1:], status=status, ROWHALO=str(crash))
            self.assertIn(reason, (point / "error").read_text(encoding="utf-8"))
        # Run again, nothing is left of the failure.
        self.run_sh(*arguments, *SMALL[1:])
        self.assertTrue((point / "done").exists())
        self.assertFalse((point / "error").exists())

    def test_a_refusal_leaves_an_earlier_run(self):
        point = self.project / "point"
        run = ("--ranks", 2, "--output", "point", "--", "run")
        self.run_sh(*run, *SMALL)

        def content():
            return {path: path.read_bytes() for path in point.rglob("*") if path.is_file()}
        before = content()
        none = self.site(command="no-such-launcher -n {ranks}")
        for words, more, expected in (
                ([*run, "--matrix", "nowhere.mtx"], {}, "nowhere.mtx: cannot be opened"),
                ([*run, *MATRIX, "--format", "best"], {}, "--format best: unknown format"),
                ([*run, *SMALL, "--nonsense"], {}, "--nonsense"),
                (["--nodes", 3, *run, *SMALL], {}, "--nodes 3: more than the 2 ranks"),
                (["--site", "nowhere", *run, *SMALL], {}, "--site nowhere: neither a file"),
                (["--classes", "--output", "point", "--", "--nonsense"], {}, "--nonsense"),
                ([*run, *SMALL], {"ROWHALO": "nowhere"}, "ROWHALO=nowhere: there is no such"),
                ([*run, *SMALL], {"ROWHALO_SITE": str(none)}, "there is no no-such-launcher")):
            with self.subTest(expected):
                self.assertIn(expected, self.run_sh(*words, status=2, **more))
                self.assertEqual(content(), before)
        # A run that begins moves it aside, whole.
        self.run_sh("--repeats", 2, *run, *SMALL)
        aside, = point.glob("before-*")
        after = content()
        self.assertEqual({path.relative_to(point): text for path, text in before.items()},
                         {path.relative_to(aside): text for path, text in after.items()
                          if aside in path.parents})
        self.assertIn(point / "result-2.json", after)

    def test_signals_save_the_result(self):
        for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
            name = number.name
            process = self.start("jobs/run.sh", "--ranks", 2, "--repeats", 3, "--output", name,
                                 "--", "run", *LONG)
            self.wait_for_header(name)
            process.send_signal(number)
            self.end(process, 1)
            self.assertEqual(self.report(name)["status"], "interrupted")
            marker = (self.project / name / "error").read_text(encoding="utf-8")
            self.assertIn(f"reason = interrupted by {name} in repeat 1 of 3", marker)
            self.assertFalse((self.project / name / "log-2.txt").exists())

    def test_a_signal_before_the_first_repeat(self):
        """It ends what run.sh has asked, too; that is not why the point ended."""
        self.program("slow", f"""touch '{self.place}/asked'
until [ -e '{self.place}/answer' ]; do sleep 0.05; done
exit 143""")
        process = self.start("jobs/run.sh", "--ranks", 2, "--output", "point", "--", "run", *SMALL,
                             ROWHALO=str(self.place / "played/slow"))
        deadline = time.monotonic() + launch.PATIENCE
        while not (self.place / "asked").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        process.terminate()
        (self.place / "answer").touch()
        self.end(process, 1)
        self.assertIn("reason = interrupted by SIGTERM before the first repeat",
                      (self.project / "point/error").read_text(encoding="utf-8"))

    def test_alone_under_a_launcher(self):
        """An MPI that does not know the launcher would run every rank as a job of its own."""
        self.end(self.start(launch.BINARY, "run", *SMALL, SLURM_STEP_NUM_TASKS="4"), 2)
        self.end(self.start(launch.BINARY, "run", *SMALL, PMI_SIZE="4"), 2)
        self.end(self.start(launch.BINARY, "run", *SMALL, SLURM_STEP_NUM_TASKS="1"), 0)

    def test_refusals(self):
        nodefile = self.place / "nodes of the job"
        nodefile.write_text("a\na\nb\nb\n", encoding="utf-8")
        slurm = {"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "2", "SLURM_NTASKS": "8",
                 "SLURM_JOB_CPUS_PER_NODE": "4(x2)", "ROWHALO_SITE": str(self.site("slurm"))}
        pbs = {"PBS_NODEFILE": str(nodefile), "ROWHALO_SITE": str(self.site("pbs"))}
        alone = {"OMPI_MCA_rmaps_base_oversubscribe": "0", "PRTE_MCA_rmaps_default_mapping_policy": ""}
        none = self.site(command="no-such-launcher -n {ranks}")
        run = ["--", "run", *SMALL]
        for words, more, expected in (
                (["--ranks", 0, *run], {}, "--ranks 0: give a whole number of at least 1"),
                (["--rank", 2, *run], {}, "--rank: there is no such option"),
                (["--ranks"], {}, "--ranks: an option without a value"),
                (["--ranks", 2], {}, "nothing to run"),
                (run, {}, "--ranks N is missing"),
                (["--site", "nowhere", "--ranks", 2, *run], {}, "--site nowhere: neither a file"),
                (["--study", "nowhere.ini"], {}, "--study nowhere.ini: there is no such file"),
                (["--ranks", 2, *run], {"ROWHALO": "nowhere"}, "ROWHALO=nowhere: there is no such"),
                (["--ranks", 2, *run], {"ROWHALO_SITE": str(none)}, "there is no no-such-launcher"),
                (["--ranks", 1000, *run], alone, "1000 ranks per node, but a node takes "),
                (["--ranks", 2, "--nodes", 3, *run], {}, "--nodes 3: more than the 2 ranks"),
                (["--ranks", 9, *run], slurm, "9 ranks need 3 nodes with 4 each, there are 2: ask"),
                (["--ranks", 8, "--nodes", 1, *run], slurm, "8 ranks per node, but a node takes 4"),
                (["--ranks", 9, "--nodes", 2, "--ranks-per-node", 4, *run], slurm,
                 "9 ranks do not fit on 2 nodes with 4 each"),
                (["--ranks", 5, *run], pbs, "5 ranks need 3 nodes with 2 each, there are 2: ask"),
                (["--ranks", 3, "--nodes", 1, *run], pbs, "3 ranks per node, but a node takes 2"),
                (["--ranks", 2, *run], {**pbs, "PBS_NODEFILE": ""}, "PBS_NODEFILE names no file"),
                (["--ranks", 2, *run], {**slurm, "SLURM_JOB_ID": ""}, "but this is no job")):
            with self.subTest(words=words[:4]):
                said = self.run_sh("--output", "refused", *words, status=2, **more)
                self.assertIn(expected, said)
                self.assertFalse((self.project / "refused" / "done").exists())
        self.assertIn("--output DIR is missing", self.run_sh(*run, status=2))

    def test_batch_scripts_started_by_hand(self):
        scripts = [*self.project.glob("jobs/slurm/*.sbatch"), *self.project.glob("jobs/pbs/*.pbs")]
        self.assertEqual(len(scripts), 16)
        for script in scripts:
            said = self.end(self.start("bash", script), 2)
            self.assertRegex(said, r"^submit by (sbatch|qsub); here and now: ")
            for name in re.findall(r"jobs/\S+", said):
                self.assertTrue((self.project / name).is_file(), said)

    def test_map_names_the_gpu_of_each_rank(self):
        played = self.program("nvidia-smi", """case "$*" in
  *query-gpu=index*) printf '0\\n1\\n2\\n3\\n' ;;
  *query-gpu=pci.bus_id*) echo "0000:0$2:00.0" ;;
  *) exit 1 ;;
esac""")
        arguments = ("--ranks", 4, "--output", "point", "--", "run", *SMALL)
        # The site's order counts only for jobs that have all GPUs of a node.
        for order, visible, gpus in (("", "", [0, 1, 2, 3]), ("3,2,1,0", "", [3, 2, 1, 0]),
                                     ("3,2,1,0", "0,1", [0, 1, 0, 1])):
            site = self.site(gpus=4, order=order)
            said = self.run_sh("--site", site, *arguments, CUDA_VISIBLE_DEVICES=visible, **played)
            for rank, gpu in enumerate(gpus):
                self.assertRegex(
                    said, rf"rank {rank} on \S+ cores \S+ GPU {gpu} \(0000:0{gpu}:00.0\)")

    def test_what_the_site_sets_reaches_the_ranks(self):
        (self.project / "program").write_text("#!/bin/bash\n"
                                              "echo \"$ROWHALO_TEST_VARIABLE, $OMP_NUM_THREADS\"\n"
                                              "[ -n \"$SILENT\" ] || echo {} >\"${@: -1}\"\n")
        (self.project / "program").chmod(0o755)
        words = ("--site", self.site(), "--ranks", 2, "--threads", 2, "--output", "point", "--", "kernels")
        program = {"ROWHALO": str(self.project / "program")}
        said = self.run_sh(*words, **program)
        self.assertEqual(said.count("two words, 2"), 2, said)
        said = self.run_sh(*words, status=1, SILENT="yes", **program)
        self.assertIn("repeat 1 of 1 ended well, but wrote no result-1.json", said)


if __name__ == "__main__":
    throwaway.main()
