// SPDX-License-Identifier: BSD-3-Clause
//
// The model of memory_model.hpp in numbers.
#include "miniapp/bench/memory_model.hpp"

namespace rowhalo {

namespace {

/// NCCL's buffers on 2 to 8 H200s: 0.4 to 0.5 GB.
constexpr std::int64_t device_base_bytes = 500'000'000;

constexpr std::int64_t index_bytes = 4, number_bytes = 8;

}  // namespace

MemoryPrediction predict_memory(const RankShare& share, Precision precision, Reading reading,
                                int ranks, std::int64_t base_bytes) {
  const auto value = static_cast<std::int64_t>(matrix_value_bytes(precision));
  const auto entry = static_cast<std::int64_t>(vector_value_bytes(precision));
  const std::int64_t local_columns = share.columns + share.ghosts;

  MemoryPrediction need;
  const std::int64_t reading_bytes = reading == Reading::text ? 48 : ranks > 1 ? 40 : 24;
  need.host_peak_bytes = base_bytes + reading_bytes * share.nonzeros + 40 * share.rows;

  const std::int64_t local_csr =
      (number_bytes + index_bytes) * share.nonzeros + number_bytes * share.rows;
  const std::int64_t format = (value + index_bytes) * share.nonzeros + number_bytes * share.rows;
  const std::int64_t numbers = number_bytes * (share.rows + local_columns + share.ghosts);
  const std::int64_t vectors = (number_bytes + entry) * (share.rows + local_columns) +
                               entry * (2 * local_columns + share.rows);
  need.host_bytes =
      base_bytes + local_csr + format + index_bytes * share.nonzeros + numbers + vectors;

  need.device_bytes = 2 * format + index_bytes * (share.rows + share.sent) +
                      entry * (2 * local_columns + share.rows + share.sent) +
                      (ranks > 1 ? device_base_bytes : 0);
  return need;
}

}  // namespace rowhalo
