# SPDX-License-Identifier: BSD-3-Clause
"""The commands of rowhalo-study: a line of COMMANDS each.

A command is a module with main(words), or a file of JOBS that runs by itself; of the latter one that is
not there is not listed.
"""
import difflib
import importlib
import os
import runpy
import sys
from pathlib import Path
from typing import NoReturn

from rowhalo_study import __version__
from rowhalo_study.calling import JOBS, TOOL, exit_with
from rowhalo_study.names import say

# Command, module or file, summary; or a heading.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("Studies",),
    ("new", "cli.new", "copy a study, a site file or a batch script to start from"),
    ("plan", "cli.study", "the points of a study, their sizes and memory, and warnings"),
    ("submit", "cli.study", "jobs for all points that are not done; or a batch script"),
    ("run", "cli.study", "run the points here, one after the other"),
    ("status", "cli.study", "the state of every point"),
    ("resume", "cli.study", "jobs for what failed, was cut off or never ran"),
    ("collect", "cli.study", "write results.csv and results.h5"),
    ("site", "cli.study", "what a site file says: cores, GPUs, scheduler, launcher"),
    ("point", "run.sh", "one measured run under the launcher of the site"),
    ("Results",),
    ("report", "cli.report", "one page of HTML with all results"),
    ("plot", "cli.plot", "pictures as SVG and PNG"),
    ("table", "results.table", "one table of many reports"),
    ("compare", "cli.compare", "whether one result is slower than another"),
    ("expected", "results.expected", "expected beside measured times"),
    ("Machines and matrices",),
    ("official", "cli.official", "official results, to accept a machine with"),
    ("classes", "results/programs/classes", "classes of matrices on one GPU, beside cuSPARSE"),
    ("partitions", "results/programs/partitions.py", "predicted beside measured partitions"),
    ("mkl", "results/programs/mkl.py", "products on CPUs beside those of Intel MKL"),
    ("petsc", "cli.petsc", "a program of PETSc's with its matrices and with Rowhalo's"),
    ("partial-sums", "results/programs/partial_sums.py", "entries that partial sums of rows would exchange"),
    ("matrices", "cli.matrices", "fetch matrices of the SuiteSparse collection"),
)


def is_file(place: str) -> bool:
    return "/" in place or place.endswith(".sh")


def present() -> dict[str, str]:
    """{command: module or file} of what is there."""
    return {line[0]: line[1] for line in COMMANDS
            if len(line) > 1 and (not is_file(line[1]) or (JOBS / line[1]).exists())}


def usage() -> list[str]:
    lines = [f"usage: {TOOL} COMMAND [ARGUMENTS]", f"       {TOOL} COMMAND --help", f"       {TOOL} --version",
             f"       {TOOL} --man           the manual page, as roff for man"]
    known = present()
    for line in COMMANDS:
        if len(line) == 1:
            lines += ["", line[0] + ":"]
        elif line[0] in known:
            lines.append(f"  {line[0]:14}{line[2]}")
    return [*lines, "", f"Studies and sites: {JOBS}", f"Guide: {JOBS / 'README.md'}",
            "Exit status: that of the command; 2 for wrong usage."]


def roff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")


def manual() -> list[str]:
    """The manual page, in the macros of man(7)."""
    lines = ['.TH ROWHALO\\-STUDY 1 "" "" "Rowhalo"', ".nh", ".ad l", ".ds AD l", ".SH NAME",
             roff("rowhalo-study - plans, submits and evaluates series of measurements with rowhalo"),
             ".SH SYNOPSIS", ".B rowhalo\\-study", "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]",
             ".SH DESCRIPTION",
             roff("A study is a folder: copy one with `rowhalo-study new`, see what it would measure with"),
             roff("`plan`, measure with `run` or `submit`, look with `report`. `rowhalo-study COMMAND --help`"),
             roff("tells the arguments of a command, `rowhalo-study --help` where the guide lies.")]
    known = present()
    for line in COMMANDS:
        if len(line) == 1:
            lines.append('.SH "' + line[0].upper() + '"')
        elif line[0] in known:
            lines += [".TP", "\\fB" + roff(line[0]) + "\\fR", roff(line[2])]
    return [*lines, '.SH "EXIT STATUS"', "That of the command; 2 for wrong usage.",
            '.SH "SEE ALSO"', ".BR rowhalo (1)"]


def run_file(path: Path, words: list[str]) -> int:
    """A program of JOBS in this process; a script of the shell in its place."""
    if path.suffix == ".sh":
        os.environ["PYTHON"] = os.environ.get("PYTHON") or sys.executable
        sys.stdout.flush()
        os.execv(path, [str(path), *words])
    sys.argv = [sys.argv[0], *words]
    sys.path.insert(0, str(path.parent))
    runpy.run_path(str(path), run_name="__main__")
    return 0


def main(words: list[str]) -> int:
    """Exit status of a command line, without the name of the tool."""
    # What this one starts writes nothing beside itself either: the folder may be read-only.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if not words or words[0] in ("-h", "--help", "help"):
        say(*usage())
        return 0 if words else 2
    if words[0] == "--version":
        say(f"{TOOL} {__version__}")
        return 0
    if words[0] == "--man":
        say(*manual())
        return 0
    known = present()
    if words[0] not in known:
        near = difflib.get_close_matches(words[0], [*known, "--version", "--help", "--man"], 1, 0.5)
        say(f"{TOOL}: {words[0]}: there is no such command; " + (f"did you mean {near[0]}? " if near else "")
            + f"{TOOL} --help lists them", file=sys.stderr)
        return 2
    place = known[words[0]]
    if is_file(place):
        return run_file(JOBS / place, words[1:])
    module = importlib.import_module(f"rowhalo_study.{place}")
    status: int = module.main(words if place == "cli.study" else words[1:])
    return status


def start() -> NoReturn:
    exit_with(main, sys.argv[1:])


def old(path: str) -> NoReturn:
    """For one release: what the programs of jobs/ call that a command has replaced."""
    name = os.path.relpath(os.path.realpath(path), JOBS).replace("/__main__.py", "")
    command = os.path.splitext(name)[0]
    words = ([] if command == "study" else [command.replace("_", "-")]) + sys.argv[1:]
    say(f"jobs/{name} is going away; it is now: {' '.join([TOOL, *words[:1]])}", file=sys.stderr)
    sys.argv[0] = str(JOBS / TOOL)
    exit_with(main, words)
