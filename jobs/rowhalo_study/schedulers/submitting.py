# SPDX-License-Identifier: BSD-3-Clause
"""Submits the points of a study that are neither done nor under way, and a last job that collects.

Jobs of a size wait for what --after names; the last job starts when all have ended, well or not
(afterany). With --chain each waits for the one before to be fine, and collects at its end.
"""
import json
import os
import sys
import time

from rowhalo_study.calling import hint, typed
from rowhalo_study.names import quoted, say, typed_line
from rowhalo_study.schedulers import backends
from rowhalo_study.schedulers.jobs import finish_job, jobs_of, user_name
from rowhalo_study.schedulers.slurm import NoAnswer, Refused, called
from rowhalo_study.studies.folder import read_json
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.plan import JOB
from rowhalo_study.studies.points import plural
from rowhalo_study.studies.states import ENDED, LIVE, counts, held_jobs, stale_jobs, states_of, table, why_held
from rowhalo_study.whole_files import write_whole

STUDY = typed()
AGAIN = hint()
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
    backend = backends.of(folder.site)
    write_record(folder, {
        "name": job.name, "id": job_id, "points": job.points, "time": time.time(), "site": folder.site.name,
        "nodes": job.nodes, "after": after, "log": backend.log_of(backend.title_of(job), job_id),
        "title": backend.title_of(job), "user": user_name(), "held": bool(backend.release_command([job_id]))})


def write_record(folder, job):
    write_whole(path_of_record(folder, job["name"]), json.dumps(job, indent=1) + "\n")


def path_of_record(folder, name):
    return folder.path / "jobs" / f"{name}.json"


def all_jobs(folder, points, in_one_job, chain, program, found=()):
    """Those of the points, then the one that collects. In a chain each collects at its end, since
    PBS deletes what waits for a job that it has deleted; without a scheduler the only one does."""
    alone = folder.site.scheduler == "none"
    jobs = jobs_of(folder, points, in_one_job or alone, program, chain or alone)
    if (jobs or found) and not (chain or alone):
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
    except NoAnswer as error:
        job_id = adopted(folder, job.name, error)
    except WrongInput:
        path_of_record(folder, job.name).unlink()
        raise
    record(folder, job, job_id, after)
    return job_id


def adopted(folder, name, error):
    """The id of a job whose submission was not answered; else the error with what to do. Its record stays, and
    `resume` looks again."""
    remedy = f"{AGAIN} resume {quoted(folder.path)} looks for it by its name"
    try:
        job_id = settled(folder, read_json(path_of_record(folder, name), JOB))
    except (NoAnswer, Refused) as again:
        raise NoAnswer(f"{error.text}, so that job {name} may have been submitted or not", remedy) from again
    if not job_id:
        raise NoAnswer(f"{error.text}, and job {name} is not known so far", remedy) from error
    return job_id


def settled(folder, job):
    """The id of a job whose submission was not answered, by its title, owner and folder, now in its record; None where
    the scheduler knows none."""
    backend, place = backends.of(folder.site), os.path.realpath(folder.path / "jobs")
    known = {backends.number_of(other["id"]) for other in folder.jobs() if other["id"]}
    found = [number for number, live in backend.live().items() if number not in known
             and (live.title, live.user, os.path.realpath(live.place)) == (job["title"], user_name(), place)]
    if len(found) > 1:
        raise WrongInput(f"job {job['name']} may be each of {', '.join(found)}, which have its name and whose submission "
                         f"was not answered: delete them, and {AGAIN} resume {quoted(folder.path)}")
    if not found:
        return None
    write_record(folder, {**job, "id": found[0], "log": backend.log_of(job["title"], found[0])})
    say(f"job {found[0]}: {job['name']}, adopted: its submission was not answered", flush=True)
    return found[0]


def adopt_all(folder):
    """Settles the records of all such jobs."""
    for job in folder.jobs():
        if not job["id"] and job.get("title") and not settled(folder, job):
            path_of_record(folder, job["name"]).unlink()


def left_held(folder, live_jobs):
    """Ids of jobs that an earlier call has submitted and not released, since the scheduler did not answer."""
    stale = stale_jobs(folder, live_jobs)
    return [job["id"] for job in folder.jobs()
            if job.get("held") and job not in stale and backends.number_of(job["id"]) in live_jobs]


def release_all(folder, ids):
    """Whether the scheduler lets them start."""
    release = backends.of(folder.site).release_command(ids) if ids else []
    if not release:
        return True
    try:
        called(release, None)
    except WrongInput as error:  # another one may be on its way, which says more
        say(f"{STUDY}: warning: {error}; the jobs are held until {AGAIN} resume {quoted(folder.path)}, or: "
            f"{typed_line(release)}", file=sys.stderr)
        return False
    for job in folder.jobs():
        if job["id"] in ids:
            write_record(folder, {**job, "held": False})
    return True


def submit_last(folder, job, ids):
    """The id of the job that collects. It needs one core; where the site refuses less than a node it asks for one.
    Nothing depends on it: without it the user collects."""
    error = None
    for each in (job, job._replace(whole_node=True)):
        try:
            return submit_one(folder, each, list(ids), "afterany")
        except Refused as refusal:
            error = refusal
    say(f"{STUDY}: warning: no job that collects: {error}; when the others have ended: {AGAIN} collect "
        f"{quoted(folder.path)} --plot", file=sys.stderr)
    return None


def submit_all(folder, jobs, after, chain, found):
    """Whether the scheduler took all that measure: a size that it refuses does not keep it from the others. `found`:
    jobs of an earlier call that was not answered, still held."""
    before, ids, refused = (found[-1:] if chain else []) or list(after), list(found), False
    try:
        for job in jobs:
            if job.points:
                try:
                    job_id = submit_one(folder, job, before, "afterok")
                except Refused as error:
                    refused = True
                    say(f"{STUDY}: {job.name}, {plural(job.nodes, 'node')}, is not submitted: {error}", file=sys.stderr)
                    continue
                what = f"{plural(len(job.points), 'point')} on {plural(job.nodes, 'node')}"
            else:
                job_id, what = submit_last(folder, job, ids) if ids else None, "collects, draws"
            if job_id:
                ids.append(job_id)
                say(f"job {job_id}: {job.name}, {what}", flush=True)
            if chain:
                before = ids[-1:] or before
    finally:
        released = release_all(folder, ids)
    return released and not refused


def delete_stale(folder, live_jobs):
    for job in reversed(stale_jobs(folder, live_jobs)):  # PBS may delete with a held job what waits for it
        called(backends.of(folder.site).delete_command(job["id"]), None)
        say(f"deleted job {job['id']}: {job['name']}, held for a job that was deleted; results so "
              f"far: {AGAIN} collect {quoted(folder.path)} --plot", flush=True)


def stuck_lines(folder, live_jobs):
    """What to do about jobs without points that do not start by themselves; those of points are in the table."""
    for job in stale_jobs(folder, live_jobs):
        yield (f"job {job['id']} ({job['name']}) is held and never starts, since a job that it waits for was deleted "
               f"before it began. resume deletes it; results so far: {AGAIN} collect {quoted(folder.path)} --plot")
    yield from held_lines(folder, live_jobs)


def held_lines(folder, live_jobs):
    """The command that releases the job that collects."""
    held = held_jobs(folder, live_jobs)
    for job in folder.jobs():
        if not job["points"] and backends.number_of(job["id"]) in held:
            yield f"{job['name']} is held: {why_held(live_jobs, job['id'], held)}"


def written(path):
    """When, in seconds; 0 where it is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0


def collect_lines(folder, states, live_jobs):
    """The command that collects, where results are newer than the table and nothing is on its way that would do it: the
    job that collects was deleted or refused."""
    if any(state.word in LIVE for state in states.values()) or any(
            backends.number_of(job["id"]) in live_jobs for job in folder.jobs()):
        return
    if any(written(folder.place_of(point) / "done") > written(folder.path / "results.csv") for point in folder.points):
        yield f"results are not collected yet: {AGAIN} collect {quoted(folder.path)} --plot"


def watch(folder, has_answered=False):
    """Prints how the study stands whenever that changes, until nothing of it is under way. A scheduler
    that has answered once may fail to do so for a while."""
    shown, stuck_before = "", []
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
        # A job may be held for a moment when those before it have just ended, or when it was just submitted.
        held = held_jobs(folder, live_jobs)
        stuck = [job for job in ours if job in stale or backends.number_of(job["id"]) in held]
        if (all(job in stuck and job in stuck_before for job in ours)
                and all(state.word not in LIVE for state in states.values())):
            break
        stuck_before = stuck
        time.sleep(WATCH_SECONDS)
    say(*table(states), *stuck_lines(folder, live_jobs), *collect_lines(folder, states, live_jobs))
    return all(state.word in ENDED and state.word != "error" for state in states.values())


def submit(folder, study_text, program, options):
    """Exit status."""
    if not options.dry_run:
        adopt_all(folder)
    states, live_jobs = states_of(folder)
    found = left_held(folder, live_jobs)
    points = wanted_points(folder, states)
    skipped = [name for name, state in states.items() if state.word == "skipped"]
    for name in skipped:
        say(f"{name}: skipped: {states[name].why}", file=sys.stderr)
    jobs = all_jobs(folder, points, options.in_one_job, options.chain, program, found)
    if options.time:
        jobs = [job._replace(minutes=options.time) if job.points else job for job in jobs]
    if options.dry_run:
        print_scripts(folder, jobs, options.after, options.chain)
        return 0
    backends.of(folder.site).check_after(options.after)
    if study_text is not None:
        folder.write(study_text)
    delete_stale(folder, live_jobs)
    fine = True
    if not jobs and not found:
        say(f"nothing to submit: {counts(states)}", *held_lines(folder, live_jobs),
            *collect_lines(folder, states, live_jobs))
    else:
        fine = submit_all(folder, jobs, options.after, options.chain, found)
        say(f"see: {AGAIN} status {quoted(folder.path)}")
    if options.watch:
        fine = watch(folder, has_answered=True) and fine
    return 0 if fine else 1
