#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PETSc's own examples with AIJ and with Mat type rowhalo: programs that know nothing of Rowhalo must print the same.

    tests/petsc_examples.py --examples DIR/src --library librowhalo_petsc.so --work FOLDER [--only TEXT] [--shard I/N] [--gpu]

DIR is share/petsc/VERSION/share/petsc/examples of a PETSc that is installed with its examples (Debian:
libpetsc3.18-dev-examples), of the same version as the one that pkg-config names. The list follows from a rule, not from
results: every test of the C examples in FOLDERS whose program takes a matrix type from the command line
(MatSetFromOptions, DMSetMatType or DMSetFromOptions), on at most 4 ranks, that asks for nothing but what BUILT has, names no
matrix type itself, needs no file and prints no times. All products are Rowhalo's, those of the smallest matrices too. `--list` prints the
list. A line per test: same, rounding (numbers differ by less than 1e-4, counts by one), sensitive (PETSc's own type aijsell, which
adds up in another order, too, differs from aij as well), DIFFERENT, or aij fails (which counts for neither side). Before what
differs stands its command line with the first line that does. Exit status 1 where fewer than 95 % are same, rounding or sensitive."""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = ("ksp/ksp/tutorials", "ksp/ksp/tests", "ksp/pc/tests", "mat/tutorials", "mat/tests", "snes/tutorials", "snes/tests",
           "ts/tutorials", "ts/tests")
# Of Debian's PETSc 3.18: what "requires" may name.
BUILT = {"!complex", "double", "!single", "!__float128", "!cuda", "!kokkos_kernels", "!defined(PETSC_USE_64BIT_INDICES)",
         "hypre", "superlu_dist", "mumps", "!defined(PETSC_HAVE_VIENNACL)", "c99", "x", "suitesparse", "ml"}
TYPE_OPTIONS = ("MatSetFromOptions", "DMSetMatType", "DMSetFromOptions")
AT_ONCE = ["-mat_rowhalo_after", "0", "-mat_rowhalo_nonzeros", "0", "-mat_rowhalo_format", "sell", "-mat_rowhalo_halo", "mpi"]
NUMBER = re.compile(r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?")


def blocks(text):
    """(keys of the enclosing testset, keys of the test) of each test of a file: lines "key: value" by their indent."""
    found, inherited, current, depth = [], {}, None, 0
    for line in re.sub(r"\\\n *", " ", text).splitlines():
        words = re.match(r"( *)(\w+): *(.*)$", line)
        if not words:
            continue
        indent, key, value = len(words[1]), words[2], words[3]
        if key == "testset":
            inherited, current, depth = {}, None, indent
        elif key == "test":
            if indent <= depth:
                inherited = {}
            current = {}
            found.append((inherited, current))
        elif current is not None:
            current[key] = value
        else:
            inherited[key] = value
    return found


def tests_of(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    marked = re.search(r"/\*TEST(.*?)TEST\*/", text, re.DOTALL)
    if not marked or not any(name in text for name in TYPE_OPTIONS):
        return
    build = re.search(r"build:(.*?)\n\s*\n", marked[1] + "\n\n", re.DOTALL)
    needed = set(re.findall(r"requires: *(.*)", build[1])[0].split()) if build and "requires:" in build[1] else set()
    for number, (common, own) in enumerate(blocks(marked[1])):
        keys = {**common, **own}
        arguments = " ".join(keys[part] for part in ("args",) if part in keys)
        if "args" in common and "args" in own:
            arguments = common["args"] + " " + own["args"]
        wanted = needed | set(keys.get("requires", "").split())
        ranks = keys.get("nsize", "1")
        if (wanted <= BUILT and ranks.isdigit() and int(ranks) <= 4 and "{{" not in arguments and "mat_type" not in arguments
                and not re.search(r"DATAFILESPATH|log_view", arguments) and "$" not in arguments and "localrunfiles" not in keys):
            yield f"{path.stem}_{keys.get('suffix', number)}", int(ranks), shlex.split(arguments)


def the_list(examples):
    for folder in FOLDERS:
        for path in sorted((examples / folder).glob("*.c")):
            for name, ranks, arguments in tests_of(path):
                yield path, folder, name, ranks, arguments


def flags_of_petsc():
    for name in ("PETSc", "petsc"):
        result = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True, check=False)
        if result.returncode == 0:
            flags = result.stdout.split()
            return flags + ["-Wl,-rpath," + flag[2:] for flag in flags if flag.startswith("-L")]
    sys.exit("pkg-config does not know PETSc: set PKG_CONFIG_PATH")


def compiled(path, folder, work, flags):
    program = work / "bin" / folder.replace("/", "_") / path.stem
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        result = subprocess.run(["mpicc", "-O1", "-w", path, "-o", program, *flags, "-lm"], capture_output=True, check=False)
        if result.returncode:
            return None
    return program


def output(command):
    """Exit status and output, in a folder of its own."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as place:
        try:
            result = subprocess.run(command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return None, "no end after 60 s"
    return result.returncode, result.stdout.decode(errors="replace")


def verdict(expected, found):
    """How two outputs compare; a type's name is what the user asked for, and no difference."""
    expected, found = (re.sub(r"((?:seq|mpi)aij)(?:rowhalo|cusparse|sell)", r"\1", text) for text in (expected, found))
    if expected == found:
        return "same"
    if NUMBER.sub("#", expected).split() != NUMBER.sub("#", found).split():
        return "DIFFERENT"
    for one, other in zip(NUMBER.findall(expected), NUMBER.findall(found)):
        a, b = float(one), float(other)
        whole = one.lstrip("+-").isdigit() and other.lstrip("+-").isdigit()
        if abs(a - b) > (1 if whole else max(1e-4 * max(abs(a), abs(b)), 1e-10)):
            return "DIFFERENT"
    return "rounding"


def first_difference(expected, found):
    for one, other in zip(expected.splitlines(), found.splitlines()):
        if one != other:
            return f"    - {one}\n    + {other}"
    return "    one ends earlier"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=Path, required=True)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--work", type=Path, default=Path("petsc_examples"))
    parser.add_argument("--only", default="")
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--gpu", action="store_true", help="CUDA vectors, and aijcusparse in the place of aij")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    shard, shards = map(int, options.shard.split("/"))
    tests = [test for test in the_list(options.examples) if options.only in f"{test[1]}/{test[2]}"][shard - 1::shards]
    if options.list:
        for _, folder, name, ranks, arguments in tests:
            print(f"{folder}/{name}", ranks, shlex.join(arguments))
        return 0
    flags, counts, theirs = flags_of_petsc(), {}, "aijcusparse" if options.gpu else "aij"
    for path, folder, name, ranks, arguments in tests:
        program = compiled(path, folder, options.work.resolve(), flags)
        if program is None:
            what = "does not compile"
        else:
            command = ["mpirun", "-n", str(ranks), str(program), *arguments, "-nox", "-options_left", "no"]
            command += ["-vec_type", "cuda", "-dm_vec_type", "cuda"] if options.gpu else []
            ours = [*command, "-mat_type", "rowhalo", "-dm_mat_type", "aijrowhalo", "-dll_append",
                    str(options.library.resolve()), *AT_ONCE]
            status, expected = output([*command, "-mat_type", theirs, "-dm_mat_type", theirs])
            if status != 0:
                what = "aij fails"
            else:
                status, found = output(ours)
                what = verdict(expected, found) if status == 0 else "DIFFERENT"
                if what == "DIFFERENT" and status == 0:
                    other = output([*command, "-mat_type", "aijsell", "-dm_mat_type", "aijsell"])
                    if other[0] == 0 and verdict(expected, other[1]) == "DIFFERENT":
                        what = "sensitive"
                if what in ("sensitive", "DIFFERENT"):
                    print(shlex.join(ours), f"(status {status})")
                    print(first_difference(expected, found))
        counts[what] = counts.get(what, 0) + 1
        print(f"{what:10} {folder}/{name}", flush=True)
    print(counts)
    good, bad = sum(counts.get(what, 0) for what in ("same", "rounding", "sensitive")), counts.get("DIFFERENT", 0)
    print(f"{good} of {good + bad} tests print the same with rowhalo as with aij, rounding apart")
    return 0 if good >= 0.95 * (good + bad) else 1


if __name__ == "__main__":
    sys.exit(main())
