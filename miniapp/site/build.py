#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the documentation site from the headers' docstrings and the drawings of the kernels.

build.py FOLDER: writes FOLDER/html/index.html. Needs doxygen, Sphinx and breathe (Debian, Ubuntu:
apt-get install doxygen python3-sphinx python3-breathe). Exit status: 0 without any warning, 1 with
one, 77 when a program is missing.
"""
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
# What the installed libraries offer: page, its headers, title.
REFERENCE = [
    ("spmv", ["miniapp/spmv/*.hpp", "miniapp/halo/*.hpp", "miniapp/halo/memory/*.hpp", "miniapp/process/*.hpp"],
     "rowhalo::spmv: the distributed operator and its transports"),
    ("partition", ["partition/**/*.hpp"], "rowhalo::partition: who owns which rows, what has to travel"),
    ("kernels", ["kernels/*.hpp"], "rowhalo::kernels: y = alpha*A*x + beta*y on one rank"),
    ("io", ["io/*.hpp", "io/generators/*.hpp", "io/report/*.hpp"], "rowhalo::io: matrices in, results out"),
]
# What opens the files that compute and exchange: page, folders, title.
DRAWINGS = [
    ("formats", ["kernels/cpu", "kernels/gpu"], "Formats: what lies in memory, and how it is summed"),
    ("transports", ["miniapp/halo"], "Transports: how ghosts travel"),
]
LEAST_LINES = 6  # a shorter head of a file explains no layout


def head_comment(path):
    """Lines of the comment that opens a file, without the licence, without `//`."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[3:])
    return lines[2:]


def heading(text, line):
    return [text, line * len(text), ""]


def literal(lines):
    return ["::", "", *("   " + line for line in lines), ""]


def drawings_page(folders, title):
    page = heading(title, "=")
    for folder in folders:
        for path in sorted((SOURCES / folder).rglob("*.c*")):
            comment = head_comment(path)
            if len(comment) >= LEAST_LINES:
                page += heading(str(path.relative_to(SOURCES)), "-") + literal(comment)
    return page


def header_page(path):
    name = path.relative_to(SOURCES).as_posix()
    return (heading(name, "=") + literal(head_comment(path)) + [f".. doxygenfile:: {name}"])


def reference_pages(source, page, headers, title):
    """Writes a page for every header, and the page that lists them."""
    listing = heading(title, "=") + [".. toctree::", "   :maxdepth: 1", ""]
    for pattern in headers:
        for path in sorted(SOURCES.glob(pattern)):
            name = path.relative_to(SOURCES).with_suffix("").as_posix()
            target = source / "reference" / (name + ".rst")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("\n".join(header_page(path)) + "\n", encoding="utf-8")
            listing.append("   " + "/reference/" + name)
    (source / f"{page}.rst").write_text("\n".join(listing) + "\n", encoding="utf-8")


def main(folder):
    missing = [name for name, there in [("doxygen", shutil.which("doxygen")), ("Sphinx", importlib.util.find_spec("sphinx")),
                                        ("breathe", importlib.util.find_spec("breathe"))] if not there]
    if missing:
        print(f"skipped: missing: {', '.join(missing)}: apt-get install doxygen python3-sphinx python3-breathe")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("build.py", "Doxyfile", "__pycache__"))
    shutil.copytree(HERE.parent / "examples", source / "examples")
    for page, headers, title in REFERENCE:
        reference_pages(source, page, headers, title)
    for page, folders, title in DRAWINGS:
        (source / f"{page}.rst").write_text("\n".join(drawings_page(folders, title)) + "\n", encoding="utf-8")
    settings = (HERE / "Doxyfile").read_text(encoding="utf-8") + f'OUTPUT_DIRECTORY = "{folder}"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=SOURCES, check=True)
    return subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-D",
                           f"breathe_projects.rowhalo={folder / 'xml'}", source, folder / "html"], check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
