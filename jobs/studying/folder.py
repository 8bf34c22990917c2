# SPDX-License-Identifier: BSD-3-Clause
"""The output folder of a study: study.ini, site.ini, plan.json, points/NAME/, jobs/NAME.json.

Everything that a later call needs is read from here, so that a study can be looked at, resumed and
collected from any place where the folder is seen. Files appear complete or not at all.
"""
import json
import os
from dataclasses import replace
from pathlib import Path

from calling import typed
from studying.ini import WrongInput
from studying.points import points_of
from studying.rows import word_after
from studying.site import load_site, read_site
from studying.study import check_names, read_study
from whole_files import write_whole

STUDY = typed("study.py")

def read_json(path):
    """What a file holds; None where it is not there or cut off."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


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
        jobs = [read_json(path) for path in (self.path / "jobs").glob("*.json")]
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
    plan = read_json(path / "plan.json")
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
                         f"another --output, or go on with that one: {STUDY} resume {output}")
    planned_before = read_json(output / "plan.json")
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
