# SPDX-License-Identifier: BSD-3-Clause
"""Site files: what a machine wants of its jobs, so that no script holds an account or a launcher.

A site is a name (jobs/sites/NAME.ini) or the path of such a file. `auto` cores and GPUs are looked
up: by sinfo with Slurm, on this machine without a scheduler. GPUs on this machine are counted by
nvidia-smi and CUDA_VISIBLE_DEVICES, cores by what this process may use.
"""
import os
import re
import shutil
import string
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from rowhalo_study.calling import JOBS
from rowhalo_study.names import quoted
from rowhalo_study.studies.ini import IniFile, WrongInput

SITES = JOBS / "sites"
KEYS = {
    "site": ("name", "scheduler", "description", "machine"),
    "job": ("account", "partition", "queue", "constraint", "qos", "reservation", "time", "extra"),
    "node": ("cores", "gpus", "gpu_order", "exclusive", "memory_gb", "gpu_memory_gb"),
    "launch": ("command",),
    "environment": ("modules", "setup"),
    "variables": None,
}
PLACEHOLDERS = ("ranks", "nodes", "ranks_per_node", "cores_per_rank", "host_options")


@dataclass(frozen=True)
class Site:
    name: str
    path: Path
    text: str           # of the file, `auto` replaced by what was found, without `machine`
    description: str
    machine: Optional[Path]   # file of rowhalo network
    scheduler: str      # slurm | pbs | none
    account: str
    partition: str      # PBS: queue
    constraint: str
    qos: str
    reservation: str
    minutes: int        # of a job whose study does not say; 0: the site's default
    extra: list         # further directives
    cores: int          # a node
    gpus: int           # a node
    gpu_order: str
    exclusive: bool
    memory_gb: float    # a node; 0: not known
    gpu_memory_gb: float
    launch: str
    modules: list
    setup: list
    variables: dict


def minutes_of(text):
    """Minutes of 'M', 'H:M:S' or 'D-H:M:S', rounded up; None where it is none of them."""
    if re.fullmatch(r"\d+", text):
        return int(text)
    parts = re.fullmatch(r"(?:(\d+)-)?(\d+):(\d\d):(\d\d)", text)
    if not parts:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in parts.groups())
    return (days * 24 + hours) * 60 + minutes + (seconds > 0)


def may_share_cores():
    """Whether Open MPI was told that ranks may share cores, as in run.sh."""
    return (os.environ.get("OMPI_MCA_rmaps_base_oversubscribe") in ("1", "true", "yes")
            or "oversubscribe" in os.environ.get("PRTE_MCA_rmaps_default_mapping_policy", ""))


def output_of(command):
    """stdout of a command; empty when it fails or is not there."""
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20,
                             stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.decode(errors="replace") if run.returncode == 0 else ""


def local_gpus():
    seen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if seen is not None:
        return len([word for word in seen.split(",") if word.strip() not in ("", "-1")])
    return len(re.findall(r"^GPU \d+:", output_of(["nvidia-smi", "-L"]), re.MULTILINE))


def local_cores():
    """Physical cores that this process may use, less where a container's quota is smaller."""
    cpus = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count())
    listed = [line.split(",") for line in output_of(["lscpu", "-p=CPU,CORE,SOCKET"]).split("\n")
              if re.match(r"\d", line)]
    cores = {(core, socket) for cpu, core, socket in listed if int(cpu) in cpus}
    count = len(cores) or len(cpus)
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        count = min(count, max(1, int(quota) // int(period)))
    except (OSError, ValueError):  # no quota
        pass
    return count


def local_memory_gb():
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    except (OSError, ValueError):
        return 0.0


def slurm_node(partition):
    """Cores and GPUs of the first kind of node that sinfo lists; in a job without its answer those of this node,
    else zeros."""
    chosen = ["-p", partition] if partition else []
    lines = output_of(["sinfo", "-h", *chosen, "-o", "%c|%G"]).split("\n")
    if not lines[0]:
        return [int(re.sub(r"\D", "", os.environ.get(name, "")) or 0) for name in
                ("SLURM_CPUS_ON_NODE", "SLURM_GPUS_ON_NODE")]
    cores, _, gres = lines[0].partition("|")
    gpus = re.findall(r"gpu(?::[^:,()]+)?:(\d+)", gres)
    return int(re.sub(r"\D", "", cores) or 0), sum(map(int, gpus))


def counted(ini, scheduler, partition, text):
    """Cores and GPUs of a node, and the file's text with them in the place of auto."""
    numbers = {}
    for key, default in (("cores", "auto"), ("gpus", "auto" if scheduler == "none" else "0")):
        said = ini.line("node", key, default)
        if said == "auto" and scheduler == "pbs":
            raise ini.wrong("node", key, "PBS sites must say it; `pbsnodes -a` knows")
        if said != "auto":
            numbers[key] = ini.integer("node", key, default, least=1 if key == "cores" else 0)
        elif scheduler == "slurm":
            numbers[key] = slurm_node(partition)[key == "gpus"]
        else:
            numbers[key] = local_cores() if key == "cores" else local_gpus()
    if not numbers["cores"]:
        raise ini.wrong("node", "cores", "sinfo did not tell the cores of a node; on a machine "
                        "without Slurm: --site local, else write a number")
    for key, number in numbers.items():
        text = re.sub(rf"^{key}[ \t]*=\s*auto[ \t]*$", f"{key} = {number}", text, flags=re.MULTILINE)
    return numbers["cores"], numbers["gpus"], text


def machine_file(ini):
    """The machine file, and the text of the site without it: plans name the file, so that what was planned
    can be looked at without it."""
    name = ini.line("site", "machine")
    if not name:
        return None, ini.text
    path = ini.path.resolve().parent / name
    if not path.is_file():
        raise ini.wrong("site", "machine", f"{name}: there is no such file in "
                        f"{ini.path.resolve().parent}; rowhalo network makes one")
    lines = ini.text.split("\n")
    del lines[ini.lines["site", "machine"] - 1]
    return path, "\n".join(lines)


def gigabytes(ini, key):
    text = ini.line("node", key, "0")
    if not re.fullmatch(r"\d+(\.\d+)?", text):
        raise ini.wrong("node", key, f"{text!r}: gigabytes are expected, e.g. 80")
    return float(text)


def launch_command(ini):
    command = ini.needed("launch", "command", "e.g. mpirun -n {ranks} {host_options}")
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(command) if name is not None]
    except ValueError as error:
        raise ini.wrong("launch", "command", str(error)) from error
    for name in names:
        if name not in PLACEHOLDERS:
            raise ini.wrong("launch", "command", f"{{{name}}}: use "
                            + ", ".join(f"{{{one}}}" for one in PLACEHOLDERS))
    if "ranks" not in names:
        raise ini.wrong("launch", "command", "does not say {ranks}")
    return command


def read_site(path):
    ini = IniFile(path, KEYS)
    scheduler = ini.choice("site", "scheduler", ("slurm", "pbs", "none"), "")
    if ini.has("job", "partition") and ini.has("job", "queue"):
        raise ini.wrong("job", "queue", "is another name of partition; keep one")
    partition = ini.line("job", "partition") or ini.line("job", "queue")
    time = ini.line("job", "time", "0")
    if minutes_of(time) is None:
        raise ini.wrong("job", "time", f"{time!r}: minutes or H:M:S are expected")
    for key in ("constraint", "qos", "reservation") if scheduler == "pbs" else ():
        if ini.line("job", key):
            raise ini.wrong("job", key, "is a word of Slurm; write a line of extra, e.g. -l ...")
    for name in ini.section("variables"):
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ini.wrong("variables", name, "is not the name of a variable")
    machine, text = machine_file(ini)
    cores, gpus, text = counted(ini, scheduler, partition, text)
    memory_gb = gigabytes(ini, "memory_gb")
    if scheduler == "none" and not memory_gb:
        memory_gb = local_memory_gb()
    return Site(
        name=ini.line("site", "name", path.stem), path=path, text=text, scheduler=scheduler,
        description=ini.line("site", "description"), machine=machine,
        account=ini.line("job", "account"), partition=partition,
        constraint=ini.line("job", "constraint"), qos=ini.line("job", "qos"),
        reservation=ini.line("job", "reservation"), minutes=minutes_of(time),
        extra=ini.listed("job", "extra"), cores=cores, gpus=gpus,
        gpu_order=ini.line("node", "gpu_order"),
        exclusive=ini.choice("node", "exclusive", ("yes", "no"), "yes") == "yes",
        memory_gb=memory_gb, gpu_memory_gb=gigabytes(ini, "gpu_memory_gb"),
        launch=launch_command(ini), modules=ini.listed("environment", "modules"),
        setup=ini.listed("environment", "setup"), variables=ini.section("variables"))


def detected():
    """Name of the generic site that fits this machine."""
    if "PBS_JOBID" in os.environ:  # Slurm can play PBS, and then both are set
        return "generic-pbs"
    if "SLURM_JOB_ID" in os.environ or shutil.which("sbatch"):
        return "generic-slurm"
    return "generic-pbs" if shutil.which("qsub") else "local"


def load_site(name=None):
    """By name or path; without one $ROWHALO_SITE, or what this machine looks like."""
    name = name or os.environ.get("ROWHALO_SITE") or detected()
    for path in (SITES / f"{name}.ini", Path(name)):
        if path.is_file():
            return read_site(path)
    known = ", ".join(sorted(path.stem for path in SITES.glob("*.ini")))
    raise WrongInput(f"--site {name}: neither a file nor one of {known}; copy one of "
                     f"{SITES}/*.ini and edit it")


def shell(site):
    """Assignments for bash, a line each."""
    values = {
        "NAME": site.name, "SCHEDULER": site.scheduler, "ACCOUNT": site.account,
        "PARTITION": site.partition, "CONSTRAINT": site.constraint, "QOS": site.qos,
        "RESERVATION": site.reservation, "MINUTES": site.minutes, "EXTRA": "\n".join(site.extra),
        "CORES": site.cores, "GPUS": site.gpus, "GPU_ORDER": site.gpu_order,
        "EXCLUSIVE": "yes" if site.exclusive else "no", "LAUNCH": site.launch,
        "MODULES": "\n".join(site.modules), "SETUP": "\n".join(site.setup),
        "VARIABLES": "\n".join(f"export {name}={quoted(value)}"
                               for name, value in site.variables.items()),
    }
    return [f"SITE_{name}={quoted(value)}" for name, value in values.items()]
