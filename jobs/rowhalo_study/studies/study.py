# SPDX-License-Identifier: BSD-3-Clause
"""Study files: which matrices, on how many ranks, in which formats, over which transports.

`read_study` checks everything that can be checked without a machine; a mistake is one error with
its line. What a study means on a site, point by point, is said by points.py.
"""
import difflib
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from rowhalo_study.schedulers.site import minutes_of
from rowhalo_study.studies.ini import IniFile
from rowhalo_study.studies.program import VALUE_BYTES

KEYS = {
    "study": ("name", "kind", "title"),
    "matrix": ("source", "rows_per_rank", "bytes_per_rank", "template"),
    "points": ("ranks", "nodes", "ranks_per_node"),
    "sweep": None,
    "run": ("command", "device", "arguments", "repeats", "time"),
}
SWEPT = ("formats", "partitions", "halos", "precisions", "schedules", "threads", "vectors")    # other keys of [sweep] are options
GONE = {("run", "baseline"): "there is no such key any more: efficiency refers to the fewest ranks of the "
        "study; take the line out"}
SMALL = "stencil7:4"    # a matrix that any option can be tried on
SCHEDULES = ("overlap", "blocking", "split", "petsc-like", "hpcg-like")
SOLVE_SCHEDULES = ("overlap", "blocking")
# What a template may hold, each for the size that is wanted (see sizes.py).
TEMPLATE_NAMES = ("n", "side", "nx", "ny", "nz", "rows", "scale")
SUFFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
COMMANDS = ("run", "kernels", "solve")
MEANINGLESS = {"kernels": ("partitions", "halos", "schedules", "vectors"), "solve": ("precisions", "vectors")}
# Set by the study or by run.sh, so that [run] arguments must not.
RESERVED = ("--matrix", "--ranks", "--json", "--csv", "--hdf5", "--no-progress", "--threads",
            "--format", "--halo", "--partition", "--precision", "--schedule", "--device", "--vectors")


@dataclass(frozen=True)
class Study:
    ini: IniFile
    name: str
    kind: str               # strong | weak | list
    title: str
    sources: list           # matrices of fixed size
    templates: list         # matrices that grow with the ranks
    per_rank: int           # rows or bytes per rank of those; 0 without templates
    unit: str               # rows | bytes
    ranks: list             # ascending; empty: from nodes
    nodes: list
    ranks_per_node: int     # 0: as many as a node has GPUs or cores
    sweep: dict             # key of [sweep]: values
    command: str
    device: str
    arguments: list
    repeats: int
    minutes: int            # a point; 0: the job takes the site's time


def split_list(text):
    """A comma list whose entries may have options: `sell:c=32,sigma=64,csr` are two."""
    entries = []
    for word in (word.strip() for word in text.split(",")):
        if entries and "=" in word and ":" not in word:
            entries[-1] += "," + word
        elif word:
            entries.append(word)
    return entries


def count_of(ini, key):
    """A number with k, M, G or T."""
    text = ini.line("matrix", key)
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMGT]?)", text)
    if not parts or float(parts[1]) <= 0:
        raise ini.wrong("matrix", key, f"{text!r}: a number is expected, e.g. 8000000 or 8M")
    return round(float(parts[1]) * SUFFIXES[parts[2]])


def read_matrices(ini, kind):
    """Sources, templates, amount per rank and its unit."""
    sources, templates = ini.listed("matrix", "source"), ini.listed("matrix", "template")
    units = [unit for unit in ("rows", "bytes") if ini.has("matrix", f"{unit}_per_rank")]
    if kind != "weak":
        if templates or units:
            key = "template" if templates else f"{units[0]}_per_rank"
            raise ini.wrong("matrix", key, "only a study of kind = weak grows its matrices")
        if not sources:
            raise ini.wrong("matrix", "source", "is missing; e.g. source = stencil27:200")
        return [resolved(ini, source) for source in sources], [], 0, ""
    if sources:
        raise ini.wrong("matrix", "source", "a weak study takes template = ..., which grows with "
                        "the ranks, e.g. stencil27:{n}")
    if len(units) != 1:
        raise ini.wrong("matrix", "bytes_per_rank" if units else "", "a weak study needs one of "
                        "rows_per_rank and bytes_per_rank")
    if not templates:
        raise ini.wrong("matrix", "template", "is missing; e.g. template = stencil27:{n}")
    for template in templates:
        names = re.findall(r"\{([^{}]*)\}", template)
        for name in names:
            if name not in TEMPLATE_NAMES:
                raise ini.wrong("matrix", "template", f"{{{name}}}: use "
                                + ", ".join(f"{{{one}}}" for one in TEMPLATE_NAMES))
        if not names:
            raise ini.wrong("matrix", "template", f"{template}: holds no {{n}}, so that it does "
                            "not grow with the ranks")
    return [], templates, count_of(ini, f"{units[0]}_per_rank"), units[0]


def resolved(ini, source):
    """A file is named from the folder of the study, or from here; jobs run elsewhere."""
    ends = [len(source), *(found.start() for found in reversed(list(re.finditer(":", source))))]
    for end in ends:  # what follows a colon may be a part of the file
        for folder in (ini.path.resolve().parent, Path.cwd()):
            if source[:end] and (folder / source[:end]).is_file():
                return str(folder / source[:end]) + source[end:]
    name = re.match(r"[^:]*(?:/[^:]*|\.(?:mtx(?:\.gz)?|h5|petsc))(?=:|$)", source, re.IGNORECASE)
    if not name:
        return source
    raise ini.wrong("matrix", "source", f"{name[0]}: there is no such file in "
                    f"{ini.path.resolve().parent} or {Path.cwd()}")


def read_points(ini, command):
    ranks, nodes = ini.integers("points", "ranks"), ini.integers("points", "nodes")
    per_node = ini.integer("points", "ranks_per_node", 0, least=0)
    if ranks and nodes and len(ranks) != len(nodes):
        raise ini.wrong("points", "nodes", f"{len(nodes)} numbers of nodes for {len(ranks)} of "
                        "ranks; give one each, or only one of the two")
    for count, on in zip(ranks, nodes):
        if count % on:
            raise ini.wrong("points", "nodes", f"{count} ranks are not spread evenly over {on}")
    if ranks and nodes and per_node:
        raise ini.wrong("points", "ranks_per_node", "follows from ranks and nodes; take it out")
    if command == "kernels" and (nodes or (ranks or [1]) != [1]):
        raise ini.wrong("points", "ranks" if ranks else "nodes", "command = kernels is one rank")
    if not ranks and not nodes:
        ranks = [1]
    if len(set(ranks)) < len(ranks) or (not ranks and len(set(nodes)) < len(nodes)):
        raise ini.wrong("points", "ranks" if ranks else "nodes", "a number stands twice")
    return ranks, nodes, per_node


def read_sweep(ini, command):
    sweep = {key: split_list(ini.line("sweep", key)) for key in SWEPT}
    sweep.update((key, split_list(ini.line("sweep", key))) for key in ini.section("sweep") if key not in SWEPT)
    for key, allowed in (("precisions", tuple(VALUE_BYTES)),
                         ("schedules", SOLVE_SCHEDULES if command == "solve" else SCHEDULES)):
        for value in sweep[key]:
            if value not in allowed:
                raise ini.wrong("sweep", key, f"{value}: use {', '.join(allowed)}")
    ini.integers("sweep", "threads")
    ini.integers("sweep", "vectors")
    for key in MEANINGLESS.get(command, ()):
        if sweep[key]:
            raise ini.wrong("sweep", key, f"means nothing to command = {command}")
    for key in ("formats", "halos"):
        if command == "solve" and "all" in sweep[key]:
            raise ini.wrong("sweep", key, "all: a solver runs on one operator; use auto or names")
    for key, values in sweep.items():
        if key not in SWEPT and (not re.fullmatch(r"[a-z][a-z0-9-]+", key) or f"--{key}" in RESERVED or not values):
            near = difflib.get_close_matches(key, SWEPT, 1)
            raise ini.wrong("sweep", key, "unknown key; " + (f"did you mean {near[0]}? " if near else "")
                            + f"use {', '.join(SWEPT)}, or an option of rowhalo without its dashes, e.g. reorder = none,rcm")
        if len(set(values)) < len(values):
            raise ini.wrong("sweep", key, "a value stands twice")
    return sweep


def read_arguments(ini):
    try:
        arguments = shlex.split(ini.line("run", "arguments"))
    except ValueError as error:
        raise ini.wrong("run", "arguments", str(error)) from error
    for word in arguments:
        if word.split("=")[0] in RESERVED:
            raise ini.wrong("run", "arguments", f"{word}: is set by the study; see [matrix], "
                            "[points], [sweep] and device")
    return arguments


def read_study(path):
    ini = IniFile(path, KEYS, GONE)
    name = ini.line("study", "name", path.stem)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise ini.wrong("study", "name", f"{name!r}: letters, digits, '.', '_' and '-' only")
    kind = ini.choice("study", "kind", ("strong", "weak", "list"), "")
    command = ini.choice("run", "command", COMMANDS, "run")
    time = ini.line("run", "time", "0")
    if minutes_of(time) is None:
        raise ini.wrong("run", "time", f"{time!r}: minutes or H:M:S are expected")
    sources, templates, per_rank, unit = read_matrices(ini, kind)
    ranks, nodes, ranks_per_node = read_points(ini, command)
    return Study(
        ini=ini, name=name, kind=kind, title=ini.line("study", "title", name), sources=sources,
        templates=templates, per_rank=per_rank, unit=unit, ranks=ranks, nodes=nodes,
        ranks_per_node=ranks_per_node, sweep=read_sweep(ini, command), command=command,
        device=ini.choice("run", "device", ("auto", "cpu", "gpu"), "auto"),
        arguments=read_arguments(ini), repeats=ini.integer("run", "repeats", 5),
        minutes=minutes_of(time))


def check_names(study, program):
    """Formats, transports and partitioners are ones that the program knows."""
    for key, table, others in (("formats", "formats", ("all", "auto")),
                               ("halos", "transports", ("all", "auto")),
                               ("partitions", "partitioners", ("auto",))):
        for value in study.sweep[key]:
            base = value.split(":")[0]
            if base not in others and base not in program.names(table):
                raise study.ini.wrong("sweep", key, f"{base}: use "
                                      + ", ".join([*others, *program.names(table)]))
    for key in (key for key in study.sweep if key not in SWEPT):
        for value in study.sweep[key]:
            said = program.refusal(study.command, SMALL, "cpu", [f"--{key}", value])
            if said:
                raise study.ini.wrong("sweep", key, f"{value}: {said}")
