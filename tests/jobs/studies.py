# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of rowhalo-study share: small studies, and the program as a command."""
import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import throwaway
from throwaway import launch

STUDY = launch.SOURCE / "jobs/rowhalo-study"
ARGUMENTS = "--min-seconds 0 --batches 2 --iterations 2 --warmup 0 --validate reference"


def study_text(name="tiny", kind="strong", matrix="source = stencil7:12", points="ranks = 1,2",
               sweep="formats = csr", run="", arguments=ARGUMENTS):
    """A study that is over in a moment; `run`: further lines of [run]."""
    if "device" not in run:
        run += "\ndevice = cpu"
    if "repeats" not in run:
        run += "\nrepeats = 1"
    return (f"[study]\nname = {name}\nkind = {kind}\n[matrix]\n{matrix}\n[points]\n{points}\n"
            f"[sweep]\n{sweep}\nhalos = {'' if 'command' in run else 'mpi'}\n[run]\n"
            f"arguments = {arguments}\n{run}\n")


def study(*words, environment=None, status=0, cwd=None, timeout=launch.PATIENCE):
    """stdout and stderr of rowhalo-study, which must end with `status`, or anyhow with None."""
    run = subprocess.run([sys.executable, str(STUDY), *map(str, words)], cwd=cwd, check=False,
                         env=environment or throwaway.environment(), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
                         universal_newlines=True)
    if status is not None and run.returncode != status:
        raise AssertionError(f"{words}: exit status {run.returncode}\n{run.stdout}")
    return run.stdout


def states(folder, **options):
    """{point: word} as `rowhalo-study status` tells."""
    said = study("status", folder, status=options.pop("status", 0), **options)
    return dict(re.split(r"  +", line)[:2] for line in said.split("\n") if "  " in line)


def points(folder):
    """{name: plan} of a study's points."""
    plan = json.loads((Path(folder) / "plan.json").read_text(encoding="utf-8"))
    return {point["name"]: point for point in plan["points"]}


def results(folder):
    with open(Path(folder) / "results.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def marked(folder):
    """{point: time of its marker done}."""
    return {path.parent.name: path.stat().st_mtime_ns
            for path in Path(folder).glob("points/*/done")}
