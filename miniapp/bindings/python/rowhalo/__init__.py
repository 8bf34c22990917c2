# SPDX-License-Identifier: BSD-3-Clause
"""Distributed sparse matrix-vector products and solvers, on CPUs and GPUs.

    import numpy, rowhalo, scipy.sparse
    a = rowhalo.Operator(scipy.sparse.random(1000, 1000, 0.01, format="csr"))
    y = a @ numpy.ones(1000)

Operator says what it takes and gives. The library librowhalo.so is looked for where ROWHALO_LIBRARY says,
beside the program `rowhalo` of PATH, and where the loader looks.
"""
from ._arrays import ArrayError
from ._library import Error, InputError, LibraryMissing, library_path, library_version
from ._operator import Operator, Solution

__all__ = ["ArrayError", "Error", "InputError", "LibraryMissing", "Operator", "Solution", "library_path",
           "library_version"]
__version__ = "1.0.0"
