# SPDX-License-Identifier: BSD-3-Clause
"""Made-up official results for test_official.py and test_verdicts.py: valid ones, of which a test spoils one thing."""
import copy
import json

from results import JOBS

# pylint: disable=wrong-import-position
from rowhalo_study.official import bundle, sets  # noqa: E402
from rowhalo_study.official.rating import assess, counted_rows, evidence_of  # noqa: E402
from rowhalo_study.studies.points import arguments_of  # noqa: E402

RATES = {"stencil27": 100, "stencil7": 100, "elasticity": 100, "road": 100, "rmat": 100, "web": 50}
SAMPLES = {name: json.loads((JOBS / f"results/samples/{name}.json").read_text("utf-8"))
           for name in ("run", "solve")}
GPU = {"host": "n1", "pci_id": "0", "samples": 120, "throttling": []}


def report_of(point, run, ranks=4):
    """A report as the set wants it: RATES GB/s, one per cent more with every run."""
    report = copy.deepcopy(SAMPLES[point["command"]])
    report.update(status="ok", cases=[], argv=["rowhalo", *arguments_of(point), "--json", "r.json"])
    report["provenance"].update(
        hosts=["n1"] * ranks, git="abc1234", compiler="GNU 13.3.0",
        devices=[f"NVIDIA H200 0000:00:0{rank}.0, cores {rank}" for rank in range(ranks)])
    report["partition"].update(ranks=ranks)
    report["matrix"].update(source=point["matrix"], rows=1000, columns=1000, nonzeros=5000,
                            fingerprint="0x0000000000000001")
    report["telemetry"] = {"gpus": [{**GPU, "pci_id": str(rank)} for rank in range(ranks)]}
    if point["command"] == "solve":
        report["solvers"] = report["solvers"][:1]
        report["solvers"][0].update(method="cg", passed=True, iterations=5000, iteration_seconds=1e-3,
                                    solve_seconds=10.0, gflops=80.0, petsc=[])
        return report
    seconds = (5000 * 12 + 1000 * 4 + 2000 * 8) / (RATES[point["name"]] * (1 + 0.01 * run) * 1e9)
    report["timing"].update(median_seconds=seconds, min_seconds=seconds * 0.9, p95_seconds=seconds * 1.1)
    report["performance"].update(gbytes_per_second=80000 / seconds / 1e9, gflops=10000 / seconds / 1e9)
    report["validation"].update(passed=True, max_error_ratio=0.5, rows_checked=1000, rows_unchecked=0)
    report["wall"] = {"measure_seconds": 12.2}
    return report


class Made:
    """The files of a valid official result on one node with 4 GPUs; each test spoils one thing."""

    def __init__(self, ranks=4, scheduler="slurm", **asked):
        official = {**sets.official_of("node", "standard", 1, **asked), "gpus_per_node": ranks,
                    "scheduler": scheduler, "exclusive": True, "executable_sha256": "0" * 64}
        points = [{"name": wanted.name, "command": wanted.command, "matrix": wanted.matrix,
                   "arguments": wanted.arguments, "ranks": ranks, "nodes": 1, "ranks_per_node": ranks,
                   "device": "gpu", "repeats": official["runs"], "study": "official-node-standard",
                   "kind": "list", **dict.fromkeys(("format", "halo", "partition", "precision",
                                                    "schedule", "threads"), "")}
                  for wanted in sets.wanted_points(official)]
        self.plan = {"study": "official-node-standard", "points": points, "official": official}
        self.reports = {(point["name"], run): report_of(point, run, ranks) for point in points
                        for run in range(1, official["runs"] + 1)}
        self.more = {f"points/{point['name']}/provenance/{name}": text for point in points
                     for name, text in (("job.txt", "   OverSubscribe=NO Contiguous=0"),
                                        ("nvidia-smi.txt", f"Attached GPUs    : {ranks}"))}

    def files(self):
        return {"plan.json": json.dumps(self.plan).encode(),
                **{f"points/{name}/result-{run}.json": json.dumps(report, indent=1).encode()
                   for (name, run), report in self.reports.items()},
                **{name: text.encode() for name, text in self.more.items()}}

    def result(self):
        return assess(self.files())

    def write(self, folder):
        for name, content in self.files().items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return bundle.make(folder)

    def rows(self):
        return counted_rows(evidence_of(self.files()))
