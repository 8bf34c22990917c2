# SPDX-License-Identifier: BSD-3-Clause
"""librowhalo.so by ctypes: found, loaded once, its functions declared as rowhalo.h has them."""
from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import functools
import os
import shutil
from pathlib import Path
from typing import Any, Iterator, Tuple

_ABI = 1  # the first number of the library's version
_NAME = f"librowhalo.so.{_ABI}"
_NO_MEMORY, _BAD_INPUT = 3, 2


class Error(RuntimeError):
    """A function of the library has failed. `code`: what it returned (rowhalo.h)."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class InputError(Error, ValueError):
    """An argument, an option or the matrix is wrong."""


class LibraryMissing(ImportError):
    """librowhalo.so was not found, or is another version."""


class Csr(ctypes.Structure):
    """rowhalo_csr"""

    _fields_ = [("rows", ctypes.c_int64), ("owned_columns", ctypes.c_int64),
                ("offsets", ctypes.c_void_p), ("columns", ctypes.c_void_p), ("values", ctypes.c_void_p),
                ("offset_bytes", ctypes.c_int), ("column_bytes", ctypes.c_int), ("value_bytes", ctypes.c_int)]


class OperatorInfo(ctypes.Structure):
    """rowhalo_operator_info"""

    _fields_ = [("rows", ctypes.c_int64), ("columns", ctypes.c_int64),
                ("owned_rows", ctypes.c_int64), ("owned_columns", ctypes.c_int64),
                ("copied_bytes", ctypes.c_int64), ("converted_bytes", ctypes.c_int64),
                ("on_gpu", ctypes.c_int), ("vector_bytes", ctypes.c_int)]


class Report(ctypes.Structure):
    """rowhalo_report"""

    _fields_ = [("iterations", ctypes.c_int64), ("first_norm", ctypes.c_double), ("last_norm", ctypes.c_double),
                ("seconds", ctypes.c_double), ("end", ctypes.c_char_p), ("converged", ctypes.c_int)]


_pointer, _int, _int64, _double = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_double
_SIGNATURES = {
    "rowhalo_version": [_pointer],
    "rowhalo_start": [_pointer, _pointer, _pointer],
    "rowhalo_end": [],
    "rowhalo_create_f": [_int, _pointer, ctypes.c_char_p, _pointer],
    "rowhalo_get_info": [_pointer, _pointer],
    "rowhalo_tuning": [_pointer, _pointer],
    "rowhalo_apply": [_pointer, _double, _pointer, _double, _pointer, _pointer],
    "rowhalo_apply_float": [_pointer, _double, _pointer, _double, _pointer, _pointer],
    "rowhalo_check": [_pointer, _pointer],
    "rowhalo_refill": [_pointer, _pointer, _pointer],
    "rowhalo_destroy": [_pointer],
    "rowhalo_solver_create": [_pointer, ctypes.c_char_p, _pointer, _pointer],
    "rowhalo_solve": [_pointer, _pointer, _pointer, _pointer],
    "rowhalo_solver_norms": [_pointer, _pointer, _int64, _pointer],
    "rowhalo_solver_destroy": [_pointer],
}


def _candidates() -> Iterator[str]:
    """Where the library may be, most specific first."""
    named = os.environ.get("ROWHALO_LIBRARY")
    if named:
        yield named
        return
    program = shutil.which("rowhalo")
    if program:
        prefix = Path(program).resolve().parent.parent
        folders = [prefix / "lib", prefix / "lib64", *sorted((prefix / "lib").glob("*-linux-gnu")), prefix / "miniapp"]
        yield from (str(folder / _NAME) for folder in folders if (folder / _NAME).exists())
    yield _NAME


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, with its functions declared. Throws LibraryMissing, saying how to get it."""
    failures = []
    for path in _candidates():
        try:
            # Global, since Open MPI's plug-ins look for symbols of libmpi there.
            found = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            failures.append(str(error))
            continue
        found.rowhalo_error.restype = ctypes.c_char_p
        for name, arguments in _SIGNATURES.items():
            try:
                getattr(found, name).argtypes = arguments
            except AttributeError:
                raise LibraryMissing(f"{path}: lacks {name}; install the Rowhalo that this package came with") from None
        return found
    raise LibraryMissing(
        f"{_NAME} was not found ({'; '.join(failures)}). Install Rowhalo (./quickstart --prefix DIR), then set "
        f"ROWHALO_LIBRARY=DIR/lib/{_NAME}, or put DIR/bin into PATH")


def library_path() -> str:
    """The file that was loaded, or the name by which the loader found it."""
    return library()._name


def library_version() -> Tuple[int, int, int]:
    """(major, minor, patch) of the library."""
    version = (ctypes.c_int * 3)()
    call("rowhalo_version", version)
    return version[0], version[1], version[2]


def call(name: str, *arguments: Any) -> None:
    """Calls a function of the library. Throws Error, InputError or MemoryError with its text."""
    check(getattr(library(), name)(*arguments))


def check(code: int) -> None:
    """Throws what the code of a function, in this thread's last call, stands for."""
    if code == 0:
        return
    text = library().rowhalo_error().decode(errors="replace")
    if code == _NO_MEMORY:
        raise MemoryError(text)
    raise (InputError if code == _BAD_INPUT else Error)(text, code)


@functools.lru_cache(maxsize=None)
def world_without_mpi4py() -> Tuple[int, int]:
    """The Fortran handle of MPI_COMM_WORLD, and its size. Starts MPI; ends it with the program."""
    world, ranks, started = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    call("rowhalo_start", ctypes.byref(world), ctypes.byref(ranks), ctypes.byref(started))
    if started.value:
        atexit.register(call, "rowhalo_end")
    return world.value, ranks.value
