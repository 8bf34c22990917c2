# SPDX-License-Identifier: BSD-3-Clause
"""Reports in HDF5 (layout: NUMBERS.md) as the dictionaries that JSON gives, and times of batches."""
import sys

from rowhalo_study.results.reports import checked_report
from rowhalo_study.studies.shape import parse_json

TRUTHS = ("passed", "graph", "baseline", "reproducible")  # 0 or 1 in HDF5
TABLES = ("cases", "formats", "solvers")  # lists of objects, a dataset a name
NESTED = ("phases", "norms", "petsc")     # of a solver: JSON in HDF5


class WrongFile(Exception):
    """What is wrong and what to do."""


def remedy(package):
    """What apt-get installs, only the system's own Python finds."""
    return (f"{sys.executable} -m pip install {package}; or apt-get install python3-{package}, and "
            "start this by /usr/bin/python3")


def opened(path):
    try:
        import h5py  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise WrongFile(f"{path}: {sys.executable} has no h5py: {remedy('h5py')}") from error
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise WrongFile(f"{path}: cannot be read as HDF5: {error}") from error


def plain(name, value):
    """A value as Python has it; None where HDF5 has none, NaN in a column included."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (str, int, float)):
        return None if value != value else bool(value) if name in TRUTHS else value
    return None


def dictionary(group):
    """Attributes, lists and groups; communication and values per rank stay in the file."""
    found = {name: plain(name, value) for name, value in group.attrs.items()}
    for name, item in group.items():
        if name in ("communication", "ranks"):
            continue
        if hasattr(item, "items"):
            inner = dictionary(item)
            if name in TABLES:
                inner = [dict(zip(inner, line)) for line in zip(*inner.values())]
            found[name] = inner
        else:
            found[name] = [plain(name, value) for value in item[:]]
    return found


def read_hdf5_report(path):
    with opened(path) as file:
        report = dictionary(file)
    if "command" not in report or "matrix" not in report:
        raise WrongFile(f"{path}: is no report; make one with `rowhalo run --hdf5 FILE`")
    try:
        for solver in report.get("solvers", []):
            solver.update({name: parse_json(solver.get(name) or "null") for name in NESTED})
        return checked_report(report)
    except (AttributeError, TypeError, ValueError) as error:
        raise WrongFile(f"{path}: {error}") from error


def batch_seconds(path):
    """Seconds of one product, a value per batch, the slowest rank's; empty where there are none."""
    with opened(path) as file:
        if "ranks/batch_seconds" not in file:
            return []
        return file["ranks/batch_seconds"][:].max(axis=0).tolist()
