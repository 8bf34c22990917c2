# SPDX-License-Identifier: BSD-3-Clause
"""CSV (a line a matrix and format) and markdown (a line a matrix) of the class benchmark."""
import csv
import io

from matrices import AUTO_SECONDS, AUTO_SHARE, CLASSES
from results import summary_of

COLUMNS = ("class", "matrix", "precision", "rows", "columns", "nonzeros", "format", "role",
           "seconds", "called_seconds", "graph_seconds", "ratio", "bytes", "footprint_bytes",
           "share_of_read_bandwidth", "setup_products", "max_error_ratio", "y_hash", "parameters",
           "passed", "reason")


def csv_text(outcomes, device):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for outcome in outcomes:
        line = {"class": outcome.matrix.group, "matrix": outcome.matrix.spec,
                "precision": outcome.precision, "reason": outcome.failure}
        if outcome.report is None:
            writer.writerow(line)
            continue
        line.update({key: outcome.report["matrix"][key] for key in ("rows", "columns", "nonzeros")})
        baseline = summary_of(outcome, device).baseline
        beside = [outcome.companion] if outcome.companion else []
        for entry in outcome.formats + beside:
            keys = [key for key in COLUMNS if key in entry.report and key != "seconds"]
            if entry.role == "companion":
                line.update({"matrix": outcome.matrix.companion, "rows": "", "columns": "",
                             "nonzeros": outcome.companion_nonzeros})
            ratio = None
            if baseline and entry.seconds and entry.role != "companion":
                ratio = baseline.seconds / entry.seconds
            writer.writerow({**line, **{key: entry.report[key] for key in keys},
                             "format": entry.name, "role": entry.role, "seconds": entry.seconds,
                             "called_seconds": entry.report.get("seconds"), "ratio": ratio,
                             "passed": entry.report.get("seconds") and entry.report["passed"],
                             "reason": entry.reason})
    return text.getvalue()


def cell(value, layout="{}"):
    return "-" if value is None or value == "" else layout.format(value)


def yes_no(value):
    return cell(None if value is None else "yes" if value else "no")


def named(entry):
    return f"{entry.name} | {entry.seconds * 1e3:.4g}" if entry else "- | -"


def line_of(outcome, device):
    line = summary_of(outcome, device)
    matrix = outcome.report["matrix"] if outcome.report else {}
    auto = "- | - | - | -"
    if line.auto:
        setup = cell(line.auto.report.get("setup_products"), "{:.0f}")
        auto = (f"{cell(line.auto_format)} | {line.auto.seconds * 1e3:.4g} | "
                f"{cell(line.auto_behind, '{:+.1%}')}{'' if line.auto_fine else ' (too slow)'} | "
                f"{setup}")
    codes = f"{line.codes.seconds * 1e3:.4g}" if line.codes else "-"
    cells = (CLASSES[outcome.matrix.group].title,
             outcome.matrix.spec + (f" ({outcome.precision})" if outcome.matrix.precision else ""),
             cell(matrix.get("rows")), cell(matrix.get("nonzeros")), named(line.baseline),
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
    reports = [outcome.report for outcome in outcomes if outcome.report]
    against = "the best of cuSPARSE (cuBLAS where dense)" if device == "gpu" else "csr-omp"
    text = ["# Classes of matrices", "",
            f"`{command}`. Ratio: {against} over our best format without value codes (times the "
            "smaller of called and replayed from a graph); share: of the measured read bandwidth, "
            "in the format's own bytes. auto: over the best named format, at most "
            f"{AUTO_SHARE:.0%} or {AUTO_SECONDS * 1e6} us; its set-up, trials included, in "
            "products. How the numbers are made: jobs/NUMBERS.md.", ""]
    seen = set()
    for report in reports:
        source, bandwidth = report["provenance"], report["bandwidth"]
        key = (source["devices"][0], source["git"], source["cuda"])
        if key not in seen:
            seen.add(key)
            speed = f", reads {bandwidth['read']:.0f} GB/s" if bandwidth else ""
            text.append(f"- {key[0]}{speed}; rowhalo {source['version']} {key[1]}"
                        f"{', CUDA ' + key[2] if key[2] else ''}, {source['time']}")
    text += ["",
             "| class | matrices | lowest ratio | targets met | lowest ratio of auto | auto fine |",
             "| --- | --- | --- | --- | --- | --- |", *class_lines(outcomes, device), "",
             "| class | matrix | rows | nonzeros | baseline | ms | ours | ms | ratio | target | "
             "met | auto chose | ms | over best | set-up | with value codes, ms | ratio | share | "
             "notes |",
             "| --- " * 19 + "|", *(line_of(outcome, device) for outcome in outcomes)]
    return "\n".join(text) + "\n"
