// SPDX-License-Identifier: BSD-3-Clause
//
// Both operators, their sequence, its times and its check (pair.hpp).
#include "miniapp/commands/pair.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "miniapp/bench/describe.hpp"
#include "miniapp/bench/pair.hpp"
#include "miniapp/commands/combinations.hpp"
#include "miniapp/commands/one_case.hpp"
#include "partition/matrix/transpose.hpp"

namespace rowhalo {

namespace {

template <class T>
std::int64_t array_bytes(const std::vector<T>& array) {
  return std::ssize(array) * static_cast<std::int64_t>(sizeof(T));
}

std::int64_t matrix_bytes(const LocalMatrix& m) {
  std::int64_t bytes = array_bytes(m.source_rows) + array_bytes(m.source_columns) +
                       array_bytes(m.ghosts) + array_bytes(m.offsets) + array_bytes(m.indices) +
                       array_bytes(m.values);
  for (const RowList* rows : {&m.interior, &m.boundary}) {
    bytes += array_bytes(rows->groups) + array_bytes(rows->indices);
  }
  return bytes;
}

struct HeldBytes {
  std::int64_t host = 0, device = 0;
};

/// Local. What an operator of these kernels holds; the arrays of `setting` are those of `e` or of
/// another schedule.
HeldBytes held_bytes(const Experiment& e, const ProductSetting& setting,
                     const LocalKernels& kernels) {
  HeldBytes held;
  const bool gpu = e.site.device == Device::gpu;
  std::int64_t& near = gpu ? held.device : held.host;  // where products read
  const auto add = [&](const LocalMatrix& matrix) {
    held.host += matrix_bytes(matrix);
    const std::int64_t values =
        matrix.offsets.back() * static_cast<std::int64_t>(matrix_value_bytes(e.options.precision));
    if (gpu) {
      near += array_bytes(matrix.offsets) + array_bytes(matrix.indices) + values;
    } else if (matrix_value_bytes(e.options.precision) != sizeof(double)) {
      near += values;
    }
  };
  add(e.multiplied());
  if (setting.columns != nullptr) add(e.multiplied());  // once more, cut by columns
  held.host += array_bytes(e.plan.send_indices);
  if (e.sums) {
    add(e.sums->sums);
    add(e.sums->added);
    held.host += array_bytes(e.sums->plan.send_indices);
  }
  const std::int64_t entries = 2 * (std::int64_t{e.plan.owned} + e.plan.ghosts) + kernels.rows;
  near += kernels.work().footprint_bytes +
          entries * static_cast<std::int64_t>(vector_value_bytes(e.options.precision));
  return held;
}

/// A x or A^T x.
struct Side {
  Side(const RunOptions& given, const Job& job, const Machine& machine, DistributedCsr&& rows,
       RunReport& its)
      : options(given),
        report(its),
        e(options, job, machine, std::move(rows), report),
        setting(e.products({options.poison, 1e-6 * options.jitter_microseconds})) {}

  /// Collective. Chooses, measures and checks it alone. False when a signal has ended it.
  bool measure_alone() {
    kernels = convert(e, setting, options.format, report);
    if (interrupted(e.job, report)) return false;
    transport = transports_for(e, setting, *kernels).front();
    if (interrupted(e.job, report)) return false;
    other = try_others(e, setting, *kernels, transport);
    return measure_case(e, products_setting(), products_kernels(), transport, measured, report) &&
           !interrupted(e.job, report);
  }
  const ProductSetting& products_setting() const { return other ? other->setting : setting; }
  const ChosenKernels& products_kernels() const { return other ? other->kernels : *kernels; }
  std::unique_ptr<Products> make_products() const {
    return std::make_unique<Products>(
        products_setting(), products_kernels().kernels,
        TransportVariant{&find_transport(transport.name), transport.graph}, options.alpha,
        options.beta);
  }

  const RunOptions options;
  RunReport& report;
  const Experiment e;
  const ProductSetting setting;
  std::optional<ChosenKernels> kernels;
  ChosenTransport transport;
  std::unique_ptr<const OtherProducts> other;
  Measured measured;
};

/// Collective. y of a side after a checked sequence of pairs, in which it multiplied `products`
/// times.
Verdict check_side(const Side& side, Products& in_turn, int products, bool whole_graph) {
  std::vector<std::byte> y(side.e.stored_y0.size());
  Measurement pair;
  pair.checked = in_turn.end_checked(std::move(y), products);
  pair.whole_graph = whole_graph;
  const std::uint64_t single = side.report.validation->y_hash;
  if (side.options.beta == 0) {
    pair.y = std::move(pair.checked.y);
    pair.y_hashes = {hash_vector(side.e.job.comm, side.products_setting().matrix,
                                 side.options.precision, pair.y.data())};
    pair.repeatable = pair.y_hashes.front() == single;
  } else {
    pair.y = side.measured.y;
    pair.y_hashes = {single};
  }
  Verdict verdict = judge(side.e, *side.measured.references, side.products_kernels(), pair);
  if (!side.report.validation->passed) verdict.validation.passed = false;
  if (verdict.fault.empty()) verdict.fault = side.report.verdict;  // empty where it passed alone
  return verdict;
}

PairSide describe_side(const Side& side, double seconds, const Verdict& verdict) {
  const RunReport& report = side.report;
  const HeldBytes held =
      held_bytes(side.e, side.products_setting(), side.products_kernels().kernels);
  const Comm& comm = side.e.job.comm;
  return {.partition = report.partition->name,
          .format = report.kernel->format,
          .boundary_format = report.kernel->boundary_format,
          .transport = report.halo->transport,
          .schedule = report.halo->schedule,
          .graph = report.halo->graph,
          .partial_sums = report.halo->partial_sums,
          .median_seconds = seconds,
          .host_bytes = sum_over_ranks(comm, held.host),
          .device_bytes = sum_over_ranks(comm, held.device),
          .validation = verdict.validation};
}

/// What the two verdicts say, as one; the report of a run that has failed.
ExitCode conclude_pair(const RunOptions& options, const Side& first, const Verdict& product,
                       const Verdict& transposed, RunReport& report) {
  const bool passed = product.validation.passed && transposed.validation.passed;
  const std::string faults = (product.fault.empty() ? "" : "A x: " + product.fault) +
                             (product.fault.empty() || transposed.fault.empty() ? "" : "; ") +
                             (transposed.fault.empty() ? "" : "A^T x: " + transposed.fault);
  report.cases.clear();
  const bool alone = report.validation->passed;
  report.validation->passed = alone && passed;
  if (alone && !passed) report.verdict = "in turn " + faults;
  const ExitCode code = conclude_run(options, *first.measured.references, report);
  if (passed) report.verdict += report.pair->one_operator ? ", in turn, too" : ", A^T x, too";
  return code;
}

/// Collective. Times and checks the pair. Empty when a signal has ended it.
std::optional<ExitCode> measure_sides(Side& first, Side* second, RunReport& report) {
  const Side& other = second != nullptr ? *second : first;
  const Experiment& e = first.e;
  e.job.progress.phase("measure");
  const std::unique_ptr<Products> one = first.make_products();
  const std::unique_ptr<Products> two = second != nullptr ? second->make_products() : nullptr;
  const PairedProducts products{*one, two.get()};
  one->set_y(first.e.stored_y0);
  if (two) two->set_y(other.e.stored_y0);
  std::optional<ProductSequence> pair(products.sequence(first.setting.stream));
  const PairTimes times = measure_pair(e.measuring, first.options, products, *pair);
  std::optional<ExitCode> code;
  if (!times.interrupted) {
    const auto y0 = [](const Side& side) {
      return side.options.beta == 0
                 ? std::vector<std::byte>(side.e.stored_y0.size(), std::byte{0xff})
                 : side.e.stored_y0;
    };
    one->begin_checked(y0(first));
    if (two) two->begin_checked(y0(other));
    const int pairs = std::max(2, pair->step());
    pair->run(pairs);
    if (e.site.device == Device::gpu) synchronize_device();
    pair->check();
    const bool whole = max_over_ranks(e.job.comm, std::int64_t{!pair->is_whole()}) == 0;
    const Verdict product = check_side(first, *one, two ? pairs : 2 * pairs, whole);
    const Verdict transposed = two ? check_side(other, *two, pairs, whole) : product;
    const Interval interval = interval_of_median(times.pair);
    PairReport& its = report.pair.emplace();
    its = {.one_operator = two == nullptr,
           .graph = pair->step() > 1,
           .batches = static_cast<int>(times.pair.size()),
           .iterations = times.iterations,
           .median_seconds = median(times.pair),
           .median_low_seconds = interval.low,
           .median_high_seconds = interval.high,
           .time_ratio = times.ratio(),
           .product = describe_side(first, times.product_seconds(), product),
           .transposed = describe_side(other, times.other_seconds(), transposed)};
    if (!two) its.transposed.host_bytes = its.transposed.device_bytes = 0;
    const auto bytes = [](const PairSide& side) {
      return static_cast<double>(side.host_bytes + side.device_bytes);
    };
    its.memory_ratio = 1 + bytes(its.transposed) / std::max(bytes(its.product), 1.0);
    code = conclude_pair(first.options, first, product, transposed, report);
  }
  pair.reset();
  one->close();
  if (two) two->close();
  return code;
}

}  // namespace

ExitCode run_pair(const RunOptions& options, const Machine& machine, Session& session) {
  const Job& job = session.job;
  RunReport& report = session.report;
  DistributedCsr matrix = read_matrix(options, job, report);
  const bool two = !equals_transpose(job.comm, matrix);
  DistributedCsr rows;
  if (two) {
    rows = matrix;
    report.setup.transpose_seconds =
        timed(job.comm, [&] { rows = transposed(job.comm, std::move(rows), job.progress); });
  }
  report.memory.read_peak_bytes_max_rank = peak_host_bytes(job.comm);
  RunReport of_transpose = report;
  of_transpose.transposed = true;
  if (two) of_transpose.matrix = describe_matrix(job.comm, rows);
  RunOptions flipped = options;
  flipped.transpose = true;

  Side first(options, job, machine, std::move(matrix), report);
  std::optional<Side> second;
  bool going_on = first.measure_alone();
  if (going_on && two) {
    second.emplace(flipped, job, machine, std::move(rows), of_transpose);
    going_on = second->measure_alone();
  }
  const std::optional<ExitCode> code =
      going_on ? measure_sides(first, second ? &*second : nullptr, report) : std::nullopt;
  first.e.connections->close();
  if (second) second->e.connections->close();
  if (!code || interrupted(job, report)) {
    report.status = RunStatus::interrupted;
    report.cases.clear();
    report.verdict = interruption(job, report);
    return finish(session, ExitCode::run_time);
  }
  report.memory.peak_bytes_max_rank = peak_host_bytes(job.comm);
  if (machine.device.site.device == Device::gpu) {
    report.memory.device_bytes_max_rank =
        max_over_ranks(job.comm, std::max(report.memory.device_bytes_max_rank,
                                          machine.free_device_bytes - free_device_bytes()));
  }
  return finish(session, *code);
}

}  // namespace rowhalo
