# SPDX-License-Identifier: BSD-3-Clause
"""Named sets of matrices of the SuiteSparse collection, and how many rows, columns and nonzeros each
has: matrices.csv.

Every name and number is as in the database of the collection's web site (github.com/ScottKolo/
suitesparse-matrix-collection-website, June 2025; stored zeros do not count as nonzeros). Where a set
comes from is said with it.
"""
import csv
import difflib
import re
from pathlib import Path
from typing import NamedTuple, Optional

from rowhalo_study.studies.ini import WrongInput

TABLE = Path(__file__).resolve().parent / "matrices.csv"
NAME = re.compile(r"[A-Za-z0-9][\w.+-]*/[A-Za-z0-9][\w.+-]*")


class Set(NamedTuple):
    title: str
    origin: str


SETS = {
    "large33": Set(
        "33 matrices with more than 10 million nonzeros, stored zeros included, of many fields",
        "the SuiteSparse part of the benchmark of ISpMV 0.1 (github.com/PolyU-IOR/ISpMV, "
        "benchmarks/matrices.csv)"),
    "lp49": Set(
        "the 49 linear programs of the collection with the most nonzeros",
        "all matrices of the kind 'linear programming problem', sorted by nonzeros; in standard "
        "form, so with columns of slack variables"),
    "mittelmann9": Set(
        "linear programs of Mittelmann's benchmark of LP solvers, as far as the collection has them",
        "9 of the 49 in the benchmark of ISpMV 0.1, in standard form; the other 40 are distributed "
        "as MPS files only (plato.asu.edu/ftp/lptestset), which rowhalo does not read"),
    "common20": Set(
        "20 matrices that papers on SpMV on GPUs often show",
        "12 of the 14 of Williams et al. (Parallel Computing 35, 2009) and of Bell and Garland "
        "(NVR-2008-004): without the dense one (--matrix dense:2000) and the complex "
        "QCD/conf5_4-8x8-05; and the 8 that the paper on CSR5 (Liu and Vinter, ICS 2015) adds"),
}


class Matrix(NamedTuple):
    name: str                   # Group/Name
    rows: Optional[int] = None  # None: not one of matrices.csv
    columns: Optional[int] = None
    nonzeros: Optional[int] = None
    sets: tuple = ()

    @property
    def short(self):
        return self.name.split("/")[1]


def known():
    """{Group/Name: Matrix} of matrices.csv."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        return {line["matrix"]: Matrix(line["matrix"], int(line["rows"]), int(line["columns"]),
                                       int(line["nonzeros"]), tuple(line["sets"].split()))
                for line in csv.DictReader(file)}


def members(name, table):
    """The matrices of a set, the one with the fewest nonzeros first."""
    return sorted((matrix for matrix in table.values() if name in matrix.sets),
                  key=lambda matrix: matrix.nonzeros)


def chosen(words):
    """The matrices that sets, Group/Name, and names of matrices.csv without a group stand for."""
    table = known()
    groups = {matrix.short: matrix for matrix in table.values()}
    found = {}
    for word in words:
        if word in SETS:
            matrices = members(word, table)
        elif NAME.fullmatch(word):
            matrices = [table.get(word, Matrix(word))]
        elif word in groups:
            matrices = [groups[word]]
        else:
            near = difflib.get_close_matches(word, [*SETS, *groups, *table], 1)
            raise WrongInput(f"{word}: is neither a set ({', '.join(SETS)}) nor Group/Name of the "
                             "collection, e.g. Williams/cant"
                             + (f"; did you mean {near[0]}?" if near else ""))
        found.update((matrix.name, matrix) for matrix in matrices)
    shorts = {}
    for matrix in found.values():
        other = shorts.setdefault(matrix.short, matrix)
        if other != matrix:
            raise WrongInput(f"{other.name} and {matrix.name}: both would be {matrix.short}.mtx; "
                             "fetch them into different folders")
    return list(found.values())
