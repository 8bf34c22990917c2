// SPDX-License-Identifier: BSD-3-Clause
//
// csr-balanced: CSR in which every lane of the GPU multiplies the same number of entries, however
// long the rows are. One kernel (csr_balanced.cu) follows a plan made once (balanced_plan.hpp).
//
//   entries   0 . . . . . 255 | 256 . . . . 511 | 512 . . .    values and columns of CSR
//             --- chunk 0 ---   --- chunk 1 ---                256 entries: 8 per lane
//   marks     16 bits per lane and chunk: 8 flags (1 = last entry of its row), 8-bit count of the
//             rows that end in earlier lanes of the chunk
//   shares    chunks 0 .. c-1 | c .. 2c-1 | ...                about c chunks per share (chunks=c);
//             of W warps, warp w takes shares w, w + W, w + 2 W, ... (if rows are very long and
//             there are no hubs: in the plan's order, gather_long_rows)
//
//   loading   lane l takes entries l, l + 32, ... : neighbouring lanes read neighbouring entries
//   summing   lane l takes products 8 l .. 8 l + 7 : each lane holds a piece of the entry order
//
//             lane 0     lane 1     lane 2          (4 of 8 entries drawn; letters are rows)
//             a a a b    b b b b    b c c d
//                   +----+-------+--+      +-->     d continues: carried into the next chunk
//                   b: segmented sum over lanes     a, b, c end here: their y are written
//
// A row within one share is complete when it ends. A row with entries in several shares has one
// partial sum per share; the share that finishes last adds them in a fixed order, so the bits are
// reproducible from run to run.
//
// Rows without entries cost one bit and their y. If few columns have many entries, x of these hubs
// lies in shared memory (hub_columns.hpp; hubs= sets the most, 0 for none): gathers, not bytes,
// limit such matrices. If the columns of nearly every chunk are within 65536, they take 16 bits
// (columns16.hpp; columns=16 or 32). The kernel reads the arrays of the CsrView in place; hubs and
// 16-bit columns need a copy of the indices. If only some rows are listed, indices and values are
// copied.
//
// Bytes of the matrix: n (v + 4 + 1/4), with columns of 16 bits n (v + 2 + 1/4) and 4 more per
// entry of other chunks; 4 per chunk of 256 entries (16 bits: 8); where rows are empty, m / 8 and 4
// per row that is not; 4 per hub; 4 + 4 per share of 4 to 16 chunks (very long rows: 4 more), of
// which 2 sums are written and read.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "kernels/formats.hpp"
#include "kernels/gpu/csr_balanced/balanced_tuning.hpp"
#include "kernels/gpu/csr_balanced/csr_balanced.hpp"
#include "kernels/gpu/csr_balanced/hub_columns.hpp"
#include "kernels/gpu/device/check.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

template <class Numbers>
class CsrBalancedKernel final : public DeviceFormat {
 public:
  CsrBalancedKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows) {
    const auto chunks = static_cast<int>(
        options.integer("chunks", fitting_chunks(row_lengths_on_device(matrix, rows)), 1, 1024));
    const std::int32_t hubs = most_hubs(options);
    if (rows.count == 0) return;
    const int multiprocessors = free_multiprocessors(rows);
    const WarpGrid grid{multiprocessors, block_warps};
    plan_ = make_balanced_plan(matrix, rows, grid, chunks);
    gather_long_rows(plan_, indices(), grid);
    choose_columns(options);
    if (columns16_.bases.size() == 0) {
      hubs_ = find_hubs(indices(), plan_.entries, matrix.columns, sizeof(Vector), hubs,
                        options.has("hubs") ? HubChoice::always : HubChoice::where_they_pay);
    }
    if (hubs_.count() > 0) plan_.indices = {}, plan_.order = {};
    const int warps = (plan_.units.parts + multiprocessors - 1) / multiprocessors;
    grid_.threads = std::min(warps, block_warps) * warp_size;
    grid_.blocks = std::min(blocks_for(std::int64_t{plan_.units.parts} * warp_size, grid_.threads),
                            static_cast<unsigned>(multiprocessors));
    prepare_balanced<Numbers>(grid_, hubs_.count());
    partial_sums_ = DeviceArray<Sum>(2 * std::int64_t{plan_.shares.parts});
    arrived_ = DeviceArray<unsigned>(plan_.split_rows.size());
    set_bytes_async(arrived_.data(), 0, static_cast<std::size_t>(arrived_.bytes()), Stream{});
    stop_clock();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    const auto* values = plan_.in_place() ? csr_.values : plan_.values.data();
    launch_balanced<Numbers>({{alpha, x, beta, y},
                              plan_.view(),
                              hubs_.count() > 0 ? hubs_.indices.data() : indices(),
                              columns16_.view(),
                              static_cast<const Matrix*>(values),
                              hubs_.columns.data(),
                              hubs_.count(),
                              partial_sums_.data(),
                              arrived_.data()},
                             grid_, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

 private:
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  static constexpr int block_warps = most_balanced_threads<Numbers> / warp_size;

  static int free_multiprocessors(RowListView rows) {
    const int all = device_attribute(cudaDevAttrMultiProcessorCount);
    return rows.groups == nullptr ? all : std::max(all - multiprocessors_for_exchange, 1);
  }

  /// What fits into shared memory beside the staged products.
  static std::int32_t most_hubs(const Spec& options) {
    constexpr int staged_bytes = block_warps * chunk_entries * int{sizeof(Sum)};
    const int bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - staged_bytes;
    const auto most = bytes / static_cast<int>(sizeof(Vector));
    const int fallback = std::min(most, most_hub_bytes / static_cast<int>(sizeof(Vector)));
    return static_cast<std::int32_t>(options.integer("hubs", fallback, 0, most));
  }

  /// Columns of 16 bits where few chunks have to be read as they are.
  void choose_columns(const Spec& options) {
    const std::int64_t bits = options.integer("columns", options.has("hubs") ? 32 : 0);
    if (options.has("columns") && bits != 16 && bits != 32)
      options.fail("columns must be 16 or 32");
    if (bits == 16 && options.has("hubs")) options.fail("hubs need columns=32");
    if (bits == 32) return;
    columns16_ = encode_columns16(indices(), plan_.entries);
    const auto uncoded = static_cast<double>(columns16_.chunks32);
    if (bits == 0 && uncoded > most_uncoded_chunks * static_cast<double>(columns16_.bases.size()))
      columns16_ = {};
    if (columns16_.bases.size() > 0 && columns16_.chunks32 == 0) plan_.indices = {};
  }

  /// Columns of the entries, hubs not yet taken out.
  const LocalIndex* indices() const {
    return plan_.in_place() ? csr_.indices : plan_.indices.data();
  }

  std::int64_t stored_entries() const override { return plan_.entries; }
  std::int64_t matrix_bytes(const DeviceCounts&) const override {
    const bool has_columns16 = columns16_.bases.size() > 0;
    const Offset as_they_are = has_columns16 ? columns16_.chunks32 * chunk_entries : plan_.entries;
    return plan_.entries * static_cast<std::int64_t>(sizeof(Matrix)) +
           as_they_are * static_cast<std::int64_t>(sizeof(LocalIndex)) + columns16_.bytes() +
           plan_.bytes() + hubs_.columns.bytes() + 2 * (partial_sums_.bytes() + arrived_.bytes());
  }
  std::int64_t footprint_bytes() const override {
    return plan_.bytes() + plan_.indices.bytes() + static_cast<std::int64_t>(plan_.values.bytes()) +
           hubs_.columns.bytes() + hubs_.indices.bytes() + columns16_.bytes() +
           partial_sums_.bytes() + arrived_.bytes();
  }
  std::string parameters() const override {
    if (columns16_.bases.size() > 0) return "columns=16";
    return hubs_.count() > 0 ? "hubs=" + std::to_string(hubs_.count()) : "";
  }

  BalancedPlan plan_;
  HubColumns hubs_;
  Columns16 columns16_;
  BalancedGrid grid_;
  DeviceArray<Sum> partial_sums_;
  DeviceArray<unsigned> arrived_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_csr_balanced(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  return make_with_numbers<CsrBalancedKernel>(matrix, rows, options, {"chunks", "hubs", "columns"});
}

Prediction predict_csr_balanced(const LocalStatistics& s) {
  constexpr double column_bytes = 2;  // at best
  return {(cost::value_bytes(s) + column_bytes) * cost::nonzeros(s) + cost::y_bytes(s)};
}

}  // namespace rowhalo
