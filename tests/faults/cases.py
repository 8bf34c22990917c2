# SPDX-License-Identifier: BSD-3-Clause
"""The cases of the table of faults."""
import ctypes
import dataclasses
import os
import subprocess
from pathlib import Path

import launch
from running import NAMED_PHASE, TWO_RANKS, Case

# What a reader calls a phase: how the program names it, and on which rank the fault is planted.
PHASES = {"reading": "1:read", "partitioning": "1:partition", "planning": "1:plan",
          "converting": "1:convert", "choosing": "1:choose transport", "measuring": "1:measure",
          "validating": "1:validate", "writing": "1:save y", "reporting": "0:report"}
# Of solve: to 1e-8 in an instant, or so many iterations that it does not end by itself.
SOLVE_PHASES = {"preparing the system": "1:prepare the system", "solving": "1:solve",
                "checking the solution": "1:check the solution"}
START_AND_END = {"start of CUDA": "1:start CUDA", "start of MPI": "1:start MPI",
                 "end of MPI": "1:end MPI"}
SIGNALS = ("KILL", "STOP")
MATRIX = ["--matrix", "stencil7:12"]
BRIEF = ["--min-seconds", "0", "--batches", "2", "--iterations", "2", "--format", "sell",
         "--validate", "reference", "--quiet"]
OUTPUTS = {"--save-y": "y.mtx", "--json": "r.json", "--csv": "r.csv", "--trace": "t.json"}


def sending(name, hold):
    """The signal at the beginning of a phase; while products run: a moment later, and where there
    are to be iterations before it, when NCCL and graphs have certainly been set up."""
    if hold.endswith((":measure", ":solve")):
        return f"(sleep {3 if name == 'TERM' else 1}; touch $B; kill -{name} $PPID) &"
    return f"touch $B; kill -{name} $PPID"


def signal_case(transport, options, phase, hold, name, ranks):
    arguments = ["run", *MATRIX, "--halo", transport, *options, *BRIEF]
    if phase == "measuring":
        arguments[arguments.index("--min-seconds") + 1] = "60"
    arguments += ["--save-y", "{place}/y.mtx", "--json", "{place}/r.json"]
    says = ""  # a killed rank says nothing, and the launcher kills the others
    if name == "STOP":
        says = TWO_RANKS if phase in START_AND_END and ranks > 2 else NAMED_PHASE
    return Case(f"{transport}, {phase}: SIG{name}", arguments, ranks, hold=hold,
                do=sending(name, hold), says=says)


def signals(transports, ranks, phases=None):
    for transport, options in transports.items():
        for phase, hold in (phases or PHASES).items():
            for name in SIGNALS:
                yield signal_case(transport, options, phase, hold, name, ranks)


def solve_case(transport, options, phase, hold, name, ranks):
    arguments = ["solve", *MATRIX, "--halo", transport, *options, "--format", "sell", "--no-petsc", "--quiet"]
    if phase == "solving":
        # A GPU that repeats a graph by itself goes on without its host: to the end, which must come.
        alone = transport == "p2p" and name == "STOP"
        arguments += ["--iterations", "300000" if alone else "10000000"]
    arguments += ["--history", "{place}/h.csv", "--json", "{place}/r.json", "--save-x", "{place}/x.mtx"]
    return Case(f"{transport}, {phase}: SIG{name}", arguments, ranks, hold=hold, do=sending(name, hold),
                says=NAMED_PHASE if name == "STOP" else "",
                loses=("h.csv", "r.json", "x.mtx"))


def interrupted_case(transport, options, ranks):
    """SIGTERM to one rank: all end together, and what there is of history and x is written."""
    case = solve_case(transport, options, "solving", SOLVE_PHASES["solving"], "TERM", ranks)
    return dataclasses.replace(case, statuses=(1,), keeps=("h.csv", "r.json", "x.mtx"), loses=(),
                               has={"r.json": r'"status": "interrupted"',
                                    "h.csv": r"\ncg,0,.*\ncg,1,"})


def solver_signals(transports, ranks):
    for transport, options in transports.items():
        for phase, hold in SOLVE_PHASES.items():
            for name in SIGNALS:
                yield solve_case(transport, options, phase, hold, name, ranks)
        yield interrupted_case(transport, options, ranks)


def folder(place, _):
    (place / "out").mkdir()


def full_disk(place, _):
    """A file system without a free byte at {place}/out."""
    out = place / "out"
    out.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", out], check=True,
                   stderr=subprocess.DEVNULL)
    try:
        with open(out / "filler", "wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    except OSError:
        pass
    return lambda: subprocess.run(["umount", "-l", out], check=False)


def lost_outputs(what, prepare, do, ranks):
    """Each output of run in turn into {place}/out, the others beside it; then other commands."""
    targets = [("--save-y", name) for name in ("y.mtx", "y.h5", "y.petsc")]
    targets += [("--json", "r.json"), ("--csv", "r.csv"), ("--hdf5", "r.h5"), ("--trace", "t.json")]
    hold = {"hold": "0:measure", "do": do} if do else {}
    for option, name in targets:
        others = {key: value for key, value in OUTPUTS.items() if key != option}
        arguments = ["run", *MATRIX, *BRIEF, "--halo", "mpi", option, "{place}/out/" + name]
        for key, value in others.items():
            arguments += [key, "{place}/" + value]
        yield Case(f"{what}: {option} {name}", arguments, ranks, statuses=(1,),
                   says=f"{{place}}/out/{name}", prepare=prepare, keeps=tuple(others.values()),
                   loses=(f"out/{name}",), **hold)
    if do:
        hold["hold"] = "0:read"
    for name in ("m.mtx", "m.mtx.gz", "m.h5", "m.petsc"):
        yield Case(f"{what}: convert {name}", ["convert", MATRIX[1], "{place}/out/" + name], ranks,
                   statuses=(1,), says=f"{{place}}/out/{name}", prepare=prepare,
                   loses=(f"out/{name}",), **hold)
    if do:
        hold["hold"] = "0:partition"
    yield Case(f"{what}: info --communication c.txt",
               ["info", *MATRIX, "--partition", "rows", "--communication", "{place}/out/c.txt",
                "--json", "{place}/r.json"], ranks, statuses=(1,), says="{place}/out/c.txt",
               prepare=prepare, keeps=("r.json",), loses=("out/c.txt",), **hold)


def written(name, source="stencil7:30"):
    """A matrix in a file, made by the program itself."""
    def prepare(place, settings):
        subprocess.run([settings.rowhalo, "convert", source, place / name, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL, env=launch.ENVIRONMENT)
    return prepare


def cut_files(ranks):
    for name in ("input.mtx", "input.mtx.gz", "input.h5", "input.petsc"):
        cut = f"touch $B; truncate -s $(($(stat -c %s {{place}}/{name}) / 2)) {{place}}/{name}"
        for moment, hold in (("before it is opened", "1:read"), ("while it is read", "1:read:2")):
            if name.endswith(".mtx.gz") and moment == "while it is read":
                hold = "0:read:2"  # inflated by one rank
            yield Case(f"file cut {moment}: {name[6:]}", ["run", "--matrix", f"{{place}}/{name}", *BRIEF],
                       ranks, hold=hold, do=cut, prepare=written(name), says=name)


def memory_group(megabytes):
    """A control group for the processes of a case; the case enters it by a command."""
    root = Path("/sys/fs/cgroup/memory")
    version2 = not root.is_dir()
    if version2:
        root = Path("/sys/fs/cgroup")

    def prepare(place, _):
        group = root / f"rowhalo-{os.getpid()}-{place.parent.name}"
        group.mkdir()
        limit = "memory.max" if version2 else "memory.limit_in_bytes"
        (group / limit).write_text(str(megabytes << 20))
        (place / "out").symlink_to(group)
        return lambda: subprocess.run(["sh", "-c", f"until rmdir {group}; do sleep 0.1; done"],
                                      check=True, timeout=10, stderr=subprocess.DEVNULL)
    return prepare


def exhausted_memory(ranks):
    large = ["run", "--matrix", "stencil27:64", *BRIEF]
    for phase in ("reading", "partitioning", "planning", "converting"):  # later ones need no more
        yield Case(f"address space exhausted, {phase}", large, ranks, hold=PHASES[phase],
                   do="touch $B; prlimit --pid $PPID --as=1", says=NAMED_PHASE + "|rowhalo: .*memory")
    too_large = ["run", "--matrix", "stencil27:200", *BRIEF]
    for more in (400000, 600000):  # kB: enough for MPI
        yield Case(f"address space of every rank: {more} kB more than to start", too_large, ranks,
                   wrapper='k=200000; until (ulimit -v $k; "$1" --version) >/dev/null 2>&1 || '
                           f'[ $k -gt 4000000 ]; do k=$((k + 50000)); done; ulimit -v $((k + {more}))',
                   says=NAMED_PHASE + "|rowhalo: .*memory")
    yield Case("control group of 100 MB", large, ranks, prepare=memory_group(100),
               wrapper="echo $$ > {place}/out/cgroup.procs", says="rowhalo: .*memory|")
    yield Case("control group of 130 MB", large, ranks, prepare=memory_group(130),
               wrapper="echo $$ > {place}/out/cgroup.procs", says="rowhalo: .*memory|")


def filled_device(_, __, left_bytes=5 << 28):
    """All memory of device 0 but some, held by this process: enough for CUDA and NCCL to start."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    memory, free, total = ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_size_t()
    for result in (cuda.cuInit(0), cuda.cuDeviceGet(ctypes.byref(device), 0),
                   cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device),
                   cuda.cuCtxSetCurrent(context),
                   cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
                   cuda.cuMemAlloc_v2(ctypes.byref(memory),
                                      ctypes.c_size_t(free.value - left_bytes))):
        if result != 0:
            raise OSError(f"CUDA error {result}")
    return lambda: cuda.cuMemFree_v2(memory)


def device_cases(ranks):
    transports = {name: ["--device", "gpu", "--graph", "on"] for name in ("p2p", "nccl")}
    transports["mpi"] = ["--device", "gpu"]
    yield from signals(transports, ranks)
    yield from solver_signals({name: ["--device", "gpu"] for name in transports}, ranks)
    for transport in transports:
        yield Case(f"GPU filled beforehand, {transport}",
                   ["run", "--matrix", "stencil27:180", "--device", "gpu", "--halo", transport, *BRIEF],
                   ranks, prepare=filled_device, says="memory")


def host_cases(ranks):
    transports = {"mpi": [], "mpi-persistent": [], "mpi-neighbor": [], "mpi-shared": [],
                  "node-aware": ["--ranks-per-node", "2"]}
    transports = {name: options + ["--device", "cpu"] for name, options in transports.items()}
    yield from signals(transports, ranks)
    yield from solver_signals(transports, ranks)
    yield from signals({"mpi": []}, ranks, START_AND_END)
    yield from lost_outputs("disk full", full_disk, "", ranks)
    yield from lost_outputs("folder removed", folder, "touch $B; rm -r {place}/out", ranks)
    yield from cut_files(ranks)
    yield from exhausted_memory(ranks)


SHORT = ("mpi, start of MPI: SIGSTOP", "mpi, end of MPI: SIGSTOP", "mpi, measuring: SIGKILL",
         "mpi-shared, measuring: SIGSTOP", "mpi, writing: SIGSTOP", "mpi, reading: SIGSTOP",
         "mpi, solving: SIGKILL", "mpi-shared, solving: SIGSTOP", "mpi, solving: SIGTERM",
         "folder removed: --json r.json", "file cut while it is read: mtx",
         "address space exhausted, converting")
