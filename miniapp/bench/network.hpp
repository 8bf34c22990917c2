// SPDX-License-Identifier: BSD-3-Clause
//
// What a machine can do apart from any matrix. How fast ranks read arrays that lie in caches or in
// memory: the ceiling of a product's bytes. What the transports cost between two ranks: the
// exchanges that a product makes (halo/halo_exchange.hpp) on plans that are made up; ranks are
// paired with the next of their node, then with the one at their place on the next node.
#pragma once

#include <string>
#include <vector>

#include "io/report/network.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

/// Collective. Arrays of ascending size, read again and again with all threads of a rank, or by its
/// GPU: by all ranks at once, then by rank 0 alone. Medians of several.
std::vector<ReadPoint> measure_reading(const Comm& comm, Device device, Progress& progress);

struct LinkSetting {
  const Measuring& measuring;
  const ComputeSite& site;
  Stream stream;
  std::string inside;  ///< what lies between ranks of a node, as LinkReport::between has it
  bool graphs = true;
};

/// Collective. Every usable transport, with a graph and without, for each kind of pair that there
/// is. `left_out`: what cannot be made or fails its own check.
std::vector<LinkReport> measure_links(const LinkSetting& setting,
                                      std::vector<UnmeasuredLink>& left_out);

}  // namespace rowhalo
