# SPDX-License-Identifier: BSD-3-Clause
"""Picture of the class benchmark: on the left the ratio of each matrix against the best vendor's
format, with the target as a mark; on the right the share of the read bandwidth, whose roof is
100 %.
"""
from matrices import CLASSES, LONG_ROWS_GROWTH
from rowhalo_study.plots.style import device_name, save, smallest
from results import summary_of

MET, MISSED, UNJUDGED = "#1f4e79", "#e3b27a", "#8fa3b5"  # also dark, light, between in grey
WIDEST_SHARE = 1.5  # caches make small matrices faster than the memory


def lines_of(outcomes, device):
    """(position, class) of the headings and (position, outcome, summary) of the bars, downwards."""
    headings, bars, position = [], [], 0
    for name in CLASSES:
        of_class = [outcome for outcome in outcomes if outcome.matrix.group == name]
        if not of_class:
            continue
        headings.append((position, name))
        for outcome in of_class:
            position += 1
            bars.append((position, outcome, summary_of(outcome, device)))
        position += 1.4
    return headings, bars, position


def colour(line):
    return UNJUDGED if line.met is None else MET if line.met else MISSED


def draw_ratios(axes, bars, against):
    from matplotlib import lines, patches  # pylint: disable=import-outside-toplevel

    for position, outcome, line in bars:
        if line.ratio:
            axes.barh(position, line.ratio, 0.72, color=colour(line), edgecolor="black",
                      linewidth=0.4, hatch="////" if line.met is False else None)
        elif outcome.failure or not line.ours:
            axes.text(0.02, position, "failed" if outcome.failure else "no format of ours",
                      va="center", fontsize=7, style="italic")
        else:
            axes.text(0.02, position, "no baseline", va="center", fontsize=7, style="italic")
        if line.target:
            axes.plot([line.target] * 2, [position - 0.46, position + 0.46], color="black",
                      linewidth=2.2, solid_capstyle="butt")
        if line.codes_ratio:
            axes.plot(line.codes_ratio, position, "D", markersize=4.5, markerfacecolor="white",
                      markeredgecolor="black", markeredgewidth=0.8)
        if line.auto_ratio:
            axes.plot(line.auto_ratio, position, "o", markersize=4, markerfacecolor="black",
                      markeredgecolor="white", markeredgewidth=0.6)
    axes.axvline(1, color="black", linewidth=0.9, linestyle=":")
    axes.set_xlim(left=0)
    axes.set_xlabel(f"time of {against} / time of ours (no unit)")
    mark = {"color": "none", "markeredgecolor": "black", "linestyle": "none"}
    handles = [
        patches.Patch(facecolor=MET, edgecolor="black", linewidth=0.4, label="target met"),
        patches.Patch(facecolor=MISSED, edgecolor="black", linewidth=0.4, hatch="////",
                      label="target missed"),
        patches.Patch(facecolor=UNJUDGED, edgecolor="black", linewidth=0.4, label="no target"),
        lines.Line2D([], [], marker="|", markersize=10, markeredgewidth=2.2, label="target",
                     **mark),
        lines.Line2D([], [], marker="o", markersize=4, markerfacecolor="black", label="auto",
                     **mark),
        lines.Line2D([], [], marker="D", markersize=4.5, markerfacecolor="white",
                     label="with value codes", **mark)]
    return handles


def draw_shares(axes, bars):
    for position, outcome, line in bars:
        if line.share:
            axes.barh(position, min(line.share, WIDEST_SHARE) * 100, 0.72, color=colour(line),
                      edgecolor="black", linewidth=0.4, hatch="////" if line.met is False else None)
            if line.share > WIDEST_SHARE:
                axes.text(WIDEST_SHARE * 100 - 2, position, f"{line.share:.0%}", va="center",
                          ha="right", fontsize=7, color="white" if line.met else "black")
        theirs = line.baseline.row["share_of_read_bandwidth"] if line.baseline else None
        if theirs:
            axes.plot(min(theirs, WIDEST_SHARE) * 100, position, "s", markersize=4,
                      markerfacecolor="white", markeredgecolor="black", markeredgewidth=0.8)
        wanted = CLASSES[outcome.matrix.group].share
        if wanted and line.share:
            axes.plot([wanted * 100] * 2, [position - 0.46, position + 0.46], color="black",
                      linewidth=2.2, solid_capstyle="butt")
    axes.axvline(100, color="black", linewidth=1.2)
    axes.set_xlim(0, WIDEST_SHARE * 100)
    axes.set_xlabel("share of the measured read bandwidth, own bytes (%)")


def heading_of(name):
    """The class, and what it must reach beside the ratio and the share."""
    kind = CLASSES[name]
    if kind.graph_microseconds:
        return f"{kind.title}, and {kind.graph_microseconds} us in a graph"
    if kind.companion == "plain":
        return f"{kind.title}, and {LONG_ROWS_GROWTH:.0%} a nonzero"
    return kind.title


def label_of(outcome):
    own = f" ({outcome.precision})" if outcome.matrix.precision else ""
    return outcome.matrix.spec + own


def device_line(outcomes, precision):
    for first in (outcome.first for outcome in outcomes if outcome.formats):
        device = device_name(str(first["devices"]).split("; ", maxsplit=1)[0]).split(",")[0]
        bandwidth = first["read_bandwidth_gbytes"]
        read = f", reads {bandwidth:.0f} GB/s" if bandwidth else ""
        return f"{device}, {precision}{read}"
    return precision


def draw(outcomes, device, precision, folder, name):
    """The path of the picture: SVG or PNG, whichever is smaller. ImportError where matplotlib is
    missing."""
    import matplotlib  # pylint: disable=import-outside-toplevel
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "rowhalo"})
    from matplotlib import lines, pyplot  # pylint: disable=import-outside-toplevel

    headings, bars, height = lines_of(outcomes, device)
    figure, (left, right) = pyplot.subplots(
        1, 2, sharey=True, figsize=(12, 1.7 + 0.21 * height), constrained_layout=True,
        gridspec_kw={"width_ratios": [3, 2]})
    against = "best of cuSPARSE, cuBLAS" if device == "gpu" else "csr-omp"
    handles = draw_ratios(left, bars, against)
    draw_shares(right, bars)
    handles.append(lines.Line2D([], [], marker="s", markersize=4, markerfacecolor="white",
                                markeredgecolor="black", linestyle="none",
                                label=f"{against} (right)"))
    places = [(place, heading_of(name)) for place, name in headings]
    places += [(place, label_of(outcome)) for place, outcome, _ in bars]
    left.set_yticks([place for place, _ in places])
    left.set_yticklabels([text for _, text in places], fontsize=8)
    for tick in left.get_yticklabels()[:len(headings)]:
        tick.set_fontweight("bold")
    left.set_ylim(height - 0.4, -0.8)
    for axes in (left, right):
        axes.grid(axis="x", color="0.85", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
    left.set_title("ratio", fontsize=10)
    right.set_title("roof: 100 % is what a kernel that only reads reaches", fontsize=10)
    figure.suptitle(device_line(outcomes, precision), fontsize=11)
    left.legend(handles=handles, loc="upper center", ncol=4, fontsize=8, frameon=False,
                bbox_to_anchor=(0.5, -0.8 / (2 + 0.21 * height)))
    return smallest(save(figure, folder, name))
