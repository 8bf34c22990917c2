# SPDX-License-Identifier: BSD-3-Clause
"""Pictures per rank: who sends how much to whom, and who has more to do than the others.

From the HDF5 of `rowhalo run` (both) and the JSON or HDF5 of `rowhalo info` (the communication
matrix). A square stands for the bytes that its column's rank receives from its row's rank, dark for
many, on a log scale; white is none. Red lines part the nodes when there are several.
"""
import statistics
from typing import NamedTuple

from rowhalo_study.plots.style import BARS, EDGE, NothingToDraw, byte_unit, matplotlib_ready, panels, save, short_matrix, time_unit
from rowhalo_study.results.data import read_report
from rowhalo_study.results.hdf5 import WrongFile, opened

MOST_PICTURES = 6
MOST_BARS = 64      # ranks; above, lines are drawn


class Flows(NamedTuple):
    matrix: str
    partition: str
    ranks: int
    nodes: list      # of every rank
    flows: list      # (from, to, bytes)


def sound(found, path):
    """The matrix, whose ranks must be there before a picture of ranks x ranks is made."""
    if len(found.nodes) != found.ranks or any(max(flow[:2]) >= found.ranks for flow in found.flows):
        raise WrongFile(f"{path}: communication names ranks that are not there: it was changed by hand; make it again")
    return found


def flows_of(detail):
    """The communication matrix, or None where the report has none."""
    if detail.hdf5_path:
        with opened(detail.hdf5_path) as file:
            section = file.get("communication")
            if section is None:
                return None
            columns = [section[name][:].tolist() if name in section else []
                       for name in ("from", "to", "bytes")]
            return sound(Flows(file["matrix"].attrs["source"], section.attrs["partition"], int(section.attrs["ranks"]),
                               section["node_of_rank"][:].tolist(), list(zip(*columns))), detail.hdf5_path)
    report = read_report(detail.json_path)
    section = report.get("communication")
    if not section:
        return None
    return sound(Flows(report["matrix"]["source"], section["partition"], section["ranks"], section["node_of_rank"],
                       [(flow["from"], flow["to"], flow["bytes"]) for flow in section["flows"]]), detail.json_path)


def selected(details):
    """Of every matrix the points with the most ranks; files that were named all."""
    most = {}
    for detail in details:
        most[detail.family] = max(most.get(detail.family, 0), detail.ranks)
    return [detail for detail in details if detail.ranks == most[detail.family]]


def draw_flows(found, folder, name):
    import numpy  # pylint: disable=import-outside-toplevel
    from matplotlib import colors, ticker  # pylint: disable=import-outside-toplevel
    pyplot = matplotlib_ready()
    largest = max((amount for _, _, amount in found.flows), default=1)
    smallest = min((amount for _, _, amount in found.flows), default=1)
    unit, size = byte_unit(largest)
    matrix = numpy.full((found.ranks, found.ranks), numpy.nan)
    for sender, receiver, amount in found.flows:
        matrix[sender, receiver] = amount / size
    figure, axes = pyplot.subplots(figsize=(6.4, 5.6), constrained_layout=True)
    # Sequential and monotone in lightness: it stays in order when printed in grey. Its palest part
    # is left out, so that little differs from nothing.
    whole = pyplot.get_cmap("YlGnBu")
    palette = colors.ListedColormap([whole(0.2 + 0.8 * step / 255) for step in range(256)])
    low = smallest / size if smallest < largest else largest / size / 10
    image = axes.imshow(matrix, cmap=palette, norm=colors.LogNorm(low, largest / size),
                        interpolation="none", origin="upper")
    bar = figure.colorbar(image, ax=axes, shrink=0.85, label=f"{unit} per product")
    if largest / smallest < 100:  # the decades alone would leave the bar nearly bare
        bar.ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        bar.ax.yaxis.set_minor_locator(ticker.NullLocator())
    bar.ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(False)
    axes.set_xlabel("receiving rank")
    axes.set_ylabel("sending rank")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(ticker.MaxNLocator(10, integer=True))
    total = sum(amount for _, _, amount in found.flows)
    unit, size = byte_unit(total)
    heading = (f"{short_matrix(found.matrix)}, {found.partition}, {found.ranks} ranks: "
               f"{total / size:.4g} {unit} per product")
    borders = [rank for rank in range(1, found.ranks) if found.nodes[rank] != found.nodes[rank - 1]]
    for border in borders:
        axes.axhline(border - 0.5, color="red", linewidth=0.8)
        axes.axvline(border - 0.5, color="red", linewidth=0.8)
    if borders:
        heading += f"\n{max(found.nodes) + 1} nodes, parted by red lines"
    axes.set_title(heading)
    return save(figure, folder, name)


def communication(data, folder):
    paths = []
    for detail in selected(data.details):
        found = flows_of(detail)
        if found and found.flows and len(paths) < 2 * MOST_PICTURES:
            paths += draw_flows(found, folder, f"communication-{detail.name}")
    if not paths:
        raise NothingToDraw("no report holds a communication matrix; make one with `rowhalo run "
                            "--hdf5 FILE` or `rowhalo info --json FILE`, on several ranks")
    return paths


def ranks_of(detail):
    """{name: values per rank, or per rank and batch}, and the matrix; None where there is none."""
    if not detail.hdf5_path:
        return None
    with opened(detail.hdf5_path) as file:
        if "ranks" not in file or len(file["ranks/rows"]) < 2:
            return None
        values = {name: file["ranks"][name][:].tolist() for name in file["ranks"]}
        values["head"] = (f"{short_matrix(file['matrix'].attrs['source'])}, "
                          f"{len(values['rows'])} ranks, {file['kernel'].attrs['format']}, "
                          f"{file['halo'].attrs['transport']}")
        return values


def columns_of(axes, series, ylabel):
    """Bars side by side per rank, or lines where there are too many. {label: (values, low, high)}."""
    count = len(next(iter(series.values()))[0])
    ranks = range(count)
    width = 0.8 / len(series)
    for index, (label, (values, low, high)) in enumerate(series.items()):
        colour, hatch = BARS[index]
        if count > MOST_BARS:
            axes.plot(ranks, values, color=colour if index < 3 else "black",
                      linestyle=("-", "--", ":")[index % 3], label=label)
            continue
        errors = None if low is None else [
            [value - one for value, one in zip(values, low)],
            [one - value for value, one in zip(values, high)]]
        axes.bar([rank + (index - (len(series) - 1) / 2) * width for rank in ranks], values, width,
                 color=colour, hatch=hatch, yerr=errors, capsize=2, label=label,
                 error_kw={"elinewidth": 0.8}, **EDGE)
    axes.set_ylabel(ylabel)
    axes.set_xlim(-0.7, count - 0.3)
    axes.set_ylim(bottom=0)
    axes.grid(axis="x", visible=False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=3)


def times_of(values):
    """{label: (medians, shortest, longest)} of a product on each rank, in seconds."""
    spread = {}
    for label, dataset in (("with exchange", "batch_seconds"),
                           ("without exchange", "local_batch_seconds")):
        batches = values[dataset]
        if batches and batches[0]:
            spread[label] = ([statistics.median(one) for one in batches],
                             [min(one) for one in batches], [max(one) for one in batches])
    return spread


def loads_of(values):
    """{label: share of each rank over the mean}."""
    loads = {}
    for label, dataset in (("nonzeros", "nonzeros"), ("entries received", "ghosts"),
                           ("boundary rows", "boundary_rows")):
        mean = statistics.mean(values[dataset])
        if mean:
            loads[label] = [one / mean for one in values[dataset]]
    return loads


def draw_imbalance(values, folder, name):
    from matplotlib import ticker  # pylint: disable=import-outside-toplevel
    figure, axes = panels(2, width=7.6, height=2.6, columns=1)
    spread = times_of(values)
    unit, size = time_unit(max(max(one[0]) for one in spread.values()))
    columns_of(axes[0], {label: [[value / size for value in one] for one in several]
                         for label, several in spread.items()},
               f"per product ({unit});\nmedian, all batches")
    columns_of(axes[1], {label: (shares, None, None) for label, shares in loads_of(values).items()},
               "share per rank\nover the mean (no unit)")
    axes[1].axhline(1, color="black", linestyle=":", linewidth=0.9)
    for one in axes:
        one.xaxis.set_major_locator(ticker.MaxNLocator(16, integer=True))
    axes[1].set_xlabel("rank")
    figure.suptitle(values["head"], fontsize=10)
    return save(figure, folder, name)


def imbalance(data, folder):
    paths = []
    for detail in selected(data.details):
        values = ranks_of(detail)
        if values and len(paths) < 2 * MOST_PICTURES:
            paths += draw_imbalance(values, folder, f"imbalance-{detail.name}")
    if not paths:
        raise NothingToDraw("no report holds values per rank; make one with `rowhalo run --hdf5 "
                            "FILE` on several ranks")
    return paths
