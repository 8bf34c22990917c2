# SPDX-License-Identifier: BSD-3-Clause
"""Submits the points of a study that are neither done nor under way, and a last job that collects.

Jobs of a size wait for what --after names; the last job starts when all have ended, well or not
(afterany). With --chain each waits for the one before to be fine, and collects at its end.
"""
import json
import sys
import time

from calling import typed
from names import quoted, say, typed_line
from studying import backends
from studying.ini import WrongInput
from studying.jobs import finish_job, jobs_of
from studying.points import plural
from studying.slurm import called
from studying.states import ENDED, LIVE, counts, stale_jobs, states_of, table
from whole_files import write_whole

STUDY = typed("study.py")
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
        script = f"{job.name}.{suffix_of(folder.site)}"
        waits, kind = (before, "afterok") if job.points else (ids, "afterany")
        say(f"# cd {quoted(folder.path / 'jobs')} && {typed_line(backend.command(script, waits, kind))}",
              *backend.script(job).split("\n"))
        ids.append(f"JOB_OF_{job.name}")
        if chain:
            before = ids[-1:]
    release = backend.release_command(ids)
    if release:
        say(f"# {typed_line(release)}")


def record(folder, job, job_id, after):
    write_whole(folder.path / "jobs" / f"{job.name}.json", json.dumps(
        {"name": job.name, "id": job_id, "points": job.points, "time": time.time(),
         "site": folder.site.name, "nodes": job.nodes, "after": after,
         "log": backends.of(folder.site).log_of(job, job_id)}, indent=1) + "\n")


def all_jobs(folder, points, in_one_job, chain, program):
    """Those of the points, then the one that collects. In a chain each collects at its end, since
    PBS deletes what waits for a job that it has deleted; without a scheduler the only one does."""
    alone = folder.site.scheduler == "none"
    jobs = jobs_of(folder, points, in_one_job or alone, program, chain or alone)
    if jobs and not (chain or alone):
        taken = {path.stem for path in (folder.path / "jobs").glob("*.json")}
        jobs.append(finish_job(folder, taken))
    return jobs


def forget_errors(folder, job):
    """What is submitted again counts as waiting, not as failed."""
    for name in job.points:
        marker = folder.path / "points" / name / "error"
        if marker.exists():
            marker.unlink()


def submit_one(folder, job, after, kind):
    """The id. What the job reads is written before, since it may start at once."""
    backend, place = backends.of(folder.site), folder.path / "jobs"
    path = place / f"{job.name}.{suffix_of(folder.site)}"
    write_whole(path, backend.script(job))
    forget_errors(folder, job)
    record(folder, job, "", after)
    try:
        job_id = backend.submit(path.name, place, after, kind)
    except WrongInput:
        (place / f"{job.name}.json").unlink()
        raise
    record(folder, job, job_id, after)
    return job_id


def submit_all(folder, jobs, after, chain):
    before, ids = list(after), []
    try:
        for job in jobs:
            if job.points:
                ids.append(submit_one(folder, job, before, "afterok"))
                what = f"{plural(len(job.points), 'point')} on {plural(job.nodes, 'node')}"
            else:
                ids.append(submit_one(folder, job, list(ids), "afterany"))
                what = "collects, draws"
            if chain:
                before = ids[-1:]
            say(f"job {ids[-1]}: {job.name}, {what}", flush=True)
    finally:
        release = backends.of(folder.site).release_command(ids) if ids else []
        if release:
            called(release, None)


def delete_stale(folder, live_jobs):
    for job in stale_jobs(folder, live_jobs):
        called(backends.of(folder.site).delete_command(job["id"]), None)
        say(f"deleted job {job['id']}: {job['name']}, held for a job that was deleted; results so "
              f"far: {STUDY} collect {quoted(folder.path)} --plot", flush=True)


def watch(folder, has_answered=False):
    """Prints how the study stands whenever that changes, until nothing of it is under way. A scheduler
    that has answered once may fail to do so for a while."""
    shown, stale_before = "", []
    while True:
        try:
            states, live_jobs = states_of(folder)
        except WrongInput as error:
            if not has_answered:
                raise
            said = f"no answer, asking again: {error}"
            if said != shown:
                say(f"{time.strftime('%H:%M:%S')} {said}", flush=True)
                shown = said
            time.sleep(WATCH_SECONDS)
            continue
        has_answered = True
        ours = [job for job in folder.jobs() if backends.number_of(job["id"]) in live_jobs]
        stale = stale_jobs(folder, live_jobs)
        said = counts(states)
        if said != shown:
            say(f"{time.strftime('%H:%M:%S')} {said}", flush=True)
            shown = said
        # A job may be held for a moment when those before it have just ended.
        if (all(job in stale and job in stale_before for job in ours)
                and all(state.word not in LIVE for state in states.values())):
            break
        stale_before = stale
        time.sleep(WATCH_SECONDS)
    for job in stale:
        say(f"job {job['id']} ({job['name']}) is held and never starts, since a job that it "
              f"waits for was deleted before it began. resume deletes it; results so far: {STUDY} "
              f"collect {quoted(folder.path)} --plot")
    for line in table(states):
        say(line)
    return all(state.word in ENDED and state.word != "error" for state in states.values())


def submit(folder, study_text, program, options):
    """Exit status."""
    states, live_jobs = states_of(folder)
    points = wanted_points(folder, states)
    skipped = [name for name, state in states.items() if state.word == "skipped"]
    for name in skipped:
        say(f"{name}: skipped: {states[name].why}", file=sys.stderr)
    jobs = all_jobs(folder, points, options.in_one_job, options.chain, program)
    if options.dry_run:
        print_scripts(folder, jobs, options.after, options.chain)
        return 0
    backends.of(folder.site).check_after(options.after)
    if study_text is not None:
        folder.write(study_text)
    delete_stale(folder, live_jobs)
    if not jobs:
        say(f"nothing to submit: {counts(states)}")
    else:
        submit_all(folder, jobs, options.after, options.chain)
        say(f"see: {STUDY} status {quoted(folder.path)}")
    if options.watch:
        return 0 if watch(folder, has_answered=True) else 1
    return 0
