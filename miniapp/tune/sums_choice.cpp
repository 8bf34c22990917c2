// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes and links with and without sums (sums_choice.hpp).
#include "miniapp/tune/sums_choice.hpp"

#include "partition/partial_sums.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

constexpr double least_gain = 0.05;  ///< of a product
/// Of a sum, on either side: offset and value are written, the value is sent and taken in, and an
/// entry of y is read and written again.
constexpr double bytes_per_sum = 48;

struct SumCosts {
  double most_left;     ///< share of the entries that may still travel, sums included
  double more_kernels;  ///< seconds of two of them, an exchange and what orders these
  double moved_bytes;   ///< that a nonzero of a sum takes beyond those of one in the chosen format
};

/// GPUs. Measured on 2 and 4 H100s: sums gain on power laws and short rows at random, where they
/// leave 25 to 40 % of the entries, and lose 3 to 7 % on web, where they leave 62 %. The 8 us (in a
/// graph) are so fitted that the gain predicted for H200s is 4.5 us for rmat:21 on 2 (measured:
/// 4.3), 7.4 on 4 (7.0), and less than 0.1 for rmat:20, where sums lose 2 and 10.
constexpr SumCosts gpu_costs{0.5, 8e-6, 0};
/// CPUs. Measured: products take 0.62 to 0.73 times as long on 2 ranks, 0.42 to 0.63 on 4 and 8, on
/// arrow with rows of 500 000 and on lp with 30, where less than 1 % of the entries are left; on 2
/// ranks 0.95 times on empty (23 %) and 1.23 times on rmat:20 (36 %). A nonzero of a sum takes 1.35
/// ns (csr-omp), another one of lp with 1177 rows 0.8 (sell): no gain there.
constexpr SumCosts cpu_costs{0.1, 5e-6, 6};

}  // namespace

bool sums_pay(const Comm& comm, const LocalMatrix& matrix, const ComputeSite& site,
              const PredictionModel& model, Precision precision) {
  if (comm.size == 1) return false;
  const SumCosts& costs = site.device == Device::gpu ? gpu_costs : cpu_costs;
  const std::int64_t crossing = max_over_ranks(comm, std::ssize(matrix.ghosts));
  const Link& link = site.nodes.nodes == 1 ? model.inside : model.between;
  const auto entry_bytes = static_cast<double>(vector_value_bytes(precision));
  const auto sent = [&](std::int64_t entries) {
    return static_cast<double>(entries) * entry_bytes / link.bytes_per_second;
  };
  const auto words = static_cast<double>(
      max_over_ranks(comm, csr_words(matrix.owned_rows, matrix.offsets.back())));
  const double product = 4 * words / model.memory_bytes_per_second;
  const double least = least_gain * (product + sent(crossing));
  // A rank may send more than any receives. If even twice as much takes less time, sums never pay.
  if (2 * sent(crossing) < least + costs.more_kernels) return false;
  const SumSavings savings = savings_by_sums(comm, matrix);
  const double without = sent(savings.entries_without);
  const double bytes = static_cast<double>(savings.sums) * bytes_per_sum +
                       static_cast<double>(savings.nonzeros) * costs.moved_bytes;
  const double with = costs.more_kernels + bytes / model.memory_bytes_per_second;
  const auto all = static_cast<double>(savings.entries_without);
  const auto left = static_cast<double>(savings.entries + savings.sums);
  return savings.sums > 0 && left <= costs.most_left * all && without - with > least;
}

}  // namespace rowhalo
