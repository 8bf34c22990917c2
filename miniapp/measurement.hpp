// SPDX-License-Identifier: BSD-3-Clause
//
// What is measured of one choice of kernels, transport and graph: time, exposed exchange, phases,
// and the y of one more product, to be checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/report.hpp"
#include "miniapp/products.hpp"

namespace rowhalo {

/// This rank's times of one product.
struct OwnTimes {
  std::vector<double> batch_seconds;        ///< a value a batch
  std::vector<double> local_batch_seconds;  ///< likewise, without exchange
  PhaseReport phases;
};

struct Measurement {
  TimingReport timing;
  OwnTimes own;
  bool interrupted = false;  ///< by a signal: then only the times so far are there
  bool repeatable = true;    ///< the y that the timed loop left had the bits of the checked one
  std::vector<std::byte> y;  ///< of one product begun from y0 with spoilt ghosts
  std::uint64_t y_hash = 0;
  std::optional<NodeTraffic> sent_between_nodes;  ///< by this rank; empty: as the plan says
};

/// Collective. `y0`: y before the product, in the precision of the run.
Measurement measure(const ProductSetting& setting, Products& products, const BatchOptions& options,
                    double beta, const std::vector<std::byte>& y0);

}  // namespace rowhalo
