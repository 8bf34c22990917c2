# SPDX-License-Identifier: BSD-3-Clause
"""What schedulers want of batch scripts, as rules: each was once a job that failed or vanished.

script_findings(text, kind, ready) yields (line, finding). A ready script (schedulers/ready.py) must
run on any site, so it names no account and no path; a generated one belongs to a site.
"""
import re
import sys

# Directive: why it must be there.
SLURM_NEEDED = {
    r"--nodes=\d+": "without it, or --ntasks-per-node, ranks are spread as Slurm likes (3 + 1)",
    r"--ntasks-per-node=\d+": "without it, or --nodes, ranks are spread as Slurm likes (3 + 1)",
    r"--time=\S+": "the default of a partition may be minutes or days",
    r"--output=%x-%j\.out": "a folder that is not there fails the job without any output",
    r"--open-mode=append": "a job that starts again would lose its log",
    r"--signal=B:USR1@120": "results are saved by it before the time is over",
    r"--no-requeue": "a job that starts again by itself mixes two runs",
}
SLURM_READY = {
    r"--exclusive": "neighbours on a node make times meaningless",
    r"--gpus-per-node=\d+": "the GPUs of a node must be asked for",
    r"--cpus-per-task=\d+": "sites may give a single core to a job without it",
}
PBS_NEEDED = {
    r"-l select=\d+:ncpus=\d+(:mpiprocs=\d+(:ngpus=\d+)?:ompthreads=\d+)?":
        "chunks must say ncpus, mpiprocs, ngpus and ompthreads",
    r"-l walltime=\S+": "the default of a queue may be minutes or days",
    r"-j oe": "errors must stand in the output where they happened",
    r"-r n": "a job that starts again by itself mixes two runs",
}
PBS_RANKS = {r"-l place=scatter(:excl)?": "without it all chunks may land on one node"}
PBS_READY = {r"-l place=scatter:excl": "neighbours on a node make times meaningless"}
REFUSED = {
    r"--gpus-per-task": "ranks hidden from each other's GPUs copy slowly or not at all",
    r"\$\{?0\b|BASH_SOURCE": "a batch script is a copy in a spool folder; ask the scheduler",
}
# Started by hand, a ready script must say what it is for instead of failing at its first variable.
READY_OPENING = {
    name: re.compile(rf'\[ -n "\$\{{{variable}:-\}}" \] \|\| \{{\n  echo "submit by [^"\n]+" >&2'
                     r"\n  exit 2\n\}")
    for name, variable in (("sbatch", "SLURM_JOB_ID"), ("pbs", "PBS_JOBID"))}
READY_REFUSED = {
    r"^#SBATCH.*(--account|--partition|--qos|--constraint|--reservation| -[ApqC]\b)":
        "belongs into a site file",
    r"^#PBS -[Aq]\b": "belongs into a site file",
    r"""(^|[\s='"(:])/[A-Za-z]""": "a path of one machine",
}


def script_findings(text, kind, ready):
    """Breaches of the rules of kind `sbatch` or `pbs`."""
    lines = text.rstrip("\n").split("\n")
    mark = {"sbatch": "#SBATCH", "pbs": "#PBS"}[kind]
    numbers = [number for number, line in enumerate(lines, 1) if line.startswith(mark)]
    directives = [lines[number - 1][len(mark):].strip() for number in numbers]
    first_command = next((number for number, line in enumerate(lines, 1)
                          if line.strip() and not line.startswith("#")), len(lines))
    needed = dict(SLURM_NEEDED if kind == "sbatch" else PBS_NEEDED)
    if kind == "pbs" and (ready or "mpiprocs" in text):
        needed.update(PBS_RANKS)
    if ready:
        needed.update(SLURM_READY if kind == "sbatch" else PBS_READY)
    for pattern, why in needed.items():
        if not any(re.fullmatch(pattern, directive) for directive in directives):
            yield 1, f"no line {mark} {pattern}: {why}"
    for number, directive in zip(numbers, directives):
        if number > first_command:
            yield number, f"{mark} after the first command is ignored"
        if len(re.findall(r"(?:^|\s)-{1,2}[a-zA-Z]", directive)) != 1:
            yield number, f"one directive per line: {directive}"
    if kind == "pbs" and numbers and numbers[-1] - numbers[0] != len(numbers) - 1:
        yield numbers[0], "no lines between the directives: what follows one may be ignored"
    if not re.search(r"^set -.*pipefail$", text, re.MULTILINE):
        yield first_command, "set -euo pipefail: a failure before a pipe's end must count"
    opening = first_command  # lines before what a script does
    if ready:
        opening += 4
        if not READY_OPENING[kind].fullmatch("\n".join(lines[first_command:opening])):
            yield first_command, "after set: one sentence and exit 2 where no scheduler started it"
    if kind == "pbs" and lines[opening:opening + 1] != ['cd "$PBS_O_WORKDIR"']:
        yield opening, 'cd "$PBS_O_WORKDIR" must come first: jobs start at home'
    refused = {**REFUSED, **(READY_REFUSED if ready else {})}
    for number, line in enumerate(lines[1:], 2):
        for pattern, why in refused.items():
            if re.search(pattern, line):
                yield number, f"{line.strip()}: {why}"


def generated_scripts(text):
    """(line of its start, kind, text) of each script in a golden file of generated ones."""
    starts = [match.start() for match in re.finditer(r"^#!/bin/bash$", text, re.MULTILINE)]
    for start, end in zip(starts, [*starts[1:], len(text)]):
        part = re.sub(r"\n+# (cd .* && (sbatch|qsub)|qrls) .*\n\Z", "\n", text[start:end])
        kind = "sbatch" if "#SBATCH" in part else "pbs"
        yield text.count("\n", 0, start), kind, part


def ready_scripts(source):
    """[(name, text)] of those that rowhalo-study writes."""
    if not (source / "jobs/rowhalo_study/schedulers/ready.py").is_file():
        return []
    sys.path.insert(0, str(source / "jobs"))
    from rowhalo_study.schedulers import ready  # pylint: disable=import-outside-toplevel
    return [(name, ready.text_of(name)) for name in ready.names()]


def check_directives(tree):
    for name, text in ready_scripts(tree.source):
        for number, finding in script_findings(text, name.rsplit(".", 1)[-1], True):
            yield f"jobs/rowhalo_study/schedulers/ready: {name}:{number}: {finding}"
    for name in tree.files:
        kind = name.rsplit(".", 1)[-1]
        golden = re.match(r"tests/jobs/golden/study-.*\.txt$", name)
        if kind not in ("sbatch", "pbs") and not golden:
            continue
        text = "\n".join(tree.lines(name))
        scripts = generated_scripts(text) if golden else [(0, kind, text)]
        for before, script_kind, script in scripts:
            for number, finding in script_findings(script, script_kind, not golden):
                yield f"{name}:{before + number}: {finding}"
