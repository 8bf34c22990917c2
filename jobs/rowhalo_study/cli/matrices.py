# SPDX-License-Identifier: BSD-3-Clause
"""Fetches matrices of the SuiteSparse collection, one by one or in named sets.

usage: rowhalo-study matrices NAME ... [--output DIR] [--mirror URL] [--dry-run]
       rowhalo-study matrices --list [SET ...]

NAME is a set (--list tells which) or Group/Name as on https://sparse.tamu.edu. Each matrix becomes
DIR/NAME.mtx. Its archive and the matrix are recorded with size and sha256 in a lock file at the first
download; a later one that differs is an error, and both are kept. A download that was cut off goes
on where it stopped. One matrix that cannot be had does not keep the others from being fetched.
Standard library of Python 3.9 or newer.
Exit status: 0 all are there, 1 one could not be had or differs, 2 wrong usage.
"""
import fcntl
import sys
import textwrap
import time
from pathlib import Path
from urllib.parse import urlsplit

from rowhalo_study.calling import typed
from rowhalo_study.matrices.matrix import Wanted, fetch, state_of, url_of
from rowhalo_study.matrices.record import Record
from rowhalo_study.matrices.sets import SETS, chosen, known, members
from rowhalo_study.matrices.transfer import Failed, Interrupted, Limits, in_words, size_at
from rowhalo_study.names import Parser, say
from rowhalo_study.studies.ini import WrongInput

NAME = typed("matrices")
COLLECTION = "https://sparse.tamu.edu/MM"
SECONDS_OF_A_QUESTION = 10  # of --dry-run


class Progress:
    """Lines on stderr; on a terminal also a last one that changes."""

    def __init__(self, stream):
        self.stream, self.live = stream, stream.isatty()
        self.name, self.done, self.total, self.shown, self.since = "", 0, None, 0.0, 0.0

    def say(self, text):
        self.wipe()
        say(f"{self.name}: {text}", file=self.stream, flush=True)

    def wipe(self):
        if self.live:
            self.stream.write("\r\033[K")

    def start(self, done, total):
        self.done, self.total, self.since = done, total, time.monotonic()

    def add(self, count):
        self.done += count
        now = time.monotonic()
        if self.live and now - self.shown > 0.2:
            self.shown = now
            part = f" of {in_words(self.total)}, {self.done / self.total:.0%}" if self.total else ""
            self.stream.write(f"\r\033[K{self.name}: {in_words(self.done)}{part}")
            self.stream.flush()


def parse(arguments):
    parser = Parser(
        prog=NAME, description=__doc__.split("\n", maxsplit=1)[0],
        epilog="sets: " + ", ".join(SETS) + "; exit status: 0 all are there, 1 one could not be had "
        "or differs, 2 wrong usage")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a set, or Group/Name")
    parser.add_argument("--list", action="store_true",
                        help="print the sets, or the matrices of the sets that are named")
    parser.add_argument("--dry-run", action="store_true",
                        help="print what would be fetched, with the sizes that the server tells")
    parser.add_argument("--output", type=Path, default=Path("matrices"), metavar="DIR",
                        help="folder of the matrices (default: %(default)s)")
    parser.add_argument("--mirror", default=COLLECTION, metavar="URL",
                        help="where the groups are: URL/Group/Name.tar.gz (default: %(default)s)")
    parser.add_argument("--lock", type=Path, metavar="FILE",
                        help="the lock file (default: DIR/matrices.lock.json)")
    parser.add_argument("--check", action="store_true",
                        help="compare the checksums of the matrices that are there, too")
    parser.add_argument("--keep-archives", action="store_true",
                        help="keep NAME.tar.gz beside the matrix")
    parser.add_argument("--retries", type=int, default=5, metavar="N",
                        help="attempts without progress before a download is given up (default: "
                        "%(default)s)")
    parser.add_argument("--timeout", type=float, default=60, metavar="S",
                        help="seconds without data after which a connection counts as broken "
                        "(default: %(default)g)")
    options = parser.parse_args(arguments)
    if urlsplit(options.mirror).scheme not in ("http", "https"):
        parser.error(f"--mirror {options.mirror}: give an address that begins with http or https")
    if options.retries < 0 or not 0 < options.timeout <= 3600:
        parser.error("--retries takes 0 or more, --timeout more than 0 and at most 3600")
    if not options.names and not options.list:
        parser.error("name a set or Group/Name; --list prints the sets")
    options.lock = options.lock or options.output / "matrices.lock.json"
    return options


def list_sets(names):
    """The sets; or of those that are named, the matrices."""
    table = known()
    for name in names:
        if name not in SETS:
            raise WrongInput(f"--list {name}: there is no such set; use {', '.join(SETS)}")
    if not names:
        for name, one in SETS.items():
            total = sum(matrix.nonzeros for matrix in members(name, table))
            say(f"{name}: {one.title}", *textwrap.wrap(
                f"{total} nonzeros in all; from: {one.origin}", 96, initial_indent="    ",
                subsequent_indent="    ", break_on_hyphens=False))
    for name in names:
        for matrix in members(name, table):
            say(f"{matrix.name:32} {matrix.rows:>10} x {matrix.columns:<10} "
                  f"{matrix.nonzeros:>11} nonzeros")


def size_in_words(url, timeout):
    """Size, or '?'; and why it is not known, if the server did not answer."""
    try:
        size = size_at(url, timeout)
        return (in_words(size) if size is not None else "?"), ""
    except (Failed, Interrupted) as error:
        return "?", str(error)


def dry_run(wanted, matrices, record):
    """The server is asked no more after two answers that did not come."""
    silent = []
    for matrix in matrices:
        state, size, why = state_of(wanted, matrix, record), "", ""
        if state.startswith("to fetch") and len(silent) < 2:
            size, why = size_in_words(url_of(wanted, matrix), min(SECONDS_OF_A_QUESTION,
                                                                  wanted.limits.timeout))
            silent += [why] if why else []
        shape = f"{matrix.nonzeros} nonzeros" if matrix.nonzeros else "not in a set"
        say(f"{matrix.name}: {state}; {shape}; {url_of(wanted, matrix)}"
              + (f" ({size})" if size not in ("", "?") else ""))
    for why in silent:
        say(f"{NAME}: sizes: {why}", file=sys.stderr)
    return 0


def fetch_all(wanted, matrices, record):
    """Exit status."""
    progress, failed = Progress(sys.stderr), []
    for number, matrix in enumerate(matrices, 1):
        progress.name = f"[{number}/{len(matrices)}] {matrix.name}"
        started = time.monotonic()
        try:
            outcome = fetch(wanted, matrix, record, progress)
        except Failed as error:
            failed.append(matrix.name)
            progress.wipe()
            say(f"{NAME}: {matrix.name}: {error}", file=sys.stderr, flush=True)
            continue
        target = wanted.folder / f"{matrix.short}.mtx"
        progress.wipe()
        say(f"{target}: {outcome}, {in_words(target.stat().st_size)}"
              + (f", {time.monotonic() - started:.0f} s" if outcome == "fetched" else ""), flush=True)
    if failed:
        say(f"{NAME}: {len(failed)} of {len(matrices)} are missing or differ: {', '.join(failed)}",
              file=sys.stderr)
    return 1 if failed else 0


def run(options):
    if options.list:
        list_sets(options.names)
        return 0
    matrices = chosen(options.names)
    record = Record(options.lock)
    wanted = Wanted(options.output, options.mirror, Limits(options.retries, options.timeout),
                    options.keep_archives, options.check)
    if options.dry_run:
        return dry_run(wanted, matrices, record)
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / ".fetching", "w", encoding="utf-8") as claim:
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise WrongInput(f"{options.output}: another call fetches into this folder now") from error
        except OSError:  # a file system without locks
            pass
        return fetch_all(wanted, matrices, Record(options.lock))


def main(arguments):
    options = parse(arguments)
    try:
        return run(options)
    except WrongInput as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("", f"{NAME}: interrupted; the same call goes on", file=sys.stderr)
        return 1
    except BrokenPipeError:  # exit_with knows what to do
        raise
    except OSError as error:
        say(f"{NAME}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
