// SPDX-License-Identifier: BSD-3-Clause
//
// The stages that all commands share (session.hpp).
#include "miniapp/commands/session.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "io/report/writers.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/machine_model.hpp"
#include "miniapp/bench/petsc.hpp"
#include "miniapp/check/vector_spec.hpp"
#include "miniapp/cli/provenance.hpp"
#include "miniapp/halo/memory/node_memory.hpp"
#include "miniapp/process/environment.hpp"
#include "partition/base/numbers.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

/// Values as stored in `precision`.
std::vector<std::byte> stored(const std::vector<double>& values, Precision precision) {
  std::vector<std::byte> bytes(values.size() * vector_value_bytes(precision));
  store(vector_type(precision), values.data(), std::ssize(values), bytes.data());
  return bytes;
}

/// What to say of PETSc's time beside ours; empty where both use one thread per rank.
std::string uneven_comparison(const Comm& comm, Device device) {
  const std::int64_t threads = max_over_ranks(comm, std::int64_t{omp_get_max_threads()});
  if (device == Device::gpu) return "PETSc: 1 CPU thread per rank, ours on a GPU";
  if (threads == 1) return {};
  return fmt::format("PETSc: 1 thread per rank, ours {}", threads);
}

}  // namespace

Session::Session(const CommandLine& line, const Job& job)
    : options_(line.run),
      comm_(job.comm),
      progress_(job.progress),
      watchdog_(job.watchdog),
      outputs_(options_, comm_) {
  const bool terminal = comm_.rank == 0 && on_terminal(STDERR_FILENO);
  if (terminal && options_.progress && !options_.quiet) progress_line_.emplace(progress_);
  report_.argv = line.argv;
}

bool Session::interrupted() {
  if (max_over_ranks(comm_, std::int64_t{watchdog_.interrupted()}) == 0) return false;
  report_.status = RunStatus::interrupted;
  return true;
}

void Session::begin(Purpose purpose) {
  base_bytes_ = peak_host_bytes(comm_);
  device_ = settle_device(comm_, options_.device, options_.threads);
  if (device_.site.device == Device::gpu) {
    free_bytes_before_ = free_device_bytes();
    stream_.emplace();
  }
  agree(comm_, [&] {
    if (purpose == Purpose::product) check_product_options();
    outputs_.check();
    const bool all = purpose == Purpose::inspection && options_.partition == all_partitioners;
    if (!all) check_partition_request(partition_request({}));
  });
  if (!options_.save_y.empty()) check_vector_target(options_.save_y, comm_);
  print_header();
}

/// What can be known to be wrong before any work is done.
void Session::check_product_options() const {
  const Device device = device_.site.device;
  const auto usable = [&](const FormatEntry& entry) {
    return entry.device == device && takes(entry, options_.precision);
  };
  if (std::none_of(formats().begin(), formats().end(), usable)) {
    throw InputError(
        fmt::format("--precision {}: no format on device {} takes it; use fp64 or "
                    "fp32, or a GPU",
                    name_of(options_.precision), name_of(device)));
  }
  for (const std::string& format : named_formats(options_.format, device)) {
    if (format != "auto") find_format(Spec::parse(format, "--format").name(), device);
  }
  if (!options_.boundary_format.empty()) {
    find_format(Spec::parse(options_.boundary_format, "--boundary-format").name(), device);
  }
  if (options_.halo != "auto" && options_.halo != "all") find_transport(options_.halo);
  if (!options_.trace.empty() && (options_.format == "all" || options_.halo == "all")) {
    throw InputError("--trace takes one format and one transport; name them, or use auto");
  }
}

PartitionRequest Session::partition_request(const NodeMap& nodes) const {
  return {options_.partition, options_.hierarchical, nodes,
          prediction_model(device_.site.device, nodes)};
}

void Session::print_header() {
  report_.provenance = gather_provenance(comm_, device_.description);
  if (comm_.rank != 0) return;
  if (!options_.quiet) {
    std::ostringstream header;
    write_header(header, report_.provenance, outputs_.color());
    outputs_.print(header.str());
  }
  if (!device_.warning.empty()) std::cerr << "rowhalo: warning: " << device_.warning << '\n';
}

ExitCode Session::dry() {
  phase("outline");
  outline_matrix(options_.matrix, options_.block, comm_);
  if (!options_.quiet) {
    outputs_.print("the options and the size of the matrix are accepted; nothing was read\n");
  }
  return ExitCode::fine;
}

void Session::read() {
  phase("read");
  report_.setup.read_seconds =
      timed([&] { source_ = load_matrix(options_.matrix, options_.block, comm_, progress_); });
  report_.memory.read_peak_bytes_max_rank = peak_host_bytes(comm_);
  report_.matrix = describe_matrix(comm_, *source_);
}

void Session::renumber() {
  if (!options_.shuffle) return;
  phase("shuffle");
  shuffle_.emplace(*options_.shuffle, source_->info.rows);
  source_ = shuffled(comm_, std::move(*source_), *shuffle_, progress_);
}

void Session::distribute() {
  check_reorder(source_->info, options_.reorder);
  phase("partition");
  const NodeMap nodes = node_map(comm_, options_.ranks_per_node);
  device_.site.nodes = nodes;
  device_.site.timeout_seconds = options_.timeout_seconds;
  device_.site.shared_memory_refusal = shared_memory_refusal(comm_, nodes);
  Assignment assignment;
  report_.setup.partition_seconds = timed([&] {
    renumber();
    assignment = assign_owners(comm_, *source_, partition_request(nodes), progress_);
    matrix_ = make_local_matrix(comm_, std::move(*source_), assignment.owners,
                                shuffle_ ? &*shuffle_ : nullptr, progress_, options_.reorder);
    source_.reset();
  });
  if (fingerprint(comm_, matrix_) != report_.matrix.fingerprint) {
    throw AgreedError(ExitCode::run_time,
                      "internal error: the matrix changed on its way to its owners (fingerprints "
                      "differ); please report this with the command line");
  }
  phase("plan");
  report_.setup.plan_seconds = timed([&] { plan_ = make_halo_plan(comm_, matrix_, progress_); });
  report_.partition = describe_partition(comm_, matrix_, assignment.name);
  report_.partition->nodes = nodes.nodes;
  report_.partition->hierarchical = options_.hierarchical;
  report_.partition->reorder = options_.reorder == Reorder::rcm ? "rcm" : "none";
  for (const PartitionCandidate& candidate : assignment.candidates) {
    report_.partition->candidates.push_back(describe_candidate(candidate, options_.precision));
  }
  report_.halo = describe_halo(comm_, matrix_, plan_, nodes, options_.precision);
}

void Session::prepare() {
  phase("prepare vectors");
  const Precision precision = options_.precision;
  const VectorSpec x(options_.x, "--x", matrix_.info.columns, comm_, progress_);
  const VectorSpec y(options_.y, "--y", matrix_.info.rows, comm_, progress_);
  x_ = x.entries(matrix_.source_columns, precision);
  y0_ = y.entries(matrix_.source_rows, precision);
  stored_x_ = stored(x_, precision);
  stored_y0_ = stored(y0_, precision);
  phase("upload");
  schedule_ = settled_schedule(comm_, matrix_, device_.site, options_.halo, options_.schedule);
  const double seconds = timed([&] {
    block_.emplace(matrix_, precision, device_.site.device);
    columns_ = columns_for(schedule_, matrix_, precision, device_.site.device);
  });
  if (device_.site.device == Device::gpu) report_.setup.upload_seconds = seconds;
}

ValidationReport Session::compute_references() {
  ValidationReport validation;
  validation.against = options_.validate;
  const CheckedProduct product = checked(nullptr);
  bool reference = options_.validate == "reference" || options_.validate == "all";
  if (options_.validate == "petsc" || options_.validate == "all") {
    phase("validate with PETSc");
    const std::vector<double> owned(x_.begin(), x_.begin() + matrix_.owned_columns);
    PetscResult petsc = petsc_product(comm_, matrix_, options_.precision, owned, batch_options(),
                                      progress_, watchdog_);
    if (petsc.unusable.empty()) {
      validation.petsc_seconds = petsc.seconds;
      validation.note = uneven_comparison(comm_, device_.site.device);
      references_.push_back({"petsc", scaled_sum(product, std::move(petsc.product))});
    } else {
      validation.note = "PETSc not used: " + petsc.unusable;
      validation.against = "reference";
      reference = true;
    }
  }
  if (reference) {
    phase("validate");
    references_.push_back({"reference", reference_product(product)});
  }
  return validation;
}

ValidationReport Session::check(const std::vector<std::byte>& y, std::uint64_t y_hash,
                                const LocalKernels& kernels, std::string& verdict) {
  if (!reference_report_) reference_report_ = compute_references();
  ValidationReport validation = *reference_report_;
  validation.y_hash = y_hash;
  validation.passed = true;
  const CheckedProduct product =
      checked(y.data(), kernels.canonical ? RowBits::canonical : RowBits::any);
  for (const Reference& reference : references_) {
    const ErrorRatio ratio = compare(comm_, product, reference.product);
    validation.rows_unchecked = std::max(validation.rows_unchecked, ratio.unchecked);
    validation.rows_checked = ratio.rows + ratio.unchecked - validation.rows_unchecked;
    if (ratio.max >= validation.max_error_ratio) {
      validation.max_error_ratio = ratio.max;
      validation.worst_row = ratio.worst_row;
    }
    if (ratio.passed()) continue;
    validation.passed = false;
    verdict = fmt::format("y differs from {} by {:.3g} times the bound, worst in row {}",
                          reference.name, ratio.max, ratio.worst_row);
  }
  return validation;
}

std::string Session::repeated_fault(const std::vector<std::byte>& y, int products) const {
  if (options_.validate == "none") return {};
  const ErrorRatio ratio = compare_repeated(comm_, checked(y.data()), products);
  if (ratio.passed()) return {};
  return fmt::format(
      "y after {} products as they were timed differs from the reference by {:.3g} times the "
      "bound, worst in row {}",
      products, ratio.max, ratio.worst_row);
}

void Session::write_report() {
  phase("report");
  progress_line_.reset();
  outputs_.write_report(report_, trace_);
}

}  // namespace rowhalo
