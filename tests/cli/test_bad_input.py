#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Wrong input and wrong options under mpirun -n 2: exit status 2, one message that says what and where,
and no result."""
import gzip
import subprocess
import unittest
import unittest.mock

import launch

REAL = "%%MatrixMarket matrix coordinate real general\n"
SYMMETRIC = REAL.replace("general", "symmetric")
SKEW = REAL.replace("general", "skew-symmetric")
ARRAY = "%%MatrixMarket matrix array real general\n"
BODY = "3 3 3\n1 1 1.0\n2 2 2.0\n3 3 3.0\n"

# name of the case: (text of the file, line that the message must name or None)
FILES = {
    "empty file": ("", None),
    "wrong banner": ("%%MatrixMorket matrix coordinate real general\n" + BODY, 1),
    "no banner": (BODY, 1),
    "unknown field": (REAL.replace("real", "quaternion") + BODY, 1),
    "complex": (REAL.replace("real", "complex") + "1 1 1\n1 1 1.0 2.0\n", 1),
    "hermitian": ("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1.0 0.0\n", 1),
    "no size line": (REAL + "% only a comment\n", None),
    "size line is not numbers": (REAL + "% c\nthree 3 3\n1 1 1.0\n", 3),
    "negative size": (REAL + "-3 3 0\n", 2),
    "too few entries": (REAL + "3 3 4\n1 1 1.0\n2 2 2.0\n3 3 3.0\n", None),
    "too many entries": (REAL + "3 3 2\n1 1 1.0\n2 2 2.0\n3 3 3.0\n", 5),
    "row out of range": (REAL + "3 3 3\n1 1 1.0\n4 2 2.0\n3 3 3.0\n", 4),
    "column out of range": (REAL + "3 3 3\n1 1 1.0\n2 2 2.0\n3 4 3.0\n", 5),
    "row zero": (REAL + "3 3 3\n0 1 1.0\n2 2 2.0\n3 3 3.0\n", 3),
    "above the diagonal": (SYMMETRIC + "3 3 3\n1 1 1.0\n2 3 2.0\n3 3 3.0\n", 4),
    "skew-symmetric with a diagonal": (SKEW + "3 3 2\n2 1 1.0\n2 2 2.0\n", 4),
    "symmetric but not square": (SYMMETRIC + "3 2 1\n1 1 1.0\n", 2),
    "value is not a number": (REAL + "3 3 3\n1 1 1.0\n% c\n2 2 two\n3 3 3.0\n", 5),
    "index is not a number": (REAL + "3 3 3\n1 1 1.0\n2 x 2.0\n3 3 3.0\n", 4),
    "value is missing": (REAL + "3 3 3\n1 1 1.0\n2 2\n3 3 3.0\n", 4),
    "a hole of zeros": (REAL + "3 3 3\n1 1 1.0\n2 2 2.0\n\0\0\0\0\n", 5),
    "more on the line": (REAL + "3 3 3\n1 1 1.0\n2 2 2.0 9\n3 3 3.0\n", 4),
    "array with too few values": (ARRAY + "2 2\n1\n2\n3\n", None),
    "array with too many values": (ARRAY + "2 2\n1\n2\n3\n4\n5\n", 7),
}

# name of the case: (options, words that the message must have)
OPTIONS = {
    "missing file": (["--matrix", "no/such/file.mtx"], ["--matrix no/such/file.mtx: cannot be opened"]),
    "folder": (["--matrix", "/tmp.mtx/"], ["/tmp.mtx/"]),
    "unknown generator": (["--matrix", "stencil13:4"], ["stencil13", "stencil27"]),
    "unknown generator key": (["--matrix", "stencil7:nx=4,nw=4"], ["nw", "nx"]),
    "generator without a size": (["--matrix", "stencil7:0"], ["stencil7:0"]),
    "no matrix": ([], ["--matrix"]),
    "unknown option": (["--matrix", "stencil7:4", "--nonsense"], ["--nonsense"]),
    "misspelt option that was required": (["--matirx", "stencil7:4"], ["option --matirx; did you mean --matrix?"]),
    "misspelt option with a value": (["--matrix", "stencil7:4", "--fromat", "sell"], ["option --fromat; did you mean --format?"]),
    "number of ranks": (["--matrix", "stencil7:4", "--np", "4"], ["option --np", "mpirun -n N rowhalo run"]),
    "number of ranks, of info": (["--matrix", "stencil7:4", "--ranks", "4"], ["option --ranks", "mpirun -n N rowhalo run"]),
    "option of another name": (["--matrix", "stencil7:4", "--transport", "mpi"], ["did you mean --halo?"]),
    "another option of another name": (["--matrix", "stencil7:4", "--kernel=csr"], ["did you mean --format?"]),
    "dry run": (["--matrix", "stencil7:4", "--dry-run"], ["did you mean --dry?"]),
    "beginning of an option": (["--matrix", "stencil7:4", "--valid", "none"], ["did you mean --validate?"]),
    "value of another name": (["--matrix", "stencil7:4", "--precision", "double"], ["did you mean fp64?"]),
    "option behind --": (["--matrix", "stencil7:4", "--", "--quiet"], ["--quiet stands after `--`"]),
    "shuffle beyond 64 bits": (["--matrix", "stencil7:4", "--shuffle", "18446744073709551616"],
                               ["--shuffle: 18446744073709551616 is not a whole number from 0 to "]),
    "all beside a format": (["--matrix", "stencil7:4", "--format", "all,csr"], ["all stands for every format; write it alone"]),
    "unknown format": (["--matrix", "stencil7:4", "--format", "best"], ["best", "csr-omp", "sell"]),
    "unknown format key": (["--matrix", "stencil7:4", "--format", "sell:d=3"], ["d"]),
    "unknown transport": (["--matrix", "stencil7:4", "--halo", "pigeon"], ["pigeon", "mpi"]),
    "unknown partitioner": (["--matrix", "stencil7:4", "--partition", "fair"], ["fair", "rows", "nnz"]),
    "unknown schedule": (["--matrix", "stencil7:4", "--schedule", "lazy"], ["lazy", "overlap"]),
    "unknown precision": (["--matrix", "stencil7:4", "--precision", "fp63"], ["fp63", "fp64"]),
    "unknown validation": (["--matrix", "stencil7:4", "--validate", "maybe"], ["maybe", "reference"]),
    "alpha is not a number": (["--matrix", "stencil7:4", "--alpha", "one"], ["--alpha", "one"]),
    "no batches": (["--matrix", "stencil7:4", "--batches", "0"], ["--batches"]),
    "unknown x": (["--matrix", "stencil7:4", "--x", "twos"], ["twos", "ones", "random"]),
    "x file missing": (["--matrix", "stencil7:4", "--x", "no/x.mtx"], ["--x no/x.mtx: cannot be opened"]),
    "json into nowhere": (["--matrix", "stencil7:4", "--json", "no/dir/r.json"], ["no/dir"]),
    "hdf5 on stdout": (["--matrix", "stencil7:4", "--hdf5", "-"], ["--hdf5 -", "name a file"]),
    "y into nowhere": (["--matrix", "stencil7:4", "--save-y", "no/dir/y.mtx"], ["no/dir"]),
    "json without a name": (["--matrix", "stencil7:4", "--json", ""], ["--json: the name is empty; give a file name"]),
    "argument of random": (["--matrix", "stencil7:4", "--x", "random:7"], ["--x random:7: write random:seed=N"]),
    "argument of ones": (["--matrix", "stencil7:4", "--y", "ones:2"], ["--y ones:2: takes no argument"]),
    "alpha beyond fp32": (["--matrix", "stencil7:4", "--precision", "fp32", "--alpha", "1e39"],
                          ["--alpha 1e+39: too large for the sums of --precision fp32"]),
    "shuffle of a rectangle": (["--matrix", "dense:rows=4,columns=3", "--shuffle", "1"], ["--shuffle"]),
}


class BadInput(launch.Case):
    def refused(self, options, words):
        result = launch.run("run", *options, *launch.SHORT, ranks=2)
        self.assertEqual(result.status, 2, result)
        self.assertNotIn("RESULT", result.stdout, result)
        message = result.message()
        for word in words:
            self.assertIn(word, message, result)
        self.assertEqual(message.count("rowhalo: "), 1, result)
        self.assertLessEqual(len(message.split("\n")), 3, result)

    def test_files(self):
        for case, (text, line) in FILES.items():
            for suffix in (".mtx", ".mtx.gz") if "entries" in case else (".mtx",):
                with self.subTest(case + suffix):
                    path = self.write("bad" + suffix, text)
                    self.refused(["--matrix", path], [f"{path}:{line}:" if line else str(path)])

    def test_what_no_terminal_prints(self):
        path = self.write("bad.mtx", REAL + "3 3 1\n1 1 \0\x1b[31m" + 100 * "z" + "\n")
        self.refused(["--matrix", path], [f"{path}:3: the value '\\x00\\x1b[31m{100 * 'z'}' is not a number"])

    def test_windows_line_ends_count_as_one_line(self):
        path = self.write("bad.mtx", (REAL + "3 3 3\n1 1 1.0\n2 2 two\n3 3 3\n").replace("\n", "\r\n"))
        self.refused(["--matrix", path], [f"{path}:4:"])

    def test_line_numbers_on_every_rank(self):
        """The fault lies in the byte range of each rank in turn."""
        for bad_line in (3, 500, 1000, 1500, 2002):
            lines = [f"{i} {i} 1.5" for i in range(1, 2001)]
            lines[bad_line - 3] = "1 1 1.5x"
            path = self.write("long.mtx", REAL + "2000 2000 2000\n" + "\n".join(lines) + "\n")
            with self.subTest(bad_line):
                self.refused(["--matrix", path], [f"{path}:{bad_line}:"])

    def test_first_of_several_faults_is_reported(self):
        lines = [f"{i} {i} 1.5" for i in range(1, 2001)]
        for bad_line in (600, 1200, 1900):
            lines[bad_line - 3] = "0 1 1"
        path = self.write("long.mtx", REAL + "2000 2000 2000\n" + "\n".join(lines) + "\n")
        self.refused(["--matrix", path], [f"{path}:600:"])

    def test_damaged_gz(self):
        lines = "\n".join(f"{i} {i} {i * 0.37}" for i in range(1, 5001))
        whole = gzip.compress((REAL + "5000 5000 5000\n" + lines + "\n").encode())
        for case, content in {"truncated": whole[:len(whole) // 2], "no gz": b"nothing\n",
                              "wrong checksum": whole[:-8] + bytes(8),
                              "empty": b""}.items():
            with self.subTest(case):
                path = self.write("bad.mtx.gz", content)
                self.refused(["--matrix", path], [str(path)])

    def test_options(self):
        for case, (options, words) in OPTIONS.items():
            with self.subTest(case):
                self.refused(options, words)

    def test_threads_that_cannot_be_had(self):
        """OpenMP itself would end the process without a word of ours."""
        command = launch.command_line(["run", "--matrix", "stencil7:4", "--device", "cpu"], 0)
        for setting, word in ("export OMP_NUM_THREADS=100000", "at most 1024"), \
                             ("export OMP_NUM_THREADS=900; ulimit -v 2000000", "ulimit -v"):
            with self.subTest(setting):
                done = subprocess.run(["bash", "-c", f'{setting}; exec "$@"', "bash", *command],
                                      env=launch.ENVIRONMENT, capture_output=True, text=True,
                                      timeout=launch.PATIENCE, check=False)
                self.assertEqual(done.returncode, 2, done)
                self.assertIn(word, done.stderr)
                self.assertEqual(done.stderr.count("rowhalo: "), 1, done)

    def test_instructions_that_are_unknown(self):
        for arguments in (["run", "--matrix", "stencil7:4"], ["solve", "--matrix", "stencil7:4"],
                          ["info", "--matrix", "stencil7:4"]):
            for ranks in (0, 3):
                with self.subTest((arguments, ranks)), \
                        unittest.mock.patch.dict(launch.ENVIRONMENT, ROWHALO_SIMD="sse"):
                    result = launch.run(*arguments, ranks=ranks)
                    self.assertEqual(result.status, 2, result)
                    self.assertEqual(result.message().count("rowhalo: "), 1, result)
                    self.assertIn("ROWHALO_SIMD=sse: avx512, avx2 or none is expected", result.message())

    def test_vector_of_the_wrong_size(self):
        path = self.write("x.mtx", ARRAY + "3 1\n1\n2\n3\n")
        self.refused(["--matrix", "stencil7:4", "--x", path], [str(path), "64"])

    def test_complex_shared_matrices(self):
        for path in launch.MATRICES.glob("*.mtx*"):
            if launch.banner(path)[3] == "complex":
                with self.subTest(path.name):
                    self.refused(["--matrix", path], [f"{path}:1:", "complex"])

    def test_command_line(self):
        for arguments in ([], ["fly"], ["list", "colours"], ["--nonsense"]):
            with self.subTest(arguments):
                for ranks in (0, 2):
                    result = launch.run(*arguments, ranks=ranks)
                    self.assertEqual(result.status, 2, result)
                    self.assertEqual(result.message().count("rowhalo: "), 1, result)

    def test_names_of_solvers_elsewhere(self):
        for word, meant in (("--tol", "--tolerance"), ("--rtol", "--tolerance"), ("--pc", "--preconditioner"),
                            ("--solver", "--method"), ("--maxiter", "--max-iterations")):
            result = launch.run("solve", "--matrix", "stencil7:4", word, "1", ranks=0)
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"unknown option {word}; did you mean {meant}?", result.message())

    def test_convert_names_its_arguments(self):
        for source, expected in ("no.mtx", "cannot be opened"), ("stencil13:4", "unknown source 'stencil13'"):
            result = launch.run("convert", source, "a.mtx", ranks=0)
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"IN {source}: {expected}", result.message())


if __name__ == "__main__":
    unittest.main()
