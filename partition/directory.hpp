// SPDX-License-Identifier: BSD-3-Clause
//
// A distributed directory: what is known of global number i, without an array of the global size
// anywhere. Rank r keeps the answers for its even share of the numbers: deal_out() publishes,
// fetch() looks up.
#pragma once

#include <span>
#include <vector>

#include "partition/comm.hpp"
#include "partition/distributed_csr.hpp"

namespace rowhalo {

/// Collective. Fetches entries of a vector that lies in even shares: `share` is this rank's part of
/// the `size` entries; returns those at `numbers`.
template <class T>
std::vector<T> fetch(const Comm& comm, GlobalIndex size, std::span<const T> share,
                     std::span<const GlobalIndex> numbers);

/// Collective. The reverse: entries at `numbers` (each of [0, size) once over all ranks) become this
/// rank's even share.
template <class T>
std::vector<T> deal_out(const Comm& comm, GlobalIndex size, std::span<const GlobalIndex> numbers,
                        std::span<const T> entries);

}  // namespace rowhalo
