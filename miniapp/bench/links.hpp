// SPDX-License-Identifier: BSD-3-Clause
//
// What the transports cost between two ranks, apart from any matrix: the exchanges that a product
// makes (halo/halo_exchange.hpp) on plans that are made up. Ranks are paired with the next of their
// node, then with the one at their place on the next node.
#pragma once

#include <string>
#include <vector>

#include "io/report/network.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

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
