// SPDX-License-Identifier: BSD-3-Clause
//
// Predicted memory, term by term as planned_work.hpp lists them; tests/cli/test_info.py holds the
// whole against runs.
#include "miniapp/bench/planned_work.hpp"

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

const RankShare share_of_all{1000, 900, 20'000, 50, 40};

MemoryPrediction predict(const RankShare& rank, Precision precision = Precision::fp64) {
  return predict_memory(rank, precision, Reading::binary_or_generated, 2, 0);
}

/// By how much `count` more of one member raise the prediction, for each.
MemoryPrediction cost_of(std::int64_t RankShare::*member, Precision precision = Precision::fp64) {
  constexpr std::int64_t count = 10'000;
  RankShare larger = share_of_all;
  larger.*member += count;
  const MemoryPrediction after = predict(larger, precision),
                         before = predict(share_of_all, precision);
  return {(after.host_peak_bytes - before.host_peak_bytes) / count,
          (after.host_bytes - before.host_bytes) / count,
          (after.device_bytes - before.device_bytes) / count};
}

}  // namespace

TEST_CASE("every term of the memory counts") {
  const MemoryPrediction nonzero = cost_of(&RankShare::nonzeros), row = cost_of(&RankShare::rows),
                         ghost = cost_of(&RankShare::ghosts), sent = cost_of(&RankShare::sent);
  CHECK(nonzero.host_peak_bytes == 40);
  CHECK(row.host_peak_bytes == 40);
  CHECK(nonzero.host_bytes == 12 + 12 + 4);
  CHECK(row.host_bytes == 8 + 8 + 8 + 16 + 8);    // twice its start, number, y twice, a vector
  CHECK(ghost.host_bytes == 2 * 8 + 16 + 2 * 8);  // numbers, x twice, two vectors
  CHECK(nonzero.device_bytes == 2 * 12);
  CHECK(row.device_bytes == 2 * 8 + 4 + 8);
  CHECK(ghost.device_bytes == 2 * 8);
  CHECK(sent.device_bytes == 4 + 8);
  const MemoryPrediction single = cost_of(&RankShare::nonzeros, Precision::fp32);
  CHECK(single.host_bytes == 12 + 8 + 4);
  CHECK(single.device_bytes == 2 * 8);
}

TEST_CASE("reading costs more from text, and more where rows move") {
  constexpr std::int64_t base_bytes = 12'345;
  const auto peak = [&](Reading reading, int ranks) {
    return predict_memory(share_of_all, Precision::fp64, reading, ranks, base_bytes)
        .host_peak_bytes;
  };
  const std::int64_t alone = peak(Reading::binary_or_generated, 1);
  CHECK(peak(Reading::binary_or_generated, 4) - alone == 16 * share_of_all.nonzeros);
  CHECK(peak(Reading::text, 1) - alone == 24 * share_of_all.nonzeros);
  CHECK(peak(Reading::text, 4) == peak(Reading::text, 1));
  CHECK(alone == base_bytes + 24 * share_of_all.nonzeros + 40 * share_of_all.rows);
}
