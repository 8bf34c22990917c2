# SPDX-License-Identifier: BSD-3-Clause
"""What pictures, tables and comparisons are made of: lines of the table of results (rows.py).

Read from a CSV, a study's folder (results.csv, else points/*/result-*.json), a folder of reports, or
reports of `rowhalo run`, `kernels`, `solve` and `info` in JSON or HDF5: reports become the lines that
the CSV would hold, and everything else follows from these. Only a communication matrix, residual
histories and values per rank are read from the reports themselves (Detail), the latter by h5py.
"""
import re
import shlex
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median
from typing import NamedTuple, Optional

from rowhalo_study.calling import hint
from rowhalo_study.results import reports
from rowhalo_study.results.hdf5 import WrongFile, read_hdf5_report
from rowhalo_study.results.rows import read_csv, rows_of, word_after
from rowhalo_study.studies.folder import read_json
from rowhalo_study.studies.ini import WrongInput
from rowhalo_study.studies.plan import DESCRIBED

BASELINES = ("cusparse-", "cublas")


class Detail(NamedTuple):
    """A report beyond its lines: files that may hold a communication matrix, residual histories or
    values per rank."""
    name: str                 # of its point or file
    family: str               # of which the most ranks are shown: its matrix, or its weak study
    ranks: int
    json_path: Optional[Path]
    hdf5_path: Optional[Path]


class Data(NamedTuple):
    rows: list       # of products: as in a CSV, and "combination", and "hdf5_path" or None
    failed: list     # of products with a wrong y and of solvers without a solution
    details: list    # one a point, its first repeat
    ceilings: dict   # {"read": GB/s, "copy": ..., "triad": ...} of one device; or empty
    solvers: list    # as `rows`, of solvers


def read_report(path):
    try:
        report = reports.read_report(path)
    except OSError as error:
        raise WrongFile(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise WrongFile(f"{path}: {error}") from error
    return with_matrix(report, path)


def with_matrix(report, path):
    if not report.get("matrix"):
        raise WrongFile(f"{path}: is a report of `{report['command']}`, without a matrix; give reports of "
                        "`run`, `kernels`, `solve` or `info`")
    return report


def report_of(detail):
    """The report behind a Detail, which is a file of JSON or HDF5."""
    path = Path(detail.json_path)
    return read_report(path) if path.suffix == ".json" else read_hdf5_report(path)


def point_of(path):
    """point.json beside a result; {} where there is none."""
    try:
        return read_json(path.parent / "point.json", DESCRIBED) or {}
    except WrongInput as error:
        raise WrongFile(str(error)) from error


COMBINATION = ("format", "boundary_format", "transport", "graph", "partition", "threads", "swept")
CHOSEN = {"format": "format", "transport": "halo", "graph": "halo", "partition": "partition"}


def request_of(row):
    """format, halo, partition, boundary-format and schedule as the command line asked for them."""
    words = shlex.split(row["command_line"] or "")
    names = ("format", "halo", "partition", "boundary-format", "schedule")
    asked = {name: word_after(f"--{name}", words) for name in names}
    if words[1:2] in (["run"], ["solve"]):
        asked.update({name: asked[name] or "auto" for name in ("format", "halo", "partition")})
        asked["schedule"] = asked["schedule"] or "overlap"
    return asked


def combination_of(row):
    """What was asked for: "auto", which may choose otherwise in every repeat, or what was run. Of
    `kernels`, which has no transport, the graph is what was faster; which format serves boundary
    rows that another refuses was not asked for."""
    request = request_of(row)
    if row["petsc_solver"]:  # has its own product
        request = {"partition": request["partition"]}
    asked = {**row, "graph": row["graph"] if row["transport"] else None,
             "boundary_format": request.get("boundary-format")}
    return tuple("auto" if request.get(CHOSEN.get(name)) == "auto" else asked[name]
                 for name in COMBINATION)


def with_requested_schedules(rows):
    """With `schedule` as it was asked for: under the default, every run settles on one by itself."""
    return [{**row, "schedule": row["schedule"] and (request_of(row)["schedule"] or row["schedule"])}
            for row in rows]


def hdf5_of(row, path):
    """The file with the times behind a line, if it is one of the combination in the file."""
    return path if row["p95_seconds"] is not None and path.is_file() else None


def repeat_of(path):
    number = re.search(r"-(\d+)$", path.stem)
    return int(number[1]) if number and path.stem.startswith("result-") else 1


class Reader:
    """Collects Data from one path after the other."""

    def __init__(self):
        self.rows, self.details = [], []

    def add(self, path):
        if path.is_dir():
            self.add_folder(path)
        elif path.suffix == ".csv":
            self.add_csv(path)
        elif path.suffix in (".h5", ".hdf5") and path.is_file():
            self.add_report(path, read_hdf5_report(path))
        elif path.is_file():
            self.add_report(path, read_report(path))
        else:
            raise WrongFile(f"{path}: there is no such file or folder")

    def add_folder(self, folder):
        if (folder / "results.csv").is_file():
            self.add_csv(folder / "results.csv")
            return
        results = sorted(folder.glob("points/*/result-*.json"))
        results = results or sorted(path for path in folder.rglob("*.json")
                                    if not path.parent.name.startswith("before-"))
        reports = [(path, self.report_or_none(path)) for path in results]
        for path, report in reports:
            if report:
                self.add_report(path, report)
        if not any(report for _, report in reports):
            raise WrongFile(f"{folder}: holds neither results.csv nor a report; "
                            f"`{hint()} collect` makes the one from the other")

    @staticmethod
    def report_or_none(path):
        """Folders may hold other JSON, and what a killed job began."""
        try:
            return read_report(path)
        except WrongFile:
            return None

    def add_csv(self, path):
        try:
            self.add_rows(read_csv(path), lambda row: path.parent / "points"
                          / (row["point"] or ".") / f"result-{row['repeat']}.h5")
        except (OSError, ValueError) as error:
            raise WrongFile(f"{path}: {error}; `{hint()} collect` and "
                            f"{hint('table')} make one") from error
        seen = set()
        for result in sorted(path.parent.glob("points/*/result-*.json")):
            report = None if result.parent in seen else self.report_or_none(result)
            if report:
                seen.add(result.parent)
                self.add_detail(result, report)

    def add_report(self, path, report):
        point = point_of(path)
        if report["command"] in reports.LISTS:
            named = point or {"name": path.stem}
            self.add_rows(rows_of(report, named, repeat_of(path)),
                          lambda _: path.with_suffix(".h5"))
        if not point or point.get("name") not in {detail.name for detail in self.details}:
            self.add_detail(path, report)

    def add_rows(self, rows, place_of):
        """`place_of` a row: where its HDF5 would be."""
        for row in rows:
            row["combination"] = combination_of(row)
            row["hdf5_path"] = hdf5_of(row, place_of(row))
        self.rows += rows

    def add_detail(self, path, report):
        beside = path if path.suffix == ".hdf5" else path.with_suffix(".h5")
        ranks = (report.get("communication") or report.get("partition") or {}).get("ranks", 1)
        point, family = point_of(path), report["matrix"]["source"]
        if point.get("kind") == "weak":
            family = f"{point.get('study')}: {family.split(':')[0]}"
        self.details.append(Detail(point.get("name") or path.stem, family, ranks, path,
                                   beside if beside.is_file() else None))


def ceilings_of(rows):
    """Bandwidths of one device, of the first run that measured all of them."""
    for row in rows:
        if row["copy_bandwidth_gbytes"]:
            return {name: row[f"{name}_bandwidth_gbytes"] for name in ("read", "copy", "triad")
                    if row[f"{name}_bandwidth_gbytes"]}
    return {}


def reader_of(paths):
    """All lines of all paths, refusals and failures among them. WrongFile says what cannot be
    used."""
    reader = Reader()
    for path in paths:
        reader.add(Path(path))
    return reader


def is_wanted(row, where):
    """`where`: {column: patterns}, of which one must match."""
    return all(any(fnmatchcase(str(row[column]), pattern) for pattern in patterns)
               for column, patterns in where.items())


def read(paths, where=None):
    """Data of all paths: what has a time, and is wanted."""
    return data_of(reader_of(paths), where)


def data_of(reader, where=None):
    ended = [row for row in reader.rows if row["median_seconds"]
             and row["status"] != "interrupted" and is_wanted(row, where or {})]
    fine = [row for row in ended if row["passed"] is not False]
    wanted = {row["point"] for row in reader.rows if is_wanted(row, where or {})}
    details = [detail for detail in reader.details if not where or detail.name in wanted]
    return Data([row for row in fine if not row["method"]],
                [row for row in ended if row["passed"] is False], details,
                ceilings_of(ended), [row for row in fine if row["method"]])


class Measured(NamedTuple):
    """A time over the repeats of a point: bars reach from the fastest to the slowest."""
    seconds: float
    low: float
    high: float


def measured(rows, name="median_seconds"):
    """Over repeats; of a single one from the fastest batch to the slowest twentieth."""
    values = [row[name] for row in rows if row[name] is not None]
    if not values:
        return None
    if len(values) == 1 and name == "median_seconds":
        row = rows[0]
        return Measured(values[0], row["min_seconds"] or values[0],
                        max(values[0], row["p95_seconds"] or values[0]))
    return Measured(median(values), min(values), max(values))


def is_baseline(name):
    return str(name).startswith(BASELINES)


def grouped(rows, *names):
    """{values of `names`: rows}, in the order of the rows."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def fastest(rows):
    """The rows (repeats) of the fastest combination."""
    combinations = grouped(rows, "combination")
    return min(combinations.values(), key=lambda repeats: measured(repeats).seconds)
