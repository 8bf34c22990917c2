# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under PBS (OpenPBS, PBS Pro). Why each directive is there stands in jobs/README.md.

One directive per line and none after the first command; select and walltime stand on lines of their
own, which every reader of #PBS lines understands. Jobs are submitted held and released together:
PBS without job history drops a job that waits for one that has ended already.
"""
import base64
import os
import re
from pathlib import Path

from names import quoted, typed_line
from studying.ini import WrongInput
from studying.jobs import body, clock, python, shares
from studying.slurm import answer, called

NAME_LENGTH = 15    # of a job, in older releases, and what qstat shows
HELD = "held"       # by a dependency or its owner
IN_A_JOB = Path(__file__).resolve().parents[1] / "shell" / "pbs_job.sh"


def site_options(site):
    named = (("-A", site.account), ("-q", site.partition))
    return [[option, value] for option, value in named if value] + [
        line.split(None, 1) for line in site.extra]


def select(nodes, site, ranks_per_node, cores_per_rank, gpus_per_node):
    gpus = f":ngpus={gpus_per_node}" if gpus_per_node else ""
    cores = site.cores if site.exclusive else ranks_per_node * cores_per_rank
    return (f"select={nodes}:ncpus={cores}:mpiprocs={ranks_per_node}{gpus}"
            f":ompthreads={cores_per_rank}")


def place(site):
    return "place=scatter:excl" if site.exclusive else "place=scatter"


def title(job):
    """The study's name gives way to the job's, so that qstat tells sizes apart."""
    study = job.title[:-len(job.name)][:max(0, NAME_LENGTH - len(job.name) - 1)].rstrip("-.")
    return f"{study}-{job.name}".lstrip("-")


def directives(job):
    yield f"-N {title(job)}"
    if job.points:
        yield "-l " + select(job.nodes, job.site, job.ranks_per_node, job.cores_per_rank,
                             job.gpus_per_node)
        yield f"-l {place(job.site)}"
    else:
        yield "-l select=1:ncpus=1"
    if job.minutes:
        yield f"-l walltime={clock(job.minutes)}"
    yield "-j oe"
    yield "-r n"
    yield from (" ".join(option) for option in site_options(job.site))


def script(job):
    lines = ["#!/bin/bash", "# SPDX-License-Identifier: BSD-3-Clause",
             *(f"#PBS {line}" for line in directives(job)),
             "set -euo pipefail", 'cd "$PBS_O_WORKDIR"', f"source {quoted(IN_A_JOB)}"]
    return body(job, lines)


def log_of(job, job_id):
    return f"{title(job)}.o{job_id.split('.')[0]}"


def command(path, after, kind):
    options = ["-W", f"depend={kind}:{':'.join(after)}"] if after else []
    return ["qsub", "-h", *options, path]


def release_command(ids):
    """The last first: what another waits for must not end before that is released."""
    return ["qrls", *reversed(ids)]


def delete_command(job_id):
    return ["qdel", job_id]


def submit(path, folder, after, kind):
    said = called(command(path, after, kind), folder).strip()
    number = re.match(r"\d[\w.\[\]-]*", said.split("\n")[-1])
    if not number:
        raise WrongInput(f"qsub {path}: no job number in its answer: {said}")
    return number[0]


def check_after(ids):
    """PBS takes any number, and drops the job later without a word."""
    for job_id in ids:
        number = re.compile(rf"^{re.escape(job_id.split('.')[0])}\b", re.MULTILINE)
        # -x finds ended jobs where there is a job history, and nothing where there is none.
        if not any(status == 0 and number.search(said) for status, said in (
                answer(["qstat", job_id]), answer(["qstat", "-x", job_id]))):
            raise WrongInput(f"--after {job_id}: PBS does not know this job and would drop what "
                             "waits for it: it has ended, or the number is wrong; if it has ended "
                             "well, leave --after out")


def live(_ids):
    """From qstat's plain table: number first, state before the queue's name."""
    states = {}
    for line in called(["qstat"], None).split("\n"):
        words = line.split()
        if len(words) >= 5 and re.match(r"\d", words[0]) and words[-2] not in ("C", "F", "X"):
            number = re.match(r"\d+", words[0])[0]
            states[number] = {"R": "running", "E": "running", "H": HELD}.get(words[-2], "pending")
    return states


def settings(site, arguments):
    """What a ready script is told, as lines of shell in base64: qsub -v changes quotes."""
    home = Path(__file__).resolve().parents[2]
    values = {"ROWHALO_SITE": str(site.path.resolve()), "ROWHALO_HOME": str(home), "PYTHON": python()}
    if "ROWHALO" in os.environ:
        values["ROWHALO"] = os.environ["ROWHALO"]
    lines = [f"export {name}={quoted(value)}" for name, value in values.items()]
    lines.append(typed_line(["set", "--", *arguments]))
    return {"ROWHALO_ENCODED": base64.b64encode("\n".join(lines).encode()).decode()}


def ready(path, site, after, _arguments):
    """The command that submits one of the ready scripts, with its number of nodes."""
    with open(path, encoding="utf-8") as file:
        asked = re.search(r"^#PBS\s+-l\s+select=(\d+)(?::\S*\bmpiprocs=(\d+))?", file.read(),
                          re.MULTILINE)
    if not asked:
        raise WrongInput(f"{path}: has no line `#PBS -l select=N:...`")
    command_line = ["qsub", "-l", select(int(asked[1]), site, *shares(site, asked[2] == "1")),
                    "-l", place(site)]
    if site.minutes:
        command_line += ["-l", f"walltime={clock(site.minutes)}"]
    for option in site_options(site):
        command_line += option
    if after:
        command_line += ["-W", f"depend=afterok:{':'.join(after)}"]
    # By name alone: qsub takes the value from its own environment.
    return command_line + ["-v", "ROWHALO_ENCODED", path]
