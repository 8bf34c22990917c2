#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`./quickstart --prefix`: arguments, what is missing, archives of a mirror, with doubles of cmake and compilers, so
nothing is built; and the list of what is missing that the real CMake prints."""
import functools
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import tarfile
import threading
import unittest

import launch

PACKAGES = {"fmt": "fmt-10.2.1", "nlohmann_json": "json-3.12.0", "CLI11": "CLI11-2.4.2"}  # top folder of an archive
REAL = ["bash", "env", "sed", "grep", "sort", "head", "tail", "cat", "mkdir", "rm", "dirname", "find", "awk", "tar", "gzip",
        "sha256sum", "nproc", "tee", "touch", "chmod", "uname", "id", "curl", "wget"]
# A package is there once its archive was installed into the first folder of CMAKE_PREFIX_PATH.
CMAKE = r"""#!/bin/bash
echo "cmake $*" >>"$CALLS"
prefix=${CMAKE_PREFIX_PATH%%:*}
case "$1 ${2:-}" in
  "--version "*) echo "cmake version ${VERSION:-3.25.1}" ;;
  "-E tar") tar "$3" "$4" ;;
  "-E sha256sum") echo "${SUM:-$(sha256sum "$3")}" ;;
  --fresh*)
    echo "CMAKE_PREFIX_PATH=$CMAKE_PREFIX_PATH" >>"$CALLS"
    status=0
    for package in $NEEDED; do
      [ -e "$prefix/$package" ] || { echo "-- missing $package: for a test. Package. If it: -D"; status=1; }
    done
    exit "$status" ;;
  "--install build") mkdir -p "$4/bin"; printf '#!/bin/bash\necho rowhalo 9\n' >"$4/bin/rowhalo"; chmod +x "$4/bin/rowhalo" ;;
  "--install "*) name=${2#build/dependencies/}; touch "$prefix/${name%/build}" ;;
esac
"""
NEVER = '#!/bin/bash\necho "$0 $*" >>"$CALLS.never"\n'


class Quickstart(launch.Case):
    def setUp(self):
        super().setUp()
        self.tree, self.bin, self.calls = self.place / "a tree", self.place / "bin", self.place / "calls"
        (self.tree / "jobs/shell").mkdir(parents=True)
        self.bin.mkdir()
        for name in ("quickstart", "jobs/shell/without_apt.sh"):
            shutil.copy(launch.SOURCE / name, self.tree / name)
        for name in REAL:
            if shutil.which(name):
                (self.bin / name).symlink_to(shutil.which(name))
        doubles = {"cmake": CMAKE, "c++": "#!/bin/bash\n", "make": "#!/bin/bash\n", "python3": "#!/bin/bash\n"}
        for name, text in {**doubles, **dict.fromkeys(("apt-get", "dpkg-query", "sudo"), NEVER)}.items():
            (self.bin / name).write_text(text, encoding="utf-8")
            (self.bin / name).chmod(0o755)

    def tearDown(self):
        self.assertFalse((self.place / "calls.never").exists(), "apt-get or sudo was called")

    def quickstart(self, *arguments, status=0, **environment):
        """What it prints; it must end with `status`."""
        run = subprocess.run([self.tree / "quickstart", *map(str, arguments)], cwd=self.place, capture_output=True, text=True,
                             env={"PATH": str(self.bin), "CALLS": str(self.calls), "NEEDED": "", **environment},
                             check=False, timeout=launch.PATIENCE)
        self.assertEqual(run.returncode, status, run.stderr)
        return run.stderr + run.stdout

    def archive(self, mirror, name, top):
        """An archive with a CMakeLists.txt; its path."""
        path = self.place / mirror / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(path, "w:gz") as file:
            file.add(self.write("CMakeLists.txt", f"# {top}\n"), f"{top}/CMakeLists.txt")
        return path

    def test_wrong_usage(self):
        self.write("file", "")
        for arguments, said in ((["--mirror", "m"], "--mirror needs --prefix DIR"), (["--prefix", ""], "--prefix needs a value"),
                                (["--mirror", "--prefix"], "needs --prefix DIR"),
                                (["--prefix", "p", "--matrix", "a.mtx"], "--matrix: with --prefix only"),
                                (["test", "--prefix=p", "--mirror=nowhere"], "nowhere: there is no such folder"),
                                (["--prefix", "file/p"], "file/p: cannot be made")):
            with self.subTest(arguments):
                text = self.quickstart(*arguments, status=2)
                self.assertIn(said, text)
                self.assertIn("usage: ./quickstart", text)
        self.assertIn("--mirror", self.quickstart("--prefix", "p", "--help"))
        self.assertRegex(self.quickstart("--help"), r"(?s)^From a clean clone.*--mirror.*of the tests\.\n$")
        self.assertFalse(self.calls.exists())

    def test_tools_that_are_missing_are_listed_together(self):
        for name in ("make", "python3"):
            (self.bin / name).unlink()
        text = self.quickstart("test", "--prefix", "p", status=2, VERSION="3.18.4", CXX="absent -m64")
        for said in ("cmake: 3.25 or newer, here: 3.18.4", "compiler: C++20, e.g. GCC 12 or newer; not there: absent.",
                     "make or ninja", "python3: 3.9 or newer, for the tests"):
            self.assertIn(said, text)
        (self.bin / "cmake").unlink()
        text = self.quickstart("--prefix", "p", status=2)
        self.assertIn("here: none", text)
        self.assertNotIn("python3", text)

    def test_without_a_mirror_everything_that_is_missing_is_listed(self):
        text = self.quickstart("test", "--prefix", "p", status=2, NEEDED="MPI fmt nlohmann_json CLI11 Catch2")
        for package in ("MPI", "fmt", "nlohmann_json", "CLI11", "Catch2"):
            self.assertIn(f" {package}: for a test. Package.\n                 If it: -D\n", text)
        for name in ("fmt-9.1.0.zip", "json-3.11.2.tar.gz", "CLI11-2.1.2.tar.gz", "Catch2-2.13.10.tar.gz"):
            self.assertRegex(text, f"    For --mirror FOLDER: {name}, or another version, from\n +https://")
        self.assertIn("-D BUILD_TESTING=ON", self.calls.read_text(encoding="utf-8"))

    def test_archives_of_a_folder(self):
        self.archive("mirror", "fmt/fmt-9.0.0.tar.gz", "fmt-9.0.0")
        self.archive("mirror", "fmt/fmt-10.2.1.tar.gz", "fmt-10.2.1")
        self.archive("mirror", "v3.12.0.tgz", "json-3.12.0")
        self.archive("mirror", "json-c-0.16.tar.gz", "json-c-0.16")
        self.archive("mirror", "cli11.tar.gz", "CLI11-2.4.2")
        text = self.quickstart("--prefix", "p", "--mirror", "mirror", "-D", "CMAKE_CUDA_ARCHITECTURES=80", "-DX=a b",
                               NEEDED=" ".join(PACKAGES))
        calls = self.calls.read_text(encoding="utf-8")
        for package in PACKAGES:
            self.assertTrue((self.place / "p" / package).exists(), text)
        self.assertIn("mirror/fmt/fmt-10.2.1.tar.gz: sha256 ", text)
        self.assertIn("mirror/v3.12.0.tgz: sha256 ", text)
        self.assertEqual(text.count("not recorded"), 3)
        self.assertNotIn("fmt-9.0.0", text)
        self.assertIn(f"mpirun -n 4 {self.place}/p/bin/rowhalo run", text)
        self.assertEqual(calls.count("cmake --fresh"), 2)
        for word in ("-D BUILD_TESTING=OFF", "-DCMAKE_CUDA_ARCHITECTURES=80 -DX=a b",
                     f"cmake --install build --prefix {self.place}/p", f"-D CMAKE_INSTALL_PREFIX={self.place}/p"):
            self.assertIn(word, calls)
        again = self.quickstart("--prefix", "p", NEEDED=" ".join(PACKAGES))  # now they are there
        self.assertNotIn("Building fmt", again)

    def test_what_the_mirror_lacks_is_listed(self):
        self.archive("mirror", "fmt-10.2.1.tar.gz", "fmt-10.2.1")
        text = self.quickstart("--prefix", "p", "--mirror", "mirror", status=2, NEEDED="ZLIB fmt CLI11")
        self.assertIn(f"Missing here and in {self.place}/mirror:", text)
        self.assertIn(" ZLIB: for a test", text)
        self.assertIn(" CLI11: for a test", text)
        self.assertNotIn(" fmt: for a test", text)

    def test_sums(self):
        path = self.archive("mirror", "json-3.11.2.tar.gz", "json-3.11.2")  # the name of a release, not its content
        sums = self.place / "mirror/SHA256SUMS"
        text = self.quickstart("--prefix", "p", "--mirror", "mirror", status=2, NEEDED="nlohmann_json")
        self.assertRegex(text, "sha256 [0-9a-f]{64}, WRONG\n.* recorded is d69f9deb")
        sums.write_text(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n", encoding="utf-8")
        self.assertIn(", as recorded", self.quickstart("--prefix", "p", "--mirror", "mirror", NEEDED="nlohmann_json"))
        sums.write_text(f"{'0' * 64}  {path.name}\n", encoding="utf-8")
        (self.place / "p/nlohmann_json").unlink()
        self.assertIn("recorded is 000", self.quickstart("--prefix", "p", "--mirror", "mirror", status=2,
                                                         NEEDED="nlohmann_json"))

    @unittest.skipUnless(shutil.which("curl") or shutil.which("wget"), "neither curl nor wget")
    def test_mirror_by_url(self):
        self.archive("served", "CLI11-2.1.2.tar.gz", "CLI11-2.1.2")
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=self.place / "served")
        handler.func.log_message = lambda *_: None
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            mirror = f"http://127.0.0.1:{server.server_port}/"
            self.assertIn("WRONG", self.quickstart("--prefix", "p", "--mirror", mirror, status=2, NEEDED="CLI11"))
            right = re.search("v2.1.2.tar.gz ([0-9a-f]{64})",
                              (self.tree / "jobs/shell/without_apt.sh").read_text(encoding="utf-8"))[1]
            text = self.quickstart("--prefix", "p", "--mirror", mirror, status=2, NEEDED="CLI11 fmt", SUM=f"{right}  name")
            self.assertIn("as recorded", text)
            self.assertTrue((self.place / "p/CLI11").exists())
            self.assertIn(" fmt: for a test", text)
            server.shutdown()

    def test_prefixes_of_modules(self):
        names = {name: self.place / name for name in ("METIS_ROOT", "EBROOTHDF5", "NCCL_HOME", "first")}
        for folder in names.values():
            folder.mkdir()
        text = self.quickstart("--prefix", "p", METIS_ROOT=str(names["METIS_ROOT"]), EBROOTHDF5=str(names["EBROOTHDF5"]),
                               NCCL_HOME=str(names["NCCL_HOME"]), HWLOC_DIR="/nowhere", CMAKE_PREFIX_PATH=str(names["first"]))
        found = re.search("^CMAKE_PREFIX_PATH=(.*)", self.calls.read_text(encoding="utf-8"), re.MULTILINE)[1].split(":")
        self.assertEqual(found[:2], [str(self.place / "p"), str(names["first"])], text)
        self.assertEqual(set(found[2:]), {str(names[name]) for name in ("METIS_ROOT", "EBROOTHDF5", "NCCL_HOME")})

    @unittest.skipUnless(shutil.which("cmake"), "no cmake")
    def test_the_list_of_cmake(self):
        """Packages that the script takes from a mirror have the names that CMake gives."""
        script = (launch.SOURCE / "jobs/shell/without_apt.sh").read_text(encoding="utf-8")
        mirrored = re.findall(r"^(\w+) \S+ \$github", script, re.MULTILINE)
        absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("MPI", "ZLIB", *mirrored)]
        run = subprocess.run(["cmake", "-S", launch.SOURCE, "-B", self.place / "build", *absent], capture_output=True,
                             text=True, check=False, env=os.environ, timeout=launch.PATIENCE)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(set(re.findall(r"^-- missing (\w+): .+ If it has a folder of its own: -D ", run.stdout, re.MULTILINE)),
                         {"MPI", "ZLIB", *mirrored}, run.stdout + run.stderr)
        self.assertEqual(len(mirrored), 4)
        self.assertIn("quickstart --prefix DIR", re.sub(r"\s+", " ", run.stderr))


if __name__ == "__main__":
    unittest.main()
