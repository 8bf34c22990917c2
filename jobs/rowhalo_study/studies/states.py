# SPDX-License-Identifier: BSD-3-Clause
"""Where every point stands: by the markers of run.sh, who runs it, and what the scheduler says.

A point that somebody has begun (claims.py) and that has no marker of an end was cut off; resume
runs it again, like those that ended with an error.
"""
import os
import re
from typing import NamedTuple

from rowhalo_study.names import typed_line
from rowhalo_study.schedulers import backends
from rowhalo_study.studies.claims import look, owner_of
from rowhalo_study.studies.points import obstacle

ENDED = ("done", "error", "skipped")
LIVE = ("running", "suspended", "pending")
ORDER = ("done", "running", "suspended", "pending", "held", "error", "cut off", "skipped", "not submitted")


class State(NamedTuple):
    word: str       # one of ORDER
    why: str        # last line of an error, job that runs or waits


def reason_of(marker):
    """The reason that run.sh gave, and the last line of the log."""
    try:
        lines = [line for line in marker.read_text(encoding="utf-8", errors="replace").split("\n")
                 if line.strip()]
    except OSError:
        return "no marker left"
    reasons = [line.split("=", 1)[1].strip() for line in lines if line.startswith("reason")]
    told = [line for line in lines if line.startswith(("rowhalo:", "RESULT: FAIL"))]
    if not told and ": " not in "".join(reasons[:1]):
        # mpirun rules lines of dashes around what it says.
        told = [line for line in lines if re.search(r"\w", line)][-1:]
    return ": ".join(reasons[:1] + [line for line in told if not line.startswith("reason")
                                    and line not in "".join(reasons[:1])])


def is_other(job, live, place):
    """Whether a number that we know is that of somebody else's job: servers begin again with 1. A site may give
    jobs another title or another folder, but not both."""
    differ = [mine and theirs and mine != theirs for mine, theirs in (
        (job.get("user"), live.user), (job.get("title"), live.title), (place, os.path.realpath(live.place or place)))]
    return bool(job) and bool(differ[0] or (differ[1] and differ[2]))


def live_jobs_of(folder):
    """{number: jobs.Live} of what the scheduler, or this machine, still knows."""
    jobs = {backends.number_of(job["id"]): job for job in folder.jobs() if job["id"]}
    place = os.path.realpath(folder.path / "jobs")
    owners = [owner_of(folder.place_of(point)) for point in folder.points]
    ids = [*(job["id"] for job in jobs.values()), *(other for job in jobs.values() for other in job.get("after", [])),
           *(owner["id"] for owner in owners if owner and owner["id"])]
    found = backends.of(folder.site).live(list(dict.fromkeys(ids))) if ids else {}
    return {number: live for number, live in found.items() if not is_other(jobs.get(number, {}), live, place)}


def name_of(owner):
    if owner is None:  # it is just about to write itself down
        return "somebody"
    return owner["id"] or f"process {owner['pid']} on {owner['host']}"


def log_of(folder, job):
    """'; its log: FILE' of a job that was submitted."""
    log = folder.path / "jobs" / job.get("log", "")
    return f"; its log: {log}" if log.is_file() else "; it left no log"


def stale_jobs(folder, live_jobs):
    """Held jobs that never start: PBS does not release what waits for a job that was deleted before
    it began, nor what waits for that."""
    stale = {}
    for job in folder.jobs():
        waits = [backends.number_of(other) for other in job.get("after", [])]
        number = backends.number_of(job["id"])
        if waits and number in live_jobs and live_jobs[number].word == "waiting" and all(
                other in stale or other not in live_jobs for other in waits):
            stale[number] = job
    return list(stale.values())


def held_jobs(folder, live_jobs):
    """{number of a job: that of the one that a hand has to release, itself or one that it waits for}"""
    held = {}
    for job in folder.jobs():  # the oldest first, so what a job waits for comes before it
        number = backends.number_of(job["id"])
        waits = [held[other] for other in map(backends.number_of, job.get("after", [])) if other in held]
        if number in live_jobs and live_jobs[number].word == "held":
            held[number] = number
        elif number in live_jobs and waits:
            held[number] = waits[0]
    return held


def why_held(live_jobs, job, held):
    """Of a job's id and held_jobs, with what to do."""
    number = backends.number_of(job)
    live = live_jobs[held[number]]
    release = (f"release it by: {typed_line(live.release)}" if live.release else
               f"held by an administrator or by the scheduler itself: ask the administrators; {typed_line(live.why)} tells more")
    return f"job {job}; {release}" if held[number] == number else f"job {job} waits for job {held[number]}; {release}"


def state_of(folder, point, live_jobs, submitted, stuck):
    place, record = folder.place_of(point), submitted.get(point["name"], {})
    job = record.get("id", "")
    owner, is_claimed = look(place, live_jobs)
    if is_claimed:
        runs = live_jobs.get(backends.number_of(owner["id"])) if owner and owner["id"] else None
        if runs and runs.word == "suspended":
            return State("suspended", f"job {owner['id']}; goes on when the scheduler or an administrator resumes it; "
                                      f"{typed_line(runs.why)} tells more")
        return State("running", name_of(owner))
    if (place / "done").exists():
        return State("done", "")
    if (place / "error").exists():
        return State("error", reason_of(place / "error"))
    stale, held = stuck
    if record in stale:
        return State("cut off", f"job {job} is held for a job that was deleted before it began")
    live = live_jobs.get(backends.number_of(job)) if job else None
    if live and backends.number_of(job) in held:
        return State("held", why_held(live_jobs, job, held))
    if live:
        return State("pending", f"job {job}" + (f", which is {live.word}" if live.word in ("ending", "suspended") else ""))
    if owner:
        ours = job and backends.number_of(owner["id"]) == backends.number_of(job)
        return State("cut off", f"by the end of {name_of(owner)}"
                     + (log_of(folder, record) if ours else ""))
    stop = obstacle(point, folder.site)
    if stop:
        return State("skipped", stop)
    if not job:
        return State("not submitted", "")
    return State("cut off", f"job {job} ended before it{log_of(folder, record)}")


def states_of(folder):
    """{point's name: State}, and the numbers of the jobs that live."""
    live_jobs = live_jobs_of(folder)
    submitted = {name: job for job in folder.jobs() for name in job["points"]}
    stuck = stale_jobs(folder, live_jobs), held_jobs(folder, live_jobs)
    return {point["name"]: state_of(folder, point, live_jobs, submitted, stuck)
            for point in folder.points}, live_jobs


def counts(states):
    """'3 done, 1 running'."""
    words = [state.word for state in states.values()]
    return ", ".join(f"{words.count(word)} {word}" for word in ORDER if word in words)


def table(states):
    """Lines of a table; errors with their last line."""
    width = max(len(name) for name in states)
    for name, state in states.items():
        yield f"{name:{width}}  {state.word:13}  {state.why}".rstrip()
