# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a study or of single results, as SVG and PNG.

usage: rowhalo-study plot STUDY|TABLE.csv|REPORT.json|REPORT.h5 ... [--kind KINDS] [--where COLUMN=PATTERN]
               [--output DIR] [--smallest]

STUDY is the output folder of rowhalo-study; its pictures go into STUDY/plots, others into the working
directory. TABLE.csv is a table of rowhalo-study, rowhalo-study table or classes; reports are what `rowhalo run`,
`kernels`, `solve` and `info` wrote. Without --kind everything is drawn that the data can show. How to read
the pictures: README.md. Needs matplotlib, and h5py for what only HDF5 holds (Python 3.9 or newer).
Exit status: 0 fine, 1 nothing could be drawn, 2 wrong usage or input.
"""
import argparse
import sys
from pathlib import Path

from rowhalo_study.calling import typed
from rowhalo_study.names import Parser, say
from rowhalo_study.plots.kinds import KINDS
from rowhalo_study.plots.style import NothingToDraw, matplotlib_ready, smallest
from rowhalo_study.results.data import WrongFile, read
from rowhalo_study.results.hdf5 import remedy
from rowhalo_study.results.rows import ALL_COLUMNS

NAME = typed("plot")



def parse(arguments):
    parser = Parser(
        prog=NAME, description=__doc__.split("\n", maxsplit=1)[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="kinds:\n" + "\n".join(f"  {name:15} {summary}"
                                      for name, (_, _, summary) in KINDS.items()))
    parser.add_argument("inputs", nargs="+", metavar="INPUT", type=Path,
                        help="a study's folder, a table (.csv), or reports (.json, .h5)")
    parser.add_argument("--kind", default="auto", metavar="KINDS",
                        help="auto, or some of the kinds below, parted by commas")
    parser.add_argument("--where", action="append", default=[], metavar="COLUMN=PATTERN",
                        help="only lines whose COLUMN matches PATTERN (*, ?, [...]); given again for "
                        "the same column, one of the patterns is enough")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder of the pictures")
    parser.add_argument("--smallest", action="store_true",
                        help="keep of SVG and PNG the smaller file only")
    options = parser.parse_args(arguments)
    wanted = {}
    for condition in options.where:
        column, equals, pattern = condition.partition("=")
        if not equals or column not in ALL_COLUMNS:
            parser.error(f"--where {condition}: use COLUMN=PATTERN with a column of results.csv, "
                         "e.g. matrix=stencil*")
        wanted.setdefault(column, []).append(pattern)
    options.where = wanted
    options.kinds = list(KINDS) if options.kind == "auto" else options.kind.split(",")
    unknown = [kind for kind in options.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"--kind {unknown[0]}: use auto, {', '.join(KINDS)}")
    return options


def folder_of(options):
    if options.output:
        return options.output
    first = options.inputs[0]
    study = first if first.is_dir() else first.parent if first.name == "results.csv" else None
    return study / "plots" if study else Path(".")


def main(arguments):
    options = parse(arguments)
    try:
        matplotlib_ready()
        data = read(options.inputs, options.where)
        folder = folder_of(options)
        folder.mkdir(parents=True, exist_ok=True)
        drawn = []
        for kind in options.kinds:
            try:
                drawn += KINDS[kind][1](data, folder)
            except NothingToDraw as reason:
                if options.kind != "auto":
                    say(f"{NAME}: no picture {kind}: {reason}", file=sys.stderr)
            except WrongFile as error:
                if options.kind != "auto":
                    raise
                say(f"{NAME}: no picture {kind}: {error}", file=sys.stderr)
    except WrongFile as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        say(f"{NAME}: {sys.executable}: {error}: {remedy('matplotlib')}", file=sys.stderr)
        return 2
    except OSError as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    if options.smallest:
        pictures = {}
        for path in drawn:
            pictures.setdefault(path.with_suffix(""), []).append(path)
        drawn = [smallest(paths) for paths in pictures.values()]
    for path in drawn:
        say(path)
    if not drawn:
        say(f"{NAME}: the data shows none of these pictures", file=sys.stderr)
    return 0 if drawn else 1
