#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the Python package adds to a product: overhead.py [--side 1000] [--seconds 1]. Not part of ctest.

Times, with arrays of NumPy and, where they have a GPU, of CuPy and torch, in microseconds per product of a 5-point
stencil on a square grid: the bare operator (rowhalo_apply by ctypes, its arguments ready), Operator.apply(x, y), and
operator @ x, which makes a new y. On a GPU the time is that until the device is idle, of many products in a row."""
import argparse
import ctypes
import importlib.util
import time

import numpy as np
import scipy.sparse

import rowhalo
import stand_ins
from rowhalo._arrays import stream_of, view_of
from rowhalo._library import library


def seconds_of(work, wait, seconds):
    """Median of batches that take about `seconds` together."""
    def batch(count):
        wait()
        start = time.perf_counter()
        for _ in range(count):
            work()
        wait()
        return (time.perf_counter() - start) / count

    batch(10)
    count = max(10, int(seconds / 11 / batch(20)))
    return float(np.median([batch(count) for _ in range(11)]))


def arrays():
    """Name, ones(n) on the device, and a function that waits for it."""
    yield "numpy", np.ones, lambda: None
    for name in ("cupy", "torch"):
        try:
            module = importlib.import_module(name)
            if name == "cupy":
                module.ones(1)
                yield name, module.ones, module.cuda.runtime.deviceSynchronize
            elif hasattr(module, "cuda") and module.cuda.is_available():
                yield name, lambda n: module.ones(n, dtype=module.float64, device="cuda"), module.cuda.synchronize
        except Exception as error:  # no package, no driver, no device
            print(f"{name}: not timed: {type(error).__name__}")


def main():
    if importlib.util.find_spec("cupy") is None and stand_ins.gpu_is_there():
        stand_ins.install()
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--side", type=int, default=1000, help="points along a side of the grid")
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(options.side,) * 2)
    matrix = scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))
    for name, ones, wait in arrays():
        a = rowhalo.Operator(matrix, device="cpu" if name == "numpy" else "gpu")
        x, y = ones(matrix.shape[0]), ones(matrix.shape[0])
        bare = library().rowhalo_apply
        arguments = (a._handle, ctypes.c_double(1), view_of(x).address, ctypes.c_double(0), view_of(y).address,
                     stream_of(x))
        times = [1e6 * seconds_of(work, wait, options.seconds)
                 for work in (lambda: bare(*arguments), lambda: a.apply(x, y), lambda: a @ x)]
        print(f"{name}: bare {times[0]:.2f} us, apply {times[1] - times[0]:+.2f} us, @ {times[2] - times[0]:+.2f} us "
              f"({a.tuning.split('; ')[1]})")
        a.close()


if __name__ == "__main__":
    main()
