#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""jobs/recipes: what they say of rowhalo is true. The regular expressions of all of them (and those of
jobs/README.md) find every figure of real outputs, tests/cli/golden/output_*.txt; the commands with which they try
an installation succeed; versions, optional libraries and Debian packages are those of the build. The recipes
themselves are tried by what they are for: jobs/recipes/README.md. test_reframe.py runs ReFrame.
"""
import ast
import os
import re
import shutil
import subprocess
import sys
import unittest

from results import JOBS, launch

RECIPES = JOBS / "recipes"
GOLDEN = launch.SOURCE / "tests/cli/golden"
OUTPUTS = {  # command lines of the golden outputs
    "run": ["run", "--matrix", "stencil27:24", *launch.AUTO, "--min-seconds", "0", "--validate", "reference"],
    "solve": ["solve", "--matrix", "stencil27:24", "--method", "cg", "--preconditioner", "jacobi", *launch.AUTO],
    "pair": ["run", "--matrix", "lp:10", "--pair", *launch.AUTO, "--min-seconds", "0", "--validate", "reference"],
}
FOM = re.compile(r"^FOM: (\w+) (\S+) (\S+)$", re.MULTILINE)
UPDATE = "--update" in sys.argv


def text_of(*parts):
    return RECIPES.joinpath(*parts).read_text(encoding="utf-8")


def calls(source, function):
    """The keyword arguments of each call of a function in Python source that cannot be imported here."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
            yield {word.arg: ast.literal_eval(word.value) for word in node.keywords}


def of_ramble():
    source = text_of("ramble/applications/rowhalo/application.py")
    lines = {call["group_name"]: (call["fom_regex"], call["units"]) for call in calls(source, "figure_of_merit")}
    (passed,) = [call["match"] for call in calls(source, "success_criteria")]
    return lines, passed


def of_reframe():
    constants = {node.targets[0].id: ast.literal_eval(node.value)
                 for node in ast.parse(text_of("reframe/rowhalo.py")).body if isinstance(node, ast.Assign)}
    return {**constants["PRODUCT"], **constants["SOLVE"]}, constants["PASS"]


def of_jube():
    text = text_of("jube/rowhalo.yaml")
    lines = re.findall(r"\{name: (\w+), type: float, unit: (\S+), _: '(.+)'\}$", text, re.MULTILINE)
    return ({name: (line, unit) for name, unit, line in lines},
            re.search(r"\{name: verdict, _: '(.+)'\}$", text, re.MULTILINE)[1])


def of_guide():
    """The table in jobs/README.md."""
    text = (JOBS / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"`(\^FOM: (\w+) \S+ (\S+))`", text)
    return {name: (line, unit) for line, name, unit in lines}, re.search(r"`(\^RESULT: \w+)`", text)[1]


FRAMEWORKS = {"ramble": of_ramble, "reframe": of_reframe, "jube": of_jube, "guide": of_guide}


def figures(output):
    """name -> (value, unit) of the FOM lines, read without a regular expression of a recipe."""
    return {name: (value, unit) for name, value, unit in FOM.findall(output)}


class Expressions(launch.Case):
    def test_golden_outputs_are_those_of_the_program(self):
        for command, arguments in OUTPUTS.items():
            result = launch.run(*arguments, "--no-progress", "--color", "never", "--telemetry", "off", ranks=2)
            self.assertEqual(result.status, 0, result)
            path = GOLDEN / f"output_{command}.txt"
            if UPDATE:
                path.write_text(result.stdout, encoding="utf-8")
            golden = path.read_text(encoding="utf-8")
            for text in (golden, result.stdout):
                self.assertRegex(text, r"(?m)^RESULT: PASS")
            self.assertEqual([(name, unit) for name, _, unit in FOM.findall(golden)],
                             [(name, unit) for name, _, unit in FOM.findall(result.stdout)], result)

    def test_every_figure_is_found(self):
        outputs = {name: (GOLDEN / f"output_{name}.txt").read_text(encoding="utf-8") for name in OUTPUTS}
        of_pair = {"spmv_pair_median_seconds", "spmv_transposed_median_seconds"}  # which recipes do not run
        known = {name for output in outputs.values() for name in figures(output)}
        self.assertEqual(len(known), 10)
        self.assertLess(of_pair, known)
        for framework, read in FRAMEWORKS.items():
            lines, passed = read()
            self.assertEqual(set(lines), known if framework == "guide" else known - of_pair, framework)
            for command, output in outputs.items():
                expected = figures(output)
                self.assertTrue(re.search(passed, output, re.MULTILINE), framework)
                for name, (line, unit) in lines.items():
                    with self.subTest(framework=framework, command=command, name=name):
                        found = [match.group(1) for match in re.finditer(line, output, re.MULTILINE)]
                        self.assertEqual(found, [expected[name][0]] if name in expected else [])
                        self.assertTrue(name not in expected or unit == expected[name][1], unit)
                        self.assertTrue(all(float(value) >= 0 for value in found), found)

    def test_a_wrong_result_does_not_pass(self):
        output = (GOLDEN / "output_run.txt").read_text(encoding="utf-8").replace("RESULT: PASS", "RESULT: FAIL")
        for framework, read in FRAMEWORKS.items():
            found = re.search(read()[1], output, re.MULTILINE)
            self.assertTrue(found is None or "FAIL" in found.group(0), framework)


class Commands(launch.Case):
    """What recipes run in an installation."""

    def test_trials_of_an_installation(self):
        commands = re.findall(r"^    '(rowhalo .+)',$", text_of("easybuild", self.easyconfigs()[0]), re.MULTILINE)
        commands += re.findall(r"(rowhalo run .+)$", text_of("container/rowhalo.def").split("%test")[1], re.MULTILINE)
        self.assertEqual(len(commands), 3)
        environment = {**launch.ENVIRONMENT, "PATH": f"{launch.BINARY.parent}:{os.environ['PATH']}"}
        for command in commands:
            done = subprocess.run(["bash", "-c", command], env=environment, stdin=subprocess.DEVNULL, check=False,
                                  capture_output=True, text=True, timeout=launch.PATIENCE)
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")

    def easyconfigs(self):
        return sorted(path.name for path in (RECIPES / "easybuild").glob("*.eb"))

    def test_versions(self):
        """A release changes CMakeLists.txt; EasyBuild alone wants its version in recipes, and in their names."""
        build = (launch.SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
        version = re.search(r"project\(rowhalo VERSION (\S+)", build)[1]
        self.assertEqual(self.easyconfigs(), [f"rowhalo-{version}-foss-2024a-CUDA-12.6.0.eb",
                                              f"rowhalo-{version}-foss-2024a.eb"], "rename the easyconfigs")
        for name in self.easyconfigs():
            self.assertIn(f"\nversion = '{version}'\n", text_of("easybuild", name))
        others = [path for path in RECIPES.rglob("*") if path.is_file() and path.suffix != ".eb"]
        named = [path for path in others if version in path.read_text(encoding="utf-8")]
        self.assertEqual(named, [], f"name version {version}, which the next release would have to change")

    def test_every_optional_library_is_switched(self):
        listed = re.findall(r"^rowhalo_option\((\w+)", (launch.SOURCE / "miniapp/dependencies.cmake").read_text(
            encoding="utf-8"), re.MULTILINE)
        self.assertIn("PETSC", listed)
        spack = text_of("spack/spack_repo/rowhalo/packages/rowhalo/package.py")
        variants = re.search(r"for name in \((.+)\)\n", spack)[1].upper()
        for library in listed:
            self.assertTrue(f'"{library}"' in variants or f"ROWHALO_WITH_{library}" in spack, library)
            for name in self.easyconfigs():
                self.assertTrue(f"'{library}'" in text_of("easybuild", name)
                                or library in ("CUDA", "NCCL") and "CUDA" not in name, f"{name}: {library}")

    def test_packages_of_containers(self):
        quickstart = (launch.SOURCE / "quickstart").read_text(encoding="utf-8")
        needed = set(re.search(r"^build_packages=\((.+?)\)", quickstart, re.DOTALL | re.MULTILINE)[1].split())
        steps = re.search(r"packages\)\n.*?install_packages (.+?)\n    ;;", text_of("container/steps.sh"), re.DOTALL)
        self.assertEqual(set(steps[1].replace("\\", "").split()), (needed | {"git"}) - {"ccache", "catch2"})


class Modulefile(launch.Case):
    """With the tools for modules that are here."""

    TOOLS = {"lmod": ["/usr/share/lmod/lmod/libexec/lmod"],
             "environment-modules": ["tclsh", "/usr/lib/x86_64-linux-gnu/modulecmd.tcl"]}

    def loaded(self, tool, folder):
        """What `module load rowhalo` and a following unload say."""
        shown = "echo $ROWHALO_ROOT@$(command -v rowhalo)@$CMAKE_PREFIX_PATH@$LOADEDMODULES"
        script = (f'module() {{ eval "$({" ".join(self.TOOLS[tool])} bash "$@")"; }}\n'
                  f"module use '{folder}' && module load rowhalo && {shown} && module unload rowhalo && {shown}")
        clean = {name: value for name, value in os.environ.items()
                 if not re.match(r"_?LM|MODULE|LOADEDMODULES|_MODULE|CMAKE_PREFIX_PATH|ROWHALO", name)}
        return subprocess.run(["bash", "-c", script], env=clean, stdin=subprocess.DEVNULL, check=False,
                              capture_output=True, text=True, timeout=launch.PATIENCE)

    def test_load_and_unload(self):
        prefix = self.place / "prefix"
        inside = prefix / "share/modulefiles"
        outside = self.place / "modules"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "bin/rowhalo").symlink_to(launch.BINARY)
        for folder in (inside, outside):
            (folder / "rowhalo").mkdir(parents=True)
            shutil.copy(RECIPES / "modulefile/rowhalo.tcl", folder / "rowhalo/9.8.7")
        tools = [name for name, command in self.TOOLS.items() if shutil.which("tclsh") and os.path.exists(command[-1])]
        if not tools:
            self.skipTest("no lmod and no environment-modules: apt-get install lmod")
        for tool in tools:
            done = self.loaded(tool, inside)
            self.assertEqual(done.stdout.split("\n"), [f"{prefix}@{prefix}/bin/rowhalo@{prefix}@rowhalo/9.8.7",
                                                       "@@@", ""], done.stderr)
            lost = self.loaded(tool, outside)
            self.assertNotEqual(lost.returncode, 0, lost.stdout)
            self.assertIn("has bin/rowhalo", " ".join(lost.stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--update"])
