# SPDX-License-Identifier: BSD-3-Clause
"""The three ways to run jobs: Slurm, PBS, and this machine. Chosen by the site's `scheduler`.

Each module has the same functions: script(job) gives the text of a batch script, submit(script,
folder, after) its id, command(...) how that is called, live(ids) what has not ended, ready(...) the
command that submits one of the ready scripts.
"""
import os
import re
import shlex
from pathlib import Path

from studying import local, pbs, slurm

BACKENDS = {"slurm": slurm, "pbs": pbs, "none": local}


def of(site):
    return BACKENDS[site.scheduler]


def number_of(job_id):
    """PBS says 12.server where it once said 12.server.domain; Slurm may add ;cluster."""
    return re.match(r"\d*", job_id)[0]


def process_runs(pid):
    return local.process_runs(pid)


def environment(site, arguments):
    """What ready scripts are told; see their first lines."""
    home = Path(__file__).resolve().parents[2]
    return {**os.environ, "ROWHALO_SITE": str(site.path.resolve()), "ROWHALO_HOME": str(home),
            "ROWHALO_ARGUMENTS": " ".join(map(shlex.quote, arguments))}
