// SPDX-License-Identifier: BSD-3-Clause
//
// What a product costs in a format, as far as the statistics tell before the format is made: the
// rules that the table of formats names. Each is a lower bound as far as the statistics are exact,
// and at least the bytes of the values; gathers of x are not counted in them. `auto` takes them to
// order its trials and to leave out what cannot win.
#pragma once

#include <cstdint>

#include "kernels/local_statistics.hpp"

namespace rowhalo {

/// Padded entries of ell-vector up to which it starts early: more would be in the way.
inline constexpr std::int64_t most_early_slots = 1 << 18;

struct Prediction {
  double bytes = 0;           ///< of matrix and y that a product moves
  double serial_entries = 0;  ///< most entries that a GPU's thread sums one after the other
  bool reads_csr = false;     ///< nothing is converted: a trial costs its products only
  bool starts_early = false;  ///< loads while the kernel before it ends (early_start.cuh)
  bool in_panels = false;     ///< gathers x from shared memory
};

using PredictionRule = Prediction(const LocalStatistics& statistics);

PredictionRule predict_csr;           ///< however rows are shared out
PredictionRule predict_csr_scalar;    ///< one thread per row
PredictionRule predict_csr_vector;    ///< at most 32 threads per row
PredictionRule predict_csr_balanced;  ///< columns of 16 bits
PredictionRule predict_csr_packed;    ///< slots of which empty rows take one
PredictionRule predict_csr_panels;    ///< a panel a multiprocessor, of which there are some hundred
PredictionRule predict_csr_binned;    ///< values and products, which are written and read
PredictionRule predict_sell_8;        ///< slices of 8 rows, on a CPU
PredictionRule predict_sell_32;       ///< slices of 32 rows, one thread per row
PredictionRule predict_ell;           ///< one thread per row
PredictionRule predict_ell_vector;    ///< at most 32 threads per row
PredictionRule predict_asell;         ///< patterns that all slices share, values as they are
PredictionRule predict_dia;
PredictionRule predict_bsr;      ///< with the block size that it will choose
PredictionRule predict_gpu_bsr;  ///< the same, one thread per row, blocks without masks
PredictionRule predict_dense;

}  // namespace rowhalo
