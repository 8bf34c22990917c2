# SPDX-License-Identifier: BSD-3-Clause
"""From the lines of the table of results (rowhalo_study/results/rows.py) to what is said of a matrix.

A format's time is the smaller of called and replayed from a graph. The ratio is the best vendor's
time over our best without value codes; what value codes gain, and auto, stand beside it.
"""
from typing import NamedTuple, Optional

from matrices import (AUTO_SECONDS, AUTO_SETUP_NONZEROS, AUTO_SETUP_PRODUCTS, AUTO_SHARE, BASELINES,
                      CLASSES, LONG_ROWS_GROWTH, Matrix, point_of, wanted_formats)
from rowhalo_study.results.data import is_baseline
from rowhalo_study.results.rows import COLUMNS


class Measured(NamedTuple):
    """One format on one matrix."""
    name: str
    role: str                 # baseline, ours, codes (ours with value codes), auto, companion
    seconds: Optional[float]  # None: see reason
    row: dict                 # its line of the table
    reason: str


class Outcome(NamedTuple):
    """One matrix."""
    matrix: Matrix
    precision: str
    first: dict               # a line, for what all of them share
    formats: list             # of Measured; empty: see failure
    companion: Optional[Measured]
    failure: str              # crash, time-out or refusal of the whole matrix


def names_in(rows):
    """Formats that were tried, whether they refused or not."""
    return {row["format"] for row in rows if row["status"] == "ok"}


def failure_of(rows):
    """Why a matrix has no times, or not all."""
    return next((row["verdict"] if row["format"] else row["reason"] for row in rows
                 if not row["format"] or row["status"] == "interrupted"), "")


def role_of(row, rows):
    """`rows` by format. With value codes is what stores less than its twin without them; without a
    twin, what says so."""
    name = row["format"]
    if name == "auto":
        return "auto"
    if is_baseline(name) or name in BASELINES["cpu"]:
        return "baseline"
    twin = rows.get(f"{name}:codes=off")
    coded = (row["bytes"] != (twin["bytes"] or 0) > 0 if twin
             else "values=" in (row["parameters"] or ""))
    return "codes" if coded else "ours"


def measured(row, role):
    timed = row["median_seconds"] is not None
    right = row["passed"] or not timed
    reason = row["reason"] or ("" if right else "gave a wrong y")
    return Measured(row["format"], role, row["median_seconds"] if right else None, row, reason)


def is_wrong(entry):
    """Whether it was measured and gave a wrong y: not a refusal."""
    return entry.seconds is None and entry.row["median_seconds"] is not None


def not_measured(spec, precision, name, reason, **shared):
    """A line without a time. `name` "": of the whole matrix."""
    return {**dict.fromkeys(COLUMNS), **shared, "matrix": spec, "precision": precision,
            "format": name, "ranks": 1, "status": "skipped" if name else "failed", "reason": reason}


def shared_by(row):
    """What a line without a time has in common with those of its matrix."""
    return {name: row[name] for name in ("class", "study", "kind", "point", "rows", "columns",
                                         "nonzeros", "device") if name in row}


def is_needless(name, rows):
    """Whether a twin without value codes would be the same as what stands in `rows`."""
    base, _, options = name.partition(":")
    return options == "codes=off" and base in rows and role_of(rows[base], rows) == "ours"


def outcome_of(matrix, device, precision, rows, companion):
    """What the lines of a matrix, and those of its companion, tell."""
    wanted = wanted_formats(matrix, device)
    by_name = {row["format"]: row for row in rows if row["format"] in wanted}
    entries = [measured(row, "" if row["status"] == "skipped" else role_of(row, by_name))
               for row in by_name.values()]
    outcome = Outcome(matrix, matrix.precision or precision, rows[0], entries, None,
                      failure_of(rows))
    if not entries:
        return outcome
    shared = shared_by(rows[0])
    lacking = (not_measured(matrix.spec, outcome.precision, name, "not measured", **shared)
               for name in sorted(set(wanted) - set(by_name)) if not is_needless(name, by_name))
    entries += [measured(row, "") for row in lacking]
    ours = fastest(entries, "ours")
    if not matrix.companion or not ours:
        return outcome
    beside = {row["format"]: row for row in companion}
    shared.update(point=point_of(matrix, companion=True), rows=None, columns=None, nonzeros=None)
    lacking = not_measured(matrix.companion, outcome.precision, ours.name,
                           failure_of(companion) or "not measured", **shared)
    return outcome._replace(companion=measured(beside.get(ours.name, lacking), "companion"))


def fastest(formats, *roles):
    timed = [entry for entry in formats if entry.role in roles and entry.seconds is not None]
    return min(timed, key=lambda entry: entry.seconds, default=None)


class Summary(NamedTuple):
    """A line of the markdown table; None or empty where it cannot be said."""
    baseline: Optional[Measured]
    ours: Optional[Measured]
    ratio: Optional[float]
    target: Optional[float]
    met: Optional[bool]
    auto: Optional[Measured]
    auto_format: str
    auto_ratio: Optional[float]
    auto_behind: Optional[float]    # share by which the best named format is faster
    auto_fine: Optional[bool]
    codes: Optional[Measured]
    codes_ratio: Optional[float]
    share: Optional[float]
    notes: list


def quotient(above, below):
    return above.seconds / below.seconds if above and below else None


def notes_of(outcome, ours, auto):
    """What else there is to say, and whether a target beside the ratio is missed."""
    kind, notes, missed = CLASSES[outcome.matrix.group], [], False
    beside = outcome.companion
    if beside and ours and beside.name == ours.name and beside.seconds:
        if kind.companion == "ceiling":
            notes.append(f"columns 0, 1, 2...: {beside.seconds * 1e3:.4g} ms")
        else:
            growth = (ours.seconds / outcome.first["nonzeros"]
                      / (beside.seconds / beside.row["nonzeros"]) - 1)
            missed = missed or growth > LONG_ROWS_GROWTH
            notes.append(f"{growth:+.0%} per nonzero due to long rows (<= {LONG_ROWS_GROWTH:.0%})")
    elif beside and beside.reason:
        notes.append(f"{beside.name} of the companion: {beside.reason}")
    if kind.graph_microseconds and ours and ours.row["graph_seconds"]:
        microseconds = ours.row["graph_seconds"] * 1e6
        missed = missed or microseconds > kind.graph_microseconds
        notes.append(f"{microseconds:.2f} us in a graph (<= {kind.graph_microseconds})")
    if kind.share and ours and ours.row["share_of_read_bandwidth"] and ours.row["share_of_read_bandwidth"] < kind.share:
        notes.append(f"share below {kind.share:.0%}")
    if auto and outcome.first["nonzeros"] > AUTO_SETUP_NONZEROS and (auto.row["setup_products"] or 0) > AUTO_SETUP_PRODUCTS:
        notes.append(f"set-up of auto above {AUTO_SETUP_PRODUCTS} products")
    notes += [f"{entry.name}: {entry.reason}" for entry in outcome.formats if is_wrong(entry)]
    unchecked = max((entry.row["rows_unchecked"] or 0 for entry in outcome.formats), default=0)
    if unchecked:
        notes.append(f"{unchecked} rows have no bound that could prove their y")
    if outcome.failure:
        notes.append(outcome.failure)
    return notes, missed


def summary_of(outcome, device):
    formats = outcome.formats
    baseline, ours = fastest(formats, "baseline"), fastest(formats, "ours")
    auto, codes = fastest(formats, "auto"), fastest(formats, "codes")
    named = fastest(formats, "ours", "codes", *(["baseline"] if device == "cpu" else []))
    notes, missed = notes_of(outcome, ours, auto)
    ratio = quotient(baseline, ours)
    target = outcome.matrix.target if device == "gpu" and outcome.matrix.target else None
    behind = quotient(auto, named)
    fine = None
    if behind:
        fine = behind <= 1 + AUTO_SHARE or auto.seconds - named.seconds <= AUTO_SECONDS
    parameters = auto.row["parameters"] or "" if auto else ""
    return Summary(
        baseline, ours, ratio, target,
        None if target is None or ratio is None else ratio >= target and not missed,
        auto, parameters.replace("format=", "", 1).split(",")[0], quotient(baseline, auto),
        None if behind is None else behind - 1, fine, codes, quotient(baseline, codes),
        ours.row["share_of_read_bandwidth"] if ours else None, notes)
