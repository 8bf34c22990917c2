# SPDX-License-Identifier: BSD-3-Clause
"""What programs that compare share: partitions.py, mkl.py, partial_sums.py."""
import csv
import io
import shutil
from pathlib import Path


def add_program(parser):
    parser.add_argument("--rowhalo", default="rowhalo", help="the executable (default: in PATH)")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder of the results")


def settle(parser, options):
    """The executable's path, and the numbers in --ranks; or an error of usage."""
    found = shutil.which(options.rowhalo)
    if not found:
        parser.error(f"--rowhalo {options.rowhalo}: there is no such executable; build it first")
    options.rowhalo = str(Path(found).resolve())
    if hasattr(options, "ranks"):
        try:
            options.ranks = [int(ranks) for ranks in options.ranks.split(",")]
        except ValueError:
            parser.error(f"--ranks {options.ranks}: give numbers with commas, like 2,4,8")


def csv_text(columns, lines):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()
