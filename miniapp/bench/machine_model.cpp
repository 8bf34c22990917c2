// SPDX-License-Identifier: BSD-3-Clause
//
// Round figures (machine_model.hpp).
#include "miniapp/bench/machine_model.hpp"

#include <algorithm>

namespace rowhalo {

namespace {

/// A GPU: read bandwidth 4.5e12 of an H200, 3.3e12 of an H100; NVLink 3.7e11 measured between two
/// of them, 5 us per message from plain calls; a 400 Gb/s adapter for each GPU between nodes.
constexpr double gpu_memory = 3.5e12;
constexpr Link gpu_inside{3.7e11, 5e-6}, gpu_between{4e10, 1.5e-5};

/// A node with CPUs: two sockets of 8 to 12 channels of DDR5, that its ranks share but one of which
/// alone cannot take more than about 1.2e10 of; messages through shared memory; one 200 Gb/s
/// adapter for all.
constexpr double node_memory = 4e11, core_memory = 1.2e10;
constexpr Link cpu_inside{5e9, 1e-6};
constexpr Link cpu_adapter{2.5e10, 2e-6};

}  // namespace

PredictionModel prediction_model(Device device, const NodeMap& nodes) {
  if (device == Device::gpu) return {gpu_memory, gpu_inside, gpu_between};
  const double ranks = double(nodes.node_of.size()) / std::max(nodes.nodes, 1);
  return {std::min(core_memory, node_memory / ranks),
          cpu_inside,
          {cpu_adapter.bytes_per_second / ranks, cpu_adapter.latency_seconds}};
}

}  // namespace rowhalo
