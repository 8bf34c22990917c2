# SPDX-License-Identifier: BSD-3-Clause
"""Who runs a point: a lock (flock) on its file `running`, which names the owner for `status`.

The kernel gives a lock back when its last holder ends, however that ends, so that the claim of the
dead is free at once. run.sh inherits the lock from rowhalo-study: a point stays claimed as long as either
lives. On NFS a lock holds on all hosts (Linux makes it a lock of the server's). Where flock holds
on one host only (Lustre mounted with localflock), or not at all, an owner whose job the scheduler
still knows counts as running, too; without a scheduler, use such a folder from one host.
"""
import contextlib
import fcntl
import json
import os
import socket
import time

from rowhalo_study.schedulers import backends
from rowhalo_study.studies.plan import OWNER
from rowhalo_study.studies.shape import kept, parse_json

PATIENCE_SECONDS = 1    # others lock for a moment only to look


def locked(file, kind):
    """Whether the lock was given at once; None where the file system has none."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return None


def owner_in(file):
    """None where it is not there: released, or cut off while it was written."""
    try:
        file.seek(0)
        wrong = []
        owner = kept(parse_json(file.read()), OWNER, wrong)
    except ValueError:
        return None
    return None if wrong else owner


def owner_of(place):
    """The owner of a point, alive or not; None where nobody has begun it."""
    try:
        with open(place / "running", encoding="utf-8") as file:
            return owner_in(file)
    except OSError:
        return None


def owner_here(scheduler):
    job = {"slurm": "SLURM_JOB_ID", "pbs": "PBS_JOBID"}.get(scheduler)
    return {"scheduler": scheduler, "id": os.environ.get(job, "") if job else "",
            "host": socket.gethostname(), "pid": os.getpid()}


def lives_elsewhere(owner, lock, live_jobs):
    """Where the lock says nothing of another host."""
    if not owner or (lock and owner["host"] == socket.gethostname()):
        return False
    if owner["id"]:
        return backends.number_of(owner["id"]) in live_jobs
    return lock is None and (owner["host"] != socket.gethostname()
                             or backends.process_runs(owner["pid"]))


def look(place, live_jobs):
    """The owner that the file names, or None; and whether the point is claimed now."""
    try:
        with open(place / "running", encoding="utf-8") as file:
            lock = locked(file, fcntl.LOCK_SH)
            owner = owner_in(file)
            return owner, lock is False or lives_elsewhere(owner, lock, live_jobs)
    except OSError:
        return None, False


def is_current(file, path):
    """Whether the file still has its name: who gives a claim back removes it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def taken(path, live_jobs):
    """The locked file, or None where somebody else has it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        # pylint: disable=consider-using-with  # the caller closes it
        file = open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666),  # noqa: SIM115
                    "r+", encoding="utf-8")
        lock = locked(file, fcntl.LOCK_EX)
        if lock is not False and is_current(file, path):
            if not lives_elsewhere(owner_in(file), lock, live_jobs):
                return file
            file.close()
            return None
        file.close()
        if lock is False:
            if time.monotonic() > deadline:
                return None
            time.sleep(0.05)


@contextlib.contextmanager
def claimed(place, owner, live_jobs):
    """The descriptor of the lock on a point while it is ours; None where somebody else has it."""
    path = place / "running"
    file = taken(path, live_jobs)
    if file is None:
        yield None
        return
    with file:
        file.seek(0)
        file.truncate()
        json.dump(owner, file)
        file.flush()
        try:
            yield file.fileno()
        finally:
            path.unlink()  # while it is locked
