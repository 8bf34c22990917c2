#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a person at a terminal meets: --version --json, manual pages, completion in bash and zsh, suggestions for
mistyped names, tables of at most 100 columns, --explain, and the progress line."""
import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import launch

AXES = ["formats", "transports", "partitioners", "sources", "methods", "preconditioners", "schedules"]
COMMANDS = ["run", "kernels", "solve", "info", "network", "convert", "list"]
MATRIX = ["--matrix", "stencil7:8"]


def printed(*arguments):
    """What the program prints without a launcher."""
    result = launch.run(*arguments, ranks=0)
    if (result.status, result.stderr) != (0, ""):
        raise AssertionError(result)
    return result.stdout


def names_of(axis):
    return [entry["name"] for entry in json.loads(printed("list", axis, "--json"))]


def options_of(*command):
    """The long options that --help names."""
    return re.findall(r"^  (?:-\w,)?(--[\w-]+)", printed(*command, "--help"), re.MULTILINE)


class Version(launch.Case):
    def test_json_is_the_provenance_of_reports_and_every_library(self):
        version = json.loads(printed("--version", "--json"))
        report = self.run_json("--matrix", "stencil5:4", *launch.SHORT, ranks=1)["provenance"]
        for key in ("version", "git", "compiler", "flags", "mpi", "cuda", "nccl", "petsc", "hdf5"):
            self.assertEqual(version[key], report[key], key)
        text = printed("--version")
        for name in ("PETSc", "CUDA", "NCCL", "HDF5", "METIS", "PT-Scotch", "hwloc", "zlib", "fmt"):
            shown = re.search(rf"^  {name} +(.*)$", text, re.MULTILINE)[1]
            self.assertEqual(version[name.lower().replace("-", "")] or "no", shown)

    def test_json_alone_is_refused(self):
        result = launch.run("--json", ranks=0)
        self.assertEqual(result.status, 2, result)
        self.assertIn("--version", result.stderr)


class Manual(launch.Case):
    def check(self, page, words):
        """Every word is printed, and nothing is complained of."""
        path = self.write("page.1", page)
        if shutil.which("groff"):
            shown = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-c", path], capture_output=True, text=True,
                                   check=True)
            self.assertEqual(shown.stderr, "")
            text = re.sub(r".\x08", "", shown.stdout)
            for word in words:
                self.assertRegex(text, rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        if shutil.which("mandoc"):
            lint = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True, check=False)
            # A page has no date: the same sources make the same page.
            findings = [line for line in lint.stdout.splitlines() if "missing date" not in line]
            self.assertEqual(findings, [])

    def test_the_page_of_the_program(self):
        page = printed("--man")
        self.assertTrue(page.startswith(".TH ROWHALO 1 "), page)
        self.check(page, COMMANDS + options_of())

    def test_a_page_for_every_command_names_its_options(self):
        for command in COMMANDS:
            with self.subTest(command):
                page = printed(command, "--man")
                self.assertIn(f".SH NAME\nrowhalo\\-{command} \\- ", page)
                self.check(page, options_of(command) + ["EXIT STATUS", "rowhalo(1)"])

    def test_the_page_of_list_has_the_tables(self):
        words = [name for axis in AXES for name in names_of(axis)]
        self.check(printed("list", "--man"), words)

    def test_the_page_of_the_tool_for_studies_names_its_commands(self):
        tool = str(launch.SOURCE / "jobs/rowhalo-study")
        shown = [subprocess.run([tool, option], capture_output=True, text=True, check=True).stdout
                 for option in ("--man", "--help")]
        self.check(shown[0], re.findall(r"^  ([a-z-]+) ", shown[1], re.M) + ["EXIT STATUS", "rowhalo(1)"])


class Bash(launch.Case):
    def setUp(self):
        super().setUp()
        self.script = self.write("rowhalo.bash", printed("--completion", "bash"))
        for name in ("matrix.mtx", "my file.h5", "stencil.txt"):
            self.write(name, "")

    def complete(self, line, breaks=" \n"):
        """The candidates behind `line`; by default nothing of a word is taken off."""
        code = ('source "$1"; COMP_WORDBREAKS=$3 COMP_LINE=$2 COMP_POINT=${#2}; _rowhalo\n'
                'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", code, "bash", self.script, line, breaks], cwd=self.place,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_the_script_is_clean(self):
        subprocess.run(["bash", "-n", self.script], check=True)
        if shutil.which("shellcheck"):
            found = subprocess.run(["shellcheck", "--shell=bash", self.script], capture_output=True, text=True,
                                   check=False)
            self.assertEqual(found.stdout, "")

    def test_commands_and_options(self):
        self.assertEqual(self.complete("rowhalo "), COMMANDS)
        self.assertEqual(self.complete("rowhalo so"), ["solve"])
        self.assertEqual(self.complete("rowhalo --comp"), ["--completion"])
        for command in COMMANDS:
            offered = self.complete(f"rowhalo {command} -")
            self.assertEqual([word for word in offered if word.startswith("--")], options_of(command))

    def test_names_of_the_tables(self):
        self.assertEqual(self.complete("rowhalo run --halo "), ["auto", "all", *names_of("transports")])
        partitioners = [name + (":" if name == "file" else "") for name in names_of("partitioners")]
        self.assertEqual(self.complete("rowhalo run --partition "), ["auto", "all", *partitioners])
        formats = ["auto", "all", *dict.fromkeys(names_of("formats"))]
        self.assertEqual(self.complete("rowhalo run --matrix a.mtx --format "), formats)
        self.assertEqual(self.complete("rowhalo list so"), ["sources"])
        self.assertEqual(self.complete("rowhalo run --graph o"), ["on", "off"])
        self.assertEqual(self.complete("rowhalo --completion "), ["bash", "zsh"])
        self.assertIn("bicgstab", self.complete("rowhalo solve --method "))
        self.assertEqual(self.complete("rowhalo run --alpha -"), [""])

    def test_generators_and_files(self):
        generators = [name + ":" for name in names_of("sources") if not name.startswith(".")]
        offered = self.complete("rowhalo info --matrix ")
        self.assertEqual(offered[:len(generators)], generators)
        self.assertEqual(sorted(offered[len(generators):]),
                         ["matrix.mtx", "my file.h5", "rowhalo.bash", "stencil.txt"])
        self.assertEqual(self.complete("rowhalo run --matrix sten"),
                         ["stencil5:", "stencil7:", "stencil27:", "stencil.txt"])
        self.assertEqual(self.complete("rowhalo run --json ma"), ["matrix.mtx"])
        self.assertEqual(self.complete("rowhalo convert matrix.mtx ma"), ["matrix.mtx"])
        self.assertIn("random:seed=", self.complete("rowhalo run --x "))

    def test_values_behind_an_equals_sign_and_lists(self):
        self.assertEqual(self.complete("rowhalo run --halo=mpi-sh"), ["--halo=mpi-shared"])
        self.assertEqual(self.complete("rowhalo run --halo=mpi-sh", " =:"), ["mpi-shared"])
        self.assertEqual(self.complete("rowhalo run --x random:s", " =:"), ["seed="])
        self.assertEqual(self.complete("rowhalo kernels --format sell,ase"), ["sell,asell"])
        self.assertEqual(self.complete("rowhalo kernels --format=sell,ase", " =:"), ["sell,asell"])


def on_screen(text):
    """What a terminal shows of it: without escape sequences, backspaces applied."""
    text = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text)
    changed = True
    while changed:
        text, changed = re.subn(r"[^\x08]\x08", "", text)
    return text


def typed(shell, setup, keys, expected, place):
    """Whether a shell on a terminal shows `expected` after `keys` were typed."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(place)
        os.execvpe(shell[0], shell, {**os.environ, "TERM": "dumb", "PS1": "$ ", "INPUTRC": "/dev/null"})
    shown = ""
    deadline = time.monotonic() + launch.PATIENCE
    try:
        os.write(terminal, (setup + "\n").encode())
        sent = False
        while time.monotonic() < deadline and expected not in on_screen(shown):
            ready, _, _ = select.select([terminal], [], [], 0.2)
            if ready:
                shown += os.read(terminal, 4096).decode(errors="replace")
            # Keys that come before the prompt may be lost.
            if not sent and re.search(r"^ready[^$]*\$ ", shown, re.MULTILINE):
                sent, shown = True, ""
                os.write(terminal, keys.encode())
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    return expected in on_screen(shown)


class Typed(launch.Case):
    """Completion as a shell does it when the tabulator is pressed."""
    KEYS = "rowhalo run --sched\tpet\t--halo=mpi-sh\t"
    BASH, ZSH = (f"rowhalo run --schedule{between}petsc-like --halo=mpi-shared" for between in " =")

    def test_bash(self):
        script = self.write("rowhalo", printed("--completion", "bash"))
        self.assertTrue(typed(["bash", "--norc", "--noprofile", "-i"], f"source {script}; echo rea''dy", self.KEYS,
                              self.BASH, self.place))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh: apt-get install zsh")
    def test_zsh(self):
        script = self.write("_rowhalo", printed("--completion", "zsh"))
        subprocess.run(["zsh", "-n", script], check=True)
        setup = f"fpath=({self.place} $fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"
        self.assertTrue(typed(["zsh", "-f", "-i"], setup, self.KEYS, self.ZSH, self.place))


class Suggestions(launch.Case):
    def test_every_kind_of_name(self):
        cases = {
            ("solv",): "solve",
            ("run", "--matrx", "a"): "--matrix",
            ("run", "--matrix", "stencl7:4"): "stencil7",
            ("run", "--matrix", "stencil7:4,coff=jump"): "coef",
            ("run", "--matrix", "stencil7:4,coef=jumpp"): "jump",
            ("run", *MATRIX, "--format", "asel"): "asell",
            ("run", *MATRIX, "--format", "sell:sgima=4"): "sigma",
            ("run", *MATRIX, "--halo", "mpi-persistant"): "mpi-persistent",
            ("run", *MATRIX, "--partition", "mets"): "metis",
            ("run", *MATRIX, "--schedule", "overlp"): "overlap",
            ("run", *MATRIX, "--precision", "fp46"): "fp64",
            ("run", *MATRIX, "--validate", "refrence"): "reference",
            ("run", *MATRIX, "--x", "indx"): "index",
            ("kernels", *MATRIX, "--format", "sell,csr-opm"): "csr-omp",
            ("kernels", *MATRIX, "--sweep", "thread"): "threads",
            ("solve", *MATRIX, "--method", "bicgstabb"): "bicgstab",
            ("solve", *MATRIX, "--preconditioner", "jacobbi"): "jacobi",
            ("solve", *MATRIX, "--norm", "naturel"): "natural",
            ("list", "formts"): "formats",
            ("--completion", "bsh"): "bash",
        }
        for arguments, meant in cases.items():
            with self.subTest(" ".join(arguments)):
                result = launch.run(*arguments, ranks=0)
                self.assertEqual(result.status, 2, result)
                self.assertIn(f"; did you mean {meant}? ", result.stderr)


class Widths(launch.Case):
    def test_tables_with_a_long_matrix_name(self):
        folder = self.place / ("a-folder-with-quite-a-long-name-" + "x" * 60)
        folder.mkdir()
        matrix = folder / ("matrix-" + "y" * 60 + ".mtx")
        self.assert_fits(launch.run("convert", "stencil7:8", matrix, ranks=2))
        short = ["--matrix", matrix, *launch.SHORT]
        for arguments in (["run", *short, "--explain", *launch.AUTO], ["run", *short, "--halo", "all"],
                          ["run", *short, "--format", "all", "--halo", "auto"], ["info", "--matrix", matrix, "--ranks", "8"],
                          ["solve", "--matrix", matrix, "--method", "all", "--explain", *launch.AUTO]):
            with self.subTest(" ".join(map(str, arguments))):
                result = launch.run(*arguments, ranks=2)
                self.assert_fits(result)
                self.assertIn(matrix.name, re.sub(r"\n +", "", result.stdout))
        formats = "csr,asell:codes=off,sell:c=8,sigma=4096,dia,bsr,dense"
        self.assert_fits(launch.run("kernels", *short, "--format", formats, ranks=1))

    def test_lists_and_help(self):
        for arguments in (["--help"], ["list"], *([command, "--help"] for command in COMMANDS)):
            self.assert_fits(launch.run(*arguments, ranks=0))


class Explain(launch.Case):
    def test_the_reasons_are_those_of_the_report(self):
        target = self.place / "run.json"
        result = launch.run("run", "--matrix", "stencil27:12", *launch.AUTO, *launch.SHORT, "--explain",
                            "--json", target, ranks=2)
        self.assertEqual(result.status, 0, result)
        report = json.loads(target.read_text(encoding="utf-8"))
        text = re.sub(r"\n {6}", " ", result.stdout.split("\nWhy\n")[1])
        kernel, halo, partition = report["kernel"], report["halo"], report["partition"]
        timed = [one for one in kernel["candidates"] if one["seconds"] is not None]
        for choice in (kernel, halo):
            for one in choice["candidates"]:
                left_out = rf"\n    .*\b{one['name']}\b.* left out: "
                if one["seconds"] is not None:
                    continue
                if one["outcome"] == "chosen":  # after a trial of its own
                    self.assertNotRegex(text, left_out)
                else:
                    self.assertRegex(text, left_out + re.escape(one["reason"]))
        text = re.sub(r"\n {4}", " ", text)
        self.assertRegex(text, f"in {len(timed)} of {len(kernel['candidates'])} formats and took "
                               rf"{kernel['format']}(, .* per product)?\.")
        self.assertIn(f"transports and took {halo['transport']}, ", text)
        self.assertIn(f"partitioners and took {partition['name']}, ", text)
        self.assertRegex(text, rf"Schedule: {halo['schedule']}(, since .*)?\.\n")
        self.assertIn("\nWhere the time goes\n  A product takes ", text)
        self.assertLess(result.stdout.index("Why"), result.stdout.index("FOM: "))

    def test_solve_explains_iterations(self):
        result = launch.run("solve", "--matrix", "stencil7:8", "--format", "csr", "--explain", ranks=1)
        self.assertEqual(result.status, 0, result)
        for part in ("  Partition: one rank owns all rows.\n", "  Format: csr, as named.\n",
                     "  Transport: nothing is exchanged.\n", "  An iteration of cg takes "):
            self.assertIn(part, result.stdout)

    def test_quiet_and_explain_exclude_each_other(self):
        result = launch.run("run", *MATRIX, "--explain", "--quiet", ranks=0)
        self.assertEqual(result.status, 2, result)
        self.assertIn("--quiet", result.stderr)


class ProgressLine(launch.Case):
    def shown(self, *arguments):
        """stderr of a run, on a terminal."""
        terminal, end = pty.openpty()
        with subprocess.Popen([launch.BINARY, "run", "--matrix", "stencil27:32", *launch.SHORT, *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=end,
                              env=launch.ENVIRONMENT) as process:
            os.close(end)
            text = b""
            while True:
                try:
                    part = os.read(terminal, 4096)
                except OSError:  # the other end is closed
                    part = b""
                if not part:
                    break
                text += part
            os.close(terminal)
            self.assertEqual(process.wait(), 0)
        return text.decode()

    def test_a_terminal_shows_phases_and_is_left_clean(self):
        text = self.shown()
        self.assertRegex(text, r"^(\r\x1b\[K[a-z]+[^\r]* \.\.\.)+\r\x1b\[K$")
        self.assertEqual(self.shown("--no-progress"), "")


class Alone(launch.Case):
    def test_a_process_without_a_launcher_starts_no_other(self):
        """Open MPI's daemon costs each run 0.1 to 0.2 s, and lives as long as the process."""
        process = launch.start(["run", *MATRIX, "--min-seconds", 600], ranks=0)
        others = set()
        deadline = time.monotonic() + max(2, 2 * launch.good_seconds())
        while time.monotonic() < deadline:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                if (launch.state_and_parent(pid) or ("", 0))[1] == process.pid:
                    others.add(pid)
            time.sleep(0.01)
        self.assertIsNone(process.poll())
        process.terminate()
        result = launch.finish(process)
        self.assertEqual(result.status, 1, result)
        self.assertEqual(others, set(), result)


if __name__ == "__main__":
    unittest.main()
