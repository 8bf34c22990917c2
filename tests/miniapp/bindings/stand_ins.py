# SPDX-License-Identifier: BSD-3-Clause
"""What the Python package asks of torch (arrays of the host) and of CuPy (arrays of a GPU, by libcudart), for tests
where these libraries are missing: install() puts the modules into sys.modules."""
import ctypes
import math
import sys
import types

import numpy as np


class Tensor:
    """A torch.Tensor of the host, over an array of NumPy."""

    is_cuda = False
    device = "cpu"

    def __init__(self, array):
        self.array = array
        self.shape, self.dtype = array.shape, f"torch.{array.dtype}"

    T = property(lambda self: Tensor(self.array.T))

    def __getitem__(self, key):
        return Tensor(self.array[key])

    def data_ptr(self):
        return self.array.ctypes.data

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.array))


class DeviceArray:
    """A cupy.ndarray, contiguous."""

    cudart = None

    def __init__(self, shape, dtype):
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = np.dtype(dtype)
        self.flags = types.SimpleNamespace(c_contiguous=True)
        address = ctypes.c_void_p()
        self.call("cudaMalloc", ctypes.byref(address), ctypes.c_size_t(max(1, self.bytes())))
        self.data = types.SimpleNamespace(ptr=address.value)

    def __del__(self):
        if hasattr(self, "data"):
            self.cudart.cudaFree(ctypes.c_void_p(self.data.ptr))

    def bytes(self):
        return math.prod(self.shape) * self.dtype.itemsize

    @classmethod
    def call(cls, name, *arguments):
        if getattr(cls.cudart, name)(*arguments):
            raise RuntimeError(f"{name} has failed")


def asarray(host):
    array = DeviceArray(host.shape, host.dtype)
    DeviceArray.call("cudaMemcpy", ctypes.c_void_p(array.data.ptr), ctypes.c_void_p(host.ctypes.data),
                     ctypes.c_size_t(array.bytes()), 1)
    return array


def asnumpy(array):
    host = np.empty(array.shape, array.dtype)
    DeviceArray.call("cudaDeviceSynchronize")
    DeviceArray.call("cudaMemcpy", ctypes.c_void_p(host.ctypes.data), ctypes.c_void_p(array.data.ptr),
                     ctypes.c_size_t(array.bytes()), 2)
    return host


def gpu_is_there():
    """Whether libcudart finds a device."""
    for name in ("libcudart.so", "/usr/local/cuda/lib64/libcudart.so", "libcudart.so.13", "libcudart.so.12"):
        try:
            DeviceArray.cudart = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int()
        return DeviceArray.cudart.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value > 0
    return False


def install():
    torch, cupy = types.ModuleType("torch"), types.ModuleType("cupy")
    Tensor.__module__ = "torch"
    torch.empty = lambda shape, dtype, device: Tensor(np.empty(shape, dtype.partition(".")[2]))
    DeviceArray.__module__ = "cupy"
    cupy.empty = lambda shape, dtype, order: DeviceArray(shape, dtype)
    cupy.ascontiguousarray = lambda array: array
    cupy.ones = lambda n: asarray(np.ones(n))
    cupy.cuda = types.SimpleNamespace(
        get_current_stream=lambda: types.SimpleNamespace(ptr=0),
        runtime=types.SimpleNamespace(deviceSynchronize=lambda: DeviceArray.call("cudaDeviceSynchronize")))
    sys.modules.update(torch=torch, cupy=cupy)
