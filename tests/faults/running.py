# SPDX-License-Identifier: BSD-3-Clause
"""Runs one case of the table of faults and says what is wrong with how it ended."""
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

SHARED_MEMORY = Path("/dev/shm")
NAMED_PHASE = r"\[rank \d+ on [^]]+\] error: .*phase '"  # the program speaks: rank, host and phase
PATIENCE = 60  # --timeout of the other cases: on a busy machine ranks may wait for seconds
TWO_RANKS = r"(?s)\[rank (\d+) on [^]]+\] error: .*phase '.*\[rank (?!\1 )\d+ on [^]]+\] error: .*phase '"


@dataclasses.dataclass
class Case:
    """`{place}` in arguments, hold and do stands for the folder of the case."""
    name: str
    arguments: list
    ranks: int = 4
    hold: str = ""              # RANK:PHASE
    do: str = ""                # what the rank runs at the beginning of the phase
    says: str = ""              # what stderr must have
    statuses: tuple = ()        # allowed ones; empty: any but 0
    keeps: tuple = ()           # outputs that must be there and whole
    loses: tuple = ()           # outputs that must not be there
    has: dict = dataclasses.field(default_factory=dict)  # output -> what its text must have
    prepare: Callable = None    # (place, settings) -> what undoes it, or None
    wrapper: str = ""           # shell commands before the program of each rank


@dataclasses.dataclass
class Settings:
    rowhalo: Path
    timeout: float  # of the program, in cases that its watchdog is to end
    grace: float
    own_shared_memory: bool


@dataclasses.dataclass
class Outcome:
    status: object
    seconds: float
    message: str
    problems: list


# Seen with Open MPI 4.1: every rank has ended, and mpirun waits for itself in pmix_progress_thread_pause.
LAUNCHER_HANGS = "none: the launcher hangs after all ranks have ended"
# Seen as well: mpirun dies of SIGPIPE when a rank ends inside MPI_Init, of SIGSEGV when one aborts inside
# MPI_Finalize (no rank "exited on signal 11" then); nobody removes its files.
LAUNCHER_DIES = tuple(sign for number in (signal.SIGPIPE, signal.SIGSEGV) for sign in (128 + number, -number))


def is_whole(path):
    """Whether an output is complete, as far as its kind lets one see that without libraries."""
    if path.name.endswith(".json"):
        try:
            json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            return False
        return True
    if path.name.endswith(".mtx"):
        lines = path.read_text(encoding="utf-8").split("\n")
        sizes = next(line for line in lines if not line.startswith("%")).split()
        entries = int(sizes[2]) if len(sizes) == 3 else int(sizes[0]) * int(sizes[1])
        return lines[-1] == "" and sum(not line.startswith("%") for line in lines) == entries + 2
    if path.name.endswith(".h5"):
        return path.read_bytes()[:4] == b"\x89HDF"
    return path.stat().st_size > 0


def said_in(path):
    """What a report that should not be there says of its end."""
    if path.suffix != ".json" or not is_whole(path):
        return ""
    report = json.loads(path.read_text(encoding="utf-8"))
    ends = [(solver["method"], solver["end"], solver["iterations"]) for solver in report["solvers"] or []]
    return f": {report['status']}, {report['verdict']}, {ends}"


def processes_of(mark):
    """Those that this case started, by a variable in their environment; zombies do not count."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if mark in (entry / "environ").read_bytes() and \
                    (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.append(int(entry.name))
        except OSError:
            continue
    return found


# Where one may (root), a case has a /dev/shm of its own, and what is left there is certainly its own.
OWN_SHARED_MEMORY = ["unshare", "--mount", "sh", "-c", """mount -t tmpfs none /dev/shm; found=$1; shift
"$@"; status=$?
for k in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(ls -A /dev/shm)" ] && break; sleep 0.2; done
ls -A /dev/shm >"$found"; exit $status""", "sh"]


def has_own_shared_memory():
    return subprocess.run([*OWN_SHARED_MEMORY, "/dev/null", "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def orphans(before):
    """Files in /dev/shm that are new and that no process has mapped."""
    names = {path.name for path in SHARED_MEMORY.iterdir()} - before
    for entry in Path("/proc").iterdir() if names else ():
        try:
            used = (entry / "maps").read_text() if entry.name.isdigit() else ""
        except OSError:
            continue
        names = {name for name in names if name not in used}
    return sorted(names)


def waited_for(seconds, leftovers):
    """What `leftovers` still finds after at most so many seconds."""
    deadline = time.monotonic() + seconds
    while leftovers() and time.monotonic() < deadline:
        time.sleep(0.1)
    return leftovers()


def message_of(stderr):
    """The first line of the program's own."""
    for line in stderr.split("\n"):
        if re.match(r"\[rank|rowhalo: |\[\S+\] error", line):
            return line.strip()
    signals = re.search(r"exited on signal \d+ \([^)]+\)", stderr)
    return signals[0] if signals else ""


class Run:
    """A case that is running, in a folder of its own."""

    def __init__(self, case, settings):
        self.case, self.settings = case, settings
        self.holder = Path(tempfile.mkdtemp(prefix="rowhalo-faults-"))
        self.place, self.temporary = self.holder / "place", self.holder / "tmp"
        self.place.mkdir()
        self.temporary.mkdir()
        self.begun = self.holder / "begun"
        self.undo = None

    def filled(self, text):
        return str(text).replace("{place}", str(self.place))

    def execute(self):
        case = self.case
        if case.prepare:
            self.undo = case.prepare(self.place, self.settings)
        environment = {**launch.ENVIRONMENT, "ROWHALO_TEST_CASE": str(self.holder),
                       "TMPDIR": str(self.temporary)}
        if case.hold:
            environment["ROWHALO_TEST_HOLD"] = self.filled(case.hold)
            environment["ROWHALO_TEST_DO"] = f"B={self.begun}; " + self.filled(case.do)
        command = [*launch.LAUNCHER, "-n", str(case.ranks)]
        if case.wrapper:
            command += ["sh", "-c", self.filled(case.wrapper) + '; exec "$@"', "sh"]
        command += [str(self.settings.rowhalo), *map(self.filled, case.arguments),
                    "--timeout", str(self.settings.timeout if "phase '" in case.says else PATIENCE)]
        if self.settings.own_shared_memory:
            command = [*OWN_SHARED_MEMORY, str(self.holder / "shared"), *command]
        limit = 3 * (self.settings.timeout + self.settings.grace) + 60
        started = time.time()
        with open(self.holder / "out", "w+", encoding="utf-8") as out, \
                open(self.holder / "err", "w+", encoding="utf-8") as err:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                  env=environment, start_new_session=True) as process:
                try:
                    status = process.wait(limit)
                except subprocess.TimeoutExpired:
                    status = "hangs" if self.ranks_alive() else LAUNCHER_HANGS
                    self.kill(process)
            ended = time.time()
            err.seek(0)
            stderr = err.read()
        if case.hold and self.begun.exists():
            started = self.begun.stat().st_mtime
        return status, ended - started, stderr

    def ranks_alive(self):
        mine = processes_of(str(self.holder).encode())
        links = [Path(f"/proc/{pid}/exe") for pid in mine]
        return [link for link in links if link.exists() and link.resolve() == self.settings.rowhalo]

    def kill(self, process):
        for pid in processes_of(str(self.holder).encode()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.kill()

    def problems(self, status, seconds, stderr):
        case, settings = self.case, self.settings
        if case.hold and not self.begun.exists():
            yield f"phase of {case.hold} was never entered"
        if status == 0 or (case.statuses and status not in case.statuses):
            yield f"exit status {status}"
        if seconds > settings.timeout + settings.grace and status != LAUNCHER_HANGS:
            yield f"took {seconds:.1f} s, more than {settings.timeout:g} + {settings.grace:g}"
        if case.says and not re.search(self.filled(case.says), stderr):
            yield f"no message like {case.says}"
        for name in case.keeps:
            if not (self.place / name).exists():
                yield f"{name} was lost"
        for name in case.loses:
            if (self.place / name).exists():
                yield f"{name} is there" + said_in(self.place / name)
        for name, text in case.has.items():
            path = self.place / name
            if path.exists() and not re.search(text, path.read_text(encoding="utf-8"), re.DOTALL):
                yield f"{name} has nothing like {text}"
        for path in sorted(self.place.rglob("*")):
            if not path.is_file() or path.name in ("filler", "input.h5"):
                continue
            if ".part" in path.name or path.name.startswith("."):
                if "KILL" not in case.name:  # no rank had the time to remove it
                    yield f"{path.name} was left"
            elif path.name.split(".")[0] != "input" and not is_whole(path):
                yield f"{path.name} is not whole"

    def leftovers(self, status, stderr, shared_before):
        running = waited_for(3, lambda: processes_of(str(self.holder).encode()))
        if running:
            yield f"{len(running)} processes still run"
        if status in LAUNCHER_DIES and "exited on signal" not in stderr:
            return
        if self.settings.own_shared_memory:
            found = self.holder / "shared"  # not there where the launcher hung
            shared = found.read_text(encoding="utf-8").split() if found.exists() else []
        else:
            shared = waited_for(5, lambda: orphans(shared_before))
        if shared:
            yield "left in /dev/shm: " + ", ".join(shared)
        # PMIx 5.0.1 (Ubuntu 24.04) keeps its own after any end but the usual one.
        temporary = waited_for(2, lambda: [p for p in self.temporary.rglob("*") if p.is_file()
                                           and not p.name.startswith("pmix-gds-")])
        if temporary:
            yield "left in the temporary folder: " + ", ".join(p.name for p in temporary)

    def close(self):
        if self.undo:
            self.undo()
        shutil.rmtree(self.holder, ignore_errors=True)


def run(case, settings):
    shared_before = {path.name for path in SHARED_MEMORY.iterdir()}
    running = Run(case, settings)
    try:
        status, seconds, stderr = running.execute()
        problems = list(running.problems(status, seconds, stderr))
        problems += running.leftovers(status, stderr, shared_before)
        message = message_of(stderr).replace(str(running.place), "...")
        return Outcome(status, seconds, message, problems)
    finally:
        running.close()
