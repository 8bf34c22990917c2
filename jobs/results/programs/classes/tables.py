# SPDX-License-Identifier: BSD-3-Clause
"""CSV (the table of results, a line per matrix and format) and markdown (a line per matrix) of the
class benchmark. Its CSV has the columns of every table (rowhalo_study/results/rows.py) behind three of its own.
"""
from matrices import AUTO_SECONDS, AUTO_SHARE, CLASSES
from results import summary_of
from rowhalo_study.names import lines_text
from rowhalo_study.results.rows import COLUMNS, csv_text

OWN_TEXTS = ("class", "role")
OWN = (*OWN_TEXTS, "ratio")


def table_text(rows):
    return csv_text(rows, (*OWN, *COLUMNS))


def lines(outcomes, device):
    """All lines of all outcomes, with class, role and ratio."""
    for outcome in outcomes:
        group = {"class": outcome.matrix.group}
        if not outcome.formats:
            yield {**outcome.first, **group}
        baseline = summary_of(outcome, device).baseline
        for entry in outcome.formats:
            ratio = baseline.seconds / entry.seconds if baseline and entry.seconds else None
            yield {**entry.row, **group, "role": entry.role, "ratio": ratio}
        if outcome.companion:
            yield {**outcome.companion.row, **group, "role": "companion"}


def all_lines(outcomes, device, table):
    """Behind these what else was measured, so that the CSV loses nothing."""
    written = list(lines(outcomes, device))
    seen = {(row["point"], row["format"]) for row in written}
    return written + [row for rows in table.points.values() for row in rows
                      if row["median_seconds"] and (row["point"], row["format"]) not in seen]


def cell(value, layout="{}"):
    return "-" if value is None or value == "" else layout.format(value)


def yes_no(value):
    return cell(None if value is None else "yes" if value else "no")


def named(entry):
    return f"{entry.name} | {entry.seconds * 1e3:.4g}" if entry else "- | -"


def line_of(outcome, device):
    line = summary_of(outcome, device)
    matrix = outcome.first
    auto = "- | - | - | -"
    if line.auto:
        setup = cell(line.auto.row["setup_products"], "{:.0f}")
        auto = (f"{cell(line.auto_format)} | {line.auto.seconds * 1e3:.4g} | "
                f"{cell(line.auto_behind, '{:+.1%}')}{'' if line.auto_fine else ' (too slow)'} | "
                f"{setup}")
    codes = f"{line.codes.seconds * 1e3:.4g}" if line.codes else "-"
    cells = (CLASSES[outcome.matrix.group].title,
             outcome.matrix.spec + (f" ({outcome.precision})" if outcome.matrix.precision else ""),
             cell(matrix["rows"]), cell(matrix["nonzeros"]), named(line.baseline),
             named(line.ours), cell(line.ratio, "{:.2f}"), cell(line.target, "{:.2f}"),
             yes_no(line.met), auto, codes, cell(line.codes_ratio, "{:.2f}"),
             cell(line.share, "{:.0%}"), cell("; ".join(line.notes).replace("|", "/")))
    return "| " + " | ".join(cells) + " |"


def class_lines(outcomes, device):
    """A line a class: its lowest ratios."""
    for name, kind in CLASSES.items():
        lines = [summary_of(outcome, device) for outcome in outcomes
                 if outcome.matrix.group == name]
        if not lines:
            continue
        ratios = [line.ratio for line in lines if line.ratio]
        autos = [line.auto_ratio for line in lines if line.auto_ratio]
        judged = [line.met for line in lines if line.met is not None]
        fine = [line.auto_fine for line in lines if line.auto_fine is not None]
        yield (f"| {kind.title} | {len(lines)} | {cell(min(ratios, default=None), '{:.2f}')} | "
               f"{f'{sum(judged)} of {len(judged)}' if judged else '-'} | "
               f"{cell(min(autos, default=None), '{:.2f}')} | "
               f"{f'{sum(fine)} of {len(fine)}' if fine else '-'} |")


def markdown_text(outcomes, device, command):
    against = "the best of cuSPARSE (cuBLAS where dense)" if device == "gpu" else "csr-omp"
    text = ["# Classes of matrices", "",
            f"`{command}`. Ratio: {against} over our best format without value codes (times the "
            "smaller of called and replayed from a graph); share: of the measured read bandwidth, "
            "in the format's own bytes. auto: over the best named format, at most "
            f"{AUTO_SHARE:.0%} or {AUTO_SECONDS * 1e6} us; its set-up, trials included, in "
            "products. How the numbers are made: jobs/NUMBERS.md.", ""]
    seen = set()
    for first in (outcome.first for outcome in outcomes if outcome.formats):
        device_name = str(first["devices"]).split("; ", maxsplit=1)[0]
        built = "".join(f", {title} {first[name]}" for name, title in (
            ("compiler", "compiler"), ("cuda", "CUDA"), ("petsc", "PETSc")) if first[name])
        key = (device_name, first["git"], built)
        if key not in seen:
            seen.add(key)
            bandwidth = first["read_bandwidth_gbytes"]
            speed = f", reads {bandwidth:.0f} GB/s" if bandwidth else ""
            text.append(f"- {device_name}{speed}; rowhalo {first['version']} {first['git'] or ''}{built}, "
                        f"{first['time']}")
    text += ["",
             "| class | matrices | lowest ratio | targets met | lowest ratio of auto | auto fine |",
             "| --- | --- | --- | --- | --- | --- |", *class_lines(outcomes, device), "",
             "| class | matrix | rows | nonzeros | baseline | ms | ours | ms | ratio | target | "
             "met | auto chose | ms | over best | set-up | with value codes, ms | ratio | share | "
             "notes |",
             "| --- " * 19 + "|", *(line_of(outcome, device) for outcome in outcomes)]
    return lines_text(text)
