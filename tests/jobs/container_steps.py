#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Carries out the steps of jobs/recipes/container/Dockerfile or rowhalo.def without Docker or Apptainer, to try them:
every stage starts as a fresh root of Debian 12 made by debootstrap, and its commands run there by chroot.

  sudo tests/jobs/container_steps.py dockerfile|apptainer FOLDER [-j PROCESSES]

FOLDER gets one root per stage; the image is the last. Needs root, debootstrap and Debian's packages, half an hour on
two cores, 5 GB. Options of a build (ARG, %arguments) have their default values. Ends with a product on 2 ranks in
the image. Not part of ctest.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
RECIPES = SOURCE / "jobs/recipes/container"
TRIAL = "mpirun -n 2 rowhalo run --matrix stencil27:24 --min-seconds 0"


class Stage:
    """`copies`: (stage or None for the checkout, from, to); `steps`: copies and commands in their order."""

    def __init__(self, name):
        self.name, self.steps, self.environment = name, [], {}


def dockerfile_stages(text):
    """The stages of a Dockerfile that uses FROM, COPY, RUN, ENV, ARG and CMD, in their shell form."""
    text = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    arguments, stages = {}, []
    for line in filter(None, text.split("\n")):
        word, rest = line.split(maxsplit=1)
        rest = re.sub(r"\$\{(\w+)\}", lambda match: arguments.get(match[1], match[0]), rest)
        if word == "ARG":
            name, value = rest.split("=")
            arguments[name] = value.strip('"')
        elif word == "FROM":
            stages.append(Stage(rest.split()[-1] if " AS " in rest else "final"))
        elif word == "COPY":
            origin, *paths = rest.split() if rest.startswith("--from=") else [None, *rest.split()]
            stages[-1].steps.append((origin and origin.split("=")[1], *paths))
        elif word == "RUN":
            stages[-1].steps.append(rest)
        elif word == "ENV":
            stages[-1].environment.update(pair.split("=", 1) for pair in rest.split())
        elif word != "CMD":
            sys.exit(f"{word}: container_steps.py does not know this instruction")
    return stages


def apptainer_stages(text):
    """The stages of a definition that uses %arguments, %files, %post and %environment."""
    stages = []
    for part in re.split(r"^Bootstrap:.*\n", text, flags=re.MULTILINE)[1:]:
        stage = Stage(re.search(r"^Stage: (\w+)", part, re.MULTILINE)[1])
        sections = re.findall(r"^%(\w+)(?: from (\w+))?\n((?: .*\n|\n)*)", part, re.MULTILINE)
        values = dict(re.findall(r"^ +(\w+)=(.*)", "".join(body for name, _, body in sections if name == "arguments"),
                                 re.MULTILINE))
        for name, origin, body in sections:
            lines = [line.strip() for line in body.split("\n") if line.strip()]
            if name == "files":
                stage.steps += [(origin or None, *line.split()) for line in lines]
            elif name == "post":
                stage.steps += [re.sub(r"\{\{ (\w+) \}\}", "{\\1}", line).format(**values) for line in lines]
            elif name == "environment":
                stage.environment.update(line.replace("export ", "").split("=", 1) for line in lines)
        stages.append(stage)
    return stages


def run_in(root, command, environment):
    """One command in a root, with /proc and /dev, in a mount namespace of its own."""
    print(f"[{root.name}] {command}", flush=True)
    exports = "".join(f'export {name}="{value}"; ' for name, value in environment.items())
    script = (f'mount --bind /proc "{root}/proc" && mount --rbind /dev "{root}/dev" && '
              f'exec chroot "{root}" /bin/bash -c "$0"')
    subprocess.run(["unshare", "--mount", "bash", "-c", script, exports + command], check=True,
                   stdin=subprocess.DEVNULL,
                   env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
                        "CMAKE_BUILD_PARALLEL_LEVEL": os.environ["CMAKE_BUILD_PARALLEL_LEVEL"]})


def copy(origin, target):
    """As COPY and %files do; what git ignores in the checkout stays behind."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if origin == SOURCE:
        subprocess.run(["git", "clone", "-q", str(SOURCE), str(target)], check=True)
    elif origin.is_dir():
        shutil.copytree(origin, target, symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copy2(origin, target)


def fresh_root(folder):
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(folder)], check=True,
                   stdout=subprocess.DEVNULL)
    for name in ("resolv.conf", "hosts"):
        shutil.copy(f"/etc/{name}", folder / "etc" / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("recipe", choices=["dockerfile", "apptainer"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-j", type=int, default=os.cpu_count(), help="processes of the build")
    options = parser.parse_args()
    os.environ["CMAKE_BUILD_PARALLEL_LEVEL"] = str(options.j)
    name, read = {"dockerfile": ("Dockerfile", dockerfile_stages),
                  "apptainer": ("rowhalo.def", apptainer_stages)}[options.recipe]
    stages = read((RECIPES / name).read_text(encoding="utf-8"))
    folder = options.folder.resolve()
    folder.mkdir(parents=True)
    for stage in stages:
        root = folder / stage.name
        fresh_root(root)
        for step in stage.steps:
            if isinstance(step, str):
                run_in(root, step, stage.environment)
            else:
                origin, source, target = step
                copy((folder / origin if origin else SOURCE) / source.lstrip("/"), root / target.lstrip("/"))
    image = folder / stages[-1].name
    trusted = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    run_in(image, TRIAL, {**trusted, **stages[-1].environment})
    size = subprocess.run(["du", "-sh", str(image)], check=True, capture_output=True, text=True).stdout.split()[0]
    print(f"{image}: {size}")


if __name__ == "__main__":
    main()
