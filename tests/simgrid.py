#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""256 and 1024 ranks without a machine: the program on simulated ranks of SimGrid's SMPI. Exit status 0:
every case holds, 1: one does not, 77: there is no SimGrid.

  simgrid.py [--build build-simgrid] [--rowhalo build/miniapp/rowhalo] [--ranks 256 1024] [--only TEXT]

Configures and builds rowhalo with smpicxx in a folder of its own, without optional libraries, then runs
each case there and compares with the ordinary program:
  y_hash     with that of 1 rank; of a solver: x_hash and the history of norms
  plan       messages and bytes of the report, in all and between nodes, with `rowhalo info --ranks N`
  sent       transport mpi: the sends in SMPI's trace with the pairs of `info --communication`, every pair
             equally often (SMPI 3.32 does not trace persistent requests)
The ranks are contexts of one thread, 8 on a simulated node, and share the global variables of one process.
Computation takes no simulated time and messages do not share the network: simulated seconds are those
of messages alone. Debian: apt-get install libsimgrid-dev. 1024 ranks need 5 GB of memory.
"""
import argparse
import collections
import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

RANKS_PER_NODE = 8
PATIENCE = 1200
OPTIONAL = ("CUDA", "NCCL", "PETSC", "HDF5", "METIS", "PTSCOTCH", "HWLOC")
# Few messages per collective: simulating a message takes about 0.1 ms.
COLLECTIVES = {"coll-selector": "mpich", "allgather": "GB", "gather": "ompi_binomial",
               "bcast": "binomial_tree", "reduce": "binomial", "allgatherv": "GB", "alltoall": "bruck",
               "allreduce": "redbcast", "barrier": "ompi_basic_linear"}
EXCHANGE_TAG = 17  # of exchange_into (partition/comm.cpp): messages of the set-up, not of the halo


@dataclasses.dataclass
class Case:
    ranks: int
    matrix: str
    partition: str
    transport: str
    command: str = "run"

    def __str__(self):
        return f"{self.command} {self.matrix} {self.partition} {self.transport}"


CASES = (
    Case(256, "stencil7:32", "box", "mpi"),
    Case(256, "stencil27:24", "box", "mpi-persistent"),
    Case(256, "stencil27:24", "rows", "mpi"),
    Case(256, "stencil7:32", "box", "node-aware"),
    Case(64, "stencil7:32", "nnz", "mpi"),  # SMPI 3.32: minutes for one MPI_Exscan of 256 ranks
    Case(256, "rmat:scale=10,edges=4,seed=1", "rows", "mpi"),
    Case(256, "random:rows=1024,columns=1024,row=4,seed=1", "rows", "mpi-persistent"),
    Case(64, "stencil7:24", "box", "mpi", "solve"),  # 256: more than 5 minutes
    Case(1024, "stencil7:32", "rows", "mpi"),
    Case(1024, "stencil7:32", "box", "mpi-persistent"),
)
MEASURE = {
    "run": ("--validate", "reference", *launch.SHORT),
    "solve": ("--method", "cg", "--reproducible", "--iterations", "10", "--no-petsc"),
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=launch.SOURCE / "build-simgrid",
                        help="folder of the build with smpicxx")
    parser.add_argument("--rowhalo", type=Path, default=launch.BINARY, help="the ordinary program")
    parser.add_argument("--ranks", type=int, nargs="+", help="only cases of so many ranks")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    return parser.parse_args()


def build(folder):
    """Gives the program. SMPI_HELPERS_H is the guard of a header whose macros rename exit and free."""
    environment = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    subprocess.run(["cmake", "-S", launch.SOURCE, "-B", folder, "-D", "CMAKE_CXX_COMPILER=smpicxx",
                    "-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_UNITY_BUILD=ON",
                    "-D", "CMAKE_CXX_FLAGS=-DSMPI_HELPERS_H", "-D", "BUILD_TESTING=OFF",
                    *(word for name in OPTIONAL for word in ("-D", f"ROWHALO_WITH_{name}=OFF"))],
                   env={**environment, "SMPI_PRETEND_CC": "1"}, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "rowhalo", "--parallel",
                    environment.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))],
                   env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "miniapp/rowhalo"


def write_platform(place, ranks):
    """Nodes on a network in which every message has the whole bandwidth; consecutive ranks share a node."""
    nodes = -(-ranks // RANKS_PER_NODE)
    (place / "platform.xml").write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-{nodes - 1}" speed="1Gf" bw="12.5GBps"
           lat="1us" sharing_policy="FATPIPE"/>
</platform>
""", encoding="utf-8")
    (place / "hosts").write_text("".join(f"node{rank // RANKS_PER_NODE}\n" for rank in range(ranks)),
                                 encoding="utf-8")


def rowhalo_arguments(case):
    return [case.command, "--matrix", case.matrix, "--device", "cpu", "--partition", case.partition,
            "--halo", case.transport, "--format", "csr", "--telemetry", "off", "--no-progress",
            *MEASURE[case.command]]


def checked(command, place):
    """stdout and stderr of a command that must end well."""
    done = subprocess.run(list(map(str, command)), cwd=place, env=launch.ENVIRONMENT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n"
                           f"{done.stdout[-3000:]}")
    return done.stdout


def report_of(path):
    return json.loads(path.read_text(encoding="utf-8"))


def simulate(program, case, place):
    """Report of the simulated run, and the simulated seconds."""
    write_platform(place, case.ranks)
    settings = {"simulate-computation": "no", "display-timing": "yes", **COLLECTIVES}
    # A rank without privatisation needs no copy of the program; rowhalo keeps no state in globals.
    output = checked(["smpirun", "-no-privatize", "-np", case.ranks, "-platform", "platform.xml",
                      "-hostfile", "hosts", "-trace-ti", "-trace-file", "trace",
                      "--log=root.thres:warning", "--log=smpi_utils.thres:info",
                      *(f"--cfg=smpi/{key}:{value}" for key, value in settings.items()),
                      program, *rowhalo_arguments(case), "--json", "simulated.json"], place)
    seconds = re.search(r"Simulated time: (\S+) seconds", output)
    return report_of(place / "simulated.json"), float(seconds[1])


def sent_pairs(place):
    """(from, to, entries) -> how often, of messages of the halo. A line of the trace: `rank isend to tag
    count type`; type -1 is a derived one, which is what transports send entries of x as."""
    sent = collections.Counter()
    for name in (place / "trace").read_text(encoding="utf-8").split():
        for line in (place / name).read_text(encoding="utf-8").splitlines():
            rank, action, *words = line.split()
            if action == "isend" and int(words[1]) != EXCHANGE_TAG and words[3] == "-1":
                sent[int(rank), int(words[0]), int(words[2])] += 1
    return sent


def planned_pairs(path):
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    return {tuple(map(int, line.split()[:3])) for line in lines}


def hashes(case, report):
    if case.command == "run":
        return [report["validation"]["y_hash"]]
    solver = report["solvers"][0]
    return [solver["x_hash"], *solver["norms"]]


def problems_of(case, ordinary, report, place):
    """What differs, as texts; what was compared with the trace."""
    found, traced = [], "-"

    def compare(what, simulated, expected):
        if simulated != expected:
            found.append(f"{what} {simulated}, not {expected}")

    checked([ordinary, *rowhalo_arguments(dataclasses.replace(case, transport="mpi")),
             "--json", "one.json"], place)
    checked([ordinary, "info", "--matrix", case.matrix, "--partition", case.partition, "--ranks", case.ranks,
             "--ranks-per-node", RANKS_PER_NODE, "--communication", "pairs.txt", "--json", "plan.json"], place)
    plan, halo = report_of(place / "plan.json")["info"]["partitions"][0], report["halo"]
    compare("ranks", report["partition"]["ranks"], case.ranks)
    compare("status", report["status"], report_of(place / "one.json")["status"])
    compare("hash", hashes(case, report), hashes(case, report_of(place / "one.json")))
    compare("messages", halo["messages"], plan["messages_inside_nodes"] + plan["messages_between_nodes"])
    compare("bytes", halo["bytes_total"], plan["halo_bytes"])
    compare("messages between nodes", halo["messages_between_nodes"], plan["messages_between_nodes"])
    compare("bytes between nodes", halo["bytes_between_nodes"], plan["bytes_between_nodes"])
    if case.transport == "mpi":
        sent = sent_pairs(place)
        often = sorted(set(sent.values()))
        traced = f"{len(sent)} x {'/'.join(map(str, often))}"
        pairs = planned_pairs(place / "pairs.txt")
        compare("pairs that the plan lacks", sorted(set(sent) - pairs)[:3], [])
        compare("pairs that were not sent", sorted(pairs - set(sent))[:3], [])
        compare("numbers of sends per pair", len(often), 1)
    return found, traced


def line_of(case, program, ordinary):
    """A line of the table, and what differs."""
    start = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            report, simulated = simulate(program, case, Path(folder))
            wall = time.monotonic() - start
            found, traced = problems_of(case, ordinary, report, Path(folder))
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return f"| {case} | {case.ranks} | failed | - | - | - | - | {time.monotonic() - start:.0f} |", [str(error)]
    same = "no" if any(problem.startswith("hash") for problem in found) else "yes"
    halo = report["halo"]
    return (f"| {case} | {case.ranks} | {same} | {halo['messages']} | {halo['bytes_total']} | {traced} | "
            f"{simulated:.6f} | {wall:.0f} |"), found


def main():
    options = arguments()
    for tool in ("smpicxx", "smpirun"):
        if shutil.which(tool) is None:
            launch.skip_all(f"there is no {tool}: apt-get install libsimgrid-dev")
    program, ordinary = build(options.build.resolve()).resolve(), options.rowhalo.resolve()
    chosen = [case for case in CASES
              if (not options.ranks or case.ranks in options.ranks) and options.only in str(case)]
    print("| case | ranks | hash equal | messages | bytes | sent: pairs x times | simulated s of the program | wall s |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    failed = 0
    for case in chosen:
        line, found = line_of(case, program, ordinary)
        print("\n".join([line, *(f"  {problem}" for problem in found)]), flush=True)
        failed += bool(found)
    print(f"\n{len(chosen)} cases, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
