# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under PBS (OpenPBS, PBS Pro). Why each directive is there stands in jobs/README.md.

A directive a line and none after the first command; select and walltime stand on lines of their
own, which every reader of #PBS lines understands.
"""
import os
import re

from studying.ini import WrongInput
from studying.jobs import body, clock
from studying.slurm import called

NAME_LENGTH = 15    # of a job, in older releases


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


def directives(job):
    yield f"-N {job.title[:NAME_LENGTH].rstrip('-.')}"
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
             "set -euo pipefail", 'cd "$PBS_O_WORKDIR"']
    return body(job, lines)


def command(path, after, kind):
    options = ["-W", f"depend={kind}:{':'.join(after)}"] if after else []
    return ["qsub", *options, path]


def submit(path, folder, after, kind):
    said = called(command(path, after, kind), folder).strip()
    number = re.match(r"\d[\w.\[\]-]*", said.split("\n")[-1])
    if not number:
        raise WrongInput(f"qsub {path}: no job number in its answer: {said}")
    return number[0]


def live(_ids):
    """From qstat's plain table: number first, state before the queue's name."""
    states = {}
    for line in called(["qstat"], None).split("\n"):
        words = line.split()
        if len(words) >= 5 and re.match(r"\d", words[0]) and words[-2] not in ("C", "F", "X"):
            number = re.match(r"\d+", words[0])[0]
            states[number] = "running" if words[-2] in ("R", "E") else "pending"
    return states


def ready(path, site, after, _arguments):
    """The command that submits one of the ready scripts, with its number of nodes."""
    with open(path, encoding="utf-8") as file:
        nodes = re.search(r"^#PBS\s+-l\s+select=(\d+)", file.read(), re.MULTILINE)
    if not nodes:
        raise WrongInput(f"{path}: has no line `#PBS -l select=N:...`")
    ranks = site.gpus or site.cores
    command_line = ["qsub", "-l", select(int(nodes[1]), site, ranks, max(1, site.cores // ranks),
                                         site.gpus), "-l", place(site)]
    if site.minutes:
        command_line += ["-l", f"walltime={clock(site.minutes)}"]
    for option in site_options(site):
        command_line += option
    if after:
        command_line += ["-W", f"depend=afterok:{':'.join(after)}"]
    # By name alone, so that values may hold commas; qsub takes them from its own environment.
    names = ["ROWHALO_SITE", "ROWHALO_HOME", "ROWHALO_ARGUMENTS"]
    names += ["ROWHALO"] if "ROWHALO" in os.environ else []
    return command_line + ["-v", ",".join(names), path]
