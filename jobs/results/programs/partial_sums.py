#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What an exchange would save that sends partial sums where these are fewer than entries of x.

usage: rowhalo-study partial-sums [options]                     (see --help)

Today rank p is sent every entry of x of rank q that its rows refer to. It could as well be sent, of
some rows, the sums over the columns of q, computed by q. For each pair the fewest of both together is
a minimum vertex cover of the bipartite graph of the block A(p, q), as large as its largest matching
(Koenig). Counted are entries per product, of all ranks and of the busiest (sent and received), for
contiguous rows with equal nonzeros; beyond --node ranks also what crosses nodes, and how many entries
of x would if each crossed once per node. Sums of others move nonzeros to those who compute them: beside
the smallest cover stands one by degrees, which takes a time linear in the nonzeros (an entry takes the
longer of its row and its column, then goes what the rest covers), with the imbalance of nonzeros that it
leaves, and the same after the rows were cut anew, three times, by what each rank then has. Writes
partial_sums.csv and .md into --output. Needs scipy.
Exit status: 0 fine, 1 a matrix cannot be read, 2 wrong usage, 77 scipy is not there.
"""
import sys
import tempfile
from pathlib import Path

from petsc_matrix import read_petsc

from rowhalo_study.calling import exit_with, typed
from rowhalo_study.cli.programs import add_program, failure, make_folder, settle
from rowhalo_study.names import Parser, csv_of, lines_text, say
from rowhalo_study.whole_files import write_whole

NAME = typed("partial-sums")
MATRICES = ("rmat:scale=18", "rmat:scale=20", "web:rows=1000000")
COLUMNS = ("matrix", "ranks", "entries", "cover", "saved", "entries_max_rank", "cover_max_rank",
           "saved_max_rank", "entries_between", "cover_between", "once_per_node", "by_degrees", "imbalance",
           "by_degrees_cut_anew", "imbalance_cut_anew")
CUTS_ANEW = 3


def parse(arguments):
    parser = Parser(prog=NAME,
                                     description=__doc__.split("\n", maxsplit=1)[0],
                                     epilog="exit status: 0 fine, 1 failed, 2 usage, 77 no scipy")
    add_program(parser)
    parser.add_argument("--matrix", action="append", metavar="SPEC",
                        help="instead of rmat and web; may be given again")
    parser.add_argument("--ranks", default="2,4,8,16,32,64", metavar="A,B",
                        help="default: %(default)s")
    parser.add_argument("--node", type=int, default=8, metavar="N",
                        help="ranks per node (default: %(default)s)")
    options = parser.parse_args(arguments)
    settle(parser, options)
    return options


class Graph:
    """The pattern of a square matrix, as scipy has it."""

    def __init__(self, path, numpy, sparse):
        rows, columns, offsets, numbers, _ = read_petsc(path)
        self.numpy, self.sparse = numpy, sparse
        ones = numpy.ones(len(numbers), numpy.int8)
        self.matrix = sparse.csr_matrix(
            (ones, numpy.frombuffer(numbers, numpy.int32), numpy.frombuffer(offsets, numpy.int32)),
            shape=(rows, columns))

    def cuts(self, ranks):
        """First rows of the ranks, which have equal nonzeros; the same cuts its columns."""
        return self.cuts_by(self.numpy.diff(self.matrix.indptr), ranks)

    def cuts_by(self, weights, ranks):
        """First rows of ranks with equal sums of `weights`, one per row."""
        sums = self.numpy.concatenate(([0], self.numpy.cumsum(weights)))
        cuts = self.numpy.searchsorted(sums, [int(sums[-1]) * rank // ranks for rank in range(ranks + 1)])
        cuts[0], cuts[-1] = 0, len(weights)
        return cuts

    def blocks(self, cuts):
        """p, q and the entries of the rows of p in the columns of q, where there are any."""
        ranks = len(cuts) - 1
        for p in range(ranks):
            own_rows = self.matrix[cuts[p]:cuts[p + 1]]
            for q in range(ranks):
                block = own_rows[:, cuts[q]:cuts[q + 1]]
                if p != q and block.nnz > 0:
                    yield p, q, block

    def cover_by_degrees(self, block):
        """Which rows and columns of `block` its entries travel as."""
        numpy = self.numpy
        length, column = numpy.diff(block.indptr), block.indices
        row = numpy.repeat(numpy.arange(block.shape[0]), length)
        by_row = length[row] > numpy.bincount(column, minlength=block.shape[1])[column]

        def marked(size, places):
            marks = numpy.zeros(size, bool)
            marks[places] = True
            return marks

        rows = marked(block.shape[0], row[by_row])
        columns = marked(block.shape[1], column[~by_row])
        for _ in range(2):
            columns &= marked(len(columns), column[~rows[row]])
            rows &= marked(len(rows), row[~columns[column]])
        return rows, columns

    def plan_by_degrees(self, cuts):
        """Entries that travel, the imbalance of nonzeros, and what each row then weighs: its nonzeros
        that stay with it, and those of its column that come to its owner."""
        numpy = self.numpy
        weights, entries = numpy.diff(self.matrix.indptr).astype(numpy.int64), 0
        for p, q, block in self.blocks(cuts):
            rows, columns = self.cover_by_degrees(block)
            entries += int(rows.sum() + columns.sum())
            moved = ~columns[block.indices]
            row = numpy.repeat(numpy.arange(block.shape[0]), numpy.diff(block.indptr))[moved]
            numpy.subtract.at(weights, cuts[p] + row, 1)
            numpy.add.at(weights, cuts[q] + block.indices[moved], 1)
        shares = numpy.diff(numpy.concatenate(([0], numpy.cumsum(weights)))[cuts])
        return entries, float(shares.max() / shares.mean()), weights

    def flows(self, cuts):
        """Entries from rank q to rank p, all of x and with the fewest of either kind."""
        from scipy.sparse.csgraph import maximum_bipartite_matching  # pylint: disable=import-outside-toplevel
        ranks = len(cuts) - 1
        entries = self.numpy.zeros((ranks, ranks), self.numpy.int64)
        cover = entries.copy()
        for p, q, block in self.blocks(cuts):
            kept = block[self.numpy.flatnonzero(self.numpy.diff(block.indptr))]
            columns, numbers = self.numpy.unique(kept.indices, return_inverse=True)
            kept = self.sparse.csr_matrix(
                (kept.data, numbers.astype(self.numpy.int32), kept.indptr),
                shape=(kept.shape[0], len(columns)))
            entries[p, q] = len(columns)
            cover[p, q] = (maximum_bipartite_matching(kept, perm_type="column") >= 0).sum()
        return entries, cover

    def once_per_node(self, cuts, node):
        """Entries of x that cross nodes if each crosses once to a node that needs it."""
        crossing = 0
        for first in range(0, len(cuts) - 1, node):
            begin, end = cuts[first], cuts[min(first + node, len(cuts) - 1)]
            columns = self.numpy.unique(self.matrix[begin:end].indices)
            crossing += int(((columns < begin) | (columns >= end)).sum())
        return crossing


def saved(less, more):
    return 1 - less / more if more else 0.0


def line_of(graph, name, ranks, node):
    cuts = graph.cuts(ranks)
    entries, cover = graph.flows(cuts)
    line = dict.fromkeys(COLUMNS, "")
    line.update(matrix=name, ranks=ranks)
    for kind, flows in (("entries", entries), ("cover", cover)):
        line[kind] = int(flows.sum())
        line[f"{kind}_max_rank"] = int((flows.sum(0) + flows.sum(1)).max())
        if ranks > node:
            line[f"{kind}_between"] = sum(int(flows[p, q]) for p in range(ranks) for q in range(ranks)
                                          if p // node != q // node)
    line["saved"] = saved(line["cover"], line["entries"])
    line["saved_max_rank"] = saved(line["cover_max_rank"], line["entries_max_rank"])
    line["by_degrees"], line["imbalance"], weights = graph.plan_by_degrees(cuts)
    for _ in range(CUTS_ANEW):
        line["by_degrees_cut_anew"], line["imbalance_cut_anew"], weights = graph.plan_by_degrees(
            graph.cuts_by(weights, ranks))
    if ranks > node:
        line["once_per_node"] = graph.once_per_node(cuts, node)
    return line


def markdown_text(lines):
    text = ["# Entries of x, or of x and partial sums", "", "Per product; what the columns mean: "
            "rowhalo-study partial-sums. All figures: [partial_sums.csv](partial_sums.csv).", "",
            f"| {' | '.join(COLUMNS)} |", "| --- " * len(COLUMNS) + "|"]
    for line in lines:
        cells = [f"{100 * line[name]:.1f} %" if name.startswith("saved") else
                 f"{line[name]:.3f}" if name.startswith("imbalance") else str(line[name]) or "-"
                 for name in COLUMNS]
        text.append(f"| {' | '.join(cells)} |")
    return lines_text(text)


def main(arguments):
    options = parse(arguments)
    try:
        import numpy  # pylint: disable=import-outside-toplevel
        from scipy import sparse  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        say(f"{NAME}: {error}; apt-get install python3-scipy", file=sys.stderr)
        return 77
    make_folder(NAME, options.output)
    lines = []
    for matrix in options.matrix or MATRICES:
        with tempfile.TemporaryDirectory(prefix="rowhalo-partial-sums-") as folder:
            path = Path(folder) / "matrix.petsc"
            reason = failure([options.rowhalo, "convert", matrix, str(path), "--quiet"])
            if reason:
                say(f"{NAME}: --matrix {matrix}: {reason}", file=sys.stderr)
                return 1
            graph = Graph(path, numpy, sparse)
        if graph.matrix.shape[0] != graph.matrix.shape[1]:
            say(f"{NAME}: --matrix {matrix}: is not square", file=sys.stderr)
            return 2
        for ranks in options.ranks:
            lines.append(line_of(graph, Path(matrix).name, ranks, options.node))
            last = lines[-1]
            say(f"{matrix} on {ranks}: {last['entries']} entries of x, {last['cover']} with partial "
                  f"sums ({100 * last['saved']:.1f} % less)", flush=True)
            write_whole(options.output / "partial_sums.csv", csv_of(COLUMNS, lines))
            write_whole(options.output / "partial_sums.md", markdown_text(lines))
    return 0


if __name__ == "__main__":
    exit_with(main, sys.argv[1:])
