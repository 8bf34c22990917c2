# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under PBS (OpenPBS, PBS Pro). Why each directive is there stands in jobs/README.md.

One directive per line and none after the first command; select and walltime stand on lines of their
own, which every reader of #PBS lines understands. Jobs are submitted held and released together:
PBS without job history drops a job that waits for one that has ended already.
"""
import base64
import os
import re

from rowhalo_study.calling import JOBS
from rowhalo_study.names import quoted, typed_line
from rowhalo_study.schedulers.jobs import Live, body, clock, python, shares
from rowhalo_study.schedulers.slurm import PATIENCE, NoAnswer, answer, called, ran
from rowhalo_study.studies.ini import WrongInput

NAME_LENGTH = 15    # of a job, in older releases, and what qstat shows
GONE = re.compile(r"Unknown Job Id|has finished")  # what qstat says of jobs that have ended
IN_A_JOB = JOBS / "shell/pbs_job.sh"


def site_options(site):
    named = (("-A", site.account), ("-q", site.partition))
    return [[option, value] for option, value in named if value] + [
        line.split(None, 1) for line in site.extra]


def select(nodes, ranks_per_node, cores_per_rank, gpus_per_node, cores_of_node):
    """cores_of_node: of a whole one, else 0."""
    gpus = f":ngpus={gpus_per_node}" if gpus_per_node else ""
    cores = cores_of_node or ranks_per_node * cores_per_rank
    return (f"select={nodes}:ncpus={cores}:mpiprocs={ranks_per_node}{gpus}"
            f":ompthreads={cores_per_rank}")


def place(whole_nodes):
    return "place=scatter:excl" if whole_nodes else "place=scatter"


def title_of(job):
    """The study's name gives way to the job's, so that qstat tells sizes apart."""
    study = job.title[:-len(job.name)][:max(0, NAME_LENGTH - len(job.name) - 1)].rstrip("-.")
    return f"{study}-{job.name}".lstrip("-")


def directives(job):
    yield f"-N {title_of(job)}"
    yield "-l " + select(job.nodes, job.ranks_per_node, job.cores_per_rank, job.gpus_per_node,
                         job.site.cores if job.whole_node else 0)
    yield f"-l {place(job.whole_node)}"
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


def log_of(title, job_id):
    return f"{title}.o{job_id.split('.')[0]}"


def command(path, after, kind):
    options = ["-W", f"depend={kind}:{':'.join(after)}"] if after else []
    return ["qsub", "-h", *options, path]


def release_command(ids):
    """The last first: what another waits for must not end before that is released."""
    return ["qrls", *reversed(ids)]


def delete_command(job_id):
    return ["qdel", job_id]


def submit(path, folder, after, kind):
    said = called(command(path, after, kind), folder, patience=PATIENCE).strip()
    number = re.match(r"\d[\w.\[\]-]*", said.split("\n")[-1])
    if not number:
        raise NoAnswer(f"qsub {path}: no job number in its answer: {said}")
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


def details(ids):
    """{number: {attribute: value}} of the jobs among these, or of all, that have not ended."""
    arguments = ["qstat", "-f", *ids]
    status, stdout, stderr = ran(arguments)
    # It fails where one of them has ended, and tells the others.
    if status and not all(GONE.search(line) for line in stderr.strip().split("\n")):  # nor no word at all
        said = dict.fromkeys(stderr.split("\n"))  # of a server that is down, the same for every job
        raise WrongInput(f"{typed_line(arguments)}: {' '.join(' '.join(said).split())}")
    jobs, lines = {}, re.sub(r"\n\t(?!\w+ = )", "", stdout)  # long values go on after a tab
    for block in re.split(r"^Job Id:\s*", lines, flags=re.MULTILINE)[1:]:
        head, _, rest = block.partition("\n")
        jobs[re.match(r"\d*", head)[0]] = dict(re.findall(r"^\s*([\w.]+) = (.*)$", rest, re.MULTILINE))
    return {number: job for number, job in jobs.items() if job.get("job_state") not in ("C", "F", "X")}


def holds_of(job):
    """The letters of its holds but that of the system where it waits for others: those that others wait for have an
    attribute depend, too (beforeany). Slurm's qstat tells no holds."""
    waits = "Hold_Types" not in job or "after" in job.get("depend", "")
    return set(job.get("Hold_Types", "")) - ({"s"} if waits else set())


def word_of(job):
    if job.get("job_state") == "H":
        return "held" if holds_of(job) else "waiting"
    return {"R": "running", "S": "suspended", "U": "suspended", "E": "ending"}.get(job.get("job_state"), "pending")


def live(ids=None):
    """Of these ids, or of all users."""
    numbers = [job_id for job_id in ids or () if re.match(r"\d", job_id)]
    if ids is not None and not numbers:
        return {}
    return {number: Live(word_of(job), job.get("Job_Name", ""), owner(job), place_of(job),
                         ["qrls", number] if holds_of(job) <= {"u"} else [], ["qstat", "-f", number])
            for number, job in details(numbers).items()}


def owner(job):
    return job.get("Job_Owner", "").split("@")[0]


def place_of(job):
    """Where it was submitted: its log comes there."""
    return os.path.dirname(job.get("Output_Path", "").partition(":")[2])


def settings(site, arguments):
    """What a ready script is told, as lines of shell in base64: qsub -v changes quotes."""
    values = {"ROWHALO_SITE": str(site.path.resolve()), "ROWHALO_HOME": str(JOBS.parent), "PYTHON": python()}
    if "ROWHALO" in os.environ:
        values["ROWHALO"] = os.environ["ROWHALO"]
    lines = [f"export {name}={quoted(value)}" for name, value in values.items()]
    lines.append(typed_line(["set", "--", *arguments]))
    return {"ROWHALO_ENCODED": base64.b64encode("\n".join(lines).encode()).decode()}


def ready(path, site, after, _arguments, nodes=0):
    """The command that submits one of the ready scripts, with its number of nodes."""
    with open(path, encoding="utf-8") as file:
        asked = re.search(r"^#PBS\s+-l\s+select=(\d+)(?::\S*\bmpiprocs=(\d+))?", file.read(),
                          re.MULTILINE)
    if not asked:
        raise WrongInput(f"{path}: has no line `#PBS -l select=N:...`")
    command_line = ["qsub", "-l", select(nodes or int(asked[1]), *shares(site, asked[2] == "1"),
                                         site.cores if site.exclusive else 0), "-l", place(site.exclusive)]
    if site.minutes:
        command_line += ["-l", f"walltime={clock(site.minutes)}"]
    for option in site_options(site):
        command_line += option
    if after:
        command_line += ["-W", f"depend=afterok:{':'.join(after)}"]
    # By name alone: qsub takes the value from its own environment.
    return command_line + ["-v", "ROWHALO_ENCODED", path]
