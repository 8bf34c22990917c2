# SPDX-License-Identifier: BSD-3-Clause
"""What test_names.py and test_fuzz.py share: names that break programs, a program that stands in for rowhalo, and
the programs of jobs/ called in this process, whose output is looked at."""
import contextlib
import io
import os
import re
import sys
from unittest.mock import patch

from results import JOBS

from rowhalo_study.cli import main  # noqa: E402

PIECES = ["\n", "\r", "\t", "\x1b[31m", "\x07", "\x7f", "\u0085", "\u2028", "\u202e", "\u2066", "\u200f", "\ufeff",
          "'", '"', "`id`", "$(id)", "$HOME", "${x}", "\\", " ", "  ", "-", "--", "-rf", ";", "&", "|", ">", "*", "?",
          "<script>", "</ScRiPt>", "<b>", "&lt;", "]]>", "%s", "{}", "{ranks}", "#", "=", ",", ":", "..", ".",
          "行列", "é", "\U0001f600", "a", "Z", "0", "RESULT: PASS", "\nRESULT: PASS y agrees\n", "$a$b_{$", "_x",
          "!", "~", "%", "^", "\udcff", "\udc80\udcfe", "verdict: VALID", "long" * 30]
FAKE = '''#!PYTHON -B
import json, os, sys
words = sys.argv[1:]
samples = SAMPLES
def sample(name):
    with open(os.path.join(samples, name + ".json"), encoding="utf-8") as file:
        return json.load(file)
def after(option):
    return words[words.index(option) + 1]
if words[:1] == ["list"]:
    print(json.dumps([dict(name=name) for name in ("csr", "sell", "mpi", "rows")]))
elif words[:1] == ["--version"]:
    print("rowhalo 1.0.0")
elif "--help" in words:
    print("help")
else:
    report = sample("info" if words[0] == "info" else "run")
    source = after("--matrix")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "asked"), "ab") as file:
        file.write(os.fsencode(source) + b"\\0")
    report["matrix"]["source"] = os.fsencode(source).decode(errors="replace")
    report["argv"] = ["rowhalo", "run", "--matrix", report["matrix"]["source"]]
    text = json.dumps(report)
    if after("--json") == "-":
        print(text)
    else:
        with open(after("--json"), "w") as file:
            file.write(text)
'''
SITE = ("[site]\nscheduler = {scheduler}\n[node]\ncores = 2\ngpus = 0\nmemory_gb = 9\n"
        "[launch]\ncommand = env N={{ranks}}\n")


def name(random, longest=200):
    """Of a file: no slash, no NUL, at most 255 bytes."""
    while True:
        text = "".join(random.choice(PIECES) for _ in range(random.randint(1, 6)))
        text = os.fsdecode(os.fsencode(text)[:longest]).replace("/", "|")
        if text not in (".", ".."):
            return text


def words(random):
    """Of a report or plan: anything that JSON can hold."""
    text = "".join(random.choice([*PIECES, "\ud800", "/"]) for _ in range(random.randint(0, 6)))
    return text * random.choice([1, 1, 1, 1, 200])


def fake_program(place):
    path = place / "rowhalo"
    path.write_text(FAKE.replace("PYTHON", sys.executable).replace(
        "SAMPLES", repr(str(JOBS / "results/samples"))), encoding="utf-8")
    path.chmod(0o755)
    return path


def asked(place):
    """Matrices that the stand-in was asked for."""
    path = place / "asked"
    return {os.fsdecode(one) for one in path.read_bytes().split(b"\0")[:-1]} if path.exists() else set()


class Said(Exception):
    """What a program said, or did, that it must not."""


def check_text(text, program):
    for line in text.split("\n"):
        if not line.isprintable():
            raise Said(f"{program}: a raw control character: {line!r}")
        if re.fullmatch("RESULT: PASS( y agrees)?|verdict: VALID", line):
            raise Said(f"{program}: a name made a line of its own: {line!r}")


def call(program, *arguments, statuses=(0,)):
    """stdout and stderr of a program of jobs/ with these words; Said where it ends otherwise."""
    command = program.replace("_", "-")
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2)]
    arguments = list(map(str, arguments))
    with patch.object(sys, "argv", [str(JOBS / "rowhalo-study")]), contextlib.redirect_stdout(
            streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            status = main.main(arguments if command == "study" else [command, *arguments])
        except SystemExit as ended:
            status = ended.code
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    for text in texts:
        check_text(text, program)
    if statuses and status not in statuses:
        raise Said(f"{program} {arguments}: status {status}: {texts}")
    return status, *texts
