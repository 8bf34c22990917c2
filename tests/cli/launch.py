# SPDX-License-Identifier: BSD-3-Clause
"""How the tests start the program: the one place that knows mpirun, its environment and its noise.

ctest hands over ROWHALO_BINARY and ROWHALO_SOURCE_DIR; without them the release build is taken.
ROWHALO_TEST_MATRICES names a folder of .mtx and .mtx.gz files (default: ../shared/matrices),
ROWHALO_MPIEXEC the launcher with its options (default: mpirun, that of Open MPI).
"""
import fcntl
import functools
import gzip
import importlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("ROWHALO_SOURCE_DIR", Path(__file__).resolve().parents[2]))
BINARY = Path(os.environ.get("ROWHALO_BINARY", SOURCE / "build/miniapp/rowhalo"))
MATRICES = Path(os.environ.get("ROWHALO_TEST_MATRICES", SOURCE.parent / "shared/matrices"))

# More ranks than cores, root, containers: what quickstart finds out is simply switched on here.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # Within one host; asking the others first for their fabrics takes 0.2 s of every run, and opening
    # that of libfabric, which Debian leaves out unless told otherwise, 1.5 s.
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "^tcp,ofi,openib,uct",
    # After a failure mpirun would sleep for a second or two, even where no rank is left.
    "OMPI_MCA_odls_base_sigkill_timeout": "0",
    "PRTE_MCA_odls_base_sigkill_timeout": "0",
    # The start of a rank: PMIx without shared memory, and no look at the devices of the machine.
    "PMIX_MCA_gds": "hash",
    "HWLOC_COMPONENTS": "-pci,-linuxio",
    "OMP_NUM_THREADS": "1",
}
# What these tests say of the CPU holds on a machine with GPUs, too, where a GPU would be the default.
if os.environ.get("ROWHALO_TEST_DEVICE") != "gpu":
    ENVIRONMENT["CUDA_VISIBLE_DEVICES"] = ""
# Ranks that wait leave their cores to others (patient_yield.cpp, resting_barrier.cpp).
PATIENT_YIELD = BINARY.parents[1] / "tests/librowhalo_patient_yield.so"
if PATIENT_YIELD.exists():
    ENVIRONMENT["LD_PRELOAD"] = str(PATIENT_YIELD)
LAUNCHER = shlex.split(os.environ.get("ROWHALO_MPIEXEC", "mpirun"))
# After so many seconds a run hangs; a machine that others use, too, is slow at times.
PATIENCE = 600
# Tests send SIGINT, which a shell has its background processes ignore.
signal.signal(signal.SIGINT, signal.default_int_handler)
# A run that is over soon: what is computed is tested, not how fast.
SHORT = ["--min-seconds", "0", "--batches", "1", "--iterations", "1", "--warmup", "0"]
# What `run` and `solve` get under a launcher where a test names none, since trials take time: tests that mean the choice
# say AUTO.
NAMED = {"--format": "sell", "--halo": "mpi"}
AUTO = ["--format", "auto", "--halo", "auto"]


class Result:
    def __init__(self, status, stdout, stderr, seconds, command):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.seconds, self.command = seconds, " ".join(map(str, command))

    def message(self):
        """stderr without what mpirun, of Open MPI or MPICH, adds when a job fails."""
        text = re.sub(r"^([-=])\1{59,}\n.*?^\1{60,}\n", "", self.stderr,
                      flags=re.DOTALL | re.MULTILINE)
        return re.sub(r"^YOUR APPLICATION TERMINATED WITH .*\n.*\n", "", text,
                      flags=re.MULTILINE).strip()

    def __str__(self):
        return (f"{self.command}\nexit status {self.status} after {self.seconds:.1f} s\n"
                f"stdout:\n{self.stdout}\nstderr:\n{self.stderr}")


def command_line(arguments, ranks, files=()):
    """ranks == 0: without a launcher. `files`: where stdout and stderr go, past a launcher that mixes them."""
    launcher = [*LAUNCHER, "-n", str(ranks)] if ranks else []
    command = arguments[0] if ranks and arguments else ""
    if command == "run" and "--validate" not in arguments:
        # Loading PETSc takes a rank as long as all the rest: tests that mean PETSc say --validate petsc.
        arguments = [*arguments, "--validate", "reference"]
    if command in ("run", "solve") and "--tuning" not in arguments:
        arguments = [*arguments, *(word for option in NAMED.items() if option[0] not in arguments for word in option)]
    if launcher and files and mixes_streams():
        # The launcher's own pipes stay open until a rank ends, as it expects.
        redirected = 'out=$1 err=$2; shift 2; exec 8>&1 9>&2 >>"$out" 2>>"$err"; exec "$@"'
        launcher += ["sh", "-c", redirected, "sh", *(file.name for file in files)]
    return [*launcher, str(BINARY), *map(str, arguments)]


def start(arguments, ranks=2):
    """A running job; its output goes to files, so that nobody waits for a pipe."""
    # The caller owns the files through the process object.
    # pylint: disable=consider-using-with
    files = tempfile.NamedTemporaryFile("w+"), tempfile.NamedTemporaryFile("w+")
    for file in files:
        fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    process = subprocess.Popen(command_line(arguments, ranks, files), stdin=subprocess.DEVNULL,
                               stdout=files[0], stderr=files[1], env=ENVIRONMENT, text=True)
    process.files = files
    process.started = time.monotonic()
    return process


def finish(process, timeout=PATIENCE):
    """Waits for a job; a job that hangs is killed and fails the test."""
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        status = f"none: still running after {timeout} s"
    texts = []
    for file in process.files:
        file.seek(0)
        texts.append(file.read())
        file.close()
    return Result(status, *texts, time.monotonic() - process.started, process.args)


def table_of_formats():
    """(device, name) of each format in the order of the table, and its promises."""
    format_line = re.compile(r'FORMAT\((cpu|gpu), \w+, "([^"]+)",\s+([^,]+),')
    text = (SOURCE / "kernels/formats.inc").read_text(encoding="utf-8")
    return {(device, name): promises.split(" | ") for device, name, promises in format_line.findall(text)}


def methods(*kinds):
    """Names of the solvers of these kinds (SolverKind), in the order of their table."""
    text = (SOURCE / "miniapp/solve/methods.cpp").read_text(encoding="utf-8")
    table = re.findall(r'\.name = "([^"]+)",.*?\.kind = SolverKind::(\w+),', text, re.DOTALL)
    return [name for name, kind in table if kind in kinds]


def run(*arguments, ranks=2, timeout=PATIENCE):
    return finish(start(arguments, ranks), timeout)


@functools.cache
def mixes_streams():
    """Whether pieces of stderr come on stdout, or the other way round: mpirun of Open MPI 5.0."""
    version = subprocess.run([*LAUNCHER, "--version"], capture_output=True, text=True, check=False).stdout
    return "Open MPI) 5." in version


def ranks_for_stdout():
    """For what is read from stdout whole."""
    return 0 if mixes_streams() else 4


@functools.cache
def good_seconds():
    """What a run that does next to nothing takes here and now: limits of others are multiples."""
    result = run("run", "--matrix", "stencil7:4", *SHORT)
    assert result.status == 0, result
    return result.seconds


def state_and_parent(pid):
    """("R", 1), or None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            state, parent = file.read().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return None
    return state, int(parent)


def ranks_under(pid):
    """Process ids of the ranks under a launcher, which may have helpers in between."""
    found = [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]
    parents = {each: (state_and_parent(each) or (None, 0))[1] for each in found}

    def is_below(each):
        while each in parents and each != pid:
            each = parents[each]
        return each == pid

    def runs_binary(each):
        try:
            return os.path.samefile(f"/proc/{each}/exe", BINARY)
        except OSError:
            return False
    return sorted(each for each in found if each != pid and is_below(each) and runs_binary(each))


def expects_signals(pid):
    """Whether a rank has come so far that SIGUSR1 does not end it: its watchdog waits for it."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            blocked = re.search(r"^SigBlk:\s*([0-9a-f]+)$", file.read(), re.MULTILINE)[1]
    except OSError:
        return False
    return bool(int(blocked, 16) >> (signal.SIGUSR1 - 1) & 1)


def wait_until_measuring(process, ranks):
    """The ranks of a long run, when all its set-up must be over."""
    settle = max(2, 2 * good_seconds())
    deadline = time.monotonic() + PATIENCE
    while sum(map(expects_signals, ranks_under(process.pid))) < ranks and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(settle)
    return ranks_under(process.pid)


class Case(unittest.TestCase):
    """A test case with a temporary folder, self.place."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.place = Path(holder.name)

    def write(self, name, content):
        """Writes text (compressed for .gz) or bytes, gives the path."""
        path = self.place / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif name.endswith(".gz"):
            path.write_bytes(gzip.compress(content.encode()))
        else:
            path.write_bytes(content.encode())
        return path

    def assert_fits(self, result):
        """A good run, whose lines on stdout have at most 100 columns, but for the RESULT line: it is one line."""
        self.assertEqual(result.status, 0, result)
        for line in result.stdout.split("\n"):
            if not line.startswith("RESULT: "):
                self.assertLessEqual(len(line), 100, f"{line}\n{result}")

    def run_json(self, *arguments, ranks=2, status=0, timeout=PATIENCE, command="run"):
        """`rowhalo COMMAND`, which must end with `status`; gives its JSON."""
        target = self.place / "result.json"
        target.unlink(missing_ok=True)
        result = run(command, *arguments, "--json", target, ranks=ranks, timeout=timeout)
        self.assertEqual(result.status, status, result)
        return json.loads(target.read_text(encoding="utf-8"))


def banner(path):
    """First line of a Matrix Market file."""
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="ascii", errors="replace") as file:
        return file.readline().lower().split()


def shared_matrices():
    """The readable (not complex) matrices of the folder, smallest file first."""
    files = [*MATRICES.glob("*.mtx"), *MATRICES.glob("*.mtx.gz")] if MATRICES.is_dir() else []
    real = [path for path in files if banner(path)[3] in ("real", "integer", "pattern")]
    return sorted(real, key=lambda path: (path.stat().st_size, path.name))


def sizes(path):
    """Rows and columns of a Matrix Market file."""
    opened = gzip.open(path, "rt") if path.name.endswith(".gz") else open(path, encoding="utf-8")
    with opened as lines:
        for line in lines:
            if not line.startswith("%"):
                return [int(word) for word in line.split()[:2]]
    raise ValueError(f"{path}: no size line")


@functools.cache
def built_with(name):
    """Whether this build has a dependency, by its name in `rowhalo --version`."""
    version = run("--version", ranks=0).stdout
    return re.search(rf"^ +{re.escape(name)} +(\S+)", version, re.MULTILINE)[1] != "no"


def needs(name):
    """Decorates a test that is skipped in a build without this dependency."""
    return unittest.skipUnless(built_with(name), f"built without {name}")


def skip_all(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def lacking(*modules):
    """Which of these Python modules is missing, in a sentence; empty where none is."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            return f"{sys.executable} has no {module}: apt-get install python3-{module}"
    return ""


def require(*modules):
    """Ends the test as skipped when one of these Python modules is missing."""
    reason = lacking(*modules)
    if reason:
        skip_all(reason)
