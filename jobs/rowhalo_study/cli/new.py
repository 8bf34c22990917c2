# SPDX-License-Identifier: BSD-3-Clause
"""A study, a site file or a batch script of one's own: copies one of jobs/ to start from.

usage: rowhalo-study new study|site|script [NAME [FILE]]

Without NAME: lists what there is. FILE is where the copy goes, a file or a folder (default: this
folder, under the same name); a file that is there is not overwritten.
Exit status: 0 fine, 2 wrong usage, or the copy cannot be written.
"""
import difflib
import re
import sys
from pathlib import Path

from rowhalo_study.calling import JOBS, hint, typed
from rowhalo_study.names import Parser, quoted, say
from rowhalo_study.schedulers import ready
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.whole_files import write_whole

# Kind: where they are, the line that says what one is for, and what to do with the copy.
KINDS = {
    "study": (("studies/*.ini",), r"title *= *(.*)",
              "edit it, then: {study} plan {file}"),
    "site": (("sites/*.ini",), r"description *= *(.*)",
             "edit it, then: export ROWHALO_SITE={file}"),
    "script": ((), r"# ([A-Z].*\.)",
               "edit it, then: {study} submit {file} --site SITE"),
}


def choices(kind):
    """{name: text}, scripts with their suffix."""
    if kind == "script":
        return {name: ready.text_of(name) for name in ready.names()}
    return {path.stem: path.read_text(encoding="utf-8") for pattern in KINDS[kind][0] for path in sorted(JOBS.glob(pattern))}


def title_of(kind, text):
    found = re.search(rf"^{KINDS[kind][1]}$", text, re.MULTILINE)
    return found[1] if found else ""


def copy(kind, name, target):
    known = choices(kind)
    stem = name if name in known else Path(name).stem
    if stem not in known:
        near = difflib.get_close_matches(name if kind == "script" else stem, known, 1)
        raise WrongInput(f"{kind} {name}: there is none of this name; "
                         + (f"did you mean {near[0]}? " if near else "") + f"take {', '.join(known)}")
    target = target / (stem if kind == "script" else f"{stem}.ini") if target.is_dir() else target
    if target.exists():
        raise WrongInput(f"{target}: is there already; name another FILE, or remove it")
    try:
        write_whole(target, known[stem])
    except OSError as error:
        raise WrongInput(f"{target}: cannot be written: {error.strerror}") from error
    return target


def main(arguments):
    parser = Parser(prog=typed("new"),
                                     description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", nargs="?", metavar="NAME", help="without it: list what there is")
    parser.add_argument("file", nargs="?", metavar="FILE", type=Path, default=Path(),
                        help="the copy: a file or a folder (default: here, under the same name)")
    options = parser.parse_args(arguments)
    if options.name is None:
        for name, text in choices(options.kind).items():
            say(f"{name:20} {title_of(options.kind, text)}")
        return 0
    try:
        target = copy(options.kind, options.name, options.file)
    except WrongInput as error:
        say(f"{typed('new')}: {error}", file=sys.stderr)
        return 2
    say(f"{target}: " + KINDS[options.kind][2].format(
        study=hint(), file=quoted(target.resolve() if options.kind == "site" else target)))
    return 0
