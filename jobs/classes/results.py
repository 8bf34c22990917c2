# SPDX-License-Identifier: BSD-3-Clause
"""From the program's JSON to what the tables say of a matrix.

A format's time is the smaller of called and replayed from a graph. The ratio is the best vendor's
time over our best without value codes; what value codes gain, and auto, stand beside it.
"""
import json
from typing import NamedTuple, Optional

from matrices import (AUTO_SECONDS, AUTO_SETUP_NONZEROS, AUTO_SETUP_PRODUCTS, AUTO_SHARE, BASELINES,
                      CLASSES, LONG_ROWS_GROWTH, Matrix)


class Measured(NamedTuple):
    """One format on one matrix."""
    name: str
    role: str                 # baseline, ours, codes (ours with value codes), auto, companion
    seconds: Optional[float]  # None: see reason
    report: dict              # its entry in the JSON
    reason: str


class Outcome(NamedTuple):
    """One matrix."""
    matrix: Matrix
    precision: str
    report: Optional[dict]    # None: see failure
    formats: list             # of Measured
    companion: Optional[Measured]
    companion_nonzeros: int
    failure: str              # crash, time-out or refusal of the whole matrix


def read_report(path):
    """The JSON, or None where there is none that can be read."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        return report if report["command"] == "kernels" and report["formats"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def names_in(report):
    return {entry["name"] for entry in report["formats"]}


def role_of(entry, entries):
    """`entries` by name. With value codes is what stores less than its twin without them."""
    name = entry["name"]
    if name == "auto":
        return "auto"
    if entry["baseline"] or name in BASELINES["cpu"]:
        return "baseline"
    twin = entries.get(f"{name}:codes=off")
    return "codes" if twin and not entry["bytes"] == twin["bytes"] > 0 else "ours"


def measured(entry, role):
    times = [entry[key] for key in ("seconds", "graph_seconds") if entry.get(key) is not None]
    right = entry["passed"] or not times
    reason = entry["reason"] if right else entry["reason"] or "gave a wrong y"
    return Measured(entry["name"], role, min(times) if times and right else None, entry, reason)


def measured_formats(report, wanted):
    entries = {entry["name"]: entry for entry in report["formats"] if entry["name"] in wanted}
    return [measured(entry, role_of(entry, entries)) for entry in entries.values()]


def is_wrong(entry):
    """Whether it was measured and gave a wrong y: not a refusal."""
    return entry.seconds is None and entry.report.get("seconds") is not None


def fastest(formats, *roles):
    timed = [entry for entry in formats if entry.role in roles and entry.seconds is not None]
    return min(timed, key=lambda entry: entry.seconds, default=None)


class Summary(NamedTuple):
    """A line of the table; None or empty where it cannot be said."""
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
            growth = (ours.seconds / outcome.report["matrix"]["nonzeros"]
                      / (beside.seconds / outcome.companion_nonzeros) - 1)
            missed = missed or growth > LONG_ROWS_GROWTH
            notes.append(f"{growth:+.0%} a nonzero by the long rows (<= {LONG_ROWS_GROWTH:.0%})")
    elif beside and beside.reason:
        notes.append(f"{beside.name} of the companion: {beside.reason}")
    if kind.graph_microseconds and ours and ours.report.get("graph_seconds"):
        microseconds = ours.report["graph_seconds"] * 1e6
        missed = missed or microseconds > kind.graph_microseconds
        notes.append(f"{microseconds:.2f} us in a graph (<= {kind.graph_microseconds})")
    if kind.share and ours and ours.report.get("share_of_read_bandwidth"):
        if ours.report["share_of_read_bandwidth"] < kind.share:
            notes.append(f"share below {kind.share:.0%}")
    if auto and outcome.report["matrix"]["nonzeros"] > AUTO_SETUP_NONZEROS:
        if auto.report.get("setup_products", 0) > AUTO_SETUP_PRODUCTS:
            notes.append(f"set-up of auto above {AUTO_SETUP_PRODUCTS} products")
    notes += [f"{entry.name}: {entry.reason}" for entry in outcome.formats if is_wrong(entry)]
    unchecked = max((entry.report.get("rows_unchecked", 0) for entry in outcome.formats), default=0)
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
    parameters = auto.report.get("parameters", "") if auto else ""
    return Summary(
        baseline, ours, ratio, target,
        None if target is None or ratio is None else ratio >= target and not missed,
        auto, parameters.replace("format=", "", 1).split(",")[0], quotient(baseline, auto),
        None if behind is None else behind - 1, fine, codes, quotient(baseline, codes),
        ours.report.get("share_of_read_bandwidth") if ours else None, notes)
