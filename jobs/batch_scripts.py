#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ready batch scripts: jobs/slurm/NAME.sbatch and jobs/pbs/NAME.pbs, each from the template.in
of its folder and a line of the table below.

  batch_scripts.py            writes them
  batch_scripts.py --check    says which are not what the templates give; exit status 1
"""
import sys
from pathlib import Path
from typing import NamedTuple

from rowhalo_study.names import say

HERE = Path(__file__).resolve().parent
FOLDERS = {"slurm": "sbatch", "pbs": "pbs"}


class Script(NamedTuple):
    what: str
    arguments: str      # after the script's name
    nodes: int
    per_node: int       # ranks and GPUs
    time: str
    here: str           # the same without a scheduler
    matrix: str         # where the arguments name none
    run: str            # what run.sh is asked for


SCRIPTS = {
    "run": Script(
        "One run on 2 nodes with 4 ranks and 4 GPUs each.", "ARGUMENTS of rowhalo run", 2, 4,
        "00:20:00", "jobs/run.sh --site local --ranks N --output DIR -- run",
        "stencil27:200", '-- run "$@"'),
    "halo": Script(
        "Every transport that serves here, on 2 nodes with 4 ranks and 4 GPUs each.",
        "ARGUMENTS of rowhalo run", 2, 4, "00:20:00",
        "jobs/rowhalo-study run jobs/studies/halo.ini --site local", "stencil27:200",
        '-- run --halo all "$@"'),
    "gemv": Script(
        "The dense formats on one GPU in fp32, x_i = log(sqrt(i^2 - i + 2)).",
        "ARGUMENTS of rowhalo kernels", 1, 1, "00:20:00",
        "jobs/rowhalo-study run jobs/studies/gemv.ini --site local", "dense:16384",
        '--ranks 1 -- kernels --precision fp32 --x log "$@"'),
    "kernels": Script(
        "Every class of matrices on one GPU, our formats beside the vendor's.",
        "ARGUMENTS of rowhalo-study classes", 1, 1, "00:30:00",
        "jobs/run.sh --site local --classes --output DIR", "", '--classes -- "$@"'),
    "strong": Script(
        "A strong-scaling study on up to 2 nodes with 4 GPUs each, in one job.", "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4,
        "01:00:00", "jobs/rowhalo-study run jobs/studies/strong.ini --site local", "",
        '--study "${1:-$home/jobs/studies/strong.ini}" -- "${@:2}"'),
    "weak": Script(
        "A weak-scaling study on up to 2 nodes with 4 GPUs each, in one job.", "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4,
        "01:00:00", "jobs/rowhalo-study run jobs/studies/weak.ini --site local", "",
        '--study "${1:-$home/jobs/studies/weak.ini}" -- "${@:2}"'),
    "solve-strong": Script(
        "A strong-scaling study of solvers on up to 2 nodes with 4 GPUs each, in one job.",
        "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4, "01:00:00",
        "jobs/rowhalo-study run jobs/studies/solve-strong.ini --site local", "",
        '--study "${1:-$home/jobs/studies/solve-strong.ini}" -- "${@:2}"'),
    "solve-weak": Script(
        "A weak-scaling study of solvers on up to 2 nodes with 4 GPUs each, in one job.",
        "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4, "01:00:00",
        "jobs/rowhalo-study run jobs/studies/solve-weak.ini --site local", "",
        '--study "${1:-$home/jobs/studies/solve-weak.ini}" -- "${@:2}"'),
}


def text_of(template, name, script):
    default = (f'[[ " $*" == *" --matrix"* ]] || set -- --matrix {script.matrix} "$@"\n'
               if script.matrix else "")
    text = template.replace("@DEFAULT@\n", default)
    fields = {**script._asdict(), "name": name, "mpiprocs": 16 if script.per_node > 1 else 1}
    for key, value in fields.items():
        text = text.replace(f"@{key.upper()}@", str(value))
    return text


def scripts():
    """{path: text} of all."""
    return {HERE / folder / f"{name}.{suffix}":
            text_of((HERE / folder / "template.in").read_text(encoding="utf-8"), name, script)
            for folder, suffix in FOLDERS.items() for name, script in SCRIPTS.items()}


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        say(*__doc__.split("\n"))
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    old = [path for path, text in scripts().items()
           if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in old:
        if sys.argv[1:]:
            say(f"{path} is out of date: {HERE.name}/{Path(__file__).name} writes it")
        else:
            path.write_text(scripts()[path], encoding="utf-8")
    return 1 if old and sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
