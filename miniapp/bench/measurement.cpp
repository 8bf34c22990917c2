// SPDX-License-Identifier: BSD-3-Clause
//
// Timed loop, loop without exchange, phases, checked product (measurement.hpp).
#include "miniapp/bench/measurement.hpp"

#include <algorithm>
#include <array>

#include "miniapp/check/validation.hpp"

namespace rowhalo {

namespace {

constexpr int phase_count = 4;
constexpr int most_phase_products = 100;

/// Mean time of one product in each phase on this rank, by the clock of the device. On a GPU the
/// time of a phase is what it adds on the product's own stream, one after the other there; the
/// timed products may compute interior and boundary rows side by side.
PhaseReport measure_phases(const ProductSetting& setting, Products& products, int count) {
  constexpr int between_looks = 10;  // at a request to stop
  std::array<double, phase_count> seconds{};
  const bool gpu = setting.site.device == Device::gpu;
  PhaseMarks marks(setting.site.device, setting.vectors);
  int done = 0;
  for (; done < count; ++done) {
    if (done % between_looks == between_looks - 1 && stop_requested(setting.measuring)) break;
    marks.take(products, setting.stream);
    if (gpu) marks.events[marks.phases.size()].synchronize();
    for (std::size_t k = 0; k < marks.phases.size(); ++k) {
      seconds[static_cast<int>(marks.phases[k])] +=
          gpu ? seconds_between(marks.events[k], marks.events[k + 1])
              : marks.host[k + 1] - marks.host[k];
    }
    setting.measuring.progress.tick();
  }
  const auto mean = [&](Phase phase) { return seconds[static_cast<int>(phase)] / done; };
  return {mean(Phase::pack), mean(Phase::exchange), mean(Phase::interior), mean(Phase::boundary)};
}

/// Collective. Each phase by itself.
PhaseReport slowest(const Comm& comm, const PhaseReport& own) {
  return {max_over_ranks(comm, own.pack), max_over_ranks(comm, own.exchange),
          max_over_ranks(comm, own.interior), max_over_ranks(comm, own.boundary)};
}

struct Exposure {
  bool interrupted = false;             ///< by a signal
  double share = 0;                     ///< of a product's time
  std::vector<double> local_seconds{};  ///< of a product without exchange, this rank's
};

/// Collective. What the exchange adds to a product: the median over pairs of batches, one with it
/// and one without, each first in every other pair. Batches far apart do not compare: a GPU that
/// has worked for some tenths of a second has lowered its clock, which took 5 % where the exchange
/// took 1 %.
Exposure measure_exposure(const ProductSetting& setting, Products& products,
                          const BatchOptions& options, const BatchTimes& with_exchange) {
  const bool exchanges = max_over_ranks(setting.measuring.comm, setting.ghosts()) > 0;
  if (!exchanges) return {false, 0, with_exchange.own_seconds};  // the two are one product
  ProductSequence local = products.local_sequence();
  local.took(with_exchange.median());
  const BatchOptions one{options.iterations, 1, 0, 0};
  const int pairs = std::max(5, options.batches / 4);
  Exposure result;
  std::vector<double> shares;
  const double begin = now_seconds();
  for (double total = 0;
       !result.interrupted && (std::ssize(shares) < pairs || total < options.min_seconds / 4);) {
    // In turn first: the clock falls from one batch to the next.
    const bool local_first = shares.size() % 2 == 1;
    BatchTimes without;
    if (local_first) without = measure_batches(setting.measuring, one, local);
    const BatchTimes with = measure_batches(setting.measuring, one, products.sequence());
    if (!local_first) without = measure_batches(setting.measuring, one, local);
    result.interrupted = with.interrupted || without.interrupted;
    shares.push_back(1 - without.median() / with.median());
    result.local_seconds.push_back(without.own_seconds.front());
    total = max_over_ranks(setting.measuring.comm, now_seconds() - begin);
  }
  result.share = std::max(0.0, median(shares));
  return result;
}

}  // namespace

PhaseMarks::PhaseMarks(Device device, int vectors) {
  if (device == Device::gpu) events.resize(1 + step_count * vectors);
}

void PhaseMarks::take(Products& products, Stream stream) {
  phases.clear();
  host.clear();
  const auto mark = [&] {
    if (!events.empty()) events[host.size()].record(stream);
    host.push_back(now_seconds());
  };
  mark();
  products.apply_once([&](Phase phase) {
    phases.push_back(phase);
    mark();
  });
}

SequenceFault sequence_fault(const Measurement& measurement, bool repeatable) {
  if (!measurement.checked.ghosts_are_right) return SequenceFault::ghosts;
  if (!measurement.whole_graph) return SequenceFault::graph;
  return repeatable && !measurement.repeatable ? SequenceFault::bits : SequenceFault::none;
}

Measurement measure(const ProductSetting& setting, Products& products, const BatchOptions& options,
                    double beta, const std::vector<std::byte>& y0) {
  const auto hashes = [&](const std::vector<std::byte>& y) {
    std::vector<std::uint64_t> result;
    for (int k = 0; k < setting.vectors; ++k) {
      result.push_back(hash_vector(setting.measuring.comm, setting.matrix,
                                   setting.block.view().precision,
                                   y.data() + k * (y.size() / setting.vectors)));
    }
    return result;
  };
  Measurement result;
  // Taken before the timing, since afterwards there may be no memory. All bits set is a NaN in
  // every floating-point format.
  std::vector<std::byte> checked_y;
  take_resources(setting.measuring.comm, "y", [&] {
    checked_y = beta == 0 ? std::vector<std::byte>(y0.size(), std::byte{0xff}) : y0;
    result.y = y0;
  });
  products.set_y(y0);
  const BatchTimes times = measure_batches(setting.measuring, options, products.sequence());
  result.timing.batches = times.part > 0 ? 0 : static_cast<int>(times.seconds.size());
  result.timing.iterations = times.part > 0 ? times.part : times.iterations;
  result.timing.median_seconds = times.median();
  result.timing.seconds_per_vector = result.timing.median_seconds / setting.vectors;
  result.timing.min_seconds = quantile(times.seconds, 0);
  result.timing.p95_seconds = quantile(times.seconds, 0.95);
  const Interval interval = interval_of_median(times.seconds);
  result.timing.median_low_seconds = interval.low;
  result.timing.median_high_seconds = interval.high;
  result.own.batch_seconds = times.own_seconds;
  result.interrupted = times.interrupted;
  result.sent_between_nodes = products.sent_between_nodes();
  if (times.interrupted) return result;

  BatchOptions pair_options = options;
  pair_options.watch = nullptr;
  pair_options.iterations = times.iterations;
  const Exposure exposure = measure_exposure(setting, products, pair_options, times);
  result.own.local_batch_seconds = exposure.local_seconds;
  result.interrupted = exposure.interrupted;
  if (result.interrupted) return result;
  result.timing.exposed_seconds = exposure.share * times.median();
  result.own.phases =
      measure_phases(setting, products, std::min(times.iterations, most_phase_products));
  result.timing.phases = slowest(setting.measuring.comm, result.own.phases);

  result.checked = products.run_checked(std::move(checked_y));
  result.whole_graph =
      max_over_ranks(setting.measuring.comm, std::int64_t{!products.sequence().is_whole()}) == 0;
  result.y = products.run_single(std::move(result.y));
  result.y_hashes = hashes(result.y);
  if (beta == 0) {
    const std::vector<std::uint64_t> single = result.y_hashes;
    result.y = std::move(result.checked.y);
    result.y_hashes = hashes(result.y);
    result.repeatable = result.y_hashes == single;
  }
  result.interrupted = stop_requested(setting.measuring);
  return result;
}

}  // namespace rowhalo
