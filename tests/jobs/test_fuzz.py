#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random bundles and random names: jobs/ ends with a verdict or with one line of error, whatever they hold.

usage: test_fuzz.py [bundles|names] [--seconds S] [--seed N]

Without words: a few cases of each, as a test. A case follows from its number, which a failure names.
"""
import argparse
import copy
import csv
import gzip
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path
from unittest.mock import patch

import nasty
from nasty import Said, call
from official_results import Made
from results import JOBS

# pylint: disable=wrong-import-position
from rowhalo_study.official import bundle  # noqa: E402

VALUES = (None, True, False, 0, -1, 1, 2.5, 1e300, -1e300, 10 ** 17, 10 ** 40, float("nan"), float("inf"), "", "x",
          "1", [], {}, [[]], [None], {"": None}, "../../x", "\ud800", "\n", "9" * 300)
LITERALS = ("NaN", "-Infinity", "1e999", "1" * 5000, "[" * 5000, "{" * 3000, '"\\ud800"', '"\\u0000"', "01", "tru",
            '{"a":1,"a":2}', "\x00", "\xff")
KINDS = (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE,
         tarfile.GNUTYPE_SPARSE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE, b"\0", b"9")


def places(value, path=()):
    """All places in a value of JSON."""
    yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(one, (*path, key))


def mutated(chance, value):
    """A value of JSON with one change, and its text with another."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(list(places(value))[1:] or [()])
        if not path:
            break
        where = value
        for key in path[:-1]:
            where = where[key]
        what = chance.random()
        if what < 0.6:
            where[path[-1]] = copy.deepcopy(chance.choice((*VALUES, nasty.words(chance))))
        elif what < 0.75:
            del where[path[-1]]
        elif isinstance(where, dict):
            where[chance.choice((nasty.words(chance), "official", "points"))] = copy.deepcopy(where[path[-1]])
        else:
            where *= chance.choice((2, 50))
    text = json.dumps(value)
    if chance.random() < 0.3:
        start = chance.randrange(len(text))
        text = text[:start] + chance.choice(LITERALS) + text[start + chance.randint(0, 3):]
    return text.encode("utf-8", "surrogatepass")


def members(chance, files):
    """An archive of the files, some of whose headers lie."""
    liar = chance.random() < 0.5
    for name, content in files.items():
        info = tarfile.TarInfo(f"a/{name}")
        info.size = len(content)
        if liar and chance.random() < 0.05:
            what = chance.randrange(4)
            if what == 0:
                info.type = chance.choice(KINDS)
            elif what == 1:
                info.size = chance.choice((0, 1, 10 ** 6, 8 ** 11 - 1, 2 ** 40))
            elif what == 2:
                info.name = chance.choice(("/etc/x", "a/../../x", "b/x", "a", "a/plan.json", f"a/{nasty.name(chance)}"))
            else:
                info.linkname = "/etc/passwd"
        try:
            head = bytearray(info.tobuf(chance.choice((tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT)), "utf-8",
                                        "surrogateescape"))
        except ValueError:  # such a header cannot be written
            continue
        if liar and chance.random() < 0.02:
            head[chance.randrange(len(head))] ^= 1 << chance.randrange(8)
            head[148:156] = b" " * 8
            head[148:156] = b"%06o\0 " % sum(head[:512])
        yield bytes(head) + content + bytes(-len(content) % 512)


class Bundles:
    """Cases of changed bundles."""

    def __init__(self, place):
        self.place = place
        _, path = Made(seconds=5.0).write(place)
        self.files = {name: content for name, content in bundle.read(path).items() if not name.startswith("scripts/")}

    def case(self, chance):
        files = dict(self.files)
        for _ in range(chance.randint(1, 2)):
            name = chance.choice([name for name in files if name.endswith(".json")])
            files[name] = mutated(chance, json.loads(files[name].decode("utf-8", "surrogatepass"))
                                  if files[name] == self.files[name] else json.loads(self.files[name]))
        if chance.random() < 0.2:
            files.pop(chance.choice(list(files)))
        if chance.random() < 0.7:
            files.pop(bundle.MANIFEST, None)
            files[bundle.MANIFEST] = bundle.manifest_of(files).encode()
        packed = gzip.compress(b"".join(members(chance, files)) + bytes(1024), 1)
        if chance.random() < 0.1:
            packed = bytearray(packed)
            packed[chance.randrange(len(packed))] ^= 1 << chance.randrange(8)
        path = self.place / "changed.tar.gz"
        path.write_bytes(packed)
        start = time.process_time()
        status, out, said = call("official", "check", path, statuses=(0, 1, 3))
        if time.process_time() - start > 5:
            raise Said("took more than 5 s")
        if status == 1 and not said:
            raise Said(f"no reason: {out}")
        if "Traceback" in said or not ("verdict: " in out or said.count("\n") == 1):
            raise Said(f"neither a verdict nor one line: {out}{said}")
        if status == 0 and "verdict: VALID" in out:
            raise Said(f"VALID: {out}")


def with_words(chance, report):
    """A report that holds names of any kind where it holds texts."""
    report = copy.deepcopy(report)
    for path in list(places(report)):
        where = report
        for key in path[:-1]:
            where = where[key]
        if path and isinstance(where[path[-1]], str) and path[0] not in ("command", "status") and chance.random() < 0.5:
            where[path[-1]] = nasty.words(chance)
    return report


class Names:
    """Cases of files, folders and reports with such names."""

    def __init__(self, place):
        self.place, self.number = place, 0
        self.program = nasty.fake_program(place)
        self.samples = [json.loads((JOBS / f"results/samples/{name}.json").read_text("utf-8"))
                        for name in ("run", "solve", "kernels")]

    def case(self, chance):
        self.number += 1
        folder = self.place / f"{self.number}" / nasty.name(chance)
        folder.mkdir(parents=True)
        with patch.dict(os.environ, ROWHALO=str(self.program), PYTHON=sys.executable):
            self.reports(chance, folder)
            self.study(chance, folder)

    def reports(self, chance, folder):
        paths = []
        for report in self.samples:
            path = folder / f"{nasty.name(chance, 100)}.json"
            path.write_text(json.dumps(with_words(chance, report)), encoding="utf-8")
            paths.append(path)
        table = folder / f"{nasty.name(chance, 100)}.csv"
        status, _, _ = call("table", *paths, "--output", table, statuses=(0, 2))
        for path in paths:
            call("table", path, statuses=(0, 2))
            call("compare", path, path, statuses=(0, 2))
        page = folder / "page.html"
        if self.number % 10 == 0 and importlib.util.find_spec("matplotlib"):
            self.page(call("report", *paths, "--output", page, statuses=(0, 2)), page)
            call("plot", *paths, "--output", folder / "pictures", statuses=(0, 1, 2))
        if status == 0:
            with open(table, encoding="utf-8", newline="") as file:
                list(csv.DictReader(file))
            call("compare", table, table, statuses=(0, 2))

    @staticmethod
    def page(result, page):
        if result[0] == 0:
            text = page.read_text(encoding="utf-8")
            if text.count("<script") != 2 or len(re.findall("</script", text, re.IGNORECASE)) != 2:
                raise Said("a name made a script")

    def study(self, chance, folder):
        matrix = folder / f"{nasty.name(chance, 100)}{chance.choice(('.mtx', '.MTX', '.mtx.gz', '.h5'))}"
        matrix.write_bytes(b"a matrix")
        ini = folder / f"{nasty.name(chance, 100)}.ini"
        ini.write_bytes(b"[study]\nname = s\nkind = list\ntitle = " + os.fsencode(nasty.name(chance)) + b"\n[matrix]\n"
                        b"source = " + os.fsencode(matrix.name) + b"\n[points]\nranks = 1\n[run]\nrepeats = 1\n")
        site = folder / f"{nasty.name(chance, 100)}.ini"
        scheduler = chance.choice(("slurm", "pbs", "none"))
        site.write_text(nasty.SITE.format(scheduler=scheduler), encoding="utf-8")
        output = folder / nasty.name(chance, 100)
        asked = [f"--site={site}", f"--output={output}"]
        status, _, _ = call("study", "plan", ini, *asked, statuses=(0, 2))
        if status or output.exists():
            return
        out = call("study", "submit", ini, *asked, "--dry-run")[1]
        self.script(out)
        if scheduler == "none":
            call("study", "run", ini, *asked, "--no-plot")
            call("study", "status", output)
            call("study", "collect", output)
            page = folder / "study.html"
            if self.number % 10 == 1 and importlib.util.find_spec("matplotlib"):
                self.page(call("report", output, "--output", page, statuses=(0,)), page)
            call("compare", output, output)
        # A file of settings keeps no blanks at the ends of a value.
        if matrix.name == matrix.name.strip() and str(matrix) not in nasty.asked(self.place):
            raise Said(f"the program was not asked for {matrix!r}")

    @staticmethod
    def script(text):
        """What would be submitted is a script, whose words are those that were meant."""
        made = subprocess.run(["bash", "-n"], input=os.fsencode(text), stderr=subprocess.PIPE, check=False)
        if made.returncode:
            raise Said(f"no script: {made.stderr!r}")
        line = next(line for line in text.split("\n") if line.startswith("exec "))
        words = subprocess.run(["bash", "-c", f"printf '%s\\0' {line[5:]}"], stdout=subprocess.PIPE, check=True).stdout
        place = words.split(b"\0")[-4 if b"--job" in words else -3]
        if b"--job" in words and not os.path.isabs(place.decode(errors="replace")):
            place = words.split(b"\0")[words.split(b"\0").index(b"--job") - 1]
        if not os.path.isabs(os.fsdecode(place)):
            raise Said(f"no folder: {place!r}")


TARGETS = {"bundles": Bundles, "names": Names}


def search(target, seed, seconds=0.0, cases=0):
    """Cases from `seed` on until the time is over, or so many; their number."""
    deadline, done = time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        tried = TARGETS[target](Path(folder))
        while done < cases or (not cases and time.monotonic() < deadline):
            try:
                tried.case(random.Random(seed + done))
            except Exception as error:
                raise AssertionError(f"{target}, --seed {seed + done}: {type(error).__name__}: {error}") from error
            done += 1
    return done


class Short(unittest.TestCase):
    def test_bundles(self):
        search("bundles", 1, cases=60)

    def test_names(self):
        search("names", 1, cases=6)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{search(options.target, options.seed, options.seconds)} cases of {options.target}, no finding")


if __name__ == "__main__":
    if sys.argv[1:]:
        main()
    else:
        unittest.main()
