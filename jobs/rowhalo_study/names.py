# SPDX-License-Identifier: BSD-3-Clause
"""Names are data: files, hosts, studies and matrices may have any name. One function for each kind of output.

`shown` and `say` for the terminal and lines of text, `quoted` for what a shell reads, `utf8` for CSV and HDF5;
JSON is ASCII by json.dumps, HTML is page.escape (pages/page.py). In shell: shell/names.sh.
"""
import argparse
import csv
import shlex
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NoReturn, Optional, TextIO

SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def visible(char: str) -> str:
    """A control character, one that changes the direction of text, or a byte that is no UTF-8."""
    code = ord(char)
    if 0xdc80 <= code <= 0xdcff:  # surrogateescape
        return f"\\x{code - 0xdc00:02x}"
    return SHORT.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000
                               else f"\\U{code:08x}")


def shown(value: object) -> str:
    """A value in a line of text: it cannot end the line, nor steer the terminal."""
    text = str(value)
    return text if text.isprintable() else "".join(
        char if char.isprintable() else visible(char) for char in text)


def say(*lines: object, file: Optional[TextIO] = None, flush: bool = False) -> None:
    """Prints lines, one per argument, whatever names they hold."""
    for line in lines:
        print(shown(line), file=file or sys.stdout, flush=flush)


def lines_text(lines: Iterable[object]) -> str:
    """The text of a file of lines, such as markdown."""
    return "".join(f"{shown(line)}\n" for line in lines)


def bytes_of(char: str) -> bytes:
    """As in a name of a file; a surrogate that is no byte of one can only come from JSON."""
    return char.encode("utf-8", "surrogateescape" if 0xdc80 <= ord(char) <= 0xdcff else "surrogatepass")


def quoted(word: object) -> str:
    """A word for bash, in scripts and in what is to be typed. A path is never taken for an option."""
    text = str(word)
    if isinstance(word, PurePath) and text.startswith("-"):
        text = f"./{text}"
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join("\\" + char if char in "\\'" else char if char.isprintable() else "".join(
        f"\\x{byte:02x}" for byte in bytes_of(char)) for char in text) + "'"


def typed_line(words: Iterable[object]) -> str:
    return " ".join(map(quoted, words))


def utf8(text: str) -> str:
    """Text that every reader of UTF-8 takes: bytes of names that are none are shown."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join(visible(char) if 0xd800 <= ord(char) <= 0xdfff else char for char in text)
    return text


class LineFeeds:
    """Rows of csv end with its usual two characters, or it would not quote both of them; in a file with one."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line[:-2] + "\n")


def csv_of(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table as CSV. `rows`: dictionaries; other keys are left out."""
    text = LineFeeds()
    writer = csv.writer(text)
    for row in (dict(zip(columns, columns)), *rows):
        writer.writerow([utf8(value) if isinstance(value, str) else value for value in map(row.get, columns)])
    return "".join(text.lines)


def aligned(cells: Iterable[Sequence[object]], left: Container[int]) -> list[str]:
    """Lines of a table in columns, of which those of `left` begin at the same place."""
    texts = [[shown(cell) for cell in row] for row in cells]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    return ["  ".join(cell.ljust(width) if column in left else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in texts]


class Parser(argparse.ArgumentParser):
    """Of a command line, whose words may be such names."""

    def error(self, message: str) -> NoReturn:
        super().error(shown(message))


def any_stream() -> None:
    """A terminal without UTF-8 gets what it lacks as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
