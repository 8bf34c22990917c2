# SPDX-License-Identifier: BSD-3-Clause
"""What a user types to call a program of jobs/: its file, or `rowhalo-study COMMAND`.

rowhalo-study runs the programs in its own process and sets `as_tool` before. Usage lines and error messages begin
with what was typed, remedies can be typed.
"""
import os
import sys

from names import any_stream, typed_line

TOOL = "rowhalo-study"
as_tool = False  # pylint: disable=invalid-name
JOBS = os.path.dirname(os.path.realpath(__file__))


def command_line(program):
    """The words that start a file in jobs/ from the folder above it, or a command of the tool."""
    return typed(program).split() if as_tool else ["python3", f"jobs/{program}"]


def typed(program):
    """`program` is the file in jobs/, e.g. plot.py; study.py holds several commands of the tool."""
    if not as_tool:
        return program
    command = program.split(".")[0].replace("_", "-")
    return TOOL if command == "study" else f"{TOOL} {command}"


def hint(program):
    """What to type to call a program, as the one that runs was called: `rowhalo-study`, or `python3` with its path."""
    if as_tool:
        return typed(program)
    folder = os.path.dirname(sys.argv[0])
    return typed_line(["python3", os.path.join(folder if os.path.realpath(folder or ".") == JOBS else "jobs", program)])


def exit_with(main, *arguments):
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
