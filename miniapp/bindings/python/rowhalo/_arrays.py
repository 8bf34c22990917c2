# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy, CuPy and torch: where their entries are, and new ones of the same kind. Nothing is copied
but what is said to be."""
from __future__ import annotations

import functools
import sys
from typing import Any, NamedTuple, Tuple

import numpy as np


class ArrayError(TypeError):
    """An array of another library, number type or shape than is taken; the text says which are."""


class View(NamedTuple):
    """What is known of an array."""

    address: int
    shape: Tuple[int, ...]
    dtype: str  # "float64", ...
    on_gpu: bool
    contiguous: bool  # entries follow each other, the last index fastest


def library_of(array: Any) -> str:
    """numpy, cupy or torch; others are refused."""
    if isinstance(array, np.ndarray):
        return "numpy"
    name = type(array).__module__.partition(".")[0]
    if name in ("cupy", "torch"):
        return name
    kind = f"{type(array).__module__}.{type(array).__qualname__}"
    raise ArrayError(f"{kind}: is no array of NumPy, CuPy or torch; give one of these")


@functools.lru_cache(maxsize=None)
def _name_of(dtype: Any) -> str:
    """float64, ...; of another byte order: >f8."""
    return str(dtype).rpartition(".")[2]


def view_of(array: Any) -> View:
    """Of an array of these libraries."""
    library = library_of(array)
    if library == "torch":
        return View(array.data_ptr(), tuple(array.shape), _name_of(array.dtype), array.is_cuda, array.is_contiguous())
    on_gpu = library == "cupy"
    address = array.data.ptr if on_gpu else array.__array_interface__["data"][0]
    return View(address, array.shape, _name_of(array.dtype), on_gpu, array.flags.c_contiguous)


def contiguous(array: Any) -> Any:
    """`array`, or a copy of it whose entries follow each other."""
    if view_of(array).contiguous:
        return array
    if library_of(array) == "torch":
        return array.contiguous()
    return sys.modules[library_of(array)].ascontiguousarray(array)


def as_float64(array: Any) -> Any:
    """`array`, or a copy of it in float64."""
    if view_of(array).dtype == "float64":
        return array
    return array.double() if library_of(array) == "torch" else array.astype("float64")


def empty(shape: Tuple[int, ...], like: Any) -> Any:
    """A new array of the library, dtype and device of `like`; columns of a matrix are contiguous."""
    library = library_of(like)
    if library != "torch":
        return sys.modules[library].empty(shape, dtype=like.dtype, order="F")
    transposed = sys.modules["torch"].empty(shape[::-1], dtype=like.dtype, device=like.device)
    return transposed.T if len(shape) > 1 else transposed


def stream_of(array: Any) -> int:
    """The current stream of the array's library, as an address; 0: the default stream, or a host array."""
    if isinstance(array, np.ndarray):
        return 0
    library = library_of(array)
    if library == "cupy":
        return int(sys.modules["cupy"].cuda.get_current_stream().ptr)
    if library == "torch" and array.is_cuda:
        return int(sys.modules["torch"].cuda.current_stream(array.device).cuda_stream)
    return 0
