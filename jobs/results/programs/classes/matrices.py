# SPDX-License-Identifier: BSD-3-Clause
"""The classes of matrices, the formats that are measured on them, and what is to be reached.

A target is the time of the best vendor's format over the time of our best one; a share is of the
read bandwidth that the same run measures. A companion is measured beside a matrix, with our best
format only: for power laws rows of the same lengths whose gathers of x all hit the cache (the
ceiling), for very long rows the same matrix without them.
"""
import re
from typing import NamedTuple


class Class(NamedTuple):
    title: str
    share: float = 0.0            # of the read bandwidth, at least; 0: only reported
    companion: str = ""           # what stands beside a matrix: "ceiling" or "plain"
    graph_microseconds: float = 0.0   # a product in a graph, at most; 0: no such target
    products: int = 10            # a batch: some milliseconds worth
    left_out: tuple = ()          # formats that are never near the best, and slow


# Long rows of one length: a thread each, or sums that are cut at every entry, move too much.
LONG = ("csr-scalar", "coo-segmented")
# One row of 1e6 entries keeps its thread or its warp for milliseconds.
HEAVY = ("csr-scalar", "csr-vector", "asell", "asell:codes=off")
# A thread or a warp per row leaves a GPU empty where there are 30 or 1177 of them.
FEW_ROWS = LONG + HEAVY + ("sell", "ell", "ell-vector", "cusparse-sell:c=32", "cusparse-sell:c=2048")
CLASSES = {
    "stencils": Class("stencils", share=0.90, left_out=LONG),
    "fem": Class("FEM, 3 unknowns per node", share=0.90, left_out=LONG),
    "banded": Class("banded", share=0.88, left_out=LONG),
    "mesh": Class("unstructured mesh, short rows", products=20),
    "power-law": Class("power law", companion="ceiling", products=20,
                       left_out=("csr-scalar", "asell", "asell:codes=off")),
    "long-rows": Class("few very long rows", companion="plain", products=20, left_out=HEAVY),
    "empty": Class("mostly empty rows", products=20),
    "rectangular": Class("rectangular", products=20),
    "lp": Class("linear programs, far wider than high", products=20, left_out=FEW_ROWS),
    "tiny": Class("tiny", graph_microseconds=2.5, products=1000),
    "dense": Class("dense", share=0.94),
    "huge": Class("more than 2^31 nonzeros", left_out=LONG),
    "files": Class("files", products=500),
}

# Most that time per nonzero may grow by very long rows, and that auto may be behind the best format.
LONG_ROWS_GROWTH = 0.10
AUTO_SHARE, AUTO_SECONDS = 0.05, 0.5e-6
# Most products that auto's set-up may cost where a matrix has more nonzeros than that.
AUTO_SETUP_PRODUCTS, AUTO_SETUP_NONZEROS = 300, 10_000_000


class Matrix(NamedTuple):
    group: str          # its class
    spec: str           # as --matrix takes it
    target: float = 0.0     # 0: none
    quick: str = ""     # small, of the same kind
    companion: str = ""
    quick_companion: str = ""
    precision: str = ""     # its own, whatever is asked for


def banded(half, fill, rows):
    return Matrix("banded", f"banded:rows={rows},half={half},fill={fill}", 1.2,
                  f"banded:rows=2000,half={min(half, 64)},fill={fill}")


def power_law(spec, quick):
    return Matrix("power-law", spec, 1.1, quick, spec + ",packed=1", quick + ",packed=1")


MATRICES = (
    Matrix("stencils", "stencil5:4096,coef=random", 1.35, "stencil5:40,coef=random"),
    Matrix("stencils", "stencil7:256,coef=random", 1.40, "stencil7:12,coef=random"),
    Matrix("stencils", "stencil27:200,coef=random", 1.45, "stencil27:10,coef=random"),
    Matrix("stencils", "stencil5:4096", 1.35, "stencil5:40"),
    Matrix("stencils", "stencil7:256", 1.40, "stencil7:12"),
    Matrix("stencils", "stencil27:200", 1.45, "stencil27:10"),
    Matrix("fem", "elasticity:80", 1.15, "elasticity:6"),
    banded(16, 0.2, 4000000), banded(16, 0.5, 4000000),
    banded(64, 0.2, 3000000), banded(64, 0.5, 1500000),
    banded(512, 0.2, 400000), banded(512, 0.5, 160000),
    banded(4096, 0.2, 50000), banded(4096, 0.5, 20000),
    Matrix("mesh", "road:2500", 1.2, "road:60"),
    power_law("rmat:scale=20", "rmat:scale=9"),
    power_law("rmat:scale=22", "rmat:scale=10"),
    power_law("rmat:scale=23", "rmat:scale=11"),
    power_law("web:rows=2000000", "web:rows=1000"),
    Matrix("long-rows", "arrow:rows=4000000,heavy=5,row=1000000", 1.3,
           "arrow:rows=4000,heavy=5,row=1000", "arrow:rows=4000000,heavy=0",
           "arrow:rows=4000,heavy=0"),
    Matrix("long-rows", "road:2500,heavy=5,row=1000000", 1.3, "road:60,heavy=5,row=1000",
           "road:2500", "road:60"),
    Matrix("empty", "empty:rows=4000000,share=0.8,row=20", 1.5, "empty:rows=4000,share=0.8,row=20"),
    Matrix("rectangular", "random:rows=4000,columns=1000000,row=5000", 1.1,
           "random:rows=40,columns=10000,row=50"),
    Matrix("rectangular", "random:rows=1000000,columns=4000,row=20", 1.1,
           "random:rows=10000,columns=40,row=20"),
    Matrix("lp", "lp:rows=1177,columns=2300000", 1.1, "lp:rows=40,columns=8000"),
    Matrix("lp", "lp:rows=30,columns=33000000,blocks=3,linking=3,column=2", 1.1,
           "lp:rows=30,columns=9000,blocks=3,linking=3,column=2"),
    Matrix("tiny", "random:rows=100,row=5", 1.3, "random:rows=100,row=5"),
    Matrix("tiny", "stencil5:32", 1.3, "stencil5:32"),
    Matrix("tiny", "random:rows=5000,row=8", 1.3, "random:rows=500,row=8"),
    Matrix("tiny", "stencil7:20", 1.3, "stencil7:8"),
    Matrix("tiny", "stencil27:18", 1.3, "stencil27:6"),
    Matrix("tiny", "stencil5:200", 1.3, "stencil5:30"),
    Matrix("tiny", "random:rows=20000,row=10", 1.3, "random:rows=2000,row=10"),
    Matrix("dense", "dense:16384", 1.0, "dense:200", precision="fp32"),
    Matrix("huge", "stencil27:450,coef=random", 1.3, "stencil27:12,coef=random", precision="fp32"),
)

# What is measured, by device; names that a build does not have are left out and say so. A format
# with value codes stands here twice: with them it does not count for the ratio.
BASELINES = {
    "gpu": ("cusparse-csr1", "cusparse-csr2", "cusparse-coo", "cusparse-sell:c=32",
            "cusparse-sell:c=2048", "cusparse-bsr"),
    "cpu": ("csr-omp:codes=off",),
}
OURS = {
    "gpu": ("asell", "asell:codes=off", "csr-balanced", "csr-balanced:codes=off", "csr-packed",
            "csr-packed:codes=off", "csr-panels", "csr-binned", "csr-vector", "csr-scalar", "sell", "bsr", "dia", "ell",
            "ell-vector", "coo-segmented"),
    "cpu": ("asell", "asell:codes=off", "csr", "sell", "bsr", "dia"),
}
DENSE_BASELINES = {"gpu": ("cublas:layout=columns", "cublas:layout=rows"), "cpu": ("csr-omp:codes=off",)}
DENSE_OURS = {
    "gpu": ("dense-split", "dense-global", "dense-coalesced", "dense-constant", "dense-shared",
            "dense-shuffle"),
    "cpu": ("dense",),
}


def wanted_formats(matrix, device):
    """Baselines, ours, and auto, in the order of measuring."""
    dense = matrix.group == "dense"
    baselines, ours = (DENSE_BASELINES, DENSE_OURS) if dense else (BASELINES, OURS)
    return baselines[device] + ours[device] + ("auto",)


def point_of(matrix, companion=False):
    """The name of a matrix's lines in the table, or of its companion's."""
    name = re.sub(r"\.mtx(\.gz)?$", "", matrix.spec)
    own = f"-{matrix.precision}" if matrix.precision else ""
    return re.sub(r"[^A-Za-z0-9.]+", "-", name) + own + ("-companion" if companion else "")
