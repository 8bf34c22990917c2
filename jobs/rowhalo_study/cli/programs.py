# SPDX-License-Identifier: BSD-3-Clause
"""What programs that compare share: rowhalo-study partitions, rowhalo-study mkl, rowhalo-study partial-sums, classes."""
import argparse
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from rowhalo_study.names import say
from rowhalo_study.results.rows import read_csv
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.program import find_executable
from rowhalo_study.whole_files import write_whole


def add_program(parser):
    parser.add_argument("--rowhalo", help="the executable (default: $ROWHALO, else the one built or "
                        "installed beside jobs/, else the one in PATH)")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of the results (default: the current one)")


def executable(parser, named):
    """The path of the executable that --rowhalo names, or of the one that is found without it."""
    found = shutil.which(named) if named else None
    if named and not found:
        parser.error(f"--rowhalo {named}: there is no such executable; build it first")
    try:
        return str(Path(found or find_executable()).resolve())
    except WrongInput as error:
        return parser.error(str(error))


def make_folder(program, folder):
    """That of --output; ends the program, as wrong usage, where it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        say(f"{program}: --output {folder}: {error.strerror}", file=sys.stderr)
        sys.exit(2)


def settle(parser, options):
    """The executable's path, the numbers in --ranks, whether --launcher can be used; or an error of usage."""
    options.rowhalo = executable(parser, options.rowhalo)
    if hasattr(options, "launcher"):
        try:
            shlex.split(options.launcher.format(ranks=1))
        except (ValueError, LookupError) as error:
            parser.error(f"--launcher {options.launcher}: {error}; give words like: mpirun -n {{ranks}}")
    if hasattr(options, "ranks"):
        try:
            options.ranks = [count(ranks) for ranks in options.ranks.split(",")]
        except (argparse.ArgumentTypeError, ValueError):
            parser.error(f"--ranks {options.ranks}: give numbers from 1 on with commas, like 2,4,8")


def count(text):
    """For argparse: an integer from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: give a number from 1 on")
    return number


def failure(command, seconds=None):
    """Why a command failed, or nothing. mpirun frames what it says with lines of dashes."""
    try:
        done = subprocess.run(command, timeout=seconds, stdout=subprocess.DEVNULL, errors="replace",
                              stderr=subprocess.PIPE, text=True, check=False)
    except subprocess.TimeoutExpired:
        return f"took longer than {seconds:g} s"
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip(" -")]
    said = [line for line in lines if "rowhalo:" in line or "error" in line] or lines
    return said[0] if said else f"exit status {done.returncode}"


def report_of(command, target, seconds=None):
    """What a run writes to `target`, its --json; or None and why there is none."""
    target.unlink(missing_ok=True)
    reason = failure(command, seconds)
    if reason:
        return None, reason
    try:
        return json.loads(target.read_text(encoding="utf-8")), ""
    except (OSError, ValueError):
        return None, "ended well, but wrote no report: is the executable rowhalo?"


def tables_again(program, path, markdown_text, texts=(), numbers=()):
    """Writes the markdown beside a table of a program's own; `texts`, `numbers`: its own columns. The
    exit status."""
    target = path.with_suffix(".md")
    try:
        rows = read_csv(path, texts, numbers)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        say(f"{program}: --tables: {path}: {reason}; run without --tables first", file=sys.stderr)
        return 2
    try:
        write_whole(target, markdown_text(rows))
    except OSError as error:
        say(f"{program}: {target}: {error.strerror}", file=sys.stderr)
        return 1
    return 0
