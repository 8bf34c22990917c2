# SPDX-License-Identifier: BSD-3-Clause
"""One page of a result: a self-contained HTML file that works without a network.

usage: rowhalo-study report OUT ... [--earlier OTHER] [--reference FILE] [--output FILE.html]

OUT is the folder of a study or of an official result, a table (.csv), or reports of `rowhalo run`,
`kernels`, `solve` and `info` (.json, .h5). The page opens with a verdict, the winner of every matrix and the machine; the
pictures of `plot` follow for everything that the data can show, then all results as a CSV to download and the commands
that measure them again. Needs the Python packages jinja2 and matplotlib.
Exit status: 0 fine, 1 the page cannot be written, 2 wrong usage or input.
"""
import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from rowhalo_study.calling import typed
from rowhalo_study.compare.lines import outcome_of
from rowhalo_study.names import Parser, say
from rowhalo_study.official import bundle
from rowhalo_study.official.rating import Broken, assess
from rowhalo_study.official.ratios import read_reference
from rowhalo_study.pages import against, best, commands, page, verdict
from rowhalo_study.pages.telemetry import telemetry_section
from rowhalo_study.pages.words import Section, Table, meta_of
from rowhalo_study.plots import style
from rowhalo_study.plots.kinds import KINDS
from rowhalo_study.plots.ratios import ratios as draw_ratios
from rowhalo_study.plots.style import four_digits, short_matrix, subject
from rowhalo_study.results.data import data_of, read, read_report, reader_of
from rowhalo_study.results.hdf5 import WrongFile, remedy
from rowhalo_study.results.rows import columns_of, csv_text, section, solver_name, unique
from rowhalo_study.results.table import note_of, transport_of
from rowhalo_study.schedulers.site import read_site
from rowhalo_study.studies.folder import read_plan
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.plan import SHOWN
from rowhalo_study.studies.points import slug
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
    return parser.parse_args(words)


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
    return Table(heads, lines, metas=tuple(map(meta_of, rows)))


def title_of(rows, plan, official, inputs):
    if official:
        return official["name"]
    if plan and plan.get("title"):
        return plan["title"]
    studies = unique(row["study"] for row in rows if row["study"])
    return ", ".join(studies) or ", ".join(path.name for path in inputs[:3])


def drawn(draw):
    """The SVG that `draw(folder)` writes."""
    with tempfile.TemporaryDirectory() as folder, style.svg_only():
        return tuple(path.read_bytes() for path in draw(Path(folder)))


def picture_sections(data, notes):
    """Of every kind of picture that the data can show."""
    found = []
    for name, (title, draw, lead) in KINDS.items():
        try:
            found.append(Section(name, title, f"{lead[0].upper()}{lead[1:]}.", drawn(partial(draw, data))))
        except style.NothingToDraw:
            pass
        except WrongFile as error:
            notes.append(f"No picture {name}: {error}")
    return found


def sections_of(data, reports, outcome, reference, official, path, notes):
    """What this result is beside others, then its pictures and tables."""
    found, sections = [], []
    if outcome:
        sections.append(against.earlier_section(outcome, lambda lines: drawn(lambda folder: draw_ratios(
            lines, "this result over the earlier one", "time over the earlier time", folder, "earlier"))))
    if reference:
        found = against.reference_ratios(data, reference, official)
        name, first = against.reference_name(reference)
        if not found:
            raise WrongInput(f"--reference {path}: has no matrix in common with this result")
        rank = "GPU" if any(row["device"] == "gpu" for row in data.rows + data.solvers) else "rank"
        sections.append(against.reference_section(found, name, first, rank, lambda ratios: drawn(
            lambda folder: draw_ratios(ratios, f"this result over {name}", "rate over that of the reference", folder,
                                       "reference"))))
    return found, [*sections, *picture_sections(data, notes), *telemetry_section(reports), *against.expected_section(data)]


def make(options):
    """The page's text."""
    try:
        style.matplotlib_ready()
    except ImportError as error:
        raise WrongInput(f"pictures need matplotlib ({error}): {remedy('matplotlib')}") from error
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
                             "matrix must have been measured in the same precision")
    reports, notes = reports_of(data.details), []
    reference = read_reference(options.reference) if options.reference else None
    ratios, sections = sections_of(data, reports, outcome, reference, official, options.reference, notes)
    winners = best.winners(data.rows + data.solvers)
    if winners:
        sections.insert(0, Section("best", "Best of every matrix", "The fastest combination of every matrix, and how far it is "
                                   "ahead of the next: the interval says whether the runs show it.", (),
                                   (best.best_table(winners),)))
    missing, skipped = verdict.missing_points(plan, rows, site_of(folder) if plan else None)
    said = verdict.verdict_of(rows, missing, official, outcome)
    said.notes.extend(verdict.note_on_skipped(skipped) + notes)
    joules = [section(report, "telemetry").get("energy_per_product_joules") for _, report in reports]
    title = title_of(rows, plan, official, options.inputs)
    machines = verdict.machines_of(rows, reports)
    words = [word for name in ("earlier", "reference") if getattr(options, name)
             for word in (f"--{name}", getattr(options, name).name)]
    return page.page_html(
        title=title, subtitle=subject(rows), verdict=said, best=list(map(best.sentence, winners[:3])),
        cards=verdict.cards_of(data, outcome, ratios, [one for one in joules if one]), machines=machines,
        facts=[list(dict.fromkeys(name for machine in machines for name in machine[part])) for part in range(2)],
        sections=sections, table=all_results(rows), csv_text=csv_text(rows, columns_of(rows)),
        csv_name=f"{slug((plan or {}).get('study') or title) or 'results'}.csv",
        recipe=commands.recipe_of(rows, folder, plan, [path.name for path in options.inputs], words))


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
