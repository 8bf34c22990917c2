#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fills the table of faults: what happens to a job when a rank is killed or stopped in a phase, a disk
is full, a folder or a part of a file vanishes, or memory is exhausted. Each case must end within the
time-out and a grace, not with status 0, with a message where the program can still speak; it must
leave no process, nothing in /dev/shm or the temporary folder and no output in part, and keep the
other outputs. Exit status 0: all did.

  faults.py --rowhalo BUILD/tests/faults/rowhalo_held --output faults.md

rowhalo_held is the program with faults planted at the beginning of phases (held_phases.cpp). Needs
mpirun and Python's standard library; some cases need root (mount, control groups) and are skipped
without.
"""
import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import running
import cases

HOOK = b"ROWHALO_TEST_HOLD"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rowhalo", type=Path, required=True, help="the executable rowhalo_held")
    parser.add_argument("--shipped", type=Path, help="also: this executable must not have the hook")
    parser.add_argument("--timeout", type=float, default=3, help="of the program, in seconds, where its watchdog is to end a case")
    parser.add_argument("--grace", type=float, default=10,
                        help="seconds beyond it within which a job must have ended")
    parser.add_argument("--output", type=Path, help="the table as Markdown")
    parser.add_argument("--ranks", type=int,
                        help="default: 4, with --gpu one per GPU: NCCL and p2p refuse to share one")
    parser.add_argument("--gpu", action="store_true", help="the cases of GPUs, not those of the CPU")
    parser.add_argument("--short", action="store_true", help="a selection for the tests")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    options = parser.parse_args()
    if options.ranks is None:
        options.ranks = gpu_count() if options.gpu else 4
    return options


def gpu_count():
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], stdout=subprocess.PIPE, check=True)
    return max(1, len(listed.stdout.splitlines()))


def selected(options):
    listed = cases.device_cases if options.gpu else cases.host_cases
    for case in listed(options.ranks):
        if options.short and case.name not in cases.SHORT:
            continue
        if options.only in case.name:
            yield case


def line_of(case, settings):
    """A line of the table, and whether the case went wrong."""
    try:
        outcome = running.run(case, settings)
    except (OSError, subprocess.CalledProcessError) as error:
        line, failed = f"| {case.name} | not tried: {error} | - | skipped |", False
    else:
        what = f"status {outcome.status}: {outcome.message}" if outcome.message else \
            f"status {outcome.status}"
        verdict = "; ".join(outcome.problems) or "passed"
        failed = bool(outcome.problems)
        line = f"| {case.name} | {what.replace('|', '/')} | {outcome.seconds:.1f} | {verdict} |"
    print(line, flush=True)
    return line, failed


def hook_problems(options):
    if options.shipped is None:
        return []
    problems = []
    if HOOK not in options.rowhalo.read_bytes():
        problems.append(f"{options.rowhalo} has no hook: no fault can be planted")
    if HOOK in options.shipped.read_bytes():
        problems.append(f"{options.shipped} has the hook of the tests")
    return problems


def main():
    options = arguments()
    settings = running.Settings(options.rowhalo.resolve(), options.timeout, options.grace,
                                running.has_own_shared_memory())
    chosen = list(selected(options))
    head = ["| case | what happened | s | verdict |", "| --- | --- | --- | --- |"]
    print("\n".join(head))
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        done = list(pool.map(lambda case: line_of(case, settings), chosen))
    failed = sum(wrong for _, wrong in done)
    skipped = sum(line.endswith("skipped |") for line, _ in done)
    summary = (f"{len(done)} cases on {os.uname().nodename}, {options.ranks} ranks, --timeout "
               f"{options.timeout:g}, grace {options.grace:g} s: {failed} failed, {skipped} skipped")
    if options.output:
        table = [*head, *(line for line, _ in done)]
        options.output.write_text("\n".join(table) + f"\n\n{summary}\n", encoding="utf-8")
    problems = hook_problems(options)
    print("\n".join(["", summary, *problems]))
    return 1 if failed or problems or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
