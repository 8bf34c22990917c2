# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark to procure and accept machines with: a problem set, its rating, its verdict, one bundle.

usage: rowhalo-study official --set tiny|node|rack|system [--division standard|tuned] [options] [-- TUNING]
       rowhalo-study official check BUNDLE [--reference FILE] [--save-reference FILE]

The first measures every matrix of the set on the site's nodes and writes into --output the rating, the
verdict and a bundle. Called again, it goes on where it was cut off; on a site with a scheduler the
first call submits a job, and the next one, when that has ended, makes the bundle. The folder is that of a
study: `rowhalo-study status FOLDER` tells how it stands. The second checks a bundle on any machine: hashes, rating
and verdict, which it computes again from the reports. Rules: RULES.md. Python 3.9 or newer.
Exit status: 0 VALID or REHEARSAL, 1 not finished, or the bundle is damaged or was changed, 2 wrong
usage, 3 INVALID.
"""
import argparse
import hashlib
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from rowhalo_study.calling import hint, typed
from rowhalo_study.names import Parser, quoted, say, typed_line
from rowhalo_study.official import bundle, ratios
from rowhalo_study.official.planning import folder_for, note_what_runs
from rowhalo_study.official.rating import Broken, counted_rows, evidence_of, lines_of
from rowhalo_study.official.sets import DIVISIONS, SETS, name_of, official_of
from rowhalo_study.results.hdf5 import WrongFile
from rowhalo_study.schedulers.submitting import submit
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.points import arguments_of, memory_warnings, obstacle, plural
from rowhalo_study.studies.program import Program
from rowhalo_study.studies.running import run_points
from rowhalo_study.studies.states import LIVE, counts, states_of, table
from rowhalo_study.whole_files import write_whole

NAME = typed("official")
AGAIN = hint()
INVALID = 3


def in_a_job(site):
    """Whether points can run here, rather than be submitted."""
    return site.scheduler == "none" or any(name in os.environ for name in ("SLURM_JOB_ID", "PBS_JOBID"))


def check_memory(folder):
    """Says what may not fit, before anything runs."""
    for point in folder.points:
        stop = obstacle(point, folder.site)
        if stop:
            raise WrongInput(f"{point['name']}: {stop}; another --site, or another set")
        for note in memory_warnings(point, folder.site):
            say(f"{NAME}: warning: {point['name']}: {note}", file=sys.stderr)


def measure(options):
    """Runs or submits what is missing; makes the bundle when there is nothing left."""
    nodes = options.nodes or (1 if SETS[options.set].nodes[0] == 1 else 0)
    if not nodes:
        raise WrongInput(f"--nodes N is missing: the set {options.set} grows with the nodes")
    official = official_of(options.set, options.division, nodes, options.seconds, options.tuning)
    reference = ratios.read_reference(options.reference) if options.reference else None
    program = Program()
    site = options.site or os.environ.get("ROWHALO_SITE") or ("local" if options.set == "tiny" else None)
    folder = folder_for(options.output or name_of(official), site, official, program,
                        write=not options.dry_run)
    check_memory(folder)
    words = [state.word for state in states_of(folder)[0].values()]
    missing = [word for word in words if word != "done"]
    if missing and in_a_job(folder.site):
        say(f"set {options.set}, division {options.division}: {len(missing)} of {len(folder.points)} "
              f"problems to measure, into {folder.path}", flush=True)
        if options.dry_run:
            say(*(f"{point['name']:12}{point['ranks']} ranks: {' '.join(arguments_of(point))}"
                    for point in folder.points))
            return 0
        if folder.site.scheduler == "none":
            note_what_runs(folder)
        os.environ["ROWHALO"] = program.path  # the one that was hashed
        run_points(folder, folder.points)
    elif any(word not in ("done", "error") for word in words):
        submit(folder, None, program, SimpleNamespace(in_one_job=True, after=[], chain=True,
                                                      dry_run=options.dry_run, watch=options.watch, time=0))
        if options.dry_run:
            return 0
    return finish(folder, reference, options.words)


def finish(folder, reference, words):
    states, _ = states_of(folder)
    if any(state.word not in ("done", "error") for state in states.values()):
        say(*table(states), counts(states))
        again = typed_line(words)
        when = "when its job has ended" if any(
            state.word in LIVE for state in states.values()) else "to go on"
        say(f"not finished; {when}: {hint('official')} {again}")
        return 1
    result, path = bundle.make(folder.path)
    say("", *lines_of(result))
    if reference:
        rows = counted_rows(evidence_of(bundle.files_of(folder.path)))
        say("", *ratios.lines_of(rows, reference, "the reference", result["rank"]))
    say("", f"bundle: {path}", f"sha256: {hashlib.sha256(path.read_bytes()).hexdigest()}")
    if any(state.word == "error" for state in states.values()):
        again = ("the same call" if in_a_job(folder.site)
                 else f"{AGAIN} resume {quoted(folder.path)}")
        say(f"measure again what failed: {again}")
    return status_of(result)


def status_of(result):
    return INVALID if result["verdict"] == "INVALID" else 0


def check(options):
    reference = ratios.read_reference(options.reference) if options.reference else None
    if not options.bundle.is_file():
        raise WrongInput(f"{options.bundle}: is not a file; name the bundle that rowhalo-study official made")
    result, wrong, files = bundle.check(options.bundle)
    say(*lines_of(result))
    digest = hashlib.sha256(options.bundle.read_bytes()).hexdigest()
    say("", f"bundle: {options.bundle}", f"sha256: {digest}",
          f"executable: sha256 {result['official']['executable_sha256']}")
    if wrong:
        say(*(f"{NAME}: {options.bundle}: {line}" for line in wrong), file=sys.stderr)
        say(f"CHANGED: {options.bundle} is not as it was made; ask for the original")
        return 1
    say(f"unchanged: {len(files)} files as in {bundle.MANIFEST}; rating, verdict and table as its "
          "reports give them")
    if reference:
        rows = counted_rows(evidence_of(files))
        say("", *ratios.lines_of(rows, reference, options.reference, result["rank"]))
    if options.save_reference:
        if result["verdict"] == "INVALID":
            raise WrongInput(f"--save-reference {options.save_reference}: the result is INVALID")
        write_whole(options.save_reference, files[bundle.TABLE])
        say(f"reference: {options.save_reference}")
    return status_of(result)


def seconds(text):
    value = float(text)
    if not 0 < value <= 1e6:
        raise ValueError
    return value


def measure_parser():
    parser = Parser(
        prog=NAME, description=__doc__.split("\n", maxsplit=1)[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=f"{NAME} --set NAME [options] [-- TUNING]\n"
        f"       {NAME} check BUNDLE [--reference FILE] [--save-reference FILE]",
        epilog="sets:\n" + "".join(
            f"  {name:8} {chosen.title}: {len(chosen.sizes)} matrices, "
            f"{plural(chosen.runs, 'run')} of {chosen.seconds:g} s each, CG\n"
            for name, chosen in SETS.items())
        + f"a node needs {SETS['node'].gpu_gigabytes} GB of GPU memory in all, and "
        f"{SETS['node'].host_gigabytes} GB of host memory (tiny: 2 GB)\n"
        + "\nexit status: 0 VALID or REHEARSAL, 1 not finished, or a changed bundle, 2 wrong usage, "
        "3 INVALID\nrules: jobs/RULES.md")
    parser.add_argument("--set", required=True, choices=SETS, help="the problem set, see below; required")
    parser.add_argument("--division", choices=DIVISIONS, default="standard",
                        help="standard: the options of the set; tuned: also those after --, and value codes "
                        "unless --value-codes off stands there (default: standard)")
    parser.add_argument("--nodes", type=int, metavar="N", help="required with rack and system")
    parser.add_argument("--site", help="name in jobs/sites, or a file (default: $ROWHALO_SITE, else by "
                        "what this machine looks like; tiny: local)")
    parser.add_argument("--output", type=Path, metavar="DIR",
                        help="folder of the result (default: here, official-SET-DIVISION or rehearsal-...)")
    parser.add_argument("--seconds", type=seconds, metavar="S",
                        help="one run of S seconds per matrix: a rehearsal of the set")
    parser.add_argument("--reference", type=Path, metavar="FILE",
                        help="print ratios to this one: a table of jobs/reference, or results.csv of another result")
    parser.add_argument("--watch", action="store_true", help="wait for the job's end")
    parser.add_argument("--dry-run", action="store_true",
                        help="print what would run, or the job's script; run and submit nothing")
    return parser


def check_parser():
    parser = Parser(prog=f"{NAME} check", epilog="exit status: 0 VALID or "
                                     "REHEARSAL, 1 damaged or changed, 2 wrong usage, 3 INVALID",
                                     description="Checks a bundle: hashes, rating, verdict.")
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help=".tar.gz of rowhalo-study official")
    parser.add_argument("--reference", type=Path, metavar="FILE", help="print ratios to this one")
    parser.add_argument("--save-reference", type=Path, metavar="FILE",
                        help="write the table that others use as --reference")
    return parser


def main(words):
    end = words.index("--") if "--" in words else len(words)
    try:
        if words[:1] == ["check"]:
            return check(check_parser().parse_args(words[1:]))
        options = measure_parser().parse_args(words[:end])
        options.tuning, options.words = words[end + 1:], words
        return measure(options)
    except WrongInput as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        say(f"{NAME}: {error.filename}: is not there, or its folder is not", file=sys.stderr)
        return 2
    except (Broken, WrongFile) as error:
        place = f"{words[1]}: " if words[:1] == ["check"] and len(words) > 1 else ""
        say(f"{NAME}: {place}{error}", file=sys.stderr)
        return 1
    except MemoryError:
        say(f"{NAME}: {words[1] if words[:1] == ['check'] else 'the result'}: needs more memory than there is",
            file=sys.stderr)
        return 1
    except BrokenPipeError:  # exit_with knows what to do
        raise
    except OSError as error:
        say(f"{NAME}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
