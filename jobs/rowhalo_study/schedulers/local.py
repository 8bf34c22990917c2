# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on this machine: one process in the background that outlives the terminal.

Its id is its process number; it runs all points one after the other, since two at a time would
share the machine that is measured.
"""
import os
import subprocess
from pathlib import Path

from rowhalo_study.schedulers.jobs import Live, body
from rowhalo_study.studies.ini import WrongInput


def process_runs(pid):
    """Whether this is still one of ours: numbers are given again, the dead keep theirs a while.

    A process that is just about to become another program has no command line for a moment; the
    dead have none either, but a state Z.
    """
    try:
        os.kill(pid, 0)
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        if not line:
            state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[:1]
            return state not in ([b"Z"], [b"X"])
        words = line.split(b"\0")
    except (PermissionError, ProcessLookupError):
        return False
    except OSError:  # no /proc
        return True
    return any(word.endswith((b"rowhalo-study", b".sh")) for word in words)


def script(job):
    return body(job, ["#!/bin/bash", "# SPDX-License-Identifier: BSD-3-Clause",
                      "set -euo pipefail"])


def command(path, _after, _kind):
    return ["bash", path]


def release_command(_ids):
    return []


def log_of(title, _job_id):
    return f"{title}.out"


def check_after(ids):
    if ids:
        raise WrongInput("--after: means nothing without a scheduler")


def submit(path, folder, after, kind):
    log = Path(folder) / f"{Path(path).stem}.out"
    with open(log, "ab") as output:
        process = subprocess.Popen(  # pylint: disable=consider-using-with  # it goes on without us
            command(path, after, kind), cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, start_new_session=True)
    return str(process.pid)


def live(ids):
    """A folder of PBS has ids that are no process numbers."""
    return {number: Live("running", "", "", "", [], []) for number in ids if number.isdigit() and process_runs(int(number))}


def title_of(job):
    return job.name
