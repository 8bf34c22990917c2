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
  /// Of a matrix that is given away.
  std::string partition = "nnz";
  /// Empty: p2p where all GPUs reach each other, else mpi.
  std::string transport = {};
  Order order = Order::overlap;
  Precision precision = Precision::fp64;
  /// gpu: the device that is current on this rank.
  Device device = Device::cpu;
  /// Values in fewer bytes where that is exact.
  bool value_codes = true;
  /// That make_vector() may be called for.
  int vectors = 2;
  /// Vectors are the caller's own, and make_vector() gives out none.
  bool foreign_vectors = false;
  /// Instead of one of the table.
  const FormatEntry* own_format = nullptr;
  const TransportEntry* own_transport = nullptr;
};

}  // namespace rowhalo
