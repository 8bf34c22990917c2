// SPDX-License-Identifier: BSD-3-Clause
//
// What an operator is made with: a value, by the names of the tables.
#pragma once

#include <string>

#include "kernels/formats.hpp"
#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/steps.hpp"

namespace rowhalo {

struct Tuning {
  /// With options, "sell:c=8"; empty: asell, or sell in a precision that it does not take.
  std::string format = {};
  /// Of boundary rows, or of ghost columns; empty: as `format`.
  std::string boundary_format = {};
  /// Partitioner, for the constructor that takes a DistributedCsr.
  std::string partition = "nnz";
  /// Empty: the first of p2p, nccl and mpi that can be used.
  std::string transport = {};
  Order order = Order::overlap;
  Precision precision = Precision::fp64;
  /// gpu: the device that is current on this rank.
  Device device = Device::cpu;
  /// Store values in fewer bytes where that is exact.
  bool value_codes = true;
  /// Operator::refill() may be called: values are stored in full, in a format that takes new ones.
  bool refillable = false;
  /// How often make_vector() may be called.
  int halo_vectors = 2;
  /// How many vectors a product takes at once, up to most_vectors.
  int vectors = 1;
  /// How these lie for the caller; tune() counts what their conversion takes.
  Layout layout = Layout::row;
  /// x and y are the caller's own, and make_vector() gives out none.
  bool foreign_vectors = false;
  /// How long one rank waits for another on GPUs and in shared memory before it is an error: longer
  /// than anything that a rank does between two products.
  double timeout_seconds = 300;
  /// A format and a transport of your own, instead of the names above.
  const FormatEntry* own_format = nullptr;
  const TransportEntry* own_transport = nullptr;
};

}  // namespace rowhalo
