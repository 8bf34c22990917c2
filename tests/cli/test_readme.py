#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""README.md and the pages of the documentation site: their commands run. The rooms' pages hold the tables of `rowhalo list` and the texts of --help, and
what the table of formats and the formats' files say; --update rewrites them."""
import os
import re
import shlex
import subprocess
import sys
import unittest

import launch
from launch import table_of_formats

README = launch.SOURCE / "README.md"
NEEDED = {".h5": "HDF5", "metis": "METIS"}  # by words of commands
SITE = ["start", "concepts", "cookbook"]
PAGES = ["kernels/FORMATS.md", "miniapp/halo/TRANSPORTS.md", "partition/PARTITIONERS.md", "io/SOURCES.md",
         "miniapp/cli/OPTIONS.md", "jobs/NUMBERS.md"]
GENERATED = re.compile(r"(<!-- (rowhalo|formats) ([a-z -]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
BYTES = re.compile(r"^// Bytes of the matrix(?: \(([^)]+)\))?: ((?:.+\n//)*.+)\.$", re.MULTILINE)


def canonical_formats():
    """The sentence on identical bits."""
    def names(device):
        return ", ".join(f"`{name}`" for (where, name), promises in table_of_formats().items()
                         if where == device and "canonical" in promises)
    return f"CPU: {names('cpu')}.\nGPU: {names('gpu')}.\n"


def bytes_of_formats():
    """What the opening comments of the formats' files state."""
    stated = {}
    for path in sorted((launch.SOURCE / "kernels").rglob("*.*")):
        if path.suffix not in (".cpp", ".hpp", ".cu"):
            continue
        device = "cpu" if "/kernels/cpu/" in path.as_posix() else "gpu"
        for names, text in BYTES.findall(path.read_text(encoding="utf-8")):
            for name in names.replace("\n//", "").split(", ") if names else [path.stem.replace("_", "-")]:
                stated[device, name] = " ".join(text.replace("\n//", "").split())
    unstated = [key for key in table_of_formats() if key not in stated]
    if unstated:
        raise AssertionError(f"{unstated}: the file does not say 'Bytes of the matrix: ...'")
    rows = {}
    for device, name in table_of_formats():
        rows.setdefault((device, stated[device, name]), []).append(name)
    lines = [f"| {device} | {', '.join(names)} | {text} |\n" for (device, text), names in rows.items()]
    return "| | format | bytes of the matrix |\n| --- | --- | --- |\n" + "".join(lines)


def current(match):
    if match[2] == "formats":
        return match[1] + {"canonical": canonical_formats, "bytes": bytes_of_formats}[match[3]]() + match[5]
    result = launch.run(*match[3].split(), ranks=0)
    text = result.stdout if "--markdown" in match[3] else f"```\n{result.stdout.strip()}\n```\n"
    return match[1] + text + match[5]


class Readme(launch.Case):
    @launch.needs("PETSc")
    def test_generated_pages(self):
        """With PETSc, which is a default of --validate. White space is not compared: in --help it belongs
        to the version of CLI11."""
        for page in PAGES:
            path = launch.SOURCE / page
            text = path.read_text(encoding="utf-8")
            self.assertTrue(GENERATED.search(text), path)
            updated = GENERATED.sub(current, text)
            if UPDATE:
                path.write_text(updated, encoding="utf-8")
            self.assertEqual(path.read_text(encoding="utf-8").lower().split(), updated.lower().split(),
                             "run tests/cli/test_readme.py --update")

    def test_commands(self):
        """Blocks fenced as sh, in an empty folder, with this build's program first in PATH and the
        launcher of its MPI. What quickstart does is not repeated: it is what has started these tests."""
        text = README.read_text(encoding="utf-8")
        commands = []
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            commands += block.replace("\\\n", " ").strip().split("\n")
        commands = [line for line in commands if not re.match(r"git clone|cd |\./quickstart", line)]
        self.assertGreater(len(commands), 2)
        environment = {**launch.ENVIRONMENT, "PATH": f"{launch.BINARY.parent}:{os.environ['PATH']}"}
        for command in commands:
            with self.subTest(command):
                for word, library in NEEDED.items():
                    if word in command and not launch.built_with(library):
                        self.skipTest(f"built without {library}")
                launched = re.sub(r"^mpirun\b", shlex.join(launch.LAUNCHER), command)
                run = subprocess.run(["bash", "-euc", launched], cwd=self.place, env=environment,
                                     capture_output=True, text=True, check=False, timeout=launch.PATIENCE)
                self.assertEqual(run.returncode, 0, f"{command}\n{run.stdout}\n{run.stderr}")

    def test_commands_of_the_site(self):
        """Blocks fenced as sh, one after the other, in a folder with jobs/ and build/ as in a clone."""
        (self.place / "build/miniapp").mkdir(parents=True)
        (self.place / "build/miniapp/rowhalo").symlink_to(launch.BINARY)
        (self.place / "jobs").symlink_to(launch.SOURCE / "jobs")
        mpirun = f'mpirun() {{ {shlex.join(launch.LAUNCHER)} "$@"; }}\n' if launch.LAUNCHER != ["mpirun"] else ""
        for page in SITE:
            text = (launch.SOURCE / f"miniapp/site/{page}.md").read_text(encoding="utf-8")
            blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
            self.assertTrue(blocks, page)
            for block in blocks:
                if mpirun and "rowhalo-study run" in block:  # which takes the mpirun of Open MPI
                    continue
                commands = re.sub(r"^\./quickstart.*\n", "", block, flags=re.MULTILINE)
                run = subprocess.run(["bash", "-euo", "pipefail", "-c", mpirun + commands], cwd=self.place,
                                     env={**launch.ENVIRONMENT, "ROWHALO": str(launch.BINARY)}, capture_output=True,
                                     text=True, check=False, timeout=launch.PATIENCE)
                self.assertEqual(run.returncode, 0, f"{page}: {block}\n{run.stdout}\n{run.stderr}")
        self.assertTrue((self.place / "my-study/results.csv").is_file() or mpirun)


UPDATE = "--update" in sys.argv

if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
