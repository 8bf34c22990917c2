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
  std::string format = {};  ///< with options, "sell:c=8"; empty: sell on CPUs, asell on GPUs
  std::string boundary_format = {};  ///< of boundary rows, or of ghost columns; empty: as `format`
  std::string partition = "nnz";     ///< of a matrix that is given away
  std::string transport = {};        ///< empty: p2p where all GPUs reach each other, else mpi
  Order order = Order::overlap;
  Precision precision = Precision::fp64;
  Device device = Device::cpu;                    ///< gpu: the device that is current on this rank
  bool value_codes = true;                        ///< values in fewer bytes where that is exact
  int vectors = 2;                                ///< that make_vector() may be called for
  const FormatEntry* own_format = nullptr;        ///< instead of one of the table
  const TransportEntry* own_transport = nullptr;  ///< likewise
};

}  // namespace rowhalo
