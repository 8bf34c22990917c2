# SPDX-License-Identifier: BSD-3-Clause
"""Results for the tests of rowhalo-study plot and rowhalo-study compare: reports that the program wrote in a moment, laid
out as a study, and the commands themselves as functions."""
import contextlib
import io
import json
import subprocess
import sys
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import launch  # noqa: E402  pylint: disable=wrong-import-position

JOBS = launch.SOURCE / "jobs"
sys.path[:0] = [str(JOBS / "results/programs"), str(JOBS)]
QUICK = ["--min-seconds", "0", "--batches", "5", "--iterations", "2", "--warmup", "0",
         "--validate", "reference"]


def script(command, *arguments):
    """A command of rowhalo-study, run inside this process: importing matplotlib takes longer than most of them."""
    from rowhalo_study.cli import main  # pylint: disable=import-outside-toplevel
    words = list(map(str, arguments))
    stdout, stderr, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr), \
            unittest.mock.patch.object(sys, "argv", [str(JOBS / "rowhalo-study")]):
        try:
            status = main.main(words if command == "study" else [command, *words])
        except SystemExit as ended:
            status = ended.code or 0
    return subprocess.CompletedProcess(words, status, stdout.getvalue(), stderr.getvalue())


def measure(folder, repeat, *arguments, ranks=1, command="run"):
    """result-REPEAT.json and, where the build can, .h5, in a folder that is made."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"result-{repeat}"
    hdf5 = ["--hdf5", f"{target}.h5"] if launch.built_with("HDF5") else []
    quick = [] if command == "solve" else QUICK
    result = launch.run(command, *arguments, *quick, "--json", f"{target}.json", *hdf5, ranks=ranks)
    if result.status != 0:
        raise AssertionError(str(result))
    return json.loads(Path(f"{target}.json").read_text(encoding="utf-8"))


def collect(study):
    """results.csv of a folder of points, as rowhalo-study makes it."""
    from rowhalo_study.results.rows import csv_text, rows_of  # pylint: disable=import-outside-toplevel
    rows = []
    for path in sorted(study.glob("points/*/result-*.json")):
        point = json.loads((path.parent / "point.json").read_text(encoding="utf-8"))
        rows += rows_of(json.loads(path.read_text(encoding="utf-8")), point,
                        int(path.stem.split("-")[1]))
    (study / "results.csv").write_text(csv_text(rows), encoding="utf-8")


def make_study(study, kind, matrices, *arguments, **request):
    """Points of {ranks: matrix}, one repeat each; `request`: format and halo as asked for."""
    for ranks, matrix in matrices.items():
        place = study / "points" / f"n{ranks}"
        place.mkdir(parents=True)
        point = {"name": place.name, "study": study.name, "kind": kind, "matrix": matrix,
                 "ranks": ranks, "format": "auto", "halo": "auto", **request}
        (place / "point.json").write_text(json.dumps(point), encoding="utf-8")
        auto = [word for option in launch.NAMED if option not in arguments for word in (option, "auto")]
        measure(place, 1, "--matrix", matrix, *arguments, *auto, ranks=ranks)
    collect(study)
