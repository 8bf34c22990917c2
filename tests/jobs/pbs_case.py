# SPDX-License-Identifier: BSD-3-Clause
"""A test class with the double of PBS (pbs_double.py): its server, its commands, a site for it."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pbs_double
import throwaway
from studies import study_text
from throwaway import launch

DOUBLE = Path(__file__).resolve().parent / "pbs_double.py"
COMMANDS = ("qsub", "qstat", "qdel", "qhold", "qrls", "qsig", "pbs_tmrsh")
# Ends only by SIGKILL once it measures: {ready} appears then.
DEAF = """#!/bin/bash
case "$*" in run*--json*) trap '' TERM USR1; touch "{ready}"; while :; do sleep 0.1; done ;; esac
exec {binary} "$@"
"""
# Measures when {ready}.go appears.
GATED = """#!/bin/bash
case "$*" in run*--json*) touch "{ready}"; until [ -e "{ready}.go" ]; do sleep 0.1; done ;; esac
exec {binary} "$@"
"""
BLOCKER = "#!/bin/bash\n#PBS -l select=1:ncpus=1\nwhile [ ! -e \"$PBS_O_WORKDIR/go\" ]; do sleep 0.1; done\n"
SITE = """[site]
name = double
scheduler = pbs
[job]
extra = {extra}
[node]
cores = 2
gpus = 0
[launch]
command = mpirun -n {{ranks}} {{host_options}}
[variables]
{variables}
"""


def executable(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def two_nodes():
    """Whether a second host can be played."""
    spaces = ["unshare", "--uts", "--mount", "--propagation", "private", "true"]
    return subprocess.run(spaces, check=False, stderr=subprocess.DEVNULL).returncode == 0


class PbsCase(throwaway.JobsCase):
    @classmethod
    def setUpClass(cls):
        """All commands but PBS's and ssh: the PATH of a job's shell. And jobs/, to be copied."""
        holder = tempfile.TemporaryDirectory(prefix="rowhalo-")
        cls.addClassCleanup(holder.cleanup)
        cls.original = throwaway.copy_of_jobs(holder.name)
        cls.machine = Path(holder.name) / "machine"
        cls.machine.mkdir()
        for folder in ["/usr/local/bin", "/usr/bin", *os.environ["PATH"].split(":")]:
            for path in Path(folder).iterdir() if Path(folder).is_dir() else ():
                link = cls.machine / path.name
                if path.name not in (*COMMANDS, "ssh", "python3") and not link.is_symlink():
                    link.symlink_to(path)
        executable(cls.machine / "ssh", "#!/bin/sh\nexit 255\n")
        executable(cls.machine / "python3", "#!/bin/bash\n"
                   f"export PYTHONPATH={throwaway.without_pictures(cls.machine)}\n"
                   f"exec -a \"$0\" {sys.executable} \"$@\"\n")

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="rowhalo-")
        self.addCleanup(holder.cleanup)
        self.place = Path(holder.name)
        self.project = self.place / "my project"
        shutil.copytree(self.original, self.project)
        self.double = self.place / "pbs"
        self.make_machine()
        self.set()
        self.environment = throwaway.environment(
            HOME=str(self.double / "home"), PATH=f"{self.double}/bin:{self.double}/machine",
            PBS_CONF_FILE=str(self.double / "pbs.conf"), ROWHALO_SITE=str(self.site()))
        self.start_server()

    def make_machine(self):
        """Folders, PBS's commands, and all others without them."""
        for name in ("bin", "home"):
            (self.double / name).mkdir(parents=True)
        (self.double / "machine").symlink_to(self.machine)
        for name in COMMANDS:
            executable(self.double / "bin" / name, f"#!/bin/sh\nexec {sys.executable} -I -S -B {DOUBLE} "
                                                   f"{name} {self.double} \"$@\"\n")
        (self.double / "pbs.conf").write_text(f"PBS_EXEC={self.double}\n", encoding="utf-8")

    def set(self, **settings):
        (self.double / "settings.json").write_text(json.dumps(settings), encoding="utf-8")

    def site(self, extra=""):
        """Its variables are what all tests set (launch.py), since a job inherits nothing."""
        values = {**{name: value for name, value in throwaway.environment().items()
                     if name.startswith(("OMPI_", "PRTE_", "PMIX_", "HWLOC_", "LD_", "ROWHALO_TEST_"))},
                  "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo",
                  "PYTHONDONTWRITEBYTECODE": "1"}
        for name in ("OMPI_MCA_odls_base_sigkill_timeout", "PRTE_MCA_odls_base_sigkill_timeout"):
            del values[name]  # is what a job needs at its end
        path = self.project / "the double's site.ini"
        path.write_text(SITE.format(extra=extra, variables="\n".join(
            f"{name} = {value}" for name, value in values.items())), encoding="utf-8")
        return path

    def start_server(self):
        with open(self.double / "log", "wb") as log:
            server = subprocess.Popen(  # pylint: disable=consider-using-with  # stopped below
                [sys.executable, "-B", DOUBLE, "serve", self.double], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)

        def stop():
            (self.double / "stop").touch()
            self.assertEqual(server.wait(launch.PATIENCE), 0, (self.double / "log").read_text())
        self.addCleanup(stop)
        self.wait_for((self.double / "socket").exists, "the server does not start")

    def study(self, *words, **more):
        return self.command("jobs/rowhalo-study", *words, **more)

    def qsub(self, *words, **more):
        return self.command("qsub", *words, **more).strip()

    def live(self):
        """{number: state} of what has not ended."""
        lines = pbs_double.ask(self.double, "qstat", [])[0].split("\n")[2:]
        return {line.split(".")[0]: line.split()[-2] for line in lines}

    def wait(self, *jobs):
        numbers = {job.split(".")[0] for job in jobs}
        self.wait_for(lambda: not numbers & set(self.live()), f"{jobs} have not ended")

    def folder(self, job):
        return self.project / f"rowhalo-run-{job.split('.')[0]}"


class StudyCase(PbsCase):
    """Studies on the double, and programs in the place of rowhalo."""

    def program(self, text, **fields):
        """A program in rowhalo's place; what it touches when it measures."""
        ready = self.place / "ready"
        path = executable(self.place / "a program", text.format(binary=launch.BINARY, ready=ready,
                                                                **fields))
        self.environment["ROWHALO"] = str(path)
        return ready

    def submit(self, *options, status=0, **parts):
        """A study's folder and the ids of its jobs."""
        folder = self.place / "out of 'a' \"study\""
        path = self.place / "a study.ini"
        path.write_text(study_text(**{"points": "ranks = 1,2", **parts}), encoding="utf-8")
        said = self.study("submit", path, "--output", folder, *options, status=status)
        return folder, re.findall(r"^job (\S+):", said, re.MULTILINE)

    def states(self, folder, status=None):
        run = self.study("status", folder, status=status)
        return dict(re.split(r"  +", line)[:2] for line in run.split("\n") if "  " in line)

    def submit_run(self, *arguments, **more):
        return self.study("submit", "jobs/pbs/run.pbs", "--", *arguments, **more).strip()

    def blocked(self, *options, **parts):
        """A study whose jobs are queued behind another job."""
        executable(self.project / "blocker.pbs", BLOCKER)
        (self.project / "go").unlink(missing_ok=True)
        self.qsub("blocker.pbs")
        return self.submit(*options, **parts)
