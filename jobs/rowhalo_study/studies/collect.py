# SPDX-License-Identifier: BSD-3-Clause
"""Reports of all points to results.csv, and to results.h5 where h5py is there.

HDF5: group /results with a dataset a column of the CSV, and /points/POINT/K with everything that
the program's own result-K.h5 holds, among it the time of every batch on every rank.
"""
import sys

from rowhalo_study.calling import typed
from rowhalo_study.names import say, utf8
from rowhalo_study.results.hdf5 import remedy
from rowhalo_study.results.reports import read_report
from rowhalo_study.results.rows import TEXTS, columns_of, csv_text, rows_of
from rowhalo_study.studies.folder import read_json, results_in
from rowhalo_study.studies.plan import DESCRIBED
from rowhalo_study.whole_files import whole, write_whole

STUDY = typed()

def rows_of_study(folder):
    """All rows, in the order of the plan. Points that did not end have those that they wrote."""
    for point in folder.points:
        place = folder.place_of(point)
        described = read_json(place / "point.json", DESCRIBED) or point
        for repeat, path in results_in(place):
            try:
                yield from rows_of(read_report(path), described, repeat)
            except ValueError as error:
                say(f"{STUDY}: {path} is left out: {error}", file=sys.stderr)


def column_of(name, rows):
    """What h5py makes of a column: numbers with NaN for those that are missing, or text."""
    values = [row[name] for row in rows]
    if name in TEXTS:
        return ["" if value is None else utf8(str(value)) for value in values]
    if all(isinstance(value, int) for value in values):
        return values
    return [float("nan") if value is None else float(value) for value in values]


def write_hdf5(folder, rows, path):
    """Says why not where it cannot."""
    try:
        import h5py  # pylint: disable=import-outside-toplevel
    except ImportError:
        say(f"{STUDY}: no results.h5: {sys.executable} has no h5py: {remedy('h5py')}",
              file=sys.stderr)
        return False
    with whole(path) as fresh, h5py.File(fresh, "w") as file:
        for key in ("study", "kind", "title", "site", "command"):
            file.attrs[key] = utf8(folder.plan[key])
        group = file.create_group("results")
        for name in columns_of(rows):
            group[name] = column_of(name, rows)
        for point in folder.points:
            for source in sorted(folder.place_of(point).glob("result-*.h5")):
                repeat = source.stem.split("-")[1]
                try:
                    with h5py.File(source, "r") as own:
                        own.copy(own["/"], file, f"points/{point['name']}/{repeat}")
                except OSError as error:
                    say(f"{STUDY}: {source} is left out: {error}", file=sys.stderr)
    return True


def collect(folder):
    """Number of rows."""
    rows = list(rows_of_study(folder))
    write_whole(folder.path / "results.csv", csv_text(rows))
    written = ["results.csv"]
    if write_hdf5(folder, rows, folder.path / "results.h5"):
        written.append("results.h5")
    say(f"{len(rows)} rows in {' and '.join(str(folder.path / name) for name in written)}",
          flush=True)
    return len(rows)
