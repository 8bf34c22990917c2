// SPDX-License-Identifier: BSD-3-Clause
//
// ell: ELLPACK (ell_block.cuh), every listed row with as many slots as the longest. Each row is
// summed in stored order with its own accumulator: the bits of csr.
//
// Bytes of the matrix: (v + 4) m L + rows, with L the longest row.
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/ell/ell_block.cuh"

namespace rowhalo {
namespace {

constexpr int ell_unroll = 8;

template <class T>
class EllGpuKernel final : public DeviceFormat {
 public:
  EllGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows), block_(block_option(options, product_threads)) {
    const Slices whole{std::max<LocalIndex>(rows.count, 1), Slices::Last::short_one};
    const RowLengths lengths = row_lengths_on_device(matrix, rows);
    const Offset ends[] = {0, lengths.longest * rows.count};
    const DeviceArray<Offset> begins{std::span<const Offset>(ends)};
    check_padding(options, {ends[1], lengths.nonzeros, matrix},
                  std::to_string(rows.count) + " rows as long as the longest",
                  "use hyb, sell or csr-vector");
    slots_ = EllBlock<T>(rows, lengths.longest);
    fill_slices(matrix, rows, whole, begins.data(), slots_.indices.data(), slots_.values.data());
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    slots_.template apply<ell_unroll>(product, block_, stream);
  }

  std::int64_t stored_entries() const override { return slots_.indices.size(); }
  std::int64_t footprint_bytes() const override { return slots_.bytes(); }

  int block_;
  EllBlock<T> slots_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_ell(const CsrView& matrix, RowListView rows,
                                         const Spec& options) {
  return make_with_wide_numbers<EllGpuKernel>(matrix, rows, options, {"max_padding", "block"});
}

Prediction predict_gpu_ell(const LocalStatistics& s) {
  return {cost::padded_bytes(s, cost::longest_row(s) * s.rows), cost::longest_row(s)};
}

}  // namespace rowhalo
