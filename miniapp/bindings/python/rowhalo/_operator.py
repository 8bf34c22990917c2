# SPDX-License-Identifier: BSD-3-Clause
"""Operator: y = A x of a matrix whose rows are distributed over MPI ranks."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import ArrayError, as_float64, contiguous, empty, library_of, quick_address, quick_stream, stream_of, view_of
from ._library import Csr, InputError, OperatorInfo, Report, call, check, library, world_without_mpi4py

_FLOATS = {"float32": 4, "float64": 8}
_INTEGERS = {"int32": 4, "int64": 8}


class Solution(NamedTuple):
    """What a solver gives. All ranks have the same but for x and seconds."""

    x: Any  # this rank's entries
    converged: bool
    iterations: int
    end: str  # why it ended: "converged", ...
    norms: Any  # of the residual: the first, then one per iteration (NumPy)
    seconds: float


def _closed(*_: Any) -> int:
    """What products of a closed operator call."""
    raise InputError("the operator was closed", 2)


def _communicator(comm: Any) -> Tuple[int, int, Any]:
    """Fortran handle, size and the communicator of mpi4py, if there is one."""
    if comm is None:
        try:
            from mpi4py import MPI
        except ImportError:
            handle, size = world_without_mpi4py()
            if size > 1:
                raise ImportError(f"{size} ranks need mpi4py: pip install mpi4py, or Debian's python3-mpi4py") from None
            return handle, size, None
        comm = MPI.COMM_WORLD
    if not hasattr(comm, "py2f"):
        raise TypeError(f"comm is a {type(comm).__name__}; give a communicator of mpi4py, as MPI.COMM_WORLD")
    return comm.py2f(), comm.Get_size(), comm


def _sizes(csr: Any, owned_columns: Optional[int], size: int, comm: Any) -> int:
    """Collective. The owned columns; what is wrong on one rank is an error on all."""
    wrong: Optional[str] = None
    rows = columns = 0
    try:
        if getattr(csr, "format", "") != "csr":
            raise ArrayError(f"csr is a {type(csr).__name__}; give a csr_matrix of scipy.sparse or cupyx: tocsr()")
        rows, columns = csr.shape
        for name, numbers in (("indptr", _INTEGERS), ("indices", _INTEGERS), ("data", _FLOATS)):
            view = view_of(getattr(csr, name))
            if view.dtype not in numbers or not view.contiguous:
                raise ArrayError(f"csr.{name} is {view.dtype}; {' and '.join(numbers)} are taken, contiguous: "
                                 f"csr.{name}.astype(...)")
    except ArrayError as error:
        wrong = str(error)
    owned = owned_columns if owned_columns is not None else columns if size == 1 else rows
    own = (columns, owned, wrong)
    everyone = [own] if size == 1 else comm.allgather(own)
    for rank, (_, _, reason) in enumerate(everyone):
        if reason is not None:
            raise ArrayError(reason if size == 1 else f"rank {rank}: {reason}")
    widths = sorted({entry[0] for entry in everyone})
    if len(widths) > 1:
        raise InputError(f"csr has {widths[0]} columns on one rank, {widths[-1]} on another; all have those of the "
                         "whole matrix", 2)
    total = sum(entry[1] for entry in everyone)
    if total != columns:
        raise InputError(f"ranks own {total} entries of x, but csr has {columns} columns; say owned_columns=N, this "
                         "rank's share", 2)
    return int(owned)


class Operator:
    """A sparse matrix to multiply with and to solve with; its rows are distributed over MPI ranks.

    csr: this rank's rows, a scipy.sparse or cupyx.scipy.sparse csr_matrix of float32 or float64, with the
        columns of the whole matrix; ranks' rows follow each other. Its arrays may go afterwards, but csr is kept
        for transposed(). Integers of 32 bits, float32 and arrays of a GPU are copied for the time of the set-up.
    comm: a communicator of mpi4py; None: MPI.COMM_WORLD, or one rank without mpi4py.
    device: "cpu", "gpu", or "auto": where csr.data is. Vectors have to be there, too: nothing is moved.
    format: "auto" (by trials, for a fraction of a second) or a name of `rowhalo list formats`.
    transpose: the operator of the transposed matrix.
    owned_columns: entries of x that this rank owns; needed if the matrix is not square, on several ranks.
    options: more, as in rowhalo.h: "transport=mpi; order=blocking", or the `tuning` of another operator. What the
        arguments say replaces what stands there.

    x: this rank's entries, an array of NumPy, CuPy or torch of the matrix' dtype, (n,) or (n, k). It is read
    where it is; a column that is not contiguous is copied. k columns are k products. y is a new array of the
    same library. On a GPU the work goes to the current stream of CuPy or torch.
    On one rank the operator is a scipy.sparse.linalg.LinearOperator, if SciPy is there; on several SciPy's
    solvers would add up one rank's entries only: use cg() and bicgstab().
    Operator(), transposed(), cg(), bicgstab() and close() are collective: all ranks call them in the same order, and
    what fails on one fails on all. A product that fails on one rank does not tell the others.
    """

    def __new__(cls, csr: Any, comm: Any = None, *args: Any, **kwargs: Any) -> "Operator":
        if cls is Operator and _communicator(comm)[1] == 1:
            try:
                from ._scipy import LinearOperator
            except ImportError:
                return object.__new__(cls)
            return object.__new__(LinearOperator)
        return object.__new__(cls)

    def __init__(self, csr: Any, comm: Any = None, device: str = "auto", format: str = "auto",
                 transpose: bool = False, *, owned_columns: Optional[int] = None, options: str = "") -> None:
        self._handle = ctypes.c_void_p()
        self._solvers: Dict[str, ctypes.c_void_p] = {}
        # How arrays of a type are looked at: quick_address() and quick_stream().
        self._quick: Dict[type, Tuple[Callable[[Any, int], Any], Callable[[Any], Any]]] = {}
        self._transposed: Optional[Operator] = None
        handle, self._ranks, communicator = _communicator(comm)
        owned = _sizes(csr, owned_columns, self._ranks, communicator)
        offsets, columns, values = (view_of(array) for array in (csr.indptr, csr.indices, csr.data))
        rows = Csr(csr.shape[0], owned, offsets.address, columns.address, values.address,
                   _INTEGERS[offsets.dtype], _INTEGERS[columns.dtype], _FLOATS[values.dtype])
        text = f"{options}; transpose={'on' if transpose else 'off'}"
        for name, value in (("device", device), ("format", format)):
            if value != "auto":
                text += f"; {name}={value}"
        call("rowhalo_create_f", handle, ctypes.byref(rows), text.encode(), ctypes.byref(self._handle))
        info = OperatorInfo()
        call("rowhalo_get_info", self._handle, ctypes.byref(info))
        self._csr, self._made_with = csr, (comm, device, format, not transpose, owned_columns, options)
        self._device = "gpu" if info.on_gpu else "cpu"
        self._dtype_name = "float64" if info.vector_bytes == 8 else "float32"
        self._apply: Callable[..., int] = (library().rowhalo_apply if info.vector_bytes == 8
                                           else library().rowhalo_apply_float)
        #: Entries of y and of x on this rank. On one rank: of the matrix.
        self.shape: Tuple[int, int] = (int(info.owned_rows), int(info.owned_columns))
        #: Of the whole matrix.
        self.global_shape: Tuple[int, int] = (int(info.rows), int(info.columns))
        #: Of x and y.
        self.dtype = np.dtype(self._dtype_name)
        #: Read and written per product only because x is the caller's.
        self.copied_bytes = int(info.copied_bytes)
        #: Of csr's arrays, copied for the set-up and freed.
        self.converted_bytes = int(info.converted_bytes)

    @property
    def tuning(self) -> str:
        """What was chosen, as `options` of an operator that then needs no trials."""
        text = ctypes.c_char_p()
        call("rowhalo_tuning", self._handle, ctypes.byref(text))
        return (text.value or b"").decode()

    @property
    def device(self) -> str:
        """cpu or gpu, where x and y lie."""
        return self._device

    def _address(self, array: Any, entries: int, name: str) -> int:
        """Of a vector, checked."""
        quick = self._quick.get(type(array))
        address: int = quick[0](array, entries) if quick is not None else 0
        return address or self._checked_address(array, entries, name)

    def _checked_address(self, array: Any, entries: int, name: str) -> int:
        view = view_of(array)
        if view.dtype != self._dtype_name:
            raise ArrayError(f"{name} is {view.dtype}, the operator {self._dtype_name}: give {name}.astype(...), or "
                             "make the operator of csr.astype(...)")
        if view.on_gpu != (self._device == "gpu"):
            raise ArrayError(f"{name} is on the {'GPU' if view.on_gpu else 'host'}, the operator on device "
                             f"{self._device}: nothing is moved; make one with device=")
        if view.shape not in ((entries,), (entries, 1)):
            raise ArrayError(f"{name} has the shape {view.shape}; this rank has {entries} entries")
        if not view.contiguous:
            raise ArrayError(f"{name} is not contiguous")
        self._quick[type(array)] = quick_address(array), quick_stream(array)
        return view.address

    def apply(self, x: Any, y: Any, alpha: float = 1.0, beta: float = 0.0) -> None:
        """y = alpha A x + beta y. x and y: (n,), contiguous; they must not overlap."""
        from_x, to_y = self._address(x, self.shape[1], "x"), self._address(y, self.shape[0], "y")
        code = self._apply(self._handle, alpha, from_x, beta, to_y, self._quick[type(x)][1](x))
        if code != 0:
            check(code)

    def matvec(self, x: Any) -> Any:
        """A x of (n,) or (n, 1), in the shape of x."""
        if library_of(x) == "numpy" and type(x) is not np.ndarray:
            x = np.asarray(x)
        x = contiguous(x)
        y = empty((self.shape[0], *x.shape[1:]), x)
        self.apply(x, y)
        return y

    def matmat(self, x: Any) -> Any:
        """A X of (n, k): a product per column. Columns of y are contiguous."""
        if len(x.shape) != 2:
            raise ArrayError(f"x has the shape {tuple(x.shape)}; (n, k) is taken")
        y = empty((self.shape[0], x.shape[1]), x)
        for column in range(x.shape[1]):
            self.apply(contiguous(x[:, column]), y[:, column])
        return y

    def __matmul__(self, x: Any) -> Any:
        return self.matmat(x) if len(getattr(x, "shape", ())) == 2 else self.matvec(x)

    def dot(self, x: Any) -> Any:
        """The same as self @ x."""
        return self @ x

    def _rows(self) -> Any:
        if self._csr is None:
            _closed()
        return self._csr

    def refill(self, data: Any) -> None:
        """Collective. New values in the places of csr, in the order of csr.data, of an operator with
        options="refillable=on". As csr.data in number type and shape; float64 is read where it is, float32 copied.
        Solvers and the transpose are made anew when they are next asked for."""
        csr = self._rows()
        view, expected = view_of(data), view_of(csr.data)
        if (view.dtype, view.shape) != (expected.dtype, expected.shape):
            raise ArrayError(f"data is {view.dtype} of the shape {view.shape}; csr.data is {expected.dtype} of "
                             f"{expected.shape}")
        self._drop_solvers()
        data = contiguous(data)
        values = as_float64(data)
        call("rowhalo_refill", self._handle, view_of(values).address, stream_of(values))
        self._csr = type(csr)((data, csr.indices, csr.indptr), shape=csr.shape)

    def transposed(self) -> "Operator":
        """Collective. The operator of the transpose, with a matrix of its own; made at the first call."""
        if self._transposed is None:
            comm, device, format, transpose, owned_columns, options = self._made_with
            self._transposed = Operator(self._rows(), comm, device, format, transpose, owned_columns=owned_columns,
                                        options=f"{options}; refillable=off")
        return self._transposed

    def rmatvec(self, x: Any) -> Any:
        """A^T x. The first call is collective."""
        return self.transposed().matvec(x)

    def rmatmat(self, x: Any) -> Any:
        """A^T X. The first call is collective."""
        return self.transposed().matmat(x)

    def cg(self, b: Any, **options: Any) -> Solution:
        """Collective. Solves A x = b by conjugate gradients; A is symmetric and positive definite. b: this rank's
        entries. Options as in rowhalo.h: tolerance=1e-8, preconditioner="jacobi", norm=, max_iterations=,
        reproducible=. What an option needs is made at its first use and kept."""
        return self._solve(b, {"method": "cg", **options})

    def bicgstab(self, b: Any, **options: Any) -> Solution:
        """The same by BiCGStab, for any square A."""
        return self._solve(b, {"method": "bicgstab", **options})

    def _solve(self, b: Any, options: Dict[str, Any]) -> Solution:
        words = {True: "on", False: "off"}
        text = "; ".join(f"{name}={words[value] if isinstance(value, bool) else value}"
                         for name, value in options.items())
        b = contiguous(b)
        address = self._address(b, self.shape[0], "b")
        key = f"{text} {stream_of(b)}"
        if key not in self._solvers:
            solver = ctypes.c_void_p()
            call("rowhalo_solver_create", self._handle, text.encode(), stream_of(b), ctypes.byref(solver))
            self._solvers[key] = solver
        solver, x, report = self._solvers[key], empty(tuple(b.shape), b), Report()
        call("rowhalo_solve", solver, address, self._address(x, self.shape[1], "x"), ctypes.byref(report))
        norms, count = np.empty(report.iterations + 1), ctypes.c_int64()
        call("rowhalo_solver_norms", solver, norms.ctypes.data, norms.size, ctypes.byref(count))
        return Solution(x, bool(report.converged), int(report.iterations), report.end.decode(), norms, report.seconds)

    def _drop_solvers(self) -> None:
        for solver in self._solvers.values():
            call("rowhalo_solver_destroy", ctypes.byref(solver))
        self._solvers = {}
        if self._transposed is not None:
            self._transposed.close()
            self._transposed = None

    def close(self) -> None:
        """Collective. Frees everything, solvers and transpose too; a second call does nothing."""
        self._drop_solvers()
        call("rowhalo_destroy", ctypes.byref(self._handle))
        self._apply, self._csr = _closed, None

    def __enter__(self) -> "Operator":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        # On several ranks nobody knows when the others get here.
        if getattr(self, "_ranks", 0) == 1 and self._handle:
            self.close()

    def __repr__(self) -> str:
        return f"<rowhalo.Operator {self.global_shape[0]}x{self.global_shape[1]}, {self.dtype}, {self._ranks} ranks>"
