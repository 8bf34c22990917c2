# SPDX-License-Identifier: BSD-3-Clause
"""The problem sets of official results, and the command lines of their runs.

A set is six matrices and one solver, of a fixed size per node: along the axes of grids nodes are laid
out as a box near to a cube (studies/sizes.py), rows of web grow with the nodes, and rmat doubles
with them, rounded down. So everything follows from set, division and number of nodes, and whoever
checks a result needs no executable. VERSION changes whenever a command line does.
"""
from typing import NamedTuple

from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.sizes import box_of

VERSION = 1
DIVISIONS = ("standard", "tuned")
SOLVE = "solve"             # name of the solver's point
METHOD, PRECONDITIONER = "cg", "jacobi"
MOST_NODES = 10**6
# What --division tuned may add to a command line, and how many words each takes.
TUNABLE = {"--format": 2, "--boundary-format": 2, "--value-codes": 2, "--graph": 2, "--partition": 2,
           "--hierarchical": 1, "--reorder": 2, "--halo": 2, "--schedule": 2}
ONLY_PRODUCTS = ("--schedule",)  # the solver keeps its own


class Set(NamedTuple):
    title: str
    sizes: dict             # {problem: size on one node}
    seconds: float          # of the timed products of a run, at least
    runs: int               # of every matrix
    iterations: int         # of CG
    minutes: int            # for all runs of a matrix; longer is an error
    nodes: tuple            # fewest and most
    gpu_gigabytes: int      # that the GPUs of a node must have together, where it has any
    host_gigabytes: int     # that a node needs while it reads: less than twice that of its GPUs
    residual: float         # |b - A x| over |b| after all iterations of CG, at most; see RULES.md
    rehearsal: bool = False


FULL = {"stencil27": 320, "stencil7": 512, "elasticity": 160, "road": 10000, "rmat": 25,
        "web": 40000000}
SETS = {
    "tiny": Set("a rehearsal on a laptop",
                {"stencil27": 40, "stencil7": 64, "elasticity": 20, "road": 600, "rmat": 15,
                 "web": 100000}, 3, 1, 200, 5, (1, 1), 1, 2, 1e-6, rehearsal=True),
    "node": Set("one node", FULL, 12, 5, 5000, 20, (1, 1), 40, 50, 1e-6),
    "rack": Set("2 to 32 nodes, sizes of node on each", FULL, 12, 5, 5000, 20, (2, 32), 40, 50, 1e-6),
    "system": Set("all nodes of a machine, sizes of node on each", FULL, 12, 5, 5000, 40,
                  (2, MOST_NODES), 40, 50, 1e-2),
}


def matrix_of(problem, size, nodes):
    """As --matrix takes it."""
    if problem == "rmat":
        return f"rmat:scale={size + nodes.bit_length() - 1}"
    if problem == "web":
        return f"web:rows={size * nodes}"
    axes = ("nx", "ny") if problem == "road" else ("nx", "ny", "nz")
    grid = ",".join(f"{axis}={size * factor}"
                    for axis, factor in zip(axes, box_of(nodes, len(axes))))
    return f"{problem}:{grid}" + (",coef=random" if problem.startswith("stencil") else "")


def name_of(official):
    kind = "rehearsal" if official["rehearsal"] else "official"
    return f"{kind}-{official['set']}-{official['division']}"


def official_of(name, division, nodes, seconds=None, options=()):
    """What is to be run, as plan.json keeps it. Another number of seconds makes it a rehearsal."""
    chosen = SETS[name]
    fewest, most = chosen.nodes
    if not fewest <= nodes <= most:
        wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        remedy = ("--set node takes one" if nodes == 1 else
                  "--set rack and --set system take more" if most == 1 else "--set system takes more")
        raise WrongInput(f"--nodes {nodes}: the set {name} takes {wanted}; {remedy}")
    if options and division != "tuned":
        raise WrongInput(f"{' '.join(options)}: the division standard takes no options of rowhalo; "
                         "use --division tuned, or leave them out")
    check_tuned(options)
    shortened = seconds is not None and seconds != chosen.seconds
    iterations = chosen.iterations
    if shortened:
        iterations = max(10, min(iterations, round(iterations * seconds / chosen.seconds)))
    return {"version": VERSION, "set": name, "division": division, "nodes": nodes,
            "seconds": seconds if shortened else chosen.seconds,
            "runs": 1 if shortened else chosen.runs, "iterations": iterations,
            "rehearsal": shortened or chosen.rehearsal, "options": list(options)}


def each_option(options):
    """(name, its words, how many they must be) of the options of a tuned result."""
    at = 0
    while at < len(options):
        name, equals, _ = options[at].partition("=")
        count = 1 if equals else TUNABLE.get(name, 1)
        yield name, options[at:at + count], count
        at += count


def check_tuned(options):
    for name, words, count in each_option(options):
        if name not in TUNABLE:
            raise WrongInput(f"{words[0]}: may not be changed; --division tuned takes "
                             + ", ".join(TUNABLE))
        if len(words) < count:
            raise WrongInput(f"{name}: its value is missing")


def for_solver(options):
    """Of the options of a tuned result those that `rowhalo solve` takes."""
    return [word for name, words, _ in each_option(options) if name not in ONLY_PRODUCTS for word in words]


class Wanted(NamedTuple):
    """A point of an official result."""
    name: str
    command: str
    matrix: str
    arguments: list


def wanted_points(official):
    """All points, the solver last."""
    sizes, nodes = SETS[official["set"]].sizes, official["nodes"]
    codes = ["--value-codes", "off"] if official["division"] == "standard" else []
    for problem, size in sizes.items():
        yield Wanted(problem, "run", matrix_of(problem, size, nodes),
                     ["--validate", "reference", "--min-seconds", f"{official['seconds']:g}", *codes,
                      *official["options"]])
    yield Wanted(SOLVE, "solve", matrix_of("stencil27", sizes["stencil27"], nodes),
                 ["--method", METHOD, "--preconditioner", PRECONDITIONER, "--no-petsc", "--iterations",
                  str(official["iterations"]), *codes, *for_solver(official["options"])])
