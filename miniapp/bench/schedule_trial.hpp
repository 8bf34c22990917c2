// SPDX-License-Identifier: BSD-3-Clause
//
// Whether another order of a product is faster than the one that was chosen, tried last, with the
// transport that was chosen:
//   split     on GPUs, where hardly any row is interior, as in power laws, and the exchange shows:
//             only this order has something to do while entries of x travel. It needs the matrix
//             cut by columns beside the whole one.
//   blocking  on CPUs, where the cores that multiply also copy, so that little is hidden, and where
//             two lists of rows read the CSR arrays twice, with gaps: for the format that was
//             chosen and for one that converts nothing.
#pragma once

#include <memory>

#include "miniapp/bench/choose.hpp"

namespace rowhalo {

/// Kernels for the other order, and the setting of products that goes with them.
struct OtherProducts {
  std::unique_ptr<const LoadedColumns> columns;
  ProductSetting setting;
  ChosenKernels kernels;
};

/// Collective. Products in another order than those with `kernels`, which overlap or block, and
/// `transport`, where they take at most 98 % of the time, in a graph where that is `split`; null
/// where they do not, or cannot. Leaves a line for each among the candidates of `transport`.
std::unique_ptr<const OtherProducts> try_other_schedules(const ProductSetting& setting,
                                                         const ChosenKernels& kernels,
                                                         ChosenTransport& transport);

}  // namespace rowhalo
