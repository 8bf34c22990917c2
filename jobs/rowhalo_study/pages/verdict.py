# SPDX-License-Identifier: BSD-3-Clause
"""The first screen of a page: one word, one sentence, the figures most asked for, and what was
measured with what. Of an official result the word is that of rowhalo-study official (official/verdict.py)."""
from typing import NamedTuple

from rowhalo_study.compare.lines import ratio_of_rows, time_of
from rowhalo_study.pages.words import ranks_text, time_text, with_what
from rowhalo_study.plots.scaling import exposed_lines, strong_lines, weak_lines
from rowhalo_study.plots.solve import ours as our_solvers
from rowhalo_study.plots.style import device_name, four_digits, short, short_matrix
from rowhalo_study.results import statistics
from rowhalo_study.results.data import fastest, grouped, is_baseline, measured
from rowhalo_study.results.rows import section, unique
from rowhalo_study.studies.points import obstacle, plural

MOST_CARDS = 6
MOST_NAMES = 4
NOISY = 0.1         # spread of the repeats over their median
LATE = 1.5          # slowest twentieth of the batches over their median
UNEVEN = 1.1        # nonzeros of a rank over their mean
MUCH_EXPOSED = 0.1  # of a product
GOOD, BAD, OPEN = "good", "bad", "open"


class Verdict(NamedTuple):
    word: str
    tone: str           # GOOD, BAD, OPEN
    sentence: str
    reasons: list       # against it
    notes: list         # what a reader should know


class Card(NamedTuple):
    figure: str
    caption: str


def some_of(words):
    """At most MOST_NAMES of them."""
    words = unique(words)
    more = f" and {len(words) - MOST_NAMES} more" if len(words) > MOST_NAMES else ""
    return "; ".join(words[:MOST_NAMES]) + more


def named(rows):
    """Lines of the table by name."""
    return some_of(", ".join(filter(None, (short_matrix(row["matrix"]), ranks_text(row["ranks"]),
                                           row["method"] or row["format"], row["transport"])))
                   for row in rows)


def placed(rows):
    """Matrices and numbers of ranks."""
    found = {}
    for row in rows:
        found.setdefault(short_matrix(row["matrix"]), set()).add(row["ranks"])
    return some_of(f"{matrix} on {', '.join(map(str, sorted(ranks)))} rank{'s' if ranks != {1} else ''}"
                   for matrix, ranks in found.items())


def is_checked(row):
    """Without --validate, `passed` means that nothing failed."""
    return bool(row["passed"]) and row["against"] != "none"


def missing_points(plan, rows, site=None):
    """Names of the points of a study's plan without a time; apart from them {name: reason} of those
    that cannot run on the site and are skipped there."""
    measured_points = {row["point"] for row in rows if row["median_seconds"]}
    stops = {point["name"]: obstacle(point, site) if site else ""
             for point in (plan or {}).get("points", []) if point["name"] not in measured_points}
    return [name for name, stop in stops.items() if not stop], {name: stop for name, stop in stops.items() if stop}


def note_on_skipped(skipped):
    """A list of one note, or of none."""
    said = some_of(f"{name} ({stop})" for name, stop in skipped.items())
    return [f"{plural(len(skipped), 'point')} of the study skipped on this machine: {said}."] if said else []


def checked_by(rows):
    names = unique(row["against"] for row in rows if row["against"] and is_checked(row))
    return f", compared with {' and '.join(names)}" if names else ""


def reasons_against(rows, missing, outcome):
    """[(word, reason)], the worst first."""
    wrong = [row for row in rows if row["passed"] is False]
    products = [row for row in wrong if not row["method"]]
    solvers = [row for row in wrong if row["method"]]
    stopped = [row for row in rows if row["status"] == "interrupted"]
    found = []
    if products:
        found.append(("FAIL", f"y is wrong in {len(products)} of {plural(len(rows), 'result')}: "
                      f"{named(products)}"))
    if solvers:
        found.append(("FAIL", f"no solution in {plural(len(solvers), 'result')}: {named(solvers)}"))
    if missing:
        found.append(("INCOMPLETE", f"{plural(len(missing), 'point')} of the study not measured: "
                      f"{', '.join(missing[:MOST_NAMES])}{', ...' if len(missing) > MOST_NAMES else ''}"))
    if stopped:
        found.append(("INCOMPLETE", f"{plural(len(stopped), 'result')} interrupted: {named(stopped)}"))
    worse = outcome.of(statistics.Verdict.SLOWER) if outcome else []
    if outcome and outcome.broken:
        found.append(("FAIL", f"right in the earlier result, wrong in this one: {named(outcome.broken)}"))
    if worse:
        found.append(("SLOWER", f"{plural(len(worse), 'result')} of {len(outcome.lines)} slower than "
                      "in the earlier result, see below"))
    return found


def verdict_of(rows, missing, official, outcome):
    """`official`: what official.rating.assess says, or None; `outcome` of compare.outcome_of or None."""
    notes = notes_on(rows)
    against = reasons_against(rows, missing, outcome)
    reasons = [reason for _, reason in against]
    if official:
        tone = {"VALID": GOOD, "INVALID": BAD}.get(official["verdict"], OPEN)
        extra = [reason for word, reason in against if word == "SLOWER"]
        return Verdict(official["verdict"], tone, official_sentence(official), official["reasons"] + extra,
                       official["warnings"] + notes)
    # PETSc's solvers are measured beside ours and not checked.
    timed = [row for row in rows if row["median_seconds"] and not row["petsc_solver"]]
    checked = [row for row in timed if is_checked(row)]
    said = f"{len(checked)} of {plural(len(timed), 'result')} right{checked_by(timed)}"
    if against:
        word = next(name for name in ("FAIL", "INCOMPLETE", "SLOWER")
                     if name in [one for one, _ in against])
        return Verdict(word, BAD if word != "INCOMPLETE" else OPEN, said + ".", reasons, notes)
    if not timed:
        return Verdict("NO TIMES", OPEN, "No result holds a time.", [], notes)
    unchecked = len(timed) - len(checked)
    if unchecked:
        word = "PARTLY CHECKED" if checked else "NOT CHECKED"
        return Verdict(word, OPEN, f"{said}; {plural(unchecked, 'result')} not checked.", [], notes)
    ending = "" if not outcome else f", and none of {len(outcome.lines)} is shown to be slower than before"
    every = f"All {len(checked)} results are right" if len(checked) > 1 else "The result is right"
    return Verdict("PASS", GOOD, f"{every}{checked_by(timed)}{ending}.", [], notes)


def official_sentence(official):
    problem = official["official"]
    words = f"Official result, set {problem['set']}, division {problem['division']}"
    rating = official["rating"]
    return words + (f": {four_digits(rating['gbytes_per_second'])} GB/s in all, "
                    f"{four_digits(rating['gbytes_per_second_per_rank'])} per {official['rank']}." if rating
                    else ": not every problem was measured.")


def notes_on(rows):
    """Signs of what disturbs a measurement (jobs/README.md, When scaling stops)."""
    timed, notes = [row for row in rows if row["median_seconds"] and not row["petsc_solver"]], []
    points = list(grouped(timed, "matrix", "ranks", "method", "combination").values())
    spreads = [(some[0], measured(some)) for some in points if len(some) > 1]
    noisy = [row for row, time in spreads if time.high - time.low > NOISY * time.seconds]
    if noisy:
        notes.append(f"Repeats differ by more than {NOISY:.0%}: {placed(noisy)}. Other programs may use "
                     "the machine.")
    late = [row for row in timed if (row["p95_seconds"] or 0) > LATE * row["median_seconds"]]
    if late:
        worst = max(row["p95_seconds"] / row["median_seconds"] for row in late)
        notes.append(f"The slowest twentieth of the batches took up to {worst:.1f} times the median: {placed(late)}. Likely "
                     "causes: other programs on the node, ranks that share cores, a clock that changes, a shared network.")
    uneven = [row for row in timed if (row["nonzero_imbalance"] or 1) > UNEVEN]
    if uneven:
        largest = max(row["nonzero_imbalance"] for row in uneven)
        notes.append(f"Ranks have up to {largest:.2f} times the mean nonzeros: {placed(uneven)}.")
    waits = [(some[0], measured(some, "exposed_seconds"), measured(some)) for some in points
             if not some[0]["method"]]
    exposed = [row for row, wait, time in waits if wait and wait.seconds > MUCH_EXPOSED * time.seconds]
    if exposed:
        notes.append(f"More than {MUCH_EXPOSED:.0%} of a product is exposed halo: {placed(exposed)}.")
    if any("dirty" in (row["git"] or "") for row in timed):
        notes.append("The executable was built from changed sources: git says dirty.")
    reasons = [row for row in rows if not row["median_seconds"]]
    if reasons:
        notes.append(f"{plural(len(reasons), 'combination')} could not run; the table of all results gives "
                     "the reasons.")
    return notes


def plain(line):
    return line.label.replace(", fastest", "")


def span(low, high, digits=2):
    """The interval of a figure, where it is known."""
    return f" ({low:.{digits}f} to {high:.{digits}f})" if low < high else ""


def scaling_cards(rows, what):
    """Of up to two lines each; more are for the picture."""
    for kind, lines in (("strong", strong_lines(rows)), ("weak", weak_lines(rows))):
        for line in lines if len(lines) <= 2 else []:
            most, least, share = max(line.points), min(line.points), line.efficiency(max(line.points))
            if kind == "weak":
                yield Card(f"{100 * share:.0f} %",
                           f"weak efficiency{what} on {ranks_text(most)}: {plain(line)}")
                continue
            ratio = ratio_of_rows(line.points[most], line.points[least])
            yield Card(f"{share * most / least:.2f}×", f"speed-up{what}{span(ratio.low, ratio.high)} from {least} to "
                       f"{ranks_text(most)}, efficiency {100 * share:.0f} %: {plain(line)}")


def over(name, ours, theirs, what):
    """A card of how many times faster the first is."""
    ratio = ratio_of_rows(ours, theirs)
    return Card(f"{ratio.value:.2f}×", f"speed over {what}{span(ratio.low, ratio.high)}: {name}")


def baseline_cards(rows):
    """Our best over the best baseline: of one matrix with its interval, of several the range."""
    gains = []
    for some in grouped(rows, "matrix", "ranks", "precision").values():
        halves = [[row for row in some if is_baseline(row["format"]) == theirs] for theirs in (False, True)]
        if all(halves):
            gains.append((some[0], *map(fastest, halves)))
    if len(gains) == 1:
        row, ours, theirs = gains[0]
        yield over(short_matrix(row["matrix"]), ours, theirs, "the best baseline")
    elif gains:
        ratios = [ratio_of_rows(ours, theirs) for _, ours, theirs in gains]
        shown = sum(ratio.low > 1 for ratio in ratios)
        yield Card(f"{min(ratio.value for ratio in ratios):.2f} to {max(ratio.value for ratio in ratios):.2f}×",
                   f"speed of our best format over the best baseline, {len(ratios)} matrices; shown to be faster on {shown}")


def product_cards(rows):
    yield from baseline_cards(rows)
    # PETSc's runs on the CPU: no measure of a GPU.
    beside = [some for some in grouped(rows, "matrix", "ranks", "combination").values()
              if some[0]["petsc_seconds"] and some[0]["device"] == "cpu"]
    if len(beside) == 1:
        theirs = [{**row, "median_seconds": row["petsc_seconds"], "p95_seconds": None, "hdf5_path": None} for row in beside[0]
                  if row["petsc_seconds"]]
        yield over(short_matrix(beside[0][0]["matrix"]), beside[0], theirs, "PETSc's MatMult on the same ranks")
    best = max((row for row in rows if row["gbytes_per_second"]),
               key=lambda row: row["gbytes_per_second"], default=None)
    if best:
        yield Card(f"{short(best['gbytes_per_second'])} GB/s",
                   f"highest rate, bytes of CSR ({short(best['gflops'])} GF/s): "
                   f"{short_matrix(best['matrix'])} on {ranks_text(best['ranks'])}, {with_what(best)}")
    waits = [(measured(some, "exposed_seconds").seconds / measured(some).seconds, line, ranks)
             for line in exposed_lines(rows) for ranks, some in line.points.items()]
    if waits:
        share, line, ranks = max(waits, key=lambda wait: wait[0])
        yield Card(f"{100 * share:.1f} %", f"largest exposed halo: {plain(line)} on {ranks_text(ranks)}")


def solver_cards(rows):
    fast = min(rows, key=lambda row: row["median_seconds"], default=None)
    if fast:
        some = [row for row in rows if row["method"] == fast["method"]
                and (row["matrix"], row["ranks"], row["combination"]) == (
                    fast["matrix"], fast["ranks"], fast["combination"])]
        share, time = measured(some, "floor_share"), time_of(some)
        low_high = f" ({time_text(time.low)} to {time_text(time.high)})" if time.low < time.high else ""
        yield Card(time_text(time.seconds), f"fastest iteration{low_high}: {fast['method']} on "
                   f"{short_matrix(fast['matrix'])}, {ranks_text(fast['ranks'])}"
                   + (f"; {share.seconds:.0%} of the bandwidth lower bound" if share else ""))


def cards_of(data, outcome, ratios, energy):
    """`ratios` of the reference, `energy`: [joules per product], may be empty."""
    cards = []
    if outcome and outcome.lines:
        counts = [f"{len(outcome.of(one))} {one.value}" for one in statistics.Verdict]
        cards.append(Card(counts[1], f"than in the earlier result, of {plural(len(outcome.lines), 'result')}; "
                          f"{counts[0]}, {counts[2]}"))
    rating = next((ratio for ratio, _ in ratios if ratio.name == "rating"), None)
    if rating or ratios:
        one = rating or ratios[0][0]
        cards.append(Card(f"{one.ratio:.2f}×", f"the rate of the reference{span(one.low, one.high)}: {one.name}"))
    cards += scaling_cards(data.rows, "")
    cards += product_cards(data.rows)
    cards += scaling_cards(our_solvers(data), " of solvers")
    cards += solver_cards(our_solvers(data))
    if energy:
        cards.append(Card(f"{min(energy):.3g} J", "least energy per product"))
    return cards[:MOST_CARDS]


def device_names(row):
    """Without the place in the host and the cores."""
    return [device_name(name).split(" on core")[0] for name in (row["devices"] or "").split("; ") if name]


def counted_devices(rows):
    """Each kind with the most that a run had of it."""
    most = {}
    for row in rows:
        names = device_names(row)
        for name in names:
            most[name] = max(most.get(name, 0), names.count(name))
    return ", ".join(f"{count} × {name}" if count > 1 else name for name, count in most.items())


def system_words(system):
    """Lines of the machine table from a report's description of the host."""
    if not system:
        return {}
    gpus = [gpu["name"] for gpu in system.get("gpus") or []]
    links = unique(link["kind"] for link in system.get("links") or [])
    size = system.get("memory_bytes")
    return {"Processor": ", ".join(filter(None, (
        system.get("cpu"), f"{system['sockets']} × sockets" if system.get("sockets", 0) > 1 else "",
        plural(system["cores"], "core") if system.get("cores") else "",
        f"{system['numa_domains']} NUMA domains" if system.get("numa_domains", 0) > 1 else ""))),
            "Memory": f"{size / 2 ** 30:.4g} GiB per node" if size else "",
            "GPUs per node": ", ".join(f"{gpus.count(name)} × {name}" for name in unique(gpus)),
            "GPU links": ", ".join(links), "GPU driver": system.get("driver"),
            "Network": ", ".join(map(str, system.get("fabric") or [])), "System": system.get("kernel"),
            "Scheduler": {"none": ""}.get(system.get("scheduler"), system.get("scheduler"))}


def span_of(values):
    values = sorted(set(values))
    return str(values[0]) if len(values) == 1 else f"{values[0]} to {values[-1]}" if values else ""


def listed(rows, name):
    return ", ".join(unique(str(row[name]) for row in rows if row[name]))


def machine_of(rows, system):
    """({name: value} of the hardware, of the software) of lines that were measured on devices of one kind
    by one build."""
    hosts = unique(" ".join(row["hosts"] or "" for row in rows).split())
    shown = ", ".join(hosts[:MOST_NAMES]) + (f" and {len(hosts) - MOST_NAMES} more"
                                             if len(hosts) > MOST_NAMES else "")
    hardware = {"Devices": counted_devices(rows),
                "Ranks": span_of(row["ranks"] for row in rows),
                "Nodes": span_of(row["nodes"] or 1 for row in rows), "Hosts": shown, **system_words(system)}
    commit = f"(commit {listed(rows, 'git')})" if listed(rows, "git") else ""
    software = {"rowhalo": f"{listed(rows, 'version')} {commit}".strip(),
                "Compiler": f"{listed(rows, 'compiler')} {listed(rows, 'flags')}".strip()}
    software.update({title: listed(rows, name) for name, title in (
        ("mpi", "MPI"), ("cuda", "CUDA"), ("nccl", "NCCL"), ("petsc", "PETSc"), ("hdf5", "HDF5"))})
    software["Measured"] = span_of(row["time"] for row in rows if row["time"])
    return tuple({name: value for name, value in part.items() if value} for part in (hardware, software))


def is_build(source, hosts, *build):
    """Whether a report's provenance is of this build, on these hosts."""
    return hosts.issuperset(source.get("hosts") or [None]) and tuple(
        source.get(name) for name in ("version", "git", "compiler")) == build


def machines_of(rows, reports):
    """A table per kind of devices and build. `reports`: [(detail, report)] that describe hosts."""
    groups = {}
    for row in rows:
        key = (tuple(sorted(set(device_names(row)))), row["version"], row["git"], row["compiler"], row["mpi"])
        groups.setdefault(key, []).append(row)
    machines = []
    for (_, version, git, compiler, _), some in groups.items():
        hosts = {host for row in some for host in (row["hosts"] or "").split()}
        system = next((report["system"] for _, report in reports if section(report, "system")
                       and is_build(section(report, "provenance"), hosts, version, git, compiler)), None)
        machines.append(machine_of(some, system))
    return machines
