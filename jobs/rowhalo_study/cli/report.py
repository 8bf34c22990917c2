# SPDX-License-Identifier: BSD-3-Clause
"""One page of a result: a self-contained HTML file that works without a network.

usage: rowhalo-study report OUT ... [--earlier OTHER] [--reference FILE] [--output FILE.html]

OUT is the folder of a study or of an official result, a table (.csv), or reports of `rowhalo run`,
`kernels`, `solve` and `info` (.json, .h5). The page opens with a verdict and the machine; charts
follow for everything that the data can show, then all results as a CSV to download and the commands
that measure them again. Charts are drawn by plotly.js, which the Python package plotly contains
(python3 -m pip install plotly); only this program needs it, not those who read the page.
Python 3.9 or newer. Exit status: 0 fine, 1 the page cannot be written, 2 wrong usage or input.
"""
import argparse
import sys
from pathlib import Path

from rowhalo_study.official import bundle
from rowhalo_study.official.rating import Broken, assess
from rowhalo_study.official.ratios import read_reference
from rowhalo_study.calling import typed
from rowhalo_study.compare.lines import outcome_of
from rowhalo_study.names import Parser, say
from rowhalo_study.results.data import data_of, read, read_report, reader_of
from rowhalo_study.results.hdf5 import WrongFile, remedy
from rowhalo_study.plots.style import four_digits, short_matrix, subject
from rowhalo_study.pages import against, commands, page, product, ranks, scaling, verdict
from rowhalo_study.pages.figures import Table, meta_of
from rowhalo_study.studies.folder import read_plan
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.plan import SHOWN
from rowhalo_study.studies.points import slug
from rowhalo_study.results.rows import columns_of, csv_text, section, solver_name, unique
from rowhalo_study.schedulers.site import read_site
from rowhalo_study.results.table import note_of, transport_of
from rowhalo_study.whole_files import write_whole

NAME = typed("report")
COLUMNS = (  # of the table on the page; the CSV has all
    ("median_seconds", "time, µs", 1e6), ("exposed_seconds", "exposed, µs", 1e6), ("gflops", "GF/s", 1),
    ("gbytes_per_second", "GB/s", 1), ("share_of_read_bandwidth", "share, %", 100),
    ("petsc_seconds", "PETSc, µs", 1e6), ("max_error_ratio", "error over bound", 1))


def parse(words):
    parser = Parser(
        prog=NAME, description=__doc__.split("\n", maxsplit=1)[0],
        formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__.split("\n\n", maxsplit=2)[2])
    parser.add_argument("inputs", nargs="+", metavar="OUT", type=Path,
                        help="folder of a study or an official result, table (.csv), reports (.json, .h5)")
    parser.add_argument("--earlier", type=Path, metavar="OTHER",
                        help="an earlier result of the same kinds, to compare with")
    parser.add_argument("--reference", type=Path, metavar="FILE",
                        help="a table of jobs/reference, or results.csv of another official result")
    parser.add_argument("--output", type=Path, metavar="FILE.html",
                        help="the page (default: report.html in the folder OUT, else here)")
    parser.add_argument("--plotly", type=Path, metavar="FILE.js",
                        help="plotly.js to embed (default: that of the Python package plotly)")
    return parser.parse_args(words)


def plotly_code(path):
    """The code of plotly.js, of a file or of the Python package."""
    if path:
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise WrongInput(f"--plotly {path}: cannot be read: {error}") from error
    way = f"{remedy('plotly')}; or give a copy of plotly.min.js by --plotly FILE.js"
    try:
        from plotly.offline import get_plotlyjs  # pylint: disable=import-outside-toplevel
        return get_plotlyjs()
    except ImportError as error:
        raise WrongInput(f"charts need the Python package plotly ({error}): {way}") from error
    except OSError as error:
        raise WrongInput(f"this package plotly has no plotly.js ({error}): {way}") from error


def folder_of(inputs):
    """The study that is shown, if it is one."""
    first = inputs[0]
    return first if len(inputs) == 1 and first.is_dir() else None


def site_of(folder):
    """The site of a study's folder; None without one that can be read."""
    try:
        return read_site(folder / "site.ini") if folder else None
    except WrongInput:
        return None


def official_of(folder, plan):
    """The verdict of rowhalo-study official on its folder; None of any other."""
    if not (plan or {}).get("official"):
        return None
    try:
        return assess(bundle.files_of(folder))
    except Broken as error:
        raise WrongFile(f"{folder}: {error}") from error


def reports_of(details):
    """[(detail, report)] of what is JSON: system and telemetry."""
    return [(detail, read_report(detail.json_path)) for detail in details
            if detail.json_path.suffix == ".json"]


def all_results(rows):
    """Every line, also of what could not run."""
    used = [column for column in COLUMNS if any(row[column[0]] is not None for row in rows)]
    solvers = any(row["method"] for row in rows)
    heads = ["matrix", "ranks", *(["solver"] if solvers else []), "format", "transport", "partition",
             "precision", "repeat", *(title for _, title, _ in used), "right", "remarks"]
    lines = []
    for row in rows:
        figures = ["" if row[name] is None else four_digits(factor * row[name]) for name, _, factor in used]
        right = {True: "yes", False: "NO"}.get(row["passed"], "")
        lines.append([short_matrix(row["matrix"]), row["ranks"], *([solver_name(row)] if solvers else []),
                      row["format"], transport_of(row), row["partition"], row["precision"], row["repeat"],
                      *figures, right, note_of(row)])
    return Table(heads, lines, metas=[meta_of(row) for row in rows])


def title_of(rows, plan, official, inputs):
    if official:
        return official["name"]
    if plan and plan.get("title"):
        return plan["title"]
    studies = unique(row["study"] for row in rows if row["study"])
    return ", ".join(studies) or ", ".join(path.name for path in inputs[:3])


def sections_of(data, reports, beside, notes):
    """All charts that the data can show. `beside`: {"outcome", "reference", "official"}."""
    reference, outcome = beside["reference"], beside["outcome"]
    found, name, roof = [], "", None
    if reference:
        found = against.reference_ratios(data, reference, beside["official"])
        name, first = against.reference_name(reference)
        if first["read_bandwidth_gbytes"]:
            roof = (f"reference, {name}, read", first["read_bandwidth_gbytes"] / first["ranks"])

    def reference_lines(lines):
        rows = [row for line in lines for row in line.rows()]
        return against.lines_beside(rows, reference or {}, name)
    before = [against.earlier_section(outcome)] if outcome else []
    if found:
        rank = "GPU" if any(row["device"] == "gpu" for row in data.rows + data.solvers) else "rank"
        before.append(against.reference_section(found, name, first, rank))
    roofline = product.roofline_section(data, roof)
    if reference and not found:
        if not roofline or not roof:
            raise WrongInput(f"--reference {beside['path']}: has no matrix in common with this result")
        notes.append(f"The reference ({name}) has no matrix in common with this result: only its "
                     "bandwidth is drawn, in the roofline.")
    return found, [
        *before, *scaling.scaling_sections(data, reference_lines), *scaling.solver_sections(data),
        *product.breakdown_section(data), *product.solve_breakdown_section(data),
        *scaling.exposed_section(data),
        *product.transports_section(data), *product.formats_section(data), *roofline,
        *ranks.rank_sections(data, notes), *ranks.history_section(data), *ranks.telemetry_section(reports),
        *against.expected_section(data)]


def make(options):
    """The page's text."""
    plotly = plotly_code(options.plotly)
    reader = reader_of(options.inputs)
    rows, data = reader.rows, data_of(reader)
    if not rows and not data.details:
        raise WrongFile(f"{options.inputs[0]}: holds no result of `rowhalo run`, `kernels` or `solve`")
    folder = folder_of(options.inputs)
    plan = read_plan(folder, SHOWN) if folder else None
    official = official_of(folder, plan)
    outcome = None
    if options.earlier:
        outcome = outcome_of([read([options.earlier]), data])
        if not outcome.lines and not outcome.broken:
            raise WrongInput(f"--earlier {options.earlier}: has no line in common with this result; the same "
                             "matrix, ranks, format and transport must have been measured")
    reports, notes = reports_of(data.details), []
    beside = {"outcome": outcome, "official": official,
              "reference": read_reference(options.reference) if options.reference else None,
              "path": options.reference}
    ratios, sections = sections_of(data, reports, beside, notes)
    missing, skipped = verdict.missing_points(plan, rows, site_of(folder) if plan else None)
    said = verdict.verdict_of(rows, missing, official, outcome)
    said.notes.extend(verdict.note_on_skipped(skipped) + notes)
    joules = [section(report, "telemetry").get("energy_per_product_joules") for _, report in reports]
    cards = verdict.cards_of(data, outcome, ratios, [one for one in joules if one])
    title = title_of(rows, plan, official, options.inputs)
    head = page.head_html(title, subject(rows), said, cards, verdict.machines_of(rows, reports))
    words = [word for name in ("earlier", "reference") if getattr(options, name)
             for word in (f"--{name}", getattr(options, name).name)]
    recipe = commands.recipe_of(rows, folder, plan, [path.name for path in options.inputs], words)
    csv_name = f"{slug((plan or {}).get('study') or title) or 'results'}.csv"
    return page.page_html(head, sections, recipe, all_results(rows), csv_text(rows, columns_of(rows)),
                          csv_name, f"{title}: rowhalo report", plotly)


def main(words):
    options = parse(words)
    folder = folder_of(options.inputs)
    output = options.output or (folder / "report.html" if folder else Path("report.html"))
    try:
        text = make(options)
    except (WrongFile, WrongInput) as error:
        say(f"{NAME}: {error}", file=sys.stderr)
        return 2
    try:
        write_whole(output, text)
    except OSError as error:
        say(f"{NAME}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    say(output)
    return 0
