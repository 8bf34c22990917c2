# SPDX-License-Identifier: BSD-3-Clause
"""The ready batch scripts: each from the template of its scheduler and a line of the table below."""
import string
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
SUFFIXES = {".sbatch": "slurm", ".pbs": "pbs"}


class Template(string.Template):
    """Scripts are full of dollars."""
    delimiter = "@"


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
        "rowhalo-study run halo.ini --site local", "stencil27:200",
        '-- run --halo all "$@"'),
    "gemv": Script(
        "The dense formats on one GPU in fp32, x_i = log(sqrt(i^2 - i + 2)).",
        "ARGUMENTS of rowhalo kernels", 1, 1, "00:20:00",
        "rowhalo-study run gemv.ini --site local", "dense:16384",
        '--ranks 1 -- kernels --precision fp32 --x log "$@"'),
    "kernels": Script(
        "Every class of matrices on one GPU, our formats beside the vendor's.",
        "ARGUMENTS of rowhalo-study classes", 1, 1, "00:30:00",
        "jobs/run.sh --site local --classes --output DIR", "", '--classes -- "$@"'),
    "strong": Script(
        "A strong-scaling study on up to 2 nodes with 4 GPUs each, in one job.", "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4,
        "01:00:00", "rowhalo-study run strong.ini --site local", "",
        '--study "${1:-$home/jobs/studies/strong.ini}" -- "${@:2}"'),
    "weak": Script(
        "A weak-scaling study on up to 2 nodes with 4 GPUs each, in one job.", "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4,
        "01:00:00", "rowhalo-study run weak.ini --site local", "",
        '--study "${1:-$home/jobs/studies/weak.ini}" -- "${@:2}"'),
    "solve-strong": Script(
        "A strong-scaling study of solvers on up to 2 nodes with 4 GPUs each, in one job.",
        "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4, "01:00:00",
        "rowhalo-study run solve-strong.ini --site local", "",
        '--study "${1:-$home/jobs/studies/solve-strong.ini}" -- "${@:2}"'),
    "solve-weak": Script(
        "A weak-scaling study of solvers on up to 2 nodes with 4 GPUs each, in one job.",
        "STUDY.ini [OPTIONS of rowhalo-study run]", 2, 4, "01:00:00",
        "rowhalo-study run solve-weak.ini --site local", "",
        '--study "${1:-$home/jobs/studies/solve-weak.ini}" -- "${@:2}"'),
}


def text_of(name: str) -> str:
    """Of run.sbatch or run.pbs and so on."""
    stem, _, suffix = name.rpartition(".")
    script = SCRIPTS[stem]
    default = (f'[[ " $*" == *" --matrix"* ]] || set -- --matrix {script.matrix} "$@"\n'
               if script.matrix else "")
    template = Template((FOLDER / f"ready.{suffix}.in").read_text(encoding="utf-8"))
    return template.substitute(script._asdict(), name=stem, default=default, mpiprocs=16 if script.per_node > 1 else 1)


def names() -> list[str]:
    return [f"{name}{suffix}" for suffix in SUFFIXES for name in SCRIPTS]
