# SPDX-License-Identifier: BSD-3-Clause
"""Scaling studies: what is to be run, jobs for it, how it stands, and one table of all results.

A study is an INI file (jobs/studies/*.ini), a machine another one (jobs/sites/*.ini). Every call
leaves the study's output folder in a state from which any other call can go on. Guide: README.md.
"""
import argparse
import difflib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from rowhalo_study.calling import JOBS, PROGRAM, hint, typed
from rowhalo_study.cli.programs import count
from rowhalo_study.names import Parser, quoted, say, shown, typed_line
from rowhalo_study.schedulers import backends, ready
from rowhalo_study.schedulers.site import load_site, minutes_of, shell
from rowhalo_study.schedulers.slurm import PATIENCE, NoAnswer, called
from rowhalo_study.schedulers.submitting import collect_lines, stuck_lines, submit, watch
from rowhalo_study.studies.collect import collect
from rowhalo_study.studies.folder import made, opened, take_site
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.points import obstacle, warnings
from rowhalo_study.studies.program import Program
from rowhalo_study.studies.running import run_points
from rowhalo_study.studies.states import counts, states_of, table
from rowhalo_study.whole_files import write_whole

NAME = typed()


def shipped(name, folders):
    """The path of a file here, or of the one of this name in these folders of jobs/; without the
    suffix .ini as well."""
    path = Path(name)
    if path.name != name or path.exists():
        return path
    names = [name] if path.suffix else [name, f"{name}.ini"]
    places = [Path(), *(JOBS / folder for folder in folders)]
    return next((place / one for place in places for one in names if (place / one).is_file()), path)


def not_a_study(path):
    """What to say of a name that is nothing."""
    ready = sorted(one.stem for one in (JOBS / "studies").glob("*.ini"))
    near = difflib.get_close_matches(path.stem, ready, 1)
    return WrongInput(f"{path}: neither a study file nor the output folder of a study; "
                      + (f"did you mean {near[0]}? " if near else "")
                      + f"ready ones: {', '.join(ready)}")


def only_folder():
    """The one output folder of a study that is here."""
    here = sorted(plan.parent for plan in Path().glob("*/plan.json"))
    if len(here) == 1:
        return here[0]
    raise WrongInput("which study? give STUDY.ini or its output folder"
                     + (f": {', '.join(map(str, here))}" if here else ""))


def folder_of(options, program=None):
    """The study's folder and, where it is a new one, the text of the study."""
    path = shipped(options.study or only_folder(), ["studies"])
    if path.is_dir():
        if options.output and Path(options.output).resolve() != path.resolve():
            raise WrongInput(f"--output {options.output}: {path} is an output folder already")
        if options.repeats:
            raise WrongInput(f"--repeats: {path} is planned already; give it with STUDY.ini")
        return opened(path, options.site), None
    if not path.is_file():
        raise not_a_study(path)
    return made(path, options.site, options.output, options.repeats, program or Program())


def short(number):
    for unit, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:g} "


def plan_command(options):
    folder, _ = folder_of(options)
    plan, site = folder.plan, folder.site
    say(f"{plan['study']}: {plan['title']}", f"{plan['kind']}, command {plan['command']}; site "
          f"{site.name}: {site.cores} cores, {site.gpus} GPUs per node", "")
    width = max(len(point["name"]) for point in folder.points)
    source = max(len(shown(point["matrix"])) for point in folder.points)
    say(f"{'point':{width}}  ranks  nodes  {'matrix':{source}}      rows  nonzeros  "
          "memory per rank")
    notes, repeats = {}, 0
    for point in folder.points:
        stop = obstacle(point, site)
        say(f"{point['name']:{width}}  {point['ranks']:5}  {point['nodes']:5}  "
              f"{shown(point['matrix']):{source}}  {short(point['rows']):>8}  "
              f"{short(point['nonzeros']):>8}  {short(point['memory_bytes']):>11}B"
              + ("   skipped" if stop else ""))
        for note in [f"skipped: {stop}"] if stop else warnings(point, site):
            notes.setdefault(note, []).append(point["name"])
        repeats += 0 if stop else point["repeats"]
    minutes = plan["minutes"] * sum(not obstacle(point, site) for point in folder.points)
    say("", f"{len(folder.points)} points, {repeats} runs of the program, into {folder.path}"
          + (f", at most {minutes} minutes" if minutes else ""))
    for note, names in notes.items():
        say(f"note: {note}: {', '.join(names)}")
    return 0


def submit_command(options):
    path = Path(options.study)
    if path.suffix in ready.SUFFIXES:
        return submit_ready(path, options)
    if options.nodes:
        raise WrongInput("--nodes: is for a batch script; the points of a study have theirs, [points] in its file")
    program = Program()
    folder, text = folder_of(options, program)
    take_site(folder, options.site, write=not options.dry_run)
    return submit(folder, text, program, options)


def submit_ready(path, options):
    given = [name for name, value in (("--output", options.output), ("--repeats", options.repeats),
                                      ("--in-one-job", options.in_one_job), ("--chain", options.chain),
                                      ("--watch", options.watch)) if value]
    if given:
        raise WrongInput(f"{given[0]}: means nothing for {path}, which is one job; a study takes it")
    site = load_site(options.site)
    if ready.SUFFIXES[path.suffix] != site.scheduler:
        raise WrongInput(f"{path}: is a script for {ready.SUFFIXES[path.suffix]}, and site {site.name} has "
                         f"scheduler = {site.scheduler}")
    if path.is_file():
        return submit_script(path.resolve(), site, options)
    if path.name not in ready.names():
        near = difflib.get_close_matches(path.name, ready.names(), 1)
        raise WrongInput(f"{path}: there is no such script; " + (f"did you mean {near[0]}? " if near else "")
                         + f"ready ones: {', '.join(ready.names())}")
    with tempfile.TemporaryDirectory() as folder:  # schedulers keep a copy
        path = Path(folder) / path.name
        write_whole(path, ready.text_of(path.name))
        return submit_script(path, site, options, shown_as=path.name)


def submit_script(path, site, options, shown_as=None):
    """Submits a batch script with the options of the site."""
    backend = backends.of(site)
    command = backend.ready(str(path), replace(site, minutes=options.time or site.minutes), options.after, options.arguments,
                            options.nodes)
    settings = backend.settings(site, options.arguments)
    if options.dry_run:
        line = " ".join([*(f"{name}={quoted(value)}" for name, value in settings.items()), typed_line(command)])
        say(line.replace(quoted(path), shown_as) if shown_as else line)
        return 0
    backend.check_after(options.after)
    try:
        said = called(command, None, {**os.environ, **settings}, PATIENCE)
    except NoAnswer as error:
        raise WrongInput(f"{error.text}; it may have been submitted all the same: look at your jobs before you try "
                         "again") from error
    say(*said.strip().split("\n"))
    return 0


def run_command(options):
    program = None if Path(options.study).is_dir() else Program()
    folder, text = folder_of(options, program)
    if not options.job:
        take_site(folder, options.site)
    if text is not None:
        folder.write(text)
    missing = [name for name in ("h5py", "matplotlib") if not importlib.util.find_spec(name)]
    if missing and not (options.no_plot or options.job):
        say(f"{NAME}: note: this Python has no {' and no '.join(missing)}, for pictures and results.h5; "
              f"before or after: {sys.executable} -m pip install {' '.join(missing)}", file=sys.stderr)
    points = folder.points
    if options.job:
        names = {name for job in folder.jobs() if job["name"] == options.job
                 for name in job["points"]}
        points = [point for point in points if point["name"] in names]
        if not points:
            raise WrongInput(f"--job {options.job}: no such job in {folder.path}/jobs")
    fine = run_points(folder, points)
    if options.collect or not options.job:
        finish(folder, plots=not options.no_plot)
    return 0 if fine else 1


def finish(folder, plots):
    """Collects; draws when there is something to draw with."""
    if collect(folder) and plots:
        drawn = subprocess.run([sys.executable, str(PROGRAM), "plot", str(folder.path)], check=False,
                               stdin=subprocess.DEVNULL)
        if drawn.returncode:
            say(f"{NAME}: no plots: {typed('plot')} ended with exit status {drawn.returncode}; again "
                  f"by: {hint()} collect {quoted(folder.path)} --plot", file=sys.stderr)
    try:
        say(counts(states_of(folder)[0]), flush=True)
    except WrongInput as error:  # the results are written: a job must not fail because of this
        say(f"{NAME}: note: the states of the points are not known: {error}", file=sys.stderr)


def status_command(options):
    folder, _ = folder_of(options)
    if options.watch:
        return 0 if watch(folder) else 1
    states, live_jobs = states_of(folder)
    say(*table(states), counts(states), *stuck_lines(folder, live_jobs), *collect_lines(folder, states, live_jobs))
    return 1 if any(state.word == "error" for state in states.values()) else 0


def collect_command(options):
    folder, _ = folder_of(options)
    finish(folder, options.plot)
    return 0


def site_command(options):
    site = load_site(options.name)
    if options.shell:
        say(*shell(site))
        return 0
    say(f"{site.name} ({site.path}): {site.description}", f"{site.cores} cores and {site.gpus} GPUs "
          f"a node, scheduler {site.scheduler}", site.launch)
    return 0


def time_limit(text):
    """For argparse: minutes."""
    minutes = minutes_of(text)
    if not minutes:
        raise argparse.ArgumentTypeError(f"{text}: give minutes or H:M:S")
    return minutes


def parser():
    top = Parser(prog=NAME, description=__doc__.split("\n", maxsplit=1)[0])
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    commands.required = True

    def add(name, function, text, study=True):
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(function=function, help=command.format_help)
        if study:
            command.add_argument("study", nargs="?" if name in ("status", "collect") else None,
                                 help="STUDY.ini, a file or one of jobs/studies, or the output folder of a "
                                 "study" + ("; without it the one that is here" if name in ("status", "collect")
                                            else ""))
            command.add_argument("--site", help="name in jobs/sites, or a file (default: "
                                 "$ROWHALO_SITE, else by what this machine looks like)")
            command.add_argument("--output", help="the study's folder (default: study-NAME)")
            command.add_argument("--repeats", type=count, default=0, metavar="R",
                                 help="instead of those of the study; only for a new folder")
        return command

    add("plan", plan_command, "the points, their sizes and memory, and what to think about")
    for name, text in (("submit", "jobs for all points that are not done; of a batch script, .sbatch or "
                                  ".pbs [-- ARGUMENTS], that one with the site's options"),
                       ("resume", "jobs for what is neither done nor under way")):
        command = add(name, submit_command, text)
        command.add_argument("--in-one-job", action="store_true", help="all sizes in one job, on "
                             "the same nodes (default: one job per size)")
        command.add_argument("--after", action="append", default=[], metavar="JOB",
                             help="start when that job has ended well")
        command.add_argument("--chain", action="store_true",
                             help="each size when the one before has ended well; each collects")
        command.add_argument("--time", type=time_limit, default=0, metavar="T",
                             help="limit of each job, minutes or H:M:S (default: by the study, else the site)")
        command.add_argument("--nodes", type=count, default=0, metavar="N", help="of a batch script (default: its own)")
        command.add_argument("--dry-run", action="store_true", help="only print the scripts")
        command.add_argument("--watch", action="store_true", help="print until all has ended")
    command = add("run", run_command, "runs the points here and now, collects and draws")
    command.add_argument("--job", help=argparse.SUPPRESS)
    command.add_argument("--collect", action="store_true", help=argparse.SUPPRESS)
    command.add_argument("--no-plot", action="store_true", help="collect only")
    command = add("status", status_command, "how every point stands; exit status 1 after errors")
    command.add_argument("--watch", action="store_true", help="print until all has ended")
    command = add("collect", collect_command, "results.csv and results.h5 of what there is")
    command.add_argument("--plot", action="store_true", help="and draw")
    command = add("site", site_command, "what a site file says", study=False)
    command.add_argument("name", nargs="?", help="name in jobs/sites, or a file")
    command.add_argument("--shell", action="store_true", help="as assignments of SITE_... for sh")
    return top


def main(words):
    end = words.index("--") if "--" in words else len(words)
    options, unknown = parser().parse_known_args(words[:end])
    options.arguments = words[end + 1:]  # of a ready script
    try:
        if unknown:
            near = difflib.get_close_matches(unknown[0], re.findall(r"--[a-z-]+", options.help()), 1)
            what = "there is no such option" if unknown[0].startswith("-") else "one word too many"
            raise WrongInput(f"{options.command}: {unknown[0]}: {what}; "
                             + (f"did you mean {near[0]}? " if near else "")
                             + f"{hint()} {options.command} --help lists them")
        if options.arguments and not (getattr(options, "study", "") or "").endswith(tuple(ready.SUFFIXES)):
            raise WrongInput("only the ready scripts, .sbatch and .pbs, take arguments after --")
        return options.function(options)
    except WrongInput as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # exit_with knows what to do
        raise
    except OSError as error:
        say(f"{NAME}: {error.filename or options.command}: {error.strerror or error}", file=sys.stderr)
        return 1
