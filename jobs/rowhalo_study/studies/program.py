# SPDX-License-Identifier: BSD-3-Clause
"""What the executable is asked before a study runs: names it knows, outlines of matrices.

Outlines come from `rowhalo info --dry`, which reads and makes no entry, so any size costs half a
second. The executable is $ROWHALO, else the build beside jobs/, else jobs/rowhalo, a link that the
installation makes, else the one in PATH, as in run.sh.
"""
import os
import shutil
import subprocess
from typing import NamedTuple

from rowhalo_study.calling import JOBS
from rowhalo_study.results.rows import unique
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.shape import TEXT, WHOLE, kept, parse_json, summary

VALUE_BYTES = {"fp64": (8, 8), "fp32": (4, 4), "mixed": (4, 8), "fp16": (2, 2), "bf16": (2, 2)}
INDEX_BYTES = 4
SECONDS = 120  # of one question
ANSWER = {"matrix!": dict.fromkeys(("rows!", "columns!", "nonzeros!"), WHOLE),
          "info!": {"need!": dict.fromkeys(("host_peak_bytes!", "device_bytes!"), WHOLE)}}
# A question is one process without a launcher. Open MPI would start a daemon beside it, which costs 0.2 s and
# failed once inside a job on a busy machine; of the folder that all such processes share the last to end takes away
# what another has just found there. The program sees to both itself, but inside a job it takes itself for a rank.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_orte_create_session_dirs": "0"}


class Outline(NamedTuple):
    """A matrix, and what a rank of it needs at most."""
    rows: int
    columns: int
    nonzeros: int
    host_bytes: int         # while reading and partitioning, which is when most is held
    device_bytes: int

    def csr_bytes(self, precision):
        """Of matrix and vectors, as the program's gbytes_per_second counts them."""
        matrix, vector = VALUE_BYTES[precision or "fp64"]
        return (self.nonzeros * (matrix + INDEX_BYTES) + self.rows * INDEX_BYTES
                + (self.rows + self.columns) * vector)


def find_executable():
    beside = JOBS.parent / "build/miniapp/rowhalo"
    named = os.environ.get("ROWHALO")
    if named:
        found = shutil.which(named)
        if not found:
            raise WrongInput(f"ROWHALO={named}: there is no such executable")
        return os.path.abspath(found)
    found = next((path.resolve() for path in (beside, JOBS / "rowhalo")
                  if os.access(path, os.X_OK)), shutil.which("rowhalo"))
    if not found:
        raise WrongInput(f"no executable: neither {beside} nor rowhalo in PATH; build it with "
                         "./quickstart, or set ROWHALO=/path/of/rowhalo")
    return os.path.abspath(found)


class Program:
    def __init__(self):
        self.path = find_executable()
        self.outlines = {}
        self.lists = {}

    def ask(self, *arguments):
        """stdout, or None and what it said."""
        try:
            run = subprocess.run([self.path, *arguments], stdin=subprocess.DEVNULL, check=False,
                                 env={**os.environ, **ALONE}, capture_output=True, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return None, str(error)
        said = run.stderr.decode(errors="replace").strip().split("\n")
        told = [line for line in said if line.startswith("rowhalo:")] or said[-1:]
        return (run.stdout, "") if run.returncode == 0 else (
            None, told[0] or f"ended with exit status {run.returncode}")

    def parsed(self, text, shape):
        try:
            wrong = []
            found = kept(parse_json(text), shape, wrong)
            if wrong:
                raise ValueError(summary(wrong))
            return found
        except ValueError as error:
            raise WrongInput(f"{self.path}: does not answer as rowhalo does ({error}); set ROWHALO=/path/of/"
                             "rowhalo") from error

    def names(self, table):
        """Names in a table of `rowhalo list`."""
        if table not in self.lists:
            text, said = self.ask("list", table, "--json")
            if text is None:
                raise WrongInput(f"{self.path} list {table}: {said}")
            self.lists[table] = unique(entry["name"] for entry in self.parsed(text, [{"name!": TEXT}]))
        return self.lists[table]

    def refusal(self, command, matrix, device, arguments):
        """What the program says against arguments that it would run without; empty where nothing. Only some commands
        can be asked (--dry)."""
        words = [command, "--matrix", matrix, "--device", device, "--dry", "--quiet", "--no-progress"]
        said = self.ask(*words, *arguments)[1] if arguments else ""
        return "" if said in ("", self.ask(*words)[1]) else said

    def outline(self, matrix, ranks, precision):
        """The outline of a matrix over ranks; WrongInput with the program's own words."""
        key = (matrix, ranks, precision)
        if key not in self.outlines:
            text, said = self.ask("info", "--dry", "--matrix", matrix, "--ranks", str(ranks),
                                  "--precision", precision or "fp64", "--json", "-")
            if text is None:
                raise WrongInput(said)
            answer = self.parsed(text, ANSWER)
            matrix, need = answer["matrix"], answer["info"]["need"]
            self.outlines[key] = Outline(matrix["rows"], matrix["columns"], matrix["nonzeros"],
                                         need["host_peak_bytes"], need["device_bytes"])
        return self.outlines[key]
