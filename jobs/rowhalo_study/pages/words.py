# SPDX-License-Identifier: BSD-3-Clause
"""Words of a page for lines of the table, and tables."""
from typing import Any, NamedTuple, Optional

from rowhalo_study.plots.scaling import generator
from rowhalo_study.plots.style import byte_unit, short_matrix, time_unit

KEYS = ("matrix", "format", "transport", "partition", "ranks")


class Table(NamedTuple):
    heads: list[str]
    lines: list[list[Any]]             # of cells: text or number
    note: str = ""
    metas: tuple[Optional[dict[str, Any]], ...] = ()       # of every line, for the selectors


class Section(NamedTuple):
    name: str               # of the anchor
    title: str
    lead: str               # how to read it, plain text
    pictures: tuple[bytes, ...] = ()    # SVG, each drawn with the title as its name
    tables: tuple[Table, ...] = ()      # Table


def meta_of(row: dict[str, Any]) -> dict[str, Any]:
    """What the selectors of the page choose a line by; sizes of a weak study are one matrix."""
    family = generator(row) if row["kind"] == "weak" else short_matrix(row["matrix"])
    several = row["ranks"] and row["ranks"] > 1     # on one rank nothing travels
    return {"matrix": family, "format": row["format"], "partition": row["partition"], "ranks": row["ranks"],
            "transport": row["transport"] if several else None}


def quantity(value: float, unit: str, size: float) -> str:
    return f"{value / size:.4g} {unit}"


def time_text(seconds: float) -> str:
    return quantity(seconds, *time_unit(seconds))


def bytes_text(amount: float) -> str:
    return quantity(amount, *byte_unit(amount))


def ranks_text(count: int) -> str:
    return "1 rank" if count == 1 else f"{count} ranks"


def with_what(row: dict[str, Any]) -> str:
    """Format and transport of a line."""
    sent = row["transport"] if row["ranks"] > 1 else ""
    words = [row["format"], sent, "in a graph" if row["graph"] else ""]
    return ", ".join(word for word in words if word)
