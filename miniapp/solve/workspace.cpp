// SPDX-License-Identifier: BSD-3-Clause
//
// The workspace of solvers (workspace.hpp): a fixed-slot arena for all that is small, an allocation
// per vector, and the launches of iterations.
//
//   small_    byte 0                                   2048: at_ended_blocks   4096: at_exact
//             | scalars     | stop_     | sums_.values | ended_blocks          | ExactSum 0, 1 ...
//               alpha, beta   1: this     stops,         counter of thread       accumulators of
//               ...           rank wants  s0, s1 ...     blocks that have        reproducible sums,
//               8 bytes each  to stop                    ended in a step         in the same order
//   parts_    [sum][part]              one part per thread block, for the last one to add up
//   history_  | norms ... | times ... |    iterations + 1 of each, written by the verdict
//   pinned_   | Seen | 1.0 |           seen by host and GPU; the 1 goes to stop_ on a signal
//   vectors_  0 | rows ... |   4352 | rows ... |   8704 | rows ... |   bytes into an allocation
//             of its own each; 16 different places, so that vectors do not share sets of a cache
//
// After the example of workspace.hpp (ten nonzeros, two iterations of cg): scalars hold alpha = 2,
// beta = 0, end = converged; norms are 1.41, 0.71, 0 with three times; Seen says that there are 3
// norms and the same end, which is all that the host has looked at.
//
// One idea per function: capture() makes a graph of iterations, launch_iterations() takes the
// first kind of launch that can be had, run_one_by_one() and run_graphs() launch, wait_for_mark()
// waits and watches, outcome() reads what is left, measure_phases() repeats with a clock.
#include "miniapp/solve/workspace.hpp"

#include <algorithm>
#include <utility>

namespace rowhalo {

namespace {

/// Iterations in one turn of the graph that repeats itself. A turn costs 3 to 5 us on an H200.
constexpr int loop_iterations = 8;
/// Iterations in a graph that does not repeat itself; run_one_by_one() launches as many ahead.
constexpr int graph_iterations = 16;

/// Offsets in small_, in bytes: of the counter ended_blocks, and of the accumulators behind it.
constexpr std::size_t at_ended_blocks = 2048, at_exact = 4096;

}  // namespace

const char* name_of(Launch launch) {
  static_assert(graph_iterations == 16, "the name says so");
  constexpr const char* names[] = {"one by one", "graphs of 16 iterations", "conditional graph"};
  return names[static_cast<int>(launch)];
}

const char* name_of(SolverEnd end) {
  constexpr const char* names[] = {"not converged",
                                   "converged",
                                   "iterations done",
                                   "not converged",
                                   "stagnation",
                                   "indefinite matrix",
                                   "indefinite preconditioner",
                                   "breakdown",
                                   "singular matrix",
                                   "overflow",
                                   "not a number",
                                   "interrupted",
                                   "negative definite matrix"};
  return names[static_cast<int>(end)];
}

bool products_sum_dots(const LocalKernels& kernels, const SolverOptions& options) {
  return !options.reproducible && kernels.dot_parts();
}

bool is_success(SolverEnd end) {
  return end == SolverEnd::converged || end == SolverEnd::iterations_done;
}

SolverWorkspace::SolverWorkspace(const SolverSetting& setting)
    : setting_(setting),
      small_(setting.space.device, at_exact + most_reduced * sizeof(ExactSum)),
      parts_(setting.space.device, most_reduced * SumsView::most_parts * sizeof(double)),
      scalars_(small_.at<double>()),
      stop_(scalars_ + scalar_count),
      sums_{stop_ + 1, small_.at<ExactSum>(at_exact), parts_.at<double>()},
      clock_(setting.space.device, setting.space.stream) {
  static_assert((scalar_count + 1 + most_reduced) * sizeof(double) <= at_ended_blocks);
  static_assert(at_ended_blocks + sizeof(unsigned) <= at_exact &&
                at_exact % alignof(ExactSum) == 0);
  setting_.space.ended_blocks = small_.at<unsigned>(at_ended_blocks);
  if (setting.options.reproducible) setting_.space.summation = Summation::reproducible;
  if (products_sum_dots(setting.op.kernels(), setting.options)) {
    const auto parts = static_cast<std::size_t>(*setting.op.kernels().dot_parts());
    dot_parts_.emplace(setting.space.device, parts * sizeof(double));
  }
  const SolverOptions& options = setting.options;
  const int iterations = options.iterations > 0 ? options.iterations : options.max_iterations;
  const std::size_t most_norms = static_cast<std::size_t>(iterations) + 1;
  history_ =
      VectorMemory(setting.space.device, most_norms * (sizeof(double) + sizeof(std::int64_t)));
  judge_.rule = {options.tolerance, options.max_iterations, options.iterations};
  judge_.norms = history_.at<double>();
  judge_.times = history_.at<std::int64_t>(most_norms * sizeof(double));
  judge_.seen = &host_seen_;
  if (setting.space.device == Device::gpu) {
    pinned_ = PinnedMemory(sizeof(Seen) + sizeof(double));
    judge_.seen = pinned_.at<Seen>();
    done_.emplace(EventHandle::Timing::off);
    beside_.emplace();
    sums_beside_.emplace();
  }
  *judge_.seen = {};
}

double* SolverWorkspace::vector() {
  // Allocations begin at multiples of 2 MiB. If vectors did, too, those that one step passes over
  // together would compete for the same sets of a cache.
  constexpr std::size_t apart = 4096 + 256, places = 16;
  const std::size_t begin = vectors_.size() % places * apart;
  const auto bytes = static_cast<std::size_t>(setting_.space.rows) * sizeof(double);
  const VectorMemory& memory = vectors_.emplace_back(setting_.space.device, begin + bytes);
  return memory.at<double>(begin);
}

HaloVector SolverWorkspace::halo_vector() {
  const HaloVector& input = setting_.input;
  set_bytes(input.device, input.data, 0, input.owned * input.element_bytes());
  return input;
}

double SolverWorkspace::read_scalar(int place) const {
  if (setting_.space.device == Device::gpu) synchronize(setting_.space.stream);
  double value = 0;
  copy_between(setting_.space.device, &value, scalars_ + place, sizeof(value));
  return value;
}

std::vector<double> SolverWorkspace::read_vector(const double* vector) const {
  if (done_) synchronize(setting_.space.stream);
  std::vector<double> entries(static_cast<std::size_t>(setting_.space.rows));
  copy_between(setting_.space.device, entries.data(), vector, entries.size() * sizeof(double));
  return entries;
}

void SolverWorkspace::product(const HaloVector& x, double* y, double* dot_parts) {
  const Product product{1, x, 0, {y, number_type_of<double>}, dot_parts};
  clock_.in(&SolverPhases::product, [&] { setting_.op.apply(product, setting_.space.stream); });
  setting_.space.backward = false;  // the product went forward: next_sweep() turns backward
  if (!clock_.is_running()) return;
  clock_.in(&SolverPhases::local_product,
            [&] { setting_.op.apply_alone(product, setting_.space.stream); });
}

void SolverWorkspace::product_and_dot(const HaloVector& x, double* y, const ScalarStep& scalars) {
  if (!dot_parts_) {
    product(x, y);
    sum(Dot{x.entries<const double>().data(), y}, scalars);
    return;
  }
  double* parts = dot_parts_->at<double>();
  product(x, y, parts);
  VectorSpace& space = setting_.space;
  const std::int64_t rows = std::exchange(space.rows, *setting_.op.kernels().dot_parts());
  space.backward = true;  // AddParts is no sweep: it turns to forward, the sweep after it backward
  sum(AddParts{parts}, scalars);
  space.rows = rows;
}

SumsView SolverWorkspace::exact_or_values() const {
  const bool exact = setting_.space.summation == Summation::reproducible;
  return {sums_.values, exact ? sums_.exact : nullptr, sums_.parts};
}

OverRanks SolverWorkspace::plan_reduction(int count, bool sends, bool takes,
                                          const ScalarStep& step) const {
  OverRanks then;
  then.sums = exact_or_values();
  then.count = first_sum + count;
  then.sends = sends;
  then.takes = takes;
  then.stop = stop_;
  then.scalars = scalars_;
  then.step = step;
  then.judge = judge_;
  setting_.rank_sums.introduce_peers(then);
  return then;
}

void SolverWorkspace::run_reduction(const OverRanks& plan) {
  const VectorSpace& space = setting_.space;
  clock_.in(&SolverPhases::reductions, [&] {
    RankSums& ranks = setting_.rank_sums;
    if (ranks.by_steps()) {
      finish_sums(space, plan);
      return;
    }
    OverRanks half = plan;
    half.takes = false;
    if (plan.sends) {
      finish_sums(space, half);
      ranks.start(plan.sums, plan.count, space.stream);
    }
    if (!plan.takes) return;
    ranks.finish(space.stream);
    half.sends = false;
    half.takes = true;
    finish_sums(space, half);
  });
}

void SolverWorkspace::send_sums(int count) {
  if (fuses_reductions()) {
    sums_beside_->fork(setting_.space.stream);
  } else {
    run_reduction(plan_reduction(count, true, false, {}));
  }
}

void SolverWorkspace::finish_sum(int count, const ScalarStep& scalars) {
  if (fuses_reductions()) {
    VectorSpace beside = setting_.space;
    beside.stream = sums_beside_->stream();
    finish_sums(beside, plan_reduction(count, true, true, scalars));
    sums_beside_->join(setting_.space.stream);
  } else {
    run_reduction(plan_reduction(count, false, true, scalars));
  }
}

Seen SolverWorkspace::seen() const {
  const volatile std::int64_t& now = judge_.seen->norms_and_end;
  return {now};
}

void SolverWorkspace::request_stop() {
  if (stop_requested_ || !setting_.progress.stop_requested()) return;
  stop_requested_ = true;
  if (setting_.space.device == Device::gpu) {
    double* one = pinned_.at<double>(pinned_.bytes() - sizeof(double));
    *one = 1;
    copy_async(stop_, one, sizeof(double), beside_->stream());
  } else {
    *stop_ = 1;
  }
}

void SolverWorkspace::mark() {
  if (done_) done_->record(setting_.space.stream);
}

void SolverWorkspace::wait_for_mark() {
  const auto look = [&] {
    request_stop();
    const std::int64_t norms = seen().norms();
    if (norms == norms_seen_) return;
    norms_seen_ = norms;
    setting_.progress.tick();
  };
  const auto check = [&] {
    setting_.op.check();
    setting_.rank_sums.check();
  };
  if (done_) {
    constexpr double between_checks = 0.1;
    for (double checked = now_seconds(); !done_->reached();) {
      look();
      if (now_seconds() - checked < between_checks) continue;
      check();
      checked = now_seconds();
    }
    check();
  }
  look();
  setting_.progress.tick();
}

void SolverWorkspace::run_one_by_one(const std::function<void()>& iteration) {
  // After the end nothing changes any more, so a GPU need not be waited for in every iteration.
  const bool ahead = done_ && setting_.rank_sums.on_device();
  while (!is_over()) {
    for (int k = 0; k < (ahead ? graph_iterations : 1); ++k) iteration();
    wait();
  }
}

/// Collective. A graph of iterations for `launch`; false where a rank cannot have one.
bool SolverWorkspace::capture(Launch launch, const std::function<void()>& iteration) {
  const Stream stream = setting_.space.stream;
  bool captured = true;
  try {
    if (launch == Launch::loop) {
      graph_ = GraphExec::repeating(stream, [&](std::uint64_t loop) {
        judge_.loop = loop;
        for (int k = 0; k < loop_iterations; ++k) iteration();
      });
    } else {
      graph_ = GraphExec(stream, [&] {
        for (int k = 0; k < graph_iterations; ++k) iteration();
      });
    }
  } catch (const std::runtime_error&) {
    captured = false;
  }
  judge_.loop = 0;
  return max_over_ranks(setting_.comm, std::int64_t{!captured}) == 0;
}

void SolverWorkspace::run_graphs() {
  // Every rank must launch the same number of graphs, since exchanges beyond the end still wait for
  // each other. `norms`: as many as there are after the launches that have been waited for. An end
  // within the launch that still runs comes with more (judge()), and does not count yet.
  auto norms = static_cast<std::int64_t>(read_scalar(at_norms)) + graph_iterations;
  graph_.launch(setting_.space.stream);
  for (bool over = false; !over; norms += graph_iterations) {
    mark();
    graph_.launch(setting_.space.stream);  // begins when the one before has ended, without a gap
    wait_for_mark();
    over = is_over() && seen().norms() <= norms;
  }
  wait();
}

void SolverWorkspace::measure_phases(const std::function<void()>& iteration,
                                     SolverOutcome& outcome) {
  constexpr double budget_seconds = 0.3;
  const double one = max_over_ranks(
      setting_.comm, outcome.solve_seconds / static_cast<double>(outcome.seconds.size()));
  const int count = std::clamp(static_cast<int>(budget_seconds / std::max(one, 1e-9)), 3, 30);
  judge_.norms = nullptr;  // nobody judges what follows
  clock_.start();
  for (int k = 0; k < count; ++k) {
    iteration();
    setting_.progress.tick();
  }
  outcome.phases = clock_.stop();
  for (double* seconds : {&outcome.phases.product, &outcome.phases.local_product,
                          &outcome.phases.vectors, &outcome.phases.reductions}) {
    *seconds /= count;
  }
}

/// In the first of loop, graphs, one by one that is allowed and can be captured.
void SolverWorkspace::launch_iterations(const std::function<void()>& iteration) {
  const RankSums& sums = setting_.rank_sums;
  const Launch most = sums.by_steps()    ? Launch::loop
                      : sums.on_device() ? Launch::graphs  // NCCL needs the host
                                         : Launch::one_by_one;
  Launch& launch = setting_.launch;
  launch = std::min(launch, most);
  if (!is_over() && launch != Launch::one_by_one) {
    iteration();  // libraries connect at first use, which cannot be captured
    wait();
  }
  if (is_over()) launch = Launch::one_by_one;
  while (launch != Launch::one_by_one && !capture(launch, iteration)) {
    launch = static_cast<Launch>(static_cast<int>(launch) - 1);
  }
  if (launch == Launch::loop) {
    graph_.launch(setting_.space.stream);
    wait();
  } else if (launch == Launch::graphs) {
    run_graphs();
  } else {
    run_one_by_one(iteration);
  }
  graph_ = {};  // NCCL does not close while a graph holds its kernels
}

/// What the verdict has written.
SolverOutcome SolverWorkspace::outcome() const {
  const Device device = setting_.space.device;
  SolverOutcome outcome;
  outcome.end = seen().end();
  outcome.launch = setting_.launch;
  const auto norms = static_cast<std::size_t>(seen().norms());
  outcome.norms.resize(norms);
  copy_between(device, outcome.norms.data(), judge_.norms, norms * sizeof(double));
  std::vector<std::int64_t> times(norms);
  copy_between(device, times.data(), judge_.times, norms * sizeof(std::int64_t));
  for (std::size_t k = 1; k < norms; ++k) {
    outcome.seconds.push_back(1e-9 * static_cast<double>(times[k] - times[k - 1]));
  }
  return outcome;
}

SolverOutcome SolverWorkspace::repeat(const double* x, const std::function<void()>& iteration,
                                      const std::function<void()>& finish) {
  wait();
  setting_.space.ended = done_ ? scalars_ + at_end : nullptr;
  const double start = now_seconds();
  launch_iterations(iteration);
  const double solve_seconds = now_seconds() - start;
  setting_.space.ended = nullptr;
  if (finish) finish();
  SolverOutcome result = outcome();
  result.solve_seconds = solve_seconds;
  if (!setting_.measures_phases) return result;
  result.x = read_vector(x);
  if (is_success(result.end) && result.norms.size() > 1) measure_phases(iteration, result);
  return result;
}

}  // namespace rowhalo
