# SPDX-License-Identifier: BSD-3-Clause
"""A throw-away Slurm for a test class, and jobs/ copied to a folder whose name has spaces.

The scripts under test see what users have: a project folder, a built program (ROWHALO), and sbatch
or qsub in PATH. SlurmCase starts a Slurm for the class and ends it, whatever happens; without
slurm-wlm the whole file is skipped with 77.
"""
import compileall
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

sys.path.insert(0, str(launch.SOURCE / "jobs"))
from rowhalo_study.schedulers import ready  # noqa: E402  pylint: disable=wrong-import-position

ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
# A matrix and a measurement that are over in a moment.
MATRIX = ["--matrix", "stencil7:12", *launch.SHORT, "--validate", "reference"]
SMALL = [*MATRIX, "--format", "sell", "--halo", "mpi"]
# Runs until it is told to end, in short batches: each is finished first, and beyond the 200th it rests in between
# (resting_barrier.cpp).
LONG = ["--matrix", "stencil7:24", "--min-seconds", "300", "--iterations", "10", "--format", "csr",
        "--halo", "mpi", "--validate", "reference"]


def environment(**more):
    """What jobs inherit: nothing of a scheduler that this test itself may run under; hosts talk by TCP."""
    kept = {name: value for name, value in launch.ENVIRONMENT.items()
            if not re.match(r"(SLURM|PBS|ROWHALO)_|OMP_|OMPI_MCA_btl$", name)}
    return {**kept, "ROWHALO": str(launch.BINARY), "PYTHON": sys.executable,
            "PYTHONDONTWRITEBYTECODE": "1", "ROWHALO_TEST_REST": "20", **more}


def without_pictures(place):
    """A PYTHONPATH in which matplotlib and h5py are missing, as on some clusters: without them a study
    ends seconds sooner."""
    folder = Path(place) / "without_pictures"
    folder.mkdir(exist_ok=True)
    for name in ("h5py", "matplotlib"):
        (folder / f"{name}.py").write_text("raise ImportError(__name__)\n", encoding="utf-8")
    return str(folder)


# Compiled once, if not yet since they changed, where Python looks for it: tests start them hundreds of times.
compileall.compile_dir(launch.SOURCE / "jobs", quiet=2, rx=re.compile("/recipes/|jobs/results/(?!programs)"))


def without_results(folder, names):
    """For shutil.copytree: of jobs/results only the programs."""
    return [name for name in names if Path(folder) == launch.SOURCE / "jobs/results" and name != "programs"]


def copy_of_jobs(place):
    """A project folder with a space in its name that holds jobs/, with its modules compiled, and the ready scripts."""
    project = Path(place) / "my project"
    shutil.copytree(launch.SOURCE / "jobs", project / "jobs", ignore=without_results)
    for name in ready.names():
        script = project / "jobs" / ready.SUFFIXES[Path(name).suffix] / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(ready.text_of(name), encoding="utf-8")
    return project


def changed_site(project, name, change):
    """A copy of generic-slurm with another launcher line; its name."""
    text = (project / "jobs/sites/generic-slurm.ini").read_text(encoding="utf-8")
    line = re.search("^command = .*", text, re.MULTILINE)[0]
    (project / name).write_text(text.replace(line, change(line)), encoding="utf-8")
    return name


def free_port(count):
    """The first of `count` ports in a row that nobody listens on."""
    first = 20000 + os.getpid() * 64 % 20000
    while True:
        sockets = []
        try:
            for port in range(first, first + count):
                sockets.append(socket.socket())
                sockets[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            first += 64
        finally:
            for each in sockets:
                each.close()


class JobsCase(unittest.TestCase):
    """What tests on a scheduler share: self.place, self.project, self.environment are set by it."""

    def command(self, *words, cwd=None, status=0, **more):
        """stdout of a command in the project's folder, with more environment; status None: any."""
        run = subprocess.run(list(map(str, words)), cwd=cwd or self.project, check=False,
                             env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=launch.PATIENCE,
                             universal_newlines=True)
        if status is not None:
            self.assertEqual(run.returncode, status, f"{words}\n{run.stdout}{run.stderr}")
        return run.stdout

    def wait_for(self, condition, failure, seconds=launch.PATIENCE):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.2)
        raise AssertionError(f"{failure} after {seconds} s\n{self.outputs()}")

    def outputs(self):
        """What all jobs have printed."""
        # Not rglob: jobs that end take away folders under it.
        paths = [Path(folder, name) for folder, _, names in os.walk(self.place) for name in names]
        files = sorted(path for path in paths if re.search(r"\.(out|[oe][0-9][^.]*)$", path.name))
        return "\n".join(f"--- {file}\n{file.read_text(errors='replace')}" for file in files)

    def check_point(self, folder, ranks, nodes=None):
        """A point that went well; its report."""
        self.assertTrue((folder / "done").is_file(), self.outputs())
        self.assertFalse((folder / "error").exists())
        report = json.loads((folder / "result-1.json").read_text(encoding="utf-8"))
        self.assertEqual(report["status"], "ok")
        self.assertEqual(report["partition"]["ranks"], ranks)
        lines = (folder / "provenance" / "map.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual([int(line.split()[1]) for line in lines], list(range(ranks)))
        hosts = (folder / "provenance" / "nodes.txt").read_text(encoding="utf-8").split()
        if nodes:
            self.assertEqual(len(hosts), nodes)
        self.assertIn("RESULT: PASS", (folder / "log-1.txt").read_text(encoding="utf-8"))
        return report

    def check_error(self, folder, text):
        self.assertFalse((folder / "done").exists())
        marker = (folder / "error").read_text(encoding="utf-8")
        self.assertIn(text, marker)
        return marker


class SlurmCase(JobsCase):
    nodes, cpus, gpus, pbs = 4, 4, 4, False

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="rowhalo-")
        cls.addClassCleanup(holder.cleanup)
        cls.place = Path(holder.name)
        cls.project = copy_of_jobs(cls.place)
        cls.environment = environment(
            SLURMTEST_DIR=str(cls.place / "slurm"), SLURMTEST_NODES=str(cls.nodes),
            SLURMTEST_CPUS=str(cls.cpus), SLURMTEST_GPUS=str(cls.gpus),
            SLURMTEST_PBS=str(int(cls.pbs)), SLURMTEST_PORT=str(free_port(cls.nodes + 11)),
            SLURM_PMIX_FENCE="ring",  # see slurm_up.sh
            PYTHONPATH=without_pictures(cls.place))
        cls.addClassCleanup(subprocess.run, [HERE / "slurm_down.sh"], env=cls.environment,
                            check=False, timeout=launch.PATIENCE)
        with open(cls.place / "slurm.log", "w+", encoding="utf-8") as log:  # daemons keep it
            run = subprocess.run([HERE / "slurm_up.sh"], env=cls.environment, timeout=launch.PATIENCE,
                                 stdout=log, stderr=log, stdin=subprocess.DEVNULL, check=False)
        said = (cls.place / "slurm.log").read_text(encoding="utf-8")
        if run.returncode == 77:
            raise unittest.SkipTest(said.strip())
        if run.returncode != 0:
            raise RuntimeError(said)
        cls.environment["SLURM_CONF"] = str(cls.place / "slurm" / "slurm.conf")

    def sbatch(self, *words, **more):
        """Submits; the number of the job."""
        return self.command("sbatch", "--parsable", *words, **more).strip()

    def qsub(self, script, arguments="", **more):
        # Slurm's qsub hands on the whole environment unless -v is given, and then quotes nothing.
        return self.command("qsub", script, ROWHALO_ARGUMENTS=arguments, **more).strip()

    def state(self, job):
        """State and exit status of a job."""
        shown = self.command("scontrol", "-o", "show", "job", job)
        status = int(re.search(r"ExitCode=(\d+):", shown)[1])
        return re.search(r"JobState=(\w+)", shown)[1], status

    def wait(self, job, seconds=launch.PATIENCE):
        """Waits for the end of a job: its state and exit status."""
        return self.wait_for(lambda: self.state(job)[0] in ENDED and self.state(job),
                             f"job {job} has not ended", seconds)

    def assert_completed(self, job):
        self.assertEqual(self.wait(job), ("COMPLETED", 0), self.outputs())


def main():
    """As unittest.main, but 77 when all that there is was skipped."""
    program = unittest.main(exit=False)
    result = program.result
    if result.wasSuccessful() and result.skipped and not result.testsRun:
        print(f"skipped: {result.skipped[0][1]}")
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
