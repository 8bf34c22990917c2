#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The ABI of the C interface: rowhalo.h declares what rowhalo.map lists and librowhalo.so has, and
test_c.c calls each. test_symbols.py LIBRARY. A function that goes needs a new SOVERSION; a new one is a line of
the map."""
import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]


def main(library):
    header = (SOURCE / "miniapp/bindings/c/rowhalo.h").read_text(encoding="utf-8")
    code = re.sub(r"//.*", "", header)
    declared = set(re.findall(r"\b(rowhalo_\w+)\(", code))
    listed = set(re.findall(r"^  (rowhalo_\w+);$", (SOURCE / "miniapp/rowhalo.map").read_text(encoding="utf-8"), re.M))
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    shown = set(re.findall(r" T (rowhalo_\w+)$", lines, re.M))
    assert declared, "rowhalo.h declares no function"
    assert declared == listed, f"rowhalo.h and rowhalo.map differ: {declared ^ listed}"
    assert declared == shown, f"rowhalo.h and {library} differ: {declared ^ shown}"
    test = (SOURCE / "tests/miniapp/bindings/test_c.c").read_text(encoding="utf-8")
    untested = {name for name in declared if f"{name}(" not in test}
    assert not untested, f"test_c.c calls no {untested}"


if __name__ == "__main__":
    main(sys.argv[1])
