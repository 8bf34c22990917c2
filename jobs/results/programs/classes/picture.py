# SPDX-License-Identifier: BSD-3-Clause
"""Picture of the class benchmark: each class a block of its matrices, sorted by the ratio to the best vendor's format, with
the worst, the median and the best of the class in words; on the right the share of the read bandwidth, in the same order.
"""
from statistics import median

from matrices import CLASSES
from results import summary_of
from rowhalo_study.plots.style import LINES, OURS, PALE, THEIRS, device_name, name_rows, panels, save, short_matrix, smallest

WIDEST_SHARE = 1.5  # caches make small matrices faster than the memory
GAP = 1.5           # between classes, in matrices


def blocks_of(outcomes, device):
    """[(class, first position, summaries with their outcomes by ascending ratio)], downwards, and the height."""
    blocks, position = [], 0.0
    for name in CLASSES:
        found = [(summary_of(outcome, device), outcome) for outcome in outcomes if outcome.matrix.group == name]
        found = sorted((one for one in found if one[0].ratio), key=lambda one: one[0].ratio)
        if found:
            blocks.append((name, position, found))
            position += max(len(found), 2) + GAP
    return blocks, position


def words_of(name, found):
    """Two lines for a class; of one matrix its name."""
    ratios = [line.ratio for line, _ in found]
    worst = short_matrix(found[0][1].matrix.spec)
    if len(found) == 1:
        return f"{CLASSES[name].title}\n{ratios[0]:.2f}: {worst}"
    return (f"{CLASSES[name].title}, {len(found)} matrices\nworst {ratios[0]:.2f}, median {median(ratios):.2f}, "
            f"best {ratios[-1]:.2f}")


def draw_ratios(axes, blocks):
    for index, (_, first, found) in enumerate(blocks):
        places = [first + place for place in range(len(found))]
        axes.plot([line.ratio for line, _ in found], places, color=PALE, linewidth=1, zorder=1)
        for mark, values, style in (
                ("best named format", [line.ratio for line, _ in found], {"marker": "o", "color": OURS, "markersize": 5.5}),
                ("auto", [line.auto_ratio for line, _ in found], {"marker": "D", "color": THEIRS, "markersize": 4}),
                ("dictionary-compressed values", [line.codes_ratio for line, _ in found],
                 {"marker": LINES[2][1], "color": "white", "markersize": 5})):
            known = [(value, place) for value, place in zip(values, places) if value]
            axes.plot(*zip(*known) if known else ([], []), linestyle="none", markeredgecolor="black", markeredgewidth=0.5,
                      label=mark if index == 0 else None, **style)
    axes.axvline(1, color="black", linewidth=0.9, linestyle=":")
    axes.set_xlim(left=0)


def draw_shares(axes, blocks):
    for index, (_, first, found) in enumerate(blocks):
        for values, style, mark in (
                ([line.share for line, _ in found], {"marker": "o", "color": OURS, "markersize": 5}, None),
                ([line.baseline.row["share_of_read_bandwidth"] if line.baseline else None for line, _ in found],
                 {"marker": "s", "color": "white", "markersize": 4}, "best baseline (right)")):
            known = [(100 * min(value, WIDEST_SHARE), first + place) for place, value in enumerate(values) if value]
            axes.plot(*zip(*known) if known else ([], []), linestyle="none", markeredgecolor="black", markeredgewidth=0.5,
                      label=mark if index == 0 else None, **style)
    axes.axvline(100, color="black", linewidth=1)
    axes.set_xlim(0, WIDEST_SHARE * 100)
    axes.set_xlabel("share of the read bandwidth, own bytes (%)")


def title_of(outcomes, precision):
    """Machine, precision, commit."""
    for first in (outcome.first for outcome in outcomes if outcome.formats):
        device = device_name(str(first["devices"]).split("; ", maxsplit=1)[0]).split(",")[0]
        bandwidth = first["read_bandwidth_gbytes"]
        read = f", reads {bandwidth:.0f} GB/s" if bandwidth else ""
        return f"1 × {device}{read}; {precision}; rowhalo {first['version']} ({first['git'] or 'no commit'})"
    return precision


def draw(outcomes, device, precision, folder, name):
    """The path of the picture: SVG or PNG, whichever is smaller. ImportError where matplotlib is missing."""
    blocks, height = blocks_of(outcomes, device)
    figure, (left, right) = panels(2, width=5.2, height=1.6 + 0.13 * height, columns=2)
    draw_ratios(left, blocks)
    draw_shares(right, blocks)
    against = "best of cuSPARSE, cuBLAS" if device == "gpu" else "csr-omp"
    left.set_xlabel(f"time of {against} / time of ours")
    left.set_yticks([first + (len(found) - 1) / 2 for _, first, found in blocks])
    name_rows(left, [""] * len(blocks))
    for tick, (group, _, found) in zip(left.get_yticklabels(), blocks):
        tick.set_text(words_of(group, found))
    left.set_yticklabels([words_of(group, found) for group, _, found in blocks], fontsize=7.5)
    right.set_yticks([])
    for axes in (left, right):
        axes.set_ylim(height - GAP + 0.6, -1)
        axes.grid(axis="y", visible=False)
    left.set_title("matrices of each class, sorted", fontsize=9)
    right.set_title("100 %: what a kernel that only reads reaches", fontsize=9)
    figure.suptitle(title_of(outcomes, precision), fontsize=10)
    figure.legend(loc="upper center", bbox_to_anchor=(0.5, -0.005), ncol=4)
    return smallest(save(figure, folder, name))
