# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy, CuPy and torch: where their entries are, and new ones of the same kind. Nothing is copied
but what is said to be."""
from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable, NamedTuple, Tuple

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


def quick_address(like: Any) -> Callable[[Any, int], Any]:
    """f(array, entries) for arrays of the exact type of `like`: the address of a contiguous vector of that many entries,
    or 0 where dtype, shape, device or order differ, or may. It spares a small product the time of view_of()."""
    dtype, library = like.dtype, library_of(like)
    on_gpu = library == "torch" and like.is_cuda
    of_torch: Callable[[Any, int], Any] = lambda array, entries: (
        array.data_ptr() if array.dtype is dtype and array.is_cuda is on_gpu and array.dim() == 1
        and array.shape[0] == entries and array.is_contiguous() else 0)
    of_numpy: Callable[[Any, int], Any] = lambda array, entries: (
        array.__array_interface__["data"][0]
        if array.dtype is dtype and array.ndim == 1 and array.size == entries and array.flags.c_contiguous else 0)
    of_cupy: Callable[[Any, int], Any] = lambda array, entries: (
        array.data.ptr if array.dtype is dtype and array.ndim == 1 and array.size == entries
        and array.flags.c_contiguous else 0)
    if hasattr(like, "_c_contiguous"):  # CuPy's own; flags makes an object at each call
        of_cupy = lambda array, entries: (
            array.data.ptr if array._c_contiguous and array.dtype is dtype and array.ndim == 1
            and array.size == entries else 0)
    return {"torch": of_torch, "cupy": of_cupy, "numpy": of_numpy}[library]


@functools.lru_cache(maxsize=None)
def _cupy_stream() -> Callable[[], Any]:
    """Returns the address of CuPy's current stream, by the short way where this CuPy has it."""
    slow: Callable[[], Any] = lambda: sys.modules["cupy"].cuda.get_current_stream().ptr
    try:
        return getattr(importlib.import_module("cupy_backends.cuda.stream"), "get_current_stream_ptr", slow)
    except ImportError:
        return slow


@functools.lru_cache(maxsize=None)
def _torch_stream() -> Callable[[int], Any]:
    """The same of torch, of a device's number."""
    torch = sys.modules["torch"]
    slow: Callable[[int], Any] = lambda device: torch.cuda.current_stream(device).cuda_stream
    return getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", slow)


def quick_stream(like: Any) -> Callable[[Any], Any]:
    """stream_of() for arrays of the exact type and device of `like`."""
    library = library_of(like)
    if library == "cupy":
        cupy_stream = _cupy_stream()
        return lambda array: cupy_stream()
    if library == "torch" and like.is_cuda:
        torch_stream = _torch_stream()
        return lambda array: torch_stream(array.get_device())
    return lambda array: 0


def stream_of(array: Any) -> int:
    """The current stream of the array's library, as an address; 0: the default stream, or a host array."""
    stream: int = quick_stream(array)(array)
    return stream
