#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/rowhalo-study: every command reaches its program under the name that was typed; studies, sites
and scripts to start from; what it says of a wrong word, of a program that is not there, of an old
Python. The installed tool is tested by tests/install/test_study_tool.sh."""
import os
import re
import shutil
import subprocess
import sys
import time
import unittest

import studies
import throwaway
from results import JOBS, launch

from rowhalo_study import __version__  # noqa: E402  pylint: disable=wrong-import-position
from rowhalo_study.cli.main import COMMANDS  # noqa: E402  pylint: disable=wrong-import-position
from rowhalo_study.schedulers import backends, ready  # noqa: E402  pylint: disable=wrong-import-position

TOOL = JOBS / "rowhalo-study"


def table():
    """COMMANDS of the tool without headings."""
    return [line for line in COMMANDS if len(line) > 1]


class Tool(launch.Case):
    def call(self, *words, status=0, tool=TOOL, **environment):
        """stdout and stderr of the tool, started in the empty folder of the test."""
        run = subprocess.run([sys.executable, str(tool), *map(str, words)], cwd=self.place, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             env={**throwaway.environment(), **environment}, universal_newlines=True,
                             timeout=launch.PATIENCE)
        self.assertEqual(run.returncode, status, run.stdout)
        return run.stdout


class Commands(Tool):
    def test_every_command_is_called_by_its_own_name(self):
        for command, place, _ in table():
            with self.subTest(command):
                if place != "run.sh":
                    self.assertRegex(self.call(command, "--help"), rf"(?i)^usage:\s+rowhalo-study {command}\b")
        self.assertIn("run.sh [--site S] [--ranks N]", self.call("point", "--help"))

    def test_the_programs_of_before_name_the_command_and_run_it(self):
        for command, place, _ in table():
            name = command.replace("-", "_") + ".py"
            if command == "classes":
                name = "classes"
            elif place == "cli.study":
                name = "study.py"
            elif command in ("point", "petsc"):
                continue
            words = [command] if name == "study.py" else []
            said = self.call(*words, "--help", tool=JOBS / name)
            self.assertRegex(said, rf"\Ajobs/\S+ is going away; it is now: rowhalo-study {command}\n(?i:usage):\s+rowhalo-study {command}\b")

    def test_version(self):
        self.assertEqual(self.call("--version"), f"rowhalo-study {__version__}\n")
        project = re.search(r"project\(rowhalo VERSION (\S+)", (launch.SOURCE / "CMakeLists.txt").read_text("utf-8"))
        self.assertEqual(__version__, project[1])

    def test_messages_name_what_was_typed(self):
        self.assertTrue(self.call("plan", "nothing.ini", status=2).startswith(
            "rowhalo-study: nothing.ini: neither a study file nor the output folder of a study; "))
        self.assertTrue(self.call("compare", "a.csv", "b.csv", status=2).startswith(
            "rowhalo-study compare: a.csv"))

    def test_wrong_words(self):
        self.assertEqual(self.call("pln", status=2), "rowhalo-study: pln: there is no such command; did "
                         "you mean plan? rowhalo-study --help lists them\n")
        self.assertEqual(self.call("xyzzy", status=2), "rowhalo-study: xyzzy: there is no such command; "
                         "rowhalo-study --help lists them\n")
        self.assertEqual(self.call(status=2), self.call("--help"))

    def test_a_pipe_that_is_closed(self):
        """Nobody reads on: no traceback, neither of the tool nor of a program under its own name."""
        for words, first in (("rowhalo-study matrices --list lp49", r"\S+ +\d+ x \d+ +\d+ nonzeros"),
                             ("rowhalo-study --man", r"\.TH ROWHALO.*"),
                             ("rowhalo-study table --help", "usage: rowhalo-study table .*"),
                             ("rowhalo-study table results/h200/classes-fp64.csv", "# classes-fp64")):
            # The reader is gone before the program writes.
            run = subprocess.run(["bash", "-c", f"unset PYTHONUNBUFFERED; set -o pipefail; cd '{JOBS}'; "
                                  f"{{ sleep 0.5; '{sys.executable}' -B {words}; }} | true"], check=False, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, universal_newlines=True)
            self.assertEqual((run.stdout, run.returncode), ("", 1), words)
            run = subprocess.run(["bash", "-c", f"cd '{JOBS}'; '{sys.executable}' -B {words} | head -n 1"],
                                 check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 universal_newlines=True)
            self.assertRegex(run.stdout, f"^{first}\n$")

    def test_a_copy_finds_what_lies_beside_it_and_writes_nothing_there(self):
        project = throwaway.copy_of_jobs(self.place)
        shutil.rmtree(project / "jobs/results/programs/classes")
        shutil.copytree(JOBS / "sites", project / "jobs/sites", dirs_exist_ok=True)
        (project / "jobs/sites/ours.ini").write_text(
            "[site]\nname = ours\nscheduler = none\n[node]\ncores = 3\ngpus = 0\n"
            "[launch]\ncommand = mpirun -n {ranks}\n", encoding="utf-8")
        link = self.place / "a link"
        link.symlink_to(project / "jobs/rowhalo-study")
        before = sorted(project.rglob("*"))
        self.assertIn("ours (", self.call("site", "ours", tool=link, PYTHONDONTWRITEBYTECODE=""))
        said = self.call("--help", tool=link)
        self.assertIn(str(project / "jobs"), said)
        self.assertNotIn("\n  classes ", said)
        self.assertIn("classes: there is no such command", self.call("classes", tool=link, status=2))
        self.assertEqual(sorted(project.rglob("*")), before)


class Starters(Tool):
    def test_lists(self):
        said = self.call("new", "study")
        for path in (JOBS / "studies").glob("*.ini"):
            self.assertRegex(said, rf"(?m)^{path.stem} +\S+")
        self.assertRegex(self.call("new", "site"), r"(?m)^generic-slurm +Slurm, srun, PMIx$")
        self.assertRegex(self.call("new", "script"), r"(?m)^run\.pbs +One run on 2 nodes")

    def test_copies(self):
        for words, name, source in ((["study", "strong"], "strong.ini", "studies/strong.ini"),
                                    (["study", "weak.ini", "mine.ini"], "mine.ini", "studies/weak.ini"),
                                    (["site", "local", "."], "local.ini", "sites/local.ini"),
                                    (["script", "run.sbatch"], "run.sbatch", None)):
            said = self.call("new", *words)
            wanted = (JOBS / source).read_text("utf-8") if source else ready.text_of(name)
            self.assertEqual((self.place / name).read_text("utf-8"), wanted)
            self.assertIn(name, said)
        self.assertIn(f"ROWHALO_SITE={self.place / 'local.ini'}", self.call("new", "site", "local", "x.ini")
                      .replace("x.ini", "local.ini"))
        before = self.write("weak.ini", "mine").read_bytes()
        self.assertIn("weak.ini: is there already", self.call("new", "study", "weak", status=2))
        self.assertEqual((self.place / "weak.ini").read_bytes(), before)

    def test_wrong(self):
        self.assertIn("study nothing: there is none of this name; take ",
                      self.call("new", "study", "nothing", status=2))
        self.assertIn("cannot be written: ", self.call("new", "study", "weak", "no/where.ini", status=2))
        self.assertEqual(list(self.place.iterdir()), [])

    def test_a_study_of_jobs_by_its_name(self):
        project = throwaway.copy_of_jobs(self.place)
        text = studies.study_text("mini", points="ranks = 1")
        (project / "jobs/studies/mini.ini").write_text(text, encoding="utf-8")
        tool = project / "jobs/rowhalo-study"
        self.assertIn("mini: mini\n", self.call("plan", "mini.ini", "--site", "local", tool=tool))
        # The executable of an installation, which is a link beside the programs.
        words = ["plan", "mini.ini", "--site", "local"]
        found = {"ROWHALO": "", "PATH": "/usr/bin:/bin"}
        if not shutil.which("rowhalo", path=found["PATH"]):
            self.assertIn(f"no executable: neither {project}/build/miniapp/rowhalo nor rowhalo in PATH",
                          self.call(*words, tool=tool, status=2, **found))
        (project / "jobs/rowhalo").symlink_to(launch.BINARY)
        self.assertIn("mini: mini\n", self.call(*words, tool=tool, **found))
        # One that lies here comes first, also without .ini.
        self.write("mini.ini", text.replace("kind = ", "title = My own\nkind = "))
        self.assertIn("mini: My own\n", self.call("plan", "mini.ini", "--site", "local", tool=tool))
        self.assertIn("mini: My own\n", self.call("plan", "mini", "--site", "local", tool=tool))

    def test_what_is_mistyped_names_what_is_near(self):
        self.assertIn("did you mean laptop-strong? ready ones: ", self.call("plan", "laptop-strnog", status=2))
        self.assertIn("did you mean laptop-strong? take ", self.call("new", "study", "laptop-strnog", status=2))
        self.assertIn("run: --sizte: there is no such option; did you mean --site? ",
                      self.call("run", "any.ini", "--sizte", "local", status=2))

    def test_the_study_that_is_here(self):
        self.assertIn("which study? give STUDY.ini", self.call("status", status=2))
        self.write("mine.ini", studies.study_text("mine", points="ranks = 1"))
        self.call("run", "mine", "--site", "local", "--no-plot")
        self.assertIn("1 done", self.call("status"))          # the only one
        self.assertIn("1 done", self.call("status", "mine"))  # on the site of the run


class Pythons(Tool):
    OLD = ("import runpy, sys; sys.version_info = (3, 6, 8, 'final', 0); sys.argv = [{tool!r}, 'plan', "
           "'a b']; runpy.run_path({tool!r}, run_name='__main__')")

    def old(self, status):
        run = subprocess.run([sys.executable, "-c", self.OLD.format(tool=str(TOOL))], check=False,
                             env={**os.environ, "PATH": str(self.place)}, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, universal_newlines=True, timeout=launch.PATIENCE)
        self.assertEqual(run.returncode, status, run.stdout)
        return run.stdout

    def test_an_old_python_is_refused(self):
        self.assertRegex(self.old(2), r"^rowhalo-study: needs Python 3\.9 or newer, and \S+ is 3\.6: load a "
                         "module of Python, or start it with another one: ")

    def test_a_newer_one_is_started(self):
        for name, body in (("python3.12", "exit 1"), ("python3.9", 'echo "$@"'), ("python3.7", "exit 3")):
            self.write(name, f"#!/bin/sh\n{body}\n").chmod(0o755)
        self.assertEqual(self.old(0), f"{TOOL} plan a b\n")

    def test_run_sh_takes_the_same_python(self):
        """Where PYTHON names no other."""
        project = throwaway.copy_of_jobs(self.place)
        (project / "jobs/run.sh").write_text('#!/bin/bash\necho "$PYTHON $*"\n', encoding="utf-8")
        for chosen, python in (("", sys.executable), ("/my/python", "/my/python")):
            self.assertEqual(self.call("point", "--ranks", 2, tool=project / "jobs/rowhalo-study", PYTHON=chosen),
                             f"{python} --ranks 2\n")

    def test_it_counts_as_one_of_ours_where_files_cannot_be_locked(self):
        self.write("rowhalo-study", "import time\ntime.sleep(600)\n")
        with subprocess.Popen([sys.executable, self.place / "rowhalo-study"]) as process:
            deadline = time.monotonic() + launch.PATIENCE
            while not backends.process_runs(process.pid) and time.monotonic() < deadline:
                time.sleep(0.05)    # the child is this test for a moment
            self.assertTrue(backends.process_runs(process.pid))
            process.kill()


if __name__ == "__main__":
    unittest.main()
