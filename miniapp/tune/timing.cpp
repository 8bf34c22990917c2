// SPDX-License-Identifier: BSD-3-Clause
//
// Products one by one or from a graph, the clock of a device, and batches (timing.hpp).
#include "miniapp/tune/timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace rowhalo {

namespace {

constexpr int most_iterations = 1 << 20;
/// What takes longer streams more than caches hold.
constexpr double longest_from_caches = 0.002;

/// How many products may go by before ranks ask each other for a request to stop; the same on all.
std::int64_t between_looks(const ProductSequence& products) {
  constexpr double look_seconds = 0.25;
  const double steps =
      products.seconds() == 0 ? 1 : look_seconds / products.seconds() / products.step();
  return products.step() * static_cast<std::int64_t>(std::clamp(steps, 1.0, 1e9));
}

/// Collective. Seconds of the slowest rank.
double slowest_seconds(const Measuring& with, const Batch& batch, ProductSequence& products) {
  const double seconds = max_over_ranks(with.comm, batch.seconds);
  products.took(seconds / static_cast<double>(batch.products));
  return seconds;
}

}  // namespace

ProductSequence::ProductSequence(Product product, Stream stream, int step, Check check)
    : product_(std::move(product)), check_(std::move(check)), stream_(stream), step_(step) {
  if (step == 1) return;
  if (step % 2 != 0) throw std::logic_error("a graph holds an even number of products");
  for (int k = 0; k < 2; ++k) product_(k);
  synchronize_device();
  graph_ = GraphExec(stream, [&] {
    for (int k = 0; k < step_; ++k) product_(k);
  });
}

bool ProductSequence::is_whole() const {
  if (!graph_) return true;
  const GraphExec pair(stream_, [&] {
    product_(0);
    product_(1);
  });
  return 2 * graph_.kernels() == step_ * pair.kernels();
}

void ProductSequence::run(std::int64_t count) {
  if (count % step_ != 0) throw std::logic_error("products come in whole graphs");
  for (std::int64_t k = 0; k < count; k += step_) {
    if (graph_) {
      graph_.launch(stream_);
    } else {
      product_(next_++);
    }
  }
}

DeviceClock::DeviceClock(Device device, Stream stream) {
  if (device == Device::gpu) events_.emplace(Events{stream, EventHandle(), EventHandle()});
}

void DeviceClock::start() {
  if (events_) {
    events_->begin.record(events_->stream);
  } else {
    begin_ = host_();
  }
}

double DeviceClock::stop(const std::function<void()>& check) {
  if (!events_) return host_() - begin_;
  constexpr double between_checks = 0.1;
  events_->end.record(events_->stream);
  for (double checked = host_(); !events_->end.reached();) {
    if (host_() - checked < between_checks) continue;
    check();
    checked = host_();
  }
  return seconds_between(events_->begin, events_->end);
}

bool stop_requested(const Measuring& with) {
  return stop_requested(with.comm, with.progress);
}

int whole_steps(int count, const ProductSequence& products) {
  const int step = products.step();
  return (count + step - 1) / step * step;
}

Batch run_batch(const Measuring& with, std::int64_t iterations, ProductSequence& products) {
  ROWHALO_MPI(MPI_Barrier(with.comm.handle));
  with.clock.start();
  Batch batch;
  while (true) {
    const std::int64_t end =
        std::min(batch.products + between_looks(products), std::max<std::int64_t>(iterations, 0));
    for (; batch.products < end; batch.products += products.step()) {
      products.run(products.step());
      with.progress.tick();
    }
    batch.seconds = with.clock.stop([&] { products.check(); });
    products.check();
    if (batch.products >= iterations) return batch;
    std::array<double, 2> shared{batch.seconds, with.progress.stop_requested() ? 1.0 : 0.0};
    ROWHALO_MPI(
        MPI_Allreduce(MPI_IN_PLACE, shared.data(), 2, MPI_DOUBLE, MPI_MAX, with.comm.handle));
    products.took(shared[0] / static_cast<double>(batch.products));
    batch.stopped = shared[1] > 0;
    if (batch.stopped) return batch;
  }
}

double time_batch(const Measuring& with, int iterations, ProductSequence& products) {
  const Batch batch = run_batch(with, iterations, products);
  return slowest_seconds(with, batch, products) / static_cast<double>(batch.products);
}

double estimate_seconds(const Measuring& with, double budget_seconds, ProductSequence& products) {
  run_batch(with, whole_steps(2, products), products);
  double spent = 0;
  for (int iterations = products.step();; iterations *= 2) {
    const Batch batch = run_batch(with, iterations, products);
    const double elapsed = slowest_seconds(with, batch, products);
    spent += elapsed;
    if (batch.stopped || 2 * spent >= budget_seconds || iterations >= most_iterations) {
      return elapsed / static_cast<double>(batch.products);
    }
  }
}

void Rounds::set_length(double round_seconds, double one, const ProductSequence& products,
                        int fewest) {
  constexpr double most = 1 << 16;
  const double wanted = std::ceil(round_seconds / std::max(one, 1e-9));
  iterations = whole_steps(static_cast<int>(std::clamp<double>(wanted, fewest, most)), products);
}

double Rounds::time(const Measuring& with, ProductSequence& products, int parts) {
  if (seconds < longest_from_caches) products.run(products.step());
  const double one =
      time_batch(with, whole_steps(std::max(1, iterations / parts), products), products);
  seconds = std::min(seconds, one);
  return one;
}

double shortest_seconds(const Measuring& with, double series_seconds, ProductSequence& products,
                        int series) {
  Rounds rounds;
  rounds.set_length(series_seconds, estimate_seconds(with, series_seconds, products), products);
  for (int k = 0; k < series; ++k) rounds.time(with, products);
  return rounds.seconds;
}

}  // namespace rowhalo
