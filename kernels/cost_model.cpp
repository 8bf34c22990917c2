// SPDX-License-Identifier: BSD-3-Clause
//
// Rules (cost_model.hpp).
#include "kernels/cost_model.hpp"

#include <algorithm>

namespace rowhalo {

namespace {

double value_bytes(const LocalStatistics& s) {
  return static_cast<double>(matrix_value_bytes(s.precision));
}

double nonzeros(const LocalStatistics& s) {
  return static_cast<double>(s.lengths.nonzeros);
}

/// y, written once.
double y_bytes(const LocalStatistics& s) {
  return static_cast<double>(s.rows) * static_cast<double>(vector_value_bytes(s.precision));
}

/// Padded rows: an index is read from every slot, a value where there is one.
double padded_bytes(const LocalStatistics& s, double slots) {
  return 4 * slots + value_bytes(s) * nonzeros(s) + y_bytes(s);
}

}  // namespace

Prediction predict_csr(const LocalStatistics& s) {
  return {(value_bytes(s) + 4) * nonzeros(s) + 8.0 * s.rows + y_bytes(s), 0, true};
}

Prediction predict_csr_scalar(const LocalStatistics& s) {
  return {predict_csr(s).bytes, static_cast<double>(s.lengths.longest), true};
}

Prediction predict_csr_vector(const LocalStatistics& s) {
  return {predict_csr(s).bytes, static_cast<double>(s.lengths.longest) / 32, true};
}

Prediction predict_csr_balanced(const LocalStatistics& s) {
  return {(value_bytes(s) + 2) * nonzeros(s) + y_bytes(s), 0, true};
}

Prediction predict_csr_packed(const LocalStatistics& s) {
  const double slots = std::max(nonzeros(s), static_cast<double>(s.rows));
  return {(value_bytes(s) + 5) * slots + y_bytes(s), 0, false, true};
}

Prediction predict_csr_panels(const LocalStatistics& s) {
  constexpr double panels = 100, piece_bytes = 24;  // its begin, its sum written and read
  return {(value_bytes(s) + 2) * nonzeros(s) + panels * piece_bytes * s.rows + y_bytes(s), 0, false,
          false, true};
}

Prediction predict_csr_binned(const LocalStatistics& s) {
  const auto product =
      static_cast<double>(std::max<std::size_t>(4, vector_value_bytes(s.precision)));
  return {(value_bytes(s) + 4 + 2 * product) * nonzeros(s) + y_bytes(s),
          static_cast<double>(s.lengths.longest), false, false, true};
}

Prediction predict_sell_8(const LocalStatistics& s) {
  return {padded_bytes(s, static_cast<double>(s.lengths.slots_of_8)), 0};
}

Prediction predict_sell_32(const LocalStatistics& s) {
  return {padded_bytes(s, static_cast<double>(s.lengths.slots_of_32)),
          static_cast<double>(s.lengths.longest)};
}

Prediction predict_ell(const LocalStatistics& s) {
  const auto longest = static_cast<double>(s.lengths.longest);
  return {padded_bytes(s, longest * s.rows), longest};
}

Prediction predict_ell_vector(const LocalStatistics& s) {
  const Prediction ell = predict_ell(s);
  const bool few = s.lengths.longest * static_cast<std::int64_t>(s.rows) <= most_early_slots;
  return {ell.bytes, ell.serial_entries / 32, false, few};
}

Prediction predict_asell(const LocalStatistics& s) {
  constexpr double slice_bytes = 16.0 / 32;  // a row
  return {value_bytes(s) * nonzeros(s) + slice_bytes * s.rows + y_bytes(s),
          static_cast<double>(s.lengths.longest)};
}

Prediction predict_dia(const LocalStatistics& s) {
  const double slots = std::max(static_cast<double>(s.diagonals) * s.rows, nonzeros(s));
  return {(value_bytes(s) + 0.125) * slots + y_bytes(s), 0};
}

Prediction predict_bsr(const LocalStatistics& s) {
  return {best_blocks(s.blocks, value_bytes(s)).bytes * nonzeros(s) + y_bytes(s), 0};
}

Prediction predict_gpu_bsr(const LocalStatistics& s) {
  BlockSamples without_masks = s.blocks;
  for (BlockSample& sample : without_masks) sample.masks = 0;
  return {best_blocks(without_masks, value_bytes(s)).bytes * nonzeros(s) + y_bytes(s),
          static_cast<double>(s.lengths.longest)};
}

Prediction predict_dense(const LocalStatistics& s) {
  return {value_bytes(s) * s.rows * s.columns + y_bytes(s), 0};
}

}  // namespace rowhalo
