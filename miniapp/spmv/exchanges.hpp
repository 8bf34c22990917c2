// SPDX-License-Identifier: BSD-3-Clause
//
// What exchanges the vectors of an operator, made from its parts. Before a transport puts vectors
// somewhere it may be told how long the rows of this rank take with x there, so that they lie where
// they are read fastest (halo/memory/vector_layout.hpp).
#pragma once

#include <functional>
#include <memory>

#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

struct Exchanges {
  std::unique_ptr<HaloExchange> x, sums;  ///< sums: null without partial sums
};

struct ExchangeRequest {
  const TransportEntry& transport;
  int halo_vectors = 2;  ///< how often Operator::make_vector() will be called
  /// One entry per owned row, zeroed while places of x are tried in `stream`. Null: none are tried;
  /// nor are they on CPUs, where ranks share a GPU, or where x stays in the caches of the
  /// multiprocessors.
  void* y = nullptr;
  Stream stream = {};
  bool wait_for_packing = false;  ///< as in TransportContext
  /// Puts something around an exchange, as measurements do; empty: nothing.
  std::function<std::unique_ptr<HaloExchange>(std::unique_ptr<HaloExchange>)> wrap = {};
};

/// Collective. Throws AgreedError where a resource lacks on some rank; then nothing stays open.
Exchanges make_exchanges(const OperatorParts& parts, const LocalKernels& kernels,
                         const ExchangeRequest& request);

}  // namespace rowhalo
