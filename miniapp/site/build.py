#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the documentation site: the guides (.md) from where they stand in the repository, the pages of this folder,
and pages made from the headers' docstrings and from the comments that open the files of formats and transports.

build.py FOLDER: writes FOLDER/html/index.html, and FOLDER/external-links.txt, which nobody has followed. Needs doxygen,
Sphinx, breathe and myst-parser; with furo it looks better (Debian, Ubuntu: apt-get install doxygen python3-sphinx
python3-breathe python3-myst-parser furo). Exit status: 0 without any warning or broken link, 1 with one, 77 when a
program is missing.
"""
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

from check_html import check_html

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent
# What the installed libraries offer: page, its headers, title.
REFERENCE = [
    ("spmv", ["miniapp/spmv/*.hpp", "miniapp/halo/*.hpp", "miniapp/halo/memory/*.hpp"],
     "rowhalo::spmv: the distributed operator and its transports"),
    ("tune", ["miniapp/tune/tune.hpp", "miniapp/tune/tuning_file.hpp"], "rowhalo::tune: what an operator is made with"),
    ("solve", ["miniapp/solve/*.hpp"], "rowhalo::solve: solvers on it"),
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
ROOMS = ["partition", "kernels", "io", "miniapp", "jobs"]  # with the top, where guides are
LINK = re.compile(r"(!?)\[([^]]*)\]\(([^)\s]+)\)")
PRIVATE = re.compile(r'<sectiondef kind="private-.*?</sectiondef>', re.DOTALL)  # nothing for users
NEEDED = {"sphinx": "python3-sphinx", "breathe": "python3-breathe", "myst_parser": "python3-myst-parser"}


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


def label(name):
    return "drawing-" + name.replace("/", "-").replace(".", "-").replace("_", "-")


def drawings_page(folders, title, labels):
    """The page; adds the files and folders that it shows to `labels`."""
    page = heading(title, "=")
    for folder in folders:
        for path in sorted((SOURCES / folder).rglob("*.c*")):
            comment = head_comment(path)
            if len(comment) < LEAST_LINES:
                continue
            name = path.relative_to(SOURCES).as_posix()
            for place in (name, path.parent.relative_to(SOURCES).as_posix()):
                if place not in labels:
                    labels.add(place)
                    page += [f".. _{label(place)}:", ""]
            page += heading(name, "-") + literal(comment)
    return page


def header_page(path):
    name = path.relative_to(SOURCES).as_posix()
    return heading(name, "=") + literal(head_comment(path)) + [f".. doxygenfile:: {name}"]


def reference_pages(source, page, headers, title):
    """Writes a page for every header, and the page that lists them."""
    listing = heading(title, "=") + [".. toctree::", "   :maxdepth: 1", ""]
    for pattern in headers:
        for path in sorted(SOURCES.glob(pattern)):
            name = path.relative_to(SOURCES).with_suffix("").as_posix()
            write(source / "reference" / (name + ".rst"), header_page(path))
            listing.append("   " + "/reference/" + name)
    write(source / f"{page}.rst", listing)


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def copy_guide(source, name, labels):
    """A guide at the place that it has in the repository, with the files that it links to. A link to a folder becomes one to
    its README or its drawings, or none: the site has no pages of folders."""
    def rewritten(link):
        picture, text, target = link.groups()
        path, _, anchor = target.partition("#")
        place = (SOURCES / name).parent / path
        if re.match(r"[a-z]+:", target) or not path or path.endswith(".md") or not place.exists():
            return link[0]
        within = place.resolve().relative_to(SOURCES).as_posix()
        if within in labels:
            return f"{{ref}}`{text} <{label(within)}>`"
        if place.is_dir():
            inside = (place / "README.md").is_file()
            return f"[{text}]({path}/README.md#{anchor})".replace("#)", ")") if inside else text
        (source / within).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, source / within)
        return f"{picture}[{text}]({target})"

    text = LINK.sub(rewritten, (SOURCES / name).read_text(encoding="utf-8")).rstrip("\n")
    in_menu = re.search(rf"<{name[:-3]}>$", (HERE / "index.rst").read_text(encoding="utf-8"), re.MULTILINE)
    # Others, such as tables of results, are reached by links.
    write(source / name, [text] if in_menu else ["---", "orphan: true", "---", text])


def guides():
    for path in [*SOURCES.glob("*.md"), *(path for room in ROOMS for path in (SOURCES / room).rglob("*.md"))]:
        yield path.relative_to(SOURCES).as_posix()


def main(folder):
    missing = [package for name, package in NEEDED.items() if not importlib.util.find_spec(name)]
    if not shutil.which("doxygen"):
        missing.append("doxygen")
    if missing:
        print(f"skipped: missing: {', '.join(missing)}: apt-get install {' '.join(missing)}")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "source"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    shutil.copy(HERE / "conf.py", source)
    shutil.copy(HERE / "index.rst", source)
    shutil.copytree(HERE / "static", source / "static")
    for shown in ("examples", "bindings"):
        shutil.copytree(HERE.parent / shown, source / "miniapp" / shown)
    labels = set()
    for page, headers, title in REFERENCE:
        reference_pages(source, page, headers, title)
    for page, folders, title in DRAWINGS:
        write(source / f"{page}.rst", drawings_page(folders, title, labels))
    for name in guides():
        copy_guide(source, name, labels)
    shutil.rmtree(folder / "xml", ignore_errors=True)
    settings = (HERE / "Doxyfile").read_text(encoding="utf-8") + f'OUTPUT_DIRECTORY = "{folder}"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=SOURCES, check=True)
    for path in (folder / "xml").glob("*.xml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(PRIVATE.sub("", text), encoding="utf-8")
    for stale in ("html", "doctrees"):  # breathe remembers there what an earlier source had
        shutil.rmtree(folder / stale, ignore_errors=True)
    built = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", folder / "doctrees", "-D",
                            f"breathe_projects.rowhalo={folder / 'xml'}", source, folder / "html"], check=False)
    script = folder / "html/_static/scripts/furo.js"
    if script.is_file() and script.read_text(encoding="utf-8").startswith("import "):
        script.write_text("")  # Debian 12 has it in a form that no browser takes; pages do without it
    broken, external = check_html(folder / "html")
    write(folder / "external-links.txt", external)
    print("\n".join(broken))
    print(f"{len(broken)} broken links; {len(external)} external links, not followed: {folder}/external-links.txt")
    return 1 if built.returncode or broken else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
