// SPDX-License-Identifier: BSD-3-Clause
//
// The experiment of `rowhalo run` (run.hpp), one stage after the other. A signal that came to any
// rank is looked for after each stage, on all ranks alike; what there is then is reported.
#include "miniapp/run.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "io/report_writers.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "miniapp/batches.hpp"
#include "miniapp/choose.hpp"
#include "miniapp/environment.hpp"
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
HostAllocation stored(const std::vector<double>& values, Precision precision) {
  HostAllocation memory(values.size() * value_bytes(precision));
  if (precision == Precision::fp64) {
    std::copy(values.begin(), values.end(), reinterpret_cast<double*>(memory.data()));
  } else {
    std::copy(values.begin(), values.end(), reinterpret_cast<float*>(memory.data()));
  }
  return memory;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

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
    check_options();
    begin();
    using Stage = void (Run::*)();
    for (const Stage stage :
         {&Run::read, &Run::distribute, &Run::make_operator, &Run::measure, &Run::validate}) {
      (this->*stage)();
      if (interrupted()) break;
    }
    if (halo_) halo_->close();
    return finish();
  }

 private:
  void check_options();
  void begin();
  void read();
  void distribute();
  void make_operator();
  void measure();
  void validate();
  ExitCode finish();

  void measure_phases();
  void save_y();
  void hold_against(const char* name, const CheckedProduct& product,
                    const std::vector<double>& reference);
  void write_report();

  bool interrupted();
  /// Names the phase for the watchdog and on the terminal.
  void phase(const char* name);
  std::ostream& out() const { return to_stderr_ ? std::cerr : std::cout; }
  bool color(const std::ostream& stream) const;
  /// Collective. Seconds that `work` takes on the slowest rank.
  template <class Work>
  double timed(Work work);

  const RunOptions& options_;
  Comm comm_;
  Progress progress_;
  Watchdog watchdog_;
  bool show_progress_, to_stderr_;
  RunReport report_;

  std::optional<DistributedCsr> source_;
  std::optional<Shuffle> shuffle_;
  LocalMatrix matrix_;
  HaloPlan plan_;
  std::optional<PrecisionBlock> block_;
  LocalKernels kernels_;
  std::unique_ptr<HaloExchange> halo_;
  std::vector<HaloVector> vectors_;  ///< two of equal content, used in turn
  std::vector<double> x_, y0_;       ///< by number in the source, as stored in the precision
  HostAllocation y_;
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

/// What can be known to be wrong before any work is done.
void Run::check_options() {
  agree(comm_, [&] {
    if (options_.device == "gpu") {
      throw InputError("--device gpu: this rowhalo was built without CUDA; use --device cpu");
    }
    if (options_.json == "-" && options_.csv == "-") {
      throw InputError("--json - and --csv - cannot both be stdout; give one of them a file");
    }
    const Spec format = Spec::parse(options_.format, "--format");
    if (format.name() != "auto") find_format(format.name(), Device::cpu);
    if (!options_.boundary_format.empty()) {
      find_format(Spec::parse(options_.boundary_format, "--boundary-format").name(), Device::cpu);
    }
    if (options_.halo != "auto") find_transport(options_.halo);
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

void Run::begin() {
  const Binding bound = binding();
  int threads = options_.threads;
  if (threads == 0 && std::getenv("OMP_NUM_THREADS") == nullptr) {
    // Ranks that may all run on all cores share them.
    const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    threads = std::max(1, std::min(bound.count, cores / ranks_on_node(comm_)));
  }
  if (threads > 0) omp_set_num_threads(threads);
  report_.provenance =
      gather_provenance(comm_, fmt::format("cpu, {} thread{} on cores {}", omp_get_max_threads(),
                                           omp_get_max_threads() == 1 ? "" : "s", bound.cores));
  if (comm_.rank == 0 && !options_.quiet) {
    write_header(out(), report_.provenance, color(out()));
    out() << std::flush;
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
  report_.halo->schedule = options_.schedule == Schedule::overlap ? "overlap" : "blocking";
}

void Run::make_operator() {
  phase("convert");
  const Precision precision = options_.precision;
  const VectorSpec x(options_.x, "--x", matrix_.info.columns, comm_, progress_);
  const VectorSpec y(options_.y, "--y", matrix_.info.rows, comm_, progress_);
  x_ = x.entries(matrix_.source_columns, precision);
  y0_ = y.entries(matrix_.source_rows, precision);
  y_ = stored(y0_, precision);
  const HostAllocation stored_x = stored(x_, precision);

  block_.emplace(matrix_, precision);
  ChosenKernels chosen;
  report_.setup.convert_seconds = timed([&] {
    chosen =
        choose_kernels(comm_, block_->view(), matrix_,
                       {options_.format, options_.boundary_format, options_.schedule, Device::cpu},
                       stored_x.data(), progress_);
  });
  kernels_ = std::move(chosen.kernels);
  report_.kernel = describe_kernel(comm_, kernels_, precision);
  report_.kernel->format = chosen.interior;
  report_.kernel->boundary_format = chosen.boundary;
  report_.kernel->candidates = std::move(chosen.candidates);

  phase("choose transport");
  ChosenTransport transport =
      choose_transport(options_.halo, {plan_, value_bytes(precision), 2, comm_}, kernels_,
                       stored_x.data(), progress_);
  halo_ = std::move(transport.halo);
  report_.halo->transport = transport.name;
  report_.halo->candidates = std::move(transport.candidates);
  for (int k = 0; k < 2; ++k) {
    vectors_.push_back(halo_->make_vector());
    fill_owned(vectors_.back(), stored_x.data());
  }
}

void Run::measure() {
  phase("measure");
  const DistributedSpmv spmv(kernels_, *halo_);
  const BatchTimes times = measure_batches(
      comm_, {options_.iterations, options_.batches, options_.warmup, options_.min_seconds},
      [&](std::int64_t k) {
        spmv.apply(options_.alpha, vectors_[k % 2], options_.beta, y_.data(), {});
      },
      progress_, watchdog_);
  const std::uint64_t loop_hash = hash_vector(comm_, matrix_, options_.precision, y_.data());

  TimingReport& timing = report_.timing.emplace();
  timing.batches = static_cast<int>(times.seconds.size());
  timing.iterations = times.iterations;
  timing.median_seconds = times.median();
  timing.min_seconds = times.minimum();
  timing.p95_seconds = times.percentile95();
  report_.performance =
      describe_performance(report_.matrix, options_.precision, timing.median_seconds);
  report_.memory.peak_bytes_max_rank = max_over_ranks(comm_, peak_resident_bytes());
  if (times.interrupted) return;
  measure_phases();

  // One more product from the start, with spoilt ghosts, is the one that is checked.
  for (const HaloVector& vector : vectors_) {
    std::fill_n(vector.ghost_data(), vector.ghosts * vector.element_bytes, std::byte{0xff});
  }
  y_ = stored(y0_, options_.precision);
  spmv.apply(options_.alpha, vectors_[0], options_.beta, y_.data(), {});
  ValidationReport& validation = report_.validation.emplace();
  validation.against = options_.validate;
  validation.passed = true;
  validation.y_hash = hash_vector(comm_, matrix_, options_.precision, y_.data());
  if (options_.beta == 0 && loop_hash != validation.y_hash) {
    validation.passed = false;
    report_.verdict = "the timed products and a single one differ in their bits";
  }
}

void Run::measure_phases() {
  phase("measure phases");
  const DistributedSpmv spmv(kernels_, *halo_);
  TimingReport& timing = *report_.timing;
  const BatchTimes local = measure_batches(
      comm_, {timing.iterations, std::max(5, options_.batches / 2), 0, options_.min_seconds / 4},
      [&](std::int64_t k) {
        apply_local(kernels_, options_.alpha, vectors_[k % 2], options_.beta, y_.data(), {});
      },
      progress_, watchdog_);
  timing.exposed_seconds = std::max(0.0, timing.median_seconds - local.median());

  PhaseSeconds seconds;
  const int products = std::min(timing.iterations, 100);
  for (int k = 0; k < products; ++k) {
    spmv.apply_timed(options_.alpha, vectors_[k % 2], options_.beta, y_.data(), {}, seconds);
    progress_.tick();
  }
  timing.phases = {max_over_ranks(comm_, seconds.pack) / products,
                   max_over_ranks(comm_, seconds.exchange) / products,
                   max_over_ranks(comm_, seconds.interior) / products,
                   max_over_ranks(comm_, seconds.boundary) / products};
}

void Run::hold_against(const char* name, const CheckedProduct& product,
                       const std::vector<double>& reference) {
  const ErrorRatio ratio = compare(comm_, product, reference);
  ValidationReport& validation = *report_.validation;
  validation.rows_checked = ratio.rows;
  if (ratio.max >= validation.max_error_ratio) {
    validation.max_error_ratio = ratio.max;
    validation.worst_row = ratio.worst_row;
  }
  if (ratio.passed()) return;
  validation.passed = false;
  report_.verdict = fmt::format("y differs from {} by {:.3g} times the bound, worst in row {}",
                                name, ratio.max, ratio.worst_row);
}

void Run::validate() {
  if (!report_.validation) return;
  phase("validate");
  ValidationReport& validation = *report_.validation;
  const CheckedProduct product{matrix_, options_.precision, options_.alpha, options_.beta, x_,
                               y0_,     y_.data()};
  bool reference = options_.validate == "reference" || options_.validate == "all";
  if (options_.validate == "petsc" || options_.validate == "all") {
    phase("validate with PETSc");
    const std::vector<double> owned(x_.begin(), x_.begin() + matrix_.owned_columns);
    PetscResult petsc = petsc_product(
        comm_, matrix_, options_.precision, owned,
        {options_.iterations, options_.batches, options_.warmup, options_.min_seconds}, progress_,
        watchdog_);
    if (petsc.unusable.empty()) {
      validation.petsc_seconds = petsc.seconds;
      hold_against("petsc", product, scaled_sum(product, std::move(petsc.product)));
    } else {
      validation.note = "PETSc not used: " + petsc.unusable;
      validation.against = "reference";
      reference = true;
    }
  }
  if (reference) hold_against("reference", product, reference_product(product));
  if (report_.verdict.empty()) {
    report_.verdict =
        validation.against == "none"
            ? "not validated"
            : fmt::format("y agrees with {}",
                          validation.against == "all" ? "petsc and reference" : validation.against);
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
