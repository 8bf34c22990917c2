# SPDX-License-Identifier: BSD-3-Clause
"""The output folder of a study: study.ini, site.ini, plan.json, points/NAME/, jobs/NAME.json.

Everything that a later call needs is read from here, so that a study can be looked at, resumed and
collected from any place where the folder is seen. Files appear complete or not at all.
"""
import json
import os
import re
from dataclasses import replace
from pathlib import Path

from calling import typed
from names import quoted
from studying.ini import WrongInput
from studying.plan import JOB, PLAN
from studying.points import points_of
from studying.rows import word_after
from studying.shape import kept, parse_json, summary
from studying.site import load_site, read_site
from studying.study import check_names, read_study
from whole_files import write_whole

STUDY = typed("study.py")


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
        write_whole(self.path / "site.ini", self.site.text)
        write_whole(self.path / "plan.json", json.dumps(self.plan, indent=1) + "\n")


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
                         f"another --output, or go on with that one: {STUDY} resume {quoted(output)}")
    planned_before = read_plan(output)
    if repeats and planned_before and any(point["repeats"] != repeats
                                          for point in planned_before["points"]):
        raise WrongInput(f"--repeats {repeats}: {output} was planned with another number of repeats; "
                         "give another --output")
    if planned_before and not (site_name or repeats or os.environ.get("ROWHALO_SITE")):
        return opened(output), None
    site = load_site(site_name)
    if site.machine and study.command == "run" and not word_after("--machine", study.arguments):
        study = replace(study, arguments=[*study.arguments, "--machine", str(site.machine)])
    return Folder(output, site, planned(study, site, program)), study.ini.text
