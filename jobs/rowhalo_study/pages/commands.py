# SPDX-License-Identifier: BSD-3-Clause
"""The commands that make a result again: from the plan of a study or of an official result where its
folder is there, and of every line of the table. Paths of this machine and accounts stay out."""
import re
import shlex
from typing import NamedTuple

from rowhalo_study.calling import TOOL
from rowhalo_study.names import shown, typed_line
from rowhalo_study.results.data import grouped
from rowhalo_study.results.rows import unique


class Recipe(NamedTuple):
    steps: list          # lines of shell
    files: list          # (name, text) that the steps need
    runs: list           # (ranks, nodes, threads, commit, command line)


def without_accounts(text):
    """A site file that others fill in for themselves."""
    return re.sub(r"(?m)^(\s*(?:account|reservation|qos)\s*=).*$", r"\1", text)


def checkout(rows):
    commits = unique(row["git"] for row in rows if row["git"])
    version = next((row["version"] for row in rows if row["version"]), "")
    if len(commits) == 1 and re.fullmatch(r"[0-9a-f]{7,40}(-dirty)?", commits[0]):
        commit = commits[0].split("-")[0]
        yield (f"git checkout {commit}    # rowhalo {shown(version)}"
               + (", with changes that were not committed" if "dirty" in commits[0] else ""))
    elif commits:
        yield f"# rowhalo {shown(version)}; the runs below name their commits"
    yield "./quickstart"


def official_words(official):
    words = [TOOL, "official", "--set", official["set"], "--division", official["division"]]
    words += ["--nodes", str(official["nodes"])] if official["nodes"] > 1 else []
    words += ["--seconds", f"{official['seconds']:g}"] if official["rehearsal"] else []
    words += ["--site", "site.ini"]
    words += ["--", *official["options"]] if official.get("options") else []
    return typed_line(words)


def run_lines(rows):
    """One per command line and number of ranks."""
    names = ("ranks", "nodes", "threads", "git", "command_line")
    return [key for key in grouped(rows, *names) if key[-1]]


def launched(ranks, threads, command):
    words = f"mpirun -n {ranks} " + (command if command.isprintable() else typed_line(shlex.split(command)))
    return f"OMP_NUM_THREADS={threads} {words}" if threads else words


def recipe_of(rows, folder, plan, inputs, options):
    """`folder` and `plan` of a study, or None; `inputs`: names for the last step, `options`: its words."""
    steps, files = list(checkout(rows)), []
    if plan:
        for name in ("study.ini", "site.ini"):
            path = folder / name
            if path.is_file():
                files.append((name, without_accounts(path.read_text(encoding="utf-8", errors="replace"))))
        verb = "run" if "scheduler = none" in dict(files).get("site.ini", "") else "submit"
        if plan.get("official"):
            steps.append(official_words(plan["official"]))
        elif files:
            steps.append(typed_line([TOOL, verb, "study.ini", "--site", "site.ini",
                                     "--output", folder.name]))
    steps.append(typed_line([TOOL, "report", *inputs, *options]))
    runs = run_lines(rows)
    return Recipe(steps, files, [(*key[:4], launched(key[0], key[2], key[4])) for key in runs])
