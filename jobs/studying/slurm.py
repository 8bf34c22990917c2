# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under Slurm. What is asked for and why stands in the guide, jobs/README.md.

The site's account, partition and so on are directives of the scripts that we write, and options on
sbatch's command line for the ready ones.
"""
import os
import re
import subprocess
from pathlib import Path

from names import quoted, typed_line
from studying.ini import WrongInput
from studying.jobs import NOTICE_MINUTES, body, clock, python, shares

SECONDS = 120


def site_options(site):
    named = (("account", site.account), ("partition", site.partition),
             ("constraint", site.constraint), ("qos", site.qos), ("reservation", site.reservation))
    return [f"--{name}={value}" for name, value in named if value] + site.extra


def geometry(site, ranks_per_node, cores_per_rank, gpus_per_node):
    options = [f"--ntasks-per-node={ranks_per_node}", f"--cpus-per-task={cores_per_rank}"]
    if gpus_per_node:
        options.append(f"--gpus-per-node={gpus_per_node}")
    return options + (["--exclusive"] if site.exclusive else [])


def directives(job):
    yield f"--job-name={job.title}"
    yield f"--nodes={job.nodes}"
    if job.points:
        yield from geometry(job.site, job.ranks_per_node, job.cores_per_rank, job.gpus_per_node)
    else:
        yield "--ntasks-per-node=1"
    if job.minutes:
        yield f"--time={clock(job.minutes)}"
    yield "--output=%x-%j.out"
    yield "--open-mode=append"
    yield f"--signal=B:USR1@{60 * NOTICE_MINUTES}"
    yield "--no-requeue"
    yield from site_options(job.site)


def script(job):
    lines = ["#!/bin/bash", "# SPDX-License-Identifier: BSD-3-Clause",
             *(f"#SBATCH {line}" for line in directives(job)), "set -euo pipefail"]
    # exec: the signal goes to this process alone, and the program passes it on.
    return body(job, lines)


def command(path, after, kind):
    """How the script at `path` is submitted; kind: afterok | afterany."""
    options = []
    if after:
        options = [f"--dependency={kind}:{':'.join(after)}", "--kill-on-invalid-dep=yes"]
    return ["sbatch", "--parsable", *options, path]


def answer(arguments, folder=None, environment=None):
    """Exit status and stdout of a command of the scheduler, or its stderr where it fails."""
    try:
        run = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL, timeout=SECONDS,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                             env=environment)
    except (FileNotFoundError, PermissionError) as error:  # also: a folder of PATH is closed
        raise WrongInput(f"{arguments[0]}: not found; is this a login node? Without a scheduler: "
                         "--site local") from error
    except subprocess.TimeoutExpired as error:
        raise WrongInput(f"{arguments[0]}: no answer in {SECONDS} s; try again") from error
    stdout, stderr = run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")
    said = stdout if run.returncode == 0 else " ".join((stderr.strip() or stdout).split())
    return run.returncode, said


def called(arguments, folder, environment=None):
    """stdout of a command of the scheduler, which must not fail."""
    status, said = answer(arguments, folder, environment)
    if status:
        raise WrongInput(f"{typed_line(arguments)}: {said}")
    return said


def release_command(_ids):
    return []


def log_of(job, job_id):
    return f"{job.title}-{job_id}.out"


def check_after(ids):
    """sbatch takes any number, and does not wait for a job that Slurm does not know."""
    for job_id in ids:
        status, said = answer(["scontrol", "show", "job", job_id])
        if status:
            raise WrongInput(f"--after {job_id}: Slurm does not know this job and would not wait for it ({said}): "
                             "it has ended a while ago, or the number is wrong; if it has ended well, "
                             "leave --after out")


def submit(path, folder, after, kind):
    said = called(command(path, after, kind), folder).strip()
    number = re.match(r"(\d+)", said.split("\n")[-1])
    if not number:
        raise WrongInput(f"sbatch {path}: no job number in its answer: {said}")
    return number[1]


def live(_ids):
    """Of all the user's jobs: squeue fails for a list that holds only jobs it has forgotten."""
    lines = called(["squeue", "-h", "-u", str(os.getuid()), "-o", "%A %T"], None).split("\n")
    words = [line.split() for line in lines if line]
    return {number: "pending" if state == "PENDING" else "running" for number, state in words}


def settings(site, _arguments):
    """What sbatch hands on to a ready script."""
    return {"ROWHALO_SITE": str(site.path.resolve()), "PYTHON": python(),
            "ROWHALO_HOME": str(Path(__file__).resolve().parents[2])}


def ready(path, site, after, arguments):
    """The command that submits one of the ready scripts with the site's options."""
    with open(path, encoding="utf-8") as file:
        alone = re.search(r"^#SBATCH --ntasks-per-node=1$", file.read(), re.MULTILINE)
    ranks, cores, gpus = shares(site, alone)
    dependency = ([f"--dependency=afterok:{':'.join(after)}", "--kill-on-invalid-dep=yes"]
                  if after else [])
    time = [f"--time={clock(site.minutes)}"] if site.minutes else []
    # The scripts ask for GPUs; where there are none that must be taken back.
    none = [] if gpus else ["--gpus-per-node=0"]
    options = ["sbatch", "--parsable", *site_options(site), *time,
               *geometry(site, ranks, cores, gpus), *none, *dependency]
    if site.exclusive:
        return [*options, path, *arguments]
    # No option takes the script's --exclusive back (--oversubscribe would share even the cores).
    line = typed_line([*options, "/dev/stdin", *arguments])
    return ["bash", "-c", f"sed '/^#SBATCH --exclusive$/d' {quoted(path)} | {line}"]
