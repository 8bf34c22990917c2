# SPDX-License-Identifier: BSD-3-Clause
"""Jobs: which points run in one, how large and how long it is, what its script runs.

One job per size is the default: it waits for no more nodes than it needs, and its points see the same
nodes. In one job all sizes share the nodes of the largest, for up to a few sizes.
"""
import os
import pwd
import sys
from typing import NamedTuple

from rowhalo_study.calling import PROGRAM
from rowhalo_study.names import quoted, typed_line
from rowhalo_study.schedulers.site import Site

PYTHON = (sys.executable, "-B")   # jobs/ may be read-only: no __pycache__ there
NOTICE_MINUTES = 2  # from the signal to the end: by then all points have ended, as a rule
LEAST_MINUTES = 5   # so that the signal does not come at the start
SPARE_MINUTES = 2   # start of the job, provenance
FINISH_MINUTES = 10


class Job(NamedTuple):
    name: str
    title: str              # of the job, as the scheduler lists it
    site: Site
    points: list            # names
    nodes: int
    ranks_per_node: int
    cores_per_rank: int
    gpus_per_node: int
    whole_node: bool        # or as much of one as its ranks need
    minutes: int            # 0: what the scheduler gives
    command: list           # what the script runs
    variables: dict         # what it needs to know


class Live(NamedTuple):
    """A job that has not ended, as its scheduler tells."""
    word: str       # pending | waiting (for others) | held (by a hand) | running | suspended | ending
    title: str      # empty: not known
    user: str       # empty: not known
    place: str      # the folder that it was submitted in; empty: not known
    release: list   # the command that ends the hold; empty: not the user's to end
    why: list       # the command that tells more


def user_name():
    """Whose jobs they are; empty where this user has no name."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def python():
    """What run.sh is to take: the Python that the user chose, else the one that runs here."""
    return os.environ.get("PYTHON") or sys.executable


def unused(name, taken):
    count, unique = 1, name
    while unique in taken:
        count += 1
        unique = f"{name}-{count}"
    taken.add(unique)
    return unique


def minutes_for(folder, points):
    if not folder.plan["minutes"]:
        return folder.site.minutes
    return max(LEAST_MINUTES, len(points) * folder.plan["minutes"] + SPARE_MINUTES + NOTICE_MINUTES)


def job_of(folder, name, points, program, collects):
    first = points[0]
    most = max(point["ranks_per_node"] for point in points)
    gpus = 0
    if first["device"] == "gpu":
        gpus = folder.site.gpus if folder.site.exclusive else most
    return Job(
        name=name, title=f"{folder.plan['study']}-{name}", site=folder.site,
        points=[point["name"] for point in points],
        nodes=max(point["nodes"] for point in points), ranks_per_node=most,
        cores_per_rank=min(first["cores_per_rank"], max(1, folder.site.cores // most)),
        gpus_per_node=gpus, whole_node=folder.site.exclusive, minutes=minutes_for(folder, points),
        command=[*PYTHON, str(PROGRAM), "run", str(folder.path), "--job", name,
                 *(["--collect"] if collects else [])],
        variables={"ROWHALO": program.path, "PYTHON": sys.executable})


def jobs_of(folder, points, in_one_job, program, collects):
    """Jobs for these points, smallest first; whether each collects at its end."""
    if not points:
        return []
    taken = {path.stem for path in (folder.path / "jobs").glob("*.json")}
    if in_one_job:
        return [job_of(folder, unused("all", taken), points, program, collects)]
    sizes = {}
    for point in points:
        sizes.setdefault((point["ranks"], point["nodes"]), []).append(point)
    return [job_of(folder, unused(f"n{size[0]}", taken), sizes[size], program, collects)
            for size in sorted(sizes)]


def finish_job(folder, taken):
    """The job that collects and draws when all others have ended; on one core."""
    name = unused("collect", taken)
    return Job(name=name, title=f"{folder.plan['study']}-{name}", site=folder.site, points=[],
               nodes=1, ranks_per_node=1, cores_per_rank=1, gpus_per_node=0, whole_node=False,
               minutes=FINISH_MINUTES, variables={},
               command=[*PYTHON, str(PROGRAM), "collect", str(folder.path), "--plot"])


def shares(site, alone):
    """Ranks of a node, cores of a rank and GPUs of a node for a ready script; `alone`: it is of one rank."""
    if not alone:
        ranks = site.gpus or site.cores
        return ranks, max(1, site.cores // ranks), site.gpus
    if site.exclusive:
        return 1, site.cores, site.gpus
    return 1, max(1, site.cores // max(1, site.gpus)), min(1, site.gpus)


def clock(minutes):
    return f"{minutes // 60:02}:{minutes % 60:02}:00"


def body(job, lines):
    """What follows the directives: variables, then the one command."""
    exports = [f"export {name}={quoted(value)}" for name, value in job.variables.items()]
    return "\n".join([*lines, *exports, "exec " + typed_line(job.command), ""])
