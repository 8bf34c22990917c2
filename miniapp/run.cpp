// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo run` (run.hpp), one stage after the other. A signal that came to any
// rank is looked for after each stage, on all ranks alike; what there is then is reported.
#include "miniapp/run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include "io/report_writers.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "miniapp/batches.hpp"
#include "miniapp/choose.hpp"
#include "miniapp/device.hpp"
#include "miniapp/environment.hpp"
#include "miniapp/measurement.hpp"
#include "miniapp/petsc.hpp"
#include "miniapp/provenance.hpp"
#include "miniapp/statistics.hpp"
#include "miniapp/validation.hpp"
#include "miniapp/vector_spec.hpp"
#include "partition/directory.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

/// Values as stored in `precision`.
std::vector<std::byte> stored(const std::vector<double>& values, Precision precision) {
  std::vector<std::byte> bytes(values.size() * value_bytes(precision));
  if (precision == Precision::fp64) {
    std::copy(values.begin(), values.end(), reinterpret_cast<double*>(bytes.data()));
  } else {
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>(bytes.data()));
  }
  return bytes;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

/// What y is held against: A*x scaled, per owned row.
struct Reference {
  const char* name;
  std::vector<double> product;
};

class Run {
 public:
  Run(const CommandLine& line, const Comm& comm)
      : options_(line.run),
        comm_(comm),
        watchdog_(progress_, options_.timeout_seconds),
        show_progress_(comm.rank == 0 && options_.progress && !options_.quiet &&
                       on_terminal(STDERR_FILENO)),
        to_stderr_(options_.json == "-" || options_.csv == "-") {
    report_.command = "run";
    report_.argv = line.argv;
  }

  ExitCode execute() {
    begin();
    check_options();
    print_header();
    using Stage = void (Run::*)();
    for (const Stage stage : {&Run::read, &Run::distribute, &Run::prepare, &Run::measure_all}) {
      (this->*stage)();
      if (interrupted()) break;
    }
    return finish();
  }

 private:
  void begin();
  void check_options();
  void print_header();
  void read();
  void distribute();
  void prepare();
  void measure_all();
  ExitCode finish();

  bool measure_case(const ProductSetting& setting, const ChosenKernels& kernels,
                    const ChosenTransport& transport);
  CheckedProduct checked(const void* y) const {
    return {matrix_, options_.precision, options_.alpha, options_.beta, x_, y0_, y};
  }
  void compute_references();
  ValidationReport check(const Measurement& measurement, std::string& verdict);
  void report_choice(const ChosenKernels& kernels, const ChosenTransport& transport,
                     const Measurement& measurement);
  void conclude();
  void save_y();
  void write_report();

  bool interrupted();
  /// Names the phase for the watchdog and on the terminal.
  void phase(const char* name);
  std::ostream& out() const { return to_stderr_ ? std::cerr : std::cout; }
  bool color(const std::ostream& stream) const;
  /// Collective. Seconds that `work` takes on the slowest rank.
  template <class Work>
  double timed(Work work);
  BatchOptions batch_options() const {
    return {options_.iterations, options_.batches, options_.warmup, options_.min_seconds};
  }
  bool several() const { return options_.format == "all" || options_.halo == "all"; }

  const RunOptions& options_;
  Comm comm_;
  Progress progress_;
  Watchdog watchdog_;
  bool show_progress_, to_stderr_;
  RunReport report_;

  RankDevice device_;
  std::optional<StreamHandle> stream_;
  std::int64_t free_bytes_before_ = 0;
  std::optional<DistributedCsr> source_;
  std::optional<Shuffle> shuffle_;
  LocalMatrix matrix_;
  HaloPlan plan_;
  std::optional<MatrixBlock> block_;
  std::vector<double> x_, y0_;  ///< by number in the source, as stored in the precision
  std::vector<std::byte> stored_x_, stored_y0_, y_;
  std::vector<Reference> references_;
};

bool Run::interrupted() {
  if (max_over_ranks(comm_, std::int64_t{watchdog_.interrupted()}) == 0) return false;
  report_.status = RunStatus::interrupted;
  return true;
}

void Run::phase(const char* name) {
  progress_.phase(name);
  if (show_progress_) std::cerr << "\r\033[K" << name << " ..." << std::flush;
}

bool Run::color(const std::ostream& stream) const {
  if (options_.color != Color::automatic) return options_.color == Color::always;
  return on_terminal(&stream == &std::cout ? STDOUT_FILENO : STDERR_FILENO);
}

template <class Work>
double Run::timed(Work work) {
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  work();
  return max_over_ranks(comm_, std::chrono::duration<double>(clock::now() - start).count());
}

void Run::begin() {
  device_ = settle_device(comm_, options_.device, options_.threads);
  if (device_.site.device == Device::gpu) {
    free_bytes_before_ = free_device_bytes();
    stream_.emplace();
  }
}

/// What can be known to be wrong before any work is done.
void Run::check_options() {
  agree(comm_, [&] {
    if (options_.json == "-" && options_.csv == "-") {
      throw InputError("--json - and --csv - cannot both be stdout; give one of them a file");
    }
    const Device device = device_.site.device;
    const Spec format = Spec::parse(options_.format, "--format");
    if (format.name() != "auto" && format.name() != "all") find_format(format.name(), device);
    if (!options_.boundary_format.empty()) {
      find_format(Spec::parse(options_.boundary_format, "--boundary-format").name(), device);
    }
    if (options_.halo != "auto" && options_.halo != "all") find_transport(options_.halo);
    const Spec partition = Spec::parse(options_.partition, "--partition");
    const PartitionerEntry& entry = find_partitioner(partition.name());
    if (entry.unusable != nullptr) partition.fail(entry.unusable);
    if (comm_.rank == 0) {
      if (!options_.json.empty()) check_text_target(options_.json, "--json");
      if (!options_.csv.empty()) check_text_target(options_.csv, "--csv");
    }
  });
  if (!options_.save_y.empty()) check_vector_target(options_.save_y, comm_);
}

void Run::print_header() {
  report_.provenance = gather_provenance(comm_, device_.description);
  if (comm_.rank != 0) return;
  if (!options_.quiet) {
    write_header(out(), report_.provenance, color(out()));
    out() << std::flush;
  }
  if (device_.site.shared) {
    std::cerr << fmt::format(
        "rowhalo: warning: up to {} ranks share one GPU; they take turns, so times say little\n",
        device_.ranks_a_device);
  }
}

void Run::read() {
  phase("read");
  report_.setup.read_seconds =
      timed([&] { source_ = load_matrix(options_.matrix, options_.block, comm_, progress_); });
  report_.matrix = describe_matrix(comm_, *source_);
}

void Run::distribute() {
  phase("partition");
  report_.setup.partition_seconds = timed([&] {
    if (options_.shuffle) {
      shuffle_.emplace(*options_.shuffle, source_->info.rows);
      source_ = shuffled(comm_, std::move(*source_), *shuffle_, progress_);
    }
    const Spec spec = Spec::parse(options_.partition, "--partition");
    const std::vector<int> owners =
        find_partitioner(spec.name()).assign(*source_, spec, comm_, progress_);
    matrix_ = make_local_matrix(comm_, std::move(*source_), owners, shuffle_ ? &*shuffle_ : nullptr,
                                progress_);
    source_.reset();
  });
  if (fingerprint(comm_, matrix_) != report_.matrix.fingerprint) {
    throw AgreedError(ExitCode::run_time,
                      "internal error: the matrix changed on its way to its owners (fingerprints "
                      "differ); please report this with the command line");
  }
  phase("plan");
  report_.setup.plan_seconds = timed([&] { plan_ = make_halo_plan(comm_, matrix_, progress_); });
  report_.partition = describe_partition(comm_, matrix_, options_.partition);
  report_.halo = describe_halo(comm_, matrix_, plan_, options_.precision);
}

void Run::prepare() {
  phase("prepare vectors");
  const Precision precision = options_.precision;
  const VectorSpec x(options_.x, "--x", matrix_.info.columns, comm_, progress_);
  const VectorSpec y(options_.y, "--y", matrix_.info.rows, comm_, progress_);
  x_ = x.entries(matrix_.source_columns, precision);
  y0_ = y.entries(matrix_.source_rows, precision);
  stored_x_ = stored(x_, precision);
  stored_y0_ = stored(y0_, precision);
  phase("upload");
  const double seconds = timed([&] { block_.emplace(matrix_, precision, device_.site.device); });
  if (device_.site.device == Device::gpu) report_.setup.upload_seconds = seconds;
}

/// Every combination that is asked for, mostly one.
void Run::measure_all() {
  const Stream stream = stream_ ? stream_->stream() : Stream{};
  DeviceClock clock(device_.site.device, stream);
  const Measuring measuring{comm_, clock, progress_, watchdog_};
  const ProductSetting setting{measuring, matrix_, *block_, plan_, device_.site, stream, stored_x_};
  std::vector<std::string> names{options_.format};
  if (options_.format == "all") names = usable_formats(device_.site.device);
  for (const std::string& name : names) {
    phase("convert");
    const FormatRequest request{name, options_.boundary_format, options_.schedule};
    ChosenKernels kernels;
    std::optional<AgreedError> refusal;
    const double seconds = timed([&] {
      if (options_.format == "all") {
        refusal = name_kernels(setting, request, kernels);
      } else {
        kernels = choose_kernels(setting, request);
      }
    });
    if (refusal) {
      report_.cases.push_back({name, "", false, {}, {}, 0, 0, true, refusal->what()});
      continue;
    }
    report_.setup.convert_seconds = std::max(report_.setup.convert_seconds, seconds);

    std::vector<ChosenTransport> transports;
    if (options_.halo == "all") {
      for (const TransportVariant& variant : usable_transports(device_.site, options_.graph)) {
        transports.push_back({variant.entry->name, variant.graph, {}});
      }
    } else {
      phase("choose transport");
      transports = {choose_transport(setting, options_.halo, options_.graph, kernels.kernels)};
    }
    for (const ChosenTransport& transport : transports) {
      if (!measure_case(setting, kernels, transport)) return;
    }
  }
  if (!report_.timing) {
    throw AgreedError(ExitCode::usage,
                      "--format all: every format refuses this matrix; the last "
                      "said: " +
                          report_.cases.back().reason);
  }
  conclude();
}

/// False when a signal has ended it.
bool Run::measure_case(const ProductSetting& setting, const ChosenKernels& kernels,
                       const ChosenTransport& transport) {
  phase("measure");
  Products products(setting, kernels.kernels, {&find_transport(transport.name), transport.graph},
                    options_.alpha, options_.beta);
  Measurement measurement = measure(setting, products, batch_options(), options_.beta, stored_y0_);
  products.close();
  if (report_.memory.peak_bytes_max_rank == 0) {
    report_.memory.peak_bytes_max_rank = max_over_ranks(comm_, peak_resident_bytes());
  }
  if (measurement.interrupted) {
    if (!report_.timing) report_choice(kernels, transport, measurement);
    return false;
  }
  std::string verdict;
  const ValidationReport validation = check(measurement, verdict);
  if (several()) {
    report_.cases.push_back({kernels.interior, transport.name, transport.graph,
                             measurement.timing.median_seconds, measurement.timing.exposed_seconds,
                             validation.max_error_ratio, validation.y_hash, validation.passed,
                             verdict});
  }
  const bool faster =
      !report_.timing || measurement.timing.median_seconds < report_.timing->median_seconds;
  const bool better = !report_.validation || (validation.passed && !report_.validation->passed);
  if (better || (faster && validation.passed == report_.validation->passed)) {
    report_choice(kernels, transport, measurement);
    report_.validation = validation;
    report_.verdict = verdict;
    y_ = std::move(measurement.y);
  }
  return true;
}

void Run::report_choice(const ChosenKernels& kernels, const ChosenTransport& transport,
                        const Measurement& measurement) {
  report_.kernel = describe_kernel(comm_, kernels.kernels, device_.site.device, options_.precision);
  report_.kernel->format = kernels.interior;
  report_.kernel->boundary_format = kernels.boundary;
  report_.kernel->candidates = kernels.candidates;
  report_.halo->transport = transport.name;
  report_.halo->graph = transport.graph;
  report_.halo->candidates = transport.candidates;
  report_.halo->schedule = kernels.kernels.schedule == Schedule::overlap ? "overlap" : "blocking";
  report_.timing = measurement.timing;
  report_.performance =
      describe_performance(report_.matrix, options_.precision, measurement.timing.median_seconds);
  if (device_.site.device == Device::gpu) {
    report_.memory.device_bytes_max_rank =
        max_over_ranks(comm_, free_bytes_before_ - free_device_bytes());
  }
}

/// PETSc's and our own reference, as far as they are asked for; once, after the first measurement.
void Run::compute_references() {
  ValidationReport& validation = report_.validation.emplace();
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
}

ValidationReport Run::check(const Measurement& measurement, std::string& verdict) {
  const bool first = !report_.validation;
  if (first) compute_references();
  ValidationReport validation;
  validation.against = report_.validation->against;
  validation.petsc_seconds = report_.validation->petsc_seconds;
  validation.note = report_.validation->note;
  validation.y_hash = measurement.y_hash;
  validation.passed = measurement.repeatable;
  if (first) report_.validation.reset();
  if (!measurement.repeatable) {
    verdict = "the timed products and a single one differ in their bits";
  }
  for (const Reference& reference : references_) {
    const ErrorRatio ratio = compare(comm_, checked(measurement.y.data()), reference.product);
    validation.rows_checked = ratio.rows;
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

/// The why of the RESULT line when everything has been measured.
void Run::conclude() {
  ValidationReport& validation = *report_.validation;
  const auto failed = std::count_if(report_.cases.begin(), report_.cases.end(),
                                    [](const CaseReport& one) { return !one.passed; });
  if (failed > 0) {
    validation.passed = false;
    report_.verdict = fmt::format("{} of {} combinations failed", failed, report_.cases.size());
  } else if (validation.passed) {
    const std::string against =
        validation.against == "all" ? "petsc and reference" : validation.against;
    report_.verdict = validation.against == "none" ? "not validated" : "y agrees with " + against;
    if (several()) report_.verdict += fmt::format(", {} combinations", report_.cases.size());
  }
}

void Run::save_y() {
  if (options_.save_y.empty()) return;
  phase("save y");
  std::vector<double> y(matrix_.owned_rows);
  if (options_.precision == Precision::fp64) {
    std::copy_n(reinterpret_cast<const double*>(y_.data()), y.size(), y.begin());
  } else {
    std::copy_n(reinterpret_cast<const float*>(y_.data()), y.size(), y.begin());
  }
  write_vector(options_.save_y, deal_out<double>(comm_, matrix_.info.rows, matrix_.source_rows, y),
               options_.precision, comm_, progress_);
}

void Run::write_report() {
  if (show_progress_) std::cerr << "\r\033[K" << std::flush;
  agree(comm_, [&] {
    if (comm_.rank != 0) return;
    if (!options_.quiet) write_table(out(), report_, color(out()));
    if (!options_.json.empty()) write_text_file(options_.json, to_json(report_));
    if (!options_.csv.empty()) write_text_file(options_.csv, to_csv(report_));
    write_fom_lines(out(), report_);
    write_result_line(out(), report_, color(out()));
    out() << std::flush;
  });
}

ExitCode Run::finish() {
  ExitCode code = ExitCode::fine;
  if (report_.status == RunStatus::interrupted) {
    report_.verdict = "interrupted by a signal in phase '" + std::string(progress_.phase()) + "'";
    code = ExitCode::run_time;
  } else {
    save_y();
    if (!report_.validation->passed) {
      report_.status = RunStatus::failed;
      code = ExitCode::validation;
    }
  }
  phase("report");
  write_report();
  return code;
}

}  // namespace

ExitCode run(const CommandLine& line, const Comm& comm) {
  return Run(line, comm).execute();
}

}  // namespace rowhalo
