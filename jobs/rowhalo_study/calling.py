# SPDX-License-Identifier: BSD-3-Clause
"""What a user types to call a command, where the files of jobs/ lie, and how a command ends."""
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from rowhalo_study.names import any_stream, quoted

TOOL = "rowhalo-study"
PACKAGE = Path(__file__).resolve().parent
# Studies, sites, scripts and guides: beside the package in a checkout and an installed prefix, inside it in a wheel.
JOBS = PACKAGE.parent if (PACKAGE.parent / "run.sh").is_file() else PACKAGE / "jobs"
PROGRAM = JOBS / TOOL   # what scripts call


def typed(command: str = "") -> str:
    """The name in usage lines and messages; without a command that of the tool, as for those of studies."""
    return f"{TOOL} {command}".rstrip()


def hint(command: str = "") -> str:
    """The same as words that can be typed here: with its path where the tool is not in PATH."""
    found = shutil.which(TOOL)
    here = sys.argv[0] if os.path.basename(sys.argv[0]) == TOOL else str(PROGRAM)
    known = found and os.path.realpath(found) == os.path.realpath(here)
    return f"{TOOL if known else quoted(here)} {command}".rstrip()


def exit_with(main: Callable[..., Any], *arguments: Any) -> NoReturn:
    """Ends the process with the status that main gives; without a word where nobody reads on, as in `... | head`."""
    any_stream()
    try:
        try:
            status = main(*arguments)
        except SystemExit as ended:  # of argparse
            status = ended.code
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
