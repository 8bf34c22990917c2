#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Picture of the communication matrix: what every rank sends to every other one before a product.

usage: plot_communication.py REPORT.json|REPORT.h5 PICTURE.png|svg|pdf

REPORT is what `rowhalo info --json F` or `--hdf5 F` wrote. A square stands for the bytes that its
column's rank receives from its row's rank, dark for many, on a log scale; white is none. Red lines
part the nodes when there are several. Needs matplotlib, and h5py for .h5 (Python 3.8 or newer).
"""
import argparse
import json
import sys


class WrongFile(Exception):
    """What is wrong and what to do."""


def read_json(path):
    """partition, number of ranks, node of every rank, flows as (from, to, bytes)."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except ValueError as error:
        raise WrongFile(f"is not JSON ({error})") from error
    section = report.get("communication") if isinstance(report, dict) else None
    if not section:
        raise WrongFile("holds no communication matrix; make one with `rowhalo info --json FILE`")
    flows = [(flow["from"], flow["to"], flow["bytes"]) for flow in section["flows"]]
    return section["partition"], section["ranks"], section["node_of_rank"], flows


def read_hdf5(path):
    """The same from HDF5."""
    try:
        import h5py  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise WrongFile("needs h5py: apt-get install python3-h5py, or take the JSON") from error
    try:
        with h5py.File(path, "r") as file:
            section = file["communication"]
            columns = [section[name][:].tolist() if name in section else []
                       for name in ("from", "to", "bytes")]
            return (section.attrs["partition"], int(section.attrs["ranks"]),
                    section["node_of_rank"][:].tolist(), list(zip(*columns)))
    except (OSError, KeyError) as error:
        raise WrongFile("is not HDF5 or holds no communication matrix; make one with `rowhalo info "
                        f"--hdf5 FILE` ({error})") from error


def unit_of(largest):
    """Unit and its size in bytes, so that numbers stay short."""
    for name, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if largest >= size:
            return name, size
    return "bytes", 1


def draw(partition, ranks, nodes, flows, target):
    import matplotlib  # pylint: disable=import-outside-toplevel
    matplotlib.use("Agg")
    from matplotlib import colors, pyplot, ticker  # pylint: disable=import-outside-toplevel

    largest = max((amount for _, _, amount in flows), default=1)
    smallest = min((amount for _, _, amount in flows), default=1)
    unit, size = unit_of(largest)
    matrix = [[float("nan")] * ranks for _ in range(ranks)]
    for sender, receiver, amount in flows:
        matrix[sender][receiver] = amount / size

    figure, axes = pyplot.subplots(figsize=(6.4, 5.6), constrained_layout=True)
    # Sequential and monotone in lightness: it stays in order when printed in grey. Its palest part
    # is left out, so that little differs from nothing.
    whole = pyplot.get_cmap("YlGnBu")
    palette = colors.ListedColormap([whole(0.2 + 0.8 * step / 255) for step in range(256)])
    low = smallest / size if smallest < largest else largest / size / 10
    image = axes.imshow(matrix, cmap=palette, norm=colors.LogNorm(low, largest / size),
                        interpolation="none", origin="upper")
    bar = figure.colorbar(image, ax=axes, shrink=0.85, label=f"{unit} a product")
    if largest / smallest < 100:  # the decades alone would leave the bar nearly bare
        bar.ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        bar.ax.yaxis.set_minor_locator(ticker.NullLocator())
    bar.ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("receiving rank")
    axes.set_ylabel("sending rank")
    axes.xaxis.set_major_locator(ticker.MaxNLocator(10, integer=True))
    axes.yaxis.set_major_locator(ticker.MaxNLocator(10, integer=True))
    total = sum(amount for _, _, amount in flows)
    unit, size = unit_of(total)
    heading = f"{partition}, {ranks} ranks: {total / size:.4g} {unit} a product"
    borders = [rank for rank in range(1, ranks) if nodes[rank] != nodes[rank - 1]]
    for border in borders:
        axes.axhline(border - 0.5, color="red", linewidth=0.8)
        axes.axvline(border - 0.5, color="red", linewidth=0.8)
    if borders:
        heading += f"\n{max(nodes) + 1} nodes, parted by red lines"
    axes.set_title(heading)
    figure.savefig(target, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("report", help="of rowhalo info: FILE.json or FILE.h5")
    parser.add_argument("picture", help="to write: FILE.png, .svg or .pdf")
    options = parser.parse_args()
    try:
        reader = read_hdf5 if options.report.endswith((".h5", ".hdf5")) else read_json
        draw(*reader(options.report), options.picture)
    except WrongFile as error:
        sys.exit(f"plot_communication.py: {options.report} {error}")
    except ImportError as error:
        sys.exit(f"plot_communication.py: {error}: apt-get install python3-matplotlib")
    except (OSError, ValueError) as error:
        sys.exit(f"plot_communication.py: {error}")


if __name__ == "__main__":
    main()
