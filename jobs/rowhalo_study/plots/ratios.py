# SPDX-License-Identifier: BSD-3-Clause
"""Ratios with their intervals, the largest on top: this result beside an earlier one or a reference."""
from rowhalo_study.plots.style import LINES, PALE, name_rows, panels, save

COLOURS = {"above": LINES[1][:2], "below": LINES[0][:2], "holds": (PALE, "o")}


def side_of(one):
    """Whether the interval is above 1, below it, or holds it."""
    return "above" if one.low > 1 else "below" if one.high < 1 else "holds"


def ratios(found, title, label, folder, name):
    """`found`: with name, ratio, low, high."""
    found = sorted(found, key=lambda one: one.ratio)
    figure, (axes,) = panels(1, width=9.0, height=1.1 + 0.24 * max(len(found), 3))
    for position, one in enumerate(found):
        colour, marker = COLOURS[side_of(one)]
        axes.errorbar(one.ratio, position, xerr=[[max(0, one.ratio - one.low)], [max(0, one.high - one.ratio)]], fmt=marker,
                      color=colour, markeredgecolor="black", markeredgewidth=0.5, ecolor="black", elinewidth=0.8, capsize=2.5,
                      markerfacecolor="white" if side_of(one) == "holds" else colour)
    axes.axvline(1, color="black", linestyle=":", linewidth=1)
    axes.set_yticks(range(len(found)))
    name_rows(axes, [one.name for one in found], fontsize=7.5)
    axes.set_ylim(-0.6, len(found) - 0.4)
    axes.set_xlabel(f"{label}; open: the interval holds 1")
    axes.set_title(title, fontsize=10)
    return save(figure, folder, name)
