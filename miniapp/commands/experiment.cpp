// SPDX-License-Identifier: BSD-3-Clause
//
// The steps that commands are made of (experiment.hpp).
#include "miniapp/commands/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "io/host_memory.hpp"
#include "io/machine_file.hpp"
#include "io/report/writers.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "kernels/gpu/device/bandwidth.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/expected.hpp"
#include "miniapp/check/vector_spec.hpp"
#include "miniapp/cli/provenance.hpp"
#include "miniapp/commands/tuned.hpp"
#include "miniapp/halo/memory/node_memory.hpp"
#include "miniapp/machine/system.hpp"
#include "miniapp/tune/choose.hpp"
#include "miniapp/tune/sums_choice.hpp"
#include "partition/base/numbers.hpp"
#include "partition/matrix/directory.hpp"
#include "partition/matrix/transpose.hpp"

namespace rowhalo {

namespace {

/// Local. What can be known to be wrong with a product before any work is done.
void check_product_options(const RunOptions& options, Device device) {
  check(static_cast<const KernelOptions&>(options), device);
  check(static_cast<const ExchangeOptions&>(options));
  if (!options.trace.empty() && (options.format == "all" || options.halo == "all")) {
    throw InputError("--trace takes one format and one transport; name them, or use auto");
  }
  if (options.pair) {
    for (const auto& [option, name] : {std::pair("--format", &options.format),
                                       {"--halo", &options.halo},
                                       {"--partition", &options.partition}}) {
      if (*name != "all") continue;
      throw InputError(fmt::format(
          "--pair takes one choice per operator, not {} all; name it, or use auto", option));
    }
  }
  if (options.partition == all_partitioners) {
    for (const auto& [option, path] :
         {std::pair("--trace", &options.trace), {"--save-y", &options.save_y}}) {
      if (path->empty()) continue;
      throw InputError(fmt::format("{} takes one partition; name it, or use auto", option));
    }
  }
}

/// What names the matrix: convert has a positional argument for it.
const char* matrix_option(const RunOptions& options) {
  return options.output.empty() ? "--matrix" : "IN";
}

/// Why products have another schedule than --schedule says.
ScheduleGrounds schedule_grounds(const Experiment& e, const ChosenKernels& kernels,
                                 const ChosenTransport& transport) {
  if (kernels.schedule == e.options.schedule) return ScheduleGrounds::as_asked;
  if (kernels.schedule == e.schedule) return e.schedule_grounds;
  const std::string_view schedule = entry_of(kernels.schedule).name;
  const bool tried = std::ranges::any_of(transport.candidates, [&](const TransportCandidate& one) {
    return one.trial && one.trial->schedule == schedule;
  });
  return tried ? ScheduleGrounds::trial : ScheduleGrounds::all_rows;
}

/// Collective.
bool wants_sums(const Experiment& e) {
  const RunOptions& options = e.options;
  if (options.partial_sums != SumsOption::automatic) return options.partial_sums == SumsOption::on;
  const bool free_choice = !options.reproducible && options.format == "auto" &&
                           options.boundary_format.empty() && options.partition == "auto" &&
                           options.reorder == Reorder::none && !entry_of(options.schedule).baseline;
  return free_choice && sums_pay(e.job.comm, e.matrix, e.site,
                                 prediction_model(e.site.device, e.site.nodes), options.precision);
}

/// Adds values as stored in `precision`.
void append_stored(const std::vector<double>& values, Precision precision,
                   std::vector<std::byte>& bytes) {
  const std::size_t before = bytes.size();
  bytes.resize(before + values.size() * vector_value_bytes(precision));
  store(vector_type(precision), values.data(), std::ssize(values), bytes.data() + before);
}

}  // namespace

Machine begin(Session& session, Purpose purpose) {
  const RunOptions& options = session.line.run;
  const Job& job = session.job;
  Outputs& outputs = session.outputs;
  RunReport& report = session.report;
  outputs.show_progress(job.progress);
  Machine machine;
  machine.base_bytes = peak_host_bytes(job.comm);
  machine.device = settle_device(job.comm, options.device, options.threads);
  const Device device = machine.device.site.device;
  if (device == Device::gpu) {
    machine.free_device_bytes = free_device_bytes();
    machine.own_stream.emplace();
  }
  machine.clock = std::make_unique<DeviceClock>(device, machine.stream());
  if (options.telemetry) {
    const bool first_of_node = node_place(job.comm).rank == 0;
    machine.telemetry = std::make_unique<Telemetry>(machine.device.pci_id, first_of_node);
  }
  agree(job.comm, [&] {
    if (purpose == Purpose::product) check_product_options(options, device);
    if (purpose == Purpose::product) check_reproducible(options, device);
    outputs.check();
    const bool sweeps = purpose == Purpose::inspection || report.command == "run";
    const bool all = sweeps && options.partition == all_partitioners;
    if (!all) check_partition_request(partition_request(options, device, {}));
  });
  if (!options.machine.empty()) machine.measured = read_machine_file(options.machine, job.comm);
  if (!options.save_y.empty()) check_target(options.save_y, "--save-y", FileUse::vector, job.comm);

  report.transposed = options.transpose;
  report.vectors = options.vectors;
  report.layout = name_of(options.layout);
  report.provenance = gather_provenance(job.comm, machine.device.description);
  if (purpose == Purpose::product && !options.dry) report.system = describe_system(job.comm);
  if (!options.quiet && job.comm.rank == 0) {
    std::ostringstream header;
    write_header(header, report.provenance, outputs.color());
    outputs.print(header.str());
  }
  const std::string& warning = machine.device.warning;
  if (!warning.empty() && job.comm.rank == 0) std::cerr << "rowhalo: warning: " << warning << '\n';
  return machine;
}

void check_reproducible(const RunOptions& options, Device device) {
  if (!options.reproducible) return;
  for (const auto& [option, text] :
       {std::pair("--format", &options.format), {"--boundary-format", &options.boundary_format}}) {
    if (text->empty() || *text == "auto" || *text == "all") continue;
    if (find_format(Spec::parse(*text, option).name(), device, option).canonical) continue;
    std::vector<std::string> names = usable_formats(device, true);
    throw InputError(
        fmt::format("{} {}: does not sum up rows in their stored order, as "
                    "--reproducible asks; use auto, {}",
                    option, *text, listed(names)));
  }
  if (order_of(options.schedule) == Order::split) {
    throw InputError(
        fmt::format("--schedule {}: adds up rows in two parts, which --reproducible "
                    "excludes; use overlap or blocking",
                    entry_of(options.schedule).name));
  }
  if (options.partial_sums == SumsOption::on) {
    throw InputError(
        "--partial-sums on: adds up rows in parts, which --reproducible excludes; "
        "leave one of them out");
  }
}

ExitCode dry_run(const RunOptions& options, const Machine& machine, Session& session) {
  const Job& job = session.job;
  job.progress.phase("outline");
  const MatrixOutline outline = outline_of(options, job, matrix_option(options));
  session.report.matrix = describe_outline(outline);
  check_reorder(outline.info, options.reorder);
  if (options.halo != "auto" && options.halo != "all") {
    const ComputeSite site = site_of(options, job, machine);
    agree(job.comm, [&] { find_usable_transport(options.halo, site); });
  }
  session.report.verdict = "the options and the size of the matrix are accepted; nothing was read";
  return finish(session, ExitCode::fine);
}

MatrixOutline outline_of(const RunOptions& options, const Job& job, const char* option) {
  MatrixOutline outline = outline_matrix(options.matrix, options.block, job.comm, option);
  if (options.transpose) std::swap(outline.info.rows, outline.info.columns);
  return outline;
}

/// --transpose. Collective. Nothing moves where the matrix equals its transpose.
void transpose_matrix(const Job& job, DistributedCsr& matrix, RunReport& report) {
  job.progress.phase("transpose");
  bool moves = false;
  const double seconds = timed(job.comm, [&] {
    moves = !equals_transpose(job.comm, matrix);
    if (moves) matrix = transposed(job.comm, std::move(matrix), job.progress);
  });
  if (moves) report.setup.transpose_seconds = seconds;
}

DistributedCsr read_matrix(const RunOptions& options, const Job& job, RunReport& report) {
  job.progress.phase("read");
  DistributedCsr matrix;
  report.setup.read_seconds = timed(job.comm, [&] {
    matrix =
        load_matrix(options.matrix, options.block, job.comm, job.progress, matrix_option(options));
  });
  if (options.transpose) transpose_matrix(job, matrix, report);
  report.memory.read_peak_bytes_max_rank = peak_host_bytes(job.comm);
  report.matrix = describe_matrix(job.comm, matrix);
  leave_if_requested(job.comm, job.progress);
  return matrix;
}

std::optional<Shuffle> shuffle_matrix(const MatrixOptions& options, const Job& job,
                                      DistributedCsr& matrix) {
  if (!options.shuffle) return std::nullopt;
  job.progress.phase("shuffle");
  const Shuffle shuffle(*options.shuffle, matrix.info.rows);
  matrix = shuffled(job.comm, std::move(matrix), shuffle, job.progress);
  return shuffle;
}

PartitionRequest partition_request(const PartitionOptions& options, Device device,
                                   const NodeMap& nodes) {
  return {.partition = options.partition,
          .hierarchical = options.hierarchical,
          .nodes = nodes,
          .model = prediction_model(device, nodes)};
}

ComputeSite site_of(const RunOptions& options, const Job& job, const Machine& machine) {
  ComputeSite site = machine.device.site;
  site.nodes = node_map(job.comm, options.ranks_per_node);
  site.timeout_seconds = options.timeout_seconds;
  site.shared_memory_refusal = shared_memory_refusal(job.comm, site.nodes);
  return site;
}

Experiment::Experiment(const RunOptions& run_options, const Job& run_job, const Machine& on,
                       DistributedCsr&& rows, RunReport& report,
                       const std::function<void(LocalMatrix&)>& adapt)
    : options(run_options),
      job(run_job),
      machine(on),
      measuring{job.comm, *machine.clock, job.progress},
      site(site_of(options, job, machine)) {
  distribute(std::move(rows), report);
  if (adapt) adapt(matrix);
  if (options.refill > 0 && !route.moves()) given_values = matrix.values;
  prepare(report);
}

/// Moves the rows to their owners and plans the exchange.
void Experiment::distribute(DistributedCsr&& rows, RunReport& report) {
  const bool tuned = !options.tuning.empty() || !options.save_tuning.empty();
  if (tuned) pattern = pattern_fingerprint(job.comm, rows);
  check_reorder(rows.info, options.reorder);
  job.progress.phase("partition");
  Assignment assignment;
  bool in_sums = false;
  report.setup.partition_seconds = timed(job.comm, [&] {
    DistributedCsr source = std::move(rows);  // goes when its rows are at their owners
    const std::optional<Shuffle> shuffle = shuffle_matrix(options, job, source);
    assignment = assign_owners(job.comm, source,
                               partition_request(options, site.device, site.nodes), job.progress);
    if (options.refill > 0 && options.reorder == Reorder::none) {
      route = ValueRoute(job.comm, source, assignment.owners);
      if (route.moves()) given_values = source.values;
    }
    matrix = make_local_matrix(job.comm, std::move(source), assignment.owners,
                               shuffle ? &*shuffle : nullptr, job.progress, options.reorder);
    in_sums = wants_sums(*this);
    if (in_sums) route = {}, given_values = {};  // values come to the rows that are cut anew
    if (in_sums) matrix = cut_for_partial_sums(job.comm, std::move(matrix), job.progress);
  });
  if (fingerprint(job.comm, matrix) != report.matrix.fingerprint) {
    throw AgreedError(ExitCode::run_time,
                      "internal error: the matrix changed on its way to its owners (fingerprints "
                      "differ); please report this with the command line");
  }
  job.progress.phase("plan");
  report.setup.plan_seconds = timed(job.comm, [&] {
    if (in_sums) {
      sums = make_partial_sums(job.comm, matrix, job.progress);
      if (sum_over_ranks(job.comm, sums->sums.owned_rows) == 0) sums.reset();
    }
    plan = make_halo_plan(job.comm, multiplied(), job.progress);
  });
  const Offset summed = sums ? sums->sums.offsets.back() + sums->added.offsets.back() : 0;
  report.partition = PartitionReport{
      assignment.name,  job.comm.size,        partition_statistics(job.comm, multiplied(), summed),
      site.nodes.nodes, options.hierarchical, options.reorder == Reorder::rcm ? "rcm" : "none"};
  for (const PartitionCandidate& candidate : assignment.candidates) {
    report.partition->candidates.push_back(describe_candidate(candidate, options.precision));
  }
  report.halo = describe_halo(job.comm, multiplied(), exchanged(), site.nodes, options.precision);
  report.halo->entry_bytes *= options.vectors;
  if (sums) report.halo->partial_sums = sum_over_ranks(job.comm, sums->sums.owned_rows);
  leave_if_requested(job.comm, job.progress);
}

/// x, y0, and the local matrix in the memory of the device.
void Experiment::prepare(RunReport& report) {
  job.progress.phase("prepare vectors");
  const Precision precision = options.precision;
  for (int k = 0; k < options.vectors; ++k) {
    const VectorSpec x_spec(options.x, "--x", matrix.info.columns, job.comm, job.progress, k,
                            options.vectors);
    const VectorSpec y_spec(options.y, "--y", matrix.info.rows, job.comm, job.progress, k,
                            options.vectors);
    x.push_back(x_spec.entries(matrix.source_columns, precision));
    y0.push_back(y_spec.entries(matrix.source_rows, precision));
    append_stored(sums ? x_spec.entries(multiplied().source_columns, precision) : x.back(),
                  precision, stored_x);
    append_stored(y0.back(), precision, stored_y0);
  }
  leave_if_requested(job.comm, job.progress);
  job.progress.phase("upload");
  const SettledSchedule settled =
      settled_schedule(job.comm, multiplied(), site, options.halo, options.schedule);
  schedule = settled.schedule;
  schedule_grounds = settled.grounds;
  const double seconds = timed(job.comm, [&] {
    const NewValues new_values = options.refill > 0 ? NewValues::refilled : NewValues::never;
    block =
        std::make_unique<LoadedMatrix>(multiplied(), precision, site.device, options.value_codes,
                                       sums ? multiprocessors_for_sums : 0, new_values);
    columns = columns_for(schedule, multiplied(), precision, site.device, options.value_codes);
    if (!sums) return;
    sum_kernels = std::make_unique<PartialSumKernels>(job.comm, *sums, plan, precision, site.device,
                                                      options.value_codes, stored_x, new_values,
                                                      options.vectors);
  });
  if (site.device == Device::gpu) report.setup.upload_seconds = seconds;
  leave_if_requested(job.comm, job.progress);
}

void report_chosen(const Experiment& e, const ChosenKernels& kernels,
                   const ChosenTransport& transport, RunReport& report) {
  report.kernel = describe_kernel(e.job.comm, kernels.kernels, e.site.device, e.options.precision);
  report.kernel->format = kernels.interior;
  report.kernel->boundary_format = kernels.boundary;
  const bool one_by_one = kernels.kernels.layout() == Layout::column;
  report.kernel->vectors_at_once = one_by_one ? 1 : e.options.vectors;
  report.kernel->candidates = kernels.candidates;
  report.kernel->choice = kernels.cost;
  report.halo->transport = transport.name;
  report.halo->graph = transport.graph;
  report.halo->candidates = transport.candidates;
  report.halo->schedule = entry_of(kernels.schedule).name;
  report.halo->steps = step_names(kernels.kernels, e.options.layout);
  report.halo->schedule_grounds = schedule_grounds(e, kernels, transport);
  report.halo->schedule_format = kernels.interior;
}

double measured_read_bandwidth(const Experiment& e) {
  constexpr std::int64_t needed_bytes = std::int64_t{4} << 30;
  const Comm& comm = e.job.comm;
  const bool possible = !e.site.shared && free_device_bytes() > needed_bytes;
  if (max_over_ranks(comm, std::int64_t{!possible}) != 0) return 0;
  return sum_reals_over_ranks(comm, measure_bandwidth().read);
}

void report_telemetry(const Experiment& e, double products, double flops, RunReport& report) {
  if (!e.machine.telemetry) return;
  report.telemetry = describe_telemetry(e.job.comm, *e.machine.telemetry, e.machine.device.pci_id,
                                        {products, flops});
}

bool interrupted(const Job& job, RunReport& report) {
  if (!stop_requested(job.comm, job.progress)) return false;
  report.status = RunStatus::interrupted;
  return true;
}

ExitCode finish(Session& session, ExitCode code, const std::string& trace,
                const std::function<void()>& more) {
  RunReport& report = session.report;
  std::int64_t& peak = report.memory.peak_bytes_max_rank;
  if (peak == 0) peak = peak_host_bytes(session.job.comm);
  report.wall = wall_of(session.job.progress);
  session.job.progress.phase("report");
  session.outputs.write_report(report, trace);
  if (more) more();
  return session.outputs.finish(report, code);
}

}  // namespace rowhalo
