#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the tree that a compiler does not make, one a call: lint.py CHECK --source DIR --build DIR.

Each check is a function that yields findings ("file:line: what, and what to do"); CHECKS is the table.
Exit status: 0 clean, 1 findings, 77 the tool that is needed is missing (the reason is printed).
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from directives import check_directives  # noqa: F401  (CHECKS finds it)
from links import check_links  # noqa: F401

# Which rooms a room may include. The longest prefix of a file's path counts.
MAY_INCLUDE = {
    "partition/base/": ["partition/base/"],
    "partition/": ["partition/"],
    "kernels/": ["kernels/", "partition/base/"],
    "io/": ["io/", "partition/"],
    "miniapp/": ["miniapp/", "io/", "kernels/", "partition/"],
    # Inside miniapp each folder builds on those above it; commands, the last, on all.
    "miniapp/process/": ["miniapp/process/", "partition/"],
    "miniapp/halo/": ["miniapp/halo/", "kernels/", "partition/"],
    "miniapp/spmv/": ["miniapp/spmv/", "miniapp/halo/", "kernels/", "partition/"],
    "miniapp/tune/": ["miniapp/tune/", "miniapp/spmv/", "miniapp/halo/", "io/", "kernels/", "partition/"],
    "miniapp/machine/": ["miniapp/machine/", "io/", "partition/"],
    "miniapp/solve/": ["miniapp/solve/", "miniapp/spmv/", "miniapp/halo/", "kernels/",
                       "partition/"],
    "miniapp/bindings/": ["miniapp/bindings/", "miniapp/tune/", "miniapp/spmv/", "miniapp/halo/", "kernels/",
                          "partition/"],
    "miniapp/check/": ["miniapp/check/", "miniapp/spmv/", "miniapp/halo/", "io/",
                       "kernels/", "partition/"],
    "miniapp/bench/": ["miniapp/bench/", "miniapp/tune/", "miniapp/solve/", "miniapp/check/", "miniapp/spmv/", "miniapp/halo/",
                       "miniapp/process/", "miniapp/machine/", "io/", "kernels/", "partition/"],
    "miniapp/cli/": ["miniapp/cli/", "miniapp/bench/", "miniapp/tune/", "miniapp/check/", "miniapp/solve/", "miniapp/spmv/",
                     "miniapp/halo/", "miniapp/process/", "miniapp/version.hpp", "io/", "kernels/", "partition/"],
    # Other languages know the exported libraries alone.
    "miniapp/bindings/c/": ["miniapp/bindings/c/", "miniapp/tune/", "miniapp/solve/", "miniapp/spmv/", "kernels/", "partition/"],
    "miniapp/examples/": ["check.hpp", "miniapp/solve/", "miniapp/tune/", "miniapp/spmv/", "io/", "partition/"],
    "tests/": ["tests/", "miniapp/", "io/", "kernels/", "partition/"],
}
# System headers that a room must not know.
FORBIDDEN_HEADERS = {
    "partition/base/": r"mpi|cuda|nccl",
    "partition/": r"cuda|nccl",
    "kernels/": r"mpi|nccl|petsc|hdf5",
    "io/": r"cuda|nccl|petsc",
}
# What may lie at the top.
ROOMS = {"io", "jobs", "kernels", "miniapp", "partition", "tests"}
TOP_FILES = {"CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE",
             "README.md", "quickstart"}
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".c", ".h")
SCRIPTS = (".sh", ".py", ".sbatch", ".pbs")
MAX_LINES = 450
MAX_README_LINES = 150


# Pattern, and what to say; the last is for texts, too.
LEFT_WORDS = [
    (r"\bhold_back\b", "wait on an event: make_wait"),
    (r"\b(deal_out|dealt)\b", "say: scatter, gather, redistribute"),
    (r"\b[Ff]light\b", "unroll depth, load in flight"),
    (r"\bnarrow\w*\b", "reduced precision, fp32, 16-bit columns"),
    (r"\w_a_(row|rank|product|step|slice|warp|thread|block|chunk|unit|nonzero|second|word)\b", "say per"),
    (r"\b(bytes|entries|rows|nonzeros|messages|times?|GPU|one|value) a (product|rank|row|nonzero|GPU|part|batch|group)\b",
     "say per"),
]


class Skip(Exception):
    """The check cannot be made here; the text says why."""


class Tree:
    def __init__(self, source, build):
        self.source = source
        self.build = build
        listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=source,
                                 capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            names = listing.stdout.split("\n")
        else:  # a tarball
            names = [str(path.relative_to(source)) for path in source.rglob("*")
                     if not re.match(r"(build|\.)", str(path.relative_to(source)))]
        self.files = sorted(name for name in names if name and (source / name).is_file())

    def lines(self, name):
        return (self.source / name).read_text(encoding="utf-8").split("\n")

    def is_script(self, name):
        if name.endswith(SCRIPTS):
            return True
        if "." in Path(name).name or not os.access(self.source / name, os.X_OK):
            return False
        return self.lines(name)[0].startswith("#!")

    def sources(self):
        return [name for name in self.files if name.endswith(SOURCES)]

    def scripts(self):
        return [name for name in self.files if self.is_script(name)]

    def cmake(self):
        return [name for name in self.files if re.search(r"CMakeLists\.txt$|\.cmake(\.in)?$", name)]

    def texts(self):
        """What people write by hand: not golden outputs, not test data."""
        kinds = (".md", ".json", ".hpp.in", ".inc")
        listed = [name for name in self.files if name.endswith(kinds) and "/golden/" not in name]
        return self.sources() + self.scripts() + self.cmake() + listed


def check_places(tree):
    """Of the files under version control; others may be anybody's."""
    listing = subprocess.run(["git", "ls-files"], cwd=tree.source, capture_output=True, text=True,
                             check=False)
    for name in listing.stdout.splitlines() if listing.returncode == 0 else tree.files:
        room, below, _ = name.partition("/")
        if not name.startswith(".") and room not in (ROOMS if below else TOP_FILES):
            yield f"{name}: the top level is fixed; move it into one of {', '.join(sorted(ROOMS))}"


def rule_of(table, name):
    prefixes = [prefix for prefix in table if name.startswith(prefix)]
    return table[max(prefixes, key=len)] if prefixes else None


def check_layers(tree):
    for name in tree.sources():
        allowed = rule_of(MAY_INCLUDE, name)
        forbidden = rule_of(FORBIDDEN_HEADERS, name)
        for number, line in enumerate(tree.lines(name), 1):
            quoted = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            system = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
            if quoted and not any(quoted[1].startswith(prefix) for prefix in allowed or []):
                yield f"{name}:{number}: must not include \"{quoted[1]}\"; allowed: {allowed}"
            if system and forbidden and re.match(forbidden, system[1]):
                yield f"{name}:{number}: <{system[1]}> does not belong into this room"


def check_spdx(tree):
    for name in tree.sources() + tree.scripts() + tree.cmake():
        lines = tree.lines(name)
        first = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
        if not re.fullmatch(r"(//|#) SPDX-License-Identifier: BSD-3-Clause|/\* SPDX-License-Identifier: BSD-3-Clause \*/", first):
            yield f"{name}:1: first line must be the SPDX-License-Identifier: BSD-3-Clause"


def check_signatures(tree):
    pattern = re.compile(r"^\s*(//+|#+|\*)\s*[\\@]?((authors?|created (by|on)|last modified)\b|date\s*:)",
                         re.IGNORECASE)
    for name in tree.sources() + tree.scripts() + tree.cmake():
        for number, line in enumerate(tree.lines(name), 1):
            if pattern.match(line):
                yield f"{name}:{number}: git knows author and date; take the line out"


def first_include(tree, name):
    """The file of the tree that a file includes before all else, or None."""
    for line in tree.lines(name):
        if re.match(r"\s*#\s*(if|define)", line):
            return None
        include = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<)', line)
        if include:
            return include[1] if include[1] and (tree.source / include[1]).is_file() else None
    return None


def sources_of(entry):
    """The file of an entry of the compile database, or those that it compiles as one (CMAKE_UNITY_BUILD)."""
    if "/Unity/" not in entry["file"]:
        return [entry["file"]]
    return re.findall(r'^#include "([^"]+)"', Path(entry["file"]).read_text(encoding="utf-8"), re.M)


def compiled_alone_by_the_build(tree, entries):
    """Headers that a file of this build includes first, or that such a header includes first: with
    nothing before them, they compile alone."""
    proved = set()
    for entry in entries:
        name = os.path.relpath(sources_of(entry)[0], tree.source)
        if not name.startswith("..") and (tree.source / name).is_file():
            name = first_include(tree, name)
            while name and name not in proved:
                proved.add(name)
                name = first_include(tree, name)
    return proved


def reached_from(tree, name, seen):
    """Adds to `seen` the files of the tree that a file includes, directly or not."""
    for line in tree.lines(name):
        include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if include and include[1] not in seen and (tree.source / include[1]).is_file():
            seen.add(include[1])
            reached_from(tree, include[1], seen)
    return seen


def chains_of(tree, headers):
    """Headers in groups that can be compiled after one another: each includes all before it, so these give it
    nothing that it does not include anyway, and it still proves that it compiles alone. Rooms may mix: what
    system headers each may know is for check_layers."""
    reached = {name: reached_from(tree, name, set()) for name in headers}
    left = sorted(headers, key=lambda name: -len(reached[name]))
    while left:
        chain = [left.pop(0)]
        while below := [name for name in left if name in reached[chain[0]]]:
            chain.insert(0, below[0])
            left.remove(below[0])
        yield chain


def check_headers(tree):
    database = tree.build / "compile_commands.json"
    if not database.exists():
        raise Skip(f"{database} is missing")
    flags_of_room, includes_of_room = {}, {}
    entries = json.loads(database.read_text(encoding="utf-8"))
    # Headers of a library that this build does without are looked at by a build with it.
    absent = [header for header, source in (("(cu[a-z0-9_]+|vector_types|nccl)", ".cu"),
                                            ("hdf5", "hdf5/handles.cpp"))
              if not any(file.endswith(source) for entry in entries for file in sources_of(entry))]
    for entry in entries:
        file = sources_of(entry)[0]
        if not file.endswith(".cpp"):  # nvcc's flags are not those of a host compiler
            continue
        room = os.path.relpath(file, tree.source).split("/")[0]
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if "++" in Path(word).name):]
        drop = {words.index("-o"), words.index("-o") + 1, words.index("-c"), words.index("-c") + 1}
        flags = [word for i, word in enumerate(words) if i not in drop]
        # The flags of the room's file with the most, and the include directories of all of them.
        includes = includes_of_room.setdefault(room, {})
        includes.update((tuple(flags[i:i + 2]), None) for i, word in enumerate(flags)
                        if word == "-isystem")
        if len(flags) > len(flags_of_room.get(room, [])):
            flags_of_room[room] = flags

    def compile_alone(chain):
        room = chain[-1].split("/")[0]
        flags = flags_of_room.get(room) or max(flags_of_room.values(), key=len)
        includes = [word for pair in includes_of_room.get(room, {}) for word in pair]
        run = subprocess.run([*flags, *includes, "-Werror", "-fsyntax-only", "-I", str(tree.source),
                              *(word for name in chain for word in ("-include", name)), "-x", "c++", os.devnull],
                             cwd=tree.source, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            return
        if len(chain) > 1:  # which of them?
            for name in chain:
                yield from compile_alone([name])
        elif not any(re.search(rf"\b{header}\.h: No such file", run.stderr) for header in absent):
            yield f"{chain[0]}: does not compile alone:\n{run.stderr}"

    proved = compiled_alone_by_the_build(tree, entries)
    headers = [name for name in tree.sources() if name.endswith(".hpp") and name not in proved
               and not name.startswith("tests/install/")]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for wrong in pool.map(lambda chain: list(compile_alone(chain)), chains_of(tree, headers)):
            yield from wrong


def check_format(tree):
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if tool is None:
        raise Skip("clang-format is missing: apt-get install clang-format")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if " version 14." not in version:
        raise Skip(f"clang-format 14 is the one that counts, here is: {version.strip()}")
    run = subprocess.run([tool, "--dry-run", "-Werror", *tree.sources()], cwd=tree.source,
                         capture_output=True, text=True, check=False)
    for line in run.stderr.split("\n"):
        if "error:" in line:
            yield line


def check_length(tree):
    for name in tree.sources() + tree.scripts() + tree.cmake():
        lines = len(tree.lines(name)) - 1
        if lines > MAX_LINES:
            yield f"{name}:{lines}: more than {MAX_LINES} lines; split it by what its parts are for"


def check_leftovers(tree):
    pattern = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    for name in tree.texts():
        for number, line in enumerate(tree.lines(name), 1):
            if pattern.search(line):
                yield f"{name}:{number}: do it now or open an issue: {line.strip()}"


def check_language(tree):
    """Words that CONTRIBUTING (Words) has others for."""
    for name in tree.files:
        if not name.endswith((*SOURCES, ".md", ".py", ".sh")) or name.startswith("tests/lint/"):
            continue
        patterns = LEFT_WORDS if name.endswith(SOURCES) else LEFT_WORDS[-1:]
        for number, line in enumerate(tree.lines(name), 1):
            for pattern, better in patterns:
                if name != "CHANGELOG.md" and re.search(pattern, line):
                    yield f"{name}:{number}: {better}: {line.strip()}"


def check_whitespace(tree):
    for name in tree.texts():
        lines = tree.lines(name)
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                yield f"{name}:{number}: white space at the end of the line"
            if "\t" in line:
                yield f"{name}:{number}: a tab"
        if lines[-1] != "" or (len(lines) > 2 and lines[-2] == ""):
            yield f"{name}:{len(lines)}: the file must end with exactly one line feed"


def check_shellcheck(tree):
    if shutil.which("shellcheck") is None:
        raise Skip("shellcheck is missing: apt-get install shellcheck")
    scripts = [name for name in tree.scripts() if re.match(r"#!.*sh$", tree.lines(name)[0])]
    run = subprocess.run(["shellcheck", "-x", "--format=gcc", *scripts], cwd=tree.source,
                         capture_output=True, text=True, check=False)
    yield from filter(None, run.stdout.split("\n"))


def check_types(tree):
    """Type hints of the Python packages, by mypy with the settings of their pyproject.toml: which files of rowhalo-study have
    them stands there."""
    if shutil.which("mypy") is None:
        raise Skip("mypy is missing: apt-get install mypy")
    for folder, files in (("miniapp/bindings/python", ["rowhalo"]), ("jobs", [])):
        if not (tree.source / folder / "pyproject.toml").is_file():
            continue
        run = subprocess.run(["mypy", "--cache-dir=/dev/null", "--config-file", "pyproject.toml", *files],
                             cwd=tree.source / folder, capture_output=True, text=True, check=False)
        if run.returncode:
            yield from filter(None, (run.stdout + run.stderr).split("\n"))


def check_ruff(tree):
    """Python of jobs/, by ruff with the settings of its pyproject.toml."""
    ruff = shutil.which("ruff")
    if ruff is None:
        raise Skip("ruff is missing: pip install ruff")
    run = subprocess.run([ruff, "check", "--no-cache", "--output-format", "concise", "jobs", "--exclude", "jobs/recipes"],
                         cwd=tree.source, capture_output=True, text=True, check=False)
    if run.returncode:
        yield from filter(None, (run.stdout + run.stderr).split("\n"))


def check_readme(tree):
    lines = len(tree.lines("README.md")) - 1
    if lines >= MAX_README_LINES:
        yield f"README.md:{lines}: {MAX_README_LINES} lines or more"


CHECKS = {name[len("check_"):]: function for name, function in list(globals().items())
          if name.startswith("check_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("check", choices=CHECKS, nargs="?")
    parser.add_argument("--list", action="store_true", help="print the names of the checks")
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=Path, default=Path("build"))
    options = parser.parse_args()
    if options.list or options.check is None:
        print("\n".join(CHECKS))
        return 0
    try:
        findings = list(CHECKS[options.check](Tree(options.source.resolve(), options.build.resolve())))
    except Skip as reason:
        print(f"skipped: {reason}")
        return 77
    print("\n".join(findings))
    print(f"{options.check}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
