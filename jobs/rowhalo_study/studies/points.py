# SPDX-License-Identifier: BSD-3-Clause
"""The points of a study on a site: every combination, with ranks laid over nodes.

A point is one call of run.sh: a dictionary, kept as point.json. For `kernels` all formats are
asked in one process; else a format is a point, or `all` of `run` are one.
"""
import itertools
import re

from rowhalo_study.schedulers.site import may_share_cores
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.sizes import weak_matrix

# Names of a point's parameters, the keys of [sweep] that they come from, the program's options.
SWEPT = (("format", "formats", "--format"), ("halo", "halos", "--halo"),
         ("partition", "partitions", "--partition"), ("precision", "precisions", "--precision"),
         ("schedule", "schedules", "--schedule"), ("threads", "threads", "--threads"),
         ("vectors", "vectors", "--vectors"))
NAME_LENGTH, HASHED_LENGTH = 100, 60
PARALLEL_QUESTIONS = 4
# What a product's share of memory traffic should take at least, and a rough bandwidth a rank:
# below, latency and the clock are measured, with a spread that hides what is looked for.
LEAST_SECONDS = {"cpu": 50e-6, "gpu": 20e-6}
BANDWIDTH = {"cpu": 10e9, "gpu": 4e12}


def device_of(study, site):
    if study.device != "auto":
        return study.device
    return "gpu" if site.gpus else "cpu"


def layout(study, site):
    """(ranks, nodes, ranks per node) of every size, fewest ranks first, and the most ranks per node."""
    full = site.gpus if device_of(study, site) == "gpu" else site.cores
    most = study.ranks_per_node or full or 1
    if study.ranks and study.nodes:
        sizes = [(ranks, nodes, ranks // nodes) for ranks, nodes in zip(study.ranks, study.nodes)]
    elif study.nodes:
        sizes = [(nodes * most, nodes, most) for nodes in study.nodes]
    else:
        sizes = [spread(ranks, most, site) for ranks in study.ranks]
    # Sizes that do not fit here are skipped, and must not take cores from the others.
    return sorted(sizes), max([most, *(size[2] for size in sizes if size[2] <= full)])


def spread(ranks, most, site):
    """Over as few nodes as hold them, evenly; a machine without a scheduler is one node."""
    nodes = 1 if site.scheduler == "none" else -(-ranks // most)
    while ranks % nodes:
        nodes += 1
    return ranks, nodes, ranks // nodes


def obstacle(point, site):
    """Why a point cannot run here; empty when it can. Others of its study still do."""
    if point["device"] == "gpu" and not site.gpus:
        return f"needs GPUs, and site {site.name} has none"
    if point["device"] == "gpu" and point["ranks_per_node"] > site.gpus:
        return f"{point['ranks_per_node']} ranks per node, {site.gpus} GPUs"
    if point["ranks_per_node"] > site.cores and not may_share_cores():
        return f"{point['ranks_per_node']} ranks per node, {site.cores} cores"
    return ""


def combinations(study):
    """Values of the swept parameters; '' where the study leaves one to the program."""
    axes = [study.sweep[key] or [""] for _, key, _ in SWEPT]
    if study.command == "kernels" and study.sweep["formats"]:
        axes[0] = [",".join(study.sweep["formats"])]
    others = others_of(study)
    for values in itertools.product(*axes, *(study.sweep[key] for key in others)):
        chosen = dict(zip(others, values[len(SWEPT):]))
        yield {**dict(zip((name for name, _, _ in SWEPT), values)),
               "swept": ", ".join(f"{key}={value}" for key, value in chosen.items()),
               "arguments": [*study.arguments, *(word for key, value in chosen.items() for word in (f"--{key}", value))]}


def others_of(study):
    """Keys of [sweep] that are options of the program."""
    return [key for key in study.sweep if key not in [known for _, known, _ in SWEPT]]


def plural(count, noun):
    return f"{count} {noun}" + ("s" if count != 1 else "")


def slug(text):
    """Of letters, digits, dots, dashes and underlines, neither hidden nor an option. What has letters that it
    cannot keep is told from others by a part of its hash."""
    kept = re.sub(r"[^a-z0-9._]+", "-", text.lower()).strip("-._")
    if any(char.isalnum() and not char.isascii() or not char.isprintable() for char in text):
        import hashlib  # pylint: disable=import-outside-toplevel  # hardly a name needs it
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        kept = f"{kept[:HASHED_LENGTH]}-{digest}".lstrip("-")
    return kept


def name_of(point, study, taken):
    """Short, safe for a file, told by what differs between points."""
    matrix = re.sub(r"\.(mtx(\.gz)?|h5|hdf5|h5ad|mat|npz|petsc|tar\.gz)$", "", point["matrix"].split("/")[-1], flags=re.IGNORECASE)
    parts = [matrix] + ([f"n{point['ranks']}"] if study.command != "kernels" else [])
    for name, key, _ in SWEPT:
        several = len(study.sweep[key]) > 1 and not (study.command == "kernels"
                                                     and name == "format")
        if several:
            parts.append({"threads": "t", "vectors": "k"}.get(name, "") + point[name])
    if any(len(study.sweep[key]) > 1 for key in others_of(study)):
        parts.append(point["swept"])
    name = slug("-".join(filter(None, map(slug, parts))))[:NAME_LENGTH].rstrip("-.") or "matrix"
    unique, count = name, 1
    while unique in taken:
        count += 1
        unique = f"{name}-{count}"
    taken.add(unique)
    return unique


def matrices(study, ranks, precision, program):
    """(matrix, size over the wanted one) of a size."""
    yield from ((source, 1.0) for source in study.sources)
    for template in study.templates:
        try:
            yield weak_matrix(study, template, ranks, precision, program)
        except WrongInput as error:
            raise study.ini.wrong("matrix", "template", f"{template}: {error}") from error


def points_of(study, site, program):
    """All points, sizes ascending, one matrix after the other."""
    points, taken = [], set()
    sizes, most = layout(study, site)
    device = device_of(study, site)
    for ranks, nodes, ranks_per_node in sizes:
        for swept in combinations(study):
            for matrix, share in matrices(study, ranks, swept["precision"], program):
                point = {"name": "", "study": study.name, "kind": study.kind, "matrix": matrix,
                         "ranks": ranks, "nodes": nodes, "ranks_per_node": ranks_per_node, **swept,
                         "command": study.command,
                         "repeats": study.repeats, "device": device, "size_over_wanted": share,
                         "cores_per_rank": max(1, site.cores // most)}
                point["name"] = name_of(point, study, taken)
                point["threads"] = int(point["threads"] or point["cores_per_rank"])
                points.append(point)
    # With its modules a tenth of a start, which most calls do not need.
    from concurrent.futures import ThreadPoolExecutor  # pylint: disable=import-outside-toplevel
    with ThreadPoolExecutor(PARALLEL_QUESTIONS) as pool:
        list(pool.map(lambda point: add_outline(point, study, program), points))
    return points


def add_outline(point, study, program):
    try:
        outline = program.outline(point["matrix"], point["ranks"], point["precision"])
    except WrongInput as error:
        key = "template" if study.templates else "source"
        raise study.ini.wrong("matrix", key, f"{point['matrix']}: {error}") from error
    memory = outline.device_bytes if point["device"] == "gpu" else outline.host_bytes
    point.update(rows=outline.rows, nonzeros=outline.nonzeros,
                 csr_bytes=outline.csr_bytes(point["precision"]), memory_bytes=memory,
                 host_bytes=outline.host_bytes)


def memory_warnings(point, site):
    """What may not fit."""
    limits = [("memory_gb", site.memory_gb, point["host_bytes"] * point["ranks_per_node"])]
    if point["device"] == "gpu":
        limits.append(("gpu_memory_gb", site.gpu_memory_gb, point["memory_bytes"]))
    for key, gigabytes, need in limits:
        if gigabytes and need > gigabytes * 1e9:
            yield f"may not fit: needs {need / 1e9:.3g} GB, the site says {key} = {gigabytes:g}"


def warnings(point, site):
    """What to think about before a point is run."""
    device, ranks = point["device"], point["ranks"]
    seconds = point["csr_bytes"] / ranks / BANDWIDTH[device]
    if seconds < LEAST_SECONDS[device]:
        yield (f"too small to measure: about {seconds * 1e6:.2g} us per product and rank without the "
               "halo, latency will dominate and times will spread")
    yield from memory_warnings(point, site)
    if abs(point["size_over_wanted"] - 1) > 0.1:
        yield f"{point['size_over_wanted']:.2f} times the size that is wanted"


def arguments_of(point):
    """The program's arguments: subcommand, matrix, what is swept, what the study adds."""
    arguments = [point["command"], "--matrix", point["matrix"], "--device", point["device"]]
    for name, _, option in SWEPT:
        if point.get(name) and name != "threads":  # run.sh passes threads on
            arguments += [option, point[name]]
    return arguments + point["arguments"]
