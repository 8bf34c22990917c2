# SPDX-License-Identifier: BSD-3-Clause
"""The three ways to run jobs: Slurm, PBS, and this machine. Chosen by the site's `scheduler`.

Each module has the same functions: script(job) gives the text of a batch script, check_after(ids)
refuses jobs that cannot be waited for, submit(path, folder, after, kind) gives the id of a job,
command(...) how that is called, release_command(ids) what lets jobs start that were submitted
(empty: they do so by themselves), title_of(job) what the scheduler calls it, log_of(title, id) the
name of its log, live(ids) what has not ended ({number: jobs.Live}), without ids of
all jobs. Of the two schedulers, ready(...) gives the command that submits one of the ready scripts, and
settings(...) the variables that those read. Only PBS holds jobs for ever: delete_command(id).
"""
import re

from rowhalo_study.schedulers import local, pbs, slurm

BACKENDS = {"slurm": slurm, "pbs": pbs, "none": local}


def of(site):
    return BACKENDS[site.scheduler]


def number_of(job_id):
    """PBS says 12.server where it once said 12.server.domain; Slurm may add ;cluster."""
    return re.match(r"\d*", job_id)[0]


def process_runs(pid):
    return local.process_runs(pid)
