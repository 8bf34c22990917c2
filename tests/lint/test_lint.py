#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The checks of lint.py on trees with one fault each: every fault must be found, a clean tree not."""
import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

LINT = Path(__file__).with_name("lint.py")
HEAD = "// SPDX-License-Identifier: BSD-3-Clause\n"
CLEAN = HEAD + "#pragma once\nint answer();\n"

# check, file, content that the check must refuse
FAULTS = [
    ("places", "report.json", "{}\n"),
    ("places", "tools/a.txt", "text\n"),
    ("layers", "kernels/a.hpp", HEAD + '#include "partition/comm.hpp"\n'),
    ("layers", "kernels/a.hpp", HEAD + "#include <mpi.h>\n"),
    ("layers", "partition/base/a.hpp", HEAD + '#include "partition/comm.hpp"\n'),
    ("layers", "partition/a.hpp", HEAD + "#include <cuda_runtime.h>\n"),
    ("layers", "io/a.hpp", HEAD + '#include "kernels/formats.hpp"\n'),
    ("layers", "io/a.hpp", HEAD + '#include "report.hpp"\n'),
    ("spdx", "io/a.hpp", "#pragma once\n"),
    ("spdx", "jobs/a.sh", "#!/bin/bash\necho\n"),
    ("signatures", "io/a.hpp", HEAD + "// Author: somebody\n"),
    ("headers", "io/a.hpp", HEAD + "#pragma once\nstd::string name();\n"),
    ("format", "io/a.hpp", HEAD + "int   answer( );\n"),
    ("length", "io/a.hpp", HEAD + "int x;\n" * 450),
    ("leftovers", "io/a.hpp", HEAD + "// TO" + "DO: later\n"),
    ("language", "io/a.hpp", HEAD + "// bytes a product\nint bytes;\n"),
    ("language", "io/a.hpp", HEAD + "int rows_a_" "block;\n"),
    ("language", "io/PAGE.md", "one a part\n"),
    ("whitespace", "io/a.hpp", HEAD + "int x; \n"),
    ("whitespace", "io/a.hpp", HEAD + "int x;"),
    ("ruff", "jobs/a.py", "# SPDX-License-Identifier: BSD-3-Clause\nimport os\n"),
    ("shellcheck", "jobs/a.sh", "#!/bin/bash\n# SPDX\nrm $1\n"),
    ("readme", "README.md", "line\n" * 200),
    ("links", "io/PAGE.md", "[a link](nowhere.md)\n"),
    ("links", "io/PAGE.md", "# Title\n[a link](../README.md#titel)\n"),
    ("links", "io/PAGE.md", "# A `title`, twice\n# A title, twice\n[a link](#a-title-twice-2)\n"),
]
# What a check must not refuse, besides a header.
FINE = [
    ("links", "io/PAGE.md", "# A `title`, twice\n# A title, twice\n[1](#a-title-twice) [2](#a-title-twice-1) [top](../README.md#title)"
     "\n`[3](nowhere)` [web](https://nowhere.invalid)\n```\n[4](nowhere)\n# 5\n```\n"),
]
# Ready batch scripts, each with one line changed.
sys.path.insert(0, str(LINT.parents[2] / "jobs"))
from rowhalo_study.schedulers import ready  # noqa: E402  pylint: disable=wrong-import-position
CHANGES = {
    "slurm/run.sbatch": [
        ("#SBATCH --nodes=2\n", ""),
        ("#SBATCH --ntasks-per-node=4\n", "#SBATCH --ntasks=8\n"),
        ("#SBATCH --gpus-per-node=4\n", "#SBATCH --gpus-per-task=1\n"),
        ("#SBATCH --output=%x-%j.out\n", "#SBATCH --output=logs/%x-%j.out\n"),
        ("#SBATCH --open-mode=append\n", ""),
        ("B:USR1@120", "USR1@120"),
        ("#SBATCH --no-requeue\n", ""),
        ("#SBATCH --exclusive\n", "#SBATCH --exclusive --time=5\n"),
        ("#SBATCH --exclusive\n", "#SBATCH --exclusive\n#SBATCH --account=mine\n"),
        ("#SBATCH --exclusive\n", "#SBATCH --exclusive\n#SBATCH -p gpu\n"),
        ("set -euo pipefail\n", "set -eu\n"),
        ("set -euo pipefail\n", "set -euo pipefail\n#SBATCH --mem=0\n"),
        ("set -euo pipefail\n", "set -euo pipefail\ncd /scratch/me\n"),
        ("set -euo pipefail\n", 'set -euo pipefail\ncd "$(dirname "$0")"\n'),
        ('[ -n "${SLURM_JOB_ID:-}" ] || {', "true || {"),
    ],
    "pbs/run.pbs": [
        ("#PBS -l place=scatter:excl\n", ""),
        ("#PBS -l walltime=00:20:00\n", ""),
        ("#PBS -j oe\n", "#PBS -j oe -r n\n"),
        ("#PBS -j oe\n", "# errors, too\n#PBS -j oe\n"),
        ("#PBS -r n\n", "#PBS -r n\n#PBS -q gpu\n"),
        (":mpiprocs=4", ""),
        ('cd "$PBS_O_WORKDIR"\n', ""),
        ("  exit 2\n}\ncd", "}\ncd"),
        ("set -euo pipefail\n", "set -euo pipefail\n#PBS -V\n"),
    ],
}
for script, changes in CHANGES.items():
    for old, new in changes:
        text = ready.text_of(script.split("/")[1])
        if text.count(old) != 1:
            sys.exit(f"jobs/{script}: has not once: {old}")
        FAULTS.append(("directives", f"jobs/{script}", text.replace(old, new)))


@functools.cache  # many faults have the same clean tree
def run_check(check, name, content):
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place)
        for path, text in {"README.md": "# Title\n", name: content}.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text, encoding="utf-8")
        (tree / ".clang-format").write_text("BasedOnStyle: Google\n", encoding="utf-8")
        command = {"file": f"{tree}/io/a.cpp", "directory": place, "command": "c++ -o a.o -c a.cpp"}
        build = tree / "build"
        build.mkdir()
        (build / "compile_commands.json").write_text(json.dumps([command]) + "\n", encoding="utf-8")
        return subprocess.run([sys.executable, LINT, check, "--source", place, "--build", build],
                              capture_output=True, text=True, check=False)


def main():
    failures = 0
    for check, name, content in FAULTS:
        clean_name = name if name.endswith(".hpp") else "io/a.hpp"
        for expected, run in ((1, run_check(check, name, content)),
                              (0, run_check(check, clean_name, CLEAN))):
            if run.returncode not in (expected, 77):
                failures += 1
                print(f"{check}, {name}: exit status {run.returncode} instead of {expected}\n"
                      f"{content[:1500]}{run.stdout}{run.stderr}")
    for check, name, content in FINE:
        run = run_check(check, name, content)
        if run.returncode:
            failures += 1
            print(f"{check}, {name}: refused\n{content}{run.stdout}{run.stderr}")
    print(f"{len(FAULTS)} faults, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
