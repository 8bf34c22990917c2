# SPDX-License-Identifier: BSD-3-Clause
"""The operator of one rank as a scipy.sparse.linalg.LinearOperator, for SciPy's solvers."""
from __future__ import annotations

from typing import Any

import scipy.sparse.linalg

from ._operator import Operator


class LinearOperator(Operator, scipy.sparse.linalg.LinearOperator):  # type: ignore[misc]
    """What Operator() gives on one rank."""

    def _matvec(self, x: Any) -> Any:
        return self.matvec(x)

    def _transpose(self) -> Operator:
        return self.transposed()

    _adjoint = _transpose
