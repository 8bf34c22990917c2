// SPDX-License-Identifier: BSD-3-Clause
//
// A system for tests of solvers, on any communicator, and one solution of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "miniapp/process/watchdog.hpp"
#include "miniapp/solve/methods.hpp"
#include "miniapp/solve/scaling.hpp"
#include "tests/miniapp/halo.hpp"

namespace rowhalo::test {

using ChangeMatrix = std::function<void(DistributedCsr&)>;

/// A matrix at its owners, a right-hand side made from a random x, the inverse of the diagonal.
struct SystemOfTest {
  Comm comm = world();
  LocalMatrix matrix;
  HaloPlan plan;
  std::vector<double> b, inverse, dangling;

  explicit SystemOfTest(const std::string& text = "stencil7:6,coef=random",
                        const char* partition = "rows", const Comm& comm = world(),
                        const ChangeMatrix& change = nullptr)
      : comm(comm) {
    Progress progress;
    DistributedCsr source = load_matrix(text, 0, comm, progress);
    if (change) change(source);
    const Spec spec = Spec::parse(partition, "--partition");
    const std::vector<int> owners =
        find_partitioner(spec.name()).assign(source, comm.size, spec, comm, progress);
    matrix = make_local_matrix(comm, std::move(source), owners, nullptr, progress);
    plan = make_halo_plan(comm, matrix, progress);
    std::vector<double> x;
    for (const GlobalIndex column : matrix.source_columns) {
      x.push_back(Problem::x_entry(Precision::fp64, column));
    }
    const std::vector<double> y0(matrix.owned_rows, 0.0);
    b = reference_product({matrix, Precision::fp64, 1, 0, x, y0, nullptr});
    LocalIndex singular = -1;
    inverse = inverted_blocks(matrix, 1, singular);
  }

  /// For pagerank, from the same weight everywhere.
  void make_graph() {
    dangling = normalize_columns(comm, matrix);
    b.assign(matrix.owned_rows, 1.0 / static_cast<double>(matrix.info.rows));
  }
};

inline VectorMemory copy_to(Device device, const std::vector<double>& values) {
  VectorMemory memory(device, values.size() * sizeof(double));
  copy_between(device, memory.data(), values.data(), values.size() * sizeof(double));
  return memory;
}

struct SolveChoice {
  const TransportEntry& transport = find_transport("mpi");
  ComputeSite site{Device::cpu, false};
  Launch launch = Launch::one_by_one;
  Summation summation = Summation::reproducible;
  StopRule stop = {};
  std::string format = {};  ///< empty: sell on a GPU, csr on the CPU
  bool preconditioned = true;
  ResidualNorm norm = ResidualNorm::unpreconditioned;
};

inline SolverOutcome solve(const SystemOfTest& system, const SolverEntry& entry,
                           const SolveChoice& choice) {
  const Comm& comm = system.comm;
  const Device device = choice.site.device;
  const bool gpu = device == Device::gpu;
  const LoadedMatrix loaded(system.matrix, Precision::fp64, device);
  const std::string name = !choice.format.empty() ? choice.format : gpu ? "sell" : "csr";
  const Spec format = Spec::parse(name, "--format");
  const LocalKernels kernels = make_local_kernels(
      {comm, system.matrix, loaded, system.plan, choice.site}, Order::overlap, format, format);
  Operator op(
      kernels,
      {choice.transport.make({system.plan, NumberType::fp64, 1, comm, choice.site}), nullptr});
  const std::unique_ptr<RankSums> rank_sums =
      make_rank_sums(comm, choice.site, choice.transport.name);
  const VectorMemory b = copy_to(device, system.b);
  const VectorMemory x(device, system.b.size() * sizeof(double));
  const BlockJacobi inverse(device, system.inverse, 1);
  const VectorMemory dangling = copy_to(device, system.dangling);
  std::optional<StreamHandle> stream;
  if (gpu) stream.emplace();
  const std::string phase = std::string(entry.name) + " by " + choice.transport.name + ", " +
                            name_of(choice.launch);  // for the watchdog's message
  Progress progress;
  progress.phase(phase.c_str());
  const Watchdog watchdog(progress, 100);
  const bool inverts = choice.preconditioned && solves_system(entry);
  SolverSetting setting{comm,
                        progress,
                        op,
                        op.make_vector(),
                        *rank_sums,
                        {.norm = choice.norm,
                         .tolerance = choice.stop.tolerance,
                         .max_iterations = choice.stop.max_iterations,
                         .iterations = choice.stop.iterations,
                         .reproducible = choice.summation == Summation::reproducible},
                        choice.launch,
                        inverts ? &inverse : nullptr,
                        {device, stream ? stream->stream() : Stream{}, system.matrix.owned_rows},
                        system.matrix.info.rows};
  setting.dangling = reinterpret_cast<const double*>(dangling.data());
  SolverWorkspace workspace(setting);
  SolverOutcome outcome = entry.solve(workspace, reinterpret_cast<const double*>(b.data()),
                                      reinterpret_cast<double*>(x.data()));
  op.check();
  rank_sums->close();
  op.close();
  return outcome;
}

}  // namespace rowhalo::test
