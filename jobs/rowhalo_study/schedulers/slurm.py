# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under Slurm. What is asked for and why stands in the guide, jobs/README.md.

The site's account, partition and so on are directives of the scripts that we write, and options on
sbatch's command line for the ready ones.
"""
import os
import re
import subprocess

from rowhalo_study.calling import JOBS
from rowhalo_study.names import quoted, typed_line
from rowhalo_study.schedulers.jobs import NOTICE_MINUTES, Live, body, clock, python, shares
from rowhalo_study.studies.ini import WrongInput

SECONDS = 30    # in which a scheduler answers a question; ROWHALO_SCHEDULER_SECONDS
PATIENCE = 4    # times as long for a submission, after which the job may exist all the same
# Why a job is pending that only a hand releases, and whether it may be the user's.
HELD = {"JobHeldUser": True, "JobHoldMaxRequeue": True, "JobHeldAdmin": False}
LOST = "timed out on send/recv"     # sbatch gives up by itself, and the job may exist all the same


def site_options(site):
    named = (("account", site.account), ("partition", site.partition),
             ("constraint", site.constraint), ("qos", site.qos), ("reservation", site.reservation))
    return [f"--{name}={value}" for name, value in named if value] + site.extra


def geometry(ranks_per_node, cores_per_rank, gpus_per_node, whole_node):
    options = [f"--ntasks-per-node={ranks_per_node}", f"--cpus-per-task={cores_per_rank}"]
    if gpus_per_node:
        options.append(f"--gpus-per-node={gpus_per_node}")
    return options + (["--exclusive"] if whole_node else [])


def directives(job):
    yield f"--job-name={job.title}"
    yield f"--nodes={job.nodes}"
    yield from geometry(job.ranks_per_node, job.cores_per_rank, job.gpus_per_node, job.whole_node)
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


class NoAnswer(WrongInput):
    """Of a command of the scheduler: what it was asked for may have happened."""

    def __init__(self, text, remedy="try again, or give it more seconds: ROWHALO_SCHEDULER_SECONDS"):
        super().__init__(f"{text}; {remedy}")
        self.text = text


class Refused(WrongInput):
    """By the scheduler, which has answered."""


def seconds_to_wait():
    said = os.environ.get("ROWHALO_SCHEDULER_SECONDS", "")
    if said and not re.fullmatch(r"[1-9]\d{0,4}", said):
        raise WrongInput(f"ROWHALO_SCHEDULER_SECONDS={said}: a whole number from 1 on is expected")
    return int(said or SECONDS)


def ran(arguments, folder=None, environment=None, patience=1):
    """Exit status, stdout and stderr of a command of the scheduler."""
    seconds = patience * seconds_to_wait()
    try:
        run = subprocess.run(arguments, cwd=folder, stdin=subprocess.DEVNULL, timeout=seconds,
                             capture_output=True, check=False,
                             env=environment)
    except (FileNotFoundError, PermissionError) as error:  # also: a folder of PATH is closed
        raise WrongInput(f"{arguments[0]}: not found; is this a login node? Without a scheduler: "
                         "--site local") from error
    except subprocess.TimeoutExpired as error:
        raise NoAnswer(f"{arguments[0]}: no answer in {seconds} s") from error
    return run.returncode, run.stdout.decode(errors="replace"), run.stderr.decode(errors="replace")


def answer(arguments, folder=None, environment=None, patience=1):
    """Exit status and stdout of a command of the scheduler, or its stderr where it fails."""
    status, stdout, stderr = ran(arguments, folder, environment, patience)
    return status, stdout if status == 0 else " ".join((stderr.strip() or stdout).split())


def called(arguments, folder, environment=None, patience=1):
    """stdout of a command of the scheduler, which must not fail."""
    status, said = answer(arguments, folder, environment, patience)
    if status and LOST in said:
        raise NoAnswer(f"{arguments[0]}: {said}")
    if status:
        raise Refused(f"{typed_line(arguments)}: {said}")
    return said


def release_command(_ids):
    return []


def log_of(title, job_id):
    return f"{title}-{job_id}.out"


def check_after(ids):
    """sbatch takes any number, and does not wait for a job that Slurm does not know."""
    for job_id in ids:
        status, said = answer(["scontrol", "show", "job", job_id])
        if status:
            raise WrongInput(f"--after {job_id}: Slurm does not know this job and would not wait for it ({said}): "
                             "it has ended a while ago, or the number is wrong; if it has ended well, "
                             "leave --after out")


def submit(path, folder, after, kind):
    said = called(command(path, after, kind), folder, patience=PATIENCE).strip()
    number = re.match(r"(\d+)", said.split("\n")[-1])
    if not number:
        raise NoAnswer(f"sbatch {path}: no job number in its answer: {said}")
    return number[1]


def live(_ids=None):
    """Of all the user's jobs: squeue fails for a list that holds only jobs it has forgotten."""
    lines = called(["squeue", "-h", "-u", str(os.getuid()), "-o", "%A|%T|%r|%u|%j|%Z"], None).split("\n")
    found = {}
    for number, state, reason, user, rest in (line.split("|", 4) for line in lines if line):
        title, _, place = rest.rpartition("|")
        word = {"PENDING": "held" if reason in HELD else "pending", "COMPLETING": "ending",
                "SUSPENDED": "suspended", "STOPPED": "suspended"}.get(state, "running")
        found[number] = Live(word, title, user, place, ["scontrol", "release", number] if HELD.get(reason) else [],
                             ["scontrol", "show", "job", number])
    return found


def title_of(job):
    return job.title


def settings(site, _arguments):
    """What sbatch hands on to a ready script."""
    return {"ROWHALO_SITE": str(site.path.resolve()), "PYTHON": python(),
            "ROWHALO_HOME": str(JOBS.parent)}


def ready(path, site, after, arguments, nodes=0):
    """The command that submits one of the ready scripts with the site's options."""
    with open(path, encoding="utf-8") as file:
        alone = re.search(r"^#SBATCH --ntasks-per-node=1$", file.read(), re.MULTILINE)
    ranks, cores, gpus = shares(site, alone)
    dependency = ([f"--dependency=afterok:{':'.join(after)}", "--kill-on-invalid-dep=yes"]
                  if after else [])
    time = [f"--time={clock(site.minutes)}"] if site.minutes else []
    # The scripts ask for GPUs; where there are none that must be taken back.
    none = [] if gpus else ["--gpus-per-node=0"]
    options = ["sbatch", "--parsable", *site_options(site), *time, *([f"--nodes={nodes}"] if nodes else []),
               *geometry(ranks, cores, gpus, site.exclusive), *none, *dependency]
    if site.exclusive:
        return [*options, path, *arguments]
    # No option takes the script's --exclusive back (--oversubscribe would share even the cores).
    line = typed_line([*options, "/dev/stdin", *arguments])
    return ["bash", "-c", f"sed '/^#SBATCH --exclusive$/d' {quoted(path)} | {line}"]
