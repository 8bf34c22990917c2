# SPDX-License-Identifier: BSD-3-Clause
"""Matrices in PETSc's binary format, which `rowhalo convert` writes from any source."""
import array
import itertools
import sys


def read_petsc(path):
    """Rows, columns, offsets, column numbers and values of a matrix in PETSc's binary format."""
    with open(path, "rb") as file:
        def read(kind, count):
            numbers = array.array(kind)
            numbers.fromfile(file, count)
            if sys.byteorder == "little":
                numbers.byteswap()
            return numbers
        _, rows, columns, nonzeros = read("i", 4)
        offsets = array.array("i", itertools.accumulate(read("i", rows), initial=0))
        return rows, columns, offsets, read("i", nonzeros), read("d", nonzeros)
