# SPDX-License-Identifier: BSD-3-Clause
"""Rowhalo for Benchpark: one MPI rank per core, or per GPU with +cuda; a stencil on nx x ny x nz points. Strong
scaling keeps the grid, weak scaling doubles one side of it as it doubles the ranks. The application and the package
are those of ../../../ramble and ../../../spack."""

from benchpark.directives import maintainers, variant
from benchpark.experiment import Experiment
from benchpark.programming_model import ProgrammingModel, ProgrammingModelType
from benchpark.scaling import Scaling, ScalingMode


def grows(variable, _iteration, dimension, factor):
    return variable.val(dimension) * factor


def stays(variable, _iteration, dimension, _factor):
    return variable.val(dimension)


class Rowhalo(
    Experiment,
    ProgrammingModel(ProgrammingModelType.Mpionly, ProgrammingModelType.Cuda),
    Scaling(ScalingMode.Strong, ScalingMode.Weak),
):
    variant("workload", default="run", values=("run", "solve"), description="Products, or conjugate gradients")
    variant("version", default="main", values=("main",), description="Version of the package rowhalo")

    maintainers("rowhalo")

    def compute_applications_section(self):
        side = 48 if self.spec.satisfies("exec_mode=test") else 200
        self.add_experiment_variable("grid", {"nx": side, "ny": side, "nz": side}, True)
        self.add_experiment_variable("resources", 1, False)
        self.add_experiment_variable("matrix", "stencil27:nx={nx},ny={ny},nz={nz}", False)
        self.set_required_variables(
            n_resources="{resources}",
            process_problem_size="{nx}*{ny}*{nz}/{resources}",
            total_problem_size="{nx}*{ny}*{nz}",
        )
        self.register_scaling_config(
            {
                ScalingMode.Strong: {"resources": grows, "grid": stays},
                ScalingMode.Weak: {"resources": grows, "grid": grows},
            }
        )
        device = "n_gpus" if self.spec.satisfies("+cuda") else "n_ranks"
        self.add_experiment_variable(device, "{n_resources}", True)

    def compute_package_section(self):
        self.add_package_spec(self.name, [f"rowhalo{self.determine_version()} "])
