# SPDX-License-Identifier: BSD-3-Clause
"""How all pictures look: colours that differ in grey, too, and markers, line styles and hatches that
differ without any colour; numbers with their units; SVG and PNG that are the same for the same data.
"""
import contextlib
import math
import re

from rowhalo_study.names import shown
from rowhalo_study.whole_files import whole

LINES = (  # colour, marker, line style
    ("#1f4e79", "o", "-"), ("#c2703d", "s", "--"), ("#3a9188", "^", "-."), ("#8a3f6b", "D", ":"),
    ("#8fa3b5", "v", "-"), ("#d9a441", "P", "--"), ("#4b4b4b", "X", "-."), ("#6f8f3f", "<", ":"))
BARS = (  # colour, hatch
    ("#1f4e79", ""), ("#e3b27a", "////"), ("#8fa3b5", ""), ("#f2f2f2", "...."))
OURS, THEIRS, PALE = "#1f4e79", "#e3b27a", "#8fa3b5"
SUFFIXES = [".svg", ".png"]    # of what `save` writes
MOST_LETTERS = 240
FEW_LINES = len(LINES)  # as many as colours
EXPECTED = {"linewidth": 0.8, "linestyle": (0, (5, 2))}  # beside a line of the same colour
EDGE = {"edgecolor": "black", "linewidth": 0.4}
OVER = {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6}}  # text that lines may cross


def line_style(index):
    """Colour, marker and line style of a picture's line; 64 differ in colour or marker."""
    colour, _, dashes = LINES[index % FEW_LINES]
    return colour, LINES[(index + index // FEW_LINES) % FEW_LINES][1], dashes


class NothingToDraw(Exception):
    """Why this kind of picture cannot be made of the data."""


def matplotlib_ready():
    """pyplot, set up for files. ImportError where matplotlib is missing."""
    import matplotlib  # pylint: disable=import-outside-toplevel
    matplotlib.use("Agg")
    matplotlib.rcParams.update({
        "svg.fonttype": "none", "svg.hashsalt": "rowhalo", "font.size": 9, "axes.titlesize": 10,
        "legend.fontsize": 8, "legend.frameon": False, "axes.grid": True, "grid.color": "0.87",
        "grid.linewidth": 0.6, "axes.axisbelow": True, "hatch.linewidth": 0.6,
        "lines.markersize": 5.5, "lines.linewidth": 1.4, "figure.max_open_warning": 0})
    if "text.parse_math" in matplotlib.rcParams:  # from 3.6 on; names may hold a dollar
        matplotlib.rcParams["text.parse_math"] = False
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    return pyplot


def drawn(line):
    """Text in a picture, which has no room for very long names."""
    text = shown(line)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."


def save(figure, folder, name):
    """Writes NAME.svg and NAME.png, closes the figure, gives the paths. All texts pass `drawn` here but those of
    ticks, which are made when they are drawn."""
    from matplotlib import text  # pylint: disable=import-outside-toplevel
    pyplot = matplotlib_ready()
    for one in figure.findobj(text.Text):
        one.set_text("\n".join(map(drawn, one.get_text().split("\n"))))
    paths = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
    for path in paths:
        with whole(path) as fresh:
            figure.savefig(fresh, format=path.suffix[1:], dpi=130, bbox_inches="tight",
                           metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)
    return paths


@contextlib.contextmanager
def svg_only():
    """For pages, which take no PNG."""
    before = SUFFIXES[:]
    SUFFIXES[:] = [".svg"]
    try:
        yield
    finally:
        SUFFIXES[:] = before


def smallest(paths):
    """Keeps the smallest of the files of one picture and gives its path."""
    kept = min(paths, key=lambda path: path.stat().st_size)
    for path in paths:
        if path != kept:
            path.unlink()
    return kept


def panels(count, width=4.6, height=3.4, columns=3):
    """A figure with `count` axes, row after row."""
    pyplot = matplotlib_ready()
    across = min(columns, count)
    down = -(-count // across)
    figure, grid = pyplot.subplots(down, across, squeeze=False, constrained_layout=True,
                                   figsize=(width * across, height * down))
    figure.set_constrained_layout_pads(w_pad=0.1, h_pad=0.1)
    axes = [one for line in grid for one in line]
    for spare in axes[count:]:
        spare.set_axis_off()
    return figure, axes[:count]


def name_rows(axes, names, **style):
    """Labels of the ticks on the vertical axis."""
    axes.set_yticklabels([drawn(name) for name in names], **style)


def time_unit(largest_seconds):
    """Unit and its size in seconds, so that numbers stay short."""
    for name, size in (("s", 1), ("ms", 1e-3)):
        if largest_seconds >= size:
            return name, size
    return "µs", 1e-6


def in_digits(value, digits):
    """So many digits, or all before the point."""
    return f"{value:.0f}" if value >= 10 ** (digits - 1) else f"{value:.{digits}g}"


def short(value):
    """Three digits or all before the point, never an exponent."""
    return in_digits(value, 3) if value >= 1e-3 else "0"


def four_digits(value):
    return in_digits(value, 4)


def byte_unit(largest):
    for name, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if largest >= size:
            return name, size
    return "bytes", 1


def room_above(top, highest):
    """Upper edge of an axis with values up to `top` and bars up to `highest`: one disturbed batch must
    not flatten the rest; its bar then leaves the picture."""
    return 1.05 * max(top, min(highest, 1.6 * top))


def logarithmic_ranks(axes, points, device):
    """A log axis of ranks with a tick at every number that was run; `points`: {ranks: nodes}."""
    from matplotlib import ticker  # pylint: disable=import-outside-toplevel
    ranks = sorted(points)
    several = max(points.values()) > 1
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(ticker.FixedLocator(ranks))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xticklabels([f"{count}\n{points[count]}" if several else str(count)
                          for count in ranks])
    axes.set_xlabel(name_of_ranks(device) + (", nodes" if several else ""))


def name_of_ranks(device):
    return "ranks (one GPU each)" if device == "gpu" else "ranks"


def plain_log(axis):
    """Ticks 1, 2, 5 in plain numbers on a logarithmic axis; minor ones go when they would crowd."""
    from matplotlib import ticker  # pylint: disable=import-outside-toplevel
    low, high = axis.get_view_interval()
    decades = math.log10(high / low) if low > 0 else 1
    # Within less than half a decade 1, 2, 5 may leave a single number.
    steps = (1, 2, 5) if decades > 0.7 else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    axis.set_major_locator(ticker.LogLocator(subs=steps if decades < 3 else (1,)))
    axis.set_minor_locator(ticker.NullLocator())
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))


def short_matrix(source):
    """A generator as it is, of a file only its name."""
    return shown(str(source).split("/")[-1])


def device_name(device):
    """A rank's device as reports name it; of a GPU without PCI address and cores."""
    return re.sub(r"( [0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:\S+)?(, cores .*)?$", "", device)


def machine(rows):
    """The devices of the largest run, as "4 × NVIDIA H200"."""
    devices = max(((row["devices"] or "").split("; ") for row in rows), key=len, default=[""])
    names = [device_name(name).split(" on core")[0] for name in devices if name]
    return ", ".join(f"{names.count(name)} × {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names))


def subject(rows):
    """What was measured and with what, for the head of a picture."""
    def listed(name):
        return ", ".join(sorted({str(row[name]) for row in rows if row[name]}))
    program = " ".join(["rowhalo", listed("version")]).strip()
    commits = {row["git"] for row in rows if row["git"]}
    if len(commits) == 1 and commits != {"unknown"}:
        program += f" ({commits.pop()})"
    head = [listed("study"), machine(rows) or listed("device"), listed("precision"), program]
    return "; ".join(word for word in head if word)
