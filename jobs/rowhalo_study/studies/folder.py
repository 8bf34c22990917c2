# SPDX-License-Identifier: BSD-3-Clause
"""The output folder of a study: study.ini, site.ini, plan.json, points/NAME/, jobs/NAME.json.

Everything that a later call needs is read from here, so that a study can be looked at, resumed and
collected from any place where the folder is seen. Files appear complete or not at all.
"""
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from rowhalo_study.calling import hint, typed
from rowhalo_study.names import quoted, say
from rowhalo_study.results.rows import word_after
from rowhalo_study.schedulers.site import load_site, read_site
from rowhalo_study.studies.ini import WrongInput, differences
from rowhalo_study.studies.plan import JOB, PLAN
from rowhalo_study.studies.points import points_of
from rowhalo_study.studies.shape import kept, parse_json, summary
from rowhalo_study.studies.states import live_jobs_of
from rowhalo_study.studies.study import check_names, read_study
from rowhalo_study.whole_files import write_whole

STUDY = typed()
AGAIN = hint()


def read_json(path, shape):
    """What a file holds of the shape; None where it is not there or cut off."""
    try:
        value = parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None
    wrong = []
    found = kept(value, shape, wrong)
    if wrong:
        raise WrongInput(f"{path}: {summary(wrong)}; it was changed by hand: restore it, or remove it")
    return found


def read_plan(folder, shape=PLAN):
    """That of a study's folder, or None."""
    plan = read_json(folder / "plan.json", shape)
    if plan and not plan["points"]:
        raise WrongInput(f"{folder / 'plan.json'}: points is empty; plan the study again into another --output")
    return plan


def results_in(place):
    """[(repeat, path of its report)] of a point, in order."""
    found = [(re.fullmatch(r"result-([1-9]\d{0,8})", path.stem), path) for path in place.glob("result-*.json")]
    return sorted((int(number[1]), path) for number, path in found if number)


class Folder:
    def __init__(self, path, site, plan):
        self.path = Path(path).resolve()
        self.site = site
        self.plan = plan
        self.points = plan["points"]

    def place_of(self, point):
        return self.path / "points" / point["name"]

    def jobs(self):
        """What was submitted, oldest first."""
        jobs = [read_json(path, JOB) for path in (self.path / "jobs").glob("*.json")]
        return sorted((job for job in jobs if job), key=lambda job: job["time"])

    def write(self, study_text):
        (self.path / "jobs").mkdir(parents=True, exist_ok=True)
        write_whole(self.path / "study.ini", study_text)
        self.write_site()
        write_whole(self.path / "plan.json", json.dumps(self.plan, indent=1) + "\n")

    def write_site(self):
        write_whole(self.path / "site.ini", self.site.text)


def planned(study, site, program):
    """The plan of a study on a site."""
    check_names(study, program)
    return {"schema_version": 1, "study": study.name, "kind": study.kind, "title": study.title,
            "command": study.command, "minutes": study.minutes, "unit": study.unit,
            "per_rank": study.per_rank, "site": site.name, "points": points_of(study, site, program)}


def opened(path, site_name=None):
    """The folder of a study that was planned before."""
    plan = read_plan(path)
    if not plan:
        raise WrongInput(f"{path}: holds no plan.json: not the output folder of a study; give "
                         "STUDY.ini, or the --output of an earlier call")
    site = load_site(site_name) if site_name else read_site(path / "site.ini")
    return Folder(path, site, plan)


def take_site(folder, name, write=True):
    """Jobs, run.sh and later calls use one site, which lies in the folder: one that was named and differs replaces
    it. Without a name, says where $ROWHALO_SITE differs. Nothing to do for a folder that is not written yet."""
    own = folder.path / "site.ini"
    if not (folder.path / "plan.json").exists():
        return
    if name and not own.is_file():
        say(f"the study's site, {own}, is that of {folder.site.path}: there was none", flush=True)
        if write:
            folder.write_site()
        return
    before = read_site(own)
    named = name or os.environ.get("ROWHALO_SITE")
    try:
        site = folder.site if name else load_site(named) if named else before
    except WrongInput as error:
        say(f"{STUDY}: note: ROWHALO_SITE: {error}; {own} is used", file=sys.stderr)
        return
    changes = "; ".join(differences(before.text, site.text))
    if not changes:
        folder.site = before
    elif not name:
        say(f"{STUDY}: note: ROWHALO_SITE={named} is another site than that of the study, {own}: {changes}; to change "
            f"it: {AGAIN} resume {quoted(folder.path)} --site {quoted(named)}", file=sys.stderr)
    else:
        live = live_jobs_of(Folder(folder.path, before, folder.plan)) if before.scheduler != site.scheduler else {}
        if live:
            raise WrongInput(f"--site {name}: jobs of this study are under way with scheduler = {before.scheduler}: "
                             f"{', '.join(live)}; wait for them, or delete them")
        if write:
            folder.write_site()
            path = folder.path / "plan.json"
            write_whole(path, json.dumps({**json.loads(path.read_bytes()), "site": site.name}, indent=1) + "\n")
        say(f"the study's site, {own}, {'is now' if write else 'would be'} that of {site.path}: {changes}", flush=True)


def made(path, site_name, output, repeats, program):
    """The folder for a study file and the study's text; not written. One that an earlier call planned
    keeps its site where none is named, and has no text."""
    study = read_study(path)
    if repeats:
        study = replace(study, repeats=repeats)
    output = Path(output or f"study-{study.name}")
    before = output / "study.ini"
    if before.exists() and before.read_text(encoding="utf-8") != study.ini.text:
        raise WrongInput(f"{output}: holds another study, or an earlier text of this one; give "
                         f"another --output, or go on with that one: {AGAIN} resume {quoted(output)}")
    planned_before = read_plan(output)
    if repeats and planned_before and any(point["repeats"] != repeats
                                          for point in planned_before["points"]):
        raise WrongInput(f"--repeats {repeats}: {output} was planned with another number of repeats; "
                         "give another --output")
    if planned_before and not site_name:
        return opened(output), None
    site = load_site(site_name)
    own = study.arguments
    if site.machine and study.command == "run" and not word_after("--machine", own):
        study = replace(study, arguments=[*own, "--machine", str(site.machine)])
    plan = planned(study, site, program)
    if study.command in ("run", "solve"):
        said = program.refusal(study.command, plan["points"][0]["matrix"], study.device, own)
        if said:
            raise study.ini.wrong("run", "arguments", said)
    return Folder(output, site, plan), study.ini.text
