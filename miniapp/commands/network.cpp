// SPDX-License-Identifier: BSD-3-Clause
//
// The measurements of `rowhalo network`, one after the other: reading, launches,
// products of every rank by itself, exchanges.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/network.hpp"
#include "miniapp/commands/one_product.hpp"

namespace rowhalo {

namespace {

constexpr double series_seconds = 5e-3;
constexpr int product_series = 20;  ///< of few all may lie where a processor was held up

/// What the measurements share.
struct Bench {
  const RunOptions& options;
  const Job& job;
  const Machine& machine;
  const Measuring& measuring;  ///< all ranks at once
};

void measure_launches(const Bench& bench, NetworkReport& network) {
  if (bench.machine.device.site.device == Device::cpu) return;
  constexpr int nodes_of_graph = 100;
  const Stream stream = bench.machine.stream();
  const auto launch = [&](std::int64_t) { launch_empty_kernel(stream); };
  ProductSequence called(launch);
  network.launch_seconds = shortest_seconds(bench.measuring, series_seconds, called);
  ProductSequence replayed(launch, stream, nodes_of_graph);
  network.graph_node_seconds = shortest_seconds(bench.measuring, series_seconds, replayed);
}

/// A product of a whole matrix on each rank.
struct RankProduct {
  double seconds = 0;  ///< slowest rank, all at once
  double rows = 0, nonzeros = 0, sectors = 0;
};

/// Collective. `local` communicates on MPI_COMM_SELF only: an AgreedError or a StopRequest in it is
/// known to this rank alone, and becomes one of all ranks.
void agree_on_own(const Job& job, const std::function<void()>& local) {
  agree(job.comm, [&] {
    try {
      local();
    } catch (const AgreedError& own) {
      throw InputError(own.what(), InputError::anywhere, own.code(), own.cause());
    } catch (const StopRequest&) {  // of which all ranks will know at once
    }
  });
  leave_if_requested(job.comm, job.progress);
}

/// Collective.
RankProduct measure_product(const Bench& bench, const std::string& matrix,
                            const std::string& format = "auto") {
  RunOptions options = bench.options;
  options.matrix = matrix;
  const Job alone{Comm::of(MPI_COMM_SELF), bench.job.progress};
  const Stream stream = bench.machine.stream();
  const Graphs graphs = graphs_on(bench.machine.device.site.device, options.graph);
  std::optional<Experiment> experiment;
  ChosenKernels chosen;
  agree_on_own(bench.job, [&] {
    RunReport aside;
    experiment.emplace(options, alone, bench.machine, read_matrix(options, alone, aside), aside);
    ProductSetting setting = experiment->products();
    setting.schedule = Schedule::blocking;
    chosen = choose_kernels(setting, {format, "", graphs});
  });

  OneProduct one(*experiment, chosen.kernels);
  const auto product = [&](std::int64_t) { one.apply(); };
  ProductSequence sequence(product, stream, graphs == Graphs::on ? products_per_graph : 1);
  bench.job.progress.phase("measure: products");
  RankProduct result;
  result.seconds = shortest_seconds(bench.measuring, series_seconds, sequence, product_series);
  const LocalStatistics statistics = experiment->block->statistics();
  result.rows = static_cast<double>(statistics.rows);
  result.nonzeros = static_cast<double>(statistics.lengths.nonzeros);
  result.sectors = statistics.touched_sectors * result.nonzeros;
  return result;
}

/// From four products: a tiny one; 27 and 7 entries per row whose values and columns take next to
/// no bytes, by `auto`; and 16 entries per row all over an x that does not fit into near caches, in
/// a format that gathers them.
ProductCosts measure_costs(const Bench& bench) {
  const bool gpu = bench.machine.device.site.device == Device::gpu;
  ProductCosts costs;
  costs.call_seconds = measure_product(bench, "stencil7:4").seconds;
  const RankProduct dense = measure_product(bench, gpu ? "stencil27:128" : "stencil27:32");
  const RankProduct sparse = measure_product(bench, gpu ? "stencil7:192" : "stencil7:48");
  // dense and sparse, less the call: rows * row + nonzeros * nonzero.
  const double t = std::max(0.0, dense.seconds - costs.call_seconds);
  const double u = std::max(0.0, sparse.seconds - costs.call_seconds);
  const double determinant = dense.rows * sparse.nonzeros - sparse.rows * dense.nonzeros;
  costs.row_seconds = std::max(0.0, (t * sparse.nonzeros - u * dense.nonzeros) / determinant);
  costs.nonzero_seconds = std::max(0.0, (t - costs.row_seconds * dense.rows) / dense.nonzeros);

  const RankProduct random =
      gpu ? measure_product(bench, "random:rows=2000000,row=16", "csr-balanced")
          : measure_product(bench, "random:rows=500000,row=16", "csr-omp");
  if (random.sectors > 0) {
    costs.sector_seconds = std::max(0.0, random.seconds - costs.call_seconds) / random.sectors;
  }
  return costs;
}

/// What lies between the GPUs of a node, or its ranks.
std::string inside_of(const ComputeSite& site, const std::optional<SystemReport>& system) {
  if (site.device == Device::cpu) return "same node";
  if (site.shared) return "same device";
  const bool nvlink = system && std::ranges::any_of(system->links, [](const GpuLink& link) {
                        return link.kind == "NVLink";
                      });
  return nvlink ? "nvlink" : "same node";
}

}  // namespace

ExitCode measure_network(Session& session) {
  const RunOptions& options = session.line.run;
  const Job& job = session.job;
  RunReport& report = session.report;
  const Machine machine = begin(session, Purpose::product);
  const ComputeSite site = site_of(options, job, machine);
  const Measuring measuring{job.comm, *machine.clock, job.progress};
  const Bench bench{options, job, machine, measuring};

  NetworkReport network;
  network.device = name_of(site.device);
  network.ranks = job.comm.size;
  network.nodes = site.nodes.nodes;
  try {
    network.reading = measure_reading(job.comm, site.device, job.progress);
    measure_launches(bench, network);
    network.product = measure_costs(bench);
    network.links = measure_links(
        {measuring, site, machine.stream(), inside_of(site, report.system), options.graph},
        network.left_out);
  } catch (const StopRequest&) {
    report.status = RunStatus::interrupted;
  }
  const std::size_t links = network.links.size();
  report.network = std::move(network);
  if (interrupted(job, report)) {
    report.verdict = "interrupted by a signal: the file is not whole";
    return finish(session, ExitCode::run_time);
  }
  report.verdict =
      fmt::format("{} link{} measured, in {}", links, links == 1 ? "" : "s", options.json);
  return finish(session, ExitCode::fine);
}

}  // namespace rowhalo
