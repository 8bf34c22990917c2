#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package with librowhalo.so, on any number of ranks: python_cases.py CASE, a function below.

Results are compared with SciPy's of the whole matrix. A rank that fails ends all (MPI_Abort)."""
import re
import sys
import traceback
import types
from pathlib import Path

try:
    import numpy as np
    import scipy.sparse
    import scipy.sparse.linalg
    if sys.argv[1] in ("ranks", "failures", "page"):
        import mpi4py  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import rowhalo
import stand_ins


def refused(kind, words, make):
    """`make` raises `kind` with `words` in its text."""
    try:
        make()
    except kind as error:
        assert words in str(error), f"{words!r} is not in {error!s}"
        return
    raise AssertionError(f"was not refused: {words}")


def poisson(n):
    line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
    return scipy.sparse.csr_matrix(scipy.sparse.kronsum(line, line))


def one_rank():
    """SciPy's solvers, arrays of all kinds, and what is refused."""
    assert rowhalo.__version__ == ".".join(map(str, rowhalo.library_version()))
    matrix = poisson(20)
    x = np.sin(np.arange(400.0))
    a = rowhalo.Operator(matrix)
    assert isinstance(a, scipy.sparse.linalg.LinearOperator) and isinstance(a, rowhalo.Operator)
    assert a.shape == a.global_shape == matrix.shape and a.dtype == np.float64 and a.device == "cpu"
    close = dict(rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(a @ x, matrix @ x, **close)
    np.testing.assert_allclose(a.dot(x[:, None]), (matrix @ x)[:, None], **close)
    wide = np.stack([x, 2 * x, x[::-1]], axis=1)
    for block in (wide, np.asfortranarray(wide), wide[:, ::2]):
        np.testing.assert_allclose(a @ block, matrix @ block, **close)
    np.testing.assert_allclose(a @ wide[:, 1], matrix @ wide[:, 1], **close)
    y = np.ones(400)
    a.apply(x, y, alpha=2, beta=-1)
    np.testing.assert_allclose(y, 2 * (matrix @ x) - 1, **close)

    solution, end = scipy.sparse.linalg.cg(a, x, atol=1e-10)
    assert end == 0 and np.linalg.norm(matrix @ solution - x) < 1e-3
    solution, end = scipy.sparse.linalg.gmres(a, x, atol=1e-10)
    assert end == 0 and np.linalg.norm(matrix @ solution - x) < 1e-3
    start = dict(v0=np.ones(400))
    np.testing.assert_allclose(scipy.sparse.linalg.eigsh(a, k=4, **start)[0],
                               scipy.sparse.linalg.eigsh(matrix, k=4, **start)[0], rtol=1e-8)
    own = a.cg(x, tolerance=1e-12)
    assert own.converged and own.end == "converged" and len(own.norms) == own.iterations + 1
    assert np.linalg.norm(matrix @ own.x - x) < 1e-10 and own.norms[-1] < 1e-12 * own.norms[0]
    assert not a.cg(x, max_iterations=2, preconditioner="none").converged

    wide_matrix = scipy.sparse.random(60, 90, 0.1, format="csr", random_state=1)
    with rowhalo.Operator(wide_matrix) as b:
        np.testing.assert_allclose(b.rmatvec(x[:60]), wide_matrix.T @ x[:60], **close)
        np.testing.assert_allclose(b.T @ wide[:60], wide_matrix.T @ wide[:60], **close)
        np.testing.assert_allclose(sorted(scipy.sparse.linalg.svds(b, k=3)[1]),
                                   sorted(scipy.sparse.linalg.svds(wide_matrix, k=3)[1]), rtol=1e-8)
        again = rowhalo.Operator(wide_matrix, options=b.tuning)
        assert again.tuning == b.tuning
        again = rowhalo.Operator(wide_matrix, transpose=True, options=b.T.tuning)
        assert again.shape == (90, 60) and again.tuning == b.T.tuning
    refused(rowhalo.InputError, "was closed", lambda: b @ x[:90])
    refused(rowhalo.InputError, "was closed", b.transposed)
    refused(rowhalo.InputError, "was closed", lambda: b.refill(wide_matrix.data))
    refused(TypeError, "comm is a int", lambda: rowhalo.Operator(matrix, 0))

    single = rowhalo.Operator(matrix.astype(np.float32), format="csr")
    assert single.dtype == np.float32 and (single @ x.astype(np.float32)).dtype == np.float32
    assert single.converted_bytes == 4 * (2 * matrix.nnz + 401)
    mapped = rowhalo.Operator(scipy.sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr)), format="csr")
    assert mapped.converted_bytes == 4 * (matrix.nnz + 401)

    for kind in (np.float64, np.float32):  # the values 1, 2, ... in the places of matrix
        fresh = rowhalo.Operator(matrix.astype(kind), options="refillable=on")
        assert fresh.T.dtype == kind
        matrix_of = type(matrix)((np.arange(1.0, matrix.nnz + 1), matrix.indices, matrix.indptr), shape=matrix.shape)
        for data in (matrix_of.data.astype(kind), np.repeat(matrix_of.data, 2).astype(kind)[::2]):
            fresh.refill(data)
            ones = np.ones(400, dtype=kind)
            np.testing.assert_allclose(fresh @ ones, matrix_of @ ones, rtol=1e-6)
        np.testing.assert_allclose(fresh.T @ ones, matrix_of.T @ ones, rtol=1e-6)
        refused(TypeError, "of the shape (3,); csr.data is", lambda: fresh.refill(ones[:3]))
    refused(ValueError, "refillable=on", lambda: a.refill(matrix.data))
    refused(TypeError, "x is float32, the operator float64", lambda: a @ x.astype(np.float32))
    refused(TypeError, "x is complex128", lambda: a @ (x + 1j))
    refused(TypeError, "builtins.list: is no array of NumPy", lambda: a @ list(x))
    refused(TypeError, "(5,); this rank has 400 entries", lambda: a @ x[:5])
    refused(TypeError, "x is >f8", lambda: a @ x.astype(">f8"))
    refused(TypeError, "csr.data is int64", lambda: rowhalo.Operator(matrix.astype(np.int64)))
    refused(TypeError, "csr.data is complex128", lambda: rowhalo.Operator(matrix.astype(complex)))
    refused(TypeError, "give a csr_matrix", lambda: rowhalo.Operator(matrix.tocsc()))
    refused(ValueError, "unknown format", lambda: rowhalo.Operator(matrix, format="crs"))
    refused(ValueError, "did you mean tolerance?", lambda: a.cg(x, tolerence=1))
    refused(ValueError, "square", lambda: rowhalo.Operator(wide_matrix).cg(x[:60]))
    refused(ValueError, "owned_columns=N", lambda: rowhalo.Operator(wide_matrix, owned_columns=5))
    a.close()
    a.close()


def without_mpi4py():
    """One rank, where mpi4py is not there: the library starts and ends MPI."""
    sys.modules["mpi4py"] = None
    matrix = poisson(5)
    a = rowhalo.Operator(matrix)
    np.testing.assert_allclose(a @ np.ones(25), matrix @ np.ones(25))
    assert a.cg(np.ones(25)).converged
    assert rowhalo.library_version()[0] == 1


def page():
    """The lines of the site's page, one after the other."""
    text = (Path(__file__).resolve().parents[3] / "miniapp/site/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) > 2
    names = {}
    for block in blocks:
        exec(block, names)  # pylint: disable=exec-used


def torch_on_the_host():
    """Tensors of the host, by a stand-in for torch."""
    stand_ins.install()
    matrix = poisson(20)
    x = np.sin(np.arange(400.0))
    a = rowhalo.Operator(matrix, format="csr")
    tensor = stand_ins.Tensor(x)
    np.testing.assert_array_equal((a @ tensor).array, a @ x)
    wide = np.stack([x, 2 * x], axis=1)
    np.testing.assert_array_equal((a @ stand_ins.Tensor(wide)).array, a @ wide)
    assert a.cg(tensor).converged and type(a.cg(tensor).x) is stand_ins.Tensor
    refused(TypeError, "x is float32", lambda: a @ stand_ins.Tensor(x.astype(np.float32)))


def gpu():
    """Arrays of CuPy and torch, whichever is there, on one GPU; without both by a stand-in for CuPy."""
    found = [kind for kind in (cupy_arrays, torch_arrays) if kind()]
    if not found and stand_ins.gpu_is_there():
        stand_ins.install()
        matrix = poisson(20)
        on_gpu = types.SimpleNamespace(format="csr", shape=matrix.shape, indptr=stand_ins.asarray(matrix.indptr),
                                       indices=stand_ins.asarray(matrix.indices), data=stand_ins.asarray(matrix.data))
        x = stand_ins.asarray(np.sin(np.arange(400.0)) + 2)
        for csr in (matrix, on_gpu):
            check_gpu(csr, x, stand_ins.asnumpy)
    elif not found:
        print("skipped: neither CuPy nor torch nor libcudart has a GPU here")
        sys.exit(77)


def check_gpu(csr, x, to_host):
    """Products, solver and refusals with `x`, an array of a GPU."""
    matrix = poisson(20)
    a = rowhalo.Operator(csr, device="gpu")
    expected = matrix @ to_host(x)
    y = a @ x
    assert type(y) is type(x) and a.device == "gpu"
    np.testing.assert_allclose(to_host(y), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(to_host(a.cg(y, tolerance=1e-12).x), to_host(x), rtol=1e-8)
    refused(TypeError, "x is on the host, the operator on device gpu", lambda: a @ to_host(x))
    refused(TypeError, "x is on the GPU, the operator on device cpu",
            lambda: rowhalo.Operator(matrix, device="cpu") @ x)
    a.close()


def cupy_arrays():
    try:
        import cupy
        import cupyx.scipy.sparse
        if cupy.cuda.runtime.getDeviceCount() == 0:
            return False
    except Exception:  # no CuPy, no driver, no device
        return False
    device_matrix = cupyx.scipy.sparse.csr_matrix(poisson(20))
    assert rowhalo.Operator(device_matrix).device == "gpu"
    x = cupy.sin(cupy.arange(400.0)) + 2
    with cupy.cuda.Stream(non_blocking=True):
        x = x * 1.0
        check_gpu(device_matrix, x, cupy.asnumpy)
    check_gpu(poisson(20), x, cupy.asnumpy)
    wide = cupy.stack([x, 2 * x], axis=1)
    np.testing.assert_allclose(cupy.asnumpy(rowhalo.Operator(device_matrix) @ wide), poisson(20) @ cupy.asnumpy(wide))
    return True


def torch_arrays():
    try:
        import torch
        if not torch.cuda.is_available():
            return False
    except Exception:
        return False
    check_gpu(poisson(20), torch.sin(torch.arange(400, dtype=torch.float64, device="cuda")) + 2,
              lambda x: x.cpu().numpy())
    return True


def shares(total, comm):
    """Where this rank's share begins and ends; of three ranks the second has none."""
    weights = [0 if comm.size == 3 and rank == 1 else rank + 1 for rank in range(comm.size)]
    starts = [total * sum(weights[:rank]) // sum(weights) for rank in range(comm.size + 1)]
    return slice(starts[comm.rank], starts[comm.rank + 1])


def ranks():
    """Products and solvers on several ranks."""
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    matrix = poisson(16)
    rows = shares(256, comm)
    x = np.cos(np.arange(256.0))
    a = rowhalo.Operator(matrix[rows], comm, format="csr", options="transport=mpi")
    assert comm.size == 1 or not isinstance(a, scipy.sparse.linalg.LinearOperator)
    assert a.global_shape == (256, 256) and a.shape == (rows.stop - rows.start,) * 2
    np.testing.assert_allclose(a @ x[rows], (matrix @ x)[rows], rtol=1e-13, atol=1e-13)
    solve = dict(tolerance=1e-12)
    expected = scipy.sparse.linalg.spsolve(matrix.tocsc(), x)
    for solution in (a.cg(x[rows], **solve), a.bicgstab(x[rows], **solve), a.cg(2 * x[rows], **solve)):
        assert solution.converged
    np.testing.assert_allclose(solution.x, 2 * expected[rows], rtol=1e-8)
    a.close()

    wide = scipy.sparse.random(40, 70, 0.2, format="csr", random_state=2)
    rows, columns = shares(40, comm), shares(70, comm)
    b = rowhalo.Operator(wide[rows], comm, owned_columns=columns.stop - columns.start)
    np.testing.assert_allclose(b @ x[:70][columns], (wide @ x[:70])[rows], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(b.rmatvec(x[:40][rows]), (wide.T @ x[:40])[columns], rtol=1e-12, atol=1e-12)
    b.close()

    half = comm.Split(comm.rank % 2)  # operators of other communicators beside each other
    with rowhalo.Operator(poisson(5)[shares(25, half)], half, format="csr") as c:
        np.testing.assert_allclose(c @ x[:25][shares(25, half)], (poisson(5) @ x[:25])[shares(25, half)], atol=1e-13)


def failures():
    """What is wrong on the last rank, all ranks say."""
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    wrong = comm.rank == comm.size - 1
    own = poisson(16)[shares(256, comm)]
    name = f"rank {comm.size - 1}: " if comm.size > 1 else ""
    refused(TypeError, f"{name}csr.data is int64",
            lambda: rowhalo.Operator(own.astype(np.int64) if wrong else own, comm))
    refused(TypeError, f"{name}csr is a", lambda: rowhalo.Operator(own.tocoo() if wrong else own, comm))
    refused(ValueError, "owned_columns=N", lambda: rowhalo.Operator(own, comm, owned_columns=3))
    broken = own.copy()
    if wrong:
        broken.indices[0] = 256
    refused(ValueError, "owned columns of all ranks are 256", lambda: rowhalo.Operator(broken, comm))
    if comm.size > 1:
        refused(ValueError, "differ between ranks",
                lambda: rowhalo.Operator(own, comm, format="sell" if wrong else "csr"))


if __name__ == "__main__":
    try:
        globals()[sys.argv[1]]()
    except Exception:  # the others would wait for this rank
        traceback.print_exc()
        sys.stderr.flush()
        if sys.modules.get("mpi4py.MPI"):
            sys.modules["mpi4py.MPI"].COMM_WORLD.Abort(1)
        sys.exit(1)
