# SPDX-License-Identifier: BSD-3-Clause
"""An official result as a study: its folder is one of rowhalo-study's, so that runs, jobs, claims and
resuming are those of studies/.

plan.json has one key more, `official`: what is asked for, the hash of the executable, and what the
site file says of a node. before.json: what the machine did before our runs, where there is no
scheduler to keep others away.
"""
import json
import os
import socket
import time
from pathlib import Path

from rowhalo_study.official.sets import SETS, name_of, wanted_points
from rowhalo_study.schedulers.site import load_site, output_of
from rowhalo_study.studies.folder import Folder, opened, planned, read_json, take_site
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.plan import BEFORE
from rowhalo_study.studies.points import points_of
from rowhalo_study.studies.study import SWEPT, Study
from rowhalo_study.whole_files import sha256_of, write_whole

WATCHED_SECONDS = 1.0


class NoFile:
    """In place of a study's INI file: the words of an error without file and line."""

    def wrong(self, _section, _key, message):
        return WrongInput(message)


def study_of(official, wanted):
    """One point as a study."""
    chosen = SETS[official["set"]]
    return Study(
        ini=NoFile(), name=name_of(official), kind="list",
        title=f"Set {official['set']}: {chosen.title}; division {official['division']}",
        sources=[wanted.matrix], templates=[], per_rank=0, unit="", ranks=[],
        nodes=[official["nodes"]], ranks_per_node=0, sweep={key: [] for key in SWEPT},
        command=wanted.command, device="auto", arguments=wanted.arguments,
        repeats=official["runs"], minutes=chosen.minutes)


def plan_of(official, site, program):
    points = list(wanted_points(official))
    plan = planned(study_of(official, points[0]), site, program)
    plan["points"] = [{**point, "name": wanted.name} for wanted in points
                      for point in points_of(study_of(official, wanted), site, program)]
    plan["official"] = {
        **official, "executable_sha256": sha256_of(program.path), "scheduler": site.scheduler,
        "gpus_per_node": site.gpus, "cores_per_node": site.cores, "exclusive": site.exclusive}
    return plan


def text_of(official):
    """In place of the text of a study file."""
    return (f"# Made by rowhalo-study official, which goes on with this folder: set {official['set']} (version "
            f"{official['version']}), division {official['division']}.\n")


def folder_for(path, site_name, official, program, write=True):
    """The folder, as it was planned before or new; refuses one that holds something else."""
    path = Path(path)
    if not (path / "plan.json").exists():
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise WrongInput(f"--output {path}: holds something else; give another one")
        site = load_site(site_name)
        if official["nodes"] > 1 and site.scheduler == "none":
            raise WrongInput(f"--nodes {official['nodes']}: site {site.name} has no scheduler, so it "
                             "is one node; use --set node, or --site with your cluster")
        folder = Folder(path, site, plan_of(official, site, program))
        if write:
            folder.write(text_of(official))
        return folder
    folder = opened(path, site_name)
    take_site(folder, site_name, write)
    before = folder.plan.get("official") or {}
    for key, value in official.items():
        if before.get(key) != value:
            raise WrongInput(f"--output {path}: was begun with {key} = {before.get(key)}, not {value}; "
                             "give another --output, or the same options as before")
    if before["executable_sha256"] != sha256_of(program.path):
        raise WrongInput(f"--output {path}: was begun with another {program.path}: its sha256 is no "
                         f"longer {before['executable_sha256'][:12]}...; give another --output")
    return folder


def processor_ticks():
    """Busy and all ticks of all processors since the start; None where the system does not tell."""
    try:
        words = Path("/proc/stat").read_text(encoding="ascii").split("\n", maxsplit=1)[0].split()[1:]
    except OSError:
        return None
    ticks = [int(word) for word in words[:8]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)  # idle, waiting for a disk


def busy_cores():
    """How many processors others keep busy now."""
    start = processor_ticks()
    if start is None:
        return None
    time.sleep(WATCHED_SECONDS)
    end = processor_ticks()
    share = (end[0] - start[0]) / max(1, end[1] - start[1])
    return round(share * (os.cpu_count() or 1), 2)


def note_what_runs(folder):
    """Adds to before.json who else computes here."""
    path = folder.path / "before.json"
    listed = output_of(["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"]).split()
    entry = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "host": socket.gethostname(),
             "cores": os.cpu_count(), "busy_cores": busy_cores(), "gpu_processes": len(listed)}
    write_whole(path, json.dumps([*(read_json(path, BEFORE) or []), entry], indent=1) + "\n")
