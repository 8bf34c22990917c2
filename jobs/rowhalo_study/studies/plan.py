# SPDX-License-Identifier: BSD-3-Clause
"""The files of a study's folder that its programs read again, as shapes (shape.py)."""
from rowhalo_study.studies.shape import COUNT, NUMBER, TEXT, TRUTH, WHOLE

NAME = TEXT.matching(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # also that of a folder
ASKED = {"name!": NAME, "study!": TEXT, "kind!": TEXT, "command!": TEXT, "matrix!": TEXT, "arguments!": [TEXT],
         **dict.fromkeys(("ranks!", "nodes!", "ranks_per_node!", "repeats!"), COUNT),
         **dict.fromkeys(("format!", "halo!", "partition!", "precision!", "schedule!"), TEXT),
         "threads!": COUNT.or_text(""), "swept": TEXT}
DESCRIBED = {  # of point.json, which belongs to results of any kind
    **dict.fromkeys(("name", "study", "kind", "matrix", "format", "halo", "partition", "precision", "schedule"),
                    TEXT), "swept": TEXT, "ranks": COUNT, "threads": COUNT.or_text("")}
POINT = {**ASKED, "device!": TEXT.one_of("cpu", "gpu"), "cores_per_rank!": COUNT, "size_over_wanted!": NUMBER,
         **dict.fromkeys(("rows!", "nonzeros!", "csr_bytes!", "memory_bytes!", "host_bytes!"), WHOLE)}
# What rowhalo-study official keeps beside them (official/planning.py).
OFFICIAL = {"version!": WHOLE, "set!": TEXT, "division!": TEXT, "nodes!": COUNT, "seconds!": NUMBER,
            "runs!": COUNT, "iterations!": COUNT, "rehearsal!": TRUTH, "options!": [TEXT],
            "executable_sha256!": TEXT, "scheduler!": TEXT.one_of("slurm", "pbs", "none"),
            "gpus_per_node!": WHOLE, "cores_per_node": COUNT, "exclusive!": TRUTH}
PLAN = {"study!": NAME, **dict.fromkeys(("kind!", "title!", "command!", "site!"), TEXT), "minutes!": WHOLE,
        "points!": [POINT], "official": OFFICIAL}
SHOWN = {  # what a page of results says of a plan
    "study!": NAME, "title": TEXT, "official": OFFICIAL,
    "points!": [{"name!": NAME, "device!": TEXT, "ranks_per_node!": COUNT}]}
JOB = {"name!": NAME, "id!": TEXT, "points!": [TEXT], "time!": NUMBER, "after": [TEXT], "log": TEXT,
       "title": TEXT, "user": TEXT, "held": TRUTH}
OWNER = {"scheduler": TEXT, "id!": TEXT, "host!": TEXT, "pid!": COUNT}  # who runs a point (claims.py)
BEFORE = [{"time!": TEXT, "host": TEXT, "cores": COUNT, "busy_cores": NUMBER, "gpu_processes!": WHOLE}]
