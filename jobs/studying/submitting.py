# SPDX-License-Identifier: BSD-3-Clause
"""Submits the points of a study that are neither done nor under way, and a last job that collects.

Jobs of a size wait for what --after names, or with --chain each for the one before to be fine; the
last job starts when all have ended, well or not (afterany).
"""
import json
import shlex
import sys
import time

from studying import backends
from studying.jobs import finish_job, jobs_of
from studying.points import plural
from studying.states import ENDED, LIVE, counts, states_of, table
from whole_files import write_whole

WATCH_SECONDS = 5


def wanted_points(folder, states):
    return [point for point in folder.points
            if states[point["name"]].word in ("not submitted", "error", "cut off")]


def suffix_of(site):
    return {"slurm": "sbatch", "pbs": "pbs", "none": "sh"}[site.scheduler]


def print_scripts(folder, jobs, after, chain):
    """What would be submitted, and how."""
    backend, before, ids = backends.of(folder.site), list(after), []
    for job in jobs:
        path = f"jobs/{job.name}.{suffix_of(folder.site)}"
        kind = "afterok" if job.points else "afterany"
        waits = before if job.points else ids
        print("#", " ".join(map(shlex.quote, backend.command(path, waits, kind))))
        print(backend.script(job))
        ids.append(f"JOB_OF_{job.name}")
        if chain:
            before = ids[-1:]


def record(folder, job, job_id):
    write_whole(folder.path / "jobs" / f"{job.name}.json", json.dumps(
        {"name": job.name, "id": job_id, "points": job.points, "time": time.time(),
         "site": folder.site.name, "nodes": job.nodes}, indent=1) + "\n")


def all_jobs(folder, points, in_one_job, program):
    """Those of the points, then the one that collects; without a scheduler the first does it."""
    alone = folder.site.scheduler == "none"
    jobs = jobs_of(folder, points, in_one_job or alone, program)
    if jobs and not alone:
        taken = {path.stem for path in (folder.path / "jobs").glob("*.json")}
        jobs.append(finish_job(folder, taken))
    return jobs


def forget_errors(folder, job):
    """What is submitted again counts as waiting, not as failed."""
    for name in job.points:
        marker = folder.path / "points" / name / "error"
        if marker.exists():
            marker.unlink()


def submit_all(folder, jobs, after, chain):
    backend, before, ids = backends.of(folder.site), list(after), []
    place = folder.path / "jobs"
    for job in jobs:
        path = place / f"{job.name}.{suffix_of(folder.site)}"
        write_whole(path, backend.script(job))
        forget_errors(folder, job)
        if job.points:
            job_id = backend.submit(path.name, place, before, "afterok")
        else:
            job_id = backend.submit(path.name, place, ids, "afterany")
        record(folder, job, job_id)
        ids.append(job_id)
        if chain:
            before = [job_id]
        what = "collects, draws"
        if job.points:
            what = f"{plural(len(job.points), 'point')} on {plural(job.nodes, 'node')}"
        print(f"job {job_id}: {job.name}, {what}", flush=True)


def watch(folder):
    """Prints how the study stands whenever that changes, until nothing of it is under way."""
    shown = ""
    while True:
        states, live_jobs = states_of(folder)
        ours = [job for job in folder.jobs() if backends.number_of(job["id"]) in live_jobs]
        said = counts(states)
        if said != shown:
            print(f"{time.strftime('%H:%M:%S')} {said}", flush=True)
            shown = said
        if not ours and all(state.word not in LIVE for state in states.values()):
            break
        time.sleep(WATCH_SECONDS)
    for line in table(states):
        print(line)
    return all(state.word in ENDED and state.word != "error" for state in states.values())


def submit(folder, study_text, program, options):
    """Exit status."""
    states, _ = states_of(folder)
    points = wanted_points(folder, states)
    skipped = [name for name, state in states.items() if state.word == "skipped"]
    for name in skipped:
        print(f"{name}: skipped: {states[name].why}", file=sys.stderr)
    jobs = all_jobs(folder, points, options.in_one_job, program)
    if options.dry_run:
        print_scripts(folder, jobs, options.after, options.chain)
        return 0
    if study_text is not None:
        folder.write(study_text)
    if not jobs:
        print(f"nothing to submit: {counts(states)}")
    else:
        submit_all(folder, jobs, options.after, options.chain)
        print(f"see: study.py status {folder.path}")
    if options.watch:
        return 0 if watch(folder) else 1
    return 0
