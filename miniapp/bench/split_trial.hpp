// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the order `split` is faster than the one that was chosen: where hardly any row is
// interior, as in power laws, only it has something to do while entries of x travel. It needs the
// matrix cut by columns beside the whole one, so it is tried last, with the format and the
// transport that were chosen, and only where the exchange shows.
#pragma once

#include <memory>

#include "miniapp/bench/choose.hpp"

namespace rowhalo {

/// Kernels for the order `split`, and the setting of products that goes with them.
struct SplitProducts {
  std::unique_ptr<const LoadedColumns> columns;
  ProductSetting setting;
  ChosenKernels kernels;
};

/// Collective. Products in the order `split` in place of those with `kernels` and `transport`,
/// where they take at most 98 % of the time, in a graph then; null where they do not, or cannot.
/// Leaves a line among the candidates of `transport`.
std::unique_ptr<const SplitProducts> try_split(const ProductSetting& setting,
                                               const ChosenKernels& kernels,
                                               ChosenTransport& transport);

}  // namespace rowhalo
