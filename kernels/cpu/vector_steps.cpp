// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps on the CPU: every thread takes a contiguous part of the rows, always the same one.
#include "kernels/vectors/run_step.hpp"

#include <omp.h>

#include <chrono>
#include <vector>

#include "kernels/cpu/isa.hpp"

namespace rowhalo {
namespace {

/// Sums of one thread, on cache lines of their own.
struct alignas(64) ThreadSums {
  double of[most_sums] = {};
};

template <class Step>
struct FastBody {
  struct Arguments {
    Step step;
    ThreadSums* sums;
  };

  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& a, std::int64_t begin, std::int64_t end) {
    const Step step = a.step;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4)
    for (std::int64_t i = begin; i < end; ++i) {
      [[maybe_unused]] const auto terms = step(i);
      if constexpr (Step::sums > 0) s0 += terms.of[0];
      if constexpr (Step::sums > 1) s1 += terms.of[1];
      if constexpr (Step::sums > 2) s2 += terms.of[2];
      if constexpr (Step::sums > 3) s3 += terms.of[3];
      if constexpr (Step::sums > 4) s4 += terms.of[4];
    }
    *a.sums = {{s0, s1, s2, s3, s4}};
  }
};

template <class Step>
struct ExactBody {
  struct Arguments {
    Step step;
    ExactSum* sums;
  };

  template <int vector_bytes>
  [[gnu::always_inline]] static void run(const Arguments& a, std::int64_t begin, std::int64_t end) {
    const Step step = a.step;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto terms = step(i);
      for (int k = 0; k < Step::sums; ++k) a.sums[k].add(terms.of[k]);
    }
  }
};

/// work(part, begin, end) for every thread's part of the rows.
template <class Work>
void for_each_thread(std::int64_t rows, int threads, const Work& work) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    work(part, rows / threads * part + rows % threads * part / threads,
         rows / threads * (part + 1) + rows % threads * (part + 1) / threads);
  }
}

template <class Step>
void sum_fast(const VectorSpace& space, const Step& step, SumsView sums) {
  const auto run = for_isa<FastBody<Step>>(widest_isa());
  const int threads = omp_get_max_threads();
  std::vector<ThreadSums> partial(static_cast<std::size_t>(threads));
  for_each_thread(space.rows, threads, [&](int part, std::int64_t begin, std::int64_t end) {
    run({step, &partial[part]}, begin, end);
  });
  if (sums.values == nullptr) return;
  for (int k = 0; k < Step::sums; ++k) {
    double sum = 0;
    for (const ThreadSums& one : partial) sum += one.of[k];
    sums.values[k] = sum;
  }
}

template <class Step>
void sum_exactly(const VectorSpace& space, const Step& step, SumsView sums) {
  const auto run = for_isa<ExactBody<Step>>(widest_isa());
  const int threads = omp_get_max_threads();
  std::vector<ExactSum> partial(static_cast<std::size_t>(threads * Step::sums));
  for_each_thread(space.rows, threads, [&](int part, std::int64_t begin, std::int64_t end) {
    ExactSum* own = partial.data() + part * Step::sums;
    for (int k = 0; k < Step::sums; ++k) own[k].clear();
    run({step, own}, begin, end);
    for (int k = 0; k < Step::sums; ++k) own[k].normalize();
  });
  for (int k = 0; k < Step::sums; ++k) {
    sums.exact[k].clear();
    for (int part = 0; part < threads; ++part) sums.exact[k].add(partial[part * Step::sums + k]);
    sums.exact[k].normalize();
  }
}

}  // namespace

template <class Step>
void run_step_on_cpu(const VectorSpace& space, Step step, SumsView sums) {
  if constexpr (requires { step.load(); }) step.load();
  if constexpr (Step::sums > 0) {
    if (sums.exact != nullptr && space.summation == Summation::reproducible) {
      sum_exactly(space, step, sums);
      return;
    }
  }
  sum_fast(space, step, sums);
}

#define ROWHALO_INSTANTIATE(Step) template void run_step_on_cpu(const VectorSpace&, Step, SumsView);
ROWHALO_VECTOR_STEPS(ROWHALO_INSTANTIATE)
#undef ROWHALO_INSTANTIATE

void finish_sums_on_cpu(const OverRanks& a) {
  if (a.sends) {
    a.sums.values[0] = *a.stop;
    if (a.sums.exact != nullptr) {
      a.sums.exact->clear();
      a.sums.exact->add(*a.stop);
    }
  }
  if (!a.takes) return;
  if (a.sums.exact != nullptr) round_sums_on_cpu(a.sums, a.count);
  const bool ends_iteration = a.step.run(a.sums.values + 1, a.scalars);
  if (!ends_iteration || a.judge.norms == nullptr) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  judge(a.judge, a.scalars, a.sums.values[0] > 0,
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void round_sums_on_cpu(SumsView sums, int count) {
  for (int k = 0; k < count; ++k) sums.values[k] = sums.exact[k].rounded();
}

}  // namespace rowhalo
