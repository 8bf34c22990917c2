// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of other schedules than the one that was chosen, and on GPUs of the second best format,
// last and with the chosen transport:
//   split     on GPUs, if the exchange shows: in power laws hardly any row is interior, and only
//             this schedule has work while entries of x travel. It needs the matrix cut by columns
//             beside the whole one.
//   overlap   on GPUs, with the second best format, if the product is short: formats are chosen
//             without the exchange, which slows some down more than others. (2 H200s,
//             banded:rows=200000,half=64,fill=0.2: alone asell took 10.9 us and csr-packed 11.2,
//             with the exchange 14.0 and 11.0.)
//   blocking  on GPUs likewise, with the best format so far. On CPUs with the chosen format and
//             with csr-omp, which converts nothing: the cores that multiply also copy, so that
//             overlap hides little, and two lists of rows read the CSR arrays twice, with gaps.
#pragma once

#include <memory>

#include "miniapp/tune/choose.hpp"

namespace rowhalo {

/// Kernels for the other schedule, and the setting of their products.
struct OtherProducts {
  std::unique_ptr<const LoadedColumns> columns;
  ProductSetting setting;
  ChosenKernels kernels;
};

/// Collective. The fastest of the products in other schedules, if it takes at most 98 % of the time
/// of `kernels` and `transport`; else null. Adds a line per trial to the candidates of `transport`,
/// and turns its graph on where a trial in a graph wins.
std::unique_ptr<const OtherProducts> try_other_schedules(const ProductSetting& setting,
                                                         const ChosenKernels& kernels,
                                                         ChosenTransport& transport);

}  // namespace rowhalo
