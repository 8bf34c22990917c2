# SPDX-License-Identifier: BSD-3-Clause
"""The winner of every matrix: which combination is fastest, by how much, and whether the runs show it."""
from typing import Any, NamedTuple, Optional

from rowhalo_study.compare.lines import ratio_of_rows
from rowhalo_study.pages.words import Table, meta_of, ranks_text
from rowhalo_study.plots.style import short_matrix
from rowhalo_study.results.data import COMBINATION, grouped, measured
from rowhalo_study.results.statistics import Ratio, Verdict, runs_to_show, verdict_of

Row = dict[str, Any]    # a line of the table
GRAPH = {True: "in a graph", False: "no graph"}


class Best(NamedTuple):
    row: Row                # a line of the fastest
    names: tuple[str, ...]             # of the fastest, of the next: what tells the combinations apart
    ahead: Ratio             # time of the next over that of the fastest
    runs: int                # of the one with fewer
    others: int


def told_apart(rows: list[Row]) -> dict[tuple[Any, ...], str]:
    """{combination: name}: what differs among them."""
    values = {name: {row["combination"][place] for row in rows} for place, name in enumerate(COMBINATION)}
    differing = [(place, name) for place, name in enumerate(COMBINATION) if len(values[name]) > 1]
    plain = {"format", "transport", "partition", "swept"}
    return {row["combination"]: ", ".join(
        GRAPH.get(row["combination"][place], "auto") if name == "graph" else str(row["combination"][place]) if name in plain
        else f"{name.replace('_', ' ')} {row['combination'][place]}"
        for place, name in differing if row["combination"][place] is not None) for row in rows}


def named(rows: list[Row]) -> list[Row]:
    """Without what auto chose where others were named: it is one of them."""
    for place in range(len(COMBINATION)):
        rows = [row for row in rows if row["combination"][place] != "auto"] or rows
    return rows


def best_of(rows: list[Row]) -> Optional[Best]:
    """Of lines of one matrix, number of ranks and precision; None where there is one combination."""
    rows = named(rows)
    combinations = sorted(grouped(rows, "combination").values(), key=lambda some: measured(some).seconds)
    if len(combinations) < 2:
        return None
    first, second = combinations[:2]
    names = told_apart(rows)
    return Best(first[0], tuple(names[some[0]["combination"]] for some in (first, second)), ratio_of_rows(first, second),
                min(len(first), len(second)), len(combinations) - 1)


def winners(rows: list[Row]) -> list[Best]:
    """[Best] of all matrices, the clearest first."""
    found = map(best_of, grouped([row for row in rows if not row["petsc_solver"]],
                                 "matrix", "ranks", "precision", "method").values())
    return sorted((one for one in found if one), key=lambda one: -one.ahead.low)


def shown_words(best: Best) -> str:
    if verdict_of(best.ahead) is not Verdict.NOT_SHOWN:
        return "shown"
    more = runs_to_show(best.ahead, best.runs)
    return "not shown: within the noise" if more is None else f"not shown; about {more} more runs would"


def sentence(best: Best) -> str:
    """best: format csr, mpi, 12 % ahead of sell, mpi (shown)."""
    return (f"best: {best.names[0]}, {best.ahead.value - 1:.1%} ahead of {best.names[1]} ({shown_words(best)}): "
            f"{', '.join(filter(None, (best.row['method'], short_matrix(best.row['matrix']))))} on {ranks_text(best.row['ranks'])}")


def best_table(found: list[Best]) -> Table:
    solvers = any(one.row["method"] for one in found)
    lines = [[short_matrix(one.row["matrix"]), one.row["ranks"], *([one.row["method"]] if solvers else []), one.names[0],
              f"{one.ahead.value - 1:.1%}", f"{one.ahead.low - 1:.1%} to {one.ahead.high - 1:.1%}", one.names[1], shown_words(one),
              one.others] for one in found]
    return Table(["matrix", "ranks", *(["solver"] if solvers else []), "best", "ahead by", "interval", "of", "", "others"], lines,
                 metas=tuple(meta_of(one.row) for one in found))
